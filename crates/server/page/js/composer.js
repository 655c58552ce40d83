/**
 * The composer: a question and how it is to be answered. Every field survives a reload; a send that is repeated, by a
 * double click or after a lost connection, makes one run.
 */
import { h, fill } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { get, listen, set, user } from "./store.js";
import { draftKeyOf, keepValue, keptValue } from "./keep.js";
import { drawFields } from "./fields.js";
import { estimate } from "./estimate.js";
import {
  AS_IT_FITS,
  fieldsShown,
  methodOf,
  modelOf,
  NO_STARTUP,
  orderOf,
  readsWords,
  strategyOf,
} from "./order.js";
import { notify, showProblem } from "./problems.js";
import { runPath, go } from "./router.js";
import { dropZone, fileButton, uploadList } from "./dropping.js";
import { touch } from "./history.js";
import { knowCollections } from "./upload.js";

const EMPTY = {
  question: "",
  method: "",
  strategy: "",
  collection: "",
  sources: null,
  model: "",
  where: "",
  company: "",
  domain: "",
  objective: "",
  top: "",
  max_turns: "",
  max_questions: "",
  depth: "",
  words: "",
  audience: "",
  as: "",
  language: "",
  goes_on_from: "",
  anew: false,
  url: "",
  survey: "",
  loop: "",
  clarify: null,
  plan: null,
  startup: "",
  max_cost_usd: "",
  max_tokens: "",
  max_steps: "",
  max_wall_seconds: "",
  key: null,
  keyOf: null,
};

/** The composer on display for each draft: the answer to a question may come when the one that sent it has gone. */
const onDisplay = new Map();

/** Where files go when no collection is chosen. */
const USUAL_COLLECTION = "documents";

/**
 * @param {{place: string, compact?: boolean, preset?: any, isAnew?: boolean, signal: AbortSignal}} options `place` tells drafts
 *   apart; one that begins anew leaves the kept draft alone
 */
export function composer({ place, compact = false, preset = {}, isAnew = false, signal }) {
  const settings = get("settings");
  const draftKey = draftKeyOf(user(), place);
  const fresh = () => ({ ...EMPTY, ...fromPreset(preset) });
  const draft = { ...fresh(), ...((isAnew ? null : keptValue(draftKey)) ?? {}) };
  const asker = user();
  let sending = false;

  const question = h("textarea", {
    id: "question",
    rows: compact ? "2" : "4",
    placeholder: compact ? "A follow-up question, over the same sources" : "What do you want to know?",
    value: draft.question,
    "aria-describedby": "question-keys",
  });
  const fields = h("div", { class: "composer-fields" });
  const reads = h("p", { class: "reads", id: "reads" });
  const problem = h("div", {});
  const cost = estimate(signal);
  const send = h(
    "button",
    { type: "submit", class: "primary", id: "send", title: "Control or Command and Enter" },
    "Ask",
    icon("up"),
  );
  const files = fileButton((chosen) => take(chosen));
  const summary = h("summary", { class: "composer-summary" });
  const form = h(
    "form",
    {
      class: compact ? "composer compact" : "composer",
      id: "composer",
      "aria-label": compact ? "Follow-up question" : "New question",
      novalidate: true,
    },
    h(
      "div",
      { class: "composer-question" },
      h("label", { for: "question", class: compact ? "visually-hidden" : "" }, "Question"),
      question,
      h(
        "span",
        { id: "question-keys", class: "visually-hidden" },
        "Control and Enter, or Command and Enter, sends",
      ),
    ),
    compact ? h("details", { class: "composer-more" }, summary, fields) : fields,
    uploadList(signal, () => draft.collection),
    problem,
    h(
      "div",
      { class: "composer-foot" },
      h("div", { class: "composer-says" }, cost.element, reads),
      h("div", { class: "actions" }, files, send),
    ),
  );

  const collections = () => get("collections") ?? [];

  function changed(again = false) {
    if (again) draw();
    else said();
    keepValue(draftKey, draft);
  }

  function said() {
    const { order } = orderOf(draft, settings);
    cost.put(order ?? null, modelOf(draft, settings) === null);
    reads.textContent = readsWords(draft, settings, collections());
    const method = methodOf(draft, settings);
    summary.textContent = [
      method?.title,
      strategyOf(draft, settings)?.title,
      draft.collection || null,
      modelOf(draft, settings) ?? "offline",
    ]
      .filter(Boolean)
      .join(" · ");
  }

  function draw() {
    startups();
    surveys();
    drawFields(fields, draft, settings, collections(), changed);
    said();
  }

  /** Startups are read when a method wants one; a choice that is gone is none. */
  function startups() {
    if (!fieldsShown(draft, settings).has("startup")) return;
    const there = get("contexts");
    if (there === null) loadContexts(signal);
    else if (
      ![AS_IT_FITS, NO_STARTUP].includes(draft.startup) &&
      !there.some((one) => one.id === draft.startup)
    )
      draft.startup = AS_IT_FITS;
  }

  /** Surveys are read when a method wants one; where there is one alone it is meant, and one that is gone is none. */
  function surveys() {
    if (!fieldsShown(draft, settings).has("survey")) return;
    const there = get("surveys");
    if (there === null) loadSurveys(signal);
    else if (!there.some((one) => one.name === draft.survey))
      draft.survey = there.length === 1 ? there[0].name : "";
  }

  function grow() {
    question.style.setProperty("height", "auto");
    question.style.setProperty("height", `${Math.min(question.scrollHeight + 2, innerHeight * 0.5)}px`);
  }

  /** Without a choice: the documents there are, else the first sources, else the model. */
  function choose() {
    if (!get("collections")) return;
    const there = collections();
    if (draft.collection && !there.some((one) => one.name === draft.collection)) draft.collection = "";
    if (!draft.strategy) {
      const strategies = methodOf(draft, settings)?.strategies ?? [];
      const wanted =
        there.length > 0 || modelOf(draft, settings) === null
          ? strategies.find((one) => one.needs_collection)
          : strategies.find((one) => one.asks_sources);
      draft.strategy = (wanted ?? strategies[0])?.name ?? "";
    }
    if (!draft.collection && there.length === 1 && strategyOf(draft, settings)?.needs_collection)
      draft.collection = there[0].name;
  }

  /** Takes files in: into the chosen collection, else into the usual one, which is then read. */
  function take(chosen) {
    if (!draft.collection) {
      draft.collection = USUAL_COLLECTION;
      const reading = (methodOf(draft, settings)?.strategies ?? []).find((one) => one.needs_collection);
      if (reading && !strategyOf(draft, settings)?.needs_collection) draft.strategy = reading.name;
      if (!collections().some((one) => one.name === USUAL_COLLECTION))
        set("collections", [
          ...collections(),
          { name: USUAL_COLLECTION, documents: 0, chunks: 0, embedder: null },
        ]);
    }
    changed(true);
    const method = methodOf(draft, settings);
    if (!method.fields.includes("collection")) {
      showProblem(problem, {
        detail: `${method.title} reads no collection; your documents go into “${draft.collection}”`,
        hint: "choose another method to answer from them",
      });
    }
    chosen(draft.collection);
  }

  /** The question was sent: it leaves the field and the draft, unless other words stand there by now. */
  function sent(words) {
    if (signal.aborted) {
      const kept = keptValue(draftKey);
      if (!kept) return;
      Object.assign(draft, kept);
    }
    if (draft.question === words) {
      Object.assign(draft, { question: "", key: null, keyOf: null });
      question.value = "";
      keepValue(draftKey, compact ? null : draft);
    } else keepValue(draftKey, draft);
    if (!signal.aborted) said();
  }

  /** Whether the reader still sees this composer: neither closed nor behind an opened source. */
  const isHere = () => !signal.aborted && !form.closest("[hidden]");

  async function submit() {
    if (sending) return;
    const { order, missing } = orderOf(draft, settings);
    if (order?.method === "debate" && preset.history?.length > 0) order.history = preset.history;
    if (missing) {
      showProblem(problem, missing);
      form.querySelector("details.composer-more")?.setAttribute("open", "");
      form.querySelector(missing.field === "question" ? "#question" : `#field-${missing.field}`)?.focus();
      return;
    }
    sending = true;
    send.disabled = true;
    send.setAttribute("aria-busy", "true");
    fill(problem);
    const words = draft.question;
    const body = JSON.stringify(order);
    if (draft.keyOf !== body || !draft.key) {
      draft.key = freshKey();
      draft.keyOf = body;
      keepValue(draftKey, draft);
    }
    try {
      const run = await api.createRun(order, draft.key);
      (onDisplay.get(draftKey) ?? sent)(words);
      if (user() !== asker) return;
      touch(run);
      if (!isHere()) return;
      // What was taken in for the question has served its turn; what failed is still to be dealt with.
      set(
        "uploads",
        get("uploads").filter((one) => one.state !== "done"),
      );
      go(runPath(run.run_id));
    } catch (error) {
      if (error.kind === "invalid" && /idempotency/i.test(error.detail)) draft.key = null;
      const lead = "The question was not sent";
      // It does not fit what is at work already: the way to that is shown.
      const link =
        error.status === 409 && error.run
          ? h("a", { href: runPath(error.run) }, "Open the one at work")
          : undefined;
      if (isHere()) showProblem(problem, error, { lead, link });
      else if (error.status !== 401) notify(error, lead);
    } finally {
      sending = false;
      send.disabled = false;
      send.removeAttribute("aria-busy");
    }
  }

  /** A text dropped on the question of a check is what is to be checked; dropped beside it, it is a document. */
  function readsText(files, target) {
    const [file] = files;
    const isText = files.length === 1 && /\.(md|markdown|txt)$/i.test(file.name);
    if (target !== question || !isText || !fieldsShown(draft, settings).has("text")) return false;
    file.text().then(
      (text) => {
        question.value = text;
        question.dispatchEvent(new Event("input", { bubbles: true }));
      },
      (error) => showProblem(problem, error, { lead: `${file.name} was not read` }),
    );
    return true;
  }

  question.addEventListener("input", () => {
    draft.question = question.value;
    grow();
    if (problem.hasChildNodes() && question.value.trim()) fill(problem);
    changed();
  });
  question.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.isComposing) {
      event.preventDefault();
      submit();
    }
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  dropZone(form, take, readsText);
  listen(
    "collections",
    () => {
      choose();
      draw();
    },
    signal,
  );
  listen("contexts", () => get("contexts") && draw(), signal);
  listen("surveys", () => get("surveys") && draw(), signal);
  onDisplay.set(draftKey, sent);
  signal.addEventListener(
    "abort",
    () => {
      if (onDisplay.get(draftKey) === sent) onDisplay.delete(draftKey);
    },
    { once: true },
  );
  if (!get("collections")) loadCollections(signal);
  choose();
  draw();
  requestAnimationFrame(grow);

  return { element: form, focus: () => question.focus() };
}

/** Reads the collections anew. */
export async function loadCollections(signal) {
  try {
    knowCollections((await api.collections(signal)).collections);
  } catch (error) {
    notify(error, "Could not read the collections");
  }
}

let reading = null;

/** Reads the startup contexts, once for all who ask; a server that keeps none has none. */
export function loadContexts(signal) {
  reading ??= api
    .contexts(signal)
    .then(
      ({ contexts }) => set("contexts", contexts),
      (error) => {
        if (error.name === "AbortError") return;
        set("contexts", []);
        if (error.status !== 404 && error.status !== 503) notify(error, "Could not read the startups");
      },
    )
    .finally(() => {
      reading = null;
    });
  return reading;
}

let listing = null;

/** Reads the surveys, once for all who ask. */
export function loadSurveys(signal) {
  listing ??= api
    .surveys(signal)
    .then(
      ({ surveys }) => set("surveys", surveys),
      (error) => {
        if (error.name === "AbortError") return;
        set("surveys", []);
        notify(error, "Could not read the surveys");
      },
    )
    .finally(() => {
      listing = null;
    });
  return listing;
}

function fromPreset(preset) {
  const given = {};
  const plain = ["question", "method", "strategy", "collection", "sources", "domain", "objective", "model", "survey", "loop"];
  for (const name of [...plain, "goes_on_from"])
    if (preset[name] !== undefined) given[name] = preset[name];
  if (preset.max_turns) given.max_turns = String(preset.max_turns);
  if (preset.offline) given.model = "offline";
  if (preset.where)
    given.where = Object.entries(preset.where)
      .map(([key, value]) => `${key}=${value}`)
      .join(", ");
  return given;
}

/** A key that no other order has. */
function freshKey() {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
