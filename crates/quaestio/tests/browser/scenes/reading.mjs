// proves: F3, D7, H8
// What a reader sees first, and reads on with: the ranking before anything else, tables that fit, charts by hand and key, the
// contents beside the report, what the marks mean, and an answer that there is not enough evidence.
import assert from "node:assert/strict";
import { api, putExamples, report, says, status, until } from "../acts.mjs";
import { everywhere } from "../look.mjs";

const QUESTION =
  "Why did cholera spread in London, and what would show that water carried it rather than air, in the opinion of those who saw it?";

export default async function reading({ serve, person }) {
  const server = await serve();
  await putExamples(server);
  const order = { method: "hypothesize", question: QUESTION, collection: "documents", sources: [], offline: true };
  const ranked = await api(server, "POST", "/api/runs", order);
  const lacking = await api(server, "POST", "/api/runs", {
    method: "ask", strategy: "rag", question: "What is the boiling point of tungsten?", collection: "documents", offline: true,
  });
  const { page } = await person(server);
  await ranking(page, server, ranked.run_id);
  await legend(page);
  await chart(page);
  await contents(page);
  await notEnough(page, server, lacking.run_id);
}

/** The first row is on the first screen; its columns are as broad as what they hold, and on a telephone each row is a card. */
async function ranking(page, server, run) {
  await page.goto(`${server.url}/#/runs/${run}`);
  await says(status(page), "Completed");
  const row = report(page).getByRole("table", { name: "Ranking", exact: true }).getByRole("row").nth(1);
  const measured = {};
  for (const [width, height] of [[1440, 900], [390, 844]]) {
    await page.setViewportSize({ width, height });
    await page.reload();
    await row.waitFor();
    const { y, height: high } = await row.boundingBox();
    const name = await row.getByRole("cell").nth(2).boundingBox();
    measured[width] = { y: Math.round(y), of: height, row: Math.round(high), name: Math.round(name.width) };
    assert.ok(y + Math.min(high, 100) < height, `the first row at ${width} px: ${JSON.stringify(measured[width])}`);
  }
  console.log(`first row of a ranking: ${JSON.stringify(measured)}`);
  assert.ok(measured[1440].name >= 120 && measured[1440].row <= 130, "columns as broad as what they hold");
  assert.ok(measured[390].name >= 250, "a card has the whole width");
  assert.equal(await row.getByRole("cell").nth(2).getAttribute("data-label"), "Hypothesis");
  await page.setViewportSize({ width: 1440, height: 900 });
  await everywhere(page, "ranking");
}

/** The line of counts opens to what each mark means. */
async function legend(page) {
  const line = page.locator("#grounding > summary");
  await says(line, "quoted");
  await line.focus();
  await page.keyboard.press("Enter");
  const names = await page.locator("#grounding dt").allTextContents();
  assert.deepEqual(names.map((one) => one.replace(/^.*\]\W*/, "")), ["Quoted", "Recomputed", "Supported", "Inferred", "Unsupported"]);
  await everywhere(page, "legend");
  await page.keyboard.press("Enter");
}

/** The values of a chart, by the pointer, by the arrow keys, and as a table. */
async function chart(page) {
  const drawn = report(page).getByRole("group", { name: /^Overall scores/ });
  const points = drawn.getByRole("img");
  const line = page.locator(".chart-value");
  await points.nth(1).hover();
  await says(line, await points.nth(1).getAttribute("aria-label"));
  await page.mouse.move(5, 300);
  await points.first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await says(line, await points.nth(2).getAttribute("aria-label"));
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  const values = report(page).locator(".chart-values table");
  await until(async () => (await values.getByRole("row").count()) === (await points.count()) + 1, "a row for each value");
}

/** In a wide window the contents stand beside the report, and say where one is. */
async function contents(page) {
  await page.setViewportSize({ width: 1920, height: 1000 });
  const beside = page.getByRole("navigation", { name: "Contents of the report" });
  await beside.getByRole("link", { name: "What the literature says" }).click();
  const heading = report(page).getByRole("heading", { name: "What the literature says" });
  assert.ok(await heading.evaluate((one) => one === document.activeElement), "the heading has the focus");
  assert.ok(await heading.evaluate((one) => one.getBoundingClientRect().top < innerHeight / 2), "and is in sight");
  await until(async () => (await beside.locator("[aria-current]").textContent()) === "What the literature says", "the section is marked");
  await page.mouse.move(700, 500);
  await page.mouse.wheel(0, 900);
  await until(async () => (await beside.locator("[aria-current]").textContent()) !== "What the literature says", "the next section is marked");
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** No tick: what was looked for, and what to do next. */
async function notEnough(page, server, run) {
  await page.goto(`${server.url}/#/runs/${run}`);
  const told = page.getByRole("region", { name: "Not enough evidence" });
  await says(told, "Searched for");
  await says(told, "No relevant passages");
  await told.getByRole("link", { name: "Add documents" }).waitFor();
  await everywhere(page, "not-enough-evidence");
  // Sources that cannot be reached are not offered.
  await page.route("**/api/settings", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), network: false } });
  });
  await page.reload();
  await says(told, "The network is turned off on this server");
  assert.equal(await told.getByRole("button", { name: "Search more sources" }).count(), 0);
  await page.unroute("**/api/settings");
  await page.reload();
  await told.getByRole("button", { name: "Search more sources" }).click();
  const form = page.getByRole("form", { name: "Follow-up question" });
  const field = form.getByLabel("Question", { exact: true });
  await until(async () => (await field.inputValue()) === "What is the boiling point of tungsten?", "the question in the composer");
  assert.ok(await field.evaluate((one) => one === document.activeElement), "the question has the focus");
  await says(form, "Papers and the web");
}
