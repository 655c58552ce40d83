//! What a fork is started with: the settings of the run it comes from, and what is said otherwise.

use figment2::value::Value as Configured;
use run::Settings;
use run::settings::ModelChoice;
use serde_json::{Value, json};

use crate::config::{Config, Layers};
use crate::failure::Failure;
use crate::submission::{Channel, within};

/// Returns the configuration with keys of a run's own settings changed; other keys are refused.
pub(crate) fn told(layers: &Layers, changes: &[(String, String)]) -> Result<Config, Failure> {
    let mut values = Vec::new();
    for (key, value) in changes {
        if !["ask.", "hypothesize.", "budget."].iter().any(|own| key.starts_with(own)) {
            return Err(refused(Channel::Http, key, value, NOT_ITS_OWN));
        }
        values.push((key.as_str(), configured(value)));
    }
    let told = layers.with(None, "order", values)?.config;
    within(&told, &layers.config)?;
    Ok(told)
}

const NOT_ITS_OWN: &str = "only the run's own settings can be changed";

fn configured(value: &str) -> Configured {
    value.parse().unwrap_or_else(|never| match never {})
}

fn refused(channel: Channel, key: &str, value: &str, why: &str) -> Failure {
    let said = match channel {
        Channel::CommandLine => format!("--set {key}={value}"),
        Channel::Http => format!("{key} = {value}"),
    };
    Failure::usage(
        format!("{said}: {why}"),
        "a fork takes budget.* keys, and ask.* or hypothesize.* as its method is",
    )
}

/// Returns the settings of a run with other models, and with the keys of `changes` as `config` has them.
pub(crate) fn altered(
    settings: &Settings,
    models: Option<ModelChoice>,
    changes: &[(String, String)],
    config: &Config,
    channel: Channel,
) -> Result<Settings, Failure> {
    let mut settings = Settings { models, ..settings.clone() };
    for (key, value) in changes {
        let refuse = |why: &str| refused(channel, key, value, why);
        match key.split_once('.') {
            Some((method @ ("ask" | "hypothesize"), rule)) => {
                let (rule, value) = match (method, rule) {
                    ("hypothesize", "asked") => ("sources", json!(config.hypothesize.asked)),
                    _ => (rule, json!(configured(value))),
                };
                set(&mut settings.options, rule, value).map_err(|why| refuse(&why))?;
                readable(method, &settings.options).map_err(|why| refuse(&why))?;
            }
            Some(("budget", cap)) => {
                let told = config.budget.budget();
                let budget = &mut settings.budget;
                match cap {
                    "max_steps" => budget.max_steps = told.max_steps,
                    "max_questions" => budget.max_questions = told.max_questions,
                    "max_tokens" => budget.max_tokens = told.max_tokens,
                    "max_cost_usd" => budget.max_cost_usd_micros = told.max_cost_usd_micros,
                    "max_wall_seconds" => budget.max_wall_seconds = told.max_wall_seconds,
                    _ => return Err(refuse("there is no such cap")),
                }
            }
            _ => return Err(refuse(NOT_ITS_OWN)),
        }
    }
    Ok(settings)
}

/// Sets a key of a method's options: one of its own, or one of its rules.
fn set(options: &mut Value, key: &str, value: Value) -> Result<(), String> {
    let pointer = format!("/{}", key.replace('.', "/"));
    let own = options.pointer(&pointer).is_some_and(|known| !known.is_object());
    let pointer = if own { pointer } else { format!("/rules{pointer}") };
    let known = options.pointer_mut(&pointer).filter(|known| !known.is_object());
    *known.ok_or("this run has no such key")? = value;
    Ok(())
}

/// Checks that a method can read its options.
fn readable(method: &str, options: &Value) -> Result<(), String> {
    let options = options.clone();
    let unreadable = |error: serde_json::Error| error.to_string();
    match method {
        "ask" => {
            serde_json::from_value::<methods::ask::Options>(options).map_err(unreadable).map(drop)
        }
        _ => {
            let options = serde_json::from_value::<methods::hypothesize::Options>(options);
            let wrong = options.map_err(unreadable)?.wrong();
            wrong.map_or(Ok(()), |(key, what)| Err(format!("hypothesize.{key} {what}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Files;

    fn changed(changes: &[(&str, &str)]) -> Result<Settings, Failure> {
        let layers = Layers::read(&Files::default(), false, vec![]).unwrap();
        let rules = layers.config.ask.clone();
        let options = json!({"strategy": "rag", "collection": "default", "rules": rules});
        let settings = Settings { options, ..Settings::default() };
        let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
        let changes: Vec<(String, String)> = changes.iter().map(owned).collect();
        let config = told(&layers, &changes)?;
        altered(&settings, None, &changes, &config, Channel::Http)
    }

    // proves: C9
    #[test]
    fn a_fork_takes_its_own_settings_and_no_others() {
        let settings = changed(&[("ask.top_k", "12"), ("budget.max_steps", "9")]).unwrap();
        assert_eq!(settings.options["rules"]["top_k"], 12);
        assert_eq!(settings.budget.max_steps, Some(9));
        for (key, value, why) in [
            ("models.base_url", "http://127.0.0.1", "only the run's own settings"),
            ("server.listen", "0.0.0.0:1", "only the run's own settings"),
            ("ask.collection", "other", "no key ask.collection"),
            ("ask.top_k", "many", "ask.top_k"),
            ("ask.top_k", "0", "above 0"),
            ("ask.search", "1", "ask.search"),
            ("hypothesize.top", "2", "no such key"),
            ("budget.max_luck", "2", "no key budget.max_luck"),
            ("ask", "2", "only the run's own settings"),
            ("", "", "only the run's own settings"),
        ] {
            let refused = changed(&[(key, value)]).unwrap_err();
            assert!(refused.what.contains(why), "{key}: {refused}");
        }
    }
}
