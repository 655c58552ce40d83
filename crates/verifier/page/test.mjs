// The page that verifies bundles, in Chromium and without a network: bundles as they are, one that was changed, and what is none.
// usage: node test.mjs DRIVER PAGE FOLDER   (DRIVER: where playwright-core is installed; FOLDER: with bundles, keys and what is told of them)
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [driver, file, folder] = process.argv.slice(2).map((path) => resolve(path));
const { chromium } = createRequire(join(driver, "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
const context = await browser.newContext({ offline: true });
const page = await context.newPage();
const asked = [], faults = [];
page.on("request", (request) => { if (!/^(file|blob|data):/.test(request.url())) asked.push(request.url()); });
page.on("pageerror", (error) => faults.push(error.message));
page.on("console", (message) => { if (message.type() === "error") faults.push(message.text()); });
await page.goto(pathToFileURL(file).href);

async function told(name, buffer) {
  await page.locator("#file").setInputFiles({ name, mimeType: "application/zip", buffer });
  const box = page.locator("#result .told");
  await box.filter({ hasText: name }).waitFor({ timeout: 60_000 });
  return page.locator("#result").innerText();
}

const bundles = readdirSync(folder).filter((name) => name.endsWith(".quaestio.zip"));
assert.ok(bundles.length >= 5, bundles.join(", "));
for (const name of bundles) {
  const text = await told(name, readFileSync(join(folder, name)));
  assert.match(text, new RegExp(`${name}: verified`), text);
  assert.match(text, /repeated over the recorded replies/, text);
  assert.match(text, /What this does not prove/, text);
}
const changed = readFileSync(join(folder, bundles[0]));
changed[Math.floor(changed.length / 2)] ^= 1;
assert.match(await told("changed.zip", changed), /changed\.zip: NOT VERIFIED/);
assert.match(await told("none.zip", Buffer.from("none")), /none\.zip: NOT VERIFIED[^]*not a zip archive/);
// A key of the signer.
await page.locator("#key").fill(readFileSync(join(folder, "maker.pub"), "utf8").trim().split("\n").pop());
assert.match(await told("signed.zip", readFileSync(join(folder, "signed.zip"))), /signed\.zip: verified[^]*was signed with this key/);
assert.match(await told("unsigned.zip", readFileSync(join(folder, bundles[0]))), /unsigned\.zip: NOT VERIFIED[^]*there is no signature/);
await page.locator("#key").fill("no key");
assert.match(await told("odd.zip", readFileSync(join(folder, bundles[0]))), /could not be verified[^]*minisign public key/);
if (process.env.QUAESTIO_SCREENSHOTS) {
  await page.locator("#key").fill("");
  await told(bundles[0], readFileSync(join(folder, bundles[0])));
  await page.screenshot({ path: join(process.env.QUAESTIO_SCREENSHOTS, "verify.png"), fullPage: true });
}
assert.deepEqual([asked, faults], [[], []]);
await browser.close();
console.log(`the page verified ${bundles.length} bundles and asked nobody`);
