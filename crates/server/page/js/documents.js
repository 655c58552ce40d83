/** The page of one collection: its documents, and where more are dropped. */
import { h, fill, announce, debounce, outLink, safeLink, show } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { get } from "./store.js";
import { ask } from "./dialog.js";
import { t } from "./i18n.js";
import { problemBox } from "./problems.js";
import { documentPath, go } from "./router.js";
import { removeCollection, titled } from "./collections.js";
import { dropZone, fileButton, uploadList } from "./dropping.js";
import { onTaken } from "./upload.js";
import { plainLine } from "./plain.js";
import { scanOf } from "./scans.js";
import { dateAndTime, plural } from "./words.js";

/** With more documents than these, one is looked for by its name. */
const FEW = 10;

/** What a document is called; a name can hold marks that turn the direction of writing. */
const nameOf = (one) => plainLine(one.title || one.path);

/** One collection. @param {string} name */
export function collectionView(name) {
  const life = new AbortController();
  const { signal } = life;
  const list = h("ul", { class: "documents" }, h("li", { class: "muted empty" }, t("Loading…")));
  const count = h("p", { class: "muted" });
  let documents = [];
  let total = 0;
  let next = null;
  const take = (send) => send(name);
  const remove = h(
    "button",
    { type: "button", class: "quiet danger-text", on: { click: removeAll } },
    icon("trash"),
    t("Remove the collection"),
  );
  const search = h("input", {
    id: "document-search",
    type: "search",
    autocomplete: "off",
    placeholder: t("Find a document by its name"),
    "aria-label": t("Find a document by its name"),
  });
  const finder = h("div", { class: "field document-search", hidden: true }, search);
  const zone = h(
    "section",
    { class: "drop-card", "aria-label": t("Add documents") },
    h("p", {}, icon("upload"), t(" Drop documents here, or "), fileButton(take, t("choose files"))),
    h(
      "p",
      { class: "muted" },
      t(
        "PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, web pages, Markdown, text, e-mail, notebooks, data, subtitles, bibliographies, source code, and archives of these.",
      ),
    ),
    uploadList(signal, () => name),
  );
  const view = titled(
    name,
    h("p", {}, h("a", { href: "#/collections", class: "back" }, icon("back"), t("All collections"))),
    zone,
    h("div", { class: "page-line" }, count, remove),
    finder,
    list,
  );
  dropZone(view.element, take);

  async function load(after = null) {
    try {
      const part = await api.documents(name, after, signal);
      documents = after === null ? part.documents : [...documents, ...part.documents];
      ({ total, next } = part);
      draw();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (error.status === 404 && get("uploads").some((one) => one.collection === name)) {
        documents = [];
        total = 0;
        next = null;
        draw();
      } else
        fill(
          list,
          h("li", {}, problemBox(error, { lead: t("Could not load the documents"), retry: () => load() })),
        );
    }
  }

  function draw() {
    count.textContent = plural(total, "document");
    show(finder, total > FEW);
    const wanted = search.value.trim().toLowerCase();
    const fits = ({ title, path }) => `${title ?? ""} ${path}`.toLowerCase().includes(wanted);
    const shown = wanted ? documents.filter(fits) : documents;
    const none = wanted ? t("No document name contains this text.") : t("No documents yet.");
    fill(
      list,
      shown.length === 0 && (!wanted || next === null)
        ? h("li", { class: "muted empty" }, none)
        : shown.map(row),
      next === null ? null : h("li", {}, further()),
    );
  }

  /** A name is looked for among all documents: those that are not listed yet are read first. */
  async function find() {
    while (search.value.trim() && next !== null && !signal.aborted) {
      const before = next;
      await load(next);
      if (next === before) break;
    }
    draw();
  }
  search.addEventListener("input", debounce(200, find));

  const further = () =>
    h("button", { type: "button", class: "quiet", on: { click: () => load(next) } }, t("Load more"));

  const row = (one) =>
    h(
      "li",
      { class: "document" },
      icon("file"),
      h(
        "div",
        { class: "document-body" },
        h("a", { href: documentPath(one.document_id), class: "document-title" }, nameOf(one)),
        h(
          "p",
          { class: "muted" },
          [
            plainLine(one.path),
            one.format,
            plural(one.chunks, "passage"),
            scanOf(one)?.words,
            t("added {when}", { when: dateAndTime(one.ingested_at) }),
          ]
            .filter(Boolean)
            .join(" · "),
        ),
        one.source_uri && safeLink(one.source_uri) ? h("p", {}, outLink(one.source_uri)) : null,
      ),
      h(
        "button",
        {
          type: "button",
          class: "quiet danger-text icon-button",
          "aria-label": t("Remove {name}", { name: nameOf(one) }),
          title: t("Remove"),
          on: { click: () => removeOne(one) },
        },
        icon("trash"),
      ),
    );

  async function removeOne(one) {
    const done = await ask({
      title: t("Remove “{name}”?", { name: nameOf(one) }),
      body: h("p", {}, t("Runs that cite it keep their quotes, but you can no longer open the source.")),
      action: t("Remove"),
      danger: true,
      act: () => api.removeDocument(one.document_id),
    });
    if (!done || signal.aborted) return;
    documents = documents.filter((each) => each !== one);
    total -= 1;
    draw();
    view.focus();
    announce(t("Document removed"));
  }

  async function removeAll() {
    const removed = await removeCollection({ name, documents: total });
    if (removed && !signal.aborted) go("#/collections");
  }

  onTaken((one) => {
    if (one.collection === name) load();
  }, signal);
  load();
  return { ...view, close: () => life.abort() };
}
