// proves: C7, C5, F3
// A run is stopped while the model writes: the model loses its client, and what was gathered stays. One that fails says so.
import assert from "node:assert/strict";
import { QUESTION, activity, ask, chips, composer, openTab, putExamples, says, slim, stages, status, times, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

export default async function cancel({ serve, person, model }) {
  const writer = await model();
  const server = await serve(writer.variables);
  await putExamples(server);
  const { page } = await person(server);
  await says(composer(page), "fake/model");

  await writer.manner("begins");
  await ask(page, QUESTION);
  const draft = page.getByRole("region", { name: "Draft", exact: true });
  await says(draft, "The handle of the pump was removed on");
  await says(draft, "not yet checked");
  await says(status(page), "Running");
  await says(stages(page).nth(0), /^Find passages, done\d+ passages from \d+ documents?/);
  await says(stages(page).nth(1), "Write, in progress");
  await says(page.getByRole("region", { name: "Progress" }), /\d+ sources? so far/);
  await slim(page);
  await everywhere(page, "drafting");
  // The draft can be read again from its beginning after a reload.
  await page.reload();
  await says(draft, "The handle of the pump was removed on");
  const sources = page.getByRole("tabpanel", { name: "Sources" });
  await openTab(page, "Sources");
  await until(async () => (await sources.getByRole("listitem").count()) > 1, "the evidence shows while the answer is written");
  const found = await sources.getByRole("listitem").count();

  // What the button says on its way, seen from within: it may be gone before a look from outside.
  await page.evaluate(() => {
    const said = [];
    window.__said = said;
    const look = () => {
      for (const one of [document.getElementById("stop"), document.getElementById("run-status")]) {
        const words = one?.textContent.trim();
        if (words && !one.hidden && !said.includes(words)) said.push(words);
      }
    };
    look();
    new MutationObserver(look).observe(document.getElementById("main"), { subtree: true, childList: true, characterData: true, attributes: true });
  });
  await page.getByRole("button", { name: "Stop" }).click();
  await says(status(page), "Cancelled");
  await writer.waits({ seen: 1, dropped: 1 });
  const said = await page.evaluate(() => window.__said);
  const order = ["Stop", "Stopping…", "Cancelled"].map((words) => said.indexOf(words));
  assert.ok(order.every((place, index) => place >= 0 && (index === 0 || place > order[index - 1])), `Stop, Stopping…, Cancelled: ${said.join(" | ")}`);
  assert.equal(await page.getByRole("button", { name: /^Stop/ }).count(), 0);
  await says(page.getByRole("main"), "Everything gathered so far is kept");
  await says(draft, "never checked");
  await times(sources.getByRole("listitem"), found, "the evidence");
  await openTab(page, "Activity");
  await activity(page).getByText("Everything gathered so far is kept.").waitFor();
  await everywhere(page, "cancelled");
  await page.reload();
  await says(status(page), "Cancelled");
  await openTab(page, "Sources");
  await times(sources.getByRole("listitem"), found, "the evidence after a reload");

  // The next one is written to its end, and its draft makes way for the checked report.
  await writer.manner("honest");
  await page.getByRole("button", { name: "Follow-up question" }).click();
  const form = page.getByRole("form", { name: "Follow-up question" });
  await form.getByLabel("Question", { exact: true }).fill("How many people died in the outbreak?");
  await form.getByRole("button", { name: "Ask" }).click();
  await page.getByRole("heading", { level: 1, name: "How many people died in the outbreak?" }).waitFor();
  await says(status(page), "Completed");
  await chips(page).first().waitFor();
  assert.equal(await draft.isVisible(), false);

  // A model that refuses: the run has failed, and nobody has interrupted or cancelled it.
  await writer.manner("crew");
  await page.goto("/#/");
  await ask(page, "Where did the outbreak begin? It is asked at length, so that the head of the run has more to hold than a telephone is wide.");
  await says(status(page), "Failed");
  const main = page.getByRole("main");
  await says(main, "Failed at “Write the answer”.");
  await says(main, "Two attempts failed.");
  assert.doesNotMatch(await main.textContent(), /interrupted|cancelled/i);
  await main.getByRole("button", { name: "Retry this step" }).waitFor();
  await says(stages(page).nth(1), "Write, failed");
  await slim(page);
  await everywhere(page, "failed");
  await openTab(page, "Activity");
  await activity(page).getByText("Failed at “Write the answer”").waitFor();
}
