//! Folds entries into spans.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use run::budget::{Usage, dollars};
use run::entry::{Asking, Entry, Event, Fault, Hash, Outcome};
use run::views;
use serde_json::{Value, json};

use super::{Attribute, Found, LONGEST_TEXT, Span, State, TraceId, beginning};

/// The error of a call whose end is unknown.
const LOST: &str = "it ended without a reply, cut off or lost with its process";

/// The spans so far. The root is the first.
struct Tree<'e> {
    trace: TraceId,
    root: Span,
    /// By their path.
    scopes: BTreeMap<&'e str, Span>,
    steps: Vec<Span>,
    /// The indices in `steps` of tries that have not ended, by the name of the step.
    open: HashMap<&'e str, usize>,
}

pub(super) fn spans(run: &str, trace: TraceId, entries: &[Entry]) -> Vec<Span> {
    let own = entries.iter().rposition(|entry| matches!(entry.event, Event::Forked { .. }));
    let own = entries.get(own.unwrap_or_default()..).unwrap_or_default();
    let (Some(first), Some(last)) = (own.first(), own.last()) else { return Vec::new() };
    let root = begin_span(trace, None, "run", first.at);
    let mut tree =
        Tree { trace, root, scopes: BTreeMap::new(), steps: vec![], open: HashMap::new() };
    tree.begin(run, entries);
    for entry in own {
        tree.take(entry);
    }
    tree.end(entries, last.at)
}

impl<'e> Tree<'e> {
    fn begin(&mut self, run: &str, entries: &[Entry]) {
        text(&mut self.root, "gen_ai.operation.name", "invoke_agent");
        text(&mut self.root, "quaestio.run_id", run);
        let Some(start) = views::start(entries) else { return };
        self.root.name = start.method.to_owned();
        text(&mut self.root, "gen_ai.agent.name", start.method);
        text(&mut self.root, "gen_ai.agent.version", &start.version.to_string());
        text(&mut self.root, "gen_ai.input.messages", &message("user", start.question));
        if let Some(strategy) = start.settings.options.get("strategy").and_then(Value::as_str) {
            text(&mut self.root, "quaestio.strategy", strategy);
        }
    }

    fn take(&mut self, entry: &'e Entry) {
        match &entry.event {
            Event::Called { step, asking, .. } => {
                if let Some(lost) = self.open.remove(step.as_str()) {
                    self.close(lost, entry.at, State::Failed(LOST.to_owned()));
                }
                let index = self.open(step, entry);
                if let (Some(asking), Some(span)) = (asking, self.steps.get_mut(index)) {
                    describe_call(span, asking);
                }
                self.open.insert(step, index);
            }
            Event::Returned { step, value, usage, cost_usd_micros, .. } => {
                let index = self.try_of(step, entry);
                if let Some(span) = self.steps.get_mut(index) {
                    describe_value(span, step, value);
                    describe_usage(span, *usage, *cost_usd_micros);
                }
                self.close(index, entry.at, State::Done);
            }
            Event::Failed { step, fault, error, reply, usage, cost_usd_micros, .. } => {
                let index = self.try_of(step, entry);
                if let Some(span) = self.steps.get_mut(index) {
                    let kind = match fault {
                        Fault::Unreachable => "unreachable",
                        Fault::Malformed => "malformed",
                    };
                    text(span, "error.type", kind);
                    if let Some(reply) = reply {
                        text(span, "gen_ai.output.messages", &message("assistant", reply));
                    }
                    describe_usage(span, *usage, *cost_usd_micros);
                }
                self.close(index, entry.at, State::Failed(error.clone()));
            }
            Event::Refused { step, cap, .. } => {
                let index = self.try_of(step, entry);
                if let Some(span) = self.steps.get_mut(index) {
                    text(span, "error.type", "budget");
                }
                self.close(index, entry.at, State::Failed(cap.to_string()));
            }
            Event::Finished { outcome, deliverable, .. } => {
                let outcome = match outcome {
                    Outcome::Answered => "answered",
                    Outcome::NotEnoughEvidence => "not_enough_evidence",
                    Outcome::NotReached => "not_reached",
                };
                text(&mut self.root, "quaestio.outcome", outcome);
                let answer = match deliverable.get("answer").and_then(Value::as_str) {
                    Some(answer) => answer.to_owned(),
                    None => deliverable.to_string(),
                };
                text(&mut self.root, "gen_ai.output.messages", &message("assistant", &answer));
                self.root.state = State::Done;
            }
            Event::Stopped { stage, reason, .. } => {
                text(&mut self.root, "error.type", "stopped");
                self.root.state = State::Failed(format!("{stage}: {reason}"));
            }
            Event::Cancelled { by, .. } => {
                text(&mut self.root, "error.type", "cancelled");
                self.root.state = State::Failed(format!("cancelled by {by}"));
            }
            Event::Rejected { by, .. } => {
                text(&mut self.root, "error.type", "rejected");
                self.root.state = State::Failed(format!("rejected by {by}"));
            }
            _ => {}
        }
    }

    /// Returns the index of the try that this entry ends, beginning one if there is none.
    fn try_of(&mut self, step: &'e str, entry: &Entry) -> usize {
        match self.open.remove(step) {
            Some(index) => index,
            None => self.open(step, entry),
        }
    }

    fn open(&mut self, step: &'e str, entry: &Entry) -> usize {
        let scope = step.rsplit_once('/').map(|(scope, _)| scope);
        let parent = self.scope(scope, entry.at);
        // The first entry of a try distinguishes it from other tries of its step.
        let part = format!("step {} {step}", entry.seq);
        let mut span = begin_span(self.trace, Some(&part), step, entry.at);
        span.parent = Some(parent);
        self.steps.push(span);
        self.steps.len() - 1
    }

    /// Returns the id of the scope, creating it and its parents if new; that of the root without a path.
    fn scope(&mut self, path: Option<&'e str>, at: Timestamp) -> [u8; 8] {
        let Some(path) = path else { return self.root.span_id };
        if let Some(known) = self.scopes.get(path) {
            return known.span_id;
        }
        let (above, name) = match path.rsplit_once('/') {
            Some((above, name)) => (Some(above), name),
            None => (None, path),
        };
        let parent = self.scope(above, at);
        let mut scope = begin_span(self.trace, Some(&format!("scope {path}")), name, at);
        scope.parent = Some(parent);
        let id = scope.span_id;
        self.scopes.insert(path, scope);
        id
    }

    fn close(&mut self, index: usize, at: Timestamp, state: State) {
        if let Some(span) = self.steps.get_mut(index) {
            // A clock that was set back must not make a duration negative.
            span.end = at.max(span.start);
            span.state = state;
        }
    }

    fn end(mut self, entries: &[Entry], at: Timestamp) -> Vec<Span> {
        let open: Vec<usize> = self.open.drain().map(|(_, index)| index).collect();
        for index in open {
            self.close(index, at, State::Failed(LOST.to_owned()));
        }
        for step in &self.steps {
            let mut parent = step.parent;
            while let Some(scope) =
                self.scopes.values_mut().find(|scope| Some(scope.span_id) == parent)
            {
                scope.end = scope.end.max(step.end);
                parent = scope.parent;
            }
        }
        let ends = self.steps.iter().map(|step| step.end);
        self.root.end = ends.fold(at.max(self.root.start), Timestamp::max);
        let cost = views::cost(entries);
        put(&mut self.root, "quaestio.cost_usd", Attribute::Number(dollars(cost.cost_usd_micros)));
        put(&mut self.root, "quaestio.calls", Attribute::Count(cost.calls));
        let mut spans = vec![self.root];
        spans.extend(self.scopes.into_values());
        spans.extend(self.steps);
        spans
    }
}

/// Returns a new span; without a part, the root's.
fn begin_span(trace: TraceId, part: Option<&str>, name: &str, at: Timestamp) -> Span {
    let part = part.unwrap_or("root");
    Span {
        trace_id: trace,
        span_id: beginning(Hash::of_parts(&[b"span", &trace.0, part.as_bytes()])),
        parent: None,
        name: name.to_owned(),
        asks_outside: false,
        start: at,
        end: at,
        attributes: BTreeMap::new(),
        documents: Vec::new(),
        state: State::Unset,
    }
}

fn describe_call(span: &mut Span, asking: &Asking) {
    text(span, "quaestio.prompt", &asking.prompt);
    text(span, "quaestio.prompt_version", &asking.prompt_version.to_string());
    text(span, "quaestio.prompt_hash", &asking.prompt_hash.to_string());
    if asking.model == "offline" {
        return text(span, "quaestio.model", "offline");
    }
    span.asks_outside = true;
    text(span, "gen_ai.operation.name", "chat");
    let (provider, model) = asking.model.split_once('/').unwrap_or(("", &asking.model));
    text(span, "gen_ai.request.model", model);
    let provider = match provider {
        "gemini" | "google" => "gcp.gemini",
        other => other,
    };
    if !provider.is_empty() {
        text(span, "gen_ai.provider.name", provider);
    }
}

fn describe_value(span: &mut Span, step: &str, value: &Value) {
    let name = step.rsplit('/').next().unwrap_or(step);
    let name = name.split(" #").next().unwrap_or(name);
    if matches!(name, "retrieve" | "papers" | "pages") {
        text(span, "gen_ai.operation.name", "retrieval");
        span.documents = found(value);
    } else if span.attributes.contains_key("quaestio.prompt") {
        text(span, "gen_ai.output.messages", &message("assistant", &value.to_string()));
    } else {
        text(span, "quaestio.value", &value.to_string());
    }
}

/// Reads the result of a retrieval: passages, works or hits.
fn found(value: &Value) -> Vec<Found> {
    let listed = value.get("passages").or_else(|| value.get("papers")).unwrap_or(value);
    let items = listed.as_array().map(Vec::as_slice).unwrap_or_default();
    let first = |item: &Value, names: &[&str]| {
        names.iter().find_map(|name| Some(item.get(*name)?.as_str()?.to_owned()))
    };
    let read = |item: &Value| Found {
        id: first(item, &["source_uri", "url", "title"]).unwrap_or_default(),
        score: item.get("score").and_then(Value::as_f64),
        text: cut(&first(item, &["text", "snippet", "abstract", "title"]).unwrap_or_default()),
    };
    items.iter().map(read).collect()
}

fn describe_usage(span: &mut Span, usage: Usage, cost_usd_micros: u64) {
    if usage != Usage::default() {
        for (name, tokens) in [
            ("gen_ai.usage.input_tokens", usage.input_tokens),
            ("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens),
            ("gen_ai.usage.output_tokens", usage.output_tokens),
        ] {
            put(span, name, Attribute::Count(tokens));
        }
    }
    if cost_usd_micros > 0 {
        put(span, "quaestio.cost_usd", Attribute::Number(dollars(cost_usd_micros)));
    }
}

/// Returns a message in the form of the conventions.
fn message(role: &str, content: &str) -> String {
    json!([{ "role": role, "parts": [{ "type": "text", "content": cut(content) }] }]).to_string()
}

fn put(span: &mut Span, name: &str, value: Attribute) {
    span.attributes.insert(name.to_owned(), value);
}

fn text(span: &mut Span, name: &str, value: &str) {
    // Messages were truncated before they became JSON; truncating them again would break it.
    let value = if name.ends_with("messages") { value.to_owned() } else { cut(value) };
    put(span, name, Attribute::Text(value));
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
