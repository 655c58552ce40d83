//! Responses of arXiv, from 2025 and 2026.

use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use reqwest::Url;

use super::{Chance, Dropped, Facts, Fate, Kept, Same, Work, check, damaged, replies};
use crate::arxiv::Arxiv;
use crate::service::{Purpose, Reply, Scholarly as _};

const OF_THE_FEED: &str = "it is about the feed, and no paper";
const SAID_BY_THE_NAME: &str = "it says what the field is, which its name does";

const TABLE: &[(&str, Fate)] = &[
    ("feed/entry/id", Kept("ids.arxiv")),
    ("feed/entry/title", Same("title")),
    ("feed/entry/summary", Same("abstract")),
    ("feed/entry/published", Same("published_text")),
    ("feed/entry/updated", Same("updated_text")),
    ("feed/entry/author/name", Same("author_names")),
    ("feed/entry/author/affiliation", Same("affiliations")),
    ("feed/entry/comment", Same("notes")),
    ("feed/entry/journal_ref", Same("notes")),
    ("feed/entry/doi", Same("ids.doi")),
    ("feed/entry/primary_category@term", Same("subjects")),
    ("feed/entry/primary_category@scheme", Dropped(SAID_BY_THE_NAME)),
    ("feed/entry/category@term", Same("subjects")),
    ("feed/entry/category@scheme", Dropped(SAID_BY_THE_NAME)),
    ("feed/entry/link@href", Same("addresses")),
    ("feed/entry/link@rel", Dropped("it says which address of the paper the link is")),
    ("feed/entry/link@title", Dropped("it says which address of the paper the link is")),
    ("feed/entry/link@type", Dropped("it says which address of the paper the link is")),
    ("feed/id", Dropped(OF_THE_FEED)),
    ("feed/title", Dropped(OF_THE_FEED)),
    ("feed/title@type", Dropped(OF_THE_FEED)),
    ("feed/updated", Dropped(OF_THE_FEED)),
    ("feed/link@href", Dropped(OF_THE_FEED)),
    ("feed/link@rel", Dropped(OF_THE_FEED)),
    ("feed/link@type", Dropped(OF_THE_FEED)),
    ("feed/totalResults", Dropped(OF_THE_FEED)),
    ("feed/startIndex", Dropped(OF_THE_FEED)),
    ("feed/itemsPerPage", Dropped(OF_THE_FEED)),
];

fn arxiv() -> Arxiv {
    Arxiv::new(Url::parse(Arxiv::BASE).unwrap())
}

// proves: D2
#[test]
fn every_recorded_response_reads_as_it_should() {
    let expected = [
        ("id_0808.05394_s0_m100.xml", "0 papers"),
        ("id_2104.12255v1_s0_m100.xml", "1 papers"),
        (
            "id_abc_s0_m100.xml",
            "arXiv refused the request with status 400: incorrect id format for abc",
        ),
        ("oldformat_2025_arxiv_empty.xml", "0 papers"),
        ("oldformat_2025_arxiv_response.xml", "2 papers"),
        ("q_testing_s0_m10.xml", "10 papers"),
        ("q_testing_s0_m100.xml", "100 papers"),
        ("q_testing_s0_m15.xml", "15 papers"),
        ("q_testing_s30_m10.xml", "10 papers"),
        ("q_testing_s40_m10.xml", "10 papers"),
        ("q_testing_s50_m10.xml", "10 papers"),
        ("q_testing_s9_m15.xml", "15 papers"),
        (
            "synthetic_captcha.html",
            "arXiv sent an unusable answer: an HTML page titled 'arXiv.org - Automated Access Detected'",
        ),
    ];
    let found: Vec<(String, String)> = replies("arxiv")
        .into_iter()
        .map(|(name, reply)| match arxiv().read(Purpose::Lookup, &reply) {
            Ok(papers) => (name, format!("{} papers", papers.len())),
            Err(error) => (name, error.to_string()),
        })
        .collect();
    assert_eq!(found, expected.map(|(name, outcome)| (name.to_owned(), outcome.to_owned())));
}

/// Returns the content of each entry of a feed, path by path, and of the feed itself.
fn parse_entries(body: &[u8]) -> (Vec<Facts>, Facts) {
    let text = std::str::from_utf8(body).unwrap();
    let mut reader = Reader::from_str(text);
    let (mut entries, mut feed): (Vec<Facts>, Facts) = Default::default();
    let mut path: Vec<String> = Vec::new();
    let mut said = String::new();
    loop {
        let event = reader.read_event().unwrap();
        let mut facts = Facts::new();
        match &event {
            Event::Start(start) | Event::Empty(start) => {
                path.push(start.local_name().as_ref().to_owned());
                if path == ["feed", "entry"] {
                    entries.push(Vec::new());
                }
                for attribute in start.attributes().flatten() {
                    let name = attribute.key.local_name().as_ref().to_owned();
                    if attribute.key.as_ref().starts_with("xmlns") {
                        continue;
                    }
                    let value = attribute.normalized_value(XmlVersion::Implicit1_0).unwrap();
                    let value = value
                        .split_once("://")
                        .map_or(&*value, |(_, rest)| rest)
                        .replace("dx.doi", "doi");
                    facts.push((format!("{}@{name}", path.join("/")), value));
                }
                said.clear();
            }
            Event::Text(part) => said.push_str(&part.xml10_content()),
            Event::GeneralRef(entity) => said.push_str(&format!("&{};", entity.xml10_content())),
            Event::End(_) => {
                let dated =
                    matches!(path.last().map(String::as_str), Some("published" | "updated"));
                let value = if dated { said[..10].to_owned() } else { std::mem::take(&mut said) };
                if !value.trim().is_empty() {
                    facts.push((path.join("/"), value));
                }
                said.clear();
            }
            Event::Eof => return (entries, feed),
            _ => {}
        }
        if path.get(1).is_some_and(|name| name == "entry") {
            entries.last_mut().unwrap().extend(facts);
        } else {
            feed.extend(facts);
        }
        if matches!(event, Event::Empty(_) | Event::End(_)) {
            path.pop();
        }
    }
}

#[test]
fn no_field_of_a_recorded_response_is_lost() {
    let mut works = Vec::new();
    for reply in replies("arxiv").into_values() {
        let Ok(papers) = arxiv().read(Purpose::Lookup, &reply) else { continue };
        let (entries, feed) = parse_entries(&reply.body);
        assert_eq!(entries.len(), papers.len());
        works.push(Work::new(feed, &Default::default()));
        works
            .extend(entries.into_iter().zip(&papers).map(|(entry, paper)| Work::new(entry, paper)));
    }
    assert_eq!(works.len(), 184);
    check(TABLE, &works);
}

/// Returns feeds of a few entries each, including the errors.
fn small_feeds() -> Vec<Reply> {
    let mut feeds = Vec::new();
    for (name, reply) in replies("arxiv") {
        let text = String::from_utf8(reply.body.clone()).unwrap();
        let mut entries: Vec<&str> = text.split_inclusive("</entry>").collect();
        let Some(end) = entries.pop().filter(|_| entries.len() > 2 && name.contains("m10")) else {
            feeds.push(reply);
            continue;
        };
        let head = text.split("<entry>").next().unwrap();
        for entries in entries[1..].chunks(2) {
            let body = [head, &entries.concat(), end].concat().into_bytes();
            feeds.push(Reply { body, ..reply.clone() });
        }
    }
    feeds
}

// proves: D2
#[test]
fn five_thousand_damaged_feeds_break_nothing_and_none_that_is_cut_off_counts_as_whole() {
    let feeds = small_feeds();
    assert!(
        feeds.len() > 50
            && feeds
                .iter()
                .all(|feed| arxiv().read(Purpose::Lookup, feed).is_ok() || feed.body.len() < 2_000)
    );
    let mut chance = Chance(1);
    let mut read = 0;
    for _ in 0..5_000 {
        let feed = chance.of(&feeds);
        let body = damaged(&feed.body, &mut chance);
        if let Ok(papers) = arxiv().read(Purpose::Lookup, &Reply { body, ..feed.clone() }) {
            read += 1;
            assert!(
                papers.iter().all(|paper| paper.ids.arxiv.is_some() && !paper.title.contains('\n'))
            );
        }
        let whole = feed.body.trim_ascii_end().len();
        let body = feed.body[..chance.below(whole)].to_vec();
        assert!(arxiv().read(Purpose::Lookup, &Reply { body, ..feed.clone() }).is_err());
    }
    assert!((500..4_500).contains(&read), "{read} damaged feeds could be read");
}
