//! Vectors over HTTP.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fakes::{FakeModel, Say, Seen};
use models::{EmbedderError, EmbedderSettings, HttpEmbedder};
use run::embedding::{Embedder, Purpose};
use run::error::PortError;
use serde_json::{Value, json};

use crate::{ATTEMPTS, KEY, always, build_connection, closes, status};

const DIMENSIONS: usize = 24;

fn willing() -> FakeModel {
    always(Say::Vectors { dimensions: DIMENSIONS })
}

async fn connect_embedder(server: &FakeModel, settings: EmbedderSettings) -> HttpEmbedder {
    let connection = build_connection("local/gull-embed", &server.base_url());
    HttpEmbedder::connect(connection, settings).await.unwrap()
}

/// Settings that tell the dimensions, so that the first request is that of the test.
fn known(dimensions: usize) -> EmbedderSettings {
    EmbedderSettings { dimensions: Some(dimensions as u32), ..EmbedderSettings::default() }
}

fn normal(text: &str) -> Vec<f32> {
    let vector = fakes::vector(text, DIMENSIONS);
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    vector.iter().map(|number| number / length).collect()
}

fn near(found: &[f32], expected: &[f32]) -> bool {
    found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-6)
}

fn make_texts(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("gull number {number} eats fish")).collect()
}

fn sent(seen: &Seen) -> Vec<String> {
    serde_json::from_value(seen.body["input"].clone()).unwrap()
}

// proves: C3
#[tokio::test]
async fn texts_get_their_vectors_in_order_whatever_the_order_of_the_reply() {
    let server = willing();
    let embedder = connect_embedder(&server, EmbedderSettings::default()).await;
    assert_eq!(embedder.embedding().dimensions, DIMENSIONS as u32, "learned by one short text");
    assert_eq!(embedder.embedding().model, "local/gull-embed");
    let texts = make_texts(150);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&texts, Purpose::Passage).await.unwrap();
    assert_eq!(vectors.len(), texts.len());
    for (text, vector) in texts.iter().zip(&vectors) {
        assert!(near(vector, &normal(text)), "{text}");
    }
    let seen = server.seen();
    let mut sizes: Vec<usize> = seen.iter().map(|seen| sent(seen).len()).collect();
    sizes[1..].sort_unstable();
    assert_eq!(sizes, [1, 22, 64, 64]);
    for seen in &seen {
        assert_eq!(seen.path, "/v1/embeddings");
        assert_eq!(seen.body["model"], "gull-embed");
        assert_eq!(seen.body["encoding_format"], "base64");
        assert_eq!(seen.headers.matches(KEY).count(), 1);
    }
    assert!(embedder.embed(&[], Purpose::Query).await.unwrap().is_empty());
}

// proves: C8
#[tokio::test]
async fn batches_are_as_large_as_the_settings_say() {
    let server = willing();
    let settings = EmbedderSettings {
        texts_per_request: 3,
        bytes_per_request: 20,
        in_flight: 1,
        ..known(DIMENSIONS)
    };
    let embedder = connect_embedder(&server, settings).await;
    let long = "a long text that goes alone";
    embedder
        .embed(&["a", "b", "c", "d", long, "e", "0123456789", "0123456789"], Purpose::Query)
        .await
        .unwrap();
    let batches: Vec<Vec<String>> = server.seen().iter().map(sent).collect();
    assert_eq!(
        batches,
        [vec!["a", "b", "c"], vec!["d"], vec![long], vec!["e", "0123456789"], vec!["0123456789"]]
    );
    assert_eq!(server.seen()[0].body["dimensions"], DIMENSIONS);
}

// proves: C8
#[tokio::test]
async fn a_few_requests_are_under_way_at_the_same_time() {
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (under_way, peak) = (Arc::clone(&now), Arc::clone(&most));
    let server = FakeModel::start(move |_| {
        peak.fetch_max(under_way.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        // The first do not end before three are there.
        for _ in 0..1_000 {
            if peak.load(Ordering::SeqCst) >= 3 {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(10));
        under_way.fetch_sub(1, Ordering::SeqCst);
        Say::Vectors { dimensions: DIMENSIONS }
    });
    let settings = EmbedderSettings { texts_per_request: 1, in_flight: 3, ..known(DIMENSIONS) };
    let texts = make_texts(9);
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    connect_embedder(&server, settings).await.embed(&texts, Purpose::Passage).await.unwrap();
    assert_eq!(most.load(Ordering::SeqCst), 3);
}

// proves: C8
#[tokio::test]
async fn a_prefix_is_written_before_each_text() {
    let server = willing();
    let settings = EmbedderSettings {
        passage_prefix: "passage: ".into(),
        query_prefix: "query: ".into(),
        ..known(DIMENSIONS)
    };
    let embedder = connect_embedder(&server, settings).await;
    embedder.embed(&["fish"], Purpose::Passage).await.unwrap();
    embedder.embed(&["fish"], Purpose::Query).await.unwrap();
    let seen: Vec<String> = server.seen().iter().flat_map(sent).collect();
    assert_eq!(seen, ["passage: fish", "query: fish"]);
    assert_eq!(embedder.embedding().query_prefix, "query: ");
}

// proves: C3
#[tokio::test]
async fn a_server_that_refuses_base64_is_asked_for_numbers_and_that_is_remembered() {
    for (code, message) in [
        (400, "encoding_format must be float"),
        (422, "base64 is not supported"),
        (501, "not implemented"),
    ] {
        let server = FakeModel::start(move |seen| match seen.body["encoding_format"].is_null() {
            true => Say::Vectors { dimensions: DIMENSIONS },
            false => Say::error(code, message),
        });
        let embedder = connect_embedder(&server, known(DIMENSIONS)).await;
        for _ in 0..2 {
            let vectors = embedder.embed(&["gull"], Purpose::Query).await.unwrap();
            assert!(near(&vectors[0], &normal("gull")));
        }
        assert_eq!(server.seen().len(), 3, "{message}");
    }
}

/// Asks for the vectors of two texts.
async fn two(server: &FakeModel) -> Result<Vec<Vec<f32>>, PortError> {
    connect_embedder(server, known(2)).await.embed(&["a", "b"], Purpose::Passage).await
}

// proves: C3
#[tokio::test]
async fn a_reply_that_is_not_the_vectors_asked_for_is_an_error() {
    let item = |index: Value, embedding: Value| json!({"index": index, "embedding": embedding});
    let good = |index: usize| item(json!(index), json!([0.6, 0.8]));
    let reply = |items: Vec<Value>| json!({"data": items}).to_string();
    for (body, error) in [
        (reply(vec![good(0)]), "1 vectors for 2 texts"),
        (reply(vec![good(0), good(1), good(2)]), "3 vectors for 2 texts"),
        (reply(vec![good(0), good(0)]), "two vectors for text 0"),
        (reply(vec![good(0), good(7)]), "a vector for text 7 of 2"),
        (reply(vec![good(0), item(json!(1), json!([1.0]))]), "a vector of 1 numbers instead of 2"),
        (reply(vec![good(0), item(json!(1), json!([0.0, 0.0]))]), "a vector of zeros"),
        (reply(vec![good(0), item(json!(1), json!([]))]), "a vector without numbers"),
        (reply(vec![good(0), item(json!(1), json!([1e300, 0.0]))]), "JSON without vectors"),
        // NaN and 1 in base64.
        (
            reply(vec![good(0), item(json!(1), json!("AADAfwAAgD8="))]),
            "a vector with values that are not numbers",
        ),
        (reply(vec![good(0), item(json!(1), json!("AAAA"))]), "JSON without vectors"),
        (reply(vec![good(0), item(json!(1), json!("no base64!"))]), "JSON without vectors"),
        (reply(vec![good(0), item(json!(1), json!([null, 1]))]), "JSON without vectors"),
        (reply(vec![good(0), item(json!(-1), json!([1, 0]))]), "JSON without vectors"),
        (reply(vec![good(0), item(json!(1), json!({"a": 1}))]), "JSON without vectors"),
        ("{\"data\": {}}".into(), "JSON without vectors"),
        ("[]".into(), "JSON without vectors"),
        ("{\"error\": {\"message\": \"gone\"}}".into(), "an error: gone"),
        ("".into(), "nothing"),
        ("{\"data\": [".into(), "broken JSON: EOF while parsing a list at line 1 column 10"),
    ] {
        let server = always(status(200, "application/json", &body));
        let told = two(&server).await.expect_err(&body).to_string();
        assert_eq!(told, format!("local/gull-embed sent an unusable answer: {error}"), "{body}");
        assert_eq!(server.seen().len(), ATTEMPTS);
    }
    // The order without an index is that of the texts.
    let body = reply(vec![json!({"embedding": [3, 4]}), json!({"embedding": [-1, 0]})]);
    let server = always(status(200, "application/json", &body));
    assert_eq!(two(&server).await.unwrap(), [[0.6, 0.8], [-1.0, 0.0]]);
}

// proves: C2
#[tokio::test]
async fn faults_are_tried_again_as_those_of_a_chat() {
    for (code, attempts) in
        [(429, ATTEMPTS), (500, ATTEMPTS), (503, ATTEMPTS), (400, 1), (401, 1), (404, 1)]
    {
        let server = always(Say::error(code, &format!("no {KEY}")));
        let told = two(&server).await.unwrap_err();
        assert_eq!(server.seen().len(), attempts, "{told}");
        assert!(!format!("{told} {told:?}").contains("canary"), "{told}");
    }
    let server = FakeModel::start(|seen| match seen.number {
        1 => Say::limited("0.01"),
        2 => Say::Broken("{\"data\"".into()),
        _ => Say::Vectors { dimensions: 2 },
    });
    assert_eq!(two(&server).await.unwrap().len(), 2);
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let connection = build_connection("local/m", &format!("http://{closed}/v1"));
    let refused =
        HttpEmbedder::connect(connection, EmbedderSettings::default()).await.err().unwrap();
    assert!(matches!(refused, EmbedderError::Port(PortError::Unreachable { .. })), "{refused:?}");
}

// proves: C6
#[tokio::test]
async fn a_server_without_end_or_without_a_word_is_left() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{\"data\": [".to_owned();
    let server = always(Say::Flood { head, piece: "1, ".repeat(10_000) });
    let told = two(&server).await.unwrap_err().to_string();
    assert_eq!(told, "local/gull-embed sent an unusable answer: far more data than was asked for");
    assert!(closes(&server, ATTEMPTS).await);
    let server = always(Say::NoopListener);
    let settings = EmbedderSettings { deadline: Duration::from_millis(60), ..known(2) };
    let told =
        connect_embedder(&server, settings).await.embed(&["a"], Purpose::Query).await.unwrap_err();
    assert!(matches!(told, PortError::TimedOut { .. }), "{told:?}");
}

#[tokio::test]
async fn what_has_no_vector_is_told_before_anyone_is_asked() {
    let server = willing();
    let embedder = connect_embedder(&server, known(DIMENSIONS)).await;
    let told = embedder.embed(&["a", " "], Purpose::Passage).await.unwrap_err();
    assert_eq!(told.to_string(), "text 2 of 2 is empty and has no vector");
    assert!(server.seen().is_empty());
    for name in ["anthropic/m", "gemini/m"] {
        let connection = build_connection(name, &server.base_url());
        let refused = HttpEmbedder::connect(connection, known(2)).await.err().unwrap();
        assert!(matches!(refused, EmbedderError::NoVectors { .. }), "{refused}");
    }
}
