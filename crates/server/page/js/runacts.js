/** What is done with a run as a whole: a title, a pin, removal that can be undone. */
import { h, announce } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { get, set } from "./store.js";
import { ask } from "./dialog.js";
import { t } from "./i18n.js";
import { notify } from "./problems.js";
import { go, runPath } from "./router.js";
import { excerpt } from "./words.js";

/** How long a removal can be undone. */
const UNDO_MILLISECONDS = 20_000;
/** How often a reader who is at the notice is given the same time again. */
const MORE_TIME = 2;
const TITLE_CHARS = 200;

/** What a run is called: its title, else its question. @param {any} run */
export const nameOf = (run) => run.title || run.question;

/** Asks for the title of a run. */
export function rename(run) {
  const field = h("input", {
    id: "run-title",
    type: "text",
    maxlength: String(TITLE_CHARS),
    autocomplete: "off",
    value: nameOf(run),
    "aria-describedby": "run-title-rule",
  });
  return ask({
    title: t("Rename this run"),
    body: h(
      "div",
      { class: "field" },
      h("label", { for: "run-title" }, t("Title")),
      field,
      h(
        "p",
        { class: "muted small-print", id: "run-title-rule" },
        t("Shown in the history instead of the question. Leave empty to show the question."),
      ),
    ),
    action: t("Rename"),
    act: async () => {
      const title = field.value.trim();
      changed(await api.label(run.run_id, { title: title === run.question ? "" : title }));
    },
  });
}

/** Puts a run at the head of the history, or back among the others. */
export async function pin(run, pinned) {
  try {
    changed(await api.label(run.run_id, { pinned }));
    announce(pinned ? t("Pinned") : t("Unpinned"));
  } catch (error) {
    notify(error, pinned ? t("Could not pin the run") : t("Could not unpin the run"));
  }
}

function changed(run) {
  const shown = get("run");
  if (shown?.run_id === run.run_id) set("run", { ...shown, title: run.title, pinned: run.pinned });
  set("labelled", run);
}

/** The removals that are still to be sent, by the ids of their runs. @type {Map<string, () => void>} */
const pending = new Map();

addEventListener("pagehide", () => {
  for (const id of pending.keys()) api.removeRunAtOnce(id);
});

/** Removes a run after a while in which that can be undone. It is out of sight at once. */
export function removeLater(run) {
  const id = run.run_id;
  if (pending.has(id)) return;
  const shown = get("route");
  const wasShown = shown?.page === "run" && shown.id === id;
  leave(id, true);
  if (wasShown) go("#/");

  const undo = h("button", { type: "button", class: "small" }, t("Undo"));
  const notice = h(
    "div",
    { class: "notice", role: "status" },
    icon("trash"),
    h(
      "div",
      {},
      h("p", {}, t("Deleted: {name}", { name: excerpt(nameOf(run), 60) })),
      h(
        "p",
        { class: "muted small-print" },
        t("You lose its report, log and links unless you undo this. Your documents are kept."),
      ),
    ),
    undo,
  );
  let timer = 0;
  let waited = 0;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(send, UNDO_MILLISECONDS);
  };
  const done = () => {
    clearTimeout(timer);
    pending.delete(id);
    notice.remove();
  };
  async function send() {
    const isReached = notice.contains(document.activeElement);
    if ((isReached || notice.matches(":hover")) && waited < MORE_TIME) {
      waited += 1;
      wait();
      return;
    }
    done();
    if (isReached) document.querySelector("#history a, #main h1")?.focus();
    try {
      await api.removeRun(id);
    } catch (error) {
      // It is gone already: removed elsewhere.
      if (error.status === 404) return;
      leave(id, false);
      notify(error, t("Could not delete the run"));
    }
  }
  undo.addEventListener("click", () => {
    done();
    leave(id, false);
    announce(t("Deletion undone"));
    if (wasShown && get("route")?.page === "new") go(runPath(id));
  });
  pending.set(id, send);
  document.getElementById("notices")?.append(notice);
  if (!wasShown) undo.focus({ preventScroll: true });
  announce(t("Deleted. You can undo this for a few seconds."));
  wait();
}

/** Says which runs are out of sight. */
function leave(id, leaving) {
  const all = new Set(get("leaving"));
  leaving ? all.add(id) : all.delete(id);
  set("leaving", all);
}
