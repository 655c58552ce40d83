/** What a reader gets from each method and about how long it takes, in one line. Methods of others say it themselves. */
import { t } from "./i18n.js";
import { get } from "./store.js";

/** The methods that stand beside the question; what else there is stands in the drawer. */
export const FIRST = ["ask", "hypothesize", "market", "debate", "brief"];

/** Title, what comes of it, how long it takes with a model and without, and what the question box asks for. */
const METHODS = {
  ask: {
    title: "Ask",
    gives: "An answer, with the quotes it rests on",
    long: "about a minute",
    offline: "seconds",
    wants: "What do you want to know?",
  },
  hypothesize: {
    title: "Hypothesize",
    gives: "Testable ideas from papers, ranked",
    long: "some minutes",
    offline: "a minute",
    wants: "What is to be explained?",
  },
  market: {
    title: "Market",
    gives: "Size, rivals and buyers, after your plan",
    long: "some minutes",
    offline: "a minute",
    wants: "Which market, product or idea?",
  },
  debate: {
    title: "Debate",
    gives: "Two scientists argue, with code that runs",
    long: "some minutes",
    offline: "minutes",
    wants: "What are the two scientists to settle?",
  },
  brief: {
    title: "Brief",
    gives: "Survey data summed up, figures computed",
    long: "some minutes",
    offline: "seconds",
    wants: "What is the survey to tell you?",
  },
  check: {
    title: "Check",
    gives: "A text held against your documents",
    long: "about a minute",
    offline: "seconds",
    wants: "Paste the text to be checked, or drop its file here",
  },
};

/** Says a method for its chip. @param {any} method of the settings @param {boolean} offline */
export function methodSays(method, offline) {
  const known = METHODS[method.name];
  if (!known) return { title: t(method.title), line: t(method.description), time: "" };
  return { title: t(known.title), line: t(known.gives), time: t(offline ? known.offline : known.long) };
}

const methodNamed = (name) => get("settings")?.methods.find((one) => one.name === name);

/** The title of the method of that name. @param {string} name */
export function methodTitle(name) {
  const method = methodNamed(name);
  return method ? methodSays(method, false).title : name;
}

/** The title of a strategy of a method, by their names; null where there is none. @param {string} name @param {string|null} strategy */
export function strategyTitle(name, strategy) {
  const known = methodNamed(name)?.strategies?.find((one) => one.name === strategy);
  return known ? strategySays(known).title : (strategy ?? null);
}

/** What the question box of a method asks for. */
export const methodWants = (method) => t(METHODS[method?.name]?.wants ?? METHODS.ask.wants);

/** Reports of the planned strategy take longer than answers. */
const STRATEGIES = {
  rag: { title: "My documents", says: "From your documents alone: nothing is looked up outside." },
  search: { title: "Papers and the web", says: "Looked up outside, read, and answered from." },
  deep: {
    title: "Planned report",
    says: "Planned first, then worked through over your documents, papers and the web. Takes some minutes.",
  },
  direct: { title: "The model alone", says: "No evidence: the answer is marked as not grounded." },
};

/** Says a strategy: its title and one sentence. @param {any} strategy of the settings */
export function strategySays(strategy) {
  const known = STRATEGIES[strategy.name];
  return known
    ? { title: t(known.title), line: t(known.says) }
    : { title: t(strategy.title), line: t(strategy.description) };
}
