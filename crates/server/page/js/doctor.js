/** The system check: what runs depend on, whether it works, and what to do where it does not. */
import { h, fill, announce } from "./dom.js";
import { api } from "./api.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { titled } from "./collections.js";
import { problemBox } from "./problems.js";
import { plural, sentence } from "./words.js";

const NAMES = {
  environment: "Environment",
  "data folder": "Data folder",
  database: "Database",
  embedder: "Embedding model",
  bibliography: "References",
  sources: "Sources",
  sandbox: "Sandbox",
  scans: "Scans",
  model: "Model",
};

const STATES = {
  ok: { words: "Works", icon: "check" },
  warn: { words: "Limited", icon: "note" },
  fail: { words: "Does not work", icon: "alert" },
};

/** What is often found missing, as the page says it: by the check and by what the server found or advises. */
const MISSING = {
  embedder: {
    found: "No embedding model. Documents are searched by words.",
    advice: "choose one in the settings, or with --embedder",
  },
  sandbox: {
    found: "Turned off. Proposed code is not executed.",
    advice: "set sandbox.enabled = true to turn it on",
  },
  model: {
    found: "No model. Answers are quotes from your sources.",
    advice: "choose one in the settings, or set QUAESTIO_MODEL",
  },
};
const ADVICE = [
  [/web search|web\.engine/, "to search the web, choose a search engine in the settings"],
  [/contact/, "for faster answers from scholarly services, enter your email address in the settings"],
];
/** Where there is none of what was looked for. */
const NONE = /^(none|no|not set)\b/i;
const UNTRIED = /^(.*); not (?:tried|tested)$/;

/** What was found, and what to do about it, in the reader's language as far as the page knows it. */
function saidOf({ name, state, found, advice }) {
  if (state === "warn" && MISSING[name] && NONE.test(found))
    return { found: t(MISSING[name].found), advice: [t(MISSING[name].advice)] };
  const lines = (advice ?? "").split("; ").filter(Boolean);
  const known = (line) => (name === "sources" ? ADVICE.find(([words]) => words.test(line)) : null);
  const untried = UNTRIED.exec(found)?.[1];
  return {
    found: untried === undefined ? found : t("{found} (not tested)", { found: untried }),
    advice: lines.map((line) => (known(line) ? t(known(line)[1]) : line)),
  };
}

/** The page of the system check. */
export function doctorView() {
  const life = new AbortController();
  const list = h("ul", { class: "checks", "aria-label": t("Checks") });
  const told = h("p", { class: "muted", role: "status" });
  const again = h("button", { type: "button", on: { click: () => check(api.checks) } }, t("Check again"));
  const further = h(
    "button",
    { type: "button", on: { click: () => check(api.checksOverNetwork) } },
    t("Check services too"),
  );
  const view = titled(
    t("System check"),
    h("p", {}, h("a", { href: "#/settings", class: "back" }, icon("back"), t("Settings"))),
    h(
      "p",
      { class: "lead" },
      t(
        "Checks everything that runs depend on. “Check services too” also sends each service the smallest possible request, which may cost a fraction of a cent.",
      ),
    ),
    h("div", { class: "actions" }, again, further),
    told,
    list,
  );

  async function check(call) {
    for (const button of [again, further]) button.disabled = true;
    told.textContent = t("Checking…");
    try {
      const { checks } = await call(life.signal);
      fill(list, checks.map(row));
      const failed = checks.filter((one) => one.state === "fail").length;
      told.textContent =
        failed === 0
          ? t("{checks}: no problems found", { checks: plural(checks.length, "check") })
          : t("{checks}: {failed} failed", { checks: plural(checks.length, "check"), failed });
      announce(told.textContent);
    } catch (error) {
      if (error.name === "AbortError") return;
      told.textContent = "";
      fill(
        list,
        h("li", {}, problemBox(error, { lead: t("The check could not run"), retry: () => check(call) })),
      );
    } finally {
      for (const button of [again, further]) button.disabled = false;
    }
  }

  check(api.checks);
  return { ...view, close: () => life.abort() };
}

function row(one) {
  const state = STATES[one.state] ?? STATES.fail;
  const { found, advice } = saidOf(one);
  return h(
    "li",
    { class: `check ${one.state}` },
    icon(state.icon),
    h(
      "div",
      {},
      h(
        "p",
        { class: "check-head" },
        h("strong", {}, t(NAMES[one.name] ?? one.name)),
        h("span", { class: "check-state" }, t(state.words)),
      ),
      h("p", { class: "check-found" }, found),
      advice.map((line) => h("p", { class: "muted" }, sentence(line))),
    ),
  );
}
