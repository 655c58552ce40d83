/** The head of a run: question, method, status in words, time, cost, tokens; stop, export, ask on. */
import { h, fill, show, announce } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { menu } from "./menu.js";
import { get } from "./store.js";
import {
  hasEnded,
  dateAndTime,
  duration,
  isDebate,
  isLive,
  money,
  statusIcon,
  statusWords,
  tokens,
} from "./words.js";
import { askPrice, unpriced } from "./prices.js";
import { showProblem } from "./problems.js";
import { runPath } from "./router.js";

/**
 * @param {{onRun: (run: any) => void, followUp: () => void, loop: AbortSignal}} to
 */
export function runHead({ onRun, followUp, loop }) {
  const question = h("h1", { class: "run-question", tabindex: "-1" });
  const about = h("p", { class: "run-about" });
  const status = h("span", { class: "status", id: "run-status" });
  const elapsed = h("span", { id: "elapsed", class: "meter" });
  const cost = h("span", { id: "cost", class: "meter" });
  const used = h("span", { id: "tokens", class: "meter" });
  const problem = h("div", {});
  const stop = h(
    "button",
    { type: "button", id: "stop", class: "small", on: { click: cancel } },
    icon("stop"),
    h("span", {}, "Stop"),
  );
  const ask = h(
    "button",
    { type: "button", class: "small", id: "follow-up", on: { click: followUp } },
    icon("plus"),
    "Follow-up question",
  );
  const exports = h("span", {});
  const element = h(
    "header",
    { class: "run-head" },
    question,
    about,
    h(
      "div",
      { class: "run-line" },
      h("div", { class: "meters" }, status, elapsed, cost, used),
      h("div", { class: "actions" }, stop, exports, ask),
    ),
    problem,
  );
  let run = null;
  let asked = false;
  let exportable = null;
  let aboutShown = "";

  function tick() {
    if (!run) return;
    const until = isLive(run.status) ? Date.now() : new Date(run.updated_at).getTime();
    const words = duration(until - new Date(run.created_at).getTime());
    elapsed.textContent = run.status === "waiting" ? `began ${dateAndTime(run.created_at)}` : words;
    elapsed.title = run.status === "waiting" ? "" : `began ${dateAndTime(run.created_at)}`;
  }
  const timer = setInterval(() => {
    if (run && isLive(run.status)) tick();
  }, 1000);
  loop.addEventListener("abort", () => clearInterval(timer), { once: true });

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
          lead: isDebate(run) ? "The debate was not interrupted" : "The run was not stopped",
          retry: cancel,
        });
    }
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
    const method = get("settings")?.methods.find((one) => one.name === run.method);
    const strategy = method?.strategies?.find((one) => one.name === run.strategy)?.title ?? run.strategy;
    const facts = JSON.stringify([run.method, run.strategy, run.collection, run.mode, run.model]);
    if (facts !== aboutShown) {
      aboutShown = facts;
      fill(
        about,
        [
          method?.title ?? run.method,
          strategy,
          run.collection && !run.collection.startsWith("run-") ? `collection ${run.collection}` : null,
          run.mode === "offline" ? "offline, no model" : run.model,
        ]
          .filter(Boolean)
          .join(" · "),
        run.forked_from
          ? [" · branched from ", h("a", { href: runPath(run.forked_from) }, "an earlier run")]
          : null,
      );
    }
    cost.textContent = unpriced(run) ? "price unknown" : money(run.cost_usd);
    used.textContent = tokens(run.tokens);
    show(stop, !ended);
    stop.disabled = stopping;
    const [does, doing] = isDebate(run) ? ["Interrupt", "Interrupting…"] : ["Stop", "Stopping…"];
    stop.lastChild.textContent = stopping ? doing : does;
    show(ask, ended);
    if (exportable !== ended) {
      exportable = ended;
      fill(exports, ended ? exportMenu(run.run_id, run.method) : null);
    }
    tick();
  }

  return {
    element,
    stop,
    put(next) {
      run = next;
      if (hasEnded(run.status)) asked = false;
      draw();
      askPrice(run, loop).then((unknown) => unknown && !loop.aborted && draw());
    },
    focus: () => question.focus({ preventScroll: true }),
  };
}

/** What the groups of formats are called, in their order. */
const GROUPS = { report: "Report", data: "Data", references: "References", proof: "Proof" };

function exportMenu(runId, method) {
  const formats = (get("settings")?.formats ?? []).filter(
    ({ methods = [] }) => methods.length === 0 || methods.includes(method),
  );
  const names = [...new Set([...Object.keys(GROUPS), ...formats.map(({ group }) => group)])];
  const groups = names
    .map((name) => ({
      title: GROUPS[name] ?? name,
      items: formats
        .filter(({ group }) => group === name)
        .map(({ name, title }) =>
          h("a", { href: api.exportPath(runId, name), download: "" }, title || name),
        ),
    }))
    .filter(({ items }) => items.length > 0);
  return groups.length > 0 ? menu({ label: "Export", id: "export", groups }) : null;
}
