/**
 * Addresses of the page: `#/`, `#/runs/ID`, `#/compare/A`, `#/compare/A/B`, `#/documents/ID?start=&end=`, `#/collections`,
 * `#/collections/NAME`, `#/startups`, `#/settings`, `#/doctor`, and `#/shared/TOKEN`, which needs no account.
 * A source that is open beside a run stands in the run's: `#/runs/ID?source=DOCUMENT&start=&end=`, or `?figure=NUMBER`.
 */
import { get, set } from "./store.js";

/** Reads a route from the part of the address behind `#`. */
export function parse(hash) {
  const [path, search = ""] = hash.replace(/^#/, "").split("?", 2);
  const query = new URLSearchParams(search);
  const parts = path.split("/").filter(Boolean).map(plain);
  if (parts.length === 0) return { page: "new", query };
  if (parts[0] === "runs" && parts.length === 2) return { page: "run", id: parts[1], query };
  if (parts[0] === "documents" && parts.length === 2) return { page: "document", id: parts[1], query };
  if (parts[0] === "collections" && parts.length === 1) return { page: "collections", query };
  if (parts[0] === "collections" && parts.length === 2) return { page: "collection", name: parts[1], query };
  if (parts[0] === "compare" && (parts.length === 2 || parts.length === 3))
    return { page: "compare", id: parts[1], other: parts[2] ?? null, query };
  if (parts[0] === "shared" && parts.length === 2) return { page: "shared", token: parts[1], query };
  if (["startups", "settings", "doctor"].includes(parts[0]) && parts.length === 1)
    return { page: parts[0], query };
  return { page: "unknown", query };
}

function plain(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export const runPath = (id) => `#/runs/${encodeURIComponent(id)}`;
/** A run with its composer open for another question. */
export const askOnPath = (id) => `${runPath(id)}?ask=on`;
export const comparePath = (id, other) =>
  `#/compare/${encodeURIComponent(id)}` + (other ? `/${encodeURIComponent(other)}` : "");
/** The whole address of a link that others read a run by: what follows the `#` reaches no server. */
export const sharedAddress = (token) =>
  `${location.origin}${location.pathname}#/shared/${encodeURIComponent(token)}`;
export const collectionPath = (name) => `#/collections/${encodeURIComponent(name)}`;

/** The address of a document, at a span where there is one. */
export function documentPath(id, start = null, end = null) {
  const at = start === null || end === null ? "" : `?start=${start}&end=${end}`;
  return `#/documents/${encodeURIComponent(id)}${at}`;
}

/** The address of a figure of the run on display, beside its report. @param {number|string} number */
export const figurePath = (number) => `${runPath(get("run")?.run_id ?? "")}?figure=${number}`;

/**
 * The address under which a link to a source opens beside a run; null for any other link.
 * @param {string} run @param {HTMLAnchorElement} link
 */
export function besidePath(run, link) {
  const href = link.getAttribute("href") ?? "";
  const route = parse(href);
  if (href.startsWith("#/documents/") && route.page === "document") {
    const query = new URLSearchParams({ source: route.id });
    for (const key of ["start", "end"]) if (route.query.has(key)) query.set(key, route.query.get(key));
    return `${runPath(run)}?${query}`;
  }
  return route.page === "run" && route.id === run && route.query.has("figure") ? href : null;
}

export function go(path) {
  if (location.hash === path) read();
  else location.hash = path;
}

/** How many pages of this visit lie behind, so that "Back" does not leave the page. */
let visited = 0;

export const canGoBack = () => visited > 1;

function read() {
  visited += 1;
  set("route", parse(location.hash));
}

export function start() {
  addEventListener("hashchange", read);
  read();
}
