//! An analysis with something everywhere.

use methods::market::payload::{
    Analysis, Comparison, Competitor, Competitors, Conclusion, Customers, Estimate, Failed, Input,
    InputOrigin, Judgement, LeftOut, Paragraph, Result as Outcome, Scope, Searched, Section,
    Segment, Sizing, Spoken, Statement, Step, Strategy, WhyNot,
};
use run::ledger::Verdict;
use serde_json::{Value, json};

const QUESTION: &str = "How large is the market for legal software in Texas?";

fn statement(id: &str, text: &str, verdict: Verdict) -> Statement {
    Statement { id: id.into(), text: text.into(), verdict }
}

fn supported(id: &str, text: &str) -> Statement {
    statement(id, text, Verdict::Supported)
}

fn input(name: &str, shown: &str, mark: Option<u32>) -> Input {
    Input {
        name: name.into(),
        description: name.replace('_', " "),
        value: 1.0,
        unit: String::new(),
        shown: shown.into(),
        origin: if mark.is_some() { InputOrigin::Cited } else { InputOrigin::Assumed },
        statement: mark
            .map(|mark| supported(&format!("c-{name}"), &format!("{name}: {shown} [{mark}]"))),
        why: mark.is_none().then(|| "nothing says how much of it is Texas".into()),
        unsupported: false,
    }
}

fn step(name: &str, text: &str) -> Step {
    Step {
        name: name.into(),
        expression: "lawyers * share".into(),
        unit: "lawyers".into(),
        value: 36_000.0,
        statement: statement(&format!("c-{name}"), text, Verdict::Recomputed),
    }
}

fn result(shown: &str) -> Option<Outcome> {
    Some(Outcome { value: 1.0, unit: "USD".into(), shown: shown.into() })
}

pub(super) fn analysis() -> Analysis {
    let seats = Input {
        why: Some("the source given for it does not bear it out".into()),
        unsupported: true,
        ..input("seats", "9", None)
    };
    Analysis {
        question: QUESTION.into(),
        title: "Legal software in Texas".into(),
        summary: vec![
            Conclusion {
                statement: supported("c20", "Texas had 120,000 lawyers in 2023. [1]"),
                rests_on: vec!["c1".into()],
            },
            Conclusion {
                statement: statement(
                    "c21",
                    "Spending comes to $43.2 million. [1] [2]",
                    Verdict::Recomputed,
                ),
                rests_on: vec!["c-spending".into()],
            },
        ],
        sizing: Some(Sizing {
            prose: vec![],
            claims: vec![supported("c1", "Texas had 120,000 lawyers in 2023. [1]")],
            top_down: Estimate {
                inputs: vec![input("texas_share", "1 %", None), seats],
                steps: vec![step(
                    "texas",
                    "Top-down estimate, texas: 1 % × 9 = $45 million (on assumptions alone)",
                )],
                result: result("$45 million"),
                assumptions_alone: true,
                ..Estimate::default()
            },
            bottom_up: Estimate {
                inputs: vec![
                    input("lawyers", "120,000 lawyers", Some(1)),
                    input("share", "30 %", Some(2)),
                ],
                steps: vec![
                    step(
                        "users",
                        "Bottom-up estimate, users: 120,000 lawyers × 30 % = 36,000 lawyers [1] [2]",
                    ),
                    step(
                        "spending",
                        "Bottom-up estimate, spending: 36,000 lawyers × $1,200 = $43.2 million [1] [2]",
                    ),
                ],
                result: result("$43.2 million"),
                corrections: vec![
                    "spending: $432 million was stated, but the result is $43.2 million".into(),
                ],
                ..Estimate::default()
            },
            comparison: Comparison {
                ratio: Some(1.042),
                text:
                    "The two estimates ($45 million and $43.2 million) differ by a factor of 1.042."
                        .into(),
            },
            gaps: vec!["Nobody counts seats.".into()],
        }),
        competitors: Some(Competitors {
            prose: vec![Paragraph {
                sentences: vec![
                    Spoken {
                        statement: supported("c15", "Harvey drafts, Robin AI reviews. [3]"),
                        rests_on: vec![],
                    },
                    Spoken {
                        statement: statement(
                            "c16",
                            "Nobody here does both. [3]",
                            Verdict::Inferred,
                        ),
                        rests_on: vec!["c15".into()],
                    },
                ],
            }],
            rows: vec![
                Competitor {
                    name: supported("c3", "Harvey [3]"),
                    offering: Some(supported("c4", "contract drafting [3]")),
                    customers: None,
                    pricing: None,
                    position: None,
                },
                Competitor {
                    name: supported("c5", "Robin AI [3]"),
                    offering: Some(supported("c6", "review [3]")),
                    customers: Some(supported("c7", "large firms [3]")),
                    pricing: Some(supported("c8", "$99 | seat [3]")),
                    position: Some(supported("c9", "second [3]")),
                },
            ],
            gaps: vec!["Who is growing.".into()],
        }),
        customers: Some(Customers {
            prose: vec![],
            segments: vec![Segment {
                name: "Small law firms".into(),
                claims: vec![supported("c10", "Small law firms buy slowly. [1]")],
                needs: vec![supported("c11", "They need privacy. [1]")],
            }],
            gaps: vec!["Who renews.".into()],
        }),
        strategy: Some(Strategy {
            prose: vec![],
            recommendations: vec![Judgement {
                id: "c13".into(),
                text: "Begin with privacy. [1]".into(),
                verdict: Some(Verdict::Inferred),
                rests_on: vec!["c11".into()],
            }],
            risks: vec![supported("c12", "Regulation is a risk. [2]")],
            judged_risks: vec![Judgement {
                id: "c14".into(),
                text: "Slow buyers may not pay in time. [1]".into(),
                verdict: Some(Verdict::Inferred),
                rests_on: vec!["c10".into()],
            }],
            gaps: vec!["What rules come.".into()],
        }),
        left_out: vec![],
        open_questions: vec!["Who pays in the end?".into()],
        searched: vec![Searched {
            section: "market_sizing".into(),
            queries: vec![
                "legal software market size Texas".into(),
                "law firms count Texas".into(),
            ],
            answers: vec![],
            read: vec![json!({"source_uri": "https://example.org/a", "outcome": {"kept": {}}})],
            passages: 4,
            complete: false,
        }],
        scope: Scope {
            geographical_scope: "Texas".into(),
            focus_areas: vec!["law firms".into(), "courts".into()],
            startup: Some("Lexi".into()),
            ..Scope::default()
        },
        stage_outputs: [("market_sizing".to_owned(), json!({}))].into(),
        ..Analysis::default()
    }
}

fn partial() -> Analysis {
    Analysis {
        summary: vec![],
        customers: None,
        strategy: None,
        open_questions: vec![],
        left_out: [Section::Customers, Section::Strategy]
            .map(|section| LeftOut { section, why: WhyNot::NotReached })
            .into(),
        error: Some(Failed {
            stage: "customers".into(),
            message: "the reply is no JSON object".into(),
            retry_attempted: true,
        }),
        ..analysis()
    }
}

fn planned_smaller() -> Analysis {
    let mut some = analysis();
    (some.sizing, some.competitors, some.strategy) = (None, None, None);
    some.left_out = vec![
        LeftOut { section: Section::MarketSizing, why: WhyNot::NotPlanned },
        LeftOut { section: Section::Competitors, why: WhyNot::NothingFound },
        LeftOut { section: Section::Strategy, why: WhyNot::NotPlanned },
    ];
    some
}

fn offline() -> Analysis {
    let mut some = analysis();
    if let Some(sizing) = &mut some.sizing {
        sizing.bottom_up = Estimate {
            why_not: Some("not enough evidence for a bottom-up estimate".into()),
            ..Estimate::default()
        };
    }
    some.competitors = Some(Competitors::default());
    some.strategy = Some(Strategy {
        gaps: vec!["Recommendations need a model. Choose one to have the evidence judged.".into()],
        ..Strategy::default()
    });
    some
}

pub(super) fn build_envelope(mode: &str, status: &str, analysis: &Analysis) -> Value {
    json!({
        "run_id": "RUN",
        "method": "market",
        "mode": mode,
        "status": status,
        "question": analysis.question,
        "models": {"main": "test-model"},
        "citations": [{
            "number": 1,
            "section": "Lawyers",
            "source_uri": "https://example.org/a",
            "quote": "In 2023 Texas had 120,000 lawyers.",
            "start": 10,
            "end": 45,
            "verdict": "supported",
        }],
        "references": [{"numbers": [1], "text": "Doe, A. (2023). Lawyers."}],
        "grounding": {"quoted": 1, "supported": 8, "recomputed": 3, "inferred": 2, "unsupported": 1},
        "usage": {"input_tokens": 10, "output_tokens": 5},
        "cost_usd": 0.01,
        "warnings": ["the top-down estimate rests on assumptions alone; no source supports its figures"],
        "deliverable": analysis,
    })
}

pub(crate) fn envelopes() -> [(&'static str, Value); 4] {
    [
        ("complete", build_envelope("model", "completed", &analysis())),
        ("offline", build_envelope("offline", "completed", &offline())),
        ("planned_smaller", build_envelope("model", "completed", &planned_smaller())),
        ("partial", build_envelope("model", "partial", &partial())),
    ]
}

/// Puts a text everywhere where a model, a source or a user may put one.
pub(crate) fn filled(text: &str) -> Value {
    /// Keys whose values are the program's own words, or are read as such.
    const OURS: [&str; 5] = ["id", "verdict", "origin", "left_out", "rests_on"];
    fn fill(value: &mut Value, text: &str) {
        match value {
            Value::String(own) => *own = text.to_owned(),
            Value::Array(items) => items.iter_mut().for_each(|item| fill(item, text)),
            Value::Object(members) => {
                for (key, member) in
                    members.iter_mut().filter(|(key, _)| !OURS.contains(&key.as_str()))
                {
                    // What each agent returned is a map by role.
                    if key != "stage_outputs" {
                        fill(member, text);
                    }
                }
            }
            _ => {}
        }
    }
    let mut all = analysis();
    all.error = Some(Failed { stage: text.into(), message: text.into(), retry_attempted: true });
    let mut envelope = build_envelope("model", "completed", &all);
    fill(&mut envelope["deliverable"], text);
    for key in ["section", "source_uri", "quote"] {
        envelope["citations"][0][key] = text.into();
    }
    envelope["question"] = text.into();
    envelope["references"][0]["text"] = text.into();
    envelope["warnings"][0] = text.into();
    envelope
}
