/** The examples: questions over documents that come with the program, in sight for who has brought nothing yet. */
import { h, fill } from "./dom.js";
import { api } from "./api.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { methodSays } from "./methodwords.js";
import { get, listen } from "./store.js";
import { showProblem } from "./problems.js";
import { go, runPath } from "./router.js";
import { touch } from "./history.js";
import { freshKey, isExample, loadCollections } from "./composer.js";

/**
 * Shows the examples: open while there is nothing of the reader's own, neither documents nor runs, and folded up from then on.
 * @param {AbortSignal} signal
 */
export function examples(signal) {
  const list = h("ul", { class: "examples-list" });
  const problem = h("div", {});
  const element = h(
    "details",
    { class: "examples", hidden: true },
    h("summary", {}, h("h2", { class: "section-title" }, t("Or try an example"))),
    h(
      "p",
      { class: "muted" },
      t(
        "Answered on this machine in seconds, from documents included with Quaestio. No account, no model, no cost.",
      ),
    ),
    list,
    problem,
  );
  /** @type {Promise<any>|null} */
  let asked = null;

  const known = (runs, all) => runs.every((run) => all.some((one) => one.question === run.question));

  /** Reads the examples once, and shows them. */
  async function read() {
    asked ??= api.examples(signal);
    const { examples: all } = await asked;
    if (list.childElementCount === 0) fill(list, all.map(card));
    return all;
  }

  async function load() {
    const [collections, runs] = [get("collections"), get("runs")];
    if (collections === null || runs === null || !element.hidden) return;
    try {
      if (collections.every((one) => isExample(one.name))) element.open = known(runs, await read());
      element.hidden = false;
    } catch {
      // The page asks as well without them.
    }
  }

  element.addEventListener("toggle", () => {
    if (element.open) read().catch((error) => showProblem(problem, error));
  });

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
      loadCollections(signal);
      const begun = await api.createRun(order, freshKey());
      touch(begun);
      if (!signal.aborted) go(runPath(begun.run_id));
    } catch (error) {
      showProblem(problem, error, { lead: t("Could not run the example") });
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
