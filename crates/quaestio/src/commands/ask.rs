//! `quaestio ask`.

use figment2::value::Value;
use methods::ask::{self, Options, Rules, Strategy};
use run::budget::{Spend, dollars};
use run::library::{Library, Retrieval};
use run::settings::ModelChoice;
use run::{Methods, Settings};

use super::collect::{check_name, collect, pairs};
use super::{DEFAULT_COLLECTION, Desk, unpriced};
use crate::cli::{AskArgs, Common, Format, StrategyArg};
use crate::config::Layers;
use crate::failure::{Exit, Failure};
use crate::operations::Engine;
use crate::render;
use crate::{Face, wire};

pub(super) async fn ask(
    args: &AskArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let question = args.question.trim();
    if question.is_empty() {
        return Err(Failure::usage(
            "the question is empty",
            "write for example: quaestio ask \"Who was John Snow?\"",
        ));
    }
    if !args.docs.is_empty() && args.strategy == Some(StrategyArg::Direct) {
        return Err(Failure::usage(
            "--docs and --strategy direct exclude each other",
            "the strategy 'direct' reads no documents",
        ));
    }
    if !args.sources.is_empty() && args.strategy != Some(StrategyArg::Search) {
        return Err(Failure::usage(
            "--source belongs to --strategy search",
            "the other strategies ask nobody outside",
        ));
    }
    let narrowed = args.collection.is_some() || args.company.is_some() || !args.filter.is_empty();
    if narrowed && args.strategy == Some(StrategyArg::Direct) {
        return Err(Failure::usage(
            "--strategy direct excludes --collection, --company and --where",
            "the strategy 'direct' reads no documents",
        ));
    }
    let strategy = match args.strategy {
        Some(StrategyArg::Direct) => Some(Strategy::Direct),
        Some(StrategyArg::Search) => Some(Strategy::Search),
        Some(StrategyArg::Rag) => Some(Strategy::Rag),
        None if !args.docs.is_empty() || narrowed => Some(Strategy::Rag),
        None => None,
    };
    no_zero_caps(args)?;
    let layers = wire::configure(common, strategy, flags(args))?;
    let store = wire::open(&layers.config)?;
    let strategy = match strategy {
        Some(strategy) => strategy,
        // Without a word about it, documents are used where there are some.
        None if has_documents(&store, &layers.config.user, DEFAULT_COLLECTION).await? => {
            Strategy::Rag
        }
        None => Strategy::Direct,
    };
    let mut filter = pairs("--where", &args.filter)?;
    filter.extend(args.company.as_ref().map(|company| ("company".to_owned(), company.clone())));
    let layers = wire::configure(common, Some(strategy), flags(args))?;
    let choice = wire::choice(&layers.config);
    let rules = layers.config.ask.clone();
    let bibliography = wire::bibliography(&layers.config.bibliography.style)?;
    let desk = Desk { face, common, config: layers.config.clone(), store, methods, bibliography };
    if args.estimate {
        return estimate(&desk, args, choice.as_ref(), &rules, strategy);
    }
    let sources = match strategy {
        Strategy::Search => {
            let asked = wire::asked(&args.sources, &desk.config)?;
            wire::ready(&wire::sources(&desk.config)?, &asked)?;
            asked
        }
        _ => vec![],
    };
    // What is wrong with the model should show before documents are read.
    let engine = desk.engine(choice.as_ref())?;
    let mut budget = desk.config.budget.budget();
    uncapped(&desk, &engine, &layers, &mut budget)?;

    let run = new_id();
    let collection = match (&args.collection, args.docs.is_empty()) {
        (Some(name), _) => name.clone(),
        (None, false) => format!("run-{run}"),
        // What is looked up is read into a collection of the run's own.
        (None, true) if strategy == Strategy::Search => String::new(),
        (None, true) => DEFAULT_COLLECTION.to_owned(),
    };
    if !collection.is_empty() {
        check_name("collection", &collection)?;
    }
    if !args.docs.is_empty() {
        read_documents(&desk, args, &collection).await?;
    } else if strategy == Strategy::Rag {
        must_exist(&desk, &collection).await?;
        must_compare(&desk, &engine, &collection, rules.retrieval).await?;
    }
    let own_documents =
        !args.docs.is_empty() || has_documents(&desk.store, &desk.config.user, &collection).await?;
    let options = Options { strategy, collection, own_documents, filter, sources, rules };
    let options =
        serde_json::to_value(options).map_err(|error| Failure::new(error.to_string(), ""))?;
    let settings = Settings { options, budget, models: choice };
    let status = engine.start("ask", &run, question, settings).await?;
    desk.conclude(&engine, &run, status, args.format).await
}

/// The keys of the configuration that `ask` has flags for.
fn flags(args: &AskArgs) -> Vec<(&'static str, Value)> {
    let mut flags: Vec<(&str, Value)> = Vec::new();
    flags.extend(args.max_cost.map(|usd| ("budget.max_cost_usd", Value::from(usd))));
    flags.extend(args.max_tokens.map(|tokens| ("budget.max_tokens", Value::from(tokens))));
    flags.extend(args.max_steps.map(|steps| ("budget.max_steps", Value::from(steps))));
    flags.extend(args.max_seconds.map(|seconds| ("budget.max_wall_seconds", Value::from(seconds))));
    flags
}

/// Zero lifts a cap in the configuration; on the command line it would say the opposite of what it does.
fn no_zero_caps(args: &AskArgs) -> Result<(), Failure> {
    let zero = [args.max_tokens, args.max_steps, args.max_seconds].contains(&Some(0));
    if zero || args.max_cost == Some(0.0) {
        return Err(Failure::usage(
            "a cap of 0 allows nothing",
            "--no-model asks no model; --estimate runs nothing",
        ));
    }
    Ok(())
}

/// A cost cap needs a price: a cap that somebody set is refused without one, the default one is lifted.
fn uncapped(
    desk: &Desk<'_>,
    engine: &Engine,
    layers: &Layers,
    budget: &mut run::budget::Budget,
) -> Result<(), Failure> {
    let Some(model) = unpriced(engine, budget) else { return Ok(()) };
    let origin = layers.origin("budget.max_cost_usd");
    if origin != "defaults" {
        return Err(without_price(&model, &format!("set by the {origin}")));
    }
    desk.note(&format!(
        "note: no price is known for {model}; the token cap holds, the default cost cap cannot"
    ));
    budget.max_cost_usd_micros = None;
    Ok(())
}

pub(super) fn without_price(model: &str, cap: &str) -> Failure {
    Failure::usage(
        format!("no price is known for {model}, so the cost cap {cap} cannot hold"),
        "add its price under [prices] in your configuration, or cap tokens with --max-tokens",
    )
}

async fn has_documents(store: &store::Store, user: &str, name: &str) -> Result<bool, Failure> {
    let collections = store.collections(user).await?;
    Ok(collections.iter().any(|collection| collection.name == name && collection.documents > 0))
}

/// Checks that the search can compare vectors, where it is to: better before the run than as its failure.
async fn must_compare(
    desk: &Desk<'_>,
    engine: &Engine,
    collection: &str,
    retrieval: Retrieval,
) -> Result<(), Failure> {
    let manifest = desk.store.manifest(&desk.config.user, collection).await?;
    if !retrieval.in_a(&manifest).needs_vectors() {
        return Ok(());
    }
    let embedder = match &engine.world.embedder {
        Some(embedders) => Some(embedders.open().await?),
        None => None,
    };
    let embedding = embedder.as_ref().map(|embedder| embedder.embedding());
    manifest.comparable(collection, embedding).map_err(|error| {
        Failure::usage(
            error.to_string(),
            "--embedder NAME gives the embedder; --set ask.retrieval=feedback searches by words alone",
        )
    })
}

async fn must_exist(desk: &Desk<'_>, collection: &str) -> Result<(), Failure> {
    let collections = desk.store.collections(&desk.config.user).await?;
    if collections.iter().any(|known| known.name == collection) {
        return Ok(());
    }
    let names: Vec<&str> = collections
        .iter()
        .map(|known| known.name.as_str())
        .filter(|name| !name.starts_with("run-"))
        .collect();
    let there = if names.is_empty() {
        "there is none yet".to_owned()
    } else {
        format!("there are: {}", names.join(", "))
    };
    Err(Failure::usage(
        format!("there is no collection '{collection}'; {there}"),
        format!(
            "make it with `quaestio ingest PATH --collection {collection}`, or give --docs PATH"
        ),
    ))
}

async fn read_documents(desk: &Desk<'_>, args: &AskArgs, collection: &str) -> Result<(), Failure> {
    let report = collect(desk, collection, &args.docs, Default::default(), false).await?;
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

/// Returns a new run id: the day and eight random letters and digits.
pub(super) fn new_id() -> String {
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

/// Prints what a run would cost, from the prompt, the context budget and the price table.
fn estimate(
    desk: &Desk<'_>,
    args: &AskArgs,
    choice: Option<&ModelChoice>,
    rules: &Rules,
    strategy: Strategy,
) -> Result<Exit, Failure> {
    let Some(choice) = choice else {
        desk.face.out.put(&estimated(
            args.format,
            "offline",
            Spend::default(),
            Spend::default(),
            true,
        ));
        return Ok(Exit::Done);
    };
    let models = wire::connect(choice, &desk.config)?;
    let prompts = wire::prompts(&desk.config)?;
    /// Tokens of a usual answer with its quotes.
    const USUAL_ANSWER: u64 = 500;
    let (mut expected, mut worst, mut priced) = (Spend::default(), Spend::default(), true);
    for calls in ask::calls(rules, &args.question, strategy) {
        let prompt = prompts
            .of(&calls.agent)
            .map_err(|error| Failure::usage(error.to_string(), "correct prompts.folder"))?;
        let price = models.of(prompt.tier).price();
        priced &= price.is_some();
        let read = run::analysis::tokens(&prompt.text)
            + run::analysis::tokens(&args.question)
            + calls.evidence_tokens as usize;
        let usage = run::budget::Usage {
            input_tokens: read as u64,
            cached_tokens: 0,
            output_tokens: USUAL_ANSWER.min(u64::from(prompt.max_tokens)),
        };
        let cost_usd_micros = price.map_or(0, |price| price.cost_usd_micros(usage));
        expected = expected + Spend { tokens: usage.total(), cost_usd_micros };
        for _ in 0..calls.most {
            worst = worst + Spend::worst_case(calls.prompt_bytes, prompt.max_tokens, price);
        }
    }
    desk.face.out.put(&estimated(args.format, models.main.id(), expected, worst, priced));
    Ok(Exit::Done)
}

fn estimated(format: Format, model: &str, expected: Spend, worst: Spend, priced: bool) -> String {
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
            let page = serde_json::json!({ "model": model, "expected": line(expected), "worst_case": line(worst) });
            format!("{}\n", render::json(&page))
        }
        Format::Md | Format::Html => format!(
            "Model: {model}\nExpected: {} tokens, {}\nWorst case: {} tokens, {}\n",
            expected.tokens,
            cost(expected),
            worst.tokens,
            cost(worst)
        ),
    }
}
