/** The fields of the composer: those that the chosen method and strategy read. */
import { h, fill, freshId } from "./dom.js";
import {
  AS_IT_FITS,
  BUDGET,
  comesFirst,
  fieldsShown,
  methodOf,
  modelOf,
  mustPlan,
  NO_STARTUP,
  OFFLINE,
  sourcesOf,
  strategyOf,
} from "./order.js";
import { get } from "./store.js";
import { count, money, plural, sentence } from "./words.js";

/**
 * Draws the fields into `place` from `draft`; every change goes into `draft` and calls `changed`.
 * @param {HTMLElement} place @param {any} draft @param {any} settings @param {object[]} collections
 * @param {(again: boolean) => void} changed `again` where other fields may appear or vanish
 */
export function drawFields(place, draft, settings, collections, changed) {
  const shown = fieldsShown(draft, settings);
  const method = methodOf(draft, settings);
  const strategy = strategyOf(draft, settings);
  const put = (name, value, again = false) => {
    draft[name] = value;
    changed(again);
  };
  const focused = place.contains(document.activeElement) ? document.activeElement.id : null;
  const open = new Set([...place.querySelectorAll("details[open]")].map((one) => one.dataset.name));

  fill(
    place,
    h(
      "div",
      { class: "field-row" },
      choice(
        "method",
        "Method",
        method?.name,
        settings.methods.map((one) => [one.name, one.title]),
        (value) => put("method", value, true),
      ),
      shown.has("strategy") && method?.strategies?.length
        ? choice(
            "strategy",
            "Strategy",
            strategy?.name,
            method.strategies.map((one) => [one.name, one.title]),
            (value) => put("strategy", value, true),
          )
        : null,
      shown.has("collection")
        ? choice(
            "collection",
            "Collection",
            draft.collection,
            [
              ["", strategy?.needs_collection ? "choose one" : "none"],
              ...collections.map((one) => [one.name, `${one.name} (${plural(one.documents, "document")})`]),
            ],
            (value) => put("collection", value, true),
          )
        : null,
      shown.has("survey")
        ? choice(
            "survey",
            "Survey",
            draft.survey,
            [
              ["", get("surveys")?.length > 0 ? "choose one" : "none yet"],
              ...(get("surveys") ?? []).map((one) => [
                one.name,
                `${one.name} (${plural(one.files.length, "file")})`,
              ]),
            ],
            (value) => put("survey", value, true),
          )
        : null,
      shown.has("loop")
        ? choice(
            "loop",
            "Loop",
            draft.loop,
            [
              ["", "as configured"],
              ["pipeline", "explore, draft and refine"],
              ["simple", "worker and critic"],
            ],
            (value) => put("loop", value),
          )
        : null,
      choice(
        "model",
        "Model",
        modelOf(draft, settings) === null ? OFFLINE : draft.model,
        models(settings),
        (value) => put("model", value, true),
      ),
      shown.has("startup") && get("contexts")?.length > 0
        ? choice(
            "startup",
            "Startup",
            draft.startup,
            [
              [AS_IT_FITS, "as it fits"],
              [NO_STARTUP, "none"],
              ...get("contexts").map((one) => [one.id, one.name]),
            ],
            (value) => put("startup", value),
          )
        : null,
    ),
    h("p", { class: "field-help" }, strategy?.description ?? method?.description ?? ""),
    shown.has("sources") ? sourceToggles(draft, settings, put) : null,
    firstToggles(draft, settings, put),
    shown.has("continue") && draft.goes_on_from ? goesOnToggle(draft, put) : null,
    shown.has("domain") || shown.has("objective") || shown.has("top")
      ? h(
          "div",
          { class: "field-row" },
          shown.has("domain")
            ? text("domain", "Domain", draft.domain, "the field it belongs to", (value) =>
                put("domain", value),
              )
            : null,
          shown.has("objective")
            ? text("objective", "Objective", draft.objective, "what the hypotheses are for", (value) =>
                put("objective", value),
              )
            : null,
          shown.has("top")
            ? number("top", "Written up", draft.top, "default", "1", (value) => put("top", value))
            : null,
        )
      : null,
    shown.has("company")
      ? h(
          "div",
          { class: "field-row" },
          text("company", "Company", draft.company, "the one that the question is about", (value) =>
            put("company", value),
          ),
          shown.has("max_questions")
            ? number("max_questions", "Questions at most", draft.max_questions, "default", "1", (value) =>
                put("max_questions", value),
              )
            : null,
        )
      : null,
    shown.has("depth")
      ? h(
          "div",
          { class: "field-row" },
          choice(
            "depth",
            "Report",
            draft.depth,
            [
              ["", "as configured"],
              ["quick", "quick: a page"],
              ["standard", "standard: a few pages"],
              ["exhaustive", "exhaustive: a survey"],
            ],
            (value) => put("depth", value),
          ),
          number("words", "Words at most", draft.words, "as the depth has", "50", (value) =>
            put("words", value),
          ),
          text("audience", "For", draft.audience, "whom it is written for", (value) =>
            put("audience", value),
          ),
          text("as", "As", draft.as, "a two-page memo", (value) => put("as", value)),
          text("language", "Language", draft.language, "the question's", (value) => put("language", value)),
        )
      : null,
    shown.has("max_turns") || shown.has("url")
      ? h(
          "div",
          { class: "field-row" },
          shown.has("url")
            ? text("url", "Read this page first", draft.url, "https://…", (value) => put("url", value))
            : null,
          shown.has("max_turns")
            ? number("max_turns", "Turns at most", draft.max_turns, "default", "1", (value) =>
                put("max_turns", value),
              )
            : null,
        )
      : null,
    h(
      "div",
      { class: "field-extras" },
      h(
        "details",
        { dataset: { name: "budget" }, open: open.has("budget") },
        h("summary", {}, budgetWords(draft, settings)),
        h(
          "div",
          { class: "field-row" },
          BUDGET.map(({ name, title, step }) =>
            number(
              name,
              title,
              draft[name],
              settings.budget?.[name] === null || settings.budget?.[name] === undefined
                ? "no cap"
                : String(settings.budget[name]),
              step,
              (value) => {
                put(name, value);
                const summary = place.querySelector('[data-name="budget"] > summary');
                if (summary) summary.textContent = budgetWords(draft, settings);
              },
            ),
          ),
        ),
      ),
      shown.has("where")
        ? h(
            "details",
            { dataset: { name: "where" }, open: open.has("where") || draft.where !== "" },
            h("summary", {}, "Only some documents"),
            text(
              "where",
              "Documents with these values",
              draft.where,
              "topic=treatment, period=present",
              (value) => put("where", value),
            ),
          )
        : null,
    ),
  );
  if (focused) place.querySelector(`#${CSS.escape(focused)}`)?.focus();
}

function models(settings) {
  if (settings.models.length === 0) return [[OFFLINE, "Offline, no model"]];
  const usual = settings.default_model;
  return [
    ...(usual ? [["", `${usual} (default)`]] : []),
    ...settings.models
      .filter((one) => one.name !== usual)
      .map((one) => [one.name, one.role === "light" ? `${one.name} (light)` : one.name]),
    [OFFLINE, "Offline, no model"],
  ];
}

function budgetWords(draft, settings) {
  const held = (name) => (draft[name] === "" ? (settings.budget?.[name] ?? null) : Number(draft[name]));
  const caps = [
    held("max_cost_usd") === null ? null : money(held("max_cost_usd")),
    held("max_tokens") === null ? null : `${count(held("max_tokens"))} tokens`,
    held("max_steps") === null ? null : plural(held("max_steps"), "step"),
    held("max_wall_seconds") === null ? null : `${count(held("max_wall_seconds"))} s`,
  ].filter(Boolean);
  return caps.length > 0 ? `Budget: at most ${caps.join(", ")}` : "Budget: no cap";
}

function choice(id, label, value, options, onChange) {
  const select = h(
    "select",
    { id: `field-${id}`, name: id, on: { change: (event) => onChange(event.target.value) } },
    options.map(([name, title]) => h("option", { value: name }, title)),
  );
  select.value = value ?? "";
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return h("div", { class: "field" }, h("label", { for: `field-${id}` }, label), select);
}

const text = (id, label, value, placeholder, onInput) =>
  h(
    "div",
    { class: "field grow" },
    h("label", { for: `field-${id}` }, label),
    h("input", {
      id: `field-${id}`,
      name: id,
      type: "text",
      value,
      placeholder,
      autocomplete: "off",
      on: { input: (event) => onInput(event.target.value) },
    }),
  );

const number = (id, label, value, placeholder, step, onInput) =>
  h(
    "div",
    { class: "field narrow" },
    h("label", { for: `field-${id}` }, label),
    h("input", {
      id: `field-${id}`,
      name: id,
      type: "number",
      min: "0",
      step,
      value,
      placeholder,
      inputmode: "decimal",
      on: { input: (event) => onInput(event.target.value) },
    }),
  );

/** What comes before the method: questions, a plan. */
function firstToggles(draft, settings, put) {
  const toggle = (what, label, why = "") => {
    const id = `first-${what}`;
    const box = h("input", {
      type: "checkbox",
      id,
      disabled: why !== "",
      "aria-describedby": why ? `${id}-why` : null,
    });
    box.checked = comesFirst(what, draft, settings);
    box.addEventListener("change", () => put(what, box.checked));
    return h(
      "span",
      { class: "toggle" },
      box,
      h("label", { for: id }, label),
      why ? h("span", { class: "muted", id: `${id}-why` }, ` (${why})`) : null,
    );
  };
  return h(
    "fieldset",
    { class: "source-toggles", id: "field-first" },
    h("legend", {}, "Before it begins"),
    toggle("clarify", "Ask me first"),
    toggle(
      "plan",
      "Show me a plan first",
      mustPlan(draft, settings) ? "it begins only once you have approved its plan" : "",
    ),
  );
}

/** Whether what the report above cites is read before anything is looked up. */
function goesOnToggle(draft, put) {
  const id = freshId("goes-on");
  const box = h("input", { type: "checkbox", id });
  box.checked = !draft.anew;
  box.addEventListener("change", () => put("anew", !box.checked));
  return h(
    "p",
    { class: "toggle" },
    box,
    h("label", { for: id }, "Go on from this report: what it cites is read first"),
  );
}

function sourceToggles(draft, settings, put) {
  const chosen = new Set(sourcesOf(draft, settings));
  return h(
    "fieldset",
    { class: "source-toggles", id: "field-sources" },
    h("legend", {}, "Sources"),
    settings.sources.map((source) => {
      const id = `source-${source.name}`;
      const box = h("input", {
        type: "checkbox",
        id,
        disabled: !source.available,
        "aria-describedby": source.available ? null : `${id}-why`,
      });
      box.checked = chosen.has(source.name);
      box.addEventListener("change", () => {
        box.checked ? chosen.add(source.name) : chosen.delete(source.name);
        put(
          "sources",
          settings.sources.map((one) => one.name).filter((name) => chosen.has(name)),
          false,
        );
      });
      return h(
        "span",
        { class: "toggle" },
        box,
        h("label", { for: id }, sentence(source.title ?? source.name)),
        source.available
          ? null
          : h("span", { class: "muted", id: `${id}-why` }, ` (${source.why_not ?? "not available"})`),
      );
    }),
  );
}
