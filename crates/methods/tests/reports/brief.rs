//! Reports of briefs that were approved, were not, had no model, or broke off.

pub(super) mod sample;

use methods::brief::payload::Brief;
use serde_json::json;

use self::sample::{brief, build_envelope, envelopes, filled};
use super::*;

// proves: B7
#[test]
fn a_report_holds_all_there_is_in_markdown_and_html() {
    for (name, envelope) in envelopes() {
        insta::assert_snapshot!(format!("{name}_md"), markdown(&envelope));
        let html = page(&envelope);
        assert_eq!(html.matches("<h1>").count(), 1);
        insta::assert_snapshot!(format!("{name}_html"), html);
    }
    let (_, approved) = envelopes().into_iter().next().unwrap();
    insta::assert_snapshot!("approved_fragment", fragment(&approved, &[]).html);
}

// proves: B7, F6
#[test]
fn no_text_is_more_than_a_text() {
    stays_text(filled);
}

// proves: B6, B7
#[test]
fn every_mark_stands_for_a_figure_with_its_value_interval_base_and_study() {
    let report = markdown(&build_envelope("model", "completed", &brief()));
    for lines in [
        "### Figure 1\n\nIn W2, 62.0 % of all respondents said “Satisfied” (base 812).",
        "| share(Q5=top2, study=W2) | 62.0 % | 58.0 % to 66.0 % | 812 | W2 |\n\n### Figure 2",
        "| share(Q5=top2, segment=age:18-34, study=W2) | 48.0 % | 44.0 % to 52.0 % | 54 \\* | W2 |",
        "| share(Q5=top2, study=W2) - share(Q5=top2, study=W1) | -5.0 points, significant | -9.0 to -1.0 | 812 / 790 | W2, W1 |",
    ] {
        assert!(report.contains(lines), "{lines} in\n{report}");
    }
    assert!(!report.contains("## Sources"), "every citation is a figure: {report}");
}

// proves: B6
#[test]
fn a_citation_that_is_no_figure_is_shown_as_it_is_anywhere() {
    let mut odd = build_envelope("model", "completed", &brief());
    odd["citations"][2]["number"] = json!(9);
    let report = markdown(&odd);
    // It is the third source, whatever its number.
    assert!(report.contains("## Sources\n\n[3] How satisfied"), "{report}");
}

// proves: B6, B7
#[test]
fn a_sentence_says_what_kind_it_is() {
    let report = markdown(&build_envelope("model", "completed", &brief()));
    for line in [
        "62.0 % of riders are satisfied. [1]=",
        "- Satisfaction fell by 5.0 points. [3]≈",
        "- → The young need attention. [2]",
        "- The young may leave first. *(judgement)*",
    ] {
        assert!(report.lines().any(|one| one == line), "{line} in\n{report}");
    }
}

// proves: B7
#[test]
fn judgements_are_told_apart_from_what_was_computed() {
    let report = markdown(&build_envelope("model", "completed", &brief()));
    let judged = report.split("## Not checked").nth(1).unwrap();
    let judged = judged.split("\n## ").next().unwrap();
    assert!(judged.contains("- The young may leave first."), "{judged}");
    assert!(!judged.contains("62.0 %"), "{judged}");
}

#[test]
fn what_is_no_deliverable_of_the_method_is_shown_as_ever() {
    let cancelled = json!({
        "run_id": "RUN", "method": "brief", "mode": "model", "status": "cancelled", "question": "Q",
        "deliverable": {"stage_outputs": {"explore_worker/explore_worker #1": {}}},
    });
    assert!(markdown(&cancelled).starts_with("The run is cancelled."));
}

#[test]
fn no_heading_stands_over_nothing() {
    let nothing = Brief { question: "Q".into(), ..Brief::default() };
    let mut envelope = build_envelope("model", "completed", &nothing);
    envelope["citations"] = json!([]);
    let report = markdown(&envelope);
    let headings: Vec<&str> = report.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, ["# Q"], "{report}");
    assert!(report.contains("The data do not answer this question"), "{report}");
}
