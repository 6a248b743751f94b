// A server of `spindrift view` and a browser without a screen that looks at it.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const kBrowsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

export function findBrowser() {
  return kBrowsers.find((path) => existsSync(path));
}

// {url, port, stop()}; stop() is Ctrl-C, and resolves to the exit code.
export async function startServer(command, cache, options = []) {
  const server = spawn(command, ["view", cache, "--port", "0", "--json", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => server.on("exit", (code) => resolve(code)));
  const line = await new Promise((resolve, reject) => {
    createInterface({ input: server.stdout }).once("line", resolve);
    server.on("exit", (code) => reject(new Error(`spindrift view ended with exit code ${code}`)));
  });
  return {
    ...JSON.parse(line),
    pid: server.pid,
    stop: () => {
      server.kill("SIGINT");
      return ended;
    },
  };
}

export function startBrowser() {
  return chromium.launch({
    executablePath: findBrowser(),
    // Drawn by the processor, as on machines without a graphics card.
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
  });
}

// A page that has drawn its first frame; what it says on its console is collected.
export async function openPage(browser, url, { width = 1280, height = 760, query = "" } = {}) {
  const page = await browser.newPage({ viewport: { width, height } });
  const problems = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(url + query);
  await page.waitForFunction(() => window.spindrift?.state().shownFrame >= 0, undefined, { timeout: 300000 });
  return { page, problems };
}

export const stateOf = (page) => page.evaluate(() => window.spindrift.state());

// Until a frame is on the screen and drawn at its finest. Patient: machines may be busy.
export async function settle(page, frame) {
  const isSettled = (n) => {
    const state = window.spindrift.state();
    return state.shownFrame === n && state.isAtRest;
  };
  await page.waitForFunction(isSettled, frame, { timeout: 300000, polling: 50 });
}

export async function seek(page, frame) {
  await page.evaluate((n) => window.spindrift.seek(n), frame);
  await settle(page, frame);
}
