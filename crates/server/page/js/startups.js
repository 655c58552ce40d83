/** Startup contexts: what the reader has explored before, kept for the next analysis. */
import { h, fill, announce, freshId } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { api } from "./api.js";
import { set } from "./store.js";
import { ask } from "./dialog.js";
import { problemBox } from "./problems.js";
import { titled } from "./collections.js";
import { dateAndTime } from "./words.js";

/** The page of all startups. */
export function startupsView() {
  const life = new AbortController();
  const list = h("ul", { class: "collections" }, h("li", { class: "muted empty" }, t("Loading…")));
  const add = h(
    "button",
    { type: "button", class: "primary", id: "add-startup", on: { click: () => edit(null) } },
    icon("plus"),
    t("New startup"),
  );
  const view = titled(
    t("Startups"),
    h(
      "p",
      { class: "lead" },
      t("Startups you have already researched. A market analysis can build on one of them."),
    ),
    h("div", { class: "actions" }, add),
    list,
  );

  async function edit(context) {
    if (await startupDialog(context ?? {}, context)) load();
  }

  async function undo(context) {
    try {
      await api.undoContext(context.id);
      announce(t("{name} is back to how it was before its last analysis", { name: context.name }));
    } catch (error) {
      announce(error.detail ?? t("Could not undo this"));
    }
    load();
  }

  async function load() {
    try {
      const { contexts } = await api.contexts(life.signal);
      set("contexts", contexts);
      fill(
        list,
        contexts.length === 0
          ? h("li", { class: "muted empty" }, t("No startups yet. You can save one after a market analysis."))
          : contexts.map(row),
      );
    } catch (error) {
      if (error.name !== "AbortError")
        fill(list, h("li", {}, problemBox(error, { lead: t("Could not load the startups"), retry: load })));
    }
  }

  const row = (one) =>
    h(
      "li",
      { class: "collection startup" },
      h(
        "div",
        { class: "collection-body" },
        h("p", { class: "collection-name" }, one.name),
        one.description ? h("p", {}, one.description) : null,
        h(
          "p",
          { class: "muted" },
          [one.id, one.industry, one.geographical_scope, used(one)].filter(Boolean).join(" · "),
        ),
        lessons(one)
          .slice(-1)
          .map((last) =>
            h(
              "p",
              { class: "muted" },
              t("Learned {date}: {found}", { date: dateAndTime(last.at), found: last.found.join(" ") }),
            ),
          ),
      ),
      lessons(one).length > 0
        ? h(
            "button",
            {
              type: "button",
              "aria-label": t("Undo: what {name} learned last", { name: one.name }),
              on: { click: () => undo(one) },
            },
            t("Undo"),
          )
        : null,
      h(
        "button",
        {
          type: "button",
          "aria-label": t("Edit: the startup {name}", { name: one.name }),
          on: { click: () => edit(one) },
        },
        t("Edit"),
      ),
      h(
        "button",
        {
          type: "button",
          class: "quiet danger-text",
          "aria-label": t("Remove: the startup {name}", { name: one.name }),
          on: {
            click: async () => {
              if (await remove(one)) load().then(view.focus);
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

/** What analyses taught, the oldest first. */
function lessons(one) {
  const learned = one.metadata?.learned;
  return Array.isArray(learned) ? learned.filter((last) => last?.at && Array.isArray(last.found)) : [];
}

const used = (one) =>
  one.last_accessed ? t("last used {date}", { date: dateAndTime(one.last_accessed) }) : null;

function remove(one) {
  return ask({
    title: t("Remove the startup “{name}”?", { name: one.name }),
    body: h("p", {}, t("Earlier analyses do not change.")),
    action: t("Remove"),
    danger: true,
    act: async () => {
      await api.removeContext(one.id);
      announce(t("Startup {name} removed", { name: one.name }));
    },
  });
}

/**
 * Asks for a startup context and saves it.
 * @param {any} given what the fields begin with @param {any} [kept] the one that is changed; a new one without
 * @returns {Promise<boolean>} whether it was saved
 */
export function startupDialog(given, kept = null) {
  const name = field(t("Name"), given.name);
  const id = kept
    ? null
    : field(
        t("Id"),
        given.id ?? idOf(given.name),
        t("Lowercase letters, digits, - and _. Identifies the startup on the command line."),
      );
  const description = field(t("What it does"), given.description, null, "textarea");
  const industry = field(t("Industry"), given.industry);
  const terms = field(
    t("Search terms, one per line"),
    (given.search_terms ?? []).join("\n"),
    null,
    "textarea",
  );
  const place = field(t("Where"), given.geographical_scope);
  // The id follows the name until somebody writes another one.
  let own = Boolean(given.id);
  name.input.addEventListener("input", () => {
    if (id && !own) id.input.value = idOf(name.input.value);
  });
  id?.input.addEventListener("input", () => {
    own = true;
  });
  return ask({
    title: kept ? t("Edit the startup “{name}”", { name: kept.name }) : t("Save as startup context"),
    body: h(
      "div",
      { class: "startup-fields" },
      [name, id, description, industry, terms, place].filter(Boolean).map((one) => one.element),
    ),
    action: t("Save"),
    act: async () => {
      const context = {
        name: name.input.value.trim(),
        description: description.input.value.trim(),
        industry: industry.input.value.trim(),
        search_terms: terms.input.value
          .split("\n")
          .map((one) => one.trim())
          .filter(Boolean),
        geographical_scope: place.input.value.trim(),
        ...(given.metadata ? { metadata: given.metadata } : {}),
      };
      if (!context.name) {
        name.input.focus();
        throw { detail: t("the name is missing"), hint: t("enter a name") };
      }
      if (kept) await api.replaceContext(kept.id, context);
      else
        await api.addContext({ ...context, ...(id.input.value.trim() ? { id: id.input.value.trim() } : {}) });
      set("contexts", null);
      announce(t("Startup {name} saved", { name: context.name }));
    },
  });
}

/** Makes an id of a name. */
function idOf(name) {
  const plain = (name ?? "")
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase();
  return plain
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 64)
    .replace(/-+$/, "");
}

function field(label, value, help = null, tag = "input") {
  const id = freshId("startup");
  const input = h(tag, {
    id,
    ...(tag === "input" ? { type: "text" } : { rows: "3" }),
    value: value ?? "",
    autocomplete: "off",
    "aria-describedby": help ? `${id}-help` : null,
  });
  const element = h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    input,
    help ? h("p", { id: `${id}-help`, class: "field-help" }, help) : null,
  );
  return { element, input };
}
