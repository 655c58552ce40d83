/** A source, opened at a span: the text around it, the span marked, scrolled to and focused. */
import { h, fill, outLink, safeLink, scrollerOf } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { get } from "./store.js";
import { problemBox } from "./problems.js";
import { canGoBack, collectionPath, runPath } from "./router.js";
import { bytes, plural } from "./words.js";

const WINDOW_BYTES = 4000;

/** @param {string} id @param {URLSearchParams} query */
export function documentView(id, query) {
  const life = new AbortController();
  const { signal } = life;
  const start = query.get("start");
  const end = query.get("end");
  const hasSpan = start !== null && end !== null;
  let around = WINDOW_BYTES;
  let held = null;
  let title = "Source";

  const heading = h("h1", { tabindex: "-1" }, "Source");
  const about = h("p", { class: "muted document-about" });
  const changed = h("div", {});
  const before = h(
    "button",
    { type: "button", class: "small", hidden: true, on: { click: () => more(true) } },
    icon("up"),
    "Show more before",
  );
  const after = h(
    "button",
    { type: "button", class: "small", hidden: true, on: { click: () => more(false) } },
    icon("down"),
    "Show more after",
  );
  const text = h("div", {
    class: "document-text",
    id: "document-text",
    tabindex: "0",
    role: "region",
    "aria-label": "Text of the source",
  });
  const trouble = h("div", {});
  const element = h(
    "article",
    { class: "page viewer" },
    h("p", {}, back()),
    h("header", { class: "page-head" }, heading, about),
    changed,
    trouble,
    before,
    text,
    after,
  );
  const mark = h("mark", { id: "span", tabindex: "-1" });

  function back() {
    const run = get("run");
    const link = h(
      "a",
      { class: "back", id: "back", href: run ? runPath(run.run_id) : "#/collections" },
      icon("back"),
      run ? "Back to the report" : "Back",
    );
    link.addEventListener("click", (event) => {
      if (!canGoBack()) return;
      event.preventDefault();
      window.history.back();
    });
    return link;
  }

  async function load() {
    try {
      const [answer, document] = await Promise.all([
        api.text(id, hasSpan ? { start, end, around } : { around }, signal),
        held ? null : api.document(id, signal),
      ]);
      fill(trouble);
      draw(answer);
      if (document) describe(document);
    } catch (error) {
      if (error.name === "AbortError") return;
      const gone =
        error.status === 404
          ? {
              ...error,
              detail: "this source is not here any more",
              hint: "it was removed from its collection; the quotes in the report stay",
            }
          : error;
      fill(
        trouble,
        problemBox(gone, {
          lead: error.status === 404 ? undefined : "The source could not be opened",
          retry: error.status === 404 ? undefined : load,
        }),
      );
    }
  }

  function draw(answer) {
    const first = held === null;
    held = answer;
    title = answer.title || answer.source_uri;
    heading.textContent = title;
    mark.textContent = answer.quote ?? "";
    const cut = () => h("span", { class: "muted", "aria-hidden": "true" }, "…");
    fill(
      text,
      answer.from > 0 ? cut() : null,
      answer.before ?? "",
      answer.quote ? mark : null,
      answer.after ?? "",
      answer.to < answer.length ? cut() : null,
    );
    before.hidden = answer.from <= 0;
    after.hidden = answer.to >= answer.length;
    if (first) {
      warn();
      if (answer.quote)
        requestAnimationFrame(() => {
          mark.scrollIntoView({ block: "center" });
          mark.focus({ preventScroll: true });
        });
      document.title = `${title} · Quaestio`;
    }
  }

  function describe(document) {
    fill(
      about,
      safeLink(held.source_uri) ? outLink(held.source_uri) : held.source_uri,
      ` · ${document.format ?? ""} · ${bytes(held.length)} of text · ${plural(document.chunks, "passage")}`,
      document.collection && !document.collection.startsWith("run-")
        ? [" · collection ", h("a", { href: collectionPath(document.collection) }, document.collection)]
        : null,
    );
  }

  /** Whether what was cited is still what stands here. */
  function warn() {
    const here = (one) =>
      one.document_id === id && (!hasSpan || (String(one.start) === start && String(one.end) === end));
    const cited = [...get("citations"), ...get("evidence")].find(here);
    if (!cited?.source_sha256) return;
    if (cited.source_sha256 !== held.text_sha256) {
      fill(
        changed,
        h(
          "div",
          { class: "stale", role: "note" },
          h(
            "p",
            {},
            icon("alert"),
            " This source has changed since it was cited. The place marked below may no longer be the one that was quoted.",
          ),
          cited.quote ? h("blockquote", {}, cited.quote) : null,
        ),
      );
    } else if (cited.number && cited.verdict) {
      fill(
        changed,
        h(
          "p",
          { class: "muted" },
          `Marked is what citation [${cited.number}] quotes${cited.page ? `, page ${cited.page}` : ""}. The source is unchanged since then.`,
        ),
      );
    }
  }

  /** Widens the window on both sides; what the reader looks at keeps its place. */
  async function more(above) {
    around *= 3;
    const anchor = held.quote ? mark : text;
    const height = text.scrollHeight;
    const top = anchor.getBoundingClientRect().top;
    await load();
    if (above)
      scrollerOf(document.getElementById("main")).scrollTop += held.quote
        ? anchor.getBoundingClientRect().top - top
        : text.scrollHeight - height;
    if (document.activeElement === document.body) text.focus({ preventScroll: true });
  }

  load();
  return {
    element,
    title: () => title,
    focus: () => {
      if (!hasSpan) heading.focus({ preventScroll: true });
    },
    close: () => life.abort(),
  };
}
