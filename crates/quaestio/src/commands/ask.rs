//! `quaestio ask`.

use std::path::PathBuf;

use methods::ask::Strategy;
use methods::order::Order;
use run::Methods;

use super::Desk;
use super::beforehand::Beforehand;
use super::collect::{collect, pairs};
use super::start::{before, caps, new_id, ordered, sources};
use crate::Face;
use crate::cli::{AskArgs, Common, StrategyArg};
use crate::failure::{Exit, Failure};

pub(super) async fn ask(
    args: &AskArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let run = new_id();
    let order = order(args, &run)?;
    let said = Beforehand::of(&args.before.said)?;
    let asked = (args.caps.estimate, args.format);
    let Some((desk, ready)) = ordered(&order, asked, common, methods, face).await? else {
        return Ok(Exit::Done);
    };
    if let (Some(collection), false) = (&order.collection, args.docs.is_empty()) {
        read_documents(&desk, &args.docs, collection).await?;
    }
    desk.carry_out(&run, ready, &said, args.format).await
}

/// Reads the arguments as an order. Documents that are read for this run alone go into a collection of its own.
fn order(args: &AskArgs, run: &str) -> Result<Order, Failure> {
    if !args.docs.is_empty() && args.strategy == Some(StrategyArg::Direct) {
        return Err(Failure::usage(
            "--docs and --strategy direct exclude each other",
            "the strategy 'direct' reads no documents",
        ));
    }
    let mut filter = pairs("--where", &args.filter)?;
    filter.extend(args.company.as_ref().map(|company| ("company".to_owned(), company.clone())));
    let own = (!args.docs.is_empty()).then(|| format!("run-{run}"));
    let order = Order {
        method: "ask".into(),
        question: args.question.clone(),
        strategy: args.strategy.map(|strategy| match strategy {
            StrategyArg::Direct => Strategy::Direct,
            StrategyArg::Search => Strategy::Search,
            StrategyArg::Rag => Strategy::Rag,
        }),
        collection: args.collection.clone().or(own),
        filter,
        sources: sources(&args.sources),
        budget: caps(&args.caps),
        ..Order::default()
    };
    Ok(before(&args.before, order))
}

/// Reads documents for one run alone; some must come in.
pub(super) async fn read_documents(
    desk: &Desk<'_>,
    docs: &[PathBuf],
    collection: &str,
) -> Result<(), Failure> {
    let report = collect(desk, collection, docs, Default::default(), false).await?;
    for problem in &report.problems {
        desk.face.err.line(&run::grounding::clean(&format!(
            "left out: {}: {}",
            problem.path, problem.reason
        )));
    }
    if report.stored() == 0 {
        return Err(Failure::new(
            "none of the documents could be read",
            "the lines above say why; formats read: text, Markdown, HTML, PDF, DOCX, EPUB",
        ));
    }
    desk.note(&format!("read {} documents, {} chunks", report.stored(), report.chunks));
    Ok(())
}
