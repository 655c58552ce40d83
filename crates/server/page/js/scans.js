/** Documents whose pages were read by OCR, and how sure it is of each page. */
import { t } from "./i18n.js";

/** The pictures that a browser shows. */
const PICTURES = { png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg" };

/** Returns the media type of a picture that can be shown, by its name; null of any other file. @param {string} path */
export function pictureOf(path) {
  const ending = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  return PICTURES[ending] ?? null;
}

/**
 * Returns what is known of the OCR of a document: words for it, and how sure it is of a page, in percent; null if none of its
 * pages was read so.
 * @param {{metadata?: Record<string, string>}} about
 */
export function scanOf({ metadata = {} }) {
  const { ocr_pages: pages, ocr_confidence: sure, ocr_page_confidence: each = "" } = metadata;
  if (!pages || !sure) return null;
  const known = new Map(each.split(", ").map((one) => one.split(": ")));
  return {
    words: t("pages {pages} read by OCR, {sure} % sure", { pages, sure }),
    /** @param {number|null|undefined} page @returns {string|null} */
    sureOf: (page) => known.get(String(page)) ?? null,
  };
}
