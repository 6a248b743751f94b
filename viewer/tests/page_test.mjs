// The page of `spindrift view` in a browser without a screen, on a real cache:
//
//   node viewer/tests/page_test.mjs SPINDRIFT [--must-run]
//
// Exit code 77 if there is no browser, unless it must run.
import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

const command = resolve(process.argv[2] ?? "build/release/bin/spindrift");
const mustRun = process.argv.includes("--must-run");
const packages = fileURLToPath(new URL("../node_modules/playwright-core", import.meta.url));
const lib = existsSync(packages) ? await import("./browser.mjs") : null;
if (!lib?.findBrowser()) {
  console.error("there is no browser or no playwright-core; scripts/setup --all and scripts/build-viewer get them");
  process.exit(mustRun ? 1 : 77);
}
const { openPage, seek, settle, startBrowser, startServer, stateOf } = lib;
const { addParticles, damage, lengthen, runScene, statsOf } = await import("./caches.mjs");

const kLast = 5; // of the frames of the run
let folder, cache, browser, server;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "spindrift-viewer-"));
  cache = join(folder, "dam.cache");
  runScene(command, cache, kLast);
  browser = await startBrowser();
  server = await startServer(command, cache);
}, { timeout: 300000 });

after(async () => {
  await browser?.close();
  if (server) assert.equal(await server.stop(), 0, "Ctrl-C ends the server cleanly");
  if (folder) rmSync(folder, { recursive: true });
});

const canvasOf = (page) => page.locator("#canvas").screenshot();

async function look(page, name) {
  await page.locator(`input[value="${name}"]`).check({ force: true });
  await settle(page, (await stateOf(page)).frame);
}

// Every so many pixels of the picture, as [red, green, blue] from 0 to 255.
async function pixelsOf(page, step) {
  const picture = (await canvasOf(page)).toString("base64");
  return page.evaluate(async ([data, step]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
    const result = [];
    for (let i = 0; i < pixels.length; i += 4 * step) result.push([...pixels.slice(i, i + 3)]);
    return result;
  }, [picture, step]);
}

const coloursOf = async (page) => new Set((await pixelsOf(page, 37)).map(String)).size;

test("a real cache is shown, and its frames advance", async () => {
  const { page, problems } = await openPage(browser, server.url);
  await settle(page, 0);
  assert.equal(await page.title(), "dam_break – Spindrift");
  assert.equal(await page.locator("#status").textContent(), `${kLast + 1} frames`);
  assert.ok((await coloursOf(page)) > 200, "the picture is not empty");
  const first = await canvasOf(page);
  await page.locator("#play").click();
  await page.waitForFunction(() => window.spindrift.state().shownFrame >= 3, undefined, { timeout: 300000 });
  await page.locator("#play").click();
  const { frame } = await stateOf(page);
  await settle(page, frame);
  assert.notDeepEqual(await canvasOf(page), first, "the picture has changed");
  await page.locator("#timeline").fill("2");
  await settle(page, 2);
  assert.match(await page.locator("#frame-label").textContent(), /^frame 2, 0\.083 s$/);
  assert.deepEqual(problems, []);
  await page.close();
});

test("the camera turns, moves and zooms", async () => {
  const { page, problems } = await openPage(browser, server.url);
  await settle(page, 0);
  const { eye } = await stateOf(page);
  const pictures = [await canvasOf(page)];
  const drag = async (button) => {
    await page.mouse.move(420, 400);
    await page.mouse.down({ button });
    await page.mouse.move(520, 360, { steps: 3 });
    await page.mouse.up({ button });
  };
  for (const act of [() => drag("left"), () => drag("right"), () => page.mouse.wheel(0, -400)]) {
    await act();
    await settle(page, 0);
    const picture = await canvasOf(page);
    assert.ok(pictures.every((other) => !other.equals(picture)));
    pictures.push(picture);
    assert.notDeepEqual((await stateOf(page)).eye, eye);
  }
  await page.keyboard.press("r");
  assert.deepEqual((await stateOf(page)).eye, eye, "R goes back to the first camera");
  assert.deepEqual(problems, []);
  await page.close();
});

test("keys do what the buttons do", async () => {
  const { page, problems } = await openPage(browser, server.url);
  const frame = async () => (await stateOf(page)).frame;
  await page.keyboard.press("End");
  await settle(page, kLast);
  await page.keyboard.press("ArrowLeft");
  assert.equal(await frame(), kLast - 1);
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  assert.equal(await frame(), 1);
  await page.keyboard.press("Space");
  assert.equal((await stateOf(page)).isPlaying, true);
  await page.keyboard.press("Space");
  assert.equal((await stateOf(page)).isPlaying, false);
  await page.keyboard.press("2");
  assert.ok(await page.locator('input[value="wireframe"]').isChecked());
  await page.keyboard.press("+");
  assert.equal(await page.locator("#speed").inputValue(), "2");
  await page.keyboard.press("l");
  assert.equal(await page.locator("#loop").isChecked(), false);
  await page.keyboard.press("?");
  assert.ok(await page.locator("#help").isVisible());
  await page.keyboard.press("Escape");
  // Every control is reached with the Tab key, and shows it.
  const reached = new Set();
  for (let i = 0; i < 40; ++i) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement?.id || document.activeElement?.name));
  }
  for (const id of ["save-picture", "canvas", "look", "arrows", "play", "timeline", "speed"]) {
    assert.ok(reached.has(id), `${id} is reached`);
  }
  assert.deepEqual(problems, []);
  await page.close();
});

test("plots have the numbers of the run", async () => {
  const { page, problems } = await openPage(browser, server.url);
  const stats = statsOf(cache);
  await seek(page, 3);
  const shown = (plot, series) => page.locator(`[data-plot="${plot}"] [data-series="${series}"] b`).textContent();
  const four = (value) => (value >= 1e6 || value < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4))));
  assert.equal(await shown("Volume", "total"), four(stats[3].volume));
  assert.equal(await shown("Volume", `body ${stats[3].ledger.bodies[0].id}`), four(stats[3].ledger.bodies[0].volume));
  assert.equal(await shown("Energy", "kinetic"), four(stats[3].ledger.kinetic));
  assert.equal(await shown("Time per phase", "project"), four(stats[3].seconds.project));
  assert.equal(await shown("Tetrahedra and triangles", "tets"), stats[3].tets.toLocaleString("en"));
  assert.equal(await shown("Iterations", "iterations"), String(stats[3].iterations));
  const rows = readFileSync(join(cache, "probes", "gauge1.csv"), "utf8").trim().split("\n").slice(1);
  const before = rows.map((row) => row.split(",").map(Number)).filter(([time]) => time <= stats[3].time + 1e-9);
  const height = before.at(-1)[1];
  assert.equal(await shown("Probe gauge1", "height"), height === 0 ? "0" : four(height));
  // All frames, through the same numbers that are drawn.
  for (const frame of stats) {
    const values = await page.evaluate((time) => window.spindrift.values("Volume", time), frame.time);
    assert.equal(values.find(({ name }) => name === "total").value, frame.volume);
  }
  // At the pointer.
  const plot = page.locator('[data-plot="Volume"] canvas');
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + 53, box.y + 50);
  assert.equal(await shown("Volume", "total"), four(stats[0].volume));
  await page.mouse.click(box.x + box.width - 8, box.y + 50);
  await settle(page, kLast);
  assert.deepEqual(problems, []);
  await page.close();
});

test("the mesh is cut open, coloured, and its worst tetrahedra are marked", async () => {
  const { page, problems } = await openPage(browser, server.url);
  await settle(page, 0);
  const water = await canvasOf(page);
  await look(page, "cut");
  const note = () => page.locator("#scale-note").textContent();
  assert.match(await note(), /^[\d,]+ of [\d,]+ tetrahedra\. Worst: \d+\.\d° and \d+\.\d°\.$/);
  const numbers = async () => (await note()).match(/[\d,]+/g).slice(0, 2).map((text) => Number(text.replaceAll(",", "")));
  const [left, all] = await numbers();
  assert.ok(left > 0 && left < all, `${left} of ${all}`);
  const marked = await canvasOf(page);
  assert.ok(!marked.equals(water));
  await page.locator("#cut-worst").uncheck();
  await settle(page, 0);
  assert.ok(!(await canvasOf(page)).equals(marked), "the marks are gone");
  // Every measure that the frames have, each with its own colours.
  const words = { size: "edge length of the tetrahedra, m", pressure: "pressure, Pa", speed: "speed, m/s" };
  const pictures = new Set();
  for (const [by, title] of Object.entries(words)) {
    await page.locator("#cut-by").selectOption(by);
    await settle(page, 0);
    assert.equal(await page.locator("#scale-title").textContent(), title);
    pictures.add((await canvasOf(page)).toString("base64"));
  }
  assert.equal(pictures.size, 3);
  await page.locator("#cut-by").selectOption("angle");
  await settle(page, 0);
  assert.equal(await page.locator("#scale-title").textContent(), "smallest dihedral angle, degrees");
  assert.ok(Number(await page.locator("#scale-low").textContent()) > 10, "as the mesher promises");
  // The camera looks along y: what is left is beyond the plane. No tetrahedron is centred on it.
  assert.ok(await page.locator("#cut-flip").isChecked());
  await page.locator("#cut-place").fill("310");
  await settle(page, 0);
  const [more] = await numbers();
  assert.ok(more > left, "the plane has moved");
  await page.locator("#cut-flip").uncheck();
  await settle(page, 0);
  assert.equal((await numbers())[0], all - more, "the other side");
  await page.locator("#cut-axis").selectOption("eye");
  await settle(page, 0);
  assert.deepEqual(problems, []);
  await page.close();
});

test("wireframe, speed and arrows are shown", async () => {
  const { page, problems } = await openPage(browser, server.url);
  await seek(page, 4);
  const pictures = [await canvasOf(page)];
  const differs = async () => {
    const picture = await canvasOf(page);
    assert.ok(pictures.every((other) => !other.equals(picture)));
    pictures.push(picture);
  };
  await look(page, "wireframe");
  await differs();
  await look(page, "speed");
  await differs();
  const fastest = Math.max(...statsOf(cache).map((frame) => frame.max_speed));
  assert.equal(Number(await page.locator("#scale-high").textContent()), Number(fastest.toPrecision(4)));
  await page.locator("#arrows").check();
  await settle(page, 4);
  await differs();
  assert.ok((await stateOf(page)).stage.arrows);
  await page.locator("#obstacles").uncheck();
  await settle(page, 4);
  await differs();
  assert.deepEqual(problems, []);
  await page.close();
});

test("arrows leave the colours of a cut as they are", async () => {
  const { page, problems } = await openPage(browser, server.url);
  await seek(page, 4);
  await look(page, "cut");
  const yellow = async () => (await pixelsOf(page, 3)).filter(([r, g, b]) => r > 150 && g > 140 && b < 90).length;
  const before = await yellow();
  assert.ok(before > 100, "the largest tetrahedra are yellow");
  await page.locator("#arrows").check();
  await settle(page, 4);
  assert.ok((await yellow()) > 0.5 * before, "and stay so behind arrows, which mean speed");
  assert.equal(await page.locator("#scale-title").textContent(), "edge length of the tetrahedra, m");
  assert.deepEqual(problems, []);
  await page.close();
});

test("particles are shown where a frame has them", async () => {
  const sprayed = join(folder, "sprayed.cache");
  cpSync(cache, sprayed, { recursive: true });
  const places = [];
  for (let i = 0; i < 400; ++i) places.push([1 + 0.8 * Math.cos(i), 0.5 + 0.4 * Math.sin(i), 0.6 + 0.001 * i]);
  addParticles(sprayed, 2, places);
  const other = await startServer(command, sprayed);
  const { page, problems } = await openPage(browser, other.url);
  await settle(page, 0);
  assert.equal((await stateOf(page)).stage.particles, false);
  await seek(page, 2);
  assert.equal((await stateOf(page)).stage.particles, true);
  const withThem = await canvasOf(page);
  await page.locator("#particles").uncheck();
  await settle(page, 2);
  assert.equal((await stateOf(page)).stage.particles, false);
  assert.ok(!(await canvasOf(page)).equals(withThem));
  assert.deepEqual(problems, []);
  await page.close();
  assert.equal(await other.stop(), 0);
});

test("a damaged frame shows a message, and the others are shown", async () => {
  const damaged = join(folder, "damaged.cache");
  cpSync(cache, damaged, { recursive: true });
  damage(damaged, 2);
  const other = await startServer(command, damaged);
  const { page, problems } = await openPage(browser, other.url);
  const message = page.locator("#message");
  assert.ok(await message.isHidden());
  await seek(page, 2);
  assert.match(await message.textContent(), /^Frame 2 cannot be shown: .*surface\.ply.* has 500 bytes/);
  assert.equal((await stateOf(page)).stage.objects, 0);
  await seek(page, 3);
  assert.ok(await message.isHidden());
  assert.equal((await stateOf(page)).stage.objects, 1);
  // The browser itself notes the answer of the server; there is nothing else.
  assert.ok(problems.length > 0 && problems.every((text) => /status of 500/.test(text)), problems.join("\n"));
  assert.equal(await other.stop(), 0);
  // Nobody answers any more.
  await page.evaluate(() => window.spindrift.seek(4));
  await page.waitForFunction(() => !document.getElementById("message").hidden);
  assert.match(await message.textContent(), /does not answer/);
  await page.close();
});

test("a run that goes on is followed", async () => {
  const growing = join(folder, "growing.cache");
  runScene(command, growing, 1);
  const other = await startServer(command, growing);
  const { page, problems } = await openPage(browser, other.url);
  assert.equal((await stateOf(page)).frames, 2);
  await page.locator("#follow").check();
  runScene(command, growing, 3, { resume: true });
  await page.waitForFunction(() => window.spindrift.state().shownFrame === 3, undefined, { timeout: 300000 });
  assert.equal(await page.locator("#status").textContent(), "4 frames");
  assert.equal((await page.evaluate(() => window.spindrift.values("Volume", 1e9))).length > 0, true);
  assert.deepEqual(problems, []);
  await page.close();
  assert.equal(await other.stop(), 0);
});

test("memory stays bounded through a hundred frames", async () => {
  const long = join(folder, "long.cache");
  lengthen(cache, long, 101);
  const other = await startServer(command, long);
  // So little that most frames have to be loaded again.
  const { page, problems } = await openPage(browser, other.url, { query: "?memory=1", width: 640, height: 480 });
  const session = await page.context().newCDPSession(page);
  const heap = async () => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize, backingStorageSize } = await session.send("Runtime.getHeapUsage");
    return usedSize + (backingStorageSize ?? 0);
  };
  const scrub = async (from, to) => {
    for (let frame = from; frame <= to; ++frame) {
      await page.evaluate((n) => window.spindrift.seek(n), frame);
      await page.waitForFunction((n) => window.spindrift.state().shownFrame === n, frame, { timeout: 300000 });
    }
  };
  await scrub(1, 10);
  const early = await stateOf(page);
  const bytes = await heap();
  await scrub(11, 100);
  const late = await stateOf(page);
  assert.equal(late.shownFrame, 100);
  assert.ok(late.store.packs > 1 && late.store.packs < 100, `${late.store.packs} packs`);
  assert.ok(late.store.bytes <= late.store.limit);
  // Background, screen, floor, container, obstacle and water; that of the last frame may not be drawn yet.
  assert.ok(late.memory.geometries <= 6, `${late.memory.geometries} geometries: buffers of old frames are gone`);
  assert.ok(late.memory.textures <= early.memory.textures);
  const grown = (await heap()) - bytes;
  assert.ok(grown < 2e6, `${grown} bytes more than after ten frames`);
  assert.deepEqual(problems, []);
  await page.close();
  assert.equal(await other.stop(), 0);
});

test("picture and data are saved", async () => {
  const { page, problems } = await openPage(browser, server.url);
  await seek(page, 1);
  const saved = async (id) => {
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator(id).click()]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  };
  const picture = await saved("#save-picture");
  assert.equal(picture.name, "dam_break.000001.png");
  assert.equal(picture.bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(picture.bytes.length > 20000, "not an empty picture");
  const data = await saved("#save-data");
  assert.equal(data.name, "dam_break.csv");
  const [head, ...rows] = data.bytes.toString().trim().split("\n").map((line) => line.split(","));
  const stats = statsOf(cache);
  assert.equal(rows.length, stats.length);
  for (const [i, frame] of stats.entries()) {
    assert.equal(Number(rows[i][head.indexOf("volume")]), frame.volume);
    assert.equal(Number(rows[i][head.indexOf("seconds.total")]), frame.seconds.total);
    assert.equal(Number(rows[i][head.indexOf(`body.${frame.ledger.bodies[0].id}.volume`)]), frame.ledger.bodies[0].volume);
  }
  assert.deepEqual(problems, []);
  await page.close();
});

// As the WCAG 2.1 compute it, for what stands on one colour.
function contrastsOf(page) {
  return page.evaluate(() => {
    const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const backOf = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = parse(getComputedStyle(at).backgroundColor);
        if (colour.length >= 3 && (colour[3] ?? 1) > 0.85) return colour;
      }
      return [255, 255, 255];
    };
    const results = [];
    for (const element of document.querySelectorAll("h1, p, button, label, span, output, figcaption, li, b, a, select")) {
      const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
      if (!hasText || !element.checkVisibility() || element.closest(":has(> input:disabled)")) continue;
      const a = light(parse(getComputedStyle(element).color)) + 0.05;
      const b = light(backOf(element)) + 0.05;
      results.push({ text: element.textContent.trim(), ratio: Math.max(a / b, b / a) });
    }
    return results;
  });
}

for (const [name, width, height] of [["a desk", 1280, 760], ["a phone", 360, 740]]) {
  test(`the page fits ${name} and can be read`, async () => {
    const { page, problems } = await openPage(browser, server.url, { width, height });
    await settle(page, 0);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= width, `${wide} pixels wide`);
    for (const id of ["#play", "#timeline", "#canvas", "#tools", "#save-picture"]) {
      const box = await page.locator(id).boundingBox();
      assert.ok(box && box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height, `${id} is in sight`);
    }
    const picture = await page.locator("#canvas").boundingBox();
    assert.ok(picture.height > 0.4 * height, "most of the page is the picture");
    await page.locator(".plot").last().scrollIntoViewIfNeeded();
    for (const { text, ratio } of await contrastsOf(page)) assert.ok(ratio >= 4.5, `${text}: contrast ${ratio.toFixed(1)}`);
    assert.deepEqual(problems, []);
    await page.close();
  });
}
