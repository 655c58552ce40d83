//! The judgements that a case needs, and their results.

use std::collections::BTreeSet;

use run::entry::{Entry, Event};
use run::grounding::clean;
use run::ledger::Verdict;
use run::views;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    ANSWER_CHARS, Choice, Criterion, JUDGE, Judged, Known, NAME, Options, Place, Scores, Shown,
};
use crate::dataset::Case;
use crate::observation::Observation;
use crate::report;
use crate::report_judge::{self, Compared, Criteria};

/// The most passages that a judge is shown with an answer.
const MOST_QUOTES: usize = 24;
/// The replacement for an answer that abstains: the same words whatever the arm.
const ABSTAINED: &str = "There is not enough evidence to answer the question.";

/// A judgement of an evaluation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judgement {
    pub case: String,
    /// Its run; empty if none was started.
    pub run: String,
    #[serde(default)]
    pub cached: bool,
    /// From 1.
    pub round: u32,
    pub subject: Subject,
    /// `None` if there is no result.
    pub said: Option<Said>,
    #[serde(default)]
    pub cost_usd_micros: u64,
    #[serde(default)]
    pub calls: u64,
    /// Why there is no result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Judgement {
    /// Returns a judgement that has not begun.
    pub fn not_begun(case: &str, round: u32, subject: Subject) -> Judgement {
        Judgement {
            case: case.to_owned(),
            run: String::new(),
            cached: false,
            round,
            subject,
            said: None,
            cost_usd_micros: 0,
            calls: 0,
            error: None,
        }
    }
}

/// The subject of a judgement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The answer of an arm.
    Answer { arm: String },
    /// The answers of an arm and of another.
    Pair {
        arm: String,
        against: String,
        /// Whether the arm's answer was shown first.
        arm_first: bool,
    },
    /// No report: the criteria by which a case's reports are scored.
    Criteria,
    /// The reports of an arm and of another, by the criteria of the case.
    Reports {
        arm: String,
        against: String,
        /// Whether the arm's report was shown first.
        arm_first: bool,
    },
}

impl Subject {
    /// Returns the arm that a judgement is about, or `None` if it is about none.
    pub fn arm(&self) -> Option<&str> {
        match self {
            Subject::Answer { arm } | Subject::Pair { arm, .. } | Subject::Reports { arm, .. } => {
                Some(arm)
            }
            Subject::Criteria => None,
        }
    }

    /// Returns whether the judge of reports is asked.
    pub fn is_of_reports(&self) -> bool {
        matches!(self, Subject::Criteria | Subject::Reports { .. })
    }

    /// Returns the method that makes the judgement.
    pub fn method(&self) -> &'static str {
        if self.is_of_reports() { report_judge::NAME } else { NAME }
    }
}

/// A judge's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    Scores(Scores),
    Choice(Choice),
    Criteria(Criteria),
    Compared(Compared),
}

/// A judgement to ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub subject: Subject,
    pub options: Options,
}

/// Returns the judgements of a case: each answer, and each arm's answer paired with the control's in both orders, all in every round.
///
/// `answers` are those of the arms that finished, the control's last if it did.
pub fn asked(case: &Case, answers: &[(String, Shown)], control: &str, rounds: u32) -> Vec<Asked> {
    let known = Known {
        answers: case.answers.clone(),
        expects: case.expects.clone(),
        answerable: case.answerable,
        rubric: case.rubric.clone(),
    };
    let mut asked = Vec::new();
    for round in 1..=rounds {
        let options = |judged| Options { round, known: known.clone(), judged };
        for (arm, shown) in answers {
            let subject = Subject::Answer { arm: arm.clone() };
            asked.push(Asked { subject, options: options(Judged::Answer(shown.clone())) });
        }
        let Some((_, other)) = answers.iter().find(|(arm, _)| arm == control) else { continue };
        for (arm, shown) in answers.iter().filter(|(arm, _)| arm != control) {
            for arm_first in [true, false] {
                let (first, second) = if arm_first { (shown, other) } else { (other, shown) };
                let judged = Judged::Pair { first: first.clone(), second: second.clone() };
                let (arm, against) = (arm.clone(), control.to_owned());
                let subject = Subject::Pair { arm, against, arm_first };
                asked.push(Asked { subject, options: options(judged) });
            }
        }
    }
    asked
}

impl Shown {
    /// Returns an answer as a judge sees it: without marks, with its quotes, and truncated if too long.
    pub fn of(observation: &Observation, entries: &[Entry]) -> Shown {
        if has_abstained(observation) {
            return Shown { text: ABSTAINED.to_owned(), quotes: vec![] };
        }
        let claims = views::ledger(entries).iter();
        let held = claims.filter(|claim| claim.verdict != Verdict::Unsupported);
        let citations = held.flat_map(|claim| &claim.citations);
        let citations = citations.filter(|citation| citation.verdict != Verdict::Unsupported);
        let (mut quotes, mut chars) = (Vec::new(), 0);
        for citation in citations {
            let quote = clean(&citation.quote);
            chars += quote.chars().count();
            if chars > ANSWER_CHARS || quotes.len() == MOST_QUOTES {
                break;
            }
            if !quotes.contains(&quote) {
                quotes.push(quote);
            }
        }
        let text = text_of(observation);
        let mut shown: String = text.chars().take(ANSWER_CHARS).collect();
        if shown.len() < text.len() {
            shown.push_str(" […]");
        }
        Shown { text: shown, quotes }
    }
}

/// Returns the full text of an answer as a judge may see it, without marks.
pub(crate) fn text_of(observation: &Observation) -> String {
    if has_abstained(observation) { ABSTAINED.to_owned() } else { clean(&observation.answer) }
}

fn has_abstained(observation: &Observation) -> bool {
    observation.answered != Some(true) || observation.answer.trim().is_empty()
}

/// Returns the result of a judge's run, or `None` if it has none.
pub fn said(subject: &Subject, entries: &[Entry]) -> Option<Said> {
    let Event::Finished { deliverable, .. } = &entries.last()?.event else { return None };
    let part = |key: &str| deliverable.get(key).cloned().unwrap_or(Value::Null);
    match subject {
        Subject::Answer { .. } => {
            serde_json::from_value::<Scores>(part("scores")).ok().map(Said::Scores)
        }
        Subject::Pair { .. } => {
            serde_json::from_value::<Choice>(part("choice")).ok().map(Said::Choice)
        }
        Subject::Criteria => {
            serde_json::from_value::<Criteria>(part("criteria")).ok().map(Said::Criteria)
        }
        Subject::Reports { .. } => {
            serde_json::from_value::<Compared>(part("compared")).ok().map(Said::Compared)
        }
    }
}

/// Gathers the judgements of answers in an evaluation. A run that serves several judgements, such as those of two equal answers, is counted
/// once.
pub fn gathered(
    judgements: &[Judgement],
    model: &str,
    rubric_version: u32,
    rounds: u32,
) -> report::Judged {
    let mut judged = report::Judged {
        model: model.to_owned(),
        rubric: JUDGE.prompt.to_owned(),
        rubric_version,
        rounds,
        ..report::Judged::default()
    };
    let mut counted = BTreeSet::new();
    for judgement in judgements.iter().filter(|one| !one.subject.is_of_reports()) {
        let Judgement { case, run, round, subject, said, cost_usd_micros, calls, .. } = judgement;
        if !run.is_empty() && counted.insert(run) {
            judged.cost_usd_micros += cost_usd_micros;
            judged.calls += calls;
        }
        let (case, round, run) = (case.clone(), *round, run.clone());
        match (subject, said) {
            (Subject::Answer { arm }, Some(Said::Scores(scores))) => {
                let score = |one: Criterion| (one.name().to_owned(), f64::from(scores.of(one)));
                let scores = Criterion::ALL.map(score).into();
                judged.scores.push(report::Scored { case, arm: arm.clone(), round, scores, run });
            }
            (Subject::Pair { arm, against, arm_first }, Some(Said::Choice(choice))) => {
                let preferred = match choice.preferred {
                    Place::First => report::Preference::First,
                    Place::Second => report::Preference::Second,
                    Place::Tie => report::Preference::Tie,
                };
                let (arm, against, arm_first) = (arm.clone(), against.clone(), *arm_first);
                let pair =
                    report::JudgedPair { case, arm, against, round, arm_first, preferred, run };
                judged.pairs.push(pair);
            }
            _ => {}
        }
    }
    judged
}
