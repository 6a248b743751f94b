// Bundles the page into dist/: index.html, app.js and app.css, which need nothing else.
import { cp, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

await rm(here("dist"), { recursive: true, force: true });
await mkdir(here("dist"), { recursive: true });
await build({
  entryPoints: { app: here("src/main.ts") },
  outdir: here("dist"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "eof",
  logLevel: "warning",
});
await cp(here("src/index.html"), here("dist/index.html"));
