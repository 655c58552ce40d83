//! Tests recorded responses, replayed over HTTP with their statuses and headers.

use std::path::PathBuf;

use serde_json::Value;

use super::*;

/// A recorded response.
struct Recorded {
    name: String,
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Vec<u8>,
}

fn recorded(service: &str) -> Vec<Recorded> {
    let folder = std::env::var("QUAESTIO_TEST_DATA").expect("QUAESTIO_TEST_DATA names the folder");
    let folder = PathBuf::from(folder).join("api").join(service);
    let mut all: Vec<Recorded> = Vec::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with(".meta.json") {
            continue;
        }
        let about: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let name = about["body_file"].as_str().unwrap().to_owned();
        let kind = match name.rsplit('.').next() {
            Some("xml") => "application/atom+xml",
            Some("json") => "application/json",
            Some("html") => "text/html",
            _ => "text/plain",
        };
        let mut headers = vec![("content-type", kind.to_owned())];
        for known in ["x-rate-limit-limit", "x-rate-limit-interval", "x-concurrency-limit"] {
            let value = about["headers"][known].as_str().map(str::to_owned);
            headers.extend(value.map(|value| (known, value)));
        }
        let body = std::fs::read(folder.join(&name)).unwrap();
        let status = about["status"].as_u64().unwrap() as u16;
        all.push(Recorded { name, status, headers, body });
    }
    all.sort_by(|one, other| one.name.cmp(&other.name));
    assert!(!all.is_empty());
    all
}

// proves: A2, H2
#[tokio::test]
async fn recorded_responses_come_through_real_sockets_as_what_they_are() {
    for (service, source) in [
        ("arxiv", Source::Arxiv),
        ("crossref", Source::Crossref),
        ("semantic_scholar", Source::SemanticScholar),
        ("openalex", Source::Openalex),
    ] {
        let mut found_any = false;
        for Recorded { name, status, headers, body } in recorded(service) {
            let server = Server::start(move |_| Say::Whole {
                status,
                headers: headers.clone(),
                body: body.clone(),
            });
            let query = Query::new("gulls", 1_000);
            let searched = build_outside(&server, false).papers(&[source], &query).await;
            let asked = server.seen().len();
            match (status, searched) {
                (200, Ok(searched)) => {
                    found_any |= !searched.papers.is_empty();
                    assert!(searched.papers.iter().all(|paper| paper.found_by == [source]));
                }
                // A page instead of an answer, or an answer to another kind of question.
                (200, Err(error)) => {
                    assert!(matches!(error, PortError::Malformed { .. }), "{name}: {error}");
                    let others = ["captcha", "recommendations", "snippet"];
                    assert!(others.iter().any(|other| name.contains(other)), "{name}: {error}");
                }
                (400 | 403, Err(error)) => {
                    assert!(matches!(error, PortError::Refused { .. }), "{name}: {error}");
                    assert_eq!(asked, 1, "{name}: a refusal is not asked for again");
                }
                (500.., Err(error)) => {
                    assert!(matches!(error, PortError::Failed { .. }), "{name}: {error}");
                    assert!(asked > 1, "{name}: it may pass");
                }
                // Some mean "not found", others an error.
                (404, Ok(searched)) => assert!(searched.papers.is_empty(), "{name}"),
                (404, Err(error)) => {
                    assert!(matches!(error, PortError::Refused { .. }), "{name}: {error}");
                }
                (status, other) => panic!("{name}: {status} {other:?}"),
            }
        }
        assert!(found_any, "{service}");
    }
}
