//! The choice of the model: the configured one, or another that the configuration allows. An order never sets its address.

use run::settings::ModelChoice;

use crate::config::Config;
use crate::failure::Failure;
use crate::wire;

/// Returns the models that an order may name, each with its configured role: `main`, `light` or `other`.
pub(crate) fn list_models(config: &Config) -> Vec<(String, &'static str)> {
    let models = &config.models;
    let configured = [(&models.main, "main"), (&models.light, "light")];
    let others = config.server.models.iter().map(|name| (name, "other"));
    let mut allowed: Vec<(String, &str)> = Vec::new();
    for (name, role) in configured.into_iter().chain(others) {
        if !name.is_empty() && allowed.iter().all(|(known, _)| known != name) {
            allowed.push((name.clone(), role));
        }
    }
    allowed
}

/// Returns the models that an order wants; `None` if it is offline, or no model is configured.
pub(crate) fn wanted(
    named: Option<&str>,
    offline: bool,
    config: &Config,
) -> Result<Option<ModelChoice>, Failure> {
    match (named, offline) {
        (Some(_), true) => Err(Failure::usage(
            "a model cannot be combined with offline",
            "leave one out; offline means that no model is used",
        )),
        (None, true) => Ok(None),
        (None, false) => Ok(wire::choice(config)),
        (Some(name), false) => chosen(name, config).map(Some),
    }
}

/// Returns the choice of a model by its name, which must be allowed.
pub(crate) fn chosen(name: &str, config: &Config) -> Result<ModelChoice, Failure> {
    let allowed = list_models(config);
    if allowed.iter().all(|(known, _)| known != name) {
        let known: Vec<&str> = allowed.iter().map(|(name, _)| name.as_str()).collect();
        let there = match known.as_slice() {
            [] => "no model is configured, so every run is offline".to_owned(),
            known => format!("models: {}", known.join(", ")),
        };
        let name: String = run::grounding::clean(name).chars().take(100).collect();
        return Err(Failure::usage(
            format!("the model '{name}' is not available; {there}"),
            "add it to server.models in the server's configuration",
        ));
    }
    Ok(another(name, config))
}

/// Returns the choice of a model by its name, allowed or not.
pub(crate) fn another(name: &str, config: &Config) -> ModelChoice {
    let models = &config.models;
    if let (true, Some(choice)) = (models.main == name, wire::choice(config)) {
        return choice;
    }
    // The configured address is for the providers of the configured models, and for any provider that has none of its own.
    let same = |other: &str| !other.is_empty() && provider(other) == provider(name);
    let is_ours = same(&models.main) || same(&models.light);
    let has_own = ::models::provider_of(provider(name)).is_some();
    let base_url = Some(models.base_url.clone()).filter(|url| !url.is_empty());
    let choice = ModelChoice {
        light: if same(&models.light) { models.light.clone() } else { name.to_owned() },
        reader: Some(models.reader.clone()).filter(|reader| !reader.is_empty()),
        readers: wire::parse_readers(config),
        base_url: base_url.filter(|_| is_ours || !has_own),
        ..ModelChoice::of(name)
    };
    wire::calibrated(choice, config)
}

fn provider(name: &str) -> &str {
    name.split_once('/').map_or("", |(provider, _)| provider)
}

#[cfg(test)]
mod tests {
    use figment2::value::Value;

    use super::*;
    use crate::config::{Files, Layers};

    fn build_config(keys: &[(&str, &str)]) -> Config {
        let keys = keys.iter().map(|(key, value)| (*key, Value::from(*value))).collect();
        let layers = Layers::read(&Files::default(), false, vec![]).unwrap();
        layers.with(None, "test", keys).unwrap().config
    }

    // proves: F2
    #[test]
    fn an_order_chooses_among_the_models_that_configuration_allows() {
        let config = build_config(&[
            ("models.main", "ollama/big"),
            ("models.light", "ollama/small"),
            ("models.base_url", "http://127.0.0.1:1/v1"),
            ("server.models", "ollama/other,openai/gpt-4.1-mini,ours/x,ollama/big"),
        ]);
        let names: Vec<(String, &str)> = list_models(&config);
        let names: Vec<(&str, &str)> = names.iter().map(|(name, role)| (&**name, *role)).collect();
        assert_eq!(
            names,
            [
                ("ollama/big", "main"),
                ("ollama/small", "light"),
                ("ollama/other", "other"),
                ("openai/gpt-4.1-mini", "other"),
                ("ours/x", "other"),
            ]
        );
        let of = |name: &str| wanted(Some(name), false, &config).unwrap().unwrap();
        let (here, there) = (Some("http://127.0.0.1:1/v1"), None);
        for (name, light, base_url) in [
            ("ollama/big", "ollama/small", here),
            ("ollama/small", "ollama/small", here),
            ("ollama/other", "ollama/small", here),
            // A provider with an address of its own is asked there, with no other provider's light model.
            ("openai/gpt-4.1-mini", "openai/gpt-4.1-mini", there),
            ("ours/x", "ours/x", here),
        ] {
            let choice = of(name);
            assert_eq!(
                (&*choice.main, &*choice.light, choice.base_url.as_deref()),
                (name, light, base_url)
            );
        }
        assert_eq!(wanted(None, true, &config).unwrap(), None);
        assert_eq!(wanted(None, false, &config).unwrap(), wire::choice(&config));
        for (name, offline) in [("openai/o1", false), ("", false), ("ollama/big", true)] {
            assert!(wanted(Some(name), offline, &config).is_err(), "{name}");
        }
    }

    #[test]
    fn where_nothing_is_configured_every_run_is_offline() {
        let config = build_config(&[]);
        assert_eq!(wanted(None, false, &config).unwrap(), None);
        let refused = wanted(Some("openai/gpt-4.1-mini"), false, &config).unwrap_err();
        assert!(refused.what.contains("every run is offline"), "{refused}");
    }
}
