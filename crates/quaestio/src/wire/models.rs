//! Connections to models: whose, at which address, with which key, at what price.

use std::sync::Arc;

use ::models::{ChatModel, Connection, Prices, Secret};
use app::KeyName;
use run::budget::Price;
use run::model::{Model, Models};
use run::settings::ModelChoice;

use crate::calibrations;
use crate::config::{Config, KEY_VARIABLE, SERVED};
use crate::failure::Failure;
use crate::wire::data_folder;

/// Returns the models that the configuration names; `None` in offline mode.
pub(crate) fn choice(config: &Config) -> Option<ModelChoice> {
    let models = &config.models;
    let main = (!models.main.is_empty()).then(|| models.main.clone())?;
    let light = if models.light.is_empty() { main.clone() } else { models.light.clone() };
    let reader = (!models.reader.is_empty()).then(|| models.reader.clone());
    let base_url = (!models.base_url.is_empty()).then(|| models.base_url.clone());
    let readers = parse_readers(config);
    Some(calibrated(
        ModelChoice { light, reader, readers, base_url, ..ModelChoice::of(&main) },
        config,
    ))
}

/// Returns the models that read together; empty if a single one reads.
pub(crate) fn parse_readers(config: &Config) -> Vec<String> {
    let names = config.models.readers.split(',').map(str::trim).filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

/// Returns a choice of models with the stored calibrations of its readers.
pub(crate) fn calibrated(choice: ModelChoice, config: &Config) -> ModelChoice {
    let kept = data_folder(config).map(|folder| calibrations::read(&folder)).unwrap_or_default();
    let set = methods::calibration::set();
    let figures = |name: &str| kept.get(name).filter(|known| known.set == set).cloned();
    let names = choice.all_readers().into_iter();
    let calibrations = names.filter_map(|name| Some((name.to_owned(), figures(name)?))).collect();
    ModelChoice { calibrations, ..choice }
}

/// Connects the models of a choice.
pub(crate) fn connect(choice: &ModelChoice, config: &Config) -> Result<Models, Failure> {
    let main = chat_model(&choice.main, choice, config)?;
    let light = if choice.light == choice.main {
        Arc::clone(&main)
    } else {
        chat_model(&choice.light, choice, config)?
    };
    let mut models = Models::new(main, light);
    let known = |name: &str| -> Option<&Arc<dyn Model>> {
        let own = [(&choice.main, &models.main), (&choice.light, &models.light)];
        own.into_iter().find(|(own, _)| *own == name).map(|(_, model)| model)
    };
    let readers = choice.all_readers().into_iter().map(|name| match known(name) {
        Some(model) => Ok(Arc::clone(model)),
        None => connected_reader(name, choice, config),
    });
    models.readers = readers.collect::<Result<_, Failure>>()?;
    Ok(models)
}

/// Connects the model that reads what others wrote. The base URL is for the main model's provider, and for any that has no address of
/// its own.
fn connected_reader(
    name: &str,
    choice: &ModelChoice,
    config: &Config,
) -> Result<Arc<dyn Model>, Failure> {
    let provider = |name: &str| name.split_once('/').map(|(provider, _)| provider.to_owned());
    let is_elsewhere = provider(name) != provider(&choice.main)
        && provider(name).is_some_and(|provider| ::models::provider_of(&provider).is_some());
    let base_url = choice.base_url.clone().filter(|_| !is_elsewhere);
    chat_model(name, &ModelChoice { base_url, ..choice.clone() }, config)
}

fn refused(error: &::models::ConnectError) -> Failure {
    if let ::models::ConnectError::UnknownProvider { provider, .. } = error
        && provider == SERVED
    {
        return Failure::usage(
            "the model needs a server, and no base URL is set",
            "start one, for example with `llama-server -m MODEL.gguf --port 8080` or `vllm serve MODEL`, and set QUAESTIO_BASE_URL=http://localhost:8080/v1 (vLLM: 8000). \
             Or name the server with the model: ollama/NAME, llamacpp/NAME or vllm/NAME",
        );
    }
    let hint = match error {
        // Its message says how a key is set.
        ::models::ConnectError::NoKey { .. } => "or answer without a model (--no-model)",
        _ => "list the models with `quaestio models list`, or answer without a model (--no-model)",
    };
    Failure::usage(error.to_string(), hint)
}

fn chat_model(
    name: &str,
    choice: &ModelChoice,
    config: &Config,
) -> Result<Arc<dyn Model>, Failure> {
    let connection = build_connection(name, choice, config)?;
    Ok(Arc::new(ChatModel::new(connection).map_err(|error| refused(&error))?))
}

/// Returns the price of a model, if it is known. Needs no key, as no request is made.
pub(crate) fn price_of(
    name: &str,
    choice: &ModelChoice,
    config: &Config,
) -> Result<Option<Price>, Failure> {
    match Connection::new(name, choice.base_url.as_deref(), None) {
        Ok(_) | Err(::models::ConnectError::NoKey { .. }) => {}
        Err(error) => return Err(refused(&error)),
    }
    Ok(prices(config)?.of(name).or(::models::is_local(name).then_some(FREE)))
}

/// Returns the connection to a model.
pub(crate) fn build_connection(
    name: &str,
    choice: &ModelChoice,
    config: &Config,
) -> Result<Connection, Failure> {
    let elsewhere = choice.base_url.is_some();
    let key = if is_offered(name, config) {
        provider_key(name, elsewhere)
    } else {
        key_for(name, elsewhere)
    };
    let kept = || config.keys.for_model(name, choice.base_url.as_deref().unwrap_or_default());
    let key = key.or_else(kept);
    let mut connection =
        Connection::new(name, choice.base_url.as_deref(), key).map_err(|error| refused(&error))?;
    connection.price = prices(config)?.of(name).or(connection.is_local().then_some(FREE));
    connection.structured = config.models.structured;
    connection.idle_timeout = config.models.idle_timeout();
    connection.retry_delay = config.models.retry_delay();
    Ok(connection)
}

/// Returns whether a model is offered by the server, a reader or the judge, and of a provider with an address of its own that is not that
/// of the main or light model. The key of our own variable is for those two.
fn is_offered(name: &str, config: &Config) -> bool {
    let provider = |name: &str| name.split_once('/').map_or(String::new(), |(it, _)| it.to_owned());
    let models = &config.models;
    let mut configured = [&models.main, &models.light].into_iter().filter(|name| !name.is_empty());
    let named = provider(name);
    let is_other = !models.main.is_empty() && configured.all(|known| provider(known) != named);
    let is_known = config.server.models.iter().any(|known| known == name)
        || config.eval.judge_model == name
        || models.reader == name
        || parse_readers(config).iter().any(|known| known == name);
    is_known && is_other && ::models::provider_of(&named).is_some()
}

/// The price of a model on the user's own machine.
pub(crate) const FREE: Price = Price { input: 0.0, cached_input: None, output: 0.0 };

pub(crate) fn prices(config: &Config) -> Result<Prices, Failure> {
    Prices::with(config.prices.clone()).map_err(|error| {
        Failure::usage(error.to_string(), "correct [prices] in your configuration")
    })
}

/// Returns the connection for asking a provider what it offers; `named` says that the user named it.
///
/// The key of our own variable and the base URL are for the provider of a configured model, or the named one if no model is
/// configured. Any other known provider is asked at its own address with its own key, or not at all.
pub(crate) fn provider(
    name: &str,
    named: bool,
    choice: Option<&ModelChoice>,
    config: &Config,
) -> Result<Connection, ::models::ConnectError> {
    let of_it = |model: &str| model.split_once('/').is_some_and(|(provider, _)| provider == name);
    let ours = choice.map_or(named, |choice| of_it(&choice.main) || of_it(&choice.light));
    let known = ::models::provider_of(name);
    let base_url = Some(config.models.base_url.as_str())
        .filter(|url| (ours || known.is_none()) && !url.is_empty());
    let key = if ours {
        key_for(&format!("{name}/"), base_url.is_some())
    } else {
        known.and_then(|provider| variable(provider.key_variable?)).map(Secret::from)
    };
    let kept = || config.keys.find(KeyName::Model, name, base_url.unwrap_or_default());
    let key = key.or_else(kept);
    let mut connection = Connection::of_provider(name, base_url, key)?;
    connection.idle_timeout = config.models.idle_timeout();
    Ok(connection)
}

pub(crate) fn variable(name: &str) -> Option<String> {
    let key = std::env::var(name).ok()?;
    Some(key.trim().to_owned()).filter(|key| !key.is_empty())
}

/// Returns the key for a model: that of our own variable, else of the provider's.
///
/// A provider's own key is only sent to the provider's own address.
pub(super) fn key_for(name: &str, elsewhere: bool) -> Option<Secret> {
    variable(KEY_VARIABLE).map(Secret::from).or_else(|| provider_key(name, elsewhere))
}

/// Returns the key in the provider's own variable, unless the model is reached elsewhere than at the provider's own address.
pub(super) fn provider_key(name: &str, elsewhere: bool) -> Option<Secret> {
    let provider = ::models::provider_of(name.split_once('/')?.0)?;
    variable(provider.key_variable.filter(|_| !elsewhere)?).map(Secret::from)
}
