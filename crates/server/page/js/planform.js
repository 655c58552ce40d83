/**
 * A plan to edit: titles, steps and search terms in place; steps are added and removed by buttons. Who does a step is shown and
 * stays: it binds the step to what is carried out, in the method's own order. Only steps that nobody of the method does are moved.
 */
import { h, fill, announce, freshId } from "./dom.js";
import { icon } from "./icons.js";
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
    field("Title", plan.title, (text) => {
      plan.title = text;
      changed();
    }),
    h("h3", {}, "Steps"),
    steps,
    h(
      "button",
      { type: "button", class: "small", id: "add-step", on: { click: addStep } },
      icon("plus"),
      "Add a step",
    ),
    lines("Search terms, one a line", plan.search_terms, (all) => {
      plan.search_terms = all;
      changed();
    }),
    field("Region", plan.geographical_scope, (text) => {
      plan.geographical_scope = text;
      changed();
    }),
    lines("Focus areas, one a line", plan.focus_areas, (all) => {
      plan.focus_areas = all;
      changed();
    }),
    planFacts([
      ["Time", plan.estimated_duration],
      ["Cost", plan.estimated_cost],
    ]),
  );
  plan.steps ??= [];
  const isBound = plan.steps.some((step) => step.agent_role);

  function drawSteps() {
    fill(
      steps,
      plan.steps.map((step, index) => {
        const number = index + 1;
        const name = `step ${number}`;
        return h(
          "li",
          { class: "plan-edit-step" },
          field(`Name of ${name}`, step.name, (text) => {
            step.name = text;
            changed();
          }),
          lines(
            `What ${name} does`,
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
              ? `Done by: ${roleWords(step.agent_role)}`
              : "A note of yours: no part of the method carries it out.",
          ),
          h(
            "div",
            {
              class: "step-tools",
              role: "group",
              "aria-label": isBound ? `Remove ${name}` : `Move or remove ${name}`,
            },
            isBound ? null : tool("up", `Move ${name} up`, index === 0, () => move(index, -1)),
            isBound
              ? null
              : tool("down", `Move ${name} down`, index === plan.steps.length - 1, () => move(index, 1)),
            tool("trash", `Remove ${name}`, false, () => remove(index)),
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
    announce(`Step moved to place ${index + by + 1} of ${plan.steps.length}`);
  }

  function remove(index) {
    const [step] = plan.steps.splice(index, 1);
    changed();
    drawSteps();
    announce(`Step “${step.name}” removed`);
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
