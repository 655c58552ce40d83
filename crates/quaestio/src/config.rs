//! Configuration: read once, in layers, into typed structs.
//!
//! Lowest first: defaults, user file, project file, the profile that is chosen, environment, command line. What a layer says of a
//! version (a strategy or a method) lies right above it. Each layer keeps its name, so that `config show` can tell who set what.

mod brief;
mod contexts;
mod debate;
mod documented;
mod eval;
mod log;
mod profiles;
mod sandbox;
mod server;
mod survey;
mod workflow;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use figment2::value::{Dict, Map, Value};
use figment2::{Figment, Metadata, Profile, Provider};
use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Deserializer};

use corpus::Limits;
use methods::ask::Rules;
use methods::{hypothesize, market};
use models::Structured;
use run::analysis::Language;
use run::budget::{Budget, Price};
use run::embedding::Embedding;
use run::library::Manifest;
use run::paper::Source;
use run::prompt::AgentSettings;

use crate::failure::Failure;
use documented::Documented;
use profiles::{DEFAULTS_LAYER, PROFILE};

pub(crate) use brief::BriefConfig;
pub(crate) use contexts::{ContextStore, ContextsConfig};
pub(crate) use debate::DebateConfig;
pub(crate) use documented::SERVED;
pub(crate) use eval::EvalConfig;
pub(crate) use log::{LogConfig, LogFormat};
pub(crate) use sandbox::SandboxConfig;
pub(crate) use server::ServerConfig;
pub(crate) use workflow::WorkflowConfig;

pub(crate) use self::survey::SurveyConfig;

const DEFAULTS: &str = include_str!("defaults.toml");
const PREFIX: &str = "QUAESTIO_";
/// Variables with a name of their own, and the key each sets.
const ALIASES: [(&str, &str); 8] = [
    ("QUAESTIO_PROFILE", PROFILE),
    ("QUAESTIO_USER", "user"),
    ("QUAESTIO_ARTIFACTS", "artifacts"),
    ("QUAESTIO_MODEL", "models.main"),
    ("QUAESTIO_LIGHT_MODEL", "models.light"),
    ("QUAESTIO_BASE_URL", "models.base_url"),
    ("QUAESTIO_DATA_DIR", "data_dir"),
    ("QUAESTIO_EMBEDDER", "embedder.model"),
];
/// Secrets are read where they are used and never become part of the configuration.
pub(crate) const KEY_VARIABLE: &str = "QUAESTIO_API_KEY";
pub(crate) const EMBEDDER_KEY_VARIABLE: &str = "QUAESTIO_EMBEDDER_API_KEY";
pub(crate) const TOKENS_VARIABLE: &str = "QUAESTIO_TOKENS";
/// The value of a key that leaves it to the model.
pub(crate) const AUTO: &str = "auto";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// What it brings has become layers.
    #[serde(rename = "profile")]
    _profile: String,
    pub(crate) user: String,
    pub(crate) data_dir: String,
    pub(crate) artifacts: bool,
    pub(crate) models: ModelsConfig,
    pub(crate) embedder: EmbedderConfig,
    pub(crate) prompts: PromptsConfig,
    pub(crate) corpus: CorpusConfig,
    pub(crate) sources: SourcesConfig,
    pub(crate) bibliography: BibliographyConfig,
    pub(crate) ask: Rules,
    pub(crate) hypothesize: HypothesizeConfig,
    pub(crate) market: MarketConfig,
    pub(crate) debate: DebateConfig,
    pub(crate) brief: BriefConfig,
    pub(crate) eval: EvalConfig,
    pub(crate) budget: BudgetConfig,
    pub(crate) log: LogConfig,
    pub(crate) contexts: ContextsConfig,
    pub(crate) sandbox: SandboxConfig,
    pub(crate) server: ServerConfig,
    pub(crate) survey: SurveyConfig,
    pub(crate) workflow: WorkflowConfig,
    #[serde(default)]
    pub(crate) agents: BTreeMap<String, BTreeMap<String, AgentSettings>>,
    #[serde(default)]
    pub(crate) prices: BTreeMap<String, BTreeMap<String, Price>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelsConfig {
    pub(crate) main: String,
    pub(crate) light: String,
    pub(crate) base_url: String,
    pub(crate) structured: Structured,
    pub(crate) stream: bool,
    pub(crate) timeout_seconds: u64,
    pub(crate) idle_timeout_seconds: u64,
    pub(crate) retry_delay_ms: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmbedderConfig {
    pub(crate) model: String,
    pub(crate) base_url: String,
    pub(crate) passage_prefix: String,
    pub(crate) query_prefix: String,
    pub(crate) dimensions: u32,
    pub(crate) max_tokens: u32,
    pub(crate) threads: u32,
    pub(crate) texts_per_request: u32,
    pub(crate) in_flight: u32,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromptsConfig {
    pub(crate) folder: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorpusConfig {
    pub(crate) language: Language,
    pub(crate) chunk_tokens: u32,
    pub(crate) smallest_chunk_tokens: u32,
    pub(crate) file_bytes: u64,
    pub(crate) file_seconds: u64,
    pub(crate) file_memory_bytes: u64,
}

impl CorpusConfig {
    pub(crate) fn manifest(&self, embedder: Option<Embedding>) -> Manifest {
        Manifest {
            embedder,
            language: self.language,
            chunk_tokens: self.chunk_tokens,
            smallest_chunk_tokens: self.smallest_chunk_tokens,
        }
    }

    /// What reading one file may cost.
    pub(crate) fn limits(&self) -> Limits {
        Limits {
            file_bytes: self.file_bytes,
            text_bytes: self.file_bytes,
            time_seconds: self.file_seconds.max(1),
            memory_bytes: self.file_memory_bytes,
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SourcesConfig {
    #[serde(deserialize_with = "list")]
    pub(crate) asked: Vec<Source>,
    pub(crate) contact: String,
    pub(crate) network: Network,
    pub(crate) stand_in: bool,
    #[serde(deserialize_with = "list")]
    pub(crate) private_hosts: Vec<String>,
    pub(crate) page_bytes: u64,
    pub(crate) page_seconds: u64,
    pub(crate) service_seconds: f64,
    pub(crate) retry_delay_ms: u64,
    pub(crate) base_urls: BaseUrls,
    pub(crate) web: WebConfig,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BaseUrls {
    pub(crate) arxiv: String,
    pub(crate) crossref: String,
    pub(crate) semantic_scholar: String,
    pub(crate) openalex: String,
}

/// Reads a list, or a text with commas, which is easier to write on a command line.
fn list<'de, D: Deserializer<'de>, T: DeserializeOwned>(from: D) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        List(Vec<String>),
        Text(String),
    }
    let items = match Written::deserialize(from)? {
        Written::List(items) => items,
        Written::Text(text) => text.split(',').map(|item| item.trim().to_owned()).collect(),
    };
    let items = items.into_iter().filter(|item| !item.is_empty());
    items.map(|item| T::deserialize(item.into_deserializer())).collect()
}

impl SourcesConfig {
    pub(crate) fn page_timeout(&self) -> Duration {
        waited(self.page_seconds)
    }

    /// How long a service may be silent.
    pub(crate) fn service_timeout(&self) -> Duration {
        // What is no number of seconds becomes one.
        waited(self.service_seconds.ceil() as u64)
    }

    /// The first wait between attempts.
    pub(crate) fn retry_delay(&self) -> Duration {
        first_wait(self.retry_delay_ms)
    }
}

/// Where answers come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Network {
    Usual,
    Refresh,
    Cached,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebConfig {
    /// Empty means none.
    pub(crate) engine: String,
    pub(crate) base_url: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BibliographyConfig {
    pub(crate) style: String,
}

/// What `hypothesize` is started with where the command line says nothing of it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct HypothesizeConfig {
    pub(crate) domain: String,
    pub(crate) objective: String,
    pub(crate) top: u32,
    #[serde(deserialize_with = "list")]
    pub(crate) asked: Vec<Source>,
    #[serde(flatten)]
    pub(crate) rules: hypothesize::Rules,
}

impl HypothesizeConfig {
    /// Returns what a run is started with.
    pub(crate) fn options(&self) -> hypothesize::Options {
        hypothesize::Options {
            domain: self.domain.clone(),
            objective: self.objective.clone(),
            top: self.top,
            sources: self.asked.clone(),
            rules: self.rules.clone(),
        }
    }
}

/// What `market` is started with where the command line says nothing of it.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct MarketConfig {
    #[serde(deserialize_with = "list")]
    pub(crate) asked: Vec<Source>,
    #[serde(flatten)]
    pub(crate) rules: market::Rules,
}

impl MarketConfig {
    /// Returns what a run is started with.
    pub(crate) fn options(&self) -> market::Options {
        let (sources, rules) = (self.asked.clone(), self.rules.clone());
        market::Options { collection: String::new(), sources, rules }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BudgetConfig {
    max_steps: u64,
    max_questions: u64,
    max_tokens: u64,
    max_cost_usd: f64,
    max_wall_seconds: u64,
}

impl BudgetConfig {
    pub(crate) fn budget(&self) -> Budget {
        // The log's numbers are exact up to here.
        let cap = |value: u64| (value > 0).then_some(value.min(1 << 53));
        Budget {
            max_steps: cap(self.max_steps),
            max_questions: cap(self.max_questions),
            max_tokens: cap(self.max_tokens),
            max_cost_usd_micros: cap((self.max_cost_usd.max(0.0) * 1e6).ceil() as u64),
            max_wall_seconds: cap(self.max_wall_seconds),
        }
    }
}

/// Returns how long a call is waited for: a second at least, a week at most.
fn waited(seconds: u64) -> Duration {
    Duration::from_secs(seconds.clamp(1, 7 * 86_400))
}

/// Returns the first wait between attempts, a minute at most.
fn first_wait(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds).min(Duration::from_secs(60))
}

impl ModelsConfig {
    /// How long a stream may be silent.
    pub(crate) fn idle_timeout(&self) -> Duration {
        waited(self.idle_timeout_seconds)
    }

    /// The first wait between attempts.
    pub(crate) fn retry_delay(&self) -> Duration {
        first_wait(self.retry_delay_ms)
    }

    pub(crate) fn timeout(&self) -> Duration {
        waited(self.timeout_seconds)
    }
}

/// A value and the layer that set it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Origin {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) layer: String,
}

/// The configuration with the memory of its layers.
pub(crate) struct Layers {
    /// As they were read, lowest first.
    read: Vec<Layer>,
    /// With what they say of the version at hand, lowest first.
    layers: Vec<Layer>,
    figment: Figment,
    pub(crate) config: Config,
    /// What variables mean that are understood and set nothing here.
    pub(crate) remarks: Vec<String>,
}

/// Where the files of the lower layers are looked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Files {
    pub(crate) user: Option<PathBuf>,
    pub(crate) project: Option<PathBuf>,
}

impl Files {
    /// Returns the usual places; `given` takes the place of the user's file.
    pub(crate) fn usual(given: Option<&Path>) -> Files {
        let home = |variable: &str| {
            std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
        };
        let folder =
            home("XDG_CONFIG_HOME").or_else(|| home("HOME").map(|home| home.join(".config")));
        let user = given
            .map(Path::to_owned)
            .or_else(|| folder.map(|folder| folder.join("quaestio/config.toml")));
        Files { user, project: Some(PathBuf::from("quaestio.toml")) }
    }
}

/// One layer: named values.
#[derive(Clone)]
struct Layer {
    name: String,
    values: Dict,
    /// The keys that it sets, in full.
    keys: BTreeSet<String>,
    /// What it says of versions, which is none of its values.
    versions: BTreeMap<&'static str, Layer>,
    /// The profiles that may be chosen, likewise.
    profiles: BTreeMap<String, Layer>,
}

impl Layer {
    fn new(name: impl Into<String>, mut values: Dict) -> Result<Layer, Failure> {
        let name = name.into();
        let versions = profiles::versions(&name, &mut values)?;
        let profiles = profiles::profiles(&name, &mut values)?;
        Ok(Layer { versions, profiles, ..Layer::plain(name, values) })
    }

    /// A layer of nothing but values.
    fn plain(name: String, values: Dict) -> Layer {
        let mut leaves = Vec::new();
        walk("", &Value::from(values.clone()), &mut leaves);
        let keys = leaves.into_iter().map(|(key, _)| key).collect();
        Layer { name, values, keys, versions: BTreeMap::new(), profiles: BTreeMap::new() }
    }

    /// Returns every key that it sets anywhere: as it is written, and as the configuration has it.
    fn written(&self) -> Vec<(String, &str)> {
        let own = self.keys.iter().map(|key| (key.clone(), key.as_str()));
        let versions = self.versions.iter().map(|(name, own)| (format!("versions.{name}"), own));
        let profiles = self.profiles.iter().map(|(name, own)| (format!("profiles.{name}"), own));
        let beside = versions.chain(profiles).flat_map(|(table, layer)| {
            let keys = layer.written().into_iter();
            keys.map(move |(written, key)| (format!("{table}.{written}"), key))
        });
        own.chain(beside).collect()
    }
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name.clone())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment2::Error> {
        Ok(Map::from([(Profile::Default, self.values.clone())]))
    }
}

impl Layers {
    /// Reads all layers. `flags` are the keys that the command line sets.
    pub(crate) fn read(
        files: &Files,
        given: bool,
        flags: Vec<(&str, Value)>,
    ) -> Result<Layers, Failure> {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            // A variable that is not UTF-8 is none of ours.
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        Layers::under(files, given, variables, flags)
    }

    /// Reads all layers with these variables as the environment.
    fn under(
        files: &Files,
        given: bool,
        variables: impl Iterator<Item = (String, String)>,
        flags: Vec<(&str, Value)>,
    ) -> Result<Layers, Failure> {
        let defaults = parse("defaults", DEFAULTS)?;
        let mut layers = vec![Layer::new(DEFAULTS_LAYER, defaults)?];
        if let Some(path) = &files.user {
            layers.extend(file("user file", path, given)?);
        }
        if let Some(path) = &files.project
            && let Some(layer) = file("project file", path, false)?
        {
            own_affairs(path, &layer)?;
            layers.push(layer);
        }
        let (mut above, remarks) = environment(variables)?;
        above.push(Layer::new("command line", nested(flags))?);
        let profile = profiles::chosen(&layers, &above)?;
        layers.extend(profile.into_iter().chain(above));
        Ok(Layers { remarks, ..Layers::of(layers, None)? })
    }

    /// Returns these layers with what they say of the version that `name` means.
    pub(crate) fn of_version(&self, name: &str) -> Result<Layers, Failure> {
        let version = profiles::version(name)
            .ok_or_else(|| profiles::no_such_version("command line", name))?;
        let layers = Layers::of(self.read.clone(), Some(version))?;
        Ok(Layers { remarks: self.remarks.clone(), ..layers })
    }

    /// Returns these layers with what they say of a version, and on top one more named `name`.
    pub(crate) fn with(
        &self,
        version: Option<&str>,
        name: &str,
        values: Vec<(&str, Value)>,
    ) -> Result<Layers, Failure> {
        let mut read = self.read.clone();
        read.push(Layer::new(name, nested(values))?);
        let layers = Layers::of(read, version.and_then(profiles::version))?;
        Ok(Layers { remarks: self.remarks.clone(), ..layers })
    }

    fn of(read: Vec<Layer>, version: Option<&str>) -> Result<Layers, Failure> {
        known(&read)?;
        let with_version = |layer: &Layer| {
            let above = version.and_then(|version| layer.versions.get(version)).cloned();
            [Some(layer.clone()), above].into_iter().flatten()
        };
        let layers: Vec<Layer> = read.iter().flat_map(with_version).collect();
        let figment = layers.iter().cloned().fold(Figment::new(), Figment::merge);
        let config = figment.extract::<Config>().map_err(|error| {
            let layer =
                error.metadata.as_ref().map_or("the configuration", |metadata| &metadata.name);
            let key = error.path.join(".");
            Failure::usage(
                format!("{layer}: {key}: {}", error.kind),
                "`quaestio config show` lists every key with its value and origin",
            )
        })?;
        let layers = Layers { read, layers, figment, config, remarks: vec![] };
        layers.sane()?;
        Ok(layers)
    }

    fn sane(&self) -> Result<(), Failure> {
        let Rules {
            top_k,
            score_threshold,
            coverage_threshold,
            context_tokens,
            extractive_coverage,
            nearness_threshold,
            near_enough,
            search,
            deep,
            ..
        } = &self.config.ask;
        let share = |key: &str, value: f64| {
            (!(0.0..=1.0).contains(&value)).then(|| (key.to_owned(), "between 0 and 1".to_owned()))
        };
        let positive =
            |key: &str, value: u64| (value == 0).then(|| (key.to_owned(), "above 0".to_owned()));
        let most = |key: &str, value: u32, most: u32| {
            (value > most).then(|| (key.to_owned(), format!("{most} at most")))
        };
        let wrong = share("ask.score_threshold", *score_threshold)
            .or_else(|| share("ask.coverage_threshold", *coverage_threshold))
            .or_else(|| share("ask.extractive_coverage", *extractive_coverage))
            .or_else(|| share("ask.nearness_threshold", *nearness_threshold))
            .or_else(|| share("ask.near_enough", *near_enough))
            .or_else(|| positive("ask.top_k", u64::from(*top_k)))
            .or_else(|| positive("ask.context_tokens", u64::from(*context_tokens)))
            .or_else(|| {
                let seconds = self.config.sources.service_seconds;
                (seconds.is_nan() || seconds <= 0.0)
                    .then(|| ("sources.service_seconds".into(), "above 0".into()))
            })
            .or_else(|| positive("sources.page_bytes", self.config.sources.page_bytes))
            .or_else(|| most("ask.search.queries", search.queries, 10))
            .or_else(|| most("ask.search.results", search.results, 100))
            .or_else(|| most("ask.search.papers_read", search.papers_read, 200))
            .or_else(|| most("ask.search.pages_read", search.pages_read, 100))
            .or_else(|| {
                (!(2..=100).contains(&deep.max_steps))
                    .then(|| ("ask.deep.max_steps".to_owned(), "2 to 100".to_owned()))
            })
            .or_else(|| most("ask.deep.max_questions", deep.max_questions, 10))
            .or_else(|| share("ask.deep.recall_threshold", deep.recall_threshold))
            .or_else(|| most("ask.deep.papers_read", deep.papers_read, 200))
            .or_else(|| most("ask.deep.pages_read", deep.pages_read, 100))
            .or_else(|| {
                let contact = &self.config.sources.contact;
                (!contact.is_empty() && !contact.contains('@'))
                    .then(|| ("sources.contact".to_owned(), "a mail address".to_owned()))
            })
            .or_else(|| positive("corpus.chunk_tokens", u64::from(self.config.corpus.chunk_tokens)))
            .or_else(|| {
                let cost = self.config.budget.max_cost_usd;
                (!cost.is_finite() || cost < 0.0).then(|| {
                    ("budget.max_cost_usd".to_owned(), "0 or a number of dollars".to_owned())
                })
            })
            .or_else(|| {
                let (key, must) = self.config.server.wrong()?;
                Some((format!("server.{key}"), must))
            })
            .or_else(|| {
                let (key, must) = self.config.eval.wrong()?;
                Some((format!("eval.{key}"), must))
            })
            .or_else(|| {
                let (key, must) = self.config.workflow.wrong()?;
                Some((format!("workflow.{key}"), must))
            })
            .or_else(|| {
                let (key, must) = self.config.sandbox.wrong()?;
                Some((format!("sandbox.{key}"), must))
            });
        // Before the methods that compute with it.
        let of_surveys = self.config.survey.wrong();
        let of_surveys =
            of_surveys.map(|(key, must)| (format!("survey.{key}"), format!("must be {must}")));
        let of_a_method = of_surveys.or_else(|| {
            let (key, what) = self.config.hypothesize.options().wrong()?;
            Some((format!("hypothesize.{key}"), what))
        });
        let of_a_method = of_a_method.or_else(|| {
            let (key, what) = self.config.market.options().wrong()?;
            Some((format!("market.{key}"), what))
        });
        let of_a_method = of_a_method.or_else(|| {
            let (key, what) = self.config.debate_options().wrong()?;
            Some((format!("debate.{key}"), what))
        });
        let of_a_method = of_a_method.or_else(|| {
            let (key, what) = self.config.brief_options().wrong()?;
            Some((format!("brief.{key}"), what))
        });
        if let Some((key, what)) = of_a_method {
            return Err(Failure::usage(
                format!("{}: {key} {what}", self.origin(&key)),
                "`quaestio config show` lists every key with its value and origin",
            ));
        }
        match wrong {
            None => Ok(()),
            Some((key, must)) => Err(Failure::usage(
                format!("{}: {key} must be {must}", self.origin(&key)),
                "`quaestio config show` lists every key with its value and origin",
            )),
        }
    }

    /// Returns the name of the layer that set `key`.
    pub(crate) fn origin(&self, key: &str) -> String {
        // A table was set by whoever set one of its keys last.
        let below = format!("{key}.");
        let sets = |layer: &&Layer| {
            layer.keys.contains(key) || layer.keys.iter().any(|set| set.starts_with(&below))
        };
        let set = self.layers.iter().rev().find(sets);
        set.map_or_else(|| "unset".into(), |layer| layer.name.clone())
    }

    /// Returns every key with its value and the layer that set it. Keys of models never are among them.
    pub(crate) fn origins(&self) -> Vec<Origin> {
        let mut leaves = Vec::new();
        if let Ok(root) = self.figment.find_value("") {
            walk("", &root, &mut leaves);
        } else if let Ok(data) = self.figment.extract::<Value>() {
            walk("", &data, &mut leaves);
        }
        let leaves = leaves.into_iter();
        leaves.map(|(key, value)| Origin { layer: self.origin(&key), key, value }).collect()
    }
}

/// Checks that a project file sets only what concerns its own folder.
///
/// Whoever wrote the folder must not decide which models the user's keys and documents are sent to, what
/// they may cost, or where data is kept.
fn own_affairs(path: &Path, layer: &Layer) -> Result<(), Failure> {
    let foreign = |(_, key): &(String, &str)| {
        let own = ["ask.", "corpus.", "agents."].iter().any(|own| key.starts_with(own));
        // What reading a file may cost, and how much is done and looked up outside, are caps, and the folder is the stranger's.
        let caps = ["corpus.file_", "ask.search.", "ask.deep."];
        !own || caps.iter().any(|cap| key.starts_with(cap))
    };
    match layer.written().into_iter().find(foreign) {
        None => Ok(()),
        Some((key, _)) => Err(Failure::usage(
            format!("{} sets {key}", path.display()),
            "a project file may set ask.*, agents.* and corpus.*, but not corpus.file_*, ask.search.* or ask.deep.*, in a version or a profile no more than elsewhere; use your own file, the environment or the command line",
        )),
    }
}

/// Checks that the layers set only keys that the defaults have, or that name an agent or a price.
fn known(layers: &[Layer]) -> Result<(), Failure> {
    let open = ["agents.", "prices.", "workflow.users."];
    let is_default = |key: &str| layers.first().is_some_and(|layer| layer.keys.contains(key));
    for layer in layers {
        for (written, key) in layer.written() {
            if !is_default(key) && !open.iter().any(|prefix| key.starts_with(prefix)) {
                return Err(Failure::usage(
                    format!("{}: there is no key {written}", layer.name),
                    "`quaestio config show` lists every key with its value and origin",
                ));
            }
        }
    }
    Ok(())
}

fn walk(prefix: &str, value: &Value, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Dict(_, fields) => {
            for (key, value) in fields {
                let key = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                walk(&key, value, leaves);
            }
        }
        other => leaves.push((prefix.to_owned(), serde_json::to_string(other).unwrap_or_default())),
    }
}

fn parse(name: &str, text: &str) -> Result<Dict, Failure> {
    toml::from_str(text).map_err(|error| {
        Failure::usage(
            format!("{name} is not valid TOML: {}", error.message()),
            "correct the file or take it away",
        )
    })
}

fn file(kind: &str, path: &Path, required: bool) -> Result<Option<Layer>, Failure> {
    let name = format!("{kind} {}", path.display());
    match std::fs::read_to_string(path) {
        Ok(text) => {
            let values = parse(&name, &text)?;
            Ok(Some(Layer::new(name, values)?))
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => Ok(None),
        Err(error) => Err(Failure::usage(
            format!("{name} cannot be read: {error}"),
            "check the path and its permissions",
        )),
    }
}

/// Reads `QUAESTIO_…` and what the documents name, one layer a variable, so that each keeps its name.
///
/// Beside the layers, what is to be said of variables that are understood and set nothing here.
fn environment(
    variables: impl Iterator<Item = (String, String)>,
) -> Result<(Vec<Layer>, Vec<String>), Failure> {
    let (mut layers, mut remarks) = (Vec::new(), Vec::new());
    for (name, value) in variables.filter(|(name, value)| !value.is_empty() && name != KEY_VARIABLE)
    {
        let (ours, key, value) = match documented::read(&name, &value)? {
            Some(Documented::Sets(key, value)) => (false, key.to_owned(), value),
            Some(Documented::Means(remark)) => {
                remarks.push(remark);
                continue;
            }
            Some(Documented::Nothing) => continue,
            None => {
                let alias = ALIASES.iter().find(|(known, _)| *known == name);
                let key = alias.map(|(_, key)| (*key).to_owned()).or_else(|| {
                    let rest = name.strip_prefix(PREFIX)?;
                    rest.contains("__").then(|| rest.to_lowercase().replace("__", "."))
                });
                let Some(key) = key else { continue };
                (true, key, value)
            }
        };
        // A number or a boolean is read as one; anything else is text.
        let value = value.parse::<Value>().unwrap_or_else(|never| match never {});
        let values = nested(vec![(key.as_str(), value)]);
        layers.push((ours, Layer::new(format!("environment {name}"), values)?));
    }
    layers.sort_by(|(ours, one), (others, other)| (ours, &one.name).cmp(&(others, &other.name)));
    remarks.sort();
    Ok((layers.into_iter().map(|(_, layer)| layer).collect(), remarks))
}

fn nested(pairs: Vec<(&str, Value)>) -> Dict {
    let mut root = Dict::new();
    for (key, value) in pairs {
        let mut parts: Vec<&str> = key.split('.').collect();
        let Some(last) = parts.pop() else { continue };
        let mut dict = &mut root;
        for part in parts {
            let next = dict.entry(part.to_owned()).or_insert_with(|| Value::from(Dict::new()));
            if !matches!(next, Value::Dict(..)) {
                *next = Value::from(Dict::new());
            }
            let Value::Dict(_, inner) = next else { return root };
            dict = inner;
        }
        dict.insert(last.to_owned(), value);
    }
    root
}

/// Reads `key=value` of `--set` the way environment variables are read.
pub(crate) fn setting(text: &str) -> Result<(String, Value), Failure> {
    let wrong = || {
        Failure::usage(format!("'{text}' is not key=value"), "write for example --set ask.top_k=12")
    };
    let (key, value) = text.split_once('=').ok_or_else(wrong)?;
    if key.is_empty() || key.split('.').any(str::is_empty) {
        return Err(wrong());
    }
    Ok((key.to_owned(), value.parse::<Value>().unwrap_or_else(|never| match never {})))
}
