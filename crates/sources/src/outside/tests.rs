//! Tests every service at once, over real sockets.

#[cfg(feature = "recorded")]
mod recorded;

use std::sync::Arc;

use papers::{PaperId, Source};
use run::error::PortError;
use run::sources::{Outcome, Query, Sources};

use crate::Outside;
use crate::client::tests::server::{Say, Seen, Server};
use crate::services::{Endpoint, Engine, Services};
use crate::settings::Settings;

const LIMITED: (u16, &str) = (429, "Rate exceeded.");

/// Builds an `Outside` that asks the server for everything.
fn build_outside(server: &Server, stand_in: bool) -> Outside {
    let at = |path: &str| Endpoint { base_url: server.url(path), key: None };
    let services = Services {
        arxiv: at("/arxiv/"),
        crossref: at("/crossref/"),
        semantic_scholar: at("/s2/"),
        openalex: at("/openalex/"),
        web: Some((Engine::SearxNg, at("/web/"))),
        servers: vec![],
        stand_in,
    };
    let retry_delay = std::time::Duration::from_millis(1);
    let private_hosts = vec!["127.0.0.1".into()];
    let settings = Settings { retry_delay, private_hosts, ..Settings::default() };
    Outside::new(settings, services, None).unwrap()
}

fn say((status, body): (u16, &str)) -> Say {
    let kind = if body.starts_with('{') { "application/json" } else { "text/plain" };
    Say::status(status, &[("content-type", kind)], body)
}

/// Returns a work in Crossref's format.
fn work(doi: &str, title: &str, more: &str) -> String {
    format!(
        r#"{{"DOI":"{doi}","title":["{title}"],"type":"journal-article","author":[{{"family":"Lee","given":"Ann"}}]{more}}}"#
    )
}

fn crossref_list(works: &[String]) -> String {
    format!(
        r#"{{"status":"ok","message-type":"work-list","message":{{"items":[{}]}}}}"#,
        works.join(",")
    )
}

fn openalex_list(works: &str) -> String {
    format!(r#"{{"meta":{{"count":1}},"results":[{works}]}}"#)
}

fn started(script: impl Fn(&Seen) -> (u16, String) + Send + Sync + 'static) -> Server {
    let script = Arc::new(script);
    Server::start(move |seen| {
        let (status, body) = script(seen);
        say((status, &body))
    })
}

// proves: A2, H2
#[tokio::test]
async fn a_source_that_cannot_be_asked_is_told_and_others_stand_in_until_one_answers() {
    let server = started(|seen| {
        let (status, body) = match seen.path.split('/').nth(1) {
            Some("crossref") => {
                (200, crossref_list(&[work("10.1000/a", "On the tides of the sea", "")]))
            }
            Some("openalex") => (500, "broken".to_owned()),
            _ => (LIMITED.0, LIMITED.1.to_owned()),
        };
        (status, body)
    });
    let query = Query::new("tides", 5);
    let searched = build_outside(&server, true).papers(&[Source::Arxiv], &query).await.unwrap();
    let told: Vec<_> = searched.answers.iter().map(|one| (one.source, one.in_place_of)).collect();
    assert_eq!(
        told,
        [
            (Source::Arxiv, None),
            (Source::SemanticScholar, Some(Source::Arxiv)),
            (Source::Openalex, Some(Source::SemanticScholar)),
            (Source::Crossref, Some(Source::Openalex)),
        ]
    );
    assert!(matches!(searched.answers[0].outcome, Outcome::Limited { .. }));
    assert!(
        matches!(&searched.answers[2].outcome, Outcome::Failed { reason } if reason.contains("500"))
    );
    assert_eq!(searched.answers[3].outcome, Outcome::Found(1));
    // Without stand-ins, a service that is limiting requests does not count as finding nothing.
    let error = build_outside(&server, false).papers(&[Source::Arxiv], &query).await.unwrap_err();
    assert!(matches!(error, PortError::Limited { .. }), "{error}");
    let arxiv = server.seen().iter().filter(|seen| seen.path.starts_with("/arxiv/")).count();
    assert_eq!(arxiv, 2, "arXiv is asked once by each");
}

// proves: H2
#[tokio::test]
async fn what_several_sources_know_comes_once_and_the_best_of_each_first() {
    let server = started(|seen| match seen.path.split('/').nth(1) {
        Some("crossref") => {
            let works = [
                ("10.1000/a", "On the tides of the sea"),
                ("10.1000/b", "On the winds of the sea"),
            ];
            (200, crossref_list(&works.map(|(doi, title)| work(doi, title, ""))))
        }
        Some("openalex") => {
            let of = |id: &str, doi: &str, title: &str| {
                format!(
                    r#"{{"id":"https://openalex.org/{id}","doi":"https://doi.org/{doi}","title":"{title}","cited_by_count":4}}"#
                )
            };
            (
                200,
                openalex_list(
                    &[
                        of("W2", "10.1000/c", "Other waters"),
                        of("W1", "10.1000/A", "On the tides of the sea"),
                    ]
                    .join(","),
                ),
            )
        }
        _ => (404, String::new()),
    });
    let asked = [Source::Crossref, Source::Openalex, Source::Crossref];
    let searched =
        build_outside(&server, true).papers(&asked, &Query::new("sea", 2)).await.unwrap();
    let uris: Vec<String> = searched.papers.iter().map(|paper| paper.source_uri()).collect();
    assert_eq!(uris, ["doi:10.1000/a", "doi:10.1000/c", "doi:10.1000/b"]);
    assert_eq!(searched.papers[0].found_by, [Source::Crossref, Source::Openalex]);
    assert_eq!(searched.papers[0].citation_count, Some(4));
    assert_eq!(searched.answers.len(), 2, "a source is asked once however often it is named");
}

// proves: A6
#[tokio::test]
async fn a_paper_is_looked_up_where_there_is_a_text_of_it_and_never_another_in_its_place() {
    let server = started(|seen| {
        let knows =
            |doi: &str| seen.path.contains(doi) || seen.path.contains(&doi.replace('/', "%2F"));
        match seen.path.split('/').nth(1) {
            Some("crossref") if knows("10.1000/bare") => {
                (200, format!(r#"{{"status":"ok","message-type":"work","message":{}}}"#, work("10.1000/bare", "Bare", "")))
            }
            // It answers with a different work from the requested one.
            Some("crossref") if knows("10.1000/other") => {
                (200, format!(r#"{{"status":"ok","message-type":"work","message":{}}}"#, work("10.1000/x", "Not that", "")))
            }
            Some("crossref") => (404, "Resource not found.".to_owned()),
            Some("openalex") if knows("10.1000/bare") => (
                200,
                r#"{"id":"https://openalex.org/W1","doi":"https://doi.org/10.1000/bare","title":"Bare","abstract_inverted_index":{"Tides":[0],"rise":[1]}}"#.to_owned(),
            ),
            Some("s2") if knows("10.1000/limited") => (LIMITED.0, LIMITED.1.to_owned()),
            _ => (404, r#"{"error":"Paper with id x not found"}"#.to_owned()),
        }
    });
    let outside = build_outside(&server, true);
    let ids: Vec<PaperId> = ["bare", "other", "unknown", "limited"]
        .map(|id| format!("doi:10.1000/{id}").parse().unwrap())
        .into();
    let found = outside.papers_named(&ids).await;
    let paper = found[0].as_ref().unwrap().as_ref().unwrap();
    assert_eq!(paper.summary.as_deref(), Some("Tides rise"));
    assert_eq!(paper.found_by, [Source::Crossref, Source::Openalex]);
    assert_eq!(found[1], Ok(None));
    assert_eq!(found[2], Ok(None));
    assert!(matches!(found[3], Err(PortError::Limited { .. })), "{:?}", found[3]);
}

// proves: A2
#[tokio::test]
async fn who_is_no_scholarly_source_is_not_asked_for_papers() {
    let server = started(|_| (200, String::new()));
    let outside = build_outside(&server, true);
    let query = Query::new("tides", 5);
    assert!(matches!(outside.papers(&[Source::Web], &query).await, Err(PortError::Invalid { .. })));
    assert!(matches!(outside.papers(&[], &query).await, Err(PortError::Invalid { .. })));
    assert_eq!(server.connections(), 0);
}

// proves: A6
#[tokio::test]
async fn a_version_that_was_asked_for_is_never_another() {
    let server = started(|seen| {
        match seen.path.split('/').nth(1) {
        Some("s2") => (
            200,
            r#"{"paperId":"a1","title":"Tides","externalIds":{"ArXiv":"1706.03762"},"abstract":"They rise."}"#.to_owned(),
        ),
        _ => (LIMITED.0, LIMITED.1.to_owned()),
    }
    });
    let outside = build_outside(&server, true);
    let id = |id: &str| id.parse::<PaperId>().unwrap();
    let found = outside.papers_named(&[id("arxiv:1706.03762"), id("arxiv:1706.03762v1")]).await;
    assert_eq!(found[0].as_ref().unwrap().as_ref().unwrap().title, "Tides");
    assert!(matches!(found[1], Err(PortError::Limited { .. })), "{:?}", found[1]);
}

// proves: A2
#[tokio::test]
async fn nobody_stands_in_for_one_that_refuses() {
    let server = started(|seen| match seen.path.split('/').nth(1) {
        Some("openalex") => (401, r#"{"error":"bad key"}"#.to_owned()),
        _ => (200, crossref_list(&[])),
    });
    let asked =
        build_outside(&server, true).papers(&[Source::Openalex], &Query::new("tides", 5)).await;
    assert!(matches!(asked, Err(PortError::Refused { status: 401, .. })), "{asked:?}");
    assert!(server.seen().iter().all(|seen| seen.path.starts_with("/openalex/")));
}

// proves: A2
#[tokio::test]
async fn all_that_did_not_answer_are_told() {
    let server = started(|_| (200, "<html><title>Wi-Fi login</title></html>".to_owned()));
    let asked = [Source::Arxiv, Source::Crossref];
    let error =
        build_outside(&server, false).papers(&asked, &Query::new("tides", 5)).await.unwrap_err();
    let told = error.to_string();
    assert!(
        told.contains("arXiv sent an unusable answer")
            && told.contains("Crossref sent an unusable answer"),
        "{told}"
    );
}
