use papers::{Author, Date, Kind};
use serde_json::{Value, json};

use super::*;
use crate::semantic_scholar::fields::{AROUND, PAPER};
use crate::{fields, mutations};

fn service() -> SemanticScholar {
    let base = "https://api.semanticscholar.org".parse().unwrap();
    SemanticScholar { base, key: Some(Secret::from("canary-key".to_owned())) }
}

fn reply(status: u16, body: &Value) -> Reply {
    Reply { status, media_type: "application/json".into(), body: body.to_string().into_bytes() }
}

fn read(body: &Value) -> Result<Vec<Paper>, PortError> {
    service().read(Purpose::Search, &reply(200, body))
}

/// A paper with every requested field, and with others.
fn whole() -> Value {
    json!({
        "paperId": "aa00", "corpusId": 42,
        "externalIds": {"DOI": "10.1000/ABC", "ArXiv": "2101.00001v2", "PubMed": "123", "PubMedCentral": "456",
            "CorpusId": 42, "MAG": "7", "DBLP": "conf/x/Y", "ACL": "2021.x-1"},
        "url": "https://www.semanticscholar.org/paper/aa00",
        "title": "Of mice &amp; <i>models</i>", "abstract": "First.",
        "venue": "J. Made Things",
        "publicationVenue": {"id": "v", "name": "Journal of Made Things", "type": "journal", "issn": "1234-5678",
            "alternate_issns": ["8765-4321"], "alternate_names": ["JMT"], "url": "https://v.example", "alternate_urls": ["https://w.example"]},
        "year": 2021, "publicationDate": "2021-03-04", "publicationTypes": ["Review", "JournalArticle"],
        "journal": {"name": "Journal of Made Things", "volume": "6", "pages": "525 - 535"},
        "authors": [{"authorId": "1", "name": "Anna van der Berg"}, {"authorId": null, "name": "Made Group"}],
        "citationCount": 5, "referenceCount": 0, "influentialCitationCount": 1,
        "isOpenAccess": true,
        "openAccessPdf": {"url": "https://j.example/a.pdf", "status": "GOLD", "license": "CCBY", "disclaimer": "Notice"},
        "fieldsOfStudy": ["Biology"],
        "s2FieldsOfStudy": [{"category": "Biology", "source": "external"}, {"category": "Medicine", "source": "s2-fos-model"}],
        "tldr": {"model": "tldr@v2", "text": "Models are like mice."},
        "citationStyles": {"bibtex": "@Article{…}"}, "matchScore": 1.5
    })
}

fn as_read(item: &Value) -> Value {
    let papers = read(&json!({"data": [item]})).unwrap();
    assert_eq!(papers.len(), 1);
    serde_json::to_value(&papers[0]).unwrap()
}

// proves: H2
#[test]
fn a_paper_keeps_what_is_known_of_it() {
    let papers = read(&json!({"total": 1, "offset": 0, "data": [whole()]})).unwrap();
    let paper = &papers[0];
    assert_eq!(paper.title, "Of mice & models");
    assert_eq!(
        paper.authors,
        [
            Author::Person { given: "Anna".into(), family: "van der Berg".into() },
            Author::Named { name: "Made Group".into() }
        ]
    );
    assert_eq!(paper.kind, Kind::Article);
    assert_eq!(paper.ids.doi.as_deref(), Some("10.1000/abc"));
    assert_eq!(
        (paper.ids.arxiv.as_deref(), paper.ids.arxiv_version),
        (Some("2101.00001"), Some(2))
    );
    assert_eq!(paper.ids.pubmed_central.as_deref(), Some("PMC456"));
    assert_eq!(paper.ids.issn, ["1234-5678", "8765-4321"]);
    assert_eq!(paper.published, Some(Date { year: 2021, month: Some(3), day: Some(4) }));
    assert_eq!(paper.venue.as_deref(), Some("Journal of Made Things"));
    assert_eq!((paper.volume.as_deref(), paper.pages.as_deref()), (Some("6"), Some("525-535")));
    assert_eq!(paper.subjects, ["Biology", "Medicine"]);
    assert_eq!(paper.notes, ["Models are like mice."]);
    assert_eq!(paper.found_by, [Source::SemanticScholar]);
}

#[test]
fn every_field_is_kept_or_left_out_for_a_reason() {
    let met = fields::check(PAPER, &whole(), &as_read(&whole()));
    assert_eq!(fields::unmet(PAPER, &met), [] as [&str; 0]);
    let around = json!({"total": 1, "offset": 0, "next": 1, "token": "x", "retrievalVersion": "x",
        "error": "", "message": "", "code": ""});
    let met = fields::check(AROUND, &around, &Value::Null);
    assert_eq!(fields::unmet(AROUND, &met), [] as [&str; 0]);
}

#[test]
fn papers_come_in_many_wrappings() {
    let paper = json!({"paperId": "a", "title": "T"});
    for body in [
        json!({"data": [paper]}),
        json!({"total": 1, "token": "x", "data": [null, paper, 7]}),
        json!([null, paper]),
        paper.clone(),
    ] {
        assert_eq!(read(&body).unwrap().len(), 1, "{body}");
    }
    for empty in [json!({"total": 0, "offset": 0}), json!({"data": []}), json!([null]), json!([])] {
        assert_eq!(read(&empty).unwrap(), [], "{empty}");
    }
}

#[test]
fn the_venue_is_where_it_was_printed() {
    let of = |journal: Value, venue: &str, kinds: Value| {
        let paper = as_read(
            &json!({"title": "T", "journal": journal, "venue": venue, "publicationTypes": kinds}),
        );
        (paper["venue"].clone(), paper["volume"].clone(), paper["kind"].clone())
    };
    let arxiv = json!({"name": "ArXiv", "volume": "abs/2312.07559"});
    let kinds = json!(["JournalArticle"]);
    assert_eq!(
        of(arxiv.clone(), "arXiv.org", kinds.clone()),
        (json!("arXiv"), Value::Null, json!("preprint"))
    );
    assert_eq!(
        of(arxiv, "Neural Information Processing Systems", json!(["JournalArticle", "Conference"])),
        (json!("Neural Information Processing Systems"), Value::Null, json!("proceedings_article"))
    );
    assert_eq!(
        of(json!({"name": "Cell Genomics", "volume": "5"}), "bioRxiv", kinds),
        (json!("Cell Genomics"), json!("5"), json!("article"))
    );
    assert_eq!(
        of(json!({"name": "Journal of Made Physics", "volume": "118"}), "", Value::Null),
        (json!("Journal of Made Physics"), json!("118"), json!("article"))
    );
    assert_eq!(of(Value::Null, "", Value::Null), (Value::Null, Value::Null, json!("other")));
}

#[test]
fn a_day_of_another_year_gives_way_to_the_year() {
    let paper = json!({"title": "T", "year": 2024, "publicationDate": "2023-04-11"});
    assert_eq!(as_read(&paper)["published"], json!({"year": 2024}));
    let first = json!({"title": "T", "year": 2024, "publicationDate": "2024-01-01"});
    assert_eq!(as_read(&first)["published"], json!({"year": 2024}));
}

// proves: H2
#[test]
fn what_went_wrong_is_told_apart() {
    let unknown = reply(404, &json!({"error": "Paper with id DOI:10.1000/x not found"}));
    assert_eq!(service().read(Purpose::Lookup, &unknown).unwrap(), []);
    let lost = service().read(Purpose::Search, &unknown);
    assert!(matches!(lost, Err(PortError::Refused { status: 404, .. })));
    let lost = Reply { status: 404, media_type: "text/html".into(), body: b"<html>".to_vec() };
    assert!(matches!(
        service().read(Purpose::Lookup, &lost),
        Err(PortError::Refused { status: 404, .. })
    ));
    let told = |status: u16, body: Value| {
        service().read(Purpose::Search, &reply(status, &body)).unwrap_err()
    };
    assert_eq!(
        told(400, json!({"error": "Unrecognized or unsupported fields: [x]"})).to_string(),
        "Semantic Scholar refused the request with status 400: Unrecognized or unsupported fields: [x]"
    );
    let forbidden = told(403, json!({"message": "Forbidden canary-key"})).to_string();
    assert!(forbidden.contains("403: Forbidden ***"), "{forbidden}");
    let limit = json!({"message": "Too Many Requests", "code": "429"});
    assert!(matches!(told(429, limit.clone()), PortError::Limited { .. }));
    assert!(matches!(told(200, limit), PortError::Limited { .. }));
    assert!(matches!(told(200, json!({})), PortError::Malformed { .. }));
    assert!(matches!(told(200, json!({"total": 3})), PortError::Malformed { .. }));
    assert!(matches!(told(200, json!({"data": {}})), PortError::Malformed { .. }));
    // Answers that no request here asks for.
    for other in [
        json!({"recommendedPapers": [{"paperId": "a", "title": "T"}]}),
        json!({"data": [{"snippet": {"text": "A piece."}, "paper": {"title": "T"}}]}),
    ] {
        assert!(matches!(told(200, other), PortError::Malformed { .. }));
    }
}

#[test]
fn a_search_asks_for_words_years_and_at_most_a_hundred() {
    let query = Query { from_year: Some(2019), ..Query::new("fine-tuning & \"GPT-4\"?", 500) };
    let request = service().search(&query);
    let asked: Vec<(String, String)> = request.url.query_pairs().into_owned().collect();
    let of = |name: &str| asked.iter().find(|pair| pair.0 == name).map(|pair| pair.1.as_str());
    assert_eq!(request.url.path(), "/graph/v1/paper/search");
    assert_eq!(of("query"), Some("fine tuning & \"GPT 4\"?"));
    assert_eq!((of("limit"), of("year")), (Some("100"), Some("2019-")));
    assert!(of("fields").unwrap().contains("abstract,"));
    assert!(!request.url.as_str().contains("canary"));
    assert_eq!(request.headers[0].1, "canary-key");
    assert!(!format!("{request:?}").contains("canary"));
}

#[test]
fn papers_are_looked_up_by_their_ids() {
    let path = |id: &str| service().lookup(&id.parse().unwrap()).map(|r| r.url.path().to_owned());
    let at = |rest: &str| Some(format!("/graph/v1/paper/{rest}"));
    assert_eq!(path("arxiv:2005.11401v2"), at("ARXIV:2005.11401"));
    assert_eq!(path("arxiv:hep-th/9901001"), at("ARXIV:hep-th/9901001"));
    assert_eq!(path("doi:10.1038/s42256-024-00832-8"), at("DOI:10.1038/s42256-024-00832-8"));
    assert_eq!(path("doi:10.1000/a?b#c"), at("DOI:10.1000/a%3Fb%23c"));
    assert_eq!(path("doi:10.1000/../../search"), None);
    let ids: Vec<PaperId> = (0..600).map(|n| PaperId::Doi(format!("10.1000/{n}"))).collect();
    let keyless = SemanticScholar { key: None, ..service() };
    assert!(keyless.batch(&ids).is_none(), "without a key it would not answer");
    let request = service().batch(&ids).unwrap();
    assert_eq!(request.url.path(), "/graph/v1/paper/batch");
    let asked: Value = serde_json::from_str(&request.json.unwrap()).unwrap();
    assert_eq!(asked["ids"].as_array().unwrap().len(), 500);
    assert_eq!(asked["ids"][0], "DOI:10.1000/0");
}

#[test]
fn broken_replies_end_in_papers_or_an_error() {
    let bodies = [json!({"total": 2, "data": [whole(), whole()]}), json!([null, whole()])];
    for seed in 0..600 {
        let good = bodies[seed as usize % bodies.len()].to_string();
        let body = mutations::mutated(good.as_bytes(), seed);
        let reply = Reply { status: 200, media_type: "application/json".into(), body };
        let _ = service().read(Purpose::Search, &reply);
    }
}

#[cfg(feature = "recorded")]
mod recorded {
    use super::*;
    use crate::recorded_web::replies;

    #[test]
    fn every_recorded_reply_is_read_and_no_field_of_it_is_lost() {
        let mut papers_read = 0;
        for recorded in replies("semantic_scholar") {
            let name = &recorded.name;
            let said = service().read(Purpose::Lookup, &recorded.reply);
            // Answers to requests that are never made here.
            if ["recommendations_forpaper", "snippet_search"]
                .iter()
                .any(|other| name.starts_with(other))
            {
                assert!(matches!(said, Err(PortError::Malformed { .. })), "{name}: {said:?}");
                continue;
            }
            let body: Value = serde_json::from_slice(&recorded.reply.body).unwrap();
            let mut around = body.clone();
            let items = match (&body, around.as_object_mut()) {
                (Value::Array(items), _) => items.clone(),
                (_, Some(members)) if members.contains_key("paperId") => {
                    vec![std::mem::take(&mut around)]
                }
                (_, Some(members)) => members
                    .remove("data")
                    .and_then(|data| data.as_array().cloned())
                    .unwrap_or_default(),
                _ => Vec::new(),
            };
            if around.is_object() {
                fields::check(AROUND, &around, &Value::Null);
            }
            match recorded.reply.status {
                404 => assert_eq!(said, Ok(Vec::new()), "{name}"),
                200 => {
                    let papers = said.unwrap_or_else(|error| panic!("{name}: {error}"));
                    let items: Vec<&Value> = items.iter().filter(|item| !item.is_null()).collect();
                    assert_eq!(papers.len(), items.len(), "{name} of {}", recorded.url);
                    for (item, paper) in items.iter().zip(&papers) {
                        fields::check(PAPER, item, &serde_json::to_value(paper).unwrap());
                    }
                    papers_read += papers.len();
                }
                status => {
                    let error = said.unwrap_err();
                    assert!(
                        matches!(&error, PortError::Refused { status: told, .. } if *told == status),
                        "{name}: {error}"
                    );
                }
            }
        }
        assert!(papers_read > 1_000, "{papers_read}");
    }

    #[test]
    fn thousands_of_broken_replies_end_in_papers_or_an_error() {
        let good = replies("semantic_scholar");
        for seed in 0..5_000 {
            let mut reply = good[seed as usize % good.len()].reply.clone();
            reply.body = mutations::mutated(&reply.body, seed);
            let _ = service().read(Purpose::Search, &reply);
        }
    }
}
