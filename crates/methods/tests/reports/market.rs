//! Reports of analyses that came through, had no model, were planned smaller, or broke off.

pub(super) mod sample;

use methods::market::payload::Analysis;
use serde_json::json;

use self::sample::{analysis, build_envelope, envelopes, filled};
use super::*;

// proves: W4
#[test]
fn a_report_holds_all_there_is_in_markdown_and_html() {
    for (name, envelope) in envelopes() {
        insta::assert_snapshot!(format!("{name}_md"), markdown(&envelope));
        let html = page(&envelope);
        assert_eq!(html.matches("<h1>").count(), 1);
        insta::assert_snapshot!(format!("{name}_html"), html);
    }
    let (_, complete) = envelopes().into_iter().next().unwrap();
    insta::assert_snapshot!("complete_text", plain_text(&complete));
    insta::assert_snapshot!("complete_fragment", fragment(&complete, &[]).html);
}

// proves: W4
#[test]
fn the_arithmetic_stands_there_line_by_line_and_assumptions_are_called_so() {
    let report = markdown(&build_envelope("model", "completed", &analysis()));
    for line in [
        "- Bottom-up estimate, users: 120,000 lawyers × 30 % = 36,000 lawyers [1] [2]",
        "- share: 30 % [2]",
        "- texas share: 1 % — assumed: nothing says how much of it is Texas",
        "- seats: 9 — assumed, unsupported: the source given for it does not bear it out",
        "- spending: $432 million was stated, but the result is $43.2 million",
        "| Harvey [3]≈ | contract drafting [3]≈ | not found | not found | not found |",
    ] {
        assert!(report.lines().any(|one| one == line), "{line} in\n{report}");
    }
}

// proves: F6, W4
#[test]
fn no_text_is_more_than_a_text() {
    stays_text(filled);
}

#[test]
fn what_is_no_deliverable_of_the_method_is_shown_as_ever() {
    let cancelled = json!({
        "run_id": "RUN", "method": "market", "mode": "model", "status": "cancelled", "question": "Q",
        "deliverable": {"stage_outputs": {"market_sizing/market_sizing #1": {}}},
    });
    assert!(markdown(&cancelled).starts_with("The run is cancelled."));
}

// proves: W4
#[test]
fn no_heading_stands_over_nothing() {
    let nothing = Analysis { question: "Q".into(), title: "T".into(), ..Analysis::default() };
    let mut envelope = build_envelope("model", "completed", &nothing);
    envelope["citations"] = json!([]);
    envelope["references"] = json!([]);
    let report = markdown(&envelope);
    let headings: Vec<&str> = report.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, ["# T"], "{report}");
    assert!(report.contains("Not enough evidence"), "{report}");
}
