// The OpenAI-compatible face before OpenAI's own client for JavaScript.

import assert from "node:assert/strict";
import OpenAI from "openai";

const baseURL = process.env.QUAESTIO_AT + "/v1";
const client = (apiKey) => new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const alice = client(process.env.QUAESTIO_ALICE);
const bob = client(process.env.QUAESTIO_BOB);
const model = "quaestio/rag@notes";
const question = "When was the handle of the Broad Street pump removed?";
const messages = [{ role: "user", content: question }];

// Indices count code points: JavaScript's own count UTF-16 units.
const cut = (text, { start_index, end_index }) => [...text].slice(start_index, end_index).join("");

// Reports of one question differ in the id of their run.
const same = (text) => text.replace(/\b\d{8}-[0-9a-z]{8}\b/g, "RUN");

const names = [];
for await (const one of alice.models.list()) names.push(one.id);
assert(names.includes("quaestio/ask") && names.includes(model));
assert.equal((await alice.models.retrieve(model)).id, model);
await assert.rejects(bob.models.retrieve(model), OpenAI.NotFoundError);

const whole = await alice.chat.completions.create({ model, messages });
const { content, annotations } = whole.choices[0].message;
assert.match(content, /8 September 1854/);
assert(annotations.length > 0);
// Over the statements of a source its mark stands for the first.
for (const { url_citation } of annotations) {
  const { label } = url_citation;
  assert.ok([`[${label}]`, `[${label.replace(/[a-z]+$/, "")}]`].includes(cut(content, url_citation)), label);
}

let text = "";
let usage;
const chunks = await alice.chat.completions.create({
  model,
  messages,
  stream: true,
  stream_options: { include_usage: true },
});
for await (const chunk of chunks) {
  text += chunk.choices[0]?.delta?.content ?? "";
  usage = chunk.usage ?? usage;
}
assert.equal(same(text), same(content));
assert.equal(usage.total_tokens, 0);
const runner = alice.chat.completions.stream({ model, messages });
const final = await runner.finalChatCompletion();
assert.equal(same(final.choices[0].message.content), same(content));

const response = await alice.responses.create({ model, input: question });
assert.match(response.output_text, /8 September 1854/);
const kinds = [];
for await (const event of await alice.responses.create({ model, input: question, stream: true })) kinds.push(event.type);
assert.equal(kinds.at(0), "response.created");
assert.equal(kinds.at(-1), "response.completed");
await assert.rejects(bob.responses.retrieve(response.id), OpenAI.NotFoundError);
await alice.responses.delete(response.id);
await assert.rejects(alice.responses.retrieve(response.id), OpenAI.NotFoundError);

// Whoever aborts closes the connection.
const aborting = new AbortController();
const aborted = alice.chat.completions.create({ model, messages }, { signal: aborting.signal });
aborting.abort();
await assert.rejects(aborted, OpenAI.APIUserAbortError);
await assert.rejects(client("nobody").models.list(), OpenAI.AuthenticationError);
await assert.rejects(alice.chat.completions.create({ model, messages, n: 2 }), OpenAI.BadRequestError);
console.log("fine: JavaScript");
