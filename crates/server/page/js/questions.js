/** The questions of a run as one card: answered together, in part or not at all. */
import { h, fill, announce } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { t } from "./i18n.js";
import { optionCards, optionsOf } from "./options.js";
import { notify, showProblem } from "./problems.js";
import { draftKeyOf, keep, kept } from "./keep.js";
import { user } from "./store.js";
import { plural } from "./words.js";

/** @param {string} runId @param {(run: any) => void} onRun takes the run as it stands after the answers */
export function questionsCard(runId, onRun) {
  const rows = new Map();
  const list = h("ol", { class: "questions" });
  const title = h("h2", { class: "card-title" });
  const problem = h("div", {});
  const send = h("button", { type: "submit", class: "primary", id: "answers-send" }, t("Send answers"));
  const skip = h(
    "button",
    { type: "button", class: "quiet", id: "answers-skip", on: { click: () => say({}) } },
    t("Skip questions"),
  );
  const element = h(
    "form",
    { class: "card gate questions-card", "aria-label": t("Questions for you"), novalidate: true },
    title,
    h(
      "p",
      { class: "gate-why" },
      t("Answer the ones that matter and leave the rest empty. The run is waiting. Waiting costs nothing."),
    ),
    list,
    problem,
    h("div", { class: "actions gate-actions" }, send, skip),
  );

  const draftKey = (gate) => draftKeyOf(user(), "answer", runId, gate);

  /** @param {boolean} alone a tap on an option of the only question answers it */
  function row({ gate, question: asked, context }, alone) {
    const { question, options } = optionsOf({ question: asked, context });
    const field = h("textarea", {
      id: `answer-${gate}`,
      rows: "2",
      "aria-describedby": context ? `why-${gate}` : null,
      value: kept(draftKey(gate)) ?? "",
      on: {
        input: () => {
          keep(draftKey(gate), field.value || null);
          if (problem.hasChildNodes()) fill(problem);
        },
        keydown: (event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) element.requestSubmit();
        },
      },
    });
    const item = h(
      "li",
      { dataset: { gate } },
      h("label", { for: field.id, class: "gate-question" }, question),
      context
        ? h("p", { id: `why-${gate}`, class: "gate-why" }, t("Why this is asked: {why}", { why: context }))
        : null,
      options.length > 0
        ? optionCards(options, question, field, alone ? () => element.requestSubmit() : undefined)
        : null,
      field,
    );
    return { item, field };
  }

  /** Shows the questions that are open; what was written to those that stay is kept. */
  function put(questions) {
    const open = new Set(questions.map((one) => one.gate));
    for (const [gate, { item }] of rows) {
      if (open.has(gate)) continue;
      item.remove();
      rows.delete(gate);
    }
    for (const question of questions) {
      if (rows.has(question.gate)) continue;
      const made = row(question, questions.length === 1);
      rows.set(question.gate, made);
      list.append(made.item);
    }
    fill(
      title,
      icon("person"),
      questions.length === 1
        ? t("A question for you")
        : t("{questions} for you", { questions: plural(questions.length, "question") }),
    );
  }

  async function say(answers) {
    if (send.disabled) return;
    working(true);
    fill(problem);
    try {
      await api.answerQuestions(runId, answers);
      for (const gate of rows.keys()) keep(draftKey(gate), null);
      announce(Object.keys(answers).length > 0 ? t("Answers sent") : t("Questions skipped"));
      onRun(await api.run(runId));
    } catch (error) {
      // Somebody else was faster, or it was stopped: it is shown as it stands.
      if (error.status === 409) await api.run(runId).then(onRun, () => {});
      const lead = t("Could not send the answers");
      if (element.isConnected) showProblem(problem, error, { lead });
      else if (error.status === 409)
        notify(
          {
            detail: t("these questions are no longer open"),
            hint: t("the page now shows what happened to them"),
          },
          lead,
        );
      else notify(error, lead);
    } finally {
      working(false);
    }
  }

  function working(now) {
    send.disabled = now;
    skip.disabled = now;
    element.setAttribute("aria-busy", String(now));
  }

  element.addEventListener("submit", (event) => {
    event.preventDefault();
    const written = [...rows].map(([gate, { field }]) => [gate, field.value.trim()]);
    const answers = Object.fromEntries(written.filter(([, text]) => text));
    if (Object.keys(answers).length === 0) {
      showProblem(problem, {
        detail: t("no answer has been entered"),
        hint: t("answer at least one question, or skip them"),
      });
      rows.values().next().value?.field.focus();
      return;
    }
    say(answers);
  });

  return { element, put };
}
