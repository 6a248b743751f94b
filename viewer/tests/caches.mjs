// Caches for the tests: a real run, small, and what tests make of copies of it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const kScene = fileURLToPath(new URL("../../scenes/dam_break.toml", import.meta.url));

export function runScene(command, folder, lastFrame, { resume = false } = {}) {
  const options = ["--set", "resolution.cells=12", "--set", "output.mesh=true", "--frames", `0:${lastFrame}`];
  execFileSync(command, ["run", kScene, "--out", folder, "--quiet", ...options, ...(resume ? ["--resume"] : [])], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

const nameOf = (frame) => String(frame).padStart(6, "0");

export function editManifest(folder, change) {
  const path = join(folder, "manifest.json");
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  change(manifest);
  delete manifest.checksum; // it is another manifest now
  manifest.frames_done = manifest.frames.length;
  writeFileSync(path, JSON.stringify(manifest));
}

export const statsOf = (folder) =>
  readFileSync(join(folder, "stats.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));

// Droplets in a frame: places in the tank.
export function addParticles(folder, frame, places) {
  const head =
    `ply\nformat binary_little_endian 1.0\nelement vertex ${places.length}\n` +
    ["x", "y", "z"].map((name) => `property float ${name}\n`).join("") +
    "end_header\n";
  const bytes = Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(new Float32Array(places.flat()).buffer)]);
  writeFileSync(join(folder, "frames", nameOf(frame), "particles.ply"), bytes);
  editManifest(folder, (manifest) => {
    manifest.frames[frame].files["particles.ply"] = { bytes: bytes.length, vertices: places.length, triangles: 0 };
  });
}

// The same frames again and again, up to a number of them.
export function lengthen(from, to, count) {
  cpSync(from, to, { recursive: true });
  const stats = statsOf(from);
  const lines = [];
  editManifest(to, (manifest) => {
    const { frames, fps } = manifest;
    const real = frames.length;
    manifest.frames = [];
    manifest.frames_asked = count;
    for (let frame = 0; frame < count; ++frame) {
      const source = frames[frame % real];
      manifest.frames.push({ ...source, frame, time: frame / fps });
      lines.push(JSON.stringify({ ...stats[frame % real], frame, time: frame / fps }));
      if (frame < real) continue;
      const folder = join(to, "frames", nameOf(frame));
      mkdirSync(folder, { recursive: true });
      cpSync(join(to, "frames", nameOf(frame % real)), folder, { recursive: true });
    }
  });
  writeFileSync(join(to, "stats.jsonl"), lines.join("\n") + "\n");
}

export function damage(folder, frame) {
  const path = join(folder, "frames", nameOf(frame), "surface.ply");
  writeFileSync(path, readFileSync(path).subarray(0, 500));
}
