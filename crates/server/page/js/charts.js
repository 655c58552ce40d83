/** Charts of a report: the value where pointer or keyboard is stands below; arrow keys lead from one to the next. */
import { h, fill } from "./dom.js";
import { t } from "./i18n.js";

/** @param {HTMLElement} body */
export function dressCharts(body) {
  for (const svg of body.querySelectorAll("svg[role='img']")) dress(svg);
  for (const summary of body.querySelectorAll(".chart-values > summary")) fill(summary, t("Show as a table"));
}

function dress(svg) {
  const points = [...svg.querySelectorAll(":scope > g")].filter((group) =>
    group.querySelector(":scope > title"),
  );
  if (points.length === 0) return;
  const title = svg.querySelector(":scope > title")?.textContent ?? "";
  // What is said of each value below would not be reached within a picture.
  svg.setAttribute("role", "group");
  svg.setAttribute("aria-label", title);
  svg.removeAttribute("aria-labelledby");
  svg.querySelector(":scope > title")?.remove();
  svg.querySelector(":scope > desc")?.remove();
  const said = points.map((point, at) => {
    const own = point.querySelector(":scope > title");
    point.setAttribute("role", "img");
    point.setAttribute("aria-label", own.textContent);
    point.setAttribute("tabindex", at === 0 ? "0" : "-1");
    point.classList.add("chart-point");
    const text = own.textContent;
    own.remove();
    return text;
  });
  // Below the chart, where it hides no other value.
  const line = h("p", { class: "chart-value", "aria-hidden": "true" });
  svg.after(line);
  let shown = -1;

  function show(at) {
    if (at === shown) return;
    points[shown]?.classList.remove("is-shown");
    points[at]?.classList.add("is-shown");
    line.textContent = said[at] ?? "";
    shown = at;
  }

  /** The value whose row the pointer is in. */
  function rowAt(y) {
    return points.findIndex((point) => {
      const { top, bottom } = point.getBoundingClientRect();
      return y >= top - 2 && y <= bottom + 2;
    });
  }

  function move(event) {
    const at = points.indexOf(event.target);
    const last = points.length - 1;
    const to = {
      ArrowDown: at + 1,
      ArrowRight: at + 1,
      ArrowUp: at - 1,
      ArrowLeft: at - 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(last, to));
    points.forEach((point, index) => point.setAttribute("tabindex", index === next ? "0" : "-1"));
    points[next].focus();
  }

  /** Which value the keyboard is at. */
  const focused = () => points.findIndex((point) => point.matches(":focus-visible"));

  svg.addEventListener("pointermove", (event) => show(rowAt(event.clientY)));
  svg.addEventListener("pointerleave", () => show(focused()));
  svg.addEventListener("focusin", () => show(focused()));
  svg.addEventListener("focusout", () => show(-1));
  svg.addEventListener("keydown", move);
}
