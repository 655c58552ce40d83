/** Tabs: one list, one panel shown, arrow keys to move. */
import { h } from "./dom.js";

/**
 * @param {string} label
 * @param {{id: string, title: string, body: HTMLElement}[]} tabs
 * @returns {{element: HTMLElement, choose: (id: string, focus?: boolean) => void, badge: (id: string, text: string) => void}}
 */
export function tabs(label, tabs, onChoose = () => {}) {
  let chosen = tabs[0].id;
  const buttons = tabs.map(({ id, title }) =>
    h(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${id}`,
        "aria-controls": id,
        class: "tab",
        on: { click: () => choose(id), keydown: move },
      },
      h("span", {}, title),
      h("span", { class: "badge", hidden: true }),
    ),
  );
  const panels = tabs.map(({ id, body }) => {
    body.id = id;
    body.setAttribute("role", "tabpanel");
    body.setAttribute("aria-labelledby", `tab-${id}`);
    body.tabIndex = 0;
    body.classList.add("tab-body");
    return body;
  });

  function choose(id, focus = false) {
    chosen = id;
    tabs.forEach((tab, index) => {
      const on = tab.id === id;
      buttons[index].setAttribute("aria-selected", String(on));
      buttons[index].tabIndex = on ? 0 : -1;
      panels[index].hidden = !on;
      if (on && focus) buttons[index].focus();
    });
    onChoose(id);
  }

  function move(event) {
    const index = tabs.findIndex((tab) => tab.id === chosen);
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose(tabs[(to + tabs.length) % tabs.length].id, true);
  }

  function badge(id, text) {
    const place = buttons[tabs.findIndex((tab) => tab.id === id)]?.querySelector(".badge");
    if (!place) return;
    place.textContent = text;
    place.hidden = text === "";
  }

  choose(chosen);
  const element = h(
    "div",
    { class: "tabs" },
    h("div", { class: "tab-list", role: "tablist", "aria-label": label }, buttons),
    panels,
  );
  return { element, choose, badge };
}
