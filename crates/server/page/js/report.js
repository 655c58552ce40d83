/** The checked report: the server's sanitised HTML, its table of contents, its grounding and its warnings. */
import { h, fill, safeLink } from "./dom.js";
import { icon } from "./icons.js";
import { citations, reveal } from "./cite.js";
import { GROUNDS, plural, sentence, verdictSays } from "./words.js";

/** Ids of headings get this in front, so that no heading can take the place of a part of the page. */
const PREFIX = "section-";

/**
 * Shows a report in `place`.
 * @param {HTMLElement} place
 * @param {{report: {html: string, outline: {level: number, id: string, text: string}[]}, result: any, run: any}} what
 * @param {AbortSignal} signal
 */
export function showReport(place, { report, result, run }, signal) {
  const body = h("div", { class: "report-body" });
  // The one place where markup is read: the fragment that the server rendered and sanitised.
  const template = document.createElement("template");
  template.innerHTML = report.html;
  for (const one of template.content.querySelectorAll("[id]")) one.id = PREFIX + one.id;
  for (const table of template.content.querySelectorAll("table")) {
    const wide = h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Table" });
    table.replaceWith(wide);
    wide.append(table);
  }
  for (const link of template.content.querySelectorAll("a[href]")) tame(link);
  body.append(template.content);

  const outline = (report.outline ?? []).filter((heading) => heading.text);
  fill(
    place,
    standing(result, run, outline),
    outline.length > 1 ? contents(body, outline, signal) : null,
    body,
  );
  body.addEventListener("click", (event) => within(event, body), { signal });
  citations(body, result?.citations ?? [], signal, result?.deliverable?.claims);
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

/** A link to a heading of the report scrolls there; the address stays that of the run. */
function within(event, body) {
  const link = event.target instanceof Element ? event.target.closest("a[href^='#']") : null;
  const href = link?.getAttribute("href") ?? "";
  if (!link || href.startsWith("#/")) return;
  event.preventDefault();
  toHeading(body, href.slice(1));
}

function toHeading(body, id) {
  const heading = body.querySelector(`#${CSS.escape(PREFIX + id)}`);
  if (heading) reveal(heading);
}

/** What the answer rests on, in one line, and what is to be known about it. */
export function standing(result, run, outline) {
  if (!result) return null;
  // Of a text that was checked this says that a sentence failed, and which one stands in the report.
  const asked = run.method !== "check";
  const nothing = asked && (run.outcome === "not_enough_evidence" || run.outcome === "not_reached");
  const figures = grounds(result.grounding ?? {});
  return h(
    "div",
    { class: "standing" },
    nothing ? lacking(run.outcome, result, outline) : null,
    h(
      "p",
      { class: "grounding", id: "grounding" },
      h("span", { class: "visually-hidden" }, "Grounding: "),
      figures,
      result.mode === "offline"
        ? h(
            "span",
            { class: "ground mode" },
            run.method === "brief"
              ? "Offline: no model was asked; sentences are made from templates"
              : "Offline: no model was asked; sentences are quoted as they stand",
          )
        : null,
    ),
    result.warnings?.length > 0
      ? h(
          "ul",
          { class: "warnings", "aria-label": "Warnings" },
          result.warnings.map((warning) => h("li", {}, icon("alert"), h("span", {}, sentence(warning)))),
        )
      : null,
  );
}

/** How many sentences are of which kind. Runs of before count what rules over words had verified. */
function grounds(grounding) {
  const { verified, recomputed = 0, unsupported = 0 } = grounding;
  if (verified !== undefined) {
    return [
      verified > 0
        ? h("span", { class: "ground exact" }, icon("check"), `${plural(verified, "claim")} verified`)
        : h("span", { class: "ground" }, "0 claims verified"),
      recomputed > 0 ? h("span", { class: "ground exact" }, icon("check"), `${recomputed} recomputed`) : null,
      failed(unsupported),
    ];
  }
  return GROUNDS.map(({ verdict, mark, tone }) => {
    const count = grounding[verdict] ?? 0;
    if (verdict === "unsupported") return failed(count);
    if (count === 0) return null;
    return h(
      "span",
      { class: `ground ${tone}`, title: verdictSays(verdict) },
      mark ? h("span", { class: "kind", "aria-hidden": "true" }, mark) : null,
      `${count} ${verdict}`,
    );
  });
}

const failed = (count) =>
  h(
    "span",
    { class: count > 0 ? "ground unsupported" : "ground" },
    count > 0 ? icon("alert") : null,
    `${count} unsupported`,
  );

/** "Not enough evidence" is an answer: it says what was looked at and what would help. */
function lacking(outcome, result, outline) {
  const reached = outcome !== "not_reached";
  let why =
    "What could be reached does not answer this question, and part of what might could not be reached.";
  if ((result.deliverable?.closest ?? []).length > 0) {
    why =
      "No statement that was read stands out as an answer, and Quaestio does not guess. The passages that come closest are below.";
  } else if (reached) {
    why = "Nothing that was read answers this question, and Quaestio does not guess.";
  }
  // Where the report has sections of its own, they say what is missing.
  const gaps = outline.length > 0 ? [] : (result.deliverable?.gaps ?? []);
  return h(
    "div",
    { class: "lacking", role: "note" },
    h("h2", {}, reached ? "Not enough evidence" : "No answer: not everything could be reached"),
    h(
      "p",
      {},
      why,
    ),
    gaps.length > 0
      ? h(
          "ul",
          {},
          gaps.map((gap) => h("li", {}, sentence(gap))),
        )
      : null,
    h(
      "p",
      { class: "muted" },
      reached
        ? "Add documents that bear on it, ask more sources, or put the question in other words."
        : "Try again later: the Activity tab says what did not answer.",
    ),
  );
}

/** The table of contents, with the section being read marked. */
function contents(body, outline, signal) {
  const links = outline.map(({ id, text, level }) =>
    h("a", { href: `#${id}`, class: "contents-link", dataset: { level } }, text),
  );
  links.forEach((link, index) =>
    link.addEventListener(
      "click",
      (event) => {
        event.preventDefault();
        link.closest("details").open = false;
        toHeading(body, outline[index].id);
      },
      { signal },
    ),
  );
  const here = h("span", { class: "contents-here" });
  const whole = h(
    "details",
    { class: "contents" },
    h("summary", {}, h("strong", {}, "Contents"), here),
    h(
      "nav",
      { "aria-label": "Contents of the report" },
      h(
        "ol",
        {},
        links.map((link) => h("li", {}, link)),
      ),
    ),
  );
  whole.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || !whole.open) return;
      whole.open = false;
      whole.querySelector("summary").focus();
    },
    { signal },
  );
  document.addEventListener(
    "pointerdown",
    (event) => {
      if (whole.open && !whole.contains(event.target)) whole.open = false;
    },
    { signal },
  );
  const headings = outline.map(({ id }) => body.querySelector(`#${CSS.escape(PREFIX + id)}`));
  const seen = new Set();
  const watch = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes)
        isIntersecting ? seen.add(target) : seen.delete(target);
      const first = headings.findIndex((heading) => heading && seen.has(heading));
      if (first < 0) return;
      here.textContent = outline[first].text;
      links.forEach((link, index) =>
        index === first
          ? link.setAttribute("aria-current", "location")
          : link.removeAttribute("aria-current"),
      );
    },
    { rootMargin: "0px 0px -55% 0px" },
  );
  headings.forEach((heading) => heading && watch.observe(heading));
  signal.addEventListener("abort", () => watch.disconnect(), { once: true });
  return whole;
}
