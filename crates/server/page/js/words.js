/** How figures, times and states are said, in the language of the page. */
import { counted, locale, t } from "./i18n.js";

const STATUSES = {
  queued: { words: "Queued", icon: "clock" },
  running: { words: "Running", icon: "dots" },
  waiting: { words: "Waiting for you", icon: "pause" },
  completed: { words: "Completed", icon: "check" },
  partial: { words: "Failed", icon: "alert" },
  cancelled: { words: "Cancelled", icon: "cross" },
};

export const STATUS_NAMES = Object.keys(STATUSES);

const SLIDES = /\.(pptx|pptm|ppsx|odp|otp|fodp)$/i;

/** Where in its source something stands: `page 3`, `slide 3`; null in a source without pages. */
export const onPage = ({ page, source_uri: source }) =>
  page ? (SLIDES.test(source ?? "") ? t("slide {page}", { page }) : t("page {page}", { page })) : null;

/** What is interrupted rather than stopped. */
export const isDebate = (run) => run?.method === "debate";

/** Whether a run that ended early met one of its limits; the engine words it so. @param {string} [reason] */
export const isLimit = (reason) => /^the run's budget is met\b/.test(reason ?? "");

/** @param {string} status @param {{stopping?: boolean, outcome?: string|null, method?: string, error?: any}} [run] */
export function statusWords(status, run = {}) {
  if (run.stopping && isLive(status)) return isDebate(run) ? t("Interrupting…") : t("Stopping…");
  if (status === "cancelled" && isDebate(run)) return t("Interrupted");
  if (status === "completed" && hasNoAnswer(run))
    return run.outcome === "not_reached" ? t("Some sources unreachable") : t("Not enough evidence");
  if (status === "partial" && isLimit(run.error?.message)) return t("Stopped at its limit");
  return t(STATUSES[status]?.words ?? status);
}

/** Whether a run came to no answer. A text that was checked has one, whatever holds of it. */
const hasNoAnswer = ({ outcome, method }) =>
  method !== "check" && (outcome === "not_enough_evidence" || outcome === "not_reached");

/** A run that came to no answer has no tick. @param {string} status @param {{outcome?: string|null, method?: string}} [run] */
export const statusIcon = (status, run = {}) =>
  status === "completed" && hasNoAnswer(run) ? "search" : (STATUSES[status]?.icon ?? "dots");

/** A run that may still change by itself. */
export const isLive = (status) => status === "queued" || status === "running";
/** A run that will not change any more. */
export const hasEnded = (status) => status === "completed" || status === "partial" || status === "cancelled";

/** Whether `next` says less of a run than `held`: answers come in any order, and a run that has ended stays so. */
export const isOlder = (next, held) =>
  (next.entries ?? 0) < (held.entries ?? 0) || (hasEnded(held.status) && !hasEnded(next.status));

const VERDICTS = {
  quoted: "quoted: the sentence is in its source, word for word",
  supported: "supported: a second reading confirmed that the source says this",
  inferred: "inferred: the author’s own conclusion from the sources cited",
  unread: "unread: automatic checks found nothing wrong, but there was no second reading",
  verified: "verified: the quote is in the source and matches",
  recomputed: "recomputed: the number was calculated again from the data",
  unsupported: "unsupported",
};

/** What every count of sentences is shown with, in this order; the signs are names of icons. */
export const GROUNDS = [
  { verdict: "quoted", sign: "check", tone: "exact" },
  { verdict: "recomputed", sign: "equals", tone: "exact" },
  { verdict: "supported", sign: "nearly", tone: "read" },
  { verdict: "inferred", sign: "right", tone: "own" },
  { verdict: "unread", sign: "", tone: "own" },
  { verdict: "unsupported", sign: "", tone: "unsupported" },
];

/** @param {string} verdict */
export const verdictSays = (verdict) => t(VERDICTS[verdict] ?? verdict);

/** @param {{verdict: string, faults?: string[]}} citation */
export function verdictWords({ verdict, faults = [] }) {
  const words = verdictSays(verdict);
  return verdict === "unsupported" && faults.length > 0 ? `${words}: ${faults.join("; ")}` : words;
}

const KINDS = {
  rag: "your document",
  web: "web page",
  scholarly: "paper",
  survey: "survey",
  user: "your own words",
  execution: "proposed code, executed",
  tool: "MCP server result",
};
export const kindWords = (kind) => t(KINDS[kind] ?? kind);

const formats = new Map();

/** A format of `Intl` for the page's language, made once. */
function format(kind, options) {
  const key = `${kind} ${locale()} ${JSON.stringify(options)}`;
  if (!formats.has(key)) formats.set(key, new Intl[kind](locale(), options));
  return formats.get(key);
}

/** A number with so many decimal places. */
const decimal = (number, places = 0) =>
  format("NumberFormat", { minimumFractionDigits: places, maximumFractionDigits: places }).format(number);

const dollars = (usd, places) =>
  format("NumberFormat", {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(usd);

/** US dollars, as fine as the sum needs. */
export function money(usd) {
  if (usd === null || usd === undefined) return t("price unknown");
  if (usd === 0) return dollars(0, 2);
  if (usd < 0.0001) return t("under {sum}", { sum: dollars(0.0001, 4) });
  return dollars(usd, usd < 0.1 ? 4 : 2);
}

export const count = (number) => format("NumberFormat", {}).format(number ?? 0);

/** `1 step`, `3 steps`. */
export const plural = (number, one, many = `${one}s`) =>
  `${count(number)} ${counted(number, one) ?? (number === 1 ? one : many)}`;

export function tokens(number) {
  if (!number) return plural(0, "token");
  if (number < 10_000) return plural(number, "token");
  return t("{thousands}k tokens", { thousands: count(Math.round(number / 1000)) });
}

export function bytes(number) {
  if (number < 1000) return `${number} B`;
  if (number < 1_000_000) return `${decimal(number / 1000)} kB`;
  return `${decimal(number / 1_000_000, 1)} MB`;
}

/** A length of time: `40 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`, `3 days`. */
export function duration(milliseconds) {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return "";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${decimal(seconds, 1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return plural(Math.floor(hours / 24), "day");
}

/** Time that runs, as a clock shows it: `1:12`, `1:02:07`. */
export function clockTime(milliseconds) {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const [minutes, rest] = [Math.floor(seconds / 60), String(seconds % 60).padStart(2, "0")];
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/** A time that is only about so long: `15 s`, `3 min`. @param {number} seconds */
export function roundTime(seconds) {
  if (seconds < 10) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 55) return `${Math.round(seconds / 5) * 5} s`;
  if (seconds < 3600) return `${Math.max(1, Math.round(seconds / 60))} min`;
  return `${Math.round(seconds / 1800) / 2} h`;
}

const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };
const WHOLE = { dateStyle: "medium", timeStyle: "short" };
const DAY = { day: "numeric", month: "short" };

export const timeOfDay = (at) => format("DateTimeFormat", CLOCK).format(new Date(at));
export const dateAndTime = (at) => format("DateTimeFormat", WHOLE).format(new Date(at));

/** How long ago, roughly; older than a week as a date. */
export function ago(at, now = Date.now()) {
  const seconds = Math.max(0, (now - new Date(at).getTime()) / 1000);
  if (seconds < 60) return t("just now");
  if (seconds < 3600) return t("{time} ago", { time: `${Math.floor(seconds / 60)} min` });
  if (seconds < 86_400) return t("{time} ago", { time: `${Math.floor(seconds / 3600)} h` });
  if (seconds < 7 * 86_400) return since(Math.floor(seconds / 86_400));
  return format("DateTimeFormat", DAY).format(new Date(at));
}

/** `1 day ago`, `3 days ago`. */
const since = (days) => format("RelativeTimeFormat", { numeric: "always" }).format(-days, "day");

const STEPS = {
  retrieve: "Find passages",
  retrieval: "Find passages",
  read_on: "Read further in the sources",
  papers: "Search for papers",
  pages: "Search the web",
  texts: "Ask the connected MCP servers",
  searcher: "Choose search terms",
  read: "Read a source",
  "past runs": "Check earlier runs",
  startups: "Check your startups",
  lesson: "Save what was learned",
  collection: "Open the collection",
  collections: "Check the collections",
  nearness: "Compare by meaning",
  still_stand: "Check that earlier quotes are still valid",
  consult: "Check earlier notes",
  cosines: "Compare by meaning",
  writer: "Write the answer",
  answerer: "Ask the model without sources",
  problem_framer: "Frame the problem",
  literature_scout: "Survey the literature",
  hypothesis_generator: "Propose hypotheses",
  critic: "Criticise the hypotheses",
  ranker: "Compare hypotheses in pairs",
  summa_composer: "Write up the arguments",
  planner: "Plan the work",
  clarifier: "Prepare questions for you",
  rewriter: "Understand the question",
  deep_planner: "Plan the research",
  dialogue_manager: "Decide whether to ask you",
  note_taker: "Take notes",
  coverage_judge: "Find what is still missing",
  outliner: "Outline the report",
  section_writer: "Write a section",
  report_editor: "Write the summary",
  synthesizer: "Write the answer",
  reader: "Check sentences against their sources",
  editor: "Combine the sections",
  market_sizing: "Size the market",
  competitors: "Compare competitors",
  customers: "Describe customers",
  strategy: "Assess strategy and risks",
  studies: "Read the surveys",
  explore_worker: "Explore the survey",
  explore_critic: "Decide what to explore next",
  refine_critic: "Criticise the draft",
  feedback_critic: "Criticise the draft",
  search_questions: "Search the survey's questions",
  segment_metadata: "Look up segments",
  perform_analysis: "Compute figures",
  startup: "Look up the startup",
  optimist: "Research Scientist 1 proposes",
  pessimist: "Research Scientist 2 reviews",
  execute: "Run the proposed code",
  response: "Check the response",
  references: "Format the references",
};

/** Says a step in words: `query-2/papers #1` is "Search for papers (query 2)". */
export function stepWords(step) {
  const [path, turn = "1"] = step.split(" #", 2);
  const parts = path.split("/");
  const name = parts.pop() ?? path;
  // A work is read under its address, which has slashes of its own.
  if (name === "read" && parts.length > 0)
    return `${t(STEPS.read)} (${parts.join("/").replace(/^.*?https?:\/\/(www\.)?/, "")})`;
  const words = STEPS[name] ? t(STEPS[name]) : roleWords(name);
  const remarks = parts.filter((part) => !STEPS[part]).map((part) => t(part.replace(/[_-]+/g, " ")));
  if (turn !== "1") remarks.push(t("no. {turn}", { turn }));
  return remarks.length > 0 ? `${words} (${remarks.join(", ")})` : words;
}

/** An agent's role in words: `market_sizing` is "Market sizing". */
export const roleWords = (role) => t(sentence((role ?? "").replace(/[_-]+/g, " ")));

export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Shortens to so many characters at a word's end. */
export function excerpt(text, most = 240) {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const cut = line.slice(0, most);
  const end = cut.lastIndexOf(" ");
  return `${cut.slice(0, end > most * 0.6 ? end : most)}…`;
}
