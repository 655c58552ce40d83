/**
 * Uploads: two at a time, each with its progress, each to be cancelled; they go on while the reader looks at other pages.
 *
 * @typedef {object} Upload
 * @property {number} id
 * @property {string} name
 * @property {string} collection
 * @property {number} size bytes
 * @property {"queued"|"sending"|"reading"|"done"|"failed"|"cancelled"} state
 * @property {number} share 0 to 1
 * @property {boolean} again whether it is worth another try
 * @property {string} [words] what came of it
 * @property {string} [hint] what to do
 */
import { api, problemOf, unreached } from "./api.js";
import { get, set } from "./store.js";
import { bytes, plural } from "./words.js";

const AT_ONCE = 2;
const PUTS = {
  added: "taken in",
  replaced: "replaces the earlier version",
  unchanged: "is there already, unchanged",
};
let numbered = 0;
const files = new Map();
const requests = new Map();
const settled = new Set();

/** Calls back when a document has been taken in. @param {(upload: Upload) => void} watcher @param {AbortSignal} signal */
export function onTaken(watcher, signal) {
  settled.add(watcher);
  signal.addEventListener("abort", () => settled.delete(watcher), { once: true });
}

/** Puts files into the queue. @param {File[]} chosen @param {string} collection */
export function upload(chosen, collection) {
  const all = chosen.map((file) => {
    numbered += 1;
    const refused = refusal(file);
    if (!refused) files.set(numbered, file);
    return {
      id: numbered,
      name: file.name,
      collection,
      size: file.size,
      share: 0,
      again: !refused,
      state: refused ? "failed" : "queued",
      ...(refused ?? {}),
    };
  });
  set("uploads", [...get("uploads"), ...all]);
  next();
}

/** What can be said without asking the server. */
function refusal(file) {
  const { limits, upload_formats: formats = [] } = get("settings") ?? {};
  if (limits?.upload_bytes && file.size > limits.upload_bytes) {
    return {
      words: `is ${bytes(file.size)}, and at most ${bytes(limits.upload_bytes)} are taken`,
      hint: "split it, or raise the limit in the configuration",
    };
  }
  if (file.size === 0) return { words: "is empty, or a folder", hint: "choose the files themselves" };
  const ending = /\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase();
  if (ending && formats.length > 0 && !formats.includes(ending))
    return { words: `is of a kind that is not read (.${ending})`, hint: `these are: ${formats.join(", ")}` };
  return null;
}

function change(id, fields) {
  set(
    "uploads",
    get("uploads").map((one) => (one.id === id ? { ...one, ...fields } : one)),
  );
}

function next() {
  const all = get("uploads");
  const under = all.filter((one) => one.state === "sending" || one.state === "reading").length;
  for (const one of all.filter((each) => each.state === "queued").slice(0, Math.max(0, AT_ONCE - under)))
    send(one);
}

function send({ id, name, collection }) {
  const request = new XMLHttpRequest();
  requests.set(id, request);
  change(id, { state: "sending" });
  request.open("POST", api.uploadPath(collection, name));
  request.setRequestHeader("content-type", "application/octet-stream");
  request.setRequestHeader("accept", "application/json");
  request.upload.addEventListener("progress", (event) => {
    if (event.lengthComputable) change(id, { share: event.loaded / event.total });
  });
  request.upload.addEventListener("load", () => change(id, { share: 1, state: "reading" }));
  request.addEventListener("load", () => {
    if (request.status >= 200 && request.status < 300) taken(id, request.responseText);
    else
      failed(id, problemOf(request.status, request.responseText, request.getResponseHeader("retry-after")));
  });
  request.addEventListener("error", () => failed(id, unreached()));
  request.addEventListener("abort", () => end(id, { state: "cancelled", words: "cancelled" }));
  request.send(files.get(id));
}

function taken(id, text) {
  let answer = {};
  try {
    answer = JSON.parse(text);
  } catch {
    // It was taken in; only the words about it are missing.
  }
  const { document, put } = answer;
  end(id, {
    state: "done",
    share: 1,
    document_id: document?.document_id,
    words: `${PUTS[put] ?? "taken in"}${document?.chunks ? `, ${plural(document.chunks, "passage")}` : ""}`,
  });
  const one = get("uploads").find((each) => each.id === id);
  for (const watcher of settled) watcher(one);
}

const failed = (id, problem) => end(id, { state: "failed", words: problem.detail, hint: problem.hint });

function end(id, fields) {
  requests.delete(id);
  if (fields.state === "done") files.delete(id);
  change(id, fields);
  next();
}

/** Stops an upload, or takes it out of the queue. */
export function cancelUpload(id) {
  const request = requests.get(id);
  if (request) request.abort();
  else change(id, { state: "cancelled", words: "cancelled" });
}

/** Stops all and forgets them: somebody else may sign in next. */
export function forgetUploads() {
  set("uploads", []);
  files.clear();
  for (const request of requests.values()) request.abort();
}

/** Tries an upload again. */
export function retryUpload(id) {
  if (!files.has(id)) return;
  change(id, { state: "queued", share: 0, words: undefined, hint: undefined });
  next();
}

/**
 * Keeps the collections as the server lists them, and those that files are on their way into: such a collection may not
 * be there before the first of them is taken in. @param {object[]} listed
 */
export function knowCollections(listed) {
  const coming = (one) =>
    !listed.some((each) => each.name === one.name) &&
    get("uploads").some((each) => each.collection === one.name);
  set("collections", [...listed, ...(get("collections") ?? []).filter(coming)]);
}

/** Takes what is finished off the list. */
export function clearUploads() {
  const active = (one) => ["queued", "sending", "reading"].includes(one.state);
  for (const one of get("uploads")) if (!active(one)) files.delete(one.id);
  set("uploads", get("uploads").filter(active));
}
