/** What a finished analysis learned, offered to be kept for the next one. */
import { h, fill } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { startupDialog } from "./startups.js";

/** @param {any} result @returns {HTMLElement|null} null where nothing was learned that can be kept */
export function learned(result) {
  const given = result?.deliverable?.learned;
  if (!given || typeof given !== "object") return null;
  const said = h("span", { class: "muted" }, t("Your next analysis can build on it."));
  const save = h(
    "button",
    { type: "button", class: "small", id: "save-startup" },
    icon("note"),
    t("Save as startup context"),
  );
  save.addEventListener("click", async () => {
    if (await startupDialog(given))
      fill(said, t("Saved."), " ", h("a", { href: "#/startups" }, t("See your startups")));
  });
  return h("div", { class: "actions learned" }, save, said);
}
