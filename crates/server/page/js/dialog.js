/** Dialogs that ask before something is lost, and forms in front of the page. */
import { h, freshId } from "./dom.js";
import { showProblem } from "./problems.js";

/**
 * Opens a dialog with a form. `act` does the work when the form is sent; while it fails the dialog stays, with the problem.
 * @param {{title: string, body?: any, action: string, danger?: boolean, act: () => Promise<void>|void}} asked
 * @returns {Promise<boolean>} whether it was done
 */
export function ask({ title, body = [], action, danger = false, act }) {
  const id = freshId("dialog-title");
  const before = document.activeElement;
  return new Promise((resolve) => {
    let done = false;
    const problem = h("div", {});
    const doIt = h("button", { type: "submit", class: danger ? "danger" : "primary" }, action);
    const cancel = h("button", { type: "button", on: { click: () => dialog.close() } }, "Cancel");
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
      doIt.disabled = true;
      try {
        await act();
        done = true;
        dialog.close();
      } catch (error) {
        showProblem(problem, error);
      } finally {
        doIt.disabled = false;
      }
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      resolve(done);
    });
    document.body.append(dialog);
    dialog.showModal();
    if (danger) cancel.focus();
  });
}
