/**
 * The composer: a question and how it is to be answered. Every field survives a reload; a send that is repeated, by a
 * double click or after a lost connection, makes one run.
 */
import { h, fill, announce } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { t } from "./i18n.js";
import { get, listen, set, user } from "./store.js";
import { draftKeyOf, keep, keepValue, kept, keptValue } from "./keep.js";
import { drawFields, methodChips, methodsBeside } from "./fields.js";
import { methodSays, methodWants } from "./methodwords.js";
import { estimate } from "./estimate.js";
import {
  AS_IT_FITS,
  collectionOf,
  fieldsShown,
  leavesWords,
  methodOf,
  modelOf,
  NO_COLLECTION,
  NO_STARTUP,
  orderOf,
  readsWords,
  strategyOf,
  summaryWords,
} from "./order.js";
import { notify, showProblem } from "./problems.js";
import { runPath, go } from "./router.js";
import { dropZone, fileButton, uploadsInto } from "./dropping.js";
import { surveyFound } from "./surveyfound.js";
import { NEW, restoring } from "./aside.js";
import { touch } from "./history.js";
import {
  isSurvey,
  isSurveyData,
  isUnderWay,
  knowCollections,
  knowSurveys,
  onTaken,
  SURVEY_FORMATS,
} from "./upload.js";

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

/** Where files go when no collection of the reader's own is chosen. */
const USUAL_COLLECTION = "documents";

/** Collections and surveys of the examples: nothing of the reader's own goes into them. */
export const isExample = (name) => name.startsWith("example-");

/**
 * @param {{place: string, compact?: boolean, preset?: any, isAnew?: boolean, signal: AbortSignal}} options `place` tells drafts
 *   apart; one that begins anew leaves the kept draft alone
 */
export function composer({ place, compact = false, preset = {}, isAnew = false, signal }) {
  const settings = get("settings");
  const draftKey = draftKeyOf(user(), place);
  const usedKey = draftKeyOf(user(), "used");
  const openKey = compact ? "options.follow" : "options";
  const draft = { ...EMPTY, ...fromPreset(preset), ...((isAnew ? null : keptValue(draftKey)) ?? {}) };
  const asker = user();
  let sending = false;
  /** The files that the question waits for. @type {Set<number>|null} */
  let waiting = null;

  const collections = () => get("collections") ?? [];
  const readsSurvey = () => fieldsShown(draft, settings).has("survey");
  const checksText = () => fieldsShown(draft, settings).has("text");

  const question = h("textarea", {
    id: "question",
    rows: compact ? "2" : "3",
    value: draft.question,
    "aria-describedby": "question-keys",
  });
  const keys = h("span", { id: "question-keys", class: "visually-hidden" });
  const beside = h("div", { class: "composer-methods" });
  const fields = h("div", { class: "composer-fields" });
  const reads = h("p", { class: "reads", id: "reads" });
  const leaves = h("p", { class: "leaves", id: "leaves" });
  const problem = h("div", {});
  const found = surveyFound(signal);
  const cost = estimate(signal);
  const sendWords = h("span", {}, t("Ask"));
  const send = h("button", { type: "submit", class: "primary", id: "send" }, sendWords, icon("up"));
  const addDocuments = fileButton(take);
  const addSurvey = fileButton(take, t("Add survey data"), SURVEY_FORMATS);
  const uploads = uploadsInto(signal, () => ({
    collection: collectionOf(draft),
    survey: draft.survey,
    says: readsSurvey()
      ? t("Files go into the survey “{name}”", { name: draft.survey })
      : t("Files go into the collection “{name}”", { name: collectionOf(draft) }),
  }));
  const back =
    place === NEW
      ? restoring({
          isEmpty: () => question.value.trim() === "",
          empty() {
            Object.assign(draft, { question: "", key: null, keyOf: null });
            question.value = "";
            grow();
            said();
            question.focus();
          },
          restore: putBack,
          signal,
        })
      : null;
  const summary = h("span", { class: "summary-words" });
  const drawer = h(
    "details",
    { class: "composer-more", open: kept(openKey) === "open" },
    h("summary", {}, summary, h("span", { class: "summary-open" }, t("Options"), icon("chevron"))),
    fields,
  );
  const form = h(
    "form",
    {
      class: compact ? "composer compact" : "composer",
      id: "composer",
      "aria-label": compact ? t("Follow-up question") : t("New question"),
      novalidate: true,
    },
    h(
      "div",
      { class: "composer-question" },
      h("label", { for: "question", class: "visually-hidden" }, t("Question")),
      question,
      keys,
      h("div", { class: "composer-clips" }, addDocuments, addSurvey, back?.element ?? null),
    ),
    compact ? null : beside,
    drawer,
    found.element,
    uploads.element,
    problem,
    h(
      "div",
      { class: "composer-foot" },
      h("div", { class: "composer-says" }, cost.element, leaves),
      h("div", { class: "actions" }, send),
    ),
  );

  function putBack(held) {
    Object.assign(draft, EMPTY, held, { key: null, keyOf: null });
    question.value = draft.question;
    grow();
    changed(true);
    question.focus();
  }

  function changed(again = false) {
    if (again) {
      prefer();
      draw();
    } else said();
    back?.draw();
    keepValue(draftKey, draft);
  }

  /** What is said of the order as it stands. */
  function said() {
    const { order } = orderOf(draft, settings);
    cost.put(order ?? null, modelOf(draft, settings) === null);
    reads.textContent = readsWords(draft, settings, collections());
    leaves.textContent = leavesWords(draft, settings, collections());
    const method = methodOf(draft, settings);
    summary.textContent = [
      compact ? methodSays(method, false).title : "",
      summaryWords(draft, settings, collections()),
    ]
      .filter(Boolean)
      .join(" · ");
    sendWords.textContent = waiting ? t("Waiting for files…") : t("Ask");
  }

  function draw() {
    startups();
    surveys();
    const method = methodOf(draft, settings);
    const there = compact ? [] : methodsBeside(draft, settings);
    const focused = beside.contains(document.activeElement) ? document.activeElement.id : null;
    const legend = h("legend", { class: "visually-hidden" }, t("Method"));
    if (!compact) fill(beside, methodChips(there, draft, settings, changed, legend));
    if (focused) document.getElementById(focused)?.focus();
    drawFields(fields, draft, settings, collections(), changed, {
      reads,
      notes: cost.notes,
      methods: settings.methods.filter((one) => !there.includes(one)),
    });
    question.placeholder = compact ? t("A follow-up question about the same sources") : methodWants(method);
    question.setAttribute("enterkeyhint", checksText() ? "enter" : "send");
    keys.textContent = checksText()
      ? t("Press Ctrl+Enter or Command+Enter to send")
      : t("Press Enter to send, Shift+Enter for a new line");
    addDocuments.hidden = readsSurvey();
    addSurvey.hidden = !readsSurvey();
    found.show(readsSurvey() ? draft.survey : "");
    uploads.draw();
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

  /** Surveys are read when a method wants one; the newest is meant, and one that is gone is none. */
  function surveys() {
    if (!readsSurvey()) return;
    const there = get("surveys");
    if (there === null) loadSurveys(signal);
    else if (!there.some((one) => one.name === draft.survey)) draft.survey = there.at(-1)?.name ?? "";
  }

  function grow() {
    question.style.setProperty("height", "auto");
    question.style.setProperty("height", `${Math.min(question.scrollHeight + 2, innerHeight * 0.5)}px`);
  }

  /** Without a choice: the documents there are, else the first sources, else the model. */
  function choose() {
    if (!get("collections")) return;
    if (!draft.strategy) {
      const strategies = methodOf(draft, settings)?.strategies ?? [];
      const wanted =
        collections().length > 0 || modelOf(draft, settings) === null
          ? strategies.find((one) => one.needs_collection)
          : strategies.find((one) => one.asks_sources);
      draft.strategy = (wanted ?? strategies[0])?.name ?? "";
    }
    prefer();
  }

  /** Of the collections the one used last is meant, else the newest; none only where the reader wants none. */
  function prefer() {
    if (!get("collections")) return;
    const there = collections();
    const isThere = (name) => there.some((one) => one.name === name);
    // What a follow-up goes on from is what it reads, whether the list knows of it yet or not.
    if (isThere(draft.collection) || (draft.collection && draft.collection === preset.collection)) return;
    const needed = strategyOf(draft, settings)?.needs_collection || checksText();
    if (draft.collection === NO_COLLECTION && !needed) return;
    if (compact && !needed) {
      draft.collection = NO_COLLECTION;
      return;
    }
    const used = keptValue(usedKey)?.collection;
    const newest = [...there].sort((one, other) =>
      (one.updated_at ?? "").localeCompare(other.updated_at ?? ""),
    );
    draft.collection = isThere(used) ? used : (newest.at(-1)?.name ?? "");
  }

  /** Takes files in: survey data into a survey, all else into a collection; what is chosen, else into one of its own. */
  function take(chosen, files) {
    const data = isSurvey(files) && settings.methods.some((one) => one.fields.includes("survey"));
    if (data && !readsSurvey()) {
      draft.method = settings.methods.find((one) => one.fields.includes("survey")).name;
      announce(
        t("This is survey data, so {method} is selected", { method: methodOf(draft, settings).title }),
      );
    }
    if (readsSurvey()) takeSurvey(chosen, files);
    else takeDocuments(chosen);
  }

  function takeSurvey(chosen, files) {
    if (!draft.survey || isExample(draft.survey)) draft.survey = nameOf(files);
    const there = get("surveys") ?? [];
    if (!there.some((one) => one.name === draft.survey))
      set("surveys", [...there, { name: draft.survey, files: [] }]);
    changed(true);
    chosen({ survey: draft.survey });
  }

  function takeDocuments(chosen) {
    const before = collectionOf(draft);
    if (!before || isExample(before)) {
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
    chosen(draft.collection);
  }

  /** The question was sent: it leaves the field and the draft, unless other words stand there by now. */
  function sent(words) {
    if (signal.aborted) {
      const held = keptValue(draftKey);
      if (!held) return;
      Object.assign(draft, held);
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

  /** The files of this visit that the question is asked over. */
  const filesOf = () =>
    get("uploads").filter((one) =>
      readsSurvey()
        ? one.survey === draft.survey
        : one.collection !== null && one.collection === collectionOf(draft),
    );

  /** Files have come as far as they come: the question that waited for them is asked, or what failed is told. */
  function arrived() {
    const awaited = filesOf().filter((one) => waiting?.has(one.id));
    if (!waiting || awaited.some(isUnderWay)) return;
    wait(null);
    if (awaited.every((one) => one.state === "done")) submit();
    else
      showProblem(problem, {
        detail: t("some files could not be read"),
        hint: t("press Ask to continue without them"),
      });
  }

  /** @param {object[]|null} files that the question waits for */
  function wait(files) {
    waiting = files && new Set(files.map((one) => one.id));
    said();
    if (files) announce(t("Your question will be sent when the files have been read"));
  }

  function lacks({ field, ...what }) {
    showProblem(problem, what);
    if (field === "question") return question.focus();
    const ways = addDocuments.querySelector("button");
    if (field === "collection" && collections().length === 0 && ways) {
      // There is nothing to choose from yet: the way on is in the box, not in the drawer.
      problem.scrollIntoView({ block: "nearest" });
      return ways.focus();
    }
    drawer.open = true;
    const at = fields.querySelector(`#field-${field}`);
    (at?.matches("fieldset") ? at.querySelector("input:not(:disabled)") : at)?.focus();
    return undefined;
  }

  async function submit() {
    if (sending || waiting) return;
    const { order, missing } = orderOf(draft, settings);
    if (order?.method === "debate" && preset.history?.length > 0) order.history = preset.history;
    if (missing) {
      lacks(missing);
      return;
    }
    const coming = filesOf().filter(isUnderWay);
    if (coming.length > 0) {
      fill(problem);
      wait(coming);
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
      if (order.collection) keepValue(usedKey, { collection: order.collection });
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
      const lead = t("Could not send the question");
      // It does not fit what is at work already: the way to that is shown.
      const link =
        error.status === 409 && error.run
          ? h("a", { href: runPath(error.run) }, t("Open the run in progress"))
          : undefined;
      if (isHere()) showProblem(problem, error, { lead, link });
      else if (error.status !== 401) notify(error, lead);
    } finally {
      sending = false;
      send.disabled = false;
      send.removeAttribute("aria-busy");
    }
  }

  /** A text that is dropped where a text is to be checked, and none stands there yet, is that text. */
  function readsText(files, target) {
    const [file] = files;
    const isText = files.length === 1 && /\.(md|markdown|txt)$/i.test(file.name);
    if (!checksText() || !isText || (target !== question && question.value.trim())) return false;
    file.text().then(
      (text) => {
        question.value = text;
        question.dispatchEvent(new Event("input", { bubbles: true }));
        announce(t("{name} is now the text to check", { name: file.name }));
      },
      (error) => showProblem(problem, error, { lead: t("Could not read {name}", { name: file.name }) }),
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
    // While an input method composes, Enter takes what it offers; some browsers tell that by the key code alone.
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return;
    const commanded = event.ctrlKey || event.metaKey;
    // A text to be checked has lines of its own.
    if (event.shiftKey || event.altKey || (checksText() && !commanded)) return;
    event.preventDefault();
    submit();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  drawer.addEventListener("toggle", () => keep(openKey, drawer.open ? "open" : null));
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
  listen("uploads", arrived, signal);
  onTaken((one) => one.survey && loadSurveys(signal), signal);
  onDisplay.set(draftKey, sent);
  signal.addEventListener(
    "abort",
    () => {
      if (onDisplay.get(draftKey) === sent) onDisplay.delete(draftKey);
    },
    { once: true },
  );
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
    notify(error, t("Could not load the collections"));
  }
}

let reading = null;

/** Reads the startup contexts, once for all who ask; a server that keeps none has none. */
function loadContexts(signal) {
  reading ??= api
    .contexts(signal)
    .then(
      ({ contexts }) => set("contexts", contexts),
      (error) => {
        if (error.name === "AbortError") return;
        set("contexts", []);
        if (error.status !== 404 && error.status !== 503) notify(error, t("Could not load the startups"));
      },
    )
    .finally(() => {
      reading = null;
    });
  return reading;
}

let listing = null;

/** Reads the surveys, once for all who ask. */
function loadSurveys(signal) {
  listing ??= api
    .surveys(signal)
    .then(
      ({ surveys }) => knowSurveys(surveys),
      (error) => {
        if (error.name === "AbortError") return;
        set("surveys", []);
        notify(error, t("Could not load the surveys"));
      },
    )
    .finally(() => {
      listing = null;
    });
  return listing;
}

function fromPreset(preset) {
  const given = {};
  const plain = [
    "question",
    "method",
    "strategy",
    "collection",
    "sources",
    "domain",
    "objective",
    "model",
    "survey",
    "loop",
  ];
  for (const name of [...plain, "goes_on_from"]) if (preset[name] !== undefined) given[name] = preset[name];
  if (preset.max_turns) given.max_turns = String(preset.max_turns);
  if (preset.offline) given.model = "offline";
  if (preset.where)
    given.where = Object.entries(preset.where)
      .map(([key, value]) => `${key}=${value}`)
      .join(", ");
  return given;
}

/** The name of a survey whose files have none yet: what the names of its data begin with. @param {File[]} files */
function nameOf(files) {
  const stems = files.filter(isSurveyData).map((file) => file.name.replace(/\..*$/, ""));
  const [first = "survey", ...others] = stems;
  let length = first.length;
  for (const other of others) while (!other.startsWith(first.slice(0, length))) length -= 1;
  const common = length >= 3 ? first.slice(0, length) : first;
  const name = common
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9_-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, 64);
  return name && !/^(run|example)-/.test(name) ? name : "survey";
}

/** A key that no other order has. */
export function freshKey() {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return [...random].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
