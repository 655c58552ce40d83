// proves: F3, C1
// The page is left and comes back, by a reload and by a server that goes away: the same state, nothing twice, nothing lost.
import assert from "node:assert/strict";
import { QUESTION, activity, ask, chips, composer, hold, openTab, putExamples, report, says, status, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

const lines = (page) => activity(page).getByRole("listitem").filter({ has: page.locator("time") });
/** The lines of the activity as they read, without clock and durations. */
const read = (page) => lines(page).evaluateAll((all) => all.map((one) => one.querySelector(".line-title > span")?.textContent));

export default async function reload({ serve, person }) {
  const server = await serve();
  await putExamples(server);
  const { page, watch } = await person(server);

  // A draft is kept, also under another method.
  const field = composer(page).getByLabel("Question", { exact: true });
  await field.fill("Half a question, to be");
  await page.reload();
  assert.equal(await field.inputValue(), "Half a question, to be");

  const held = hold(server);
  await ask(page, QUESTION);
  await openTab(page, "Activity");
  await activity(page).getByText("Compare by meaning").waitFor();
  const before = await read(page);
  await page.reload();
  await says(status(page), "Running");
  await activity(page).getByText("Compare by meaning").waitFor();
  assert.deepEqual(await read(page), before, "after a reload in the middle of the run");

  // The server goes away while the page is open, and comes back.
  const lost = page.getByText("Connection lost. Reconnecting");
  await watch.while("away", async () => {
    await server.stop();
    await lost.waitFor();
    await says(status(page), "Running");
    await everywhere(page, "lost");
    assert.equal(await page.getByRole("alert").count(), 0, "it is said once");
    await server.restart();
    await lost.waitFor({ state: "hidden" });
  });
  await activity(page).getByText("Resumed").waitFor();
  held.release();
  await says(status(page), "Completed");
  await activity(page).getByText("The answer is ready").waitFor();
  await says(report(page), "8 September 1854");
  const whole = await read(page);
  assert.equal(new Set(whole).size, whole.length, `every line once: ${whole.join(" | ")}`);
  assert.deepEqual(whole.slice(0, before.length), before, "what was there stays, in its order");
  const marks = await chips(page).allTextContents();

  await page.reload();
  await activity(page).getByText("The answer is ready").waitFor();
  await until(async () => (await chips(page).count()) === marks.length, "the report is there again");
  assert.deepEqual(await read(page), whole, "after a reload at the end of the run");
  assert.deepEqual(await chips(page).allTextContents(), marks);
  assert.equal(await page.getByRole("navigation", { name: "History" }).getByRole("link").count(), 1, "one run in the history");
}
