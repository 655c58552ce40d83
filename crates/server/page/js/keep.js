/**
 * What the browser keeps for the reader: drafts, widths, the colour scheme.
 * Where storage is full or forbidden the page works without it.
 */
const PREFIX = "quaestio.";

/** Keeps a text; nothing is kept for null. @param {string} key @param {string|null} text */
export function keep(key, text) {
  try {
    if (text === null) localStorage.removeItem(PREFIX + key);
    else localStorage.setItem(PREFIX + key, text);
  } catch {
    // Without storage the draft lives as long as the page.
  }
}

/** @param {string} key @returns {string|null} */
export function kept(key) {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {unknown} value */
export function keepValue(key, value) {
  keep(key, value === null || value === undefined ? null : JSON.stringify(value));
}

/** Returns what was kept, or `otherwise` where nothing was or it cannot be read. */
export function keptValue(key, otherwise = null) {
  const text = kept(key);
  if (text === null) return otherwise;
  try {
    return JSON.parse(text);
  } catch {
    return otherwise;
  }
}
