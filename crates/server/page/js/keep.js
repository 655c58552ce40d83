/**
 * What the browser keeps for the reader: drafts, widths, the colour scheme.
 * Where storage is full or forbidden the page works without it.
 */
const PREFIX = "quaestio.";

/** What a user has written and not sent yet is kept apart from what others have. No user's name holds a slash. */
const draftsOf = (user) => `draft/${user}/`;

/** The key of a draft. @param {string} user @param {...string} parts what it is a draft of */
export const draftKeyOf = (user, ...parts) => draftsOf(user) + parts.join(".");

/** Forgets every draft of a user. @param {string} user */
export function forgetDrafts(user) {
  try {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX + draftsOf(user)));
    for (const key of keys) localStorage.removeItem(key);
  } catch {
    // Without storage nothing was kept.
  }
}

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
