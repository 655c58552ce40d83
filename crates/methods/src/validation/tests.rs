use serde_json::{Value, json};

use super::validate;

/// A result with a model: a sentence that a reader bore out, a cell of a table, and a conclusion.
fn result() -> Value {
    let answer = "Mites came in October. [1] | Soay | 15 years [2] | → Treat early. [1]";
    let citation = |number: u32, quote: &str, verdict: &str| {
        json!({
            "number": number, "evidence_id": format!("e{number}"), "source_uri": "doc://notes/a.md", "title": "", "section": "",
            "quote": quote, "start": 10 * number, "end": 10 * number as usize + quote.len(), "source_sha256": "", "verdict": verdict,
        })
    };
    let (one, two) = ("In October mites were seen.", "Soay sheep live for 15 years.");
    json!({
        "run_id": "r", "method": "ask", "mode": "model", "question": "?", "status": "completed", "answer": answer,
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
                {"text": "Treat early.", "verdict": "inferred", "citations": [], "rests_on": [1], "shown": {"start": 51, "end": 71}},
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
    assert_eq!(findings(&result()), Vec::<String>::new());
}

// proves: F9
#[test]
fn what_does_not_fit_together_is_named_with_its_place() {
    for (pointer, value, finding) in [
        ("/references/0/numbers", json!([3]), "/references/0/numbers: there is no citation [3]"),
        ("/references/0/numbers", json!([]), "/references/0/numbers: it stands for no citation"),
        ("/usage/by_agent/0/calls", json!(5), "/usage/by_agent: its parts used more than the run"),
        (
            "/usage/by_agent/0/input_tokens",
            json!(u64::MAX),
            "/usage/by_agent: its parts used more than the run",
        ),
        ("/usage/reading/cost_usd", json!(0.5), "/usage/reading: its parts used more than the run"),
        ("/usage/lost_calls", json!(4), "/usage/lost_calls: more calls were lost than made"),
        ("/cost_usd", json!(-1), "/cost_usd: it is less than nothing"),
        ("/mode", json!("offline"), "/usage: it is offline, and a model was asked"),
        (
            "/deliverable/claims/1/text",
            json!("Soay – Life: 16 years"),
            "/deliverable/claims/1/shown: the answer says something else there",
        ),
        (
            "/deliverable/claims/1/shown/start",
            json!(52),
            "/deliverable/claims/1/shown: bytes 52..48 are no span of the answer, which has 71 bytes",
        ),
        (
            "/deliverable/claims/2/shown/start",
            json!(52),
            "/deliverable/claims/2/shown: bytes 52..71 are no span of the answer, which has 71 bytes",
        ),
        (
            "/deliverable/claims/2/rests_on",
            json!([4]),
            "/deliverable/claims/2/rests_on: it holds, and claim 4, on which it rests, does not",
        ),
        (
            "/deliverable/claims/0/faults",
            json!([{"fault": "cites_nothing"}]),
            "/deliverable/claims/0/verdict: it is supported, and has faults",
        ),
        ("/citations/1/start", Value::Null, "/citations/1: its span lacks an end"),
        ("/citations/1/number", Value::Null, "/citations/1/number: it has no number"),
        ("/deliverable/claims/0/citations", json!([]), "/citations: no claim cites [1]"),
        ("/deliverable/claims/3/verdict", json!("true"), "/deliverable/claims/3/verdict: "),
        ("/usage/calls", json!(1e300), "/: "),
    ] {
        let mut wrong = result();
        *wrong.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer}")) = value;
        let found = findings(&wrong);
        assert!(found.iter().any(|one| one.starts_with(finding)), "{pointer}: {found:?}");
    }
}
