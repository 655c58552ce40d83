//! The models that a provider offers.

use std::time::Duration;

use fakes::{FakeModel, Say};
use models::{Connection, ListError, offered};
use run::error::PortError;

use crate::{ATTEMPTS, KEY, always, build_connection, status};

const PATIENCE: Duration = Duration::from_secs(20);

async fn asked(provider: &str, server: &FakeModel) -> Result<Vec<String>, ListError> {
    offered(&build_connection(&format!("{provider}/any"), &server.base_url()), PATIENCE).await
}

// proves: C8
#[tokio::test]
async fn every_page_of_a_list_is_read_in_each_shape() {
    for provider in ["local", "anthropic", "gemini"] {
        let names = ["gull-large", "gull-small", "kite"].map(str::to_owned);
        let server = always(Say::Models(names.to_vec()));
        assert_eq!(asked(provider, &server).await.unwrap(), names, "{provider}");
        let seen = server.seen();
        assert_eq!(seen.len(), if provider == "local" { 1 } else { 3 });
        for seen in seen {
            assert!(seen.path.starts_with("/v1/models"));
            assert!(!seen.path.contains(KEY) && seen.headers.matches(KEY).count() == 1);
        }
    }
}

// proves: C8
#[tokio::test]
async fn models_that_do_not_write_are_not_named() {
    let body = r#"{"models": [{"name": "models/a", "supportedGenerationMethods": ["embedContent"]},
        {"name": "models/b", "supportedGenerationMethods": ["generateContent"]}, {"name": "tunedModels/c"}]}"#;
    let server = always(status(200, "application/json", body));
    assert_eq!(asked("gemini", &server).await.unwrap(), ["b", "tunedModels/c"]);
}

// proves: C2
#[tokio::test]
async fn a_list_that_does_not_come_is_an_error() {
    for (say, attempts) in [
        (Say::error(401, KEY), 1),
        (Say::error(503, "busy"), ATTEMPTS),
        (status(200, "text/html", "<html>"), ATTEMPTS),
        (status(200, "application/json", "[]"), ATTEMPTS),
        (status(200, "application/json", "{\"data\": [1]}"), ATTEMPTS),
        (status(200, "application/json", "{}"), ATTEMPTS),
    ] {
        let server = always(say);
        let told = asked("local", &server).await.unwrap_err();
        assert!(matches!(told, ListError::Port(_)), "{told:?}");
        assert!(!told.to_string().contains("canary"));
        assert_eq!(server.seen().len(), attempts, "{told}");
    }
    // A server whose list has no end is not read to it.
    let endless = r#"{"data": [{"id": "a"}], "has_more": true, "last_id": "a"}"#;
    let server = always(status(200, "application/json", endless));
    assert_eq!(asked("anthropic", &server).await.unwrap(), ["a"]);
    assert_eq!(server.seen().len(), 20);
    let server = always(Say::NoopListener);
    let connection = Connection::of_provider("local", Some(&server.base_url()), None).unwrap();
    let told = offered(&connection, Duration::from_millis(50)).await.unwrap_err();
    assert!(matches!(told, ListError::Port(PortError::TimedOut { .. })), "{told:?}");
}
