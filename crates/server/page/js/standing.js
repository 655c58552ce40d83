/** What a report rests on, in a line that opens to what its marks mean, and its warnings, in another. */
import { h } from "./dom.js";
import { icon } from "./icons.js";
import { t } from "./i18n.js";
import { signIcon } from "./signs.js";
import { count, GROUNDS, plural, sentence } from "./words.js";

/** @param {any} result null where there is none yet @param {any} run */
export function standing(result, run) {
  if (!result) return null;
  return h("div", { class: "standing" }, grounding(result, run), warnings(result.warnings ?? []));
}

/** How many sentences are of which kind; opens to what each kind means. */
function grounding(result, run) {
  const counts = result.grounding ?? {};
  const shown = shownKinds(counts);
  // Where no sentence was checked there is nothing to count.
  if (shown.length === 0 && counts.verified === undefined) return null;
  const offline =
    result.mode === "offline"
      ? h("span", { class: "ground mode", title: offlineWords(run) }, t("Offline, no model"))
      : null;
  return h(
    "details",
    { class: "grounding", id: "grounding" },
    h(
      "summary",
      {},
      h("span", { class: "visually-hidden" }, t("Verdicts:"), " "),
      counts.verified === undefined ? shown.map((kind) => counted(kind, counts)) : former(counts),
      offline,
      h("span", { class: "grounding-more" }, t("What they mean")),
    ),
    h("div", { class: "legend" }, legend(counts.unread > 0), offline ? h("p", {}, offlineWords(run)) : null),
  );
}

/** Kinds that are told: those there are, and none that is unsupported. */
function shownKinds(counts) {
  const all = GROUNDS.filter(({ verdict }) => (counts[verdict] ?? 0) > 0);
  if (all.length === 0 || counts.unsupported > 0) return all;
  return [...all, GROUNDS.find(({ verdict }) => verdict === "unsupported")];
}

function counted({ verdict, tone }, counts) {
  const number = counts[verdict] ?? 0;
  const isFault = verdict === "unsupported";
  return h(
    "span",
    { class: `ground ${isFault && number === 0 ? "" : tone}` },
    signIcon(verdict),
    isFault && number > 0 ? icon("alert") : null,
    countWords(verdict, number),
  );
}

function countWords(verdict, number) {
  const values = { count: count(number) };
  switch (verdict) {
    case "quoted":
      return t("{count} quoted", values);
    case "recomputed":
      return t("{count} recomputed", values);
    case "supported":
      return t("{count} supported", values);
    case "inferred":
      return t("{count} inferred", values);
    case "unread":
      return t("{count} unread", values);
    default:
      return t("{count} unsupported", values);
  }
}

/** Runs of before count what rules over words had verified. */
function former({ verified, recomputed = 0, unsupported = 0 }) {
  const claims = t("{claims} verified", { claims: plural(verified, "claim") });
  return [
    h("span", { class: verified > 0 ? "ground exact" : "ground" }, claims),
    recomputed > 0 ? counted(GROUNDS[1], { recomputed }) : null,
    counted({ verdict: "unsupported", tone: "unsupported" }, { unsupported }),
  ];
}

function offlineWords(run) {
  return run.method === "brief"
    ? t("Offline: no model was used. Sentences come from templates, with figures computed from the data.")
    : t("Offline: no model was used. Sentences are quoted from their sources.");
}

/** Every kind with the mark that it has in the report, in plain words. @param {boolean} isUnread whether any is */
function legend(isUnread) {
  const kinds = [
    ["quoted", t("Quoted"), t("The sentence is in its source, word for word. Quaestio compared the two.")],
    ["recomputed", t("Recomputed"), t("Quaestio calculated the number again from the data cited.")],
    [
      "supported",
      t("Supported"),
      t("The wording differs from the source. A second reading confirmed that the source says this."),
    ],
    [
      "inferred",
      t("Inferred"),
      t("The author’s own conclusion from the sources cited. No source says this itself."),
    ],
    ...(isUnread
      ? [
          [
            "unread",
            t("Unread"),
            t("Automatic checks found nothing wrong. No second reading compared it with its source."),
          ],
        ]
      : []),
    [
      "unsupported",
      t("Unsupported"),
      t("The source cited does not support this. It is shown so that you can judge for yourself."),
    ],
  ];
  return h(
    "dl",
    {},
    kinds.map(([verdict, name, says]) =>
      h(
        "div",
        {},
        h(
          "dt",
          {},
          h(
            "span",
            { class: "legend-mark", "aria-hidden": "true" },
            h("span", { class: "cite", dataset: { verdict } }, "[1]"),
            signIcon(verdict),
          ),
          name,
        ),
        h("dd", {}, says),
      ),
    ),
  );
}

/** All warnings behind one line, which says the first. */
function warnings(all) {
  if (all.length === 0) return null;
  const first = sentence(all[0]);
  return h(
    "details",
    { class: "warnings" },
    h(
      "summary",
      {},
      icon("alert"),
      h("strong", {}, plural(all.length, "warning")),
      h("span", { class: "warnings-first" }, first),
    ),
    h(
      "ul",
      { "aria-label": t("Warnings") },
      all.map((warning) => h("li", {}, sentence(warning))),
    ),
  );
}
