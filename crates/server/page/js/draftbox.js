/** The box that shows the words of a step while they are generated, before anything is checked. */
import { h, show } from "./dom.js";
import { t } from "./i18n.js";
import { drafts } from "./drafts.js";

export function draftBox() {
  const words = drafts();
  const text = h("div", {
    class: "draft-text",
    id: "draft-text",
    tabindex: "0",
    role: "region",
    "aria-label": t("Draft text"),
  });
  const label = h("p", { class: "draft-label" }, t("draft, not yet checked"));
  const element = h(
    "section",
    { class: "draft", id: "draft", "aria-label": t("Draft"), hidden: true },
    label,
    text,
  );
  let coming = "";
  let drawing = 0;
  const atEnd = () => text.scrollHeight - text.scrollTop - text.clientHeight < 40;

  function draw() {
    cancelAnimationFrame(drawing);
    drawing = 0;
    const pinned = atEnd();
    text.textContent = coming;
    if (pinned) text.scrollTop = text.scrollHeight;
  }

  return {
    element,
    /** Takes a piece; the box stays at its end only if the reader is there. */
    take(piece) {
      coming = words.take(piece);
      show(element, true);
      drawing ||= requestAnimationFrame(draw);
    },
    /** The step has its value, or its try failed: its draft counts no more. */
    drop(step) {
      const rest = words.drop(step);
      coming = rest ?? "";
      draw();
      if (rest === null) show(element, false);
    },
    /** The run has ended; what was being written stays only where no report takes its place. */
    end(completed) {
      draw();
      if (completed || text.textContent === "") show(element, false);
      else label.textContent = t("draft, never checked: the run ended first");
    },
  };
}
