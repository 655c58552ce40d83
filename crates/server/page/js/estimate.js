/** The expected cost of an order, asked of the server once typing has paused, shown beside the send button. */
import { h, fill, debounce } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { learnPrice } from "./prices.js";
import { money, sentence, tokens } from "./words.js";

/** @param {AbortSignal} signal */
export function estimate(signal) {
  const line = h("p", { class: "estimate-line" });
  const notes = h("ul", { class: "estimate-notes" });
  const element = h(
    "div",
    { class: "estimate", id: "estimate", role: "status", "aria-label": "Expected cost" },
    line,
    notes,
  );
  let asking = null;
  let last = "";
  /** The order without its question, whose length alone changes little: while the rest is the same, the figure stands. */
  let rest = "";

  const ask = debounce(400, async (order) => {
    asking = new AbortController();
    const mine = asking;
    try {
      const answer = await api.estimate(order, mine.signal);
      learnPrice(answer);
      if (mine === asking && !signal.aborted) draw(answer);
    } catch (error) {
      if (error.name === "AbortError" || mine !== asking || signal.aborted) return;
      last = "";
      rest = "";
      fill(line, icon("alert"), ` ${sentence(error.detail || error.message)}`);
      fill(notes, error.hint ? h("li", {}, sentence(error.hint)) : null);
    }
  });

  function stop() {
    ask.cancel();
    asking?.abort();
    asking = null;
  }
  signal.addEventListener("abort", stop, { once: true });

  function draw({ model, mode, expected, worst_case: worst, notes: said }) {
    if (mode === "offline") {
      fill(line, h("strong", {}, "Offline, $0.00"), h("span", { class: "muted" }, " no model is asked"));
    } else {
      const usual = expected.cost_usd ?? null;
      const dearest = worst?.cost_usd ?? null;
      const most = dearest === null ? null : `at most ${money(dearest)}`;
      fill(
        line,
        h("strong", {}, usual === null ? "Price unknown" : `About ${money(usual)}`),
        h(
          "span",
          { class: "muted" },
          [most, tokens(expected.tokens), model].map((part) => (part ? ` · ${part}` : "")),
        ),
      );
    }
    fill(
      notes,
      (said ?? []).map((note) => h("li", {}, sentence(note))),
    );
  }

  return {
    element,
    /** Takes the order as it stands; null while it is not one yet. */
    put(order, offline) {
      if (order === null) {
        stop();
        last = "";
        rest = "";
        fill(notes);
        fill(
          line,
          offline
            ? [h("strong", {}, "Offline, $0.00"), h("span", { class: "muted" }, " no model is asked")]
            : h("span", { class: "muted" }, "The expected cost appears here"),
        );
        return;
      }
      const { question, ...others } = order;
      const now = JSON.stringify(others);
      const text = `${question.length} ${now}`;
      if (text === last) return;
      stop();
      if (now !== rest) {
        fill(notes);
        fill(line, h("span", { class: "muted" }, "Estimating…"));
      }
      last = text;
      rest = now;
      ask(order);
    },
  };
}
