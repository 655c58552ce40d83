/**
 * Tables of a report: numbers aligned, columns as broad as what they hold, a header that stays in sight, and a card for
 * each row where the columns have no room beside each other.
 */

import { fill, h } from "./dom.js";
import { t } from "./i18n.js";

/** A cell that is a number: an amount, a share, a range, perhaps with a unit or an interval behind it. */
const NUMBER =
  /^[<>≈~±+−–-]?\s*[$€£¥]?\s*\d[\d.,  ]*\s*(%|‰|[kKmM]|bn|million|billion)?(\s*\(.*\d.*\))?\s*\*?$/;
/** What says that there is no value. */
const NONE = /^([–—-]|n\/?a|none)?$/i;
/** An interval or a share behind a figure. */
const BEHIND = /^(\S+) (\(.+\))$/;

/** Characters from which on a cell holds a sentence, or a name. */
const SENTENCE = 56;
const NAME = 18;
/** Numbers that are no longer than this stay on one line. */
const FIGURE = 16;
/** Pixels below which rows of that many columns become cards, where the columns do not fit. */
const ROOMS = [
  { columns: 7, room: 672 },
  { columns: 4, room: 544 },
];

/** @param {HTMLElement} body @param {AbortSignal} signal */
export function dressTables(body, signal) {
  const regions = [...body.querySelectorAll(".wide")].filter((region) => region.querySelector("table"));
  if (regions.length === 0) return;
  const needs = new Map();
  const watch = new ResizeObserver((changes) => changes.forEach(({ target }) => fit(target, needs)));
  const names = new Map();
  for (const region of regions) {
    const table = region.querySelector("table");
    const name = region.getAttribute("aria-label") || t("Table");
    const times = (names.get(name) ?? 0) + 1;
    names.set(name, times);
    const label = times > 1 ? `${name} (${times})` : name;
    region.setAttribute("aria-label", label);
    table.setAttribute("aria-label", label);
    dress(table);
    watch.observe(region);
  }
  signal.addEventListener("abort", () => watch.disconnect(), { once: true });
}

/**
 * Shows rows as cards where a narrow screen has no room for their columns. Only what scrolls is a place of its own, which
 * the keyboard comes to.
 * @param {HTMLElement} region
 * @param {Map<HTMLElement, number>} needs what tables need that did not fit
 */
function fit(region, needs) {
  const table = region.querySelector("table");
  const columns = table.rows[0]?.cells.length ?? 0;
  const room = ROOMS.find((one) => columns >= one.columns)?.room ?? 0;
  const width = region.clientWidth;
  const isCards = () => width < room && width < (needs.get(region) ?? 0);
  table.classList.toggle("cards", isCards());
  if (!table.classList.contains("cards") && region.scrollWidth > width + 1) {
    needs.set(region, region.scrollWidth);
    table.classList.toggle("cards", isCards());
  }
  const scrolls = region.scrollWidth > width + 1;
  region.classList.toggle("fits", !scrolls);
  for (const [name, value] of [
    ["tabindex", "0"],
    ["role", "region"],
  ]) {
    if (scrolls) region.setAttribute(name, value);
    else region.removeAttribute(name);
  }
}

function dress(table) {
  const heads = [...table.querySelectorAll("thead th")];
  const rows = [...table.querySelectorAll("tbody tr")].map((row) => [...row.children]);
  const kinds = heads.map((head, at) =>
    kindOf(
      head,
      rows.map((cells) => cells[at]),
    ),
  );
  const name = Math.max(
    0,
    kinds.findIndex(([kind]) => kind === "words" || kind === "phrase"),
  );
  rows.flat().forEach((cell) => setApart(cell));
  heads.forEach((head, at) => {
    const column = [head, ...rows.map((cells) => cells[at])].filter(Boolean);
    for (const cell of column) {
      cell.classList.add(...kinds[at]);
      if (at === name) cell.classList.add("name");
      if (at < name) cell.classList.add("before");
    }
    for (const cells of rows) if (cells[at]) cells[at].dataset.label = head.textContent.trim();
  });
  table.classList.toggle("tight", heads.length >= ROOMS[0].columns);
  keepRoles(table);
}

/** What a column holds: numbers, or words of a length; as classes. */
function kindOf(head, cells) {
  const texts = cells.map((cell) => (cell?.textContent ?? "").trim());
  const said = texts.filter((text) => !NONE.test(text));
  const longest = Math.max(0, ...texts.map((text) => text.length));
  const isNumber =
    head.classList.contains("number") || (said.length > 0 && said.every((text) => NUMBER.test(text)));
  if (isNumber) return longest > FIGURE ? ["number", "long"] : ["number"];
  return [longest > SENTENCE ? "words" : longest > NAME ? "phrase" : "short"];
}

/** What stands in brackets behind a figure is read after it, and may go below it. */
function setApart(cell) {
  if (cell.childElementCount > 0) return;
  const [, figure, behind] = BEHIND.exec(cell.textContent.trim()) ?? [];
  if (figure && NUMBER.test(cell.textContent.trim()))
    fill(cell, figure, " ", h("span", { class: "interval" }, behind));
}

/** A row that is shown as a card stays a row to who listens. */
function keepRoles(table) {
  const roles = [
    ["thead, tbody", "rowgroup"],
    ["tr", "row"],
    ["th", "columnheader"],
    ["td", "cell"],
  ];
  table.setAttribute("role", "table");
  for (const [elements, role] of roles)
    for (const element of table.querySelectorAll(elements)) element.setAttribute("role", role);
}
