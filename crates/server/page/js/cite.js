/**
 * Citation marks: a box with the exact quote on hover, focus and tap; a click opens the source at the span, beside the report.
 */
import { announce, freshId, h } from "./dom.js";
import { copyText } from "./copy.js";
import { icon } from "./icons.js";
import { float, place, sink } from "./floating.js";
import { labelsOf } from "./labels.js";
import { headingOf } from "./figure.js";
import { figurePath } from "./router.js";
import { plain } from "./plain.js";
import { onPage, verdictWords } from "./words.js";
import { t } from "./i18n.js";

const OPEN_MILLISECONDS = 120;
const CLOSE_MILLISECONDS = 220;

/** Citations by their marks. @param {object[]} citations */
export const byMark = (citations) =>
  new Map(citations.filter((one) => one.number).map((one) => [String(one.number), one]));

/** Letters and digits alone: what is left of a sentence whatever it is marked up with. */
const bare = (text) =>
  text
    .replace(/\[\d+(?:[,\s–-]+\d+)*\]/g, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "");

/** How many letters of a sentence tell it from others. */
const TELLING = 24;

/** Ways to tell the claim whose words stand before a mark: as far as the mark, to its end, or as a cell says it. */
const SAID = [
  (before, words) => {
    const at = before.lastIndexOf(words.slice(0, TELLING));
    return at >= 0 && words.startsWith(before.slice(at));
  },
  (before, words) => before.endsWith(words.slice(-TELLING)),
  (before, words) => before !== "" && words.endsWith(before),
];

/** Claims by their marks, as `claimAt` looks them up. @param {object[]} claims all claims, as the result lists them */
function claimsByMark(claims) {
  const byNumber = new Map();
  for (const claim of claims) {
    const words = bare(claim.text ?? "");
    const numbers = new Set((claim.citations ?? []).map((one) => one.number).filter(Boolean));
    for (const number of words ? numbers : []) {
      const key = String(number);
      byNumber.set(key, [...(byNumber.get(key) ?? []), { claim, words }]);
    }
  }
  return byNumber;
}

/** Returns the claim in whose words a mark stands; several claims may cite one place. */
function claimAt(mark, byNumber) {
  const citing = byNumber.get(mark.dataset.number ?? "");
  if (!citing) return null;
  const block = mark.closest("p, li, td, th, blockquote, dd, h2, h3, h4") ?? mark.parentElement;
  const range = document.createRange();
  range.setStart(block, 0);
  range.setEndBefore(mark);
  const before = range.cloneContents();
  for (const one of before.querySelectorAll(".cite, .cite-box, .kind")) one.remove();
  const text = bare(before.textContent);
  for (const says of SAID) {
    const found = citing.find(({ words }) => says(text, words));
    if (found) return found.claim;
  }
  return null;
}

/**
 * Gives the marks in `report` their boxes.
 * @param {HTMLElement} report @param {object[]|Map<string, object>} citations a map may grow; `label` then names its marks
 * @param {AbortSignal} signal @param {object[]} claims all claims of the result, where they are known
 */
export function citations(report, citations, signal, claims = []) {
  const byNumber = citations instanceof Map ? citations : byMark(citations);
  let box = null;
  let mark = null;
  let timer = 0;
  let touch = false;
  let labels = new Map();
  const claimed = claimsByMark(claims);

  function label() {
    labels = labelsOf([...byNumber.values()]);
    for (const one of report.querySelectorAll("a.cite")) {
      const citation = byNumber.get(one.dataset.number ?? "");
      if (!citation) continue;
      // A report comes with its labels; what is made here while it is said gets them as they become known.
      if (citations instanceof Map) one.textContent = `[${labels.get(one.dataset.number)}]`;
      const text = one.textContent;
      if (isFigure(citation)) toTable(one);
      const verdict = claimAt(one, claimed)?.verdict ?? citation.verdict;
      one.setAttribute("aria-label", `${text} ${citation.title || citation.source_uri}, ${verdict}`);
      one.setAttribute("aria-haspopup", "dialog");
      one.dataset.verdict = verdict;
    }
  }
  label();

  const markAt = (target) => (target instanceof Element ? target.closest("a.cite") : null);

  function open(next) {
    clearTimeout(timer);
    if (next === mark && box) return;
    close();
    const citation = byNumber.get(next.dataset.number ?? "");
    if (!citation) return;
    mark = next;
    const claim = claimAt(next, claimed);
    const grounds = (claim?.rests_on ?? []).map((number) => claims[number - 1]).filter(Boolean);
    const label = labels.get(next.dataset.number) ?? next.dataset.number;
    const verdict = claim?.verdict ?? citation.verdict;
    box = citationBox({ ...citation, label, verdict }, next, grounds);
    next.after(box);
    next.setAttribute("aria-describedby", box.firstElementChild.id);
    next.classList.add("open");
    float(box, next);
  }

  function close() {
    clearTimeout(timer);
    if (!box) return;
    sink(box);
    box.remove();
    box = null;
    mark?.removeAttribute("aria-describedby");
    mark?.classList.remove("open");
    mark = null;
  }

  const later = (milliseconds, call) => {
    clearTimeout(timer);
    timer = setTimeout(call, milliseconds);
  };
  /** Whether the keyboard is at the mark or in its box, which then stays. */
  const holdsFocus = () => box?.contains(document.activeElement) || mark?.matches(":focus-visible");

  report.addEventListener(
    "pointerdown",
    (event) => {
      touch = event.pointerType !== "mouse";
    },
    { signal },
  );
  report.addEventListener(
    "pointerover",
    (event) => {
      if (event.pointerType !== "mouse") return;
      const over = markAt(event.target);
      if (over) later(OPEN_MILLISECONDS, () => open(over));
      else if (box?.contains(event.target)) clearTimeout(timer);
    },
    { signal },
  );
  report.addEventListener(
    "pointerout",
    (event) => {
      if (event.pointerType !== "mouse" || (!markAt(event.target) && !box?.contains(event.target))) return;
      if (
        event.relatedTarget instanceof Node &&
        (box?.contains(event.relatedTarget) || mark?.contains(event.relatedTarget))
      )
        return;
      later(CLOSE_MILLISECONDS, () => {
        if (!holdsFocus()) close();
      });
    },
    { signal },
  );
  report.addEventListener(
    "focusin",
    (event) => {
      const focused = markAt(event.target);
      // Whoever comes back from a source by the pointer is not shown its quote again.
      if (focused && !touch && focused.matches(":focus-visible")) open(focused);
    },
    { signal },
  );
  report.addEventListener(
    "focusout",
    (event) => {
      if (
        !box ||
        (event.relatedTarget instanceof Node &&
          (box.contains(event.relatedTarget) || event.relatedTarget === mark))
      )
        return;
      if (event.relatedTarget) close();
    },
    { signal },
  );
  report.addEventListener(
    "click",
    (event) => {
      const tapped = markAt(event.target);
      if (!tapped || !touch || !byNumber.has(tapped.dataset.number ?? "")) return;
      // A finger cannot hover: the first tap shows the quote, the button in the box opens the source.
      event.preventDefault();
      if (mark === tapped) close();
      else open(tapped);
    },
    { signal },
  );

  document.addEventListener(
    "pointerdown",
    (event) => {
      if (box && !box.contains(event.target) && markAt(event.target) !== mark) close();
    },
    { signal },
  );
  document.addEventListener(
    "keydown",
    (event) => {
      touch = false;
      if (event.key !== "Escape" || !box) return;
      event.preventDefault();
      const back = mark;
      const inside = box.contains(document.activeElement);
      close();
      if (inside) back?.focus({ preventScroll: true });
      if (inside) close();
    },
    { signal },
  );
  addEventListener(
    "scroll",
    () => {
      if (box && mark) place(box, mark);
    },
    { signal, capture: true, passive: true },
  );
  addEventListener("resize", close, { signal });
  addEventListener("hashchange", close, { signal });
  signal.addEventListener("abort", close, { once: true });
  return { label };
}

function citationBox(citation, mark, grounds) {
  const quoteId = freshId("quote");
  const where = [citation.section, onPage(citation)]
    .filter(Boolean)
    .join(" · ");
  const copy = h(
    "button",
    { type: "button", class: "small", on: { click: () => copyReference(citation, copy) } },
    t("Copy reference"),
  );
  const figures = figuresOf(citation, mark);
  return h(
    "span",
    {
      class: "cite-box floating",
      role: "dialog",
      "aria-label": t("Citation {label}", { label: citation.label }),
      dataset: { verdict: citation.verdict },
    },
    h("blockquote", { id: quoteId, class: "cite-quote" }, plain(citation.quote)),
    h("span", { class: "cite-title" }, plain(citation.title || citation.source_uri)),
    where ? h("span", { class: "cite-where" }, plain(where)) : null,
    h("span", { class: "cite-uri" }, plain(citation.source_uri)),
    h("span", { class: "cite-verdict" }, verdictIcon(citation.verdict), verdictWords(citation)),
    grounds.length > 0 ? restsOn(grounds) : null,
    h(
      "span",
      { class: "actions" },
      mark.getAttribute("href")?.startsWith("#/documents/")
        ? h(
            "a",
            { class: "button small primary", href: mark.getAttribute("href") },
            icon("file"),
            t("Open the source"),
          )
        : null,
      figures
        ? h(
            "button",
            { type: "button", class: "small primary", on: { click: () => reveal(figures) } },
            icon("file"),
            t("Show its figures"),
          )
        : null,
      copy,
    ),
  );
}

const isFigure = (citation) => citation.source_uri?.startsWith("survey://") === true;

/** The mark of a figure opens its table, as that of a document opens its text. */
function toTable(mark) {
  mark.href = figurePath(mark.dataset.number);
  mark.removeAttribute("role");
  mark.removeAttribute("tabindex");
}

/** The heading in the report above the table that a computed statement comes from. */
const figuresOf = (citation, mark) =>
  isFigure(citation) ? headingOf(mark.closest(".report-body"), citation.number, citation.label) : null;

/** Scrolls to a heading of a report, and gives it the focus. */
export function reveal(heading) {
  heading.tabIndex = -1;
  heading.scrollIntoView({ block: "start" });
  heading.focus({ preventScroll: true });
}

/** The claims that a conclusion rests on, each with its own verdict. */
function restsOn(grounds) {
  const titleId = freshId("grounds");
  return h(
    "span",
    { class: "cite-grounds" },
    h("span", { id: titleId, class: "cite-grounds-title" }, t("Based on:")),
    h(
      "span",
      { role: "list", "aria-labelledby": titleId },
      grounds.map(({ text, verdict }) =>
        h(
          "span",
          { class: "cite-ground", role: "listitem" },
          plain(text),
          " ",
          h("span", { class: "muted" }, `(${verdict})`),
        ),
      ),
    ),
  );
}

/** A tick is for what a program can know exactly. */
function verdictIcon(verdict) {
  if (verdict === "unsupported") return icon("alert");
  return verdict === "supported" || verdict === "inferred" ? icon("eye") : icon("check");
}

/** What a reference says when it is pasted elsewhere. */
function referenceText(citation) {
  const page = onPage(citation) ? `, ${onPage(citation)}` : "";
  const section = citation.section ? ` (${citation.section}${page})` : page;
  const quote = citation.quote ? `“${citation.quote}” — ` : "";
  return `${quote}${citation.title || citation.source_uri}${section}. ${citation.source_uri}`;
}

async function copyReference(citation, button) {
  const text = referenceText(citation);
  const done = await copyText(text);
  button.textContent = done ? t("Copied") : t("The browser blocked copying");
  announce(button.textContent);
  setTimeout(() => {
    button.textContent = t("Copy reference");
  }, 2000);
}
