/**
 * A run while it works: its stages as a checklist that fills, what is looked up right now, and the sources that arrive. Rows
 * keep their height and change in place; nothing of it speaks to screen readers but the beginning of a stage.
 */
import { h, fill, announce, show } from "./dom.js";
import { icon } from "./icons.js";
import { plain } from "./plain.js";
import { stagesOf } from "./stages.js";
import { t } from "./i18n.js";
import { hasEnded, plural } from "./words.js";

const SIGNS = { idle: "ring", note: "note", running: "dots", done: "check", failed: "alert", left: "cross" };
/** How many of the newest sources are named. */
const NAMED = 4;
/** How long a stage is left alone before the next one is told, in milliseconds. */
const TOLD_MILLISECONDS = 4_000;

const stateWords = (state) =>
  ({
    idle: t("pending"),
    note: t("your own note"),
    running: t("in progress"),
    done: t("done"),
    failed: t("failed"),
    left: t("stopped"),
  })[state];

/** @param {{toSources: () => void}} to */
export function workingView({ toSources }) {
  const list = h("ol", { class: "stages", "aria-label": t("Stages") });
  const count = h("h2", { class: "section-title" });
  const titles = h("ul", { class: "arriving-list" });
  const arriving = h(
    "div",
    { class: "arriving", hidden: true },
    count,
    titles,
    h("button", { type: "button", class: "link", on: { click: toSources } }, t("See all sources")),
  );
  const element = h(
    "section",
    { class: "working", id: "working", "aria-label": t("Progress"), hidden: true },
    list,
    arriving,
  );
  const rows = new Map();
  let told = "";
  let toldAt = 0;
  let sourcesShown = "";

  /** @param {any} run @param {ReturnType<import("./entries.js").nothing>} view */
  function put(run, view) {
    if (hasEnded(run.status)) {
      show(element, false);
      return;
    }
    const stages = stagesOf(run, view);
    const isAsked = (run.gates ?? []).some((gate) => gate.plan && gate.gate === "plan");
    const hasWork = stages.some(({ key }) => key !== "prepare");
    show(element, hasWork && !isAsked);
    if (element.hidden) return;
    drawStages(stages);
    drawSources(view);
    tell(stages);
  }

  function drawStages(stages) {
    const wanted = new Set(stages.map(({ key }) => key));
    for (const [key, row] of rows) {
      if (wanted.has(key)) continue;
      row.element.remove();
      rows.delete(key);
    }
    stages.forEach((stage, index) => {
      let row = rows.get(stage.key);
      if (!row) {
        row = { element: h("li", { class: "stage" }), shown: "" };
        rows.set(stage.key, row);
      }
      if (list.children[index] !== row.element) list.insertBefore(row.element, list.children[index] ?? null);
      drawStage(row, stage);
    });
  }

  function drawStage(row, stage) {
    const signature = JSON.stringify(stage);
    if (row.shown === signature) return;
    row.shown = signature;
    row.element.dataset.state = stage.state;
    const took = stage.took ? t("took {time}", { time: stage.took }) : "";
    const told = ["failed", "left"].includes(stage.state) ? stateWords(stage.state) : "";
    const details = [told, stage.now, stage.brought, took].filter(Boolean).join(" · ");
    fill(
      row.element,
      h("span", { class: "stage-sign" }, icon(SIGNS[stage.state])),
      h(
        "div",
        { class: "stage-body" },
        h(
          "p",
          { class: "stage-title" },
          stage.title,
          h("span", { class: "visually-hidden" }, `, ${stateWords(stage.state)}`),
        ),
        h(
          "p",
          { class: "stage-detail", id: stage.state === "running" ? "current-step" : null },
          plain(details || stateWords(stage.state)),
        ),
      ),
    );
  }

  function drawSources(view) {
    const all = [...view.sources.values()];
    const newest = all.slice(-NAMED).reverse();
    const signature = JSON.stringify([all.length, newest]);
    if (signature === sourcesShown) return;
    sourcesShown = signature;
    show(arriving, all.length > 0);
    fill(count, t("{sources} so far", { sources: plural(all.length, "source") }));
    fill(
      titles,
      newest.map((title) => h("li", { title: plain(title) }, plain(title))),
    );
  }

  /** Tells what has begun, once, and not more often than one can listen to. */
  function tell(stages) {
    const title = stages.findLast((stage) => stage.state === "running")?.title ?? "";
    if (!title || title === told || Date.now() - toldAt < TOLD_MILLISECONDS) return;
    told = title;
    toldAt = Date.now();
    announce(t("Now: {stage}", { stage: title }));
  }

  return {
    element,
    put,
    /** It ended before there was a report: how far it came stays. */
    end(run, view) {
      const stages = stagesOf(run, view);
      show(element, stages.length > 0);
      drawStages(stages);
      drawSources(view);
      show(arriving, false);
    },
  };
}
