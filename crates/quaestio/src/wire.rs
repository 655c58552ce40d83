//! The only place where ports meet adapters.

mod database;
mod embedder;
mod models;
pub(crate) mod telemetry;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use async_trait::async_trait;
use figment2::value::Value;
use jiff::Timestamp;
use tokio::sync::OnceCell;

use ::sandbox::Confined;
use ::sources::{Csl, Endpoint, Engine, Outside, Services};
use app::KeyName;
use methods::debate::payload::Scientist;

use papers::{Paper, PaperId, ServerName, Source};
use run::database::Database;
use run::embedding::Embedders;
use run::error::PortError;
use run::files::StoredFiles;
use run::listener::Listener;
use run::model::Models;
use run::prompt::{AgentSettings, Prompt, Prompts};
use run::services::Memory;
use run::settings::ModelChoice;
use run::sources::{Fetched, Hit, Intake, Query, Searched, Served, Sources};
use run::world::{Clock, Reach, World};

pub(crate) use database::{
    is_elsewhere, open, open_files, open_memory, open_to_check, open_to_copy, open_to_fill,
    open_to_look,
};
pub(crate) use embedder::{
    embedder, folder_of_model, has_model, is_embedder_elsewhere, models_folder,
};
pub(crate) use models::{
    FREE, build_connection, calibrated, choice, connect, parse_readers, price_of, prices, provider,
    variable,
};

use crate::cli::{Common, READER_COMMAND};
use crate::config::{
    Config, Files, Kept, Layers, Network, SourcesConfig, WEB_KEY_VARIABLE, setting,
};
use crate::failure::Failure;

/// The system's clock, to the millisecond.
struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now)
    }
}

/// Reads the configuration, with the flags that every command has on top.
pub(crate) fn configure(common: &Common) -> Result<Layers, Failure> {
    configure_from(common, common.config.is_some())
}

/// Reads the configuration for a command that may write the user's file: `--config` may name a file that does not exist yet.
pub(crate) fn configure_new(common: &Common) -> Result<Layers, Failure> {
    configure_from(common, false)
}

fn configure_from(common: &Common, must_exist: bool) -> Result<Layers, Failure> {
    let settings =
        common.settings.iter().map(|text| setting(text)).collect::<Result<Vec<_>, _>>()?;
    let mut flags: Vec<(&str, Value)> =
        settings.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    let text = |value: &String| Value::from(value.as_str());
    flags.extend(common.model.as_ref().map(|model| ("models.main", text(model))));
    flags.extend(common.light_model.as_ref().map(|model| ("models.light", text(model))));
    flags.extend(common.base_url.as_ref().map(|url| ("models.base_url", text(url))));
    flags.extend(common.no_model.then(|| ("models.main", Value::from(""))));
    flags.extend(common.database.as_ref().map(|url| ("database", text(url))));
    flags.extend(common.profile.as_ref().map(|name| ("profile", text(name))));
    flags.extend(common.embedder.as_ref().map(|name| ("embedder.model", text(name))));
    let network = match (common.refresh, common.no_network) {
        (_, true) => Some("cached"),
        (true, _) => Some("refresh"),
        _ => None,
    };
    flags.extend(network.map(|network| ("sources.network", Value::from(network))));
    let folder = common.data_dir.as_ref().map(|folder| folder.to_string_lossy().into_owned());
    flags.extend(folder.as_ref().map(|folder| ("data_dir", Value::from(folder.as_str()))));
    let layers = Layers::read(&Files::usual(common.config.as_deref()), must_exist, flags)?;
    // Without a data folder nothing is kept; whatever needs one says so.
    let Ok(folder) = data_folder(&layers.config) else { return Ok(layers) };
    match Kept::read(&folder)? {
        nothing if nothing == Kept::default() => Ok(layers),
        kept => layers.with_kept(&kept, &folder),
    }
}

/// Returns the data folder: the configured one, or the platform's.
pub(crate) fn data_folder(config: &Config) -> Result<PathBuf, Failure> {
    if !config.data_dir.is_empty() {
        return Ok(PathBuf::from(&config.data_dir));
    }
    let of = |variable: &str| {
        std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    let folder = if cfg!(target_os = "windows") {
        of("LOCALAPPDATA").map(|folder| folder.join("quaestio"))
    } else if cfg!(target_os = "macos") {
        of("HOME").map(|home| home.join("Library/Application Support/quaestio"))
    } else {
        of("XDG_DATA_HOME")
            .or_else(|| of("HOME").map(|home| home.join(".local/share")))
            .map(|folder| folder.join("quaestio"))
    };
    folder.ok_or_else(|| {
        Failure::usage(
            "there is no data folder: neither HOME nor XDG_DATA_HOME is set",
            "name a folder with --data-dir",
        )
    })
}

/// Reads the prompts folder of the configuration.
pub(crate) fn prompts(config: &Config) -> Result<Prompts, Failure> {
    let mut files = BTreeMap::new();
    if !config.prompts.folder.is_empty() {
        let folder = Path::new(&config.prompts.folder);
        let unreadable = |path: &Path, error: std::io::Error| {
            Failure::usage(
                format!("the prompts folder: {}: {error}", path.display()),
                "correct prompts.folder",
            )
        };
        for method in
            std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))?.flatten()
        {
            if !method.path().is_dir() {
                continue;
            }
            for file in std::fs::read_dir(method.path())
                .map_err(|error| unreadable(&method.path(), error))?
                .flatten()
            {
                let path = file.path();
                if path.extension().is_some_and(|extension| extension == "md")
                    && let (Some(role), Some(method)) =
                        (path.file_stem(), method.file_name().to_str())
                {
                    let text =
                        std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
                    let name = format!("{method}/{}", role.to_string_lossy());
                    Prompt::read(&text).map_err(|reason| {
                        Failure::usage(
                            format!("cannot use the prompt {}: {reason}", path.display()),
                            "compare it with the built-in prompt",
                        )
                    })?;
                    files.insert(name, text);
                }
            }
        }
    }
    let agents = config.agents.iter().flat_map(|(method, roles)| {
        roles.iter().map(move |(role, settings)| (format!("{method}/{role}"), settings.clone()))
    });
    let mut agents: BTreeMap<String, AgentSettings> = agents.collect();
    for role in [Scientist::Optimist, Scientist::Pessimist] {
        let settings = agents.entry(format!("debate/{}", role.role())).or_default();
        settings.max_tokens = settings.max_tokens.or(config.debate.max_reply_tokens());
    }
    Ok(Prompts::new(files, agents))
}

/// Returns the reader of files: it reads text in this process, and starts this program again for formats that must be unpacked,
/// and the program for OCR for scans.
fn reader(config: &Config) -> Result<corpus::Workers, Failure> {
    let program = std::env::current_exe().map_err(|error| {
        Failure::new(
            format!("Quaestio cannot find its own program file: {error}"),
            "start it by its full path",
        )
    })?;
    let workers = corpus::Workers::new(program, [READER_COMMAND.to_owned()]);
    Ok(match config.corpus.ocr() {
        Some(settings) => workers.with_ocr(settings),
        None => workers,
    })
}

/// Returns the sandbox that executes proposed code; `None` if it is switched off. Starts nothing.
pub(crate) fn sandbox(config: &Config) -> Option<Arc<Confined>> {
    config.sandbox.enabled.then(|| {
        let interpreter = config.sandbox.interpreter.clone();
        Arc::new(Confined::new(::sandbox::Settings { interpreter, ..Default::default() }))
    })
}

/// Returns the formatter of references in the style of that name.
pub(crate) fn bibliography(style: &str) -> Result<Csl, Failure> {
    Csl::named(style).map_err(|error| {
        Failure::usage(error.to_string(), "list the styles with `quaestio search --styles`")
    })
}

/// Returns the sources that a command asks: those it names, else those of the configuration, without a web search that is not configured.
pub(crate) fn asked(named: &[Source], config: &Config) -> Result<Vec<Source>, Failure> {
    let mut asked = named.to_vec();
    let no_web = config.sources.web.engine.is_empty();
    if no_web && asked.contains(&Source::Web) {
        return Err(Failure::usage(
            "no web search is configured",
            "set sources.web.engine to searxng, tavily, brave or serper; your own SearXNG also needs sources.web.base_url",
        ));
    }
    if asked.is_empty() {
        asked.clone_from(&config.sources.asked);
        asked.retain(|source| !(no_web && *source == Source::Web));
    }
    if asked.is_empty() {
        return Err(Failure::usage(
            "no source is selected",
            "name one with --source, or set sources.asked",
        ));
    }
    Ok(asked)
}

/// Adapters that are expensive to make or must be shared: the sources keep to the services' rate limits across all runs of a process.
pub(crate) struct Tools {
    pub(crate) embedder: Option<Arc<dyn Embedders>>,
    pub(crate) reader: Arc<dyn corpus::Reader>,
    /// Executes proposed code; `None` if that is switched off.
    pub(crate) sandbox: Option<Arc<Confined>>,
    sources: Arc<WhenAsked>,
    /// Formats the references of a text in a run; made on first use.
    bibliography: OnceLock<Arc<Csl>>,
    /// The compiled-in prompts, unless there is a prompts folder; made for the first run.
    prompts: OnceLock<Arc<Prompts>>,
    /// The connected models, each choice once: their connections are kept and shared.
    models: Mutex<Vec<(ModelChoice, Models)>>,
}

impl Tools {
    /// Returns the tools for a configuration. Opens nothing yet.
    pub(crate) fn of(config: &Config, memory: Arc<dyn Memory>) -> Result<Tools, Failure> {
        Ok(Tools {
            embedder: embedder(config),
            reader: Arc::new(reader(config)?),
            sandbox: sandbox(config),
            sources: Arc::new(WhenAsked::of(config, memory)),
            bibliography: OnceLock::new(),
            prompts: OnceLock::new(),
            models: Mutex::default(),
        })
    }

    /// Returns the connected models of a choice. A choice that was connected before is reused.
    pub(crate) fn connected(
        &self,
        choice: &ModelChoice,
        config: &Config,
    ) -> Result<Models, Failure> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = models.iter().find(|(known, _)| known == choice) {
            return Ok(known.clone());
        }
        let made = connect(choice, config)?;
        models.push((choice.clone(), made.clone()));
        Ok(made)
    }

    fn bibliography(&self) -> Result<Arc<Csl>, Failure> {
        if let Some(made) = self.bibliography.get() {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(bibliography("apa")?);
        Ok(Arc::clone(self.bibliography.get_or_init(|| made)))
    }

    /// Returns the prompts of a run. A prompts folder is read again for each run, as it may be edited while the program runs.
    fn prompts(&self, config: &Config) -> Result<Arc<Prompts>, Failure> {
        if !config.prompts.folder.is_empty() {
            return prompts(config).map(Arc::new);
        }
        if let Some(made) = self.prompts.get() {
            return Ok(Arc::clone(made));
        }
        let made = Arc::new(prompts(config)?);
        Ok(Arc::clone(self.prompts.get_or_init(|| made)))
    }

    /// Returns the outside sources. Makes no request.
    pub(crate) async fn outside(&self) -> Result<&Outside, Failure> {
        self.sources.made().await
    }
}

/// Builds a world for runs that use the models of `choice`.
pub(crate) fn world(
    database: &Database,
    config: &Config,
    tools: &Tools,
    choice: Option<&ModelChoice>,
    listener: Arc<dyn Listener>,
) -> Result<World, Failure> {
    Ok(World {
        log: Arc::clone(&database.log),
        clock: Arc::new(SystemClock),
        models: choice.map(|choice| tools.connected(choice, config)).transpose()?,
        library: Some(Arc::clone(&database.library)),
        embedder: tools.embedder.clone(),
        sources: Some(Arc::<WhenAsked>::clone(&tools.sources)),
        intake: Some(intake(database, config, tools)),
        contexts: Some(Arc::clone(&database.contexts)),
        bibliography: Some(tools.bibliography()?),
        sandbox: tools.sandbox.clone().map(|sandbox| sandbox as Arc<dyn run::sandbox::Sandbox>),
        files: Some(Arc::<dyn StoredFiles>::clone(&database.files)),
        prompts: tools.prompts(config)?,
        listener,
        reach: Reach::Live,
        stream: config.models.stream,
        call_deadline: config.models.timeout(),
        pause: run::world::Pause::default(),
    })
}

/// Returns a world for reading and writing logs without calling a method.
pub(crate) fn log_world(database: &Database) -> World {
    let world = World::of(Arc::clone(&database.log), Arc::new(SystemClock));
    World { library: Some(Arc::clone(&database.library)), ..world }
}

/// Returns the outside sources of a configuration. Makes no request.
pub(crate) async fn sources(config: &Config, memory: Arc<dyn Memory>) -> Result<Outside, Failure> {
    sources_within(config, memory, None).await
}

/// Returns the outside sources of a configuration, each asked once: for a try whose failure is a result.
pub(crate) async fn sources_once(
    config: &Config,
    memory: Arc<dyn Memory>,
) -> Result<Outside, Failure> {
    sources_within(config, memory, Some(1)).await
}

async fn sources_within(
    config: &Config,
    memory: Arc<dyn Memory>,
    most_attempts: Option<usize>,
) -> Result<Outside, Failure> {
    memory.check().await?;
    let SourcesConfig { contact, network, stand_in, private_hosts, base_urls, web, .. } =
        &config.sources;
    let settings = ::sources::Settings {
        contact: (!contact.is_empty()).then(|| contact.clone()),
        network: match network {
            Network::Usual => ::sources::Network::Usual,
            Network::Refresh => ::sources::Network::Refresh,
            Network::Cached => ::sources::Network::Cached,
        },
        private_hosts: private_hosts.clone(),
        body_bytes: usize::try_from(config.sources.page_bytes).unwrap_or(usize::MAX),
        page_timeout: config.sources.page_timeout(),
        idle_timeout: config.sources.service_timeout(),
        retry_delay: config.sources.retry_delay(),
        most_attempts,
        ..::sources::Settings::default()
    };
    // The usual variable of a service holds the key for its own address; for any other address there is a variable of ours.
    let endpoint = |base_url: &str, ours: &str, usual: Option<&str>| {
        let usual = usual.filter(|_| base_url.is_empty()).and_then(models::variable);
        let key = models::variable(ours).or(usual).map(::models::Secret::from);
        Endpoint { base_url: base_url.to_owned(), key }
    };
    let kept_web = config.keys.find(KeyName::Web, &web.engine, &web.base_url);
    let engine = match web.engine.as_str() {
        "" => None,
        name => Some(
            name.parse::<Engine>()
                .map_err(|error| Failure::usage(error.to_string(), "correct sources.web.engine"))?,
        ),
    };
    let servers = config.servers().map(|(name, server)| {
        let found = server.server(name, models::variable);
        found.map_err(|error| Failure::usage(error, format!("correct mcp.{name}")))
    });
    let servers = servers.collect::<Result<Vec<_>, Failure>>()?;
    let services = Services {
        arxiv: Endpoint { base_url: base_urls.arxiv.clone(), key: None },
        crossref: Endpoint { base_url: base_urls.crossref.clone(), key: None },
        semantic_scholar: endpoint(
            &base_urls.semantic_scholar,
            "QUAESTIO_SEMANTIC_SCHOLAR_API_KEY",
            Some("SEMANTIC_SCHOLAR_API_KEY"),
        ),
        openalex: endpoint(
            &base_urls.openalex,
            "QUAESTIO_OPENALEX_API_KEY",
            Some("OPENALEX_API_KEY"),
        ),
        web: engine.map(|engine| {
            let found = endpoint(&web.base_url, WEB_KEY_VARIABLE, engine.key_variable());
            (engine, Endpoint { key: found.key.or(kept_web), ..found })
        }),
        servers,
        stand_in: *stand_in,
    };
    Outside::new(settings, services, Some(memory)).map_err(|error| {
        Failure::usage(error.to_string(), "correct sources.* in your configuration")
    })
}

/// Checks that these sources can be asked, so that the run does not fail later.
pub(crate) fn ready(outside: &Outside, asked: &[Source]) -> Result<(), Failure> {
    outside.ready(asked).map_err(|error| {
        Failure::usage(error.to_string(), "see the settings sources.* with `quaestio config show`")
    })
}

/// The sources of a configuration, built on first use: a command that asks no source needs none of them.
struct WhenAsked {
    config: Config,
    memory: Arc<dyn Memory>,
    outside: OnceCell<Outside>,
}

impl WhenAsked {
    fn of(config: &Config, memory: Arc<dyn Memory>) -> WhenAsked {
        WhenAsked { config: config.clone(), memory, outside: OnceCell::new() }
    }

    async fn made(&self) -> Result<&Outside, Failure> {
        self.outside.get_or_try_init(|| sources(&self.config, Arc::clone(&self.memory))).await
    }

    async fn outside(&self) -> Result<&Outside, PortError> {
        self.made().await.map_err(|failure| PortError::Invalid { what: failure.what })
    }
}

#[async_trait]
impl Sources for WhenAsked {
    async fn papers(&self, sources: &[Source], query: &Query) -> Result<Searched, PortError> {
        self.outside().await?.papers(sources, query).await
    }

    async fn pages(&self, query: &Query) -> Result<Vec<Hit>, PortError> {
        self.outside().await?.pages(query).await
    }

    async fn texts(&self, servers: &[ServerName], query: &Query) -> Result<Served, PortError> {
        self.outside().await?.texts(servers, query).await
    }

    async fn papers_named(&self, ids: &[PaperId]) -> Vec<Result<Option<Paper>, PortError>> {
        match self.outside().await {
            Ok(outside) => outside.papers_named(ids).await,
            Err(error) => ids.iter().map(|_| Err(error.clone())).collect(),
        }
    }

    async fn fetch(&self, url: &str) -> Result<Fetched, PortError> {
        self.outside().await?.fetch(url).await
    }
}

/// Returns the adapter that turns fetched material into documents.
pub(crate) fn intake(database: &Database, config: &Config, tools: &Tools) -> Arc<dyn Intake> {
    Arc::new(corpus::DocumentIndexer {
        library: Arc::clone(&database.library),
        embedders: tools.embedder.clone(),
        manifest: config.corpus.manifest(None),
        limits: config.corpus.limits(),
        reader: Arc::clone(&tools.reader),
    })
}
