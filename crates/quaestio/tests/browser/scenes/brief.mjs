// proves: B6, F3
// A survey is summarised without a model; the mark of a figure leads to its statement, and from there to the table that it comes from.
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import assert from "node:assert/strict";
import { EXAMPLES, api, beside, filesIn, mismatches, report, says, status } from "../acts.mjs";
import { everywhere } from "../look.mjs";

const QUESTION = "How satisfied are passengers, and who is not?";

export default async function brief({ serve, person }) {
  const server = await serve();
  for (const file of filesIn(join(EXAMPLES, "survey")).filter((one) => /\.(csv|toml)$/.test(one))) {
    const answer = await fetch(`${server.url}/api/surveys/bus?name=${basename(file)}`, {
      method: "POST", headers: { "content-type": "application/octet-stream" }, body: readFileSync(file),
    });
    assert.ok(answer.ok, `upload of ${file}: ${answer.status} ${await answer.text()}`);
  }
  const run = await api(server, "POST", "/api/runs", { method: "brief", question: QUESTION, survey: "bus" });
  const { page } = await person(server);
  await page.goto(`${server.url}/#/runs/${run.run_id}`);
  await says(status(page), "Completed");
  await says(report(page), "fell significantly");
  const { deliverable, citations } = await api(server, "GET", `/api/runs/${run.run_id}/result`);

  // The mark of a figure opens its table beside the report, and its box leads to where that stands in it.
  const chip = report(page).getByRole("link", { name: /^\[1a?\]/ }).first();
  await chip.click();
  await says(beside(page), deliverable.cited[0].text);
  await beside(page).getByRole("table").first().waitFor();
  await everywhere(page, "brief-figure");
  await beside(page).getByRole("button", { name: "Back to Sources" }).click();
  assert.equal(await mismatches(page), 0, "marks whose statement in Sources bears another number");
  await chip.hover();
  const box = page.getByRole("dialog", { name: /^Citation 1/ });
  await box.waitFor();
  const quote = await box.getByRole("blockquote").textContent();
  assert.equal(quote, citations.find((one) => one.number === 1).quote);
  assert.equal(quote, deliverable.cited[0].text, "the box quotes the statement");
  assert.match(await box.textContent(), /recomputed/);
  await box.getByRole("button", { name: "Show its figures" }).click();
  const heading = page.getByRole("heading", { name: "Figure 1", exact: true });
  assert.ok(await heading.evaluate((one) => one === document.activeElement), "the table's heading has the focus");
  await says(report(page), deliverable.cited[0].figures[0].expression);
  await everywhere(page, "brief");
}
