// The official client for JavaScript drives the program over stdio and over HTTP.
//
// usage: node client.mjs PROGRAM    (proves: F4)

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const program = resolve(process.argv[2]);
const examples = join(dirname(fileURLToPath(import.meta.url)), "../../../../examples");
const folder = mkdtempSync(join(tmpdir(), "quaestio-"));
const env = { PATH: process.env.PATH, HOME: folder, QUAESTIO_DATA_DIR: folder };
const question = "When was the handle of the Broad Street pump removed?";

async function drive(name, transport) {
  const asked = [];
  const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    asked.push(params.message);
    const field = Object.keys(params.requestedSchema.properties)[0];
    const said = { answer: "small law firms in the US", decision: "approve" }[field];
    return { action: "accept", content: { [field]: said } };
  });
  await client.connect(transport);
  const { tools } = await client.listTools();
  assert.ok(tools.some((tool) => tool.name === "deep"));

  const progress = [];
  const call = { name: "ask", arguments: { question, collection: "cholera", offline: true } };
  const options = { onprogress: (told) => progress.push(told.message), resetTimeoutOnProgress: true };
  const result = await client.callTool(call, undefined, options);
  const told = result.structuredContent;
  assert.equal(told.status, "completed");
  assert.match(told.report, /8 September 1854/);
  assert.ok(progress.length > 0);
  const { contents } = await client.readResource({ uri: `run://${told.run_id}` });
  assert.equal(contents[0].text, told.report);
  const opened = await client.callTool({ name: "passage", arguments: { run_id: told.run_id, mark: 1 } });
  assert.equal(opened.structuredContent.is_kept, true);
  const { prompts } = await client.listPrompts();
  assert.ok(prompts.some((prompt) => prompt.name === "ask"));

  const order = { question: "I want to explore the market for contract review software", collection: "market" };
  const market = await client.callTool({ name: "market", arguments: { ...order, sources: [], offline: true } });
  assert.equal(market.structuredContent.status, "completed");
  assert.ok(asked.length > 1);
  await assert.rejects(client.callTool({ name: "no such tool" }), { code: -32602 });
  await client.close();
  console.log(`${name}: holds`);
}

try {
  for (const name of ["cholera", "market"]) {
    execFileSync(program, ["ingest", join(examples, name), "--collection", name, "--quiet"], { env });
  }
  await drive("stdio", new StdioClientTransport({ command: program, args: ["mcp"], env, stderr: "ignore" }));
  const server = spawn(program, ["serve", "--listen", "127.0.0.1:0"], { env, stdio: ["ignore", "pipe", "ignore"] });
  try {
    const line = await new Promise((heard) => server.stdout.once("data", (data) => heard(String(data))));
    const address = line.match(/http:\/\/\S+/)[0];
    await drive("HTTP", new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
  } finally {
    server.kill();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
