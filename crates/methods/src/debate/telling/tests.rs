use jiff::Timestamp;
use proptest::prelude::*;
use run::budget::Usage;
use run::entry::{Fault, Origin};
use serde_json::{Value, json};

use super::*;

fn entry(event: Event) -> Entry {
    Entry::seal(&run::entry::Head::default(), Timestamp::UNIX_EPOCH, event).0
}

fn turn(response: &str) -> Value {
    json!({
        "cycle": 1, "scientist": "optimist", "query": "", "ingested": {"arxiv": 0, "crossref": 0}, "retrieved": 0, "evidence": [],
        "position": [], "synthesis": [], "critique": [], "next_step": [], "citations": [], "references": [], "response": response,
        "markers": {"agreement": "AGREE", "viability": "NOT_VIABLE", "validation": "N/A", "conclusion": ""},
    })
}

/// An event in a debate, with arbitrary text wherever the program does not write it.
#[derive(Debug, Clone)]
enum Happens {
    Said(String),
    Query(String),
    Words(&'static str, String),
    Failed(String),
    Response(String),
    Nothing,
}

impl Happens {
    fn told(&self, text_stream: &mut TextStream) -> String {
        let event = match self {
            Happens::Words(step, text) => return text_stream.words(step, text),
            Happens::Nothing => return text_stream.aside("still\n=== at work"),
            Happens::Said(line) => Event::Said { line: line.clone() },
            Happens::Query(query) => {
                let query = Milestone::Query(Scientist::Pessimist, query.clone());
                Event::Said { line: query.to_string() }
            }
            Happens::Failed(error) => Event::Failed {
                step: "optimist/turn-1/optimist #1".into(),
                attempt: 1,
                fault: Fault::Malformed,
                error: error.clone(),
                reply: None,
                usage: Usage::default(),
                cost_usd_micros: 0,
            },
            Happens::Response(text) => Event::Returned {
                step: "optimist/turn-1/response #1".into(),
                origin: Origin::Port,
                value: turn(text),
                usage: Usage::default(),
                cost_usd_micros: 0,
            },
        };
        text_stream.entry(&entry(event))
    }
}

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "\n",
            "\r\n",
            "\r",
            "\u{2028}",
            "\u{85}",
            "\u{b}",
            " ",
            "**",
            "[[STATUS]] ",
            "[[STA",
            "TUS]] ",
            "=== Viable Solution Reached ===",
            "==",
            "Research Scientist 1 Response:",
            "Research Scientist ",
            "2 Search Query: x",
            "word",
        ])
        .prop_map(str::to_owned),
        ".{0,8}",
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

fn happens() -> impl Strategy<Value = Happens> {
    let step = prop::sample::select(vec![
        "optimist/turn-1/optimist #1",
        "pessimist/turn-1/pessimist #1",
        "pessimist/turn-2/pessimist #1",
        "reader #1",
    ]);
    prop_oneof![
        text().prop_map(Happens::Said),
        text().prop_map(Happens::Query),
        (step.clone(), text()).prop_map(|(step, text)| Happens::Words(step, text)),
        (step, text()).prop_map(|(step, text)| Happens::Words(step, text)),
        text().prop_map(Happens::Failed),
        text().prop_map(Happens::Response),
        Just(Happens::Nothing),
    ]
}

/// Splits lines as the most lenient client does.
fn lines(told: &str) -> Vec<&str> {
    told.split(|c| "\n\r\u{b}\u{c}\u{1c}\u{1d}\u{1e}\u{85}\u{2028}\u{2029}".contains(c)).collect()
}

proptest! {
    // proves: D5
    #[test]
    fn only_the_program_steers_whoever_reads(debate in prop::collection::vec(happens(), 0..20)) {
        let mut text_stream = TextStream::default();
        let (mut told, mut statuses, mut headings) = (String::new(), 0, 0);
        for happens in &debate {
            // Words have a heading unless they continue a draft.
            let opens = matches!(happens, Happens::Words(step, _) if speaker(step).is_some()
                && text_stream.draft.as_ref().is_none_or(|(open, _)| open != step));
            let piece = happens.told(&mut text_stream);
            match happens {
                Happens::Said(line) if Milestone::read(line).is_some() => headings += 1,
                Happens::Said(_) | Happens::Failed(_) => statuses += 1,
                Happens::Query(_) => headings += 1,
                Happens::Words(..) => headings += usize::from(opens),
                Happens::Response(_) => {
                    headings += 1;
                    statuses += usize::from(piece.contains("checked; this is the response as it stands\n"));
                }
                Happens::Nothing => statuses += usize::from(!piece.is_empty()),
            }
            told.push_str(&piece);
        }
        let count = |beginning: &str| lines(&told).iter().filter(|line| line.starts_with(beginning)).count();
        prop_assert_eq!(count("[[STATUS]] "), statuses, "{}", told);
        prop_assert_eq!(count("Research Scientist 1") + count("Research Scientist 2"), headings, "{}", told);
        prop_assert_eq!(count("==="), 0, "{}", told);
    }
}

// proves: D5
#[test]
fn a_status_line_never_stands_within_a_line_of_content() {
    let mut text_stream = TextStream::default();
    assert_eq!(text_stream.aside("still at work"), "[[STATUS]] still at work\n");
    let step = "optimist/turn-1/optimist #1";
    let told = text_stream.words(step, "It ho");
    assert_eq!(told, "Research Scientist 1 Response:\nIt ho");
    assert_eq!(text_stream.aside("still at work"), "");
    assert_eq!(text_stream.words(step, "lds.\n["), "lds.\n");
    assert_eq!(text_stream.aside("still at work"), "[[STATUS]] still at work\n");
    assert_eq!(text_stream.words(step, "[1, 2]]"), "\\[[1, 2]]");
    assert_eq!(text_stream.words("reader #1", "not a scientist's"), "");
    let cancelled = entry(Event::Cancelled { by: "ada".into(), partial: None });
    let end = "\n[[STATUS]] interrupted by ada\n=== Debate Interrupted ===\n";
    assert_eq!(text_stream.entry(&cancelled), end);
    assert!(text_stream.has_ended());
}

// proves: D5
#[test]
fn a_line_of_the_program_is_known_from_one_that_looks_like_it() {
    assert_eq!(TextStream::status("[[STATUS]] done\n"), Some("done\n"));
    for line in ["\\[[STATUS]] done", " [[STATUS]] done", "[[STATUS]]", "done"] {
        assert_eq!(TextStream::status(line), None, "{line}");
    }
}
