//! Starting a run from the command line, whatever its method.

use std::path::{Path, PathBuf};

use app::Estimate;
use methods::order::{self, Order};
use papers::Source;
use run::Methods;
use run::budget::{Spend, dollars};

use super::beforehand::Beforehand;
use super::collect::read_documents;
use super::delivery::Delivery;
use super::runs::save_file;
use super::{CliContext, Shows};
use crate::cli::{Before, Caps, Common, Format, OutputArgs, SourceArg};
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::submission::{self, Draft, Origin, Submitter};
use crate::surveys::{self, Kept};
use crate::{Face, output, tables, wire};

/// Returns the caps in the form of an order.
pub(super) fn caps(caps: &Caps) -> order::Caps {
    order::Caps {
        max_cost_usd: caps.max_cost,
        max_tokens: caps.max_tokens,
        max_steps: caps.max_steps,
        max_wall_seconds: caps.max_seconds,
    }
}

/// Returns the named collection, else the run's own if it has documents of its own.
pub(super) fn collection(named: Option<&String>, docs: &[PathBuf], run: &str) -> Option<String> {
    let own = (!docs.is_empty()).then(|| run::library::of_run(run));
    named.cloned().or(own)
}

/// Returns the sources to ask: empty for own documents only, else the named ones; `None` if none were named.
pub(super) fn sources(named: &[SourceArg], own_documents: bool) -> Option<Vec<Source>> {
    if own_documents {
        return Some(vec![]);
    }
    (!named.is_empty()).then(|| named.iter().map(|&source| source.into()).collect())
}

/// Adds the workflow before the method to an order.
pub(super) fn before(args: &Before, order: Order) -> Order {
    let clarify = match (args.clarify, args.no_clarify) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    let startup = if args.no_startup { Some(String::new()) } else { args.startup.clone() };
    Order { clarify, plan: args.plan.then_some(true), startup, ..order }
}

/// Returns a new run id: the day and eight random letters and digits.
pub(crate) fn new_id() -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let random = uuid::Uuid::new_v4();
    let tail: String = random
        .as_bytes()
        .iter()
        .take(8)
        .map(|byte| char::from(LETTERS[usize::from(byte % 32)]))
        .collect();
    let day = jiff::Timestamp::now().to_string();
    let day: String = day.chars().take(10).filter(char::is_ascii_digit).collect();
    format!("{day}-{tail}")
}

/// Returns the id of a new run of an evaluation, by which [`is_of_evaluation`](crate::names::is_of_evaluation) knows it.
pub(crate) fn id_of_evaluation() -> String {
    format!("{}{}", crate::names::OF_AN_EVALUATION, new_id())
}

/// The request besides the order.
pub(super) struct Asked<'a> {
    /// The id of the run.
    pub(super) run: &'a str,
    /// Files and folders that are read for this run alone, into the order's collection.
    pub(super) docs: &'a [PathBuf],
    /// Survey files and folders that are stored for this run alone, under the name of the order's survey.
    pub(super) data: &'a [PathBuf],
    pub(super) before: &'a Before,
    /// Whether only the estimate is wanted.
    pub(super) estimate: bool,
    pub(super) delivery: Delivery,
    pub(super) shows: Shows,
    /// The file to which the banner tables of the run are written.
    pub(super) tables: Option<&'a Path>,
    /// A note that is printed if the run completes.
    pub(super) afterwards: Option<String>,
}

impl<'a> Asked<'a> {
    /// Returns a request for a run over documents of its own if there are any, whose result is printed or written as the arguments say.
    pub(super) fn of(
        run: &'a str,
        docs: &'a [PathBuf],
        said: (&'a Before, &Caps),
        output: &OutputArgs,
    ) -> Result<Asked<'a>, Failure> {
        Ok(Asked::delivered(run, docs, said, Delivery::of(output)?))
    }

    pub(super) fn delivered(
        run: &'a str,
        docs: &'a [PathBuf],
        (before, caps): (&'a Before, &Caps),
        delivery: Delivery,
    ) -> Asked<'a> {
        Asked {
            run,
            docs,
            data: &[],
            before,
            estimate: caps.estimate,
            delivery,
            shows: Shows::Result,
            tables: None,
            afterwards: None,
        }
    }
}

/// Checks an order against the configuration, reads the documents, and sees a run of it through.
pub(super) async fn see_through(
    order: &Order,
    asked: Asked<'_>,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let Asked { run, docs, data, before, estimate, delivery, shows, tables, afterwards } = asked;
    delivery.check(&order.method)?;
    let said = Beforehand::of(&before.said)?;
    let Some((mut context, draft)) =
        Box::pin(ordered(order, (estimate, delivery.print_format()), common, methods, face))
            .await?
    else {
        return Ok(Exit::Done);
    };
    if let (Some(collection), false) = (&order.collection, docs.is_empty()) {
        let reading = read_documents(&context, docs, collection);
        tokio::select! {
            read = reading => read?,
            Ok(()) = tokio::signal::ctrl_c() => {
                context.note("stopped while the documents were read; nothing was asked yet");
                return Ok(Exit::Cancelled);
            }
        }
        context.docs = docs.to_vec();
    }
    if let (Some(survey), false) = (&order.survey, data.is_empty()) {
        context.keep_survey(survey, data).await?;
    }
    context.shows = shows;
    let carried = context.carry_out(run, &order.method, draft, &said, &delivery);
    let exit = Box::pin(carried).await?;
    if let Some(path) = tables {
        context.write_tables(run, exit, path).await?;
    }
    if let (Exit::Done, Some(note)) = (exit, afterwards) {
        context.note(&note);
    }
    Ok(exit)
}

/// Checks an order against the configuration. Returns `None` if only its estimate was wanted, which is then printed.
async fn ordered<'a>(
    order: &Order,
    (estimate, format): (bool, Format),
    common: &'a Common,
    methods: Methods,
    face: &'a Face,
) -> Result<Option<(CliContext<'a>, Draft)>, Failure> {
    let origin = Origin::CommandLine;
    // Errors of the order itself should show before anything is opened.
    submission::sound(order, &methods, origin)?;
    let layers = wire::configure(common)?;
    let database = wire::open(&layers.config).await?;
    let user = &layers.config.user;
    let submitter =
        Submitter { layers: &layers, database: &database, methods: &methods, user, origin };
    let draft = Draft::of(&submitter, order).await?;
    let context =
        CliContext::of(face, common, draft.config().clone(), database.clone(), methods.clone())?;
    let warnings = layers.remarks.iter().filter(|remark| remark.starts_with("warning:"));
    warnings.for_each(|warning| context.note(warning));
    if estimate {
        let estimate = draft.estimate()?;
        estimate.notes.iter().for_each(|note| context.note(&format!("note: {note}")));
        face.out.put(&estimated(format, &estimate));
        return Ok(None);
    }
    let notes = draft.check(&context.tools).await?;
    notes.iter().for_each(|note| context.note(&format!("note: {note}")));
    Ok(Some((context, draft)))
}

impl CliContext<'_> {
    /// Stores survey files for a run.
    async fn keep_survey(&self, name: &str, paths: &[PathBuf]) -> Result<(), Failure> {
        let files = &*self.database.files;
        let Config { user, survey, .. } = &self.config;
        let Kept { files, studies, .. } =
            surveys::keep(files, user, name, paths, survey.file_bytes).await?;
        self.note(&format!("read {files} files, {studies} studies"));
        Ok(())
    }

    /// Writes the banner tables of a run.
    async fn write_tables(&self, run: &str, exit: Exit, path: &Path) -> Result<(), Failure> {
        if exit == Exit::Waiting {
            self.note(&format!(
                "no tables before the run has ended; then: quaestio runs export {run} --format xlsx --output {}",
                path.display()
            ));
            return Ok(());
        }
        let entries = self.entries(run).await?;
        // The run has already reported how it ended; having nothing to tabulate is not a failure of its own.
        let Some(bytes) = tables::made(&*self.database.files, run, &entries).await? else {
            self.note("no tables: the run came to no figure");
            return Ok(());
        };
        save_file(path, &bytes)?;
        self.note(&format!("tables: {}", path.display()));
        Ok(())
    }

    /// Starts a run of a draft, sees it through and prints its result.
    async fn carry_out(
        &self,
        run: &str,
        method: &str,
        draft: Draft,
        said: &Beforehand,
        delivery: &Delivery,
    ) -> Result<Exit, Failure> {
        let user = &self.config.user;
        let new = draft.start(run.to_owned(), &self.database, &self.tools, user).await?;
        let (world, method) = (self.world(new.settings.models.as_ref())?, self.method(method)?);
        let status = self.attend(run, self.worker.start(&world, &method, new)).await?;
        self.conclude(&world, run, status, said, delivery).await
    }
}

/// Returns the estimate of a run as text to print.
fn estimated(format: Format, estimate: &Estimate) -> String {
    let Estimate { expected, worst_case, priced, .. } = *estimate;
    let model = estimate.model.as_deref().unwrap_or("offline");
    let cost = |spend: Spend| {
        if priced {
            format!("${:.6}", dollars(spend.cost_usd_micros))
        } else {
            "no price known".into()
        }
    };
    match format {
        Format::Json => {
            let line = |spend: Spend| {
                let usd = priced.then(|| dollars(spend.cost_usd_micros));
                serde_json::json!({ "tokens": spend.tokens, "cost_usd": usd })
            };
            let page = serde_json::json!({ "model": model, "expected": line(expected), "worst_case": line(worst_case) });
            format!("{}\n", output::json(&page))
        }
        Format::Md | Format::Html | Format::Text => format!(
            "Model: {model}\nExpected: {} tokens, {}\nWorst case: {} tokens, {}\n",
            expected.tokens,
            cost(expected),
            worst_case.tokens,
            cost(worst_case)
        ),
    }
}
