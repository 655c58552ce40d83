/**
 * The one store: what several parts of the page show. A part listens to the keys that it shows.
 *
 * @typedef {object} Session
 * @property {string|null} user
 * @property {"none"|"token"} authentication
 * @property {boolean} signed_in
 */
const state = {
  /** @type {Session|null} */
  session: null,
  /** The answer of GET /api/settings. */
  settings: null,
  /** @type {{page: string, id?: string, name?: string, query: URLSearchParams}|null} */
  route: null,
  /** Where the run on display stands: Run of the contract. */
  run: null,
  /** Citations of the run on display, from its result. */
  citations: [],
  /** Evidence of the run on display. */
  evidence: [],
  /** @type {{collections: object[]}|null} */
  collections: null,
  /** The newest runs, pinned ones among them; null before the history is there. @type {object[]|null} */
  runs: null,
  /** The reader's startup contexts; null before anybody needed them. @type {object[]|null} */
  contexts: null,
  /** The surveys that the reader keeps; null before anybody needed them. @type {object[]|null} */
  surveys: null,
  /** The run that was given a title or pinned last, as the server answered. @type {any} */
  labelled: null,
  /** The ids of runs that are being removed and may still be brought back. @type {Set<string>} */
  leaving: new Set(),
  /** The draft that was put aside last; see `aside.js`. @type {any} */
  aside: null,
  /** Uploads of this visit, newest last; see `upload.js`. */
  uploads: [],
};

const listeners = new Map();

/** @template {keyof typeof state} K @param {K} key @returns {(typeof state)[K]} */
export const get = (key) => state[key];

/** Sets a key and tells who listens. */
export function set(key, value) {
  state[key] = value;
  for (const listener of [...(listeners.get(key) ?? [])]) listener(value);
}

/** Listens to a key until `signal` aborts. @param {keyof typeof state} key @param {AbortSignal} [signal] */
export function listen(key, listener, signal) {
  const all = listeners.get(key) ?? new Set();
  all.add(listener);
  listeners.set(key, all);
  signal?.addEventListener("abort", () => all.delete(listener), { once: true });
}

/** Returns the user whose drafts are kept apart from those of others. */
export const user = () => state.session?.user ?? "local";
