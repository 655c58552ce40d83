/**
 * What a run was expected to take: its cost as the server estimates its order, its time as its plan says or as earlier runs of
 * its kind took. Only what is known is said.
 */
import { api } from "./api.js";

/** Earlier runs that are looked at. */
const LOOKED_AT = 6;

/**
 * @param {any} run @param {ReturnType<import("./entries.js").nothing>} view
 * @param {any} methods of the settings @param {AbortSignal} signal
 * @returns {Promise<{cost: number|null, seconds: number|null, time: string|null}>} `time` as the plan words it
 */
export async function expectedOf(run, view, methods, signal) {
  const time = plannedTime(run.plan?.plan);
  const [cost, seconds] = await Promise.all([
    costOf(run, view, methods, signal).catch(() => null),
    time ? null : usualSeconds(run, signal).catch(() => null),
  ]);
  return { cost, seconds, time };
}

/** `about 40 s (3 earlier runs)` is `about 40 s`; a plan without a history says nothing. */
const plannedTime = (plan) =>
  /^(?:about|under) [^(;,]+/.exec(plan?.estimated_duration ?? "")?.[0].trim() ?? null;

async function costOf(run, view, methods, signal) {
  if (run.mode !== "model") return null;
  const order = orderOf(run, view, methods.find((one) => one.name === run.method)?.fields ?? []);
  const { expected } = await api.estimate(order, signal);
  return expected?.cost_usd > 0 ? expected.cost_usd : null;
}

/** The run's own order, as far as its log tells and its method reads it. */
function orderOf(run, view, fields) {
  const { options = {}, workflow } = view.settings ?? {};
  const all = {
    strategy: run.strategy,
    collection: run.collection?.startsWith("run-") ? null : run.collection,
    sources: options.sources,
    domain: options.domain,
    objective: options.objective,
    top: options.top,
    where: options.filter,
    company: options.company,
    max_turns: options.rules?.max_turns,
    depth: options.strategy === "deep" ? options.rules?.report?.depth : null,
  };
  const said = ([name, value]) =>
    fields.includes(name) && value !== null && value !== undefined && value !== "";
  return {
    method: run.method,
    question: run.question,
    model: run.model,
    ...(workflow ? { clarify: workflow.clarify, plan: workflow.plan } : {}),
    ...Object.fromEntries(Object.entries(all).filter(said)),
  };
}

/** The middle of what earlier runs of this kind took. One that waited for somebody tells nothing of its work. */
async function usualSeconds(run, signal) {
  const { runs } = await api.runs({ method: run.method, status: "completed", limit: 20 }, signal);
  const alike = runs.filter((one) => one.run_id !== run.run_id && one.tokens > 0 === (run.mode === "model"));
  const looked = await Promise.all(alike.slice(0, LOOKED_AT).map((one) => api.run(one.run_id, signal)));
  const taken = looked
    .filter(
      (one) => one.strategy === run.strategy && one.model === run.model && !one.plan && !one.forked_from,
    )
    .map((one) => (new Date(one.updated_at) - new Date(one.created_at)) / 1000)
    .sort((one, other) => one - other);
  return taken.length > 0 ? taken[Math.floor(taken.length / 2)] : null;
}
