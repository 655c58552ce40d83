/** Two runs side by side: what only one of them claims, what changed, their sources and their cost. */
import { h, fill, debounce } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { t } from "./i18n.js";
import { methodTitle } from "./methodwords.js";
import { problemBox } from "./problems.js";
import { comparePath, runPath } from "./router.js";
import { nameOf } from "./runacts.js";
import { count, dateAndTime, hasEnded, money, plural, statusWords } from "./words.js";

const LISTED = 20;

/** The comparison of two runs, or the choice of the other one. @param {string} id @param {string|null} other */
export function compareView(id, other) {
  const life = new AbortController();
  const { signal } = life;
  const heading = h("h1", { tabindex: "-1" }, t("Compare two runs"));
  const body = h("div", { class: "compare" }, h("p", { class: "muted" }, t("Loading…")));
  const element = h(
    "div",
    { class: "page compare-page" },
    h("header", { class: "page-head" }, heading),
    body,
  );

  async function load() {
    try {
      const [one, two, difference] = await Promise.all([
        api.run(id, signal),
        other ? api.run(other, signal) : null,
        other ? api.difference(id, other, signal) : null,
      ]);
      fill(body, two ? comparison(one, two, difference) : chooser(one, signal));
      if (!two) body.querySelector("input")?.focus();
    } catch (error) {
      if (error.name === "AbortError") return;
      fill(body, problemBox(error, { lead: t("Could not compare the runs"), retry: load }));
    }
  }
  load();
  return {
    element,
    title: () => t("Compare two runs"),
    focus: () => heading.focus({ preventScroll: true }),
    close: () => life.abort(),
  };
}

/** Runs to compare with, found by what they ask and say. */
function chooser(run, signal) {
  const search = h("input", {
    id: "compare-search",
    type: "search",
    autocomplete: "off",
    placeholder: t("Search questions and answers"),
  });
  const list = h("ol", { class: "compare-runs" });
  const word = h("p", { class: "muted", role: "status" });

  async function find() {
    const q = search.value.trim();
    try {
      // One more than is shown: the run itself is left out.
      const wanted = { q, method: q ? null : run.method, limit: LISTED + 1 };
      const { runs } = await api.runs(wanted, signal);
      if (q !== search.value.trim()) return;
      const others = runs.filter((one) => one.run_id !== run.run_id && hasEnded(one.status)).slice(0, LISTED);
      fill(
        list,
        others.map((one) => h("li", {}, runLink(one, comparePath(run.run_id, one.run_id)))),
      );
      word.textContent = others.length === 0 ? t("No other finished run matches.") : "";
    } catch (error) {
      if (error.name !== "AbortError")
        fill(list, h("li", {}, problemBox(error, { lead: t("Could not load the runs"), retry: find })));
    }
  }
  search.addEventListener("input", debounce(250, find));
  find();
  return [
    h("p", { class: "lead" }, t("Compared with: {name}", { name: nameOf(run) })),
    h("div", { class: "field" }, h("label", { for: "compare-search" }, t("The other run")), search),
    list,
    word,
  ];
}

const runLink = (run, href) =>
  h(
    "a",
    { class: "compare-run", href },
    h("span", { class: "compare-name" }, nameOf(run)),
    h(
      "span",
      { class: "muted" },
      [methodTitle(run.method), statusWords(run.status, run), dateAndTime(run.created_at)].join(" · "),
    ),
    run.snippet ? h("span", { class: "muted compare-snippet" }, run.snippet) : null,
  );

/** The parts of the difference that there are, the claims first. */
function comparison(one, two, { claims, sources, started, cost, remarks }) {
  const [a, b] = [t("First"), t("Second")];
  const nothing = [claims, sources].every(
    ({ came, went, changed }) => came.length + went.length + changed.length === 0,
  );
  return [
    h(
      "div",
      { class: "compare-heads" },
      h("div", { class: "compare-head" }, h("h2", {}, a), runLink(one, runPath(one.run_id))),
      h("div", { class: "compare-head" }, h("h2", {}, b), runLink(two, runPath(two.run_id))),
    ),
    h(
      "p",
      { class: "compare-line" },
      h("a", { class: "button small", href: comparePath(two.run_id, one.run_id) }, t("Swap")),
      h("a", { class: "button small", href: comparePath(one.run_id) }, t("Choose another")),
    ),
    h(
      "p",
      { class: "compare-sum" },
      nothing && started.length === 0
        ? t("Both say the same, from the same sources.")
        : [
            t("{number} the same", { number: plural(claims.same, "sentence") }),
            t("{number} changed", { number: count(claims.changed.length) }),
            t("{number} only in the first", { number: count(claims.went.length) }),
            t("{number} only in the second", { number: count(claims.came.length) }),
          ].join(" · "),
    ),
    remarks.length > 0
      ? h(
          "ul",
          { class: "muted compare-remarks" },
          remarks.map((one) => h("li", {}, one)),
        )
      : null,
    part(t("Changed sentences"), claims.changed.map(changedClaim)),
    part(t("Only in the first"), claims.went.map(claim)),
    part(t("Only in the second"), claims.came.map(claim)),
    part(t("Sources only in the first"), sources.went.map(source)),
    part(t("Sources only in the second"), sources.came.map(source)),
    part(t("Sources whose text changed"), sources.changed.map(source)),
    table(
      t("Started with"),
      [t("Setting"), a, b],
      started.map(({ what, from, to }) => [what.replaceAll("_", " "), plain(from), plain(to)]),
    ),
    table(
      t("Cost"),
      ["", a, b],
      [
        [t("Model calls"), count(cost.from.calls), count(cost.to.calls)],
        [t("Tokens"), count(cost.from.tokens), count(cost.to.tokens)],
        [t("Cost"), money(cost.from.cost_usd), money(cost.to.cost_usd)],
      ],
    ),
  ];
}

/** A list under its title, where there is something in it. */
const part = (title, items) =>
  items.length === 0
    ? null
    : h(
        "section",
        { class: "compare-part" },
        h("h2", {}, title, h("span", { class: "compare-count" }, count(items.length))),
        h("ul", { class: "compare-list" }, items),
      );

const verdict = (words) => h("span", { class: "compare-verdict" }, words);
const claim = (one) => h("li", {}, h("p", {}, one.text), h("p", { class: "muted" }, verdict(one.verdict)));
const source = (one) =>
  h(
    "li",
    {},
    h("p", {}, one.title || one.source_uri),
    one.title && one.title !== one.source_uri ? h("p", { class: "muted compare-uri" }, one.source_uri) : null,
  );

/** A sentence as it stands in both, with the figures that one of them lacks marked. */
function changedClaim({ from, to, is_reworded: reworded, has_other_verdict: judged, numbers }) {
  const side = (name, text, figures) =>
    h(
      "p",
      { class: "compare-side" },
      h("span", { class: "compare-which" }, name),
      h("span", {}, marked(text, figures.filter(Boolean))),
    );
  return h(
    "li",
    {},
    reworded
      ? [
          side(
            t("First"),
            from.text,
            numbers.map((one) => one.from),
          ),
          side(
            t("Second"),
            to.text,
            numbers.map((one) => one.to),
          ),
        ]
      : h("p", {}, from.text),
    judged
      ? h("p", { class: "muted" }, verdict(from.verdict), icon("chevron"), verdict(to.verdict))
      : h("p", { class: "muted" }, verdict(to.verdict)),
  );
}

/** A text with each of the figures marked once, in their order. */
function marked(text, figures) {
  const pieces = [];
  let rest = text;
  for (const figure of figures) {
    const at = rest.indexOf(figure);
    if (at < 0) continue;
    pieces.push(rest.slice(0, at), h("mark", {}, figure));
    rest = rest.slice(at + figure.length);
  }
  return [...pieces, rest];
}

function table(title, names, rows) {
  if (rows.length === 0) return null;
  return h(
    "section",
    { class: "compare-part" },
    h("h2", {}, title),
    h(
      "div",
      { class: "wide", tabindex: "0", role: "region", "aria-label": title },
      h(
        "table",
        { class: "compare-table" },
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            names.map((name) => (name ? h("th", { scope: "col" }, name) : h("td", {}))),
          ),
        ),
        h(
          "tbody",
          {},
          rows.map(([name, ...values]) =>
            h(
              "tr",
              {},
              h("th", { scope: "row" }, name),
              values.map((value) => h("td", {}, value)),
            ),
          ),
        ),
      ),
    ),
  );
}

const plain = (value) =>
  value === null || value === undefined || value === ""
    ? "–"
    : typeof value === "string"
      ? value
      : JSON.stringify(value);
