//! A run that came through, one without a model, one that broke off; and what is printed of each.

use methods::hypothesize::payload::{
    ByDimension, Citation, ClosePair, Complete, Diversity, Failed, Finding, FoundPaper, Hypothesis,
    Interval, Leader, Literature, Measure, MissingPair, Objection, Origin, PairCoverage, Partial,
    Payload, PositionBias, Ranking, Reply, Retrieval, Scores,
};
use run::ledger::Verdict;
use serde_json::{Value, json};

pub(super) const QUESTION: &str = "Why do neap tides come late?";

fn hypothesis(id: &str, title: &str, rank: u32, overall: f64) -> Hypothesis {
    let objections = (1..=3).map(|number| Objection {
        number,
        text: format!("In harbour {number} the lag is too short for {id}."),
        citations: if number == 1 { vec![2] } else { vec![] },
        verdict: (number == 1).then_some(Verdict::Supported),
        origin: if number == 3 { Origin::Fallback } else { Origin::Model },
    });
    let replies = (1..=3).map(|number| Reply {
        objection_number: number,
        text: format!("The lag was measured in a harbour. [{number}]"),
        origin: if number == 3 { Origin::Fallback } else { Origin::Model },
    });
    Hypothesis {
        id: id.into(),
        title: title.into(),
        statement: format!("{title} delays the neap tide."),
        first_statement: (rank == 2).then(|| "A long way delays the tide.".to_owned()),
        mechanism: "Friction on the sea floor takes energy from the wave. [1]".into(),
        novelty_rationale: "Nobody has compared harbours.".into(),
        plausibility_rationale: "Friction is known to delay waves. [1]".into(),
        testability_rationale: "Gauges stand in every harbour.".into(),
        impact_rationale: "Ships wait for the tide.".into(),
        falsifiable_predictions: vec![
            "The lag grows with the length of the bay.".into(),
            "In deep water there is none.".into(),
        ],
        minimal_experiments: vec!["Compare 20 gauges over a year.".into()],
        objections: objections.collect(),
        replies: replies.collect(),
        citations: vec![cited(rank)],
        supporting_citations: 1,
        origin: Origin::Model,
        fallbacks: vec![],
        rank: Some(rank),
        scores: Some(Scores {
            novelty: 3.0,
            plausibility: 4.25,
            testability: overall,
            impact: 2.5,
            grounding: 3.75,
            overall,
        }),
        interval: Some(Interval { low: overall - 0.8, high: overall + 0.7 }),
        strength: Some(0.1),
        pairwise_record: None,
    }
}

fn cited(number: u32) -> Citation {
    Citation {
        paper_id: format!("doi:10.1000/{number}"),
        doi: Some(format!("10.1000/{number}")),
        title: "On the age of the tide".into(),
        authors: vec!["Ada Doe".into(), "Ben Roe".into(), "Cy Poe".into()],
        year: Some(2019),
        number: Some(number),
        claim: "Friction delays the neap tide.".into(),
        quote: "Friction delays the neap tide by about a day.".into(),
        verdict: Verdict::Supported,
        origin: Origin::Model,
    }
}

pub(super) fn complete() -> Complete {
    let mut third = hypothesis("H3", "A resonance of the bay", 3, 2.1);
    third.citations = vec![Citation {
        number: None,
        claim: String::new(),
        quote: String::new(),
        authors: vec!["Dee Foe".into()],
        year: None,
        verdict: Verdict::Unsupported,
        origin: Origin::Fallback,
        ..cited(9)
    }];
    third.supporting_citations = 0;
    third.fallbacks = vec!["mechanism".into(), "impact_rationale".into()];
    let paper = |number: u32| FoundPaper {
        paper_id: format!("doi:10.1000/{number}"),
        doi: None,
        title: "On the age of the tide".into(),
        authors: vec![],
        year: None,
        has_abstract: number < 4,
        read: number < 4,
    };
    Complete {
        question: QUESTION.into(),
        domain: "Physical oceanography".into(),
        objective: "Cheap tests".into(),
        hypotheses: vec![
            third,
            hypothesis("H2", "Friction in shallow bays", 1, 3.4),
            hypothesis("H1", "An ocean-wide | age of the tide", 2, 3.1),
        ],
        ranked_hypothesis_ids: ["H2", "H1", "H3"].map(String::from).into(),
        ranking: Ranking {
            weights: ByDimension {
                novelty: 0.2,
                plausibility: 0.25,
                testability: 0.25,
                impact: 0.1,
                grounding: 0.2,
            },
            rounds: 1,
            pair_coverage: PairCoverage {
                expected: 6,
                judged: 5,
                missing: vec![MissingPair {
                    hypothesis_a_id: "H1".into(),
                    hypothesis_b_id: "H3".into(),
                    round: 1,
                }],
                unreadable_winners: 2,
                doubled: 1,
                foreign: 0,
                self_paired: 1,
            },
            position_bias: PositionBias { compared: 10, reversed: 3, first_won: 0.583 },
            alpha: 0.05,
            resamples: 2000,
            critical_difference: 0.82,
            leader: Leader { hypothesis_id: "H2".into(), p_value: 0.312, significant: false },
            groups: vec![["H2", "H1"].map(String::from).into(), vec!["H3".into()]],
        },
        diversity: vec![
            Diversity {
                stage: "hypothesis_generator".into(),
                measure: Measure::Shingles,
                threshold: 0.6,
                highest: 0.71,
                too_close: vec![ClosePair {
                    hypothesis_a_id: "H1".into(),
                    hypothesis_b_id: "H3".into(),
                    similarity: 0.71,
                }],
                retried: true,
            },
            Diversity {
                stage: "critic".into(),
                measure: Measure::Embeddings,
                threshold: 0.9,
                highest: 0.44,
                too_close: vec![],
                retried: false,
            },
        ],
        literature: Literature {
            findings: vec![Finding {
                text: "Friction delays the neap tide by about a day.".into(),
                citations: vec![1, 2],
                verdict: Some(Verdict::Supported),
            }],
            gaps: vec!["Nobody says why harbours differ.".into()],
        },
        retrieval: Retrieval {
            queries: vec![QUESTION.into(), "age of the tide friction".into()],
            answers: vec![],
            papers: (1..=5).map(paper).collect(),
            without_abstract: 2,
            complete: true,
        },
        summa_rendering: "Question: Whether friction delays the neap tide?\n\nObjections:\n\
            1. It seems that it does not, the lag being too short. [2]\n\n\
            On the contrary, friction delays the neap tide by about a day. [1]\n\n\
            I answer that friction takes energy from the wave.\n\nReplies to objections:\n\
            Reply to Objection 1. The lag was measured.\n\n---\n\nQuestion: Whether the bay resounds?\n"
            .into(),
        summa_origin: Origin::Model,
        top: 1,
        reader: None,
        stage_outputs: [("problem_framer".to_owned(), json!({"refined_query": "tides"}))].into(),
    }
}

pub(super) fn offline() -> Complete {
    let mut all = complete();
    for one in &mut all.hypotheses {
        one.origin = Origin::Extractive;
        one.objections.iter_mut().for_each(|objection| objection.origin = Origin::Extractive);
    }
    all.summa_origin = Origin::Extractive;
    all.ranking.pair_coverage = PairCoverage { expected: 6, judged: 6, ..PairCoverage::default() };
    all.ranking.position_bias = PositionBias { compared: 15, reversed: 0, first_won: 0.5 };
    all.retrieval.without_abstract = 5;
    all.literature = Literature::default();
    all
}

pub(super) fn partial() -> Partial {
    let Complete { mut hypotheses, literature, retrieval, .. } = complete();
    for one in &mut hypotheses {
        (one.rank, one.scores, one.interval) = (None, None, None);
    }
    Partial {
        question: QUESTION.into(),
        domain: "Physical oceanography".into(),
        objective: String::new(),
        hypotheses,
        ranked_hypothesis_ids: vec![],
        ranking: None,
        diversity: vec![],
        literature: Some(literature),
        retrieval: Some(retrieval),
        summa_rendering: None,
        summa_origin: None,
        reader: None,
        stage_outputs: ["problem_framer", "retrieval"]
            .map(|stage| (stage.to_owned(), json!({})))
            .into(),
        error: Failed {
            stage: "ranker".into(),
            message: "the reply is no JSON object: expected value at line 1".into(),
            retry_attempted: true,
        },
    }
}

/// Returns what is printed of a deliverable, as the log keeps it.
pub(super) fn build_envelope(mode: &str, status: &str, payload: &Payload) -> Value {
    let Value::String(question) = serde_json::to_value(payload).unwrap()["question"].clone() else {
        unreachable!("every payload has a question")
    };
    let page = json!({
        "run_id": "RUN",
        "method": "hypothesize",
        "mode": mode,
        "status": status,
        "question": question,
        "models": {"main": "test-model"},
        "citations": [{
            "number": 1,
            "section": "On the age of the tide > Abstract",
            "source_uri": "doi:10.1000/1",
            "quote": "Friction delays the neap tide by about a day.",
            "start": 10,
            "end": 55,
            "verdict": "supported",
        }],
        "references": [{"numbers": [1], "text": "Doe, A. (2019). On the age of the tide."}],
        "grounding": {"supported": 1, "recomputed": 0, "unsupported": 0},
        "usage": {"input_tokens": 10, "output_tokens": 5},
        "cost_usd": 0.01,
        "warnings": ["One citation was put beside a hypothesis by the program."],
        "deliverable": payload,
    });
    serde_json::from_slice(&run::canonical::canonical(&page)).unwrap()
}

pub(crate) fn envelopes() -> [(&'static str, Value); 3] {
    [
        (
            "complete",
            build_envelope("model", "completed", &Payload::Complete(Box::new(complete()))),
        ),
        (
            "offline",
            build_envelope("offline", "completed", &Payload::Complete(Box::new(offline()))),
        ),
        ("partial", build_envelope("model", "partial", &Payload::Partial(Box::new(partial())))),
    ]
}

/// Puts a text everywhere where a model, a paper or a user may put one.
pub(crate) fn filled(text: &str) -> Value {
    let mut all = complete();
    let put = || text.to_owned();
    (all.question, all.domain, all.objective) = (put(), put(), put());
    for (index, one) in all.hypotheses.iter_mut().enumerate() {
        one.id = format!("{text}{index}");
        (one.title, one.statement, one.mechanism) = (put(), put(), put());
        (one.novelty_rationale, one.plausibility_rationale) = (put(), put());
        (one.testability_rationale, one.impact_rationale) = (put(), put());
        one.falsifiable_predictions = vec![put(), put()];
        one.minimal_experiments = vec![put()];
        one.objections.iter_mut().for_each(|objection| objection.text = put());
        one.replies.iter_mut().for_each(|reply| reply.text = put());
        one.fallbacks = vec![put(), put()];
        for citation in &mut one.citations {
            (citation.title, citation.paper_id) = (put(), put());
            (citation.claim, citation.quote) = (put(), put());
            citation.authors = vec![put(), put()];
        }
    }
    all.ranked_hypothesis_ids = all.hypotheses.iter().map(|one| one.id.clone()).collect();
    all.ranking.leader.hypothesis_id = put();
    all.ranking.groups = vec![vec![put(), put()]];
    all.ranking.pair_coverage.missing[0].hypothesis_a_id = put();
    all.diversity[0].stage = put();
    all.diversity[0].too_close[0].hypothesis_a_id = put();
    all.literature.findings[0].text = put();
    all.literature.gaps = vec![put(), put()];
    all.retrieval.queries = vec![put(), put()];
    // On one line, since every line of a rendering is a paragraph.
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    all.summa_rendering = format!("Objection 1. {line}\n\nx {line}\n");
    let mut envelope = build_envelope("model", "completed", &Payload::Complete(Box::new(all)));
    for key in ["section", "source_uri", "quote"] {
        envelope["citations"][0][key] = text.into();
    }
    envelope["references"][0]["text"] = text.into();
    envelope["warnings"][0] = text.into();
    envelope
}
