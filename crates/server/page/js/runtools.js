/** What can be done with a run: name it, share it, copy it, compare it, save it, delete it. */
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { copyLater } from "./copy.js";
import { get } from "./store.js";
import { t } from "./i18n.js";
import { action, menu } from "./menu.js";
import { nameOf, pin, removeLater, rename } from "./runacts.js";
import { notify } from "./problems.js";
import { askOnPath, comparePath, go } from "./router.js";
import { shareDialog } from "./sharing.js";
import { hasEnded } from "./words.js";

/** What the groups of formats are called, in their order. */
const GROUPS = { report: "Report", data: "Data", references: "References", proof: "Proof" };
/** The kinds of evidence that are works with authors and a title. */
const WORKS = ["scholarly", "web"];
/** What formats are called; what is not here has a name of its own. */
const TITLES = {
  html: "Web page",
  docx: "Word document",
  text: "Plain text",
  json: "Full result (JSON)",
  jsonl: "Checked sentences (JSON lines)",
  xlsx: "Banner tables (Excel)",
  bundle: "Verifiable bundle (.zip)",
};
/** The reports that most readers want, first. */
const FIRST = ["pdf", "docx", "html", "md"];

/**
 * The menus of the run on display.
 * @param {any} run @param {AbortSignal} signal
 */
export function runTools(run, signal) {
  // The store knows of it what has changed since.
  const current = () => (get("run")?.run_id === run.run_id ? get("run") : run);
  return h(
    "span",
    { class: "run-tools" },
    hasEnded(run.status) ? exportMenu(run) : null,
    menu({
      label: t("More"),
      sign: "dots",
      id: "run-menu",
      groups: () => [...manage(current(), signal), ...copies(current(), signal), ...deletion(current())],
    }),
  );
}

/** The menu of a run in the history. @param {any} run */
export const rowMenu = (run) =>
  menu({
    label: t("Actions: {name}", { name: nameOf(run) }),
    sign: "dots",
    bare: true,
    groups: () => [
      ...(hasEnded(run.status)
        ? [{ items: [action("plus", t("Follow up"), () => go(askOnPath(run.run_id)))] }]
        : []),
      ...manage(run),
      ...deletion(run),
    ],
  });

/** @returns {import("./menu.js").Group[]} */
function manage(run) {
  const ended = hasEnded(run.status);
  return [
    {
      items: [
        action("pencil", t("Rename"), () => rename(run)),
        action("pin", run.pinned ? t("Unpin") : t("Pin"), () => pin(run, !run.pinned)),
        ...(ended
          ? [
              action("link", t("Share…"), () => shareDialog(run)),
              action("columns", t("Compare with…"), () => go(comparePath(run.run_id))),
            ]
          : []),
      ],
    },
  ];
}

/** @returns {import("./menu.js").Group[]} */
const copies = (run, signal) =>
  hasEnded(run.status)
    ? [
        {
          items: [
            action("copy", t("Copy as Markdown"), () => copyMarkdown(run, signal)),
            action("copy", t("Copy as formatted text"), () => copyFormatted(run, signal)),
          ],
        },
      ]
    : [];

/** A run that is worked on is stopped first. @returns {import("./menu.js").Group[]} */
const deletion = (run) =>
  hasEnded(run.status) || run.status === "waiting"
    ? [{ items: [action("trash", t("Delete"), () => removeLater(run))] }]
    : [];

/** How long a word stays that nothing depends on. */
const TOLD_MILLISECONDS = 4000;

/** Says for a moment that something was done that shows nowhere else. */
function tell(words) {
  const notice = h("div", { class: "notice", role: "status" }, icon("check"), h("p", {}, words));
  document.getElementById("notices")?.append(notice);
  setTimeout(() => notice.remove(), TOLD_MILLISECONDS);
}

async function copy(read, types) {
  try {
    const done = await copyLater(read, types);
    if (done) tell(t("Copied, with its references"));
    else
      notify({
        detail: t("the browser blocked copying"),
        hint: t("use “Export” instead"),
      });
  } catch (error) {
    notify(error, t("Could not copy the report"));
  }
}

const copyMarkdown = (run, signal) =>
  copy(async () => ({ "text/plain": await api.exported(run.run_id, "md", signal) }));

const copyFormatted = (run, signal) =>
  copy(async () => {
    const [page, markdown] = await Promise.all([
      api.exported(run.run_id, "html", signal),
      api.exported(run.run_id, "md", signal),
    ]);
    return { "text/html": formatted(page), "text/plain": markdown };
  }, ["text/html", "text/plain"]);

/** What of a whole page is its text: no drawing and nothing that the program it is pasted into would have to load. */
function formatted(page) {
  // The policy of this page holds for what it parses: a style would be refused, and reported.
  const bare = page.replace(/<(style|svg)\b[^]*?<\/\1>/g, "");
  const main = new DOMParser().parseFromString(bare, "text/html").querySelector("main");
  for (const one of main?.querySelectorAll("script, img") ?? []) one.remove();
  for (const link of main?.querySelectorAll("a[href^='#']") ?? []) link.replaceWith(...link.childNodes);
  return main?.innerHTML ?? "";
}

/** Everything that the run can be saved as. */
const exportMenu = (run) => menu({ label: t("Export"), id: "export", groups: () => exports(run) });

/** The formats in their groups. Lists of references are offered where works are cited. @returns {import("./menu.js").Group[]} */
function exports(run) {
  const order = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  const cited = get("evidence").filter((one) => one.cited);
  const citesWorks = cited.length === 0 || cited.some((one) => WORKS.includes(one.type));
  const formats = (get("settings")?.formats ?? []).filter(
    ({ group, methods = [] }) =>
      (methods.length === 0 || methods.includes(run.method)) && (group !== "references" || citesWorks),
  );
  const names = [...new Set([...Object.keys(GROUPS), ...formats.map(({ group }) => group)])];
  return names.map((name) => ({
    title: t(GROUPS[name] ?? name),
    items: formats
      .filter(({ group }) => group === name)
      .sort((one, other) => order(one) - order(other))
      .map((one) =>
        h(
          "a",
          { href: api.exportPath(run.run_id, one.name), download: "" },
          t(TITLES[one.name] ?? one.title ?? one.name),
        ),
      ),
  }));
}
