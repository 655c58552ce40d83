//! How verdicts are shown: a quiet sign behind each sentence, a legend, and one line of counts.

use std::fmt::Write as _;

use render::{Document, Line, Sign};
use run::ledger::Verdict;
use serde_json::Value;

use super::{list, number, text};

/// Each verdict that has a sign. A conclusion begins with its arrow, so it needs none behind it.
const SIGNS: [Sign; 4] = [
    Sign { verdict: "quoted", sign: "”", says: "the sentence is in its source, word for word" },
    Sign {
        verdict: "recomputed",
        sign: "=",
        says: "the program computed the number from cited figures",
    },
    Sign {
        verdict: "supported",
        sign: "≈",
        says: "a second reader found that the source bears it out",
    },
    Sign {
        verdict: "inferred",
        sign: "→",
        says: "the author's own conclusion from the cited sentences",
    },
];

/// Returns the sign of a verdict.
pub(crate) fn find_sign(verdict: &str) -> Option<Sign> {
    SIGNS.into_iter().find(|sign| sign.verdict == verdict)
}

/// Returns a sentence, its numbers included, with the sign of its verdict: a conclusion begins with it, behind everything else it stands.
pub(crate) fn signed(line: Line, verdict: Option<Verdict>) -> Line {
    match verdict {
        Some(Verdict::Inferred) => Line::from("→ ").then(line),
        Some(Verdict::Unsupported) => line.text(" ").emphasis("(unsupported)"),
        Some(verdict) => match find_sign(verdict.name()) {
            Some(sign) => line.sign(sign),
            None => line,
        },
        None => line,
    }
}

/// Returns what a verdict says, in words.
pub(crate) fn says(verdict: &str) -> &'static str {
    match verdict {
        "unsupported" => "what it cites does not bear it out",
        "unread" => "the program found no fault, but no second reader checked it",
        verdict => find_sign(verdict).map_or("", |sign| sign.says),
    }
}

/// Returns where in an answer the sign of a claim stands: behind it.
pub(crate) fn find_signs(claims: &[Value]) -> Vec<(usize, Sign)> {
    let mut signs: Vec<(usize, Sign)> = Vec::new();
    for claim in claims {
        let end = claim.pointer("/shown/end").and_then(Value::as_u64);
        let Some(end) = end.and_then(|end| usize::try_from(end).ok()) else { continue };
        let sign = find_sign(text(claim, "verdict")).filter(|sign| sign.verdict != "inferred");
        if let Some(sign) = sign.filter(|_| !signs.iter().any(|(known, _)| *known == end)) {
            signs.push((end, sign));
        }
    }
    signs.sort_unstable_by_key(|(end, _)| *end);
    signs
}

/// Returns lines that say how many claims came to which verdict, what the signs mean, and who read.
pub(crate) fn counts(envelope: &Value) -> Vec<String> {
    let nothing = Value::Null;
    let grounding = envelope.get("grounding").unwrap_or(&nothing);
    let count = |key: &str| number(grounding, key);
    let is_former = grounding.get("verified").is_some();
    let names: &[&str] = if is_former {
        &["verified", "recomputed", "unsupported"]
    } else {
        &["quoted", "recomputed", "supported", "inferred", "unread", "unsupported"]
    };
    let told = |name: &&&str| {
        is_former || matches!(**name, "quoted" | "supported" | "unsupported") || count(name) > 0
    };
    if names.iter().all(|name| count(name) == 0) {
        return vec![];
    }
    let counts: Vec<String> =
        names.iter().filter(told).map(|name| format!("{} {name}", count(name))).collect();
    let mut lines = vec![format!("Grounding: {}.", counts.join(", "))];
    let legend: Vec<String> = SIGNS
        .iter()
        .filter(|sign| !is_former && count(sign.verdict) > 0)
        .map(|Sign { sign, verdict, says }| format!("{sign} {verdict}: {says}"))
        .collect();
    if !legend.is_empty() {
        lines.push(format!("Marks: {}.", legend.join(" · ")));
    }
    let reader = envelope.pointer("/deliverable/reader");
    if let Some(reader) = reader.filter(|_| count("supported") + count("inferred") > 0) {
        let (model, calibration) = (text(reader, "model"), text(reader, "calibration"));
        lines.push(format!("Second reader: {model}, {calibration}."));
    }
    lines
}

/// Adds how the numbers come about that stand in a claim and not in what it cites.
pub(crate) fn worked_out(report: &mut Document, envelope: &Value) {
    let deliverable = envelope.get("deliverable").unwrap_or(&Value::Null);
    let holds = |claim: &&Value| !matches!(text(claim, "verdict"), "unsupported" | "unread");
    let mut items = Vec::new();
    for claim in list(deliverable, "claims").iter().filter(holds) {
        let mut ways: Vec<String> = list(claim, "derivations").iter().map(way).collect();
        let mut known = std::collections::BTreeSet::new();
        ways.retain(|way| known.insert(way.to_lowercase()));
        if !ways.is_empty() {
            items.push(format!("{} ({})", text(claim, "text"), ways.join("; ")));
        }
    }
    if !items.is_empty() {
        report.heading("Numbers worked out");
        report.items(items);
    }
}

/// Says how a number comes about: "seven times ≈ 94 / 13", "twelve: from the question".
fn way(derivation: &Value) -> String {
    let [number, expression] = ["number", "expression"].map(|key| text(derivation, key));
    let alone = expression.trim().strip_prefix("asked(").and_then(|rest| rest.split_once(')'));
    if alone.is_some_and(|(_, behind)| behind.is_empty()) {
        return format!("{number}: from the question");
    }
    let sign = match text(derivation, "relation") {
        "about" => "≈",
        "more_than" => "<",
        "less_than" => ">",
        _ => "=",
    };
    format!("{number} {sign} {}", asked(expression))
}

/// Returns an expression with what the asker gave in words: `asked(12) + 2` is "12 (from the question) + 2".
fn asked(expression: &str) -> String {
    let mut said = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some((before, inside)) = rest.split_once("asked(") {
        said.push_str(before);
        let (number, behind) = inside.split_once(')').unwrap_or((inside, ""));
        let _ = write!(said, "{} (from the question)", number.trim());
        rest = behind;
    }
    said.push_str(rest);
    said
}

/// Returns the faults of a claim, in words.
pub(crate) fn faults(sentence: &Value) -> Vec<&str> {
    list(sentence, "faults").iter().map(|fault| text(fault, "says")).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // proves: C4, C13
    #[test]
    fn how_a_number_comes_about_is_told_where_its_claim_holds() {
        let derivation = |number: &str, expression: &str, relation: &str| json!({"number": number, "expression": expression, "relation": relation});
        let claim = |text: &str, verdict: &str, derivations: Value| json!({"text": text, "verdict": verdict, "derivations": derivations});
        let envelope = json!({"deliverable": {"claims": [
            claim("It is seven times as fast.", "supported", json!([derivation("seven times", "94 / 13", "about")])),
            claim("Twelve need 14.", "inferred", json!([
                derivation("Twelve", "asked(twelve)", "equal"), derivation("twelve", "asked(twelve)", "equal"), derivation("14", "asked( 12 ) + 2", "equal"),
            ])),
            claim("It cost <b>.", "supported", json!([derivation("£3 million", "£3.4 million", "more_than")])),
            claim("It is nine times.", "unsupported", json!([derivation("nine", "94 / 13", "equal")])),
        ]}});
        let mut report = Document::default();
        worked_out(&mut report, &envelope);
        assert_eq!(
            render::markdown::write(&report),
            "## Numbers worked out\n\n- It is seven times as fast. (seven times ≈ 94 / 13)\n\
             - Twelve need 14. (Twelve: from the question; 14 = 12 (from the question) + 2)\n\
             - It cost \\<b>. (£3 million < £3.4 million)\n"
        );
        let quoted = json!({"deliverable": {"claims": [claim("It rose.", "quoted", json!([]))]}});
        let mut report = Document::default();
        worked_out(&mut report, &quoted);
        assert_eq!(report, Document::default());
    }
}
