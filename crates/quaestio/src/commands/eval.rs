//! `quaestio eval`.
//!
//! Reads the dataset and the documents, checks every arm against the configuration, reports what it may cost, performs the evaluation,
//! and writes the results to files before it prints the report.

mod arms;
mod documents;
mod estimate;
mod folder;
mod judges;
mod mirror;
mod plan;
mod pool;
mod progress;
mod reports;
mod results;
mod retrieval;
mod show;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::Mutex;

use eval::runner::{self, Evaluated, Evaluation, Told};
use jiff::Timestamp;
use run::Methods;
use run::budget::Budget;
use run::listener::NoopListener;
use run::world::World;
use serde_json::json;

use super::gates::read_line;
use super::{CliContext, with_judges};
use crate::Face;
use crate::cli::{Common, EvalArgs, EvalCommand, EvalOrder};
use crate::failure::{Exit, Failure};
use crate::submission;
use crate::wire;
use documents::Place;
use estimate::Estimate;
use folder::{DatasetEntry, Folder, Manifest, State};
use plan::{Plan, configured, planned, read};
use pool::WorkerPool;
use progress::Progress;

pub(super) async fn eval(
    args: EvalArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let EvalArgs { command, order } = args;
    match command {
        None if !order.retrieval.is_empty() => {
            Box::pin(retrieval::retrieval(&order, common, methods, face)).await
        }
        None if order.passages.is_some() => Err(Failure::usage(
            "--passages is for evaluations of --retrieval alone",
            "add --retrieval lexical,feedback, or set ask.top_k for the passages of an answer",
        )),
        None => Box::pin(evaluation(&order, common, methods, face)).await,
        Some(EvalCommand::List { json }) => {
            show::list(&wire::configure(common)?.config, json.is_wanted(), face)
        }
        Some(EvalCommand::Show { evaluation, printed }) => {
            show::show(&wire::configure(common)?.config, &evaluation, &printed, face)
        }
        Some(EvalCommand::Compare { a, b, arms, printed }) => {
            show::compare(&wire::configure(common)?.config, (&a, &b), &arms, &printed, face)
        }
    }
}

async fn evaluation(
    order: &EvalOrder,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let (path, dataset) = read(order)?;
    let layers = configured(order, common)?;
    let store = wire::open(&layers.config).await?;
    let context = CliContext::of(face, common, layers.config.clone(), store, methods.clone())?;
    let mirror = mirror::mirror(&context.config)?;
    dataset.notes.iter().for_each(|note| context.note(&format!("note: {note}")));
    let planning = planned(order, (path, dataset), &context, &layers, &methods);
    let (plan, notes) = Box::pin(planning).await?;
    notes.iter().for_each(|note| context.note(&format!("note: {note}")));

    let data = wire::data_folder(&context.config)?;
    let (folder, before) = Folder::open(&data, order.name.as_deref(), plan.order())?;
    let own = if before.is_some() { folder.begun() } else { vec![] };
    let own = own.into_iter().map(|entry| entry.run).collect();
    let pool = build_pool(&context, &plan, &folder, own)?;
    let mut evaluation = plan.evaluation(context.config.eval.concurrency);
    evaluation.spent = pool.spent().await?;
    if let Some(estimate) = estimated(order, &plan, &evaluation, &pool).await? {
        if order.estimate {
            face.out.put(&estimate.printed(order.printed.format));
            return Ok(Exit::Done);
        }
        if !agreed(&context, order, &estimate).await {
            context.note("nothing was run");
            return Ok(Exit::Cancelled);
        }
    }
    let mut manifest = build_manifest(&plan, &folder, before.as_ref(), &context);
    let _held = folder.make(before.is_some())?;
    folder.write_manifest(&manifest)?;
    let says = if before.is_some() { "resumes" } else { "begins" };
    context.note(&format!("evaluation {} {says}: {}", folder.id, results::size(&evaluation)));

    let progress = Progress::new(&context, &evaluation);
    let told = |told: Told<'_>| progress.hear(told);
    let evaluated = tokio::select! {
        evaluated = runner::evaluate(&evaluation, &pool, &told) => evaluated.map_err(|fault| Failure::new(fault.what, fault.hint))?,
        never = pool.watch(|text| context.note(text)) => match never {},
    };
    let state = match (evaluated.stopped, evaluated.not_run()) {
        (true, _) => State::Cancelled,
        (false, 0) => State::Completed,
        _ => State::Partial,
    };
    manifest.state = state;
    manifest.ended_at = Some(Timestamp::now());
    manifest.runs = results::runs(&evaluated, &folder);
    manifest.outcome = results::outcome(&evaluated);
    if state == State::Cancelled {
        folder.write_manifest(&manifest)?;
        let done = results::done(&evaluated);
        let hint = "run the same command to resume; finished work is reused";
        context.face.err.line(&format!("evaluation {} stopped: {done}; {hint}", folder.id));
        return Ok(Exit::Cancelled);
    }
    let report = results::reported(&context, &plan, &manifest, &evaluated);
    results::write(&plan, &folder, &manifest, &evaluated, &report)?;
    context.note(&format!("files: {}", folder.path().display()));
    show::print(&report, &order.printed, face)?;
    if let Some(mirror) = mirror {
        mirror::mirrored(&context, &mirror, &folder, &report).await?;
    }
    Ok(exit(&evaluated))
}

/// Returns how an evaluation ended: partial if something was not run or did not finish.
fn exit(evaluated: &Evaluated) -> Exit {
    let failed = evaluated.observations.iter().any(|one| one.error.is_some())
        || evaluated.judgements.iter().any(|one| one.error.is_some());
    if failed { Exit::Partial } else { Exit::Done }
}

/// Builds the pool that makes the runs.
fn build_pool<'a>(
    context: &'a CliContext<'_>,
    plan: &Plan,
    folder: &'a Folder,
    own: BTreeSet<String>,
) -> Result<WorkerPool<'a>, Failure> {
    let mut worlds: BTreeMap<String, World> = BTreeMap::new();
    let judge = plan.judge.iter().map(|judge| (eval::judge::NAME, judge));
    let of_reports =
        plan.report_judge.iter().map(|of_reports| (eval::report_judge::NAME, &of_reports.judge));
    let judges = judge
        .chain(of_reports)
        .map(|(name, judge)| (name, &judge.config, judge.judging.settings.models.as_ref()));
    let arms = plan
        .arms
        .iter()
        .map(|made| (made.arm.name.as_str(), &made.config, made.arm.settings.models.as_ref()));
    for (name, config, models) in arms.chain(judges) {
        let world =
            wire::world(&context.database, config, &context.tools, models, Arc::new(NoopListener))?;
        worlds.insert(name.to_owned(), world);
    }
    let data = wire::data_folder(&context.config)?;
    Ok(WorkerPool {
        database: &context.database,
        methods: with_judges(&context.methods),
        user: &context.config.user,
        worlds,
        bibliography: &context.bibliography,
        folder,
        artifacts: context.config.artifacts.then_some(data),
        fresh: plan.fresh,
        own: Mutex::new(own),
        worker: Arc::clone(&context.worker),
    })
}

/// Returns what is to be asked and what it may cost; `None` if no model is asked and no estimate was requested.
async fn estimated(
    order: &EvalOrder,
    plan: &Plan,
    evaluation: &Evaluation,
    pool: &WorkerPool<'_>,
) -> Result<Option<Estimate>, Failure> {
    if !plan.asks_a_model() && !order.estimate {
        return Ok(None);
    }
    let priced = plan.caps.max_cost_usd_micros.is_some()
        || pool.worlds.values().all(|world| {
            let any = Budget { max_cost_usd_micros: Some(1), ..Budget::default() };
            submission::unpriced(world.models.as_ref(), &any).is_none()
        });
    let estimate = estimate::estimate(evaluation, plan, pool, priced).await;
    estimate.map(Some).map_err(|fault| Failure::new(fault.what, fault.hint))
}

/// Reports what the evaluation may cost, and asks the person at the terminal for consent.
async fn agreed(context: &CliContext<'_>, order: &EvalOrder, estimate: &Estimate) -> bool {
    if estimate.is_nothing() {
        return true;
    }
    context.note(&estimate.line());
    if order.yes || !context.face.terminal {
        return true;
    }
    context.face.err.put("Type y to start; anything else cancels.\n> ");
    let typed = read_line().await.unwrap_or_default();
    matches!(typed.trim().to_lowercase().as_str(), "y" | "yes")
}

fn build_manifest(
    plan: &Plan,
    folder: &Folder,
    before: Option<&Manifest>,
    context: &CliContext<'_>,
) -> Manifest {
    let Plan { dataset, cases, path, place, documents, arms, foreign, judge, .. } = plan;
    let Plan { report_judge, caps, fresh, .. } = plan;
    let configuration = json!({
        "arms": arms.iter().map(|made| json!({
            "name": made.arm.name,
            "method": made.arm.method,
            "settings": made.arm.settings,
            "decides": made.arm.decides,
        })).collect::<Vec<_>>(),
        "reports": foreign.iter().map(|arm| json!({
            "name": arm.name,
            "cases": arm.reports.len(),
            "decides": arm.decides,
        })).collect::<Vec<_>>(),
        "judge": judge.as_ref().map(|judge| json!({
            "model": judge.model,
            "rubric": eval::judge::JUDGE.prompt,
            "rubric_version": judge.rubric_version,
            "rounds": judge.judging.rounds,
            "decides": judge.judging.decides,
        })),
        "report_judge": report_judge.as_ref().map(|of_reports| json!({
            "model": of_reports.judge.model,
            "criteria": eval::report_judge::CRITERIA.prompt,
            "criteria_version": of_reports.criteria_version,
            "rubric": eval::report_judge::JUDGE.prompt,
            "rubric_version": of_reports.judge.rubric_version,
            "rounds": of_reports.judge.judging.rounds,
            "decides": of_reports.judge.judging.decides,
        })),
        "collection": place.as_ref().map(Place::collection),
        "caps": { "max_tokens": caps.max_tokens, "max_cost_usd_micros": caps.max_cost_usd_micros },
        "concurrency": context.config.eval.concurrency,
        "fresh": fresh,
    });
    let foreign = foreign.iter().map(|arm| arm.name.as_str());
    let names = foreign.chain(arms.iter().map(|made| made.arm.name.as_str()));
    Manifest {
        id: folder.id.clone(),
        state: State::Begun,
        order: plan.order(),
        created_at: before.map_or_else(Timestamp::now, |before| before.created_at),
        ended_at: None,
        quaestio_version: env!("CARGO_PKG_VERSION").to_owned(),
        dataset: DatasetEntry {
            path: path.clone(),
            name: dataset.name.clone(),
            digest: dataset.digest,
            cases: cases.len() as u64,
            documents: documents.map(|(digest, _)| digest),
        },
        arms: names.map(str::to_owned).collect(),
        configuration,
        outcome: serde_json::Value::Null,
        runs: vec![],
    }
}
