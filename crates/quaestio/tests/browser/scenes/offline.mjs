// proves: F3
// Documents are dropped and chosen, a question is asked without a model, watched, read, and checked at its source.
import { join } from "node:path";
import assert from "node:assert/strict";
import { EXAMPLES, QUESTION, activity, api, ask, beside, chips, composer, drop, filesIn, hold, mismatches, openTab, report, says, status, taken, times, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

export default async function offline({ serve, person, isWhole }) {
  const server = await serve();
  const { page } = await person(server);
  await page.getByRole("heading", { level: 1, name: "Ask a question" }).waitFor();
  await everywhere(page, "new");

  // Some documents by hand from the desktop, before the page has learned which collections there are; the rest by the button.
  const files = filesIn(join(EXAMPLES, "cholera"));
  const learn = await lateCollections(page);
  await page.reload();
  await drop(composer(page), files.slice(0, 5));
  learn();
  await times(taken(page), 5, "files taken in");
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Add documents" }).click()]);
  await chooser.setFiles([...files.slice(5), ...filesIn(join(EXAMPLES, "cholera-more"))]);
  await times(taken(page), files.length + 2, "files taken in");
  await everywhere(page, "uploaded");

  const held = hold(server);
  const run = await ask(page, QUESTION);
  await says(status(page), "Running");
  await openTab(page, "Activity");
  await activity(page).getByText("Held until the scene goes on").waitFor();
  await activity(page).getByText("Compare by meaning").waitFor();
  assert.equal(await report(page).getByRole("link").count(), 0, "no report before its time");
  await everywhere(page, "running");
  held.release();
  await says(status(page), "Completed");
  await activity(page).getByText("Find passages").waitFor();
  await activity(page).getByText("The answer is ready").waitFor();
  // A sentence that is quoted has a sign with a name, and no quotation mark that nothing opens.
  await report(page).getByRole("img", { name: "quoted: the sentence is in its source, word for word" }).first().waitFor();
  assert.doesNotMatch(await report(page).innerText(), /”|bytes \d/);
  await says(report(page), "8 September 1854");
  await page.getByRole("form", { name: "Follow-up question" }).waitFor();
  assert.equal(await taken(page).count(), 0, "what was taken in is not listed again");
  await everywhere(page, "report");

  const { citations } = await api(server, "GET", `/api/runs/${run}/result`);
  const chip = chips(page).first();
  const label = /\[(\d+[a-z]*)\]/.exec(await chip.textContent())[1];
  const number = Number(await chip.getAttribute("data-number"));
  const citation = citations.find((one) => one.number === number);
  const box = page.getByRole("dialog", { name: `Citation ${label}` });

  const told = async (how) => {
    await box.waitFor();
    assert.equal(await box.getByRole("blockquote").textContent(), citation.quote, `${how}: the exact quote`);
    const text = await box.textContent();
    for (const part of [citation.title, citation.section, citation.verdict]) assert.ok(text.includes(part), `${how}: “${part}” in “${text}”`);
    await within(page, box, how);
  };
  // By the pointer; moving into the box keeps it.
  await chip.hover();
  await told("hover");
  await box.hover();
  await told("hover over the box");
  await page.mouse.move(5, 5);
  await box.waitFor({ state: "detached" });
  // By the keyboard.
  await chip.focus();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Tab");
  assert.ok(await chip.evaluate((one) => one === document.activeElement), "the mark can be reached by the keyboard");
  await told("focus");
  await page.keyboard.press("Escape");
  await box.waitFor({ state: "detached" });
  await everywhere(page, "popover", async () => {
    await page.mouse.move(5, 5);
    await chip.scrollIntoViewIfNeeded();
    await chip.hover();
    await told("hover in another width");
  });
  await page.mouse.move(5, 5);

  assert.equal(await mismatches(page), 0, "marks whose statement in Sources bears another number");

  // A click opens the source beside the report, at the very words; the report stays where it is.
  const top = (await chip.boundingBox()).y;
  await chip.click();
  await page.waitForURL(/#\/runs\/[^?]+\?source=/);
  const mark = page.getByRole("mark").or(page.locator("mark"));
  await until(async () => (await mark.first().textContent().catch(() => "")) === citation.quote, `the source is open, and “${citation.quote}” is marked`);
  assert.ok(await mark.first().evaluate((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  }), "the marked words are in sight");
  await beside(page).getByRole("heading", { level: 2, name: citation.title }).waitFor();
  assert.ok(Math.abs((await chip.boundingBox()).y - top) < 2, "the mark stands where it stood");
  assert.ok((await beside(page).boundingBox()).width >= 419, "the source has room");
  await everywhere(page, "beside");
  await page.reload();
  await beside(page).locator("mark").first().waitFor();
  await page.goBack();
  await beside(page).waitFor({ state: "hidden" });
  await page.goForward();
  await beside(page).getByRole("button", { name: "Show [" }).click();
  await until(() => chip.evaluate((one) => one === document.activeElement), "the mark has the focus");
  await beside(page).getByRole("button", { name: "Back to Sources" }).click();
  await page.waitForURL(new RegExp(`#/runs/${run}$`));
  await says(report(page), "8 September 1854");

  // By a finger, on a telephone.
  if (isWhole) await tapping(server, person, run, label, citation);

  // What cannot be read says why.
  await page.goto("/#/");
  await drop(composer(page), [{ name: "table.xyz", text: "a" }, { name: "empty.txt", text: "" }]);
  const uploads = page.getByRole("region", { name: "Uploads" });
  await says(uploads, "has a type that Quaestio cannot read");
  await says(uploads, "is empty");
}

async function tapping(server, person, run, label, citation) {
  const phone = await person(server, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await phone.page.goto(`/#/runs/${run}`);
  const tapped = chips(phone.page).first();
  await tapped.tap();
  const its = phone.page.getByRole("dialog", { name: `Citation ${label}` });
  await its.waitFor();
  assert.equal(await its.getByRole("blockquote").textContent(), citation.quote);
  await within(phone.page, its, "tap");
  await its.getByRole("link", { name: "Open the source" }).tap();
  await phone.page.waitForURL(/#\/runs\/[^?]+\?source=/);
  await until(async () => (await phone.page.locator("mark").first().textContent().catch(() => "")) === citation.quote, "the source is open on the telephone");
  const sheet = await beside(phone.page).boundingBox();
  assert.deepEqual([sheet.x, sheet.y, sheet.width, sheet.height], [0, 0, 360, 740], "the source takes the whole screen");
  await phone.page.getByRole("button", { name: "Back to the report" }).tap();
  await beside(phone.page).waitFor({ state: "hidden" });
  assert.ok(await tapped.isVisible(), "the report is where it was");
}

/** The box lies within what is in sight. */
async function within(page, box, how) {
  const { x, y, width, height } = await box.boundingBox();
  const room = await page.evaluate(() => ({ width: document.documentElement.clientWidth, height: document.documentElement.clientHeight }));
  assert.ok(x >= 0 && y >= 0 && x + width <= room.width && y + height <= room.height, `${how}: ${JSON.stringify({ x, y, width, height, room })}`);
}

/** Keeps the list of collections that the page asks for next, as it is then, from the page until the returned function is called. */
async function lateCollections(page) {
  let learn;
  const learned = new Promise((resolve) => { learn = resolve; });
  await page.route("**/api/collections", async (route) => {
    const answer = await route.fetch();
    await learned;
    await route.fulfill({ response: answer });
  }, { times: 1 });
  return learn;
}
