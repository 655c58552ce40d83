//! `quaestio hypothesize`.

use methods::hypothesize::{self, Options};
use run::paper::Source;
use run::{Methods, Settings};

use super::Desk;
use super::start::{estimate, flags, new_id, no_zero_caps, uncapped};
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
    let question = args.question.trim();
    if question.is_empty() {
        return Err(Failure::usage(
            "the question is empty",
            "write for example: quaestio hypothesize \"Why do honey bee colonies collapse in winter?\"",
        ));
    }
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
    let config = &config.hypothesize;
    let mut sources: Vec<Source> = args.sources.iter().map(|&source| source.into()).collect();
    if sources.is_empty() {
        sources.clone_from(&config.asked);
    }
    if sources.is_empty() || sources.contains(&Source::Web) {
        return Err(Failure::usage(
            "hypotheses are drawn from papers: name scholarly sources, and not the web",
            "--source takes arxiv, crossref, openalex, semantic-scholar; hypothesize.asked is the default",
        ));
    }
    let said = |flag: &Option<String>, otherwise: &String| {
        flag.as_ref().filter(|text| !text.trim().is_empty()).unwrap_or(otherwise).clone()
    };
    Ok(Options {
        domain: said(&args.domain, &config.domain),
        objective: said(&args.objective, &config.objective),
        top: args.top.unwrap_or(config.top),
        sources,
        rules: config.rules.clone(),
    })
}
