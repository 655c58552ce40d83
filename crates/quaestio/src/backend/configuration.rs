//! The part of the configuration that is changed from the page, while the server runs.

use std::path::Path;
use std::time::Instant;

use app::{
    Configuration, ConfigurationChange, ConfigurationKey, ConfigurationSetting, KeyName,
    ProviderChoice, Refusal, RefusalKind, SetBy, Trial, TrialOutcome, Tried,
};
use models::{PROVIDERS, provider_of};
use papers::Source;
use serde_json::Value;
use sources::Engine;

use super::{Program, Setup, refused};
use crate::commands::models::{classify, try_out};
use crate::config::{
    Config, EMBEDDER_KEY_VARIABLE, KEY_VARIABLE, Kept, KeptKey, Layers, WEB_KEY_VARIABLE, is_kept,
    service_of,
};
use crate::doctor;
use crate::failure::Failure;
use crate::wire;

/// What the page may set.
const SETTINGS: [&str; 12] = [
    "models.main",
    "models.light",
    "models.base_url",
    "embedder.model",
    "embedder.base_url",
    "sources.web.engine",
    "sources.web.base_url",
    "sources.contact",
    "budget.max_cost_usd",
    "budget.max_tokens",
    "budget.max_steps",
    "budget.max_wall_seconds",
];

const KEYS: [KeyName; 3] = [KeyName::Model, KeyName::Embedder, KeyName::Web];

/// The longest value and the longest key, in bytes.
const LONGEST_VALUE: usize = 1_000;
const LONGEST_KEY: usize = 4_000;

/// A service with a key, as the configuration has it.
struct Service<'a> {
    /// The setting of its address, and the variable of ours whose key goes there.
    address: &'static str,
    variable: &'static str,
    /// Empty where none is chosen.
    name: &'a str,
    /// Empty means its own.
    base_url: &'a str,
    /// The variable that usually holds its key.
    usual: Option<&'static str>,
}

impl<'a> Service<'a> {
    fn of(name: KeyName, config: &'a Config) -> Service<'a> {
        let provider = |model: &'a str| {
            let usual = provider_of(service_of(model)).and_then(|one| one.key_variable);
            (service_of(model), usual)
        };
        match name {
            KeyName::Model => {
                let (name, usual) = provider(&config.models.main);
                let (address, variable) = ("models.base_url", KEY_VARIABLE);
                Service { address, variable, name, base_url: &config.models.base_url, usual }
            }
            KeyName::Embedder => {
                let (name, usual) = provider(&config.embedder.model);
                let (address, variable) = ("embedder.base_url", EMBEDDER_KEY_VARIABLE);
                Service { address, variable, name, base_url: &config.embedder.base_url, usual }
            }
            KeyName::Web => {
                let name = config.sources.web.engine.as_str();
                let usual = name.parse::<Engine>().ok().and_then(Engine::key_variable);
                let (address, variable) = ("sources.web.base_url", WEB_KEY_VARIABLE);
                Service { address, variable, name, base_url: &config.sources.web.base_url, usual }
            }
        }
    }

    /// Returns the variable that holds its key, if one does.
    fn variable_set(&self) -> Option<&'static str> {
        let usual = self.usual.filter(|_| self.base_url.is_empty());
        [Some(self.variable), usual]
            .into_iter()
            .flatten()
            .find(|name| wire::variable(name).is_some())
    }
}

/// Returns who set a value, by the name of the layer that did.
fn place_of(layer: &str) -> SetBy {
    match layer {
        "defaults" => SetBy::Default,
        "command line" => SetBy::CommandLine,
        layer if is_kept(layer) => SetBy::Page,
        layer if layer.starts_with("environment ") => SetBy::Environment,
        _ => SetBy::File,
    }
}

/// Returns why a setting cannot be changed from the page.
fn why_fixed(key: &str, layers: &Layers) -> Option<String> {
    let layer = layers.origin(key);
    if !matches!(place_of(&layer), SetBy::Default | SetBy::Page) {
        return Some(format!("it is set by {layer}"));
    }
    // Whoever may choose where a key is sent could have it sent to themselves.
    let services = KEYS.map(|name| Service::of(name, &layers.config));
    let variable = services.iter().find(|service| service.address == key)?.variable;
    wire::variable(variable)
        .is_some()
        .then(|| format!("the API key in {variable} is sent only to the address set beside it"))
}

/// Describes the configuration in force.
pub(super) fn describe(layers: &Layers) -> Configuration {
    let setting = |key: &str| {
        let layer = layers.origin(key);
        let set_by = place_of(&layer);
        ConfigurationSetting {
            key: key.to_owned(),
            value: layers.value(key),
            default: layers.usual(key),
            set_by,
            place: (set_by != SetBy::Default).then_some(layer),
            fixed: why_fixed(key, layers),
        }
    };
    let provider = |provider: &models::Provider| ProviderChoice {
        name: provider.name.to_owned(),
        needs_key: provider.key_variable.is_some(),
        is_local: provider.key_variable.is_none(),
    };
    Configuration {
        may_change: true,
        why_not: None,
        settings: SETTINGS.map(setting).into(),
        keys: KEYS.map(|name| describe_key(name, &layers.config)).into(),
        providers: PROVIDERS.iter().map(provider).collect(),
        engines: Engine::ALL.iter().map(|engine| engine.name().to_owned()).collect(),
    }
}

fn describe_key(name: KeyName, config: &Config) -> ConfigurationKey {
    let service = Service::of(name, config);
    let place = service.variable_set();
    let is_kept = || config.keys.find(name, service.name, service.base_url).is_some();
    ConfigurationKey {
        name,
        service: (!service.name.is_empty()).then(|| service.name.to_owned()),
        is_needed: service.usual.is_some() && service.base_url.is_empty(),
        set_by: match place {
            Some(_) => Some(SetBy::Environment),
            None => is_kept().then_some(SetBy::Page),
        },
        place: place.map(str::to_owned),
    }
}

impl Program {
    /// Changes what the page set. Nothing is kept or in force before all of it was found usable.
    pub(super) async fn change(
        &self,
        change: &ConfigurationChange,
    ) -> Result<Configuration, Refusal> {
        let _turn = self.changing.lock().await;
        let setup = self.setup();
        let folder = wire::data_folder(setup.config()).map_err(refused)?;
        // Another server of the same folder may have changed it meanwhile.
        let kept = Kept::read(&folder).map_err(refused)?;
        let changed = self.changed(&setup.layers, kept, change, &folder).await?;
        let (kept, setup) = changed;
        kept.save(&folder).map_err(refused)?;
        let told = describe(&setup.layers);
        self.put_in_force(setup);
        Ok(told)
    }

    async fn changed(
        &self,
        layers: &Layers,
        mut kept: Kept,
        change: &ConfigurationChange,
        folder: &Path,
    ) -> Result<(Kept, Setup), Refusal> {
        for (key, value) in &change.values {
            check_value(key, value, layers)?;
            match value {
                Value::Null => kept.values.remove(key),
                value => kept.values.insert(key.clone(), value.clone()),
            };
        }
        let valued = layers.with_kept(&kept, folder).map_err(refused)?;
        for name in KEYS {
            let service = Service::of(name, &valued.config);
            match change.keys.get(&name) {
                Some(None) => {
                    kept.keys.remove(&name);
                }
                Some(Some(key)) => {
                    let key = check_key(key, name, &service)?;
                    kept.keys.insert(name, KeptKey::new(key, service.name, service.base_url));
                }
                // A key of another service, or for another address, is of no use any more.
                None => kept.keys.retain(|kept_name, key| {
                    *kept_name != name || key.is_for(service.name, service.base_url)
                }),
            }
        }
        let layers = valued.with_kept(&kept, folder).map_err(refused)?;
        let setup = Setup::of(layers, &self.database).map_err(refused)?;
        // Whoever takes a key away knows that calls fail without it.
        let only_forgets = change.values.is_empty() && change.keys.values().all(Option::is_none);
        if !only_forgets {
            check_services(&setup).await.map_err(refused)?;
        }
        Ok((kept, setup))
    }

    /// Makes the smallest call that shows whether what is configured can be used.
    pub(super) async fn trials(&self, what: Tried) -> Vec<Trial> {
        let setup = self.setup();
        let config = setup.config();
        match what {
            Tried::Model => try_models(config).await,
            Tried::Embedder => try_embedder(config).await,
        }
    }
}

/// Checks that what is configured can be used, as far as that can be told without a request.
async fn check_services(setup: &Setup) -> Result<(), Failure> {
    let config = setup.config();
    if let Some(choice) = wire::choice(config) {
        setup.tools.connected(&choice, config)?;
    }
    if !config.sources.web.engine.is_empty() {
        wire::ready(setup.tools.outside().await?, &[Source::Web])?;
    }
    Ok(())
}

fn check_value(key: &str, value: &Value, layers: &Layers) -> Result<(), Refusal> {
    let invalid = |what: String, hint: &str| Err(Refusal::new(RefusalKind::Invalid, what, hint));
    if !SETTINGS.contains(&key) {
        let shown: String = run::grounding::clean(key).chars().take(64).collect();
        let hint = format!("settings: {}", SETTINGS.join(", "));
        return invalid(format!("there is no setting '{shown}' that can be changed here"), &hint);
    }
    if let Some(why) = why_fixed(key, layers) {
        let hint = "change or remove it there";
        return Err(Refusal::new(
            RefusalKind::Conflict,
            format!("{key} cannot be changed here: {why}"),
            hint,
        ));
    }
    match value {
        Value::Null | Value::Number(_) => Ok(()),
        Value::String(text) if text.len() > LONGEST_VALUE => {
            invalid(format!("{key} is longer than {LONGEST_VALUE} bytes"), "shorten it")
        }
        Value::String(text) if text.contains(char::is_control) => {
            invalid(format!("{key} contains control characters"), "write it on one line")
        }
        Value::String(_) => Ok(()),
        _ => invalid(format!("{key} must be a text or a number"), ""),
    }
}

/// Returns a key that can be kept.
fn check_key<'a>(key: &'a str, name: KeyName, service: &Service<'_>) -> Result<&'a str, Refusal> {
    let invalid = |what: &str, hint: &str| Err(Refusal::new(RefusalKind::Invalid, what, hint));
    if let Some(variable) = service.variable_set() {
        return Err(Refusal::new(
            RefusalKind::Conflict,
            format!(
                "the API key cannot be changed here: the environment variable {variable} sets it"
            ),
            "change or remove it there",
        ));
    }
    if service.name.is_empty() {
        let (what, hint) = match name {
            KeyName::Model => ("the API key needs a model", "choose the model too"),
            KeyName::Embedder => (
                "the API key needs an embedding model at a service",
                "choose the embedding model too",
            ),
            KeyName::Web => ("the API key needs a search engine", "choose the search engine too"),
        };
        return invalid(what, hint);
    }
    let key = key.trim();
    if key.is_empty() {
        return invalid(
            "the API key is empty",
            "paste the whole key; send null to remove the stored one",
        );
    }
    if key.len() > LONGEST_KEY || !key.chars().all(|c| c.is_ascii_graphic()) {
        return invalid(
            "this is not an API key: it is too long, or contains spaces or other invalid characters",
            "copy and paste it again",
        );
    }
    Ok(key)
}

async fn try_models(config: &Config) -> Vec<Trial> {
    let Some(choice) = wire::choice(config) else { return vec![] };
    let mut names = vec![&choice.main];
    if choice.light != choice.main {
        names.push(&choice.light);
    }
    let mut trials = Vec::new();
    for name in names {
        let (report, outcome) = try_out(name, &choice, config).await;
        let milliseconds = report["total_ms"].as_u64().unwrap_or_default();
        trials.push(trial(name, outcome, report["error"].as_str(), milliseconds));
    }
    trials
}

async fn try_embedder(config: &Config) -> Vec<Trial> {
    let Some(embedders) = wire::embedder(config) else { return vec![] };
    let began = Instant::now();
    let opened = embedders.open().await.map_err(|error| (classify(&error), error.to_string()));
    let tried = match opened {
        Err(failed) => Err(failed),
        Ok(_) => {
            let tried = doctor::try_embedder(&*embedders).await;
            tried.map_err(|error| (TrialOutcome::Unsuitable, error))
        }
    };
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    let (outcome, error) = match tried {
        Ok(_) => (TrialOutcome::Works, None),
        Err((outcome, error)) => (outcome, Some(error)),
    };
    vec![trial(&config.embedder.model, outcome, error.as_deref(), milliseconds)]
}

fn trial(name: &str, outcome: TrialOutcome, error: Option<&str>, milliseconds: u64) -> Trial {
    let advice = match outcome {
        TrialOutcome::Works => None,
        TrialOutcome::Misconfigured => Some("correct the name, the API key or the address"),
        TrialOutcome::Unreachable => Some("check the address, and that a server is running there"),
        TrialOutcome::KeyRefused => Some("check the API key"),
        TrialOutcome::Limited => Some("check the limits and the credit of your account"),
        TrialOutcome::UnknownModel => Some("check the name and the address"),
        TrialOutcome::Unsuitable => Some("choose another"),
        TrialOutcome::Failed => Some("the service has a problem; try again later"),
    };
    Trial {
        name: name.to_owned(),
        outcome,
        error: error.map(run::grounding::clean),
        advice: advice.map(str::to_owned),
        milliseconds,
    }
}
