/** The composer below a run: open for a follow-up once it has ended, closed and ready while it works or waits. */
import { h, fill } from "./dom.js";
import { composer } from "./composer.js";
import { t } from "./i18n.js";

/** @param {string} id of the run @param {AbortSignal} signal */
export function askOn(id, signal) {
  const element = h("section", { class: "follow-up", "aria-labelledby": "follow-up-title" });
  let asked = null;

  /**
   * Shows the composer, prefilled with what the run was asked over. `options` are those of its first entry, `answer` is what it came to;
   * `more` is what it holds in the place of these, whatever was begun in it.
   */
  function open(run, options, answer = "", more = {}) {
    const isAnew = Object.keys(more).length > 0;
    if ((asked && !isAnew) || signal.aborted) return;
    const preset = { ...presetOf(run, options ?? {}, answer), ...more };
    asked = composer({ place: `follow.${id}`, compact: true, preset, isAnew, signal });
    fill(element, h("h2", { id: "follow-up-title", class: "section-title" }, t("Follow up")), asked.element);
  }

  /** Offers the composer without showing it. `opened` is called when it is wanted. */
  function offer(opened) {
    if (asked) return;
    const details = h(
      "details",
      { class: "ask-on" },
      h("summary", { id: "follow-up-title" }, t("Ask something else")),
    );
    details.addEventListener("toggle", () => {
      if (!details.open || asked) return;
      opened();
      asked?.focus();
    });
    fill(element, details);
  }

  return {
    element,
    open,
    offer,
    focus() {
      element.scrollIntoView({ block: "nearest" });
      asked?.focus();
    },
  };
}

/** What somebody asked and was answered, as a debate is told what was said before it. */
const said = (question, answer) => [
  { role: "user", content: question },
  { role: "assistant", content: answer },
];

function presetOf(run, options, answer) {
  const ownCollection = run.collection && !run.collection.startsWith("run-");
  return {
    method: run.method,
    strategy: run.strategy ?? undefined,
    collection: ownCollection ? run.collection : undefined,
    sources: options.sources?.length > 0 ? options.sources : undefined,
    domain: options.domain || undefined,
    objective: options.objective || undefined,
    where: options.filter,
    goes_on_from: run.strategy === "deep" && run.outcome === "answered" ? run.run_id : undefined,
    history: answer ? [...(options.history ?? []), ...said(run.question, answer)] : undefined,
    max_turns: options.rules?.max_turns,
    offline: run.mode === "offline" ? true : undefined,
    model: run.mode === "model" ? (run.model ?? undefined) : undefined,
  };
}
