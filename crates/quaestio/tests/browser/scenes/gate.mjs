// proves: C11, F3, C1
// The run asks; the server is killed; the answer is given in the page that stayed open, and the run ends.
import assert from "node:assert/strict";
import { activity, ask, inSight, openTab, says, status, until, report } from "../acts.mjs";
import { everywhere } from "../look.mjs";

export default async function gate({ serve, person }) {
  const server = await serve();
  const { page, watch } = await person(server);
  const run = await ask(page, "Please greet me", { method: "greet" });
  const card = page.getByRole("region", { name: "Waiting for you" });
  const answer = card.getByLabel("What is your name?");
  await answer.waitFor();
  await says(card, "A greeting needs one.");
  await says(status(page), "Waiting for you");
  await inSight(page, card.getByRole("button", { name: "Send the answer" }));
  await everywhere(page, "waiting");

  // The composer is not blocked by it.
  await page.getByText("Ask something else").click();
  const meanwhile = page.getByRole("form", { name: "Follow-up question" }).getByLabel("Question", { exact: true });
  await meanwhile.fill("Something else");
  assert.equal(await meanwhile.inputValue(), "Something else");

  // An empty answer is no answer.
  await card.getByRole("button", { name: "Send the answer" }).click();
  await says(card, "The answer is empty");
  await answer.fill("Ada, half writ");
  const lost = page.getByText("Connection lost. Reconnecting");
  await watch.while("away", async () => {
    await server.kill();
    await lost.waitFor();
    // Sent while nobody is there: it is said, and nothing is lost.
    await card.getByRole("button", { name: "Send the answer" }).click();
    await says(card, "Could not send the answer");
    assert.equal(await answer.inputValue(), "Ada, half writ");
    await server.restart();
    await lost.waitFor({ state: "hidden" });
  });
  assert.equal(await answer.inputValue(), "Ada, half writ", "what was written outlives the server");
  await answer.fill("Ada");
  await card.getByRole("button", { name: "Send the answer" }).click();

  // The second question comes, and survives a reload with what was written.
  const second = card.getByLabel("Where do you live?");
  await second.waitFor();
  await second.fill("Lond");
  await page.reload();
  await second.waitFor();
  assert.equal(await second.inputValue(), "Lond");
  await second.fill("London");
  await second.press("Control+Enter");
  await says(status(page), "Completed");
  await says(report(page), "Hello, Ada of London!");
  await until(async () => !(await card.isVisible()), "no question is left");
  await openTab(page, "Activity");
  await activity(page).getByText("Answer: Ada").waitFor();
  await activity(page).getByText("Answer: London").waitFor();
  assert.ok(run.length > 0);
}
