/** The examples: for somebody who has brought nothing yet, questions over documents that come with the program. */
import { h, fill } from "./dom.js";
import { api } from "./api.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { methodSays } from "./methodwords.js";
import { get, listen } from "./store.js";
import { showProblem } from "./problems.js";
import { go, runPath } from "./router.js";
import { touch } from "./history.js";

/**
 * Shows the examples as long as there is nothing of the reader's own: neither documents nor runs.
 * @param {AbortSignal} signal
 */
export function examples(signal) {
  const list = h("ul", { class: "examples-list" });
  const problem = h("div", {});
  const element = h(
    "section",
    { class: "examples", "aria-labelledby": "examples-title", hidden: true },
    h("h2", { id: "examples-title", class: "section-title" }, t("Or see it work on an example")),
    h(
      "p",
      { class: "muted" },
      t(
        "Answered on this machine in seconds, from documents that come with it. No account, no model, no cost.",
      ),
    ),
    list,
    problem,
  );
  let asked = false;

  async function load() {
    if (asked || get("collections") === null || get("runs") === null) return;
    if (get("collections").some((one) => !one.name.startsWith("example-"))) {
      element.hidden = true;
      return;
    }
    asked = true;
    try {
      const { examples: all } = await api.examples(signal);
      const questions = new Set(all.map((one) => one.question));
      if (all.length === 0 || get("runs").some((run) => !questions.has(run.question))) return;
      fill(list, all.map(card));
      element.hidden = false;
    } catch {
      // The page asks as well without them.
    }
  }

  function card(example) {
    const method = get("settings").methods.find((one) => one.name === example.method);
    const busy = h(
      "span",
      { class: "example-method" },
      method ? methodSays(method, true).title : example.method,
    );
    const button = h(
      "button",
      {
        type: "button",
        class: "example",
        on: { click: () => run(example, button, busy) },
      },
      busy,
      h("span", { class: "example-question" }, example.question),
      h("span", { class: "example-shows" }, t(example.shows)),
      icon("up"),
    );
    return h("li", {}, button);
  }

  async function run(example, button, busy) {
    if (button.getAttribute("aria-busy")) return;
    const before = busy.textContent;
    button.setAttribute("aria-busy", "true");
    busy.textContent = t("Reading the documents…");
    fill(problem);
    try {
      const { order } = await api.takeExample(example.name);
      const begun = await api.createRun(
        order,
        `example-${crypto.getRandomValues(new Uint32Array(4)).join("-")}`,
      );
      touch(begun);
      if (!signal.aborted) go(runPath(begun.run_id));
    } catch (error) {
      showProblem(problem, error, { lead: t("The example was not run") });
    } finally {
      button.removeAttribute("aria-busy");
      busy.textContent = before;
    }
  }

  listen("collections", load, signal);
  listen("runs", load, signal);
  load();
  return element;
}
