/** A button that opens a list of links or actions. Escape and a click elsewhere close it. */
import { h, fill, freshId } from "./dom.js";
import { icon } from "./icons.js";
import { float, follow, sink } from "./floating.js";

/** @typedef {{title?: string, items: HTMLElement[]}} Group */

/**
 * @param {{label: string, sign?: string, groups: Group[] | (() => Group[]), id?: string, bare?: boolean, class?: string}} menu
 *   `groups` may be made each time that it opens; a `bare` button shows its sign alone
 * @returns {HTMLElement}
 */
export function menu({ label, sign = "download", groups, id, bare = false, class: kind = "small" }) {
  const made = typeof groups === "function" ? groups : null;
  /** @type {HTMLElement[]} */
  let items = [];
  const listId = freshId("menu");
  const list = h("ul", { id: listId, class: "menu floating", "aria-label": label, hidden: true });
  const put = (given) => {
    items = given.flatMap((group) => group.items);
    fill(
      list,
      given.filter((group) => group.items.length > 0).map((group) => groupOf(group)),
    );
  };
  if (!made) put(groups);
  const button = h(
    "button",
    {
      type: "button",
      id,
      class: bare ? "quiet icon-button menu-button" : kind,
      "aria-expanded": "false",
      "aria-controls": listId,
      "aria-label": bare ? label : null,
      title: bare ? label : null,
    },
    icon(sign),
    bare ? null : [h("span", { class: "menu-words" }, label), icon("chevron")],
  );
  let stop = null;

  function open() {
    if (made) put(made());
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    float(list, button);
    stop = new AbortController();
    const { signal } = stop;
    document.addEventListener(
      "pointerdown",
      (event) => {
        if (!whole.contains(event.target)) close();
      },
      { signal },
    );
    const moved = (event) => {
      // What scrolls within the list itself moves nothing.
      if (event.target === list) return;
      if (!follow(list, button)) close();
    };
    addEventListener("scroll", moved, { signal, capture: true });
    addEventListener("resize", moved, { signal });
    items[0]?.focus();
  }

  function close() {
    stop?.abort();
    stop = null;
    sink(list);
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
  }

  button.addEventListener("click", () => (stop ? close() : open()));
  const whole = h("div", { class: "menu-holder" }, button, list);
  whole.addEventListener("keydown", (event) => {
    if (!stop) return;
    const index = items.indexOf(document.activeElement);
    const to = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: items.length - 1 }[event.key];
    if (event.key === "Escape") {
      event.stopPropagation();
      close();
      button.focus();
    } else if (to !== undefined) {
      event.preventDefault();
      items[(to + items.length) % items.length].focus();
    }
  });
  whole.addEventListener("focusout", (event) => {
    if (stop && event.relatedTarget && !whole.contains(event.relatedTarget)) close();
  });
  // What a choice does may open a dialog: that gives the focus back to the button.
  list.addEventListener(
    "click",
    (event) => {
      if (!(event.target instanceof Element) || !event.target.closest("a, button")) return;
      close();
      button.focus({ preventScroll: true });
    },
    true,
  );
  return whole;
}

/** An item that does something. @param {string} sign @param {string} words @param {() => void} act */
export const action = (sign, words, act) =>
  h("button", { type: "button", on: { click: act } }, icon(sign), words);

/** A group of a menu, under its title where it has one. */
function groupOf({ title, items }) {
  const titleId = freshId("group");
  return h(
    "li",
    { class: "menu-group" },
    title ? h("span", { class: "menu-title", id: titleId }, title) : null,
    h(
      "ul",
      title ? { "aria-labelledby": titleId } : {},
      items.map((item) => h("li", {}, item)),
    ),
  );
}
