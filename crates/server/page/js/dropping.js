/** Dropping files on a part of the page, choosing them by a button, and the list of what becomes of them. */
import { h, fill, announce } from "./dom.js";
import { t } from "./i18n.js";
import { icon } from "./icons.js";
import { get, listen } from "./store.js";
import { cancelUpload, clearUploads, isUnderWay, retryUpload, upload } from "./upload.js";
import { bytes, sentence } from "./words.js";

/**
 * Decides where files go.
 * @typedef {(send: (into: string|{survey: string}) => void, files: File[]) => void} Take
 */

const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

/**
 * Lets files be dropped on `element`. `take` is handed a function that puts them into the collection or the survey it names.
 * @param {HTMLElement} element @param {Take} take
 * @param {(files: File[], target: EventTarget) => boolean} reads whether it reads the files itself, which then go nowhere
 */
export function dropZone(element, take, reads = () => false) {
  let depth = 0;
  element.classList.add("drop-zone");
  const mark = (over) => element.classList.toggle("dropping", over);
  element.addEventListener("dragenter", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth += 1;
    mark(true);
  });
  element.addEventListener("dragleave", (event) => {
    if (!carriesFiles(event)) return;
    depth = Math.max(0, depth - 1);
    if (depth === 0) mark(false);
  });
  element.addEventListener("dragover", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
  });
  element.addEventListener("drop", (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    depth = 0;
    mark(false);
    const files = [...event.dataTransfer.files];
    if (files.length > 0 && !reads(files, event.target)) take((into) => upload(files, into), files);
  });
}

/** A file dropped beside the zones would make the browser leave the page. */
export function guardDrops() {
  for (const name of ["dragover", "drop"]) {
    addEventListener(name, (event) => {
      if (carriesFiles(event) && !event.defaultPrevented) event.preventDefault();
    });
  }
}

/**
 * A button that chooses files.
 * @param {Take} take @param {string} [text] @param {string[]} [formats] endings, else those of documents
 */
export function fileButton(take, text = t("Add documents"), formats = get("settings")?.upload_formats ?? []) {
  const input = h("input", {
    type: "file",
    multiple: true,
    hidden: true,
    accept: formats.map((one) => `.${one}`).join(","),
    "aria-label": text,
    tabindex: "-1",
    class: "file-input",
  });
  input.addEventListener("change", () => {
    const files = [...input.files];
    input.value = "";
    if (files.length > 0) take((into) => upload(files, into), files);
  });
  const button = h(
    "button",
    { type: "button", on: { click: () => input.click() } },
    icon("clip"),
    h("span", { class: "file-button-words" }, text),
  );
  return h("span", { class: "file-button" }, button, input);
}

/** The uploads of this visit into one collection. @param {AbortSignal} signal @param {() => string} collection */
export const uploadList = (signal, collection) =>
  uploadsInto(signal, () => ({ collection: collection(), survey: "", says: "" })).element;

/**
 * The uploads of this visit into what is chosen.
 * @param {AbortSignal} signal @param {() => {collection: string, survey: string, says: string}} chosen `says` stands above them
 */
export function uploadsInto(signal, chosen) {
  const into = h("p", { class: "uploads-into" });
  const list = h("ul", { class: "uploads-list" });
  const clear = h(
    "button",
    { type: "button", class: "link", on: { click: clearUploads } },
    t("Clear the list"),
  );
  const element = h(
    "section",
    { class: "uploads", "aria-label": t("Uploads"), hidden: true },
    into,
    list,
    clear,
  );
  const rows = new Map();
  const said = new Map();

  function draw() {
    const { collection, survey, says } = chosen();
    const isShown = (one) => (one.survey ? one.survey === survey : one.collection === collection);
    const all = get("uploads").filter(isShown);
    element.hidden = all.length === 0;
    clear.hidden = all.every(isUnderWay);
    into.textContent = says;
    into.hidden = says === "";
    for (const [id, row] of rows) {
      if (all.some((one) => one.id === id)) continue;
      row.remove();
      rows.delete(id);
    }
    for (const one of all) {
      let row = rows.get(one.id);
      const fresh = !row || row.dataset.state !== one.state;
      if (!row) {
        row = h("li", {});
        rows.set(one.id, row);
        list.append(row);
      }
      if (fresh) drawRow(row, one);
      else {
        const bar = row.querySelector("progress");
        if (bar) bar.value = one.share;
      }
      if (one.words && said.get(one.id) !== one.state) announce(`${one.name}: ${one.words}`);
      said.set(one.id, one.state);
    }
  }

  listen("uploads", draw, signal);
  draw();
  return { element, draw };
}

function drawRow(row, one) {
  row.dataset.state = one.state;
  row.className = "upload";
  const active = isUnderWay(one);
  const bar =
    one.state === "sending" || one.state === "queued"
      ? h("progress", { max: "1", "aria-label": t("Upload of {name}", { name: one.name }) })
      : null;
  if (bar) bar.value = one.share;
  const words = { queued: t("waiting"), sending: "", reading: t("reading…") }[one.state] ?? one.words ?? "";
  fill(
    row,
    icon(
      one.state === "done"
        ? "check"
        : one.state === "failed"
          ? "alert"
          : one.state === "cancelled"
            ? "cross"
            : "file",
    ),
    h(
      "div",
      { class: "upload-body", role: one.state === "failed" ? "alert" : null },
      h(
        "p",
        {},
        h("span", { class: "upload-name" }, one.name),
        h("span", { class: "muted" }, ` ${bytes(one.size)} `),
        words,
      ),
      one.hint ? h("p", { class: "muted" }, `${sentence(one.hint)}.`) : null,
      bar,
    ),
    active
      ? h(
          "button",
          {
            type: "button",
            class: "small",
            "aria-label": t("Cancel: the upload of {name}", { name: one.name }),
            on: { click: () => cancelUpload(one.id) },
          },
          t("Cancel"),
        )
      : null,
    one.again && (one.state === "failed" || one.state === "cancelled")
      ? h(
          "button",
          {
            type: "button",
            class: "small",
            "aria-label": t("Try again: {name}", { name: one.name }),
            on: { click: () => retryUpload(one.id) },
          },
          t("Try again"),
        )
      : null,
  );
}
