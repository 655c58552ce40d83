/** The drawer of the composer: the fields that the chosen method and strategy read, each with a line that says what it does. */
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";
import { FIRST, methodSays, strategySays } from "./methodwords.js";
import {
  AS_IT_FITS,
  BUDGET,
  collectionOf,
  comesFirst,
  DEPTHS,
  fieldsShown,
  methodOf,
  modelOf,
  mustPlan,
  NO_COLLECTION,
  NO_STARTUP,
  OFFLINE,
  sourcesOf,
  sourceWords,
  strategyOf,
} from "./order.js";
import { get } from "./store.js";
import { count, money, plural } from "./words.js";

/** So many choices stand side by side; more of them are a list that opens. */
const MOST_CHIPS = 6;

/**
 * Draws the fields into `place` from `draft`; every change goes into `draft` and calls `changed`.
 * @param {HTMLElement} place @param {any} draft @param {any} settings @param {object[]} collections
 * @param {(again: boolean) => void} changed `again` where other fields may appear or vanish
 * @param {{reads: HTMLElement, notes: HTMLElement, methods: any[]}} more what stands at the head and at the foot of the drawer,
 *   and the methods to be chosen in it
 */
export function drawFields(place, draft, settings, collections, changed, { reads, notes, methods }) {
  const shown = fieldsShown(draft, settings);
  const put = (name, value, again = false) => {
    draft[name] = value;
    changed(again);
  };
  const focused = place.contains(document.activeElement) ? document.activeElement.id : null;
  fill(
    place,
    reads,
    methods.length > 0
      ? methodChips(
          methods,
          draft,
          settings,
          changed,
          h("legend", {}, methods.length < settings.methods.length ? t("More methods") : t("Method")),
        )
      : null,
    strategyChips(draft, settings, shown, put),
    materialFields(draft, settings, collections, shown, put),
    reportFields(draft, shown, put),
    questionFields(draft, shown, put),
    firstToggles(draft, settings, shown, put),
    modelChoice(draft, settings, put),
    limitFields(draft, settings, put),
    notes,
  );
  if (focused) place.querySelector(`#${CSS.escape(focused)}`)?.focus();
}

/** The methods that stand beside the question: the first ones, and another one while it is chosen. */
export function methodsBeside(draft, settings) {
  const chosen = methodOf(draft, settings);
  return settings.methods.filter((one) => FIRST.includes(one.name) || one === chosen);
}

/**
 * Methods as chips: what each gives and how long it takes, in one line.
 * @param {any[]} methods @param {any} draft @param {any} settings @param {(again: boolean) => void} changed
 * @param {HTMLElement} legend
 */
export function methodChips(methods, draft, settings, changed, legend) {
  const chosen = methodOf(draft, settings);
  const offline = modelOf(draft, settings) === null;
  return h(
    "fieldset",
    { class: "choices methods" },
    legend,
    methods.map((method) => {
      return chip({
        ...methodSays(method, offline),
        group: "method",
        value: method.name,
        on: method === chosen,
        choose: () => {
          draft.method = method.name;
          changed(true);
        },
      });
    }),
  );
}

/** One choice of several: a radio button whose label is its face. */
function chip({ group, value, title, line = "", time = "", on, choose }) {
  const id = `${group}-${value || "usual"}`;
  const box = h("input", {
    type: "radio",
    id,
    name: group,
    value,
    class: "visually-hidden",
    "aria-labelledby": `${id}-title`,
    "aria-describedby": line ? `${id}-line` : null,
  });
  box.checked = on;
  box.addEventListener("change", () => box.checked && choose());
  return h(
    "label",
    { class: "choice", for: id },
    box,
    h("span", { class: "choice-title", id: `${id}-title` }, title),
    line
      ? h(
          "span",
          { class: "choice-line", id: `${id}-line` },
          line,
          time ? [" ", h("span", { class: "choice-time" }, time)] : null,
        )
      : null,
  );
}

/** A few choices side by side, many of them as a list. @param {[string, string][]} options */
function choice(id, label, value, options, onChange, help = "") {
  if (options.length > MOST_CHIPS) return list(id, label, value, options, onChange, help);
  const known = options.some(([name]) => name === value) ? value : options[0]?.[0];
  return h(
    "fieldset",
    { class: "choices", id: `field-${id}` },
    h("legend", {}, label),
    options.map(([name, title]) =>
      chip({ group: id, value: name, title, on: name === known, choose: () => onChange(name) }),
    ),
    help ? h("p", { class: "field-help" }, help) : null,
  );
}

function list(id, label, value, options, onChange, help) {
  const select = h(
    "select",
    {
      id: `field-${id}`,
      name: id,
      "aria-describedby": help ? `field-${id}-help` : null,
      on: { change: (event) => onChange(event.target.value) },
    },
    options.map(([name, title]) => h("option", { value: name }, title)),
  );
  select.value = value ?? "";
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return h("div", { class: "field" }, h("label", { for: `field-${id}` }, label), select, helpLine(id, help));
}

const helpLine = (id, help) => (help ? h("p", { class: "field-help", id: `field-${id}-help` }, help) : null);

/** @param {{help: string, placeholder?: string}} says */
const text = (id, label, value, { help, placeholder = "" }, onInput) =>
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
      "aria-describedby": `field-${id}-help`,
      on: { input: (event) => onInput(event.target.value) },
    }),
    helpLine(id, help),
  );

/** @param {{help?: string, placeholder?: string, step?: string}} says */
const number = (id, label, value, { help = "", placeholder = "", step = "1" }, onInput) =>
  h(
    "div",
    { class: "field" },
    h("label", { for: `field-${id}` }, label),
    h("input", {
      id: `field-${id}`,
      name: id,
      type: "number",
      min: "0",
      step,
      value,
      placeholder: placeholder || t("default"),
      inputmode: "decimal",
      "aria-describedby": help ? `field-${id}-help` : null,
      on: { input: (event) => onInput(event.target.value) },
    }),
    helpLine(id, help),
  );

const row = (...fields) =>
  fields.some(Boolean) ? h("div", { class: "field-row" }, fields.filter(Boolean)) : null;

/** Where the answer comes from. */
function strategyChips(draft, settings, shown, put) {
  const strategies = methodOf(draft, settings)?.strategies ?? [];
  if (!shown.has("strategy") || strategies.length === 0) return null;
  const strategy = strategyOf(draft, settings);
  return choice(
    "strategy",
    t("Answer from"),
    strategy?.name,
    strategies.map((one) => [one.name, strategySays(one).title]),
    (value) => put("strategy", value, true),
    strategySays(strategy).line,
  );
}

/** What is read: documents, sources, survey data. */
function materialFields(draft, settings, collections, shown, put) {
  const needed = strategyOf(draft, settings)?.needs_collection || shown.has("text");
  return [
    shown.has("collection") && (collections.length > 0 || !needed)
      ? choice(
          "collection",
          t("Collection"),
          collectionOf(draft) || NO_COLLECTION,
          [
            ...(needed && collectionOf(draft) ? [] : [[NO_COLLECTION, t("None")]]),
            ...collections.map((one) => [one.name, `${one.name} (${plural(one.documents, "document")})`]),
          ],
          (value) => put("collection", value, true),
          t("The documents to read. Files you add go into the selected collection."),
        )
      : null,
    shown.has("sources") ? sourceToggles(draft, settings, put) : null,
    shown.has("survey") && get("surveys")?.length > 0
      ? choice(
          "survey",
          t("Survey"),
          draft.survey,
          [
            ...(draft.survey ? [] : [["", t("None")]]),
            ...get("surveys").map((one) => [one.name, `${one.name} (${plural(one.files.length, "file")})`]),
          ],
          (value) => put("survey", value, true),
          t("The survey data to read. Files you add go into the selected survey."),
        )
      : null,
    shown.has("loop")
      ? choice(
          "loop",
          t("Writing process"),
          draft.loop,
          [
            ["", t("As configured")],
            ["pipeline", t("Explore, draft and refine")],
            ["simple", t("Writer and critic")],
          ],
          (value) => put("loop", value),
          t("In three stages, or with one writer and one critic."),
        )
      : null,
    row(
      shown.has("company")
        ? text(
            "company",
            t("Company"),
            draft.company,
            { help: t("If the question is about one company, only documents about it are read.") },
            (value) => put("company", value),
          )
        : null,
      shown.has("where")
        ? text(
            "where",
            t("Filter by metadata"),
            draft.where,
            {
              help: t("Only documents with these values are read."),
              placeholder: "topic=treatment, period=present",
            },
            (value) => put("where", value),
          )
        : null,
      shown.has("url")
        ? text(
            "url",
            t("Read this page first"),
            draft.url,
            {
              help: t("A web page that both scientists read before the first turn."),
              placeholder: "https://…",
            },
            (value) => put("url", value),
          )
        : null,
    ),
    shown.has("startup") && get("contexts")?.length > 0
      ? choice(
          "startup",
          t("Startup"),
          draft.startup,
          [
            [AS_IT_FITS, t("Automatic")],
            [NO_STARTUP, t("None")],
            ...get("contexts").map((one) => [one.id, one.name]),
          ],
          (value) => put("startup", value),
          t("A startup you have already researched. The analysis builds on it."),
        )
      : null,
  ];
}

/** What the report is to be. */
function reportFields(draft, shown, put) {
  if (!shown.has("depth")) return null;
  return [
    choice(
      "depth",
      t("Depth"),
      draft.depth,
      [["", t("As configured")], ...Object.entries(DEPTHS).map(([name, title]) => [name, t(title)])],
      (value) => put("depth", value),
    ),
    row(
      number(
        "words",
        t("Maximum words"),
        draft.words,
        { help: t("For the whole report."), placeholder: t("set by depth"), step: "50" },
        (value) => put("words", value),
      ),
      text(
        "audience",
        t("Audience"),
        draft.audience,
        { help: t("Who will read it, for example a city council.") },
        (value) => put("audience", value),
      ),
      text("as", t("Format"), draft.as, { help: t("For example, a two-page memo.") }, (value) =>
        put("as", value),
      ),
      text(
        "language",
        t("Language"),
        draft.language,
        { help: t("If it differs from the language of the question.") },
        (value) => put("language", value),
      ),
    ),
  ];
}

/** What else a method wants to know. */
function questionFields(draft, shown, put) {
  return row(
    shown.has("domain")
      ? text(
          "domain",
          t("Domain"),
          draft.domain,
          { help: t("The field of research, for example immunology.") },
          (value) => put("domain", value),
        )
      : null,
    shown.has("objective")
      ? text(
          "objective",
          t("Objective"),
          draft.objective,
          { help: t("What the hypotheses are for. They are ranked against it.") },
          (value) => put("objective", value),
        )
      : null,
    shown.has("top")
      ? number(
          "top",
          t("Hypotheses in full"),
          draft.top,
          { help: t("How many of the best hypotheses to write up in full.") },
          (value) => put("top", value),
        )
      : null,
    shown.has("max_questions")
      ? number(
          "max_questions",
          t("Maximum questions"),
          draft.max_questions,
          { help: t("How many questions the run may ask you.") },
          (value) => put("max_questions", value),
        )
      : null,
    shown.has("max_turns")
      ? number(
          "max_turns",
          t("Maximum turns"),
          draft.max_turns,
          { help: t("How many times one scientist proposes and the other reviews.") },
          (value) => put("max_turns", value),
        )
      : null,
  );
}

/** The model that is asked, or none. */
function modelChoice(draft, settings, put) {
  const options = models(settings);
  return choice(
    "model",
    t("Model"),
    modelOf(draft, settings) === null ? OFFLINE : draft.model,
    options,
    (value) => put("model", value, true),
    options.length === 1
      ? t("No model is configured. Answers are quotes from your sources.")
      : t("Offline, answers are quotes from your sources. This costs nothing."),
  );
}

function models(settings) {
  const offline = [OFFLINE, t("Offline, no model")];
  const usual = settings.default_model;
  return [
    ...(usual ? [["", t("{model} (default)", { model: usual })]] : []),
    ...settings.models
      .filter((one) => one.name !== usual)
      .map((one) => [one.name, one.role === "light" ? t("{model} (light)", { model: one.name }) : one.name]),
    offline,
  ];
}

/** Where the run ends with what it has. */
function limitFields(draft, settings, put) {
  const held = (name) => settings.budget?.[name] ?? null;
  const shown = (name) => {
    if (held(name) === null) return t("no limit");
    return name === "max_cost_usd" ? money(held(name)) : count(held(name));
  };
  return h(
    "fieldset",
    { class: "limits", id: "field-budget" },
    h("legend", {}, t("Limits")),
    h(
      "div",
      { class: "field-row" },
      BUDGET.map(({ name, title, step }) =>
        number(name, t(title), draft[name], { placeholder: shown(name), step }, (value) => put(name, value)),
      ),
    ),
    h("p", { class: "field-help" }, t("If a limit is reached, the run ends with what it has so far.")),
  );
}

/** A checkbox with its label, and why it cannot be changed. */
function toggle(id, label, { on, why = "", change }) {
  const box = h("input", {
    type: "checkbox",
    id,
    disabled: why !== "",
    "aria-describedby": why ? `${id}-why` : null,
  });
  box.checked = on;
  box.addEventListener("change", () => change(box.checked));
  return h(
    "span",
    { class: "toggle" },
    box,
    h("label", { for: id }, label),
    why ? h("span", { class: "muted", id: `${id}-why` }, ` (${why})`) : null,
  );
}

/** What comes before the method: questions, a plan, what an earlier report cites. */
function firstToggles(draft, settings, shown, put) {
  const first = (what, label, why = "") =>
    toggle(`first-${what}`, label, {
      on: comesFirst(what, draft, settings),
      why,
      change: (on) => put(what, on),
    });
  return h(
    "fieldset",
    { class: "toggles", id: "field-first" },
    h("legend", {}, t("Before the run starts")),
    first("clarify", t("Ask me first")),
    first(
      "plan",
      t("Show me a plan first"),
      mustPlan(draft, settings) ? t("it starts only after you approve its plan") : "",
    ),
    shown.has("continue") && draft.goes_on_from
      ? toggle("goes-on", t("Continue from this report and read its sources first"), {
          on: !draft.anew,
          change: (on) => put("anew", !on),
        })
      : null,
  );
}

/** Why a source cannot be asked; empty where it can. */
function whyNot({ available, why_not }) {
  if (available) return "";
  if (/sources\.web\.engine/.test(why_not ?? "")) return t("choose a search engine in the settings");
  return why_not ?? t("not available");
}

/** Whom to ask outside. */
function sourceToggles(draft, settings, put) {
  const chosen = new Set(sourcesOf(draft, settings));
  return h(
    "fieldset",
    { class: "toggles", id: "field-sources" },
    h("legend", {}, t("Sources")),
    settings.sources.map((source) =>
      toggle(`source-${source.name}`, sourceWords(source), {
        on: chosen.has(source.name),
        why: whyNot(source),
        change: (on) => {
          on ? chosen.add(source.name) : chosen.delete(source.name);
          put(
            "sources",
            settings.sources.map((one) => one.name).filter((name) => chosen.has(name)),
          );
        },
      }),
    ),
  );
}
