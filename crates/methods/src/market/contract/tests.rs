use std::path::Path;

use run::ledger::Citation;
use serde_json::json;

use super::super::payload::Statement;
use super::*;

// proves: W4
#[test]
fn the_published_schema_is_the_one_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/market_schema.json");
    let made = format!("{:#}\n", schema());
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(&path, &made).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        published, made,
        "schemas/market_schema.json is not the schema of the types; UPDATE_SCHEMAS=1 writes it anew"
    );
}

/// An analysis that passes, and its ledger.
fn whole() -> (Analysis, Vec<Claim>) {
    let citation: Citation = serde_json::from_value(json!({
        "number": 1, "evidence_id": "e", "source_uri": "https://example.org", "title": "", "section": "",
        "quote": "there are 120,000 lawyers", "start": 0, "end": 25, "source_sha256": "", "verdict": "supported",
    }))
    .unwrap();
    let claim = |text: &str, verdict| Claim {
        text: text.into(),
        verdict,
        citations: vec![citation.clone()],
        ..Claim::default()
    };
    let statement =
        |id: &str, text: &str, verdict| Statement { id: id.into(), text: text.into(), verdict };
    let analysis: Analysis = serde_json::from_value(json!({
        "question": "Q", "title": "T",
        "summary": [{"id": "c4", "text": "There are 120,000 lawyers. [1]", "verdict": "supported", "rests_on": ["c1"]}],
        "sizing": {
            "claims": [statement("c1", "Lawyers: 120,000 [1]", Verdict::Supported)],
            "top_down": {"inputs": [], "steps": [], "why_not": "nothing", "assumptions_alone": false, "corrections": []},
            "bottom_up": {
                "inputs": [
                    {"name": "lawyers", "description": "lawyers", "value": 120_000.0, "unit": "lawyers", "shown": "120,000 lawyers",
                     "origin": "cited", "statement": statement("c2", "lawyers: 120,000 [1]", Verdict::Supported), "unsupported": false},
                    {"name": "share", "description": "share", "value": 30.0, "unit": "%", "shown": "30 %",
                     "origin": "assumed", "why": "a guess", "unsupported": false},
                ],
                "steps": [{"name": "users", "expression": "lawyers * share", "unit": "lawyers", "value": 36_000.0,
                    "statement": statement("c3", "120,000 × 30 % = 36,000 (assumed: share) [1]", Verdict::Recomputed)}],
                "result": {"value": 36_000.0, "unit": "lawyers", "shown": "36,000 lawyers"},
                "assumptions_alone": false, "corrections": [],
            },
            "comparison": {"text": "There is no second estimate to compare."}, "gaps": [],
        },
        "left_out": [
            {"section": "competitors", "why": "not_planned"}, {"section": "customers", "why": "not_planned"},
            {"section": "strategy", "why": "nothing_found"},
        ],
        "open_questions": [], "searched": [], "stage_outputs": {},
        "scope": {"search_terms": [], "geographical_scope": "", "focus_areas": [], "answers": []},
        "learned": {"name": "", "description": "", "industry": "", "search_terms": [], "geographical_scope": ""},
    }))
    .unwrap();
    let ledger = vec![
        claim("There are 120,000 lawyers.", Verdict::Supported),
        claim("Lawyers: 120,000", Verdict::Supported),
        claim("lawyers: 120,000", Verdict::Supported),
        claim("120,000 × 30 % = 36,000 (assumed: share)", Verdict::Recomputed),
    ];
    (analysis, ledger)
}

// proves: W4
#[test]
fn what_the_contract_does_not_let_pass_is_named() {
    let (analysis, ledger) = whole();
    assert_eq!(violations(&analysis, &ledger), Vec::<String>::new());
    type Change = fn(&mut Analysis);
    fn below(analysis: &mut Analysis) -> &mut Estimate {
        &mut analysis.sizing.as_mut().unwrap().bottom_up
    }
    let changes: [(&str, Change); 19] = [
        ("title", |all| all.title.clear()),
        ("same id", |all| all.summary[0].statement.id = "c1".into()),
        ("not in the ledger", |all| {
            all.summary[0].statement.text = "There are 130,000 lawyers. [1]".into();
        }),
        ("mark of no citation", |all| {
            all.summary[0].statement.text = "There are 120,000 lawyers. [2]".into();
        }),
        ("has no mark", |all| all.summary[0].statement.text = "There are 120,000 lawyers.".into()),
        ("nothing bears it out", |all| all.summary[0].statement.verdict = Verdict::Unsupported),
        ("is not there", |all| all.summary[0].rests_on = vec!["c9".into()]),
        ("does not come out", |all| below(all).steps[0].value = 36_001.0),
        ("does not come out", |all| below(all).inputs[1].value = 31.0),
        ("comes out in 'lawyers', not in 'EUR/month'", |all| {
            below(all).steps[0].unit = "EUR/month".into();
            below(all).result.as_mut().unwrap().unit = "EUR/month".into();
        }),
        ("different units, 'lawyers' and no unit", |all| {
            below(all).steps[0].expression = "lawyers + share".into();
        }),
        ("does not say what was assumed", |all| {
            let step = &mut below(all).steps[0];
            (step.expression, step.value) = ("lawyers * share * 0.5".into(), 18_000.0);
            below(all).result.as_mut().unwrap().value = 18_000.0;
        }),
        ("neither an input", |all| below(all).steps[0].expression = "lawyers * price".into()),
        ("was not computed again", |all| {
            below(all).steps[0].statement.verdict = Verdict::Supported;
        }),
        ("not that of its last step", |all| below(all).result.as_mut().unwrap().value = 1.0),
        ("neither cited nor assumed", |all| below(all).inputs[0].statement = None),
        ("assumptions alone", |all| below(all).assumptions_alone = true),
        ("comparison", |all| all.sizing.as_mut().unwrap().comparison.ratio = Some(2.0)),
        ("no section 'customers'", |all| {
            all.left_out.retain(|one| one.section != Section::Customers);
        }),
    ];
    for (named, change) in changes {
        let (mut changed, ledger) = whole();
        change(&mut changed);
        let wrong = violations(&changed, &ledger).join("; ");
        assert!(wrong.contains(named), "{named} is not in: {wrong}");
    }
}
