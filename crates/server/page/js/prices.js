/** Which models have a price that is known: the server says so of an estimate. A cost of nothing else reads as free. */
import { api } from "./api.js";

/** @type {Map<string, boolean>} */
const known = new Map();

/** Takes in what an estimate says. @param {{model: string|null, expected: {cost_usd: number|null}}} estimate */
export function learnPrice({ model, expected }) {
  if (model) known.set(model, (expected?.cost_usd ?? null) !== null);
}

/** Whether the cost of a run says nothing: its model was asked, and has no price that is known. */
export const unpriced = (run) => spent(run) && known.get(run.model) === false;

const spent = (run) => run.mode === "model" && Boolean(run.model) && run.tokens > 0 && !run.cost_usd;

/**
 * Asks once for the price of a run's model, where its cost leaves it open, and tells whether it is unknown.
 * @param {any} run @param {AbortSignal} signal @returns {Promise<boolean>}
 */
export async function askPrice(run, signal) {
  if (!spent(run) || known.has(run.model)) return false;
  // Meanwhile, and where nobody can tell, the cost stays as it is told.
  known.set(run.model, true);
  const { method, question, model } = run;
  try {
    learnPrice(await api.estimate({ method, question, model }, signal));
  } catch (error) {
    if (error.name === "AbortError") known.delete(run.model);
  }
  return unpriced(run);
}
