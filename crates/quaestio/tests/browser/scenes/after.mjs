// proves: F3, C5
// What follows a run: exports, branching, follow-ups, the history, and the collections.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { EXAMPLES, QUESTION, activity, ask, chips, choose, composer, drop, filesIn, openTab, putExamples, report, says, status, taken, times, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

const ENDINGS = { Markdown: "md", "Web page": "html", "Plain text": "txt", "JSON, with everything": "json" };

export default async function after({ serve, person }) {
  const server = await serve();
  await putExamples(server);
  const { page } = await person(server);
  const run = await ask(page, QUESTION);
  await says(status(page), "Completed");
  await chips(page).first().waitFor();

  // Every format of the menu.
  const exporting = page.getByRole("button", { name: "Export" });
  const menu = page.getByRole("list", { name: "Export" });
  await exporting.click();
  // A window of another size moves the menu, and does not close it.
  await everywhere(page, "export");
  assert.ok(await menu.isVisible(), "the menu outlives a change of the window's size");
  const names = new Set();
  const titles = [];
  // Documents of one's own are no works for a bibliography: no list of references is offered.
  assert.equal(await menu.getByRole("list", { name: "References" }).count(), 0);
  for (const group of ["Report", "Data", "Proof"]) {
    const links = menu.getByRole("list", { name: group }).getByRole("link");
    for (const title of await links.allTextContents()) {
      titles.push(title);
      if (!(await menu.isVisible())) await exporting.click();
      const [download] = await Promise.all([page.waitForEvent("download"), links.and(page.getByRole("link", { name: title, exact: true })).click()]);
      const name = download.suggestedFilename();
      assert.match(name, /^when-was-the-handle-[a-z-]+-[a-z0-9]{8}\.[a-z.]+$/, `${title} comes as ${name}`);
      if (title in ENDINGS) assert.ok(name.endsWith(`.${ENDINGS[title]}`), `${title} comes as ${name}`);
      const bytes = readFileSync(await download.path());
      const text = bytes.toString("utf8");
      assert.ok(bytes.includes(0) || text.replace(/\s+/g, " ").includes("8 September 1854"), `${title} holds the answer`);
      names.add(name);
    }
    if (!(await menu.isVisible())) await exporting.click();
  }
  for (const title of Object.keys(ENDINGS)) assert.ok(titles.includes(title), `${title} is among ${titles.join(", ")}`);
  assert.equal(names.size, await menu.getByRole("link").count(), `names apart, and every format in a group: ${[...names].join(", ")}`);
  await page.keyboard.press("Escape");

  // Branching from a step, with another setting.
  await openTab(page, "Activity");
  await activity(page).getByRole("listitem").filter({ hasText: "Look up passages" }).getByRole("button", { name: "Branch from this step" }).click();
  const dialog = page.getByRole("dialog", { name: "Branch from this step" });
  await dialog.getByText("Change settings").click();
  await dialog.getByLabel("One a line, as key = value").fill("ask.top_k = 3");
  await everywhere(page, "fork");
  await dialog.getByRole("button", { name: "Begin the new run" }).click();
  await until(() => !page.url().endsWith(run) && /#\/runs\//.test(page.url()), "the new run is on display");
  await says(page.getByRole("main"), "branched from an earlier run");
  await says(status(page), "Completed");
  await chips(page).first().waitFor();

  // A follow-up over the same documents.
  await page.getByRole("button", { name: "Follow-up question" }).click();
  const follow = page.getByRole("form", { name: "Follow-up question" });
  await follow.getByLabel("Question", { exact: true }).fill("Who discovered the cholera bacterium?");
  await follow.getByRole("button", { name: "Ask" }).click();
  await page.getByRole("heading", { level: 1, name: "Who discovered the cholera bacterium?" }).waitFor();
  await says(status(page), /Completed|Not enough evidence/);
  await says(page.getByRole("main"), "collection documents");

  // One that goes on from a report: what that cites is read first, unless it is to begin anew.
  await page.goto("/#/");
  const asked = composer(page);
  await choose(asked, "strategy", "deep");
  await ask(page, "When was the handle of the Broad Street pump removed? Who was Henry Whitehead?");
  await says(status(page), "Completed");
  const earlier = page.url().split("/").pop();
  await page.getByRole("button", { name: "Follow-up question" }).click();
  const on = page.getByRole("form", { name: "Follow-up question" });
  await on.locator("summary").first().click();
  const goesOn = on.getByLabel("Go on from this report: what it cites is read first");
  assert.equal(await goesOn.isChecked(), true);
  await on.getByLabel("Question", { exact: true }).fill("How many people died?");
  await everywhere(page, "go-on");
  await on.getByRole("button", { name: "Ask" }).click();
  await page.getByRole("heading", { level: 1, name: "How many people died?" }).waitFor();
  await says(status(page), "Completed");
  await says(report(page), `It continues run ${earlier}`);

  // An answer that there is not enough evidence.
  await page.goto("/#/");
  await choose(composer(page), "strategy", "rag");
  await ask(page, "What is the boiling point of tungsten?");
  await says(status(page), "Not enough evidence");
  await report(page).getByRole("heading", { name: "Not enough evidence" }).waitFor();
  await everywhere(page, "not-enough");

  // The history: found by words, narrowed by method, opened.
  const history = page.getByRole("navigation", { name: "History" });
  await times(history.getByRole("link"), 6, "runs in the history");
  const toggle = page.getByRole("button", { name: "History", exact: true });
  await everywhere(page, "history", async () => { if ((await toggle.getAttribute("aria-expanded")) === "false") await toggle.click(); });
  await history.getByLabel("Search the history").fill("discovered the cholera bacterium");
  await times(history.getByRole("link"), 1, "runs found");
  await history.getByLabel("Search the history").fill("nothing of that kind");
  await says(history, "No run fits this search.");
  await history.getByLabel("Search the history").fill("");
  await times(history.getByRole("link"), 6, "runs in the history");
  await history.getByText("Filter", { exact: true }).click();
  await history.getByLabel("Method").selectOption("hypothesize");
  await times(history.getByRole("link"), 0, "runs of another method");
  await history.getByLabel("Method").selectOption("ask");
  await history.getByLabel("Status").selectOption("completed");
  await times(history.getByRole("link"), 6, "completed runs");
  await history.getByRole("link").filter({ hasText: "Who discovered the cholera bacterium?" }).click();
  await page.getByRole("heading", { level: 1, name: "Who discovered the cholera bacterium?" }).waitFor();

  // Collections: made, filled, emptied, removed.
  await page.getByRole("link", { name: "Collections" }).click();
  await page.getByRole("heading", { level: 1, name: "Collections" }).waitFor();
  await times(page.getByRole("main").getByRole("listitem"), 1, "collections");
  await everywhere(page, "collections");
  await page.getByRole("textbox", { name: "New collection" }).fill("water");
  await page.getByRole("button", { name: "Create", exact: true }).click();
  await page.getByRole("heading", { level: 1, name: "water" }).waitFor();
  const files = filesIn(join(EXAMPLES, "cholera")).slice(0, 2);
  await drop(page.getByRole("region", { name: "Add documents" }), files);
  await times(taken(page), 2, "files taken in");
  const documents = page.getByRole("listitem").filter({ has: page.getByRole("button", { name: /^Remove / }) });
  await times(documents, 2, "documents");
  await everywhere(page, "collection");
  await documents.first().getByRole("button", { name: /^Remove / }).click();
  const sure = page.getByRole("dialog");
  await sure.getByRole("button", { name: "Cancel" }).click();
  await times(documents, 2, "documents after a removal that was not meant");
  await documents.first().getByRole("button", { name: /^Remove / }).click();
  await sure.getByRole("button", { name: "Remove" }).click();
  await times(documents, 1, "documents after a removal");
  await page.reload();
  await times(documents, 1, "documents after a reload");
  await page.getByRole("button", { name: "Remove the collection" }).click();
  await sure.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("heading", { level: 1, name: "Collections" }).waitFor();
  await times(page.getByRole("main").getByRole("listitem"), 1, "collections after a removal");
  await page.getByRole("link", { name: "Ask", exact: true }).click();
  await says(composer(page).getByRole("group", { name: "Collection" }), "documents (8 documents)");
}
