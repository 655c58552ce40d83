//! Defaults that depend on the model: how much evidence an agent is shown, by the size of its window, and that papers are read whole,
//! which is only worth the time if a model reads them.

use std::net::IpAddr;

use figment2::value::Value;
use run::settings::ModelChoice;
use url::Url;

use crate::config::{Config, Layers};
use crate::failure::Failure;

/// Keys that hold the tokens of evidence.
const EVIDENCE: [&str; 4] = [
    "ask.context_tokens",
    "hypothesize.context_tokens",
    "market.context_tokens",
    "debate.context_tokens",
];

/// Keys that say whether papers are read whole.
const WHOLE: [&str; 2] = ["hypothesize.full_text", "debate.full_text"];

/// Evidence gets one in this many tokens of a window. The rest is for prompts, the conversation, the reply and the reader of the reply.
const PART: u32 = 16;
/// Tokens of evidence, at most: more is read with less care, and is not worth its cost.
const MOST: u32 = 16_000;
/// The window that is assumed of a model on the user's own machine, and of any other, if none is configured.
const OWN_MACHINE: u32 = 8_000;
const ELSEWHERE: u32 = 128_000;

/// Returns the layers with the defaults for these models, as the layer `name`. Values that were set stay.
pub(super) fn fitted(
    layers: Layers,
    version: &str,
    name: &str,
    models: Option<&ModelChoice>,
) -> Result<Layers, Failure> {
    let Some(choice) = models else { return Ok(layers) };
    let room = (window(choice, &layers.config) / PART).min(MOST);
    let is_less = |key: &&&str| layers.default_of(key).is_some_and(|least: u32| least < room);
    let evidence = EVIDENCE.iter().filter(is_less).map(|key| (*key, Value::from(room)));
    let is_off = |key: &&&str| layers.default_of(key) == Some(false);
    let whole = WHOLE.iter().filter(is_off).map(|key| (*key, Value::from(true)));
    layers.with(Some(version), name, evidence.chain(whole).collect())
}

/// Returns the window of the models in tokens: the smallest of theirs.
fn window(choice: &ModelChoice, config: &Config) -> u32 {
    if config.models.window > 0 {
        return config.models.window;
    }
    let is_own = ::models::is_local(&choice.main)
        || ::models::is_local(&choice.light)
        || choice.base_url.as_deref().is_some_and(is_own_machine);
    if is_own { OWN_MACHINE } else { ELSEWHERE }
}

/// Returns whether an address is on the user's own machine or network.
fn is_own_machine(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(ip)) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
        Ok(IpAddr::V6(ip)) => ip.is_loopback() || ip.is_unique_local(),
        Err(_) => host == "localhost" || !host.contains('.'),
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Files;

    use super::*;

    fn fit_tokens(settings: Vec<(&str, Value)>, choice: Option<&ModelChoice>) -> Vec<u64> {
        let read = Layers::read(&Files::default(), false, vec![]).unwrap();
        let layers = read.with(Some("rag"), "user file", settings).unwrap();
        let layers = fitted(layers, "rag", "order", choice).unwrap();
        EVIDENCE.iter().map(|key| value(&layers, key).parse().unwrap()).collect()
    }

    fn value(layers: &Layers, key: &str) -> String {
        layers.origins().into_iter().find(|origin| origin.key == key).unwrap().value
    }

    fn at(base_url: &str) -> ModelChoice {
        ModelChoice { base_url: Some(base_url.into()), ..ModelChoice::of("openai/gpt-4o") }
    }

    // proves: A10
    #[test]
    fn evidence_follows_the_window_of_the_model() {
        let usual = fit_tokens(vec![], None);
        assert_eq!(usual, [3_000, 5_000, 4_000, 4_000]);
        assert_eq!(fit_tokens(vec![], Some(&ModelChoice::of("openai/gpt-4o"))), [8_000; 4]);
        assert_eq!(fit_tokens(vec![], Some(&at("https://proxy.example/v1"))), [8_000; 4]);
        for small in
            ["http://127.0.0.1:8080/v1", "http://gpu:8000", "http://[::1]:1", "http://10.0.0.7"]
        {
            assert_eq!(fit_tokens(vec![], Some(&at(small))), usual, "{small}");
        }
        assert_eq!(fit_tokens(vec![], Some(&ModelChoice::of("ollama/qwen3"))), usual);
        let wide = vec![("models.window", 1_000_000.into())];
        assert_eq!(fit_tokens(wide, Some(&ModelChoice::of("ollama/qwen3"))), [16_000; 4]);
        let some = vec![("models.window", 72_000.into())];
        assert_eq!(
            fit_tokens(some, Some(&ModelChoice::of("openai/gpt-4o"))),
            [4_500, 5_000, 4_500, 4_500]
        );
    }

    // proves: A10
    #[test]
    fn what_somebody_set_stays() {
        let own =
            vec![("ask.context_tokens", 900.into()), ("debate.context_tokens", 12_000.into())];
        let tokens = fit_tokens(own, Some(&ModelChoice::of("openai/gpt-4o")));
        assert_eq!(tokens, [900, 8_000, 8_000, 12_000]);
    }

    // proves: A10
    #[test]
    fn papers_are_read_whole_where_a_model_reads_them() {
        let read = |settings: Vec<(&str, Value)>, choice: Option<&ModelChoice>| {
            let layers = Layers::read(&Files::default(), false, settings).unwrap();
            let layers = fitted(layers, "debate", "order", choice).unwrap();
            WHOLE.map(|key| value(&layers, key) == "true")
        };
        let model = ModelChoice::of("ollama/qwen3");
        assert_eq!(read(vec![], None), [false, false]);
        assert_eq!(read(vec![], Some(&model)), [true, true]);
        let own = vec![("debate.full_text", false.into())];
        assert_eq!(read(own, Some(&model)), [true, false]);
    }
}
