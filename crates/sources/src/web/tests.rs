use std::collections::BTreeSet;

use reqwest::Url;
use run::sources::Query;
use serde_json::{Value, json};
use transport::Secret;

use super::fields::{
    BRAVE, BRAVE_AROUND, SEARXNG, SEARXNG_AROUND, SERPER, SERPER_AROUND, TAVILY, TAVILY_AROUND,
};
use super::*;
use crate::fields::Table;
use crate::service::{Reply, Request, WebSearch};
use crate::{fields, mutations};

fn base() -> Url {
    "https://search.example/base/".parse().unwrap()
}

fn key() -> Secret {
    Secret::from("canary-key".to_owned())
}

fn searxng() -> SearxNg {
    SearxNg { base: base() }
}

fn tavily() -> Tavily {
    Tavily { base: base(), key: key() }
}

fn brave() -> Brave {
    Brave { base: base(), key: key() }
}

fn serper() -> Serper {
    Serper { base: base(), key: key() }
}

fn reply(status: u16, body: &Value) -> Reply {
    Reply { status, media_type: "application/json".into(), body: body.to_string().into_bytes() }
}

fn read(engine: &dyn WebSearch, body: &Value) -> Result<Vec<Hit>, PortError> {
    engine.read(&reply(200, body))
}

fn asked(request: &Request) -> Value {
    serde_json::from_str(request.json.as_deref().unwrap()).unwrap()
}

fn pair(request: &Request, name: &str) -> Option<String> {
    let pairs = request.url.query_pairs().into_owned();
    pairs.into_iter().find(|pair| pair.0 == name).map(|pair| pair.1)
}

/// An engine, its answer, the place of its results, and the fate of its fields.
struct Sample {
    engine: Box<dyn WebSearch>,
    body: Value,
    results: &'static str,
    around: Table,
    table: Table,
}

/// Returns samples with every field that the engines send.
fn samples() -> Vec<Sample> {
    vec![
        Sample {
            engine: Box::new(searxng()),
            body: json!({
                "query": "q", "number_of_results": 1, "answers": [], "corrections": [], "infoboxes": [], "suggestions": [],
                "unresponsive_engines": [["brave", "timeout"]],
                "results": [{"title": "T", "url": "https://a.example/", "content": "C", "publishedDate": "2023-01-02",
                    "pubdate": "2023-01-02", "engine": "google", "engines": ["google"], "category": "general", "score": 1.0}]
            }),
            results: "/results",
            around: SEARXNG_AROUND,
            table: SEARXNG,
        },
        Sample {
            engine: Box::new(tavily()),
            body: json!({
                "query": "q", "answer": "A", "follow_up_questions": null, "images": [], "response_time": "0.89",
                "request_id": "x", "detail": {"error": ""},
                "results": [{"title": "T", "url": "https://a.example/", "content": "C", "raw_content": "R", "score": 0.9,
                    "published_date": "2024-03-15"}]
            }),
            results: "/results",
            around: TAVILY_AROUND,
            table: TAVILY,
        },
        Sample {
            engine: Box::new(brave()),
            body: json!({
                "type": "search", "query": {"original": "q"}, "mixed": {"type": "mixed"},
                "web": {"type": "search", "family_friendly": true, "results": [{
                    "title": "T", "url": "https://a.example/", "description": "C <strong>word</strong> &amp; more",
                    "page_age": "2024-07-25T00:00:00", "age": "July 25, 2024", "profile": {"name": "A"},
                    "meta_url": {"path": "x"}, "thumbnail": {"src": "x"}, "language": "en", "family_friendly": true,
                    "type": "search_result", "subtype": "generic", "is_source_local": false, "is_source_both": false,
                    "is_live": false}]}
            }),
            results: "/web/results",
            around: BRAVE_AROUND,
            table: BRAVE,
        },
        Sample {
            engine: Box::new(serper()),
            body: json!({
                "searchParameters": {"q": "q"}, "relatedSearches": [{"query": "r"}],
                "organic": [{"title": "T", "link": "https://a.example/", "snippet": "C", "date": "Jan 29, 2023", "position": 1,
                    "imageUrl": "x", "sitelinks": [{"title": "S", "link": "https://a.example/s"}]}]
            }),
            results: "/organic",
            around: SERPER_AROUND,
            table: SERPER,
        },
    ]
}

/// Checks a reply against the tables; returns the rows that were met.
fn check(sample: &Sample, body: &Value) -> BTreeSet<&'static str> {
    let hits = read(sample.engine.as_ref(), body).unwrap();
    let mut around = body.clone();
    let results = around.pointer_mut(sample.results).map(std::mem::take).unwrap();
    let mut met = fields::check(sample.around, &without_nulls(around), &Value::Null);
    for item in results.as_array().unwrap() {
        let url = ["/url", "/link"].iter().find_map(|name| link(item, name)).unwrap();
        let hit = hits.iter().find(|hit| hit.url == url.as_str()).unwrap();
        met.extend(fields::check(sample.table, item, &serde_json::to_value(hit).unwrap()));
    }
    met
}

/// Removes the emptied results field.
fn without_nulls(mut value: Value) -> Value {
    if let Some(members) = value.as_object_mut() {
        members.retain(|name, member| {
            !(member.is_null() && matches!(name.as_str(), "results" | "organic"))
        });
        members.values_mut().for_each(|member| *member = without_nulls(member.take()));
    }
    value
}

// proves: A2
#[test]
fn every_field_is_kept_or_left_out_for_a_reason() {
    for sample in samples() {
        let met = check(&sample, &sample.body);
        assert_eq!(fields::unmet(sample.around, &met), [] as [&str; 0]);
        assert_eq!(fields::unmet(sample.table, &met), [] as [&str; 0]);
    }
}

// proves: A2
#[test]
fn hits_are_pages_of_the_web_each_once() {
    let body = json!({"results": [
        {"title": "<b>A</b> &amp; B", "url": "https://a.example", "content": "x &lt; <strong>y</strong>\n z"},
        {"title": "again", "url": "https://a.example/#:~:text=x"},
        {"title": "again", "url": " https://A.example/"},
        {"title": "other", "url": "ftp://a.example/"},
        {"title": "script", "url": "javascript:alert(1)"},
        {"title": "none"}, null, 7, {"url": {}},
        {"title": "", "url": "http://b.example/x", "content": null, "publishedDate": null}
    ]});
    let hits = read(&searxng(), &body).unwrap();
    let hit = |title: &str, url: &str, snippet: &str| Hit {
        title: title.into(),
        url: url.into(),
        snippet: snippet.into(),
        published: None,
    };
    assert_eq!(
        hits,
        [
            hit("A & B", "https://a.example/", "x < y z"),
            hit("http://b.example/x", "http://b.example/x", "")
        ]
    );
}

// proves: A2
#[test]
fn an_engine_that_found_nothing_is_told_from_one_that_could_not_look() {
    assert_eq!(
        read(&searxng(), &json!({"results": [], "unresponsive_engines": []})),
        Ok(Vec::new())
    );
    assert_eq!(read(&brave(), &json!({"type": "search", "query": {}})), Ok(Vec::new()));
    assert_eq!(read(&serper(), &json!({"searchParameters": {"q": "x"}})), Ok(Vec::new()));
    assert_eq!(read(&tavily(), &json!({"results": []})), Ok(Vec::new()));
    let silent = json!({"results": [], "unresponsive_engines": [["brave", "Suspended: too many requests"], "qwant"]});
    assert_eq!(
        read(&searxng(), &silent).unwrap_err().to_string(),
        "SearXNG failed with status 200: its engines did not answer: brave (Suspended: too many requests), qwant"
    );
    for sample in samples() {
        let engine = sample.engine.as_ref();
        for body in
            [json!({}), json!([]), json!({"results": {}, "organic": 1, "web": 1, "type": 2})]
        {
            let said = read(engine, &body);
            assert!(matches!(said, Err(PortError::Malformed { .. })), "{body}: {said:?}");
        }
    }
}

#[test]
fn an_engine_says_what_to_do_about_a_refusal() {
    let page =
        Reply { status: 403, media_type: "text/html".into(), body: b"<h1>Forbidden".to_vec() };
    let error = searxng().read(&page).unwrap_err().to_string();
    assert!(error.contains("formats") && error.contains("settings.yml"), "{error}");
    let told = |engine: &dyn WebSearch, status: u16, body: Value| {
        engine.read(&reply(status, &body)).unwrap_err()
    };
    let long = json!({"detail": {"error": "Query is too long. canary-key"}});
    assert_eq!(
        told(&tavily(), 400, long).to_string(),
        "Tavily refused the request with status 400: Query is too long. ***"
    );
    assert!(matches!(told(&brave(), 429, json!({})), PortError::Limited { .. }));
    let wrong = told(&serper(), 200, json!({"message": "Unauthorized.", "statusCode": 403}));
    assert!(matches!(wrong, PortError::Refused { status: 403, .. }), "{wrong}");
}

#[test]
fn searxng_is_asked_for_json_and_takes_no_commands() {
    let request = searxng().search(&Query::new("!!g :fr what <3 is ? C++ ! a!b", 5));
    assert_eq!(request.url.path(), "/base/search");
    assert_eq!(pair(&request, "format").as_deref(), Some("json"));
    assert_eq!(pair(&request, "q").as_deref(), Some("g fr what 3 is C++ a!b"));
}

#[test]
fn tavily_is_asked_in_four_hundred_characters() {
    let query = Query { from_year: Some(2020), ..Query::new("é word ".repeat(100), 50) };
    let request = tavily().search(&query);
    let body = asked(&request);
    let text = body["query"].as_str().unwrap();
    assert!(text.chars().count() <= 400 && query.text.starts_with(&format!("{text} ")), "{text}");
    assert_eq!((&body["max_results"], &body["start_date"]), (&json!(20), &json!("2020-01-01")));
    assert_eq!(body["end_date"], Value::Null);
    assert_eq!(request.headers[0].1, "Bearer canary-key");
}

#[test]
fn brave_is_asked_for_at_most_twenty() {
    let mut query = Query { from_year: Some(2020), ..Query::new("w ".repeat(90), 50) };
    let request = brave().search(&query);
    assert_eq!(request.url.path(), "/base/res/v1/web/search");
    assert_eq!(pair(&request, "count").as_deref(), Some("20"));
    assert_eq!(pair(&request, "q").unwrap().split(' ').count(), 50);
    assert_eq!(pair(&request, "freshness"), None);
    query.to_year = Some(2021);
    let both = brave().search(&query);
    assert_eq!(pair(&both, "freshness").as_deref(), Some("2020-01-01to2021-12-31"));
}

#[test]
fn serper_is_asked_for_years() {
    let query = Query { from_year: Some(2020), ..Query::new("q", 0) };
    let body = asked(&serper().search(&query));
    assert_eq!(body, json!({"q": "q", "num": 1, "tbs": "cdr:1,cd_min:1/1/2020"}));
    let query = Query { to_year: Some(2021), ..query };
    let body = asked(&serper().search(&query));
    assert_eq!(body["tbs"], "cdr:1,cd_min:1/1/2020,cd_max:12/31/2021");
}

#[test]
fn a_key_is_in_a_header_alone() {
    for engine in [Box::new(tavily()) as Box<dyn WebSearch>, Box::new(brave()), Box::new(serper())]
    {
        let request = engine.search(&Query::new("q", 5));
        assert!(request.headers.iter().any(|(_, value)| value.is_sensitive()));
        assert!(!format!("{request:?}").contains("canary"), "{request:?}");
    }
}

#[test]
fn broken_replies_end_in_hits_or_an_error() {
    for sample in samples() {
        let good = sample.body.to_string();
        for seed in 0..300 {
            let body = mutations::mutated(good.as_bytes(), seed);
            let _ = sample.engine.read(&Reply { status: 200, media_type: String::new(), body });
        }
    }
}

#[cfg(feature = "recorded")]
mod recorded {
    use super::*;
    use crate::recorded_web::{Recorded, replies};

    /// Returns the recordings of the four engines; the other files with them are from services that are not asked here.
    fn all() -> Vec<(Sample, Vec<Recorded>)> {
        let made = |name: &str| {
            let mut made = replies("web_synthetic");
            made.retain(|one| one.name == format!("{name}.json"));
            made
        };
        let folders = ["", "web_tavily", "web_brave", "web_serper"];
        let names = ["searxng", "tavily", "brave", "serper"];
        let of = |folder: &str| if folder.is_empty() { Vec::new() } else { replies(folder) };
        let with_made = folders.iter().zip(names).map(|(folder, name)| {
            let mut all = of(folder);
            all.extend(made(name));
            all.retain(|one| one.name != "searchapi_example.json");
            assert!(!all.is_empty());
            all
        });
        samples().into_iter().zip(with_made).collect()
    }

    #[test]
    fn every_recorded_reply_is_read_and_no_field_of_it_is_lost() {
        let mut count = 0;
        for (sample, recorded) in all() {
            for one in recorded {
                let body = serde_json::from_slice(&one.reply.body).unwrap();
                check(&sample, &body);
                let hits = sample.engine.read(&one.reply).unwrap();
                assert!(!hits.is_empty(), "{}", one.name);
                let marked = |text: &str| {
                    ["<strong>", "&#x27;", "&amp;", "&quot;"].iter().any(|mark| text.contains(mark))
                };
                assert!(
                    !hits.iter().any(|hit| marked(&hit.snippet) || marked(&hit.title)),
                    "{}",
                    one.name
                );
                count += hits.len();
            }
        }
        assert!(count > 50, "{count}");
    }

    #[test]
    fn the_reply_of_another_service_is_no_search() {
        let mut all = replies("web_serper");
        all.retain(|one| one.name == "searchapi_example.json");
        let said = serper().read(&all[0].reply);
        assert!(matches!(said, Err(PortError::Malformed { .. })), "{said:?}");
    }

    #[test]
    fn thousands_of_broken_replies_end_in_hits_or_an_error() {
        for (sample, recorded) in all() {
            for seed in 0..1_250 {
                let mut reply = recorded[seed as usize % recorded.len()].reply.clone();
                reply.body = mutations::mutated(&reply.body, seed);
                let _ = sample.engine.read(&reply);
            }
        }
    }
}
