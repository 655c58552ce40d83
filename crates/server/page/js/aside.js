/** What "New" put aside: the box is empty to begin with, and what stood in it can be restored. */
import { h, show } from "./dom.js";
import { icon } from "./icons.js";
import { draftKeyOf, keepValue, keptValue } from "./keep.js";
import { t } from "./i18n.js";
import { listen, set, user } from "./store.js";

/** Where the page that asks keeps its draft. */
export const NEW = "new";

const draftKey = () => draftKeyOf(user(), NEW);
const asideKey = () => draftKeyOf(user(), "aside");

/** Empties the question box. How it is answered stays as it was chosen. */
export function putAside() {
  const draft = keptValue(draftKey());
  if (!draft?.question?.trim()) return;
  keepValue(asideKey(), draft);
  keepValue(draftKey(), { ...draft, question: "", key: null, keyOf: null });
  set("aside", draft);
}

/**
 * The way back to the draft put aside, in sight while the box is empty.
 * @param {{isEmpty: () => boolean, empty: () => void, restore: (draft: any) => void, signal: AbortSignal}} box
 */
export function restoring({ isEmpty, empty, restore, signal }) {
  const button = h(
    "button",
    { type: "button", class: "quiet clip", id: "restore-draft", on: { click: back } },
    icon("back"),
    t("Restore draft"),
  );

  function back() {
    const draft = keptValue(asideKey());
    keepValue(asideKey(), null);
    if (draft) restore(draft);
    draw();
  }

  const draw = () => show(button, isEmpty() && keptValue(asideKey()) !== null);
  listen(
    "aside",
    () => {
      empty();
      draw();
    },
    signal,
  );
  draw();
  return { element: button, draw };
}
