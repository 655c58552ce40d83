// proves: F3
// A first visit: one box, one button, five chips, and examples that run at once; what is asked while files are read waits for them.
import { join } from "node:path";
import assert from "node:assert/strict";
import { EXAMPLES, QUESTION, chips, choose, composer, drop, filesIn, options, report, says, status, taken, times, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

export default async function first({ serve, person }) {
  const server = await serve();
  const { page } = await person(server);
  await examples(page);
  await few(page);
  await inSight(await person(server, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }));
  const other = await serve();
  await keys((await person(other)).page);
}

const shown = (page) => page.locator("details.examples[open]");

/** An example runs by one click, on documents that nobody brought. */
async function examples(page) {
  await times(shown(page).getByRole("button"), 3, "examples");
  await everywhere(page, "first");
  await shown(page).getByRole("button", { name: /^Ask/ }).click();
  await page.waitForURL(/#\/runs\//);
  await says(status(page), "Completed");
  await says(report(page), "8 September 1854");
  await chips(page).first().waitFor();
  // The others are offered until there is something of one's own.
  await page.goto("/#/");
  await shown(page).getByRole("button", { name: /^Brief/ }).click();
  await page.waitForURL(/#\/runs\//);
  await says(status(page), "Completed");
  await page.goto("/#/");
  await shown(page).getByRole("button", { name: /^Market/ }).click();
  await page.waitForURL(/#\/runs\//);
  await page.getByRole("region", { name: "The plan", exact: true }).getByRole("button", { name: "Approve and start", exact: true }).click();
  await says(status(page), "Completed");
  await page.goto("/#/");
  await shown(page).waitFor();
}

/** What stands there before a question can be asked. */
async function few(page) {
  const form = composer(page);
  assert.equal(await form.getByRole("textbox").count(), 1, "one box");
  assert.equal(await form.getByRole("radio").count(), 5, "five chips");
  assert.deepEqual(await form.getByRole("button").allTextContents(), ["Add documents", "Ask"]);
  assert.equal(await form.getByRole("combobox").count(), 0);
  // The drawer remembers that it is open, and what was chosen in it.
  await options(form);
  await choose(form, "strategy", "deep");
  await choose(form, "depth", "exhaustive");
  await page.reload();
  assert.equal(await form.getByRole("radio", { name: "Exhaustive: a survey of the field" }).isChecked(), true);
  await everywhere(page, "drawer");
  await choose(form, "strategy", "rag");
}

/** On a telephone Ask is in sight, whatever is open and however long the question is. */
async function inSight({ page }) {
  const form = composer(page);
  const ask = form.getByRole("button", { name: "Ask" });
  const bottom = async () => {
    const { y, height } = await ask.boundingBox();
    return y + height;
  };
  await form.waitFor();
  assert.ok((await bottom()) <= 844, `${await bottom()} px`);
  await options(form);
  assert.ok((await bottom()) <= 844, `${await bottom()} px beneath the drawer`);
  const question = form.getByLabel("Question", { exact: true });
  await question.fill("a long question ".repeat(300));
  assert.ok((await bottom()) <= 844, `${await bottom()} px beneath a long question`);
  const { height } = await question.boundingBox();
  assert.ok(height <= 844 / 2 + 1, `the box grew to ${height} px`);
}

/** Enter asks and Shift with it breaks the line; a question waits for its files; survey data are shown as they are found. */
async function keys(page) {
  const form = composer(page);
  const question = form.getByLabel("Question", { exact: true });
  await question.fill("one");
  await question.press("Shift+Enter");
  await page.keyboard.type("two");
  assert.equal(await question.inputValue(), "one\ntwo");
  // While an input method composes, Enter is its own.
  await question.dispatchEvent("keydown", { key: "Enter", isComposing: true });
  await question.fill(QUESTION);

  const files = filesIn(join(EXAMPLES, "cholera"));
  let read;
  const held = new Promise((resolve) => { read = resolve; });
  await page.route("**/documents?name=*", async (route) => {
    await held;
    await route.continue();
  });
  let orders = 0;
  page.on("request", (one) => { if (one.method() === "POST" && one.url().endsWith("/api/runs")) orders += 1; });
  await drop(form, files);
  await says(form, "Files go into the collection “documents”");
  await question.press("Enter");
  await form.getByRole("button", { name: "Waiting for files…" }).click();
  await everywhere(page, "waiting");
  assert.equal(orders, 0, "nothing is asked before the files are read");
  read();
  await page.waitForURL(/#\/runs\//);
  await says(status(page), "Completed");
  await says(report(page), "8 September 1854");
  assert.equal(orders, 1);

  await page.goto("/#/");
  const data = filesIn(join(EXAMPLES, "survey")).filter((one) => /\.(csv|toml)$/.test(one));
  await drop(form, data);
  await times(taken(page), data.length, "files taken in");
  assert.equal(await form.getByRole("radio", { name: "Brief", exact: true }).isChecked(), true);
  const found = page.getByRole("region", { name: "What the survey contains" });
  await says(found, "600 respondents · 15 questions · weighted by weight");
  await says(found, "Segments: gender, age_group, region, Q3");
  await everywhere(page, "survey");
  await question.fill("How satisfied are passengers, and who is not?");
  await form.getByRole("button", { name: "Ask" }).dblclick();
  await page.waitForURL(/#\/runs\//);
  await says(status(page), "Completed");
  await until(async () => orders === 2, "a double click makes one run");
}
