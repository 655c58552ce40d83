/**
 * The language of the page. The English text is the key: `t("Asks {sources}", { sources })`. What a language lacks stays
 * English. Call `t` where something is drawn, never while a module loads: the words of a language come later.
 */
import { kept, keep } from "./keep.js";

/** Languages by their codes, each in its own words. */
export const LANGUAGES = { en: "English", de: "Deutsch" };

const LOADS = { de: () => import("./de.js") };

/** @type {Record<string, string>} */
let words = {};

/** The language chosen, else the first of the browser's that there is. */
export function language() {
  const chosen = kept("language");
  if (chosen in LANGUAGES) return chosen;
  const wanted = navigator.languages.map((tag) => tag.slice(0, 2).toLowerCase());
  return wanted.find((code) => code in LANGUAGES) ?? "en";
}

/** Keeps a choice of language and opens the page anew in it; an empty one follows the browser. @param {string} code */
export function chooseLanguage(code) {
  keep("language", code || null);
  location.reload();
}

/** Loads the words of the reader's language. Without them the page speaks English. */
export async function loadWords() {
  const code = language();
  document.documentElement.lang = code;
  try {
    if (LOADS[code]) ({ words } = await LOADS[code]());
  } catch {
    document.documentElement.lang = "en";
  }
}

/**
 * Returns a text of the page in the reader's language, with values in the place of `{names}`.
 * @param {string} text @param {Record<string, string|number>} [values]
 */
export function t(text, values) {
  const said = Object.hasOwn(words, text) ? words[text] : text;
  return values ? said.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole)) : said;
}
