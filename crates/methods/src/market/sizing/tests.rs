use std::collections::BTreeMap;
use std::sync::Arc;

use run::Mode;
use run::entry::Hash;
use run::evidence::{Evidence, EvidenceKind, Numbered, Passage, Place};
use run::material::Material;
use serde_json::json;

use super::super::clerk::{Entered, SectionInput};
use super::*;
use crate::grounded::docket::{Docket, settle_by_program};

const TEXT: &str = "In 2023 Texas had 120,000 licensed lawyers. Surveys found that 30 % of lawyers use contract software. \
    A seat costs $1,200 per lawyer per year. The global market for legal software was worth $4.5 billion in 2023.";

fn build_evidence(text: &str) -> Vec<Numbered> {
    let place = Place {
        document_id: "d1".into(),
        title: "Legal software".into(),
        section: "Legal software".into(),
        start: 0,
        end: text.len() as u64,
        source_sha256: Hash::of(text.as_bytes()).to_string(),
        pages: vec![],
    };
    let passage = Passage {
        text: text.into(),
        source_uri: "https://example.org/a".into(),
        kind: EvidenceKind::Web,
        chunk_id: "1".into(),
        score: 1.0,
        metadata: BTreeMap::new(),
        work: None,
        place,
    };
    let evidence = Evidence::from_passage(passage, Default::default());
    vec![Numbered { number: 1, evidence: Arc::new(evidence) }]
}

fn sized(reply: &serde_json::Value) -> Entered<Sizing> {
    let evidence = build_evidence(TEXT);
    let section_input = SectionInput {
        question: "How large is the market?",
        subject: &[],
        evidence: &evidence,
        shown: Default::default(),
        known: BTreeMap::new(),
        next: 1,
        most: 10,
        mode: Mode::Model,
    };
    let reply: SizingReply = serde_json::from_value(reply.clone()).unwrap();
    let material = Material::of(&evidence);
    let mut docket = Docket::new(&material, section_input.question, section_input.mode);
    settle_by_program(&mut docket, |docket| {
        let mut clerk = Clerk::at(&section_input, docket);
        let sizing = entered(&reply, &mut clerk);
        clerk.done(sizing)
    })
}

fn input(name: &str, value: &str, unit: &str, quote: &str) -> serde_json::Value {
    let description = name.replace('_', " ");
    json!({"name": name, "description": description, "value": value, "unit": unit, "evidence": 1, "quote": quote})
}

const LAWYERS: &str = "Texas had 120,000 licensed lawyers";
const SHARE: &str = "30 % of lawyers use contract software";
const PRICE: &str = "A seat costs $1,200 per lawyer per year";

fn bottom_up(value: &str) -> serde_json::Value {
    json!({"bottom_up": {
        "inputs": [
            input("lawyers", "120,000", "lawyers", LAWYERS),
            input("share", "30 %", "%", SHARE),
            input("price", "$1,200", "USD/lawyer/year", PRICE),
        ],
        "steps": [
            {"name": "users", "expression": "lawyers * share", "unit": "lawyers", "value": "36,000"},
            {"name": "spending", "expression": "users * price", "unit": "USD/year", "value": value},
        ],
    }})
}

// proves: W4
#[test]
fn every_step_is_computed_and_shown_with_its_figures() {
    let Entered { section, violations, failed, .. } = sized(&bottom_up("$43.2 million"));
    let estimate = section.bottom_up;
    assert!(violations.is_empty() && failed.is_empty(), "{violations:#?}");
    assert!(estimate.inputs.iter().all(|input| input.origin == InputOrigin::Cited));
    let told: Vec<&str> = estimate.steps.iter().map(|step| step.statement.text.as_str()).collect();
    assert_eq!(
        told,
        [
            "Bottom-up estimate, users: 120,000 lawyers × 30 % = 36,000 lawyers",
            "Bottom-up estimate, spending: 36,000 lawyers × $1,200 per lawyer per year = $43.2 million per year",
        ]
    );
    let result = estimate.result.unwrap();
    assert!((result.value - 43_200_000.0).abs() < 1e-3);
    assert_eq!((result.shown.as_str(), estimate.corrections.len()), ("$43.2 million per year", 0));
    assert!(!estimate.assumptions_alone);
}

// proves: W4
#[test]
fn a_product_that_does_not_come_out_is_corrected_and_reported() {
    for wrong in ["$432 million", "43.3 million", "$43.25 million", "43200"] {
        let estimate = sized(&bottom_up(wrong)).section.bottom_up;
        assert_eq!(estimate.result.unwrap().shown, "$43.2 million per year");
        assert_eq!(
            estimate.corrections,
            [format!("spending: {wrong} was stated, but the result is $43.2 million per year")]
        );
    }
    for right in ["43,200,000", "$43 million", "43.2M", "", "about that"] {
        let corrections = sized(&bottom_up(right)).section.bottom_up.corrections;
        assert!(corrections.is_empty(), "{right}: {corrections:?}");
    }
}

// proves: W4
#[test]
fn a_figure_that_its_source_does_not_say_is_assumed_and_labelled() {
    for (figure, why) in [
        (input("lawyers", "130,000", "lawyers", LAWYERS), "another number"),
        (input("lawyers", "120,000", "%", LAWYERS), "no percent"),
        (input("lawyers_in_Ohio", "120,000", "lawyers", LAWYERS), "another place"),
        (
            input("lawyers_in_Ohio", "4.5 million", "USD", "was worth $4.5 billion in 2023"),
            "magnitude",
        ),
    ] {
        let reply = json!({"top_down": {
            "inputs": [figure],
            "steps": [{"name": "result", "expression": identifier(figure["name"].as_str().unwrap()), "unit": figure["unit"]}],
        }});
        let Entered { section, failed, violations, .. } = sized(&reply);
        let estimate = section.top_down;
        let input = &estimate.inputs[0];
        assert_eq!(input.origin, InputOrigin::Assumed, "{why}: {input:?}");
        assert!(input.unsupported && input.statement.is_none() && input.why.is_some(), "{why}");
        assert!(estimate.assumptions_alone, "{why}");
        assert!(estimate.steps[0].statement.text.ends_with("(on assumptions alone)"), "{why}");
        assert_eq!((failed.len(), violations.len()), (1, 0), "{why}");
    }
}

// proves: W4
#[test]
fn what_cannot_be_computed_is_no_estimate() {
    for (expression, why) in [
        ("lawyers / 0", "divides by zero"),
        ("lawyers * prices", "'prices' is neither an input nor an earlier step"),
        ("lawyers lawyers", "unexpected 'lawyers'"),
        ("result", "'result' is neither"),
        ("", "empty"),
    ] {
        let reply = json!({"top_down": {
            "inputs": [input("lawyers", "120,000", "lawyers", LAWYERS)],
            "steps": [{"name": "result", "expression": expression, "unit": "lawyers", "value": 7}],
        }});
        let Entered { section, violations, .. } = sized(&reply);
        let estimate = section.top_down;
        assert!(estimate.result.is_none() && estimate.steps.is_empty());
        assert!(estimate.why_not.unwrap().contains(why), "{expression}");
        assert!(violations[0].contains(why), "{violations:?}");
    }
}

/// Enters an estimate whose last step has another expression, unit and value.
fn last_step(expression: &str, unit: &str, value: &str) -> Entered<Sizing> {
    let mut reply = bottom_up("");
    reply["bottom_up"]["steps"][1] =
        json!({"name": "spending", "expression": expression, "unit": unit, "value": value});
    sized(&reply)
}

// proves: W4
#[test]
fn a_unit_that_does_not_come_out_is_corrected_and_reported() {
    for (expression, stated, shown, derived) in [
        ("lawyers * price", "EUR/month", "$144 million per year", "USD/year"),
        ("lawyers * price", "USD", "$144 million per year", "USD/year"),
        ("lawyers * price", "%", "$144 million per year", "USD/year"),
        ("lawyers * price / 12", "USD/year", "$12 million per month", "USD/month"),
        ("users / lawyers", "lawyers", "0.3", "no unit"),
        ("users / lawyers", "USD", "0.3", "no unit"),
    ] {
        let Entered { section, violations, .. } = last_step(expression, stated, "");
        let estimate = section.bottom_up;
        assert!(violations.is_empty(), "{violations:?}");
        assert_eq!(estimate.result.unwrap().shown, shown, "{expression} in {stated}");
        let told = format!("spending: the unit {stated} was stated; it is in {derived}");
        assert_eq!(estimate.corrections, [told]);
        let text = &estimate.steps[1].statement.text;
        assert!(text.ends_with(&format!("= {shown}")) && !text.contains("EUR"), "{text}");
    }
    for (expression, stated, shown) in [
        ("lawyers * price", "dollars per year", "$144 million per year"),
        ("lawyers * price", "", "$144 million per year"),
        ("lawyers * price / 12", "USD/month", "$12 million per month"),
        ("users / lawyers", "%", "30 %"),
        ("users / lawyers", "percent of lawyers", "30 %"),
        ("users / lawyers", "", "0.3"),
        ("price * 2 - price", "USD per year per lawyer", "$1,200 per lawyer per year"),
        ("lawyers - users", "Lawyer", "84,000 Lawyer"),
    ] {
        let estimate = last_step(expression, stated, "").section.bottom_up;
        assert!(estimate.corrections.is_empty(), "{:?}", estimate.corrections);
        assert_eq!(estimate.result.unwrap().shown, shown, "{expression} in {stated}");
    }
    let estimate = last_step("lawyers * price", "USD/year", "EUR 144 million").section.bottom_up;
    assert_eq!(
        estimate.corrections,
        ["spending: EUR 144 million was stated, but the result is $144 million per year"]
    );
}

// proves: W4
#[test]
fn units_that_cannot_be_combined_are_no_estimate() {
    for expression in ["lawyers + price", "lawyers - 1000", "price * lawyers + share"] {
        let Entered { section, violations, .. } = last_step(expression, "%", "");
        let estimate = section.bottom_up;
        assert!(estimate.result.is_none() && estimate.steps.is_empty(), "{expression}");
        assert!(estimate.why_not.unwrap().contains("different units, '"), "{expression}");
        assert!(violations[0].contains("could not compute the step 'spending'"), "{violations:?}");
    }
    let mut reply = bottom_up("");
    reply["bottom_up"]["inputs"][1] =
        json!({"name": "rate", "value": "1.1", "unit": "EUR", "why": "a guess"});
    reply["bottom_up"]["steps"] =
        json!([{"name": "spending", "expression": "lawyers * price * rate", "unit": "EUR"}]);
    let why = sized(&reply).section.bottom_up.why_not.unwrap();
    assert!(why.ends_with("it combines two currencies, EUR and USD"), "{why}");
}

// proves: W4
#[test]
fn a_number_in_an_expression_is_assumed_unless_it_turns_units() {
    for (expression, label, alone) in [
        ("lawyers * 0.85 * price * 12", " (assumed: 0.85)", false),
        ("lawyers * price * 5%", " (assumed: 5 %)", false),
        ("lawyers * -(price * 2 + 3 * price)", " (assumed: 2, 3)", false),
        ("users * price * (1 - 12%)", " (assumed: 12 %)", false),
        ("lawyers * price * 52 / 365 * 12 / 100 * 1,000 * 1,000,000 * 1", " (assumed: 52)", false),
        ("lawyers * price * 100% * 12 / 100", "", false),
        ("5,000,000", " (on assumptions alone)", true),
        ("1,000,000 * 12", " (on assumptions alone)", true),
    ] {
        let Entered { section, claims, .. } = last_step(expression, "", "");
        let estimate = section.bottom_up;
        let text = &estimate.steps[1].statement.text;
        // The marks come after it.
        let said = text.split(" [").next().unwrap_or_default();
        let told = said.rfind(" (").map_or("", |from| &said[from..]);
        let told = if told.starts_with(" (assumed: ") || told.starts_with(" (on assumptions") {
            told
        } else {
            ""
        };
        assert_eq!(told, label, "{text}");
        assert_eq!(estimate.assumptions_alone, alone, "{expression}");
        let claim = &claims.last().unwrap().1;
        assert_eq!((claim.verdict, claim.citations.is_empty()), (Verdict::Recomputed, alone));
    }
    let mut reply = bottom_up("");
    reply["bottom_up"]["steps"][0]["expression"] = "lawyers * 0.85".into();
    let estimate = sized(&reply).section.bottom_up;
    let text = &estimate.steps[1].statement.text;
    assert!(text.ends_with(" (assumed: 0.85)"), "what rests on it is labelled too: {text}");
}

// proves: W4
#[test]
fn a_price_is_for_what_its_figure_says() {
    let figure = input("price", "$1,200 per lawyer per year", "USD", PRICE);
    let steps = json!([{"name": "spending", "expression": "lawyers * price", "unit": "USD"}]);
    let mut reply = bottom_up("");
    reply["bottom_up"]["inputs"][2] = figure;
    reply["bottom_up"]["steps"] = steps;
    let estimate = sized(&reply).section.bottom_up;
    assert_eq!(estimate.inputs[2].unit, "USD/lawyer/year");
    assert_eq!(estimate.inputs[2].origin, InputOrigin::Cited);
    assert_eq!(estimate.result.unwrap().shown, "$144 million per year");
}

// proves: W4
#[test]
fn two_estimates_are_compared_where_they_can_be() {
    let both = |value: &str, unit: &str| {
        let mut reply = bottom_up("");
        reply["top_down"] = json!({
            "inputs": [{"name": "part", "value": value, "unit": unit, "why": "a guess"}],
            "steps": [{"name": "all", "expression": "part", "unit": unit}],
        });
        sized(&reply)
    };
    let close = both("$60 million", "dollars per year");
    assert!(close.violations.is_empty(), "{:?}", close.violations);
    let comparison = close.section.comparison;
    assert!((comparison.ratio.unwrap() - 60.0 / 43.2).abs() < 1e-9);
    assert!(comparison.text.ends_with("differ by a factor of 1.389."), "{}", comparison.text);
    let far = both("$600 million", "USD/year").section.comparison;
    assert!(far.ratio.unwrap() > FAR_APART && far.text.starts_with("Warning: the two"), "{far:?}");
    let apart = both("9,000", "lawyers");
    assert!(apart.violations[0].contains("different units"), "{:?}", apart.violations);
    assert_eq!(apart.section.comparison.ratio, None);
}

#[test]
fn a_number_may_come_as_a_number() {
    let reply = json!({"bottom_up": {
        "inputs": [{"name": "Firms in Texas", "value": 500, "unit": "firms", "why": "a guess"}],
        "steps": [{"name": "half", "expression": "firms_in_texas * 50%", "unit": "firms", "value": 250}],
    }});
    let Entered { section, violations, .. } = sized(&reply);
    assert!(violations.is_empty(), "{violations:?}");
    assert_eq!(section.bottom_up.result.unwrap().shown, "250 firms");
}
