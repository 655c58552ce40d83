//! What a sentence without figures does: it asks for something, says what could be, or says what the data does not tell.
//!
//! - It asks: it begins with what is to be done ("Ask 18-34 first what they would change."), or says who should do it, what deserves it.
//! - It says what could be: *may*, *could*, *would*.
//! - It tells what is not in the data: of the survey, its questions or figures, with a word that denies.
//!
//! Anything else tells a finding, which has a figure or is none. So does what is put beside a request: *because*, *which*, *they are*, a
//! rank, a change that is taken for granted ("the decline"). What is asked about may be told: "find out why they are unhappy".

use super::negations::ends;
use super::tokens::{Token, tokens};

/// What somebody is asked to do.
const TO_DO: &str = "act add address adjust advertise aim allow amend analyse analyze announce ask assess avoid balance begin bring build bundle \
    change check clarify clean close collect combine compare communicate consider continue create cut dedicate define deliver design develop \
    devote direct discuss double drop encourage engage ensure evaluate examine expand experiment explain explore extend find fix focus follow \
    gather give grow have help highlight identify improve include increase inform interview introduce invest investigate invite involve keep \
    launch learn let link listen look lower maintain make market measure modernise modernize monitor move negotiate observe offer open pilot \
    plan position prepare prioritise prioritize probe promote provide publish pursue put raise reach recommend reconsider reduce refine \
    reinforce remove repeat reply replace report request research reserve retain review reward run schedule secure seek segment send serve set \
    share shift show simplify speak start stop strengthen study support survey tailor take talk target teach tell test track train treat try \
    understand update upgrade use verify watch welcome widen win work";
/// Of these, what leads to a question.
const ASKING: &str = "analyse analyze ask assess check clarify discover discuss establish evaluate examine explain explore find identify \
    interview investigate learn listen look measure monitor observe probe research review see show speak study talk tell test track \
    understand verify watch";
const QUESTIONS: &[&str] =
    &["what", "why", "how", "whether", "which", "who", "where", "when", "if"];
const COULD: &[&str] = &[
    "may", "might", "could", "should", "would", "can", "must", "ought", "perhaps", "possibly",
    "let's",
];
/// What somebody or something is owed.
const OWED: &[&str] = &[
    "deserve",
    "deserves",
    "merit",
    "merits",
    "warrant",
    "warrants",
    "need",
    "needs",
    "require",
    "requires",
    "recommend",
    "recommends",
    "suggest",
    "suggests",
    "propose",
    "proposes",
];
/// What a limit is told of.
const OF_DATA: &[&str] = &[
    "survey",
    "surveys",
    "data",
    "study",
    "studies",
    "question",
    "questions",
    "questionnaire",
    "sample",
    "samples",
    "figure",
    "figures",
    "wave",
    "waves",
    "segment",
    "segments",
    "analysis",
    "answers",
    "base",
    "bases",
    "model",
    "interview",
    "interviews",
    "scale",
    "scales",
];
const DENIES: &[&str] = &[
    "not", "no", "nor", "neither", "cannot", "never", "nothing", "none", "only", "unknown",
    "unclear", "open", "without", "outside", "too", "missing", "absent", "lack", "lacks",
    "untested",
];
/// What begins a statement inside a sentence.
const STATES: &[&str] = &[
    "because", "since", "which", "who", "whom", "whose", "they", "it's", "is", "are", "was",
    "were", "has", "have", "had", "does", "did", "isn't", "aren't", "don't", "doesn't",
];
/// Changes, moods and amounts that are taken for granted behind an article.
const GRANTED: &[&str] = &[
    "anger",
    "collapse",
    "decline",
    "decrease",
    "deterioration",
    "discontent",
    "dissatisfaction",
    "drop",
    "erosion",
    "fall",
    "frustration",
    "gap",
    "growth",
    "improvement",
    "increase",
    "loss",
    "losses",
    "rise",
    "slump",
    "surge",
    "unrest",
    "weakness",
    "strength",
    "many",
    "few",
    "majority",
    "minority",
];

/// Returns what a sentence without figures tells although it may not; none where it asks, supposes, or names a limit.
pub(super) fn told(sentence: &[Token], named: &[bool]) -> Option<String> {
    let parts = parts(sentence, named);
    let mut done = 0;
    for (from, to) in parts {
        let part = sentence.get(from..to).unwrap_or_default();
        if !part.iter().any(Token::is_word) {
            continue;
        }
        done += 1;
        if is_limit(part) {
            continue;
        }
        let asks = asks(part);
        if !asks && !supposes(part) {
            return Some(shown(part));
        }
        if let Some(stated) = stated(part, named.get(from..to).unwrap_or_default()) {
            return Some(stated);
        }
    }
    (done == 0).then(String::new)
}

/// Divides a sentence at the marks between which a statement can stand alone.
fn parts(tokens: &[Token], named: &[bool]) -> Vec<(usize, usize)> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, token) in tokens.iter().enumerate() {
        let is_name = named.get(at).copied().unwrap_or_default();
        if !is_name && token.is(&[";", "—", ".", ":", "!", "?"]) {
            parts.push((from, at));
            from = at + 1;
        }
    }
    parts.push((from, tokens.len()));
    parts
}

fn listed(words: &str, token: &Token) -> bool {
    words.split_whitespace().any(|word| word == token.word)
}

/// Tells whether it begins with what is to be done, behind a few words and a comma at most.
fn asks(part: &[Token]) -> bool {
    let comma = part.iter().take(12).position(|token| token.word == ",");
    let begins = |at: usize| {
        part.get(at).is_some_and(|token| {
            listed(TO_DO, token)
                || (token.is(&["do", "please", "also", "first", "then", "now", "next"])
                    && part
                        .get(at + 1)
                        .is_some_and(|next| listed(TO_DO, next) || next.word == "not"))
                || (token.is(&["we", "i"]) && part.get(at + 1).is_some_and(|next| next.is(OWED)))
        })
    };
    begins(0) || comma.is_some_and(|comma| begins(comma + 1))
}

/// Tells whether it says what could be or is owed, before anything that it states.
fn supposes(part: &[Token]) -> bool {
    let first = part.iter().position(|token| token.is(COULD) || token.is(OWED));
    let statement = part.iter().position(|token| token.is(STATES));
    let condition = part.first().is_some_and(|token| token.is(&["if", "unless", "should"]));
    first.is_some_and(|first| condition || statement.is_none_or(|at| first < at))
}

/// Tells whether it names what the data does not tell, or leaves a question open.
fn is_limit(part: &[Token]) -> bool {
    let of_data = part.iter().any(|token| token.is(OF_DATA));
    let of_question = part.first().is_some_and(|token| token.is(QUESTIONS));
    (of_data || of_question) && part.iter().any(|token| token.is(DENIES))
}

/// Returns what is stated beside a request.
fn stated(part: &[Token], named: &[bool]) -> Option<String> {
    // "Should be asked what they miss" asks too.
    let asking: Vec<String> = tokens(ASKING).into_iter().map(|token| token.stem).collect();
    let asked = part.iter().enumerate().position(|(at, token)| {
        token.is(QUESTIONS)
            && part.get(at.wrapping_sub(1)).is_none_or(|before| before.word != ",")
            && part.iter().take(at).any(|before| asking.contains(&before.stem))
    });
    let condition = part.first().is_some_and(|token| token.is(&["if", "unless"]));
    for (at, token) in part.iter().enumerate() {
        if named.get(at).copied().unwrap_or_default() || asked.is_some_and(|asked| asked <= at) {
            continue;
        }
        let before = |by: usize| at.checked_sub(by).and_then(|back| part.get(back));
        let clause = part.iter().take(at).rposition(ends).map_or(0, |end| end + 1);
        if condition && clause == 0 {
            continue;
        }
        // "As" and "since" behind a comma give a reason.
        let reason = token.is(&["as"]) && before(1).is_some_and(|mark| mark.word == ",");
        let granted = token.is(GRANTED)
            && (1..=3)
                .any(|by| before(by).is_some_and(|one| one.is(&["the", "this", "their", "its"])));
        // Those whom a request is about: "customers who are at risk".
        let relative = part.iter().take(at + 1).rposition(|one| one.is(&["who", "that"]));
        let restricts = relative.is_some_and(|from| {
            from > clause
                && part.get(from - 1).is_some_and(Token::is_word)
                && part.get(from..at).is_some_and(|between| !between.iter().any(ends))
        });
        if (token.is(STATES) && !restricts) || reason || granted {
            return Some(shown(
                part.get(at.saturating_sub(1)..(at + 3).min(part.len())).unwrap_or_default(),
            ));
        }
    }
    None
}

/// Returns the first words of a part.
fn shown(part: &[Token]) -> String {
    let words: Vec<&str> = part.iter().take(6).map(|token| token.word.as_str()).collect();
    words.join(" ")
}
