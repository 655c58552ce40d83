/** What is said of a run that ended before its report was whole: what failed, what is kept, what to do. */
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { isDebate, isLimit, sentence, stepWords } from "./words.js";

/**
 * @param {any} run
 * @param {any} result
 * @param {import("./entries.js").Line[]} lines
 * @param {(step: string, atOnce: boolean) => void} branch
 * @returns {HTMLElement|null} null where the run came to its end
 */
export function endedEarly(run, result, lines, branch) {
  if (run.status === "cancelled") {
    const kept = t("Everything gathered until then is kept: sources and activity stand in the panel.");
    return h(
      "div",
      { class: "early", role: "note" },
      h("p", {}, h("strong", {}, isDebate(run) ? t("Interrupted.") : t("Cancelled.")), " ", kept),
    );
  }
  const failed = run.error ?? result.error;
  if (run.status !== "partial" && !failed) return null;
  const limit = isLimit(failed?.message);
  const step = failed?.stage ? lastStep(lines, failed.stage) : null;
  const button = (text, atOnce) =>
    h("button", { type: "button", class: "small", on: { click: () => branch(step, atOnce) } }, text);
  return h(
    "div",
    { class: "early failed", role: "note" },
    h(
      "p",
      {},
      h("strong", {}, limit ? t("Stopped at its limit.") : headline(failed?.stage)),
      failed?.message ? ` ${closed(begun(failed.message))}` : "",
      failed?.retry_attempted ? ` ${t("It was tried twice.")}` : "",
    ),
    h(
      "p",
      {},
      limit
        ? t("Everything gathered until then is kept. Give it a higher limit and it goes on from this step.")
        : t(
            "Everything gathered until then is kept. A new run can begin at the step that failed; what comes before it is not done again.",
          ),
    ),
    step
      ? h(
          "div",
          { class: "actions" },
          button(t("Try this step again"), true),
          button(t("Try it with other settings"), false),
        )
      : null,
  );
}

const headline = (stage) => (stage ? t("Failed at “{step}”.", { step: stepWords(stage) }) : t("Failed."));

/** A stage is named by its role; the step in the log has a number behind it, and what it belongs to before. */
function lastStep(lines, stage) {
  const of = ({ step }) => step && (step === stage || `/${step}`.includes(`/${stage} #`));
  return lines.findLast(of)?.step ?? null;
}

/** The name of a model keeps its letters. */
const begun = (text) => (/^[^\s/]+\//.test(text) ? text : sentence(text));
const closed = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);
