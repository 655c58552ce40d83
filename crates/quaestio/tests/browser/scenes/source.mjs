// proves: F3
// The real page of a PDF opens beside the report with the statement marked; of it, its text and its file are a click away.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { EXAMPLES, api, ask, beside, chips, composer, mismatches, put, report, says, status, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

const NAME = "cholera-outside-london.pdf";

export default async function source({ serve, person }) {
  const server = await serve();
  const bytes = readFileSync(join(EXAMPLES, "cholera-more", NAME));
  const { document_id: id, original_bytes: kept } = await put(server, "documents", NAME, bytes);
  assert.equal(kept, bytes.length, "the file is kept, and its size told");
  const { page, context, watch } = await person(server);
  const fetched = [];
  page.on("request", (request) => fetched.push(new URL(request.url()).pathname));
  await page.goto("/#/");
  await composer(page).waitFor();
  const run = await ask(page, "How many people died of cholera in Newcastle in 1853?");
  await says(status(page), "Completed");
  await chips(page).first().waitFor();
  assert.equal(await mismatches(page), 0, "marks whose statement in Sources bears another number");
  assert.ok(!fetched.some((path) => path.includes("pdfjs")), "what draws pages is not loaded before one is opened");

  const { citations } = await api(server, "GET", `/api/runs/${run}/result`);
  const number = Number(await chips(page).first().getAttribute("data-number"));
  const citation = citations.find((one) => one.number === number);
  await chips(page).first().click();
  const paper = beside(page).getByRole("region", { name: "Page of the source" });
  await paper.waitFor();
  await says(beside(page), `Page ${citation.page} of 2`);
  const bare = (text) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  const marked = async () => bare((await paper.locator("mark").allTextContents()).join(""));
  await until(async () => (await marked()) === bare(citation.quote), "the words of the statement are marked on the page");
  const drawn = await paper.locator("canvas").evaluate((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value, index) => index % 4 === 0 && value < 80);
  });
  assert.ok(drawn, "the page has ink");
  await everywhere(page, "beside-pdf");
  const other = citation.page === 1 ? "Next page" : "Previous page";
  await beside(page).getByRole("button", { name: other }).click();
  await says(beside(page), `Page ${citation.page === 1 ? 2 : 1} of 2`);

  // Its text, rendered and as it is stored.
  for (const way of ["Text", "Stored text"]) {
    await beside(page).getByRole("button", { name: way, exact: true }).click();
    const text = beside(page).getByRole("region", { name: "Text of the source" });
    await until(async () => bare((await text.locator("mark").allTextContents()).join("")) === bare(citation.quote), `the statement is marked: ${way}`);
  }

  // The file itself.
  const file = await context.request.get(`/api/documents/${id}/file`);
  assert.deepEqual([...await file.body()], [...bytes]);
  assert.match(file.headers()["content-disposition"], /^attachment; filename="cholera-outside-london.pdf"/);
  await beside(page).getByRole("link", { name: /^Open the file/ }).waitFor();

  // A source that is gone says so; the report stays.
  await api(server, "DELETE", `/api/documents/${id}`);
  await watch.while({ path: new RegExp(`^/api/documents/${id}`), status: 404 }, async () => {
    await page.reload();
    await says(beside(page), /this source is no longer available/i);
  });
  await beside(page).getByRole("button", { name: "Back to Sources" }).click();
  await says(report(page), citation.quote.slice(0, 30));
}
