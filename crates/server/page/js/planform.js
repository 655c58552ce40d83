/**
 * A plan to edit: titles, steps and search terms in place; steps are added and removed by buttons. Who does a step is shown and
 * stays: it binds the step to what is carried out, in the method's own order. Only steps that nobody of the method does are moved.
 */
import { h, fill, announce, freshId } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { planFacts } from "./planview.js";
import { roleWords } from "./words.js";

/**
 * Edits `plan` itself and calls `changed` after each change.
 * @param {any} plan @param {() => void} changed
 */
export function planForm(plan, changed) {
  const steps = h("ol", { class: "plan-edit-steps" });
  const form = h(
    "div",
    { class: "plan-edit" },
    field(t("Title"), plan.title, (text) => {
      plan.title = text;
      changed();
    }),
    h("h3", {}, t("Steps")),
    steps,
    h(
      "button",
      { type: "button", class: "small", id: "add-step", on: { click: addStep } },
      icon("plus"),
      t("Add a step"),
    ),
    lines(t("Search terms, one per line"), plan.search_terms, (all) => {
      plan.search_terms = all;
      changed();
    }),
    field(t("Region"), plan.geographical_scope, (text) => {
      plan.geographical_scope = text;
      changed();
    }),
    lines(t("Focus areas, one per line"), plan.focus_areas, (all) => {
      plan.focus_areas = all;
      changed();
    }),
    planFacts([
      [t("Time"), plan.estimated_duration],
      [t("Cost"), plan.estimated_cost],
    ]),
  );
  plan.steps ??= [];
  const isBound = plan.steps.some((step) => step.agent_role);

  function drawSteps() {
    fill(
      steps,
      plan.steps.map((step, index) => {
        const number = index + 1;
        return h(
          "li",
          { class: "plan-edit-step" },
          field(t("Name of step {number}", { number }), step.name, (text) => {
            step.name = text;
            changed();
          }),
          lines(
            t("What step {number} does", { number }),
            null,
            (_, text) => {
              step.description = text;
              changed();
            },
            step.description ?? "",
          ),
          h(
            "p",
            { class: "plan-edit-role" },
            step.agent_role
              ? t("Done by: {who}", { who: roleWords(step.agent_role) })
              : t("Your own note. No part of the method carries it out."),
          ),
          h(
            "div",
            {
              class: "step-tools",
              role: "group",
              "aria-label": isBound
                ? t("Remove step {number}", { number })
                : t("Move or remove step {number}", { number }),
            },
            isBound
              ? null
              : tool("up", t("Move step {number} up", { number }), index === 0, () => move(index, -1)),
            isBound
              ? null
              : tool("down", t("Move step {number} down", { number }), index === plan.steps.length - 1, () =>
                  move(index, 1),
                ),
            tool("trash", t("Remove step {number}", { number }), false, () => remove(index)),
          ),
        );
      }),
    );
  }

  const tool = (sign, label, disabled, act) =>
    h(
      "button",
      {
        type: "button",
        class: "quiet icon-button",
        "aria-label": label,
        title: label,
        disabled,
        dataset: { tool: sign },
        on: { click: act },
      },
      icon(sign),
    );

  function move(index, by) {
    const [step] = plan.steps.splice(index, 1);
    plan.steps.splice(index + by, 0, step);
    changed();
    drawSteps();
    const row = steps.children[index + by];
    const wanted = row.querySelector(`[data-tool="${by < 0 ? "up" : "down"}"]`);
    (wanted.disabled ? row.querySelector("input") : wanted).focus();
    announce(t("Step moved to position {place} of {all}", { place: index + by + 1, all: plan.steps.length }));
  }

  function remove(index) {
    const [step] = plan.steps.splice(index, 1);
    changed();
    drawSteps();
    announce(t("Step “{name}” removed", { name: step.name }));
    (
      steps.children[Math.min(index, plan.steps.length - 1)]?.querySelector("input") ??
      form.querySelector("#add-step")
    ).focus();
  }

  function addStep() {
    plan.steps.push({ name: "", description: "", agent_role: "", estimated_duration: "" });
    changed();
    drawSteps();
    steps.lastElementChild.querySelector("input").focus();
  }

  drawSteps();
  return form;
}

function field(label, value, onInput) {
  const id = freshId("plan-field");
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    h("input", {
      id,
      type: "text",
      value: value ?? "",
      on: { input: (event) => onInput(event.target.value) },
    }),
  );
}

function lines(label, values, onInput, text = (values ?? []).join("\n")) {
  const id = freshId("plan-field");
  return h(
    "div",
    { class: "field" },
    h("label", { for: id }, label),
    h("textarea", {
      id,
      rows: String(Math.max(2, Math.min(8, text.split("\n").length))),
      value: text,
      on: {
        input: (event) =>
          onInput(
            event.target.value
              .split("\n")
              .map((one) => one.trim())
              .filter(Boolean),
            event.target.value,
          ),
      },
    }),
  );
}
