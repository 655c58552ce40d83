//! Conditions of tasks: a small closed vocabulary, read from the blackboard.

use std::fmt;

use serde::{Serialize, Serializer};

/// What must hold on the blackboard for a task to run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// What was found so far leaves too much of the question uncovered.
    RecallLow,
    /// The question may mean more than one of the things found, and no one said which.
    Ambiguity,
    /// Two sources contradict each other.
    Contradiction,
    /// Nothing that was found mentions this.
    Missing(String),
}

/// The vocabulary, as the planner is told it.
pub(super) const VOCABULARY: &str = "recall_low, ambiguity, contradiction, missing(what)";

impl Condition {
    /// Reads a condition: a word of the vocabulary, or a free phrase that means one ("if recall low", "if ambiguity blocks synthesis").
    /// Returns `None` for a phrase that means none of them, or several, or the opposite of one.
    ///
    /// ```
    /// use methods::ask::deep::Condition;
    ///
    /// assert_eq!(Condition::read("if recall low"), Some(Condition::RecallLow));
    /// assert_eq!(Condition::read("missing(market size)"), Some(Condition::Missing("market size".into())));
    /// assert_eq!(Condition::read("on Tuesdays"), None);
    /// ```
    pub fn read(phrase: &str) -> Option<Condition> {
        let phrase = phrase.trim().to_lowercase();
        if let Some(inside) = phrase.strip_prefix("missing(") {
            return missing(inside.strip_suffix(')')?);
        }
        let words: Vec<&str> = phrase
            .split(|c: char| !c.is_alphanumeric() && !"'-_".contains(c))
            .filter(|word| !word.is_empty())
            .flat_map(|word| word.split('_'))
            .collect();
        let words = words.strip_prefix(&["if"]).or(words.strip_prefix(&["when"])).unwrap_or(&words);
        const TURNED: [&str; 9] =
            ["not", "no", "unless", "without", "never", "isn't", "aren't", "nor", "else"];
        let turned = words.iter().any(|word| TURNED.contains(word));
        let has = |stems: &[&str]| {
            words.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)))
        };
        let low = has(&["low", "thin", "weak", "insufficient", "poor", "sparse"]);
        let mut meant = Vec::new();
        if low && has(&["recall", "evidence", "coverage"]) {
            meant.push(Condition::RecallLow);
        }
        if has(&["ambigu"]) {
            meant.push(Condition::Ambiguity);
        }
        if has(&["contradict", "conflict", "disagree"]) {
            meant.push(Condition::Contradiction);
        }
        if words.contains(&"missing") {
            meant.extend(missing(&spoken(words)?));
        }
        match (meant.as_slice(), turned) {
            ([_], false) => meant.pop(),
            _ => None,
        }
    }
}

/// Returns what is missing according to "X is missing" or "missing X".
fn spoken(words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| *word == "missing")?;
    let (before, after) = (words.get(..at)?, words.get(at + 1..)?);
    let before = before.strip_suffix(&["is"]).or(before.strip_suffix(&["are"])).unwrap_or(before);
    match (before, after) {
        (what, []) | ([], what) => Some(what.join(" ")),
        _ => None,
    }
}

impl Condition {
    /// Says what must be so, after "if".
    pub fn describe(&self) -> String {
        match self {
            Condition::RecallLow => "too little was found".to_owned(),
            Condition::Ambiguity => "the question is ambiguous".to_owned(),
            Condition::Contradiction => "sources contradict each other".to_owned(),
            Condition::Missing(what) => format!("nothing mentions {what}"),
        }
    }

    /// Says why a task with this condition is not needed.
    pub(super) fn describe_unmet(&self) -> String {
        match self {
            Condition::RecallLow => "enough was found".to_owned(),
            Condition::Ambiguity => "the question is not ambiguous".to_owned(),
            Condition::Contradiction => "no contradiction was found".to_owned(),
            Condition::Missing(what) => format!("{what} was found"),
        }
    }
}

fn missing(what: &str) -> Option<Condition> {
    const LONGEST: usize = 200;
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    let sound = what.chars().any(char::is_alphanumeric)
        && what.chars().count() <= LONGEST
        && !what.contains(['(', ')']);
    sound.then_some(Condition::Missing(what))
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::RecallLow => f.write_str("recall_low"),
            Condition::Ambiguity => f.write_str("ambiguity"),
            Condition::Contradiction => f.write_str("contradiction"),
            Condition::Missing(what) => write!(f, "missing({what})"),
        }
    }
}

impl Serialize for Condition {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: A4
    #[test]
    fn the_free_phrases_of_the_documents_mean_words_of_the_vocabulary() {
        for (phrase, meant) in [
            ("recall_low", "recall_low"),
            ("if recall low", "recall_low"),
            ("If recall is low.", "recall_low"),
            ("evidence is thin", "recall_low"),
            ("when coverage is insufficient", "recall_low"),
            ("ambiguity", "ambiguity"),
            ("if ambiguity blocks synthesis", "ambiguity"),
            ("if the question is ambiguous", "ambiguity"),
            ("contradiction", "contradiction"),
            ("if sources disagree", "contradiction"),
            ("if there are conflicting figures", "contradiction"),
            ("missing(Market  Size)", "missing(market size)"),
            ("if market size is missing", "missing(market size)"),
            ("missing market size", "missing(market size)"),
        ] {
            let read = Condition::read(phrase).map(|one| one.to_string());
            assert_eq!(read.as_deref(), Some(meant), "{phrase}");
        }
    }

    // proves: A4
    #[test]
    fn whatever_means_none_of_them_is_refused() {
        for phrase in [
            "",
            "if",
            "always",
            "on Tuesdays",
            "if recall is not low",
            "no ambiguity",
            "unless sources conflict",
            "if recall low or sources disagree",
            "missing()",
            "missing(a) and missing(b)",
            "missing(",
            "prices are missing in some places",
        ] {
            assert_eq!(Condition::read(phrase), None, "{phrase}");
        }
    }

    proptest! {
        #[test]
        fn any_phrase_is_read_or_refused_and_what_was_read_reads_the_same_again(phrase in ".{0,80}") {
            if let Some(condition) = Condition::read(&phrase) {
                prop_assert_eq!(Condition::read(&condition.to_string()), Some(condition));
            }
        }

        #[test]
        fn what_is_missing_comes_back(what in "[a-z]{1,9}( [a-z]{1,9}){0,3}") {
            prop_assume!(!what.contains("missing"));
            let read = Condition::read(&format!("missing({what})"));
            prop_assert_eq!(read, Some(Condition::Missing(what)));
        }
    }
}
