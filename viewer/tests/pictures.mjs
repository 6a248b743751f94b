// Screenshots of every look, to be looked at and for the docs:
//
//   node viewer/tests/pictures.mjs build/release/bin/spindrift CACHE FOLDER [FRAME]
import { mkdir } from "node:fs/promises";
import { openPage, seek, settle, startBrowser, startServer, stateOf } from "./browser.mjs";

const [command, cache, folder, wish] = process.argv.slice(2);
if (!folder) {
  console.error("usage: pictures.mjs SPINDRIFT CACHE FOLDER [FRAME]");
  process.exit(2);
}
await mkdir(folder, { recursive: true });
const server = await startServer(command, cache);
const browser = await startBrowser();
try {
  const { page, problems } = await openPage(browser, server.url, { width: 1280, height: 760 });
  const { frames } = await stateOf(page);
  const frame = wish ? Number(wish) : Math.floor(frames / 2);
  const shoot = (name) => page.screenshot({ path: `${folder}/${name}.png` });
  await settle(page, 0);
  await shoot("first");
  await seek(page, frame);
  await shoot("water");
  for (const look of ["wireframe", "speed", "cut"]) {
    const radio = page.locator(`input[value="${look}"]`);
    if (await radio.isDisabled()) continue;
    await radio.check({ force: true });
    await settle(page, frame);
    await shoot(look);
  }
  await page.locator('input[value="water"]').check({ force: true });
  await page.locator("#arrows").check();
  await settle(page, frame);
  await shoot("arrows");
  await page.locator("#arrows").uncheck();
  await seek(page, frames - 1);
  await shoot("last");
  await page.close();
  const phone = await openPage(browser, server.url, { width: 390, height: 844 });
  await seek(phone.page, frame);
  await phone.page.screenshot({ path: `${folder}/phone.png`, fullPage: true });
  console.log([...problems, ...phone.problems].join("\n") || "no message on the console");
} finally {
  await browser.close();
  await server.stop();
}
