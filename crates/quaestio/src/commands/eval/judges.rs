//! From the command line to the judges of an evaluation, each checked against the configuration.

use std::sync::Arc;

use eval::runner::Judging;
use eval::{judge, report_judge};
use run::budget::{Spend, Usage};
use run::entry::Hash;
use run::model::Models;
use run::prompt::{Prompt, Prompts};
use run::settings::ModelChoice;
use run::tokens::most_tokens_of_prose;
use run::{Agent, Method, Settings};

use super::super::CliContext;
use crate::cli::EvalOrder;
use crate::config::{Config, Layers};
use crate::failure::Failure;
use crate::submission;
use crate::wire;

/// Returns the models for judging; `None` if there is to be no judge.
fn judges(order: &EvalOrder, context: &CliContext<'_>) -> Option<ModelChoice> {
    if order.no_judge || context.common.no_model {
        return None;
    }
    let named = context.config.eval.judge_model.trim();
    if named.is_empty() {
        // Judging is not work for a cheap model.
        return wire::choice(&context.config);
    }
    Some(submission::another(named, &context.config))
}

/// A judge that is ready to use, with what a judgement may cost.
pub(super) struct Judge {
    pub(super) judging: Judging,
    pub(super) config: Config,
    pub(super) model: String,
    pub(super) rubric_version: u32,
    pub(super) worst_case: Spend,
}

/// A judge of reports, with what the criteria of a question may cost.
pub(super) struct ReportJudge {
    /// The judge of pairs: its rubric and costs are for one pair.
    pub(super) judge: Judge,
    pub(super) criteria_version: u32,
    pub(super) criteria_expected: Spend,
    pub(super) criteria_worst_case: Spend,
}

/// How much a judgement reads and writes besides its prompt.
struct Size {
    usual_tokens: u64,
    usual_reply: u64,
    /// Assumes characters of two bytes.
    most_bytes: usize,
    /// Calls, at most.
    tries: u32,
}

/// A call and its repair, and all of that once more.
const TRIES: u32 = 3;

/// Two answers of a few sentences with their passages, at most as long as the judge is shown, and a reply of two sentences.
const OF_ANSWERS: Size = Size {
    usual_tokens: 900,
    usual_reply: 120,
    most_bytes: judge::ANSWER_CHARS * 2 * 2 * 2,
    tries: TRIES,
};
/// Two reports of 3,000 words and their criteria, and a reason for each criterion.
const OF_REPORTS: Size = Size {
    usual_tokens: 9_500,
    usual_reply: 1_000,
    most_bytes: report_judge::REPORT_CHARS * 2 * 2 + 16_000,
    // What a reply leaves out is asked for again.
    tries: 2 * TRIES,
};
/// A question with what to look for, and a dozen criteria.
const OF_CRITERIA: Size =
    Size { usual_tokens: 200, usual_reply: 900, most_bytes: 16_000, tries: TRIES };

/// Returns the judge of answers; `None` if there is to be none.
pub(super) fn judge(
    order: &EvalOrder,
    context: &CliContext<'_>,
    layers: &Layers,
) -> Result<Option<Judge>, Failure> {
    let Some(choice) = judges(order, context) else { return Ok(None) };
    let method = judge::method();
    let (judge, _) =
        connected(&method, (&judge::JUDGE, &[]), &OF_ANSWERS, choice, context, layers)?;
    Ok(Some(judge))
}

/// Returns the judge of reports; `None` if none was ordered.
pub(super) fn report_judge(
    order: &EvalOrder,
    context: &CliContext<'_>,
    layers: &Layers,
) -> Result<Option<ReportJudge>, Failure> {
    if !order.judge_reports {
        return Ok(None);
    }
    let Some(choice) = judges(order, context) else {
        return Err(Failure::usage(
            "judging reports needs a model",
            "configure a model, or name one with --judge-model",
        ));
    };
    let agents = (&report_judge::JUDGE, &[&report_judge::CRITERIA][..]);
    let method = report_judge::method();
    let (judge, asked) = connected(&method, agents, &OF_REPORTS, choice, context, layers)?;
    let criteria = asked.of(&report_judge::CRITERIA)?;
    let (criteria_expected, criteria_worst_case) = costs(&asked.models, &criteria, &OF_CRITERIA);
    let criteria_version = criteria.version;
    Ok(Some(ReportJudge { judge, criteria_version, criteria_expected, criteria_worst_case }))
}

/// The models and prompts of a judge.
struct Asked {
    models: Models,
    prompts: Prompts,
}

impl Asked {
    fn of(&self, agent: &Agent) -> Result<Arc<Prompt>, Failure> {
        self.prompts
            .of(agent)
            .map_err(|error| Failure::usage(error.to_string(), "correct prompts.folder"))
    }
}

/// Checks a judge against the configuration. `agent` judges, and reads texts of this size.
fn connected(
    method: &Method,
    (agent, others): (&Agent, &[&Agent]),
    size: &Size,
    choice: ModelChoice,
    context: &CliContext<'_>,
    layers: &Layers,
) -> Result<(Judge, Asked), Failure> {
    let layers = layers.with(Some(method.name), "command line", vec![])?;
    let config = layers.config;
    let models = context.tools.connected(&choice, &config)?;
    let asked = Asked { models, prompts: wire::prompts(&config)? };
    let prompt = asked.of(agent)?;
    let digest =
        submission::digest(&asked.prompts, std::iter::once(agent).chain(others.iter().copied()))?;
    let mut budget = config.budget.budget();
    if submission::unpriced(Some(&asked.models), &budget).is_some() {
        // The check of the evaluation's own cap reports the missing price.
        budget.max_cost_usd_micros = None;
    }
    budget.max_questions = Some(0);
    let (expected, worst_case) = costs(&asked.models, &prompt, size);
    let model = asked.models.of(prompt.tier).id().to_owned();
    let settings = Settings { budget, models: Some(choice), ..Settings::default() };
    let version = method.version;
    let decides =
        Hash::of_json(&("judgement", 1, version, &settings.budget, &settings.models, digest));
    let rounds = context.config.eval.judge_rounds;
    let judging = Judging { settings, rounds, decides, needs: expected };
    let rubric_version = prompt.version;
    Ok((Judge { judging, config, model, rubric_version, worst_case }, asked))
}

/// Returns what a judgement of this size usually costs, and what it costs at most.
fn costs(models: &Models, prompt: &Prompt, size: &Size) -> (Spend, Spend) {
    let price = models.of(prompt.tier).price();
    let usage = Usage {
        input_tokens: text::count_tokens(&prompt.text) as u64 + size.usual_tokens,
        cached_tokens: 0,
        output_tokens: size.usual_reply,
    };
    let cost_usd_micros = price.map_or(0, |price| price.cost_usd_micros(usage));
    let expected = Spend { tokens: usage.total(), cost_usd_micros };
    let prompt_tokens = most_tokens_of_prose(prompt.text.len() + size.most_bytes);
    let most = Spend::of(prompt_tokens, prompt.max_tokens, price);
    let worst_case = (1..size.tries).fold(most, |sum, _| sum + most);
    (expected, worst_case)
}
