/**
 * The work of a run as a checklist: the steps of its approved plan, all of them; without a plan the stages that have begun
 * so far, since what is still to come is not known.
 *
 * @typedef {object} StageShown
 * @property {string} key
 * @property {string} title
 * @property {"done"|"running"|"failed"|"left"|"idle"|"note"} state `note`: nobody of the method does it
 * @property {string} brought what it brought so far, in words
 * @property {string} took
 * @property {string} now what is being done, in words; empty unless it is under way
 */
import { broughtWords } from "./brought.js";
import { grouped, stateOfLines, tookWords } from "./carriedout.js";
import { t } from "./i18n.js";
import { excerpt, hasEnded, stepWords } from "./words.js";

/** Steps that belong together, by the last part of their names. */
const STAGES = {
  prepare: ["startups", "startup", "rewriter", "clarifier", "planner", "past runs"],
  plan: ["deep_planner", "collection", "collections", "problem_framer", "consult", "still_stand"],
  search: ["searcher", "papers", "pages", "texts"],
  read: ["read"],
  retrieve: ["retrieve", "read_on", "cosines", "nearness"],
  ask: ["dialogue_manager"],
  notes: ["note_taker", "coverage_judge", "literature_scout"],
  propose: ["hypothesis_generator"],
  contest: ["critic"],
  rank: ["ranker"],
  studies: ["studies"],
  explore: ["explore_worker", "explore_critic", "search_questions", "segment_metadata", "perform_analysis"],
  outline: ["outliner"],
  write: [
    "writer",
    "answerer",
    "synthesizer",
    "section_writer",
    "summa_composer",
    "refine_critic",
    "feedback_critic",
  ],
  check: ["reader"],
  summary: ["report_editor", "references", "lesson"],
};
const STAGE_OF = new Map(
  Object.entries(STAGES).flatMap(([stage, names]) => names.map((name) => [name, stage])),
);

const titles = () => ({
  prepare: t("Prepare"),
  plan: t("Plan what to look up"),
  search: t("Search papers and the web"),
  read: t("Read what was found"),
  retrieve: t("Find passages"),
  ask: t("Decide whether to ask you"),
  notes: t("Take notes"),
  propose: t("Propose hypotheses"),
  contest: t("Criticise the hypotheses"),
  rank: t("Compare hypotheses in pairs"),
  studies: t("Read the surveys"),
  explore: t("Explore the survey"),
  outline: t("Outline the report"),
  write: t("Write"),
  check: t("Check sentences against their sources"),
  summary: t("Write the summary"),
});

const nameOf = (step) => step.split(" #", 1)[0].split("/").pop();

/** @param {any} run @param {ReturnType<import("./entries.js").nothing>} view @returns {StageShown[]} */
export function stagesOf(run, view) {
  const going = !hasEnded(run.status) && run.status !== "waiting";
  const plan = run.plan?.state === "approved" ? run.plan.plan : null;
  const stages = plan ? planned(plan, view, going) : seen(view, going);
  // One of many steps may fail and the work go on: a stage has failed only where it brought nothing, or the run ended there.
  const goesOn = (stage) => stage.state === "failed" && stage.some && run.status !== "partial";
  return stages.map(({ some, ...stage }) =>
    goesOn({ some, ...stage }) ? { ...stage, state: "done" } : stage,
  );
}

function planned(plan, view, going) {
  const roles = grouped(view.lines, (line) => line.within);
  const last = view.lines.findLast((line) => line.kind === "step")?.within;
  return (plan.steps ?? []).map((step, index) => {
    const lines = roles.get(step.agent_role);
    return shown(
      `p${index}`,
      step.name,
      lines,
      going && step.agent_role === last,
      step.agent_role ? "idle" : "note",
    );
  });
}

function seen(view, going) {
  const named = titles();
  const groups = grouped(view.lines, (line) => STAGE_OF.get(nameOf(line.step)) ?? nameOf(line.step));
  const latest = view.lines.findLast((line) => line.kind === "step");
  return [...groups].map(([key, lines]) =>
    shown(key, named[key] ?? stepWords(key), lines, going && lines.includes(latest), "idle"),
  );
}

/** @returns {StageShown & {some: boolean}} `some`: one of its steps is done */
function shown(key, title, lines, isLatest, otherwise) {
  if (!lines) return { key, title, state: otherwise, some: false, brought: "", took: "", now: "" };
  const state = lines.at(-1).refused ? "left" : stateOfLines(lines, isLatest);
  const isTimed = state !== "running" && lines.some((line) => line.milliseconds > 0);
  return {
    key,
    title,
    state,
    some: lines.some((line) => line.state === "done"),
    brought: broughtWords(lines),
    took: isTimed ? tookWords(lines) : "",
    now:
      state === "running"
        ? nowWords(
            lines.findLast((line) => line.state === "running"),
            title,
          )
        : "",
  };
}

/** What a step does, in words: `Search for papers: “contract review”`. What the stage says already is not said again. */
function nowWords(line, title) {
  if (!line) return "";
  const doing = stepWords(`${nameOf(line.step)} #1`);
  const about = line.about ? `“${excerpt(line.about, 140)}”` : "";
  if (doing === title || title === t("Write")) return about;
  return about ? t("{doing}: {about}", { doing, about }) : doing;
}
