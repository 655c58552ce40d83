//! Runs an evaluation: every case under every arm, then the judge on the results, in the order of the dataset.
//!
//! Every answer and every judgement is a run under a key made from what decides its outcome. Resuming and reusing earlier results are
//! therefore one mechanism: a finished run of that key is taken as it is, a started one continues, and only the rest is started. The
//! evaluation reserves a run's budget before it starts.

mod budget_tracker;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use async_trait::async_trait;
use futures::stream::{self, StreamExt, TryStreamExt};

use run::budget::{Budget, CapMet, Spend};
use run::entry::{Entry, Event, Hash};
use run::log::Status;
use run::{Settings, views};
use serde_json::Value;

use crate::dataset::Case;
use crate::judge::{self, Asked, Judgement, Said, Shown, Subject};
use crate::observation::{self, CONTROL, Observation};
use crate::report_judge;
use budget_tracker::{BudgetTracker, Granted};

/// An evaluation about to be run.
#[derive(Debug, Clone)]
pub struct Evaluation {
    pub cases: Vec<Case>,
    /// In the order in which they were given; the control comes last.
    pub arms: Vec<Arm>,
    /// Arms whose answers come from other programs.
    pub foreign: Vec<ForeignArm>,
    /// `None` without a judge.
    pub judging: Option<Judging>,
    /// `None` without a judge of reports.
    pub report_judging: Option<Judging>,
    /// The number of cases worked on concurrently.
    pub concurrency: usize,
    pub caps: Caps,
    /// The amount spent before it was interrupted.
    pub spent: Spend,
}

/// The most an evaluation may cost, including the judge; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Caps {
    pub max_tokens: Option<u64>,
    pub max_cost_usd_micros: Option<u64>,
}

/// A way to answer, ready to be run.
#[derive(Debug, Clone)]
pub struct Arm {
    pub name: String,
    pub method: String,
    /// The settings of each of its runs.
    pub settings: Settings,
    /// The digest of everything that decides the outcome of a question: method, options, models, budget, prompts, documents.
    pub decides: Hash,
    /// The budget of a usual run: with less left, none is started.
    pub needs: Spend,
}

/// An arm of reports from another program: nothing of it is run, and it is measured and judged like any other.
#[derive(Debug, Clone)]
pub struct ForeignArm {
    pub name: String,
    /// The digest of the bytes of its reports.
    pub decides: Hash,
    /// Its reports by the id of the case; a case without a report is absent.
    pub reports: BTreeMap<String, Observation>,
}

/// A judge, ready to be asked.
#[derive(Debug, Clone)]
pub struct Judging {
    /// The settings without options, which differ between judgements.
    pub settings: Settings,
    /// How often everything is judged.
    pub rounds: u32,
    /// The digest of the judge's version, models, budget and rubric.
    pub decides: Hash,
    pub needs: Spend,
}

/// A run that an evaluation needs.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// Its arm, `judge` or `report_judge`.
    pub purpose: String,
    /// The id of the case.
    pub case: String,
    pub method: String,
    pub question: String,
    pub settings: Settings,
    /// Runs with the same key have the same outcome.
    pub key: Hash,
}

/// The existing state of a needed run.
#[derive(Debug, Clone)]
pub enum Found {
    /// It finished.
    Ended(Done),
    /// It was started and continues within this budget, of which `spent` is used already.
    Begun {
        budget: Budget,
        spent: Spend,
    },
    Nothing,
}

/// A run that has ended.
#[derive(Debug, Clone)]
pub struct Done {
    pub run: String,
    pub status: Status,
    /// Whether an earlier evaluation made it.
    pub cached: bool,
    pub entries: Vec<Entry>,
    /// The amount spent on it since the evaluation was started or resumed.
    pub spent: Spend,
}

/// Why an evaluation cannot continue at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what}")]
pub struct Fault {
    pub what: String,
    /// A remedy; may be empty.
    pub hint: String,
}

/// The executor of an evaluation's runs.
#[async_trait]
pub trait Runs: Send + Sync {
    /// Looks for a run of that key. One that ended early or was stopped is not found: it is run again.
    async fn find(&self, wanted: &Wanted) -> Result<Found, Fault>;
    /// Continues the started run of that key, or starts one within `budget`, and runs it to its end.
    ///
    /// It always ends: a run that waits for a person is stopped.
    async fn perform(&self, wanted: &Wanted, budget: Budget) -> Result<Done, Fault>;
    /// Returns the answer of a run as shown to readers, with its citation marks.
    fn answer(&self, done: &Done) -> String;
    /// Returns whether the evaluation should stop: nothing more is started then.
    fn is_stopping(&self) -> bool;
}

/// A progress report.
#[derive(Debug, Clone, Copy)]
pub enum Told<'a> {
    Answered(&'a Observation),
    Judged(&'a Judgement),
}

/// The results of an evaluation.
#[derive(Debug, Clone, Default)]
pub struct Evaluated {
    /// By case, and within a case in the order of the arms, those of other programs first.
    pub observations: Vec<Observation>,
    pub judgements: Vec<Judgement>,
    /// Finished runs whose own caps did not allow everything they wanted to do.
    pub capped: BTreeSet<String>,
    /// The amount spent by the whole evaluation, its earlier parts included.
    pub spent: Spend,
    /// Whether it was stopped.
    pub stopped: bool,
}

impl Evaluated {
    /// Returns how many answers and judgements were not started.
    pub fn not_run(&self) -> usize {
        let answers = self.observations.iter().filter(|one| one.is_not_run()).count();
        answers + self.judgements.iter().filter(|one| one.run.is_empty()).count()
    }
}

/// Runs the evaluation.
pub async fn evaluate(
    evaluation: &Evaluation,
    runs: &dyn Runs,
    told: &(dyn Fn(Told<'_>) + Sync),
) -> Result<Evaluated, Fault> {
    let tracker = BudgetTracker::new(evaluation.caps, evaluation.spent);
    let runner = Runner { evaluation, runs, told, tracker };
    let cases = stream::iter(&evaluation.cases).map(|case| runner.case(case));
    let parts: Vec<Part> = cases.buffered(evaluation.concurrency.max(1)).try_collect().await?;
    let mut evaluated = Evaluated {
        spent: runner.tracker.spent(),
        stopped: runs.is_stopping(),
        ..Evaluated::default()
    };
    for Part { observations, judgements, capped } in parts {
        evaluated.observations.extend(observations);
        evaluated.judgements.extend(judgements);
        evaluated.capped.extend(capped);
    }
    Ok(evaluated)
}

struct Runner<'a> {
    evaluation: &'a Evaluation,
    runs: &'a dyn Runs,
    told: &'a (dyn Fn(Told<'_>) + Sync),
    tracker: BudgetTracker,
}

/// The results of a case.
#[derive(Default)]
struct Part {
    observations: Vec<Observation>,
    judgements: Vec<Judgement>,
    capped: Vec<String>,
}

/// A needed judgement.
struct Wish {
    round: u32,
    subject: Subject,
    /// The options of its run.
    options: Value,
}

fn json(options: &impl serde::Serialize) -> Value {
    serde_json::to_value(options).unwrap_or_default()
}

/// The outcome of a needed run.
enum Came {
    Done(Done),
    NotRun(String),
}

impl Runner<'_> {
    /// Works on a case: its arms in their order, then the judge.
    async fn case(&self, case: &Case) -> Result<Part, Fault> {
        let mut part = Part::default();
        let (mut answers, mut reports) = (Vec::new(), Vec::new());
        for arm in &self.evaluation.foreign {
            let observation = arm.observation(case);
            if observation.status == Some(Status::Completed) {
                reports.push((arm.name.clone(), report_judge::Shown::of(&observation)));
                answers.push((arm.name.clone(), Shown::of(&observation, &[])));
            }
            (self.told)(Told::Answered(&observation));
            part.observations.push(observation);
        }
        for arm in &self.evaluation.arms {
            let wanted = arm.wanted(case);
            let observation = match self.see_through(&wanted, arm.needs).await? {
                Came::Done(done) => {
                    let answer = self.runs.answer(&done);
                    let of =
                        observation::of(&case.id, &arm.name, &done.run, &done.entries, &answer);
                    let observation = Observation { cached: done.cached, ..of };
                    if done.status == Status::Completed {
                        let shown = Shown::of(&observation, &done.entries);
                        answers.push((arm.name.clone(), shown));
                        reports.push((arm.name.clone(), report_judge::Shown::of(&observation)));
                        let is_capped = met_its_cap(&done.entries);
                        part.capped.extend(is_capped.then(|| done.run.clone()));
                    }
                    observation
                }
                Came::NotRun(why) => {
                    Observation { error: Some(why), ..observation::not_begun(&case.id, &arm.name) }
                }
            };
            (self.told)(Told::Answered(&observation));
            part.observations.push(observation);
        }
        if let Some(judging) = &self.evaluation.judging {
            for Asked { subject, options } in judge::asked(case, &answers, CONTROL, judging.rounds)
            {
                let wish = Wish { round: options.round, subject, options: json(&options) };
                part.judgements.push(self.judgement(case, judging, wish).await?);
            }
        }
        if let Some(judging) = &self.evaluation.report_judging {
            part.judgements.extend(self.reports(case, judging, &reports).await?);
        }
        Ok(part)
    }

    /// Has the criteria of a case drawn up once, and then every report scored by them together with the control's.
    async fn reports(
        &self,
        case: &Case,
        judging: &Judging,
        reports: &[(String, report_judge::Shown)],
    ) -> Result<Vec<Judgement>, Fault> {
        let pairs = report_judge::pairs(reports, CONTROL, judging.rounds);
        if pairs.is_empty() {
            return Ok(vec![]);
        }
        let options = report_judge::Options::Criteria { rubric: case.rubric.clone() };
        let wish = Wish { round: 1, subject: Subject::Criteria, options: json(&options) };
        let drawn_up = self.judgement(case, judging, wish).await?;
        let criteria = match &drawn_up.said {
            Some(Said::Criteria(criteria)) => Some(criteria.clone()),
            _ => None,
        };
        let mut judgements = vec![drawn_up];
        for report_judge::Pair { round, subject, first, second } in pairs {
            let Some(criteria) = criteria.clone() else {
                let error = Some(NO_CRITERIA.to_owned());
                let none = Judgement { error, ..Judgement::not_begun(&case.id, round, subject) };
                (self.told)(Told::Judged(&none));
                judgements.push(none);
                continue;
            };
            let (first, second) = (first.clone(), second.clone());
            let options = report_judge::Options::Pair { round, criteria, first, second };
            let wish = Wish { round, subject, options: json(&options) };
            judgements.push(self.judgement(case, judging, wish).await?);
        }
        Ok(judgements)
    }

    async fn judgement(
        &self,
        case: &Case,
        judging: &Judging,
        wish: Wish,
    ) -> Result<Judgement, Fault> {
        let Wish { round, subject, options } = wish;
        let wanted = judging.wanted(case, subject.method(), options);
        let came = self.see_through(&wanted, judging.needs).await?;
        let none = Judgement::not_begun(&case.id, round, subject);
        let judgement = match came {
            Came::NotRun(why) => Judgement { error: Some(why), ..none },
            Came::Done(done) => judged(none, done),
        };
        (self.told)(Told::Judged(&judgement));
        Ok(judgement)
    }

    /// Reuses a finished run, continues a started one, or starts one.
    async fn see_through(&self, wanted: &Wanted, needs: Spend) -> Result<Came, Fault> {
        let purpose = &wanted.purpose;
        if self.runs.is_stopping() {
            return Ok(Came::NotRun(STOPPED.into()));
        }
        let granted = match self.runs.find(wanted).await? {
            Found::Ended(done) => return Ok(Came::Done(done)),
            // No model is paid.
            _ if wanted.settings.models.is_none() => Some(Granted::whole(wanted.settings.budget)),
            Found::Begun { budget, spent } => {
                let lowered = budget != wanted.settings.budget;
                self.tracker.grant_rest(budget, spent, lowered).await
            }
            Found::Nothing => self.tracker.grant(purpose, wanted.settings.budget, needs).await,
        };
        let Some(granted) = granted else { return Ok(Came::NotRun(USED_UP.into())) };
        if self.runs.is_stopping() {
            self.tracker.settle(&granted, Spend::default());
            return Ok(Came::NotRun(STOPPED.into()));
        }
        let done = self.runs.perform(wanted, granted.budget).await?;
        self.tracker.settle(&granted, done.spent);
        if granted.lowered && met_its_cap(&done.entries) {
            self.tracker.was_too_little(purpose, &granted);
            return Ok(Came::NotRun(format!("{USED_UP}; see run {} for how far it got", done.run)));
        }
        Ok(Came::Done(done))
    }
}

const STOPPED: &str = "the evaluation was stopped before this case";
const USED_UP: &str = "the evaluation's budget is used up";
const NO_CRITERIA: &str = "there are no criteria to score the reports with";

impl Arm {
    fn wanted(&self, case: &Case) -> Wanted {
        Wanted {
            purpose: self.name.clone(),
            case: case.id.clone(),
            method: self.method.clone(),
            question: case.question.clone(),
            settings: self.settings.clone(),
            key: Hash::of_json(&(self.decides, &case.question)),
        }
    }
}

impl ForeignArm {
    /// Returns the report of a case, or an observation without one.
    fn observation(&self, case: &Case) -> Observation {
        let none = || Observation { foreign: true, ..observation::not_begun(&case.id, &self.name) };
        self.reports.get(&case.id).cloned().unwrap_or_else(none)
    }
}

impl Judging {
    fn wanted(&self, case: &Case, method: &str, options: Value) -> Wanted {
        let key = Hash::of_json(&(self.decides, &case.question, &options));
        Wanted {
            purpose: method.to_owned(),
            case: case.id.clone(),
            method: method.to_owned(),
            question: case.question.clone(),
            settings: Settings { options, ..self.settings.clone() },
            key,
        }
    }
}

/// Returns whether the token or cost cap of a run refused a call.
///
/// Such a run may have finished all the same, with a poorer answer.
pub fn met_its_cap(entries: &[Entry]) -> bool {
    let met = |entry: &Entry| {
        let Event::Refused { cap, .. } = &entry.event else { return false };
        matches!(cap, CapMet::Tokens { .. } | CapMet::Cost { .. })
    };
    entries.iter().any(met)
}

fn judged(none: Judgement, done: Done) -> Judgement {
    let said = match done.status {
        Status::Completed => judge::said(&none.subject, &done.entries),
        _ => None,
    };
    let error = said.is_none().then(|| match done.entries.last().map(|entry| &entry.event) {
        Some(Event::Stopped { reason, .. }) => reason.clone(),
        _ => format!("the run is {}", done.status.name()),
    });
    let cost = views::cost(&done.entries);
    Judgement {
        run: done.run,
        cached: done.cached,
        said,
        cost_usd_micros: cost.cost_usd_micros,
        calls: cost.calls,
        error,
        ..none
    }
}
