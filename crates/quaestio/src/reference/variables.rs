//! Variables of the environment with names of their own.

use super::markdown::{code, plain, setting, table};
use crate::config;

/// Variables that hold secrets, and what each is for. No secret is a setting.
const SECRETS: [(&str, &str); 9] = [
    (config::KEY_VARIABLE, "The API key for a model at `models.base_url`."),
    (config::EMBEDDER_KEY_VARIABLE, "The API key for an embedding server at `embedder.base_url`."),
    (config::WEB_KEY_VARIABLE, "The API key for a web search at `sources.web.base_url`."),
    ("QUAESTIO_SEMANTIC_SCHOLAR_API_KEY", "The API key for `sources.base_urls.semantic_scholar`."),
    ("QUAESTIO_OPENALEX_API_KEY", "The API key for `sources.base_urls.openalex`."),
    (config::TOKENS_VARIABLE, "Tokens of users of `quaestio serve`, as `alice:token,bob:token`."),
    (config::METRICS_TOKEN_VARIABLE, "The token that reads `/metrics`."),
    (
        "QUAESTIO_SIGNING_PASSWORD",
        "The password of the key that `quaestio attach --sign` signs with.",
    ),
    ("OTEL_EXPORTER_OTLP_HEADERS", "Headers for the OpenTelemetry collector, such as its API key."),
];

/// Keys of services at their own addresses.
const SERVICES: [&str; 5] = [
    "SEMANTIC_SCHOLAR_API_KEY",
    "OPENALEX_API_KEY",
    "TAVILY_API_KEY",
    "BRAVE_API_KEY",
    "SERPER_API_KEY",
];

pub(super) fn section() -> String {
    let mut out = String::from("## Environment variables {#environment}\n\n### Short names\n\n");
    let rows: Vec<[String; 2]> =
        config::ALIASES.iter().map(|(name, key)| [code(name), setting(key)]).collect();
    out.push_str(&table(["Variable", "Setting"], &rows));
    out.push_str(
        "### Keys and passwords\n\nKeys are read from the environment, or set in the page. They are never printed, logged or stored with a run.\n\n",
    );
    let mut rows: Vec<[String; 2]> = Vec::new();
    for provider in models::PROVIDERS {
        if let Some(variable) = provider.key_variable {
            rows.push([
                code(variable),
                format!("The API key for models named {}.", code(&format!("{}/…", provider.name))),
            ]);
        }
    }
    let services = SERVICES.map(|name| [code(name), "The API key of the service.".to_owned()]);
    rows.extend(services);
    rows.extend(SECRETS.map(|(name, what)| [code(name), plain(what)]));
    out.push_str(&table(["Variable", "What it holds"], &rows));
    out.push_str("### Names from elsewhere\n\nThese names come from other programs and from OpenTelemetry. A variable that begins with `QUAESTIO_` wins over them.\n\n");
    let rows: Vec<[String; 2]> = config::known_elsewhere()
        .into_iter()
        .map(|(name, key)| {
            let sets = key.map_or_else(
                || "Sets nothing; `quaestio config show` explains it.".to_owned(),
                setting,
            );
            [code(name), sets]
        })
        .collect();
    out.push_str(&table(["Variable", "Setting"], &rows));
    out
}
