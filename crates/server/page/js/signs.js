/** The signs of verdicts: a small icon behind a sentence that says how it is grounded. */
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { GROUNDS, verdictSays } from "./words.js";

/** The icon of a verdict alone, for where words stand beside it; null where it has none. @param {string} verdict */
export function signIcon(verdict) {
  const known = GROUNDS.find((one) => one.verdict === verdict);
  return known?.sign ? h("span", { class: "kind", "aria-hidden": "true" }, icon(known.sign)) : null;
}

/** The sign of a verdict with its name; null where it has none. @param {string} verdict */
export function signOf(verdict) {
  const sign = signIcon(verdict);
  if (!sign) return null;
  const says = verdictSays(verdict);
  sign.removeAttribute("aria-hidden");
  sign.setAttribute("role", "img");
  sign.setAttribute("aria-label", says);
  sign.title = says;
  return sign;
}

/** Where a quote stands in the stored text, as a report says it: its mark leads there. */
const SPAN = /^\s*bytes \d+–\d+ \((\w+)\)\s*$/;

/** What a report's last lines say of its signs; on the page, the legend above the report does. */
const LEGEND = /^\s*Marks: |” quoted\b/;

/**
 * Draws what the server wrote as characters: each sign as its icon, named in the reader's language, and each place as its
 * verdict alone.
 * @param {DocumentFragment} content
 */
export function drawSigns(content) {
  for (const written of content.querySelectorAll(".kind")) {
    const [verdict] = (written.getAttribute("aria-label") ?? "").split(":");
    const sign = signOf(verdict);
    if (sign) written.replaceWith(sign);
  }
  for (const row of content.querySelectorAll("li, li > p")) {
    for (const text of row.childNodes) {
      const verdict = text.nodeType === Node.TEXT_NODE ? SPAN.exec(text.data)?.[1] : null;
      if (verdict) text.data = verdictSays(verdict).split(":")[0];
    }
  }
  for (const about of content.querySelectorAll("hr ~ p")) {
    for (const text of [...about.childNodes]) {
      if (text.nodeType !== Node.TEXT_NODE || !LEGEND.test(text.data)) continue;
      if (text.nextSibling?.nodeName === "BR") text.nextSibling.remove();
      text.remove();
    }
  }
}
