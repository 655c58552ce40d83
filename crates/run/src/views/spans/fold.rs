//! Folds entries into spans.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use serde_json::Value;

use super::describe::{
    OFFLINE, cut, describe_prompt, describe_usage, describe_value, kind_of, message, put, text,
    without_numbers,
};
use super::{Attribute, Span, SpanEvent, State, Texts, TraceId, provider_and_model};
use crate::budget::dollars;
use crate::entry::{Asking, Entry, Event, Fault, Outcome};
use crate::views;

/// The error of a call whose end is unknown.
const LOST: &str = "it ended without a reply, cut off or lost with its process";

/// A step: its span, and the call of a model that it waits for.
struct Step {
    span: Span,
    /// The index in `calls`.
    call: Option<usize>,
    is_open: bool,
}

/// The spans so far.
struct Tree<'e> {
    trace: TraceId,
    texts: Texts<'e>,
    root: Span,
    /// By their path.
    scopes: BTreeMap<&'e str, Span>,
    /// In the order of their first entries.
    steps: Vec<Step>,
    /// The indices in `steps`, by name.
    named: HashMap<&'e str, usize>,
    calls: Vec<Span>,
    /// The names of scopes that are withheld, and what stands for them.
    aliases: HashMap<&'e str, String>,
}

pub(super) fn spans(run: &str, space: &str, entries: &[Entry], texts: Texts<'_>) -> Vec<Span> {
    let own = entries.iter().rposition(|entry| matches!(entry.event, Event::Forked { .. }));
    let own = entries.get(own.unwrap_or_default()..).unwrap_or_default();
    let (Some(first), Some(last)) = (own.first(), own.last()) else { return Vec::new() };
    let trace = TraceId::of(run, space);
    let mut tree = Tree {
        trace,
        texts,
        root: Span { span_id: trace.root(), ..begin_span(trace, "root", "run", first.at) },
        scopes: BTreeMap::new(),
        steps: vec![],
        named: HashMap::new(),
        calls: vec![],
        aliases: HashMap::new(),
    };
    tree.begin(run, space, entries);
    for entry in own {
        tree.take(entry);
    }
    tree.end(entries, last.at)
}

impl<'e> Tree<'e> {
    fn begin(&mut self, run: &str, space: &str, entries: &[Entry]) {
        text(&mut self.root, "gen_ai.operation.name", "invoke_agent");
        text(&mut self.root, "quaestio.run_id", run);
        text(&mut self.root, "quaestio.status", views::status(entries).name());
        let forked = entries.iter().rev().find_map(|entry| match &entry.event {
            Event::Forked { from, .. } => Some(from),
            _ => None,
        });
        if let Some(from) = forked {
            text(&mut self.root, "quaestio.forked_from", from);
            let trace = TraceId::of(from, space);
            self.root.link = Some((trace, trace.root()));
        }
        let Some(start) = views::start(entries) else { return };
        self.root.name = format!("invoke_agent {}", start.method);
        text(&mut self.root, "gen_ai.agent.name", start.method);
        text(&mut self.root, "gen_ai.agent.version", &start.version.to_string());
        if self.texts == Texts::Included {
            text(&mut self.root, "gen_ai.input.messages", &message("user", start.question));
        }
        if let Some(strategy) = start.settings.options.get("strategy").and_then(Value::as_str) {
            text(&mut self.root, "quaestio.strategy", strategy);
        }
    }

    fn take(&mut self, entry: &'e Entry) {
        let at = entry.at;
        match &entry.event {
            Event::Called { step, asking, .. } => self.call(step, asking.as_ref(), entry),
            Event::Returned { step, value, usage, cost_usd_micros, .. } => {
                let is_shown = self.texts == Texts::Included;
                let (step_span, call) = self.returning(step, at);
                describe_value(step_span, call, step, value, is_shown);
                if let Some(call) = self.close(step, at, State::Done) {
                    describe_usage(call, *usage, *cost_usd_micros);
                }
            }
            Event::Failed { step, fault, error, reply, usage, cost_usd_micros, .. } => {
                let kind = match fault {
                    Fault::Unreachable => "unreachable",
                    Fault::Malformed => "malformed",
                };
                let reply = reply.as_ref().filter(|_| self.texts == Texts::Included);
                self.fail(step, at, kind, error);
                if let Some(call) = self.close(step, at, self.failure(kind, error)) {
                    text(call, "error.type", kind);
                    if let Some(reply) = reply {
                        text(call, "gen_ai.output.messages", &message("assistant", reply));
                    }
                    describe_usage(call, *usage, *cost_usd_micros);
                }
            }
            Event::Refused { step, cap, .. } => {
                self.fail(step, at, "budget", &cap.to_string());
                if let Some(call) = self.close(step, at, self.failure("budget", &cap.to_string())) {
                    text(call, "error.type", "budget");
                }
            }
            Event::Finished { outcome, deliverable, .. } => self.finish(*outcome, deliverable),
            Event::Stopped { stage, reason, .. } => {
                self.end_early("stopped", &format!("{stage}: {reason}"));
            }
            Event::Cancelled { by, .. } => {
                self.end_early("cancelled", &format!("cancelled by {by}"));
            }
            Event::Rejected { gate, by, .. } => {
                self.note("quaestio.gate.rejected", at, Some(gate));
                self.end_early("rejected", &format!("rejected by {by}"));
            }
            Event::Asked { gate, .. } => self.note("quaestio.gate.asked", at, Some(gate)),
            Event::Answered { gate, .. } => self.note("quaestio.gate.answered", at, Some(gate)),
            Event::Revised { gate, .. } => self.note("quaestio.gate.revised", at, Some(gate)),
            Event::Approved { gate, .. } => self.note("quaestio.gate.approved", at, Some(gate)),
            Event::Resumed { .. } => self.note("quaestio.resumed", at, None),
            Event::Started { .. }
            | Event::Forked { .. }
            | Event::Cited { .. }
            | Event::Said { .. } => {}
        }
    }

    /// Begins a try of a step.
    fn call(&mut self, name: &'e str, asking: Option<&Asking>, entry: &Entry) {
        let index = self.step(name, entry.at);
        if self.steps.get(index).is_some_and(|step| step.is_open) {
            // The try before this one ended with its process.
            self.lose(index, entry.at);
        }
        let Some(step) = self.steps.get_mut(index) else { return };
        step.is_open = true;
        let Some(asking) = asking else { return };
        describe_prompt(&mut step.span, asking);
        if asking.model == OFFLINE {
            return;
        }
        let (provider, model) = provider_and_model(&asking.model);
        // Its first entry distinguishes a try from others of the same step.
        let part = format!("call {}", entry.seq);
        let mut call = begin_span(self.trace, &part, &format!("chat {model}"), entry.at);
        call.parent = Some(step.span.span_id);
        call.asks_outside = true;
        text(&mut call, "gen_ai.operation.name", "chat");
        text(&mut call, "gen_ai.request.model", model);
        if !provider.is_empty() {
            text(&mut call, "gen_ai.provider.name", provider);
        }
        describe_prompt(&mut call, asking);
        step.call = Some(self.calls.len());
        self.calls.push(call);
    }

    /// Ends the try that a step waits for as lost.
    fn lose(&mut self, index: usize, at: Timestamp) {
        let Some(step) = self.steps.get_mut(index) else { return };
        step.is_open = false;
        fail(&mut step.span, at, "lost", LOST);
        if let Some(call) = step.call.take().and_then(|call| self.calls.get_mut(call)) {
            text(call, "error.type", "lost");
            end_span(call, at, State::Failed(LOST.to_owned()));
        }
    }

    /// Returns the index of a step, beginning it if it is new.
    fn step(&mut self, name: &'e str, at: Timestamp) -> usize {
        if let Some(known) = self.named.get(name) {
            return *known;
        }
        let (scope, own) = match name.rsplit_once('/') {
            Some((scope, own)) => (Some(scope), own),
            None => (None, name),
        };
        let parent = self.scope(scope, at);
        let shown = self.shown(scope, own);
        let mut span = begin_span(self.trace, &format!("step {name}"), &shown, at);
        span.parent = Some(parent);
        text(&mut span, "quaestio.step", &shown);
        if matches!(kind_of(name), "retrieve" | "papers" | "pages" | "texts") {
            text(&mut span, "gen_ai.operation.name", "retrieval");
        }
        self.steps.push(Step { span, call: None, is_open: false });
        self.named.insert(name, self.steps.len() - 1);
        self.steps.len() - 1
    }

    /// Returns the span of the step that an entry ends, and that of its call.
    fn returning(&mut self, name: &'e str, at: Timestamp) -> (&mut Span, Option<&mut Span>) {
        let index = self.step(name, at);
        match self.steps.get_mut(index) {
            Some(Step { span, call, .. }) => (span, call.and_then(|call| self.calls.get_mut(call))),
            None => (&mut self.root, None),
        }
    }

    /// Ends the try of a step and its call, and returns the span that carries what the try used: the call, or else the step.
    fn close(&mut self, name: &'e str, at: Timestamp, state: State) -> Option<&mut Span> {
        let index = self.step(name, at);
        let step = self.steps.get_mut(index)?;
        step.is_open = false;
        end_span(&mut step.span, at, state.clone());
        if state == State::Done {
            step.span.attributes.remove("error.type");
        }
        match step.call.take() {
            Some(call) => {
                let call = self.calls.get_mut(call)?;
                end_span(call, at, state);
                Some(call)
            }
            None => Some(&mut step.span),
        }
    }

    /// Notes on a step that a try of it failed.
    fn fail(&mut self, name: &'e str, at: Timestamp, kind: &'static str, why: &str) {
        let why = self.reason(kind, why);
        fail(self.returning(name, at).0, at, kind, &why);
    }

    fn failure(&self, kind: &str, why: &str) -> State {
        State::Failed(self.reason(kind, why))
    }

    /// Returns why something failed: in full, or its kind alone, because a reason may quote what was asked or answered.
    fn reason(&self, kind: &str, why: &str) -> String {
        match self.texts {
            Texts::Included => cut(why),
            Texts::Withheld { .. } => kind.to_owned(),
        }
    }

    fn finish(&mut self, outcome: Outcome, deliverable: &Value) {
        let outcome = match outcome {
            Outcome::Answered => "answered",
            Outcome::NotEnoughEvidence => "not_enough_evidence",
            Outcome::NotReached => "not_reached",
        };
        text(&mut self.root, "quaestio.outcome", outcome);
        if self.texts == Texts::Included {
            let answer = match deliverable.get("answer").and_then(Value::as_str) {
                Some(answer) => answer.to_owned(),
                None => deliverable.to_string(),
            };
            text(&mut self.root, "gen_ai.output.messages", &message("assistant", &answer));
        }
        self.root.state = State::Done;
    }

    fn end_early(&mut self, kind: &'static str, why: &str) {
        text(&mut self.root, "error.type", kind);
        self.root.state = self.failure(kind, why);
    }

    /// Notes on the run what happened, and at which gate if its name may be shown.
    fn note(&mut self, name: &'static str, at: Timestamp, gate: Option<&str>) {
        let mut attributes = BTreeMap::new();
        if let (Some(gate), Texts::Included) = (gate, self.texts) {
            attributes.insert("quaestio.gate".to_owned(), Attribute::Text(cut(gate)));
        }
        self.root.events.push(SpanEvent { name, at, attributes });
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
        let shown = self.alias(name);
        let mut scope = begin_span(self.trace, &format!("scope {path}"), &shown, at);
        scope.parent = Some(parent);
        let id = scope.span_id;
        self.scopes.insert(path, scope);
        id
    }

    /// Returns the name of a step with its scopes, as it may be shown.
    fn shown(&mut self, scope: Option<&'e str>, own: &str) -> String {
        let scopes = scope.into_iter().flat_map(|scope| scope.split('/'));
        let mut shown: Vec<String> = scopes.map(|name| self.alias(name)).collect();
        shown.push(own.to_owned());
        shown.join("/")
    }

    /// Returns the name of a scope as it may be shown.
    fn alias(&mut self, name: &'e str) -> String {
        let Texts::Withheld { scopes } = self.texts else { return name.to_owned() };
        if scopes.contains(&without_numbers(name)) {
            return name.to_owned();
        }
        let next = self.aliases.len() + 1;
        self.aliases.entry(name).or_insert_with(|| format!("scope-{next}")).clone()
    }

    fn end(mut self, entries: &[Entry], at: Timestamp) -> Vec<Span> {
        for index in 0..self.steps.len() {
            if self.steps.get(index).is_some_and(|step| step.is_open) {
                self.lose(index, at);
            }
        }
        self.root.end = at.max(self.root.start);
        let cost = views::cost(entries);
        put(&mut self.root, "quaestio.cost_usd", Attribute::Number(dollars(cost.cost_usd_micros)));
        put(&mut self.root, "quaestio.calls", Attribute::Count(cost.calls));
        let mut spans = vec![self.root];
        spans.extend(self.scopes.into_values());
        spans.extend(self.steps.into_iter().map(|step| step.span));
        spans.extend(self.calls);
        nest(&mut spans);
        spans
    }
}

/// Puts the times of spans within those of their parents, which stand before them, and events within their spans.
fn nest(spans: &mut [Span]) {
    let indices: HashMap<[u8; 8], usize> =
        spans.iter().enumerate().map(|(index, span)| (span.span_id, index)).collect();
    let parents: Vec<Option<usize>> = spans
        .iter()
        .map(|span| span.parent.and_then(|parent| indices.get(&parent).copied()))
        .collect();
    for (index, parent) in parents.iter().enumerate() {
        let start = parent.and_then(|parent| spans.get(parent)).map(|parent| parent.start);
        if let (Some(span), Some(start)) = (spans.get_mut(index), start) {
            // Where the clock was set back, a span may seem to begin before its parent.
            span.start = span.start.max(start);
            span.end = span.end.max(span.start);
        }
    }
    for (index, parent) in parents.iter().enumerate().rev() {
        let end = spans.get(index).map(|span| span.end);
        if let (Some(parent), Some(end)) = (parent.and_then(|parent| spans.get_mut(parent)), end) {
            parent.end = parent.end.max(end);
        }
    }
    for span in spans {
        let (start, end) = (span.start, span.end);
        span.events.iter_mut().for_each(|event| event.at = event.at.clamp(start, end));
    }
}

fn begin_span(trace: TraceId, part: &str, name: &str, at: Timestamp) -> Span {
    Span {
        trace_id: trace,
        span_id: trace.span(part),
        parent: None,
        link: None,
        name: name.to_owned(),
        asks_outside: false,
        start: at,
        end: at,
        attributes: BTreeMap::new(),
        events: Vec::new(),
        documents: Vec::new(),
        state: State::Unset,
    }
}

fn end_span(span: &mut Span, at: Timestamp, state: State) {
    // Of two ends the later one counts; a clock that was set back must not make a duration negative.
    span.end = at.max(span.end);
    span.state = state;
}

/// Ends a step for now, with an event for the try that failed.
fn fail(step: &mut Span, at: Timestamp, kind: &'static str, why: &str) {
    text(step, "error.type", kind);
    let at = at.max(step.end);
    let attributes = [("error.type", kind), ("exception.message", why)];
    let attributes = attributes
        .into_iter()
        .map(|(name, value)| (name.to_owned(), Attribute::Text(value.to_owned())))
        .collect();
    step.events.push(SpanEvent { name: "exception", at, attributes });
    end_span(step, at, State::Failed(why.to_owned()));
}
