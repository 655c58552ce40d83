/**
 * The sections of a report as they are written, side by side and unchecked: the outline names them, the live stream brings their
 * words. The box keeps its size while it fills.
 */
import { h, fill, show } from "./dom.js";
import { drafts } from "./drafts.js";
import { plain } from "./plain.js";
import { t } from "./i18n.js";

const SECTION = /(?:^|\/)section-(\d+)\//;
/** Who writes a text; what else is said in a section, by its reader or its mender, is no part of it. */
const WRITES = /(?:section_writer|report_editor) #1$/;
/** Addresses of statements, which mean nothing to a reader, and the writer's remarks behind the text. */
const ADDRESSES = /\s*\[\d+\.\d+(?:-\d+)?(?:,\s*\d+\.\d+(?:-\d+)?)*\]/g;
const REMARKS = /\n(?:Open|Differ):[^]*$/;

export function sectionsView() {
  const words = drafts();
  const text = h("div", {
    class: "draft-text section-drafts",
    tabindex: "0",
    role: "region",
    "aria-label": t("Text of the sections"),
  });
  const label = h("p", { class: "draft-label" }, t("draft, not yet checked"));
  const element = h(
    "section",
    { class: "draft", id: "sections", "aria-label": t("Sections"), hidden: true },
    label,
    text,
  );
  /** @type {{element: HTMLElement, state: HTMLElement, body: HTMLElement, said: string}[]} */
  let rows = [];
  let drawing = 0;
  let ended = false;

  function draw() {
    drawing = 0;
    for (const row of rows) if (row.body.textContent !== row.said) row.body.textContent = row.said;
  }

  const later = () => {
    drawing ||= requestAnimationFrame(draw);
  };

  function begin(outline) {
    rows = [t("Summary"), ...outline].map((heading) => {
      const state = h("span", { class: "muted" });
      const body = h("p", {});
      const head = h("h2", {}, plain(heading), " ", state);
      return { element: h("div", { class: "section-draft" }, head, body), state, body, said: "" };
    });
    fill(
      text,
      rows.map((row) => row.element),
    );
  }

  /** The summary is the first: a reader meets it first, and it is written last. */
  const placeOf = (step) => (/^report_editor\b/.test(step) ? 0 : Number(SECTION.exec(step)?.[1] ?? -1));
  const rowOf = (step) => rows[placeOf(step)];

  function stateOf(lines) {
    const isRead = (line) => /\/reader #/.test(line.step);
    if (lines.length === 0) return ended ? t("not written") : t("pending");
    if (lines.some((line) => line.state === "running"))
      return lines.some((line) => line.state === "running" && !isRead(line))
        ? t("being written")
        : t("being checked");
    if (lines.some((line) => line.state === "cancelled")) return t("stopped");
    return lines.at(-1).state === "failed" ? t("failed") : t("written");
  }

  return {
    element,
    /** Takes a piece of a section; false where it belongs to none. */
    take(piece) {
      const row = rowOf(piece.step);
      if (!row) return false;
      if (!WRITES.test(piece.step)) return true;
      row.said = words.take(piece);
      later();
      return true;
    },
    /** A step has its value: a section that was written while nobody looked. */
    returned({ step, value }) {
      const row = rowOf(step);
      if (!row || !WRITES.test(step) || row.said) return;
      row.said = String(value?.text ?? "")
        .replace(REMARKS, "")
        .replace(ADDRESSES, "");
      later();
    },
    /** The outline has come. @param {string[]} outline */
    begin(outline) {
      if (rows.length !== outline.length + 1) begin(outline);
    },
    /** @param {ReturnType<import("./entries.js").nothing>} view */
    put(view) {
      if (rows.length === 0) return;
      show(element, true);
      rows.forEach((row, index) => {
        const said = stateOf(view.lines.filter((line) => line.step && placeOf(line.step) === index));
        if (row.state.textContent !== said) row.state.textContent = said;
      });
    },
    /** The run has ended; what was being written stays only where no report takes its place. */
    end(completed) {
      cancelAnimationFrame(drawing);
      draw();
      ended = true;
      if (completed || !rows.some((row) => row.said)) show(element, false);
      else label.textContent = t("draft, never checked: the run ended first");
    },
  };
}
