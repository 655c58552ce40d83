/** How figures, times and states are said. */

const STATUSES = {
  queued: { words: "Queued", icon: "clock" },
  running: { words: "Running", icon: "dots" },
  waiting: { words: "Waiting for you", icon: "pause" },
  completed: { words: "Completed", icon: "check" },
  partial: { words: "Partly done", icon: "alert" },
  cancelled: { words: "Cancelled", icon: "cross" },
};

export const STATUS_NAMES = Object.keys(STATUSES);

/** What is interrupted rather than stopped. */
export const isDebate = (run) => run?.method === "debate";

/** @param {string} status @param {{stopping?: boolean, outcome?: string|null, method?: string}} [run] */
export function statusWords(status, run = {}) {
  if (run.stopping && isLive(status)) return isDebate(run) ? "Interrupting…" : "Stopping…";
  if (status === "cancelled" && isDebate(run)) return "Interrupted";
  if (status === "completed" && run.outcome === "not_enough_evidence")
    return "Completed: not enough evidence";
  if (status === "completed" && run.outcome === "not_reached") return "Completed: not everything was reached";
  return STATUSES[status]?.words ?? status;
}

/** A run that came to no answer has no tick. @param {string} status @param {{outcome?: string|null}} [run] */
export const statusIcon = (status, { outcome } = {}) =>
  status === "completed" && (outcome === "not_enough_evidence" || outcome === "not_reached")
    ? "search"
    : (STATUSES[status]?.icon ?? "dots");

/** A run that may still change by itself. */
export const isLive = (status) => status === "queued" || status === "running";
/** A run that will not change any more. */
export const hasEnded = (status) => status === "completed" || status === "partial" || status === "cancelled";

/** Whether `next` says less of a run than `held`: answers come in any order, and a run that has ended stays so. */
export const isOlder = (next, held) =>
  (next.entries ?? 0) < (held.entries ?? 0) || (hasEnded(held.status) && !hasEnded(next.status));

const VERDICTS = {
  quoted: "quoted: the sentence says its source word for word",
  supported: "supported: borne out by its source, as a second reader reads it",
  inferred: "inferred: the author's own conclusion from what is cited",
  unread: "unread: the program found nothing wrong, and nobody has read it",
  verified: "verified: the quote stands in the source and agrees",
  recomputed: "recomputed: the number was evaluated again from the data",
  unsupported: "unsupported",
};

/** What every count of sentences is shown with, in this order; the marks are those of the report. */
export const GROUNDS = [
  { verdict: "quoted", mark: "”", tone: "exact" },
  { verdict: "recomputed", mark: "=", tone: "exact" },
  { verdict: "supported", mark: "≈", tone: "read" },
  { verdict: "inferred", mark: "→", tone: "own" },
  { verdict: "unread", mark: "", tone: "own" },
  { verdict: "unsupported", mark: "", tone: "unsupported" },
];

/** @param {string} verdict */
export const verdictSays = (verdict) => VERDICTS[verdict] ?? verdict;

/** @param {{verdict: string, faults?: string[]}} citation */
export function verdictWords({ verdict, faults = [] }) {
  const words = VERDICTS[verdict] ?? verdict;
  return verdict === "unsupported" && faults.length > 0 ? `${words}: ${faults.join("; ")}` : words;
}

const KINDS = {
  rag: "your document",
  web: "web page",
  scholarly: "paper",
  survey: "survey",
  user: "your own words",
  execution: "proposed code that was run",
  tool: "result of an MCP server",
};
export const kindWords = (kind) => KINDS[kind] ?? kind;

/** US dollars, as fine as the sum needs. */
export function money(usd) {
  if (usd === null || usd === undefined) return "price unknown";
  if (usd === 0) return "$0.00";
  if (usd < 0.0001) return "under $0.0001";
  return `$${usd.toFixed(usd < 0.1 ? 4 : 2)}`;
}

const grouped = new Intl.NumberFormat("en");
export const count = (number) => grouped.format(number ?? 0);

/** `1 step`, `3 steps`. */
export const plural = (number, one, many = `${one}s`) => `${count(number)} ${number === 1 ? one : many}`;

export function tokens(number) {
  if (!number) return "0 tokens";
  return number < 10_000 ? plural(number, "token") : `${grouped.format(Math.round(number / 1000))}k tokens`;
}

export function bytes(number) {
  if (number < 1000) return `${number} B`;
  if (number < 1_000_000) return `${(number / 1000).toFixed(0)} kB`;
  return `${(number / 1_000_000).toFixed(1)} MB`;
}

/** A length of time: `40 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`, `3 days`. */
export function duration(milliseconds) {
  if (!Number.isFinite(milliseconds) || milliseconds < 0) return "";
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${minutes % 60} min`;
  return plural(Math.floor(hours / 24), "day");
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });

export const timeOfDay = (at) => clock.format(new Date(at));
export const dateAndTime = (at) => whole.format(new Date(at));

/** How long ago, roughly; older than a week as a date. */
export function ago(at, now = Date.now()) {
  const seconds = Math.max(0, (now - new Date(at).getTime()) / 1000);
  if (seconds < 60) return "just now";
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  if (seconds < 7 * 86_400) return plural(Math.floor(seconds / 86_400), "day") + " ago";
  return day.format(new Date(at));
}

const STEPS = {
  retrieve: "Look up passages",
  retrieval: "Look up passages",
  papers: "Search for papers",
  pages: "Search the web",
  read: "Read a work",
  collection: "Open the collection",
  cosines: "Compare meanings",
  writer: "Write the answer",
  answerer: "Ask the model alone",
  problem_framer: "Frame the problem",
  literature_scout: "Scout the literature",
  hypothesis_generator: "Propose hypotheses",
  critic: "Criticise the hypotheses",
  ranker: "Compare hypotheses in pairs",
  summa_composer: "Compose the disputation",
  planner: "Plan the work",
  clarifier: "Think of questions to you",
  startup: "Look up the startup",
  optimist: "Research Scientist 1 proposes",
  pessimist: "Research Scientist 2 reviews",
  execute: "Run the proposed code",
  response: "Check the response",
  references: "Set the references",
};

/** Says a step in words: `query-2/papers #1` is "Search for papers (query 2)". */
export function stepWords(step) {
  const [path, turn = "1"] = step.split(" #", 2);
  const parts = path.split("/");
  const name = parts.pop() ?? path;
  const words = STEPS[name] ?? sentence(name.replace(/[_-]+/g, " "));
  const remarks = parts.filter((part) => !STEPS[part]).map((part) => part.replace(/[_-]+/g, " "));
  if (turn !== "1") remarks.push(`time ${turn}`);
  return remarks.length > 0 ? `${words} (${remarks.join(", ")})` : words;
}

/** An agent's role in words: `market_sizing` is "Market sizing". */
export const roleWords = (role) => sentence((role ?? "").replace(/[_-]+/g, " "));

export const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** Shortens to so many characters at a word's end. */
export function excerpt(text, most = 240) {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const cut = line.slice(0, most);
  const end = cut.lastIndexOf(" ");
  return `${cut.slice(0, end > most * 0.6 ? end : most)}…`;
}
