/** The checked report: the server's sanitised HTML, its table of contents, its grounding and its warnings. */
import { h, fill } from "./dom.js";
import { dressCharts } from "./charts.js";
import { citations, reveal } from "./cite.js";
import { contents } from "./contents.js";
import { idOnPage, readReport } from "./fragment.js";
import { t } from "./i18n.js";
import { isLacking, lacking } from "./lacking.js";
import { drawSigns } from "./signs.js";
import { standing } from "./standing.js";
import { dressTables } from "./tables.js";

/**
 * Shows a report in `place`.
 * @param {HTMLElement} place
 * @param {{report: {html: string, outline: {level: number, id: string, text: string}[]}, result: any, run: any}} what
 * @param {AbortSignal} signal
 * @param {(more?: {question?: string, strategy?: string}) => void} [askOn] opens the composer of a follow-up
 */
export function showReport(place, { report, result, run }, signal, askOn) {
  const body = h("div", { class: "report-body" });
  const content = readReport(report.html);
  drawSigns(content);
  for (const sign of content.querySelectorAll(".cite + .kind")) keepTogether(sign);
  body.append(...sections(content));

  const outline = (report.outline ?? []).filter((heading) => heading.text);
  const headings = new Map(outline.map(({ id }) => [id, body.querySelector(`#${CSS.escape(idOnPage(id))}`)]));
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
    isRecord ? h("details", { class: "record" }, h("summary", {}, t("Full report of this run")), body) : body,
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
