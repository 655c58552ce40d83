/** What a run asks a person: a question with options or a field, or a plan to approve. The rest of the page stays usable. */
import { h, fill } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { showProblem } from "./problems.js";
import { draftKeyOf, keep, kept } from "./keep.js";
import { user } from "./store.js";
import { t } from "./i18n.js";
import { optionCards, optionsOf } from "./options.js";
import { planCard } from "./plan.js";
import { questionsCard } from "./questions.js";

/**
 * Keeps the cards in step with the open gates of a run.
 * @param {(run: any) => void} onRun takes the run as it stands after an answer
 */
export function gates(onRun) {
  const place = h("section", { class: "gates", "aria-label": t("Waiting for you"), hidden: true });
  const cards = new Map();
  /** The card of all questions, where they are asked at once. */
  let together = null;

  function put(run) {
    const open = new Map((run.gates ?? []).map((gate) => [gate.gate, gate]));
    putTogether(run, open);
    for (const [name, card] of cards) {
      if (open.has(name)) continue;
      card.element.remove();
      cards.delete(name);
    }
    for (const [name, gate] of open) {
      let card = cards.get(name);
      if (!card) {
        card = gate.plan ? planCard(run.run_id, gate, onRun) : questionCard(run.run_id, gate, onRun);
        cards.set(name, card);
        place.append(card.element);
      }
      card.put?.(gate);
    }
    place.hidden = cards.size === 0 && !together;
  }

  /** Questions that belong together are one card, and leave `open`. */
  function putTogether(run, open) {
    const questions = [...open.values()].filter((gate) => !gate.plan);
    const belong = questions.length > 1 || questions.some((gate) => /^q\d+$/.test(gate.gate));
    if (!belong) {
      together?.element.remove();
      together = null;
      return;
    }
    for (const { gate } of questions) open.delete(gate);
    if (!together) {
      together = questionsCard(run.run_id, onRun);
      place.prepend(together.element);
    }
    together.put(questions);
  }

  return { element: place, put };
}

function questionCard(runId, gate, onRun) {
  const draftKey = draftKeyOf(user(), "answer", runId, gate.gate);
  const problem = h("div", {});
  const field = h("textarea", {
    id: "gate-answer",
    rows: "2",
    "aria-describedby": gate.context ? "gate-why" : null,
    value: kept(draftKey) ?? "",
  });
  const send = h("button", { type: "submit", class: "primary", id: "gate-send" }, t("Send the answer"));
  const { question, options } = optionsOf(gate);
  const form = h(
    "form",
    { class: "card gate", dataset: { gate: gate.gate } },
    h("h2", { class: "card-title" }, icon("person"), t("A question for you")),
    h("label", { for: "gate-answer", class: "gate-question" }, question),
    gate.context
      ? h("p", { id: "gate-why", class: "gate-why" }, t("Why this is asked: {why}", { why: gate.context }))
      : null,
    options.length > 0 ? optionCards(options, question, field, () => form.requestSubmit()) : null,
    field,
    problem,
    h(
      "div",
      { class: "actions gate-actions" },
      send,
      h("span", { class: "muted" }, t("The run is waiting. Waiting costs nothing.")),
    ),
  );
  field.addEventListener("input", () => keep(draftKey, field.value || null));
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const answer = field.value.trim();
    if (!answer) {
      showProblem(problem, {
        detail: t("the answer is empty"),
        hint: t("write a few words. “I don’t know” is fine too"),
      });
      field.focus();
      return;
    }
    send.disabled = true;
    fill(problem);
    try {
      const run = await api.answer(runId, { gate: gate.gate, answer });
      keep(draftKey, null);
      onRun(run);
    } catch (error) {
      showProblem(problem, error, { lead: t("Could not send the answer") });
    } finally {
      send.disabled = false;
    }
  });
  return { element: form };
}
