/**
 * The settings: those of this browser, and those of the server, where the reader may change them.
 * A key that is sent to the server never comes back: it only says that there is one.
 */
import { h, fill, announce, freshId } from "./dom.js";
import { api } from "./api.js";
import { get, set } from "./store.js";
import { LANGUAGES, chooseLanguage, chosenLanguage, t } from "./i18n.js";
import { icon } from "./icons.js";
import { ask } from "./dialog.js";
import { titled } from "./collections.js";
import { problemBox, showProblem } from "./problems.js";
import { SCHEMES, onScheme, scheme, setScheme } from "./scheme.js";
import { duration, plural, sentence } from "./words.js";

/** What is set of the server: its settings and key by section. `try` is what can be tried of it. */
const SECTIONS = [
  {
    title: "Model",
    lead: "Writes and checks answers. Without a model, Quaestio answers by quoting your sources.",
    fields: [
      {
        key: "models.main",
        label: "Model",
        help: "provider/name, for example openai/gpt-4.1-mini or ollama/qwen3:8b",
      },
      { key: "models.light", label: "Model for small tasks", help: "Leave empty to use the same model." },
      {
        key: "models.base_url",
        label: "Address",
        help: "Only for your own server, for example http://localhost:8080/v1. Leave empty to use the provider’s address.",
      },
    ],
    own: "model",
    keyLabel: "API key for the model’s provider",
    tried: "model",
  },
  {
    title: "Embedding model",
    lead: "Compares documents with questions by meaning. Without one, Quaestio searches by words. A collection keeps the embedding model it was created with.",
    fields: [
      {
        key: "embedder.model",
        label: "Embedding model",
        help: "for example openai/text-embedding-3-small, or a model on the server",
      },
      { key: "embedder.base_url", label: "Address", help: "Only for your own server." },
    ],
    own: "embedder",
    keyLabel: "API key for the embedding model’s provider",
    tried: "embedder",
  },
  {
    title: "Web and papers",
    lead: "Searching papers needs no key. Searching the web needs a search engine.",
    fields: [
      { key: "sources.web.engine", label: "Search engine", choices: "engines", none: "none" },
      { key: "sources.web.base_url", label: "Address", help: "For SearXNG: the address of your instance." },
      {
        key: "sources.contact",
        label: "Contact",
        help: "Your email address. Scholarly services ask for one and respond faster if they get it.",
      },
    ],
    own: "web",
    keyLabel: "API key for the search engine",
  },
  {
    title: "Run limits",
    lead: "The most a run may use, unless you set other limits for it. 0 means no limit.",
    fields: [
      { key: "budget.max_cost_usd", label: "Cost in US dollars", number: true },
      { key: "budget.max_tokens", label: "Tokens", number: true },
      { key: "budget.max_steps", label: "Steps", number: true },
      { key: "budget.max_wall_seconds", label: "Seconds", number: true },
    ],
  },
];

const OUTCOMES = {
  works: "It works.",
  misconfigured: "It is not set up correctly.",
  unreachable: "No response.",
  key_refused: "The service rejected the API key.",
  limited: "Your account has reached a limit at this service.",
  unknown_model: "The service does not know the model.",
  unsuitable: "It answered, but not in the format that Quaestio needs.",
  failed: "The service reported a failure.",
};

/** What to do about a trial that failed. */
const ADVICE = {
  misconfigured: "correct the name, the API key or the address",
  unreachable: "check the address, and that the service is running there",
  key_refused: "check the API key",
  limited: "check the limits and the credit of your account",
  unknown_model: "check the name and the address",
  unsuitable: "choose another model",
  failed: "try again later",
};

/** The page of the settings. */
export function settingsView() {
  const life = new AbortController();
  const server = h("div", { class: "settings-server" }, h("p", { class: "muted empty" }, t("Loading…")));
  const view = titled(t("Settings"), here(life.signal), server);
  /** Whether what was typed was not saved. */
  let dirty = () => false;

  async function load() {
    try {
      const told = await api.configuration(life.signal);
      if (told.may_change) ({ dirty } = serverForm(server, told, life.signal));
      else fill(server, closed(told.why_not));
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(server, problemBox(error, { lead: t("Could not load the server settings"), retry: load }));
    }
  }

  const leaving = (event) => {
    if (dirty()) event.preventDefault();
  };
  addEventListener("beforeunload", leaving, { signal: life.signal });
  load();
  return { ...view, close: () => life.abort() };
}

/** What concerns this browser alone. */
function here(signal) {
  const language = choice(t("Language of the page"), [
    ["", t("same as browser")],
    ...Object.entries(LANGUAGES),
  ]);
  language.input.value = chosenLanguage();
  language.input.addEventListener("change", () => chooseLanguage(language.input.value));
  for (const option of language.input.options) if (option.value) option.lang = option.value;
  const names = { system: t("same as system"), light: t("light"), dark: t("dark") };
  const colours = choice(
    t("Colours"),
    SCHEMES.map((name) => [name, names[name]]),
  );
  const show = () => {
    colours.input.value = scheme();
  };
  colours.input.addEventListener("change", () => setScheme(colours.input.value));
  onScheme(show, signal);
  show();
  return section(
    t("This browser"),
    h("div", { class: "settings-fields" }, language.element, colours.element),
    signedIn(),
    h(
      "p",
      { class: "field-help" },
      t("Reports are written in the language of the question, unless you choose another one."),
    ),
  );
}

/** Who is signed in, and the way out: on a phone the bar has no room for it. */
function signedIn() {
  const session = get("session");
  if (session?.authentication !== "token") return null;
  const leave = () => document.getElementById("sign-out").click();
  return h(
    "p",
    { class: "signed-in" },
    t("Signed in as {user}", { user: session.user }),
    h("button", { type: "button", on: { click: leave } }, t("Sign out here")),
  );
}

function closed(why) {
  return section(
    t("Server"),
    h("p", {}, sentence(t(why ?? ""))),
    h("p", { class: "muted" }, t("The administrator of this server manages its models, keys and limits.")),
  );
}

/** The form of the server's settings, drawn anew from what the server says of them. */
function serverForm(place, told, signal) {
  let fields = [];
  const problem = h("div", {});
  const save = h("button", { type: "submit", class: "primary" }, t("Save"));
  const pending = h("span", { class: "muted", role: "status", tabindex: "-1" });
  const bar = h("div", { class: "settings-bar" }, save, pending);
  const form = h("form", {
    class: "settings-form",
    novalidate: true,
    "aria-label": t("Server settings"),
  });
  const changed = () => fields.filter((field) => field.changed());

  function draw(next, saved = "") {
    fields = [];
    const parts = SECTIONS.map((one) => {
      const own = one.fields.map((field) => settingField(field, next));
      if (one.own) own.push(keyField(one, next, () => forget(one.own)));
      fields.push(...own);
      return section(
        t(one.title),
        h("p", { class: "muted" }, t(one.lead)),
        h(
          "div",
          { class: "settings-fields" },
          own.map((field) => field.element),
        ),
        one.tried ? trial(one.tried) : null,
      );
    });
    fill(
      form,
      parts,
      problem,
      bar,
      h(
        "p",
        { class: "field-help" },
        t(
          "Changes apply to new runs. Runs in progress keep their settings. A separate worker process reads the settings when it starts.",
        ),
      ),
      h("p", {}, h("a", { href: "#/doctor", class: "button" }, icon("check"), t("Check the system"))),
    );
    count(saved);
  }

  function count(saved = "") {
    const number = changed().length;
    save.disabled = number === 0;
    pending.textContent =
      number === 0 ? saved : t("{changes} not saved", { changes: plural(number, "change") });
  }

  async function forget(own) {
    const next = await api.changeConfiguration({ keys: { [own]: null } });
    if (!signal.aborted) draw(next, t("Saved"));
  }

  /** Saves what was typed. @returns {Promise<boolean>} whether the server has it now */
  async function change() {
    const order = { values: {}, keys: {} };
    for (const field of changed()) field.put(order);
    showProblem(problem, null);
    save.disabled = true;
    try {
      const next = await api.changeConfiguration(order);
      if (signal.aborted) return true;
      draw(next, t("Saved"));
      announce(t("Settings saved"));
      set("settings", await api.settings());
      return true;
    } catch (error) {
      showProblem(problem, error, { lead: t("Could not save the settings") });
      count();
      return false;
    }
  }

  /** The button that makes the smallest call there is, and what came of it. */
  function trial(what) {
    const outcome = h("div", { class: "tryouts", role: "status" });
    const button = h("button", { type: "button", on: { click: tryIt } }, t("Test it"));
    async function tryIt() {
      if (changed().length > 0 && !(await change())) return;
      // Saving drew the form anew: what comes is shown in the place that stands there now.
      const shown = form.querySelector(`[data-trial="${what}"]`);
      const [pressed, told] = [shown.querySelector("button"), shown.querySelector(".tryouts")];
      pressed.disabled = true;
      fill(told, h("p", { class: "muted" }, t("Testing…")));
      try {
        const { trials } = await api.tryOut(what);
        fill(
          told,
          trials.length === 0
            ? h("p", { class: "muted" }, t("Nothing is set, so there is nothing to test."))
            : trials.map(trialLine),
        );
      } catch (error) {
        showProblem(told, error, { lead: t("The test could not run") });
      }
      pressed.disabled = false;
      pressed.focus();
    }
    return h("div", { class: "tryout", dataset: { trial: what } }, button, outcome);
  }

  form.addEventListener("input", () => count());
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (changed().length === 0) return;
    change().then((saved) => {
      // The button has nothing left to do.
      if (saved) pending.focus({ preventScroll: true });
    });
  });
  draw(told);
  fill(place, form);
  return { dirty: () => changed().length > 0 };
}

/** What a trial came to. */
function trialLine(one) {
  const works = one.outcome === "works";
  return h(
    "div",
    { class: `tryout-line ${works ? "good" : "bad"}` },
    icon(works ? "check" : "alert"),
    h(
      "div",
      {},
      h(
        "p",
        {},
        h("strong", {}, one.name),
        " · ",
        t(OUTCOMES[one.outcome] ?? one.outcome),
        works ? ` (${duration(one.milliseconds)})` : "",
      ),
      one.error ? h("p", { class: "muted" }, one.error) : null,
      one.advice
        ? h(
            "p",
            {},
            t("To fix this: {advice}", { advice: ADVICE[one.outcome] ? t(ADVICE[one.outcome]) : one.advice }),
          )
        : null,
    ),
  );
}

/** A setting of the server. */
function settingField({ key, label, help, number, choices, none }, told) {
  const one = told.settings.find((each) => each.key === key);
  const held = String(one.value ?? "");
  const made = choices
    ? choice(t(label), [["", t(none)], ...told[choices].map((name) => [name, name])])
    : text(t(label), number ? { type: "text", inputmode: "decimal" } : { type: "text" });
  made.input.value = held;
  made.input.dataset.key = key;
  const usual = String(one.default ?? "");
  const notes = [
    help && !one.fixed ? t(help) : null,
    one.fixed ? fixedWords(one) : null,
    number && !one.fixed ? t("Default: {value}.", { value: usual }) : null,
  ];
  describe(made, notes);
  if (one.fixed) lock(made.input);
  const typed = () => made.input.value.trim();
  return {
    element: made.element,
    changed: () => typed() !== held.trim(),
    put({ values }) {
      // What is as it usually is is not kept.
      if (typed() === usual) values[key] = null;
      else values[key] = number ? numberOf(typed()) : typed();
    },
  };
}

/** A number as people write it, with a comma or a point; what is none is left to the server to refuse. */
function numberOf(typed) {
  const number = Number(typed.replace(",", "."));
  return typed !== "" && Number.isFinite(number) ? number : typed;
}

/** Why a setting is not changed here, in words. */
function fixedWords({ set_by: by, place }) {
  if (by === "default" || by === "page")
    return t(
      "The API key for this service comes from the environment. It is never sent to an address set here.",
    );
  return t("Set by {place}. Change it there.", { place: placeWords(by, place) });
}

function placeWords(by, place) {
  if (by === "command_line") return t("the command line");
  if (by === "environment")
    return t("the environment ({name})", { name: place.replace(/^environment /, "") });
  return t("the configuration ({name})", { name: place });
}

/** The key of a service: typed, sent, and not seen again. */
function keyField({ own, keyLabel }, told, forget) {
  const one = told.keys.find((each) => each.name === own);
  const made = text(t(keyLabel), { type: "password", autocomplete: "off" });
  made.input.dataset.key = own;
  const service = one.service ?? "";
  if (one.set_by === "environment") {
    describe(made, [
      t("The API key is set by the environment ({name}). Change it there.", { name: one.place }),
    ]);
    lock(made.input);
  } else if (one.set_by === "page") {
    made.input.placeholder = "••••••••";
    describe(made, [t("An API key for {service} is stored. Enter a new one to replace it.", { service })]);
    made.element.append(
      h(
        "button",
        { type: "button", class: "link forget", on: { click: () => forgetKey(service, forget) } },
        t("Remove the key"),
      ),
    );
  } else
    describe(made, [
      one.is_needed ? t("{service} requires an API key.", { service }) : null,
      t("The server stores it, sends it only to this service and never shows it again."),
    ]);
  return {
    element: made.element,
    changed: () => made.input.value.trim() !== "",
    put({ keys }) {
      keys[own] = made.input.value.trim();
    },
  };
}

function forgetKey(service, forget) {
  ask({
    title: t("Remove the key for {service}?", { service }),
    body: h("p", {}, t("Requests to this service fail until you enter a new one.")),
    action: t("Remove the key"),
    danger: true,
    act: forget,
  });
}

const section = (title, ...parts) => {
  const id = freshId("section");
  return h(
    "section",
    { class: "card settings-section", "aria-labelledby": id },
    h("h2", { id }, title),
    parts,
  );
};

function field(label, input, id) {
  return h("div", { class: "field" }, h("label", { for: id }, label), input);
}

function text(label, attributes) {
  const id = freshId("setting");
  const input = h("input", {
    id,
    autocomplete: "off",
    spellcheck: "false",
    autocapitalize: "off",
    ...attributes,
  });
  return { input, element: field(label, input, id) };
}

function choice(label, options) {
  const id = freshId("setting");
  const input = h(
    "select",
    { id },
    options.map(([value, words]) => h("option", { value }, words)),
  );
  return { input, element: field(label, input, id) };
}

function describe({ input, element }, notes) {
  const said = notes.filter(Boolean);
  if (said.length === 0) return;
  const id = `${input.id}-help`;
  input.setAttribute("aria-describedby", id);
  element.append(h("p", { id, class: "field-help" }, said.join(" ")));
}

/** What is set elsewhere can be read and copied here, and not changed. */
function lock(input) {
  if (input.tagName === "SELECT") input.disabled = true;
  else input.readOnly = true;
}
