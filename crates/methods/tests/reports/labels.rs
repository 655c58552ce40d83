//! One number for each source, and a letter for each of its statements, the same in every format.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::printed::{copy_text, print};
use super::word::{parts, words_of};
use super::*;

/// Returns a result that cites four statements of one source, two of a work under two addresses, and one of another source.
fn sample() -> Value {
    let citation = |number: u32, title: &str, uri: &str, section: &str| {
        json!({
            "number": number, "evidence_id": format!("e{number}"), "title": title, "source_uri": uri, "section": section, "page": null,
            "quote": format!("Quote {number}."), "start": 10 * number, "end": 10 * number + 9, "verdict": "supported",
        })
    };
    let (pump, handle) = ("On pumps", "On pumps > The handle");
    json!({
        "run_id": "RUN", "method": "ask", "mode": "model", "status": "completed", "question": "Why?", "models": {"main": "m"},
        "answer": "It was iron. [1] [2] Nobody minded. [3]\\n\\n- It broke. [4] [1]\\n- It was [5-6].\\n\\n> So they say. [7]".replace("\\n", "\n"),
        "deliverable": {"answer": "…"},
        "citations": [
            citation(1, pump, "doc://kb/pumps.md", handle),
            citation(2, "Wells", "doi:10.1/wells", "Wells"),
            citation(3, pump, "doc://kb/pumps.md", pump),
            citation(4, "Iron", "doc://kb/iron.md", "Iron"),
            citation(5, pump, "doc://kb/pumps.md", handle),
            citation(6, "Wells", "https://example.org/wells", "Wells > Depth"),
            citation(7, pump, "doc://kb/pumps.md", "On pumps > Use"),
        ],
        "references": [{"numbers": [2, 6], "source_uri": "doi:10.1/wells", "text": "Snow, J. (1849). Wells."}],
        "grounding": {"quoted": 0, "recomputed": 0, "supported": 7, "inferred": 0, "unsupported": 0},
        "usage": {"input_tokens": 10, "output_tokens": 5}, "cost_usd": 0.01, "warnings": [],
    })
}

/// Returns what stands in brackets with a number, in order, each of `[1, 2]` by itself.
fn find_marks(text: &str) -> Vec<String> {
    let inside = text.split('[').skip(1).filter_map(|rest| Some(rest.split_once(']')?.0));
    let labels = inside.flat_map(|inside| inside.split(", "));
    let is_label = |label: &&str| label.starts_with(|c: char| c.is_ascii_digit());
    labels.filter(is_label).map(str::to_owned).collect()
}

/// Returns the text of HTML.
fn strip_tags(html: &str) -> String {
    html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, text)| text)).collect()
}

// proves: F3
#[test]
fn a_source_has_one_number_and_its_statements_have_letters() {
    insta::assert_snapshot!("labels_md", markdown(&sample()));
}

// proves: F3, F6
#[test]
fn every_format_of_a_run_has_the_same_labels() {
    let envelope = sample();
    let markdown = markdown(&envelope);
    let (text, listed) = markdown.split_once("## Sources").unwrap();
    let in_text = ["1a", "2a", "1b", "3", "1a", "1c", "2b", "1d"];
    assert_eq!(find_marks(text), in_text);
    let in_list = ["1", "1a", "1b", "1c", "1d", "2", "2a", "2b", "3", "2"];
    assert_eq!(find_marks(listed), in_list);
    let whole = [&in_text[..], &in_list].concat();
    assert_eq!(find_marks(&methods::report::plain_text(&methods::all(), &envelope, 60)), whole);
    assert_eq!(find_marks(&strip_tags(&methods::report::page(&methods::all(), &envelope))), whole);

    // Where marks lead somewhere, they lead by the numbers of the result.
    let evidence: Vec<Numbered> =
        (1..=7).map(|number| super::fragment::evidence(&format!("e{number}"), "d")).collect();
    let html = fragment(&envelope, &evidence).html;
    assert_eq!(find_marks(&strip_tags(&html)), whole);
    for (number, label) in
        [(1, "1a"), (2, "2a"), (3, "1b"), (4, "3"), (5, "1c"), (6, "2b"), (7, "1d")]
    {
        let mark = format!("data-number=\"{number}\" data-verdict=\"supported\">[{label}]</a>");
        assert!(html.contains(&mark), "{mark}: {html}");
    }

    let report = methods::report::build(&methods::all(), &envelope);
    let [body, footnotes] = parts(&report);
    assert_eq!(find_marks(&words_of(&body)), [&in_text[..], &["2"]].concat());
    let noted = ["1a", "2a", "1b", "3", "1c", "2b", "1d"];
    assert_eq!(find_marks(&words_of(&footnotes)), noted);

    let mut printed = find_marks(&copy_text(&print(&report)));
    printed.sort();
    let mut due = [&in_text[..], &noted, &["2"]].concat();
    due.sort_unstable();
    assert_eq!(printed, due);
}

// proves: F3
#[test]
fn no_two_citations_of_a_report_have_one_label() {
    for (name, report) in super::word::all_reports() {
        let (text, marks) = render::placed::write(&report);
        let mut labels: BTreeMap<u32, String> = BTreeMap::new();
        for mark in marks {
            for (number, label) in mark.numbers.iter().zip(find_marks(&text[mark.span.clone()])) {
                let known = labels.entry(*number).or_insert_with(|| label.clone());
                // A source that is cited as a whole stands for its first statement.
                assert!(
                    label.starts_with(&**known) || known.starts_with(&label),
                    "{name}: {label} {known}"
                );
                if label.len() > known.len() {
                    *known = label;
                }
            }
        }
        let different: BTreeSet<&String> = labels.values().collect();
        assert_eq!(different.len(), labels.len(), "{name}: {labels:?}");
    }
}
