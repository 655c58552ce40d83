/**
 * A fold over the entries of a run: what the timeline shows, line by line, and what is under way.
 *
 * @typedef {object} Line
 * @property {string} key
 * @property {string} at
 * @property {"run"|"step"|"note"|"evidence"|"gate"|"end"} kind
 * @property {"running"|"done"|"failed"|"info"|"waiting"|"cancelled"} state
 * @property {string} title
 * @property {string[]} details in words
 * @property {string} [step]
 * @property {string} [model]
 * @property {number} [milliseconds]
 * @property {number} [costMicros]
 * @property {number} [tokens]
 * @property {object[]} entries as they came
 */
import { excerpt, isDebate, plural, sentence, stepWords } from "./words.js";

/** What is known before the first entry. */
export function nothing() {
  return {
    seq: 0,
    lines: [],
    byKey: new Map(),
    evidence: [],
    current: null,
    query: null,
    options: null,
    method: null,
    startedAt: null,
    plans: [],
  };
}

/**
 * Takes the next entry in and returns the line that changed.
 * @returns {Line}
 */
export function take(view, entry) {
  view.seq = entry.seq;
  const line = (TAKERS[entry.event] ?? other)(view, entry);
  line.entries.push(entry);
  return line;
}

function put(view, key, entry, fields) {
  const line = { key, at: entry.at, details: [], entries: [], state: "info", kind: "note", ...fields };
  view.lines.push(line);
  view.byKey.set(key, line);
  return line;
}

const alone = (view, entry, fields) => put(view, `e${entry.seq}`, entry, fields);

function stepLine(view, entry) {
  return (
    view.byKey.get(`s:${entry.step}`) ??
    put(view, `s:${entry.step}`, entry, {
      kind: "step",
      state: "running",
      title: stepWords(entry.step),
      step: entry.step,
    })
  );
}

function spend(line, entry) {
  const used = entry.usage ?? {};
  line.tokens = (line.tokens ?? 0) + (used.input_tokens ?? 0) + (used.output_tokens ?? 0);
  line.costMicros = (line.costMicros ?? 0) + (entry.cost_usd_micros ?? 0);
  line.milliseconds = (line.milliseconds ?? 0) + (line.since ? new Date(entry.at) - new Date(line.since) : 0);
  line.since = null;
}

const TAKERS = {
  started(view, entry) {
    view.options = entry.settings?.options ?? null;
    view.method = entry.method;
    view.startedAt = entry.at;
    return alone(view, entry, { kind: "run", title: "The run began", details: beginning(entry) });
  },
  forked: (view, entry) =>
    alone(view, entry, {
      kind: "run",
      title: `Branched from run ${entry.from}`,
      details: [`from the step “${stepWords(entry.step)}”; what comes before was kept`],
    }),
  resumed: (view, entry) =>
    alone(view, entry, {
      kind: "run",
      title: "Taken up again",
      details: [`attempt ${entry.attempt}; finished steps are not repeated`],
    }),
  called(view, entry) {
    const line = stepLine(view, entry);
    line.state = "running";
    line.since = entry.at;
    line.within = entry.within ?? null;
    if (entry.asking) {
      line.model = entry.asking.model;
      view.query = null;
    }
    view.current = line;
    return line;
  },
  returned(view, entry) {
    const line = stepLine(view, entry);
    line.state = "done";
    spend(line, entry);
    line.offline = entry.origin === "offline";
    line.details = [...line.details.filter((detail) => detail.startsWith("Try ")), ...found(entry.value)];
    if (view.current === line) view.current = null;
    return line;
  },
  failed(view, entry) {
    const line = stepLine(view, entry);
    line.state = "failed";
    spend(line, entry);
    const fault = entry.fault === "unreachable" ? "no answer" : "an answer that cannot be used";
    line.details.push(`Try ${entry.attempt} failed, ${fault}: ${excerpt(entry.error ?? "", 400)}`);
    if (view.current === line) view.current = null;
    return line;
  },
  refused(view, entry) {
    const line = stepLine(view, entry);
    line.state = "failed";
    line.details.push("Not begun: the budget did not allow it");
    if (view.current === line) view.current = null;
    return line;
  },
  cited(view, entry) {
    view.evidence.push(fromEntry(entry));
    const before = view.lines.at(-1);
    const line = before?.kind === "evidence" ? before : alone(view, entry, { kind: "evidence", title: "" });
    line.found = (line.found ?? 0) + 1;
    line.title = `${plural(line.found, "passage")} put before the writer`;
    const titles = new Set(
      view.evidence
        .slice(-line.found)
        .map((one) => one.title)
        .filter(Boolean),
    );
    line.details = [
      [...titles].slice(0, 4).join(" · ") + (titles.size > 4 ? ` and ${titles.size - 4} more` : ""),
    ];
    return line;
  },
  asked(view, entry) {
    if (entry.ask?.plan)
      view.plans.push({ gate: entry.gate, first: entry.ask.plan, plan: entry.ask.plan, state: "proposed" });
    return put(view, `g:${entry.gate}`, entry, {
      kind: "gate",
      state: "waiting",
      gate: entry.gate,
      title: entry.ask?.plan ? "The plan waits for your approval" : "A question to you",
      details: [entry.ask?.question ?? ""],
    });
  },
  answered: (view, entry) =>
    entry.answer
      ? settled(view, entry, "You were asked, and answered", `Answer: ${entry.answer}`)
      : settled(view, entry, "You were asked, and passed it by", ""),
  revised(view, entry) {
    const proposed = planAt(view, entry.gate);
    if (proposed) proposed.plan = entry.plan;
    return alone(view, entry, {
      kind: "gate",
      title: `The plan was changed (revision ${entry.revision})`,
      details: entry.by ? [`by ${entry.by}`] : [],
    });
  },
  approved(view, entry) {
    const proposed = planAt(view, entry.gate);
    if (proposed) proposed.state = "approved";
    return settled(
      view,
      entry,
      `The plan was approved (revision ${entry.revision})`,
      entry.by ? `by ${entry.by}` : "",
    );
  },
  rejected: (view, entry) => settled(view, entry, "The plan was rejected", entry.reason ?? ""),
  said(view, entry) {
    const asked = /^(?:searching .+? for|Research Scientist [12] Search Query): (.+)$/.exec(entry.line);
    if (asked) view.query = asked[1];
    return alone(view, entry, { title: sentence(entry.line) });
  },
  finished(view, entry) {
    leave(view, entry);
    const title = {
      answered: "The answer stands",
      not_enough_evidence: "Done: not enough evidence for an answer",
      not_reached: "Done: not everything could be reached",
    };
    return alone(view, entry, {
      kind: "end",
      state: "done",
      title: title[entry.outcome] ?? "Finished",
      details: [...(entry.warnings ?? [])],
    });
  },
  stopped(view, entry) {
    leave(view, entry);
    return alone(view, entry, {
      kind: "end",
      state: "failed",
      title: `Ended early at “${stepWords(entry.stage)}”`,
      details: [entry.reason, entry.retry_attempted ? "It was tried twice." : ""].filter(Boolean),
    });
  },
  cancelled(view, entry) {
    leave(view, entry);
    return alone(view, entry, {
      kind: "end",
      state: "cancelled",
      title: isDebate(view) ? "Interrupted" : "Cancelled",
      details: [entry.by ? `by ${entry.by}` : "", "Everything gathered so far is kept."].filter(Boolean),
    });
  },
};

/** The run has ended: what was still under way beside its last step does not go on. */
function leave(view, entry) {
  view.current = null;
  for (const line of view.lines) {
    if (line.state !== "running" && line.state !== "waiting") continue;
    line.state = "cancelled";
    if (line.since) spend(line, { at: entry.at });
  }
}

function other(view, entry) {
  return alone(view, entry, { title: sentence(String(entry.event ?? "entry").replace(/_/g, " ")) });
}

const planAt = (view, gate) => view.plans.findLast((one) => one.gate === gate);

function settled(view, entry, title, detail) {
  const asked = view.byKey.get(`g:${entry.gate}`);
  const line = asked ?? alone(view, entry, { kind: "gate", title });
  line.state = "done";
  line.title = title;
  if (detail) line.details = [...line.details, detail];
  return line;
}

function beginning({ method, version, settings, user }) {
  const options = settings?.options ?? {};
  const words = [`${method}, version ${version}`];
  if (options.strategy) words.push(`strategy ${options.strategy}`);
  if (options.collection) words.push(`collection ${options.collection}`);
  if (settings?.models === null) words.push("offline: no model is asked");
  if (user && user !== "local") words.push(`for ${user}`);
  return [words.join(" · ")];
}

/** What a step brought, in words: how many passages, papers, claims, hypotheses. */
function found(value) {
  if (!value || typeof value !== "object") return [];
  const named = Array.isArray(value)
    ? [["result", value]]
    : Object.entries(value).filter(([, held]) => Array.isArray(held));
  const words = named
    .filter(([name, held]) => held.length > 0 && !["warnings", "pages_of"].includes(name))
    .map(([name, held]) => {
      const one = name
        .replace(/_/g, " ")
        .replace(/ies$/, "y")
        .replace(/([^s])s$/, "$1")
        .replace(/hypothese$/, "hypothesis");
      return plural(held.length, one, name.replace(/_/g, " "));
    });
  return words.length > 0 ? [words.slice(0, 5).join(" · ")] : [];
}

function fromEntry({ number, evidence }) {
  const { provenance = {} } = evidence;
  return {
    number,
    evidence_id: evidence.evidence_id,
    type: evidence.type,
    text: evidence.text,
    source_uri: evidence.source_uri,
    score: evidence.score,
    title: provenance.title ?? "",
    section: provenance.section ?? "",
    document_id: provenance.document_id ?? null,
    start: provenance.start ?? null,
    end: provenance.end ?? null,
    page: provenance.pages?.[0]?.number ?? null,
    source_sha256: provenance.source_sha256 ?? null,
    cited: null,
  };
}
