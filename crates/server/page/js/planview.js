/** A plan to read. */
import { h } from "./dom.js";
import { t } from "./i18n.js";
import { roleWords } from "./words.js";

/** How the engine words that nothing is known of how long a step takes. */
const NO_HISTORY = "no history yet";

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
          factsOf(step),
          also(step),
        ),
      ),
    ),
    chips(t("Search terms"), plan.search_terms),
    chips(t("Focus"), plan.focus_areas),
    planFacts([
      [t("Region"), plan.geographical_scope],
      [t("Time"), plan.estimated_duration],
      [t("Cost"), plan.estimated_cost],
    ]),
  );
}

/** Who does a step, and how long that took before; of a step that was never done nothing is said. */
function factsOf({ agent_role: role, estimated_duration: time }) {
  const facts = [roleWords(role), time === NO_HISTORY ? "" : time].filter(Boolean);
  return facts.length > 0 ? h("p", { class: "muted" }, facts.join(" · ")) : null;
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
  if (!same(before.title, after.title)) words.push(t("the title is now “{title}”", { title: after.title }));
  const named = (plan) => new Map((plan.steps ?? []).map((step) => [step.name, step]));
  const [old, now] = [named(before), named(after)];
  for (const [name, step] of now) {
    if (!old.has(name)) words.push(t("the step “{name}” was added", { name }));
    else if (!same(old.get(name), step)) words.push(t("the step “{name}” changed", { name }));
  }
  for (const name of old.keys()) if (!now.has(name)) words.push(t("the step “{name}” was removed", { name }));
  const kept = [...old.keys()].filter((name) => now.has(name));
  const order = [...now.keys()].filter((name) => old.has(name));
  if (!same(kept, order)) words.push(t("the order of the steps changed"));
  const parts = [
    ["search_terms", t("the search terms changed")],
    ["geographical_scope", t("the region changed")],
    ["focus_areas", t("the focus areas changed")],
    ["estimated_duration", t("the estimated time changed")],
    ["estimated_cost", t("the estimated cost changed")],
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
