/** The checked report: the server's sanitised HTML, its table of contents, its grounding and its warnings. */
import { h, fill, safeLink } from "./dom.js";
import { dressCharts } from "./charts.js";
import { citations, reveal } from "./cite.js";
import { contents } from "./contents.js";
import { t } from "./i18n.js";
import { isLacking, lacking } from "./lacking.js";
import { standing } from "./standing.js";
import { dressTables } from "./tables.js";

/** Ids of headings get this in front, so that no heading can take the place of a part of the page. */
const PREFIX = "section-";

/**
 * Shows a report in `place`.
 * @param {HTMLElement} place
 * @param {{report: {html: string, outline: {level: number, id: string, text: string}[]}, result: any, run: any}} what
 * @param {AbortSignal} signal
 * @param {(more?: {question?: string, strategy?: string}) => void} [askOn] opens the composer of a follow-up
 */
export function showReport(place, { report, result, run }, signal, askOn) {
  const body = h("div", { class: "report-body" });
  // The one place where markup is read: the fragment that the server rendered and sanitised.
  const template = document.createElement("template");
  template.innerHTML = report.html;
  for (const one of template.content.querySelectorAll("[id]")) one.id = PREFIX + one.id;
  for (const link of template.content.querySelectorAll("a[href]")) tame(link);
  for (const sign of template.content.querySelectorAll(".cite + .kind")) keepTogether(sign);
  body.append(...sections(template.content));

  const outline = (report.outline ?? []).filter((heading) => heading.text);
  const headings = new Map(outline.map(({ id }) => [id, body.querySelector(`#${CSS.escape(PREFIX + id)}`)]));
  const headingOf = (id) => headings.get(id) ?? null;
  const lead = (id) => headingOf(id) && reveal(headingOf(id));
  const nothing = result && isLacking(run) ? lacking(result, run, askOn) : null;
  // Where nothing is cited, what is said above is all there is to read; how the run went stays at hand.
  const isRecord = nothing && !(result.citations?.length > 0);
  fill(
    place,
    nothing,
    standing(result, run),
    outline.length > 1 && !isRecord ? contents(place, outline, headingOf, lead, signal) : null,
    isRecord
      ? h("details", { class: "record" }, h("summary", {}, t("The whole report of this run")), body)
      : body,
  );
  body.addEventListener("click", (event) => within(event, lead), { signal });
  dressTables(body, signal);
  dressCharts(body);
  citations(body, result?.citations ?? [], signal, result?.deliverable?.claims);
}

/** The parts of a report, one for each heading of the highest level: what is out of sight need not be laid out. */
function sections(content) {
  const parts = [...content.childNodes];
  const rule = parts.findLastIndex((part) => part.nodeName === "HR");
  const found = [];
  parts.forEach((part, at) => {
    if (at === rule) {
      // What stands below the last line is about the run, not about the question.
      found.push(h("footer", { class: "report-about" }));
      return;
    }
    const isAfter = rule >= 0 && at > rule;
    if (found.length === 0 || (part.nodeName === "H2" && !isAfter))
      found.push(h("section", { class: "report-section" }));
    found.at(-1).append(part);
  });
  return found.filter((section) => section.textContent.trim() !== "" || section.childElementCount > 0);
}

/** Links lead to http and https in a tab of their own, or to places of this page; all others become text. */
function tame(link) {
  const href = link.getAttribute("href") ?? "";
  if (href.startsWith("#")) return;
  if (!safeLink(href)) {
    link.removeAttribute("href");
    return;
  }
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
}

/** No line begins with the sign of the sentence before: it stays with the mark in front of it. */
function keepTogether(sign) {
  const mark = sign.previousSibling;
  if (!(mark instanceof Element)) return;
  const both = h("span", { class: "signed" });
  mark.replaceWith(both);
  both.append(mark, sign);
}

/** A link to a heading of the report scrolls there; the address stays that of the run. */
function within(event, lead) {
  const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
  const href = link?.getAttribute("href") ?? "";
  if (!link || href.startsWith("#/")) return;
  event.preventDefault();
  lead(href.slice(1));
}
