/**
 * Addresses of the page: `#/`, `#/runs/ID`, `#/documents/ID?start=&end=`, `#/collections`, `#/collections/NAME`, `#/startups`,
 * `#/settings`, `#/doctor`.
 */
import { set } from "./store.js";

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
  if (parts[0] === "startups" && parts.length === 1) return { page: "startups", query };
  if (parts[0] === "settings" && parts.length === 1) return { page: "settings", query };
  if (parts[0] === "doctor" && parts.length === 1) return { page: "doctor", query };
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
export const collectionPath = (name) => `#/collections/${encodeURIComponent(name)}`;

/** The address of a document, at a span where there is one. */
export function documentPath(id, start = null, end = null) {
  const at = start === null || end === null ? "" : `?start=${start}&end=${end}`;
  return `#/documents/${encodeURIComponent(id)}${at}`;
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
