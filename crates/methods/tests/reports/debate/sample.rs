//! A debate with something everywhere.

use methods::debate::payload::{
    Agreement, Answer, Critique, Debate, Ending, Ingested, Listed, Markers, Proposed, Scientist,
    Sentence, Turn, Validation, Viability,
};
use run::ledger::Verdict;
use run::sandbox::{Checks, End, Execution, Left, Trial};
use serde_json::{Value, json};

const QUESTION: &str = "Can a network of depth 5 sort 8 numbers?";

fn opinion(text: &str) -> Sentence {
    Sentence { text: text.into(), numbers: vec![], verdict: None }
}

fn cited(text: &str, numbers: &[u32]) -> Sentence {
    Sentence { text: text.into(), numbers: numbers.into(), verdict: Some(Verdict::Supported) }
}

fn markers(viability: Viability, validation: Validation, answer: Option<Answer>) -> Markers {
    Markers {
        agreement: Agreement::Disagree,
        viability,
        validation,
        answer,
        verification_reason: answer
            .map(|_| "The check ran over all inputs of 0 and 1.".into())
            .unwrap_or_default(),
        conclusion: "Depth 6 is enough and 5 is not.".into(),
    }
}

fn listed(numbers: &[u32]) -> Listed {
    Listed {
        numbers: numbers.into(),
        source_uri: "https://doi.org/10.1000/networks".into(),
        text: "Doe, A. (1999). On sorting networks. Journal of Networks, 1(2), 3–4. https://doi.org/10.1000/networks".into(),
    }
}

fn executed() -> Trial {
    Trial::Executed(Execution {
        end: End::Exited { code: 0 },
        stdout: "256 inputs sorted\n".into(),
        stderr: "a warning".into(),
        duration_ms: 120,
        files: vec![Left { path: "out/table.csv".into(), bytes: 42, sha256: "00".into() }],
        checks: Checks { found: 2, held: 2, failed: 0 },
        interpreter: "Python 3.13.1".into(),
        layers: vec!["landlock".into(), "seccomp".into()],
    })
}

fn proposal(cycle: u32, trial: Trial) -> Turn {
    Turn {
        cycle,
        scientist: Scientist::Optimist,
        query: "sorting network depth 8".into(),
        ingested: Ingested { arxiv: 3, crossref: 4 },
        retrieved: 8,
        evidence: vec![1, 2, 3],
        position: vec![opinion("A network of depth 6 will do."), cited("Depth 5 is too little.", &[1])],
        synthesis: vec![cited("Bounds are known up to 16 inputs.", &[1, 2])],
        critique: vec![],
        next_step: vec![opinion("Run it over all inputs.")],
        proposal: Some(Proposed {
            explanation: vec![opinion("By the 0-1 principle 256 inputs are enough.")],
            language: "python".into(),
            code: "import itertools\nfor bits in itertools.product((0, 1), repeat=8):\n    assert sort(bits) == sorted(bits)\n".into(),
            trial,
        }),
        markers: markers(Viability::Viable, Validation::NotApplicable, None),
        overruled: String::new(),
        citations: vec![],
        references: vec![listed(&[1, 2])],
        response: String::new(),
    }
}

fn review(cycle: u32, validation: Validation, overruled: &str) -> Turn {
    Turn {
        scientist: Scientist::Pessimist,
        synthesis: vec![Sentence {
            verdict: Some(Verdict::Unsupported),
            ..cited("Depth 4 was claimed once.", &[])
        }],
        critique: vec![
            Critique {
                quotation: "A network of depth 6 will do.".into(),
                remark: cited("So it is stated.", &[2]),
            },
            Critique { quotation: String::new(), remark: opinion("The code is short.") },
        ],
        proposal: None,
        markers: markers(Viability::Viable, validation, Some(Answer::Verified)),
        overruled: overruled.into(),
        ..proposal(cycle, executed())
    }
}

pub(super) fn debate() -> Debate {
    let overruled = "the code did not come to a good end, so PASS became FAIL";
    let failed = Trial::NotExecuted { reason: "no sandbox is available here".into() };
    Debate {
        ending: Ending::Viable,
        answer: "After 2 cycles a viable solution was reached. Depth 6 is enough and 5 is not."
            .into(),
        grounded: true,
        turns: vec![
            proposal(1, executed()),
            review(1, Validation::Fail, overruled),
            proposal(2, failed),
            review(2, Validation::Pass, ""),
        ],
        max_turns: 4,
        reader: None,
    }
}

pub(super) fn build_envelope(mode: &str, status: &str, debate: &Debate) -> Value {
    json!({
        "run_id": "RUN",
        "method": "debate",
        "mode": mode,
        "status": status,
        "question": QUESTION,
        "models": {"main": "test-model"},
        "citations": [{
            "number": 1,
            "section": "On sorting networks",
            "source_uri": "https://doi.org/10.1000/networks",
            "quote": "Depth 5 is too little for 8 inputs.",
            "start": 10,
            "end": 45,
            "verdict": "supported",
        }],
        "references": [{"numbers": [1, 2], "text": listed(&[1, 2]).text}],
        "grounding": {"quoted": 0, "supported": 9, "recomputed": 0, "inferred": 0, "unsupported": 1},
        "usage": {"input_tokens": 10, "output_tokens": 5},
        "cost_usd": 0.01,
        "warnings": ["Crossref is limiting requests"],
        "deliverable": debate,
    })
}

pub(crate) fn envelopes() -> [(&'static str, Value); 4] {
    let max_turns = Debate { ending: Ending::MaxTurns, ..debate() };
    let mut offline = Debate { grounded: false, ..max_turns.clone() };
    offline.turns.truncate(1);
    offline.turns[0].proposal = None;
    let mut interrupted = Debate { ending: Ending::Interrupted, ..debate() };
    interrupted.turns.truncate(1);
    let mut broken = build_envelope("model", "partial", &interrupted);
    broken["error"] =
        json!({"stage": "turn 2/pessimist #1", "message": "the model does not answer"});
    [
        ("viable", build_envelope("model", "completed", &debate())),
        ("max_turns", build_envelope("model", "completed", &max_turns)),
        ("offline", build_envelope("offline", "completed", &offline)),
        ("interrupted", broken),
    ]
}

/// Puts a text everywhere where a model, a paper, a program or a user may put one.
pub(crate) fn filled(text: &str) -> Value {
    /// Keys whose values are the program's own words, or are read as such.
    const OURS: [&str; 9] = [
        "ending",
        "scientist",
        "verdict",
        "agreement",
        "viability",
        "validation",
        "answer",
        "outcome",
        "how",
    ];
    fn fill(value: &mut Value, text: &str) {
        match value {
            Value::String(own) => *own = text.to_owned(),
            Value::Array(items) => items.iter_mut().for_each(|item| fill(item, text)),
            Value::Object(members) => {
                members
                    .iter_mut()
                    .filter(|(key, _)| !OURS.contains(&key.as_str()))
                    .for_each(|(_, member)| fill(member, text));
            }
            _ => {}
        }
    }
    let mut all = debate();
    for turn in &mut all.turns {
        if turn.overruled.is_empty() {
            turn.overruled = text.into();
        }
    }
    let mut envelope = build_envelope("model", "completed", &all);
    fill(&mut envelope["deliverable"], text);
    envelope["deliverable"]["answer"] = text.into();
    for key in ["section", "source_uri", "quote"] {
        envelope["citations"][0][key] = text.into();
    }
    envelope["error"] = json!({"stage": text, "message": text});
    envelope["question"] = text.into();
    envelope["warnings"][0] = text.into();
    envelope
}
