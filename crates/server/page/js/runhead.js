/**
 * The head of a run, slim: the question, one line with status, time, cost and method, what can be done with it. The rest of it
 * comes on demand.
 */
import { h, fill, show, announce } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { expectedOf } from "./expected.js";
import { t } from "./i18n.js";
import { methodTitle, strategyTitle } from "./methodwords.js";
import { get } from "./store.js";
import {
  clockTime,
  dateAndTime,
  duration,
  hasEnded,
  isDebate,
  isLive,
  money,
  roundTime,
  statusIcon,
  statusWords,
  tokens,
} from "./words.js";
import { askPrice, unpriced } from "./prices.js";
import { showProblem } from "./problems.js";
import { runPath } from "./router.js";
import { runTools } from "./runtools.js";

/** What a run was expected to take is asked for only where it lasts; most that is quick is over by then. */
const EXPECTED_MILLISECONDS = 1500;

/**
 * @param {{onRun: (run: any) => void, followUp: () => void, view: ReturnType<import("./entries.js").nothing>,
 *   loop: AbortSignal}} to
 */
export function runHead({ onRun, followUp, view, loop }) {
  const question = h("h1", { class: "run-question", tabindex: "-1" });
  const about = h("p", { class: "run-about", id: "run-about", hidden: true });
  const status = h("span", { class: "status", id: "run-status" });
  const elapsed = h("span", { id: "elapsed", class: "meter" });
  const cost = h("span", { id: "cost", class: "meter" });
  const method = h("span", { class: "meter run-method" });
  const problem = h("div", {});
  const stop = h(
    "button",
    { type: "button", id: "stop", class: "small", on: { click: cancel } },
    icon("stop"),
    h("span", {}, t("Stop")),
  );
  const ask = h(
    "button",
    { type: "button", class: "small", id: "follow-up", on: { click: followUp } },
    icon("plus"),
    h("span", {}, t("Follow-up question")),
  );
  const more = h(
    "button",
    {
      type: "button",
      class: "quiet icon-button",
      id: "run-more",
      "aria-label": t("Details"),
      title: t("Details"),
      "aria-expanded": "false",
      "aria-controls": "run-about",
      on: { click: () => unfold(about.hidden) },
    },
    icon("chevron"),
  );
  const tools = h("span", { class: "run-tools", id: "run-tools" });
  const element = h(
    "header",
    { class: "run-head" },
    question,
    h(
      "div",
      { class: "run-line" },
      h(
        "div",
        { class: "meters" },
        status,
        elapsed,
        cost,
        h("span", { class: "run-method-more" }, method, more),
      ),
      h("div", { class: "actions" }, stop, tools, ask),
    ),
    about,
    problem,
  );
  let run = null;
  let asked = false;
  let toolsFor = null;
  let aboutShown = "";
  /** @type {{cost: number|null, seconds: number|null, time: string|null}|null} */
  let expected = null;
  let expecting = 0;
  let isPlanned = false;

  function unfold(open) {
    show(about, open);
    more.setAttribute("aria-expanded", String(open));
    element.classList.toggle("unfolded", open);
  }

  /** How long it has worked: the time at which it waits for somebody is not its own. */
  function worked() {
    const until = isLive(run.status) ? Date.now() : new Date(view.waitingSince ?? run.updated_at).getTime();
    return Math.max(0, until - new Date(run.created_at).getTime() - view.waited);
  }

  /** Time that runs beside what it was expected to take, and how that is said once it has taken longer. */
  function besideExpected(time) {
    const { seconds = null, time: planned = null } = expected ?? {};
    const usual = planned ?? (seconds ? t("about {time}", { time: roundTime(seconds) }) : null);
    if (!usual) return time;
    return seconds && worked() > seconds * 1000
      ? t("{time}, usually {expected}", { time, expected: usual })
      : t("{time} of {expected}", { time, expected: usual });
  }

  function tick() {
    if (!run) return;
    const time = hasEnded(run.status) ? duration(worked()) : clockTime(worked());
    const words = hasEnded(run.status) ? time : besideExpected(time);
    if (elapsed.textContent !== words) elapsed.textContent = words;
    elapsed.title = t("started {time}", { time: dateAndTime(run.created_at) });
  }
  const timer = setInterval(() => {
    if (run && isLive(run.status)) tick();
  }, 1000);
  loop.addEventListener(
    "abort",
    () => {
      clearInterval(timer);
      clearTimeout(expecting);
    },
    { once: true },
  );

  /** Asks what it was expected to take, once while it works, and anew once its plan says so. */
  function expect() {
    const hasPlan = run.plan?.state === "approved";
    if (!isLive(run.status) || (expecting && isPlanned === hasPlan)) return;
    isPlanned = hasPlan;
    clearTimeout(expecting);
    expecting = setTimeout(async () => {
      if (loop.aborted || hasEnded(run.status) || !view.settings) return;
      expected = await expectedOf(run, view, get("settings")?.methods ?? [], loop);
      if (!loop.aborted) draw();
    }, EXPECTED_MILLISECONDS);
  }

  async function cancel() {
    asked = true;
    fill(problem);
    draw();
    try {
      onRun(await api.cancel(run.run_id));
    } catch (error) {
      asked = false;
      draw();
      // It ended by itself in the meantime: nothing is left to stop.
      if (error.status === 409) onRun(await api.run(run.run_id).catch(() => run));
      else
        showProblem(problem, error, {
          lead: isDebate(run) ? t("Could not interrupt the debate") : t("Could not stop the run"),
          retry: cancel,
        });
    }
  }

  function costWords() {
    if (run.mode === "offline") return t("no model");
    if (unpriced(run)) return t("price unknown");
    if (!expected?.cost || hasEnded(run.status)) return money(run.cost_usd);
    return t("{cost} of about {expected}", { cost: cents(run.cost_usd), expected: cents(expected.cost) });
  }

  function draw() {
    const ended = hasEnded(run.status);
    const stopping = !ended && (asked || run.stopping);
    const words = statusWords(run.status, { ...run, stopping });
    question.textContent = run.question;
    element.closest(".run")?.setAttribute("data-status", run.status);
    const spoken = status.textContent !== "" && status.textContent !== words;
    if (status.textContent !== words) fill(status, icon(statusIcon(run.status, run)), words);
    status.dataset.status = run.status;
    status.dataset.outcome = run.outcome ?? "";
    if (spoken) announce(words);
    drawAbout();
    const price = costWords();
    if (cost.textContent !== price) cost.textContent = price;
    show(stop, !ended);
    stop.disabled = stopping;
    const [does, doing] = isDebate(run) ? [t("Interrupt"), t("Interrupting…")] : [t("Stop"), t("Stopping…")];
    stop.lastChild.textContent = stopping ? doing : does;
    show(ask, ended);
    if (toolsFor !== ended) {
      toolsFor = ended;
      fill(tools, runTools(run, loop));
    }
    tick();
  }

  function drawAbout() {
    const facts = JSON.stringify([run.method, run.strategy, run.collection, run.mode, run.model, run.tokens]);
    if (facts === aboutShown) return;
    aboutShown = facts;
    const named = [methodTitle(run.method), strategyTitle(run.method, run.strategy)]
      .filter(Boolean)
      .join(" · ");
    if (method.textContent !== named) method.textContent = named;
    fill(
      about,
      [
        run.collection && !run.collection.startsWith("run-")
          ? t("collection {name}", { name: run.collection })
          : null,
        run.mode === "offline" ? t("offline, no model") : run.model,
        tokens(run.tokens),
        t("started {time}", { time: dateAndTime(run.created_at) }),
      ]
        .filter(Boolean)
        .join(" · "),
      run.forked_from
        ? [" · ", t("branched from"), " ", h("a", { href: runPath(run.forked_from) }, t("an earlier run"))]
        : null,
    );
  }

  return {
    element,
    stop,
    put(next) {
      run = next;
      if (hasEnded(run.status)) asked = false;
      draw();
      expect();
      askPrice(run, loop).then((unknown) => unknown && !loop.aborted && draw());
    },
    focus: () => question.focus({ preventScroll: true }),
  };
}

/** What runs beside an estimate needs to be no finer than that. @param {number} usd */
const cents = (usd) => (usd > 0 && usd < 0.01 ? t("under {cost}", { cost: "$0.01" }) : `$${usd.toFixed(2)}`);
