/** There is not enough evidence: what was looked for and read, what came closest, and what to do next. */
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { plain, plainLine } from "./plain.js";
import { collectionPath, documentPath } from "./router.js";
import { get } from "./store.js";
import { count, plural, sentence } from "./words.js";

/** Queries that are listed; what else was searched for stands in the activity. */
const QUERIES = 6;
const GAPS = 5;

/** Whether a run came to its end without an answer. Of a text that was checked, its sentences tell. */
export const isLacking = (run) =>
  run.method !== "check" && (run.outcome === "not_enough_evidence" || run.outcome === "not_reached");

/**
 * @param {any} result @param {any} run
 * @param {(more?: {question?: string, strategy?: string}) => void} [askOn] opens the composer of a follow-up
 */
export function lacking(result, run, askOn) {
  const given = result.deliverable ?? {};
  const closest = listOf(given.closest);
  // Where passages come close, the lines above them say what is missing.
  const told = closest.length > 0 ? [] : [...listOf(given.gaps), ...listOf(given.open_questions)];
  const queries = queriesOf(given);
  const gaps = told.filter((gap) => typeof gap === "string" && !queries.some((query) => gap.endsWith(query)));
  const unreached = run.outcome === "not_reached";
  return h(
    "section",
    { class: "lacking", "aria-labelledby": "lacking-title" },
    h(
      "h2",
      { id: "lacking-title" },
      icon("search"),
      unreached ? t("No answer: some sources could not be reached") : t("Not enough evidence"),
    ),
    h("p", {}, whyWords(unreached, closest)),
    h(
      "dl",
      { class: "lacking-facts" },
      fact(t("Searched for"), lookedFor(queries, run.question)),
      fact(t("Read"), readWords(get("evidence"))),
      gaps.length > 0
        ? fact(
            t("Missing"),
            gaps.length === 1 ? sentence(gaps[0]) : bullets(gaps.slice(0, GAPS).map((gap) => sentence(gap))),
          )
        : null,
      unreached && result.warnings?.length > 0
        ? fact(t("Could not reach"), bullets(result.warnings.map((warning) => sentence(warning))))
        : null,
    ),
    closest.length > 0
      ? [
          h("h3", { id: "closest-title" }, t("Closest passages")),
          h("ol", { class: "closest", "aria-labelledby": "closest-title" }, closest.map(passage)),
        ]
      : null,
    result.mode === "offline" && !unreached
      ? h(
          "p",
          { class: "muted" },
          t(
            "Without a model, Quaestio finds only statements that use the words of your question. A model can find others.",
          ),
        )
      : null,
    nextSteps(run, unreached, askOn),
  );
}

function whyWords(unreached, closest) {
  if (unreached)
    return t("The sources that could be reached do not answer this question. Others could not be reached.");
  if (closest.length > 0)
    return t(
      "No statement in these sources clearly answers the question, and Quaestio does not guess. The closest passages are below.",
    );
  return t("Nothing in these sources answers the question, and Quaestio does not guess.");
}

const fact = (title, said) => h("div", {}, h("dt", {}, title), h("dd", {}, said));
const bullets = (lines) =>
  h(
    "ul",
    {},
    lines.map((line) => h("li", {}, line)),
  );

/** What was searched for, as each method tells it. */
function queriesOf(given) {
  const told = [
    ...listOf(given.report?.questions).flatMap((one) => listOf(one?.queries)),
    ...listOf(given.plan).map((task) => task?.inputs?.query),
    ...listOf(given.searched).flatMap((one) => listOf(one?.queries)),
    ...listOf(given.retrieval?.queries),
    given.query,
  ];
  return [...new Set(told.map((one) => plainLine(one)).filter(Boolean))];
}

function lookedFor(queries, question) {
  const others = queries.filter((query) => query !== plainLine(question));
  if (others.length === 0) return t("Your question, word for word");
  const more = queries.length - QUERIES;
  return bullets(
    [
      ...queries.slice(0, QUERIES).map((query) => h("q", { dir: "auto" }, query)),
      more > 0 ? t("and {count} more (see Activity)", { count: count(more) }) : null,
    ].filter(Boolean),
  );
}

/** How many passages of how many sources were before whoever answered. */
function readWords(evidence) {
  if (evidence.length === 0) return t("No relevant passages");
  const sources = new Set(evidence.map((one) => one.document_id ?? one.source_uri)).size;
  return t("{passages} from {sources}", {
    passages: plural(evidence.length, "passage"),
    sources: plural(sources, "source"),
  });
}

/** A passage that comes close, with the words of the question set off, leading to where it stands. */
function passage({ marked, quote, heading, title, source_uri, start, end }) {
  const source = get("evidence").find((one) => one.source_uri === source_uri)?.document_id;
  const where = [title, heading]
    .map((part) => plainLine(part))
    .filter(Boolean)
    .join(" · ");
  const name = where || plainLine(source_uri);
  return h(
    "li",
    {},
    h("blockquote", { dir: "auto" }, setOff(plain(marked ?? quote))),
    h(
      "p",
      { class: "closest-where" },
      source ? h("a", { href: documentPath(source, start, end) }, name) : name,
    ),
  );
}

/** `**Words**` of the question in strong letters. */
const setOff = (text) => text.split("**").map((part, at) => (at % 2 === 1 ? h("strong", {}, part) : part));

function nextSteps(run, unreached, askOn) {
  const own = run.collection && !run.collection.startsWith("run-");
  const strategies = get("settings")?.methods.find((one) => one.name === run.method)?.strategies ?? [];
  const asksSources = strategies.find((one) => one.name === run.strategy)?.asks_sources ?? false;
  const wider = asksSources ? null : strategies.find((one) => one.asks_sources);
  const step = (sign, words, more) =>
    h("button", { type: "button", on: { click: () => askOn(more) } }, icon(sign), words);
  const question = run.question;
  const isOnline = get("settings")?.network !== false;
  const buttons = h(
    "div",
    { class: "actions", role: "group", "aria-label": t("What to do next") },
    unreached && askOn ? step("clock", t("Ask again"), { question }) : null,
    h(
      "a",
      { class: "button", href: own ? collectionPath(run.collection) : "#/collections" },
      icon("upload"),
      t("Add documents"),
    ),
    askOn && !unreached && isOnline
      ? step("search", t("Search more sources"), { question, ...(wider ? { strategy: wider.name } : {}) })
      : null,
    askOn ? step("note", t("Rephrase the question"), { question }) : null,
  );
  return askOn && !isOnline
    ? [
        buttons,
        h(
          "p",
          { class: "muted" },
          t("The network is turned off on this server, so no other sources can be searched."),
        ),
      ]
    : buttons;
}

/** What should be a list, as one. */
const listOf = (value) => (Array.isArray(value) ? value : []);
