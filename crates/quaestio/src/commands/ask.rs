//! `quaestio ask`.

use methods::ask::{self, Options, Strategy};
use run::library::{Library, Retrieval};
use run::{Methods, Settings};

use super::collect::{check_name, collect, pairs};
use super::start::{asked, estimate, flags, new_id, no_zero_caps, uncapped};
use super::{DEFAULT_COLLECTION, Desk};
use crate::cli::{AskArgs, Common, StrategyArg};
use crate::failure::{Exit, Failure};
use crate::operations::Engine;
use crate::{Face, wire};

pub(super) async fn ask(
    args: &AskArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let question = asked(&args.question, "quaestio ask \"Who was John Snow?\"")?;
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
    no_zero_caps(&args.caps)?;
    let layers = wire::configure(common, strategy, flags(&args.caps))?;
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
    let layers = wire::configure(common, Some(strategy), flags(&args.caps))?;
    let choice = wire::choice(&layers.config);
    let rules = layers.config.ask.clone();
    let bibliography = wire::bibliography(&layers.config.bibliography.style)?;
    let desk = Desk { face, common, config: layers.config.clone(), store, methods, bibliography };
    if args.caps.estimate {
        let calls = ask::calls(&rules, question, strategy);
        return estimate(&desk, args.format, choice.as_ref(), &calls, question);
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
