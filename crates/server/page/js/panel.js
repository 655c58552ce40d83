/** The right panel of a run: Sources, Activity and Plan. */
import { h, fill } from "./dom.js";
import { tabs } from "./tabs.js";
import { sources } from "./sources.js";
import { timeline } from "./timeline.js";
import { planView } from "./planview.js";
import { carriedOut } from "./carriedout.js";
import { t } from "./i18n.js";
import { duration, hasEnded, stepWords } from "./words.js";
import { kept, keep } from "./keep.js";

const planState = (state) =>
  ({ proposed: t("Waiting for your approval"), approved: t("Approved"), rejected: t("Rejected") })[state] ??
  state;
const stepState = (state) =>
  ({ running: t("in progress"), done: t("done"), failed: t("failed") })[state] ?? state;

/** @param {{canBranch: () => boolean, branch: (line: any, again: boolean) => void, loop: AbortSignal}} to */
export function panel(to) {
  const found = sources();
  const activity = timeline(to);
  const plan = h("div", { class: "plan-tab" });
  // The first tab is chosen, and kept, as soon as there are any.
  const before = kept("tab");
  const all = tabs(
    t("About this run"),
    [
      { id: "sources", title: t("Sources"), body: found.body },
      { id: "activity", title: t("Activity"), body: activity.body },
      { id: "plan", title: t("Plan"), body: plan },
    ],
    (id) => keep("tab", id),
  );
  if (["sources", "activity", "plan"].includes(before ?? "")) all.choose(before);

  let planShown = "";

  function putPlan(run, view) {
    const carried = run.plan ? carriedOut(view, run.plan.plan, hasEnded(run.status)) : null;
    const now = JSON.stringify([run.plan, run.gates, run.plan ? carried?.told : run.steps]);
    if (now === planShown) return;
    planShown = now;
    const gate = (run.gates ?? []).find((one) => one.plan);
    const held = run.plan ?? (gate ? { ...gate, state: "proposed" } : null);
    if (held) {
      fill(
        plan,
        h(
          "p",
          { class: "plan-state", dataset: { state: held.state } },
          t("{state} · revision {revision}", { state: planState(held.state), revision: held.revision }),
        ),
        planView(held.plan, (step) => carried?.of(step)),
        carried?.beside,
      );
      return;
    }
    fill(
      plan,
      h("p", { class: "muted" }, t("This run needs no approved plan. Steps so far:")),
      (run.steps ?? []).length === 0
        ? h("p", { class: "muted empty" }, t("None yet."))
        : h(
            "ol",
            { class: "step-list" },
            run.steps.map((step) =>
              h(
                "li",
                { dataset: { state: step.state } },
                stepWords(step.step),
                h(
                  "span",
                  { class: "muted" },
                  ` ${stepState(step.state)}`,
                  step.milliseconds === null || step.milliseconds === undefined
                    ? ""
                    : `, ${duration(step.milliseconds)}`,
                ),
              ),
            ),
          ),
    );
  }

  return {
    element: all.element,
    choose: all.choose,
    activity,
    putEvidence(evidence, citations) {
      found.put(evidence, citations);
      all.badge("sources", evidence.length > 0 ? String(found.count()) : "");
    },
    putPlan,
    putState(run, lines) {
      all.badge("activity", lines > 0 ? String(lines) : "");
      all.badge("plan", (run.gates ?? []).some((one) => one.plan) ? "!" : "");
    },
  };
}
