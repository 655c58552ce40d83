/**
 * The switch between the system's colours, light and dark.
 * `theme.js` sets the choice before the first paint; here it is changed and kept.
 */
import { icon } from "./icons.js";
import { keep } from "./keep.js";

const ORDER = ["system", "light", "dark"];
const TITLES = { system: "Colours: as the system", light: "Colours: light", dark: "Colours: dark" };
const ICONS = { system: "contrast", light: "sun", dark: "moon" };

/** @param {HTMLButtonElement} button */
export function schemeSwitch(button) {
  const root = document.documentElement;
  const show = () => {
    const scheme = root.dataset.scheme ?? "system";
    button.replaceChildren(icon(ICONS[scheme]));
    button.setAttribute("aria-label", TITLES[scheme]);
    button.title = TITLES[scheme];
  };
  button.addEventListener("click", () => {
    const next = ORDER[(ORDER.indexOf(root.dataset.scheme ?? "system") + 1) % ORDER.length];
    root.dataset.scheme = next;
    keep("scheme", next);
    show();
  });
  show();
}
