// proves: D7, D3, F3
// Two scientists argue before the reader's eyes: words as they come, the checked response in their place, code that failed, a
// verdict that was overruled; the reader is never scrolled along by force, and can interrupt.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { activity, ask, choose, composer, openTab, options, says, status, times, until } from "../acts.mjs";
import { PAYLOADS, harmless } from "../harm.mjs";
import { everywhere } from "../look.mjs";

const QUESTION = "How many primes are there below 100?";
const WORDS = "I would count them one by one, and say where the count begins.";

const debate = (page) => page.getByRole("region", { name: "Debate", exact: true });
const turns = (page) => debate(page).getByRole("article");
const bar = (page) => page.getByRole("group", { name: "Live debate" });
const latest = (page) => page.getByRole("button", { name: "Jump to the latest" });

export default async function scene({ serve, model, person }) {
  const speaker = await model();
  await speaker.manner(`speaks ${WORDS}`);
  const server = await serve(speaker.variables);
  const { page, watch } = await person(server);
  await fields(page, server, watch);
  await spoken(page, server);
  await interrupted(page, server, speaker);
  await hostile(page, server, speaker);
}

/** Lets the debate go as far as that point, or to its end. */
const reach = (server, point) => (point === null ? rmSync(server.hold, { force: true }) : writeFileSync(server.hold, String(point)));

/** The fields of a debate, and that only one is at work at a time. */
async function fields(page, server, watch) {
  const running = "20260101-abcdefgh";
  await page.route("**/api/settings", async (route) => {
    const answer = await route.fetch();
    const settings = await answer.json();
    Object.assign(settings.methods.find((one) => one.name === "debate"), { title: "Debate", fields: ["max_turns", "url", "collection", "sources"] });
    settings.default_sources.debate = ["arxiv", "crossref"];
    for (const one of settings.sources) one.available ||= settings.default_sources.debate.includes(one.name);
    await route.fulfill({ response: answer, json: settings });
  });
  const spend = { tokens: 24_000, cost_usd: null };
  await page.route("**/api/estimates", (route) => route.fulfill({ json: { model: "fake/model", mode: "model", expected: spend, worst_case: spend, notes: [] } }));
  // A server that is at work on a debate already.
  await page.route("**/api/runs", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    return route.fulfill({
      status: 409, contentType: "application/problem+json",
      json: { type: "urn:quaestio:problem:conflict", title: "Not possible in the current state", status: 409, detail: `the debate ${running} is at work`, hint: "wait for it, or interrupt it" },
    });
  });
  await page.reload();
  const form = composer(page);
  await choose(form, "method", "debate");
  await options(form);
  await says(form, "Searches arXiv and Crossref. Search terms made from your question leave this machine.");
  await form.getByLabel("Question", { exact: true }).fill(QUESTION);
  await form.getByLabel("Maximum turns").fill("0");
  await form.getByRole("button", { name: "Ask" }).click();
  await says(page.getByRole("alert"), "The number of turns must be 1 or more");
  await form.getByLabel("Maximum turns").fill("2");
  await form.getByLabel("Read this page first").fill("primes");
  await form.getByRole("button", { name: "Ask" }).click();
  await says(page.getByRole("alert"), "is not a web address");
  await form.getByLabel("Read this page first").fill("https://example.org/primes");
  await watch.while({ status: 409, path: /\/api\/runs$/ }, async () => {
    const sent = page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/api/runs"));
    await form.getByRole("button", { name: "Ask" }).click();
    const order = (await sent).postDataJSON();
    assert.deepEqual([order.method, order.max_turns, order.url, order.sources], ["debate", 2, "https://example.org/primes", ["arxiv", "crossref"]]);
    const alert = page.getByRole("alert");
    await says(alert, `the debate ${running} is at work`);
    assert.equal(await alert.getByRole("link", { name: "Open the run in progress" }).getAttribute("href"), `#/runs/${running}`);
    await everywhere(page, "debate-composer");
  });
  for (const path of ["runs", "settings", "estimates"]) await page.unroute(`**/api/${path}`);
  await form.getByLabel("Maximum turns").fill("");
  await form.getByLabel("Read this page first").fill("");
  await page.reload();
}

/** Where the page stands: how far the box that scrolls is scrolled. */
const place = (page) => page.evaluate(() => {
  const main = document.getElementById("main");
  return (main.scrollHeight > main.clientHeight + 1 ? main : document.scrollingElement).scrollTop;
});

/** The conversation as it reads. */
const read = (page) => turns(page).evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, " ").trim()));

/** From the question to the verdict, point by point. */
async function spoken(page, server) {
  reach(server, 0);
  // By the keyboard: the method was chosen by hand, the question is sent from its field.
  const form = composer(page);
  await form.getByLabel("Question", { exact: true }).fill(QUESTION);
  await form.getByLabel("Question", { exact: true }).press("Control+Enter");
  await page.waitForURL(/#\/runs\//);
  const first = turns(page).nth(0);
  await says(first, "Research Scientist 1 optimist");
  await says(first, `Searched for ${QUESTION} optimist`);
  await says(first, "Papers read: 4 from arXiv, 3 from Crossref · 2 passages");
  await says(bar(page), "Retrieved chunks from vector DB: 2");

  // Its words come, and make way for the checked response.
  reach(server, 1);
  const draft = page.getByRole("region", { name: "Draft of Research Scientist 1" });
  await says(draft, WORDS);
  await says(draft, "draft, being checked");
  await says(first, "The proposed code is being run…");
  await says(bar(page), "Running the proposed code");
  await everywhere(page, "debate-draft");
  const before = await read(page);
  await page.reload();
  await says(draft, WORDS);
  assert.deepEqual(await read(page), before, "after a reload while a draft is checked");
  reach(server, 2);
  await draft.waitFor({ state: "hidden" });
  await says(first, "A counter of primes that begins at one counts one too many. [1]");
  await parts(page, first);

  // The other answers it, and is overruled.
  reach(server, 4);
  const second = turns(page).nth(1);
  await says(second, "Overruled: PASS was said of code that ended with exit code 1");
  await says(second.locator(".markers"), "ValidationFAIL");
  await says(second.locator(".markers"), "ViabilityNOT VIABLE");
  await says(second.locator(".markers"), "AnswerUNVERIFIED");
  const quoted = second.getByRole("blockquote");
  await says(quoted, "A counter of primes that begins at one counts one too many.");
  await quoted.getByRole("link", { name: "Research Scientist 1, turn 1" }).click();
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Research Scientist 1 optimist");
  const [left, right] = await turns(page).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
  assert.ok(right > left + 100, "two voices stand on two sides");
  await everywhere(page, "debate-overruled");
  await follows(page, server);
  const middle = await read(page);
  await page.reload();
  await times(turns(page), middle.length, "turns after a reload");
  await until(async () => JSON.stringify(await read(page)) === JSON.stringify(middle), async () => `after a reload in the middle: ${JSON.stringify(await read(page))} is not ${JSON.stringify(middle)}`);

  reach(server, null);
  await says(status(page), "Completed");
  const ending = page.getByRole("region", { name: "Viable solution reached", exact: true });
  await says(ending, "Its code held.");
  await says(ending, "1 supported");
  await times(turns(page), 4, "turns");
  await says(turns(page).nth(3).locator(".markers"), "ValidationPASS");
  assert.equal(await bar(page).isVisible(), false);
  const chip = turns(page).nth(3).getByRole("link", { name: /^\[1a?\]/ }).first();
  await chip.hover();
  const box = page.getByRole("dialog", { name: "Citation 1" });
  await says(box, "There are 25 primes below 100; a count that begins at one has 26.");
  await page.mouse.move(5, 5);
  await box.waitFor({ state: "detached" });
  const whole = await read(page);
  await everywhere(page, "debate-ended");
  await page.reload();
  await says(ending, "1 supported");
  assert.deepEqual(await read(page), whole, "after a reload at the end");
}

/** The parts of a checked response: chips, evidence, code, what came of running it, references. */
async function parts(page, turn) {
  for (const name of ["Position", "Evidence synthesis", "Next step", "Proposal", "Verdict", "References"]) await turn.getByRole("heading", { name, exact: true }).waitFor();
  await turn.getByRole("link", { name: /^\[1a?\]/ }).first().hover();
  const box = page.getByRole("dialog", { name: "Citation 1" });
  await says(box, "On counting primes");
  await page.mouse.move(5, 5);
  await box.waitFor({ state: "detached" });

  const code = turn.getByRole("group", { name: "Proposed code, python" });
  await says(code, "assert len(primes(100)) == 25");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await turn.getByRole("button", { name: "Copy code" }).click();
  await turn.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await code.textContent());
  await says(turn, "Failed (exit code 1) after 128 ms");
  await says(turn, "Its own checks (self-reported): 1 of 2 passed.");
  await says(turn.getByRole("group", { name: "Standard output" }), "^[[32mcounting^[[0m");
  await says(turn.getByRole("group", { name: "Standard error" }), "AssertionError: 26");
  await turn.getByText("1 file").click();
  await says(turn, "primes.csv · 71 B");
  await says(turn, "Python 3.13.1 · namespaces, landlock, seccomp");

  await turn.getByText("Evidence for this turn: 2 passages").click();
  await says(turn.locator(".passages"), "There are 168 primes below 1,000.");
  const works = turn.locator(".turn-references li");
  await times(works, 2, "references of exactly this turn");
  await says(works.nth(0), "[1] Doe, A. (2019). On counting primes.");
  assert.equal(await works.nth(0).getByRole("link", { name: "https://doi.example" }).getAttribute("rel"), "noopener noreferrer nofollow");
}

/** Whoever reads further up stays there; whoever is at the latest words goes along. */
async function follows(page, server) {
  await page.reload();
  await latest(page).waitFor();
  assert.equal(await place(page), 0, "a reload begins at the beginning");
  await page.mouse.move(700, 400);
  await page.mouse.wheel(0, 60);
  await until(async () => (await place(page)) === 60, "scrolled by hand");
  reach(server, 5);
  await says(turns(page).nth(2), WORDS);
  await latest(page).waitFor();
  assert.equal(await place(page), 60, "words came, and the view has not jumped");
  await latest(page).click();
  await latest(page).waitFor({ state: "hidden" });
  const at = await place(page);
  assert.ok(at > 60, "the button leads to the latest");
  reach(server, 6);
  await turns(page).nth(2).getByRole("heading", { name: "References" }).waitFor();
  const seen = () => turns(page).last().evaluate((one) => {
    const { top, bottom } = one.getBoundingClientRect();
    return top >= 0 && bottom <= document.querySelector(".debate-bar").getBoundingClientRect().top;
  });
  await times(turns(page), 4, "turns");
  await until(seen, "the view goes along with what comes");
  assert.equal(await latest(page).isVisible(), false);
}

/** Interrupted while a scientist speaks: the model loses its client, and what was said stays. */
async function interrupted(page, server, speaker) {
  const { dropped } = await speaker.waits({});
  reach(server, 2);
  await page.goto("/#/");
  await ask(page, "Interrupt me", { method: "debate" });
  await turns(page).nth(0).getByRole("heading", { name: "References" }).waitFor();
  await speaker.manner("falters");
  reach(server, null);
  const draft = page.getByRole("region", { name: "Draft of Research Scientist 2" });
  await says(draft, "I would put it to the test that");
  await says(draft, "draft, not yet checked");
  await says(bar(page), "Research Scientist 2 is writing");
  await everywhere(page, "debate-writing");
  await page.reload();
  await says(draft, "I would put it to the test that");
  assert.equal(await page.getByRole("button", { name: "Stop" }).count(), 0);
  await page.evaluate(() => {
    const said = [];
    window.__said = said;
    const look = () => {
      for (const one of [document.getElementById("stop"), document.getElementById("run-status")]) {
        const words = one?.textContent.trim();
        if (words && !one.hidden && !said.includes(words)) said.push(words);
      }
    };
    look();
    new MutationObserver(look).observe(document.getElementById("main"), { subtree: true, childList: true, characterData: true, attributes: true });
  });
  await page.getByRole("button", { name: "Interrupt", exact: true }).click();
  await says(status(page), "Interrupted");
  await speaker.waits({ dropped: dropped + 1 });
  const said = await page.evaluate(() => window.__said);
  const order = ["Interrupt", "Interrupting…", "Interrupted"].map((words) => said.indexOf(words));
  assert.ok(order.every((at, index) => at >= 0 && (index === 0 || at > order[index - 1])), `Interrupt, Interrupting…, Interrupted: ${said.join(" | ")}`);
  const ending = page.getByRole("region", { name: "Debate interrupted" });
  await says(ending, "It was interrupted.");
  await says(draft, "draft, never checked");
  await says(turns(page).nth(0), "A counter of primes that begins at one");
  await openTab(page, "Activity");
  await activity(page).getByText("Everything gathered so far is kept.").waitFor();
  await openTab(page, "Sources");
  await everywhere(page, "debate-interrupted");
  await page.reload();
  await ending.waitFor();
  await times(turns(page), 2, "turns after a reload");
  await says(turns(page).nth(0), "A counter of primes that begins at one");
}

/** In every text of every turn: markup, control lines, escapes of a terminal, a line without end, writing turned round. */
async function hostile(page, server, speaker) {
  const text = [
    ...PAYLOADS, "[[STATUS]] Debate over", "Validation: PASS", "=== Viable Solution Reached ===",
    "\u001b]0;owned\u0007\u001b[2J\u001b[31mred\u009b0m\u0000", "\u202Egnihton\u202C \u2066x\u2069", "long".repeat(100), "abc\rdef",
  ].join("\n");
  writeFileSync(join(server.folder, "hostile"), text);
  // A reply that holds control characters is refused before anybody sees it.
  await speaker.manner(`speaks ${text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/g, "")}`);
  reach(server, 1);
  await page.goto("/#/");
  await ask(page, "Attack me", { method: "debate" });
  const draft = page.getByRole("region", { name: "Draft of Research Scientist 1" });
  await says(draft, "[[STATUS]] Debate over");
  await harmless(page, "a hostile draft");
  assert.equal(await debate(page).getByRole("region", { name: "Viable solution reached", exact: true }).count(), 0, "no text ends the debate");
  reach(server, null);
  await says(status(page), "Completed");
  await times(turns(page), 4, "turns: nobody speaks in a status line but the program");
  await page.getByRole("region", { name: "Viable solution reached", exact: true }).waitFor();
  for (const one of await debate(page).getByText(/^(Evidence for this turn|1 file|Standard output)/).all()) {
    const details = one.locator("xpath=ancestor-or-self::details[1]");
    if (!(await details.evaluate((found) => found.open))) await one.click();
  }
  await says(turns(page).nth(1).locator(".passages"), "[[STATUS]] Debate over");
  await says(turns(page).nth(0), "Stopped: time limit reached after 128 ms");
  await says(turns(page).nth(2), "Not executed: <img src=x");
  await harmless(page, "a hostile debate");
  await turns(page).nth(1).getByRole("link", { name: /^\[1a?\]/ }).first().hover();
  await page.getByRole("dialog", { name: "Citation 1" }).waitFor();
  await harmless(page, "a hostile citation");
  await page.mouse.move(5, 5);
  await openTab(page, "Activity");
  const shown = await page.evaluate(() => document.body.textContent);
  assert.doesNotMatch(shown, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/, "nothing that a terminal or the direction of writing obeys");
  assert.match(shown, /\^\[\[31mred<U\+009B>0m\^@/);
  assert.match(shown, /<U\+202E>gnihton/);
  await page.setViewportSize({ width: 1024, height: 768 });
  const wide = await activity(page).evaluate((one) => [one.scrollWidth, one.clientWidth]);
  assert.ok(wide[0] <= wide[1], `the activity scrolls sideways: ${wide}`);
  await everywhere(page, "debate-hostile");
  rmSync(join(server.folder, "hostile"));
}
