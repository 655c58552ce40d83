/**
 * A source, opened at a statement: rendered, with the statement marked and scrolled to; the real page of a PDF, the text as
 * it is stored, and the file itself. It stands on a page of its own or beside the report.
 */
import { h, add, fill, outLink, safeLink, scrollerOf, show } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { get, listen } from "./store.js";
import { problemBox } from "./problems.js";
import { canGoBack, collectionPath } from "./router.js";
import { labelsOf } from "./labels.js";
import { plain } from "./plain.js";
import { bytes, dateAndTime, kindWords } from "./words.js";
import { readFragment } from "./fragment.js";
import { pictureOf, scanOf } from "./scans.js";
import { t } from "./i18n.js";

const WINDOW_BYTES = 6000;
/** Formats that have a name. */
const FORMATS = { pdf: "PDF", docx: "DOCX", epub: "EPUB", html: "HTML", markdown: "Markdown" };
/** A second look at a page that moved while it was drawn. */
const SETTLE_MILLISECONDS = 250;

/**
 * @param {string} id @param {URLSearchParams} query the span: `start` and `end`
 * @param {{level: "h1"|"h2", ready?: () => void, used?: (number: string) => HTMLElement|null}} how
 */
export function sourceView(id, query, { level, ready = () => {}, used = () => null }) {
  const life = new AbortController();
  const { signal } = life;
  const start = query.get("start");
  const end = query.get("end");
  const hasSpan = start !== null && end !== null;
  let around = WINDOW_BYTES;
  let held = null;
  let about = null;
  let pages = null;
  /** What is on display: `text`, `stored` or `pages`. */
  let way = "text";
  let title = t("Source");

  const heading = h(level, { tabindex: "-1", class: "source-heading" }, title);
  const facts = h("p", { class: "muted document-about" });
  const tools = h("div", { class: "source-tools" });
  const changed = h("div", {});
  const trouble = h("div", {});
  const before = more("up", t("Show more before"), true);
  const after = more("down", t("Show more after"), false);
  const text = h("div", {
    class: "document-text",
    id: "document-text",
    tabindex: "0",
    role: "region",
    "aria-label": t("Text of the source"),
  });
  const paper = h("div", { class: "document-pages", hidden: true });
  const element = h(
    "div",
    { class: "source-view" },
    h("header", { class: "page-head" }, heading, facts, tools),
    changed,
    trouble,
    before,
    text,
    after,
    paper,
  );

  function more(sign, words, above) {
    return h(
      "button",
      { type: "button", class: "small", hidden: true, on: { click: () => widen(above) } },
      icon(sign),
      words,
    );
  }

  const marked = () => text.querySelector("#span");

  async function load() {
    const span = hasSpan ? { start, end, around } : { around };
    try {
      const [answer, document] = await Promise.all([
        way === "stored" ? api.text(id, span, signal) : api.page(id, span, signal),
        about ?? api.document(id, signal),
      ]);
      const first = held === null;
      fill(trouble);
      held = answer;
      about = document;
      title = plain(answer.title || answer.source_uri);
      draw();
      if (first) {
        describe();
        warn();
        reveal();
        ready();
        if (isPaper()) choose("pages");
      }
    } catch (error) {
      if (error.name !== "AbortError") fill(trouble, hindrance(error));
    }
  }

  function hindrance(error) {
    if (error.status !== 404) return problemBox(error, { lead: t("Could not open the source"), retry: load });
    return problemBox({
      detail: t("this source is no longer available"),
      hint: t("it was removed from its collection. The quotes in the report are kept"),
    });
  }

  function draw() {
    heading.textContent = title;
    const cut = () => h("p", { class: "muted", "aria-hidden": "true" }, "…");
    text.classList.toggle("stored", way === "stored");
    fill(
      text,
      held.from > 0 ? cut() : null,
      way === "stored" ? stored() : rendered(held.html, level),
      held.to < held.length ? cut() : null,
    );
    before.hidden = way === "pages" || held.from <= 0;
    after.hidden = way === "pages" || held.to >= held.length;
  }

  const stored = () =>
    h(
      "div",
      { class: "stored-text" },
      plain(held.before),
      held.quote ? h("mark", { id: "span", tabindex: "-1" }, plain(held.quote)) : null,
      plain(held.after),
    );

  /** Brings the statement into sight, and the focus to it. The report beside it does not move. */
  function reveal(focus = true) {
    const mark = marked();
    if (!mark) return;
    requestAnimationFrame(() => {
      intoSight(mark, scrollerOf(scrollBox()));
      if (focus) mark.focus({ preventScroll: true });
    });
  }

  /** What scrolls around the source: the box beside the report, or the page. */
  const scrollBox = () => element.closest(".beside-body") ?? document.getElementById("main");

  const isPaper = () =>
    (about.format === "pdf" || pictureOf(about.path) !== null) && Number.isFinite(about.original_bytes);

  function describe() {
    const where = held.source_uri;
    fill(
      facts,
      parted([
        kindWords(about.type),
        about.format === "image" ? t("Picture") : (FORMATS[about.format] ?? about.format),
        scanOf(about)?.words ?? null,
        safeLink(where) ? outLink(where) : plain(where),
        about.type === "rag"
          ? t("read on {date}", { date: dateAndTime(about.ingested_at) })
          : t("fetched on {date}", { date: dateAndTime(about.ingested_at) }),
        about.collection && !about.collection.startsWith("run-")
          ? [t("collection"), " ", h("a", { href: collectionPath(about.collection) }, about.collection)]
          : null,
        t("{size} of text", { size: bytes(held.length) }),
      ]),
    );
    drawTools();
  }

  const parted = (parts) =>
    parts.filter(Boolean).flatMap((part, index) => (index > 0 ? [" · ", part] : [part]));

  function drawTools() {
    const ways = [
      isPaper() ? ["pages", t("Page")] : null,
      ["text", t("Text")],
      ["stored", t("Stored text")],
    ].filter(Boolean);
    fill(
      tools,
      h(
        "div",
        { class: "segments", role: "group", "aria-label": t("Source view") },
        ways.map(([which, words]) =>
          h(
            "button",
            {
              type: "button",
              class: "segment",
              "aria-pressed": String(which === way),
              on: { click: () => choose(which) },
            },
            words,
          ),
        ),
      ),
      Number.isFinite(about.original_bytes)
        ? h(
            "a",
            { class: "button small", href: api.filePath(id), download: "" },
            icon("download"),
            t("Open the file ({size})", { size: bytes(about.original_bytes) }),
          )
        : null,
    );
  }

  async function choose(which) {
    if (which === way) return;
    const focused = tools.contains(document.activeElement);
    const from = way;
    way = which;
    drawTools();
    if (focused) tools.querySelector("[aria-pressed=true]")?.focus();
    show(text, way !== "pages");
    show(paper, way === "pages");
    if (way === "pages") {
      draw();
      await drawPages();
      return;
    }
    if (from === "pages" && held.html && way === "text") draw();
    else await load();
    reveal(false);
  }

  /** The real pages of a PDF; the program that draws them is loaded only for this. */
  async function drawPages() {
    if (pages) return;
    fill(paper, h("p", { class: "muted" }, t("Opening the page…")));
    try {
      if (about.format === "image") {
        const file = await api.file(id, signal);
        if (!signal.aborted) fill(paper, await picture(file));
        return;
      }
      const [{ pdfPages }, file] = await Promise.all([import("./pdf.js"), api.file(id, signal)]);
      if (signal.aborted) return;
      pages = pdfPages(paper, file, {
        quote: hasSpan ? (held.quote ?? "") : "",
        page: cited()?.page ?? 1,
        words: {
          before: t("Previous page"),
          after: t("Next page"),
          page: (number, all) => t("Page {number} of {all}", { number, all }),
          larger: t("Larger"),
          smaller: t("Smaller"),
          none: scanOf(about)?.sureOf(cited()?.page)
            ? t("This page is a scan: the quote cannot be highlighted in it. It is highlighted in the text view.")
            : t("The quote was not found on this page. It is highlighted in the text view."),
          region: t("Page of the source"),
        },
        signal,
      });
      await pages.opened;
      setTimeout(() => {
        const word = pages?.marked();
        if (word) intoSight(word, scrollerOf(scrollBox()));
        if (!element.contains(document.activeElement))
          paper.querySelector(".pages-paper")?.focus({ preventScroll: true });
      }, SETTLE_MILLISECONDS);
    } catch (error) {
      if (error.name === "AbortError") return;
      pages = null;
      const words = error.detail || t("this file cannot be shown page by page");
      fill(
        paper,
        problemBox({
          detail: words,
          hint: t("read its text here, or open the file in another program"),
        }),
      );
    }
  }

  /** A picture of a page, as it was added. @param {ArrayBuffer} file */
  async function picture(file) {
    const reader = new FileReader();
    await new Promise((done, failed) => {
      Object.assign(reader, { onload: done, onerror: failed });
      reader.readAsDataURL(new Blob([file], { type: pictureOf(about.path) }));
    });
    return h("img", { class: "pages-picture", src: reader.result, alt: t("Page of the source") });
  }

  /** What is cited at this place, else the evidence that begins here. */
  function cited() {
    const evidence = get("evidence");
    const citations = get("citations").map((one) => ({
      ...one,
      document_id:
        one.document_id ?? evidence.find((each) => each.evidence_id === one.evidence_id)?.document_id,
    }));
    const here = (one) =>
      one.document_id === id && (!hasSpan || (String(one.start) === start && String(one.end) === end));
    return [...citations, ...evidence].find(here);
  }

  /** Whether what was cited is still what stands here, and where it is used. */
  function warn() {
    const one = cited();
    const vague =
      hasSpan && held.marked && held.marked !== "exactly"
        ? h(
            "p",
            { class: "muted" },
            held.marked === "around"
              ? t("The lines with the quote are highlighted.")
              : t("The quote cannot be highlighted here. See “Stored text”."),
          )
        : null;
    const sure = scanOf(about)?.sureOf(one?.page ?? (about.format === "image" ? 1 : null));
    const scanned = sure
      ? h(
          "p",
          { class: "muted" },
          t("The page was read by OCR, {sure} % sure. Compare the quote with the picture of the page.", {
            sure,
          }),
        )
      : null;
    fill(changed, vague, scanned);
    if (!one?.source_sha256) return;
    if (one.source_sha256 !== held.text_sha256) {
      add(
        changed,
        h(
          "div",
          { class: "stale", role: "note" },
          h(
            "p",
            {},
            icon("alert"),
            " ",
            t(
              "This source has changed since it was cited. The highlighted place may no longer match the quote.",
            ),
          ),
          one.quote ? h("blockquote", {}, plain(one.quote)) : null,
        ),
      );
    } else if (one.verdict) {
      const label = labelsOf(get("citations")).get(String(one.number)) ?? one.number;
      add(
        changed,
        h(
          "p",
          { class: "muted source-cited" },
          h("span", { class: "source-mark" }, String(label)),
          " ",
          one.page
            ? t(
                "Highlighted: the passage that the report cites, page {page}. The source has not changed since.",
                {
                  page: one.page,
                },
              )
            : t("Highlighted: the passage that the report cites. The source has not changed since."),
          " ",
          used(String(one.number)),
        ),
      );
    }
  }

  /** Widens the window on both sides; what the reader looks at keeps its place. */
  async function widen(above) {
    around *= 3;
    const anchored = marked() !== null;
    const top = (marked() ?? text).getBoundingClientRect().top;
    const height = text.scrollHeight;
    await load();
    if (above)
      scrollerOf(scrollBox()).scrollTop += anchored
        ? (marked()?.getBoundingClientRect().top ?? top) - top
        : text.scrollHeight - height;
    if (document.activeElement === document.body) text.focus({ preventScroll: true });
  }

  // Opened with its address alone, it is there before the result that cites it.
  listen("citations", () => held && warn(), signal);
  load();
  return {
    element,
    title: () => title,
    focus: () => {
      if (!hasSpan) heading.focus({ preventScroll: true });
    },
    close: () => {
      life.abort();
      pages?.close();
    },
  };
}

/** Brings a place into sight, where it is not, by moving nothing but what it stands in. */
function intoSight(place, scroller) {
  const isPage = scroller === document.scrollingElement;
  const top = isPage ? document.querySelector(".bar").offsetHeight : scroller.getBoundingClientRect().top;
  const room = (isPage ? innerHeight : scroller.getBoundingClientRect().bottom) - top;
  const at = place.getBoundingClientRect();
  if (at.top < top + 8 || at.bottom > top + room * 0.8) scroller.scrollTop += at.top - top - room / 3;
}

/**
 * Markup that the server made of a source: nothing in it is active. Its headings stand below that of the source, which is
 * an `h2` beside a report and the `h1` of a page of its own.
 */
function rendered(html, level) {
  const content = readFragment(html);
  if (level === "h1") {
    for (const heading of content.querySelectorAll("h3, h4, h5, h6")) {
      const raised = document.createElement(`h${Number(heading.tagName[1]) - 1}`);
      raised.append(...heading.childNodes);
      heading.replaceWith(raised);
    }
  }
  return content;
}

/** A source on a page of its own. @param {string} id @param {URLSearchParams} query */
export function documentView(id, query) {
  const view = sourceView(id, query, {
    level: "h1",
    ready: () => {
      document.title = `${view.title().slice(0, 80)} · Quaestio`;
    },
  });
  return { ...view, element: h("article", { class: "page viewer" }, h("p", {}, back()), view.element) };
}

function back() {
  const link = h("a", { class: "back", id: "back", href: "#/collections" }, icon("back"), t("Back"));
  link.addEventListener("click", (event) => {
    if (!canGoBack()) return;
    event.preventDefault();
    window.history.back();
  });
  return link;
}
