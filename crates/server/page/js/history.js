/** The history on the left: pinned runs, then every other, newest first, with search, a filter and live status. */
import { h, fill, debounce, show } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { putAside } from "./aside.js";
import { get, listen, set } from "./store.js";
import { t } from "./i18n.js";
import { methodTitle } from "./methodwords.js";
import { problemBox } from "./problems.js";
import { runPath, go } from "./router.js";
import { nameOf } from "./runacts.js";
import { rowMenu } from "./runtools.js";
import { ago, isLive, isOlder, STATUS_NAMES, statusIcon, statusWords } from "./words.js";

const PAGE = 40;
/** As many pinned runs as a list can have: what is pinned is at hand. */
const PINNED = 200;
/** How often the newest runs are asked for while one is under way; otherwise each fifth time, for runs begun elsewhere. */
const POLL_MILLISECONDS = 3000;
const IDLE_ROUNDS = 5;
/** What a run on display tells of itself; title and pin are told when they change. */
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
  /** All runs that are listed, the newest first. @type {any[]} */
  let runs = [];
  let next = null;
  let asking = null;
  let shownBelow = false;
  let refreshing = false;
  const rows = new Map();

  const search = h("input", {
    id: "history-search",
    type: "search",
    placeholder: t("Search"),
    "aria-label": t("Search the history"),
    autocomplete: "off",
  });
  const status = h(
    "select",
    { id: "history-status" },
    h("option", { value: "" }, t("Any")),
    STATUS_NAMES.map((name) => h("option", { value: name }, statusWords(name))),
  );
  const method = h(
    "select",
    { id: "history-method" },
    h("option", { value: "" }, t("Any")),
    (get("settings")?.methods ?? []).map((one) => h("option", { value: one.name }, methodTitle(one.name))),
  );
  const onlyPinned = h("input", { id: "history-pinned", type: "checkbox" });
  const clear = h(
    "button",
    { type: "button", class: "link", on: { click: clearFilter } },
    t("Clear the filter"),
  );
  const filterWords = h("span", {}, t("Filter"));
  const filter = h(
    "details",
    { class: "history-filter" },
    h("summary", {}, icon("filter"), filterWords),
    h(
      "div",
      { class: "history-filters" },
      h("label", { for: "history-status" }, t("Status")),
      status,
      h("label", { for: "history-method" }, t("Method")),
      method,
      h("label", { class: "history-check", for: "history-pinned" }, onlyPinned, t("Pinned only")),
      clear,
    ),
  );
  const pinnedList = h("ol", { class: "history-list", "aria-labelledby": "history-pinned-title" });
  const pinnedGroup = h(
    "section",
    { class: "history-group", hidden: true },
    h("h3", { class: "history-group-title", id: "history-pinned-title" }, t("Pinned")),
    pinnedList,
  );
  const othersTitle = h("h3", { class: "history-group-title", hidden: true }, t("Newest"));
  const list = h("ol", { class: "history-list", id: "history-list" });
  const more = h(
    "button",
    { type: "button", class: "history-more", hidden: true, on: { click: () => load(true) } },
    t("Load more"),
  );
  function begin() {
    putAside();
    go("#/");
  }

  const word = h("div", { class: "history-word", role: "status" });
  fill(
    place,
    h(
      "div",
      { class: "history-head" },
      h("h2", { id: "history-title", class: "visually-hidden" }, t("History")),
      h(
        "button",
        { type: "button", id: "new", class: "primary wide-button", on: { click: begin } },
        icon("plus"),
        t("New"),
      ),
      h("div", { class: "history-search" }, icon("search"), search),
      filter,
    ),
    h("div", { class: "history-scroll" }, pinnedGroup, othersTitle, list, word, more),
  );

  const narrowing = () => [status.value, method.value, onlyPinned.checked].filter(Boolean).length;
  const filters = () => ({ q: search.value.trim(), status: status.value, method: method.value });
  const filtered = () => narrowing() > 0 || search.value.trim() !== "";
  const wanted = () => JSON.stringify([filters(), onlyPinned.checked]);

  /** The pinned runs that fit, and a page of the others. */
  async function read(before, asked) {
    const [pinned, others] = await Promise.all([
      before ? { runs: [] } : api.runs({ limit: PINNED, pinned: true, ...filters() }, asked),
      onlyPinned.checked
        ? { runs: [], next: null }
        : api.runs({ limit: PAGE, pinned: false, before, ...filters() }, asked),
    ]);
    return { runs: newestFirst([...pinned.runs, ...others.runs]), next: others.next };
  }

  /** What there is is told to who asks whether there is anything; what was searched for is not all there is. */
  function told() {
    if (!filtered()) set("runs", runs);
  }

  async function load(further = false) {
    asking?.abort();
    asking = new AbortController();
    const mine = asking;
    more.disabled = true;
    try {
      const answer = await read(further ? next : null, mine.signal);
      if (mine !== asking || signal.aborted) return;
      runs = further ? [...runs, ...answer.runs] : answer.runs.map(newer);
      shownBelow = further;
      next = answer.next;
      draw();
      told();
    } catch (error) {
      if (error.name !== "AbortError" && mine === asking)
        fill(word, problemBox(error, { lead: t("Could not load the history"), retry: () => load(further) }));
    } finally {
      more.disabled = false;
    }
  }

  /** What is known of a run already, where the answer of the list is older. */
  function newer(listed) {
    const held = runs.find((one) => one.run_id === listed.run_id);
    if (!held || !isOlder(listed, held)) return listed;
    return { ...held, title: listed.title, pinned: listed.pinned, snippet: listed.snippet };
  }

  /** Reads the newest page again and lays it over what is shown, unless something else is to be shown by then. */
  async function refresh() {
    if (refreshing) return;
    refreshing = true;
    const asked = wanted();
    const before = asking;
    try {
      const answer = await read(null, signal);
      if (signal.aborted || before !== asking || asked !== wanted()) return;
      const known = new Set(answer.runs.map((one) => one.run_id));
      const newest = answer.runs.find((one) => !one.pinned)?.created_at ?? "";
      // A run that was begun while the answer was on its way, and what was loaded below the first page.
      const stays = (one) =>
        !known.has(one.run_id) && !one.pinned && (shownBelow || (!filtered() && one.created_at > newest));
      runs = newestFirst([...runs.filter(stays), ...answer.runs.map(newer)]);
      if (!shownBelow) next = answer.next;
      draw();
      told();
    } catch {
      // The next round tries again; what is shown stays.
    } finally {
      refreshing = false;
    }
  }

  function draw() {
    const route = get("route");
    const current = route?.page === "run" ? route.id : (get("run")?.run_id ?? null);
    const shown = runs.filter((run) => !get("leaving").has(run.run_id));
    const keep = new Set(shown.map((run) => run.run_id));
    for (const [id, row] of rows) {
      if (keep.has(id)) continue;
      row.remove();
      rows.delete(id);
    }
    const pinned = shown.filter((run) => run.pinned);
    const others = shown.filter((run) => !run.pinned);
    for (const [place, listed] of [
      [pinnedList, pinned],
      [list, others],
    ]) {
      listed.forEach((run, index) => {
        let row = rows.get(run.run_id);
        if (!row) {
          row = h("li", { class: "history-row" });
          rows.set(run.run_id, row);
        }
        if (place.children[index] !== row) place.insertBefore(row, place.children[index] ?? null);
        drawRow(row, run, run.run_id === current);
      });
    }
    show(pinnedGroup, pinned.length > 0);
    show(othersTitle, pinned.length > 0 && others.length > 0);
    fill(
      word,
      shown.length === 0
        ? h(
            "p",
            { class: "muted empty" },
            filtered() ? t("No runs match this search.") : t("Your runs appear here."),
          )
        : null,
    );
    show(more, next !== null && next !== undefined);
    const narrowed = narrowing();
    filterWords.textContent = narrowed > 0 ? t("Filter ({number})", { number: narrowed }) : t("Filter");
    show(clear, narrowed > 0);
  }

  function drawRow(row, run, current) {
    const signature = JSON.stringify([
      run.status,
      run.stopping,
      run.question,
      run.title,
      run.pinned,
      run.snippet,
      current,
      ago(run.created_at),
    ]);
    if (row.dataset.signature === signature) return;
    const wasMenu = row.dataset.menu;
    row.dataset.signature = signature;
    let link = row.querySelector("a.history-link");
    if (!link) {
      link = h("a", { href: runPath(run.run_id), class: "history-link" });
      row.prepend(link);
    }
    link.dataset.run = run.run_id;
    link.dataset.status = run.status;
    current ? link.setAttribute("aria-current", "page") : link.removeAttribute("aria-current");
    fill(
      link,
      h("span", { class: "history-question", title: run.title ? run.question : null }, nameOf(run)),
      run.snippet ? h("span", { class: "history-snippet" }, found(run.snippet, search.value.trim())) : null,
      h(
        "span",
        { class: "history-facts" },
        h(
          "span",
          { class: "history-status", dataset: { status: run.status } },
          // Whether it came to an answer is known where it is read: a list gives no tick.
          run.status === "completed" ? null : icon(statusIcon(run.status)),
          statusWords(run.status, { stopping: run.stopping, method: run.method }),
        ),
        h("span", {}, methodTitle(run.method)),
        h("time", { datetime: run.created_at }, ago(run.created_at)),
      ),
    );
    // An open menu outlives what time alone changes.
    const menu = JSON.stringify([run.status, run.title, run.pinned]);
    if (menu === wasMenu) return;
    row.dataset.menu = menu;
    row.querySelector(".menu-holder")?.remove();
    row.append(rowMenu(run));
  }

  /** A stretch of an answer with what was looked for marked in it. */
  function found(snippet, text) {
    const at = text ? snippet.toLowerCase().indexOf(text.toLowerCase()) : -1;
    if (at < 0) return snippet;
    const end = at + text.length;
    return [snippet.slice(0, at), h("mark", {}, snippet.slice(at, end)), snippet.slice(end)];
  }

  function clearFilter() {
    status.value = "";
    method.value = "";
    onlyPinned.checked = false;
    filter.querySelector("summary").focus();
    load();
  }

  touched = (run) => {
    const index = runs.findIndex((one) => one.run_id === run.run_id);
    if (index >= 0 && isOlder(run, runs[index])) return;
    const summary = Object.fromEntries(FIELDS.map((name) => [name, run[name]]));
    summary.stopping = run.stopping ?? false;
    if (index >= 0) runs[index] = { ...runs[index], ...summary };
    else if (!filtered() && (runs.length === 0 || run.created_at >= runs[0].created_at))
      runs = [{ title: run.title ?? null, pinned: run.pinned ?? false, ...summary }, ...runs];
    draw();
    told();
  };

  const again = debounce(250, () => load());
  search.addEventListener("input", again);
  for (const one of [status, method, onlyPinned]) one.addEventListener("change", () => load());
  listen("route", draw, signal);
  listen("leaving", draw, signal);
  listen(
    "labelled",
    (run) => {
      if (!run) return;
      const { title, pinned } = run;
      runs = runs.map((one) => (one.run_id === run.run_id ? { ...one, title, pinned } : one));
      draw();
    },
    signal,
  );

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

const newestFirst = (runs) => [...runs].sort((one, other) => (one.created_at < other.created_at ? 1 : -1));
