/** The expected cost of an order, asked of the server once typing has paused, shown beside the send button. */
import { h, fill, debounce } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { api } from "./api.js";
import { learnPrice } from "./prices.js";
import { money, sentence } from "./words.js";

/** @param {AbortSignal} signal */
export function estimate(signal) {
  const line = h("p", { class: "estimate-line" });
  const notes = h("ul", { class: "estimate-notes" });
  const element = h(
    "div",
    { class: "estimate", id: "estimate", role: "status", "aria-label": t("Expected cost") },
    line,
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
      const words = [sentence(error.detail || error.message), error.hint].filter(Boolean);
      fill(line, icon("alert"), ` ${words.join(": ")}`);
      fill(notes);
    }
  });

  function stop() {
    ask.cancel();
    asking?.abort();
    asking = null;
  }
  signal.addEventListener("abort", stop, { once: true });

  const offlineWords = () => [
    h("strong", {}, t("Offline, $0.00")),
    h("span", { class: "muted estimate-more" }, ` · ${t("no model is used")}`),
  ];

  function draw({ mode, expected, worst_case: worst, notes: said }) {
    if (mode === "offline") fill(line, offlineWords());
    else {
      const usual = expected.cost_usd ?? null;
      const dearest = worst?.cost_usd ?? null;
      fill(
        line,
        h("strong", {}, usual === null ? t("Price unknown") : t("About {cost}", { cost: money(usual) })),
        dearest === null
          ? null
          : h("span", { class: "muted" }, `, ${t("at most {cost}", { cost: money(dearest) })}`),
      );
    }
    fill(
      notes,
      (said ?? []).map((note) => h("li", {}, sentence(note))),
    );
  }

  return {
    element,
    /** What the server says of the figure, one line each. */
    notes,
    /** Takes the order as it stands; null while it is not one yet. */
    put(order, offline) {
      if (order === null) {
        stop();
        last = "";
        rest = "";
        fill(notes);
        fill(
          line,
          offline ? offlineWords() : h("span", { class: "muted" }, t("The expected cost appears here")),
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
        fill(line, h("span", { class: "muted" }, t("Estimating…")));
      }
      last = text;
      rest = now;
      ask(order);
    },
  };
}
