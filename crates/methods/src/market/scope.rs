//! What was agreed on: the subjects to search for, the user's answers as evidence, and what a startup context can learn.
//!
//! Everything here derives from the question, the plan and the answers alone, never from what was read.

use std::collections::BTreeSet;

use run::contexts::Learned;
use run::evidence::{EvidenceKind, Passage};
use run::refined::Answered;
use run::sources::Query;
use run::{Refined, grounding};
use text::{Language, is_stop_word, words};

use super::payload::{Scope, ScopeAnswer, Section};
use crate::grounded::docket::plain as line;
use crate::outside;

/// Maximum number of search terms and focus areas to search for.
pub(super) const MOST_SUBJECTS: usize = 20;

/// Returns the subjects to search for, without duplicates: the approved terms, or the question's own, then the focus areas. Those beyond
/// [`MOST_SUBJECTS`] are returned separately.
pub(super) fn choose_subjects(question: &str, refined: &Refined) -> (Vec<String>, Vec<String>) {
    let own = refined.search_terms.iter().all(|term| line(term).is_empty());
    let words = own.then(|| key_words(question).join(" "));
    let approved = refined.search_terms.iter().chain(&refined.focus_areas);
    let mut subjects: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for text in words.into_iter().chain(approved.map(|text| line(text))) {
        if !text.is_empty() && seen.insert(text.to_lowercase()) {
            subjects.push(text);
        }
    }
    let rest = subjects.split_off(subjects.len().min(MOST_SUBJECTS));
    (subjects, rest)
}

/// Returns the queries of a section: the subjects in turn, with the place and the section's own words. Together, the `sections` search for
/// every subject, with more than `most` queries if necessary.
pub(super) fn queries(
    question: &str,
    refined: &Refined,
    (section, sections): (Section, &[Section]),
    most: u32,
) -> Vec<String> {
    let (subjects, _) = choose_subjects(question, refined);
    // A long place must leave room for the subject.
    let place: String =
        line(&refined.geographical_scope).chars().take(Query::LONGEST / 3).collect();
    let own = section.words();
    let others = subjects.len().saturating_sub(1);
    let (all, at) = (sections.len().max(1), sections.iter().position(|one| *one == section));
    let at = at.unwrap_or_default();
    // Every section gets the first subject; the others are distributed among the sections.
    let usual = most.max(1) as usize - 1;
    let missing = others.saturating_sub(all * usual);
    let raised = |at: usize| missing / all + usize::from(at < missing % all);
    let before: usize = (0..at).map(|earlier| usual + raised(earlier)).sum();
    let queries: Vec<String> = (0..=usual + raised(at))
        .map(|index| {
            let at = match index {
                0 => 0,
                _ if others == 0 => 0,
                _ => 1 + (before + index - 1) % others,
            };
            let subject = subjects.get(at).map_or("", String::as_str);
            let words = own.get(index % own.len().max(1)).copied().unwrap_or_default();
            let taken = words.chars().count() + place.chars().count() + 2;
            let subject: String =
                subject.chars().take(Query::LONGEST.saturating_sub(taken)).collect();
            format!("{subject} {words} {place}")
        })
        .collect();
    outside::distinct(queries.iter().map(String::as_str))
}

/// Returns the content words of a question, without duplicates.
pub(super) fn key_words(question: &str) -> Vec<String> {
    /// Words by which a request asks for an analysis.
    const ASKING: &str = "want wants explore analyse analyze analysis market please tell show give find help idea startup how what \
        who large big size describe";
    let mut seen = BTreeSet::new();
    let content = |word: &&str| !is_stop_word(word, Language::English);
    let question = line(question);
    let all: Vec<&str> = words(&question).map(|(_, word)| word).filter(content).collect();
    let subject: Vec<&str> = all
        .iter()
        .copied()
        .filter(|word| !ASKING.split_whitespace().any(|one| word.eq_ignore_ascii_case(one)))
        .collect();
    let chosen = if subject.is_empty() { all } else { subject };
    chosen.into_iter().filter(|word| seen.insert(word.to_lowercase())).map(str::to_owned).collect()
}

/// Returns the user's answers as citable passages.
pub(super) fn build_passages(refined: &Refined) -> Vec<Passage> {
    let passage = |Answered { gate, question, answer }: &Answered| {
        Passage::whole(EvidenceKind::User, gate, line(question), grounding::clean(answer))
    };
    refined.answers.iter().filter(|one| !one.answer.trim().is_empty()).map(passage).collect()
}

/// Returns the scope, as the result shows it.
pub(super) fn told(refined: &Refined) -> Scope {
    let answer =
        |one: &Answered| ScopeAnswer { question: line(&one.question), answer: line(&one.answer) };
    Scope {
        search_terms: lines(&refined.search_terms),
        geographical_scope: line(&refined.geographical_scope),
        focus_areas: lines(&refined.focus_areas),
        answers: refined.answers.iter().map(answer).collect(),
        startup: refined.startup.as_ref().map(|startup| line(&startup.name)),
    }
}

/// Returns the non-empty texts, each on one line.
fn lines(texts: &[String]) -> Vec<String> {
    texts.iter().map(|text| line(text)).filter(|text| !text.is_empty()).collect()
}

/// Returns what a startup context can be built from.
pub(super) fn extract_startup(question: &str, refined: &Refined) -> Learned {
    /// Maximum number of characters in a name made from the question.
    const NAME: usize = 60;
    let startup = refined.startup.as_deref();
    let of_startup = |field: fn(&run::contexts::StartupContext) -> &String| {
        startup.map(|startup| line(field(startup))).filter(|text| !text.is_empty())
    };
    let answered = |asking: &[&str]| {
        let about = |one: &&Answered| {
            let question = one.question.to_lowercase();
            asking.iter().any(|word| question.contains(word))
        };
        refined.answers.iter().find(about).map(|one| line(&one.answer)).unwrap_or_default()
    };
    let or = |given: String, otherwise: &dyn Fn() -> String| {
        if given.is_empty() { otherwise() } else { given }
    };
    let words = key_words(question);
    let terms = lines(&refined.search_terms);
    Learned {
        name: of_startup(|startup| &startup.name).unwrap_or_else(|| {
            let name: String = words.join(" ").chars().take(NAME).collect();
            or(name.trim().to_owned(), &|| line(question).chars().take(NAME).collect())
        }),
        description: of_startup(|startup| &startup.description).unwrap_or_else(|| line(question)),
        industry: of_startup(|startup| &startup.industry)
            .unwrap_or_else(|| answered(&["industry", "vertical", "sector"])),
        search_terms: if terms.is_empty() && !words.is_empty() {
            vec![words.join(" ")]
        } else {
            terms
        },
        geographical_scope: or(line(&refined.geographical_scope), &|| {
            answered(&["geograph", "country", "region", "where"])
        }),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn build_refined() -> Refined {
        Refined {
            search_terms: vec!["legal AI".into(), "contract review software".into()],
            geographical_scope: "Texas".into(),
            focus_areas: vec!["law firms".into()],
            answers: vec![
                Answered {
                    gate: "q1".into(),
                    question: "Which industry?".into(),
                    answer: "Legal services".into(),
                },
                Answered { gate: "q2".into(), question: "Budget?".into(), answer: " ".into() },
            ],
            startup: None,
        }
    }

    // proves: W3, W4
    #[test]
    fn queries_are_the_approved_terms_the_place_and_the_words_of_the_section() {
        let refined = build_refined();
        let all = |section| (section, &Section::ALL[..]);
        let asked = |section| queries("Explore the AI market", &refined, all(section), 2);
        assert_eq!(
            asked(Section::MarketSizing),
            [
                "legal AI market size revenue Texas",
                "contract review software number of customers average price Texas"
            ]
        );
        assert_eq!(
            asked(Section::Competitors)[1],
            "law firms product pricing comparison Texas",
            "what the plan names is dealt out among the sections"
        );
        let open = queries(
            "I want to explore the AI market",
            &Refined::default(),
            all(Section::Strategy),
            1,
        );
        assert_eq!(open, ["AI risks barriers regulation"]);
        let long = queries(&"word ".repeat(500), &refined, all(Section::Strategy), 3);
        assert!(long.iter().all(|query| query.chars().count() <= Query::LONGEST));
    }

    // proves: W3, W4
    #[test]
    fn eight_terms_are_all_searched_for_and_of_thirty_the_last_are_named() {
        let terms: Vec<String> = (1..=8).map(|one| format!("term{one}")).collect();
        let refined = Refined { search_terms: terms, ..Refined::default() };
        let one = [Section::Customers];
        let asked = queries("Q", &refined, (Section::Customers, &one), 2);
        assert_eq!(asked.len(), 8, "{asked:?}");
        let each = Section::ALL.map(|one| queries("Q", &refined, (one, &Section::ALL), 2).len());
        assert_eq!(each, [3, 3, 3, 2], "the first term for each, the other seven dealt out");
        let terms: Vec<String> = (1..=30).map(|one| format!("term{one}")).collect();
        let (taken, rest) =
            choose_subjects("Q", &Refined { search_terms: terms, ..Refined::default() });
        assert_eq!((taken.len(), rest.len(), rest[0].as_str()), (MOST_SUBJECTS, 10, "term21"));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: W3, W4
        #[test]
        fn every_approved_term_is_searched_for_by_one_of_the_sections(
            terms in prop::collection::vec("[a-z]{1,5}|[A-Z]{500}| ", 0..30),
            areas in prop::collection::vec("[a-z]{6,9}", 0..4),
            place in "[a-z]{0,9}|[a-z]{600}",
            chosen in prop::sample::subsequence(Section::ALL.to_vec(), 1..=4),
            most in 1_u32..5,
        ) {
            let refined = Refined { search_terms: terms, focus_areas: areas, geographical_scope: place, ..Refined::default() };
            let (subjects, rest) = choose_subjects("How large is legal AI?", &refined);
            let asked: Vec<Vec<String>> = chosen
                .iter()
                .map(|section| queries("How large is legal AI?", &refined, (*section, &chosen), most))
                .collect();
            for subject in &subjects {
                let begins: String = subject.chars().take(200).collect();
                prop_assert!(asked.iter().flatten().any(|query| query.starts_with(&begins)), "{} {:?}", subject, asked);
            }
            let needed = subjects.len().saturating_sub(1).div_ceil(chosen.len()).max(most as usize - 1) + 1;
            prop_assert!(asked.iter().all(|queries| queries.len() <= needed), "{:?}", asked);
            let all = refined.search_terms.iter().chain(&refined.focus_areas).map(|text| line(text)).filter(|text| !text.is_empty());
            for text in all {
                let is_it = |one: &String| one.eq_ignore_ascii_case(&text);
                prop_assert!(subjects.iter().any(is_it) || rest.iter().any(is_it));
            }
        }
    }

    // proves: W4, C4
    #[test]
    fn no_mark_of_a_planner_or_a_person_stands_in_the_scope_as_if_it_were_a_citation() {
        let refined = Refined {
            search_terms: vec!["legal AI [97]".into(), "[3.4]".into()],
            geographical_scope: "Texas【97】".into(),
            focus_areas: vec!["law firms [^97]".into()],
            answers: vec![Answered {
                gate: "q1".into(),
                question: "Which industry? [F2]".into(),
                answer: "Legal services [97, 98].".into(),
            }],
            startup: None,
        };
        let told = serde_json::to_string(&(told(&refined), extract_startup("AI [97]?", &refined)))
            .unwrap();
        assert!(!told.contains("97") && !told.contains("3.4") && !told.contains("F2"), "{told}");
        assert!(told.contains("Legal services."), "{told}");
        let (subjects, _) = choose_subjects("Q", &refined);
        assert_eq!(subjects, ["legal AI", "law firms"]);
    }

    // proves: W4, W5
    #[test]
    fn what_a_person_said_is_evidence_and_what_is_learned() {
        let passages = build_passages(&build_refined());
        assert_eq!(passages.len(), 1, "an empty answer says nothing");
        assert_eq!(
            (passages[0].source_uri.as_str(), passages[0].kind, passages[0].text.as_str()),
            ("user://q1", EvidenceKind::User, "Legal services")
        );
        let learned = extract_startup("I want to explore the AI market", &build_refined());
        assert_eq!((learned.name.as_str(), learned.industry.as_str()), ("AI", "Legal services"));
        assert_eq!(
            super::extract_startup("How large is legal AI?", &Refined::default()).search_terms,
            ["legal AI"]
        );
        assert_eq!(learned.search_terms, ["legal AI", "contract review software"]);
        assert_eq!(learned.geographical_scope, "Texas");
    }
}
