//! Configuration: read once, in layers, into typed structs.
//!
//! Lowest first: defaults, what the page set, user file, project file, the profile that is chosen, environment, command line. What a layer says of a
//! version (a strategy or a method) lies right above it. Each layer keeps its name, so that `config show` can tell who set what.

mod brief;
mod contexts;
mod debate;
mod described;
mod documented;
mod edit;
mod eval;
mod explain;
mod kept;
mod layer;
mod layers;
mod log;
mod mcp;
mod otlp;
mod profiles;
mod quotas;
mod sandbox;
mod server;
mod survey;
mod workflow;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use serde::de::{DeserializeOwned, IntoDeserializer};
use serde::{Deserialize, Deserializer};

use corpus::{Limits, OcrSettings};
use methods::ask::Rules;
use methods::{hypothesize, market};
use models::Structured;
use papers::{ServerName, Source};
use run::budget::{Budget, Price};
use run::embedding::Embedding;
use run::library::Manifest;
use run::prompt::AgentSettings;
use text::Language;

pub(crate) use brief::BriefConfig;
pub(crate) use contexts::{ContextStore, ContextsConfig};
pub(crate) use debate::DebateConfig;
pub(crate) use described::{ESSENTIAL, read_meanings};
pub(crate) use documented::{SERVED, known_elsewhere};
pub(crate) use edit::{Change, UserFile};
pub(crate) use eval::EvalConfig;
pub(crate) use kept::{Kept, KeptKey, KeptKeys, is_kept, service_of};
pub(crate) use layer::{ALIASES, alias_of, setting};
pub(crate) use layers::{DEFAULTS, Files, Layers, Origin, default_keys};
pub(crate) use log::{LogConfig, LogFormat};
pub(crate) use mcp::McpConfig;
pub(crate) use otlp::OtlpConfig;
pub(crate) use quotas::QuotasConfig;
pub(crate) use sandbox::SandboxConfig;
pub(crate) use server::ServerConfig;
pub(crate) use workflow::WorkflowConfig;

pub(crate) use self::survey::SurveyConfig;

/// Secrets are read where they are used; none is a value of the configuration.
pub(crate) const KEY_VARIABLE: &str = "QUAESTIO_API_KEY";
pub(crate) const EMBEDDER_KEY_VARIABLE: &str = "QUAESTIO_EMBEDDER_API_KEY";
pub(crate) const WEB_KEY_VARIABLE: &str = "QUAESTIO_WEB_API_KEY";
pub(crate) const TOKENS_VARIABLE: &str = "QUAESTIO_TOKENS";
pub(crate) const METRICS_TOKEN_VARIABLE: &str = "QUAESTIO_METRICS_TOKEN";
/// The value of a key that leaves it to the model.
pub(crate) const AUTO: &str = "auto";

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// What it brings has become layers.
    #[serde(rename = "profile")]
    _profile: String,
    /// The keys that the page keeps. No file sets them, and nothing prints them.
    #[serde(skip)]
    pub(crate) keys: KeptKeys,
    pub(crate) user: String,
    pub(crate) data_dir: String,
    /// The address of a PostgreSQL database; empty means the file in the data folder.
    pub(crate) database: String,
    pub(crate) artifacts: bool,
    pub(crate) models: ModelsConfig,
    pub(crate) embedder: EmbedderConfig,
    pub(crate) prompts: PromptsConfig,
    pub(crate) corpus: CorpusConfig,
    pub(crate) sources: SourcesConfig,
    /// The MCP servers by their names.
    #[serde(default)]
    pub(crate) mcp: BTreeMap<String, McpConfig>,
    pub(crate) bibliography: BibliographyConfig,
    pub(crate) ask: Rules,
    pub(crate) hypothesize: HypothesizeConfig,
    pub(crate) market: MarketConfig,
    pub(crate) debate: DebateConfig,
    pub(crate) brief: BriefConfig,
    pub(crate) eval: EvalConfig,
    pub(crate) budget: BudgetConfig,
    pub(crate) log: LogConfig,
    pub(crate) otlp: OtlpConfig,
    pub(crate) contexts: ContextsConfig,
    pub(crate) sandbox: SandboxConfig,
    pub(crate) server: ServerConfig,
    pub(crate) quotas: QuotasConfig,
    pub(crate) survey: SurveyConfig,
    pub(crate) workflow: WorkflowConfig,
    #[serde(default)]
    pub(crate) agents: BTreeMap<String, BTreeMap<String, AgentSettings>>,
    #[serde(default)]
    pub(crate) prices: BTreeMap<String, BTreeMap<String, Price>>,
}

impl Config {
    /// Returns the names of the MCP servers.
    pub(crate) fn servers(&self) -> impl Iterator<Item = (ServerName, &McpConfig)> {
        // A name that cannot be used was refused when the configuration was read.
        self.mcp.iter().filter_map(|(name, server)| Some((name.parse().ok()?, server)))
    }

    /// Returns the first key of an MCP server that cannot be used, and what it must be.
    fn wrong_server(&self) -> Option<(String, String)> {
        self.mcp.iter().find_map(|(name, server)| {
            if let Err(error) = name.parse::<ServerName>() {
                return Some((format!("mcp.{name}"), format!("another name: {error}")));
            }
            let (key, must) = server.wrong()?;
            Some((format!("mcp.{name}.{key}"), must))
        })
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelsConfig {
    pub(crate) main: String,
    pub(crate) light: String,
    pub(crate) reader: String,
    pub(crate) readers: String,
    pub(crate) base_url: String,
    pub(crate) structured: Structured,
    pub(crate) stream: bool,
    pub(crate) timeout_seconds: u64,
    pub(crate) idle_timeout_seconds: u64,
    pub(crate) retry_delay_ms: u64,
    pub(crate) window: u32,
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
    ocr: Scans,
    #[serde(deserialize_with = "list")]
    ocr_languages: Vec<String>,
    ocr_program: String,
    pub(crate) large_chunks: u64,
    pub(crate) keep_originals: bool,
}

/// Whether scans are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Scans {
    Auto,
    Off,
}

impl CorpusConfig {
    /// Returns how scans are read; `None` if they are not.
    pub(crate) fn ocr(&self) -> Option<OcrSettings> {
        let (program, languages) = (self.ocr_program.clone(), self.ocr_languages.clone());
        (self.ocr == Scans::Auto).then_some(OcrSettings { program, languages })
    }

    /// Returns the first key of those for scans that cannot be used, and what it must be.
    fn wrong_ocr(&self) -> Option<(&'static str, &'static str)> {
        let is_code = |code: &String| {
            code.starts_with(|c: char| c.is_ascii_alphanumeric())
                && code.chars().all(|c| c.is_ascii_alphanumeric() || "_/-".contains(c))
        };
        let languages = &self.ocr_languages;
        if languages.is_empty() || !languages.iter().all(is_code) {
            return Some(("ocr_languages", "codes of tesseract, such as [\"eng\", \"deu\"]"));
        }
        let named = !self.ocr_program.trim().is_empty();
        (!named).then_some(("ocr_program", "the name or path of tesseract"))
    }

    pub(crate) fn manifest(&self, embedder: Option<Embedding>) -> Manifest {
        Manifest {
            embedder,
            language: self.language,
            languages: Some(BTreeSet::new()),
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
            collection: String::new(),
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
