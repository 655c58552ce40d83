/** Text of models, papers and code as it can be shown: what a terminal or the direction of writing would obey is made visible. */

/** Controls of terminals; marks that turn the direction of writing, that are not seen, or that hide a text. */
const OBEYED =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

/** Returns the text with line ends as line feeds, and whatever is obeyed rather than read as a sign. @param {unknown} text */
export const plain = (text) =>
  String(text ?? "")
    .replace(/\r\n|[\u2028\u2029]/g, "\n")
    .replace(OBEYED, sign);

function sign(character) {
  const code = character.codePointAt(0);
  if (code < 0x20 || code === 0x7f) return `^${String.fromCodePoint(code ^ 0x40)}`;
  return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}

/** The same on one line. */
export const plainLine = (text) => plain(text).replace(/\s+/g, " ").trim();
