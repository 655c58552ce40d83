// proves: C11, W1, W3, F3
// A run asks three questions at once, plans, and is watched against its plan; what was left out and what was added is said.
import assert from "node:assert/strict";
import { activity, api, ask, choose, composer, hold, inSight, openTab, report, says, stages, status, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

export default async function clarify({ serve, person }) {
  const server = await serve();
  const { page, watch } = await person(server);
  const questions = page.getByRole("form", { name: "Questions for you" });
  const card = page.getByRole("region", { name: "The plan", exact: true });
  const tab = page.getByRole("tabpanel", { name: /^Plan/ });
  const button = (name) => card.getByRole("button", { name, exact: true });
  const sent = (path) => page.waitForRequest((one) => one.method() === "POST" && new URL(one.url()).pathname.endsWith(path));

  // What comes first is chosen, and said only where it is not what the method does by itself.
  const first = (name) => composer(page).getByLabel(name);
  await choose(composer(page), "method", "scout");
  assert.equal(await first("Ask me first").isChecked(), false);
  await first("Ask me first").check();
  await first("Show me a plan first").check();
  await first("Show me a plan first").uncheck();
  await everywhere(page, "first");
  const [order] = await Promise.all([sent("/api/runs"), ask(page, "Legal AI, held", { method: "scout" })]);
  const { clarify: asks, plan: plans } = order.postDataJSON();
  assert.deepEqual([asks, plans], [true, undefined]);

  // Three questions on one card; two are answered, after the server was killed and the page read anew.
  await says(questions, "3 questions for you");
  await says(questions, "Why this is asked: Firms and people are counted from different sources.");
  await inSight(page, questions.getByRole("button", { name: "Send answers" }));
  await everywhere(page, "questions");
  await questions.getByRole("button", { name: "Send answers" }).click();
  await says(questions, "No answer has been entered");
  await questions.getByLabel("Who is going to buy it?").fill("Law firms");
  await watch.while("away", async () => {
    await server.kill();
    await page.getByText("Connection lost. Reconnecting").waitFor();
    await questions.getByRole("button", { name: "Send answers" }).click();
    await says(questions, "Could not send the answers");
    await server.restart();
    await page.getByText("Connection lost. Reconnecting").waitFor({ state: "hidden" });
  });
  await page.reload();
  assert.equal(await questions.getByLabel("Who is going to buy it?").inputValue(), "Law firms");
  await page.getByText("Ask something else").click();
  await page.getByRole("form", { name: "Follow-up question" }).getByLabel("Question", { exact: true }).fill("Meanwhile");
  await questions.getByLabel("Where is it sold?").fill("Texas");
  await questions.getByLabel("Where is it sold?").press("Control+Enter");

  // Who does a step cannot be edited; a step is left out.
  await says(card, "Rival watcher");
  await says(card, "$0.01 to $0.04 (3 runs)");
  assert.equal(await questions.isVisible(), false);
  await inSight(page, button("Approve and start"));
  await button("Edit").click();
  await says(card, "Done by: Rival watcher");
  assert.equal(await card.getByLabel(/role|done by/i).count(), 0);
  // Nor is the order of what is carried out.
  assert.equal(await card.getByRole("button", { name: /^Move / }).count(), 0);
  await everywhere(page, "scout-plan-edit");
  await button("Remove step 2").click();
  const held = hold(server);
  await button("Save and start").click();
  // The plan is a checklist that fills; all of it shows from the beginning.
  await says(stages(page).nth(0), "Size the market, in progress");
  await says(stages(page).nth(1), "Think of a strategy, pending");
  assert.equal(await stages(page).count(), 2);
  await openTab(page, "Plan");
  await says(tab, "in progress, 1 step done");
  await says(tab, "not started");
  await says(tab, "Removed from the proposed plan: Watch the rivals");
  await everywhere(page, "plan-running");
  held.release();
  await says(status(page), "Completed");
  await says(report(page), "Law firms /  / Texas");
  assert.equal(await stages(page).count(), 0, "the report takes the place of the checklist");
  await until(async () => (await tab.getByText(/^done, \d steps?, took /).count()) === 2, async () => tab.textContent());
  await everywhere(page, "plan-done");
  await openTab(page, "Activity");
  await activity(page).getByText("You skipped a question").waitFor();

  // Passed by; and a step that the plan does not have waits for a word.
  await page.goto("/#/");
  await ask(page, "What was overlooked", { method: "scout" });
  await questions.getByRole("button", { name: "Skip questions" }).click();
  await button("Approve and start").click();
  await says(card, "The run needs a step that is not in the plan");
  await everywhere(page, "amendment");
  await button("Approve and start").click();
  await says(status(page), "Completed");
  await openTab(page, "Plan");
  await says(tab, "Added during the run, with your approval: Think of a strategy");

  // Somebody else answers, and somebody else changes the plan.
  await page.goto("/#/");
  const run = await ask(page, "Both of us", { method: "scout" });
  await questions.getByLabel("Which product?").fill("Contracts");
  await page.route("**/answer_questions*", async (route) => {
    await api(server, "POST", `/api/workflows/${run}/answer_questions`, { answers: ["Firms"] });
    await route.continue();
  }, { times: 1 });
  await watch.while({ status: 409, path: /answer_questions$/ }, async () => {
    await questions.getByRole("button", { name: "Send answers" }).click();
    await says(page.locator("#notices"), "Could not send the answers");
  });
  await button("Approve and start").waitFor();
  const { gates: [open] } = await api(server, "GET", `/api/runs/${run}`);
  await page.route("**/approve", async (route) => {
    const plan = { ...open.plan, title: "Another market", steps: open.plan.steps.slice(0, 2) };
    await api(server, "PUT", `/api/runs/${run}/plan`, { gate: open.gate, revision: open.revision, plan_hash: open.plan_hash, plan });
    await route.continue();
  }, { times: 1 });
  await watch.while({ status: 409, path: /approve$/ }, async () => {
    await button("Approve and start").click();
    await says(card, "Could not approve the plan");
    await says(card, "the title is now “Another market”");
    await says(card, "the step “Think of a strategy” was removed");
  });
  await everywhere(page, "plan-changed");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await says(status(page), "Cancelled");
  await until(async () => !(await card.isVisible()), "no plan waits");
}
