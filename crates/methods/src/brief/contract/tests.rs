use std::path::Path;

use run::ledger::{Citation, Claim, Verdict};
use serde_json::json;

use super::super::options::Way;
use super::super::payload::{
    Brief, ExecutiveSummary, FigureTold, Finding, Part, RefineVerdict, Statement,
};
use super::*;

#[test]
fn the_published_schema_is_the_one_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/brief_schema.json");
    let made = format!("{:#}\n", schema());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == made,
        "schemas/brief_schema.json is not the schema of the types; UPDATE_SCHEMAS=1 writes it anew"
    );
}

fn options() -> Options {
    serde_json::from_value(json!({
        "files": [], "loop": "pipeline",
        "rules": {
            "max_explore_iters": 4, "max_refine_iters": 3, "max_iterations": 4, "tool_rounds": 2, "tool_calls": 8,
            "questions_found": 6, "most_findings": 8, "most_words": 300, "least_score": 8,
            "figures": survey::figure::Rules::default(),
        },
    }))
    .unwrap()
}

const TEXT: &str = "In W2, 53.1 % were satisfied.";

/// A brief of one sentence that passes, and its ledger.
fn passing() -> (Brief, Vec<Claim>) {
    let figure = FigureTold {
        expression: "share(Q5=top2, study=W2)".into(),
        value: 0.531,
        shown: "53.1 %".into(),
        interval: None,
        studies: vec!["W2".into()],
        bases: vec![650],
        low_base: false,
        significant: None,
    };
    let finding = Finding {
        id: "c1".into(),
        claim: TEXT.into(),
        verdict: Some(Verdict::Recomputed),
        depth: Default::default(),
        metric: None,
        segment: None,
        study_id: None,
        confidence: Default::default(),
        figures: vec![figure.clone()],
        round: 1,
    };
    let statement = Statement {
        part: Part::Overview,
        text: TEXT.into(),
        numbers: vec![1],
        verdict: Some(Verdict::Recomputed),
        rests_on: vec!["c1".into()],
        figures: vec![figure],
    };
    let mut brief = Brief {
        question: "q".into(),
        summary: ExecutiveSummary {
            title: "t".into(),
            overview: format!("{TEXT} [1]"),
            ..ExecutiveSummary::default()
        },
        statements: vec![statement],
        finding_bank: vec![finding],
        verdict: Some(RefineVerdict {
            approved: true,
            score: 8,
            factual_grounding: 8,
            clarity: 8,
            completeness: 8,
            tone: 8,
            ..RefineVerdict::default()
        }),
        ..Brief::default()
    };
    brief.pipeline_stats.way = Way::Pipeline;
    brief.pipeline_stats.words = 10;
    let citation: Citation = serde_json::from_value(json!({
        "number": 1, "evidence_id": "e", "source_uri": "survey://W2/Q5", "title": "Q5", "section": "Q5", "quote": "x",
        "start": 0, "end": 1, "source_sha256": "s", "verdict": "recomputed",
    }))
    .unwrap();
    let claim = Claim {
        text: TEXT.into(),
        verdict: Verdict::Recomputed,
        citations: vec![citation],
        ..Claim::default()
    };
    (brief, vec![claim])
}

// proves: B3, B6, C13
#[test]
fn what_no_statement_bears_out_does_not_pass() {
    let (brief, ledger) = passing();
    assert_eq!(violations(&brief, &ledger, &options()), Vec::<String>::new());
    type Change = fn(&mut Brief, &mut Vec<Claim>);
    let changes: [(&str, Change); 10] = [
        ("not in the ledger", |_, ledger| ledger.clear()),
        ("not in the ledger", |_, ledger| ledger[0].verdict = Verdict::Unsupported),
        ("not in the ledger", |brief, _| brief.statements[0].verdict = Some(Verdict::Supported)),
        ("a judgement among facts", |brief, _| brief.statements[0].verdict = None),
        ("no mark", |brief, _| brief.statements[0].numbers.clear()),
        ("one of no citation", |brief, _| brief.statements[0].numbers.push(2)),
        ("rests on a finding", |brief, _| brief.statements[0].rests_on = vec!["c9".into()]),
        ("not that of its statements", |brief, _| brief.summary.overview.push('.')),
        ("too many words", |brief, _| brief.pipeline_stats.words = 300),
        ("score that is too low", |brief, _| {
            brief.verdict.as_mut().unwrap().score = 7;
        }),
    ];
    for (why, change) in changes {
        let (mut brief, mut ledger) = passing();
        change(&mut brief, &mut ledger);
        let wrong = violations(&brief, &ledger, &options());
        assert!(wrong.iter().any(|one| one.contains(why)), "{why}: {wrong:?}");
    }
    let (mut brief, ledger) = passing();
    brief.pipeline_stats.sentences_cut = 1;
    assert!(!violations(&brief, &ledger, &options()).is_empty());
}
