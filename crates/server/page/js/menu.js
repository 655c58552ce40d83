/** A button that opens a list of links or actions. Escape and a click elsewhere close it. */
import { h, freshId } from "./dom.js";
import { icon } from "./icons.js";
import { float, follow, sink } from "./floating.js";

/**
 * @param {{label: string, sign?: string, groups: {title: string, items: HTMLElement[]}[], id?: string}} menu
 * @returns {HTMLElement}
 */
export function menu({ label, sign = "download", groups, id }) {
  const items = groups.flatMap((group) => group.items);
  const listId = freshId("menu");
  const list = h(
    "ul",
    { id: listId, class: "menu floating", "aria-label": label, hidden: true },
    groups.map((group) => groupOf(group)),
  );
  const button = h(
    "button",
    { type: "button", id, class: "small", "aria-expanded": "false", "aria-controls": listId },
    icon(sign),
    label,
    icon("chevron"),
  );
  let stop = null;

  function open() {
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
    const moved = () => follow(list, button) || close();
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
  list.addEventListener("click", () => close());
  return whole;
}

/** A group of a menu under its title. */
function groupOf({ title, items }) {
  const titleId = freshId("group");
  return h(
    "li",
    {},
    h("span", { class: "menu-title", id: titleId }, title),
    h(
      "ul",
      { "aria-labelledby": titleId },
      items.map((item) => h("li", {}, item)),
    ),
  );
}
