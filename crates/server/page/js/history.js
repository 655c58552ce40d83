/** The history on the left: every run, newest first, with search, filters and live status. */
import { h, fill, debounce, show } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { get, listen } from "./store.js";
import { problemBox } from "./problems.js";
import { runPath, go } from "./router.js";
import { ago, isLive, isOlder, STATUS_NAMES, statusIcon, statusWords } from "./words.js";

const PAGE = 40;
/** How often the newest runs are asked for while one is under way; otherwise each fifth time, for runs begun elsewhere. */
const POLL_MILLISECONDS = 3000;
const IDLE_ROUNDS = 5;
const FIELDS = [
  "run_id",
  "method",
  "question",
  "status",
  "tokens",
  "cost_usd",
  "created_at",
  "updated_at",
  "entries",
];

/** What keeps the list in step with a run that changed; set once the history is there. */
let touched = () => {};

/** Tells the history where a run stands. @param {any} run */
export function touch(run) {
  touched(run);
}

/** Shows the history in `place`. @param {HTMLElement} place @param {AbortSignal} signal */
export function history(place, signal) {
  /** @type {any[]} */
  let runs = [];
  let next = null;
  let asking = null;
  let shownBelow = false;
  let refreshing = false;
  const rows = new Map();

  const search = h("input", {
    id: "history-search",
    type: "search",
    placeholder: "Search questions",
    "aria-label": "Search the history",
    autocomplete: "off",
  });
  const status = h(
    "select",
    { id: "history-status", "aria-label": "Status" },
    h("option", { value: "" }, "Status"),
    STATUS_NAMES.map((name) => h("option", { value: name }, statusWords(name))),
  );
  const method = h(
    "select",
    { id: "history-method", "aria-label": "Method" },
    h("option", { value: "" }, "Method"),
    (get("settings")?.methods ?? []).map((one) => h("option", { value: one.name }, one.title)),
  );
  const list = h("ol", { class: "history-list", id: "history-list" });
  const more = h(
    "button",
    { type: "button", class: "history-more", hidden: true, on: { click: () => load(true) } },
    "Load more",
  );
  const word = h("div", { class: "history-word", role: "status" });
  fill(
    place,
    h(
      "div",
      { class: "history-head" },
      h("h2", { id: "history-title", class: "visually-hidden" }, "History"),
      h(
        "button",
        { type: "button", id: "new", class: "primary wide-button", on: { click: () => go("#/") } },
        icon("plus"),
        "New",
      ),
      h("div", { class: "history-search" }, icon("search"), search),
      h("div", { class: "history-filters" }, status, method),
    ),
    h("div", { class: "history-scroll" }, list, word, more),
  );

  const filters = () => ({ q: search.value.trim(), status: status.value, method: method.value });
  const filtered = () => Object.values(filters()).some(Boolean);

  async function load(further = false) {
    asking?.abort();
    asking = new AbortController();
    const mine = asking;
    more.disabled = true;
    try {
      const answer = await api.runs(
        { limit: PAGE, before: further ? next : null, ...filters() },
        mine.signal,
      );
      if (mine !== asking || signal.aborted) return;
      runs = further ? [...runs, ...answer.runs] : answer.runs.map(newer);
      if (further) shownBelow = true;
      else shownBelow = false;
      next = answer.next;
      draw();
    } catch (error) {
      if (error.name !== "AbortError" && mine === asking)
        fill(word, problemBox(error, { lead: "The history could not be read", retry: () => load(further) }));
    } finally {
      more.disabled = false;
    }
  }

  /** What is known of a run already, where the answer of the list is older. */
  function newer(listed) {
    const held = runs.find((one) => one.run_id === listed.run_id);
    return held && isOlder(listed, held) ? held : listed;
  }

  /** Reads the newest page again and lays it over what is shown, unless something else is to be shown by then. */
  async function refresh() {
    if (refreshing) return;
    refreshing = true;
    const wanted = JSON.stringify(filters());
    const before = asking;
    try {
      const answer = await api.runs({ limit: PAGE, ...filters() }, signal);
      if (signal.aborted || before !== asking || wanted !== JSON.stringify(filters())) return;
      const known = new Set(answer.runs.map((one) => one.run_id));
      // A run that was begun while the answer was on its way.
      const since = (one) => !filtered() && one.created_at > (answer.runs[0]?.created_at ?? "");
      const others = runs.filter((one) => !known.has(one.run_id) && (shownBelow || since(one)));
      runs = [...others.filter(since), ...answer.runs.map(newer), ...others.filter((one) => !since(one))];
      if (!shownBelow) next = answer.next;
      draw();
    } catch {
      // The next round tries again; what is shown stays.
    } finally {
      refreshing = false;
    }
  }

  function draw() {
    const route = get("route");
    const current = route?.page === "run" ? route.id : (get("run")?.run_id ?? null);
    const keep = new Set(runs.map((run) => run.run_id));
    for (const [id, row] of rows) {
      if (keep.has(id)) continue;
      row.remove();
      rows.delete(id);
    }
    runs.forEach((run, index) => {
      let row = rows.get(run.run_id);
      if (!row) {
        row = h("li", { class: "history-row" });
        rows.set(run.run_id, row);
      }
      if (list.children[index] !== row) list.insertBefore(row, list.children[index] ?? null);
      drawRow(row, run, run.run_id === current);
    });
    fill(
      word,
      runs.length === 0
        ? h("p", { class: "muted empty" }, filtered() ? "No run fits this search." : "Your runs appear here.")
        : null,
    );
    show(more, next !== null && next !== undefined);
  }

  function drawRow(row, run, current) {
    const signature = JSON.stringify([
      run.status,
      run.stopping,
      run.question,
      run.cost_usd,
      current,
      ago(run.created_at),
    ]);
    if (row.dataset.signature === signature) return;
    row.dataset.signature = signature;
    const link =
      row.querySelector("a") ?? row.appendChild(h("a", { href: runPath(run.run_id), class: "history-link" }));
    link.dataset.run = run.run_id;
    link.dataset.status = run.status;
    current ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    const title = get("settings")?.methods.find((one) => one.name === run.method)?.title ?? run.method;
    fill(
      link,
      h("span", { class: "history-question" }, run.question),
      h(
        "span",
        { class: "history-facts" },
        h(
          "span",
          { class: "history-status", dataset: { status: run.status } },
          icon(statusIcon(run.status)),
          statusWords(run.status, { stopping: run.stopping, method: run.method }),
        ),
        h("span", {}, title),
        h("time", { datetime: run.created_at }, ago(run.created_at)),
      ),
    );
  }

  touched = (run) => {
    const index = runs.findIndex((one) => one.run_id === run.run_id);
    if (index >= 0 && isOlder(run, runs[index])) return;
    const summary = Object.fromEntries(FIELDS.map((name) => [name, run[name]]));
    summary.stopping = run.stopping ?? false;
    if (index >= 0) runs[index] = { ...runs[index], ...summary };
    else if (!filtered() && (runs.length === 0 || run.created_at >= runs[0].created_at))
      runs = [summary, ...runs];
    draw();
  };

  const again = debounce(250, () => load());
  search.addEventListener("input", again);
  status.addEventListener("change", () => load());
  method.addEventListener("change", () => load());
  listen("route", draw, signal);

  let rounds = 0;
  const timer = setInterval(() => {
    rounds += 1;
    if (document.hidden) return;
    if (rounds % IDLE_ROUNDS === 0 || runs.some((run) => isLive(run.status))) refresh();
  }, POLL_MILLISECONDS);
  const aging = setInterval(() => {
    if (!document.hidden) draw();
  }, 60_000);
  document.addEventListener(
    "visibilitychange",
    () => {
      if (!document.hidden) refresh();
    },
    { signal },
  );
  signal.addEventListener(
    "abort",
    () => {
      clearInterval(timer);
      clearInterval(aging);
      touched = () => {};
    },
    { once: true },
  );
  load();
}
