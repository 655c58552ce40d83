/** Dialogs that ask before something is lost, and forms in front of the page. */
import { h, freshId } from "./dom.js";
import { t } from "./i18n.js";
import { listen } from "./store.js";
import { notify, showProblem } from "./problems.js";

const open = new Set();

/** A browser lets the second Escape close a dialog, whatever its `cancel` was told. */
const stay = (event) => {
  if (event.key === "Escape") event.preventDefault();
};

/** Closes every dialog: what it asks about is not on display any more. */
export function closeDialogs() {
  for (const dialog of [...open]) dialog.close();
}
listen("route", closeDialogs);

/**
 * Opens a dialog with a form. `act` does the work when the form is sent; while it fails the dialog stays, with the problem.
 * While it is under way nothing cancels it; where the page moves on meanwhile the answer still is what became of it.
 * @param {{title: string, body?: any, action: string, danger?: boolean, act: () => Promise<void>|void}} asked
 * @returns {Promise<boolean>} whether it was done
 */
export function ask({ title, body = [], action, danger = false, act }) {
  const id = freshId("dialog-title");
  const before = document.activeElement;
  return new Promise((resolve) => {
    let done = false;
    let busy = false;
    const problem = h("div", {});
    const doIt = h("button", { type: "submit", class: danger ? "danger" : "primary" }, action);
    const cancel = h("button", { type: "button", on: { click: () => dialog.close() } }, t("Cancel"));
    const form = h(
      "form",
      { class: "dialog-form", novalidate: true },
      h("h2", { id, class: "dialog-title" }, title),
      body,
      problem,
      h("div", { class: "actions" }, doIt, cancel),
    );
    const dialog = h("dialog", { class: "dialog", "aria-labelledby": id }, form);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (busy) return;
      working(true);
      try {
        await act();
        done = true;
      } catch (error) {
        if (dialog.open) showProblem(problem, error);
        else if (error.status !== 401) notify(error, title.replace(/\?$/, ""));
      } finally {
        working(false);
      }
      if (!dialog.open) resolve(done);
      else if (done) dialog.close();
      else doIt.focus();
    });
    function working(now) {
      busy = now;
      doIt.disabled = now;
      cancel.disabled = now;
      form.setAttribute("aria-busy", String(now));
      if (now) document.addEventListener("keydown", stay);
      else document.removeEventListener("keydown", stay);
    }
    dialog.addEventListener("cancel", (event) => {
      if (busy) event.preventDefault();
    });
    dialog.addEventListener("close", () => {
      open.delete(dialog);
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      if (!busy) resolve(done);
    });
    open.add(dialog);
    document.body.append(dialog);
    dialog.showModal();
    if (danger) cancel.focus();
  });
}
