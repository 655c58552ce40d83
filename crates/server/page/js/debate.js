/**
 * A fold over the entries of a debate, and the words between them: what was said by whom, and how far it has come.
 *
 * @typedef {object} Turn
 * @property {string} key
 * @property {"optimist"|"pessimist"} who
 * @property {string|null} query what was searched for
 * @property {{arxiv: number, crossref: number}|null} ingested
 * @property {number|null} retrieved
 * @property {string|null} writing the step whose words are coming
 * @property {string} words as they were written, not yet checked
 * @property {string[]} faults tries that brought nothing
 * @property {"none"|"running"|"done"} execution of the proposed code
 * @property {any} said the checked response: a `Turn` of the deliverable
 * @property {boolean} cut the debate ended before it was checked
 */
import { drafts } from "./drafts.js";
import { t } from "./i18n.js";
import { stepWords } from "./words.js";

const VOICES = ["optimist", "pessimist"];
/** What a scientist is called, in the reader's language. */
export const titleOf = (who) =>
  who === "optimist"
    ? t("Research Scientist 1")
    : who === "pessimist"
      ? t("Research Scientist 2")
      : t("A scientist");

const SPOKE = /^Research Scientist ([12]) (.*)$/s;
const BY_NUMBER = { 1: "optimist", 2: "pessimist" };

/** What is known before the first entry. */
export const silence = () => ({
  /** @type {Turn[]} */
  turns: [],
  /** The last status line. */
  status: "",
  /** Passages by their numbers, as they entered the run. */
  evidence: new Map(),
  /** The deliverable, whole or as far as it came. */
  payload: null,
  /** How it ended: the name of an ending of the deliverable, or "failed"; null while it goes on. */
  ending: null,
  words: drafts(),
});

/** Takes the next entry in. */
export function hear(debate, entry) {
  TAKERS[entry.event]?.(debate, entry);
}

/** Takes words of a draft in. */
export function hearWords(debate, piece) {
  const who = speaker(piece.step);
  if (!who || debate.ending) return;
  const turn = open(debate, who);
  turn.writing = piece.step;
  turn.words = debate.words.take(piece);
}

/** The name of a step without its scopes and its count. */
const ownName = (step) =>
  String(step)
    .replace(/ #\d+$/, "")
    .split("/")
    .pop();

/** Whose words the words of a step are. */
function speaker(step) {
  const own = ownName(step);
  return VOICES.includes(own) ? own : null;
}

/** The turn that this scientist is about to speak in. */
function open(debate, who) {
  const last = debate.turns.at(-1);
  if (last && last.who === who && !last.said) return last;
  const turn = {
    key: String(debate.turns.length + 1),
    who,
    query: null,
    ingested: null,
    retrieved: null,
    writing: null,
    words: "",
    faults: [],
    execution: "none",
    said: null,
    cut: false,
  };
  debate.turns.push(turn);
  return turn;
}

const TAKERS = {
  said(debate, { line }) {
    debate.status = line;
    const [, number, words] = SPOKE.exec(line) ?? [];
    if (!number) return;
    milestone(debate, BY_NUMBER[number], words);
  },
  called(debate, { step }) {
    const who = speaker(step);
    if (who) {
      // Another try: what was written before did not stand.
      Object.assign(open(debate, who), { writing: step, words: "", faults: [] });
      debate.status = t("{who} is writing", { who: titleOf(who) });
    } else if (ownName(step) === "execute") {
      const turn = debate.turns.at(-1);
      if (turn && !turn.said) turn.execution = "running";
      debate.status = t("Running the proposed code");
    }
  },
  returned(debate, { step, value }) {
    const who = speaker(step);
    const own = ownName(step);
    if (who) {
      debate.words.drop(step);
      const turn = open(debate, who);
      turn.writing = null;
      // Whoever comes now gets no words any more: they stand in the value as well.
      turn.words = texts(value).join("\n") || turn.words;
      turn.faults = [];
      debate.status = t("{who}: being checked", { who: titleOf(who) });
    } else if (own === "execute") {
      const turn = debate.turns.at(-1);
      if (turn && !turn.said) turn.execution = "done";
    } else if (own === "response" && VOICES.includes(value?.scientist)) {
      const turn = open(debate, value.scientist);
      turn.said = value;
      turn.writing = null;
      debate.status = t("{who}: checked", { who: titleOf(value.scientist) });
    }
  },
  failed(debate, { step, error }) {
    debate.status = t("A step failed: {step}", { step: stepWords(step) });
    const who = speaker(step);
    if (!who) return;
    debate.words.drop(step);
    const turn = open(debate, who);
    turn.words = "";
    turn.writing = null;
    turn.faults.push(String(error ?? ""));
  },
  cited(debate, { number, evidence }) {
    debate.evidence.set(number, evidence);
  },
  finished(debate, { deliverable }) {
    end(debate, deliverable, deliverable?.ending ?? "interrupted");
  },
  cancelled(debate, { partial }) {
    end(debate, partial?.deliverable, "interrupted");
  },
  // What failed was not interrupted by anybody, whatever its part of a result says.
  stopped(debate, { partial }) {
    end(debate, partial?.deliverable, "failed");
  },
};

function milestone(debate, who, words) {
  const query = /^Search Query: (.*)$/s.exec(words);
  if (query) {
    open(debate, who).query = query[1];
    return;
  }
  const ingested = /^Ingested: arXiv=(\d+), Crossref=(\d+)$/.exec(words);
  if (ingested) open(debate, who).ingested = { arxiv: Number(ingested[1]), crossref: Number(ingested[2]) };
  const retrieved = /^Retrieved chunks from vector DB: (\d+)$/.exec(words);
  if (retrieved) open(debate, who).retrieved = Number(retrieved[1]);
}

function end(debate, payload, ending) {
  debate.payload = payload && typeof payload === "object" ? payload : null;
  debate.ending = ending;
  debate.status = "";
  for (const turn of debate.turns) {
    turn.writing = null;
    turn.cut = !turn.said;
    if (turn.execution === "running") turn.execution = "none";
  }
}

/** The parts of a reply in the order in which they are written; the log has their names by the alphabet. */
const PARTS = ["position", "synthesis", "critique", "next_step", "explanation"];

/** Every text under the key `text`, in the order of the parts: what a draft shows of a reply. */
function texts(value) {
  if (!value || typeof value !== "object") return [];
  const place = ([key]) => (PARTS.includes(key) ? PARTS.indexOf(key) : PARTS.length);
  const parts = Object.entries(value).sort((one, other) => place(one) - place(other));
  return parts.flatMap(([key, held]) => (key === "text" && typeof held === "string" ? [held] : texts(held)));
}

/** The turn whose words a quotation repeats: the latest one of the other before it. @param {Turn[]} turns */
export function quoted(turns, turn, quotation) {
  const before = turns.slice(0, turns.indexOf(turn)).filter((one) => one.who !== turn.who && one.said);
  const wanted = flat(quotation);
  return before.findLast((one) => flat(spoken(one.said)).includes(wanted)) ?? null;
}

const flat = (text) =>
  String(text ?? "")
    .replace(/\[\d+\]/g, "")
    .replace(/\s+/g, " ")
    .trim();

/** All that a turn says, as one text. */
function spoken(said) {
  const parts = [said.position, said.synthesis, said.next_step, said.proposal?.explanation].flatMap(list);
  const remarks = list(said.critique).map((one) => one?.remark);
  return [
    ...[...parts, ...remarks].map((one) => one?.text),
    said.response,
    said.proposal?.code,
    said.markers?.conclusion,
  ]
    .filter(Boolean)
    .join(" ");
}

/** What should be a list, as one. */
export const list = (value) => (Array.isArray(value) ? value : []);
