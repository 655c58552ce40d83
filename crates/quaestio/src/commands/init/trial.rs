//! Trying what was chosen: one model call, reading the documents, one search. At the end, a question to begin with.

use std::path::PathBuf;

use app::{Check, TrialOutcome};
use papers::Source;
use run::Methods;
use run::budget::{Usage, dollars};
use run::grounding::clean;
use run::library::StoredDocument;

use super::questions::counted;
use super::{Chosen, EXAMPLE, quoted};
use crate::cli::{Common, InitArgs};
use crate::commands::collect::{Wanted, collect};
use crate::commands::models::{TEST_TOKENS, try_out};
use crate::commands::{CliContext, DEFAULT_COLLECTION};
use crate::config::Config;
use crate::doctor;
use crate::failure::{Exit, Failure};
use crate::{Face, saving, wire};

/// What the prompt of a trial has, with its schema, at most.
const PROMPT_TOKENS: u64 = 400;

/// The example document: its name, its text, and a question that it answers.
const EXAMPLE_NAME: &str = "broad-street-outbreak-1854.md";
const EXAMPLE_TEXT: &str =
    include_str!("../../../../../examples/cholera/history/broad-street-outbreak-1854.md");
const EXAMPLE_QUESTION: &str = "When was the handle of the Broad Street pump removed?";

/// Characters of a title that can be asked about.
const LONGEST_TITLE: usize = 80;

pub(super) async fn run(
    args: &InitArgs,
    chosen: &Chosen,
    config: Config,
    common: &Common,
    methods: Methods,
    face: &Face,
) -> Result<Exit, Failure> {
    let mut works = true;
    let mut tell = |check: &Check| {
        works &= check.state != app::CheckState::Fail;
        face.out.line(&doctor::line(check));
    };
    let is_tried = !args.no_test;
    let model = try_model(chosen, &config, is_tried, face).await;
    tell(&model);
    let database = wire::open(&config).await?;
    let context = CliContext::of(face, common, config, database, methods)?;
    let (collection, documents) = read_documents(chosen, &context, &mut tell).await?;
    let web = try_web(chosen, &context, is_tried).await;
    tell(&web);
    let has_model = chosen.model.is_some() && model.state != app::CheckState::Fail;
    let question = suggest_question(&documents, collection);
    let mut command = String::from("quaestio");
    for (flag, value) in [("--config", &common.config), ("--data-dir", &common.data_dir)] {
        if let Some(value) = value {
            command.push_str(&format!(" {flag} {}", quoted(&value.to_string_lossy())));
        }
    }
    command.push_str(&format!(" ask {}", quoted(&question)));
    if collection != DEFAULT_COLLECTION {
        command.push_str(&format!(" --collection {collection}"));
    }
    if chosen.model.is_some() && !has_model {
        command.push_str(" --no-model");
    }
    face.out.line(&format!("\nAsk a first question:\n\n  {}\n", clean(&command)));
    face.out.line("Or open the page: quaestio serve");
    Ok(if works { Exit::Done } else { Exit::Failed })
}

async fn try_model(chosen: &Chosen, config: &Config, is_tried: bool, face: &Face) -> Check {
    const NAME: &str = "model";
    let Some(offer) = &chosen.model else {
        return doctor::fine(NAME, "none: answers quote your documents");
    };
    let Some(choice) = wire::choice(config) else {
        return doctor::broken(NAME, "none is set", "set models.main");
    };
    if !is_tried {
        return doctor::fine(NAME, format!("{}; not tried", choice.main));
    }
    let price = wire::price_of(&offer.model, &choice, config);
    let most = match price {
        Ok(Some(price)) if price == wire::FREE => "it is free".to_owned(),
        Ok(Some(price)) => {
            let output_tokens = u64::from(TEST_TOKENS);
            let usage = Usage { input_tokens: PROMPT_TOKENS, cached_tokens: 0, output_tokens };
            format!("it costs at most ${:.4}", dollars(price.cost_usd_micros(usage)))
        }
        _ => "its price is not known".to_owned(),
    };
    face.err.line(&clean(&format!("Trying {} with one small call; {most}.", choice.main)));
    let (report, outcome) = try_out(&choice.main, &choice, config).await;
    let text = |key: &str| report[key].as_str().unwrap_or_default();
    if outcome != TrialOutcome::Works {
        return doctor::broken(NAME, text("error"), text("help"));
    }
    let cost = report["cost_usd"].as_f64().filter(|cost| *cost > 0.0);
    let cost = cost.map_or_else(String::new, |cost| format!(" for ${cost:.6}"));
    let taken = report["total_ms"].as_u64().unwrap_or_default();
    doctor::fine(NAME, format!("{} answered in {taken} ms{cost}", choice.main))
}

/// Reads the documents, or the example if there are none; returns the collection to ask and its documents.
async fn read_documents(
    chosen: &Chosen,
    context: &CliContext<'_>,
    tell: &mut impl FnMut(&Check),
) -> Result<(&'static str, Vec<StoredDocument>), Failure> {
    const NAME: &str = "documents";
    let library = &context.database.library;
    let user = &context.config.user;
    let mut own = Ok(());
    if !chosen.docs.is_empty() {
        let (collection, paths) = (DEFAULT_COLLECTION, &*chosen.docs);
        let read = collect(context, Wanted { collection, paths, ..Wanted::default() }).await;
        let check = match read {
            Err(failure) => doctor::broken(NAME, failure.what, &failure.hint),
            Ok(report) => {
                let (stored, left_out) = (report.stored(), report.problems.len());
                let what = format!(
                    "{} read into the collection {DEFAULT_COLLECTION}",
                    counted(usize::try_from(stored).unwrap_or(usize::MAX), "file")
                );
                let places: Vec<String> =
                    chosen.docs.iter().map(|path| quoted(&path.to_string_lossy())).collect();
                let advice = format!("`quaestio ingest {}` says why", places.join(" "));
                match (stored, left_out) {
                    (0, _) => doctor::broken(NAME, "no file could be read", &advice),
                    (_, 0) => doctor::fine(NAME, what),
                    _ => doctor::missing(NAME, format!("{what}, {left_out} left out"), &advice),
                }
            }
        };
        if check.state == app::CheckState::Fail {
            own = Err(());
        }
        tell(&check);
    }
    let documents = match library.collection(user, DEFAULT_COLLECTION).await? {
        Some(_) => library.documents(user, DEFAULT_COLLECTION).await?,
        None => vec![],
    };
    if own.is_ok() && !documents.is_empty() {
        if chosen.docs.is_empty() {
            let what = counted(documents.len(), "document");
            tell(&doctor::fine(NAME, format!("{what} in the collection {DEFAULT_COLLECTION}")));
        }
        return Ok((DEFAULT_COLLECTION, documents));
    }
    let paths = &[leave_example(context)?];
    collect(context, Wanted { collection: EXAMPLE, paths, ..Wanted::default() }).await?;
    tell(&doctor::fine(
        NAME,
        format!("an example in the collection {EXAMPLE}; `quaestio ingest FOLDER` reads yours"),
    ));
    Ok((EXAMPLE, vec![]))
}

/// Writes the example document into the data folder.
fn leave_example(context: &CliContext<'_>) -> Result<PathBuf, Failure> {
    let folder = wire::data_folder(&context.config)?.join("examples");
    let path = folder.join(EXAMPLE_NAME);
    std::fs::create_dir_all(&folder)
        .and_then(|()| saving::save(&path, EXAMPLE_TEXT.as_bytes()))
        .map_err(|error| {
            Failure::new(
                format!("could not write {}: {error}", path.display()),
                "check the folder's permissions, or name another one with --data-dir",
            )
        })?;
    Ok(path)
}

async fn try_web(chosen: &Chosen, context: &CliContext<'_>, is_tried: bool) -> Check {
    const NAME: &str = "web search";
    let config = &context.config;
    let Some(web) = &chosen.web else {
        return doctor::fine(NAME, "none: papers and your documents only");
    };
    if !is_tried || config.sources.network == crate::config::Network::Cached {
        return doctor::fine(NAME, format!("{}; not tried", web.engine));
    }
    let memory = std::sync::Arc::clone(&context.database.memory);
    let tried = doctor::try_sources(config, memory, &[Source::Web]).await;
    let found = tried.and_then(|checks| {
        checks.into_iter().next().ok_or_else(|| Failure::new("nothing was asked", ""))
    });
    match found {
        Ok(check) => Check { name: NAME.to_owned(), ..check },
        Err(failure) => doctor::broken(NAME, failure.what, &failure.hint),
    }
}

/// Returns a question that the documents of a collection answer.
fn suggest_question(documents: &[StoredDocument], collection: &str) -> String {
    if collection == EXAMPLE {
        return EXAMPLE_QUESTION.to_owned();
    }
    let title = |document: &StoredDocument| {
        let spoken = |c: char| c.is_alphanumeric() || " ,.:()-".contains(c);
        let title = render::one_line(&document.title);
        let fits = (4..=LONGEST_TITLE).contains(&title.chars().count())
            && title.contains(' ')
            && title.chars().all(spoken);
        fits.then_some((document.chunks, title))
    };
    // The longest document says most of what it is about.
    let title = documents.iter().filter_map(title).max_by_key(|(chunks, _)| *chunks);
    match title {
        Some((_, title)) => format!("What do the documents say about {title}?"),
        None => "What are the most important findings?".to_owned(),
    }
}
