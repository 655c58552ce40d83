/** The frame: the history as a column or a drawer, the panel's width, the skip link. */
import { icon } from "./icons.js";
import { kept, keep } from "./keep.js";
import { listen } from "./store.js";
import { t } from "./i18n.js";

const NARROW = matchMedia("(max-width: 1023.98px)");
const LEAST = 280;
/** A source beside the report needs more room than the tabs, and where there is little, that of the history. */
const LEAST_OF_SOURCE = 420;
const ROOM_FOR_HISTORY = 1360;
/** What it has of the window as long as the reader has not chosen. */
const SHARE_OF_SOURCE = 0.38;
const MOST_OF_SOURCE = 720;
const KEY_STEP = 24;

/** What the parts of the frame do when a source is opened beside the report, or closed. @type {Set<(open: boolean) => void>} */
const onSource = new Set();

/** Makes room for a source beside the report, and takes it back. @param {boolean} open */
export function makeRoom(open) {
  document.getElementById("shell").classList.toggle("source-beside", open);
  for (const call of onSource) call(open);
}

/** The history: beside the report where there is room, else a drawer over it. */
export function drawer() {
  const toggle = document.getElementById("history-toggle");
  const shell = document.getElementById("shell");
  const side = document.getElementById("history");
  const scrim = document.getElementById("scrim");
  const main = document.getElementById("main");
  toggle.replaceChildren(icon("menu"));
  let open = !NARROW.matches && kept("history") !== "closed";

  function draw() {
    const over = NARROW.matches && open;
    shell.classList.toggle("with-history", open);
    toggle.setAttribute("aria-expanded", String(open));
    side.inert = !open;
    scrim.hidden = !over;
    main.inert = over;
    document.getElementById("panel").inert = over;
  }

  function set(next, focus = true) {
    open = next;
    if (!NARROW.matches) keep("history", open ? null : "closed");
    draw();
    if (!focus || !NARROW.matches) return;
    if (open) side.querySelector("button, input, a")?.focus();
    else toggle.focus();
  }

  toggle.addEventListener("click", () => set(!open));
  scrim.addEventListener("click", () => set(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && NARROW.matches && open && side.contains(document.activeElement)) set(false);
  });
  NARROW.addEventListener("change", () => {
    open = !NARROW.matches && kept("history") !== "closed";
    draw();
  });
  listen("route", () => {
    if (NARROW.matches && open) set(false, false);
  });
  let tucked = false;
  onSource.add((beside) => {
    const tuck = beside && !NARROW.matches && open && innerWidth < ROOM_FOR_HISTORY;
    if (tuck) open = false;
    else if (!beside && tucked && !NARROW.matches) open = true;
    if (tuck || !beside) tucked = tuck;
    draw();
  });
  draw();
}

/** The border between report and panel: dragged, or moved with the arrow keys. */
export function resizer() {
  const handle = document.getElementById("resizer");
  const shell = document.getElementById("shell");
  /** The tabs and a source each have the width that the reader gave them. */
  const isSource = () => shell.classList.contains("source-beside");
  const least = () => (isSource() ? LEAST_OF_SOURCE : LEAST);
  const most = () => Math.max(least(), Math.floor(innerWidth * 0.5));
  /** As wide as the reader wants it; a window that is too narrow for that for a while changes nothing about it. */
  const given = { panel: Number(kept("panel")), source: Number(kept("source")) };
  const wanted = () =>
    isSource() ? given.source || Math.min(MOST_OF_SOURCE, innerWidth * SHARE_OF_SOURCE) : given.panel || 360;
  let width = wanted();

  function put(next, keeping = true) {
    width = Math.round(Math.min(most(), Math.max(least(), next)));
    shell.style.setProperty("--panel", `${width}px`);
    handle.setAttribute("aria-valuenow", String(width));
    handle.setAttribute("aria-valuemin", String(least()));
    handle.setAttribute("aria-valuemax", String(most()));
    handle.setAttribute("aria-valuetext", t("{count} pixels", { count: width }));
    if (!keeping) return;
    const which = isSource() ? "source" : "panel";
    given[which] = width;
    keep(which, String(width));
  }

  handle.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    handle.classList.add("dragging");
  });
  handle.addEventListener("pointermove", (event) => {
    if (handle.hasPointerCapture(event.pointerId)) put(innerWidth - event.clientX);
  });
  for (const name of ["pointerup", "pointercancel"])
    handle.addEventListener(name, () => handle.classList.remove("dragging"));
  handle.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: width + KEY_STEP, ArrowRight: width - KEY_STEP, Home: most(), End: least() }[
      event.key
    ];
    if (to === undefined) return;
    event.preventDefault();
    put(to);
  });
  addEventListener("resize", () => put(wanted(), false));
  onSource.add(() => put(wanted(), false));
  put(wanted(), false);
}

/** The links that lead past the history: to the report, and to the panel where there is one. */
export function skipLinks() {
  for (const [link, place] of [
    ["skip", "main"],
    ["skip-panel", "panel"],
  ]) {
    document.getElementById(link).addEventListener("click", (event) => {
      event.preventDefault();
      const target = document.getElementById(place);
      (target.querySelector("[role=tab][aria-selected=true]") ?? target).focus();
    });
  }
}
