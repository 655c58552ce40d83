/**
 * A debate on display: two voices in the order of speech, what is under way, and how it ended.
 *
 * The view goes along with the words only while the reader is where they come; a button leads to the latest otherwise.
 */
import { h, add, fill, announce, scrollerOf, show } from "./dom.js";
import { icon } from "./icons.js";
import { byMark, citations } from "./cite.js";
import { hear, hearWords, list, quoted, silence, titleOf } from "./debate.js";
import { t } from "./i18n.js";
import { plain, plainLine } from "./plain.js";
import { turnView } from "./turn.js";
import { documentPath, runPath } from "./router.js";
import { isLacking, lacking } from "./lacking.js";
import { standing } from "./standing.js";
import { hasEnded, isLimit } from "./words.js";

const ENDINGS = {
  viable: ["Viable solution reached", "check"],
  max_turns: ["Max turns reached", "pause"],
  no_evidence: ["No evidence found", "search"],
  interrupted: ["Debate interrupted", "cross"],
  failed: ["The debate ended early", "alert"],
};
const FAILED = ["The debate failed", "alert"];
const LIMIT = ["Stopped at its limit", "pause"];
/** How near to the latest words a reader goes along with them, in pixels. */
const NEAR = 120;
const AIR = 16;

/** @param {{id: string, seen: number, stop: HTMLElement, signal: AbortSignal}} of `seen`: entries that are the past */
export function debateView({ id, seen, stop, signal }) {
  const debate = silence();
  const views = new Map();
  const marks = new Map();
  let run = null;
  /** The whole result, once there is one. */
  let closing = null;
  let drawing = 0;
  /** Something came that is not the past. */
  let fresh = false;
  let drawn = false;
  let grounded = false;

  const voices = h("ol", { class: "voices" });
  const nobody = h("p", { class: "muted empty" }, t("No turns yet."));
  const ending = h("section", { class: "ending", "aria-labelledby": "ending-title", hidden: true });
  const status = h("p", { class: "debate-status", id: "debate-status", role: "status" });
  const latest = h(
    "button",
    { type: "button", class: "small", id: "to-latest", hidden: true, on: { click: toLatest } },
    icon("down"),
    t("Jump to the latest"),
  );
  const bar = h(
    "div",
    { class: "debate-bar", role: "group", "aria-label": t("Live debate") },
    status,
    h("div", { class: "actions" }, latest, stop),
  );
  const element = h(
    "section",
    { class: "debate", id: "debate", "aria-labelledby": "debate-title" },
    h("h2", { class: "visually-hidden", id: "debate-title" }, t("Debate")),
    nobody,
    voices,
    ending,
    bar,
  );
  const boxes = citations(element, marks, signal);
  const of = {
    here: runPath(id),
    passage: (number) => debate.evidence.get(number),
    placeOf: (number) => {
      const { document_id: document, start, end } = marks.get(String(number)) ?? {};
      return document ? documentPath(document, start ?? null, end ?? null) : null;
    },
    quoted: (turn, quotation) => quoted(debate.turns, turn, quotation),
    lead: (turn) => {
      const view = views.get(turn);
      view?.element.scrollIntoView({ block: "start" });
      view?.head.focus({ preventScroll: true });
    },
  };

  const scroller = () => scrollerOf(document.getElementById("main"));
  /** What of the window shows the debate: less the bar on top, and the one below. */
  function sight() {
    const box = scroller();
    const inner = box === document.scrollingElement;
    const top = inner
      ? document.querySelector("header.bar").getBoundingClientRect().bottom
      : box.getBoundingClientRect().top;
    const bottom = inner ? document.documentElement.clientHeight : box.getBoundingClientRect().bottom;
    return { top, bottom: bar.hidden ? bottom : Math.min(bottom, bar.getBoundingClientRect().top) };
  }
  const newest = () => (ending.hidden ? (views.get(debate.turns.at(-1))?.element ?? nobody) : ending);

  function atLatest() {
    const { top, bottom } = sight();
    const at = newest().getBoundingClientRect();
    return at.bottom <= bottom + NEAR && at.bottom >= top;
  }

  function goAlong() {
    const { top, bottom } = sight();
    const at = newest().getBoundingClientRect();
    if (at.bottom > bottom - AIR) scroller().scrollTop += at.bottom - bottom + AIR;
    else if (at.bottom < top + AIR) scroller().scrollTop -= top + AIR - at.top;
  }

  function toLatest() {
    goAlong();
    show(latest, false);
    drawBar();
    views.get(debate.turns.at(-1))?.head.focus({ preventScroll: true });
  }

  const later = () => {
    drawing ||= setTimeout(draw, 16);
  };

  function draw() {
    drawing = 0;
    if (signal.aborted) return;
    const isShown = element.offsetParent !== null;
    // Who comes to what was said before stands at its beginning.
    const along = fresh && drawn && isShown && atLatest();
    drawn = true;
    let marked = false;
    for (const turn of debate.turns) {
      let view = views.get(turn);
      if (!view) {
        view = turnView(turn, of);
        views.set(turn, view);
        voices.append(view.element);
      }
      const before = view.element.dataset.state;
      if (before !== "checked" && turn.said) {
        noteMarks(turn);
        marked = true;
      }
      view.draw();
      if (fresh && before === "open" && turn.said)
        announce(t("{who}: the checked response is ready", { who: titleOf(turn.who) }));
    }
    if (marked) boxes.label();
    show(nobody, debate.turns.length === 0);
    drawEnding();
    drawBar();
    if (along) goAlong();
    if (isShown) offerLatest();
  }

  function offerLatest() {
    const offered = debate.turns.length > 0 && run !== null && !hasEnded(run.status) && !atLatest();
    if (offered === !latest.hidden) return;
    show(latest, offered);
  }

  /** A turn brings what its marks stand for. */
  function noteMarks(turn) {
    if (closing) return;
    const evidence = [...debate.evidence.values()];
    for (const [number, citation] of byMark(list(turn.said.citations))) {
      const passage = evidence.find((one) => one?.evidence_id === citation.evidence_id);
      const document_id = passage?.provenance?.document_id;
      marks.set(number, { ...citation, document_id });
    }
  }

  function drawEnding() {
    if (!debate.ending) return;
    // Whether it failed shows only once it is known where the run stands.
    if (ending.hidden || ending.dataset.status !== (run?.status ?? "")) drawSummary();
    if (closing && !grounded) {
      grounded = true;
      add(ending, isLacking(run) ? lacking(closing, run) : null, standing(closing, run));
    }
  }

  function drawSummary() {
    // What failed or met a limit nobody has interrupted.
    const early = run?.status === "partial" ? (isLimit(run.error?.message) ? LIMIT : FAILED) : null;
    const [words, sign] = early ?? ENDINGS[debate.ending] ?? ENDINGS.interrupted;
    ending.dataset.ending = debate.ending;
    ending.dataset.status = run?.status ?? "";
    grounded = false;
    const answer = plain(debate.payload?.answer).trim();
    fill(
      ending,
      h("h3", { id: "ending-title", class: "ending-title" }, icon(sign), t(words)),
      answer ? h("p", { class: "ending-answer", dir: "auto" }, answer) : null,
    );
    // Who comes when all is said reads first how it ended; who heard it to the end finds that behind the last turn.
    if (!fresh) voices.before(ending);
    show(ending, true);
  }

  function drawBar() {
    const over = run !== null && hasEnded(run.status);
    const words =
      run?.stopping && !over
        ? t("Interrupting…")
        : run?.status === "queued"
          ? t("Waiting in the queue")
          : run?.status === "waiting"
            ? t("Waiting for you")
            : plainLine(debate.status) || t("Working…");
    if (status.textContent !== words) status.textContent = words;
    show(bar, !over);
    if (over) show(latest, false);
  }

  const onScroll = () => {
    if (element.offsetParent !== null) offerLatest();
  };
  addEventListener("scroll", onScroll, { signal, capture: true, passive: true });
  addEventListener("resize", onScroll, { signal });
  signal.addEventListener("abort", () => clearTimeout(drawing), { once: true });

  return {
    element,
    entry(one) {
      hear(debate, one);
      fresh ||= one.seq > seen;
      later();
    },
    words(piece) {
      hearWords(debate, piece);
      fresh = true;
      later();
    },
    put(next) {
      run = next;
      later();
    },
    /** The whole result is there: marks show the words that they rest on. */
    end(result) {
      closing = result;
      for (const [number, citation] of byMark(result.citations ?? [])) marks.set(number, citation);
      for (const one of element.querySelectorAll("a.cite"))
        one.href = of.placeOf(one.dataset.number) ?? of.here;
      boxes.label();
      later();
    },
  };
}
