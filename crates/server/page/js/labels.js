/**
 * Labels of citations: sources are numbered in the order in which they are first cited, and where several statements of
 * one source are cited, each has a letter: `7a`, `7b`.
 */
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** The letter of a statement, counted from 0: a to z, then aa, ab … @param {number} index */
function letter(index) {
  const last = LETTERS[index % LETTERS.length];
  return index < LETTERS.length ? last : letter(Math.floor(index / LETTERS.length) - 1) + last;
}

/** The sources that are cited, in order, each with its citations in order. @param {object[]} citations */
function bySource(citations) {
  const sources = new Map();
  const numbered = citations.filter((one) => one.number).sort((one, other) => one.number - other.number);
  for (const citation of numbered) {
    const key = citation.source_uri || `#${citation.number}`;
    sources.set(key, [...(sources.get(key) ?? []), citation]);
  }
  return [...sources.values()];
}

/**
 * Returns the label of each citation by its number in the ledger: the one that it comes with, else by the same rule.
 * @param {object[]} citations @returns {Map<string, string>}
 */
export function labelsOf(citations) {
  const labels = new Map();
  bySource(citations).forEach((statements, index) =>
    statements.forEach(({ number, label }, place) => {
      const own = statements.length > 1 ? `${index + 1}${letter(place)}` : String(index + 1);
      labels.set(String(number), label ? String(label) : own);
    }),
  );
  return labels;
}

/** The number of the source in a label: 7 of `7a`. @param {string} label */
export const sourceNumber = (label) => Number.parseInt(label, 10) || 0;
