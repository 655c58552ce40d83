//! Answers that say what was searched in vain, what is missing and what to do.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use run::library::Found;
use run::{Deliverable, Mode, Outcome, Run};

use super::{Options, Strategy, build_fields};

/// The answer if nothing answers the question and some sources could not be reached.
pub(super) const NOT_REACHED: &str = "No answer: some sources could not be reached, and those that answered do not answer the question.";

/// Returns the answer if nothing answers the question.
pub(super) fn nothing(options: &Options) -> &'static str {
    match options.strategy {
        Strategy::Search => "Not enough evidence: what was found does not answer this question.",
        _ => "Not enough evidence: the documents do not answer this question.",
    }
}

/// What was searched in vain; by default nothing.
#[derive(Debug, Default)]
pub(super) struct Sought {
    /// The number of passages in the collection.
    passages: u64,
    /// The words of the question that no passage has.
    missing: Vec<String>,
    /// The values that there are of the filter's keys, if no document passes.
    values: BTreeMap<String, Vec<String>>,
    /// What is to be said of documents in other languages.
    languages: Option<String>,
}

impl Sought {
    pub(super) fn of(question: &str, found: &Found) -> Sought {
        Sought {
            passages: found.chunks,
            missing: find_missing(question, found),
            values: found.values.clone(),
            languages: found.other_languages(),
        }
    }
}

/// Returns the words of the question that no passage of the collection has, each once.
fn find_missing(question: &str, found: &Found) -> Vec<String> {
    let is_missing =
        |term: &String| found.terms.iter().any(|(known, passages)| known == term && *passages == 0);
    let mut seen = BTreeSet::new();
    let words = text::words(question).filter(|(_, word)| {
        let terms = text::terms(word, found.language);
        !terms.is_empty() && terms.iter().all(is_missing) && seen.insert(word.to_lowercase())
    });
    words.map(|(_, word)| word.to_owned()).collect()
}

/// Returns the answer if nothing that was found is relevant: what was searched, what is missing, and what to do.
pub(super) fn nothing_found(
    run: &Run,
    options: &Options,
    coverage: f64,
    sought: &Sought,
) -> Deliverable {
    let gaps = describe(run.mode(), options, sought);
    let fields = build_fields(
        options,
        [
            ("answer", json!(nothing(options))),
            ("assumptions", json!([])),
            ("gaps", json!(gaps)),
            ("coverage", json!(coverage)),
            ("grounded", json!(false)),
        ],
    );
    Deliverable { outcome: Outcome::NotEnoughEvidence, fields, ledger: vec![] }
}

/// Says what was searched, what is missing and what to do.
fn describe(mode: Mode, options: &Options, sought: &Sought) -> Vec<String> {
    let is_outside = options.strategy == Strategy::Search;
    let whose = match (is_outside, options.conditions().is_empty()) {
        (true, _) => "what was read",
        (false, true) => "the documents",
        (false, false) => "the documents that match the filter",
    };
    if !sought.values.is_empty() {
        let mut gaps = vec!["No document passes the filter.".to_owned()];
        gaps.extend(sought.values.iter().map(|(key, values)| match values.as_slice() {
            [] => format!("No document has the metadata `{key}`."),
            values => format!("There are these values of `{key}`: {}.", values.join("; ")),
        }));
        gaps.push("What to do: use one of these values, or leave the filter out.".to_owned());
        return gaps;
    }
    let mut gaps = vec![match sought.passages {
        0 if is_outside => "The sources returned nothing that could be read.".to_owned(),
        0 if options.conditions().is_empty() => "The collection is empty.".to_owned(),
        0 => {
            let conditions = options.conditions();
            let conditions: Vec<String> =
                conditions.iter().map(|(key, value)| format!("{key}={value}")).collect();
            format!("The collection has no document with {}.", conditions.join(" and "))
        }
        1 => format!("Searched {whose} (1 passage). It is not close enough to the question."),
        many => {
            format!("Searched {whose} ({many} passages). None is close enough to the question.")
        }
    }];
    if sought.passages > 0 && !sought.missing.is_empty() {
        gaps.push(format!("No passage contains: {}.", sought.missing.join(", ")));
    }
    gaps.extend(sought.languages.clone());
    gaps.push(what_to_do(mode, is_outside));
    gaps
}

/// Says what to do if nothing that was found is relevant.
pub(super) fn what_to_do(mode: Mode, is_outside: bool) -> String {
    let next = match is_outside {
        true => "What to do: ask in other or broader words, or search other sources.",
        false => "What to do: add documents that cover the question, or ask in their words.",
    };
    match mode {
        Mode::Model => next.to_owned(),
        Mode::Offline => format!("{next} A model also finds answers that are put in other words."),
    }
}
