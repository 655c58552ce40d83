/** How a problem is shown: what happened and what to do, near its cause, said to screen readers at once. */
import { h, fill } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { sentence } from "./words.js";

/**
 * A box for a problem.
 * @param {any} error @param {{lead?: string, retry?: () => void, link?: Node}} [more] what could not be done; how to try again;
 *   where to go instead
 */
export function problemBox(error, { lead, retry, link } = {}) {
  // What the server says is known in other languages where it says it often.
  const detail = t(error.detail || error.message || "");
  return h(
    "div",
    { class: "problem", role: "alert" },
    icon("alert"),
    h(
      "div",
      {},
      h("p", { class: "problem-detail" }, lead ? `${lead}: ` : "", lead ? detail : sentence(detail)),
      error.hint ? h("p", { class: "problem-hint" }, `${sentence(t(error.hint))}.`.replace("..", ".")) : null,
      link ? h("p", {}, link) : null,
      retry
        ? h("p", {}, h("button", { type: "button", class: "small", on: { click: retry } }, t("Try again")))
        : null,
    ),
  );
}

/** Shows a problem in a place kept for it, or clears the place where there is none. */
export function showProblem(place, error, more) {
  if (error?.name === "AbortError") return;
  fill(place, error ? problemBox(error, more) : null);
}

/** A problem without a better place: below the bar, with a button that puts it away. */
export function notify(error, lead) {
  if (error?.name === "AbortError") return;
  const places = document.getElementById("notices");
  const box = problemBox(error, { lead });
  const close = h(
    "button",
    { type: "button", class: "quiet icon-button", "aria-label": t("Dismiss") },
    icon("cross"),
  );
  close.addEventListener("click", () => box.remove());
  box.append(close);
  while (places && places.children.length > 2) places.firstChild?.remove();
  places?.append(box);
}
