//! Reports of debates that came to an end, went on to the last turn, had no model, or broke off.

pub(super) mod sample;

use methods::debate::payload::{Debate, Ending};
use serde_json::json;

use self::sample::{build_envelope, debate, envelopes, filled};
use super::*;

// proves: D3, D4
#[test]
fn a_report_holds_all_there_is_in_markdown_and_html() {
    for (name, envelope) in envelopes() {
        insta::assert_snapshot!(format!("{name}_md"), markdown(&envelope));
        let html = page(&envelope);
        assert_eq!(html.matches("<h1>").count(), 1);
        insta::assert_snapshot!(format!("{name}_html"), html);
    }
    let (_, viable) = envelopes().into_iter().next().unwrap();
    insta::assert_snapshot!("viable_fragment", fragment(&viable, &[]).html);
}

// proves: D3, D4, F6
#[test]
fn no_text_is_more_than_a_text() {
    stays_text(filled);
}

// proves: D4
#[test]
fn code_and_what_it_printed_end_at_our_fence_alone() {
    let mut hostile = debate();
    let text = "```\n# A heading\n````\n<script>alert(1)</script>\n\u{200b}`````\u{200b}``\n[1]: https://evil.example";
    let proposed = hostile.turns[0].proposal.as_mut().unwrap();
    proposed.code = text.into();
    if let run::sandbox::Trial::Executed(execution) = &mut proposed.trial {
        (execution.stdout, execution.stderr) = (text.into(), text.into());
    }
    let hostile = build_envelope("model", "completed", &hostile);
    let html = page(&hostile);
    let tame = page(&build_envelope("model", "completed", &debate()));
    let tags = |page: &str| {
        let names = page.split('<').skip(1);
        let names = names.map(|tag| tag.split('>').next().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    assert_eq!(tags(&html), tags(&tame), "{html}");
    let report = markdown(&hostile);
    assert_eq!(report.matches("\n`````````").count() % 2, 0, "{report}");
}

// proves: D4
#[test]
fn much_that_was_printed_is_cut_and_said_to_be() {
    let mut long = debate();
    let proposed = long.turns[0].proposal.as_mut().unwrap();
    if let run::sandbox::Trial::Executed(execution) = &mut proposed.trial {
        execution.stdout = "x".repeat(10_000);
    }
    let report = markdown(&build_envelope("model", "completed", &long));
    assert!(
        report
            .contains("The first 4000 of 10000 characters; the JSON result contains all of them."),
        "{report}"
    );
    assert!(report.len() < 10_000);
}

#[test]
fn what_is_no_deliverable_of_the_method_is_shown_as_ever() {
    let cancelled = json!({
        "run_id": "RUN", "method": "debate", "mode": "model", "status": "cancelled", "question": "Q",
        "deliverable": {"stage_outputs": {"turn 1/optimist #1": {}}},
    });
    assert!(markdown(&cancelled).starts_with("The run is cancelled."));
}

#[test]
fn no_heading_stands_over_nothing() {
    let nothing = Debate {
        ending: Ending::NoEvidence,
        answer: String::new(),
        grounded: true,
        turns: vec![],
        max_turns: 4,
        reader: None,
    };
    let mut envelope = build_envelope("offline", "completed", &nothing);
    envelope["citations"] = json!([]);
    let report = markdown(&envelope);
    let headings: Vec<&str> = report.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, ["# Can a network of depth 5 sort 8 numbers?"], "{report}");
}
