//! What is there already: keys in the environment, model servers on this machine, a folder of documents.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ::models::{Connection, PROVIDERS, offered};
use futures::future::join_all;
use run::budget::Price;
use sources::Engine;

use crate::config::{Config, SERVED, WEB_KEY_VARIABLE};
use crate::failure::Failure;
use crate::wire;

/// How long a server on this machine is waited for.
const PATIENCE: Duration = Duration::from_millis(900);
const RETRY_DELAY: Duration = Duration::from_millis(50);

/// The most models that one server on this machine is offered with.
const OF_ONE_SERVER: usize = 4;

/// The model that is suggested for a provider whose key is set: cheap, and able to give structured replies.
const SUGGESTED: [(&str, &str); 7] = [
    ("anthropic", "claude-haiku-5-5"),
    ("openai", "gpt-4.1-mini"),
    ("gemini", "gemini-2.5-flash"),
    ("mistral", "mistral-small-latest"),
    ("groq", "llama-3.3-70b-versatile"),
    ("deepseek", "deepseek-chat"),
    ("openrouter", "openai/gpt-4.1-mini"),
];

/// Parts of the names of models that do not chat.
const NO_CHAT: [&str; 6] = ["embed", "bge-", "minilm", "rerank", "whisper", "tts"];

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Offer {
    /// `provider/name`.
    pub(super) model: String,
    /// Empty for the provider's own address.
    pub(super) base_url: String,
    /// Why it is offered, and what it costs.
    pub(super) why: String,
}

/// Returns the models that can be used as things are, the best suggestion first.
pub(super) async fn models(config: &Config, base_url: &str) -> Result<Vec<Offer>, Failure> {
    let prices = wire::prices(config)?;
    let mut offers: Vec<Offer> = Vec::new();
    if !config.models.main.is_empty() {
        offers.push(Offer {
            model: config.models.main.clone(),
            base_url: config.models.base_url.clone(),
            why: "set already".into(),
        });
    }
    if config.sources.network != crate::config::Network::Cached {
        offers.extend(on_this_machine(config, base_url).await);
    }
    for (provider, name) in SUGGESTED {
        let known = PROVIDERS.iter().find(|known| known.name == provider);
        let key = known.and_then(|known| known.key_variable);
        let Some(variable) = key.filter(|variable| wire::variable(variable).is_some()) else {
            continue;
        };
        let model = format!("{provider}/{name}");
        let price = prices.of(&model).map_or_else(|| "price not known".to_owned(), per_million);
        let why = format!("the key in {variable}, {price}");
        offers.push(Offer { model, base_url: String::new(), why });
    }
    let mut seen = std::collections::BTreeSet::new();
    offers.retain(|offer| seen.insert((offer.model.clone(), offer.base_url.clone())));
    Ok(offers)
}

fn per_million(price: Price) -> String {
    format!("${} in and ${} out per million tokens", price.input, price.output)
}

/// Asks the usual ports of this machine, and the address that was named, for their models.
async fn on_this_machine(config: &Config, base_url: &str) -> Vec<Offer> {
    let mut servers: Vec<(&str, &str)> = PROVIDERS
        .iter()
        .filter(|provider| provider.key_variable.is_none())
        .map(|provider| (provider.name, ""))
        .collect();
    let named = if base_url.is_empty() { config.models.base_url.as_str() } else { base_url };
    if !named.is_empty() {
        servers.insert(0, (SERVED, named));
    }
    let asked = servers.into_iter().map(|(provider, base_url)| async move {
        let address = (!base_url.is_empty()).then_some(base_url);
        let key = wire::variable(crate::config::KEY_VARIABLE)
            .filter(|_| address.is_some())
            .map(::models::Secret::from);
        let mut connection = Connection::of_provider(provider, address, key).ok()?;
        connection.retry_delay = RETRY_DELAY;
        let names = offered(&connection, PATIENCE).await.ok()?;
        let chats = |name: &String| {
            let name = name.to_lowercase();
            !NO_CHAT.iter().any(|part| name.contains(part)) && !name.contains(char::is_whitespace)
        };
        let why = match address {
            None => "on this machine, free".to_owned(),
            Some(address) => format!("at {address}"),
        };
        let offer = |name: String| Offer {
            model: format!("{provider}/{name}"),
            base_url: base_url.to_owned(),
            why: why.clone(),
        };
        Some(names.into_iter().filter(chats).take(OF_ONE_SERVER).map(offer).collect::<Vec<_>>())
    });
    join_all(asked).await.into_iter().flatten().flatten().collect()
}

/// The folder that is suggested for documents, and how many files it has.
pub(super) fn documents() -> Option<(PathBuf, usize)> {
    let folder = PathBuf::from("docs");
    let files = count(&folder)?;
    (folder.is_dir() && files > 0).then_some((folder, files))
}

/// Returns how many files a path leads to; `None` if it cannot be read.
pub(super) fn count(path: &Path) -> Option<usize> {
    Some(::corpus::walk(path).ok()?.files.len())
}

/// Returns the variable that holds the key of a search engine, if one is set.
pub(super) fn key_of(engine: Engine) -> Option<&'static str> {
    [engine.key_variable(), Some(WEB_KEY_VARIABLE).filter(|_| engine.key_variable().is_some())]
        .into_iter()
        .flatten()
        .find(|name| wire::variable(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F1
    #[test]
    fn a_model_is_suggested_for_every_provider_that_needs_a_key() {
        for provider in PROVIDERS.iter().filter(|provider| provider.key_variable.is_some()) {
            let suggested = SUGGESTED.iter().find(|(name, _)| *name == provider.name);
            assert!(suggested.is_some(), "{}", provider.name);
        }
        let prices = ::models::Prices::with(std::collections::BTreeMap::new()).unwrap();
        for name in ["anthropic", "openai", "gemini"] {
            let (_, model) = SUGGESTED.iter().find(|(provider, _)| *provider == name).unwrap();
            assert!(prices.of(&format!("{name}/{model}")).is_some(), "{name}/{model}");
        }
    }
}
