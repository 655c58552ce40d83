//! The blackboard: the outcome of each task, the evidence it brought, and what follows from all of it together.

use std::collections::{BTreeMap, BTreeSet};

use run::evidence::{EvidenceKind, Numbered};
use run::library::Found;
use serde::Serialize;
use text::Language;

use super::condition::Condition;
use super::disagreement::{Disagreement, disagreements};
use super::graph::{Graph, Task, TaskKind};
use crate::ask::outside::LookedUp;
use crate::ask::relevance::idf;

/// The outcome of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    Done,
    /// Its condition did not hold, or it was not needed.
    Skipped {
        why: String,
    },
    Failed {
        why: String,
    },
    /// A budget did not allow it.
    Refused {
        why: String,
    },
    /// A person answered.
    Answered {
        answer: String,
    },
    /// No one was asked, or the person skipped the question: this is assumed instead.
    Assumed {
        assumption: String,
        why: String,
        asked: bool,
    },
}

/// A settled task.
#[derive(Debug, Serialize)]
pub struct Settled {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: TaskKind,
    #[serde(flatten)]
    pub state: State,
    /// The numbers of the evidence that it brought.
    pub evidence: Vec<u32>,
    /// What was searched for and read outside; `None` if nothing was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub searched: Option<LookedUp>,
}

/// The blackboard: everything that conditions are read from, and the answer is written from.
#[derive(Debug, Serialize)]
pub struct Board {
    pub tasks: Vec<Settled>,
    /// In the order of its numbers, each piece once.
    pub evidence: Vec<Numbered>,
    /// The share of the question's content words, weighted by IDF, that the best evidence of the tasks holds.
    pub coverage: f64,
    /// Where sources differ.
    pub contradictions: Vec<Disagreement>,
    #[serde(skip)]
    question: Question,
    /// The companies of which the evidence says different things.
    #[serde(skip)]
    several: BTreeSet<String>,
}

/// The question, and what the searches know of it.
#[derive(Debug, Default)]
struct Question {
    text: String,
    language: Language,
    /// The number of chunks that each term stands in, if some search knew it.
    known: BTreeMap<String, u64>,
    chunks: u64,
    /// Whether vectors came so near to some query that coverage by words does not matter.
    near: bool,
    /// The best evidence of each retrieval.
    best: BTreeSet<u32>,
    /// The share from which on it counts as covered.
    threshold: f64,
}

/// The results of a task.
#[derive(Debug, Default)]
pub struct Brought {
    pub evidence: Vec<Numbered>,
    pub found: Option<Found>,
    /// Whether vectors came near enough, whatever the words.
    pub near: bool,
    pub searched: Option<LookedUp>,
}

impl Board {
    /// Returns an empty board. From `threshold` (0 to 1) on, the question counts as covered.
    pub fn of(question: &str, threshold: f64) -> Board {
        let question = Question { text: question.to_owned(), threshold, ..Question::default() };
        Board {
            tasks: vec![],
            evidence: vec![],
            coverage: 0.0,
            contradictions: vec![],
            question,
            several: BTreeSet::new(),
        }
    }

    /// Settles every task but the synthesis as skipped.
    pub fn skip(&mut self, graph: &Graph, why: &str) {
        for task in graph.tasks.iter().filter(|task| task.kind != TaskKind::Synthesize) {
            self.settle(task, State::Skipped { why: why.to_owned() }, Brought::default());
        }
    }

    /// Records the outcome of a task.
    pub fn settle(&mut self, task: &Task, state: State, brought: Brought) {
        /// Evidence of each retrieval that counts for coverage: the rest holds any word by chance.
        const COVERING: usize = 3;
        let Brought { evidence, found, near, searched } = brought;
        let numbers: Vec<u32> = evidence.iter().map(|one| one.number).collect();
        // What a person says is evidence, but repeating the question does not answer it.
        let found_by = evidence.iter().filter(|one| is_found(one)).map(|one| one.number);
        self.question.best.extend(found_by.take(COVERING));
        self.question.near |= near;
        if let Some(Found { terms, chunks, language, .. }) = found {
            self.question.language = language;
            self.question.chunks = self.question.chunks.max(chunks);
            for (term, count) in terms {
                let known = self.question.known.entry(term).or_default();
                *known = (*known).max(count);
            }
        }
        let is_new = !numbers.is_empty();
        for one in evidence {
            if let Err(at) = self.evidence.binary_search_by_key(&one.number, |known| known.number) {
                self.evidence.insert(at, one);
            }
        }
        let Task { id, kind, .. } = task;
        self.tasks.push(Settled {
            id: id.clone(),
            kind: *kind,
            state,
            evidence: numbers,
            searched,
        });
        if is_new {
            let weights = self.weights();
            self.coverage = extract::coverage(&weights, &self.covering());
            (self.contradictions, self.several) =
                disagreements(&self.evidence, &weights, self.question.language);
        }
    }

    /// Returns whether a task is settled.
    pub fn knows(&self, id: &str) -> bool {
        self.tasks.iter().any(|task| task.id == id)
    }

    /// Returns how many questions were put to a person.
    pub fn asked(&self) -> u32 {
        let asked = |task: &&Settled| {
            matches!(task.state, State::Answered { .. } | State::Assumed { asked: true, .. })
        };
        u32::try_from(self.tasks.iter().filter(asked).count()).unwrap_or(u32::MAX)
    }

    /// Returns how many tasks were executed.
    pub fn carried_out(&self) -> u32 {
        let done =
            |task: &&Settled| !matches!(task.state, State::Skipped { .. } | State::Refused { .. });
        u32::try_from(self.tasks.iter().filter(done).count()).unwrap_or(u32::MAX)
    }

    /// Returns whether a condition holds on the board.
    pub fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::RecallLow => self.is_thin(),
            Condition::Ambiguity => self.is_ambiguous(),
            Condition::Contradiction => {
                self.contradictions.iter().any(|one| !one.is_of_several_companies)
            }
            Condition::Missing(what) => self.lacks(what),
        }
    }

    /// Returns whether too much of the question is left uncovered.
    pub fn is_thin(&self) -> bool {
        let covered = self.question.near || self.coverage >= self.question.threshold;
        !self.evidence.iter().any(is_found) || !covered
    }

    /// Returns whether the evidence differs because it is about several companies, the question names none of them, and no one said which
    /// is meant.
    pub fn is_ambiguous(&self) -> bool {
        let said = self.tasks.iter().any(|task| matches!(task.state, State::Answered { .. }));
        !said && !self.companies().is_empty()
    }

    /// Returns the companies of which the evidence says different things; empty if there are not several, or the question names one of
    /// them.
    pub fn companies(&self) -> Vec<String> {
        let named = find_companies(&self.question.text, &self.several);
        if named.is_empty() { self.several.iter().cloned().collect() } else { vec![] }
    }

    /// Returns the companies that a person said they mean; empty if they named none.
    pub fn meant(&self) -> BTreeSet<String> {
        let said = self.tasks.iter().filter_map(|task| match &task.state {
            State::Answered { answer } => Some(answer),
            _ => None,
        });
        said.flat_map(|said| find_companies(said, &self.several)).collect()
    }

    /// Returns whether no piece of evidence holds most of these words.
    fn lacks(&self, what: &str) -> bool {
        const MOST: f64 = 0.66;
        let language = self.question.language;
        let mut wanted = text::terms(what, language);
        wanted.sort();
        wanted.dedup();
        let weights: Vec<(String, f64)> = wanted.into_iter().map(|term| (term, 1.0)).collect();
        !self
            .evidence
            .iter()
            .filter(|one| is_found(one))
            .any(|one| extract::coverage(&weights, &[with_heading(one, language)]) >= MOST)
    }

    /// Returns the words of the question that the best evidence does not hold, as the question writes them.
    pub fn uncovered(&self) -> Vec<String> {
        let language = self.question.language;
        let held: BTreeSet<String> = self.covering().into_iter().flatten().collect();
        let mut seen = BTreeSet::new();
        let open = text::words(&self.question.text).filter(|(_, word)| {
            let terms = text::terms(word, language);
            !terms.is_empty() && !terms.iter().any(|term| held.contains(term))
        });
        open.map(|(_, word)| word.to_owned())
            .filter(|word| seen.insert(word.to_lowercase()))
            .collect()
    }

    fn covering(&self) -> Vec<Vec<String>> {
        let best = self.evidence.iter().filter(|one| self.question.best.contains(&one.number));
        best.map(|one| with_heading(one, self.question.language)).collect()
    }

    /// Returns the question's content words with their IDF, from the chunk counts that the searches know.
    pub fn weights(&self) -> Vec<(String, f64)> {
        let Question { text, language, known, chunks, .. } = &self.question;
        let mut terms = text::terms(text, *language);
        terms.sort();
        terms.dedup();
        let weight = |term: String| {
            let with = known.get(&term).copied().unwrap_or_default();
            let weight = idf(*chunks, with);
            (term, weight)
        };
        terms.into_iter().map(weight).collect()
    }

    pub fn language(&self) -> Language {
        self.question.language
    }
}

/// Returns whether it was found, and not said by a person.
fn is_found(one: &Numbered) -> bool {
    one.evidence.kind != EvidenceKind::User
}

/// Returns the companies that a text names, compared word by word, longer names first. A text that denies something names none: "not Acme"
/// may mean any other.
fn find_companies(text: &str, companies: &BTreeSet<String>) -> BTreeSet<String> {
    let words = |text: &str| -> Vec<String> {
        text::words(text).map(|(_, word)| word.to_lowercase()).collect()
    };
    let mut said = words(text);
    let mut named = BTreeSet::new();
    if said.iter().any(|word| matches!(word.as_str(), "not" | "neither" | "except" | "without")) {
        return named;
    }
    let mut known: Vec<(Vec<String>, &String)> =
        companies.iter().map(|company| (words(company), company)).collect();
    known.sort_by_key(|(words, _)| std::cmp::Reverse(words.len()));
    for (name, company) in known.into_iter().filter(|(name, _)| !name.is_empty()) {
        if let Some(at) = said.windows(name.len()).position(|words| words == name) {
            said.drain(at..at + name.len());
            named.insert(company.clone());
        }
    }
    named
}

fn with_heading(one: &Numbered, language: Language) -> Vec<String> {
    let section = &one.evidence.provenance.place.section;
    text::terms(&format!("{section}\n{}", one.evidence.text), language)
}
