//! The brief: what a report must answer, drafted by a planner or made from the question by a rule.

use run::sources::Query;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::Language;

use crate::ask::remarks;
use crate::grounded::docket::plain;
use crate::outside;

/// What a report must answer, and whom it is for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Brief {
    /// What is asked, in one sentence.
    #[schemars(length(max = 600))]
    pub asked: String,
    /// Who would ask it differently, and what they would want to know.
    #[schemars(length(max = 6), inner(length(max = 300)))]
    pub perspectives: Vec<String>,
    /// What the reader wants: a decision, an overview, a comparison; for whom, how long, in which language.
    #[schemars(length(max = 400))]
    pub form: String,
    /// What must be answered, one thing each; none where the question is one thing itself.
    #[schemars(length(max = 12))]
    pub questions: Vec<SubQuestion>,
}

/// One of the questions that a report must answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(extend("required" = ["question"]))]
pub struct SubQuestion {
    /// A full question.
    #[schemars(length(max = 300))]
    pub question: String,
    /// What would count as an answer.
    #[schemars(length(max = 300))]
    pub answer: String,
    /// What is searched for, a few words each.
    #[schemars(length(max = 4), inner(length(max = 200)))]
    pub queries: Vec<String>,
}

impl SubQuestion {
    fn of((question, query): (String, String)) -> SubQuestion {
        let query: String = query.chars().take(Query::LONGEST).collect();
        SubQuestion { question, queries: vec![query], ..SubQuestion::default() }
    }

    /// Returns the terms to look it up by: the question itself, and its search terms.
    pub fn terms(&self) -> Vec<String> {
        let own = [self.question.as_str()].into_iter();
        outside::distinct(own.chain(self.queries.iter().map(String::as_str)))
    }
}

impl Brief {
    /// Returns the draft cleaned up: on single lines, without marks, each question once, and no more than `most` of them.
    #[must_use]
    pub(super) fn sound(&self, most: usize) -> Brief {
        let mut questions: Vec<SubQuestion> = Vec::new();
        for drafted in &self.questions {
            let question = plain(&drafted.question);
            let is_known =
                |known: &SubQuestion| known.question.to_lowercase() == question.to_lowercase();
            if question.is_empty() || questions.len() == most || questions.iter().any(is_known) {
                continue;
            }
            let queries = remarks(&drafted.queries);
            questions.push(SubQuestion { question, answer: plain(&drafted.answer), queries });
        }
        Brief {
            asked: plain(&self.asked),
            perspectives: remarks(&self.perspectives),
            form: plain(&self.form),
            questions,
        }
    }

    /// Makes a brief from the question: each of its parts, and each of several things to compare, becomes a question of its own.
    pub(super) fn by_rule(question: &str, most: usize) -> Brief {
        let questions = parts(question).into_iter().map(SubQuestion::of).collect();
        Brief { questions, ..Brief::default() }.sound(most)
    }

    /// Returns the brief of a question that asks one thing.
    pub(super) fn whole(question: &str) -> Brief {
        let asked = SubQuestion::of((question.to_owned(), question.to_owned()));
        Brief { questions: vec![asked], ..Brief::default() }.sound(1)
    }

    /// Returns whether several things are asked, so that their answer is a report.
    pub fn is_of_several(&self) -> bool {
        self.questions.len() > 1
    }
}

/// Returns the parts of a question, each with its query; the question itself if it has no parts. The query of an enumerated item is its
/// name and the sentence before the enumeration.
fn parts(question: &str) -> Vec<(String, String)> {
    /// A part with fewer content words asks nothing that can be looked up.
    const WORDS: usize = 2;
    let question = question.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut parts: Vec<(String, String)> = Vec::new();
    let mut about = String::new();
    for sentence in question.split_inclusive(['?', '？', ';', '。']).flat_map(sentences) {
        let (before, behind) = match sentence.split_once([':', '：']) {
            Some((before, behind)) => (before, behind.trim()),
            None => (sentence, ""),
        };
        let items = enumerated(before);
        if items.is_empty() {
            parts.push((sentence.to_owned(), sentence.to_owned()));
            sentence.clone_into(&mut about);
        } else {
            let of = if behind.is_empty() { String::new() } else { format!(": {behind}") };
            let about = if about.is_empty() { behind } else { &about };
            let part = |item: &&str| (format!("{item}{of}"), format!("{item} {about}"));
            parts.extend(items.iter().map(part));
        }
    }
    let content = |(_, part): &(String, String)| {
        let is_unspaced = part.chars().any(text::is_unspaced);
        is_unspaced || text::terms(part, Language::English).len() >= WORDS
    };
    parts.retain(content);
    if parts.len() > 1 { parts } else { vec![(question.clone(), question)] }
}

/// Returns the sentences of a text, without their final punctuation.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let cut = text.split(". ").map(|part| part.trim().trim_end_matches(['.', ';', '。']));
    cut.filter(|part| !part.is_empty())
}

/// Returns the items of "A, B and C" after a verb of comparison; empty unless there are several short ones.
fn enumerated(text: &str) -> Vec<&str> {
    const COMPARING: [&str; 5] = ["compare ", "vergleiche ", "comparez ", "compara ", "contrast "];
    /// An item of more words is a clause of its own.
    const LONGEST_ITEM: usize = 6;
    let verb = COMPARING.iter().find_map(|verb| {
        text.get(..verb.len()).filter(|begin| begin.eq_ignore_ascii_case(verb)).map(str::len)
    });
    let Some(listed) = verb.and_then(|verb| text.get(verb..)) else { return vec![] };
    let joins = [", and ", " and ", ", ", " und ", " et ", " y ", " with ", " or ", " to "];
    let mut items: Vec<&str> = vec![listed];
    for join in joins {
        items = items.into_iter().flat_map(|item| item.split(join)).collect();
    }
    let items: Vec<&str> =
        items.into_iter().map(str::trim).filter(|item| !item.is_empty()).collect();
    let are_short = items.iter().all(|item| item.split_whitespace().count() <= LONGEST_ITEM);
    if items.len() > 1 && are_short { items } else { vec![] }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: A10
    #[test]
    fn what_is_compared_and_each_sentence_is_asked_for_itself() {
        let of = |question| {
            let brief = Brief::by_rule(question, 12);
            brief.questions.into_iter().map(|one| one.question).collect::<Vec<_>>()
        };
        assert_eq!(
            of(
                "How is a large database upgraded? Compare pg_upgrade, logical replication and dump/restore: limits, risks."
            ),
            [
                "How is a large database upgraded?",
                "pg_upgrade: limits, risks",
                "logical replication: limits, risks",
                "dump/restore: limits, risks",
            ]
        );
        assert_eq!(of("Who was John Snow?"), ["Who was John Snow?"]);
        assert_eq!(of("Who was John Snow? Why?"), ["Who was John Snow? Why?"]);
        assert_eq!(of("水库是哪一年建的？它有多大？"), ["水库是哪一年建的？", "它有多大？"]);
    }

    #[test]
    fn a_draft_is_kept_on_single_lines_and_without_marks() {
        let question = |text: &str| SubQuestion { question: text.into(), ..SubQuestion::default() };
        let brief = Brief {
            questions: vec![
                question("Why\n[3]?"),
                question(""),
                question("why?"),
                question("How?"),
            ],
            ..Brief::default()
        };
        let sound = brief.sound(2);
        let asked: Vec<&str> = sound.questions.iter().map(|one| one.question.as_str()).collect();
        assert_eq!(asked.len(), 2, "{asked:?}");
        assert!(asked.iter().all(|one| !one.contains(['\n', '['])), "{asked:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_question_has_parts(question in "(?s)(compare |.{0,3}|, | and |: |[?;.。] |[a-z]{2,6} ){0,20}", most in 1_usize..12) {
            let brief = Brief::by_rule(&question, most);
            prop_assert!(brief.questions.len() <= most);
            prop_assert!(brief.questions.iter().all(|one| !one.question.is_empty()));
        }
    }
}
