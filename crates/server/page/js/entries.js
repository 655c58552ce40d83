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
 * @property {boolean} [refused] a limit did not allow the step
 * @property {string} [about] what a step is about: its query, the question or section that it serves
 * @property {import("./brought.js").Brought} [brought] what a step brought
 * @property {object[]} entries as they came
 */
import { brought, broughtWords } from "./brought.js";
import { t } from "./i18n.js";
import { saidWords } from "./said.js";
import { excerpt, isDebate, isLimit, plural, sentence, stepWords } from "./words.js";

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
    settings: null,
    startedAt: null,
    plans: [],
    /** What the tasks of a plan look up, by their ids; the questions and the sections of a report. */
    tasks: new Map(),
    questions: [],
    outline: [],
    /** The queries that are asked of sources outside, and whether more of them are to come. */
    searches: [],
    searching: false,
    /** Titles of what was found and read, by what tells them apart; the newest last. @type {Map<string, string>} */
    sources: new Map(),
    /** Gates that are open, since when, and how long the run has waited at them so far. */
    open: new Set(),
    waitingSince: null,
    waited: 0,
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

/** What a step is about, as far as the log tells: a query, a question of the report, a section, an address. */
function aboutOf(view, step) {
  const path = step.split(" #", 1)[0].split("/");
  const name = path.pop();
  if (name === "read") return path.join("/").replace(/^.*?(?:https?:\/\/)?(?:www\.)?/, "");
  const numbered = (kind) => path.map((part) => new RegExp(`^${kind}-(\\d+)`).exec(part)?.[1]).find(Boolean);
  if (["papers", "pages", "texts"].includes(name)) view.searching = false;
  const query = numbered("query");
  if (query && view.searches[query - 1]) return view.searches[query - 1];
  if (view.tasks.has(path[0])) return view.tasks.get(path[0]);
  return view.questions[numbered("question") - 1] ?? view.outline[numbered("section") - 1] ?? null;
}

/** Learns from a value what later steps are about. */
function learn(view, step, value) {
  const name = step.split(" #", 1)[0].split("/").pop();
  if (name === "deep_planner") {
    for (const task of value?.plan ?? []) if (task?.inputs?.query) view.tasks.set(task.id, task.inputs.query);
    view.questions = (value?.brief?.questions ?? []).map((one) => one?.question ?? "");
  }
  if (name === "outliner")
    view.outline = (value?.sections ?? []).map((one) => one?.heading || one?.purpose || "");
}

function waits(view, entry) {
  if (view.open.size === 0) view.waitingSince = entry.at;
  view.open.add(entry.gate);
}

function goesOn(view, entry) {
  view.open.delete(entry.gate);
  if (view.open.size > 0 || !view.waitingSince) return;
  view.waited += new Date(entry.at) - new Date(view.waitingSince);
  view.waitingSince = null;
}

const TAKERS = {
  started(view, entry) {
    view.options = entry.settings?.options ?? null;
    view.method = entry.method;
    view.settings = entry.settings ?? null;
    view.startedAt = entry.at;
    return alone(view, entry, { kind: "run", title: t("Run started"), details: beginning(entry) });
  },
  forked: (view, entry) =>
    alone(view, entry, {
      kind: "run",
      title: t("Branched from run {run}", { run: entry.from }),
      details: [t("from the step “{step}”; earlier steps were kept", { step: stepWords(entry.step) })],
    }),
  resumed: (view, entry) =>
    alone(view, entry, {
      kind: "run",
      title: t("Resumed"),
      details: [t("attempt {attempt}; finished steps are not repeated", { attempt: entry.attempt })],
    }),
  called(view, entry) {
    const line = stepLine(view, entry);
    line.state = "running";
    line.since = entry.at;
    line.within = entry.within ?? null;
    line.about = aboutOf(view, entry.step);
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
    line.brought = brought(entry.step, entry.value);
    learn(view, entry.step, entry.value);
    for (const [key, title] of line.brought.read) noteSource(view, key, title);
    const counted = broughtWords([line]);
    line.details = [...(line.tries ?? []), ...(counted ? [counted] : found(entry.value))];
    if (view.current === line) view.current = null;
    return line;
  },
  failed(view, entry) {
    const line = stepLine(view, entry);
    line.state = "failed";
    spend(line, entry);
    const told = { attempt: entry.attempt, error: excerpt(entry.error ?? "", 400) };
    const words =
      entry.fault === "unreachable"
        ? t("Attempt {attempt} failed, no response: {error}", told)
        : t("Attempt {attempt} failed, unusable response: {error}", told);
    line.tries = [...(line.tries ?? []), words];
    line.details.push(words);
    if (view.current === line) view.current = null;
    return line;
  },
  refused(view, entry) {
    const line = stepLine(view, entry);
    line.state = "failed";
    line.refused = true;
    line.details.push(t("Not started: it would exceed the limit of this run"));
    if (view.current === line) view.current = null;
    return line;
  },
  cited(view, entry) {
    const evidence = fromEntry(entry);
    view.evidence.push(evidence);
    // What the asker said, and what proposed code printed, are no sources that arrive.
    if (!["user", "execution"].includes(evidence.type))
      noteSource(view, evidence.document_id ?? evidence.source_uri ?? evidence.title, evidence.title);
    const before = view.lines.at(-1);
    const line = before?.kind === "evidence" ? before : alone(view, entry, { kind: "evidence", title: "" });
    line.found = (line.found ?? 0) + 1;
    line.title = t("{passages} given to the writer", { passages: plural(line.found, "passage") });
    const titles = new Set(
      view.evidence
        .slice(-line.found)
        .map((one) => one.title)
        .filter(Boolean),
    );
    const first = [...titles].slice(0, 4).join(" · ");
    line.details = [
      titles.size > 4 ? t("{titles} and {more} more", { titles: first, more: titles.size - 4 }) : first,
    ];
    return line;
  },
  asked(view, entry) {
    if (entry.ask?.plan)
      view.plans.push({ gate: entry.gate, first: entry.ask.plan, plan: entry.ask.plan, state: "proposed" });
    waits(view, entry);
    return put(view, `g:${entry.gate}`, entry, {
      kind: "gate",
      state: "waiting",
      gate: entry.gate,
      title: entry.ask?.plan ? t("The plan needs your approval") : t("A question for you"),
      details: [entry.ask?.question ?? ""],
    });
  },
  answered: (view, entry) =>
    entry.answer
      ? settled(view, entry, t("You answered a question"), t("Answer: {answer}", { answer: entry.answer }))
      : settled(view, entry, t("You skipped a question"), ""),
  revised(view, entry) {
    const proposed = planAt(view, entry.gate);
    if (proposed) proposed.plan = entry.plan;
    return alone(view, entry, {
      kind: "gate",
      title: t("The plan was changed (revision {revision})", { revision: entry.revision }),
      details: entry.by ? [t("by {name}", { name: entry.by })] : [],
    });
  },
  approved(view, entry) {
    const proposed = planAt(view, entry.gate);
    if (proposed) proposed.state = "approved";
    return settled(
      view,
      entry,
      t("The plan was approved (revision {revision})", { revision: entry.revision }),
      entry.by ? t("by {name}", { name: entry.by }) : "",
    );
  },
  rejected: (view, entry) => settled(view, entry, t("The plan was rejected"), entry.reason ?? ""),
  said(view, entry) {
    const asked = /^(?:searching .+? for|Research Scientist [12] Search Query): (.+)$/.exec(entry.line);
    if (asked) {
      view.query = asked[1];
      if (!view.searching) view.searches = [];
      view.searching = true;
      view.searches.push(asked[1]);
    }
    return alone(view, entry, { title: saidWords(entry.line, view.tasks) });
  },
  finished(view, entry) {
    leave(view, entry);
    const titles = {
      answered: t("The answer is ready"),
      not_enough_evidence: t("Done: not enough evidence for an answer"),
      not_reached: t("Done: some sources could not be reached"),
    };
    return alone(view, entry, {
      kind: "end",
      state: "done",
      title: titles[entry.outcome] ?? t("Finished"),
      details: [...(entry.warnings ?? [])],
    });
  },
  stopped(view, entry) {
    leave(view, entry);
    return alone(view, entry, {
      kind: "end",
      state: "failed",
      title: isLimit(entry.reason)
        ? t("Stopped at its limit, at “{step}”", { step: stepWords(entry.stage) })
        : t("Failed at “{step}”", { step: stepWords(entry.stage) }),
      details: [entry.reason, entry.retry_attempted ? t("Two attempts failed.") : ""].filter(Boolean),
    });
  },
  cancelled(view, entry) {
    leave(view, entry);
    return alone(view, entry, {
      kind: "end",
      state: "cancelled",
      title: isDebate(view) ? t("Interrupted") : t("Cancelled"),
      details: [
        entry.by ? t("by {name}", { name: entry.by }) : "",
        t("Everything gathered so far is kept."),
      ].filter(Boolean),
    });
  },
};

/** The run has ended: what was still under way beside its last step does not go on. */
function leave(view, entry) {
  view.current = null;
  for (const gate of [...view.open]) goesOn(view, { gate, at: entry.at });
  for (const line of view.lines) {
    if (line.state !== "running" && line.state !== "waiting") continue;
    line.state = "cancelled";
    if (line.since) spend(line, { at: entry.at });
  }
}

function other(view, entry) {
  return alone(view, entry, { title: sentence(String(entry.event ?? "entry").replace(/_/g, " ")) });
}

/** A source that was read or cited; one that comes again keeps its place. */
function noteSource(view, key, title) {
  if (key && title && !view.sources.has(key)) view.sources.set(key, title);
}

const planAt = (view, gate) => view.plans.findLast((one) => one.gate === gate);

function settled(view, entry, title, detail) {
  goesOn(view, entry);
  const asked = view.byKey.get(`g:${entry.gate}`);
  const line = asked ?? alone(view, entry, { kind: "gate", title });
  line.state = "done";
  line.title = title;
  if (detail) line.details = [...line.details, detail];
  return line;
}

function beginning({ method, version, settings, user }) {
  const options = settings?.options ?? {};
  const words = [t("{method}, version {version}", { method, version })];
  if (options.strategy) words.push(t("strategy {name}", { name: options.strategy }));
  if (options.collection) words.push(t("collection {name}", { name: options.collection }));
  if (settings?.models === null) words.push(t("offline: no model is used"));
  if (user && user !== "local") words.push(t("for {name}", { name: user }));
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
