/**
 * Building elements. Text of others enters the page as text nodes only; nothing here reads markup.
 */

/**
 * Makes an element. `props`: `class`, `text`, `dataset`, `on` (listeners), `style` (custom properties, set through the
 * object model as the policy allows), and every attribute else; a value of null, undefined or false leaves it out.
 * @param {string} tag @param {Record<string, any>} [props] @param {...any} children
 * @returns {HTMLElement}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name === "text") element.textContent = value;
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (name === "on") {
      for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    } else if (name === "style") {
      for (const [property, set] of Object.entries(value)) element.style.setProperty(property, set);
    } else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

/** Appends children: nodes, texts, lists of them; null and false are left out. */
export function add(element, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

/** Puts the children in the place of what was there. */
export function fill(element, ...children) {
  element.replaceChildren();
  return add(element, ...children);
}

/** Shows or hides. @param {HTMLElement} element @param {boolean} shown */
export function show(element, shown) {
  element.hidden = !shown;
}

/** The box that scrolls: `box` where it is one, else the page. @param {HTMLElement} box */
export const scrollerOf = (box) =>
  box.scrollHeight > box.clientHeight + 1 && getComputedStyle(box).overflowY !== "visible"
    ? box
    : document.scrollingElement;

let spoken = 0;

/** Says a line to screen readers, politely; the same line twice is said once. @param {string} line */
export function announce(line) {
  const announcer = document.getElementById("announcer");
  if (!announcer || announcer.textContent === line) return;
  announcer.textContent = line;
  clearTimeout(spoken);
  spoken = setTimeout(() => {
    announcer.textContent = "";
  }, 5000);
}

/** Calls once the calls have paused for so long. */
export function debounce(milliseconds, call) {
  let timer = 0;
  const later = (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...given), milliseconds);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}

let named = 0;

/** Returns an id that is new on this page. @param {string} stem */
export function freshId(stem) {
  named += 1;
  return `${stem}-${named}`;
}

/** Returns the address if it may be linked to from here: http and https only. @param {string} address */
export function safeLink(address) {
  try {
    const url = new URL(address);
    return url.protocol === "http:" || url.protocol === "https:" ? url.href : null;
  } catch {
    return null;
  }
}

/** A link out of the page, or plain text where the address may not be linked to. */
export function outLink(address, text = address) {
  const href = safeLink(address);
  if (!href) return document.createTextNode(text);
  return h("a", { href, target: "_blank", rel: "noopener noreferrer nofollow", class: "out" }, text);
}
