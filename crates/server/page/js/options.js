/**
 * The options of a question, where it has any: contexts to choose from, or the companies that it may be about. The engine
 * lists them in the words of the question; what is not in its form is answered in one's own words.
 */
import { h, freshId } from "./dom.js";
import { t } from "./i18n.js";

/** `Which startup is this about: 1. Lex & Co (lex-co), 2. Other (other); or none?` */
const NUMBERED = /: (1\. .+); or (\S+)\?$/;
const ONE_OF_THEM = /(?:^|, )\d+\. (.+?) \(([a-z0-9-]+)\)(?=, \d+\. |$)/g;
/** `Which do you mean? (Lexfold, Paperlane)`, because `What was found differs between Lexfold and Paperlane.` */
const IN_BRACKETS = /^(.+) \(([^()]+, [^()]+)\)$/;

/**
 * @param {{question: string, context: string}} gate
 * @returns {{question: string, options: {label: string, answer: string}[]}} the question without what its options say
 */
export function optionsOf({ question, context }) {
  const numbered = NUMBERED.exec(question);
  if (numbered) {
    const found = [...numbered[1].matchAll(ONE_OF_THEM)];
    const isAlone = (name) => found.filter(([, other]) => other === name).length === 1;
    const named = found.map(([, label, id]) => ({ label, answer: isAlone(label) ? label : id }));
    if (named.length > 0) {
      const options = [...named, { label: t("None of these"), answer: numbered[2] }];
      return { question: `${question.slice(0, numbered.index)}?`, options };
    }
  }
  const among = IN_BRACKETS.exec(question);
  const names = among?.[2].split(", ") ?? [];
  if (names.length > 1 && names.every((name) => context?.includes(name)))
    return { question: among[1], options: names.map((name) => ({ label: name, answer: name })) };
  return { question, options: [] };
}

/**
 * Options as cards, with a field for one's own words behind the last.
 * @param {{label: string, answer: string}[]} options @param {string} label of the group
 * @param {HTMLTextAreaElement} field takes what is chosen @param {() => void} [choose] a tap answers
 */
export function optionCards(options, label, field, choose) {
  field.rows = 1;
  field.placeholder = t("Or in your own words");
  const name = freshId("option");
  const change = (text) => {
    field.value = text;
    field.dispatchEvent(new Event("input"));
  };
  const card = ({ label: said, answer }) => {
    if (choose)
      return h(
        "button",
        {
          type: "button",
          class: "option",
          on: {
            click: () => {
              change(answer);
              choose();
            },
          },
        },
        said,
      );
    const radio = h("input", { type: "radio", name, on: { change: () => change(answer) } });
    radio.checked = field.value === answer;
    field.addEventListener("input", () => {
      radio.checked = field.value === answer;
    });
    return h("label", { class: "option" }, radio, h("span", {}, said));
  };
  return h(
    "div",
    { class: "options", role: choose ? "group" : "radiogroup", "aria-label": label },
    options.map(card),
  );
}
