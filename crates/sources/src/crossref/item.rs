//! A work as Crossref describes it.

use serde_json::Value;

use papers::{Author, Date, Ids, Kind, Paper, Source, arxiv_id, doi};

use super::rights;
use crate::json::{self, link, number};
use crate::markup::{distinct, plain};

/// Reads the paper that an item describes; returns `None` if the item has neither a title nor a DOI.
///
/// Fields that are missing or of the wrong type are skipped.
pub(super) fn read(item: &Value) -> Option<Paper> {
    let title = read_title(item);
    let doi = item["DOI"].as_str().and_then(doi);
    if title.is_empty() && doi.is_none() {
        return None;
    }
    let kind = map_kind(item);
    let places = read_places(item, kind);
    let update = updates(item);
    let rights = rights::read(item);
    let authors = people(item, "author");
    Some(Paper {
        kind,
        authors,
        editors: people(item, "editor"),
        affiliations: affiliations(item),
        funders: distinct(items(&item["funder"]).filter_map(|funder| text(&funder["name"]))),
        published: published(item),
        updated: None,
        venue: places.venue,
        venue_short: first(&item["short-container-title"]),
        series: places.series,
        volume: numbered(&item["volume"]),
        issue: numbered(&item["issue"]).or_else(|| numbered(&item["journal-issue"]["issue"])),
        pages: numbered(&item["page"]),
        article_number: numbered(&item["article-number"]),
        edition: numbered(&item["edition-number"]),
        publisher: text(&item["publisher"]).or(places.publisher),
        publisher_place: text(&item["publisher-location"]),
        summary: summary(item),
        ids: Ids {
            doi,
            arxiv: preprints(item).find_map(|id| arxiv_preprint(&id)),
            issn: numbers(item, "ISSN", "issn-type"),
            isbn: numbers(item, "ISBN", "isbn-type"),
            ..Ids::default()
        },
        url: link(item, "/URL").or_else(|| link(item, "/resource/primary/URL")).map(String::from),
        pdf_url: rights.pdf,
        licence: rights.licence,
        open_access: rights.open.then_some(true),
        language: text(&item["language"]),
        citation_count: number(item, "/is-referenced-by-count"),
        reference_count: number(item, "/references-count")
            .or_else(|| number(item, "/reference-count")),
        retracted: (update.retracted || (!update.notice && is_marked_retracted(&title)))
            .then_some(true),
        subjects: distinct(items(&item["subject"]).filter_map(text).chain(places.subject)),
        notes: notes(item, &title, update.notes),
        found_by: vec![Source::Crossref],
        title,
    })
}

/// Returns the elements of a list; a single value counts as a list of one.
fn items(value: &Value) -> impl Iterator<Item = &Value> {
    match value {
        Value::Array(_) => json::list(value, ""),
        Value::Null => &[],
        one => std::slice::from_ref(one),
    }
    .iter()
}

/// Returns a text or number on one line, without markup. Placeholders such as `-` and `null` give `None`.
fn text(value: &Value) -> Option<String> {
    json::line(value, "").filter(|text| says_something(text))
}

/// Returns whether a text is not a placeholder. `Null` and `NULL` count, since they may be names.
fn says_something(text: &str) -> bool {
    text.contains(char::is_alphanumeric) && text != "null"
}

/// Returns a number field, where `NULL` cannot be a name.
fn numbered(value: &Value) -> Option<String> {
    text(value).filter(|number| !number.eq_ignore_ascii_case("null"))
}

fn first(value: &Value) -> Option<String> {
    items(value).find_map(text)
}

/// Reads title and subtitle. Of several titles the first is used; the others become notes.
fn read_title(item: &Value) -> String {
    let title = first(&item["title"]).unwrap_or_default();
    let Some(subtitle) = first(&item["subtitle"]) else { return title };
    if title.is_empty() || title.to_lowercase().contains(&subtitle.to_lowercase()) {
        return if title.is_empty() { subtitle } else { title };
    }
    let joint = if title.ends_with([':', '?', '!', '.']) { " " } else { ": " };
    format!("{title}{joint}{subtitle}")
}

/// Maps Crossref's types: <https://api.crossref.org/types>.
fn map_kind(item: &Value) -> Kind {
    match item["type"].as_str().unwrap_or_default() {
        "journal-article" => Kind::Article,
        "proceedings-article" => Kind::ProceedingsArticle,
        "posted-content" => match item["subtype"].as_str() {
            Some("dissertation") => Kind::Thesis,
            Some("report") => Kind::Report,
            Some("other" | "letter") => Kind::Other,
            _ => Kind::Preprint,
        },
        "book" | "monograph" | "edited-book" | "reference-book" | "book-set" | "book-series" => {
            Kind::Book
        }
        "book-chapter" | "book-section" | "book-part" | "book-track" | "reference-entry" => {
            Kind::Chapter
        }
        "dissertation" => Kind::Thesis,
        "report" | "report-component" | "report-series" | "standard" => Kind::Report,
        "dataset" | "database" => Kind::Dataset,
        _ => Kind::Other,
    }
}

#[derive(Default)]
struct Places {
    venue: Option<String>,
    series: Option<String>,
    publisher: Option<String>,
    subject: Option<String>,
}

/// Reads the place of publication. For a part of a book or a series, the last container is the book and the first the series. A preprint
/// has its server, named as an institution, and the server's section. A work without a container may have been presented at an event.
fn read_places(item: &Value, kind: Kind) -> Places {
    let containers: Vec<String> = items(&item["container-title"]).filter_map(text).collect();
    let institution = items(&item["institution"]).find_map(|one| text(&one["name"]));
    let group = text(&item["group-title"]);
    let within = matches!(kind, Kind::Chapter | Kind::ProceedingsArticle | Kind::Book);
    match containers.as_slice() {
        [series, .., book] if within => Places {
            venue: Some(book.clone()),
            series: Some(series.clone()),
            publisher: institution,
            subject: group,
        },
        [venue, ..] => Places {
            venue: Some(venue.clone()),
            series: None,
            publisher: institution,
            subject: group,
        },
        [] if item["type"] == "posted-content" => match institution {
            Some(server) => Places { venue: Some(server), subject: group, ..Places::default() },
            None => Places { venue: group, ..Places::default() },
        },
        [] => Places {
            venue: text(&item["event"]["name"]),
            series: None,
            publisher: institution,
            subject: group,
        },
    }
}

/// Returns the people in a role. A suffix follows the given names, as in `Donald, Jr.` A person with only one name is often deposited
/// with a punctuation mark as the other.
fn people(item: &Value, role: &str) -> Vec<Author> {
    let one = |person: &Value| {
        let worded = |name: &Value| text(name).filter(|name| name.contains(char::is_alphabetic));
        let given = worded(&person["given"]);
        let named = text(&person["name"]).or_else(|| text(&person["literal"]));
        let Some(family) = worded(&person["family"]) else {
            return named.or(given).map(|name| Author::Named { name });
        };
        let given = match (given, text(&person["suffix"])) {
            (Some(given), Some(suffix)) => format!("{given}, {suffix}"),
            (given, suffix) => given.or(suffix).unwrap_or_default(),
        };
        Some(Author::Person { family, given })
    };
    items(&item[role]).filter_map(one).collect()
}

fn affiliations(item: &Value) -> Vec<String> {
    let of = |person: &Value| -> Vec<String> {
        items(&person["affiliation"]).filter_map(|place| text(&place["name"])).collect()
    };
    distinct(items(&item["author"]).flat_map(of))
}

/// Returns the date of first publication. The registration date says nothing about it: a work of 1963 was registered in 2009.
fn published(item: &Value) -> Option<Date> {
    const NAMES: [&str; 6] =
        ["issued", "published", "published-print", "published-online", "published-other", "posted"];
    let issue = &item["journal-issue"];
    let of = |value: &Value| {
        let parts = items(items(&value["date-parts"]).next()?)
            .map_while(|part| part.as_i64().or_else(|| part.as_str()?.trim().parse().ok()))
            .collect::<Vec<i64>>();
        Date::of_parts(&parts)
    };
    NAMES
        .iter()
        .find_map(|name| of(&item[name]))
        .or_else(|| of(&issue["published-print"]))
        .or_else(|| of(&issue["published-online"]))
        .or_else(|| of(&item["content-created"]))
}

/// Returns the abstract without a heading such as "Abstract".
fn summary(item: &Value) -> Option<String> {
    const HEADINGS: [&str; 8] = [
        "abstract",
        "summary",
        "resumo",
        "resumen",
        "résumé",
        "zusammenfassung",
        "riassunto",
        "samenvatting",
    ];
    let text = plain(item["abstract"].as_str().or_else(|| item["description"].as_str())?);
    let headed = |paragraph: &str| {
        let heading = paragraph.trim_end_matches([':', '.']).to_lowercase();
        HEADINGS.contains(&heading.as_str())
    };
    let text = match text.split_once("\n\n") {
        Some((first, rest)) if headed(first) => rest.to_owned(),
        _ => text,
    };
    (says_something(&text) && !headed(&text)).then_some(text)
}

/// Returns ISSNs or ISBNs, some of which are deposited as URLs.
fn numbers(item: &Value, name: &str, typed: &str) -> Vec<String> {
    let last = |number: String| number.rsplit('/').next().map(str::to_owned);
    let plain = items(&item[name]).filter_map(text);
    let typed = items(&item[typed]).filter_map(|number| text(&number["value"]));
    distinct(plain.chain(typed).filter_map(last).filter(|number| !number.is_empty()))
}

#[derive(Default)]
struct Updates {
    retracted: bool,
    /// Whether the item is itself a retraction notice for another work.
    notice: bool,
    notes: Vec<String>,
}

/// Reads later updates: `updated-by` lists the notices about a work, `update-to` the works that a notice is about.
fn updates(item: &Value) -> Updates {
    let mut found = Updates::default();
    for (list, about) in [("updated-by", false), ("update-to", true)] {
        for update in items(&item[list]) {
            let kind = text(&update["type"]).unwrap_or_default().to_lowercase().replace('_', " ");
            let withdrawn = ["retraction", "withdrawal", "removal"].contains(&kind.as_str());
            found.retracted |= withdrawn && !about;
            found.notice |= withdrawn && about;
            let label = text(&update["label"]).unwrap_or(kind);
            let Some(other) = update["DOI"].as_str().and_then(doi) else { continue };
            let of = if about { " of" } else { "" };
            found.notes.push(format!("{label}{of}: doi:{other}"));
        }
    }
    found
}

/// Returns whether a title marks a retraction, which some publishers note only there.
fn is_marked_retracted(title: &str) -> bool {
    let start = title.chars().take(24).collect::<String>().to_lowercase();
    title.starts_with("RETRACTED ")
        || ["retracted:", "retracted article:", "[retracted]", "withdrawn:"]
            .iter()
            .any(|mark| start.starts_with(mark))
}

fn related<'a>(item: &'a Value, relation: &str) -> impl Iterator<Item = String> + use<'a> {
    items(&item["relation"][relation]).filter_map(|work| text(&work["id"]))
}

fn preprints(item: &Value) -> impl Iterator<Item = String> + '_ {
    related(item, "has-preprint")
}

fn arxiv_preprint(id: &str) -> Option<String> {
    let lower = id.to_lowercase();
    let id = lower.split_once(papers::ARXIV_DOI).map_or(lower.as_str(), |(_, id)| id);
    arxiv_id(id).map(|(id, _)| id)
}

fn notes(item: &Value, title: &str, updates: Vec<String>) -> Vec<String> {
    let published = related(item, "is-preprint-of").map(|id| format!("Published as: doi:{id}"));
    let preprint = preprints(item).map(|id| format!("Preprint: doi:{id}"));
    let others = |name: &str, before: usize, label: &'static str| {
        let titles = items(&item[name]).skip(before).filter_map(text);
        titles
            .filter(|other| other != title)
            .map(move |other| format!("{label}: {other}"))
            .collect::<Vec<_>>()
    };
    let titles = [others("title", 1, "Other title"), others("original-title", 0, "Original title")];
    distinct(updates.into_iter().chain(published).chain(preprint).chain(titles.concat()))
}
