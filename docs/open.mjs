// The built manual in Chromium, opened from the disk and without a network: its search finds, and it asks nobody.
// usage: node open.mjs DRIVER BOOK   (DRIVER: where playwright-core is installed)
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [driver, book] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(driver, "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const context = await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 } });
const page = await context.newPage();
const asked = [], faults = [];
page.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) asked.push(request.url()); });
page.on("pageerror", (error) => faults.push(error.message));
page.on("console", (message) => { if (message.type() === "error") faults.push(message.text()); });

await page.goto(pathToFileURL(join(book, "index.html")).href);
const input = page.locator(".md-search__input").first();
await input.click();
await input.pressSequentially("max-cost");
const first = page.locator(".md-search-result__link").first();
await first.waitFor({ timeout: 30_000 });
const folder = process.env.QUAESTIO_SCREENSHOTS;
if (folder) await page.screenshot({ path: join(folder, "manual-search.png") });
await first.click();
await page.waitForURL(/\.html/);
assert.match(page.url(), /^file:/);
for (const name of ["reference/commands.html", "reference/settings.html", "reference/api.html", "reference/schemas.html", "first-hour.html"]) {
  await page.goto(pathToFileURL(join(book, name)).href);
  assert.ok((await page.locator("article h1").innerText()).length > 0, name);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
  assert.ok(!wide, `${name} is wider than the window`);
  if (folder) await page.screenshot({ path: join(folder, `manual-${name.replace(/\W/g, "-")}.png`) });
}
assert.deepEqual([asked, faults], [[], []]);
await browser.close();
console.log("the manual opens from the disk, its search finds, and it asks nobody");
