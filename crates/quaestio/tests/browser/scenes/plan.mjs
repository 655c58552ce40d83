// proves: C11, W3, F3
// A plan is edited, saved, approved and rejected; what somebody else changed meanwhile is said and loses no edit.
import assert from "node:assert/strict";
import { api, ask, inSight, report, says, status, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

export default async function plan({ serve, person }) {
  const server = await serve();
  const { page, watch } = await person(server);
  const card = page.getByRole("region", { name: "The plan", exact: true });
  const button = (name) => card.getByRole("button", { name, exact: true });

  // Saved, and approved after the server was killed.
  await ask(page, "To the sea", { method: "travel" });
  await says(status(page), "Waiting for you");
  await says(card, "Revision 1");
  await inSight(page, button("Approve and start"));
  await everywhere(page, "plan");
  await button("Edit").click();
  await card.getByLabel("Name of step 1").fill("Pack lightly");
  await button("Add a step").click();
  await card.getByLabel("Name of step 3").fill("Come home");
  await card.getByLabel("What step 3 does").fill("Before dark.");
  await inSight(page, button("Save and start"));
  await everywhere(page, "plan-edit");
  // Nothing of the method is bound to these steps, so their order is the reader's.
  await button("Move step 3 up").click();
  await button("Move step 2 down").click();
  await button("Move step 2 up").click();
  await button("Save").click();
  await says(card, "Revision 2");
  await says(card.getByRole("listitem").nth(0), "Go");
  await says(card.getByRole("listitem").nth(2), "Come home");
  await watch.while("away", async () => {
    await server.kill();
    await page.getByText("Connection lost. Reconnecting").waitFor();
    await server.restart();
    await page.getByText("Connection lost. Reconnecting").waitFor({ state: "hidden" });
  });
  await button("Approve and start").click();
  await says(status(page), "Completed");
  await says(report(page), "Went: To the sea. Go, Pack lightly, Come home");

  // Stale: somebody else saves in between.
  await page.goto("/#/");
  const run = await ask(page, "To the hills", { method: "travel" });
  await button("Edit").click();
  await card.getByLabel("Title").fill("To the hills and back");
  const change = async (title) => {
    const { gates: [open] } = await api(server, "GET", `/api/runs/${run}`);
    await api(server, "PUT", `/api/runs/${run}/plan`, { gate: open.gate, revision: open.revision, plan_hash: open.plan_hash, plan: { ...open.plan, title } });
  };
  /** Somebody else's change arrives just before what is sent from this page. */
  const overtaken = (path, title) => page.route(path, async (route) => {
    await change(title);
    await route.continue();
  }, { times: 1 });
  const refused = { status: 409, path: /\/(plan|approve)$/ };
  await overtaken("**/plan", "To the woods");
  await watch.while(refused, async () => {
    await button("Save and start").click();
    await says(card, "Could not save the plan");
    await says(card, "The plan was changed elsewhere");
  });
  assert.equal(await card.getByLabel("Title").inputValue(), "To the hills and back", "the edit is not lost");
  assert.ok(await button("Save and start").isDisabled(), "nothing is approved while it is not decided which plan it is");
  await page.reload();
  await says(card, "The plan was changed elsewhere");
  assert.equal(await card.getByLabel("Title").inputValue(), "To the hills and back", "nor by a reload");
  await card.getByText("See the newer plan").click();
  await says(card, "To the woods");
  await everywhere(page, "plan-stale");
  await button("Keep my changes and continue").click();
  await button("Save").click();
  await says(card, "Revision 3");
  // Nothing is approved that was not seen: neither an edit nor a plan as it stood.
  await overtaken("**/approve", "To the valley");
  await watch.while(refused, async () => {
    await button("Approve and start").click();
    await says(card, "Could not approve the plan");
    await says(card, "Revision 4");
    await says(card, "To the valley");
  });
  await says(status(page), "Waiting for you");
  await button("Edit").click();
  await card.getByLabel("Title").fill("To the hills and back");
  await button("Save and start").click();
  await says(status(page), "Completed");
  await says(report(page), "Went: To the hills and back.");

  // Rejected, after a question whether it is meant.
  await page.goto("/#/");
  await ask(page, "To the moon", { method: "travel" });
  await button("Reject").click();
  const dialog = page.getByRole("dialog", { name: "Reject the plan?" });
  await everywhere(page, "reject");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await says(status(page), "Waiting for you");
  await button("Reject").click();
  await dialog.getByLabel("Reason (optional)").fill("too far");
  await dialog.getByRole("button", { name: "Reject the plan" }).click();
  await says(status(page), "Cancelled");
  await page.getByRole("tab", { name: /^Plan/ }).click();
  await says(page.getByRole("tabpanel", { name: /^Plan/ }), "Rejected");
  await until(async () => !(await card.isVisible()), "no plan waits");
}
