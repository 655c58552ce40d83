/**
 * The Activity tab: what the run did, line by line, in words. The reader is never scrolled along by force;
 * while they read further up, a button leads to the latest line.
 */
import { h, fill, scrollerOf, show } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { plain } from "./plain.js";
import { duration, money, timeOfDay, tokens } from "./words.js";

const SIGNS = { running: "dots", done: "check", failed: "alert", waiting: "pause", cancelled: "cross" };
const stateWords = (state) =>
  ({
    running: t("in progress"),
    done: t("done"),
    failed: t("failed"),
    waiting: t("waiting for you"),
    cancelled: t("cancelled"),
  })[state];
const KINDS = { run: "clock", note: "note", evidence: "quote", gate: "person", end: "check", step: "dots" };
const RAW_CHARACTERS = 20_000;

/**
 * @param {{canBranch: () => boolean, branch: (line: import("./entries.js").Line, again: boolean) => void, loop: AbortSignal}} to
 */
export function timeline({ canBranch, branch, loop }) {
  const list = h("ol", { class: "timeline" });
  const now = h("p", { class: "timeline-now", hidden: true });
  const latest = h(
    "button",
    { type: "button", class: "latest small", hidden: true, on: { click: toLatest } },
    icon("down"),
    t("Latest"),
  );
  const body = h("div", { class: "activity" }, now, list, latest);
  const rows = new Map();
  let newest = null;

  const atEnd = () => {
    const box = scrollerOf(body);
    return box.scrollHeight - box.scrollTop - box.clientHeight < 80;
  };

  function toLatest() {
    newest?.scrollIntoView({ block: "end" });
    show(latest, false);
  }

  body.addEventListener(
    "scroll",
    () => {
      if (atEnd()) show(latest, false);
    },
    { passive: true },
  );

  const timer = setInterval(() => {
    for (const [, row] of rows)
      if (row.line.state === "running" && row.line.since)
        row.time.textContent = duration(Date.now() - new Date(row.line.since));
  }, 1000);
  loop.addEventListener(
    "abort",
    () => {
      clearInterval(timer);
      clearTimeout(drawing);
    },
    { once: true },
  );

  /** Lines that wait to be drawn, and whether the newest of them belongs to the past. */
  const waiting = new Set();
  let fresh = false;
  let drawing = 0;

  /** Shows a line that is new or has changed. `quiet` while the past is read in. */
  function put(line, quiet = false) {
    waiting.add(line);
    fresh ||= !quiet && !rows.has(line.key);
    drawing ||= setTimeout(drawWaiting, 16);
  }

  /** Draws what has come since, all at once: a long log comes in thousands of lines. */
  function drawWaiting() {
    drawing = 0;
    const isShown = fresh && !body.hidden && body.offsetParent !== null;
    const end = isShown && atEnd();
    const added = [];
    for (const line of waiting) {
      let row = rows.get(line.key);
      if (!row) {
        row = newRow(line);
        rows.set(line.key, row);
        added.push(row.element);
      }
      draw(row, line);
    }
    waiting.clear();
    fresh = false;
    list.append(...added);
    newest = added.at(-1) ?? newest;
    if (!isShown || added.length === 0) return;
    if (!end) show(latest, true);
    else if (scrollerOf(body) === body) body.scrollTop = body.scrollHeight;
  }

  function newRow(line) {
    const element = h("li", { class: "line", dataset: { kind: line.kind } });
    return { element, line, time: h("span", { class: "line-time" }) };
  }

  function draw(row, line) {
    row.line = line;
    const { element } = row;
    const open = element.querySelector("details")?.open ?? false;
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    element.dataset.state = line.state;
    const state = stateWords(line.state);
    const sign =
      line.kind === "step" ||
      line.state === "failed" ||
      line.state === "waiting" ||
      line.state === "cancelled"
        ? SIGNS[line.state]
        : null;
    const figures = [
      line.model && line.model !== "offline" ? line.model : null,
      line.model === "offline" || line.offline ? t("offline, no model") : null,
      line.tokens ? tokens(line.tokens) : null,
      line.costMicros ? money(line.costMicros / 1e6) : null,
    ].filter(Boolean);
    row.time.textContent = line.since
      ? duration(Date.now() - new Date(line.since))
      : line.milliseconds === undefined
        ? ""
        : duration(line.milliseconds);
    fill(
      element,
      h(
        "span",
        { class: "line-sign" },
        icon(sign ?? KINDS[line.kind] ?? "note"),
        state ? h("span", { class: "visually-hidden" }, `${state}: `) : null,
      ),
      h(
        "div",
        { class: "line-body" },
        h("p", { class: "line-title" }, h("span", {}, plain(line.title)), row.time),
        line.details.filter(Boolean).map((detail) => h("p", { class: "line-detail" }, plain(detail))),
        figures.length > 0 ? h("p", { class: "line-figures" }, figures.join(" · ")) : null,
        h("div", { class: "line-tools" }, line.step && canBranch() ? branches(line) : null, raw(line, open)),
      ),
      h("time", { class: "line-at", datetime: line.at }, timeOfDay(line.at)),
    );
    if (focused) element.querySelector(`[data-focus="${focused}"]`)?.focus();
  }

  function branches(line) {
    const failed = line.state === "failed";
    return [
      failed
        ? h(
            "button",
            {
              type: "button",
              class: "small",
              dataset: { focus: "again" },
              on: { click: () => branch(line, true) },
            },
            t("Retry this step"),
          )
        : null,
      h(
        "button",
        {
          type: "button",
          class: "link",
          dataset: { focus: "branch" },
          on: { click: () => branch(line, false) },
        },
        t("Branch from this step"),
      ),
    ];
  }

  /** The entries as they stand in the log, written out only when asked for. */
  function raw(line, open) {
    const text = h("pre", { class: "raw", tabindex: "0", "aria-label": t("Log entries") });
    const write = () => {
      const whole = line.entries.map((entry) => JSON.stringify(entry, null, 1)).join("\n");
      text.textContent =
        whole.length > RAW_CHARACTERS
          ? `${whole.slice(0, RAW_CHARACTERS)}\n${t("… ({number} more characters in the export)", { number: whole.length - RAW_CHARACTERS })}`
          : whole;
    };
    const details = h(
      "details",
      { class: "raw-details" },
      h("summary", { dataset: { focus: "raw" } }, t("Log entry")),
      text,
    );
    details.addEventListener("toggle", () => details.open && write());
    if (open) details.open = true;
    return details;
  }

  return {
    body,
    put,
    /** Draws every line again, when what may be done with them has changed. */
    redraw: () => rows.forEach((row) => draw(row, row.line)),
    /** The line on top: what is asked or done right now. */
    current: (text) => {
      now.textContent = text;
      show(now, text !== "");
    },
  };
}
