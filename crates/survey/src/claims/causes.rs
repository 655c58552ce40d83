//! Survey tables show what goes together, never what causes what.

use std::collections::BTreeSet;

use super::tokens::Token;
use crate::project::Project;

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
    "raises",
    "raised",
    "lowers",
    "lowered",
    "depresses",
    "depressed",
    "depress",
    "shapes",
    "shaped",
    "shape",
    "deters",
    "deterred",
    "boosts",
    "boosted",
    "hurts",
    "harms",
    "harmed",
    "damages",
    "damaged",
    "fuels",
    "fuelled",
    "fueled",
    "pushes",
    "pushed",
    "pulls",
    "dampens",
    "dampened",
    "erodes",
    "undermines",
    "undermined",
    "determines",
    "determined by",
    "keeps",
    "is why",
    "are why",
    "was why",
    "that's why",
    "which is why",
    "is what puts",
    "is what makes",
    "is what keeps",
    "is what turns",
    "is what drives",
    "is what sends",
    "in the wake of",
    "on the back of",
    "in response to",
    "lies behind",
    "lie behind",
    "behind the fall",
    "behind the drop",
    "behind the decline",
    "behind the rise",
    "behind the increase",
    "behind the change",
    "behind this",
    "makes the difference",
    "make the difference",
    "made the difference",
    "makes a difference",
    "make a difference",
    "made a difference",
    "makes all the difference",
    "plays a part",
    "plays a role",
    "given that",
    "given their",
    "given its",
    "seeing that",
    "on grounds of",
    "for being",
];

/// Who and what a clause of reason begins with: "since they are young".
const REASONED: &[&str] = &[
    "they",
    "it",
    "we",
    "he",
    "she",
    "you",
    "i",
    "their",
    "its",
    "our",
    "his",
    "her",
    "there",
    "many",
    "most",
    "few",
    "some",
    "people",
    "passengers",
    "respondents",
    "customers",
    "users",
];

/// What people do or think: what has drivers in the other sense of the word.
const OUTCOMES: &[&str] = &[
    "satisfaction",
    "dissatisfaction",
    "loyalty",
    "recommendation",
    "recommendations",
    "nps",
    "churn",
    "change",
    "growth",
    "decline",
    "trust",
    "spending",
    "use",
    "usage",
];

/// Whether a word tells a cause as a noun. Where a question is about drivers, those of buses are none.
fn drives(project: &Project, tokens: &[Token], at: usize) -> bool {
    if !tokens.get(at).is_some_and(|token| token.is(&["driver", "drivers"])) {
        return false;
    }
    let words = |of: &str| {
        let mut all = project.studies.iter().flat_map(|study| &study.questions);
        all.any(|one| {
            let labels = one.answers.iter().map(|answer| answer.label.as_str());
            labels
                .chain([one.text.as_str()])
                .any(|text| super::tokens::tokens(text).iter().any(|known| known.stem == of))
        })
    };
    let asked = words("driver");
    let mut after = tokens.iter().skip(at + 1);
    if after.next().is_none_or(|next| next.word != "of") {
        return !asked;
    }
    let of = after.find(|token| !token.is(&["the", "our", "their", "these", "this", "a", "city"]));
    !asked || of.is_none_or(|of| OUTCOMES.contains(&of.word.as_str()) || !words(&of.stem))
}

/// Whether what begins at a place is a clause: it has a verb before its end.
fn reasons(tokens: &[Token], at: usize) -> bool {
    const VERBS: &[&str] = &[
        "is", "are", "was", "were", "has", "have", "had", "do", "does", "did", "can", "cannot",
        "will", "lack", "want", "need", "like", "use", "take", "live", "own", "grew", "rose",
        "fell",
    ];
    let denies = |token: &Token| token.word.ends_with("n't");
    let clause = tokens.iter().skip(at + 2).take(5);
    clause
        .take_while(|token| !super::negations::ends(token))
        .any(|token| token.is(VERBS) || denies(token))
}

/// Returns the phrase of a sentence that tells a cause; none where there is none outside names and the words of the question (stems in `asked`).
pub(super) fn cause(
    project: &Project,
    tokens: &[Token],
    named: &[bool],
    asked: &BTreeSet<String>,
) -> Option<(usize, String)> {
    let topical = |at: usize| tokens.get(at).is_some_and(|token| asked.contains(&token.stem));
    let free = |at: usize| !named.get(at).copied().unwrap_or_default() && !topical(at);
    let word = |at: usize| tokens.get(at).map_or("", |token| token.word.as_str());
    for at in 0..tokens.len() {
        // What is named can be of the question; its drivers are looked at word by word.
        let driver = word(at).starts_with("driver") && word(at + 1) == "of";
        if driver && drives(project, tokens, at) {
            return Some((at, format!("{} of", word(at))));
        }
        if !free(at) {
            continue;
        }
        // "Makes women more satisfied".
        if matches!(word(at), "makes" | "made" | "making" | "make")
            && (at + 1..at + 7).any(|next| {
                matches!(word(next), "more" | "less" | "happier" | "better" | "likelier")
            })
        {
            return Some((at, format!("{} … more", word(at))));
        }
        // "Since they are young"; since a study is a time.
        if matches!(word(at), "since" | "as" | "for")
            && REASONED.contains(&word(at + 1))
            && reasons(tokens, at)
        {
            return Some((at, word(at).to_owned()));
        }
        let phrase = PHRASES.iter().filter(|phrase| {
            phrase
                .split(' ')
                .enumerate()
                .all(|(next, wanted)| word(at + next) == wanted && (next > 0 || free(at)))
        });
        if let Some(phrase) = phrase.max_by_key(|phrase| phrase.len()) {
            return Some((at, (*phrase).to_owned()));
        }
        if drives(project, tokens, at) {
            return Some((at, word(at).to_owned()));
        }
    }
    None
}
