//! `quaestio ask`, and `quaestio deep`, which is one of its strategies.

use methods::ask::Strategy;
use methods::ask::deep::Depth;
use methods::order::Order;
use run::Methods;

use super::collect::pairs;
use super::runs::found;
use super::start::{Asked, before, caps, collection, new_id, see_through, sources};
use crate::cli::{Common, DepthArg, QuestionArgs, StrategyArg};
use crate::failure::{Exit, Failure};
use crate::{Face, wire};

pub(super) async fn ask(
    strategy: Option<StrategyArg>,
    args: &QuestionArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let run = new_id();
    let earlier = match &args.goes_on_from {
        Some(name) => Some(earlier(name, args, common).await?),
        None => None,
    };
    let order = build_order(strategy, args, earlier, &run)?;
    let asked = Asked::of(&run, &args.docs, (&args.before, &args.caps), &args.output)?;
    see_through(&order, asked, common, methods, face).await
}

/// Returns the id of the run that is continued.
async fn earlier(name: &str, args: &QuestionArgs, common: &Common) -> Result<String, Failure> {
    let question = args.question.as_deref().unwrap_or_default();
    if question.trim().is_empty() && !common.refresh {
        return Err(Failure::usage(
            "--continue needs a question, or --refresh",
            "ask a new question, or update the earlier report with --refresh",
        ));
    }
    let config = wire::configure(common)?.config;
    found(&wire::open(&config).await?, &config.user, name).await
}

/// Builds an order from the arguments. Documents that are read for this run alone go into its own collection.
fn build_order(
    strategy: Option<StrategyArg>,
    args: &QuestionArgs,
    goes_on_from: Option<String>,
    run: &str,
) -> Result<Order, Failure> {
    if !args.docs.is_empty() && strategy == Some(StrategyArg::Direct) {
        return Err(Failure::usage(
            "--docs cannot be used with --strategy direct",
            "leave out --strategy to answer from the documents",
        ));
    }
    let order = Order {
        method: "ask".into(),
        question: args.question.clone().unwrap_or_default(),
        strategy: strategy.map(Strategy::from),
        collection: collection(args.collection.as_ref(), &args.docs, run),
        filter: pairs("--where", &args.filter)?,
        company: args.company.clone(),
        sources: sources(&args.sources, args.own_documents),
        max_questions: args.max_questions,
        depth: args.depth.map(Depth::from),
        words: args.words,
        audience: args.audience.clone(),
        form: args.form.clone(),
        language: args.language.clone(),
        goes_on_from,
        budget: caps(&args.caps),
        ..Order::default()
    };
    Ok(before(&args.before, order))
}

impl From<DepthArg> for Depth {
    fn from(named: DepthArg) -> Depth {
        match named {
            DepthArg::Quick => Depth::Quick,
            DepthArg::Standard => Depth::Standard,
            DepthArg::Exhaustive => Depth::Exhaustive,
        }
    }
}

impl From<StrategyArg> for Strategy {
    fn from(named: StrategyArg) -> Strategy {
        match named {
            StrategyArg::Direct => Strategy::Direct,
            StrategyArg::Search => Strategy::Search,
            StrategyArg::Rag => Strategy::Rag,
            StrategyArg::Deep => Strategy::Deep,
        }
    }
}
