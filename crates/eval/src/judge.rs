//! The judge: it scores answers, and picks the better of two, by a rubric in a prompt file.
//!
//! Every judgement is a run of the method `judge`, with a log, a budget and the digest of its prompt, so it resumes, replays and accounts
//! for its cost as any run does. A judge never learns which arm an answer comes from. A pair is shown in both orders, and everything is
//! judged several times, since a judge is only as reliable as it is consistent.

mod judgement;
mod rubric;

#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use run::{Agent, Deliverable, Method, Outcome, Reply, Result, Run};

pub(crate) use judgement::text_of;
pub use judgement::{Asked, Judgement, Said, Subject, asked, gathered, said};
pub use rubric::Criterion;

/// The name of the method. Only evaluations order it, not users.
pub const NAME: &str = "judge";

/// The judging agent. Its prompt is the rubric.
pub const JUDGE: Agent =
    Agent { name: "judge", prompt: "eval/judge", text: include_str!("../prompts/judge.md") };

/// The most characters of an answer, and of the passages it quotes, that a judge is shown.
pub const ANSWER_CHARS: usize = 12_000;

/// Returns the method.
pub fn method() -> Method {
    Method::new(NAME, 1, |run| Box::pin(perform(run)))
}

/// The options of a judgement; the question is the run's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Counted from 1: the judgements of two rounds are two runs.
    pub round: u32,
    /// What is known about the right answer.
    #[serde(default)]
    pub known: Known,
    pub judged: Judged,
}

/// What a judge learns about the right answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Known {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expects: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answerable: Option<bool>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub rubric: String,
}

/// The subject of a judgement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    Answer(Shown),
    Pair { first: Shown, second: Shown },
}

/// An answer as a judge is shown it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Shown {
    /// Without citation marks.
    pub text: String,
    /// Quoted passages that were found in their sources.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quotes: Vec<String>,
}

/// The scores of an answer, each from 1 to 5.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Scores {
    /// What decided the scores, in a sentence or two.
    #[serde(default)]
    pub reason: String,
    #[schemars(range(min = 1, max = 5))]
    pub correctness: u8,
    #[schemars(range(min = 1, max = 5))]
    pub completeness: u8,
    #[schemars(range(min = 1, max = 5))]
    pub support: u8,
    #[schemars(range(min = 1, max = 5))]
    pub clarity: u8,
}

impl Scores {
    pub fn of(&self, criterion: Criterion) -> u8 {
        match criterion {
            Criterion::Correctness => self.correctness,
            Criterion::Completeness => self.completeness,
            Criterion::Support => self.support,
            Criterion::Clarity => self.clarity,
        }
    }
}

impl Reply for Scores {
    fn check(&self) -> std::result::Result<(), String> {
        let wrong = Criterion::ALL.into_iter().find(|one| !(1..=5).contains(&self.of(*one)));
        wrong.map_or(Ok(()), |one| {
            Err(format!("`{}` is {}, and must be 1 to 5", one.name(), self.of(one)))
        })
    }
}

/// Which of two answers is the better one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Choice {
    /// What decided it, in a sentence or two.
    #[serde(default)]
    pub reason: String,
    pub preferred: Place,
}

/// Where an answer was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    First,
    Second,
    /// There is no telling.
    Tie,
}

impl Reply for Choice {}

async fn perform(run: &Run) -> Result<Deliverable> {
    let Options { round, known, judged } = run.options()?;
    let order = rubric::rotated(round).map(Criterion::name).join(", ");
    let mut call = run
        .agent(&JUDGE)
        .given("Round", round.to_string())
        .given("The criteria, in the order of this round", order)
        .showing("Question", run.question());
    if !known.answers.is_empty() {
        call = call.showing("Reference answers", known.answers.join("\n"));
    }
    if !known.expects.is_empty() {
        call = call.showing("Words that a right answer contains", known.expects.join("\n"));
    }
    if let Some(answerable) = known.answerable {
        let says = if answerable { "answer it" } else { "do not answer it" };
        call = call.given("What is known of the documents", format!("They {says}."));
    }
    if !known.rubric.trim().is_empty() {
        call = call.given("What to look for in this question", known.rubric.trim());
    }
    let fields = match judged {
        Judged::Answer(answer) => {
            let call = shown(call, "The answer", &answer);
            let scores: Scores = call.as_synthesis().reply().await?;
            let line = Criterion::ALL.map(|one| format!("{} {}", one.name(), scores.of(one)));
            fields([("answer", json!(line.join(", "))), ("scores", json!(scores))])
        }
        Judged::Pair { first, second } => {
            let call = shown(call, "The first answer", &first);
            let call = shown(call, "The second answer", &second);
            let choice: Choice = call.as_synthesis().reply().await?;
            let line = match choice.preferred {
                Place::First => "the first answer is preferred",
                Place::Second => "the second answer is preferred",
                Place::Tie => "neither answer is preferred",
            };
            fields([("answer", json!(line)), ("choice", json!(choice))])
        }
    };
    Ok(Deliverable { outcome: Outcome::Answered, fields, ledger: vec![] })
}

/// Shows an answer to the judge as untrusted data.
fn shown<'a>(call: run::Call<'a>, name: &str, answer: &Shown) -> run::Call<'a> {
    let call = call.showing(name, &answer.text);
    if answer.quotes.is_empty() {
        return call.given(&format!("{name}: passages that it quotes"), "It quotes none.");
    }
    call.showing(&format!("{name}: passages that it quotes"), answer.quotes.join("\n"))
}

/// Returns the fields of a judgement's deliverable.
pub(crate) fn fields<const N: usize>(own: [(&str, Value); N]) -> Map<String, Value> {
    own.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
