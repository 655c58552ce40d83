// What people do again and again, and where they look for what came of it.
import { readFileSync, readdirSync, statSync, writeFileSync, rmSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import assert from "node:assert/strict";

export const EXAMPLES = resolve(process.env.EXAMPLES ?? "../../../../examples");
export const QUESTION = "When was the handle of the Broad Street pump removed?";

/** Returns the files in a folder and in those below it. */
export function filesIn(folder) {
  return readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}

/** Drops files on an element, as a hand from the desktop does. */
export async function drop(target, files) {
  const carried = files.map((file) => (typeof file === "string" ? { name: basename(file), bytes: readFileSync(file).toString("base64") } : { name: file.name, bytes: Buffer.from(file.text).toString("base64") }));
  const data = await target.page().evaluateHandle((all) => {
    const transfer = new DataTransfer();
    for (const { name, bytes } of all) transfer.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], name));
    return transfer;
  }, carried);
  for (const event of ["dragenter", "dragover", "drop"]) await target.dispatchEvent(event, { dataTransfer: data });
}

/** The uploads that are done. */
export const taken = (page) => page.getByRole("region", { name: "Uploads" }).getByRole("listitem").filter({ hasText: /added|replaces|already there/ });

/** Waits until `count` of what a locator finds is there. */
export async function times(locator, count, what = String(locator)) {
  await until(async () => (await locator.count()) === count, async () => `${what}: ${await locator.count()}, not ${count}`);
}

/** Waits for something to become true. */
export async function until(is, what) {
  const last = Date.now() + 20_000;
  while (!(await is())) {
    if (Date.now() > last) assert.fail(`it did not come: ${typeof what === "function" ? await what() : what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Puts the pointer on a citation until its box is there: a report that still grows can slip away beneath a pointer. */
export async function pointAt(page, mark, box) {
  await until(async () => {
    await page.mouse.move(5, 5);
    await mark.hover();
    return box.waitFor({ timeout: 2_000 }).then(() => true, () => false);
  }, "the box of a citation");
}

export const composer = (page) => page.getByRole("form", { name: "New question" });
export const status = (page) => page.locator("#run-status");
export const report = (page) => page.getByRole("article", { name: "Report" });
export const chips = (page) => report(page).getByRole("link", { name: /^\[\d+[a-z]*\]/ });
export const activity = (page) => page.getByRole("tabpanel", { name: "Activity" });
export const openTab = (page, name) => page.getByRole("tab", { name: new RegExp(`^${name}`) }).click();

/** Opens the drawer of a composer. */
export async function options(form) {
  const drawer = form.locator("details").first();
  if ((await drawer.getAttribute("open")) === null) await drawer.locator("summary").first().click();
}

/** Chooses one of several that stand side by side, such as a method; what lies in the drawer is brought to light. */
export async function choose(form, what, value) {
  const face = form.locator(`label[for="${what}-${value}"]`);
  if (!(await face.isVisible())) await options(form);
  await face.click();
}
/** The source that is open beside the report. */
export const beside = (page) => page.locator("#beside");

/** Every mark of the report leads to a statement in Sources that bears its number; returns how many do not. */
export const mismatches = (page) => page.evaluate(() =>
  [...document.querySelectorAll(".run a.cite")].filter((mark) => {
    const card = document.querySelector(`.statement[data-number="${mark.dataset.number}"]`);
    const label = card?.querySelector(".source-mark")?.textContent;
    const source = card?.closest(".source")?.querySelector(".source-number")?.textContent;
    // In Sources and References a mark stands for the whole source.
    return ![`[${label}]`, `[${source}]`].includes(mark.textContent) || Number.parseInt(label, 10) !== Number(source);
  }).length);

/** Asks in the composer of a new question, and waits until the run is on display. */
export async function ask(page, question, { method } = {}) {
  const form = composer(page);
  if (method) await choose(form, "method", method);
  await form.getByLabel("Question", { exact: true }).fill(question);
  await form.getByRole("button", { name: "Ask" }).click();
  await page.waitForURL(/#\/runs\//);
  await page.getByRole("heading", { level: 1, name: question }).waitFor();
  return decodeURIComponent(new URL(page.url()).hash.split("/").pop());
}

export async function says(locator, words) {
  await until(async () => {
    const text = await locator.textContent().catch(() => "");
    return typeof words === "string" ? text.includes(words) : words.test(text);
  }, async () => `“${words}” in “${await locator.textContent({ timeout: 100 }).catch((error) => error.message)}”`);
}

const GLANCES = [{ width: 1440, height: 900 }, { width: 390, height: 844 }];

/** What one has to press is in sight without scrolling, with nothing over it, on a desk and on a telephone. */
export async function inSight(page, locator) {
  const before = page.viewportSize();
  for (const size of GLANCES) {
    await page.setViewportSize(size);
    await page.evaluate(() => {
      document.scrollingElement.scrollTop = 0;
      document.getElementById("main").scrollTop = 0;
    });
    const seen = () => locator.evaluate((one) => {
      const { x, y, width, height, bottom } = one.getBoundingClientRect();
      return y >= 0 && bottom <= innerHeight && one.contains(document.elementFromPoint(x + width / 2, y + height / 2));
    });
    await until(seen, `${locator} is in sight at ${size.width} px`);
  }
  await page.setViewportSize(before);
}

/** The head of a run leaves the window to what it came to. */
export async function slim(page) {
  const before = page.viewportSize();
  for (const size of GLANCES) {
    await page.setViewportSize(size);
    const { height } = await page.locator(".run-head").boundingBox();
    assert.ok(height < 150, `the head of the run is ${height} px high at ${size.width} px`);
  }
  await page.setViewportSize(before);
}

/** The stages of a run while it works: each with its state. */
export const stages = (page) => page.getByRole("list", { name: "Stages" }).getByRole("listitem");

/** Speaks to the server as a program does. */
export async function api(server, method, path, body, headers = {}) {
  const answer = await fetch(server.url + path, { method, headers: { "content-type": "application/json", ...headers }, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await answer.text();
  assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : null;
}

/** Takes files into a collection as a program does. */
export async function put(server, collection, name, bytes) {
  const answer = await fetch(`${server.url}/api/collections/${collection}/documents?name=${encodeURIComponent(name)}`, {
    method: "POST", headers: { "content-type": "application/octet-stream" }, body: bytes,
  });
  const text = await answer.text();
  assert.ok(answer.ok, `upload of ${name}: ${answer.status} ${text}`);
  return JSON.parse(text).document;
}

export async function putExamples(server, collection = "documents") {
  for (const file of filesIn(join(EXAMPLES, "cholera"))) await put(server, collection, basename(file), readFileSync(file));
}

/** Keeps `ask` from going beyond its first step until `release`. */
export function hold(server) {
  writeFileSync(server.hold, "");
  return { release: () => rmSync(server.hold, { force: true }) };
}
