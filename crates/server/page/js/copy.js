/** Copying a text, also where the browser forbids the short way. */
import { h } from "./dom.js";

/** Returns whether the text was copied. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

function copyBySelection(text) {
  const field = h("textarea", { class: "visually-hidden", value: text, "aria-hidden": "true" });
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  focused?.focus({ preventScroll: true });
  return done;
}
