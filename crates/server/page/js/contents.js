/** The contents of a report: beside it where there is room, else in a line above; the section read is marked. */
import { h, scrollerOf } from "./dom.js";
import { t } from "./i18n.js";

/** From this width of the report on the contents stand beside it, in pixels. */
const ROOM = 928;
/** A heading counts as reached this far down what is seen of the report. */
const READ_AT = 0.3;

/**
 * @param {HTMLElement} place the report: its class `with-rail` says that the contents stand beside it
 * @param {{level: number, id: string, text: string}[]} outline
 * @param {(id: string) => HTMLElement|null} headingOf
 * @param {(id: string) => void} lead
 * @param {AbortSignal} signal
 */
export function contents(place, outline, headingOf, lead, signal) {
  const links = outline.map(({ id, text }) => h("a", { href: `#${id}`, class: "contents-link" }, text));
  const rows = links.map((link, at) => h("li", { dataset: { level: outline[at].level } }, link));
  const here = h("span", { class: "contents-here" });
  const nav = h("nav", { "aria-label": t("Contents of the report") }, h("ol", {}, rows));
  const whole = h(
    "details",
    { class: "contents" },
    h("summary", {}, h("strong", {}, t("Contents")), here),
    nav,
  );
  const top = Math.min(...outline.map(({ level }) => level));
  /** The section that was asked for counts as read until the reader moves on. */
  let asked = null;
  let marked = -1;
  let waiting = 0;

  const isBeside = () => place.classList.contains("with-rail");

  links.forEach((link, at) =>
    link.addEventListener("click", (event) => {
      event.preventDefault();
      event.stopPropagation();
      if (!isBeside()) whole.open = false;
      lead(outline[at].id);
      asked = at;
      mark(at);
    }),
  );

  function mark(at) {
    if (at === marked) return;
    marked = at;
    here.textContent = outline[at]?.text ?? "";
    const chapter = chapterOf(outline, at, top);
    rows.forEach((row, index) => {
      row.classList.toggle("near", chapterOf(outline, index, top) === chapter);
      if (index === at) links[index].setAttribute("aria-current", "location");
      else links[index].removeAttribute("aria-current");
    });
    if (isBeside() && at >= 0) keepInSight(nav, rows[at]);
  }

  function look() {
    waiting = 0;
    if (signal.aborted || place.offsetParent === null) return;
    mark(asked ?? reached());
  }

  /** The last heading that has come up to where one reads; the headings stand in their order. */
  function reached() {
    const line = innerHeight * READ_AT;
    let [from, to] = [-1, outline.length - 1];
    while (from < to) {
      const middle = Math.ceil((from + to) / 2);
      const heading = headingOf(outline[middle].id);
      if (heading && heading.getBoundingClientRect().top <= line) from = middle;
      else to = middle - 1;
    }
    return from;
  }

  const later = () => {
    waiting ||= requestAnimationFrame(look);
  };
  const moveOn = () => {
    asked = null;
  };
  addEventListener("scroll", later, { signal, capture: true, passive: true });
  for (const move of ["wheel", "touchmove", "keydown"])
    addEventListener(move, moveOn, { signal, capture: true, passive: true });

  whole.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !whole.open || isBeside()) return;
    whole.open = false;
    whole.querySelector("summary").focus();
  });
  document.addEventListener(
    "pointerdown",
    (event) => {
      if (whole.open && !isBeside() && !whole.contains(event.target)) whole.open = false;
    },
    { signal },
  );

  const watch = new ResizeObserver(() => {
    const beside = place.clientWidth >= ROOM;
    if (beside !== isBeside()) {
      place.classList.toggle("with-rail", beside);
      whole.open = beside;
    }
    later();
  });
  watch.observe(place);
  signal.addEventListener(
    "abort",
    () => {
      watch.disconnect();
      cancelAnimationFrame(waiting);
      place.classList.remove("with-rail");
    },
    { once: true },
  );
  return whole;
}

/** Which heading of the first level a heading stands under. */
function chapterOf(outline, at, top) {
  for (let index = at; index >= 0; index -= 1) if (outline[index].level === top) return index;
  return -1;
}

/** Moves the contents alone, never the report. */
function keepInSight(nav, row) {
  const box = scrollerOf(nav);
  if (box !== nav) return;
  const [seen, at] = [nav.getBoundingClientRect(), row.getBoundingClientRect()];
  if (at.top < seen.top) nav.scrollTop -= seen.top - at.top + 8;
  else if (at.bottom > seen.bottom) nav.scrollTop += at.bottom - seen.bottom + 8;
}
