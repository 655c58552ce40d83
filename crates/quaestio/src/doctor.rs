//! `quaestio doctor`: checks that everything that runs depend on works, and says what to do if not.

mod sources;

use std::sync::Arc;
use std::time::{Duration, Instant};

use app::{Check, CheckState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::database::Database;
use run::embedding::Embedders;
use run::error::PortError;
use run::model::{ChatRequest, Model, Speaker, Turn};
use run::services::Memory;

use crate::cli::{Common, TextOrJson};
use crate::commands::embedders::Trial;
use crate::config::{Config, Layers};
use crate::failure::{Exit, Failure};
use crate::{Face, wire};

pub(crate) use self::sources::try_sources;

/// What the model is asked to answer with.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Ping {
    /// The word `ready`.
    answer: String,
}

/// Whether others on the network are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Network {
    Asked,
    /// They are not: what would be asked is told.
    LeftAlone,
}

/// Tells of a check once it is done.
type Tell<'a> = dyn FnMut(Check) + Send + 'a;

pub(crate) async fn doctor(
    common: &Common,
    format: TextOrJson,
    face: &Face,
) -> Result<Exit, Failure> {
    let layers = wire::configure(common)?;
    let mut checks = Vec::new();
    let mut tell = |check: Check| {
        if format == TextOrJson::Text {
            face.out.line(&line(&check));
        }
        checks.push(check);
    };
    let database = wire::open(&layers.config).await;
    check_all(&layers, database.as_ref(), Network::Asked, &mut tell).await?;
    let healthy = checks.iter().all(|check| check.state != CheckState::Fail);
    if format == TextOrJson::Json {
        let page = serde_json::json!({"healthy": healthy, "checks": checks});
        face.out.line(&crate::output::json(&page));
    }
    Ok(if healthy { Exit::Done } else { Exit::Failed })
}

/// Checks everything, with a database that is open.
pub(crate) async fn examine(
    layers: &Layers,
    database: &Database,
    network: Network,
) -> Result<Vec<Check>, Failure> {
    let mut checks = Vec::new();
    check_all(layers, Ok(database), network, &mut |check| checks.push(check)).await?;
    Ok(checks)
}

async fn check_all(
    layers: &Layers,
    database: Result<&Database, &Failure>,
    network: Network,
    tell: &mut Tell<'_>,
) -> Result<(), Failure> {
    let Layers { config, remarks, .. } = layers;
    remarks.iter().for_each(|remark| tell(missing("environment", remark, "")));
    tell(check_folder(&wire::data_folder(config)?));
    let memory = match database {
        Err(failure) => {
            tell(broken("database", &failure.what, &failure.hint));
            wire::open_memory(config).await
        }
        Ok(database) => {
            tell(check_database(database, config).await?);
            Ok(Arc::clone(&database.memory))
        }
    };
    check_services(config, memory, network, tell).await;
    Ok(())
}

/// Returns a check as a line of text.
pub(crate) fn line(check: &Check) -> String {
    let Check { name, state, found, advice } = check;
    let mark = match state {
        CheckState::Ok => "ok  ",
        CheckState::Warn => "warn",
        CheckState::Fail => "FAIL",
    };
    let advice = advice.as_ref().map_or_else(String::new, |advice| format!("; {advice}"));
    run::grounding::clean(&format!("{mark}  {name}: {found}{advice}"))
}

pub(crate) fn fine(name: &str, found: impl Into<String>) -> Check {
    Check { name: name.to_owned(), state: CheckState::Ok, found: found.into(), advice: None }
}

/// It works, and something could be had that is not.
pub(crate) fn missing(name: &str, found: impl Into<String>, advice: &str) -> Check {
    let advice = Some(advice.to_owned()).filter(|advice| !advice.is_empty());
    Check { state: CheckState::Warn, advice, ..fine(name, found) }
}

pub(crate) fn broken(name: &str, found: impl Into<String>, advice: &str) -> Check {
    Check { state: CheckState::Fail, ..missing(name, found, advice) }
}

fn check_folder(folder: &std::path::Path) -> Check {
    let shown = folder.display();
    match writable(folder) {
        Ok(()) => fine("data folder", shown.to_string()),
        Err(error) => broken(
            "data folder",
            format!("{shown}: {error}"),
            "correct its permissions, or use another folder with --data-dir",
        ),
    }
}

async fn check_database(database: &Database, config: &Config) -> Result<Check, Failure> {
    Ok(match database.storage.check().await {
        Ok(about) => {
            let collections = database.library.collections(&config.user).await?;
            fine("database", format!("{about}, {} collections", collections.len()))
        }
        Err(error) => broken(
            "database",
            error.to_string(),
            "restore it from a backup, or use another folder with --data-dir",
        ),
    })
}

/// Checks what is reached through adapters.
async fn check_services(
    config: &Config,
    memory: Result<Arc<dyn Memory>, Failure>,
    network: Network,
    tell: &mut Tell<'_>,
) {
    tell(check_embedder(config, network).await);
    if let Err(failure) = wire::bibliography(&config.bibliography.style) {
        tell(broken("bibliography", failure.to_string(), ""));
    }
    sources::check_sources(config, memory, network, tell).await;
    tell(match wire::sandbox(config) {
        None => missing(
            "sandbox",
            "off: proposed code is not run",
            "set sandbox.enabled = true to run it",
        ),
        Some(sandbox) => match sandbox.state().await {
            // Research works without one: code that was not executed is labelled so.
            Ok(state) => fine("sandbox", state.to_string()),
            Err(error) => broken("sandbox", error.to_string(), ""),
        },
    });
    tell(check_scans(config).await);
    check_models(config, network, tell).await;
}

async fn check_scans(config: &Config) -> Check {
    const NAME: &str = "scans";
    let Some(settings) = config.corpus.ocr() else {
        return missing(
            NAME,
            "off: scanned pages are not read",
            "set corpus.ocr = auto to read them",
        );
    };
    match tokio::task::spawn_blocking(move || corpus::Tesseract::find(&settings)).await {
        Ok(Ok(program)) => {
            fine(NAME, format!("tesseract {}, languages {}", program.version, program.languages))
        }
        // Everything else can be read without it.
        Ok(Err(error)) => missing(NAME, error.to_string(), ""),
        Err(error) => broken(NAME, error.to_string(), ""),
    }
}

async fn check_embedder(config: &Config, network: Network) -> Check {
    const NAME: &str = "embedder";
    let Some(embedders) = wire::embedder(config) else {
        return missing(
            NAME,
            "none: documents are searched by words only",
            "name one with --embedder to search by meaning",
        );
    };
    if network == Network::LeftAlone && wire::is_embedder_elsewhere(config) {
        return fine(NAME, format!("{}; not tried", config.embedder.model));
    }
    match try_embedder(&*embedders).await {
        Ok(found) => fine(NAME, found),
        Err(error) => broken(NAME, error, "correct embedder.model"),
    }
}

async fn check_models(config: &Config, network: Network, tell: &mut Tell<'_>) {
    const NAME: &str = "model";
    let Some(choice) = wire::choice(config) else {
        return tell(missing(
            NAME,
            "none: answers quote your documents",
            "set QUAESTIO_MODEL=provider/name to use one",
        ));
    };
    let models = match wire::connect(&choice, config) {
        Err(failure) => return tell(broken(NAME, failure.to_string(), "")),
        Ok(models) => models,
    };
    let mut distinct = vec![&models.main];
    for other in std::iter::once(&models.light).chain(&models.readers) {
        if !distinct.iter().any(|known| Arc::ptr_eq(known, other)) {
            distinct.push(other);
        }
    }
    for model in distinct {
        let price = model.price().map_or("price unknown", |_| "price known");
        if network == Network::LeftAlone {
            tell(fine(NAME, format!("{}, {price}; not tried", model.id())));
            continue;
        }
        let began = Instant::now();
        let answered = ping(&**model, config.models.timeout()).await;
        let taken = began.elapsed().as_millis();
        tell(match answered {
            Ok(()) => fine(NAME, format!("{} answered in {taken} ms, {price}", model.id())),
            Err(error) => broken(
                NAME,
                error.to_string(),
                "check the name, the API key and the base URL, or use --no-model",
            ),
        });
    }
}

pub(crate) async fn try_embedder(embedders: &dyn Embedders) -> Result<String, String> {
    let began = Instant::now();
    let embedder = embedders.open().await.map_err(|error| error.to_string())?;
    let trial = Trial::of(&*embedder).await.map_err(|error| error.to_string())?;
    let made = embedder.embedding();
    if !trial.usable() {
        return Err(format!("{} cannot tell an answer from an unrelated text", made.model));
    }
    let taken = began.elapsed().as_millis();
    Ok(format!(
        "{} with {} dimensions, loaded and tested in {taken} ms",
        made.model, made.dimensions
    ))
}

fn writable(folder: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let probe = folder.join(format!(".doctor-{}", std::process::id()));
    std::fs::write(&probe, b"probe")?;
    std::fs::remove_file(&probe)
}

async fn ping(model: &dyn Model, longest: Duration) -> Result<(), PortError> {
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
