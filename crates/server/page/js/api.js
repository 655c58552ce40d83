/**
 * The calls of the HTTP contract. Every failure becomes a `Problem` with what went wrong and what to do.
 */
import { t } from "./i18n.js";

export class Problem extends Error {
  /** @param {{status: number, type?: string, title?: string, detail?: string, hint?: string, run_id?: string}} fields */
  constructor({ status, type = "", title = "", detail = "", hint = "", run_id: run = "" }) {
    super(detail || title || t("the server returned an error"));
    this.name = "Problem";
    this.status = status;
    this.kind = type.split(":").pop() ?? "";
    this.title = title;
    this.detail = detail || title;
    this.hint = hint;
    /** The run that it is about; empty where it names none. */
    this.run = String(run || (/\b\d{8}-[a-z2-9]{8}\b/.exec(detail)?.[0] ?? ""));
  }
}

const UNREACHED = {
  status: 0,
  type: "urn:quaestio:problem:unreached",
  title: "Could not reach",
  detail: "the server is not responding",
  hint: "check that `quaestio serve` is running, then try again. What you wrote is kept",
};

const watchers = new Set();

/** Calls back when a request is refused because nobody is signed in. */
export const onSignedOut = (watcher) => watchers.add(watcher);

/** Reads a problem from an answer that is not a success. */
export function problemOf(status, text, retryAfter = null) {
  let fields;
  try {
    fields = JSON.parse(text) ?? {};
  } catch {
    fields = { title: t("the server returned status {status}", { status }) };
  }
  if (status === 429 && retryAfter && !fields.hint)
    fields.hint = t("try again in {seconds} s", { seconds: retryAfter });
  if (status === 401) for (const watcher of watchers) watcher();
  return new Problem({ ...fields, status });
}

export const unreached = () => new Problem(UNREACHED);

/** The request that `first.js` has sent while this was on its way; it serves once. */
function takeFirst() {
  const first = window.quaestioFirst;
  window.quaestioFirst = null;
  return first;
}

async function call(method, path, { body, headers = {}, signal, begun = null } = {}) {
  const init = {
    method,
    headers: { accept: "application/json", ...headers },
    signal,
    credentials: "same-origin",
  };
  if (method !== "GET") {
    init.headers["content-type"] = "application/json";
    if (body !== undefined) init.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await (begun ?? fetch(path, init));
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw unreached();
  }
  const text = await response.text().catch(() => "");
  if (!response.ok) throw problemOf(response.status, text, response.headers.get("retry-after"));
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem({ status: response.status, detail: t("could not read the server’s response") });
  }
}

async function download(path, signal) {
  let response;
  try {
    response = await fetch(path, { signal, credentials: "same-origin" });
    if (response.ok) return await response.arrayBuffer();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw unreached();
  }
  throw problemOf(response.status, await response.text().catch(() => ""));
}

async function callText(path, signal) {
  let response;
  try {
    response = await fetch(path, { signal, credentials: "same-origin" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw unreached();
  }
  const text = await response.text().catch(() => "");
  if (!response.ok) throw problemOf(response.status, text, response.headers.get("retry-after"));
  return text;
}

const at = (...parts) => `/api/${parts.map(encodeURIComponent).join("/")}`;

function search(parameters) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(key, String(value));
  }
  const text = query.toString();
  return text ? `?${text}` : "";
}

export const api = {
  session: () => call("GET", at("session"), { begun: takeFirst() }),
  signIn: (token) => call("POST", at("session"), { body: { token } }),
  signOut: () => call("DELETE", at("session")),
  settings: () => call("GET", at("settings")),
  configuration: (signal) => call("GET", at("configuration"), { signal }),
  changeConfiguration: (change) => call("PATCH", at("configuration"), { body: change }),
  tryOut: (what) => call("POST", at("configuration", "try"), { body: { what } }),
  checks: (signal) => call("GET", at("doctor"), { signal }),
  checksOverNetwork: (signal) => call("POST", at("doctor"), { body: { network: true }, signal }),

  estimate: (order, signal) => call("POST", at("estimates"), { body: order, signal }),
  createRun: (order, key) => call("POST", at("runs"), { body: order, headers: { "idempotency-key": key } }),
  runs: (filters, signal) => call("GET", at("runs") + search(filters), { signal }),
  run: (id, signal) => call("GET", at("runs", id), { signal }),
  result: (id, signal) => call("GET", at("runs", id, "result"), { signal }),
  report: (id, signal) => call("GET", at("runs", id, "report"), { signal }),
  evidence: (id, signal) => call("GET", at("runs", id, "evidence"), { signal }),
  label: (id, labels) => call("PATCH", at("runs", id), { body: labels }),
  removeRun: (id) => call("DELETE", at("runs", id)),
  /** Removes a run while the page is left: nobody hears what becomes of it. */
  removeRunAtOnce: (id) =>
    fetch(at("runs", id), { method: "DELETE", keepalive: true, credentials: "same-origin" }).catch(() => {}),
  difference: (id, other, signal) => call("GET", at("runs", id, "diff", other), { signal }),
  shares: (id, signal) => call("GET", at("runs", id, "shares"), { signal }),
  share: (id) => call("POST", at("runs", id, "shares")),
  unshare: (id, share) => call("DELETE", at("runs", id, "shares", share)),
  /** Reads a part of a run by a link to it. @param {""|"report"|"evidence"} part */
  shared: (token, part, signal) =>
    call("GET", part ? at("shared", part) : at("shared"), { headers: { "x-quaestio-share": token }, signal }),
  /** A file of a run as text. */
  exported: (id, format, signal) => callText(api.exportPath(id, format), signal),
  answer: (id, body) => call("POST", at("runs", id, "answer"), { body }),
  savePlan: (id, body) => call("PUT", at("runs", id, "plan"), { body }),
  approve: (id, body) => call("POST", at("runs", id, "approve"), { body }),
  reject: (id, body) => call("POST", at("runs", id, "reject"), { body }),
  /** Answers every open question; those that are not named are passed by. */
  answerQuestions: (id, answers) =>
    call("POST", at("workflows", id, "answer_questions") + search({ wait: 0 }), { body: { answers } }),
  cancel: (id) => call("POST", at("runs", id, "cancel"), { body: {} }),
  fork: (id, body) => call("POST", at("runs", id, "fork"), { body }),
  eventsPath: (id, after) => at("runs", id, "events") + (after > 0 ? search({ after }) : ""),
  exportPath: (id, format) => at("runs", id, "export") + search({ format }),

  /** All collections: there are as many as were named, and they are chosen from. */
  async collections(signal) {
    const collections = [];
    for (let after = ""; after !== null;) {
      const part = await call("GET", at("collections") + search({ after }), { signal });
      collections.push(...part.collections);
      after = part.next;
    }
    return { collections };
  },
  createCollection: (name) => call("POST", at("collections"), { body: { name } }),
  removeCollection: (name) => call("DELETE", at("collections", name)),
  documents: (name, after, signal) =>
    call("GET", at("collections", name, "documents") + search({ after }), { signal }),
  uploadPath: (collection, file) => at("collections", collection, "documents") + search({ name: file }),
  document: (id, signal) => call("GET", at("documents", id), { signal }),
  removeDocument: (id) => call("DELETE", at("documents", id)),
  surveys: (signal) => call("GET", at("surveys"), { signal }),
  survey: (name, signal) => call("GET", at("surveys", name), { signal }),
  surveyFilePath: (survey, file) => at("surveys", survey) + search({ name: file }),
  examples: (signal) => call("GET", at("examples"), { signal }),
  takeExample: (name) => call("POST", at("examples"), { body: { name } }),
  contexts: (signal) => call("GET", at("contexts"), { signal }),
  addContext: (context) => call("POST", at("contexts"), { body: context }),
  replaceContext: (id, context) => call("PUT", at("contexts", id), { body: context }),
  removeContext: (id) => call("DELETE", at("contexts", id)),
  undoContext: (id) => call("DELETE", at("contexts", id, "learned")),
  page: (id, span, signal) => call("GET", at("documents", id, "page") + search(span), { signal }),
  filePath: (id) => at("documents", id, "file"),
  /** The bytes of the file that a document was read from. */
  file: (id, signal) => download(at("documents", id, "file"), signal),
  text: (id, span, signal) => call("GET", at("documents", id, "text") + search(span), { signal }),
};
