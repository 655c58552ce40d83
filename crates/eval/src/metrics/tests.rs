use proptest::prelude::*;

use super::*;
use crate::observation::{Research, not_begun};

fn case() -> Case {
    Case {
        id: "c1".into(),
        question: "How many?".into(),
        answers: vec!["616".into()],
        expects: vec!["616".into(), "deaths".into()],
        relevant: BTreeMap::from([("a.md".into(), 1), ("b.md".into(), 2)]),
        answerable: Some(true),
        rubric: String::new(),
    }
}

fn answered() -> Observation {
    Observation {
        run: "r1".into(),
        status: Some(Status::Completed),
        answered: Some(true),
        answer: "616 people.".into(),
        retrieved: Some(vec!["x.md".into(), "b.md".into()]),
        cited: vec!["b.md".into(), "x.md".into()],
        claims: 4,
        supported_claims: 3,
        citations: 5,
        holding_citations: 2,
        sentences: 3,
        cited_sentences: 1,
        marks: 3,
        research: Some(Research { questions: 4, answered_questions: Some(3), sources_read: 9 }),
        milliseconds: 1_500,
        calls: 2,
        lost_calls: 0,
        input_tokens: 900,
        output_tokens: 100,
        cost_usd_micros: 2_500,
        ..not_begun("c1", "rag")
    }
}

// proves: A8
#[test]
fn an_answer_has_every_figure_that_is_known_of_it() {
    let told = of(&case(), &answered(), &[1, 10]);
    let told: Vec<(&str, String)> =
        told.iter().map(|(key, value)| (key.as_str(), format!("{value:.4}"))).collect();
    let told: Vec<(&str, &str)> = told.iter().map(|(key, value)| (*key, value.as_str())).collect();
    assert_eq!(
        told,
        [
            ("abstention", "1.0000"),
            ("calls", "2.0000"),
            ("citation_precision", "0.4000"),
            ("citation_recall", "0.3333"),
            ("citations_per_100_words", "150.0000"),
            ("cost_usd", "0.0025"),
            ("exact_match", "0.0000"),
            ("expected", "0.5000"),
            ("groundedness", "0.7500"),
            ("milliseconds", "1500.0000"),
            ("mrr_at_1", "0.0000"),
            ("mrr_at_10", "0.5000"),
            // (2 / 1.58496) / (2 + 1 / 1.58496)
            ("ndcg_at_1", "0.0000"),
            ("ndcg_at_10", "0.4796"),
            ("recall_at_1", "0.0000"),
            ("recall_at_10", "0.5000"),
            ("sections", "0.0000"),
            ("source_precision", "0.5000"),
            ("source_recall", "0.5000"),
            ("sources_cited", "2.0000"),
            ("sources_read", "9.0000"),
            ("sub_questions_answered", "0.7500"),
            ("token_f1", "0.6667"),
            ("tokens", "1000.0000"),
            ("words", "2.0000"),
        ]
    );
}

fn keys(case: &Case, observation: &Observation) -> Vec<String> {
    of(case, observation, &[10]).into_keys().collect()
}

// proves: A8
#[test]
fn what_says_nothing_of_a_case_is_absent() {
    let bare = Case { id: "c1".into(), question: "Why?".into(), ..Case::default() };
    assert_eq!(
        keys(&bare, &answered()),
        [
            "calls",
            "citation_precision",
            "citation_recall",
            "citations_per_100_words",
            "cost_usd",
            "groundedness",
            "milliseconds",
            "sections",
            "sources_cited",
            "sources_read",
            "sub_questions_answered",
            "tokens",
            "words"
        ]
    );
    assert_eq!(keys(&case(), &not_begun("c1", "rag")), Vec::<String>::new());
    let failed = Observation { status: Some(Status::Partial), ..not_begun("c1", "rag") };
    assert_eq!(keys(&case(), &failed), ["calls", "cost_usd", "milliseconds", "tokens"]);
    let searched = Observation { retrieved: Some(vec![]), ..failed };
    assert!(keys(&case(), &searched).contains(&"ndcg_at_10".to_owned()), "the search was made");
}

// proves: A8
#[test]
fn the_model_alone_cites_nothing_and_an_abstention_answers_nothing() {
    let direct = Observation {
        status: Some(Status::Completed),
        answered: Some(true),
        answer: "616 deaths".into(),
        sentences: 1,
        ..not_begun("c1", "direct")
    };
    let told = of(&case(), &direct, &[10]);
    assert_eq!(told["groundedness"], 0.0);
    assert_eq!(told["citation_recall"], 0.0);
    assert_eq!(told["source_recall"], 0.0);
    assert_eq!(told.get("citation_precision").or(told.get("source_precision")), None);
    assert_eq!(told.get("ndcg_at_10"), None);

    let abstained =
        Observation { answered: Some(false), answer: String::new(), sentences: 0, ..direct };
    let told = of(&case(), &abstained, &[10]);
    assert_eq!(
        [told["exact_match"], told["token_f1"], told["expected"], told["abstention"]],
        [0.0; 4]
    );
    assert_eq!(told.get("groundedness").or(told.get("citation_recall")), None);
    let unanswerable = Case { answerable: Some(false), answers: vec![], expects: vec![], ..case() };
    assert_eq!(of(&unanswerable, &abstained, &[])["abstention"], 1.0);
}

// proves: A8
#[test]
fn of_a_report_by_another_program_nothing_is_told_that_was_not_checked() {
    let sources = ["https://a.example".to_owned(), "b.md".to_owned()];
    let text = "# Deaths\n\n616 deaths [1]. It was so [2] [1].";
    let report = crate::observation::of_report("c1", "other", text, &sources);
    assert_eq!((report.sentences, report.cited_sentences, report.marks), (2, 2, 3));
    let told = of(&case(), &report, &[10]);
    let keys: Vec<&str> = told.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        [
            "abstention",
            "citations_per_100_words",
            "exact_match",
            "expected",
            "reading_ease",
            "repetition",
            "sections",
            "source_precision",
            "source_recall",
            "sources_cited",
            "token_f1",
            "words"
        ]
    );
    assert_eq!((told["sources_cited"], told["source_recall"], told["words"]), (2.0, 0.5, 6.0));
    let empty = crate::observation::of_report("c1", "other", " [1]\n", &sources[..1]);
    assert_eq!((empty.answered, &*empty.answer), (Some(false), ""));
}

#[test]
fn a_judges_rounds_come_together_as_means() {
    let scored = |round, correctness, clarity| Scored {
        case: "c1".into(),
        arm: "rag".into(),
        round,
        scores: BTreeMap::from([("correctness".into(), correctness), ("clarity".into(), clarity)]),
        run: String::new(),
    };
    let told = of_the_judge([scored(1, 4.0, 5.0), scored(2, 2.0, f64::NAN)].iter());
    assert_eq!(
        told,
        BTreeMap::from([
            ("judge".into(), 4.0),
            ("judge_clarity".into(), 5.0),
            ("judge_correctness".into(), 3.0)
        ])
    );
    assert!(of_the_judge([].iter()).is_empty());
}

#[test]
fn every_figure_stands_in_the_table_once() {
    let table = table(&[1, 10], &["clarity".into()]);
    let mut keys: Vec<&str> = table.iter().map(|line| line.key.as_str()).collect();
    for key in of(&case(), &answered(), &[1, 10]).keys() {
        assert!(keys.contains(&key.as_str()), "{key}");
    }
    assert!(keys.contains(&"judge_clarity") && keys.contains(&"judge"));
    assert!(table.is_sorted_by_key(|line| line.group), "by group");
    let all = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), all);
}

proptest! {
    // proves: A8
    #[test]
    fn shares_are_shares_whatever_was_counted(
        counts in prop::collection::vec(0_u64..6, 6),
        answered in any::<Option<bool>>(),
        cited in prop::collection::hash_set(prop::sample::select(vec!["a.md", "b.md", "x.md"]), 0..4),
    ) {
        let [claims, supported_claims, citations, holding_citations, sentences, cited_sentences] = counts[..] else { unreachable!() };
        let cited = cited.into_iter().map(str::to_owned).collect();
        let one = Observation {
            claims, supported_claims, citations, holding_citations, sentences, cited_sentences, answered, cited,
            ..self::answered()
        };
        let table = table(&[10], &[]);
        for (key, value) in of(&case(), &one, &[10]) {
            let line = table.iter().find(|line| line.key == key).unwrap();
            prop_assert!(value >= 0.0 && value.is_finite());
            prop_assert!(line.unit != crate::report::MetricUnit::Share || value <= 1.0, "{} {}", key, value);
        }
    }
}
