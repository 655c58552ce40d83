//! A brief with something everywhere.

use methods::brief::payload::{
    Bar, Brief, Chart, Confidence, ExecutiveSummary, ExploreEnd, ExploreStage, FigureTold, Finding,
    Gap, Part, PipelineStats, Record, RefineEnd, RefineVerdict, Statement, StudyTold, Worded,
};
use run::ledger::Verdict;
use serde_json::{Value, json};
use survey::expression::Unit;

const QUESTION: &str = "How satisfied are riders, and what should we do?";

fn figure(expression: &str, value: f64, shown: &str, bases: &[u64]) -> FigureTold {
    FigureTold {
        expression: expression.into(),
        value,
        shown: shown.into(),
        interval: Some((value - 0.04, value + 0.04)),
        studies: vec!["W2".into()],
        bases: bases.into(),
        low_base: bases.iter().any(|base| *base < 100),
        significant: None,
    }
}

fn share() -> FigureTold {
    figure("share(Q5=top2, study=W2)", 0.62, "62.0 %", &[812])
}

fn young() -> FigureTold {
    figure("share(Q5=top2, segment=age:18-34, study=W2)", 0.48, "48.0 %", &[54])
}

fn change() -> FigureTold {
    FigureTold {
        significant: Some(true),
        studies: vec!["W2".into(), "W1".into()],
        ..figure(
            "share(Q5=top2, study=W2) - share(Q5=top2, study=W1)",
            -0.05,
            "-5.0 points",
            &[812, 790],
        )
    }
}

fn statement(part: Part, text: &str, numbers: &[u32], figures: Vec<FigureTold>) -> Statement {
    Statement {
        part,
        text: text.into(),
        numbers: numbers.into(),
        verdict: (!figures.is_empty()).then_some(Verdict::Recomputed),
        rests_on: vec!["c1".into()],
        figures,
    }
}

fn finding(id: &str, depth: ExploreStage, figures: Vec<FigureTold>) -> Finding {
    Finding {
        id: id.into(),
        claim: "In W2, 62.0 % of riders are satisfied with the service".into(),
        verdict: (!figures.is_empty()).then_some(Verdict::Recomputed),
        depth,
        metric: Some("62.0 %".into()),
        segment: Some("age: 18-34".into()),
        study_id: Some("W2".into()),
        confidence: Confidence::High,
        figures,
        round: 1,
    }
}

fn bar(label: &str, value: f64, base: u64) -> Bar {
    Bar {
        label: label.into(),
        value,
        interval: Some((value - 0.04, value + 0.04)),
        base,
        low_base: base < 100,
        expression: "share(Q5=top2, study=W2)".into(),
    }
}

fn study(id: &str, respondents: u64, notes: &[&str]) -> StudyTold {
    StudyTold {
        id: id.into(),
        title: "Bus riders".into(),
        file: "survey/wave.csv".into(),
        sha256: "0123456789abcdef0123456789abcdef".into(),
        respondents,
        weight: Some("weight".into()),
        notes: notes.iter().map(|note| (*note).to_owned()).collect(),
    }
}

fn statements() -> Vec<Statement> {
    use Part::{KeyFindings, Overview, RecommendedActions, RisksAndCaveats, StrategicImplications};
    vec![
        statement(Overview, "62.0 % of riders are satisfied.", &[1], vec![share()]),
        statement(KeyFindings, "Among riders aged 18-34 it is 48.0 %.", &[2], vec![young()]),
        Statement {
            verdict: Some(Verdict::Supported),
            ..statement(KeyFindings, "Satisfaction fell by 5.0 points.", &[3], vec![change()])
        },
        statement(StrategicImplications, "The young may leave first.", &[], vec![]),
        Statement {
            verdict: Some(Verdict::Inferred),
            ..statement(StrategicImplications, "The young need attention.", &[2], vec![young()])
        },
        statement(RisksAndCaveats, "The young are few in the sample.", &[2], vec![young()]),
        statement(RecommendedActions, "Ask young riders what they miss.", &[], vec![]),
    ]
}

const SHARE: &str = "In W2, 62.0 % of all respondents said “Satisfied” (base 812).";
const YOUNG: &str = "In W2, 48.0 % of “18-34” (Age) said “Satisfied” (base 54, which is low).";
const CHANGE: &str = "The share fell significantly, by 5.0 percentage points, from W1 to W2.";

fn worded(number: u32, text: &str, figures: Vec<FigureTold>) -> Worded {
    Worded {
        number,
        address: format!("F{}", number + 4),
        text: text.into(),
        question: "How satisfied are you with the service?".into(),
        figures,
    }
}

fn stats() -> PipelineStats {
    PipelineStats {
        explore_iterations: 3,
        explore_ended: Some(ExploreEnd::NoNewAngle),
        findings_what: 2,
        findings_why: 1,
        findings_how: 1,
        findings_rejected: 1,
        segments_covered: 4,
        segments_available: 9,
        studies_used: 1,
        studies_available: 2,
        refine_iterations: 2,
        refine_ended: Some(RefineEnd::Approved),
        analyses: 12,
        figures_recomputed: 5,
        sentences_cut: 1,
        words: 41,
        final_score: Some(8),
        final_grounding: Some(9),
        final_clarity: Some(8),
        final_completeness: Some(8),
        ..PipelineStats::default()
    }
}

pub(super) fn brief() -> Brief {
    Brief {
        question: QUESTION.into(),
        reader: None,
        significance: "Significant is a difference with a two-sided p below 0.05.".into(),
        summary: ExecutiveSummary {
            title: "Riders are mostly satisfied, the young less so".into(),
            overview: "62.0 % of riders are satisfied. [1]".into(),
            key_findings: vec![
                "Among riders aged 18-34 it is 48.0 %. [2]".into(),
                "Satisfaction fell by 5.0 points. [3]".into(),
            ],
            strategic_implications: vec![
                "The young may leave first.".into(),
                "The young need attention. [2]".into(),
            ],
            risks_and_caveats: vec!["The young are few in the sample. [2]".into()],
            recommended_actions: vec!["Ask young riders what they miss.".into()],
        },
        statements: statements(),
        cited: vec![
            worded(1, SHARE, vec![share()]),
            worded(2, YOUNG, vec![young()]),
            worded(3, CHANGE, vec![share(), change()]),
        ],
        finding_bank: vec![
            finding("c1", ExploreStage::What, vec![share()]),
            finding("c2", ExploreStage::How, vec![]),
        ],
        segments_covered: vec!["age: 18-34".into()],
        segments_uncovered: vec!["region: North".into()],
        studies_used: vec!["W2".into()],
        studies_unused: vec!["W1".into()],
        data_gaps: vec![Gap { id: "g1".into(), text: "Nobody was asked about prices.".into() }],
        verdict: Some(RefineVerdict {
            approved: true,
            score: 8,
            factual_grounding: 9,
            clarity: 8,
            completeness: 8,
            tone: 9,
            revision_notes: vec!["Say what it costs.".into()],
            overruled: String::new(),
        }),
        pipeline_stats: stats(),
        history: vec![Record {
            step: "explore_worker".into(),
            round: 1,
            stage: Some(ExploreStage::What),
            told: "2 findings".into(),
            details: json!({}),
        }],
        studies: vec![
            study("W1", 790, &[]),
            study("W2", 812, &["3 respondents have a weight of zero and are left out"]),
        ],
        charts: vec![
            Chart {
                title: "How satisfied are you with the service?".into(),
                measure: "top 2, weighted by weight, W2".into(),
                unit: Unit::Share,
                bars: vec![bar("All", 0.62, 812), bar("18-34", 0.48, 54), bar("35+", 0.66, 400)],
            },
            Chart {
                title: "Trips a week".into(),
                measure: "mean".into(),
                unit: Unit::Mean,
                bars: vec![bar("W1", 3.21, 790), bar("W2", 3.05, 812)],
            },
        ],
    }
}

fn citation(number: u32, quote: &str) -> Value {
    json!({
        "number": number,
        "evidence_id": format!("e{number}"),
        "title": "How satisfied are you with the service?",
        "section": "How satisfied are you with the service?",
        "source_uri": "survey://W2/Q5",
        "quote": quote,
        "start": 0,
        "end": 40,
        "verdict": "recomputed",
    })
}

pub(super) fn build_envelope(mode: &str, status: &str, brief: &Brief) -> Value {
    json!({
        "run_id": "RUN",
        "method": "brief",
        "mode": mode,
        "status": status,
        "question": QUESTION,
        "models": {"main": "test-model"},
        "citations": [
            citation(1, SHARE),
            citation(2, YOUNG),
            citation(3, CHANGE),
        ],
        "grounding": {"quoted": 0, "recomputed": 3, "supported": 1, "inferred": 1, "unsupported": 1},
        "usage": {"input_tokens": 10, "output_tokens": 5},
        "cost_usd": 0.01,
        "warnings": ["a sentence did not check out and was cut"],
        "deliverable": brief,
    })
}

pub(crate) fn envelopes() -> [(&'static str, Value); 4] {
    let mut offline = brief();
    offline.verdict = None;
    offline.pipeline_stats.refine_ended = Some(RefineEnd::NoModel);
    let mut unapproved = brief();
    unapproved.pipeline_stats.refine_ended = Some(RefineEnd::MaxRefineIters);
    if let Some(verdict) = &mut unapproved.verdict {
        verdict.approved = false;
        verdict.overruled = "a figure does not check out".into();
    }
    let broken =
        Brief { question: QUESTION.into(), finding_bank: brief().finding_bank, ..Brief::default() };
    let mut broken = build_envelope("model", "partial", &broken);
    broken["citations"] = json!([]);
    broken["error"] = json!({"stage": "synthesizer #1", "message": "the model does not answer"});
    [
        ("approved", build_envelope("model", "completed", &brief())),
        ("offline", build_envelope("offline", "completed", &offline)),
        ("unapproved", build_envelope("model", "completed", &unapproved)),
        ("broken", broken),
    ]
}

/// Puts a text everywhere where a model, a survey or a user may put one.
pub(crate) fn filled(text: &str) -> Value {
    /// Keys whose values are the program's own words, or are read as such.
    const OURS: [&str; 14] = [
        "address",
        "part",
        "id",
        "rests_on",
        "unit",
        "verdict",
        "depth",
        "stage",
        "confidence",
        "loop",
        "explore_ended",
        "refine_ended",
        "shown",
        "sha256",
    ];
    fn fill(value: &mut Value, text: &str) {
        match value {
            Value::String(own) => *own = text.to_owned(),
            Value::Array(items) => items.iter_mut().for_each(|item| fill(item, text)),
            Value::Object(members) => members
                .iter_mut()
                .filter(|(key, member)| member.is_object() || !OURS.contains(&key.as_str()))
                .for_each(|(_, member)| fill(member, text)),
            _ => {}
        }
    }
    let mut all = brief();
    if let Some(verdict) = &mut all.verdict {
        (verdict.approved, verdict.overruled) = (false, text.into());
    }
    let mut envelope = build_envelope("model", "completed", &all);
    fill(&mut envelope["deliverable"], text);
    for citation in envelope["citations"].as_array_mut().unwrap() {
        for key in ["title", "section", "source_uri", "quote"] {
            citation[key] = text.into();
        }
    }
    envelope["error"] = json!({"stage": text, "message": text});
    envelope["question"] = text.into();
    envelope["warnings"][0] = text.into();
    envelope
}
