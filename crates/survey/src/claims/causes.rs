//! Survey tables show what goes together, never what causes what.

use std::collections::BTreeSet;

use super::tokens::Token;

/// Phrases that tell a cause, by their words.
const PHRASES: &[&str] = &[
    "because",
    "because of",
    "due to",
    "owing to",
    "thanks to",
    "as a result",
    "result of",
    "results in",
    "resulted in",
    "resulting in",
    "resulting from",
    "results from",
    "resulted from",
    "result in",
    "led to",
    "leads to",
    "leading to",
    "lead to",
    "driven by",
    "drives",
    "drove",
    "driving",
    "driver of",
    "drivers of",
    "driver",
    "drivers",
    "drive",
    "caused",
    "causes",
    "causing",
    "cause",
    "caused by",
    "impact of",
    "impact on",
    "impacts",
    "impacted",
    "effect of",
    "effect on",
    "effects of",
    "explains",
    "explained by",
    "explaining",
    "explain",
    "attributable to",
    "attributed to",
    "stems from",
    "stem from",
    "stemming from",
    "triggered",
    "triggers",
    "triggered by",
    "boosted by",
    "fuelled by",
    "fueled by",
    "brought about",
    "influences",
    "influenced",
    "influenced by",
    "consequence of",
    "consequently",
    "as a consequence",
    "responsible for",
    "on account of",
    "prompted by",
    "prompted",
    "owes to",
    "accounts for the",
    "gives rise to",
    "gave rise to",
    "contributes to",
    "contributed to",
    "contributing to",
    "thereby",
    "courtesy of",
    "down to the",
    "attracted by",
    "motivated by",
];

/// Returns the phrase of a sentence that tells a cause; none where there is none outside names and the words of the question (stems in `asked`).
pub(super) fn cause(tokens: &[Token], named: &[bool], asked: &BTreeSet<String>) -> Option<String> {
    let topical = |at: usize| tokens.get(at).is_some_and(|token| asked.contains(&token.stem));
    let free = |at: usize| !named.get(at).copied().unwrap_or_default() && !topical(at);
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    for at in 0..tokens.len() {
        if !free(at) {
            continue;
        }
        // "Makes women more satisfied".
        if matches!(word(at), "makes" | "made" | "making" | "make")
            && (at + 1..at + 7).any(|next| {
                matches!(word(next), "more" | "less" | "happier" | "better" | "likelier")
            })
        {
            return Some(format!("{} … more", word(at)));
        }
        let phrase = PHRASES.iter().filter(|phrase| {
            phrase
                .split(' ')
                .enumerate()
                .all(|(next, wanted)| word(at + next) == wanted && (next > 0 || free(at)))
        });
        if let Some(phrase) = phrase.max_by_key(|phrase| phrase.len()) {
            return Some((*phrase).to_owned());
        }
    }
    None
}
