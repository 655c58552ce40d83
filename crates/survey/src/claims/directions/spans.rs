//! From one study to another: what a number comes from is earlier than what it goes to.

use super::{Sentence, What};
use crate::claims::parts::Dimension;

/// Appends what is wrong where a change is told from the later study to the earlier one.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let studies: Vec<&str> =
        sentence.project.studies.iter().map(|study| study.id.as_str()).collect();
    let place = |at: usize| -> Option<usize> {
        let labels = sentence.labels(&Dimension::Study);
        let (_, _, own) = labels.at.iter().find(|(from, to, _)| (*from..*to).contains(&at))?;
        studies.iter().position(|id| own.contains(*id))
    };
    // The study of a number: the one named right after it; of a study, itself.
    let stands = |at: usize| -> Option<usize> {
        let from = (at + 1..at + 4).find(|at| place(*at).is_some() || !joins(sentence, *at))?;
        if let Some(study) = place(from) {
            return Some(study);
        }
        let said =
            sentence.said.iter().find(|said| said.from == from && said.what == What::Value)?;
        let named = (said.to..said.to + 4).find(|at| {
            place(*at).is_some() || !joins(sentence, *at) && sentence.word(*at) != "("
        })?;
        place(named)
    };
    for at in 0..sentence.tokens.len() {
        if !sentence.free(at) || !matches!(sentence.word(at), "from" | "after") {
            continue;
        }
        if sentence.word(at) == "after" && !(numbered(sentence, at) && stands(at).is_some()) {
            faults.push(
                "'after' tells what came first, and no figure does: leave it out, or give the earlier number with its study.".to_owned(),
            );
            continue;
        }
        let Some(first) = stands(at) else { continue };
        // "Differs from 53.1 % in W2" has no order.
        let differs = (1..=5).any(|by| sentence.back(at, by).starts_with("differ"));
        let to = (0..sentence.tokens.len())
            .filter(|to| sentence.word(*to) == "to" && sentence.free(*to) && to.abs_diff(at) <= 12);
        let later = to.filter_map(stands).min_by_key(|other| *other <= first);
        let latest = first + 1 == studies.len() && !differs && numbered(sentence, at);
        if latest || later.is_some_and(|other| other < first) {
            faults.push(format!(
                "'{}' {} goes back in time: put the earlier study first.",
                sentence.word(at),
                studies.get(first).copied().unwrap_or_default()
            ));
        }
    }
}

fn joins(sentence: &Sentence<'_>, at: usize) -> bool {
    matches!(sentence.word(at), "the" | "in" | "a" | "of" | "about" | "its" | "at" | "still")
}

/// Whether a number follows, and no study itself.
fn numbered(sentence: &Sentence<'_>, at: usize) -> bool {
    sentence.said.iter().any(|said| (at + 1..=at + 2).contains(&said.from))
}
