/** What is said of a run that ended before its report was whole: what failed, what is kept, what to do. */
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { isDebate, sentence, stepWords } from "./words.js";

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
  const step = failed?.stage ? lastStep(lines, failed.stage) : null;
  const button = (text, atOnce) =>
    h("button", { type: "button", class: "small", on: { click: () => branch(step, atOnce) } }, text);
  return h(
    "div",
    { class: "early failed", role: "note" },
    h(
      "p",
      {},
      h(
        "strong",
        {},
        failed?.stage ? t("Ended early at “{step}”.", { step: stepWords(failed.stage) }) : t("Ended early."),
      ),
      failed?.message ? ` ${closed(sentence(failed.message))}` : "",
      failed?.retry_attempted ? ` ${t("It was tried twice.")}` : "",
    ),
    h(
      "p",
      {},
      t(
        "What was done before is kept and shown: the report as far as it came, the sources and the activity.",
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

/** A stage is named by its role; the step in the log has a number behind it. */
function lastStep(lines, stage) {
  const of = (line) => line.step && (line.step === stage || line.step.startsWith(`${stage} #`));
  return lines.findLast(of)?.step ?? null;
}

const closed = (text) => (/[.!?]$/.test(text) ? text : `${text}.`);
