//! Answers to a multiple-response question overlap, and their shares are never added up.
//!
//! *Add up*, *sum* and the like are faults there; *together*, *combined*, *in total* need the share of both as one figure: `share(Q3=1|4)`.

use super::numbers::What;
use super::sentence::Sentence;
use crate::figure::Measure;
use crate::study::Kind;

/// Appends what was added up.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let multiple = sentence.parts.iter().filter(|part| part.question.kind == Kind::Multi);
    let mut ids = multiple.map(|part| part.question.id.as_str());
    let joint = sentence
        .parts
        .iter()
        .any(|part| matches!(&part.asked.spec.measure, Measure::Share(places) if places.len() > 1));
    let overlapping = ids.next();
    for at in 0..sentence.tokens.len() {
        if !sentence.free(at) {
            continue;
        }
        let next = sentence.word(at + 1);
        let adds = matches!(
            sentence.word(at),
            "sum"
                | "sums"
                | "summed"
                | "summing"
                | "totalling"
                | "totaling"
                | "totals"
                | "cumulatively"
        ) || matches!(sentence.word(at), "add" | "adds" | "added" | "adding")
            && next == "up";
        let together = matches!(
            sentence.word(at),
            "together" | "combined" | "altogether" | "jointly" | "collectively"
        );
        if let Some(id) = overlapping.filter(|_| adds) {
            faults.push(format!(
                "answers to {id} overlap, so that their shares do not add up: tell the share of those who gave any of them, share({id}=…|…)."
            ));
        } else if (together || adds) && !joint {
            let number = sentence.said.iter().any(|said| said.what == What::Value);
            if number && sentence.parts.iter().any(|part| !part.part.answers.is_empty()) {
                faults.push(format!(
                    "'{}' needs the figure of all these answers in one, such as share(Q1=1|2).",
                    sentence.word(at)
                ));
            }
        }
    }
}
