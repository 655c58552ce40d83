use proptest::prelude::*;
use serde_json::{Value, json};

use papers::{Author, Date, Kind};

use super::*;

fn crossref() -> Crossref {
    Crossref::new(Url::parse(Crossref::BASE).unwrap(), Some("someone@example.org".into()))
}

fn reply(status: u16, media_type: &str, body: &str) -> Reply {
    Reply { status, media_type: media_type.into(), body: body.into() }
}

fn read(body: &Value) -> Result<Vec<Paper>, PortError> {
    crossref().read(Purpose::Search, &reply(200, "application/json", &body.to_string()))
}

fn list(items: &Value) -> Value {
    let total = items.as_array().map_or(0, Vec::len);
    json!({"status": "ok", "message-type": "work-list", "message-version": "1.0.0",
        "message": {"facets": {}, "total-results": total, "items": items, "items-per-page": 20}})
}

fn one(item: &Value) -> Paper {
    let body = json!({"status": "ok", "message-type": "work", "message": item});
    read(&body).unwrap().remove(0)
}

#[test]
fn a_search_asks_for_articles_of_the_years_and_gives_a_contact() {
    let query = Query {
        from_year: Some(2019),
        to_year: Some(2021),
        ..Query::new("do gulls & terns\n sleep?", 20)
    };
    let url = crossref().search(&query).url;
    assert_eq!(
        url.as_str(),
        "https://api.crossref.org/works?query.bibliographic=do+gulls+%26+terns+sleep%3F&rows=20&filter=type%3Ajournal-article%2C\
         type%3Aproceedings-article%2Ctype%3Aposted-content%2Cfrom-pub-date%3A2019%2Cuntil-pub-date%3A2021&mailto=someone%40example.org"
    );
    let published = crossref().search(&Query { published: true, ..query }).url;
    let filter = published.query_pairs().find(|(name, _)| name == "filter").unwrap().1.into_owned();
    assert_eq!(
        filter,
        "type:journal-article,type:proceedings-article,from-pub-date:2019,until-pub-date:2021"
    );
    let base = Url::parse("http://127.0.0.1:8080/crossref/").unwrap();
    let url = Crossref::new(base, None).search(&Query::new("x".repeat(100_000), 0)).url;
    assert!(
        url.as_str().starts_with("http://127.0.0.1:8080/crossref/works?query.bibliographic=xxx")
    );
    assert!(
        url.as_str().contains("&rows=1&")
            && !url.as_str().contains("mailto")
            && url.as_str().len() < 2_000
    );
}

#[test]
fn a_doi_is_one_segment_of_the_path_whatever_is_in_it() {
    let lookup = |doi: &str| {
        crossref().lookup(&PaperId::Doi(doi.into())).map(|request| request.url.to_string())
    };
    for (doi, path) in [
        ("10.1038/s42256-024-00832-8", "10.1038%2Fs42256-024-00832-8"),
        (
            "10.1002/(sici)1097-4679(199911)55:11<1395::aid-x>3.0.co;2-#?a=b",
            "10.1002%2F(sici)1097-4679(199911)55:11%3C1395::aid-x%3E3.0.co;2-%23%3Fa=b",
        ),
        ("10.1000/../../members", "10.1000%2F..%2F..%2Fmembers"),
        ("10.1000/100%25", "10.1000%2F100%2525"),
    ] {
        let url = format!("https://api.crossref.org/works/{path}?mailto=someone%40example.org");
        assert_eq!(lookup(doi), Some(url), "{doi}");
    }
    let arxiv = PaperId::Arxiv { id: "2005.11401".into(), version: None };
    assert_eq!(crossref().lookup(&arxiv), None);
}

#[test]
fn every_field_that_a_reference_needs_is_kept() {
    let paper = one(&json!({
        "DOI": "10.1000/GULLS.1", "type": "journal-article", "title": ["Gulls &amp; <i>terns</i>\n   asleep"], "subtitle": ["A study"],
        "author": [
            {"given": "Donald", "family": "Hora", "suffix": "Jr.", "sequence": "first", "affiliation": [{"name": "Gull Institute"}]},
            {"name": "The Gull Group", "sequence": "additional"}, {"family": "Plato"}, {"sequence": "additional", "affiliation": []},
        ],
        "editor": [{"given": "Ed", "family": "Itor", "affiliation": [{"name": "Elsewhere"}]}],
        "container-title": ["Journal of Gulls"], "short-container-title": ["J. Gulls"], "volume": "7", "issue": "3", "page": "1-9",
        "article-number": "e1", "publisher": "Gull Press", "publisher-location": "Texel", "language": "en", "edition-number": "2",
        "issued": {"date-parts": [[2019, 5]]}, "published-online": {"date-parts": [[2018, 12, 1]]}, "created": {"date-parts": [[2020, 1, 1]]},
        "abstract": "<jats:title>Abstract</jats:title><jats:p>They do (p &amp;lt; 0.05).</jats:p><jats:p>Often.</jats:p>",
        "URL": "https://doi.org/10.1000/gulls.1", "ISSN": ["0000-0019"], "issn-type": [{"value": "0000-0019", "type": "print"}],
        "ISBN": ["http://id.crossref.org/isbn/9780000000002"], "is-referenced-by-count": 12, "references-count": 34, "subject": ["Ornithology"],
        "funder": [{"name": "Gull Fund", "DOI": "10.13039/1"}], "original-title": ["Slapende meeuwen"],
        "relation": {"has-preprint": [{"id": "10.48550/arXiv.1801.00001", "id-type": "doi"}]},
        "license": [{"URL": "https://creativecommons.org/licenses/by/4.0/", "content-version": "vor", "delay-in-days": 0}],
        "link": [{"URL": "https://gulls.example/1.pdf", "content-type": "application/pdf", "content-version": "vor", "intended-application": "text-mining"}],
    }));
    let person =
        |family: &str, given: &str| Author::Person { family: family.into(), given: given.into() };
    let some = |text: &str| Some(text.to_owned());
    let expected = Paper {
        kind: Kind::Article,
        title: "Gulls & terns asleep: A study".into(),
        authors: vec![
            person("Hora", "Donald, Jr."),
            Author::Named { name: "The Gull Group".into() },
            person("Plato", ""),
        ],
        editors: vec![person("Itor", "Ed")],
        affiliations: vec!["Gull Institute".into()],
        funders: vec!["Gull Fund".into()],
        published: Some(Date { year: 2019, month: Some(5), day: None }),
        venue: some("Journal of Gulls"),
        venue_short: some("J. Gulls"),
        volume: some("7"),
        issue: some("3"),
        pages: some("1-9"),
        article_number: some("e1"),
        edition: some("2"),
        publisher: some("Gull Press"),
        publisher_place: some("Texel"),
        summary: some("They do (p < 0.05).\n\nOften."),
        url: some("https://doi.org/10.1000/gulls.1"),
        pdf_url: some("https://gulls.example/1.pdf"),
        licence: some("https://creativecommons.org/licenses/by/4.0/"),
        language: some("en"),
        citation_count: Some(12),
        reference_count: Some(34),
        open_access: Some(true),
        subjects: vec!["Ornithology".into()],
        notes: vec![
            "Preprint: doi:10.48550/arXiv.1801.00001".into(),
            "Original title: Slapende meeuwen".into(),
        ],
        ids: papers::Ids {
            doi: some("10.1000/gulls.1"),
            arxiv: some("1801.00001"),
            issn: vec!["0000-0019".into()],
            isbn: vec!["9780000000002".into()],
            ..papers::Ids::default()
        },
        found_by: vec![Source::Crossref],
        ..Paper::default()
    };
    assert_eq!(paper, expected);
}

// proves: D3
#[test]
fn what_stands_for_nothing_is_none() {
    let paper = one(&json!({
        "DOI": "10.1000/x", "title": ["Gulls"], "volume": "null", "issue": "NULL", "page": "-", "article-number": "—", "publisher": "null",
        "container-title": ["...", "Journal of Gulls"], "language": " ", "abstract": "<jats:p>-</jats:p>", "edition-number": 0,
        "author": [
            {"family": "-", "given": "Sumaryadi"}, {"family": "Sumaryadi", "given": "-"}, {"family": ".", "given": "--"},
            {"family": "1", "given": "Ibu"}, {"family": "Null", "given": "Jan"}, {"family": "null", "given": "Suharto"},
            {"family": "NULL", "given": "JAN"}, {"family": "王", "given": "伟"}, {"family": "-", "given": "A.", "name": "A. Tern"},
        ],
    }));
    let person =
        |family: &str, given: &str| Author::Person { family: family.into(), given: given.into() };
    let named = |name: &str| Author::Named { name: name.into() };
    let authors = vec![
        named("Sumaryadi"),
        person("Sumaryadi", ""),
        named("Ibu"),
        person("Null", "Jan"),
        named("Suharto"),
        person("NULL", "JAN"),
        person("王", "伟"),
        named("A. Tern"),
    ];
    let expected = Paper {
        kind: Kind::Other,
        title: "Gulls".into(),
        authors,
        venue: Some("Journal of Gulls".into()),
        edition: Some("0".into()),
        ids: papers::Ids { doi: Some("10.1000/x".into()), ..papers::Ids::default() },
        found_by: vec![Source::Crossref],
        ..Paper::default()
    };
    assert_eq!(paper, expected);
}

#[test]
fn a_date_is_that_of_publication_or_none() {
    let date = |item: Value| {
        let mut item = item;
        item["title"] = json!(["T"]);
        one(&item).published.map(|date| date.to_string())
    };
    let parts = |parts: Value| json!({"date-parts": [parts]});
    let none = parts(json!([null]));
    for (item, wanted) in [
        (json!({"issued": none, "created": parts(json!([2004, 6, 22]))}), None),
        (json!({"issued": none, "published-print": parts(json!([1997, 7]))}), Some("1997-07")),
        (json!({"issued": none, "posted": parts(json!([2016, 5, 30]))}), Some("2016-05-30")),
        (json!({"published": parts(json!(["2016", 13, 30]))}), Some("2016")),
        (
            json!({"issued": {"date-parts": []}, "journal-issue": {"published-print": parts(json!([2003]))}}),
            Some("2003"),
        ),
        (json!({"issued": "2016"}), None),
    ] {
        assert_eq!(date(item.clone()).as_deref(), wanted, "{item}");
    }
}

#[test]
fn where_it_stands_depends_on_what_it_is() {
    let places = |item: Value| {
        let paper = one(&item);
        (paper.kind, paper.venue, paper.series, paper.subjects)
    };
    let some = |text: &str| Some(text.to_owned());
    let chapter = json!({"title": ["T"], "type": "book-chapter", "container-title": ["Lecture Notes", "The Book"]});
    assert_eq!(places(chapter), (Kind::Chapter, some("The Book"), some("Lecture Notes"), vec![]));
    let preprint = json!({"title": ["T"], "type": "posted-content", "subtype": "preprint", "institution": [{"name": "bioRxiv"}], "group-title": "Ecology"});
    assert_eq!(places(preprint), (Kind::Preprint, some("bioRxiv"), None, vec!["Ecology".into()]));
    let preprint = json!({"title": ["T"], "type": "posted-content", "group-title": "SSRN"});
    assert_eq!(places(preprint), (Kind::Preprint, some("SSRN"), None, vec![]));
    let talk =
        json!({"title": ["T"], "type": "proceedings-article", "event": {"name": "Gulls '19"}});
    assert_eq!(places(talk), (Kind::ProceedingsArticle, some("Gulls '19"), None, vec![]));
    let unknown = json!({"title": ["T"], "container-title": []});
    assert_eq!(places(unknown), (Kind::Other, None, None, vec![]));
}

#[test]
fn a_retracted_work_is_not_its_notice() {
    let of = |item: Value| {
        let paper = one(&item);
        (paper.retracted, paper.notes)
    };
    let update = |kind: &str| json!([{"type": kind, "DOI": "10.1000/N", "label": "Notice"}]);
    let note = |text: &str| vec![text.to_owned()];
    assert_eq!(
        of(json!({"title": ["T"], "updated-by": update("retraction")})),
        (Some(true), note("Notice: doi:10.1000/n"))
    );
    assert_eq!(of(json!({"title": ["T"], "updated-by": update("withdrawal")})).0, Some(true));
    assert_eq!(
        of(json!({"title": ["T"], "updated-by": update("correction")})),
        (None, note("Notice: doi:10.1000/n"))
    );
    assert_eq!(
        of(json!({"title": ["Retracted: T"], "update-to": update("retraction")})),
        (None, note("Notice of: doi:10.1000/n"))
    );
    assert_eq!(of(json!({"title": ["RETRACTED: T"]})).0, Some(true));
    assert_eq!(of(json!({"title": ["Retracted papers and who cites them"]})).0, None);
}

#[test]
fn one_unreadable_item_loses_no_other() {
    let items = json!([
        7, null, [], "text", {}, {"title": "not a list", "DOI": 5, "author": "nobody", "issued": [[]], "abstract": ["x"], "license": {"a": 1}},
        {"DOI": "10.1000/issue", "type": "journal-issue"}, {"title": [null, 3, "Whole"], "author": [null, 4, {"family": ["x"]}], "volume": 12},
        {"title": [], "subtitle": ["Only a subtitle"]},
    ]);
    let titles: Vec<String> =
        read(&list(&items)).unwrap().into_iter().map(|paper| paper.title).collect();
    assert_eq!(titles, ["not a list", "3", "Only a subtitle"]);
    assert_eq!(read(&list(&json!([]))), Ok(vec![]));
    assert_eq!(
        one(&json!({"DOI": "10.1000/untitled"})).ids.doi.as_deref(),
        Some("10.1000/untitled")
    );
}

#[test]
fn half_a_letter_in_a_title_costs_that_work_alone() {
    let whole = json!({"DOI": "10.1000/a", "title": ["Whole"]}).to_string();
    let broken = whole.replace("Whole", r"\ud800");
    let body = list(&json!([])).to_string();
    let body = body.replace("[]", &format!("[{broken},{whole}]"));
    let papers = crossref().read(Purpose::Search, &reply(200, "application/json", &body)).unwrap();
    assert_eq!(papers.len(), 1);
    assert_eq!(papers[0].title, "Whole");
}

// proves: A2
#[test]
fn what_cannot_be_read_or_is_not_sent_is_not_nothing_found() {
    let said = |body: &Value| read(body).unwrap_err().to_string();
    let unreadable = "Crossref sent an unusable answer: items, none of them readable";
    assert_eq!(said(&list(&json!([7, [], {"x": 1}]))), unreadable);
    assert_eq!(said(&json!({"status": "ok", "message-type": "work", "message": {}})), unreadable);
    let mut counted = list(&json!([]));
    counted["message"]["total-results"] = json!(900);
    assert_eq!(
        said(&counted),
        "Crossref sent an unusable answer: a count of 900 results, but none of them"
    );
    let unknown = reply(404, "text/plain", "Resource not found.");
    assert_eq!(crossref().read(Purpose::Lookup, &unknown), Ok(vec![]));
    let lost = reply(404, "text/html", "<html><title>404</title>");
    let refused = crossref().read(Purpose::Lookup, &lost);
    assert!(matches!(refused, Err(PortError::Refused { status: 404, .. })));
}

#[test]
fn what_is_no_answer_is_an_error_that_says_what_it_is() {
    let said = |status: u16, media_type: &str, body: &str| match crossref()
        .read(Purpose::Search, &reply(status, media_type, body))
    {
        Ok(papers) => format!("{} papers", papers.len()),
        Err(error) => error.to_string(),
    };
    let failure = json!({"status": "failed", "message-type": "validation-failure", "message": [
        {"type": "integer-not-valid", "value": "things", "message": "Integer specified as things but must be positive. "},
        {"type": "parameter-not-allowed", "value": "facet", "message": "This route does not"}]});
    let exception = json!({"status": "error", "message-type": "exception", "message": {"name": "class X", "message": "Response Exception", "stack": []}});
    let page = "<html>\n<head><title>504 Gateway Time-out</title></head></html>";
    for (status, media_type, body, message) in [
        (
            404,
            "text/plain",
            "Resource not found.",
            "Crossref refused the request with status 404: Resource not found.",
        ),
        (
            400,
            "application/json",
            failure.to_string().as_str(),
            "Crossref refused the request with status 400: Integer specified as things but must be positive.; This route does not (facet)",
        ),
        (
            500,
            "application/json",
            exception.to_string().as_str(),
            "Crossref failed with status 500: Response Exception",
        ),
        (
            200,
            "application/json",
            exception.to_string().as_str(),
            "Crossref sent an unusable answer: an error: Response Exception",
        ),
        (
            200,
            "text/html",
            page,
            "Crossref sent an unusable answer: an HTML page titled '504 Gateway Time-out'",
        ),
        (
            504,
            "text/html",
            page,
            "Crossref failed with status 504: an HTML page titled '504 Gateway Time-out'",
        ),
        (
            404,
            "text/html",
            page,
            "Crossref refused the request with status 404: an HTML page titled '504 Gateway Time-out'",
        ),
        (
            200,
            "text/html",
            "<html><body><h1>429 Too Many Requests</h1>",
            "Crossref sent an unusable answer: an HTML page",
        ),
        (200, "application/json", "", "Crossref sent an unusable answer: nothing"),
        (
            200,
            "application/json",
            r#"{"status":"ok","mess"#,
            "Crossref sent an unusable answer: broken JSON: EOF while parsing a string at line 1 column 20",
        ),
        (
            200,
            "application/json",
            r#"{"status":"ok","message-type":"work-list","message":{}}"#,
            "Crossref sent an unusable answer: no list of works",
        ),
        (
            200,
            "application/json",
            r#"{"status":"ok","message-type":"member","message":{}}"#,
            "Crossref sent an unusable answer: something that is neither a work nor a list of works",
        ),
    ] {
        assert_eq!(said(status, media_type, body), message);
    }
    let deep = "[".repeat(100_000);
    assert!(
        said(200, "application/json", &deep)
            .starts_with("Crossref sent an unusable answer: broken JSON")
    );
}

proptest! {
    #[test]
    fn a_damaged_answer_breaks_nothing_and_one_that_is_cut_off_is_none(at in 0..100_000_usize, byte: u8, cut: bool) {
        let item = json!({"DOI": "10.1000/x", "title": ["A <i>title</i>"], "abstract": "<jats:p>x &lt; y</jats:p>", "issued": {"date-parts": [[2019, 5]]},
            "author": [{"given": "A", "family": "B"}], "license": [{"URL": "https://creativecommons.org/licenses/by/4.0/"}]});
        let mut body = list(&json!([item])).to_string().into_bytes();
        let at = at % body.len();
        body[at] = byte;
        if cut {
            body.truncate(at);
        }
        let read = crossref().read(Purpose::Search, &Reply { status: 200, media_type: "application/json".into(), body });
        prop_assert!(!cut || read.is_err());
    }
}
