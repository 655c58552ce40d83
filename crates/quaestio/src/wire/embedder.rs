//! The embedder: which one the configuration means, opened on first use.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use app::KeyName;
use async_trait::async_trait;
use tokio::sync::OnceCell;

use ::models::{
    Connection, EmbedderSettings, HttpEmbedder, LocalEmbedder, LocalError, LocalSettings, Secret,
    known_models, provider_of,
};
use run::embedding::{Embedder, Embedders};
use run::error::PortError;

use super::data_folder;
use super::models::{key_for, provider_key, variable};
use crate::config::{AUTO, Config, EMBEDDER_KEY_VARIABLE, EmbedderConfig, service_of};
use crate::failure::Failure;

/// The embedder of the configuration, opened on first use.
struct OnDemand {
    config: EmbedderConfig,
    key: Option<Secret>,
    /// The hub's cache that has the model, if it is not the usual one.
    hub: Option<PathBuf>,
    idle_timeout: Duration,
    retry_delay: Duration,
    opened: OnceCell<Arc<dyn Embedder>>,
}

/// Returns the embedder that the configuration names, if it names one.
pub(crate) fn embedder(config: &Config) -> Option<Arc<dyn Embedders>> {
    if config.embedder.model.is_empty() {
        return None;
    }
    Some(Arc::new(OnDemand {
        config: config.embedder.clone(),
        key: key(config),
        hub: models_folder(config).ok().filter(|models| has_model(models, &config.embedder.model)),
        idle_timeout: config.models.idle_timeout(),
        retry_delay: config.models.retry_delay(),
        opened: OnceCell::new(),
    }))
}

/// Returns the key for the embedder's server: that of its own variable, else the chat model's if both use the same server, else
/// the provider's if it is reached at the provider's own address.
fn key(config: &Config) -> Option<Secret> {
    let EmbedderConfig { model, base_url, .. } = &config.embedder;
    let provider = |name: &str| name.split_once('/').map(|(provider, _)| provider.to_owned());
    let same =
        provider(model) == provider(&config.models.main) && *base_url == config.models.base_url;
    variable(EMBEDDER_KEY_VARIABLE)
        .map(Secret::from)
        .or_else(|| key_for(model, !base_url.is_empty()).filter(|_| same))
        .or_else(|| provider_key(model, !base_url.is_empty()))
        .or_else(|| config.keys.find(KeyName::Embedder, service_of(model), base_url))
        .or_else(|| config.keys.for_model(model, base_url).filter(|_| same))
}

/// Returns the folder of the models that this program downloaded, laid out as the hub's cache.
pub(crate) fn models_folder(config: &Config) -> Result<PathBuf, Failure> {
    Ok(data_folder(config)?.join("models"))
}

/// Returns the name of a model's folder there.
pub(crate) fn folder_of_model(name: &str) -> String {
    format!("models--{}", name.replace('/', "--"))
}

/// Returns whether a model was downloaded.
pub(crate) fn has_model(models: &Path, name: &str) -> bool {
    models.join(folder_of_model(name)).join("refs").join("main").is_file()
}

/// Tells whether the configured embedder is asked over the network.
pub(crate) fn is_embedder_elsewhere(config: &Config) -> bool {
    is_at_a_server(&config.embedder)
}

fn is_at_a_server(config: &EmbedderConfig) -> bool {
    provider_of(service_of(&config.model)).is_some() || !config.base_url.is_empty()
}

/// Returns a configured prefix; `None` leaves it to the model.
fn prefix(configured: &str) -> Option<String> {
    (configured != AUTO).then(|| configured.to_owned())
}

/// Returns a configured number; `None` for zero, which leaves it to the model.
fn some(number: u32) -> Option<u32> {
    (number > 0).then_some(number)
}

#[async_trait]
impl Embedders for OnDemand {
    async fn open(&self) -> Result<Arc<dyn Embedder>, PortError> {
        let open = || async {
            if is_at_a_server(&self.config) {
                self.at_a_server().await
            } else {
                self.on_this_machine().await
            }
        };
        self.opened.get_or_try_init(open).await.map(Arc::clone)
    }
}

impl OnDemand {
    async fn at_a_server(&self) -> Result<Arc<dyn Embedder>, PortError> {
        let EmbedderConfig { model, base_url, .. } = &self.config;
        let base_url = Some(base_url.as_str()).filter(|url| !url.is_empty());
        let unusable = |reason: String| PortError::Invalid {
            what: format!("cannot use the embedding model {model}: {reason}"),
        };
        let mut connection = Connection::new(model, base_url, self.key.clone())
            .map_err(|error| unusable(error.to_string()))?;
        connection.idle_timeout = self.idle_timeout;
        connection.retry_delay = self.retry_delay;
        let settings = EmbedderSettings {
            dimensions: some(self.config.dimensions),
            passage_prefix: prefix(&self.config.passage_prefix).unwrap_or_default(),
            query_prefix: prefix(&self.config.query_prefix).unwrap_or_default(),
            max_tokens: some(self.config.max_tokens),
            texts_per_request: self.config.texts_per_request.max(1) as usize,
            in_flight: self.config.in_flight.max(1) as usize,
            ..EmbedderSettings::default()
        };
        let embedder = HttpEmbedder::connect(connection, settings)
            .await
            .map_err(|error| unusable(error.to_string()))?;
        Ok(Arc::new(embedder))
    }

    async fn on_this_machine(&self) -> Result<Arc<dyn Embedder>, PortError> {
        let name = self.config.model.clone();
        let settings = LocalSettings {
            passage_prefix: prefix(&self.config.passage_prefix),
            query_prefix: prefix(&self.config.query_prefix),
            max_tokens: some(self.config.max_tokens),
            threads: some(self.config.threads).map(|threads| threads as usize),
            hub: self.hub.clone(),
            ..LocalSettings::default()
        };
        // Weights are read from the disk.
        let opened =
            tokio::task::spawn_blocking(move || LocalEmbedder::open(name, &settings)).await;
        match opened {
            Ok(Ok(embedder)) => Ok(Arc::new(embedder)),
            Ok(Err(error)) => {
                let is_known = known_models().iter().any(|known| known.name == self.config.model);
                let hint = match error {
                    LocalError::NotFound { .. } if is_known => {
                        format!("; `quaestio models get {}` downloads it", self.config.model)
                    }
                    _ => String::new(),
                };
                Err(PortError::Invalid { what: format!("{error}{hint}") })
            }
            Err(_) => Err(PortError::Invalid {
                what: "loading the embedding model was interrupted".into(),
            }),
        }
    }
}
