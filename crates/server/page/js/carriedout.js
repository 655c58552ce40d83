/** A plan against what was done of it: how far each step has come, what was left out, what was added. */
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { duration, plural } from "./words.js";

const SIGNS = { idle: "clock", running: "dots", done: "check", failed: "alert", left: "cross" };

/**
 * @param {ReturnType<import("./entries.js").nothing>} view @param {any} plan the one in force
 * @param {boolean} ended
 * @returns {{told: any, of: (step: any) => HTMLElement, beside: HTMLElement|null}|null} null before it was approved;
 *   `told` changes whenever what is shown does
 */
export function carriedOut(view, plan, ended) {
  const approved = view.plans.filter((one) => one.state === "approved");
  if (approved.length === 0) return null;
  const roles = grouped(view.lines, (line) => line.within);
  const last = view.lines.findLast((line) => line.kind === "step")?.within;
  const states = new Map([...roles].map(([role, lines]) => [role, stateOf(lines, !ended && role === last)]));
  const has = (plan, step) => (plan.steps ?? []).some((one) => one.agent_role === step.agent_role);
  const bound = (steps) => (steps ?? []).filter((step) => step.agent_role);
  const leftOut = bound(approved[0].first.steps).filter((step) => !has(plan, step));
  const added = approved
    .slice(1)
    .flatMap((later, index) => bound(later.plan.steps).filter((step) => !has(approved[index].plan, step)));
  const names = (steps) => steps.map((step) => step.name).join(", ");

  const of = (step) => {
    if (!step.agent_role) return null;
    const { state, words } = states.get(step.agent_role) ?? {
      state: ended ? "left" : "idle",
      words: ended ? t("not done") : t("not started"),
    };
    return h("p", { class: "plan-step-state", dataset: { state } }, icon(SIGNS[state]), words);
  };
  const beside =
    leftOut.length + added.length > 0
      ? h(
          "ul",
          { class: "plan-beside" },
          leftOut.length > 0
            ? h("li", {}, t("Removed from the proposed plan: {steps}", { steps: names(leftOut) }))
            : null,
          added.length > 0
            ? h("li", {}, t("Added during the run, with your approval: {steps}", { steps: names(added) }))
            : null,
        )
      : null;
  const told = [ended, [...states], names(leftOut), names(added)];
  return { told, of, beside };
}

/** The steps among the lines, by what they belong to; in the order in which they began. */
export function grouped(lines, belongs) {
  const groups = new Map();
  for (const line of lines) {
    const group = line.kind === "step" ? belongs(line) : null;
    if (!group) continue;
    if (!groups.has(group)) groups.set(group, []);
    groups.get(group).push(line);
  }
  return groups;
}

/** How long the lines took from the first to the last. */
export function tookWords(lines) {
  const began = Math.min(...lines.map((line) => new Date(line.at).getTime()));
  const ended = Math.max(...lines.map((line) => new Date(line.at).getTime() + (line.milliseconds ?? 0)));
  return duration(ended - began);
}

/** How far lines that belong together have come. `isLatest`: nothing else has begun after them, and the run goes on. */
export function stateOfLines(lines, isLatest) {
  const has = (state) => lines.some((line) => line.state === state);
  if (has("running") || (isLatest && !has("failed"))) return "running";
  if (lines.at(-1).state === "failed") return "failed";
  return has("cancelled") ? "left" : "done";
}

/** How far the steps of a role have come. */
function stateOf(lines, isLatest) {
  const state = stateOfLines(lines, isLatest);
  const done = lines.filter((line) => line.state === "done").length;
  const told = { steps: plural(done, "step"), time: tookWords(lines) };
  const words = {
    running: done > 0 ? t("in progress, {steps} done", told) : t("in progress"),
    failed: t("failed after {steps}, took {time}", told),
    left: t("stopped, {steps} done", told),
    done: t("done, {steps}, took {time}", told),
  };
  return { state, words: words[state] };
}
