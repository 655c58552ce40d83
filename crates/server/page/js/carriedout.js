/** A plan against what was done of it: how far each step has come, what was left out, what was added. */
import { h } from "./dom.js";
import { icon } from "./icons.js";
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
  const roles = new Map();
  for (const line of view.lines) {
    if (line.kind !== "step" || !line.within) continue;
    const lines = roles.get(line.within) ?? [];
    lines.push(line);
    roles.set(line.within, lines);
  }
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
      words: ended ? "not done" : "not begun",
    };
    return h("p", { class: "plan-step-state", dataset: { state } }, icon(SIGNS[state]), words);
  };
  const beside =
    leftOut.length + added.length > 0
      ? h(
          "ul",
          { class: "plan-beside" },
          leftOut.length > 0 ? h("li", {}, `Left out of what was proposed: ${names(leftOut)}`) : null,
          added.length > 0 ? h("li", {}, `Added while it ran, as approved: ${names(added)}`) : null,
        )
      : null;
  const told = [ended, [...states], names(leftOut), names(added)];
  return { told, of, beside };
}

/** How far the steps of a role have come. */
function stateOf(lines, isLatest) {
  const count = (state) => lines.filter((line) => line.state === state).length;
  const done = count("done");
  if (count("running") > 0 || (isLatest && count("failed") === 0))
    return { state: "running", words: done > 0 ? `under way, ${plural(done, "step")} done` : "under way" };
  const began = Math.min(...lines.map((line) => new Date(line.at).getTime()));
  const ended = Math.max(...lines.map((line) => new Date(line.at).getTime() + (line.milliseconds ?? 0)));
  const took = duration(ended - began);
  if (lines.at(-1).state === "failed")
    return { state: "failed", words: `failed after ${plural(done, "step")}, took ${took}` };
  if (count("cancelled") > 0) return { state: "left", words: `stopped, ${plural(done, "step")} done` };
  return { state: "done", words: `done, ${plural(done, "step")}, took ${took}` };
}
