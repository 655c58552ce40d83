// proves: F3, D8
// The settings: a model and its key are set from the page, tried and used; the page speaks German; the system is checked.
import assert from "node:assert/strict";
import { composer, says, times, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

const KEY = "canary-key-0123456789";

export default async function settings({ serve, model, person }) {
  const speaker = await model();
  const server = await serve({ QUAESTIO_SOURCES__CONTACT: "env@example.org", QUAESTIO_SOURCES__NETWORK: "cached" });
  const { page, watch } = await person(server);
  await page.getByRole("link", { name: "Settings", exact: true }).click();
  const form = page.getByRole("form", { name: "Server settings" });
  const part = (name) => form.getByRole("region", { name, exact: true });
  const main = part("Model");
  await main.waitFor();
  // What is set elsewhere can be read and not changed.
  const contact = form.getByLabel("Contact");
  assert.equal(await contact.inputValue(), "env@example.org");
  assert.equal(await contact.isEditable(), false);
  await says(form, "Set by the environment (QUAESTIO_SOURCES__CONTACT)");
  const save = form.getByRole("button", { name: "Save" });
  assert.ok(await save.isDisabled(), "nothing was changed");

  // What cannot be is refused, and says why.
  await main.getByLabel("Model", { exact: true }).fill("nobody");
  await watch.while({ status: 422, path: /\/api\/configuration$/ }, async () => {
    await save.click();
    await says(form, "Could not save the settings: 'nobody' is not a model");
  });
  await main.getByLabel("Model", { exact: true }).fill(speaker.variables.QUAESTIO_MODEL);
  await main.getByLabel("Address").fill(speaker.variables.QUAESTIO_BASE_URL);
  await main.getByLabel("API key for the model’s provider").fill(KEY);
  await says(form, "3 changes not saved");
  const sent = page.waitForResponse((response) => response.request().method() === "PATCH");
  await main.getByRole("button", { name: "Test it" }).click();
  assert.ok(!(await (await sent).text()).includes("canary"), "the key comes back");
  await says(main, "An API key for fake is stored.");
  await main.getByRole("button", { name: "Test it" }).and(page.locator(":not(:disabled)")).waitFor();
  await says(main, "fake/model");
  await everywhere(page, "settings");

  // Opened anew, the key is nowhere on the page.
  await page.reload();
  await says(main, "An API key for fake is stored.");
  assert.equal(await main.getByLabel("API key for the model’s provider").inputValue(), "");
  assert.ok(!(await page.content()).includes("canary"), "the key is on the page");

  await page.getByRole("link", { name: "Check the system" }).click();
  const checks = page.getByRole("list", { name: "Checks" }).getByRole("listitem");
  await says(checks.filter({ hasText: "Data folder" }), "Works");
  await says(checks.filter({ hasText: /^Model/ }), "not tested");
  await page.getByRole("button", { name: "Check services too" }).click();
  await says(checks.filter({ hasText: "fake/model" }), /answered in|fake\/model/);
  await everywhere(page, "doctor");

  // The page speaks German wherever the reader goes, and remembers.
  await page.goto("/#/settings");
  await page.getByLabel("Language of the page").selectOption("de");
  await page.getByRole("heading", { level: 1, name: "Einstellungen" }).waitFor();
  assert.equal(await page.locator("html").getAttribute("lang"), "de");
  const bar = page.getByRole("banner");
  for (const name of ["Fragen", "Sammlungen", "Start-ups", "Einstellungen"]) await times(bar.getByRole("link", { name, exact: true }), 1);
  await page.getByRole("form", { name: "Servereinstellungen" }).waitFor();
  await everywhere(page, "settings-german");
  await page.goto("/#/doctor");
  await page.getByRole("heading", { level: 1, name: "Systemprüfung" }).waitFor();
  await page.goto("/#/");
  await page.reload();
  await bar.getByRole("link", { name: "Fragen", exact: true }).waitFor();
  await page.goto("/#/settings");
  await page.getByLabel("Sprache der Oberfläche").selectOption("");
  await page.getByRole("heading", { level: 1, name: "Settings" }).waitFor();

  // A key is forgotten when it is asked for.
  await main.getByRole("button", { name: "Remove the key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove the key" }).click();
  await until(async () => (await main.getByText("is stored.").count()) === 0, "the key is forgotten");
  await page.goto("/#/");
  await composer(page).waitFor();
}
