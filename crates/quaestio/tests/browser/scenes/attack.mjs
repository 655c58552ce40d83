// proves: S1
// Texts that would like to be markup, everywhere a stranger can put one: none runs, none becomes an element.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import assert from "node:assert/strict";
import { activity, api, ask, chips, composer, drop, openTab, report, says, status, times, until } from "../acts.mjs";
import { PAYLOADS, harmless, injected } from "../harm.mjs";

/** Those that were written by others, where the recorded data is at hand; each is made to tell on itself. */
function recorded() {
  const folder = process.env.QUAESTIO_TEST_DATA;
  if (!folder) return [];
  const path = join(folder, "security", "xss_payloads.txt");
  assert.ok(existsSync(path), `QUAESTIO_TEST_DATA is set, and there is no ${path}`);
  return readFileSync(path, "utf8").split("\n").map((one) => one.trim()).filter(Boolean);
}

/** Joins texts into portions of so many characters at most. */
function portions(texts, most) {
  const all = [];
  for (const text of texts) {
    const last = all.at(-1);
    if (last !== undefined && last.length + text.length + 1 <= most) all[all.length - 1] = `${last}\n${text}`;
    else all.push(text.slice(0, most));
  }
  return all;
}

export default async function attack({ serve, person }) {
  const server = await serve();
  const { page, watch } = await person(server);
  await page.getByRole("heading", { level: 1, name: "Ask a question" }).waitFor();
  await harmless(page, "the empty page");
  await page.evaluate(() => document.body.append(document.createElement("iframe")));
  assert.equal((await injected(page)).length, 1, "an element that does not belong here is found");
  await page.evaluate(() => document.querySelector("iframe").remove());

  // Documents whose name, title, heading and sentences are payloads.
  const words = (payload, number) => `---\ntitle: ${JSON.stringify(payload)}\n---\n# ${payload.replace(/\n/g, " ")}\n\nThe secret of zebra number ${number} is ${payload.replace(/\n/g, " ")} and it was told in 1854.\n\n${payload}\n`;
  const files = PAYLOADS.map((payload, number) => ({ name: `${payload.replace(/[/\0\n]/g, " ").slice(0, 120)}.md`, text: words(payload, number) }));
  const more = recorded();
  if (more.length > 0) files.push({ name: "recorded.md", text: `# Recorded\n\n${more.map((one) => `The secret of the zebra is ${one}`).join("\n\n")}\n` });
  await drop(composer(page), files);
  await until(async () => (await page.getByRole("region", { name: "Uploads" }).locator("li[data-state='done'], li[data-state='failed']").count()) === files.length, "every upload has come to an end");
  await harmless(page, "uploads");

  // As questions, whose answers quote the documents.
  const own = PAYLOADS.map((payload, number) => `What is the secret of zebra number ${number}? ${payload}`);
  const questions = [...own, ...portions(more, 15_000).map((portion) => `What is the secret of the zebra? ${portion}`)];
  for (const [number, question] of questions.entries()) {
    await page.goto("/#/");
    const field = composer(page).getByLabel("Question", { exact: true });
    await field.fill(question);
    await field.press("Control+Enter");
    await page.waitForURL(/#\/runs\//);
    await says(status(page), /Completed|Failed|evidence/);
    await page.locator("#grounding, .lacking").first().waitFor();
    await openTab(page, "Activity");
    await activity(page).getByText(/The answer is ready|Done: not enough/).waitFor();
    await openTab(page, "Sources");
    await harmless(page, `question ${number}, its report and its sources`);
    if ((await chips(page).count()) > 0) {
      await chips(page).first().hover();
      await page.getByRole("dialog", { name: /^Citation/ }).waitFor();
      await harmless(page, `citation of question ${number}`);
      await chips(page).first().click();
      await page.locator("mark").first().waitFor();
      await harmless(page, `source of question ${number}`);
    }
  }
  const { collections } = await api(server, "GET", "/api/collections");
  assert.deepEqual(collections.map((one) => one.name), ["documents"]);
  await page.goto("/#/collections/documents");
  await times(page.getByRole("button", { name: /^Remove (?!the collection)/ }), (await api(server, "GET", "/api/collections/documents/documents")).documents.length, "documents");
  await harmless(page, "the documents");
  const { documents } = await api(server, "GET", "/api/collections/documents/documents");
  for (const { document_id: id } of documents) {
    await page.goto(`/#/documents/${id}`);
    await says(page.getByRole("region", { name: "Text of the source" }), "secret");
    const further = page.getByRole("button", { name: "Show more after" });
    while (await further.isVisible()) {
      const shown = (await page.getByRole("region", { name: "Text of the source" }).textContent()).length;
      await further.click();
      await until(async () => (await page.getByRole("region", { name: "Text of the source" }).textContent()).length > shown, "more of the source");
    }
    await harmless(page, `document ${id}`);
  }

  // As the name of a collection, in the page and in its address.
  await page.goto("/#/collections");
  for (const payload of PAYLOADS.slice(0, 3)) {
    await page.getByRole("textbox", { name: "New collection" }).fill(payload);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await says(page.getByRole("main"), "is not a valid collection name");
    await harmless(page, "the name of a collection");
    await watch.while({ status: 404, path: /collections/ }, () => watch.while({ status: 422, path: /collections/ }, () => watch.while({ status: 400, path: /collections/ }, async () => {
      await page.goto(`/#/collections/${encodeURIComponent(payload)}`);
      await page.getByText("Could not load").waitFor();
      await harmless(page, "the address of a collection");
      await page.goto("/#/collections");
    })));
  }
  await page.goto(`/#/${encodeURIComponent(PAYLOADS[0])}`);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await harmless(page, "an address");

  // At a gate, and as a plan.
  const text = PAYLOADS.join(" ");
  await page.goto("/#/");
  await ask(page, "Greet me", { method: "greet" });
  const card = page.getByRole("region", { name: "Waiting for you" });
  for (const question of ["What is your name?", "Where do you live?"]) {
    await card.getByLabel(question).fill(text);
    await card.getByRole("button", { name: "Send the answer" }).click();
    await card.getByLabel(question).waitFor({ state: "detached" });
  }
  await says(status(page), "Completed");
  await report(page).getByText("Hello").first().waitFor();
  await openTab(page, "Activity");
  await harmless(page, "answers at a gate");

  await page.goto("/#/");
  const plan = await ask(page, PAYLOADS.slice(0, 4).join(" "), { method: "travel" });
  const proposed = page.getByRole("region", { name: "The plan", exact: true });
  await says(proposed, "Revision 1");
  await harmless(page, "a plan");
  await proposed.getByRole("button", { name: "Edit", exact: true }).click();
  await proposed.getByLabel("Name of step 1").fill(text.slice(0, 300));
  await proposed.getByLabel("Search terms, one per line").fill(PAYLOADS.join("\n").slice(0, 400));
  await harmless(page, "a plan that is edited");
  await proposed.getByRole("button", { name: "Save and start" }).click();
  await says(status(page), "Completed");
  await openTab(page, "Plan");
  await harmless(page, "a plan that was approved");
  // A browser that is led to it asks for an icon too.
  await watch.while({ status: 404, path: /favicon/ }, () => page.goto(`${server.url}/api/runs/${plan}`, { waitUntil: "networkidle" }));
  assert.equal(await page.evaluate(() => document.scripts.length), 0, "an answer of the API is no page");

  // What is exported as a page runs nothing either.
  const { runs } = await api(server, "GET", "/api/runs?limit=50");
  assert.equal(runs.length, questions.length + 2);
  await page.goto("about:blank");
  for (const { run_id: id } of runs) {
    const html = await (await fetch(`${server.url}/api/runs/${id}/export?format=html`)).text();
    const parsed = await page.evaluate((source) => {
      const document = new DOMParser().parseFromString(source, "text/html");
      return [...document.querySelectorAll("script, iframe, object, embed, base, form, img[src^='http'], link[rel=stylesheet], meta[http-equiv=refresh]")].map((one) => one.outerHTML.slice(0, 100))
        .concat([...document.querySelectorAll("*")].flatMap((one) => [...one.attributes].filter(({ name, value }) => name.startsWith("on") || /^\s*javascript:/i.test(value)).map(({ name }) => `${one.tagName} ${name}`)));
    }, html);
    assert.deepEqual(parsed, [], `the export of ${id}`);
  }
}
