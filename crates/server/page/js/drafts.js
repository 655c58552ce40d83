/**
 * The words of a step as they are generated. `offset` counts the UTF-16 units of the step's draft so far; 0 begins anew.
 */
export function drafts() {
  /** @type {Map<string, {base: number, text: string}>} */
  const steps = new Map();
  return {
    /** Takes a piece and returns the step's text so far. */
    take({ step, offset, text }) {
      const held = steps.get(step) ?? { base: offset, text: "" };
      const at = offset - held.base;
      if (offset === 0 || at < 0 || at > held.text.length) {
        // Begun anew, or joined in the middle: what came before is not known here.
        held.base = offset;
        held.text = text;
      } else {
        held.text = held.text.slice(0, at) + text;
      }
      // The step that was written last stands last.
      steps.delete(step);
      steps.set(step, held);
      return said(held);
    },
    /**
     * The step's value stands, or its try failed: its draft counts no more.
     * Returns the text of the step that was written last of those that remain, or null.
     */
    drop(step) {
      steps.delete(step);
      const last = [...steps.values()].at(-1);
      return last ? said(last) : null;
    },
  };
}

const said = ({ base, text }) => (base > 0 ? "… " : "") + text;
