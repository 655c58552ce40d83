/** Charts of a report: each value is said where the pointer or the keyboard is, and the arrow keys lead from one to the next. */
import { h, fill } from "./dom.js";
import { float, place, sink } from "./floating.js";
import { t } from "./i18n.js";

/** @param {HTMLElement} body @param {AbortSignal} signal */
export function dressCharts(body, signal) {
  for (const svg of body.querySelectorAll("svg[role='img']")) dress(svg, signal);
  for (const summary of body.querySelectorAll(".chart-values > summary")) fill(summary, t("Show as a table"));
}

function dress(svg, signal) {
  const points = [...svg.querySelectorAll(":scope > g")].filter((group) => group.querySelector(":scope > title"));
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
  const box = h("div", { class: "chart-value floating", "aria-hidden": "true" });
  let shown = -1;

  function show(at) {
    if (at === shown) return;
    hide();
    shown = at;
    fill(box, said[at]);
    svg.after(box);
    points[at].classList.add("is-shown");
    float(box, points[at]);
  }

  function hide() {
    if (shown < 0) return;
    points[shown].classList.remove("is-shown");
    shown = -1;
    sink(box);
    box.remove();
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
    if (event.key === "Escape") hide();
    if (to === undefined || at < 0) return;
    event.preventDefault();
    const next = Math.max(0, Math.min(last, to));
    points.forEach((point, index) => point.setAttribute("tabindex", index === next ? "0" : "-1"));
    points[next].focus();
  }

  svg.addEventListener("pointermove", (event) => {
    const at = rowAt(event.clientY);
    if (at >= 0) show(at);
    else hide();
  });
  svg.addEventListener("pointerleave", () => {
    const focused = points.indexOf(document.activeElement);
    if (focused >= 0 && points[focused].matches(":focus-visible")) show(focused);
    else hide();
  });
  svg.addEventListener("focusin", (event) => {
    const at = points.indexOf(event.target);
    if (at >= 0) show(at);
  });
  svg.addEventListener("focusout", hide);
  svg.addEventListener("keydown", move);
  addEventListener("scroll", () => shown >= 0 && place(box, points[shown]), {
    signal,
    capture: true,
    passive: true,
  });
  addEventListener("hashchange", hide, { signal });
  signal.addEventListener("abort", hide, { once: true });
}
