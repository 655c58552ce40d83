//! Reports of runs that came through, had no model, or broke off.

pub(super) mod sample;

use methods::hypothesize::payload::{Complete, Payload};
use serde_json::json;

use self::sample::{QUESTION, build_envelope, complete, envelopes, filled, partial};
use super::*;

// proves: H3, H8
#[test]
fn a_report_holds_all_there_is_in_markdown_and_html() {
    for (name, envelope) in envelopes() {
        insta::assert_snapshot!(format!("{name}_md"), markdown(&envelope));
        let html = page(&envelope);
        assert_eq!(html.matches("<h1>").count(), 1);
        insta::assert_snapshot!(format!("{name}_html"), html);
    }
}

// proves: H8
#[test]
fn no_heading_stands_over_nothing() {
    let mut nothing = partial();
    nothing.hypotheses.clear();
    (nothing.literature, nothing.retrieval) = (None, None);
    nothing.stage_outputs.clear();
    let mut envelope = build_envelope("model", "partial", &Payload::Partial(Box::new(nothing)));
    envelope["citations"] = json!([]);
    envelope["references"] = json!([]);
    let report = markdown(&envelope);
    let headings: Vec<&str> = report.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, [&*format!("# {QUESTION}"), "## What went wrong"], "{report}");
    assert!(!page(&envelope).contains("<svg"));
}

// proves: H8
#[test]
fn what_is_no_deliverable_of_the_method_is_shown_as_ever() {
    let cancelled = json!({
        "run_id": "RUN", "method": "hypothesize", "mode": "model", "status": "cancelled", "question": QUESTION,
        "deliverable": {"stage_outputs": {"problem_framer #1": {}}},
    });
    assert!(markdown(&cancelled).starts_with("The run is cancelled."));
    let (_, mut other) = envelopes().into_iter().next().unwrap();
    other["method"] = json!("ask");
    assert!(!markdown(&other).contains("## Ranking"));
}

// proves: H5, H8
#[test]
fn the_words_under_the_table_follow_the_figures() {
    let told = |change: &dyn Fn(&mut Complete)| {
        let mut all = complete();
        change(&mut all);
        markdown(&build_envelope("model", "completed", &Payload::Complete(Box::new(all))))
    };
    let settled = told(&|all| {
        all.ranking.leader.p_value = 0.0005;
        all.ranking.leader.significant = true;
        all.ranking.groups = vec![vec!["H2".into()], vec!["H1".into()], vec!["H3".into()]];
    });
    assert!(
        settled.contains("fewer than 1 of 1,000 tries, so the lead is unlikely to be chance"),
        "{settled}"
    );
    assert!(settled.contains("All ranks are clearly different"), "{settled}");
    let nothing = told(&|all| {
        all.retrieval.papers.clear();
        all.retrieval.without_abstract = 0;
        all.retrieval.complete = false;
        all.literature.findings.clear();
    });
    assert!(nothing.contains("0 works were found. Some sources did not answer"), "{nothing}");
    assert!(nothing.contains("No citation could be grounded in a source."), "{nothing}");
    let alone = told(&|all| all.hypotheses.truncate(1));
    assert!(alone.contains("there was nothing to compare") && !alone.contains("tosses"), "{alone}");
}

// proves: H8
#[test]
fn a_bar_in_a_title_ends_no_cell() {
    for title in ["a | b", "a|b", "a \\| b", "| a |", "x `|` y", "a \\"] {
        let mut all = complete();
        all.hypotheses[1].title = title.into();
        let envelope = build_envelope("model", "completed", &Payload::Complete(Box::new(all)));
        for html in [page(&envelope), show(&markdown(&envelope))] {
            let row = html.lines().find(|line| line.contains("<td>H2</td>")).unwrap();
            let cells: Vec<&str> = row.split("<td").skip(1).collect();
            assert_eq!(cells.len(), 10, "{row}");
            assert_eq!(cells[2], format!(">{title}</td>"), "{row}");
            assert!(cells[3].ends_with(">3.4 (2.6–4.1)</td>"), "{row}");
        }
    }
}

// proves: F6, H8
#[test]
fn no_text_is_more_than_a_text() {
    stays_text(filled);
}

/// Over the list of attacks in the folder that QUAESTIO_TEST_DATA names.
// proves: F6, H8
#[cfg(feature = "recorded")]
#[test]
fn no_recorded_attack_is_more_than_a_text() {
    let data = std::env::var("QUAESTIO_TEST_DATA").expect("QUAESTIO_TEST_DATA names the folder");
    let attacks = std::fs::read(format!("{data}/security/xss_payloads.txt")).unwrap();
    let attacks = String::from_utf8_lossy(&attacks).into_owned();
    let attacks = attacks.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned);
    fakes::hostile::keeps_its_form_under(|text| written(&filled(text)), attacks);
}

/// Returns Markdown as a viewer shows it.
fn show(markdown: &str) -> String {
    let mut page = String::new();
    let options = pulldown_cmark::Options::ENABLE_TABLES;
    pulldown_cmark::html::push_html(&mut page, pulldown_cmark::Parser::new_ext(markdown, options));
    page
}
