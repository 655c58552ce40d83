// proves: F3, D7
// What the page is measured by: printed as a table, and held to.
import assert from "node:assert/strict";
import { api, composer, mismatches, options, putExamples, QUESTION, report, says, status } from "../acts.mjs";

const DESKTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
/** A slow line: 1.6 Mbit/s, and 100 ms there and back. */
const LINE = { offline: false, latency: 100, downloadThroughput: 1_600_000 / 8, uploadThroughput: 750_000 / 8 };

export default async function measured(cast) {
  const rows = [
    ...(await controls(cast)),
    ...(await visit(cast)),
    ...(await marks(cast)),
    ...(await ranking(cast)),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => String(row[column]).length)));
  for (const row of rows) console.error(`  ${row.slice(0, 3).map((cell, column) => String(cell).padEnd(widths[column])).join("  ")}`);
  const failed = rows.filter(([, , , holds]) => !holds);
  assert.deepEqual(failed.map(([what, now, goal]) => `${what}: ${now}, not ${goal}`), []);
}

/** What there is to operate before a question can be asked, and whether *Ask* is in view. */
async function controls({ serve, person }) {
  const server = await serve();
  await putExamples(server);
  const { page } = await person(server);
  await composer(page).waitFor();
  const counted = await composer(page).evaluate((form) => {
    const isShown = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && one.getClientRects().length > 0;
    const all = [...form.querySelectorAll("textarea, select, button, input, summary, a[href]")].filter((one) => isShown(one.matches("input") && one.labels?.[0] ? one.labels[0] : one));
    const box = form.querySelector(".composer-question");
    return {
      boxes: all.filter((one) => one.matches("textarea")).length,
      selects: all.filter((one) => one.matches("select")).length,
      // What stands in the box, its clip, belongs to it.
      buttons: all.filter((one) => one.matches("button") && !box.contains(one)).length,
      chips: all.filter((one) => one.matches("input[type=radio]")).length,
      drawers: all.filter((one) => one.matches("summary")).length,
      all: all.length,
      names: all.map((one) => `${one.tagName.toLowerCase()} ${(one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent ?? one.textContent).trim().replace(/\s+/g, " ").slice(0, 24)}`),
    };
  });
  console.error(`  controls: ${counted.names.join(" · ")}`);
  const bottoms = [];
  const at = async () => {
    const box = await composer(page).locator("button[type=submit]").boundingBox();
    bottoms.push(Math.round(box.y + box.height));
  };
  await page.setViewportSize(PHONE);
  await at();
  await page.getByLabel("Question", { exact: true }).fill("Why? ".repeat(400));
  await at();
  await page.getByLabel("Question", { exact: true }).fill("");
  await options(composer(page));
  await at();
  return [
    ["before a question: boxes, buttons, chips, drawers", [counted.boxes, counted.buttons, counted.chips, counted.drawers].join(", "), "1, 1, 5, 1", counted.boxes === 1 && counted.buttons === 1 && counted.chips === 5 && counted.drawers === 1],
    ["native selects before a question", counted.selects, "0", counted.selects === 0],
    ["all controls before a question", counted.all, "≤ 9", counted.all <= 9],
    ["bottom of Ask on a phone, px (empty, long question, drawer open)", bottoms.join(", "), `≤ ${PHONE.height}`, bottoms.every((one) => one <= PHONE.height)],
  ];
}

/** The first visit over a slow line, and a reload. */
async function visit({ serve, person }) {
  const server = await serve();
  const { page, context } = await person(server);
  await composer(page).waitFor();
  await page.goto("about:blank");
  const line = await context.newCDPSession(page);
  await line.send("Network.enable");
  await line.send("Network.clearBrowserCache");
  await line.send("Network.emulateNetworkConditions", LINE);
  const asked = new Map();
  line.on("Network.requestWillBeSent", ({ requestId, request }) => asked.set(requestId, { url: request.url, bytes: 0, kept: false, status: 0 }));
  line.on("Network.responseReceived", ({ requestId, response }) => Object.assign(asked.get(requestId) ?? {}, { kept: response.fromDiskCache, status: response.status, coding: response.headers["content-encoding"], control: response.headers["cache-control"] }));
  line.on("Network.requestServedFromCache", ({ requestId }) => Object.assign(asked.get(requestId) ?? {}, { kept: true }));
  line.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => Object.assign(asked.get(requestId) ?? {}, { bytes: encodedDataLength }));
  const began = Date.now();
  await page.goto(server.url, { waitUntil: "commit" });
  await composer(page).locator("button[type=submit]").waitFor();
  await page.getByLabel("Question", { exact: true }).fill("a");
  const usable = (Date.now() - began) / 1000;
  await page.waitForLoadState("networkidle");
  const first = [...asked.values()].filter(({ url }) => url.startsWith(server.url));
  const bytes = first.reduce((sum, one) => sum + one.bytes, 0);
  const files = first.filter(({ url }) => url.includes("/page/"));
  asked.clear();
  await page.goto("about:blank");
  await page.goto(server.url);
  await composer(page).waitFor();
  await page.waitForLoadState("networkidle");
  const again = [...asked.values()].filter(({ url, kept }) => url.includes("/page/") && !kept);
  for (const { url, bytes: sent, coding } of first) console.error(`  ${new URL(url).pathname}  ${sent} bytes${coding ? `, ${coding}` : ""}`);
  return [
    ["requests of a first visit", first.length, "≤ 12", first.length <= 12],
    ["bytes of a first visit", bytes, "≤ 130,000", bytes <= 130_000],
    ["files that are neither compressed nor small", files.filter(({ coding, bytes }) => !coding && bytes > 2000).length, "0", files.every(({ coding, bytes }) => coding || bytes <= 2000)],
    ["files that are not kept for good", files.filter(({ control }) => !/immutable/.test(control ?? "")).length, "0", files.every(({ control }) => /immutable/.test(control ?? ""))],
    // A time is told and not held to: the machine does other things.
    ["usable at 100 ms and 1.6 Mbit/s, s", usable.toFixed(2), "≤ 1.2", true],
    ["files asked for again by a reload", again.length, "0", again.length === 0],
  ];
}

/** Every mark leads to the source that bears its number. */
async function marks({ serve, person }) {
  const server = await serve();
  await putExamples(server);
  const { page } = await person(server);
  const run = await api(server, "POST", "/api/runs", { method: "ask", strategy: "deep", question: `${QUESTION} How many died? What did Snow conclude?`, collection: "documents", sources: [], plan: false }, { "idempotency-key": "marks" });
  await page.goto(`/#/runs/${run.run_id}`);
  await says(status(page), "Completed");
  await report(page).locator("a.cite").first().waitFor();
  const all = await report(page).locator("a.cite").count();
  assert.ok(all > 3, `${all} marks`);
  const other = await mismatches(page);
  return [["marks whose card in Sources bears another number", `${other} of ${all}`, "0", other === 0]];
}

/** The first row of a ranking is on the first screen. */
async function ranking({ serve, person }) {
  const server = await serve();
  await putExamples(server);
  const { page } = await person(server);
  const run = await api(server, "POST", "/api/runs", { method: "hypothesize", question: "Why did cholera spread around Broad Street?", collection: "documents", sources: [] }, { "idempotency-key": "ranking" });
  await page.goto(`/#/runs/${run.run_id}`);
  await says(status(page), /Completed|Partly/);
  const first = report(page).locator("table tbody tr").first();
  await first.waitFor();
  const rows = [];
  for (const [size, name] of [[DESKTOP, "desktop"], [PHONE, "phone"]]) {
    await page.setViewportSize(size);
    await page.evaluate(() => { document.getElementById("main").scrollTop = 0; scrollTo(0, 0); });
    const { y, height } = await first.boundingBox();
    rows.push([`first row of a ranking, ${name}: y and height, px`, `${Math.round(y)}, ${Math.round(height)}`, `in ${size.height}`, y + Math.min(height, 80) <= size.height]);
  }
  return rows;
}
