/** Branching: a new run that keeps the steps before one of them and goes its own way from there. */
import { h, freshId } from "./dom.js";
import { api, Problem } from "./api.js";
import { ask } from "./dialog.js";
import { t } from "./i18n.js";
import { get } from "./store.js";
import { go, runPath } from "./router.js";
import { stepWords } from "./words.js";

/**
 * Asks how, then begins the new run and goes there.
 * @param {any} run @param {string} step @param {() => boolean} isHere whether the reader still looks at this one
 */
export async function branchFrom(run, step, isHere) {
  const models = get("settings")?.models ?? [];
  const modelId = freshId("fork-model");
  const setId = freshId("fork-set");
  const model = h(
    "select",
    { id: modelId },
    h(
      "option",
      { value: "" },
      run.mode === "offline"
        ? t("As before: offline")
        : run.model
          ? t("As before: {model}", { model: run.model })
          : t("As before"),
    ),
    models.map((one) => h("option", { value: one.name }, one.name)),
    run.mode === "offline" ? null : h("option", { value: "offline" }, t("Offline, no model")),
  );
  const changes = h("textarea", { id: setId, rows: "2", placeholder: "ask.top_k = 12", spellcheck: "false" });
  await ask({
    title: t("Branch from this step"),
    body: [
      h(
        "p",
        {},
        t("A new run keeps everything before “{step}” and continues from there. This run does not change.", {
          step: stepWords(step),
        }),
      ),
      h("div", { class: "field" }, h("label", { for: modelId }, t("Model")), model),
      h(
        "details",
        {},
        h("summary", {}, t("Change settings")),
        h("div", { class: "field" }, h("label", { for: setId }, t("One per line, as key = value")), changes),
      ),
    ],
    action: t("Start the new run"),
    act: () => begin(run, step, { ...chosen(model.value), ...settings(changes.value) }, isHere),
  });
}

/** Begins the new run at once, with nothing changed. */
export const again = (run, step, isHere) => begin(run, step, {}, isHere);

async function begin(run, from, changes, isHere) {
  const next = await api.fork(run.run_id, { from, ...changes });
  if (isHere()) go(runPath(next.run_id));
}

const chosen = (model) => (model === "" ? {} : model === "offline" ? { offline: true } : { model });

/** Reads `key = value` lines; figures and true/false become what they say. */
function settings(text) {
  const set = {};
  for (const line of text
    .split("\n")
    .map((one) => one.trim())
    .filter(Boolean)) {
    const [key, ...rest] = line.split("=");
    const value = rest.join("=").trim();
    if (!key.trim() || value === "")
      throw new Problem({
        status: 0,
        detail: t("“{line}” is not in the form key = value", { line }),
        hint: t("write, for example, {example}", { example: "ask.top_k = 12" }),
      });
    set[key.trim()] = plain(value);
  }
  return Object.keys(set).length > 0 ? { set } : {};
}

function plain(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
