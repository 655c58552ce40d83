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
    const kept = t("Everything gathered so far is kept. See Sources and Activity in the panel.");
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
      failed?.retry_attempted ? ` ${t("Two attempts failed.")}` : "",
    ),
    h(
      "p",
      {},
      limit
        ? t(
            "Everything gathered so far is kept. With a higher limit ({setting}), a new run continues from there.",
            { setting: settingOf(failed.message) },
          )
        : t(
            "Everything gathered so far is kept. A new run can start at the failed step without repeating the earlier ones.",
          ),
    ),
    step
      ? h(
          "div",
          { class: "actions" },
          limit ? null : button(t("Retry this step"), true),
          button(t("Retry with other settings"), false),
        )
      : null,
  );
}

/** The setting of a limit, as the dialog of a new run takes it; by the unit in which the engine names it. */
function settingOf(message) {
  const units = {
    max_steps: /\bsteps\b/,
    max_questions: /\bquestions\b/,
    max_tokens: /\btokens\b/,
    max_cost_usd: /\$/,
  };
  const name = Object.keys(units).find((one) => units[one].test(message)) ?? "max_wall_seconds";
  return `budget.${name}`;
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
