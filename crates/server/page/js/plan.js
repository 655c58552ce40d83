/**
 * The plan card: preview, edit in place, save, approve, reject. What was edited is kept in the browser until it is saved,
 * and a plan that was changed elsewhere never takes its place unasked.
 */
import { h, fill, announce } from "./dom.js";
import { icon } from "./icons.js";
import { api } from "./api.js";
import { ask } from "./dialog.js";
import { t } from "./i18n.js";
import { notify, showProblem } from "./problems.js";
import { draftKeyOf, keepValue, keptValue } from "./keep.js";
import { user } from "./store.js";
import { planChanges, planView } from "./planview.js";
import { planForm } from "./planform.js";

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const isAmendment = ({ gate }) => gate.startsWith("amendment-");
const planTitle = (gate) =>
  isAmendment(gate) ? t("The run needs a step that is not in the plan") : t("The plan is ready");

/** @param {string} runId @param {any} gate @param {(run: any) => void} onRun */
export function planCard(runId, gate, onRun) {
  const draftKey = draftKeyOf(user(), "plan", runId, gate.gate);
  /** What the server holds: plan, revision, plan_hash. */
  let held = gate;
  /** What the reader has made of it, or null; with the revision it began from. */
  let edited = keptValue(draftKey);
  let editing = edited !== null;
  let busy = false;
  /** The revision that was saved here, and what somebody else changed since the reader saw the plan. */
  let ours = 0;
  let changes = [];

  const body = h("div", { class: "plan-body" });
  const notice = h("div", {});
  const problem = h("div", {});
  const buttons = h("div", { class: "actions gate-actions" });
  const title = h("h2", { class: "card-title", tabindex: "-1" }, icon("note"), planTitle(gate));
  const element = h(
    "section",
    {
      class: "card gate plan-card",
      id: "plan-card",
      dataset: { gate: gate.gate },
      "aria-label": t("The plan"),
    },
    title,
    gate.question ? h("p", { class: "gate-question" }, gate.question) : null,
    gate.context ? h("p", { class: "gate-why" }, gate.context) : null,
    notice,
    body,
    problem,
    buttons,
  );

  const dirty = () => edited !== null && !same(edited.plan, held.plan);
  const stale = () => edited !== null && edited.revision !== held.revision;

  function draw() {
    fill(notice, stale() ? staleNotice() : changes.length > 0 ? changedNotice() : null);
    if (editing) {
      edited ??= { plan: structuredClone(held.plan), revision: held.revision };
      fill(
        body,
        planForm(edited.plan, () => {
          keepValue(draftKey, dirty() ? edited : null);
          drawButtons();
        }),
      );
    } else {
      fill(
        body,
        h(
          "p",
          { class: "muted" },
          isAmendment(held)
            ? t("Revision {revision}. No further searches or costs until you approve it.", {
                revision: held.revision,
              })
            : t("Revision {revision}. No searches or costs until you approve it.", {
                revision: held.revision,
              }),
        ),
        planView(held.plan),
      );
    }
    drawButtons();
  }

  function drawButtons() {
    const changed = dirty();
    fill(
      buttons,
      button(changed ? t("Save and start") : t("Approve and start"), "primary", approve, "approve", stale()),
      editing
        ? button(
            t("Save"),
            "",
            () => save().then(() => announce(t("Plan saved"))),
            "save-plan",
            !changed || stale(),
          )
        : button(t("Edit"), "", edit, "edit-plan"),
      editing
        ? button(changed ? t("Discard my changes") : t("Done editing"), "quiet", discard, "discard-plan")
        : null,
      button(t("Reject"), "quiet danger-text", reject, "reject"),
    );
  }

  const button = (text, style, act, id, disabled = false) =>
    h(
      "button",
      {
        type: "button",
        class: style,
        id,
        disabled: disabled || busy,
        on: { click: () => act().catch(() => {}) },
      },
      text,
    );

  function changedNotice() {
    return h(
      "div",
      { class: "stale", role: "status" },
      h("p", {}, t("The plan was changed elsewhere. This is the current version:")),
      h(
        "ul",
        {},
        changes.map((change) => h("li", {}, change)),
      ),
    );
  }

  function staleNotice() {
    return h(
      "div",
      { class: "stale", role: "alert" },
      h(
        "p",
        {},
        t(
          "The plan was changed elsewhere. It is now at revision {revision}; you started from revision {began}. Your changes are kept below.",
          { revision: held.revision, began: edited.revision },
        ),
      ),
      h("details", {}, h("summary", {}, t("See the newer plan")), planView(held.plan)),
      h(
        "div",
        { class: "actions" },
        h(
          "button",
          {
            type: "button",
            class: "small",
            on: {
              click: () => {
                edited = null;
                editing = false;
                keepValue(draftKey, null);
                draw();
                title.focus();
              },
            },
          },
          t("Use the newer plan"),
        ),
        h(
          "button",
          {
            type: "button",
            class: "small",
            on: {
              click: () => {
                edited.revision = held.revision;
                keepValue(draftKey, edited);
                draw();
                title.focus();
              },
            },
          },
          t("Keep my changes and continue"),
        ),
      ),
    );
  }

  async function edit() {
    editing = true;
    draw();
    body.querySelector("input, textarea")?.focus();
  }

  async function discard() {
    if (dirty()) {
      const sure = await ask({
        title: t("Discard your changes to the plan?"),
        body: h("p", {}, t("The plan stays as last saved.")),
        action: t("Discard"),
        danger: true,
        act: () => {},
      });
      if (!sure) return;
    }
    edited = null;
    editing = false;
    keepValue(draftKey, null);
    draw();
    title.focus();
  }

  const stamp = () => ({ gate: held.gate, revision: held.revision, plan_hash: held.plan_hash });

  /** Does a call; a stale plan is loaded again and shown beside what was edited. */
  async function attempt(lead, call) {
    busy = true;
    fill(problem);
    drawButtons();
    try {
      return await call();
    } catch (error) {
      if (error.status === 409) await reload();
      const shown = error.kind === "stale" ? movedOn() : error;
      if (element.isConnected) showProblem(problem, shown, { lead });
      else notify(error, lead);
      throw error;
    } finally {
      busy = false;
      drawButtons();
    }
  }

  const movedOn = () => ({
    detail: t("it was changed elsewhere and is now at revision {revision}", { revision: held.revision }),
    hint: t("review it again"),
  });

  async function reload() {
    const run = await api.run(runId);
    put((run.gates ?? []).find((one) => one.gate === held.gate) ?? held);
    onRun(run);
  }

  async function save() {
    const run = await attempt(t("Could not save the plan"), () =>
      api.savePlan(runId, { ...stamp(), plan: edited.plan }),
    );
    edited = null;
    keepValue(draftKey, null);
    editing = false;
    ours = (run.gates ?? []).find((one) => one.gate === held.gate)?.revision ?? 0;
    onRun(run);
    put((run.gates ?? []).find((one) => one.gate === held.gate) ?? held);
    title.focus();
  }

  async function approve() {
    if (dirty()) await save();
    const run = await attempt(t("Could not approve the plan"), () => api.approve(runId, stamp()));
    keepValue(draftKey, null);
    announce(t("Approved. The run continues"));
    onRun(run);
  }

  async function reject() {
    const reason = h("input", { id: "reject-reason", type: "text", maxlength: "500" });
    let run = null;
    await ask({
      title: t("Reject the plan?"),
      body: [
        h("p", {}, t("The run is cancelled. Its plan and answers stay in the history.")),
        h("label", { for: "reject-reason" }, t("Reason (optional)")),
        reason,
      ],
      action: t("Reject the plan"),
      danger: true,
      act: async () => {
        run = await api.reject(runId, {
          gate: held.gate,
          ...(reason.value.trim() ? { reason: reason.value.trim() } : {}),
        });
      },
    });
    if (!run) return;
    keepValue(draftKey, null);
    onRun(run);
  }

  /** Takes what the server holds now. */
  function put(next) {
    const moved = next.revision !== held.revision || next.plan_hash !== held.plan_hash;
    if (moved) changes = next.revision === ours ? [] : planChanges(held.plan, next.plan);
    held = next;
    if (!moved && body.hasChildNodes()) return;
    if (!dirty()) {
      edited = null;
      editing = false;
    }
    draw();
  }

  draw();
  return { element, put };
}
