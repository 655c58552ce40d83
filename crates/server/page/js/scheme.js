/**
 * The switch between the system's colours, light and dark.
 * `first.js` sets the choice before the first paint; here it is changed and kept.
 */
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { keep } from "./keep.js";

export const SCHEMES = ["system", "light", "dark"];
const TITLES = { system: "Colours: same as system", light: "Colours: light", dark: "Colours: dark" };
const ICONS = { system: "contrast", light: "sun", dark: "moon" };

const root = document.documentElement;
const watchers = new Set();

export const scheme = () => root.dataset.scheme ?? "system";

/** Shows the page in these colours, and keeps the choice. @param {string} next */
export function setScheme(next) {
  root.dataset.scheme = next;
  keep("scheme", next);
  for (const watcher of watchers) watcher();
}

/** Calls back when the colours are chosen anew, until `signal` aborts. @param {() => void} watcher @param {AbortSignal} signal */
export function onScheme(watcher, signal) {
  watchers.add(watcher);
  signal?.addEventListener("abort", () => watchers.delete(watcher), { once: true });
}

/** @param {HTMLButtonElement} button */
export function schemeSwitch(button) {
  const show = () => {
    const title = t(TITLES[scheme()]);
    button.replaceChildren(icon(ICONS[scheme()]));
    button.setAttribute("aria-label", title);
    button.title = title;
  };
  button.addEventListener("click", () =>
    setScheme(SCHEMES[(SCHEMES.indexOf(scheme()) + 1) % SCHEMES.length]),
  );
  onScheme(show);
  show();
}
