//! The real services, for whoever has a network: `cargo test -p sources --test live -- --ignored --nocapture`.
//!
//! Keys and a contact are read from the usual variables; what a service answers changes, so little is asked of it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::env;

use papers::{PaperId, Source};
use run::error::PortError;
use run::sources::{Outcome, Query, Sources};
use sources::{Endpoint, Engine, Outside, Services, Settings};
use transport::Secret;

fn endpoint(variable: Option<&str>) -> Endpoint {
    let key = variable.and_then(|variable| env::var(variable).ok()).map(Secret::from);
    Endpoint { base_url: String::new(), key }
}

fn ask_outside() -> Outside {
    let settings =
        Settings { contact: env::var("QUAESTIO_SOURCES__CONTACT").ok(), ..Settings::default() };
    let engines = Engine::ALL.into_iter().map(|engine| (engine, endpoint(engine.key_variable())));
    let services = Services {
        arxiv: endpoint(None),
        crossref: endpoint(None),
        semantic_scholar: endpoint(Some("SEMANTIC_SCHOLAR_API_KEY")),
        openalex: endpoint(Some("OPENALEX_API_KEY")),
        web: engines.into_iter().find(|(_, endpoint)| endpoint.key.is_some()),
        servers: vec![],
        stand_in: false,
    };
    Outside::new(settings, services, None).unwrap()
}

#[tokio::test]
#[ignore = "asks real services"]
async fn every_scholarly_source_finds_a_well_known_paper_or_says_that_it_limits_its_callers() {
    let outside = ask_outside();
    let query = Query::new("attention is all you need transformer", 5);
    for source in [Source::Arxiv, Source::Crossref, Source::SemanticScholar, Source::Openalex] {
        match outside.papers(&[source], &query).await {
            Ok(searched) => {
                assert!(matches!(searched.answers[0].outcome, Outcome::Found(found) if found > 0));
                assert!(searched.papers.iter().all(|paper| !paper.title.is_empty()));
            }
            Err(error) => assert!(matches!(error, PortError::Limited { .. }), "{error}"),
        }
    }
}

#[tokio::test]
#[ignore = "asks real services"]
async fn papers_are_known_by_their_ids() {
    let ids: Vec<PaperId> =
        ["arxiv:1706.03762", "doi:10.1038/s42256-024-00832-8"].map(|id| id.parse().unwrap()).into();
    for paper in ask_outside().papers_named(&ids).await {
        let paper = paper.unwrap().unwrap();
        assert!(paper.summary.is_some() && !paper.authors.is_empty(), "{paper:?}");
    }
}

#[tokio::test]
#[ignore = "asks real services"]
async fn a_page_is_fetched_over_tls_and_one_of_this_machine_is_not() {
    let outside = ask_outside();
    let page = outside.fetch("https://www.rfc-editor.org/rfc/rfc9110.html").await.unwrap();
    assert_eq!(page.media_type, "text/html");
    assert!(page.bytes.len() > 10_000);
    assert!(outside.fetch("https://localhost/").await.is_err());
}

#[tokio::test]
#[ignore = "asks real services"]
async fn the_web_search_finds_pages_where_there_is_a_key() {
    if let Err(error) = ask_outside().pages(&Query::new("storm surge 2021", 5)).await {
        assert!(matches!(error, PortError::Invalid { .. }), "{error}");
    }
}
