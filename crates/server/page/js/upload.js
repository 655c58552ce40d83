/**
 * Uploads: two at a time, each with its progress, each to be cancelled; they go on while the reader looks at other pages.
 *
 * @typedef {object} Upload
 * @property {number} id
 * @property {string} name
 * @property {string|null} collection that it becomes a document of; null for a file of a survey
 * @property {string|null} survey that it becomes a file of
 * @property {number} size bytes
 * @property {"queued"|"sending"|"reading"|"done"|"failed"|"cancelled"} state
 * @property {number} share 0 to 1
 * @property {boolean} again whether it is worth another try
 * @property {string} [words] what came of it
 * @property {string} [hint] what to do
 */
import { api, problemOf, unreached } from "./api.js";
import { t } from "./i18n.js";
import { get, set } from "./store.js";
import { bytes, plural } from "./words.js";

const AT_ONCE = 2;
const PUTS = {
  added: "added",
  replaced: "replaces the earlier version",
  unchanged: "already there, unchanged",
};
/** The endings of survey data, codebooks and the description of a survey. */
export const SURVEY_FORMATS = [
  "sav",
  "zsav",
  "csv",
  "tsv",
  "xlsx",
  "xlsm",
  "parquet",
  "sss",
  "xml",
  "asc",
  "dat",
  "txt",
  "json",
  "toml",
];
/** Those that hold the answers of a survey. */
const SURVEY_DATA = ["sav", "zsav", "csv", "tsv", "xlsx", "xlsm", "parquet", "sss"];
/** Those of them that are no document of any kind. */
const ONLY_SURVEY_DATA = ["sav", "zsav", "parquet", "sss"];

const endingOf = (name) => /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? "";

/** Whether a file may hold the answers of a survey. @param {File} file */
export const isSurveyData = (file) => SURVEY_DATA.includes(endingOf(file.name));

/** Whether files are a survey: one can be nothing else, or one describes it. A table alone is a document. @param {File[]} all */
export const isSurvey = (all) =>
  all.some((file) => ONLY_SURVEY_DATA.includes(endingOf(file.name)) || file.name === "survey.toml");

/** Whether an upload is on its way. @param {Upload} one */
export const isUnderWay = (one) => ["queued", "sending", "reading"].includes(one.state);

let numbered = 0;
const files = new Map();
const requests = new Map();
const settled = new Set();

/** Calls back when a document has been taken in. @param {(upload: Upload) => void} watcher @param {AbortSignal} signal */
export function onTaken(watcher, signal) {
  settled.add(watcher);
  signal.addEventListener("abort", () => settled.delete(watcher), { once: true });
}

/** Puts files into the queue, for a collection or a survey. @param {File[]} chosen @param {string|{survey: string}} into */
export function upload(chosen, into) {
  const survey = typeof into === "string" ? null : into.survey;
  const collection = survey === null ? into : null;
  const all = chosen.map((file) => {
    numbered += 1;
    const refused = refusal(file, survey !== null);
    if (!refused) files.set(numbered, file);
    return {
      id: numbered,
      name: file.name,
      collection,
      survey,
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
function refusal(file, isSurvey) {
  const { limits, upload_formats: documents = [] } = get("settings") ?? {};
  const formats = isSurvey ? SURVEY_FORMATS : documents;
  if (limits?.upload_bytes && file.size > limits.upload_bytes)
    return {
      words: t("is {size}; the limit is {most}", {
        size: bytes(file.size),
        most: bytes(limits.upload_bytes),
      }),
      hint: t("split it, or raise the limit in the configuration"),
    };
  if (file.size === 0) return { words: t("is empty, or a folder"), hint: t("choose the files inside it") };
  const ending = endingOf(file.name);
  if (ending && formats.length > 0 && !formats.includes(ending))
    return {
      words: t("has a type that Quaestio cannot read (.{ending})", { ending }),
      hint: t("supported: {formats}", { formats: formats.join(", ") }),
    };
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
  const under = all.filter((one) => isUnderWay(one) && one.state !== "queued").length;
  for (const one of all.filter((each) => each.state === "queued").slice(0, Math.max(0, AT_ONCE - under)))
    send(one);
}

function send({ id, name, collection, survey }) {
  const request = new XMLHttpRequest();
  requests.set(id, request);
  change(id, { state: "sending" });
  request.open("POST", survey ? api.surveyFilePath(survey, name) : api.uploadPath(collection, name));
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
  request.addEventListener("abort", () => end(id, { state: "cancelled", words: t("cancelled") }));
  request.send(files.get(id));
}

function taken(id, text) {
  let answer = {};
  try {
    answer = JSON.parse(text);
  } catch {
    // It was taken in; only the words about it are missing.
  }
  const { document, put, within = [], left_out: leftOut = [] } = answer;
  const passages = [document, ...within].reduce((sum, one) => sum + (one?.chunks ?? 0), 0);
  end(id, {
    state: "done",
    share: 1,
    document_id: document?.document_id,
    words: [
      t(PUTS[put] ?? PUTS.added),
      within.length > 0 ? plural(within.length + 1, "document") : "",
      passages > 0 ? plural(passages, "passage") : "",
    ]
      .filter(Boolean)
      .join(", "),
    hint: leftOut.map(({ path, reason }) => t("left out {path}: {reason}", { path, reason })).join("; "),
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
  else change(id, { state: "cancelled", words: t("cancelled") });
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
export const knowCollections = (listed) =>
  know("collections", listed, (upload, one) => upload.collection === one.name);

/** Keeps the surveys likewise. @param {object[]} listed */
export const knowSurveys = (listed) => know("surveys", listed, (upload, one) => upload.survey === one.name);

function know(key, listed, isInto) {
  const coming = (one) =>
    !listed.some((each) => each.name === one.name) && get("uploads").some((upload) => isInto(upload, one));
  set(key, [...listed, ...(get(key) ?? []).filter(coming)]);
}

/** Takes what is finished off the list. */
export function clearUploads() {
  for (const one of get("uploads")) if (!isUnderWay(one)) files.delete(one.id);
  set("uploads", get("uploads").filter(isUnderWay));
}
