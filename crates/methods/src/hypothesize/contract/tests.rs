use std::path::Path;

use run::ledger::{Citation as Entered, Verdict};

use super::super::pairwise::{Call, Order, Record, Rules, asked, normalised, rank};
use super::super::payload::{
    ByDimension, Citation, Finding, FoundPaper, Literature, Objection, Reply, Retrieval,
};
use super::*;

// proves: H7
#[test]
fn the_published_schema_is_the_one_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/hypothesis_schema.json");
    let made = format!("{:#}\n", schema());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        published, made,
        "schemas/hypothesis_schema.json is not the schema of the types; UPDATE_SCHEMAS=1 writes it anew"
    );
}

const PAPER: &str = "doi:10.5555/1";
const QUOTE: &str = "Mites weaken bees.";

fn hypothesis(id: &str, grounded: bool) -> Hypothesis {
    let text = |what: &str| format!("{what} of {id}.");
    Hypothesis {
        id: id.into(),
        title: text("Title"),
        statement: text("Statement"),
        first_statement: None,
        mechanism: text("Mechanism"),
        novelty_rationale: text("Novelty"),
        plausibility_rationale: text("Plausibility"),
        testability_rationale: text("Testability"),
        impact_rationale: text("Impact"),
        falsifiable_predictions: vec![text("Prediction")],
        minimal_experiments: vec![text("Test")],
        objections: (1..=3)
            .map(|number| Objection {
                number,
                text: text("No"),
                citations: vec![],
                verdict: None,
                origin: Origin::Model,
            })
            .collect(),
        replies: (1..=3)
            .map(|objection_number| Reply {
                objection_number,
                text: text("Yes"),
                origin: Origin::Model,
            })
            .collect(),
        citations: vec![Citation {
            paper_id: PAPER.into(),
            doi: None,
            title: "Mites".into(),
            authors: vec![],
            year: None,
            number: grounded.then_some(1),
            claim: QUOTE.into(),
            quote: QUOTE.into(),
            verdict: if grounded { Verdict::Supported } else { Verdict::Unsupported },
            origin: if grounded { Origin::Model } else { Origin::Fallback },
        }],
        supporting_citations: u32::from(grounded),
        origin: Origin::Model,
        fallbacks: vec![],
        rank: None,
        scores: None,
        interval: None,
        strength: None,
        pairwise_record: None,
    }
}

/// A result that passes, and its ledger.
fn whole() -> (Complete, Vec<Claim>) {
    let ids = ["H1".to_owned(), "H2".to_owned()];
    let records = |order: Order| -> Vec<Record> {
        let record = |(a, b): (String, String)| {
            let winner = if a == "H1" { "a" } else { "b" };
            Record {
                hypothesis_a_id: a,
                hypothesis_b_id: b,
                winner_novelty: winner.into(),
                winner_grounding: "tie".into(),
                ..Record::default()
            }
        };
        asked(&ids, order).into_iter().map(record).collect()
    };
    let (in_order, reversed) = (records(Order::InOrder), records(Order::Reversed));
    let calls = [
        Call { order: Order::InOrder, round: 1, records: &in_order },
        Call { order: Order::Reversed, round: 1, records: &reversed },
    ];
    let (comparisons, coverage) = normalised(&calls, &ids);
    let weights = ByDimension::of(|_| 1.0);
    let rules = Rules { weights, rounds: 1, alpha: 0.05, resamples: 100 };
    let (standings, ranking) = rank(&comparisons, coverage, &ids, &rules);
    let mut hypotheses = vec![hypothesis("H1", true), hypothesis("H2", false)];
    for (hypothesis, standing) in hypotheses.iter_mut().zip(standings) {
        assert_eq!(hypothesis.id, standing.id);
        hypothesis.rank = Some(standing.rank);
        hypothesis.scores = Some(standing.scores);
        hypothesis.interval = Some(standing.interval);
        hypothesis.strength = Some(standing.strength);
        hypothesis.pairwise_record = Some(standing.record);
    }
    let complete = Complete {
        question: "Why?".into(),
        domain: "biology".into(),
        objective: String::new(),
        ranked_hypothesis_ids: ids.to_vec(),
        hypotheses,
        ranking,
        diversity: vec![],
        literature: Literature {
            findings: vec![Finding { text: QUOTE.into(), citations: vec![1], verdict: None }],
            gaps: vec![],
        },
        retrieval: Retrieval {
            papers: vec![FoundPaper {
                paper_id: PAPER.into(),
                doi: None,
                title: "Mites".into(),
                authors: vec![],
                year: None,
                has_abstract: true,
                read: true,
            }],
            ..Retrieval::default()
        },
        summa_rendering: "Question: Whether so?\n\nObjections:\n1. No.\n2. No.\n3. No.\n\nOn the contrary, no.\n\n\
            I answer that mites weaken bees. [1]\n\nReplies to objections:\nReply to Objection 1. Yes.\n\
            Reply to Objection 2. Yes.\nReply to Objection 3. Yes."
            .into(),
        summa_origin: Origin::Model,
        top: 1,
        reader: None,
        stage_outputs: [].into(),
    };
    let entered = Entered {
        number: Some(1),
        evidence_id: "e".into(),
        source_uri: PAPER.into(),
        title: "Mites".into(),
        section: "Mites".into(),
        page: None,
        quote: QUOTE.into(),
        start: Some(0),
        end: Some(18),
        source_sha256: String::new(),
        verdict: Verdict::Supported,
        faults: vec![],
        ..Entered::default()
    };
    let claim = Claim {
        text: QUOTE.into(),
        verdict: Verdict::Supported,
        citations: vec![entered],
        ..Claim::default()
    };
    (complete, vec![claim])
}

/// A change to a result, and the violation that it causes.
type Mutation = (fn(&mut Complete), &'static str);

// proves: H7, C4
#[test]
fn each_rule_finds_what_breaks_it() {
    let (complete, ledger) = whole();
    assert_eq!(violations(&complete, &ledger), Vec::<String>::new());
    let mutations: [Mutation; 19] = [
        (|all| all.question.clear(), "/question"),
        (|all| all.hypotheses[1].objections.truncate(2), "/hypotheses/1/objections"),
        (|all| all.hypotheses[1].id = "H1".into(), "the same id"),
        (|all| all.ranked_hypothesis_ids.reverse(), "in their order"),
        (|all| all.hypotheses[0].rank = Some(2), "gives another"),
        (
            |all| {
                all.hypotheses.reverse();
                all.ranked_hypothesis_ids.reverse();
            },
            "with a lower score",
        ),
        (|all| all.ranking.leader.hypothesis_id = "H9".into(), "unknown hypothesis"),
        (|all| all.literature.findings[0].citations = vec![2], "there is no citation [2]"),
        (|all| all.hypotheses[0].objections[0].citations = vec![3], "there is no citation [3]"),
        (|all| all.hypotheses[0].replies[1].objection_number = 7, "not numbered alike"),
        (|all| all.hypotheses[0].scores.as_mut().unwrap().novelty = 4.9, "do not follow"),
        (|all| all.hypotheses[0].scores.as_mut().unwrap().overall = 2.0, "do not follow"),
        (
            |all| {
                let record = all.hypotheses[0].pairwise_record.as_mut().unwrap();
                record.comparisons[0].hypothesis_b_id = "H9".into();
            },
            "holds a comparison",
        ),
        (
            |all| all.hypotheses[0].pairwise_record.as_mut().unwrap().wins_by_dimension.novelty = 1,
            "miscounts its novelty wins",
        ),
        (
            |all| {
                let record = all.hypotheses[1].pairwise_record.as_mut().unwrap();
                record.comparisons[0].winner_impact = Winner::B;
            },
            "differ in what was judged",
        ),
        (|all| all.hypotheses[0].citations[0].paper_id = "doi:10.5555/9".into(), "not retrieved"),
        (|all| all.hypotheses[1].citations[0].number = Some(1), "counts"),
        (|all| all.hypotheses[0].citations[0].quote = "Bees sing.".into(), "not in the ledger"),
        (|all| all.summa_rendering = all.summa_rendering.replace("[1]", "[4]"), "cites [4]"),
    ];
    for (mutate, says) in mutations {
        let mut mutated = complete.clone();
        mutate(&mut mutated);
        let told = violations(&mutated, &ledger);
        assert!(told.iter().any(|one| one.contains(says)), "{says}: {told:?}");
    }
    let mut doubled = complete.clone();
    let again = doubled.hypotheses[0].citations[0].clone();
    doubled.hypotheses[0].citations.push(again);
    let told = violations(&doubled, &ledger);
    assert!(told.iter().any(|one| one.contains("twice")), "{told:?}");
    assert!(told.iter().any(|one| one.contains("miscounts")), "{told:?}");
}
