/** How a run is shown to others: a link that can be ended, or a file that needs nothing else. */
import { h, fill, announce, freshId } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { copyText } from "./copy.js";
import { get, listen } from "./store.js";
import { t } from "./i18n.js";
import { problemBox, showProblem } from "./problems.js";
import { sharedAddress } from "./router.js";
import { dateAndTime } from "./words.js";

/** @type {HTMLDialogElement|null} */
let open = null;
listen("route", () => open?.close());
listen("settings", () => open?.close());

/** Opens a dialog with nothing to send: it is read, and closed. @param {string} title @param {...any} body */
function showDialog(title, ...body) {
  const id = freshId("dialog-title");
  const before = document.activeElement;
  const close = h("button", { type: "button", on: { click: () => dialog.close() } }, t("Close"));
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { class: "dialog", "aria-labelledby": id },
      h(
        "div",
        { class: "dialog-form" },
        h("h2", { id, class: "dialog-title" }, title),
        body,
        h("div", { class: "actions" }, close),
      ),
    )
  );
  dialog.addEventListener("close", () => {
    if (open === dialog) open = null;
    dialog.remove();
    if (before instanceof HTMLElement && before.isConnected) before.focus();
  });
  open?.close();
  open = dialog;
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** @param {any} run one that has ended */
export function shareDialog(run) {
  const formats = (get("settings")?.formats ?? []).map((one) => one.name);
  const file = (format, words, about) =>
    formats.includes(format)
      ? h(
          "li",
          {},
          h("a", { href: api.exportPath(run.run_id, format), download: "" }, words),
          h("span", { class: "muted" }, ` ${about}`),
        )
      : null;
  showDialog(
    t("Share this run"),
    h(
      "section",
      { class: "share-part" },
      h("h3", {}, t("A link")),
      get("settings")?.sharing ? links(run) : closed(),
    ),
    h(
      "section",
      { class: "share-part" },
      h("h3", {}, t("A file")),
      h(
        "ul",
        { class: "share-files" },
        file("html", t("Web page"), t("A single file that opens in any browser.")),
        file("pdf", "PDF", t("For printing or sending.")),
        file("docx", t("Word document"), t("For editing.")),
      ),
    ),
  );
}

/** Why there are no links here. */
const closed = () =>
  h(
    "p",
    { class: "muted" },
    t("Links are turned off on this server. The administrator can allow them in the configuration: "),
    h("code", {}, 'server.sharing = "on"'),
  );

/** The links to a run, and a button for another. */
function links(run) {
  const list = h("ul", { class: "share-links" });
  const fresh = h("div", {});
  const problem = h("div", {});
  const make = h("button", { type: "button", on: { click: create } }, icon("plus"), t("Create a link"));
  let shares = [];

  function draw() {
    fill(
      list,
      shares.map((share) =>
        h(
          "li",
          {},
          h("span", {}, t("Created {when}", { when: dateAndTime(share.created_at) })),
          h(
            "button",
            {
              type: "button",
              class: "quiet danger-text small",
              "aria-label": t("Revoke the link created {when}", { when: dateAndTime(share.created_at) }),
              on: { click: () => end(share) },
            },
            t("Revoke"),
          ),
        ),
      ),
    );
  }

  async function read() {
    try {
      ({ shares } = await api.shares(run.run_id));
      draw();
    } catch (error) {
      fill(problem, problemBox(error, { lead: t("Could not load the links"), retry: read }));
    }
  }

  async function create() {
    make.disabled = true;
    fill(problem);
    try {
      const share = await api.share(run.run_id);
      shares = [...shares, share];
      draw();
      tell(share);
    } catch (error) {
      showProblem(problem, error, { lead: t("Could not create a link") });
    } finally {
      make.disabled = false;
    }
  }

  async function end(share) {
    fill(problem);
    try {
      await api.unshare(run.run_id, share.share_id);
    } catch (error) {
      if (error.status !== 404) {
        showProblem(problem, error, { lead: t("Could not revoke the link") });
        return;
      }
    }
    shares = shares.filter((one) => one.share_id !== share.share_id);
    if (fresh.dataset.share === share.share_id) fill(fresh);
    draw();
    make.focus();
    announce(t("Link revoked"));
  }

  /** Shows a new link, for this once. */
  function tell(share) {
    const id = freshId("share-address");
    const field = h("input", { id, type: "text", readonly: true, value: sharedAddress(share.token) });
    const words = h("span", {}, t("Copy"));
    const copy = h("button", { type: "button", class: "primary" }, words);
    copy.addEventListener("click", async () => {
      const done = await copyText(field.value);
      words.textContent = done ? t("Copied") : t("Could not copy");
      announce(words.textContent);
      if (!done) field.select();
    });
    field.addEventListener("focus", () => field.select());
    fresh.dataset.share = share.share_id;
    fill(
      fresh,
      h(
        "div",
        { class: "share-new" },
        h("label", { for: id }, t("The link, shown only once")),
        h("div", { class: "share-line" }, field, copy),
      ),
    );
    copy.focus();
  }

  read();
  return [
    h(
      "p",
      { class: "muted" },
      t(
        "Anyone with the link can read this report and its quotes without an account, until you revoke it. It gives no access to your documents or other runs.",
      ),
    ),
    fresh,
    list,
    problem,
    h("div", {}, make),
  ];
}
