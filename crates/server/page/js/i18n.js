/**
 * The language of the page. The English text is the key: `t("Asks {sources}", { sources })`. What a language lacks stays
 * English. Call `t` where something is drawn, never while a module loads: the words of a language come later.
 *
 * It says nothing of the language of a report, which is the question's, or what its order says.
 */
import { kept, keep } from "./keep.js";

/** Languages by their codes, each in its own words. */
export const LANGUAGES = { en: "English", de: "Deutsch" };

const LOADS = { de: () => import("./de.js") };

/** @type {Record<string, string>} */
let words = {};
/** Counted things by their English singular, in the forms that `Intl.PluralRules` names. @type {Record<string, Record<string, string>>} */
let plurals = {};
/** The language that the page speaks, and the tag that numbers and dates are written for. */
let spoken = "en";
let tag = "en";

/** The languages of the browser, those it likes best first. */
const wanted = () => navigator.languages ?? [navigator.language];
const codeOf = (name) => name.slice(0, 2).toLowerCase();

/** The language that the reader chose; empty where the browser's is followed. */
export function chosenLanguage() {
  const chosen = kept("language") ?? "";
  return chosen in LANGUAGES ? chosen : "";
}

/** The language chosen, else the first of the browser's that there is. */
function language() {
  return (
    chosenLanguage() ||
    (wanted()
      .map(codeOf)
      .find((code) => code in LANGUAGES) ??
      "en")
  );
}

/** The tag for `Intl`: the browser's own variety of the page's language, such as `de-AT`, where it has one. */
export const locale = () => tag;

/** Keeps a choice of language and opens the page anew in it; an empty one follows the browser. @param {string} code */
export function chooseLanguage(code) {
  keep("language", code || null);
  location.reload();
}

/** Loads the words of the reader's language. Without them the page speaks English. */
export async function loadWords() {
  const code = language();
  try {
    if (LOADS[code]) ({ words, plurals } = await LOADS[code]());
    spoken = code;
  } catch {
    spoken = "en";
  }
  tag = wanted().find((name) => codeOf(name) === spoken) ?? spoken;
  document.documentElement.lang = spoken;
}

/**
 * Returns a text of the page in the reader's language, with values in the place of `{names}`.
 * @param {string} text @param {Record<string, string|number>} [values]
 */
export function t(text, values) {
  const said = Object.hasOwn(words, text) ? words[text] : text;
  return values ? said.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole)) : said;
}

/** The word for so many of a thing, by its English singular; null where the language has none. */
export function counted(number, one) {
  const forms = Object.hasOwn(plurals, one) ? plurals[one] : null;
  return forms ? (forms[new Intl.PluralRules(spoken).select(number)] ?? forms.other) : null;
}

/**
 * Says the texts that stand in the page before any script runs: `data-t` is the text of an element, `data-t-label` its
 * accessible name.
 */
export function translatePage() {
  for (const element of document.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of document.querySelectorAll("[data-t-label]")) {
    const label = t(element.dataset.tLabel);
    element.setAttribute("aria-label", label);
    if (element.hasAttribute("title")) element.title = label;
  }
}
