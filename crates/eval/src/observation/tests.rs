use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use run::budget::{Spend, Usage};
use run::entry::{Asking, Fault, Hash, Head, Origin};
use run::ledger::{Citation, Claim, Verdict};
use run::settings::{ModelChoice, Settings};

use super::*;

/// Returns the events as a log, 100 ms apart.
fn log(events: Vec<Event>) -> Vec<Entry> {
    let mut head = Head::default();
    let mut at = Timestamp::UNIX_EPOCH;
    let seal = |event| {
        let (entry, _) = Entry::seal(&head, at, event);
        head = Head { seq: entry.seq, hash: entry.hash };
        at += SignedDuration::from_millis(100);
        entry
    };
    events.into_iter().map(seal).collect()
}

fn started() -> Event {
    Event::Started {
        method: "ask".into(),
        version: 1,
        question: "Why?".into(),
        settings: Settings::default(),
        user: "local".into(),
    }
}

fn called(step: &str, model: Option<&str>) -> Event {
    let asking = model.map(|model| Asking {
        model: model.into(),
        prompt: "ask/writer".into(),
        prompt_version: 1,
        prompt_hash: Hash::default(),
    });
    Event::Called {
        step: step.into(),
        input: Hash::default(),
        asking,
        reserved: Spend { tokens: 900, cost_usd_micros: 90 },
        within: None,
    }
}

fn returned(step: &str, value: serde_json::Value, tokens: u64) -> Event {
    Event::Returned {
        step: step.into(),
        origin: Origin::Port,
        value,
        usage: Usage { input_tokens: tokens, output_tokens: tokens / 10, ..Usage::default() },
        cost_usd_micros: tokens * 2,
    }
}

fn found(uris: &[&str]) -> serde_json::Value {
    let passages: Vec<_> = uris
        .iter()
        .map(|uri| {
            json!({"text": "x", "source_uri": uri, "type": "rag", "chunk_id": "c", "score": 1.0, "metadata": {},
                   "place": {"document_id": "d", "title": "", "section": "", "start": 0, "end": 1, "source_sha256": ""}})
        })
        .collect();
    json!({"passages": passages, "terms": [], "chunks": 9, "language": "english"})
}

fn citation(number: Option<u32>, uri: &str) -> Citation {
    Citation {
        number,
        evidence_id: "e".into(),
        source_uri: uri.into(),
        title: String::new(),
        section: String::new(),
        page: None,
        quote: String::new(),
        start: None,
        end: None,
        source_sha256: String::new(),
        verdict: if number.is_some() { Verdict::Supported } else { Verdict::Unsupported },
        faults: vec![],
        ..Citation::default()
    }
}

fn claim(verdict: Verdict, citations: Vec<Citation>) -> Claim {
    Claim { text: "It is so.".into(), verdict, citations, ..Claim::default() }
}

fn finished(outcome: Outcome, ledger: Vec<Claim>) -> Event {
    Event::Finished { outcome, deliverable: json!({}), ledger, warnings: vec![] }
}

// proves: A8
#[test]
fn a_report_tells_what_was_read_for_it_and_which_of_its_questions_were_answered() {
    let told = |models: Option<&str>, report: serde_json::Value| {
        let Event::Started { method, version, question, user, .. } = started() else {
            unreachable!()
        };
        let settings = Settings { models: models.map(ModelChoice::of), ..Settings::default() };
        let started = Event::Started { method, version, question, settings, user };
        let (outcome, deliverable) = (Outcome::Answered, json!({ "report": report }));
        let end = Event::Finished { outcome, deliverable, ledger: vec![], warnings: vec![] };
        of("c1", "deep", "r1", &log(vec![started, end]), "").research
    };
    let asked = |answered: bool| json!({"question": "Why?", "answered": answered, "open": []});
    assert_eq!(
        told(
            Some("a/b"),
            json!({"questions": [asked(true), asked(false), asked(true)], "sources_read": 7, "depth": "quick"})
        ),
        Some(Research { questions: 3, answered_questions: Some(2), sources_read: 7 })
    );
    // Without a model, whether questions are answered is not judged.
    let offline = told(None, json!({"questions": [asked(false)], "sources_read": 7})).unwrap();
    assert_eq!((offline.questions, offline.answered_questions), (1, None));
    // A field of that name with another form is ignored.
    assert_eq!(told(Some("a/b"), json!("a text")), None);
}

// proves: A8
#[test]
fn an_observation_of_a_former_version_is_read() {
    let former = r#"{"case": "c1", "arm": "rag", "run": "r1", "answer": "616", "sentences": 2, "verified_citations": 1}"#;
    let read: Observation = serde_json::from_str(former).unwrap();
    assert_eq!(
        (read.sentences, read.holding_citations, read.marks, read.research),
        (2, 1, 0, None)
    );
    let written = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<Observation>(&written).unwrap(), read);
}

// proves: A8
#[test]
fn an_answer_is_counted_as_its_log_tells_it() {
    let ledger = vec![
        claim(
            Verdict::Supported,
            vec![citation(Some(1), "doc://kb/a/b.md"), citation(None, "doc://kb/c.md")],
        ),
        claim(
            Verdict::Recomputed,
            vec![citation(Some(2), "https://x.org/p"), citation(Some(3), "doc://kb/a/b.md")],
        ),
        claim(Verdict::Unsupported, vec![citation(None, "doc://kb/d.md")]),
    ];
    let entries = log(vec![
        started(),
        called("term-1/retrieve #1", None),
        returned(
            "term-1/retrieve #1",
            found(&["doc://kb/a/b.md", "https://x.org/p", "doc://kb/a/b.md", "doc://kb/c.md"]),
            0,
        ),
        called("retrieve #2", None),
        returned("retrieve #2", found(&["doc://kb/z.md"]), 0),
        called("writer #1", Some("a/b")),
        returned("writer #1", json!({}), 100),
        finished(Outcome::Answered, ledger),
    ]);
    let text = "Spring tides come twice [1]. It rose by 3.5 m. [2] [3]\n\nNobody knows why.";
    let one = of("c1", "rag", "r1", &entries, text);
    assert_eq!((&*one.case, &*one.arm, &*one.run), ("c1", "rag", "r1"));
    assert_eq!((one.status, one.answered), (Some(Status::Completed), Some(true)));
    assert_eq!(one.answer, "Spring tides come twice. It rose by 3.5 m.\n\nNobody knows why.");
    assert_eq!(
        one.retrieved.unwrap(),
        ["a/b.md", "https://x.org/p", "c.md"],
        "the first search, each document once"
    );
    assert_eq!(one.cited, ["a/b.md", "https://x.org/p"]);
    assert_eq!((one.claims, one.supported_claims), (3, 2));
    assert_eq!((one.citations, one.holding_citations), (5, 3));
    assert_eq!((one.sentences, one.cited_sentences, one.marks), (3, 2, 3));
    assert_eq!(one.research, None, "it is no report");
    assert_eq!(
        (one.calls, one.input_tokens, one.output_tokens, one.cost_usd_micros),
        (1, 100, 10, 200)
    );
    assert_eq!((one.milliseconds, one.error), (700, None));
}

#[test]
fn an_abstention_has_no_answer_and_a_run_that_ended_early_says_why() {
    let abstained = log(vec![started(), finished(Outcome::NotReached, vec![])]);
    let one = of("c1", "rag", "r1", &abstained, "Not enough evidence.");
    assert_eq!((one.answered, &*one.answer, one.sentences), (Some(false), "", 0));
    assert_eq!(one.retrieved, None);

    let failed = Event::Failed {
        step: "writer #1".into(),
        attempt: 1,
        fault: Fault::Unreachable,
        error: "no".into(),
        reply: None,
        usage: Usage::default(),
        cost_usd_micros: 5,
    };
    let stopped = Event::Stopped {
        stage: "writer #1".into(),
        reason: "the model did not answer".into(),
        retry_attempted: true,
        partial: None,
    };
    let partial = log(vec![started(), called("writer #1", Some("a/b")), failed, stopped]);
    let one = of("c1", "rag", "r1", &partial, "");
    assert_eq!((one.status, one.answered), (Some(Status::Partial), None));
    assert_eq!(one.error.as_deref(), Some("writer #1: the model did not answer"));
    assert_eq!((one.calls, one.cost_usd_micros), (1, 5));

    let asked = Event::Asked { gate: "q1".into(), ask: run::Ask::default() };
    let one = of("c1", "deep", "r1", &log(vec![started(), asked]), "");
    assert_eq!(one.error.as_deref(), Some("it waits for a person at q1"));
    let cancelled = Event::Cancelled { by: "ann".into(), partial: None };
    assert_eq!(
        of("c", "a", "r", &log(vec![started(), cancelled]), "").error.as_deref(),
        Some("it was cancelled")
    );
    assert_eq!(
        of("c", "a", "r", &log(vec![started()]), "").error.as_deref(),
        Some("it has not finished")
    );
    let none = not_begun("c1", "rag");
    assert_eq!((none.status, none.error, &*none.run), (None, None, ""));
}

#[test]
fn an_abstention_keeps_what_its_writer_claimed() {
    let ledger = vec![claim(Verdict::Unsupported, vec![citation(None, "doc://kb/d.md")])];
    let entries = log(vec![started(), finished(Outcome::NotEnoughEvidence, ledger)]);
    let one = of("c1", "rag", "r1", &entries, "Not enough evidence.");
    assert_eq!((one.claims, one.supported_claims, one.citations), (1, 0, 1));
}

#[test]
fn marks_belong_to_the_sentence_before_them() {
    for (text, sentences, cited_sentences, marks) in [
        ("", 0, 0, 0),
        ("[1]", 0, 0, 1),
        ("One thing. [1] Another thing.", 2, 1, 1),
        ("One thing [1]. Another thing [9].", 2, 1, 1),
        ("- One thing [1]\n- Another thing [2, 1]\n", 2, 2, 3),
        ("One thing, [1] then [2] more.", 1, 1, 2),
        ("One thing [unsupported].", 1, 0, 0),
        ("An interval [0, 1] is none.", 1, 0, 0),
        ("# One thing\n\nOne thing [1].\n\n## Another\n\n- Another [1]", 2, 2, 2),
    ] {
        let found = counted(text, &BTreeSet::from([1, 2]));
        assert_eq!(found, Counted { sentences, cited_sentences, marks }, "{text:?}");
    }
}

#[test]
fn documents_are_named_as_in_datasets() {
    for (uri, name) in [
        ("doc://kb/history/a b.md", "history/a b.md"),
        ("doc://kb/184", "184"),
        ("doc://kb", "doc://kb"),
        ("https://x.org/doc://kb/a", "https://x.org/doc://kb/a"),
        ("arxiv:2001.00001", "arxiv:2001.00001"),
        ("survey://W2/Q5", "survey://W2/Q5"),
    ] {
        assert_eq!(document(uri), name);
    }
}

proptest::proptest! {
    #[test]
    fn no_text_of_an_answer_breaks_the_counting(text in "[\\PC\n]{0,80}", more in "([A-C][a-z]{1,4} ?(\\[[0-9],?[0-9]?\\])?[.!]? ?\n?){0,9}") {
        for text in [text, more] {
            let found = counted(&text, &BTreeSet::from([1, 2, 3]));
            proptest::prop_assert!(found.cited_sentences <= found.sentences.min(found.marks));
        }
    }
}
