//! Reports of runs that came through, had no model, or broke off.

pub(in crate::render) mod hostile;
pub(in crate::render) mod sample;

use methods::hypothesize::payload::Complete;
use serde_json::json;

use self::sample::{QUESTION, build_envelope, complete, envelopes, partial};
use super::*;
use crate::cli::Format;
use crate::render::plain::disarmed;
use crate::render::render;

// proves: H3, H8
#[test]
fn a_report_holds_all_there_is_in_markdown_and_html() {
    for (name, envelope) in envelopes() {
        insta::assert_snapshot!(format!("{name}_md"), render(&envelope, Format::Md));
        let page = render(&envelope, Format::Html);
        assert_eq!(page.matches("<h1>").count(), 1);
        insta::assert_snapshot!(format!("{name}_html"), page);
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
    let report = render(&envelope, Format::Md);
    let headings: Vec<&str> = report.lines().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, [&*format!("# {QUESTION}"), "## What went wrong"], "{report}");
    assert!(!render(&envelope, Format::Html).contains("<svg"));
}

// proves: H8
#[test]
fn what_is_no_deliverable_of_the_method_is_shown_as_ever() {
    let cancelled = json!({
        "run_id": "RUN", "method": "hypothesize", "mode": "model", "status": "cancelled", "question": QUESTION,
        "deliverable": {"stage_outputs": {"problem_framer #1": {}}},
    });
    assert!(render(&cancelled, Format::Md).starts_with("The run is cancelled."));
    let (_, mut other) = envelopes().into_iter().next().unwrap();
    other["method"] = json!("ask");
    assert!(!render(&other, Format::Md).contains("## Ranking"));
}

// proves: H5, H8
#[test]
fn the_words_under_the_table_follow_the_figures() {
    let told = |change: &dyn Fn(&mut Complete)| {
        let mut all = complete();
        change(&mut all);
        render(&build_envelope("model", "completed", &Payload::Complete(Box::new(all))), Format::Md)
    };
    let settled = told(&|all| {
        all.ranking.leader.p_value = 0.0005;
        all.ranking.leader.significant = true;
        all.ranking.groups = vec![vec!["H2".into()], vec!["H1".into()], vec!["H3".into()]];
    });
    assert!(settled.contains("fewer than 1 of 1,000 tries: that is hardly chance"), "{settled}");
    assert!(settled.contains("Every rank can be told from every other"), "{settled}");
    let nothing = told(&|all| {
        all.retrieval.papers.clear();
        all.retrieval.without_abstract = 0;
        all.retrieval.complete = false;
        all.literature.findings.clear();
    });
    assert!(nothing.contains("0 works were found. Not every source answered"), "{nothing}");
    assert!(nothing.contains("No grounded citations found."), "{nothing}");
    let alone = told(&|all| all.hypotheses.truncate(1));
    assert!(alone.contains("nothing was compared") && !alone.contains("tosses"), "{alone}");
}

// proves: H8
#[test]
fn a_bar_in_a_title_ends_no_cell() {
    for title in ["a | b", "a|b", "a \\| b", "| a |", "x `|` y", "a \\"] {
        let mut all = complete();
        all.hypotheses[1].title = title.into();
        let envelope = build_envelope("model", "completed", &Payload::Complete(Box::new(all)));
        let page = render(&envelope, Format::Html);
        let report = safe_html(&render(&envelope, Format::Md));
        for html in [page, report] {
            let row = html.lines().find(|line| line.contains("<td>H2</td>")).unwrap();
            let cells: Vec<&str> = row.split("<td").skip(1).collect();
            assert_eq!(cells.len(), 10, "{row}");
            assert_eq!(cells[2], format!(">{title}</td>"), "{row}");
            assert_eq!(cells[3], ">3.4 (2.6–4.1)</td>", "{row}");
        }
    }
}

#[test]
fn a_mark_is_seen_in_both_forms() {
    for plain in [disarmed, unmarked] {
        let page = safe_html(&block("It holds [3], and [4].", plain));
        assert_eq!(page, "<p>It holds [3], and [4].</p>\n");
    }
}
