// proves: W1, W2, W4, C11, F3
// A message becomes a cited market analysis, without a model and through one, though the server is killed at every gate.
import { join } from "node:path";
import assert from "node:assert/strict";
import { EXAMPLES, ask, chips, choose, composer, drop, filesIn, openTab, options, pointAt, report, says, status, taken, times, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

const MESSAGE = "I want to explore the market for contract review software";

export default async function market({ serve, model, person }) {
  await offline(await serve(), person);
  const speaker = await model();
  await speaker.manner("crew");
  await throughAModel(await serve({ ...speaker.variables, QUAESTIO_LIGHT_MODEL: "fake/light" }), person, speaker);
}

/** The marks in a sentence. */
const marks = (sentence) => sentence.getByRole("link", { name: /^\[\d+[a-z]*\]/ });

/** Orders the analysis of what lies in the examples, and nobody outside. */
async function order(page) {
  const files = filesIn(join(EXAMPLES, "market"));
  await drop(composer(page), files);
  await times(taken(page), files.length, "files taken in");
  const form = composer(page);
  await choose(form, "method", "market");
  await options(form);
  assert.equal(await form.getByLabel("Ask me first").isChecked(), true);
  const plan = form.getByLabel("Show me a plan first");
  assert.deepEqual([await plan.isChecked(), await plan.isDisabled()], [true, true]);
  await says(form, "it starts only after you approve its plan");
  // Nor by way of a method that can do without.
  await choose(form, "method", "ask");
  await plan.check();
  await plan.uncheck();
  await choose(form, "method", "market");
  await options(form);
  assert.deepEqual([await plan.isChecked(), await plan.isDisabled()], [true, true]);
  for (const box of await form.locator("#field-sources input:checked").all()) await box.uncheck();
  return ask(page, MESSAGE, { method: "market" });
}

async function killed(server, page, watch) {
  const lost = page.getByText("Connection lost. Reconnecting");
  await watch.while("away", async () => {
    await server.kill();
    await lost.waitFor();
    await server.restart();
    await lost.waitFor({ state: "hidden" });
  });
}

async function offline(server, person) {
  const { page, watch } = await person(server);
  await order(page);
  const questions = page.getByRole("form", { name: "Questions for you" });
  await says(questions, "3 questions for you");
  await everywhere(page, "market-questions");
  await killed(server, page, watch);
  await questions.getByLabel("Who is to buy it: businesses, consumers, or somebody else?").fill("law firms");
  await questions.getByLabel("Which country or region should it be about?").fill("Texas");
  await questions.getByRole("button", { name: "Send answers" }).click();
  const card = page.getByRole("region", { name: "The plan", exact: true });
  await says(card, "Size the market");
  await says(card, "no history yet");
  await everywhere(page, "market-plan");
  await killed(server, page, watch);
  await card.getByRole("button", { name: "Approve and start", exact: true }).click();
  await says(status(page), "Completed");
  await says(report(page), "3,840 firms × $5,200 per firm = $19.97 million");
  await report(page).getByRole("cell", { name: /^Lexfold/ }).first().waitFor();
  assert.ok((await chips(page).count()) > 8, "the analysis is cited");
  await chips(page).first().hover();
  await page.getByRole("dialog", { name: /^Citation/ }).waitFor();
  await page.mouse.move(5, 5);
  await openTab(page, "Plan");
  const tab = page.getByRole("tabpanel", { name: /^Plan/ });
  await until(async () => (await tab.getByText(/^done, \d+ steps?, took /).count()) === 5, async () => tab.textContent());
  await everywhere(page, "market-report");
  await page.getByRole("button", { name: "Save as startup context" }).waitFor();
}

async function throughAModel(server, person, speaker) {
  const { page, watch } = await person(server);
  await order(page);
  const questions = page.getByRole("form", { name: "Questions for you" });
  await questions.getByLabel("Who buys?").waitFor();
  await killed(server, page, watch);
  await questions.getByLabel("Who buys?").fill("Law firms");
  await questions.getByRole("button", { name: "Send answers" }).click();
  const card = page.getByRole("region", { name: "The plan", exact: true });
  await says(card, "Contract review in Texas");
  await speaker.waits({ seen: 2 });
  await killed(server, page, watch);
  await card.getByRole("button", { name: "Approve and start", exact: true }).click();
  await says(status(page), "Completed");
  await says(report(page), "3,840 firms × $5,200 per firm = $19.97 million");
  await report(page).getByRole("cell", { name: /^Lexfold/ }).first().waitFor();
  // A conclusion opens the claims that it rests on, and each of them is called what it is.
  const advice = report(page).getByRole("listitem").filter({ hasText: "Sell to small firms first." });
  const box = page.getByRole("dialog", { name: /^Citation/ });
  await pointAt(page, marks(advice).first(), box);
  await says(box, "inferred: the author’s own conclusion");
  await says(box, "Based on:");
  const grounds = box.getByRole("list", { name: "Based on:" }).getByRole("listitem");
  assert.deepEqual(await grounds.allTextContents(), [
    "Small firms buy contract review software to answer clients on the same day. (quoted)",
  ]);
  await everywhere(page, "market-conclusion");
  await page.mouse.move(5, 5);
  // The statement beneath it is what it says of itself, where it stands as a claim.
  const stated = report(page).getByRole("listitem").filter({ hasText: "to answer clients on the same day." });
  await pointAt(page, marks(stated).first(), box);
  await says(box, "quoted: ");
  assert.equal(await box.getByText("Based on:").count(), 0);
}
