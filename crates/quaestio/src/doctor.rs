//! `quaestio doctor`: checks that everything that runs depend on works, and says what to do if not.

use std::sync::Arc;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sources::{McpTrial, Outside};

use papers::{ServerName, Source};
use run::embedding::Embedders;
use run::model::{ChatRequest, Model, Speaker, Turn};

use crate::cli::Common;
use crate::commands::embedders::Trial;
use crate::config::{Layers, Network};
use crate::failure::{Exit, Failure};
use crate::{Face, wire};

/// What the model is asked to answer with.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Ping {
    /// The word `ready`.
    answer: String,
}

pub(crate) async fn doctor(common: &Common, face: &Face) -> Result<Exit, Failure> {
    let Layers { config, remarks, .. } = wire::configure(common)?;
    let mut healthy = true;
    let mut tell = |well: bool, what: &str, found: &str| {
        healthy &= well;
        face.out.line(&run::grounding::clean(&format!(
            "{}  {what}: {found}",
            if well { "ok  " } else { "FAIL" }
        )));
    };
    remarks.iter().for_each(|remark| tell(true, "environment", remark));
    let folder = wire::data_folder(&config)?;
    match writable(&folder) {
        Ok(()) => tell(true, "data folder", &folder.display().to_string()),
        Err(error) => tell(
            false,
            "data folder",
            &format!("{}: {error}; fix its permissions or give --data-dir", folder.display()),
        ),
    }
    match wire::open(&config).await {
        Err(failure) => tell(false, "database", &failure.to_string()),
        Ok(database) => match database.storage.check().await {
            Ok(about) => {
                let collections = database.library.collections(&config.user).await?;
                let found = format!("{about}, {} collections", collections.len());
                tell(true, "database", &found);
            }
            Err(error) => tell(false, "database", &format!("{error}; restore it from a backup")),
        },
    }
    match wire::embedder(&config) {
        None => {
            tell(true, "embedder", "none: documents are searched by words; --embedder names one");
        }
        Some(embedders) => match try_embedder(&*embedders).await {
            Ok(found) => tell(true, "embedder", &found),
            Err(error) => tell(false, "embedder", &format!("{error}; correct embedder.model")),
        },
    }
    if let Err(failure) = wire::bibliography(&config.bibliography.style) {
        tell(false, "bibliography", &failure.to_string());
    }
    let asked = wire::asked(&[], &config);
    let outside = match wire::open_memory(&config).await {
        Ok(memory) => wire::sources(&config, memory).await,
        Err(failure) => Err(failure),
    };
    let ready = outside.as_ref().map_err(Failure::clone).and_then(|outside| {
        let asked = asked?;
        wire::ready(outside, &asked)?;
        Ok(asked)
    });
    match ready {
        Err(failure) => tell(false, "sources", &failure.to_string()),
        Ok(asked) => {
            let asked: Vec<_> = asked.iter().map(|source| source.title()).collect();
            let web = match config.sources.web.engine.as_str() {
                "" => "; no web search: sources.web.engine names one",
                _ => "",
            };
            let contact = match config.sources.contact.as_str() {
                "" => "; no contact: sources.contact takes your mail address",
                _ => "",
            };
            tell(true, "sources", &format!("{}{web}{contact}; not tried", asked.join(", ")));
        }
    }
    for (name, _) in config.servers() {
        let Ok(outside) = &outside else { break };
        let (well, found) = if config.sources.network == Network::Cached {
            (true, "not tried, since the network is off".to_owned())
        } else {
            try_server(outside, name).await
        };
        tell(well, &Source::Mcp(name).to_string(), &found);
    }
    match wire::sandbox(&config) {
        None => tell(
            true,
            "sandbox",
            "none: proposed code is not executed; sandbox.enabled = true changes that",
        ),
        Some(sandbox) => match sandbox.state().await {
            // Research works without one: code that was not executed is labelled so.
            Ok(state) => tell(true, "sandbox", &state.to_string()),
            Err(error) => tell(false, "sandbox", &error.to_string()),
        },
    }
    match wire::choice(&config) {
        None => tell(
            true,
            "model",
            "none: offline mode, answers are extractive; set QUAESTIO_MODEL=provider/name for more",
        ),
        Some(choice) => match wire::connect(&choice, &config) {
            Err(failure) => tell(false, "model", &failure.to_string()),
            Ok(models) => {
                let mut distinct = vec![&models.main];
                for other in std::iter::once(&models.light).chain(&models.readers) {
                    if !distinct.iter().any(|known| Arc::ptr_eq(known, other)) {
                        distinct.push(other);
                    }
                }
                for model in distinct {
                    let began = Instant::now();
                    match ping(&**model, config.models.timeout()).await {
                        Ok(()) => {
                            let price = model.price().map_or("no price known", |_| "price known");
                            tell(
                                true,
                                "model",
                                &format!(
                                    "{} answered in {} ms, {price}",
                                    model.id(),
                                    began.elapsed().as_millis()
                                ),
                            );
                        }
                        Err(error) => {
                            tell(
                                false,
                                "model",
                                &format!(
                                    "{error}; check the name, the key and the base URL, or use --no-model"
                                ),
                            );
                        }
                    }
                }
            }
        },
    }
    Ok(if healthy { Exit::Done } else { Exit::Failed })
}

async fn try_embedder(embedders: &dyn Embedders) -> Result<String, String> {
    let began = Instant::now();
    let embedder = embedders.open().await.map_err(|error| error.to_string())?;
    let trial = Trial::of(&*embedder).await.map_err(|error| error.to_string())?;
    let made = embedder.embedding();
    if !trial.usable() {
        return Err(format!("{} does not tell an answer from another text", made.model));
    }
    let taken = began.elapsed().as_millis();
    Ok(format!("{} of {} dimensions, opened and tried in {taken} ms", made.model, made.dimensions))
}

/// Returns whether an MCP server answers and has its tools, and what is found.
async fn try_server(outside: &Outside, name: ServerName) -> (bool, String) {
    let began = Instant::now();
    match outside.try_server(name).await {
        Ok(McpTrial { calls_itself, lacking }) if lacking.is_empty() => {
            let taken = began.elapsed().as_millis();
            (true, format!("{calls_itself} answered in {taken} ms and has its tools"))
        }
        Ok(McpTrial { calls_itself, lacking }) => {
            let lacking = lacking.join(", ");
            (false, format!("{calls_itself} does not have {lacking}; correct mcp.{name}.tools"))
        }
        Err(error) => (false, format!("{error}; correct mcp.{name}")),
    }
}

fn writable(folder: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    std::fs::write(&probe, b"probe")?;
    std::fs::remove_file(&probe)
}

async fn ping(model: &dyn Model, longest: Duration) -> Result<(), run::error::PortError> {
    let request = ChatRequest {
        system: "Answer with a JSON object whose field `answer` is the word ready.".into(),
        turns: vec![Turn { speaker: Speaker::User, text: "Are you there?".into() }],
        schema: Some(run::schema::of::<Ping>()),
        temperature: 0.0,
        max_tokens: 50,
        streamed: false,
        deadline: longest.min(Duration::from_secs(30)),
    };
    model.chat(&request, &()).await.map(|_| ())
}
