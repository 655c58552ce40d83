//! The three questions, at a terminal or answered beforehand.

use std::fmt::Write as _;
use std::path::PathBuf;

use sources::Engine;

use super::detect::{self, Offer};
use crate::Face;
use crate::cli::{Common, InitArgs, WebSearch};
use crate::commands::gates::read_line;
use crate::config::Config;
use crate::failure::Failure;

/// What waits for an answer.
const PROMPT: &str = "> ";

/// What was chosen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Chosen {
    /// `None` for offline mode.
    pub(super) model: Option<Offer>,
    pub(super) light_model: Option<String>,
    pub(super) embedder: Option<String>,
    pub(super) docs: Vec<PathBuf>,
    pub(super) web: Option<Web>,
}

/// A search engine and its address, which is empty for its own.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Web {
    pub(super) engine: Engine,
    pub(super) base_url: String,
}

/// Asks what the flags leave open; `None` after an interrupt.
pub(super) async fn ask(
    args: &InitArgs,
    common: &Common,
    config: &Config,
    face: &Face,
) -> Result<Option<Chosen>, Failure> {
    if let Some(path) = args.docs.iter().find(|path| detect::count(path).is_none()) {
        return Err(Failure::usage(
            format!("could not read {}", path.display()),
            "name a file or a folder that exists",
        ));
    }
    let asks = !args.yes;
    if asks {
        face.err.line("Three questions. Enter accepts the suggestion, Ctrl-C stops.");
    }
    let base_url = common.base_url.as_deref().unwrap_or_default();
    let model = match (&common.model, common.no_model) {
        (Some(model), _) => Some(named(model, base_url)?),
        (None, true) => None,
        (None, false) => {
            let offers = detect::models(config, base_url).await?;
            if asks {
                match ask_model(&offers, base_url, face).await? {
                    None => return Ok(None),
                    Some(model) => model,
                }
            } else {
                offers.into_iter().next()
            }
        }
    };
    let docs = match (args.docs.as_slice(), args.no_docs) {
        ([], true) => vec![],
        ([], false) if asks => match ask_documents(model.as_ref(), face).await {
            None => return Ok(None),
            Some(docs) => docs,
        },
        ([], false) => detect::documents().into_iter().map(|(folder, _)| folder).collect(),
        (docs, _) => docs.to_vec(),
    };
    let web = match args.web_search {
        Some(WebSearch(None)) => None,
        Some(WebSearch(Some(engine))) => {
            let base_url = args.web_search_url.clone().unwrap_or_default();
            if engine == Engine::SearxNg && base_url.is_empty() {
                return Err(Failure::usage(
                    "searxng needs the address of your server",
                    "add --web-search-url, for example --web-search-url http://localhost:8888",
                ));
            }
            if !base_url.is_empty() {
                check_address(&base_url)?;
            }
            Some(Web { engine, base_url })
        }
        None if asks => match ask_web(config, face).await {
            None => return Ok(None),
            Some(web) => web,
        },
        None => suggested_web(config),
    };
    let (light_model, embedder) = (common.light_model.clone(), common.embedder.clone());
    Ok(Some(Chosen { model, light_model, embedder, docs, web }))
}

/// Checks a model that was named.
fn named(model: &str, base_url: &str) -> Result<Offer, Failure> {
    let address = (!base_url.is_empty()).then_some(base_url);
    match ::models::Connection::new(model, address, None) {
        Ok(_) | Err(::models::ConnectError::NoKey { .. }) => {}
        Err(error) => {
            return Err(Failure::usage(
                error.to_string(),
                "name it as provider/name, for example ollama/qwen3:8b",
            ));
        }
    }
    Ok(Offer { model: model.to_owned(), base_url: base_url.to_owned(), why: String::new() })
}

/// Asks for the model; `None` after an interrupt.
async fn ask_model(
    offers: &[Offer],
    base_url: &str,
    face: &Face,
) -> Result<Option<Option<Offer>>, Failure> {
    let mut page = String::from("\n1 of 3. A model?");
    if offers.is_empty() {
        page.push_str(" No API key is set, and no model server answers on this machine.");
    }
    page.push('\n');
    let mut rows: Vec<(&str, &str)> =
        offers.iter().map(|offer| (offer.model.as_str(), offer.why.as_str())).collect();
    rows.push(("none", "answers quote your documents, free"));
    put_rows(&mut page, &rows);
    page.push_str("Type a number or provider/name. Enter chooses 1.\n> ");
    loop {
        let Some(line) = read(&std::mem::replace(&mut page, PROMPT.into()), face).await else {
            return Ok(None);
        };
        match line.as_str() {
            "" => return Ok(Some(offers.first().cloned())),
            "none" => return Ok(Some(None)),
            number if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                match number.parse::<usize>() {
                    Ok(number) if (1..=offers.len()).contains(&number) => {
                        return Ok(Some(offers.get(number - 1).cloned()));
                    }
                    Ok(number) if number == rows.len() => return Ok(Some(None)),
                    _ => face.err.line(&format!("Type 1 to {}.", rows.len())),
                }
            }
            name => match named(name, base_url) {
                Ok(offer) => return Ok(Some(Some(offer))),
                Err(refused) => face.err.line(&run::grounding::clean(&refused.what)),
            },
        }
    }
}

/// Asks for documents; `None` after an interrupt.
async fn ask_documents(model: Option<&Offer>, face: &Face) -> Option<Vec<PathBuf>> {
    let found = detect::documents();
    let mut page =
        String::from("\n2 of 3. Your documents? They are read into this machine's data folder.\n");
    match model.filter(|offer| !::models::is_local(&offer.model)) {
        None => page.push_str("Nothing of them leaves this machine.\n"),
        Some(offer) => {
            let provider = offer.model.split('/').next().unwrap_or_default();
            let at = if offer.base_url.is_empty() { provider } else { &offer.base_url };
            let _ = writeln!(page, "With each question, the passages that it needs go to {at}.");
        }
    }
    match &found {
        Some((folder, files)) => {
            let _ = writeln!(page, "  ./{} has {}.", folder.display(), counted(*files, "file"));
            page.push_str("Type a file, a folder or none. Enter chooses ./docs.\n> ");
        }
        None => page.push_str("Type a file or a folder. Enter chooses none.\n> "),
    }
    loop {
        let line = read(&std::mem::replace(&mut page, PROMPT.into()), face).await?;
        match line.as_str() {
            "" => return Some(found.into_iter().map(|(folder, _)| folder).collect()),
            "none" => return Some(vec![]),
            path => {
                let path = expanded(path);
                match detect::count(&path) {
                    Some(files) if files > 0 => return Some(vec![path]),
                    Some(_) => face.err.line(&format!("{} has no files.", path.display())),
                    None => face.err.line(&run::grounding::clean(&format!(
                        "Could not read {}.",
                        path.display()
                    ))),
                }
            }
        }
    }
}

/// Returns a path with a leading `~/` replaced by the home folder, as a shell does it.
fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

/// Returns the engine that is configured, or whose key is set.
fn suggested_web(config: &Config) -> Option<Web> {
    let web = &config.sources.web;
    if let Ok(engine) = web.engine.parse() {
        return Some(Web { engine, base_url: web.base_url.clone() });
    }
    let found = Engine::ALL.into_iter().find(|engine| {
        engine.key_variable().is_some_and(|name| crate::wire::variable(name).is_some())
    })?;
    Some(Web { engine: found, base_url: String::new() })
}

/// Asks for the web search; `None` after an interrupt.
async fn ask_web(config: &Config, face: &Face) -> Option<Option<Web>> {
    let suggested = suggested_web(config);
    let mut choices: Vec<Option<Engine>> = vec![None];
    choices.extend(Engine::ALL.into_iter().map(Some));
    let first = suggested.as_ref().map(|web| web.engine);
    choices.sort_by_key(|choice| *choice != first);
    let mut page =
        String::from("\n3 of 3. Web search? arXiv, Crossref and OpenAlex work without it.\n");
    let why = |choice: &Option<Engine>| match choice {
        None => "papers and your documents only".to_owned(),
        Some(Engine::SearxNg) => "your own server".to_owned(),
        Some(engine) => match detect::key_of(*engine) {
            Some(variable) => format!("the key in {variable}"),
            None => format!("needs {}", engine.key_variable().unwrap_or_default()),
        },
    };
    let rows: Vec<(&str, String)> =
        choices.iter().map(|choice| (choice.map_or("none", Engine::name), why(choice))).collect();
    let rows: Vec<(&str, &str)> = rows.iter().map(|(name, why)| (*name, why.as_str())).collect();
    put_rows(&mut page, &rows);
    page.push_str("Type a number or a name. Enter chooses 1.\n> ");
    loop {
        let line = read(&std::mem::replace(&mut page, PROMPT.into()), face).await?;
        let number = if line.is_empty() { Some(1) } else { line.parse::<usize>().ok() };
        let by_number = number.and_then(|number| rows.get(number.checked_sub(1)?));
        let by_name = rows.iter().find(|(name, _)| *name == line);
        let Some((name, _)) = by_number.or(by_name) else {
            face.err.line(&format!("Type 1 to {}.", rows.len()));
            continue;
        };
        let Ok(engine) = name.parse::<Engine>() else { return Some(None) };
        if let Some(web) = suggested.clone().filter(|web| web.engine == engine) {
            return Some(Some(web));
        }
        let base_url = match engine {
            Engine::SearxNg => ask_address(face).await?,
            _ => String::new(),
        };
        return Some(Some(Web { engine, base_url }));
    }
}

/// Asks where the SearXNG server listens.
async fn ask_address(face: &Face) -> Option<String> {
    const USUAL: &str = "http://localhost:8888";
    let page = format!("Its address? Enter chooses {USUAL}.\n> ");
    loop {
        let line = read(&page, face).await?;
        let address = if line.is_empty() { USUAL.to_owned() } else { line };
        match check_address(&address) {
            Ok(()) => return Some(address),
            Err(refused) => face.err.line(&run::grounding::clean(&refused.what)),
        }
    }
}

fn check_address(address: &str) -> Result<(), Failure> {
    transport::base_url(address).map(drop).map_err(|error| {
        Failure::usage(error.to_string(), "write for example http://localhost:8888")
    })
}

/// Asks at the terminal; `None` after an interrupt.
pub(super) async fn read(page: &str, face: &Face) -> Option<String> {
    face.err.put(&run::grounding::clean(page));
    read_line().await.map(|line| line.trim().to_owned())
}

fn put_rows(page: &mut String, rows: &[(&str, &str)]) {
    let width = rows.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).min(48);
    for (index, (name, why)) in rows.iter().enumerate() {
        let _ = writeln!(page, "  {}  {name:width$}  {why}", index + 1);
    }
}

/// Returns a number with its noun.
pub(super) fn counted(number: usize, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}
