//! Responses of Crossref, from 2022 to 2026.

use reqwest::Url;
use serde_json::{Map, Value, json};
use unicode_normalization::UnicodeNormalization as _;

use super::{Chance, Dropped, Facts, Fate, Kept, Partly, Same, Work, check, damaged, replies};
use crate::crossref::Crossref;
use crate::service::{Purpose, Reply, Scholarly as _};

const KEPT_BY_CROSSREF: &str = "Crossref's own keeping, and no property of the work";
const ELSEWHERE: &str = "another field of the response says the same, and is kept";
const NOT_PUBLICATION: &str = "a step on the way, and not when it was published";
const NO_REFERENCE_NAMES_IT: &str = "no reference names it, and it does not help to judge the work";
const CITED_WORKS: &str =
    "the works that it cites are counted; each is a work of its own, which can be looked up";

const TABLE: &[(&str, Fate)] = &[
    ("DOI", Same("ids.doi")),
    ("ISBN[]", Same("ids.isbn")),
    ("ISSN[]", Same("ids.issn")),
    ("URL", Same("addresses")),
    ("abstract", Kept("abstract")),
    ("accepted.*", Dropped(NOT_PUBLICATION)),
    ("alternative-id[]", Dropped("the publisher's own number, which nobody else can look up")),
    ("approved.*", Dropped(NOT_PUBLICATION)),
    ("archive[]", Dropped(NO_REFERENCE_NAMES_IT)),
    ("article-number", Same("article_number")),
    (
        "assertion[].*",
        Dropped(
            "the publisher's remarks for its own page: days of receipt and acceptance, interests",
        ),
    ),
    ("author[].ORCID", Dropped("no reference names it; authors are compared by their names")),
    (
        "author[].authenticated-orcid",
        Dropped("no reference names it; authors are compared by their names"),
    ),
    ("author[].affiliation[].name", Same("affiliations")),
    ("author[].family", Same("author_names")),
    ("author[].given", Same("author_names")),
    ("author[].suffix", Same("author_names")),
    ("author[].role[].*", Dropped("the list in which they stand says it")),
    ("author[].sequence", Dropped("the order of the list says it")),
    ("container-title[]", Partly("venue", "the first of two is the series, which is kept")),
    ("content-created.*", Dropped(ELSEWHERE)),
    ("content-domain.*", Dropped(KEPT_BY_CROSSREF)),
    ("content-updated.*", Dropped("when a package was changed last, which its DOI does not name")),
    ("created.*", Dropped("when it was registered, which may be decades after it was published")),
    ("deposited.*", Dropped(KEPT_BY_CROSSREF)),
    ("description", Kept("abstract")),
    ("edition-number", Same("edition")),
    ("editor[].family", Same("editor_names")),
    ("editor[].given", Same("editor_names")),
    ("editor[].role[].*", Dropped("the list in which they stand says it")),
    ("editor[].sequence", Dropped("the order of the list says it")),
    ("event.name", Partly("venue", "where there are proceedings they name it")),
    ("event.acronym", Dropped("the name of the event says it")),
    ("event.location", Dropped("a paper is cited by its proceedings and not by where it was read")),
    ("event.start.*", Dropped("a paper is cited by its proceedings and not by when it was read")),
    ("event.end.*", Dropped("a paper is cited by its proceedings and not by when it was read")),
    ("funder[].name", Same("funders")),
    ("funder[].DOI", Dropped("the name of who paid says it")),
    ("funder[].id[].*", Dropped("the name of who paid says it")),
    ("funder[].doi-asserted-by", Dropped(KEPT_BY_CROSSREF)),
    ("funder[].award[]", Dropped(NO_REFERENCE_NAMES_IT)),
    ("funder[].award-info[].*", Dropped(NO_REFERENCE_NAMES_IT)),
    ("group-title", Same("group")),
    ("indexed.*", Dropped(KEPT_BY_CROSSREF)),
    (
        "institution[].name",
        Partly("venue", "of a report or a package there is a publisher or a container"),
    ),
    ("institution[].acronym[]", Dropped("its name says it")),
    ("institution[].place[]", Dropped(NO_REFERENCE_NAMES_IT)),
    ("is-referenced-by-count", Same("citation_count")),
    ("isbn-type[].value", Same("ids.isbn")),
    ("isbn-type[].type", Dropped("whether on paper or not is the same work")),
    ("issn-type[].value", Same("ids.issn")),
    ("issn-type[].type", Dropped("whether on paper or not is the same journal")),
    ("issue", Same("issue")),
    ("issued.date-parts[][]", Same("published_text")),
    ("journal-issue.issue", Same("issue")),
    (
        "journal-issue.published-online.*",
        Dropped("when the issue came out; the date of the article is kept"),
    ),
    (
        "journal-issue.published-print.*",
        Dropped("when the issue came out; the date of the article is kept"),
    ),
    ("language", Same("language")),
    (
        "license[].URL",
        Partly(
            "licence",
            "the version of record's is kept; those for who mines texts bind no reader",
        ),
    ),
    ("license[].content-version", Dropped("it decides which licence is kept")),
    (
        "license[].delay-in-days",
        Dropped("it decides whether the work is open from the first day on"),
    ),
    ("license[].start.*", Dropped("the delay says it")),
    (
        "link[].URL",
        Partly(
            "pdf_url",
            "only a PDF that everybody may read; most links are for who mines texts or checks for copies",
        ),
    ),
    ("link[].content-type", Dropped("it decides which link is kept")),
    ("link[].content-version", Dropped("it decides which link is kept")),
    ("link[].intended-application", Dropped("it decides which link is kept")),
    ("member", Dropped(KEPT_BY_CROSSREF)),
    ("original-title[]", Same("titles")),
    ("page", Same("pages")),
    ("posted.*", Dropped(ELSEWHERE)),
    ("prefix", Dropped("the DOI begins with it")),
    ("published.date-parts[][]", Dropped(ELSEWHERE)),
    ("published-online.date-parts[][]", Dropped("the earlier of the dates is kept")),
    ("published-other.date-parts[][]", Dropped("the earlier of the dates is kept")),
    ("published-print.date-parts[][]", Dropped("the earlier of the dates is kept")),
    ("publisher", Same("publisher")),
    ("publisher-location", Same("publisher_place")),
    ("reference-count", Same("reference_count")),
    ("reference[].*", Dropped(CITED_WORKS)),
    ("references-count", Same("reference_count")),
    ("relation.has-preprint[].id", Same("notes")),
    ("relation.has-preprint[].*", Dropped(KEPT_BY_CROSSREF)),
    ("relation.has-review[].*", Dropped("reviews are works of their own, and hardly ever open")),
    ("relation.is-preprint-of[].id", Same("notes")),
    ("relation.is-preprint-of[].*", Dropped(KEPT_BY_CROSSREF)),
    (
        "relation.is-version-of[].*",
        Dropped("the other version is registered by itself, with the same title and authors"),
    ),
    ("resource.primary.URL", Dropped("the DOI leads there")),
    (
        "score",
        Dropped("the order of the answer says it; scores of two searches cannot be compared"),
    ),
    ("short-container-title[]", Same("venue_short")),
    ("source", Dropped(KEPT_BY_CROSSREF)),
    ("subtitle[]", Same("title")),
    ("subtype", Kept("kind")),
    ("title[]", Same("titles")),
    ("type", Kept("kind")),
    ("update-policy", Dropped(KEPT_BY_CROSSREF)),
    ("updated-by[].DOI", Same("notes")),
    ("updated-by[].label", Same("notes")),
    ("updated-by[].type", Dropped("it decides whether the work is retracted; the label is kept")),
    ("updated-by[].source", Dropped(KEPT_BY_CROSSREF)),
    ("updated-by[].updated.*", Dropped("the notice has its date")),
    ("version.version", Dropped("a new version of a preprint has a DOI of its own")),
    ("volume", Same("volume")),
    ("^.status", Dropped("it decides whether there is an answer")),
    ("^.message-type", Dropped("it decides how the answer is read")),
    ("^.message-version", Dropped(KEPT_BY_CROSSREF)),
    ("^.message.*", Dropped("it is about the search and its pages, and no work")),
];

fn crossref() -> Crossref {
    Crossref::new(Url::parse(Crossref::BASE).unwrap(), None)
}

// proves: D2
#[test]
fn every_recorded_response_reads_as_it_should() {
    let expected = [
        (
            "err_400_rcrossref_6_cr_members_fails_well.json",
            "Crossref refused the request with status 400: This route does not support facet",
        ),
        (
            "err_400_rows.json",
            "Crossref refused the request with status 400: Integer specified as things but must be a positive integer less than or equal to 1000.",
        ),
        (
            "err_404_bad_cursor.json",
            "Crossref refused the request with status 404: Cursor specified but it is invalid (thing)",
        ),
        (
            "err_500_rcrossref_0_cr_members_with_cursor_fails_well.json",
            "Crossref failed with status 500: Response Exception",
        ),
        (
            "err_504_rcrossref_0_cr_journals_faceting.html",
            "Crossref failed with status 504: an HTML page titled '504 Gateway Time-out'",
        ),
        (
            "err_504_rcrossref_5_cr_members_fails_well.html",
            "Crossref failed with status 504: an HTML page titled '504 Gateway Time-out'",
        ),
        ("pq_404_arxiv_doi.txt", "0 papers"),
        ("pq_title_attention.json", "1 papers"),
        ("pq_title_betablocker_select.json", "1 papers"),
        ("pq_title_gibberish.json", "0 papers"),
        ("pq_title_truncated.json", "1 papers"),
        ("pq_work_biorxiv_posted_content.json", "1 papers"),
        ("work_icdcsw_2003.json", "1 papers"),
        ("work_ijo_00000353.json", "1 papers"),
        ("work_jclinpath_structured_abstract.json", "1 papers"),
        ("work_jor_jats.json", "1 papers"),
        ("work_pone_0033693.json", "1 papers"),
        ("work_srep16696_jats.json", "1 papers"),
        ("works_author_boettiger.json", "20 papers"),
        ("works_cursor_page1.json", "20 papers"),
        ("works_cursor_page2.json", "20 papers"),
        ("works_publisher_name_ptbr.json", "20 papers"),
        ("works_query_ecology_rows2.json", "2 papers"),
        ("works_sample10.json", "10 papers"),
        ("works_sample2.json", "1 papers"),
        ("works_select_authors.json", "3 papers"),
    ];
    let found: Vec<(String, String)> = replies("crossref")
        .into_iter()
        .map(|(name, reply)| match crossref().read(Purpose::Lookup, &reply) {
            Ok(papers) => (name, format!("{} papers", papers.len())),
            Err(error) => (name, error.to_string()),
        })
        .collect();
    assert_eq!(found, expected.map(|(name, outcome)| (name.to_owned(), outcome.to_owned())));
}

/// Adds every value below `value` with its path.
fn flatten(value: &Value, path: &str, found: &mut Facts) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let dot = if path.is_empty() { "" } else { "." };
                flatten(value, &format!("{path}{dot}{name}"), found);
            }
        }
        Value::Array(list) => {
            for value in list {
                flatten(value, &format!("{path}[]"), found);
            }
        }
        Value::String(text) if text != "null" => found.push((path.to_owned(), text.clone())),
        // Some publishers deposit a word such as `null` for nothing.
        Value::String(_) | Value::Null => found.push((path.to_owned(), String::new())),
        other => found.push((path.to_owned(), other.to_string())),
    }
}

/// Returns the works of all responses, and the data around them.
fn recorded() -> (Vec<Value>, Vec<Value>) {
    let (mut works, mut around) = (Vec::new(), Vec::new());
    for reply in replies("crossref").into_values() {
        let Ok(mut body) = serde_json::from_slice::<Value>(&reply.body) else { continue };
        if body["status"] != "ok" {
            continue;
        }
        let message = &mut body["message"];
        match message.get_mut("items").map(Value::take) {
            Some(items) => works.extend(items.as_array().unwrap().clone()),
            None => works.push(message.take()),
        }
        around.push(body);
    }
    (works, around)
}

#[test]
fn no_field_of_a_recorded_response_is_lost() {
    let (items, around) = recorded();
    let mut works = Vec::new();
    for item in &items {
        let body = json!({"status": "ok", "message-type": "work", "message": item}).to_string();
        let reply = Reply { status: 200, media_type: "application/json".into(), body: body.into() };
        let paper = crossref().read(Purpose::Lookup, &reply).unwrap().remove(0);
        let mut fields = Vec::new();
        flatten(item, "", &mut fields);
        works.push(Work::new(fields, &paper));
    }
    assert_eq!(works.len(), 107);
    for body in &around {
        let mut fields = Vec::new();
        flatten(body, "^", &mut fields);
        works.push(Work::new(fields, &Default::default()));
    }
    check(TABLE, &works);
}

/// Mutates one value in a response: removed, doubled, or of another type.
fn swap(value: &mut Value, chance: &mut Chance) {
    let others = [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("\u{0}<p>&lt;"),
        json!([]),
        json!({}),
        json!([[null]]),
        json!([[9_999_999_999_i64, 13, 32]]),
        json!({"date-parts": [["x"]]}),
    ];
    let deeper = match value {
        Value::Object(fields) => fields.len(),
        Value::Array(list) => list.len(),
        _ => 0,
    };
    if deeper == 0 || chance.below(8) == 0 {
        *value = chance.of(&others).clone();
        return;
    }
    let index = chance.below(deeper);
    match value {
        Value::Object(fields) => swap(fields.values_mut().nth(index).unwrap(), chance),
        Value::Array(list) if chance.below(4) == 0 => {
            let twice = list[index].clone();
            list.push(twice);
        }
        Value::Array(list) => swap(&mut list[index], chance),
        _ => {}
    }
}

// proves: D2
#[test]
fn five_thousand_damaged_answers_break_nothing_and_none_that_is_cut_off_counts_as_whole() {
    let (mut items, _) = recorded();
    for item in &mut items {
        // The reference lists are most of the data, and are not read.
        item.as_object_mut().map(|fields: &mut Map<String, Value>| fields.remove("reference"));
    }
    let errors: Vec<Reply> = replies("crossref")
        .into_values()
        .filter(|reply| crossref().read(Purpose::Lookup, reply).is_err())
        .collect();
    let mut chance = Chance(1);
    let mut read = 0;
    for round in 0..5_000 {
        let some: Vec<Value> = (0..=chance.below(2)).map(|_| chance.of(&items).clone()).collect();
        let mut body =
            json!({"status": "ok", "message-type": "work-list", "message": {"items": some}});
        for _ in 0..chance.below(6) {
            swap(&mut body, &mut chance);
        }
        let mut reply = Reply {
            status: 200,
            media_type: "application/json".into(),
            body: body.to_string().into(),
        };
        if round % 50 == 0 {
            reply = chance.of(&errors).clone();
        }
        let cut = reply.body[..chance.below(reply.body.len())].to_vec();
        assert!(
            crossref().read(Purpose::Lookup, &Reply { body: cut, ..reply.clone() }).is_err()
                || reply.status == 404
        );
        if round % 2 == 0 {
            reply.body = damaged(&reply.body, &mut chance);
        }
        if let Ok(papers) = crossref().read(Purpose::Lookup, &reply) {
            read += 1;
            assert!(
                papers.iter().all(|paper| !paper.title.is_empty() && !paper.title.contains('\n'))
            );
        }
    }
    assert!((500..4_900).contains(&read), "{read} damaged answers could be read");
}

#[test]
fn an_abstract_loses_nothing_but_its_heading() {
    let (items, _) = recorded();
    let mut read = 0;
    for item in &items {
        let Some(deposited) = item["abstract"].as_str() else { continue };
        let body = json!({"status": "ok", "message-type": "work", "message": item}).to_string();
        let reply = Reply { status: 200, media_type: "application/json".into(), body: body.into() };
        let kept = crossref().read(Purpose::Lookup, &reply).unwrap().remove(0).summary.unwrap();
        let mut bare = String::new();
        for (index, piece) in deposited.split('<').enumerate() {
            let text = if index == 0 { piece } else { piece.split_once('>').unwrap().1 };
            bare.push_str(text);
        }
        let bare = bare.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
        let letters = |text: &str| text.nfkc().filter(|c| c.is_alphanumeric()).collect::<String>();
        let (bare, kept_letters) = (letters(&bare), letters(&kept));
        assert!(bare.ends_with(&kept_letters), "{bare}\n{kept_letters}");
        let heading = &bare[..bare.len() - kept_letters.len()];
        assert!(
            ["", "abstract", "summary"].contains(&heading.to_lowercase().as_str()),
            "{heading}"
        );
        let paragraphs = deposited.matches("<jats:p>").count().max(1);
        assert!(kept.split("\n\n").count() + 1 >= paragraphs, "{kept}");
        read += 1;
    }
    assert_eq!(read, 47);
}
