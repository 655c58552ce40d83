/** Copying a text, also where the browser forbids the short way. */
import { h } from "./dom.js";

/** Returns whether the text was copied. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection({ "text/plain": text });
  }
}

/**
 * Copies what has yet to be read, in one or several forms. The clipboard is asked at once, while the reader's click still
 * counts; returns whether it was copied. What cannot be read is thrown.
 * @param {() => Promise<Record<string, string>>} read the text of each media type, `text/plain` among them
 * @param {string[]} types
 */
export async function copyLater(read, types = ["text/plain"]) {
  const reading = read();
  if (window.ClipboardItem && navigator.clipboard?.write) {
    const blobOf = async (type) => new Blob([(await reading)[type]], { type });
    const given = Object.fromEntries(types.map((type) => [type, blobOf(type)]));
    // Where copying fails first, nobody waits for these any more.
    for (const blob of Object.values(given)) blob.catch(() => {});
    try {
      await navigator.clipboard.write([new ClipboardItem(given)]);
      return true;
    } catch {
      // The longer way may still be open.
    }
  }
  return copyBySelection(await reading);
}

/** Copies by the command of documents, which asks for a selection and then what is to be copied of it. */
function copyBySelection(texts) {
  const field = h("textarea", {
    class: "visually-hidden",
    value: texts["text/plain"],
    "aria-hidden": "true",
  });
  const focused = document.activeElement;
  // A modal dialog keeps the focus within itself.
  (focused?.closest("dialog") ?? document.body).append(field);
  field.select();
  const take = (event) => {
    event.preventDefault();
    for (const [type, text] of Object.entries(texts)) event.clipboardData.setData(type, text);
  };
  document.addEventListener("copy", take, { once: true });
  const done = document.execCommand("copy");
  document.removeEventListener("copy", take);
  field.remove();
  focused?.focus({ preventScroll: true });
  return done;
}
