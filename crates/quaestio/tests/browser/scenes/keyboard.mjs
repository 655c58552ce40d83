// proves: F3
// By the keyboard alone: from the skip link to a question that is sent, to its citation and back.
import assert from "node:assert/strict";
import { QUESTION, putExamples, report, says, status, until } from "../acts.mjs";

/** Says what holds the focus: its role, or tag, and its name. */
const focused = (page) => page.evaluate(() => {
  const one = document.activeElement;
  const label = one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent;
  return `${one.tagName.toLowerCase()}: ${label.trim().replace(/\s+/g, " ").slice(0, 60)}`;
});

/** Waits until what is `wanted` has the focus: the page moves it after the address, not with it. */
const stands = (page, wanted, what) => until(async () => wanted.test(await focused(page)), what);

/** Presses a key until what has the focus is `wanted`. */
async function reach(page, wanted, key = "Tab", most = 60) {
  const way = [];
  for (let pressed = 0; pressed < most; pressed += 1) {
    await page.keyboard.press(key);
    const now = await focused(page);
    way.push(now);
    if (wanted.test(now)) {
      assert.ok(await page.evaluate(() => {
        const one = document.activeElement;
        const style = getComputedStyle(one);
        return one.matches(":focus-visible") && style.outlineStyle !== "none";
      }), `the focus on “${now}” can be seen`);
      return way;
    }
  }
  return assert.fail(`${wanted} was not reached: ${way.join(" → ")}`);
}

export default async function keyboard({ serve, person }) {
  const server = await serve();
  await putExamples(server);
  const { page } = await person(server);
  await page.getByRole("heading", { level: 1, name: "Ask a question" }).waitFor();
  // The page begins in the question; everything before it is reached backwards, up to the very first stop.
  await until(async () => (await focused(page)) === "textarea: Question", "the focus is in the question");
  await reach(page, /^a: Skip to the content/, "Shift+Tab");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.id), "main");
  await reach(page, /^textarea: Question/);
  await page.keyboard.type(QUESTION);
  await page.keyboard.press("Tab");
  assert.match(await focused(page), /^button: Add documents/);
  // The methods are one stop, between which arrows go; the drawer is opened by Enter, and all of it is on the way to Ask.
  await page.keyboard.press("Tab");
  assert.match(await focused(page), /^input: Ask/);
  await page.keyboard.press("ArrowRight");
  assert.match(await focused(page), /^input: Hypothesize/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await focused(page), /^input: Ask/);
  await reach(page, /^summary: documents \(8 documents\)/);
  await page.keyboard.press("Enter");
  const way = await reach(page, /^button: Ask/);
  for (const field of ["My documents", "documents (8 documents)", "Company", "Offline, no model", "Steps"]) assert.ok(way.some((one) => one.includes(field)), `${field} is on the way: ${way.join(" → ")}`);
  await page.keyboard.press("Enter");
  await says(status(page), "Completed");
  await says(report(page), "8 September 1854");
  await stands(page, /^h1: When was/, "the focus goes to what came");

  // The menu, by arrows; closed by Escape, with the focus where it was.
  await reach(page, /^button: Export/);
  await page.keyboard.press("Enter");
  const first = await focused(page);
  assert.match(first, /^a: /);
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await focused(page), first);
  await page.keyboard.press("Escape");
  assert.match(await focused(page), /^button: Export/);

  // A citation: its box, its source, and back.
  await reach(page, /^a: \[1a?\]/);
  const box = page.getByRole("dialog", { name: /^Citation 1/ });
  await box.waitFor();
  await reach(page, /^a: Open the source/, "Tab", 2);
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/runs\/[^?]+\?source=/);
  await page.locator("mark").first().waitFor();
  await until(async () => (await page.evaluate(() => document.activeElement.tagName)) === "MARK", "the focus stands at the span");
  await reach(page, /Back to Sources/, "Shift+Tab");
  await page.keyboard.press("Enter");
  await page.waitForURL(/#\/runs\/[^?]+$/);
  await stands(page, /^a: \[1a?\]/, "the focus is at the mark again");

  // The tabs of the panel, by arrows.
  await reach(page, /^button: (Sources|Activity|Plan)/, "Tab", 80);
  await page.keyboard.press("End");
  assert.match(await focused(page), /^button: Plan/);
  await page.keyboard.press("ArrowLeft");
  assert.match(await focused(page), /^button: Activity/);
}
