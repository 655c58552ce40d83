//! Tests of the fold, over logs of all kinds.

use std::collections::BTreeSet;

use crate::budget::{CapMet, Spend, Usage};
use crate::entry::{Asking, Event, Fault, Head, Origin, Outcome};
use crate::settings::Settings;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The spans of a run with all texts.
fn all_spans(run: &str, space: &str, entries: &[Entry]) -> Vec<Span> {
    super::spans(run, space, entries, Texts::Included)
}

fn build_log(events: Vec<Event>) -> Vec<Entry> {
    let mut head = Head::default();
    let seal = |(second, event)| {
        let at = Timestamp::from_second(second).unwrap();
        let (entry, _) = Entry::seal(&head, at, event);
        head = Head { seq: entry.seq, hash: entry.hash };
        entry
    };
    (1_000..).zip(events).map(seal).collect()
}

fn started() -> Event {
    Event::Started {
        method: "ask".into(),
        version: 3,
        question: "Why?".into(),
        settings: Settings { options: json!({ "strategy": "rag" }), ..Settings::default() },
        user: "local".into(),
    }
}

fn called(step: &str) -> Event {
    let asking = Asking {
        model: "anthropic/large-1".into(),
        prompt: "ask/writer".into(),
        prompt_version: 1,
        prompt_hash: Hash::default(),
    };
    Event::Called {
        step: step.into(),
        input: Hash::default(),
        asking: Some(asking),
        reserved: Spend::default(),
        within: None,
    }
}

fn returned(step: &str, value: Value) -> Event {
    let usage = Usage { input_tokens: 10, cached_tokens: 4, output_tokens: 2 };
    Event::Returned {
        step: step.into(),
        origin: Origin::Model,
        value,
        usage,
        cost_usd_micros: 1_500_000,
    }
}

fn failed(step: &str) -> Event {
    Event::Failed {
        step: step.into(),
        attempt: 1,
        fault: Fault::Unreachable,
        error: "nobody there".into(),
        reply: None,
        usage: Usage::default(),
        cost_usd_micros: 0,
    }
}

fn finished() -> Event {
    let deliverable = json!({ "answer": "Because." });
    Event::Finished { outcome: Outcome::Answered, deliverable, ledger: vec![], warnings: vec![] }
}

fn failure(span: &Span) -> &str {
    match &span.state {
        State::Failed(why) => why,
        other => panic!("{} is {other:?}", span.name),
    }
}

// proves: F7
#[test]
fn a_call_says_who_was_asked_and_what_it_used() {
    let log = build_log(vec![
        started(),
        called("writer #1"),
        returned("writer #1", json!("yes")),
        finished(),
    ]);
    let spans = all_spans("r", "", &log);
    let [root, step, call] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!((root.name.as_str(), &root.state), ("invoke_agent ask", &State::Done));
    assert_eq!(root.attributes["quaestio.strategy"], Attribute::Text("rag".into()));
    assert_eq!(root.attributes["quaestio.status"], Attribute::Text("completed".into()));
    assert_eq!((root.start.as_second(), root.end.as_second()), (1_000, 1_003));
    assert_eq!((step.name.as_str(), step.parent), ("writer #1", Some(root.span_id)));
    assert_eq!((call.name.as_str(), call.parent), ("chat large-1", Some(step.span_id)));
    assert_eq!((call.start.as_second(), call.end.as_second()), (1_001, 1_002));
    assert!(call.asks_outside && !step.asks_outside);
    for (name, value) in [
        ("gen_ai.operation.name", Attribute::Text("chat".into())),
        ("gen_ai.provider.name", Attribute::Text("anthropic".into())),
        ("gen_ai.request.model", Attribute::Text("large-1".into())),
        ("gen_ai.usage.input_tokens", Attribute::Count(10)),
        ("gen_ai.usage.cache_read.input_tokens", Attribute::Count(4)),
        ("gen_ai.usage.output_tokens", Attribute::Count(2)),
        ("quaestio.cost_usd", Attribute::Number(1.5)),
    ] {
        assert_eq!(call.attributes[name], value, "{name}");
    }
}

// proves: F7
#[test]
fn a_try_is_a_span_below_its_step_and_what_was_lost_is_told() {
    let log = build_log(vec![
        started(),
        called("a/b/writer #1"),
        Event::Resumed { attempt: 2 },
        called("a/b/writer #1"),
        failed("a/b/writer #1"),
        Event::Refused {
            step: "a/critic #1".into(),
            input: Hash::default(),
            cap: CapMet::Steps { cap: 3 },
            within: None,
        },
        Event::Stopped {
            stage: "writer".into(),
            reason: "nobody there".into(),
            retry_attempted: true,
            partial: None,
        },
    ]);
    let spans = all_spans("r", "", &log);
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    let chat = "chat large-1";
    assert_eq!(names, ["invoke_agent ask", "a", "b", "a/b/writer #1", "a/critic #1", chat, chat]);
    let [root, a, b, writer, refused, lost, second] = spans.as_slice() else { panic!() };
    assert_eq!(failure(root), "writer: nobody there");
    assert_eq!(root.events[0].name, "quaestio.resumed");
    assert!(failure(lost).contains("lost with its process"));
    assert_eq!(lost.attributes["error.type"], Attribute::Text("lost".into()));
    assert_eq!((failure(second), failure(writer)), ("nobody there", "nobody there"));
    assert_eq!(writer.events.len(), 2, "an event for each try that failed");
    assert_eq!(failure(refused), "the limit of 3 steps is reached");
    assert_eq!((a.parent, b.parent), (Some(root.span_id), Some(a.span_id)));
    assert_eq!((writer.parent, refused.parent), (Some(b.span_id), Some(a.span_id)));
    assert_eq!((lost.parent, second.parent), (Some(writer.span_id), Some(writer.span_id)));
    assert_eq!((a.end.as_second(), b.end.as_second()), (1_005, 1_004));
}

// proves: F7
#[test]
fn a_step_that_came_right_in_the_end_is_done_and_its_tries_are_told_apart() {
    let log = build_log(vec![
        started(),
        called("w #1"),
        failed("w #1"),
        called("w #1"),
        returned("w #1", json!("yes")),
    ]);
    let spans = all_spans("r", "", &log);
    let [root, step, first, second] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!((&root.state, &step.state), (&State::Unset, &State::Done));
    assert!(!step.attributes.contains_key("error.type"));
    assert_eq!((failure(first), &second.state), ("nobody there", &State::Done));
    assert_ne!(first.span_id, second.span_id);
}

// proves: F7
#[test]
fn what_was_sent_while_a_run_waited_has_the_same_ids_when_it_has_ended() {
    let events = vec![
        started(),
        called("w #1"),
        returned("w #1", json!("yes")),
        Event::Asked { gate: "q1".into(), ask: Default::default() },
        Event::Answered { gate: "q1".into(), answer: "so".into(), by: "local".into() },
        called("w #2"),
        returned("w #2", json!("yes")),
        finished(),
    ];
    let (whole, early) = (build_log(events.clone()), build_log(events[..4].to_vec()));
    let ids = |log: &[Entry]| -> BTreeSet<SpanId> {
        all_spans("r", "", log).iter().map(|span| span.span_id).collect()
    };
    assert!(ids(&early).is_subset(&ids(&whole)));
    let root = |log: &[Entry]| all_spans("r", "", log).remove(0);
    let events: Vec<&str> = root(&whole).events.iter().map(|event| event.name).collect();
    assert_eq!(events, ["quaestio.gate.asked", "quaestio.gate.answered"]);
    let status = |log: &[Entry]| root(log).attributes["quaestio.status"].clone();
    assert_eq!(status(&early), Attribute::Text("waiting".into()));
    assert_eq!(status(&whole), Attribute::Text("completed".into()));
}

// proves: F7
#[test]
fn a_fork_has_its_own_steps_and_a_link_to_the_run_that_it_was_made_of() {
    let forked = Event::Forked { from: "r0".into(), step: "writer #1".into() };
    let spans = all_spans(
        "r",
        "",
        &build_log(vec![
            started(),
            called("x #1"),
            returned("x #1", json!(1)),
            forked,
            called("writer #1"),
            finished(),
        ]),
    );
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["invoke_agent ask", "writer #1", "chat large-1"]);
    assert_eq!(spans[0].start.as_second(), 1_003);
    let from = TraceId::of("r0", "");
    assert_eq!(spans[0].link, Some((from, from.root())));
    assert!(
        matches!(&spans[0].attributes["gen_ai.input.messages"], Attribute::Text(text) if text.contains("Why?"))
    );
}

// proves: F7
#[test]
fn no_text_of_a_run_is_in_its_spans_if_texts_are_withheld() {
    const CANARY: &str = "canary";
    let started = Event::Started {
        method: "ask".into(),
        version: 3,
        question: format!("Why {CANARY}?"),
        settings: Settings::default(),
        user: CANARY.into(),
    };
    let with_canary = |event: Event| match event {
        Event::Failed { step, attempt, fault, usage, cost_usd_micros, .. } => Event::Failed {
            step,
            attempt,
            fault,
            error: CANARY.into(),
            reply: Some(CANARY.into()),
            usage,
            cost_usd_micros,
        },
        other => other,
    };
    let step = format!("question-2-1/https:/{CANARY}.org/writer #1");
    let log = build_log(vec![
        started,
        called(&step),
        with_canary(failed(&step)),
        called(&step),
        returned(&step, json!(CANARY)),
        returned("retrieve #1", json!({"passages": [{"source_uri": CANARY, "text": CANARY}]})),
        Event::Asked { gate: CANARY.into(), ask: Default::default() },
        Event::Rejected { gate: CANARY.into(), reason: CANARY.into(), by: CANARY.into() },
        Event::Cancelled { by: CANARY.into(), partial: None },
        Event::Stopped {
            stage: CANARY.into(),
            reason: CANARY.into(),
            retry_attempted: false,
            partial: None,
        },
        Event::Finished {
            outcome: Outcome::Answered,
            deliverable: json!({ "answer": CANARY }),
            ledger: vec![],
            warnings: vec![CANARY.into()],
        },
    ]);
    let withheld = super::spans("r", "", &log, Texts::Withheld { scopes: &["question"] });
    assert!(!format!("{withheld:?}").contains(CANARY));
    let names: Vec<&str> = withheld.iter().map(|span| span.name.as_str()).collect();
    for name in ["question-2-1", "scope-1", "question-2-1/scope-1/scope-2/writer #1"] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    let included = all_spans("r", "", &log);
    assert!(format!("{included:?}").contains(CANARY));
    let ids =
        |spans: &[Span]| -> BTreeSet<SpanId> { spans.iter().map(|one| one.span_id).collect() };
    assert_eq!(ids(&withheld), ids(&included), "what is shown decides no id");
}

#[test]
fn a_retrieval_lists_what_it_found_whatever_it_is() {
    let found = |step: &str, value: Value| {
        all_spans("r", "", &build_log(vec![started(), returned(step, value)]))
            .pop()
            .unwrap()
            .documents
    };
    let passages = found(
        "search/retrieve #2",
        json!({ "passages": [{ "source_uri": "doc://a", "score": 2.5, "text": "A." }] }),
    );
    assert_eq!(passages, [Found { id: "doc://a".into(), score: Some(2.5), text: "A.".into() }]);
    let hits = found("pages #1", json!([{ "url": "https://x", "title": "X", "snippet": "S." }, 7]));
    assert_eq!((hits[0].id.as_str(), hits[0].text.as_str()), ("https://x", "S."));
    let works = found(
        "papers #1",
        json!({ "papers": [{ "title": "On tides", "abstract": "They rise." }] }),
    );
    assert_eq!((works[0].id.as_str(), works[0].text.as_str()), ("On tides", "They rise."));
    assert_eq!(found("retrieve #1", json!("odd")), []);
}

#[test]
fn a_long_text_is_cut_and_its_message_is_still_json() {
    let long = "\"é".repeat(LONGEST_TEXT);
    let spans = all_spans(
        "r",
        "",
        &build_log(vec![
            started(),
            called("w #1"),
            returned("w #1", json!(long)),
            returned("read #1", json!(long)),
        ]),
    );
    let Attribute::Text(message) = &spans[3].attributes["gen_ai.output.messages"] else { panic!() };
    let message: Value = serde_json::from_str(message).unwrap();
    let content = message[0]["parts"][0]["content"].as_str().unwrap();
    assert_eq!(content.chars().count(), LONGEST_TEXT + 1);
    let Attribute::Text(value) = &spans[2].attributes["quaestio.value"] else { panic!() };
    assert_eq!(value.chars().count(), LONGEST_TEXT + 1);
}

#[test]
fn traces_of_other_runs_and_other_spaces_have_other_ids() {
    let ids: BTreeSet<_> = [("r", ""), ("r2", ""), ("r", "1"), ("r1", "")]
        .map(|(run, space)| TraceId::of(run, space))
        .into();
    assert_eq!(ids.len(), 4);
    assert_eq!(all_spans("r", "", &[]), []);
}

fn event() -> impl Strategy<Value = Event> {
    let step = || prop::sample::select(vec!["w #1", "a/w #1", "a/b/w #1", "a/b/w #2", "c/b/w #1"]);
    prop_oneof![
        step().prop_map(called),
        step().prop_map(|step| returned(step, json!(1))),
        step().prop_map(failed),
        Just(Event::Resumed { attempt: 2 }),
        Just(Event::Asked { gate: "q1".into(), ask: Default::default() }),
        Just(Event::Cancelled { by: "local".into(), partial: None }),
        Just(Event::Forked { from: "r0".into(), step: "w #1".into() }),
        Just(finished()),
        Just(started()),
    ]
}

/// A log whose clock goes as it likes.
fn build_log_at(events: &[(i64, Event)]) -> Vec<Entry> {
    let mut entries = build_log(events.iter().map(|(_, event)| event.clone()).collect());
    for (entry, (second, _)) in entries.iter_mut().zip(events) {
        entry.at = Timestamp::from_second(*second).unwrap();
    }
    entries
}

proptest! {
    // proves: F7
    #[test]
    fn any_log_gives_one_tree_of_spans_and_the_same_one_again(events in prop::collection::vec((0_i64..50, event()), 1..40)) {
        let log = build_log_at(&events);
        let tree = all_spans("r", "", &log);
        prop_assert_eq!(&tree, &all_spans("r", "", &log));
        let ids: BTreeSet<_> = tree.iter().map(|span| span.span_id).collect();
        prop_assert_eq!(ids.len(), tree.len());
        prop_assert!(tree[0].parent.is_none());
        for span in &tree[1..] {
            let parent = tree.iter().find(|one| Some(one.span_id) == span.parent).unwrap();
            prop_assert!(parent.start <= span.start && span.end <= parent.end, "{} in {}", span.name, parent.name);
            prop_assert!(span.start <= span.end);
            prop_assert!(span.events.iter().all(|event| span.start <= event.at && event.at <= span.end));
        }
    }
}
