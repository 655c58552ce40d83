//! `quaestio hypothesize`.

use methods::hypothesize::{self, Options};
use run::{Methods, Settings};

use super::Desk;
use super::start::{asked, estimate, flags, new_id, no_zero_caps, uncapped};
use crate::cli::{Common, HypothesizeArgs};
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::{Face, wire};

pub(super) async fn hypothesize(
    args: &HypothesizeArgs,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let question = asked(
        &args.question,
        "quaestio hypothesize \"Why do honey bee colonies collapse in winter?\"",
    )?;
    no_zero_caps(&args.caps)?;
    let layers = wire::configure(common, None, flags(&args.caps))?;
    let store = wire::open(&layers.config)?;
    let choice = wire::choice(&layers.config);
    let bibliography = wire::bibliography(&layers.config.bibliography.style)?;
    let desk = Desk { face, common, config: layers.config.clone(), store, methods, bibliography };
    let options = options(args, &desk.config)?;
    if args.caps.estimate {
        let calls = hypothesize::calls(&options.rules, question);
        return estimate(&desk, args.format, choice.as_ref(), &calls, question);
    }
    wire::ready(&wire::sources(&desk.config)?, &options.sources)?;
    let engine = desk.engine(choice.as_ref())?;
    // What is wrong with the embedder should show before anybody is asked.
    if let Some(embedders) = &engine.world.embedder {
        embedders.open().await?;
    }
    let mut budget = desk.config.budget.budget();
    uncapped(&desk, &engine, &layers, &mut budget)?;

    let run = new_id();
    let options =
        serde_json::to_value(options).map_err(|error| Failure::new(error.to_string(), ""))?;
    let settings = Settings { options, budget, models: choice };
    let status = engine.start("hypothesize", &run, question, settings).await?;
    desk.conclude(&engine, &run, status, args.format).await
}

/// Returns what the run is started with: the configuration, and what the command line says of it.
fn options(args: &HypothesizeArgs, config: &Config) -> Result<Options, Failure> {
    let mut options = config.hypothesize.options();
    let said = |flag: &Option<String>| flag.clone().filter(|text| !text.trim().is_empty());
    options.domain = said(&args.domain).unwrap_or(options.domain);
    options.objective = said(&args.objective).unwrap_or(options.objective);
    options.top = args.top.unwrap_or(options.top);
    if !args.sources.is_empty() {
        options.sources = args.sources.iter().map(|&source| source.into()).collect();
    }
    match options.wrong() {
        None => Ok(options),
        Some((key, what)) => Err(Failure::usage(
            format!("hypothesize.{key} {what}"),
            "--source takes arxiv, crossref, openalex and semantic-scholar; `quaestio config show` lists hypothesize.*",
        )),
    }
}
