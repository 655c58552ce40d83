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
  embedder: "Embedder",
  bibliography: "References",
  sources: "Sources",
  sandbox: "Sandbox",
  model: "Model",
};

const STATES = {
  ok: { words: "Works", icon: "check" },
  warn: { words: "Could be more", icon: "note" },
  fail: { words: "Does not work", icon: "alert" },
};

/** The page of the system check. */
export function doctorView() {
  const life = new AbortController();
  const list = h("ul", { class: "checks", "aria-label": t("What was checked") });
  const told = h("p", { class: "muted", role: "status" });
  const again = h("button", { type: "button", on: { click: () => check(api.checks) } }, t("Check again"));
  const further = h(
    "button",
    { type: "button", on: { click: () => check(api.checksOverNetwork) } },
    t("Ask the services too"),
  );
  const view = titled(
    t("System check"),
    h("p", {}, h("a", { href: "#/settings", class: "back" }, icon("back"), t("Settings"))),
    h(
      "p",
      { class: "lead" },
      t(
        "Whether everything works that runs depend on. Services on the network are asked only when you want it: each with the smallest call there is, which may cost a fraction of a cent.",
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
          ? t("{checks}: nothing is wrong", { checks: plural(checks.length, "check") })
          : t("{checks}: {failed} failed", { checks: plural(checks.length, "check"), failed });
      announce(told.textContent);
    } catch (error) {
      if (error.name === "AbortError") return;
      told.textContent = "";
      fill(
        list,
        h("li", {}, problemBox(error, { lead: t("The check was not made"), retry: () => check(call) })),
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
  const advice = (one.advice ?? "").split("; ").filter(Boolean);
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
      h("p", { class: "check-found" }, t(one.found)),
      advice.map((line) => h("p", { class: "muted" }, sentence(t(line)))),
    ),
  );
}
