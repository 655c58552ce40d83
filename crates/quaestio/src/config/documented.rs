//! Variables that the document of a method or OpenTelemetry names: they set keys of ours, below our own variables.

use crate::failure::Failure;

/// What such a variable comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Documented {
    /// A key, and its value as our own variable would have it.
    Sets(&'static str, String),
    /// It says what is so anyway.
    Nothing,
    /// It sets nothing here; what it means is told.
    Means(String),
}

/// The provider of a model whose name holds none: whoever serves it at the configured base URL.
pub(crate) const SERVED: &str = "local";

/// Variables that set a key as they stand.
const PLAIN: [(&str, &str); 10] = [
    ("SUMMA_DEFAULT_DOMAIN", "hypothesize.domain"),
    ("SUMMA_DEFAULT_OBJECTIVE", "hypothesize.objective"),
    ("SEMANTIC_SCHOLAR_TIMEOUT_SECONDS", "sources.service_seconds"),
    ("MAX_EXPLORE_ITERS", "brief.max_explore_iters"),
    ("MAX_REFINE_ITERS", "brief.max_refine_iters"),
    ("DEBATE_MAX_TURNS", "debate.max_turns"),
    // That of the debate wins: of two layers of the same rank the later name does.
    ("ARXIV_MAX_RESULTS", "debate.arxiv_results"),
    ("DEBATE_ARXIV_RESULTS", "debate.arxiv_results"),
    ("DEBATE_CROSSREF_RESULTS", "debate.crossref_results"),
    ("DEBATE_MAX_NEW_TOKENS", "debate.max_new_tokens"),
];

/// The others, which `read` understands.
const OTHERS: [&str; 19] = [
    "SUMMA_MODEL",
    "SEMANTIC_SCHOLAR_BASE_URL",
    "MODEL_ID",
    "ARXIV_DOWNLOAD_PDFS",
    "EMBEDDING_DEVICE",
    "TOKENIZER_ID",
    "USE_CUDA",
    "USE_8BIT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_TIMEOUT",
    "OTEL_METRIC_EXPORT_INTERVAL",
    "OTEL_SERVICE_NAME",
    "OTEL_RESOURCE_ATTRIBUTES",
    "OTEL_SDK_DISABLED",
    "OTEL_TRACES_EXPORTER",
    "OTEL_METRICS_EXPORTER",
];

/// Returns every variable that `read` understands, and the key that it sets, if it sets one.
pub(crate) fn known_elsewhere() -> Vec<(&'static str, Option<&'static str>)> {
    let names = PLAIN.iter().map(|(name, _)| *name).chain(OTHERS);
    let key = |name| match read(name, "1") {
        Ok(Some(Documented::Sets(key, _))) => Some(key),
        _ => None,
    };
    names.map(|name| (name, key(name))).collect()
}

/// Reads a variable; none where no document names it.
pub(super) fn read(name: &str, value: &str) -> Result<Option<Documented>, Failure> {
    use Documented::{Means, Nothing, Sets};
    const SEMANTIC_SCHOLAR: &str = "https://api.semanticscholar.org";
    if let Some((_, key)) = PLAIN.iter().find(|(known, _)| *known == name) {
        return Ok(Some(Sets(key, value.to_owned())));
    }
    let value = value.trim();
    if name.starts_with("OTEL_") {
        return Ok(opentelemetry(name, value));
    }
    Ok(Some(match name {
        _ if value.is_empty() => return Ok(None),
        // A model without a provider is OpenAI's there.
        "SUMMA_MODEL" if !value.contains('/') => Sets("models.main", format!("openai/{value}")),
        "SUMMA_MODEL" => Sets("models.main", value.to_owned()),
        // Its own key goes to the service's own address alone, which is meant by no address.
        "SEMANTIC_SCHOLAR_BASE_URL" if value.trim_end_matches('/') == SEMANTIC_SCHOLAR => Nothing,
        "SEMANTIC_SCHOLAR_BASE_URL" => Sets("sources.base_urls.semantic_scholar", value.to_owned()),
        "MODEL_ID" => Sets("models.main", model(value)),
        "ARXIV_DOWNLOAD_PDFS" => {
            let whole = flag(name, value)?;
            Sets("debate.full_text", whole.to_string())
        }
        "EMBEDDING_DEVICE" => match value.to_ascii_lowercase().as_str() {
            "cpu" | "auto" => Nothing,
            device if device == "cuda" || device.starts_with("cuda:") => Means(format!(
                "warning: {name}={}: a local embedding model runs on the CPU only. To use a GPU, run an embedding server and set embedder.model and embedder.base_url",
                shown(value)
            )),
            _ => return Err(wrong(name, value, "cpu, auto or cuda")),
        },
        "TOKENIZER_ID" => means(name, value, "ignored: the model server chooses the tokenizer"),
        "USE_CUDA" => means(
            name,
            value,
            "ignored: the model server chooses the device. `llama-server -ngl 99` uses the GPU; vLLM and Ollama use it by default",
        ),
        "USE_8BIT" => means(
            name,
            value,
            "ignored: the model server chooses the precision. Use an Ollama tag that ends in q8_0, a Q8_0 GGUF for `llama-server`, or `vllm serve --quantization`",
        ),
        _ => return Ok(None),
    }))
}

/// Reads a variable of OpenTelemetry's specification. Those that are keys of an exporter this program has none of are left alone.
fn opentelemetry(name: &str, value: &str) -> Option<Documented> {
    use Documented::Sets;
    let text = |key| Some(Sets(key, serde_json::Value::from(value).to_string()));
    let plain = |key| Some(Sets(key, value.to_owned()));
    // A list of exporters, of which this program has one.
    let is_wanted = |key| {
        let is_wanted = value.split(',').any(|one| one.trim().eq_ignore_ascii_case("otlp"));
        Some(Sets(key, is_wanted.to_string()))
    };
    match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => text("otlp.endpoint"),
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" => text("otlp.traces_endpoint"),
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT" => text("otlp.metrics_endpoint"),
        "OTEL_EXPORTER_OTLP_PROTOCOL" => text("otlp.protocol"),
        "OTEL_EXPORTER_OTLP_TIMEOUT" => plain("otlp.timeout_ms"),
        "OTEL_METRIC_EXPORT_INTERVAL" => plain("otlp.metric_interval_ms"),
        "OTEL_SERVICE_NAME" => text("otlp.service_name"),
        "OTEL_RESOURCE_ATTRIBUTES" => text("otlp.resource_attributes"),
        // Nothing but the word itself disables it.
        "OTEL_SDK_DISABLED" => {
            Some(Sets("otlp.enabled", (!value.eq_ignore_ascii_case("true")).to_string()))
        }
        "OTEL_TRACES_EXPORTER" => is_wanted("otlp.traces"),
        "OTEL_METRICS_EXPORTER" => is_wanted("otlp.metrics"),
        _ => None,
    }
}

/// Says what a variable for whoever serves the model means here.
fn means(name: &str, value: &str, what: &str) -> Documented {
    Documented::Means(format!("note: {name}={}: {what}", shown(value)))
}

/// Returns a model as we name it: one that names no provider we know is served at the configured base URL.
fn model(value: &str) -> String {
    let named = value.split_once('/').filter(|(provider, name)| {
        !name.is_empty() && (models::provider_of(provider).is_some() || *provider == SERVED)
    });
    match named {
        Some(_) => value.to_owned(),
        None => format!("{SERVED}/{value}"),
    }
}

fn flag(name: &str, value: &str) -> Result<bool, Failure> {
    match value.to_ascii_lowercase().as_str() {
        "1" | "true" | "yes" | "on" => Ok(true),
        "0" | "false" | "no" | "off" => Ok(false),
        _ => Err(wrong(name, value, "1 or 0, true or false, yes or no, on or off")),
    }
}

fn wrong(name: &str, value: &str, must: &str) -> Failure {
    Failure::usage(
        format!("environment {name}: must be {must}, not '{}'", shown(value)),
        "correct or unset the variable",
    )
}

fn shown(value: &str) -> String {
    run::grounding::clean(value).chars().take(64).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::config::{Files, Layers};

    const OF_THE_DEBATE: [&str; 11] = [
        "DEBATE_MAX_TURNS",
        "DEBATE_ARXIV_RESULTS",
        "DEBATE_CROSSREF_RESULTS",
        "DEBATE_MAX_NEW_TOKENS",
        "ARXIV_MAX_RESULTS",
        "ARXIV_DOWNLOAD_PDFS",
        "EMBEDDING_DEVICE",
        "MODEL_ID",
        "TOKENIZER_ID",
        "USE_CUDA",
        "USE_8BIT",
    ];

    fn under(variables: &[(&str, &str)]) -> Result<Layers, Failure> {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Layers::under(&Files::default(), false, variables.iter().map(owned), vec![])
    }

    fn set(variables: &[(&str, &str)], key: &str) -> (String, String) {
        let origins = under(variables).unwrap().origins();
        let origin = origins.into_iter().find(|origin| origin.key == key).unwrap();
        (origin.value, origin.layer)
    }

    // proves: D8
    #[test]
    fn every_name_of_the_document_is_understood_and_is_the_origin_of_what_it_sets() {
        for (name, value, key, comes_to) in [
            ("MAX_EXPLORE_ITERS", "6", "brief.max_explore_iters", "6"),
            ("MAX_REFINE_ITERS", "2", "brief.max_refine_iters", "2"),
            ("DEBATE_MAX_TURNS", "7", "debate.max_turns", "7"),
            ("DEBATE_ARXIV_RESULTS", "9", "debate.arxiv_results", "9"),
            ("DEBATE_CROSSREF_RESULTS", "0", "debate.crossref_results", "0"),
            ("DEBATE_MAX_NEW_TOKENS", "800", "debate.max_new_tokens", "800"),
            ("ARXIV_MAX_RESULTS", "3", "debate.arxiv_results", "3"),
            ("ARXIV_DOWNLOAD_PDFS", "Yes", "debate.full_text", "true"),
            ("ARXIV_DOWNLOAD_PDFS", "0", "debate.full_text", "false"),
            ("MODEL_ID", "ollama/qwen3:8b", "models.main", "\"ollama/qwen3:8b\""),
            ("MODEL_ID", "Qwen/Qwen3-8B", "models.main", "\"local/Qwen/Qwen3-8B\""),
            ("MODEL_ID", "qwen3", "models.main", "\"local/qwen3\""),
            ("MODEL_ID", "local/qwen3", "models.main", "\"local/qwen3\""),
        ] {
            let told = set(&[(name, value)], key);
            assert_eq!(
                told,
                (comes_to.to_owned(), format!("environment {name}")),
                "{name}={value}"
            );
        }
        for (name, value, said) in [
            ("EMBEDDING_DEVICE", "cuda", "warning: EMBEDDING_DEVICE=cuda: "),
            ("TOKENIZER_ID", "Qwen/Qwen3-8B", "note: TOKENIZER_ID=Qwen/Qwen3-8B: "),
            ("USE_CUDA", "1", "note: USE_CUDA=1: "),
            ("USE_8BIT", "true", "note: USE_8BIT=true: "),
        ] {
            let remarks = under(&[(name, value)]).unwrap().remarks;
            assert!(remarks.len() == 1 && remarks[0].starts_with(said), "{remarks:?}");
        }
        for fine in ["cpu", "auto", "CPU"] {
            assert!(under(&[("EMBEDDING_DEVICE", fine)]).unwrap().remarks.is_empty());
        }
    }

    #[test]
    fn every_variable_that_is_read_is_known() {
        let known = known_elsewhere();
        let key = |name: &str| known.iter().find(|(one, _)| *one == name).map(|(_, key)| *key);
        for name in OF_THE_DEBATE.into_iter().chain(OF_OPENTELEMETRY) {
            assert!(key(name).is_some(), "{name}");
        }
        assert_eq!(key("MODEL_ID"), Some(Some("models.main")));
        assert_eq!(key("SUMMA_MODEL"), Some(Some("models.main")));
        assert_eq!(key("TOKENIZER_ID"), Some(None));
    }

    // proves: D8
    #[test]
    fn our_own_variable_wins_over_a_documented_one_and_the_debate_s_over_the_other() {
        let both = [("DEBATE_ARXIV_RESULTS", "9"), ("ARXIV_MAX_RESULTS", "3")];
        assert_eq!(set(&both, "debate.arxiv_results").0, "9");
        let ours = [("QUAESTIO_DEBATE__MAX_TURNS", "2"), ("DEBATE_MAX_TURNS", "7")];
        assert_eq!(set(&ours, "debate.max_turns").0, "2");
        let ours = [("MODEL_ID", "qwen3"), ("QUAESTIO_MODEL", "ollama/other")];
        assert_eq!(set(&ours, "models.main").0, "\"ollama/other\"");
    }

    // proves: D8
    #[test]
    fn a_wrong_value_names_its_variable() {
        for (name, value, why) in [
            ("DEBATE_MAX_TURNS", "many", "debate.max_turns"),
            ("DEBATE_MAX_TURNS", "0", "must be 1 to 50"),
            ("DEBATE_MAX_TURNS", "-1", "debate.max_turns"),
            ("DEBATE_MAX_NEW_TOKENS", "10", "must be 50 to 20000"),
            ("ARXIV_MAX_RESULTS", "101", "must be 0 to 100"),
            ("ARXIV_DOWNLOAD_PDFS", "perhaps", "on or off"),
            ("EMBEDDING_DEVICE", "mps", "cpu, auto or cuda"),
        ] {
            let refused = under(&[(name, value)]).err().unwrap();
            assert!(refused.what.contains(&format!("environment {name}")), "{refused}");
            assert!(refused.what.contains(why), "{refused}");
        }
    }

    const OF_OPENTELEMETRY: [&str; 11] = [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
        "OTEL_EXPORTER_OTLP_PROTOCOL",
        "OTEL_EXPORTER_OTLP_TIMEOUT",
        "OTEL_METRIC_EXPORT_INTERVAL",
        "OTEL_SERVICE_NAME",
        "OTEL_RESOURCE_ATTRIBUTES",
        "OTEL_SDK_DISABLED",
        "OTEL_TRACES_EXPORTER",
        "OTEL_METRICS_EXPORTER",
    ];

    // proves: F7, D8
    #[test]
    fn the_variables_of_opentelemetry_are_the_origins_of_what_they_set() {
        for (name, value, key, comes_to) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318", "endpoint", "\"http://c:4318\""),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", "protocol", "\"http/json\""),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "250", "timeout_ms", "250"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "1000", "metric_interval_ms", "1000"),
            ("OTEL_SERVICE_NAME", "7", "service_name", "\"7\""),
            ("OTEL_SERVICE_NAME", "a \"b\" \\c", "service_name", r#""a \"b\" \\c""#),
            ("OTEL_RESOURCE_ATTRIBUTES", "a=b,c=%41", "resource_attributes", "\"a=b,c=%41\""),
            ("OTEL_SDK_DISABLED", "True", "enabled", "false"),
            ("OTEL_SDK_DISABLED", "yes", "enabled", "true"),
            ("OTEL_TRACES_EXPORTER", "none", "traces", "false"),
            ("OTEL_METRICS_EXPORTER", "otlp,console", "metrics", "true"),
        ] {
            let told = set(&[(name, value)], &format!("otlp.{key}"));
            let expected = (comes_to.to_owned(), format!("environment {name}"));
            assert_eq!(told, expected, "{name}={value}");
        }
        let ours = [("QUAESTIO_OTLP__TIMEOUT_MS", "9"), ("OTEL_EXPORTER_OTLP_TIMEOUT", "7")];
        assert_eq!(set(&ours, "otlp.timeout_ms").0, "9");
        let grpc = [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")];
        assert!(under(&grpc).unwrap().remarks.is_empty(), "no collector is named");
        let both = [grpc[0], ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4317")];
        assert!(under(&both).unwrap().remarks[0].contains("otlp.protocol is grpc"));
    }

    fn value() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "{", "}", "[", "]", "\"", "'", "=", ",", "a", "1", "-", ".", "e9", " ", "true", "nan",
            "local/", "/", "cuda", "\u{1b}", "\n",
        ]);
        let pieces = prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat());
        prop_oneof![pieces, any::<String>(), any::<i64>().prop_map(|number| number.to_string())]
    }

    proptest! {
        // proves: D8
        #[test]
        fn any_value_is_read_or_refused_with_the_name_of_its_variable(
            name in prop::sample::select([&OF_THE_DEBATE[..], &OF_OPENTELEMETRY].concat()),
            value in value(),
        ) {
            if let Err(refused) = under(&[(name, &value)]) {
                prop_assert!(refused.what.contains(name), "{}", refused);
            }
        }
    }
}
