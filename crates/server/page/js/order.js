/**
 * From the fields of the composer to the order of the contract: only what the method's `fields` name, only what was said.
 *
 * @typedef {object} Draft every field as it stands in the form; all texts
 */

import { safeLink } from "./dom.js";

export const BUDGET = [
  { name: "max_cost_usd", title: "Cost, US dollars", step: "0.01" },
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

/** Returns the order, or what is missing from it: `{ order }` or `{ missing: { field, detail, hint } }`. */
export function orderOf(draft, settings) {
  const question = draft.question.trim();
  if (!question)
    return {
      missing: { field: "question", detail: "the question is empty", hint: "write what you want to know" },
    };
  const fields = fieldsShown(draft, settings);
  // A text to be checked is no question, however long it is.
  const isText = fields.has("text");
  const most = settings.limits?.question_chars;
  if (most && !isText && [...question].length > most) {
    return {
      missing: {
        field: "question",
        detail: `the question has more than ${most} characters`,
        hint: "shorten it, or put the material into a document",
      },
    };
  }
  const strategy = strategyOf(draft, settings);
  const order = { method: methodOf(draft, settings).name, question: isText ? beginning(question) : question };
  if (isText) order.text = draft.question;
  if (fields.has("strategy") && strategy) order.strategy = strategy.name;
  if (fields.has("collection") && draft.collection) order.collection = draft.collection;
  if ((strategy?.needs_collection || isText) && !order.collection) {
    return {
      missing: {
        field: "collection",
        detail: "no collection is chosen",
        hint: "choose one, or drop documents here",
      },
    };
  }
  if (fields.has("sources")) {
    order.sources = sourcesOf(draft, settings);
    // What searches beside a collection may do with one's own documents alone, and so may what is planned.
    const own = fields.has("collection") && order.collection && (!strategy || strategy.is_planned);
    if (order.sources.length === 0 && !own)
      return {
        missing: { field: "sources", detail: "no source is chosen", hint: "choose at least one source" },
      };
  }
  if (fields.has("where") && draft.where.trim()) {
    const where = {};
    for (const line of draft.where
      .split(/[\n,]/)
      .map((one) => one.trim())
      .filter(Boolean)) {
      const [key, ...rest] = line.split("=");
      if (!key.trim() || rest.length === 0)
        return {
          missing: {
            field: "where",
            detail: `“${line}” is not of the form key=value`,
            hint: "write for example topic=treatment",
          },
        };
      where[key.trim()] = rest.join("=").trim();
    }
    order.where = where;
  }
  if (fields.has("company") && draft.company.trim()) order.company = draft.company.trim();
  if (fields.has("survey")) {
    if (!draft.survey)
      return {
        missing: {
          field: "survey",
          detail: "no survey is chosen",
          hint: "keep one with `quaestio survey add NAME PATH`, or bring its files with POST /api/surveys/NAME",
        },
      };
    order.survey = draft.survey;
  }
  if (fields.has("loop") && draft.loop) order.loop = draft.loop;
  for (const name of ["domain", "objective"])
    if (fields.has(name) && draft[name].trim()) order[name] = draft[name].trim();
  if (fields.has("top") && draft.top !== "") {
    const top = Number(draft.top);
    if (!Number.isInteger(top) || top < 1)
      return {
        missing: {
          field: "top",
          detail: "the number written up must be 1 or more",
          hint: "leave it empty for the default",
        },
      };
    order.top = top;
  }
  if (fields.has("max_turns") && draft.max_turns !== "") {
    const most = Number(draft.max_turns);
    if (!Number.isInteger(most) || most < 1)
      return {
        missing: {
          field: "max_turns",
          detail: "the number of turns must be 1 or more",
          hint: "leave it empty for the default",
        },
      };
    order.max_turns = most;
  }
  if (fields.has("max_questions") && draft.max_questions !== "") {
    const most = Number(draft.max_questions);
    if (!Number.isInteger(most) || most < 0)
      return {
        missing: {
          field: "max_questions",
          detail: "the number of questions must be 0 or more",
          hint: "leave it empty for the default",
        },
      };
    order.max_questions = most;
  }
  for (const field of ["depth", "audience", "as", "language"])
    if (fields.has(field) && draft[field].trim()) order[field] = draft[field].trim();
  if (fields.has("continue") && draft.goes_on_from && !draft.anew) order.continue = draft.goes_on_from;
  if (fields.has("words") && draft.words !== "") {
    const most = Number(draft.words);
    if (!Number.isInteger(most) || most < 50 || most > 20000)
      return {
        missing: {
          field: "words",
          detail: "the words of the report must be 50 to 20000",
          hint: "leave it empty for what the depth has",
        },
      };
    order.words = most;
  }
  if (fields.has("url") && draft.url.trim()) {
    if (!safeLink(draft.url.trim()))
      return {
        missing: {
          field: "url",
          detail: "the page to read first is no address of the web",
          hint: "write it in full, with https:// in front",
        },
      };
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
    const most = Number(draft[name]);
    if (!Number.isFinite(most) || most < 0)
      return {
        missing: {
          field: name,
          detail: `the budget for ${title.toLowerCase()} is not a number`,
          hint: "leave it empty for the default",
        },
      };
    budget[name] = most;
  }
  if (Object.keys(budget).length > 0) order.budget = budget;
  return { order };
}

/** Says which documents are read and what leaves the machine. */
export function readsWords(draft, settings, collections) {
  const fields = fieldsShown(draft, settings);
  const model = modelOf(draft, settings);
  const own =
    fields.has("collection") && draft.collection
      ? collections.find((one) => one.name === draft.collection)
      : null;
  const words = [];
  if (fields.has("survey")) {
    if (!draft.survey) return "Choose the survey to read.";
    return model
      ? `Reads the survey “${draft.survey}”. The question, labels and computed figures go to ${model}.`
      : `Reads the survey “${draft.survey}”: no request leaves.`;
  }
  if (strategyOf(draft, settings)?.needs_collection && !own)
    return "Choose the collection to read, or drop documents here.";
  if (own)
    words.push(
      `Reads the ${own.documents === 1 ? "one document" : `${own.documents} documents`} of “${own.name}”.`,
    );
  const sources = fields.has("sources")
    ? sourcesOf(draft, settings).map(
        (name) => settings.sources.find((one) => one.name === name)?.title ?? name,
      )
    : [];
  if (sources.length > 0)
    words.push(`Asks ${listed(sources)}: queries made from your question leave this machine.`);
  if (fields.has("url") && draft.url.trim()) words.push("Fetches the page that you name.");
  if (model)
    words.push(
      own || sources.length > 0
        ? `The question and the passages found go to ${model}.`
        : `The question goes to ${model}; nothing is looked up and nothing is checked.`,
    );
  const vectors = own?.embedder && settings.embedder ? settings.embedder : null;
  if (vectors && /^(openai|gemini|ollama|http)/.test(vectors))
    words.push(`The question goes to ${vectors} to be compared with your documents.`);
  else if (own && !model && sources.length === 0) words.push("Only your documents: no request leaves.");
  return words.length > 0
    ? words.join(" ")
    : "Nothing is read: this strategy asks a model, and none is chosen.";
}

const listed = (names) =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
