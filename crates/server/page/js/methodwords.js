/** What a reader gets from each method and about how long it takes, in one line. Methods of others say it themselves. */
import { t } from "./i18n.js";
import { get } from "./store.js";

/** The methods that stand beside the question; what else there is stands in the drawer. */
export const FIRST = ["ask", "hypothesize", "market", "debate", "brief"];

/** Title, what comes of it, how long it takes with a model and without, and what the question box asks for. */
const METHODS = {
  ask: {
    title: "Ask",
    gives: "An answer with checked quotes",
    long: "about a minute",
    offline: "seconds",
    wants: "What do you want to know?",
  },
  hypothesize: {
    title: "Hypothesize",
    gives: "Testable ideas from papers, ranked",
    long: "a few minutes",
    offline: "a minute",
    wants: "What should the hypotheses explain?",
  },
  market: {
    title: "Market",
    gives: "Market size, competitors and buyers",
    long: "a few minutes",
    offline: "a minute",
    wants: "Which market, product or idea?",
  },
  debate: {
    title: "Debate",
    gives: "Two scientists argue and run code",
    long: "a few minutes",
    offline: "minutes",
    wants: "What should the two scientists settle?",
  },
  brief: {
    title: "Brief",
    gives: "A summary of your survey data",
    long: "a few minutes",
    offline: "seconds",
    wants: "What do you want to learn from the survey?",
  },
  check: {
    title: "Check",
    gives: "A text checked against your documents",
    long: "about a minute",
    offline: "seconds",
    wants: "Paste the text to check, or drop a file here",
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
  rag: { title: "My documents", says: "Answers only from your documents. Nothing is looked up elsewhere." },
  search: {
    title: "Papers and the web",
    says: "Searches papers and the web, reads them and answers from them.",
  },
  deep: {
    title: "Planned report",
    says: "Plans first, then works through your documents, papers and the web. Takes a few minutes.",
  },
  direct: { title: "The model alone", says: "Uses no sources. The answer is marked as not grounded." },
};

/** Says a strategy: its title and one sentence. @param {any} strategy of the settings */
export function strategySays(strategy) {
  const known = STRATEGIES[strategy.name];
  return known
    ? { title: t(known.title), line: t(known.says) }
    : { title: t(strategy.title), line: t(strategy.description) };
}
