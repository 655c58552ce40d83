//! Chat models and embedders behind the run's ports.
//!
//! Anthropic's and Gemini's models are called in their own protocols. Any other server works if it speaks the
//! OpenAI protocol, at any address; see [`PROVIDERS`] for the named ones. A model is named `provider/name`.
//!
//! ```
//! use models::{Connection, Secret};
//!
//! let connection = Connection::new("ollama/qwen3:8b", None, Some(Secret::from("unused".to_owned()))).unwrap();
//! assert_eq!(connection.base_url, "http://localhost:11434/v1/");
//! ```

mod answer;
mod anthropic;
mod chat;
mod embedder;
mod gemini;
mod http;
mod listing;
mod local;
mod openai;
mod prices;
mod protocol;
mod schema;
mod transfer;

use std::time::Duration;

use run::budget::Price;
use transport::NoBaseUrl;

pub use chat::ChatModel;
pub use embedder::{EmbedderError, EmbedderSettings, HttpEmbedder};
pub use listing::{ListError, offered};
pub use local::{LocalEmbedder, LocalError, LocalSettings};
pub use prices::{PriceError, Prices};
pub use protocol::{Form, Protocol};
pub use transport::{Secret, without_userinfo};

/// A named server: its address, the variable that holds its key, and its protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provider {
    pub name: &'static str,
    pub base_url: &'static str,
    /// The environment variable that holds the key; `None` if no key is needed.
    pub key_variable: Option<&'static str>,
    pub protocol: Protocol,
}

/// The servers known by name.
pub const PROVIDERS: &[Provider] = &[
    provider("openai", "https://api.openai.com/v1/", Some("OPENAI_API_KEY")),
    Provider {
        protocol: Protocol::Anthropic,
        ..provider("anthropic", "https://api.anthropic.com/v1/", Some("ANTHROPIC_API_KEY"))
    },
    Provider {
        protocol: Protocol::Gemini,
        ..provider(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/",
            Some("GEMINI_API_KEY"),
        )
    },
    provider("openrouter", "https://openrouter.ai/api/v1/", Some("OPENROUTER_API_KEY")),
    provider("mistral", "https://api.mistral.ai/v1/", Some("MISTRAL_API_KEY")),
    provider("groq", "https://api.groq.com/openai/v1/", Some("GROQ_API_KEY")),
    provider("deepseek", "https://api.deepseek.com/v1/", Some("DEEPSEEK_API_KEY")),
    provider("ollama", "http://localhost:11434/v1/", None),
    provider("vllm", "http://localhost:8000/v1/", None),
    provider("llamacpp", "http://localhost:8080/v1/", None),
];

const fn provider(
    name: &'static str,
    base_url: &'static str,
    key_variable: Option<&'static str>,
) -> Provider {
    Provider { name, base_url, key_variable, protocol: Protocol::OpenAi }
}

/// Why a model cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error(
        "'{model}' is not a model. Write provider/name, such as openai/gpt-4.1-mini or ollama/qwen3:8b"
    )]
    Name { model: String },
    #[error(
        "unknown provider '{provider}'. Choose one of {known}; for any other OpenAI-compatible server, give `--base-url`"
    )]
    UnknownProvider { provider: String, known: String },
    #[error("invalid base URL '{url}': {reason}")]
    BaseUrl { url: String, reason: String },
    #[error("{model} needs an API key. Set {variable} or QUAESTIO_API_KEY")]
    NoKey { model: String, variable: &'static str },
    #[error("could not set up the HTTP client: {reason}")]
    Client { reason: String },
}

/// How to ask a server for a structured reply.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Structured {
    /// The schema through the server's own structured output, or the next best form if the server refuses it.
    #[default]
    Schema,
    /// JSON mode, with the schema in the prompt; for Anthropic, which has no JSON mode, a forced tool call.
    Json,
    /// The schema in the prompt alone.
    Prompt,
}

/// How to reach a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// `provider/name`.
    pub id: String,
    /// Ends in `/`.
    pub base_url: String,
    /// The provider's own, at any address.
    pub protocol: Protocol,
    pub key: Option<Secret>,
    pub price: Option<Price>,
    pub structured: Structured,
    /// How long a stream may be silent; before it begins, ten times as long.
    pub idle_timeout: Duration,
    /// The first delay between attempts; it doubles unless the server gives another.
    pub retry_delay: Duration,
}

impl Connection {
    /// Returns the connection to `model`, at its provider's address or at `base_url`.
    pub fn new(
        model: &str,
        base_url: Option<&str>,
        key: Option<Secret>,
    ) -> Result<Connection, ConnectError> {
        let named = model.split_once('/').filter(|(provider, name)| {
            !provider.is_empty()
                && !name.is_empty()
                && !name.contains("::")
                && !model.contains(char::is_whitespace)
        });
        let Some((provider_name, _)) = named else {
            return Err(ConnectError::Name { model: model.to_owned() });
        };
        Connection::at(model, provider_name, base_url, key)
    }

    /// Returns the connection to a provider, for requests without a model; its id is the provider's name.
    pub fn of_provider(
        name: &str,
        base_url: Option<&str>,
        key: Option<Secret>,
    ) -> Result<Connection, ConnectError> {
        Connection::at(name, name, base_url, key)
    }

    fn at(
        id: &str,
        provider_name: &str,
        base_url: Option<&str>,
        key: Option<Secret>,
    ) -> Result<Connection, ConnectError> {
        let provider = provider_of(provider_name);
        let base_url = match (base_url, provider) {
            (Some(url), _) => url.to_owned(),
            (None, Some(provider)) => provider.base_url.to_owned(),
            (None, None) => {
                let known: Vec<&str> = PROVIDERS.iter().map(|provider| provider.name).collect();
                return Err(ConnectError::UnknownProvider {
                    provider: provider_name.to_owned(),
                    known: known.join(", "),
                });
            }
        };
        let base_url = usable(&base_url)?;
        if let Some(Provider { key_variable: Some(variable), base_url: own, .. }) = provider
            && key.is_none()
            && base_url == *own
        {
            return Err(ConnectError::NoKey { model: id.to_owned(), variable });
        }
        Ok(Connection {
            id: id.to_owned(),
            base_url,
            protocol: provider.map(|provider| provider.protocol).unwrap_or_default(),
            key,
            price: None,
            structured: Structured::default(),
            idle_timeout: Duration::from_secs(120),
            retry_delay: Duration::from_millis(500),
        })
    }

    /// Returns the model's name at its provider.
    pub(crate) fn name(&self) -> &str {
        self.id.split_once('/').map_or("", |(_, name)| name)
    }

    /// Returns whether the provider serves models on the user's own machine, where they cost nothing.
    pub fn is_local(&self) -> bool {
        is_local(&self.id)
    }
}

/// Returns whether a model's provider serves models on the user's own machine, where they cost nothing.
pub fn is_local(model: &str) -> bool {
    let provider = model.split('/').next().and_then(provider_of);
    provider.is_some_and(|provider| provider.key_variable.is_none())
}

/// Returns the provider with that name.
pub fn provider_of(name: &str) -> Option<&'static Provider> {
    PROVIDERS.iter().find(|provider| provider.name == name)
}

fn usable(url: &str) -> Result<String, ConnectError> {
    let usable = transport::base_url(url);
    usable
        .map(String::from)
        .map_err(|NoBaseUrl { url, reason }| ConnectError::BaseUrl { url, reason })
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C3
    #[test]
    fn any_base_url_will_do_and_the_known_ones_need_none() {
        let at =
            |model, url| Connection::new(model, url, None).map(|connection| connection.base_url);
        assert_eq!(
            at("local/m", Some("http://10.0.0.5:9000/api")),
            Ok("http://10.0.0.5:9000/api/".into())
        );
        assert_eq!(at("vllm/m", None), Ok("http://localhost:8000/v1/".into()));
        assert!(matches!(at("acme/m", None), Err(ConnectError::UnknownProvider { .. })));
        assert!(matches!(
            at("openai/gpt-4o", None),
            Err(ConnectError::NoKey { variable: "OPENAI_API_KEY", .. })
        ));
        assert!(matches!(at("local/m", Some("ftp://x/")), Err(ConnectError::BaseUrl { .. })));
        for name in ["gpt-4o", "/x", "openai/", "openai/a::b", "openai/a b", ""] {
            assert!(matches!(at(name, None), Err(ConnectError::Name { .. })), "{name}");
        }
    }

    #[test]
    fn a_key_is_never_printed() {
        let secret = Secret::from("sk-canary".to_owned());
        let connection = Connection::new("openai/gpt-4o", None, Some(secret)).unwrap();
        assert!(!format!("{connection:?}").contains("canary"));
        let error =
            Connection::new("a/b", Some("https://user:sk-canary@host/v1"), None).unwrap_err();
        assert!(!error.to_string().contains("canary"), "{error}");
    }
}
