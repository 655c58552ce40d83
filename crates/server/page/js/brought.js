/**
 * What the steps of a run brought, counted: passages, documents, works, notes, sentences that were checked.
 *
 * @typedef {object} Brought
 * @property {string[]} passages what tells each apart
 * @property {string[]} documents the same of the documents that they stand in
 * @property {[string, string][]} read works that were read, with their titles
 * @property {Record<string, number>} counts
 */
import { t } from "./i18n.js";
import { plural } from "./words.js";

const length = (held) => (Array.isArray(held) ? held.length : 0);

/** What is counted of a step's value, by the name of the step. */
const COUNTERS = {
  papers: (value) => ({ works: length(value?.papers) }),
  pages: (value) => ({ works: length(value) }),
  texts: (value) => ({ works: length(value?.texts) }),
  deep_planner: (value) => ({ questions: length(value?.brief?.questions) }),
  note_taker: (value) => ({ notes: length(value?.notes) }),
  outliner: (value) => ({ sections: length(value?.sections) }),
  section_writer: () => ({ written: 1 }),
  reader: (value) => ({ checked: length(value?.readings) }),
  literature_scout: (value) => ({ findings: length(value?.findings) }),
  hypothesis_generator: (value) => ({ hypotheses: length(value?.hypotheses) }),
  critic: (value) => ({ examined: length(value?.reviews) }),
  ranker: (value) => ({ comparisons: length(value?.comparisons) }),
  perform_analysis: () => ({ analyses: 1 }),
};

/** Returns what a step brought. @param {string} step @param {any} value @returns {Brought} */
export function brought(step, value) {
  const name = step.split(" #", 1)[0].split("/").pop();
  const passages = name === "retrieve" && Array.isArray(value?.passages) ? value.passages : [];
  const kept = name === "read" ? value?.outcome?.kept : null;
  return {
    passages: passages.map((one) => `${one?.place?.document_id} ${one?.place?.start}`),
    documents: passages.map((one) => String(one?.place?.document_id)),
    read: kept ? [[value.source_uri, kept.title || value.source_uri]] : [],
    counts: COUNTERS[name]?.(value) ?? {},
  };
}

/** Says what several steps brought, in words. @param {{brought?: Brought}[]} lines */
export function broughtWords(lines) {
  const all = lines.map((line) => line.brought).filter(Boolean);
  const passages = new Set(all.flatMap((one) => one.passages)).size;
  const documents = new Set(all.flatMap((one) => one.documents)).size;
  const read = new Set(all.flatMap((one) => one.read.map(([key]) => key))).size;
  const count = (name) => all.reduce((sum, one) => sum + (one.counts[name] ?? 0), 0);
  const some = (name, say) => (count(name) > 0 ? say(count(name)) : null);
  return [
    some("questions", (number) => plural(number, "question")),
    some("works", (number) => t("{results} found", { results: plural(number, "result") })),
    read > 0 ? t("{sources} read", { sources: plural(read, "source") }) : null,
    passages > 0
      ? t("{passages} from {documents}", {
          passages: plural(passages, "passage"),
          documents: plural(documents, "document"),
        })
      : null,
    some("analyses", (number) => plural(number, "analysis", "analyses")),
    some("findings", (number) => plural(number, "finding")),
    some("hypotheses", (number) => plural(number, "hypothesis", "hypotheses")),
    some("examined", (number) =>
      t("{hypotheses} examined", { hypotheses: plural(number, "hypothesis", "hypotheses") }),
    ),
    some("comparisons", (number) => plural(number, "comparison")),
    some("notes", (number) => plural(number, "note")),
    some("sections", (number) => plural(number, "section")),
    some("written", (number) => t("{sections} written", { sections: plural(number, "section") })),
    some("checked", (number) => t("{sentences} checked", { sentences: plural(number, "sentence") })),
  ]
    .filter(Boolean)
    .join(" · ");
}
