// Every state of the page in pictures, to be looked at: `QUAESTIO_SCREENSHOTS=folder cargo test … --test browser -- gallery`.
import { mkdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import assert from "node:assert/strict";
import { EXAMPLES, QUESTION, api, composer, drop, filesIn, hold, put, putExamples, report, says, status, until } from "../acts.mjs";

const SIZES = [["desktop", { width: 1440, height: 900 }], ["phone", { width: 390, height: 844 }]];
const FOLDER = process.env.QUAESTIO_SCREENSHOTS;

export default async function gallery(cast) {
  assert.ok(FOLDER, "name a folder in QUAESTIO_SCREENSHOTS");
  mkdirSync(FOLDER, { recursive: true });
  await beginnings(cast);
  await underWay(cast);
  await reports(cast);
}

/** Takes a picture at each size, in both schemes on the desktop. */
async function shoot(page, name) {
  for (const [size, viewport] of SIZES) {
    await page.setViewportSize(viewport);
    for (const colorScheme of size === "desktop" ? ["dark", "light"] : ["light"]) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.waitForTimeout(150);
      await page.screenshot({ path: join(FOLDER, `${name}-${size}${colorScheme === "dark" ? "-dark" : ""}.png`), animations: "disabled" });
    }
  }
  await page.setViewportSize(SIZES[0][1]);
}

async function beginnings({ serve, person }) {
  const server = await serve();
  const { page } = await person(server);
  await composer(page).waitFor();
  await page.waitForLoadState("networkidle");
  await shoot(page, "first-visit");
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  let count = 0;
  await page.route("**/documents?name=**", async (route) => {
    count += 1;
    if (count > 3) await held;
    await route.continue();
  });
  await drop(composer(page), filesIn(join(EXAMPLES, "cholera")));
  await until(() => count > 3, "uploads are under way");
  await shoot(page, "uploading");
  release();
  await until(async () => (await api(server, "GET", "/api/collections")).collections[0]?.documents > 3, "documents are there");
  await page.reload();
  await composer(page).waitFor();
  await page.waitForLoadState("networkidle");
  await shoot(page, "composer");
  for (const place of ["collections", "settings", "doctor"]) {
    await page.goto(`/#/${place}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    await shoot(page, place);
  }
}

async function underWay({ serve, person }) {
  const server = await serve();
  await putExamples(server);
  const { page } = await person(server);
  const held = hold(server);
  const { run_id: working } = await order(server, { method: "ask", strategy: "rag", question: QUESTION, collection: "documents" });
  await page.goto(`/#/runs/${working}`);
  await says(status(page), "Running");
  await page.waitForTimeout(500);
  await shoot(page, "working");
  held.release();
  await says(status(page), "Completed");
  for (const file of filesIn(join(EXAMPLES, "market"))) await put(server, "market", basename(file), readFileSync(file));
  const market = { method: "market", question: "I want to explore the market for contract review software", collection: "market", sources: [] };
  for (const [name, clarify] of [["questions", true], ["plan", false]]) {
    const { run_id: waiting } = await order(server, { ...market, clarify });
    await page.goto(`/#/runs/${waiting}`);
    await says(status(page), "Waiting");
    await shoot(page, name);
  }
}

async function reports({ serve, person }) {
  const server = await serve();
  await putExamples(server);
  for (const file of filesIn(join(EXAMPLES, "market"))) await put(server, "market", basename(file), readFileSync(file));
  for (const file of filesIn(join(EXAMPLES, "survey")).filter((one) => /\.(csv|toml)$/.test(one))) {
    const answer = await fetch(`${server.url}/api/surveys/bus?name=${basename(file)}`, { method: "POST", headers: { "content-type": "application/octet-stream" }, body: readFileSync(file) });
    assert.ok(answer.ok, `${file}: ${answer.status}`);
  }
  const { page } = await person(server);
  const cholera = { collection: "documents", sources: [] };
  const orders = {
    ask: { method: "ask", strategy: "rag", question: QUESTION, collection: "documents" },
    deep: { method: "ask", strategy: "deep", plan: false, question: `${QUESTION} How many deaths does John Snow's table add up to? What did he conclude?`, ...cholera },
    lacking: { method: "ask", strategy: "rag", question: "What does a ticket to the opera in Vienna cost?", collection: "documents" },
    hypothesize: { method: "hypothesize", question: "Why did cholera spread around Broad Street?", ...cholera },
    debate: { method: "debate", question: "How many primes are there below 100?" },
    market: { method: "market", question: "I want to explore the market for contract review software", collection: "market", sources: [], clarify: false },
    brief: { method: "brief", question: "How satisfied are passengers, and who is not?", survey: "bus" },
    check: { method: "check", question: "The pump", text: "The handle of the pump was removed on 8 September 1854. The pump stood in Paris.", collection: "documents" },
  };
  const told = {};
  for (const [name, ordered] of Object.entries(orders)) {
    let { run_id: run } = await order(server, ordered).catch((error) => {
      told[name] = error.message;
      return {};
    });
    if (!run) continue;
    await page.goto(`/#/runs/${run}`);
    if (name === "market") {
      await says(status(page), "Waiting");
      await page.getByRole("button", { name: "Approve and start" }).click();
    }
    await says(status(page), /Completed|Failed|evidence|limit/);
    await page.waitForLoadState("networkidle");
    await shoot(page, `report-${name}`);
    if (name !== "deep") continue;
    await report(page).locator("a.cite").first().click();
    await page.locator("mark").first().waitFor();
    await shoot(page, "source-beside");
  }
  assert.deepEqual(told, {}, "every order is taken");
}

let ordered = 0;
const order = (server, body) => api(server, "POST", "/api/runs", body, { "idempotency-key": `gallery-${(ordered += 1)}` });
