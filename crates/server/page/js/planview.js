/** A plan to read. */
import { h } from "./dom.js";
import { roleWords } from "./words.js";

/** @param {any} plan @param {(step: any) => any} [also] what is said of a step besides */
export function planView(plan, also = () => null) {
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
                [roleWords(step.agent_role), step.estimated_duration].filter(Boolean).join(" · "),
              )
            : null,
          also(step),
        ),
      ),
    ),
    chips("Search terms", plan.search_terms),
    chips("Focus", plan.focus_areas),
    planFacts([
      ["Region", plan.geographical_scope],
      ["Time", plan.estimated_duration],
      ["Cost", plan.estimated_cost],
    ]),
  );
}

/** Facts as they are given; nothing where there are none. @param {[string, string][]} all */
export function planFacts(all) {
  const facts = all.filter(([, text]) => text);
  if (facts.length === 0) return null;
  return h(
    "dl",
    { class: "plan-facts" },
    facts.map(([name, text]) => [h("dt", {}, name), h("dd", {}, text)]),
  );
}

/** Says what is different in a plan, in words. @returns {string[]} */
export function planChanges(before, after) {
  const words = [];
  const same = (one, other) => JSON.stringify(one ?? "") === JSON.stringify(other ?? "");
  if (!same(before.title, after.title)) words.push(`the title is “${after.title}” now`);
  const named = (plan) => new Map((plan.steps ?? []).map((step) => [step.name, step]));
  const [old, now] = [named(before), named(after)];
  for (const [name, step] of now) {
    if (!old.has(name)) words.push(`the step “${name}” is new`);
    else if (!same(old.get(name), step)) words.push(`the step “${name}” is another`);
  }
  for (const name of old.keys()) if (!now.has(name)) words.push(`the step “${name}” is gone`);
  const kept = [...old.keys()].filter((name) => now.has(name));
  const order = [...now.keys()].filter((name) => old.has(name));
  if (!same(kept, order)) words.push("the steps stand in another order");
  const parts = [
    ["search_terms", "the search terms are others"],
    ["geographical_scope", "the region is another"],
    ["focus_areas", "the focus areas are others"],
    ["estimated_duration", "the estimated time is another"],
    ["estimated_cost", "the estimated cost is another"],
  ];
  for (const [part, said] of parts) if (!same(before[part], after[part])) words.push(said);
  return words;
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
