// How long it takes from opening the page until the first frame is on the screen, for a surface of
// 1.5 million triangles:
//
//   node viewer/tests/first_frame.mjs SPINDRIFT CACHE
//
// CACHE is any cache; a copy of it gets the large surface.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPage, startBrowser, startServer, stateOf } from "./browser.mjs";
import { editManifest } from "./caches.mjs";

const [command, cache] = process.argv.slice(2);
if (!cache) {
  console.error("usage: first_frame.mjs SPINDRIFT CACHE");
  process.exit(2);
}

// A torus with ripples, in the middle of the dam break's tank.
function rippledTorus(around, across) {
  const head =
    `ply\nformat binary_little_endian 1.0\nelement vertex ${around * across}\n` +
    ["x", "y", "z", "vx", "vy", "vz"].map((name) => `property float ${name}\n`).join("") +
    `element face ${2 * around * across}\nproperty list uchar int vertex_indices\nend_header\n`;
  const data = Buffer.alloc(head.length + around * across * (24 + 2 * 13));
  data.write(head, "latin1");
  let at = head.length;
  for (let i = 0; i < around; ++i) {
    for (let j = 0; j < across; ++j) {
      const [u, v] = [(2 * Math.PI * i) / around, (2 * Math.PI * j) / across];
      const r = 0.17 + 0.012 * Math.sin(23 * u) * Math.cos(17 * v) + 0.004 * Math.sin(90 * u) * Math.sin(60 * v);
      const away = 0.3 + r * Math.cos(v);
      const place = [1 + 1.9 * away * Math.cos(u), 0.5 + away * Math.sin(u), 0.25 + r * Math.sin(v)];
      for (const number of [...place, 0, 0, 1]) at = data.writeFloatLE(number, at);
    }
  }
  for (let i = 0; i < around; ++i) {
    for (let j = 0; j < across; ++j) {
      const [k, l] = [(i + 1) % around, (j + 1) % across];
      const corners = [[i, j], [k, j], [k, l], [i, l]].map(([a, b]) => a * across + b);
      for (const triangle of [[0, 1, 2], [0, 2, 3]]) {
        at = data.writeUInt8(3, at);
        for (const corner of triangle) at = data.writeInt32LE(corners[corner], at);
      }
    }
  }
  return data;
}

const folder = mkdtempSync(join(tmpdir(), "spindrift-viewer-"));
const big = join(folder, "big.cache");
cpSync(cache, big, { recursive: true });
const [around, across] = [1000, 750];
const bytes = rippledTorus(around, across);
writeFileSync(join(big, "frames", "000000", "surface.ply"), bytes);
editManifest(big, (manifest) => {
  const file = { bytes: bytes.length, vertices: around * across, triangles: 2 * around * across };
  manifest.frames[0].files["surface.ply"] = file;
});
const server = await startServer(command, big);
const browser = await startBrowser();
try {
  // A browser that has just started is slower; people have theirs open.
  await (await browser.newPage()).goto("about:blank");
  const { page } = await openPage(browser, server.url);
  await page.waitForFunction(() => window.spindrift.state().firstPicture > 0);
  const { firstPicture, stage, isSoftware } = await stateOf(page);
  // Once everything is compiled and uploaded.
  const coarse = [];
  for (let i = 0; i < 4; ++i) {
    await page.waitForTimeout(1500);
    await page.mouse.move(400, 400);
    await page.mouse.down();
    await page.mouse.move(410 + 3 * i, 400);
    await page.mouse.up();
    coarse.push(Math.round((await stateOf(page)).stage.milliseconds));
  }
  const result = { triangles: 2 * around * across, seconds: firstPicture / 1000, first_draw_ms: stage.milliseconds, later_draws_ms: coarse, software: isSoftware };
  console.log(JSON.stringify(result));
  await page.waitForTimeout(2500);
  await page.screenshot({ path: join(tmpdir(), "spindrift-first-frame.png") });
} finally {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true });
}
