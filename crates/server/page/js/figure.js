/** A figure of a survey beside the report: its table, as the report has it; and the way to a mark in the report. */
import { h, fill } from "./dom.js";
import { get } from "./store.js";
import { labelsOf } from "./labels.js";
import { plain } from "./plain.js";
import { t } from "./i18n.js";

const FLASH_MILLISECONDS = 1600;

/** The heading in a report above the table that a computed statement comes from. @param {Element|null} body */
export function headingOf(body, number, label = null) {
  const names = [
    `Figure ${label ?? labelsOf(get("citations")).get(String(number)) ?? number}`,
    `Figure ${number}`,
  ];
  const headings = [...(body?.querySelectorAll("h2, h3, h4") ?? [])];
  for (const name of names) {
    const found = headings.find((heading) => heading.textContent?.trim() === name);
    if (found) return found;
  }
  return null;
}

/** What stands under a heading, up to the next one, as it can stand once more beside it. */
function under(heading) {
  const parts = [];
  let next = heading.nextElementSibling;
  for (; next && !/^H[1-4]$/.test(next.tagName); next = next.nextElementSibling)
    parts.push(next.cloneNode(true));
  for (const part of parts) {
    for (const one of part.querySelectorAll("[id]")) one.removeAttribute("id");
    for (const one of part.querySelectorAll(".cite-box")) one.remove();
    for (const one of [part, ...part.querySelectorAll("[role=region]")])
      if (one.getAttribute("role") === "region") one.setAttribute("aria-label", t("Table of the figure"));
  }
  return parts;
}

/** The parts with the statement marked, which is put before them where none of them says it. */
function withStatement(parts, quote) {
  const mark = h("mark", { id: "span", tabindex: "-1" }, plain(quote));
  const own = parts.find((part) => part.tagName === "P" && part.textContent.trim() === quote.trim());
  if (own) fill(own, mark);
  return own ? parts : [h("p", {}, mark), ...parts];
}

/** @param {string} number @param {{used: (number: string) => HTMLElement, whenReady: (call: () => void, signal: AbortSignal) => void}} how */
export function figureView(number, { used, whenReady }) {
  const life = new AbortController();
  const label = () => labelsOf(get("citations")).get(number) ?? number;
  const heading = h(
    "h2",
    { tabindex: "-1", class: "source-heading" },
    t("Figure {number}", { number: label() }),
  );
  const facts = h("p", { class: "muted document-about" });
  const table = h("div", { class: "document-text report-body" });
  const element = h(
    "div",
    { class: "source-view" },
    h("header", { class: "page-head" }, heading, facts),
    table,
  );

  function draw() {
    const citation = get("citations").find((one) => String(one.number) === number);
    const body = document.querySelector("#report .report-body");
    const found = citation && headingOf(body, number);
    heading.textContent = citation
      ? plain(citation.title || citation.source_uri)
      : t("Figure {number}", { number });
    fill(facts, citation ? [plain(citation.source_uri), " · ", used(number)] : null);
    const parts = found
      ? under(found)
      : [h("p", { class: "muted" }, t("The report has no table of this figure."))];
    fill(table, citation?.quote ? withStatement(parts, citation.quote) : parts);
  }

  whenReady(draw, life.signal);
  return {
    element,
    title: () => t("Figure {number}", { number: label() }),
    focus: () => heading.focus({ preventScroll: true }),
    close: () => life.abort(),
  };
}

/** Goes to a mark of the report and shows it for a moment. @param {string} number */
export function toMark(number) {
  const mark = document.querySelector(`.run a.cite[data-number="${CSS.escape(number)}"]`);
  if (!mark) return;
  mark.scrollIntoView({ block: "center" });
  mark.focus({ preventScroll: true });
  mark.classList.add("found");
  setTimeout(() => mark.classList.remove("found"), FLASH_MILLISECONDS);
}
