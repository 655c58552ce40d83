use papers::{Author, Date, Kind};
use serde_json::{Value, json};

use super::*;
use crate::openalex::fields::{AROUND, WORK};
use crate::{fields, mutations};

fn service() -> OpenAlex {
    OpenAlex {
        base: "https://api.openalex.org".parse().unwrap(),
        key: Some(Secret::from("canary-key".to_owned())),
        contact: Some("someone@example.org".to_owned()),
    }
}

fn reply(status: u16, body: &Value) -> Reply {
    Reply { status, media_type: "application/json".into(), body: body.to_string().into_bytes() }
}

fn read(body: &Value) -> Result<Vec<Paper>, PortError> {
    service().read(Purpose::Search, &reply(200, body))
}

fn one(work: &Value) -> Paper {
    let mut papers = read(&json!({"meta": {"count": 1}, "results": [work]})).unwrap();
    assert_eq!(papers.len(), 1);
    papers.remove(0)
}

/// A work with every field that OpenAlex sends.
fn whole() -> Value {
    let source = json!({
        "id": "https://openalex.org/S1", "display_name": "Journal of Made Things", "issn_l": "1234-5678",
        "issn": ["1234-5678", "8765-4321"], "is_oa": true, "host_organization_name": "Made Press", "type": "journal"
    });
    let location = json!({
        "is_oa": true, "landing_page_url": "https://doi.org/10.1000/abc", "pdf_url": "https://j.example/a.pdf",
        "source": source, "license": "cc-by", "license_id": "https://openalex.org/licenses/cc-by",
        "version": "publishedVersion", "is_accepted": true, "is_published": true
    });
    let copy = json!({"is_oa": true, "landing_page_url": "http://arxiv.org/abs/2101.00001v2", "pdf_url": null});
    let mut work: Value = serde_json::from_str(WORK_ALONE).unwrap();
    work["primary_location"] = location.clone();
    work["best_oa_location"] = location.clone();
    work["locations"] = json!([location, copy]);
    work
}

const WORK_ALONE: &str = r#"{
    "id": "https://openalex.org/W42", "doi": "https://doi.org/10.1000/ABC", "title": "Of mice &amp; <i>models</i>",
    "display_name": "Of mice", "relevance_score": 1.5, "publication_year": 2021, "publication_date": "2021-03-04",
    "ids": {"openalex": "https://openalex.org/W42", "doi": "https://doi.org/10.1000/abc", "mag": "42",
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/123", "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/456"},
    "language": "en", "primary_location": null, "type": "article", "type_crossref": "journal-article",
    "indexed_in": ["crossref"],
    "open_access": {"is_oa": true, "oa_status": "gold", "oa_url": "https://j.example/a", "any_repository_has_fulltext": true},
    "authorships": [
        {"author_position": "first", "author": {"id": "https://openalex.org/A1", "display_name": "Jane Q. Namesake", "orcid": null},
            "institutions": [{"id": "x", "display_name": "Gull Institute"}], "countries": ["US"], "is_corresponding": true, "raw_author_name": "Doe, Jane",
            "raw_affiliation_strings": ["Somewhere"], "affiliations": [{"raw_affiliation_string": "Somewhere"}]},
        {"author": {"display_name": "Anna van der Berg"}}
    ],
    "is_authors_truncated": true, "institution_assertions": [], "countries_distinct_count": 1,
    "institutions_distinct_count": 1, "corresponding_author_ids": ["x"], "corresponding_institution_ids": ["x"],
    "apc_list": {"value": 1}, "apc_paid": null, "fwci": 0.4, "has_fulltext": true, "fulltext_origin": "pdf",
    "cited_by_count": 9, "citation_normalized_percentile": {"value": 0.6}, "cited_by_percentile_year": {"min": 1},
    "biblio": {"volume": "6", "issue": "2", "first_page": "525", "last_page": "535"},
    "is_retracted": true, "is_paratext": false,
    "primary_topic": {"id": "x", "display_name": "Mice", "score": 0.9},
    "topics": [{"id": "x", "display_name": "Mice", "score": 0.9}],
    "keywords": [{"id": "x", "display_name": "Models", "score": 0.9}],
    "concepts": [{"id": "x", "display_name": "Biology", "score": 0.9}], "mesh": [{"x": 1}],
    "locations_count": 2, "locations": [], "best_oa_location": null,
    "sustainable_development_goals": [{"id": "x"}], "grants": [{"funder": "x", "funder_display_name": "Made Fund"}], "funders": [{"display_name": "Made Fund"}], "datasets": [], "versions": [],
    "referenced_works_count": 58, "referenced_works": ["x"], "related_works": ["x"],
    "abstract_inverted_index": {"Mice": [0], "are": [1], "small.": [2]}, "abstract_inverted_index_v3": null,
    "cited_by_api_url": "x", "counts_by_year": [{"year": 2025}], "updated_date": "x", "created_date": "x"
    }"#;

// proves: H2
#[test]
fn a_work_keeps_what_is_known_of_it() {
    let paper = one(&whole());
    assert_eq!(paper.title, "Of mice & models");
    assert_eq!(
        paper.authors,
        [
            Author::Person { given: "Jane".into(), family: "Doe".into() },
            Author::Person { given: "Anna".into(), family: "van der Berg".into() }
        ]
    );
    assert_eq!(paper.kind, Kind::Article);
    let ids = &paper.ids;
    assert_eq!((ids.doi.as_deref(), ids.openalex.as_deref()), (Some("10.1000/abc"), Some("W42")));
    assert_eq!(
        (ids.pubmed.as_deref(), ids.pubmed_central.as_deref()),
        (Some("123"), Some("PMC456"))
    );
    assert_eq!((ids.arxiv.as_deref(), ids.arxiv_version), (Some("2101.00001"), Some(2)));
    assert_eq!(ids.issn, ["1234-5678", "8765-4321"]);
    assert_eq!(paper.summary.as_deref(), Some("Mice are small."));
    assert_eq!(paper.published, Some(Date { year: 2021, month: Some(3), day: Some(4) }));
    assert_eq!((paper.volume.as_deref(), paper.pages.as_deref()), (Some("6"), Some("525-535")));
    assert_eq!(paper.publisher.as_deref(), Some("Made Press"));
    assert_eq!(paper.url.as_deref(), Some("https://doi.org/10.1000/abc"));
    assert_eq!(paper.pdf_url.as_deref(), Some("https://j.example/a.pdf"));
    assert_eq!(paper.retracted, Some(true));
    assert_eq!(paper.subjects, ["Mice", "Models"]);
    assert_eq!(paper.affiliations, ["Gull Institute"]);
    assert_eq!(paper.funders, ["Made Fund"]);
    assert_eq!(paper.found_by, [Source::Openalex]);
}

#[test]
fn every_field_is_kept_or_left_out_for_a_reason() {
    let read = serde_json::to_value(one(&whole())).unwrap();
    let met = fields::check(WORK, &whole(), &read);
    assert_eq!(fields::unmet(WORK, &met), [] as [&str; 0]);
    let around = json!({"meta": {"count": 1}, "group_by": [], "error": "", "message": ""});
    let met = fields::check(AROUND, &around, &Value::Null);
    assert_eq!(fields::unmet(AROUND, &met), [] as [&str; 0]);
}

#[test]
fn a_preprint_is_at_home_on_its_server_and_an_article_in_no_repository() {
    let server = json!({"display_name": "arXiv (Cornell University)", "type": "repository",
        "host_organization_name": "Cornell University"});
    let location = json!({"is_oa": true, "landing_page_url": "https://arxiv.org/abs/2312.07559", "source": server});
    let mut work = json!({
        "title": "T", "doi": "https://doi.org/10.48550/arxiv.2312.07559", "type": "preprint",
        "primary_location": location, "open_access": {"is_oa": true, "oa_url": "https://arxiv.org/abs/2312.07559"}
    });
    let paper = one(&work);
    assert_eq!((paper.kind, paper.venue.as_deref()), (Kind::Preprint, Some("arXiv")));
    assert_eq!(paper.publisher, None);
    assert_eq!(paper.ids.arxiv.as_deref(), Some("2312.07559"));
    assert_eq!(paper.pdf_url.as_deref(), Some("https://arxiv.org/pdf/2312.07559"));
    work["type"] = json!("article");
    assert_eq!(one(&work).venue, None);
    let journal = json!({"display_name": "Journal of Made Things", "type": "journal"});
    work["locations"] = json!([location, {"source": journal}]);
    assert_eq!(one(&work).venue.as_deref(), Some("Journal of Made Things"));
}

#[test]
fn a_work_with_some_of_its_fields_is_a_paper() {
    let some = json!({"open_access": {"is_oa": false, "oa_url": null}, "doi": "https://doi.org/10.1000/x"});
    let papers = read(&some).unwrap();
    assert_eq!(papers[0].ids.doi.as_deref(), Some("10.1000/x"));
    assert_eq!(papers[0].open_access, Some(false));
    let year =
        one(&json!({"title": "T", "publication_year": 2023, "publication_date": "2023-01-01"}));
    assert_eq!(year.published, Some(Date { year: 2023, month: None, day: None }));
    let old = json!({"display_name": "T", "concepts": [{"display_name": "Biology", "score": 0.5}, {"display_name": "Law", "score": 0.0}]});
    assert_eq!(one(&old).subjects, ["Biology"]);
}

#[test]
fn the_printed_kind_of_a_work_counts() {
    let kind = |work: Value| one(&work).kind;
    for (name, expected) in [
        ("book-chapter", Kind::Chapter),
        ("dissertation", Kind::Thesis),
        ("dataset", Kind::Dataset),
        ("report", Kind::Report),
        ("review", Kind::Article),
        ("paratext", Kind::Other),
    ] {
        assert_eq!(kind(json!({"title": "T", "type": name})), expected, "{name}");
    }
    let raw = json!({"title": "T", "type": "article", "primary_location": {"raw_type": "proceedings-article"}});
    assert_eq!(kind(raw), Kind::ProceedingsArticle);
}

// proves: H2
#[test]
fn what_went_wrong_is_told_apart() {
    let page = b"<!doctype html><title>404 Not Found</title>".to_vec();
    let unknown = Reply { status: 404, media_type: "text/html".into(), body: page };
    assert_eq!(service().read(Purpose::Lookup, &unknown).unwrap(), []);
    // A search reports no results in another way.
    let lost = service().read(Purpose::Search, &unknown).unwrap_err();
    assert_eq!(
        lost.to_string(),
        "OpenAlex refused the request with status 404: an HTML page titled '404 Not Found'"
    );
    let withheld = read(&json!({"meta": {"count": 900}, "results": []})).unwrap_err();
    assert_eq!(
        withheld.to_string(),
        "OpenAlex sent an unusable answer: a count of 900 results, but none of them"
    );
    assert_eq!(read(&json!({"meta": {"count": 0}, "results": []})).unwrap(), []);
    let told = |status: u16, body: Value| {
        service().read(Purpose::Search, &reply(status, &body)).unwrap_err()
    };
    let refused = told(403, json!({"error": "Invalid query", "message": "no canary-key"}));
    assert_eq!(refused.to_string(), "OpenAlex refused the request with status 403: no ***");
    assert!(matches!(told(429, json!({"error": "Too many"})), PortError::Limited { .. }));
    assert!(matches!(
        told(200, json!({"error": "E", "message": "M"})),
        PortError::Malformed { .. }
    ));
    assert!(matches!(told(200, json!({})), PortError::Malformed { .. }));
    assert!(matches!(told(200, json!({"results": 1})), PortError::Malformed { .. }));
}

#[test]
fn a_request_carries_the_key_in_a_header_alone() {
    let query = Query {
        from_year: Some(2019),
        to_year: Some(2021),
        ..Query::new("(mice OR \"models\") AND what?", 500)
    };
    let request = service().search(&query);
    let asked: Vec<(String, String)> = request.url.query_pairs().into_owned().collect();
    assert_eq!(
        asked,
        [
            ("search", "mice or models and what"),
            ("per-page", "100"),
            ("filter", "from_publication_date:2019-01-01,to_publication_date:2021-12-31")
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    assert_eq!(request.headers[0].1, "Bearer canary-key");
    assert_eq!(
        (&request.headers[1].0, request.headers[1].1.as_bytes()),
        (&FROM, &b"someone@example.org"[..])
    );
    assert!(!format!("{request:?}").contains("canary"));
    let path = |id: &str| service().lookup(&id.parse().unwrap()).unwrap().url.path().to_owned();
    assert_eq!(path("doi:10.1000/a/b?c"), "/works/doi:10.1000%2Fa%2Fb%3Fc");
    assert_eq!(path("arxiv:2312.07559v2"), "/works/doi:10.48550%2Farxiv.2312.07559");
}

#[test]
fn broken_replies_end_in_papers_or_an_error() {
    let good = json!({"meta": {"count": 1}, "results": [whole(), whole()]}).to_string();
    for seed in 0..400 {
        let body = mutations::mutated(good.as_bytes(), seed);
        let _ = service()
            .read(Purpose::Search, &Reply { status: 200, media_type: String::new(), body });
    }
}

#[cfg(feature = "recorded")]
mod recorded {
    use super::*;
    use crate::recorded_web::replies;

    #[test]
    fn every_recorded_reply_is_read_and_no_field_of_it_is_lost() {
        for recorded in replies("openalex") {
            let name = &recorded.name;
            let papers = service()
                .read(Purpose::Lookup, &recorded.reply)
                .unwrap_or_else(|e| panic!("{name}: {e}"));
            if recorded.reply.status == 404 {
                assert_eq!(papers, [], "{name}");
                continue;
            }
            let mut body: Value = serde_json::from_slice(&recorded.reply.body).unwrap();
            let works = match body.as_object_mut().and_then(|members| members.remove("results")) {
                Some(works) => works.as_array().unwrap().clone(),
                None => vec![std::mem::take(&mut body)],
            };
            if body.is_object() {
                fields::check(AROUND, &body, &Value::Null);
            }
            assert_eq!(papers.len(), works.len(), "{name}");
            for (work, paper) in works.iter().zip(&papers) {
                fields::check(WORK, work, &serde_json::to_value(paper).unwrap());
            }
        }
    }

    #[test]
    fn a_recorded_abstract_reads_as_it_was_written() {
        let of = |part: &str| {
            let all = replies("openalex").into_iter().find(|one| one.name.contains(part)).unwrap();
            service().read(Purpose::Search, &all.reply).unwrap().remove(0)
        };
        let paper = of("PaperQA");
        let summary = paper.summary.unwrap();
        assert!(summary.starts_with("Large Language Models (LLMs) generalize well"), "{summary}");
        assert!(summary.ends_with("on LitQA."), "{summary}");
        assert_eq!(paper.authors[0].to_string(), "Jakub Lála");
        assert_eq!(paper.authors[5].to_string(), "Andrew D. White");
    }

    #[test]
    fn thousands_of_broken_replies_end_in_papers_or_an_error() {
        let good = replies("openalex");
        for seed in 0..5_000 {
            let mut reply = good[seed as usize % good.len()].reply.clone();
            reply.body = mutations::mutated(&reply.body, seed);
            let _ = service().read(Purpose::Lookup, &reply);
        }
    }
}
