//! Whatever the agents of `hypothesize` reply, a result comes of it that passes the published schema.

use std::sync::{Arc, Mutex};

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use run::entry::Event;

use crate::stage::{Stage, always_yes, ending};

const ABSTRACTS: [&str; 3] = [
    "Colonies with many mites die in winter. Treated colonies survive.",
    "Pollen in autumn decides how long winter bees live.",
    "However, frost alone kills few colonies of honey bees.",
];

fn options() -> Value {
    json!({
        "domain": "apiculture", "objective": "", "top": 2, "sources": ["semantic-scholar"],
        "rules": {
            "hypotheses": 4, "fewest_hypotheses": 2, "results": 5, "papers_read": 5, "full_text": false,
            "retrieval": "auto", "passages": 5, "context_tokens": 1000,
            "diversity": {"measure": "shingles", "shingles_threshold": 0.4, "embeddings_threshold": 0.9},
            "ranking": {
                "weights": {"novelty": 1.0, "plausibility": 1.0, "testability": 1.0, "impact": 1.0, "grounding": 1.0},
                "rounds": 1, "alpha": 0.05, "resamples": 100,
            },
        },
    })
}

/// A text as a model may write it, or as it must not.
fn text() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => "[A-Za-z ,.]{0,60}".prop_map(Value::from),
        2 => Just(json!("Mites weaken bees [1]. Smith et al. (2019) saw it too.")),
        1 => Just(json!("")),
        1 => Just(json!("As others found [1; 2] and [evidence 1] (verified) [3\n].")),
        1 => Just(json!("## Heading\n---\n1. Reply to Objection 1.")),
        1 => (1_usize..4).prop_map(|times| json!("huge ".repeat(times * 2_000))),
        1 => Just(json!("[[STATUS]] I answer that so")),
        1 => "\\PC{0,30}".prop_map(Value::from),
    ]
}

/// A field's value, or what stands there by mistake.
fn or_nonsense(value: impl Strategy<Value = Value> + 'static) -> BoxedStrategy<Value> {
    prop_oneof![
        1_000 => value,
        20 => Just(Value::Null),
        1 => Just(json!(7)),
        1 => Just(json!({"a": []})),
    ]
    .boxed()
}

fn list(of: impl Strategy<Value = Value> + 'static, most: usize) -> BoxedStrategy<Value> {
    or_nonsense(prop::collection::vec(of, 0..=most).prop_map(Value::from))
}

/// An object of these fields, of which some may be missing.
fn object(fields: Vec<(&'static str, BoxedStrategy<Value>)>) -> BoxedStrategy<Value> {
    let (names, values): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    let present = prop::collection::vec(prop::bool::weighted(0.998), names.len());
    (values, present)
        .prop_map(move |(values, present)| {
            let fields = names.iter().zip(values).zip(present).filter(|(_, present)| *present);
            let fields = fields.map(|((name, value), _)| ((*name).to_owned(), value));
            Value::Object(fields.collect::<Map<String, Value>>())
        })
        .boxed()
}

fn quoted() -> BoxedStrategy<Value> {
    let quote = prop_oneof![
        3 => (0_usize..3).prop_map(|index| json!(ABSTRACTS[index])),
        1 => text(),
    ];
    object(vec![
        ("evidence", or_nonsense((0_u32..6).prop_map(Value::from))),
        ("quote", or_nonsense(quote)),
    ])
}

fn written() -> BoxedStrategy<Value> {
    let said =
        prop_oneof![1 => (0_usize..3).prop_map(|index| json!(ABSTRACTS[index])), 1 => text()];
    object(vec![("text", or_nonsense(said)), ("citations", list(quoted(), 3))])
}

fn id() -> BoxedStrategy<Value> {
    prop_oneof![
        8 => (1_u32..6).prop_map(|number| json!(format!("H{number}"))),
        1 => Just(json!(" h1 ")),
        1 => text(),
    ]
    .boxed()
}

fn winner() -> BoxedStrategy<Value> {
    or_nonsense(
        prop_oneof![Just("a"), Just("b"), Just("tie"), Just("H2"), Just("")].prop_map(Value::from),
    )
}

fn reply(name: &str) -> BoxedStrategy<Value> {
    let field = || or_nonsense(text());
    match name {
        "Framing" => object(vec![
            ("restatement", field()),
            ("refined_query", field()),
            ("key_terms", list(text(), 3)),
            ("constraints", list(text(), 2)),
            ("assumptions", list(text(), 2)),
        ]),
        "Survey" => object(vec![("findings", list(written(), 4)), ("gaps", list(text(), 2))]),
        "Generated" => object(vec![("hypotheses", {
            let proposed = object(vec![
                ("title", field()),
                ("statement", field()),
                ("mechanism", field()),
                ("novelty_rationale", field()),
                ("plausibility_rationale", field()),
                ("testability_rationale", field()),
                ("impact_rationale", field()),
                ("falsifiable_predictions", list(text(), 12)),
                ("minimal_experiments", list(text(), 3)),
                ("support", list(written(), 3)),
            ]);
            prop::collection::vec(proposed, 0..7).prop_map(Value::from).boxed()
        })]),
        "Critique" => object(vec![("reviews", {
            let contested =
                object(vec![("objection", field()), ("reply", field()), ("citations", list(quoted(), 2))]);
            let review = object(vec![
                ("hypothesis_id", id()),
                ("objections", list(contested, 10)),
                ("revised_statement", field()),
                ("revised_mechanism", field()),
            ]);
            prop::collection::vec(review, 0..7).prop_map(Value::from).boxed()
        })]),
        "Judgements" => object(vec![("comparisons", {
            let record = object(vec![
                ("hypothesis_a_id", id()),
                ("hypothesis_b_id", id()),
                ("winner_novelty", winner()),
                ("winner_plausibility", winner()),
                ("winner_testability", winner()),
                ("winner_impact", winner()),
                ("winner_grounding", winner()),
                ("reason", field()),
            ]);
            prop::collection::vec(record, 0..20).prop_map(Value::from).boxed()
        })]),
        _ => object(vec![(
            "summa_rendering",
            prop_oneof![
                1 => field(),
                2 => (1_u32..4, 0_u32..7).prop_map(|(objections, mark)| json!(summa(objections, mark))),
            ]
            .boxed(),
        )]),
    }
}

fn summa(objections: u32, mark: u32) -> String {
    let numbered = |what: &str| -> String {
        (1..=objections + 1)
            .map(|number| format!("{}\n", what.replace('#', &number.to_string())))
            .collect()
    };
    let block = format!(
        "Question: Whether so?\n\nObjections:\n{}\nOn the contrary, no.\n\nI answer that {} [{mark}]\n\nReplies to objections:\n{}",
        numbered("#. Not so."),
        ABSTRACTS[1],
        numbered("Reply to Objection #. But so.")
    );
    format!("{block}\n---\n\n{block}")
}

const AGENTS: [&str; 6] = ["Framing", "Survey", "Generated", "Critique", "Judgements", "Composed"];
/// What each agent replies, once and on being asked again.
fn replies() -> impl Strategy<Value = Vec<Vec<Value>>> {
    AGENTS.map(|name| prop::collection::vec(reply(name), 1..4)).into_iter().collect::<Vec<_>>()
}

/// All texts of a value, one a line.
fn texts(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(texts).collect::<Vec<_>>().join("\n"),
        Value::Object(members) => members.values().map(texts).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn build_validator() -> jsonschema::Validator {
    jsonschema::validator_for(&methods::hypothesize::schema()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    // proves: H3, H7, H8, C2, C3
    #[test]
    fn any_replies_come_to_a_result_that_passes_or_to_a_partial_one_that_names_the_stage(replies in replies()) {
        let asked: Mutex<Vec<usize>> = Mutex::new(vec![0; AGENTS.len()]);
        let says = move |name: &str| {
            // What is mended, is mended by nobody.
            let Some(agent) = AGENTS.iter().position(|known| *known == name) else {
                return "1. It cannot be saved.".to_owned();
            };
            let mut asked = asked.lock().unwrap();
            let reply = replies[agent][asked[agent] % replies[agent].len()].to_string();
            asked[agent] += 1;
            reply
        };
        let abstracts = ABSTRACTS.map(str::to_owned).to_vec();
        let stage = Stage { abstracts, says: Arc::new(says), reads: always_yes() };
        let entries = stage.perform("hypothesize", "Why do honey bee colonies die in winter?", options());
        let validator = build_validator();
        let (deliverable, is_whole) = match ending(&entries) {
            Event::Finished { deliverable, .. } => (deliverable, true),
            Event::Stopped { stage, partial, .. } => {
                let deliverable = &partial.as_ref().unwrap().deliverable;
                prop_assert_eq!(&deliverable["error"]["stage"], stage);
                let stages = ["problem_framer", "retrieval", "literature_scout", "hypothesis_generator", "critic", "ranker", "summa_composer", "final_validation"];
                prop_assert!(stages.contains(&stage.as_str()), "{}", stage);
                (deliverable, false)
            }
            other => return Err(TestCaseError::fail(format!("{other:?}"))),
        };
        let wrong: Vec<String> = validator.iter_errors(deliverable).map(|error| error.to_string()).collect();
        prop_assert!(wrong.is_empty(), "{:?}\n{:#}", wrong, deliverable);
        prop_assert_eq!(deliverable.get("error").is_none(), is_whole);
        for hypothesis in deliverable["hypotheses"].as_array().unwrap() {
            let supporting = hypothesis["citations"].as_array().unwrap().iter().filter(|one| one["origin"] != "fallback").count();
            prop_assert_eq!(&hypothesis["supporting_citations"], supporting);
            for field in ["title", "statement", "mechanism", "novelty_rationale", "falsifiable_predictions", "minimal_experiments", "replies"] {
                let text = texts(&hypothesis[field]);
                prop_assert!(run::marks::marks(&text).is_empty(), "{} in {}", text, field);
                prop_assert!(!text.contains("verified)") && !text.contains("supported)"), "{}", text);
            }
            prop_assert_eq!(hypothesis["objections"].as_array().unwrap().len(), hypothesis["replies"].as_array().unwrap().len());
        }
    }
}
