use serde_json::{Value, json};

use super::validate;

/// A result with a model: a sentence that a reader bore out, a cell of a table, and a conclusion.
fn build_result() -> Value {
    let answer = "Mites came in October. [1] | Soay | 15 years [2] | → Treat early. [1]";
    let citation = |number: u32, quote: &str, verdict: &str| {
        json!({
            "number": number, "evidence_id": format!("e{number}"), "source_uri": "doc://notes/a.md", "title": "", "section": "",
            "quote": quote, "start": 10 * number, "end": 10 * number as usize + quote.len(), "source_sha256": "0a".repeat(32), "verdict": verdict,
        })
    };
    let (one, two) = ("In October mites were seen.", "Soay sheep live for 15 years.");
    json!({
        "run_id": "r", "method": "ask", "mode": "model", "models": {"main": "m"}, "question": "?", "status": "completed", "answer": answer,
        "citations": [citation(1, one, "supported"), citation(2, two, "supported")],
        "references": [{"numbers": [1], "source_uri": "doc://notes/a.md", "text": "A.", "work": {}}],
        "grounding": {"quoted": 0, "recomputed": 0, "supported": 2, "inferred": 1, "unsupported": 1},
        "usage": {
            "input_tokens": 100, "cached_tokens": 0, "output_tokens": 10, "calls": 3, "lost_calls": 1,
            "reading": {"input_tokens": 40, "cached_tokens": 0, "output_tokens": 5, "cost_usd": 0.1},
            "by_agent": [
                {"agent": "writer", "calls": 1, "input_tokens": 60, "cached_tokens": 0, "output_tokens": 5, "cost_usd": 0.2},
                {"agent": "reader", "calls": 1, "input_tokens": 40, "cached_tokens": 0, "output_tokens": 5, "cost_usd": 0.1},
            ],
        },
        "cost_usd": 0.3, "warnings": [],
        "deliverable": {
            "answer": answer,
            "claims": [
                {"text": "Mites came in October.", "verdict": "supported", "faults": [], "citations": [citation(1, one, "supported")], "shown": {"start": 0, "end": 26}},
                {"text": "Soay – Life: 15 years", "verdict": "supported", "citations": [citation(2, two, "supported")], "shown": {"start": 36, "end": 48}},
                {"text": "Treat early.", "verdict": "inferred", "citations": [citation(1, one, "supported")], "rests_on": [1], "shown": {"start": 51, "end": 71}},
                {"text": "It rained.", "verdict": "unsupported", "citations": [], "faults": [{"fault": "cites_nothing"}]},
            ],
        },
    })
}

fn findings(result: &Value) -> Vec<String> {
    validate(&crate::all(), result).iter().map(ToString::to_string).collect()
}

// proves: F9
#[test]
fn a_result_with_a_model_holds_together() {
    assert_eq!(findings(&build_result()), Vec::<String>::new());
}

// proves: F9
#[test]
fn what_does_not_fit_together_is_named_with_its_place() {
    for (pointer, value, finding) in [
        ("/references/0/numbers", json!([3]), "/references/0/numbers: there is no citation [3]"),
        (
            "/references/0/source_uri",
            json!("https://a.example"),
            "/references/0/source_uri: it differs from that of its first citation",
        ),
        ("/references/0/numbers", json!([]), "/references/0/numbers: it belongs to no citation"),
        ("/usage/by_agent/0/calls", json!(5), "/usage/by_agent: its parts used more than the run"),
        (
            "/usage/by_agent/0/input_tokens",
            json!(u64::MAX),
            "/usage/by_agent: its parts used more than the run",
        ),
        ("/usage/reading/cost_usd", json!(0.5), "/usage/reading: its parts used more than the run"),
        ("/usage/lost_calls", json!(4), "/usage/lost_calls: more calls were lost than were made"),
        ("/cost_usd", json!(-1), "/cost_usd: it is below zero"),
        ("/mode", json!("offline"), "/usage: the mode is offline, but a model was asked"),
        (
            "/deliverable/claims/1/text",
            json!("Soay – Life: 16 years"),
            "/deliverable/claims/1/shown: the answer has different text there",
        ),
        (
            "/deliverable/claims/1/shown/start",
            json!(52),
            "/deliverable/claims/1/shown: bytes 52–48 are not a span of the answer, which has 71 bytes",
        ),
        (
            "/deliverable/claims/2/shown/start",
            json!(52),
            "/deliverable/claims/2/shown: bytes 52–71 are not a span of the answer, which has 71 bytes",
        ),
        (
            "/deliverable/claims/2/rests_on",
            json!([4]),
            "/deliverable/claims/2/rests_on: it passed the check, but claim 4, on which it rests, did not",
        ),
        (
            "/deliverable/claims/0/faults",
            json!([{"fault": "cites_nothing"}]),
            "/deliverable/claims/0/verdict: it is supported, but has faults",
        ),
        ("/citations/1/start", Value::Null, "/citations/1: its span has no end"),
        ("/citations/1/number", Value::Null, "/citations/1/number: it has no number"),
        ("/deliverable/claims/1/citations", json!([]), "/citations: no claim cites [2]"),
        ("/deliverable/claims/3/verdict", json!("true"), "/deliverable/claims/3/verdict: "),
        ("/usage/calls", json!(1e300), "/: "),
        ("/method", json!("zzz"), "/method: there is no method \"zzz\""),
        ("/method", json!(""), "/method: there is no method \"\""),
        ("/models", Value::Null, "/mode: the mode is model, but no models are named"),
        ("/grounding/inferred", Value::Null, "/grounding: the count of inferred is missing"),
        ("/citations/1/title", json!("T"), "/citations/1: its title differs from that of [2]"),
        ("/citations/1/section", json!("S"), "/citations/1: its section differs from that of [2]"),
        (
            "/citations/1/verdict",
            json!("quoted"),
            "/citations/1: its verdict differs from that of [2]",
        ),
        (
            "/deliverable/claims/1/citations/0/source_sha256",
            json!("zz"),
            "/deliverable/claims/1/citations/0/source_sha256: it is not a SHA-256",
        ),
        (
            "/deliverable/claims/1/citations/0/number",
            Value::Null,
            "/deliverable/claims/1/citations/0: it is supported, but has no number",
        ),
        (
            "/deliverable/claims/1/citations/0/number",
            json!(1),
            "/deliverable/claims/1/shown: the answer does not show [1] there, although the claim cites it",
        ),
        (
            "/deliverable/claims/1/shown/start",
            json!(20),
            "/deliverable/claims/1/shown: it overlaps another claim",
        ),
        (
            "/deliverable/claims/1/shown",
            Value::Null,
            "/answer: it shows [2] where there is no claim",
        ),
    ] {
        let mut wrong = build_result();
        *wrong.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        let found = findings(&wrong);
        assert!(found.iter().any(|one| one.starts_with(finding)), "{pointer}: {found:?}");
    }
}

/// Returns the result with another field.
fn with(pointer: &str, key: &str, value: Value) -> Value {
    let mut result = build_result();
    result.pointer_mut(pointer).unwrap()[key] = value;
    result
}

fn assert_found(result: &Value, finding: &str) {
    let found = findings(result);
    assert!(found.iter().any(|one| one.starts_with(finding)), "{finding}: {found:?}");
}

// proves: F9
#[test]
fn a_field_of_a_former_layout_excuses_nothing() {
    let mut mixed = with("/grounding", "verified", json!(0));
    assert_found(&mixed, "/grounding/verified: only former versions counted it");
    mixed["citations"][0]["end"] = json!(1_000);
    assert_found(&mixed, "/citations/0: its span has ");
    let former = with("", "grounding", json!({"verified": 0, "recomputed": 0, "unsupported": 1}));
    assert_found(&former, "/deliverable/claims/0/verdict: it is supported, which former versions");
    assert_found(
        &former,
        "/usage/by_agent: former versions with this layout did not list usage by agent",
    );
    let mut checked = former.clone();
    checked["method"] = json!("check");
    assert_found(&checked, "/grounding/verified: no version of check counted");
}

// proves: F3, F9
#[test]
fn a_citation_is_called_as_its_report_calls_it() {
    let mut labelled = build_result();
    for (index, label) in ["1a", "1b"].into_iter().enumerate() {
        labelled["citations"][index]["label"] = json!(label);
    }
    assert_eq!(validate(&crate::all(), &labelled), []);
    labelled["citations"][1]["label"] = json!("2");
    assert_found(&labelled, "/citations/1/label: the report shows [1b] for [2]");
}

// proves: F9
#[test]
fn a_whole_result_has_its_claims() {
    let mut bare = build_result();
    bare["deliverable"].as_object_mut().unwrap().remove("claims");
    assert_found(&bare, "/deliverable: the run is completed, but has no claims");
}

// proves: F9
#[test]
fn marks_stand_where_the_claims_that_cite_stand() {
    let answered = |answer: &str| {
        let mut changed = with("/deliverable", "answer", json!(answer));
        changed["answer"] = json!(answer);
        changed
    };
    let answer = build_result()["answer"].as_str().unwrap().to_owned();
    let more = format!("{answer} Snow was hanged. [1]");
    assert_found(&answered(&more), "/answer: it shows [1] where there is no claim");
    let swapped = answer.replacen("[1]", "[2]", 1);
    let at = "/deliverable/claims/0/shown: the answer ";
    assert_found(&answered(&swapped), &format!("{at}does not show [1] there"));
    assert_found(&answered(&swapped), &format!("{at}shows [2] there"));
    let dropped = answer.replacen("[1]", "   ", 1);
    assert_found(&answered(&dropped), &format!("{at}does not show [1] there"));
    // What a source has in brackets is its own.
    let quoted = "Mites came in October [2].";
    let mut own = answered(&answer.replacen("Mites came in October. [1]", quoted, 1));
    own["deliverable"]["claims"][0]["citations"][0]["quote"] = json!("In October mites [2] came.");
    let foreign = "the answer shows [2] there";
    assert!(findings(&own).iter().all(|one| !one.contains(foreign)), "{own:#}");
}

// proves: F9
#[test]
fn an_answer_without_a_model_is_its_claims_and_nothing_else() {
    let mut plain = with("/deliverable", "strategy", json!("rag"));
    plain["strategy"] = json!("rag");
    plain["deliverable"]["claims"][0].as_object_mut().unwrap().remove("shown");
    assert_found(
        &plain,
        "/deliverable/claims/0: it passed the check, but is nowhere in the answer",
    );
    plain["deliverable"]["grounded"] = json!(false);
    assert_found(
        &plain,
        "/deliverable/grounded: a claim passed the check, but the answer is marked as not",
    );
    plain["mode"] = json!("offline");
    assert_found(&plain, "/answer: it contains a sentence that is not a claim");
}

// proves: F9
#[test]
fn a_quoted_claim_says_all_of_the_statement_that_it_quotes() {
    let quoting = |text: &str, address: Value| {
        let mut changed = build_result();
        let claim = &mut changed["deliverable"]["claims"][1];
        claim["text"] = json!(text);
        claim["verdict"] = json!("quoted");
        claim["citations"][0]["address"] = address;
        findings(&changed).iter().any(|one| one.ends_with("its quotes have different text"))
    };
    for (text, says_else) in [
        ("Soay sheep live for 15 years.", false),
        ("soay sheep live for 15 years", false),
        ("It is a lie that: Soay sheep live for 15 years.", true),
        ("Soay sheep live.", true),
        ("Soay sheep live for -15 years.", true),
        ("Soay sheep live for 1.5 years.", true),
    ] {
        assert_eq!(quoting(text, json!("2.1")), says_else, "{text}");
    }
    // Of several statements one may be said.
    assert!(!quoting("Soay sheep live.", json!("2.1-2")));
    assert!(quoting("It is a lie that: Soay sheep live for 15 years.", json!("2.1-2")));
}

// proves: F9
#[test]
fn nothing_costs_anything_where_no_model_was_asked() {
    let used = json!({"input_tokens": 0, "cached_tokens": 0, "output_tokens": 0, "calls": 0, "lost_calls": 0});
    assert_found(&with("", "usage", used), "/cost_usd: it is not zero, but no model was asked");
}

// proves: F9
#[test]
fn one_passage_is_of_one_source() {
    let mut changed = build_result();
    changed["deliverable"]["claims"][2]["citations"][0]["source_sha256"] = json!("0b".repeat(32));
    let at = "/deliverable/claims/2/citations/0/evidence_id: ";
    assert_found(&changed, &format!("{at}the same passage has a different source"));
}
