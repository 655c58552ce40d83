//! How verdicts are shown: a quiet mark behind each sentence, a legend, and one line of counts.

use std::fmt::Write as _;

use run::ledger::Verdict;
use serde_json::Value;

use super::plain::{block, inline};
use super::{list, text};

/// What a verdict is shown with, and what it says. A conclusion begins with its arrow, so it needs no mark behind it.
const MARKS: [(&str, &str, &str); 4] = [
    ("quoted", "”", "says its source word for word"),
    ("recomputed", "=", "was computed by the program"),
    ("supported", "≈", "borne out by its source, as a second reader reads it"),
    ("inferred", "→", "the author's own conclusion from what is cited"),
];

/// Returns the mark of a verdict; empty where it has none.
pub(super) fn mark(verdict: &str) -> &'static str {
    MARKS.iter().find(|(name, ..)| *name == verdict).map_or("", |(_, mark, _)| *mark)
}

/// Returns the signs that stand behind a sentence, with the verdict of each and what it says.
pub(super) fn signs() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let behind = MARKS.iter().filter(|(verdict, ..)| *verdict != "inferred");
    behind.map(|(verdict, sign, says)| (*sign, *verdict, *says))
}

/// Returns a sentence, its numbers included, with the sign of its verdict: a conclusion begins with it, behind everything else it stands.
pub(super) fn signed(text: &str, verdict: Option<Verdict>) -> String {
    match verdict {
        Some(Verdict::Inferred) => format!("{} {text}", mark("inferred")),
        Some(Verdict::Unsupported) => format!("{text} *(unsupported)*"),
        verdict => format!("{text}{}", verdict.map_or("", |verdict| mark(verdict.name()))),
    }
}

/// Returns what a verdict says, in words.
pub(super) fn says(verdict: &str) -> &'static str {
    match verdict {
        "unsupported" => "not borne out by what it cites",
        "unread" => "the program found nothing wrong, and nobody has read it",
        _ => MARKS.iter().find(|(name, ..)| *name == verdict).map_or("", |(.., says)| *says),
    }
}

/// Puts the mark of its verdict behind each claim of an answer.
pub(super) fn marked(answer: &str, claims: &[Value]) -> String {
    let mut ends: Vec<(usize, &'static str)> = Vec::new();
    for claim in claims {
        let end = claim.pointer("/shown/end").and_then(Value::as_u64);
        let Some(end) = end.and_then(|end| usize::try_from(end).ok()) else { continue };
        let mark = match text(claim, "verdict") {
            "inferred" => "",
            verdict => mark(verdict),
        };
        if !mark.is_empty() && !ends.iter().any(|(known, _)| *known == end) {
            ends.push((end, mark));
        }
    }
    ends.sort_unstable();
    let mut page = String::with_capacity(answer.len() + ends.len() * 4);
    let mut from = 0;
    for (end, mark) in ends {
        let Some(piece) = answer.get(from..end) else { continue };
        page.push_str(piece);
        // Behind code the mark stands on a line of its own.
        page.push_str(if piece.ends_with("```") { "\n\n" } else { "" });
        page.push_str(mark);
        from = end;
    }
    page.push_str(answer.get(from..).unwrap_or_default());
    page
}

/// Writes how many claims came to which verdict, what the marks mean, and who read.
pub(super) fn counts(page: &mut String, envelope: &Value, plain: fn(&str) -> String) {
    let grounding = envelope.get("grounding").unwrap_or(&Value::Null);
    let count = |key: &str| grounding.get(key).and_then(Value::as_u64).unwrap_or_default();
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
        return;
    }
    let counts: Vec<String> =
        names.iter().filter(told).map(|name| format!("{} {name}", count(name))).collect();
    let _ = writeln!(page, "Grounding: {}.  ", counts.join(", "));
    let legend: Vec<String> = MARKS
        .iter()
        .filter(|(name, ..)| !is_former && count(name) > 0)
        .map(|(name, mark, says)| format!("{mark} {name}: {says}"))
        .collect();
    if !legend.is_empty() {
        let _ = writeln!(page, "Marks: {}.  ", legend.join(" · "));
    }
    let deliverable = envelope.get("deliverable").unwrap_or(&Value::Null);
    if let Some(reader) =
        deliverable.get("reader").filter(|_| count("supported") + count("inferred") > 0)
    {
        let (model, calibration) = (text(reader, "model"), text(reader, "calibration"));
        let _ = writeln!(
            page,
            "Second reader: {}, {}.  ",
            inline(model, plain),
            inline(calibration, plain)
        );
    }
}

/// Writes how the numbers come about that stand in a claim and not in what it cites.
pub(super) fn worked_out(page: &mut String, envelope: &Value, plain: fn(&str) -> String) {
    let claims = envelope.pointer("/deliverable/claims").and_then(Value::as_array);
    let holds = |claim: &&Value| !matches!(text(claim, "verdict"), "unsupported" | "unread");
    let mut has_any = false;
    for claim in claims.into_iter().flatten().filter(holds) {
        let mut ways: Vec<String> = list(claim, "derivations").iter().map(way).collect();
        let mut known = std::collections::BTreeSet::new();
        ways.retain(|way| known.insert(way.to_lowercase()));
        if ways.is_empty() {
            continue;
        }
        if !has_any {
            page.push_str("\n## Numbers worked out\n\n");
            has_any = true;
        }
        let ways = inline(&ways.join("; "), plain);
        let _ = writeln!(page, "- {} ({ways})", block(text(claim, "text"), plain));
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
pub(super) fn faults(sentence: &Value) -> Vec<&str> {
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
        let mut page = String::new();
        worked_out(&mut page, &envelope, |text| text.to_owned());
        assert_eq!(
            page,
            "\n## Numbers worked out\n\n- It is seven times as fast. (seven times ≈ 94 / 13)\n\
             - Twelve need 14. (Twelve: from the question; 14 = 12 (from the question) + 2)\n\
             - It cost <b>. (£3 million < £3.4 million)\n"
        );
        let mut page = String::new();
        worked_out(
            &mut page,
            &json!({"deliverable": {"claims": [claim("It rose.", "quoted", json!([]))]}}),
            |text| text.to_owned(),
        );
        assert_eq!(page, "");
    }
}
