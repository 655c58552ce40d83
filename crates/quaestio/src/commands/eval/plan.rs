//! The plan of an evaluation: everything that it needs, checked against the configuration before anything is asked.

use std::collections::BTreeSet;

use eval::dataset::{self, Case, Dataset, Split};
use eval::runner::{Caps, Evaluation, ForeignArm};
use figment2::value::Value as Setting;
use run::Methods;
use run::entry::Hash;

use super::super::CliContext;
use super::arms::{self, Drafted, Made};
use super::documents::Place;
use super::judges::{self, Judge, ReportJudge};
use super::reports;
use crate::cli::{Common, EvalOrder};
use crate::config::Layers;
use crate::failure::Failure;
use crate::submission;
use crate::wire;

/// Everything that an evaluation needs.
pub(super) struct Plan {
    pub(super) dataset: Dataset,
    /// The cases of the dataset that are asked.
    pub(super) cases: Vec<Case>,
    pub(super) path: String,
    pub(super) place: Option<Place>,
    pub(super) documents: Option<(Hash, u64)>,
    pub(super) arms: Vec<Made>,
    pub(super) foreign: Vec<ForeignArm>,
    pub(super) judge: Option<Judge>,
    pub(super) report_judge: Option<ReportJudge>,
    pub(super) caps: Caps,
    pub(super) fresh: bool,
}

impl Plan {
    /// Returns a digest of everything that decides what is asked, and so which evaluation is continued.
    pub(super) fn order(&self) -> Hash {
        let arms = self.arms.iter().map(|made| (&made.arm.name, made.arm.decides));
        let arms: Vec<_> =
            arms.chain(self.foreign.iter().map(|arm| (&arm.name, arm.decides))).collect();
        let judge = self.judge.as_ref().map(|judge| &judge.judging);
        let judge = judge.map(|judging| (judging.decides, judging.rounds));
        let cases: Vec<_> = self.cases.iter().map(|case| &case.id).collect();
        let order = Hash::of_json(&(self.dataset.digest, cases, arms, judge, self.fresh));
        // Without a judge of reports, the digest is the same as before that judge existed, so that open evaluations can be continued.
        self.report_judge.as_ref().map_or(order, |of_reports| {
            let judging = &of_reports.judge.judging;
            Hash::of_json(&(order, judging.decides, judging.rounds))
        })
    }

    pub(super) fn evaluation(&self, concurrency: u32) -> Evaluation {
        Evaluation {
            cases: self.cases.clone(),
            arms: self.arms.iter().map(|made| made.arm.clone()).collect(),
            foreign: self.foreign.clone(),
            judging: self.judge.as_ref().map(|judge| judge.judging.clone()),
            report_judging: self.report_judge.as_ref().map(|one| one.judge.judging.clone()),
            concurrency: concurrency as usize,
            caps: self.caps,
            spent: Default::default(),
        }
    }

    /// Returns whether a model is asked.
    pub(super) fn asks_a_model(&self) -> bool {
        self.judge.is_some() || self.arms.iter().any(|made| made.arm.settings.models.is_some())
    }
}

/// Reads the dataset, and returns it with its path as given.
pub(super) fn read(order: &EvalOrder) -> Result<(String, Dataset), Failure> {
    let path = order.dataset.clone().unwrap_or_default();
    let dataset = dataset::read(&path, order.split.unwrap_or(Split::All)).map_err(|error| {
        Failure::usage(
            error.to_string(),
            "see docs/manual/evaluation.md for the format of a dataset",
        )
    })?;
    Ok((path.display().to_string(), dataset))
}

/// Returns the configuration with the evaluation flags of the command line applied.
pub(super) fn configured(order: &EvalOrder, common: &Common) -> Result<Layers, Failure> {
    let mut flags: Vec<(&str, Setting)> = Vec::new();
    flags.extend(order.concurrency.map(|number| ("eval.concurrency", number.into())));
    flags.extend(order.judge_rounds.map(|number| ("eval.judge_rounds", number.into())));
    flags.extend(order.judge_model.as_deref().map(|name| ("eval.judge_model", name.into())));
    flags.extend(order.max_cost.map(|usd| ("eval.max_cost_usd", usd.into())));
    flags.extend(order.max_tokens.map(|tokens| ("eval.max_tokens", tokens.into())));
    flags.extend(order.mlflow.as_deref().map(|url| ("eval.mlflow", url.into())));
    if order.max_tokens == Some(0) || order.max_cost == Some(0.0) {
        return Err(Failure::usage(
            "a limit of 0 allows nothing",
            "use --no-model to ask no model, or --estimate to run nothing",
        ));
    }
    wire::configure(common)?.with(None, "command line", flags)
}

/// Checks everything against the configuration and reads the documents; also returns notes for the user.
pub(super) async fn planned(
    order: &EvalOrder,
    (path, dataset): (String, Dataset),
    context: &CliContext<'_>,
    layers: &Layers,
    methods: &Methods,
) -> Result<(Plan, Vec<String>), Failure> {
    let place = Place::of(order, &dataset, context).await?;
    let collection = place.as_ref().map(Place::collection);
    let limit =
        order.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let cases: Vec<Case> = dataset.cases.iter().take(limit).cloned().collect();
    let question = cases.first().map_or("", |case| &case.question);
    let chosen = arms::choose_arms(order, place.is_some())?;
    let taken: Vec<&str> = chosen.iter().map(|one| one.name.as_str()).collect();
    let (foreign, unread) = reports::read(&order.reports, &cases, &taken)?;
    let mut drafted = Vec::new();
    for chosen in chosen {
        let wanted = chosen.order(order, question, collection);
        drafted.push(Drafted::of(chosen, &wanted, context, layers, methods).await?);
    }
    let judge = judges::judge(order, context, layers)?;
    let report_judge = judges::report_judge(order, context, layers)?;
    let mut notes: BTreeSet<String> =
        drafted.iter().flat_map(|one| one.notes().iter().cloned()).collect();
    let (caps, note) = resolve_caps(context, layers, &drafted, judge.as_ref())?;
    notes.extend(note);
    notes.extend(unread);

    let mut documents = None;
    if let Some(place) = &place {
        place.fill(order, &dataset, context).await?;
        documents = place.digest(context).await?;
    }
    let mut arms = Vec::new();
    for one in drafted {
        arms.push(Box::pin(one.made(context, documents.map(|(digest, _)| digest))).await?);
    }
    let plan = Plan {
        dataset,
        cases,
        path,
        place,
        documents,
        arms,
        foreign,
        judge,
        report_judge,
        caps,
        fresh: order.fresh,
    };
    Ok((plan, notes.into_iter().collect()))
}

/// Returns the caps of the evaluation. A cost cap needs a price: without one, a cap that was set is refused, and the default cap is
/// lifted with a note.
fn resolve_caps(
    context: &CliContext<'_>,
    layers: &Layers,
    drafted: &[Drafted],
    judge: Option<&Judge>,
) -> Result<(Caps, Option<String>), Failure> {
    let budget = context.config.eval.caps();
    let mut caps =
        Caps { max_tokens: budget.max_tokens, max_cost_usd_micros: budget.max_cost_usd_micros };
    let mut choices = Vec::new();
    if let Some(one) = drafted.first() {
        choices.extend(wire::choice(&one.config));
    }
    choices.extend(judge.and_then(|judge| judge.judging.settings.models.clone()));
    for choice in choices {
        let models = context.tools.connected(&choice, &context.config)?;
        let Some(model) = submission::unpriced(Some(&models), &budget) else { continue };
        let origin = layers.origin("eval.max_cost_usd");
        if origin != "defaults" {
            return Err(Failure::usage(
                format!(
                    "the price of {model} is not known, so the cost limit from the {origin} cannot be enforced"
                ),
                "add the price under [prices] in your configuration, or limit tokens with --max-tokens",
            ));
        }
        caps.max_cost_usd_micros = None;
        let note = format!(
            "the price of {model} is not known; the token limit applies, the cost limit cannot"
        );
        return Ok((caps, Some(note)));
    }
    Ok((caps, None))
}
