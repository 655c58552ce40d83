// proves: W5, F3
// What an analysis learned is kept as a startup, changed, chosen for the next one, and removed.
import assert from "node:assert/strict";
import { ask, choose, composer, says, status, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

export default async function startups({ serve, person }) {
  const server = await serve();
  const { page } = await person(server);
  await startable(page);

  await ask(page, "Legal AI", { method: "scout" });
  await page.getByRole("button", { name: "Skip questions" }).click();
  await page.getByRole("button", { name: "Approve and start" }).click();
  await says(status(page), "Completed");
  await page.getByRole("button", { name: "Save as startup context" }).click();
  const dialog = page.getByRole("dialog", { name: "Save as startup context" });
  assert.equal(await dialog.getByLabel("Id", { exact: true }).inputValue(), "lex-co");
  assert.equal(await dialog.getByLabel("Search terms, one per line").inputValue(), "legal AI\ncontract review");
  await dialog.getByLabel("Name").fill("");
  await dialog.getByRole("button", { name: "Save" }).click();
  await says(dialog, "The name is missing");
  await dialog.getByLabel("Name").fill("Lex Única");
  assert.equal(await dialog.getByLabel("Id", { exact: true }).inputValue(), "lex-unica");
  await everywhere(page, "startup-dialog");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "See your startups" }).click();
  const list = page.getByRole("main").getByRole("listitem");
  await says(list, "Lex Única");
  await everywhere(page, "startups");

  await page.getByRole("button", { name: "Edit: the startup Lex Única" }).click();
  const edit = page.getByRole("dialog", { name: "Edit the startup “Lex Única”" });
  await edit.getByLabel("Where").fill("Texas");
  await edit.getByRole("button", { name: "Save" }).click();
  await says(list, "Texas");

  // It is chosen for the next analysis: as it fits, none, or this one.
  await page.goto("/#/");
  const form = composer(page);
  await choose(form, "method", "scout");
  const choice = form.getByRole("group", { name: "Startup" });
  assert.deepEqual(await choice.locator("label").allTextContents(), ["Automatic", "None", "Lex Única"]);
  await everywhere(page, "startup-choice");
  for (const [option, wanted] of [["usual", undefined], ["-", ""], ["lex-unica", "lex-unica"]]) {
    await choose(form, "startup", option);
    const asked = page.waitForRequest("**/api/estimates");
    await form.getByLabel("Question", { exact: true }).fill(`With ${option}`);
    assert.equal((await asked).postDataJSON().startup, wanted, option);
  }

  await page.goto("/#/startups");
  await page.getByRole("button", { name: "Remove: the startup Lex Única" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click();
  await says(page.getByRole("main"), "No startups yet.");
  await page.goto("/#/");
  await choose(form, "method", "scout");
  await until(async () => (await choice.count()) === 0, "nothing to choose from");
}

/** Lets the method of the scene begin with a startup, as `market` does. */
async function startable(page) {
  await page.route("**/api/settings", async (route) => {
    const answer = await route.fetch();
    const settings = await answer.json();
    settings.methods.find((one) => one.name === "scout").fields.push("startup");
    await route.fulfill({ response: answer, json: settings });
  });
  await page.reload();
}
