/** Fragments that the server rendered and sanitised. Nothing else of the page reads markup into itself. */
import { safeLink } from "./dom.js";

/** Ids of a report get this in front, so that no heading can take the place of a part of the page. */
const PREFIX = "section-";

/** The id on the page of what has that id in a report. @param {string} id */
export const idOnPage = (id) => PREFIX + id;

/** Reads a fragment as it is. @param {string} html @returns {DocumentFragment} */
export function readFragment(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/**
 * Reads a report: its ids stand apart from those of the page, and its links lead to http and https in a tab of their own, or to
 * places of the report; all others become text.
 * @param {string} html @returns {DocumentFragment}
 */
export function readReport(html) {
  const content = readFragment(html);
  for (const one of content.querySelectorAll("[id]")) one.id = idOnPage(one.id);
  for (const link of content.querySelectorAll("a[href]")) tame(link);
  return content;
}

function tame(link) {
  const href = link.getAttribute("href") ?? "";
  if (href.startsWith("#")) return;
  if (!safeLink(href)) {
    link.removeAttribute("href");
    return;
  }
  link.target = "_blank";
  link.rel = "noopener noreferrer nofollow";
}
