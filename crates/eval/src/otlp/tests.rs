//! Tests of the fold, over logs of all kinds.

use std::collections::BTreeSet;

use proptest::prelude::*;
use run::budget::{CapMet, Spend, Usage};
use run::entry::{Asking, Event, Fault, Head, Origin, Outcome};
use run::settings::Settings;
use serde_json::{Value, json};

use super::*;

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

#[test]
fn a_call_says_who_was_asked_and_what_it_used() {
    let spans = spans(
        "r",
        "",
        &build_log(vec![
            started(),
            called("writer #1"),
            returned("writer #1", json!("yes")),
            finished(),
        ]),
    );
    let [root, call] = spans.as_slice() else { panic!("{spans:?}") };
    assert_eq!((root.name.as_str(), &root.state), ("ask", &State::Done));
    assert_eq!(root.attributes["quaestio.strategy"], Attribute::Text("rag".into()));
    assert_eq!((root.start.as_second(), root.end.as_second()), (1_000, 1_003));
    assert_eq!((call.start.as_second(), call.end.as_second()), (1_001, 1_002));
    assert!(call.asks_outside);
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

#[test]
fn a_try_is_a_span_and_what_was_lost_is_told() {
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
    let spans = spans("r", "", &log);
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["ask", "a", "b", "a/b/writer #1", "a/b/writer #1", "a/critic #1"]);
    let [root, a, b, lost, second, refused] = spans.as_slice() else { panic!() };
    assert_eq!(failure(root), "writer: nobody there");
    assert!(failure(lost).contains("lost with its process"));
    assert_eq!(failure(second), "nobody there");
    assert_eq!(failure(refused), "the cap of 3 steps is met");
    assert_eq!((a.parent, b.parent), (Some(root.span_id), Some(a.span_id)));
    assert_eq!((lost.parent, refused.parent), (Some(b.span_id), Some(a.span_id)));
    assert_eq!((a.end.as_second(), b.end.as_second()), (1_005, 1_004));
}

#[test]
fn a_fork_has_its_own_steps_and_the_question_that_it_began_with() {
    let forked = Event::Forked { from: "r0".into(), step: "writer #1".into() };
    let spans = spans(
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
    assert_eq!(names, ["ask", "writer #1"]);
    assert_eq!(spans[0].start.as_second(), 1_003);
    assert!(
        matches!(&spans[0].attributes["gen_ai.input.messages"], Attribute::Text(text) if text.contains("Why?"))
    );
}

#[test]
fn a_retrieval_lists_what_it_found_whatever_it_is() {
    let found = |step: &str, value: Value| {
        spans("r", "", &build_log(vec![started(), returned(step, value)])).pop().unwrap().documents
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
    let spans = spans(
        "r",
        "",
        &build_log(vec![
            started(),
            called("w #1"),
            returned("w #1", json!(long)),
            returned("read #1", json!(long)),
        ]),
    );
    let Attribute::Text(message) = &spans[1].attributes["gen_ai.output.messages"] else { panic!() };
    let message: Value = serde_json::from_str(message).unwrap();
    let content = message[0]["parts"][0]["content"].as_str().unwrap();
    assert_eq!(content.chars().count(), LONGEST_TEXT + 1);
    let Attribute::Text(value) = &spans[2].attributes["quaestio.value"] else { panic!() };
    assert_eq!(value.chars().count(), LONGEST_TEXT + 1);
}

#[test]
fn the_json_is_what_otlp_asks_for() {
    let spans = spans(
        "r",
        "",
        &build_log(vec![started(), called("w #1"), returned("w #1", json!(1)), finished()]),
    );
    let export = export(&spans);
    let sent = &export["resourceSpans"][0]["scopeSpans"][0]["spans"];
    let (root, call) = (&sent[0], &sent[1]);
    assert_eq!(root["traceId"].as_str().unwrap().len(), 32);
    assert_eq!(root["spanId"].as_str().unwrap().len(), 16);
    assert_eq!(root.get("parentSpanId"), None);
    assert_eq!(call["parentSpanId"], root["spanId"]);
    assert_eq!((&root["kind"], &call["kind"]), (&json!(1), &json!(3)));
    assert_eq!(call["startTimeUnixNano"], "1001000000000");
    assert_eq!(root["status"], json!({ "code": 1 }));
    let attributes = call["attributes"].as_array().unwrap();
    assert!(
        attributes.contains(
            &json!({ "key": "gen_ai.usage.input_tokens", "value": { "intValue": "10" } })
        )
    );
    assert!(
        attributes
            .contains(&json!({ "key": "quaestio.cost_usd", "value": { "doubleValue": 1.5 } }))
    );
}

#[test]
fn traces_of_other_runs_and_other_spaces_have_other_ids() {
    let ids: BTreeSet<_> = [("r", ""), ("r2", ""), ("r", "1"), ("r1", "")]
        .map(|(run, space)| TraceId::of(run, space))
        .into();
    assert_eq!(ids.len(), 4);
    assert_eq!(spans("r", "", &[]), []);
}

fn event() -> impl Strategy<Value = Event> {
    let step = || prop::sample::select(vec!["w #1", "a/w #1", "a/b/w #1", "a/b/w #2", "c/b/w #1"]);
    prop_oneof![
        step().prop_map(called),
        step().prop_map(|step| returned(step, json!(1))),
        step().prop_map(failed),
        Just(Event::Resumed { attempt: 2 }),
        Just(Event::Forked { from: "r0".into(), step: "w #1".into() }),
        Just(finished()),
        Just(started()),
    ]
}

proptest! {
    #[test]
    fn any_log_gives_one_tree_of_spans_and_the_same_one_again(events in prop::collection::vec(event(), 1..40)) {
        let log = build_log(events);
        let tree = spans("r", "", &log);
        prop_assert_eq!(&tree, &spans("r", "", &log));
        let ids: BTreeSet<_> = tree.iter().map(|span| span.span_id).collect();
        prop_assert_eq!(ids.len(), tree.len());
        prop_assert!(tree[0].parent.is_none());
        for span in &tree[1..] {
            let parent = tree.iter().find(|one| Some(one.span_id) == span.parent).unwrap();
            prop_assert!(parent.start <= span.start && span.end <= parent.end, "{} in {}", span.name, parent.name);
            prop_assert!(span.start <= span.end);
        }
    }
}
