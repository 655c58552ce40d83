/** The page of all collections, and what removing one asks. */
import { h, fill, announce } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { get, set } from "./store.js";
import { ask } from "./dialog.js";
import { t } from "./i18n.js";
import { showProblem, problemBox } from "./problems.js";
import { collectionPath, go } from "./router.js";
import { knowCollections } from "./upload.js";
import { dateAndTime, plural } from "./words.js";

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** A page with its heading. */
export function titled(title, ...parts) {
  const heading = h("h1", { tabindex: "-1" }, title);
  const element = h("div", { class: "page" }, h("header", { class: "page-head" }, heading), parts);
  return { element, focus: () => heading.focus({ preventScroll: true }), title: () => title };
}

/** All collections. */
export function collectionsView() {
  const life = new AbortController();
  const list = h("ul", { class: "collections" }, h("li", { class: "muted empty" }, t("Loading…")));
  const problem = h("div", {});
  const name = h("input", {
    id: "collection-name",
    type: "text",
    maxlength: "64",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "collection-rule",
  });
  const form = h(
    "form",
    { class: "inline-form", "aria-label": t("New collection"), novalidate: true },
    h("div", { class: "field grow" }, h("label", { for: "collection-name" }, t("New collection")), name),
    h("button", { type: "submit", class: "primary" }, t("Create")),
    h(
      "p",
      { class: "muted", id: "collection-rule" },
      t("Up to 64 letters, digits, - and _, starting with a letter or digit."),
    ),
  );
  const view = titled(
    t("Collections"),
    h("p", { class: "lead" }, t("Collections of your own documents. Quaestio answers questions from them.")),
    form,
    problem,
    list,
  );

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wanted = name.value.trim();
    if (!NAME.test(wanted)) {
      showProblem(problem, {
        detail: t("“{name}” is not a valid collection name", { name: wanted }),
        hint: t("use letters, digits, - and _, starting with a letter or digit"),
      });
      name.focus();
      return;
    }
    try {
      await api.createCollection(wanted);
      if (!life.signal.aborted) go(collectionPath(wanted));
    } catch (error) {
      showProblem(problem, error, { lead: t("Could not create the collection") });
    }
  });

  async function load() {
    try {
      const { collections } = await api.collections(life.signal);
      knowCollections(collections);
      fill(
        list,
        collections.length === 0
          ? h(
              "li",
              { class: "muted empty" },
              t("No collections yet. Create one, or drop documents onto the question box."),
            )
          : collections.map(row),
      );
    } catch (error) {
      if (error.name !== "AbortError")
        fill(
          list,
          h("li", {}, problemBox(error, { lead: t("Could not load the collections"), retry: load })),
        );
    }
  }

  const row = (one) =>
    h(
      "li",
      { class: "collection" },
      h(
        "div",
        { class: "collection-body" },
        h("a", { class: "collection-name", href: collectionPath(one.name) }, one.name),
        h(
          "p",
          { class: "muted" },
          [
            plural(one.documents, "document"),
            plural(one.chunks, "passage"),
            one.embedder
              ? t("searched by meaning ({embedder})", { embedder: one.embedder })
              : t("searched by words"),
            t("changed {when}", { when: dateAndTime(one.updated_at) }),
          ].join(" · "),
        ),
      ),
      h(
        "button",
        {
          type: "button",
          class: "quiet danger-text",
          "aria-label": t("Remove: the collection {name}", { name: one.name }),
          on: {
            click: async () => {
              if (await removeCollection(one)) load();
            },
          },
        },
        icon("trash"),
        t("Remove"),
      ),
    );

  load();
  return { ...view, close: () => life.abort() };
}

/** Asks, then removes a collection with its documents. @returns {Promise<boolean>} whether it was removed */
export function removeCollection(one) {
  return ask({
    title: t("Remove the collection “{name}”?", { name: one.name }),
    body: h(
      "p",
      {},
      t(
        "This deletes {documents}. Runs that cite them keep their quotes, but you can no longer open the sources.",
        { documents: plural(one.documents, "document") },
      ),
    ),
    action: t("Remove"),
    danger: true,
    act: async () => {
      await api.removeCollection(one.name);
      set(
        "collections",
        (get("collections") ?? []).filter((each) => each.name !== one.name),
      );
      announce(t("Collection {name} removed", { name: one.name }));
    },
  });
}
