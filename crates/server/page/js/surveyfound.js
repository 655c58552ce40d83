/** What survey data hold, once they are read: studies, respondents, questions, weights, segments. */
import { h, fill } from "./dom.js";
import { api } from "./api.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { get, listen } from "./store.js";
import { onTaken } from "./upload.js";
import { plural, sentence } from "./words.js";

/** @param {AbortSignal} signal */
export function surveyFound(signal) {
  const element = h("section", {
    class: "survey-found",
    "aria-label": t("What the survey contains"),
    hidden: true,
  });
  let shown = "";
  let asking = 0;

  /** Whether the server has it: a survey that files are on their way into may not be there yet. */
  const isThere = () => get("surveys")?.some((one) => one.name === shown && one.files.length > 0);

  async function read() {
    asking += 1;
    const mine = asking;
    try {
      const state = await api.survey(shown, signal);
      if (mine === asking) put(state);
    } catch (error) {
      if (error.name !== "AbortError" && mine === asking) hide();
    }
  }

  function hide() {
    element.hidden = true;
    fill(element);
  }

  function put({ name, studies, problem }) {
    element.hidden = false;
    fill(
      element,
      h("p", { class: "found-name" }, t("In the survey “{name}”", { name })),
      problem
        ? h("p", { class: "found-problem", role: "note" }, icon("alert"), ` ${sentence(problem)}`)
        : null,
      studies.length > 0 ? h("ul", {}, studies.map(study)) : null,
    );
  }

  onTaken((one) => one.survey === shown && read(), signal);
  listen("surveys", () => element.hidden && isThere() && read(), signal);
  return {
    element,
    /** Shows what a survey holds; an empty name shows nothing. @param {string} name */
    show(name) {
      if (name === shown) return;
      shown = name;
      hide();
      if (isThere()) read();
    },
  };
}

function study({ id, title, respondents, questions, weight, segments, notes }) {
  const facts = [
    plural(respondents, "respondent"),
    plural(questions, "question"),
    weight ? t("weighted by {weight}", { weight }) : t("not weighted"),
  ];
  return h(
    "li",
    {},
    h("p", {}, h("strong", {}, `${id} `), title),
    h("p", { class: "muted" }, facts.join(" · ")),
    segments.length > 0
      ? h("p", { class: "muted" }, t("Segments: {segments}", { segments: segments.join(", ") }))
      : null,
    notes.map((note) => h("p", { class: "muted" }, sentence(note))),
  );
}
