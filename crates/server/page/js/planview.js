/** A plan to read. */
import { h } from "./dom.js";

/** @param {any} plan */
export function planView(plan) {
  const facts = [
    ["Region", plan.geographical_scope],
    ["Time", plan.estimated_duration],
    ["Cost", plan.estimated_cost],
  ].filter(([, text]) => text);
  return h(
    "div",
    { class: "plan-view" },
    plan.title ? h("h3", {}, plan.title) : null,
    h(
      "ol",
      { class: "plan-steps" },
      (plan.steps ?? []).map((step) =>
        h(
          "li",
          {},
          h("p", { class: "plan-step-name" }, step.name),
          step.description ? h("p", {}, step.description) : null,
          step.agent_role || step.estimated_duration
            ? h(
                "p",
                { class: "muted" },
                [step.agent_role, step.estimated_duration].filter(Boolean).join(" · "),
              )
            : null,
        ),
      ),
    ),
    chips("Search terms", plan.search_terms),
    chips("Focus", plan.focus_areas),
    facts.length > 0
      ? h(
          "dl",
          { class: "plan-facts" },
          facts.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]),
        )
      : null,
  );
}

function chips(title, texts) {
  if (!texts?.length) return null;
  return h(
    "div",
    { class: "plan-chips" },
    h("h4", {}, title),
    h(
      "ul",
      {},
      texts.map((text) => h("li", { class: "chip" }, text)),
    ),
  );
}
