// proves: F3, C20
// A text that somebody else wrote is pasted or dropped, held against documents, and read sentence by sentence.
import { join } from "node:path";
import assert from "node:assert/strict";
import { EXAMPLES, choose, composer, drop, filesIn, report, says, status, taken, times, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

// Longer than a question may be, and more than one line.
const TEXT = `# What they wrote about the pump

The handle of the Broad Street pump was removed on 8 September 1854.

The handle of the Broad Street pump was removed on 18 September 1854.
${`\nMore was to follow${" and to follow".repeat(40)}.\n`.repeat(40)}
`;

export default async function check({ serve, person }) {
  const server = await serve();
  const { page } = await person(server);
  const files = filesIn(join(EXAMPLES, "cholera"));
  await page.getByRole("heading", { level: 1, name: "Ask a question" }).waitFor();
  await drop(composer(page), files);
  await times(taken(page), files.length, "files taken in");
  const form = composer(page);
  await choose(form, "method", "check");
  const field = form.getByLabel("Question", { exact: true });
  // Dropped on the field, a text is what is to be checked, and no document.
  await drop(field, [{ name: "said.md", text: "The pump stood in Broad Street.\n" }]);
  await until(async () => (await field.inputValue()) === "The pump stood in Broad Street.\n", "the text in the field");
  assert.equal(await taken(page).count(), files.length);
  await field.fill(TEXT);
  await form.getByRole("button", { name: "Ask" }).click();
  await page.waitForURL(/#\/runs\//);
  await page.getByRole("heading", { level: 1, name: "What they wrote about the pump" }).waitFor();
  await says(status(page), "Completed");
  await says(report(page), "18 September 1854");
  await says(report(page), "what it cites does not say");
  await everywhere(page, "check");
}
