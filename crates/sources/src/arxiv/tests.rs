use proptest::prelude::*;

use papers::{Author, Date, Ids, Kind};

use super::*;

fn arxiv() -> Arxiv {
    Arxiv::new(Url::parse(Arxiv::BASE).unwrap())
}

fn read(status: u16, body: &str) -> Result<Vec<Paper>, PortError> {
    read_as(Purpose::Search, status, body)
}

fn read_as(asked: Purpose, status: u16, body: &str) -> Result<Vec<Paper>, PortError> {
    arxiv().read(
        asked,
        &Reply { status, media_type: "application/atom+xml".into(), body: body.into() },
    )
}

/// A feed in the format since 2026.
fn feed(entries: &str) -> String {
    let total = entries.matches("<entry").count();
    format!(
        r#"<?xml version='1.0' encoding='UTF-8'?>
<feed xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom" xmlns="http://www.w3.org/2005/Atom">
  <id>https://arxiv.org/api/x</id><title>arXiv Query: search_query=all:gulls</title><updated>2026-04-12T22:09:27Z</updated>
  <link href="https://arxiv.org/api/query?search_query=all:gulls" type="application/atom+xml"/>
  <opensearch:itemsPerPage>10</opensearch:itemsPerPage><opensearch:totalResults>{total}</opensearch:totalResults>{entries}
</feed>"#
    )
}

const NEW: &str = r#"<entry>
    <id>http://arxiv.org/abs/2401.00001v2</id>
    <title>Do $\alpha$-gulls &amp; terns sleep?</title>
    <updated>2024-02-03T16:11:45Z</updated>
    <link href="https://arxiv.org/abs/2401.00001v2" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/2401.00001v2" rel="related" type="application/pdf" title="pdf"/>
    <summary>They do, if $x &lt; 5$. \emph{Often}.</summary>
    <category term="q-bio.PE" scheme="http://arxiv.org/schemas/atom"/>
    <category term="stat.AP" scheme="http://arxiv.org/schemas/atom"/>
    <published>2024-01-01T16:11:45Z</published>
    <arxiv:comment>9 pages</arxiv:comment>
    <arxiv:primary_category term="stat.AP"/>
    <arxiv:journal_ref>J. Gulls 7 (2024) 1-9</arxiv:journal_ref>
    <author><name>Nikolaas van der Tern</name><arxiv:affiliation>Gull Institute</arxiv:affiliation></author>
    <author><name>The Gull Collaboration</name><arxiv:affiliation>Gull Institute</arxiv:affiliation></author>
    <arxiv:doi>10.1000/GULLS.1</arxiv:doi>
    <link rel="related" href="https://doi.org/10.1000/GULLS.1" title="doi"/>
  </entry>"#;

/// A feed in the format until 2025.
const OLD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?search_query%3Dgulls" rel="self" type="application/atom+xml"/>
  <title type="html">ArXiv Query: search_query=gulls</title><id>http://arxiv.org/api/x</id><updated>2025-10-17T00:00:00-04:00</updated>
  <opensearch:totalResults xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">1</opensearch:totalResults>
  <entry>
    <id>http://arxiv.org/abs/2401.00001v2</id>
    <updated>2024-02-03T16:11:45Z</updated>
    <published>2024-01-01T16:11:45Z</published>
    <title>Do $\alpha$-gulls &amp; terns
  sleep?</title>
    <summary>  They do, if
$x &lt; 5$. \emph{Often}.
</summary>
    <author><name>Nikolaas van der Tern</name>
      <arxiv:affiliation xmlns:arxiv="http://arxiv.org/schemas/atom">Gull Institute</arxiv:affiliation></author>
    <author><name>The Gull Collaboration</name></author>
    <arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">10.1000/GULLS.1</arxiv:doi>
    <link title="doi" href="http://dx.doi.org/10.1000/GULLS.1" rel="related"/>
    <arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">9
  pages</arxiv:comment>
    <arxiv:journal_ref xmlns:arxiv="http://arxiv.org/schemas/atom">J. Gulls 7 (2024) 1-9</arxiv:journal_ref>
    <link href="http://arxiv.org/abs/2401.00001v2" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/2401.00001v2" rel="related" type="application/pdf"/>
    <arxiv:primary_category xmlns:arxiv="http://arxiv.org/schemas/atom" term="stat.AP" scheme="http://arxiv.org/schemas/atom"/>
    <category term="stat.AP" scheme="http://arxiv.org/schemas/atom"/>
    <category term="q-bio.PE" scheme="http://arxiv.org/schemas/atom"/>
  </entry>
</feed>"#;

// proves: D2
#[test]
fn a_search_asks_for_the_most_relevant_and_a_lookup_for_the_version() {
    let url = arxiv().search(&Query::new("gulls & terns", 5)).url;
    assert_eq!(
        url.as_str(),
        "https://export.arxiv.org/api/query?search_query=%28ti%3A%22gulls+terns%22+OR+%28all%3Agulls+AND+all%3Aterns%29%29\
         &start=0&max_results=5&sortBy=relevance&sortOrder=descending"
    );
    let local = Arxiv::new(Url::parse("http://127.0.0.1:9/replay").unwrap());
    let lookup =
        |id: &str| local.lookup(&id.parse().unwrap()).map(|request| request.url.to_string());
    let asks =
        |id: &str| Some(format!("http://127.0.0.1:9/replay/api/query?id_list={id}&max_results=1"));
    assert_eq!(lookup("arxiv:2005.11401"), asks("2005.11401"));
    assert_eq!(lookup("arxiv:2005.11401v2"), asks("2005.11401v2"));
    assert_eq!(lookup("arxiv:hep-th/9901001"), asks("hep-th%2F9901001"));
    assert_eq!(lookup("doi:10.1000/x"), None);
}

#[test]
fn the_old_feed_and_the_new_say_the_same() {
    let expected = Paper {
        kind: Kind::Preprint,
        title: "Do $\\alpha$-gulls & terns sleep?".into(),
        authors: vec![
            Author::Person { family: "van der Tern".into(), given: "Nikolaas".into() },
            Author::Named { name: "The Gull Collaboration".into() },
        ],
        affiliations: vec!["Gull Institute".into()],
        published: Some(Date { year: 2024, month: Some(1), day: Some(1) }),
        updated: Some(Date { year: 2024, month: Some(2), day: Some(3) }),
        publisher: Some("arXiv".into()),
        summary: Some("They do, if $x < 5$. \\emph{Often}.".into()),
        ids: Ids {
            doi: Some("10.1000/gulls.1".into()),
            arxiv: Some("2401.00001".into()),
            arxiv_version: Some(2),
            ..Ids::default()
        },
        url: Some("https://arxiv.org/abs/2401.00001v2".into()),
        pdf_url: Some("https://arxiv.org/pdf/2401.00001v2".into()),
        open_access: Some(true),
        subjects: vec!["stat.AP".into(), "q-bio.PE".into()],
        notes: vec!["J. Gulls 7 (2024) 1-9".into(), "9 pages".into()],
        found_by: vec![Source::Arxiv],
        ..Paper::default()
    };
    assert_eq!(read(200, &feed(NEW)), Ok(vec![expected.clone()]));
    assert_eq!(read(200, OLD), Ok(vec![expected]));
    assert_eq!(read(200, &feed("")), Ok(vec![]));
}

#[test]
fn one_unreadable_entry_loses_no_other_and_what_is_missing_is_left_out() {
    let entries = format!(
        "<entry/><entry></entry><entry><id>http://arxiv.org/abs/nothing</id><title>T</title></entry>\
         <entry><id>http://arxiv.org/abs/2401.00009v1</id></entry>{NEW}\
         <entry><id>http://arxiv.org/abs/hep-th/9901001v3</id><title>Bare &nbsp;title</title><published>long ago</published>\
         <category/><link/><author/><author><name> </name></author><arxiv:doi>10.1000/a 10.1000/b</arxiv:doi></entry>"
    );
    let papers = read(200, &feed(&entries)).unwrap();
    assert_eq!(papers.len(), 2);
    let bare = Paper {
        kind: Kind::Preprint,
        title: "Bare &nbsp;title".into(),
        publisher: Some("arXiv".into()),
        url: Some("https://arxiv.org/abs/hep-th/9901001v3".into()),
        pdf_url: Some("https://arxiv.org/pdf/hep-th/9901001v3".into()),
        ids: Ids {
            doi: Some("10.1000/a".into()),
            arxiv: Some("hep-th/9901001".into()),
            arxiv_version: Some(3),
            ..Ids::default()
        },
        open_access: Some(true),
        found_by: vec![Source::Arxiv],
        ..Paper::default()
    };
    assert_eq!(papers[1], bare);
}

#[test]
fn what_is_withdrawn_is_said_to_be() {
    let of = |comment: &str, summary: &str| {
        let entry = format!(
            "<entry><id>http://arxiv.org/abs/2401.00001v2</id><title>T</title><summary>{summary}</summary>\
             <arxiv:comment>{comment}</arxiv:comment></entry>"
        );
        let paper = read(200, &feed(&entry)).unwrap().remove(0);
        (paper.retracted, paper.pdf_url.is_some())
    };
    assert_eq!(of("This paper has been withdrawn by the authors", "S"), (Some(true), false));
    assert_eq!(of("Withdrawn due to an error", "S"), (Some(true), false));
    assert_eq!(of("", "This submission has been withdrawn"), (Some(true), false));
    assert_eq!(of("9 pages", "We study how gulls were withdrawn from zoos."), (None, true));
    assert_eq!(of("Withdrawn from PRL; published in JHEP", "S"), (None, true));
    assert_eq!(of("", "Withdrawn adolescents are at risk of depression."), (None, true));
    assert_eq!(of("", "Its editors told us that this paper was withdrawn."), (None, true));
}

// proves: A2
#[test]
fn what_cannot_be_read_or_is_not_sent_is_not_nothing_found() {
    let unreadable = "<entry/><entry><id>http://arxiv.org/abs/nothing</id><title>T</title></entry>";
    for asked in [Purpose::Search, Purpose::Lookup, Purpose::Batch] {
        let error = read_as(asked, 200, &feed(unreadable)).unwrap_err().to_string();
        assert_eq!(
            error, "arXiv sent an unusable answer: entries, none of them readable",
            "{asked:?}"
        );
    }
    // This is how arXiv answered for unknown ids.
    let bare = feed("<entry><id>http://arxiv.org/abs/2401.00009v1</id></entry>");
    assert_eq!(read_as(Purpose::Lookup, 200, &bare), Ok(vec![]));
    assert!(read(200, &bare).is_err());
    let counted = feed("").replace("totalResults>0<", "totalResults>1234<");
    let error = read(200, &counted).unwrap_err().to_string();
    assert_eq!(error, "arXiv sent an unusable answer: a count of 1234 results, but none of them");
    assert_eq!(read_as(Purpose::Lookup, 200, &counted), Ok(vec![]));
}

#[test]
fn many_papers_are_asked_for_at_once_with_their_versions() {
    let batch = |ids: &[&str]| {
        let ids: Vec<PaperId> = ids.iter().map(|id| id.parse().unwrap()).collect();
        let url = arxiv().batch(&ids)?.url;
        let pairs: Vec<String> =
            url.query_pairs().map(|(name, value)| format!("{name}={value}")).collect();
        Some(pairs.join(" "))
    };
    let ids = [
        "arxiv:2005.11401v2",
        "doi:10.1000/x",
        "arxiv:hep-th/9901001",
        "arxiv:2401.00001",
        "arxiv:hep-th/9901001",
    ];
    let asked = "id_list=2005.11401v2,hep-th/9901001,2401.00001 max_results=3";
    assert_eq!(batch(&ids).as_deref(), Some(asked));
    // Two versions of one paper are looked up separately.
    let versions =
        ["arxiv:2005.11401v1", "arxiv:2005.11401v2", "arxiv:2401.00001", "arxiv:2401.00002"];
    let asked = "id_list=2401.00001,2401.00002 max_results=2";
    assert_eq!(batch(&versions).as_deref(), Some(asked));
    assert_eq!(batch(&["arxiv:2401.00001", "doi:10.1000/x"]), None);
    let many: Vec<String> = (0..150).map(|number| format!("arxiv:2401.{number:05}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let asked = batch(&many).unwrap();
    assert!(asked.ends_with(",2401.00099 max_results=100"), "{asked}");
}

#[test]
fn paragraphs_of_an_abstract_stay() {
    let entry = "<entry><id>http://arxiv.org/abs/2401.00001</id><title>T</title><summary>  One\ntwo.\n  Three\nfour.\n\nFive.\n</summary></entry>";
    let paper = read(200, &feed(entry)).unwrap().remove(0);
    assert_eq!(paper.summary.as_deref(), Some("One two.\n\nThree four.\n\nFive."));
    assert_eq!(paper.ids.arxiv_version, None);
}

#[test]
fn an_error_is_known_by_its_id_whatever_the_status() {
    let error = |scheme: &str| {
        feed(&format!(
            "<entry><id>{scheme}://arxiv.org/api/errors#incorrect_id_format_for_abc</id><title>Error</title>\
             <summary>incorrect id format for abc</summary><author><name>arXiv api core</name></author></entry>"
        ))
    };
    for (status, scheme) in [(400, "https"), (200, "http")] {
        let said = read(status, &error(scheme)).unwrap_err().to_string();
        assert_eq!(said, "arXiv refused the request with status 400: incorrect id format for abc");
    }
}

#[test]
fn what_is_no_feed_is_an_error_that_says_what_it_is() {
    let cut = feed(NEW);
    for (status, body, message) in [
        (200, "", "arXiv sent an unusable answer: an empty body"),
        (200, "Rate exceeded.", "arXiv sent an unusable answer: no feed but 'Rate exceeded.'"),
        (
            400,
            "Bad request",
            "arXiv refused the request with status 400: no feed but 'Bad request'",
        ),
        (
            503,
            "<html><head><title>Busy</title>",
            "arXiv failed with status 503: an HTML page titled 'Busy'",
        ),
        (
            200,
            "<!DOCTYPE html>\n<html><head><title>arXiv.org - Automated Access</title>",
            "arXiv sent an unusable answer: an HTML page titled 'arXiv.org - Automated Access'",
        ),
        (
            200,
            "<rss><channel/></rss>",
            "arXiv sent an unusable answer: no feed but '<rss><channel/></rss>'",
        ),
        (200, "<feed></entry>", "arXiv sent an unusable answer: a feed that stops being XML"),
        (
            200,
            cut.split_at(cut.len() - 8).0,
            "arXiv sent an unusable answer: a feed that breaks off",
        ),
        (
            200,
            cut.split_at(cut.find("<summary>").unwrap()).0,
            "arXiv sent an unusable answer: a feed that breaks off",
        ),
    ] {
        assert_eq!(read(status, body).unwrap_err().to_string(), message);
    }
    let deep = format!("<feed>{}", "<entry>".repeat(100_000));
    assert!(read(200, &deep).unwrap_err().to_string().ends_with("nested too deeply"));
}

proptest! {
    #[test]
    fn a_damaged_feed_breaks_nothing_and_one_that_is_cut_off_is_none(at in 0..100_000_usize, byte: u8, cut: bool, old: bool) {
        let mut body = if old { OLD.as_bytes().to_vec() } else { feed(NEW).into_bytes() };
        let at = at % body.len();
        body[at] = byte;
        if cut {
            body.truncate(at);
        }
        let read = arxiv().read(Purpose::Search, &Reply { status: 200, media_type: String::new(), body });
        prop_assert!(!cut || read.is_err());
    }
}
