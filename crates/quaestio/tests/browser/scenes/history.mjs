// proves: F3, F8
// Runs that are kept: named, pinned, found by what they answered, shared, compared, copied, and deleted, which can be undone.
import assert from "node:assert/strict";
import { QUESTION, ask, api, chips, putExamples, report, says, status, times, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

const OTHER = "Who discovered the cholera bacterium?";

export default async function history({ serve, person }) {
  const server = await serve({ QUAESTIO_SERVER__SHARING: "on" });
  await putExamples(server);
  const { page } = await person(server);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const run = await ask(page, QUESTION);
  await says(status(page), "Completed");
  await page.goto("/#/");
  const other = await ask(page, OTHER);
  await says(status(page), /Completed|Not enough evidence/);
  const side = page.getByRole("navigation", { name: "History" });
  const row = (text) => side.getByRole("listitem").filter({ hasText: text });
  const act = async (text, action) => {
    await row(text).hover();
    await row(text).getByRole("button", { name: /^Actions: / }).click();
    await page.getByRole("button", { name: action, exact: true }).click();
  };

  // "New" begins with an empty box, and what stood there can be restored.
  await page.goto("/#/");
  const box = page.getByRole("form", { name: "New question" }).getByLabel("Question", { exact: true });
  const restore = page.getByRole("button", { name: "Restore draft" });
  await box.fill("Who drew the map?");
  assert.equal(await restore.count(), 0);
  await page.getByRole("button", { name: "New", exact: true }).click();
  await until(async () => (await box.inputValue()) === "", "the box is empty");
  await page.reload();
  await restore.click();
  assert.equal(await box.inputValue(), "Who drew the map?");
  assert.equal(await restore.count(), 0);
  await box.fill("");

  // A title in the place of the question, and a pin.
  await act(QUESTION, "Rename");
  const naming = page.getByRole("dialog", { name: "Rename this run" });
  await naming.getByLabel("Title").fill("The pump handle");
  await everywhere(page, "rename");
  await naming.getByRole("button", { name: "Rename" }).click();
  await row("The pump handle").waitFor();
  assert.equal(await row(QUESTION).count(), 0, "the question gives way to the title");
  await act("The pump handle", "Pin");
  await side.getByRole("heading", { name: "Pinned" }).waitFor();
  await page.reload();
  await times(side.getByRole("list", { name: "Pinned" }).getByRole("link"), 1, "pinned runs");
  assert.equal((await api(server, "GET", `/api/runs/${run}`)).title, "The pump handle");

  // Found by what it answered.
  await side.getByLabel("Search the history").fill("8 september 1854");
  await times(side.getByRole("link"), 1, "runs that answer so");
  await says(row("The pump handle"), "8 September 1854");
  await everywhere(page, "found", async () => {
    const toggle = page.getByRole("button", { name: "History", exact: true });
    if ((await toggle.getAttribute("aria-expanded")) === "false") await toggle.click();
  });
  await side.getByLabel("Search the history").fill("");
  await times(side.getByRole("link"), 2, "runs in the history");
  await side.getByText("Filter", { exact: true }).click();
  await side.getByLabel("Pinned only").check();
  await times(side.getByRole("link"), 1, "pinned runs");
  await side.getByRole("button", { name: "Clear the filter" }).click();
  await times(side.getByRole("link"), 2, "runs in the history");

  // Copied, as Markdown and with its formatting.
  await row("The pump handle").getByRole("link").click();
  await chips(page).first().waitFor();
  const more = page.getByRole("button", { name: "More", exact: true });
  const choose = async (action) => {
    await more.click();
    await page.getByRole("button", { name: action, exact: true }).click();
  };
  await choose("Copy as Markdown");
  const copied = (type) =>
    page.evaluate(async (wanted) => {
      const [item] = await navigator.clipboard.read();
      return item.types.includes(wanted) ? (await item.getType(wanted)).text() : "";
    }, type)
      // It may change while it is read.
      .catch(() => "");
  await until(async () => /8 September 1854.*\[1a?\]/s.test(await copied("text/plain")), "the report is copied with its marks");
  await choose("Copy as formatted text");
  await until(async () => /<p>[^]*8 September 1854/.test(await copied("text/html")), "it is copied with its formatting");

  // Shared: somebody without anything reads it by the link, until that is ended.
  await choose("Share…");
  const sharing = page.getByRole("dialog", { name: "Share this run" });
  await sharing.getByRole("button", { name: "Create a link" }).click();
  const link = await sharing.getByLabel("The link, shown only once").inputValue();
  await everywhere(page, "share");
  const guest = await person(server);
  await guest.page.goto(link);
  await guest.page.getByRole("heading", { level: 1, name: "The pump handle" }).waitFor();
  await says(report(guest.page).or(guest.page.getByRole("article")), "8 September 1854");
  assert.equal(await guest.page.getByRole("navigation", { name: "History" }).isVisible(), false, "nothing else is shown");
  await everywhere(guest.page, "shared");
  await sharing.getByRole("button", { name: /^Revoke the link/ }).click();
  await until(async () => (await api(server, "GET", `/api/runs/${run}/shares`)).shares.length === 0, "the link is ended");
  await guest.watch.while({ status: 404, path: /^\/api\/shared/ }, async () => {
    await guest.page.reload();
    await says(guest.page.getByRole("main"), "This link is not valid");
  });
  await sharing.getByRole("button", { name: "Close" }).click();

  // Compared with another.
  await choose("Compare with…");
  await page.getByLabel("The other run").fill("bacterium");
  await page.getByRole("main").getByRole("link").filter({ hasText: OTHER }).click();
  await page.getByRole("heading", { name: /^Only in the first/ }).waitFor();
  await says(page.getByRole("main"), "8 September 1854");
  await everywhere(page, "compare");

  // Asked on from the history.
  await act("The pump handle", "Follow up");
  await page.getByRole("form", { name: "Follow-up question" }).waitFor();

  // Deleted, and brought back; then deleted for good by leaving the page.
  await act(OTHER, "Delete");
  await times(side.getByRole("link"), 1, "runs after a removal");
  await says(page.getByRole("status").filter({ hasText: "Deleted" }), "You lose its report, log and links");
  await everywhere(page, "deleted");
  await page.getByRole("button", { name: "Undo" }).click();
  await times(side.getByRole("link"), 2, "runs after the removal was undone");
  await act(OTHER, "Delete");
  await times(side.getByRole("link"), 1, "runs after a removal");
  await page.goto("about:blank");
  await until(async () => (await api(server, "GET", "/api/runs")).runs.every((one) => one.run_id !== other), "it is gone");

  // Where nothing is shared the dialog says so.
  const closed = await serve();
  await putExamples(closed);
  const second = await person(closed);
  await ask(second.page, QUESTION);
  await says(status(second.page), "Completed");
  await second.page.getByRole("button", { name: "More", exact: true }).click();
  await second.page.getByRole("button", { name: "Share…" }).click();
  await says(second.page.getByRole("dialog", { name: "Share this run" }), "Links are turned off");
}
