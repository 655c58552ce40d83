/**
 * From the fields of the composer to the order of the contract: only what the method's `fields` name, only what was said.
 *
 * @typedef {object} Draft every field as it stands in the form; all texts
 */

import { safeLink } from "./dom.js";
import { t } from "./i18n.js";
import { plural, sentence } from "./words.js";

export const BUDGET = [
  { name: "max_cost_usd", title: "Cost in US dollars", step: "0.01" },
  { name: "max_tokens", title: "Tokens", step: "1" },
  { name: "max_steps", title: "Steps", step: "1" },
  { name: "max_wall_seconds", title: "Seconds", step: "1" },
];

/** What is said of a report alone. */
const REPORT = ["depth", "words", "audience", "as", "language", "continue"];

export const OFFLINE = "offline";

export const methodOf = (draft, settings) =>
  settings.methods.find((one) => one.name === draft.method) ?? settings.methods[0];

/** The strategy chosen, where the method has any. */
export function strategyOf(draft, settings) {
  const strategies = methodOf(draft, settings)?.strategies ?? [];
  return strategies.find((one) => one.name === draft.strategy) ?? strategies[0] ?? null;
}

/** Whether the method begins with the approval of a plan alone, whatever the reader chose. */
export const mustPlan = (draft, settings) => methodOf(draft, settings)?.plan ?? false;

/** Whether the reader is asked first, or shown a plan first: as they chose, else as the method does. */
export function comesFirst(what, draft, settings) {
  if (what === "plan" && mustPlan(draft, settings)) return true;
  return draft[what] ?? methodOf(draft, settings)?.[what] ?? false;
}

/** The choice of a collection that is none. Without any choice one is chosen for the reader. */
export const NO_COLLECTION = "-";

/** The collection to be read, or an empty text. */
export const collectionOf = (draft) => (draft.collection === NO_COLLECTION ? "" : draft.collection);

/** The choices of a startup context that are no context. */
export const AS_IT_FITS = "";
export const NO_STARTUP = "-";

/** Which fields make sense now: those of the method, less those that the strategy does not read. */
export function fieldsShown(draft, settings) {
  const fields = new Set(methodOf(draft, settings)?.fields ?? []);
  const strategy = strategyOf(draft, settings);
  if (strategy) {
    if (!strategy.needs_collection && !strategy.asks_sources) {
      fields.delete("collection");
      fields.delete("where");
    }
    if (!strategy.asks_sources) fields.delete("sources");
    if (!strategy.is_planned) {
      for (const field of ["max_questions", ...REPORT]) fields.delete(field);
    }
  }
  return fields;
}

/** The model that would be asked, or null when the run is offline. */
export function modelOf(draft, settings) {
  if (draft.model === OFFLINE) return null;
  return draft.model || settings.default_model || null;
}

/** The sources chosen, or those the method asks by default; never one that is not available. */
export function sourcesOf(draft, settings) {
  const method = methodOf(draft, settings);
  const available = settings.sources.filter((one) => one.available).map((one) => one.name);
  const chosen = draft.sources ?? settings.default_sources?.[method?.name] ?? [];
  return chosen.filter((name) => available.includes(name));
}

/** What a text is called in lists: its first line, as far as it goes. */
function beginning(text) {
  const line = text.split("\n").find((one) => /[^#\s]/.test(one)) ?? "A text";
  return [...line.replace(/^[#\s]+/, "")].slice(0, 120).join("");
}

/** What is missing from an order: the field, what is wrong with it, what to do. */
const missing = (field, detail, hint) => ({ missing: { field, detail, hint } });

const usual = () => t("leave it empty to use the default");

/** Returns the order, or what is missing from it: `{ order }` or `{ missing: { field, detail, hint } }`. */
export function orderOf(draft, settings) {
  const question = draft.question.trim();
  const fields = fieldsShown(draft, settings);
  // A text to be checked is no question, however long it is.
  const isText = fields.has("text");
  if (!question)
    return isText
      ? missing("question", t("there is no text to check"), t("paste the text, or drop a file here"))
      : missing("question", t("the question is empty"), t("write what you want to know"));
  const most = settings.limits?.question_chars;
  if (most && !isText && [...question].length > most)
    return missing(
      "question",
      t("the question has more than {most} characters", { most }),
      t("shorten it, or put the details into a document"),
    );
  const strategy = strategyOf(draft, settings);
  const order = { method: methodOf(draft, settings).name, question: isText ? beginning(question) : question };
  if (isText) order.text = draft.question;
  if (fields.has("strategy") && strategy) order.strategy = strategy.name;
  const collection = collectionOf(draft);
  if (fields.has("collection") && collection) order.collection = collection;
  if ((strategy?.needs_collection || isText) && !order.collection)
    return missing("collection", t("there are no documents to read"), t("add some, or choose a collection"));
  if (fields.has("sources")) {
    order.sources = sourcesOf(draft, settings);
    // What searches beside a collection may do with one's own documents alone, and so may what is planned.
    const own = fields.has("collection") && order.collection && (!strategy || strategy.is_planned);
    if (order.sources.length === 0 && !own)
      return missing("sources", t("no source is selected"), t("select at least one source"));
  }
  if (fields.has("where") && draft.where.trim()) {
    const { where, wrong } = filterOf(draft.where);
    if (wrong)
      return missing(
        "where",
        t("“{line}” is not in the form key=value", { line: wrong }),
        t("write, for example, topic=treatment"),
      );
    order.where = where;
  }
  if (fields.has("company") && draft.company.trim()) order.company = draft.company.trim();
  if (fields.has("survey")) {
    if (!draft.survey)
      return missing(
        "survey",
        t("there is no survey to read"),
        t("drop data files here, or choose a survey"),
      );
    order.survey = draft.survey;
  }
  if (fields.has("loop") && draft.loop) order.loop = draft.loop;
  for (const name of ["domain", "objective", "depth", "audience", "as", "language"])
    if (fields.has(name) && draft[name].trim()) order[name] = draft[name].trim();
  for (const { name, least, most: bound, wrong } of NUMBERS) {
    if (!fields.has(name) || draft[name] === "") continue;
    const number = Number(draft[name]);
    if (!Number.isInteger(number) || number < least || number > bound)
      return missing(name, t(wrong), usual());
    order[name] = number;
  }
  if (fields.has("continue") && draft.goes_on_from && !draft.anew) order.continue = draft.goes_on_from;
  if (fields.has("url") && draft.url.trim()) {
    if (!safeLink(draft.url.trim()))
      return missing(
        "url",
        t("the page to read first is not a web address"),
        t("enter the full address, starting with https://"),
      );
    order.url = draft.url.trim();
  }
  for (const what of ["clarify", "plan"]) {
    const wanted = comesFirst(what, draft, settings);
    if (wanted !== (methodOf(draft, settings)[what] ?? false)) order[what] = wanted;
  }
  if (fields.has("startup") && draft.startup !== AS_IT_FITS)
    order.startup = draft.startup === NO_STARTUP ? "" : draft.startup;
  if (draft.model === OFFLINE || modelOf(draft, settings) === null) order.offline = true;
  else if (draft.model) order.model = draft.model;
  const budget = {};
  for (const { name, title } of BUDGET) {
    if (draft[name] === "") continue;
    const limit = Number(draft[name]);
    if (!Number.isFinite(limit) || limit < 0)
      return missing(name, t("the limit “{title}” is not a number", { title: t(title) }), usual());
    budget[name] = limit;
  }
  if (Object.keys(budget).length > 0) order.budget = budget;
  return { order };
}

/** Fields that are whole numbers within bounds. */
const NUMBERS = [
  { name: "top", least: 1, most: Infinity, wrong: "the number of hypotheses in full must be 1 or more" },
  { name: "max_turns", least: 1, most: Infinity, wrong: "the number of turns must be 1 or more" },
  { name: "max_questions", least: 0, most: Infinity, wrong: "the number of questions must be 0 or more" },
  { name: "words", least: 50, most: 20000, wrong: "the maximum words must be between 50 and 20000" },
];

/** Reads `key=value` pairs, by commas or lines. @returns {{where: Record<string, string>, wrong?: string}} */
function filterOf(text) {
  const where = {};
  const lines = text
    .split(/[\n,]/)
    .map((one) => one.trim())
    .filter(Boolean);
  for (const line of lines) {
    const [key, ...rest] = line.split("=");
    if (!key.trim() || rest.length === 0) return { where, wrong: line };
    where[key.trim()] = rest.join("=").trim();
  }
  return { where };
}

/** What a source is called within a sentence. @param {{name: string, title?: string}} source */
const sourceTitle = ({ name, title }) => (name === "web" ? t("the web") : (title ?? name));

/** A source's title at the beginning of a line; names such as arXiv stay as they are. */
const capital = (title) => (/[A-Z]/.test(title) ? title : sentence(title));

/** What a source is called in a list. @param {{name: string, title?: string}} source */
export const sourceWords = (source) =>
  source.name === "web" ? t("Web search") : capital(sourceTitle(source));

/** What a run reads and whom it asks, as sentences and in a few words are made of it. */
function reachOf(draft, settings, collections) {
  const fields = fieldsShown(draft, settings);
  const own = fields.has("collection")
    ? (collections.find((one) => one.name === collectionOf(draft)) ?? null)
    : null;
  const sources = fields.has("sources")
    ? sourcesOf(draft, settings).map((name) =>
        sourceTitle(settings.sources.find((one) => one.name === name) ?? { name }),
      )
    : [];
  const vectors = own?.embedder && settings.embedder ? settings.embedder : null;
  return {
    fields,
    own,
    sources,
    model: modelOf(draft, settings),
    isOnline: settings.network !== false,
    page: fields.has("url") && draft.url.trim() !== "",
    vectors: vectors && /^(openai|gemini|ollama|http)/.test(vectors) ? vectors : null,
    // Nothing can be read before something is chosen.
    lacks: fields.has("survey")
      ? !draft.survey
      : (strategyOf(draft, settings)?.needs_collection || fields.has("text")) && !own,
  };
}

/** Says which documents are read and what leaves the machine, in full sentences. */
export function readsWords(draft, settings, collections) {
  const { fields, own, sources, model, isOnline, page, vectors, lacks } = reachOf(
    draft,
    settings,
    collections,
  );
  if (fields.has("survey")) {
    if (lacks) return t("Choose a survey, or drop data files here.");
    return model
      ? t("Reads the survey “{survey}”. The question, labels and computed figures are sent to {model}.", {
          survey: draft.survey,
          model,
        })
      : t("Reads the survey “{survey}”. Nothing leaves this machine.", { survey: draft.survey });
  }
  if (lacks) return t("Choose a collection to read, or drop documents here.");
  const words = [];
  if (own)
    words.push(
      t("Reads “{name}” ({documents}).", { name: own.name, documents: plural(own.documents, "document") }),
    );
  if (sources.length > 0)
    words.push(
      isOnline
        ? t("Searches {sources}. Search terms made from your question leave this machine.", {
            sources: listed(sources),
          })
        : t("The network is turned off. Only stored responses of {sources} are searched.", {
            sources: listed(sources),
          }),
    );
  if (page && isOnline) words.push(t("Fetches the page you name."));
  if (model)
    words.push(
      own || sources.length > 0
        ? t("The question and the passages found are sent to {model}.", { model })
        : t("The question is sent to {model}. Nothing is looked up or checked.", { model }),
    );
  if (vectors)
    words.push(t("The question is sent to {vectors} to compare it with your documents.", { vectors }));
  else if (own && !model && sources.length === 0 && !page)
    words.push(t("Nothing else is read, and nothing leaves this machine."));
  return words.length > 0 ? words.join(" ") : t("This strategy needs a model, and none is selected.");
}

/** Says whom something is sent to, in a few words; what it is, `readsWords` says. */
export function leavesWords(draft, settings, collections) {
  const { fields, sources, model, isOnline, page, vectors, lacks } = reachOf(draft, settings, collections);
  if (lacks)
    return fields.has("survey") ? t("Add survey data, or choose a survey") : t("Add documents to begin");
  const asked = sources.length > 2 ? [t("{count} sources", { count: sources.length })] : sources;
  const reached = isOnline ? [...asked, page ? t("the page you name") : null] : [];
  const names = [...reached, model, vectors].filter(Boolean);
  return names.length > 0
    ? t("Sent to {names}", { names: listed([...new Set(names)]) })
    : t("Nothing leaves this machine");
}

/** Says in one line how a question is answered: the drawer's face. */
export function summaryWords(draft, settings, collections) {
  const { fields, own, sources, model } = reachOf(draft, settings, collections);
  const strategy = strategyOf(draft, settings);
  const parts = [];
  if (strategy?.is_planned) parts.push(t("Planned report"));
  if (strategy && !strategy.needs_collection && !strategy.asks_sources) parts.push(t("The model alone"));
  if (own) parts.push(own.documents > 0 ? `${own.name} (${plural(own.documents, "document")})` : own.name);
  else if (strategy?.needs_collection || fields.has("text")) parts.push(t("No documents yet"));
  if (fields.has("survey"))
    parts.push(draft.survey ? t("Survey {survey}", { survey: draft.survey }) : t("No survey yet"));
  if (sources.length > 3) parts.push(t("{count} sources", { count: sources.length }));
  else if (sources.length > 0) parts.push(sources.map(capital).join(", "));
  if (fields.has("depth") && DEPTHS[draft.depth]) parts.push(t(DEPTHS[draft.depth]));
  parts.push(model ?? t("Offline"));
  return parts.join(" · ");
}

/** How far a report goes. */
export const DEPTHS = {
  quick: "Quick: a page",
  standard: "Standard: a few pages",
  exhaustive: "Exhaustive: a survey of the field",
};

const listed = (names) =>
  names.length < 2
    ? names.join("")
    : t("{most} and {last}", { most: names.slice(0, -1).join(", "), last: names.at(-1) });
