/**
 * A run on display: head, what it asks, the work as it goes on and the draft while it is written, the checked report, the
 * composer for what follows.
 */
import { h, fill, scrollerOf, show, announce, debounce } from "./dom.js";
import { api } from "./api.js";
import { set, get } from "./store.js";
import { follow } from "./live.js";
import { nothing, take } from "./entries.js";
import { draftBox } from "./draftbox.js";
import { sectionsView } from "./sections.js";
import { workingView } from "./working.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { runHead } from "./runhead.js";
import { gates } from "./gates.js";
import { panel } from "./panel.js";
import { showReport } from "./report.js";
import { debateView } from "./debateview.js";
import { problemBox, notify } from "./problems.js";
import { branchFrom, again } from "./fork.js";
import { askOn } from "./askon.js";
import { endedEarly } from "./early.js";
import { learned } from "./learned.js";
import { touch } from "./history.js";
import { hasEnded, isDebate, isLive, isOlder, sentence, statusWords } from "./words.js";

const AGAIN_MILLISECONDS = 1000;
/** How long a run that waits for its turn is left alone before it is looked at again. */
const QUEUED_MILLISECONDS = 3_000;

/** What a `state` event tells of a run. */
const stateOf = ({ status, tokens, cost_usd, entries, stopping }) => ({
  status,
  tokens,
  cost_usd,
  entries,
  stopping,
});

/**
 * @param {string} id
 * @param {HTMLElement} side where the panel goes
 */
export function runView(id, side) {
  const life = new AbortController();
  const { signal } = life;
  let run = null;
  /** Entries that the last whole answer knew of; `state` events tell of later ones, and of less. */
  let whole = 0;
  const view = nothing();
  let ended = false;
  let shown = null;
  /** It ended before there was anything to report: how far it came stays. */
  let unfinished = false;
  /** The debate on display; null for what is no debate. */
  let talk = null;
  let begin = () => {};
  const begun = new Promise((resolve) => {
    begin = resolve;
  });

  const head = runHead({ onRun: put, followUp: () => followUp(), view, loop: signal });
  const asks = gates(put);
  const right = panel({
    canBranch: () => run !== null && !isLive(run.status),
    branch: (line, atOnce) => branch(line.step, atOnce),
    loop: signal,
  });
  const lost = h(
    "p",
    { class: "lost", role: "status", hidden: true },
    t("Connection lost. Reconnecting… What you see is kept."),
  );
  const working = workingView({ toSources: () => jump("sources") });
  const sections = sectionsView();
  const draft = draftBox();
  const trouble = h("div", {});
  const report = h("article", { class: "report", id: "report", "aria-label": t("Report") });
  const part = (name, sign, act) =>
    h("button", { type: "button", class: "quiet", on: { click: act } }, icon(sign), h("span", {}, name));
  const jumps = h(
    "nav",
    { class: "jumps", "aria-label": t("Parts of this run") },
    part(t("Report"), "note", back),
    part(t("Sources"), "quote", () => jump("sources")),
    part(t("Activity"), "clock", () => jump("activity")),
    part(t("Plan"), "check", () => jump("plan")),
  );
  const keepsake = h("div", {});
  const below = askOn(id, signal);
  const element = h(
    "div",
    { class: "run", dataset: { run: id } },
    head.element,
    lost,
    asks.element,
    trouble,
    working.element,
    sections.element,
    draft.element,
    report,
    keepsake,
    below.element,
    jumps,
  );
  fill(side, right.element);

  /** Where the reader was before they went to the panel below; null while they are above it. */
  let place = null;
  const isAbove = () => side.getBoundingClientRect().top > innerHeight / 2;

  function jump(tab) {
    if (isAbove()) place = scrollerOf(document.getElementById("main")).scrollTop;
    right.choose(tab);
    side.scrollIntoView({ block: "start" });
    side.querySelector(`#tab-${tab}`)?.focus({ preventScroll: true });
  }

  /** Goes back to where the reader was, or to the top from there. */
  function back() {
    scrollerOf(document.getElementById("main")).scrollTop = isAbove() ? 0 : (place ?? 0);
    head.focus();
  }

  /**
   * Takes a whole answer of the server. One that is older than another is nothing new; one that is older than a `state`
   * event is, but not about what the event told.
   */
  function put(next) {
    if (signal.aborted || !next || (next.entries ?? 0) < whole) return;
    if (run && hasEnded(run.status) && !hasEnded(next.status)) return;
    whole = next.entries ?? 0;
    display(run && isOlder(next, run) ? { ...next, ...stateOf(run) } : next);
  }

  /** Takes a `state` event. */
  function putState(state) {
    if (isOlder(state, run)) return;
    if (hasEnded(state.status)) reload();
    else display({ ...run, ...state });
  }

  function display(next) {
    const before = run?.status;
    // That it is to stop is no entry: what was asked before does not know of it.
    const stopping = run?.stopping && next.entries === run.entries;
    run = stopping ? { ...next, stopping } : next;
    if (isDebate(run)) debateOnDisplay();
    set("run", run);
    touch(run);
    head.put(run);
    talk?.put(run);
    asks.put(run);
    right.putPlan(run, view);
    right.putState(run, view.lines.length);
    drawWork();
    if (before !== run.status) right.activity.redraw();
    if (hasEnded(run.status) && !ended) finish();
    else if (!hasEnded(run.status) && !shown) {
      if (talk) fill(trouble, hindranceWords());
      else fill(report, waitingWords());
    }
    // Why it is not taken up is no entry, so nothing tells of it.
    if (run.status === "queued") setTimeout(() => signal.aborted || reload(), QUEUED_MILLISECONDS);
  }

  /** A debate takes the place of the draft and the report. */
  function debateOnDisplay() {
    if (talk) return;
    talk = debateView({ id, seen: run.entries ?? 0, stop: head.stop, signal });
    element.classList.add("is-debate");
    draft.element.remove();
    sections.element.remove();
    working.element.remove();
    report.replaceWith(talk.element);
  }

  function hindranceWords() {
    return run.hindrance
      ? h(
          "p",
          { class: "early failed", role: "note" },
          h("strong", {}, t("This server cannot continue the run.")),
          " ",
          t("{why}. The server tries again when it restarts, or later when the cause may have passed.", {
            why: sentence(run.hindrance),
          }),
        )
      : null;
  }

  function waitingWords() {
    if (run.hindrance) return hindranceWords();
    const words = {
      waiting: t("The run continues when you have answered. Everything gathered so far is in the panel."),
      queued: t("Waiting in the queue."),
      running: t("The checked report appears here."),
    };
    return h("p", { class: "muted empty" }, words[run.status]);
  }

  const reload = debounce(150, () =>
    api.run(id, signal).then(put, (error) => {
      // The page says already that nobody answers; when somebody does, the question is asked again.
      if (error.status === 0 && !signal.aborted) setTimeout(reload, AGAIN_MILLISECONDS);
      else notify(error, t("Could not load the state of the run"));
    }),
  );

  function drawWork() {
    if (!run || talk) return;
    if (unfinished) {
      // Its log may still be on its way.
      sections.put(view);
      sections.end(false);
      working.end(run, view);
      return;
    }
    if (!ended) sections.put(view);
    working.put(run, view);
    const asks = isLive(run.status) && view.query;
    right.activity.current(asks ? t("Current query: {query}", { query: view.query }) : "");
  }

  const drawEvidence = debounce(80, () => {
    if (!ended) {
      set("evidence", view.evidence);
      right.putEvidence(view.evidence, get("citations"));
    }
  });

  const drawState = debounce(30, () => {
    drawWork();
    if (run) {
      right.putState(run, view.lines.length);
      right.putPlan(run, view);
    }
  });

  function entry(one) {
    const line = take(view, one);
    begin();
    talk?.entry(one);
    right.activity.put(line, ended || run === null || one.seq <= (run.entries ?? 0));
    if (line.kind === "end") {
      view.lines.forEach((each) => right.activity.put(each, true));
      tellWhy();
    }
    // Words of a section come at once behind the outline that names it.
    if (one.event === "returned" && view.outline.length > 0) sections.begin(view.outline);
    if (one.event === "cited") drawEvidence();
    if (one.event === "returned" || one.event === "failed") {
      if (!ended) draft.drop(one.step);
      if (one.event === "returned") sections.returned(one);
    }
    if (["asked", "answered", "revised", "approved", "rejected", "returned", "failed"].includes(one.event))
      if (!ended) reload();
    drawState();
  }

  /** What the run came to; empty before it has ended. */
  let answer = "";
  /** Says why it ended early; anew when its log, which may come later, has told where. */
  let tellWhy = () => {};

  /** Whether a run ended before it had anything to report: its steps brought something, and no more. */
  const isUnfinished = ({ answer, deliverable }) =>
    run.status !== "completed" &&
    !answer &&
    Object.keys(deliverable ?? {}).every((name) => name === "stage_outputs");

  /** It has ended: the whole result, once. */
  async function finish() {
    ended = true;
    draft.end(run.status === "completed");
    sections.end(run.status === "completed");
    try {
      const [result, text, found] = await Promise.all([
        api.result(id, signal),
        talk ? null : api.report(id, signal),
        api.evidence(id, signal),
      ]);
      if (signal.aborted) return;
      answer = result.answer ?? "";
      set("citations", result.citations ?? []);
      set("evidence", found.evidence);
      right.putEvidence(found.evidence, result.citations ?? []);
      tellWhy = () => fill(trouble, endedEarly(run, result, view.lines, branch));
      tellWhy();
      shown?.abort();
      shown = new AbortController();
      signal.addEventListener("abort", () => shown?.abort(), { once: true });
      if (talk) talk.end(result);
      else if (isUnfinished(result)) {
        fill(report);
        unfinished = true;
        drawWork();
      } else showReport(report, { report: text, result, run }, shown.signal, followUp);
      fill(keepsake, learned(result));
      announce(
        talk
          ? t("The debate has ended")
          : run.status === "completed"
            ? t("The report is ready")
            : t("The results so far are shown"),
      );
    } catch (error) {
      if (error.name === "AbortError") return;
      const box = problemBox(error, { lead: t("Could not load the report"), retry: finish });
      fill(talk ? trouble : report, box);
    }
    await openComposer();
  }

  /** Neither closed nor behind an opened source. */
  const isHere = () => !signal.aborted && !element.hidden;

  async function branch(step, atOnce) {
    if (!atOnce) {
      await branchFrom(run, step, isHere);
      return;
    }
    try {
      await again(run, step, isHere);
    } catch (error) {
      notify(error, t("Could not retry the step"));
    }
  }

  /** What the run was started with stands in its first entry, which may still be on its way. */
  const openComposer = (more) => begun.then(() => below.open(run, view.options, answer, more));

  /** Leads to the composer; `more` is what it is to hold beside what the run was asked over. */
  function followUp(more = {}) {
    openComposer(more).then(() => below.focus());
  }

  const opened = api.run(id, signal).then((first) => {
    put(first);
    if (!hasEnded(first.status)) below.offer(() => below.open(run, view.options));
    else if (get("route")?.query.get("ask") === "on") followUp();
    follow(
      id,
      {
        entry,
        draft: (piece) => ended || (talk ? talk.words(piece) : sections.take(piece) || draft.take(piece)),
        state: putState,
        end: (status) => {
          show(lost, false);
          if (status !== run.status || !ended) reload();
          right.activity.redraw();
        },
        connection: (how) => show(lost, how === "lost"),
        // The server refused the stream: whether the run or the session is gone shows when it is asked for.
        refused: () =>
          api.run(id, signal).then(
            (now) => {
              put(now);
              return !hasEnded(now.status) || view.seq < now.entries;
            },
            (error) => {
              if (error.status === 404) notify(error, t("This run no longer exists"));
              return error.status !== 404 && error.status !== 401;
            },
          ),
      },
      signal,
    );
  });

  return {
    id,
    element,
    opened,
    title: () =>
      !run
        ? t("Run")
        : hasEnded(run.status)
          ? run.question
          : `${statusWords(run.status, run)}: ${run.question}`,
    focus: () => head.focus(),
    askOn: () => followUp(),
    close() {
      life.abort();
      fill(side);
      set("run", null);
      set("citations", []);
      set("evidence", []);
    },
  };
}
