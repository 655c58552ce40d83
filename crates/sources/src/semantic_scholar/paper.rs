//! A paper as Semantic Scholar describes it.

use serde_json::Value;

use papers::{ARXIV_DOI, Author, Date, Ids, Kind, Paper, Source};

use crate::json::{flag, line, lines, link, list, number, text};
use crate::markup::distinct;

/// Reads a paper; returns `None` if it has neither a title nor an id.
pub(super) fn read(value: &Value) -> Option<Paper> {
    let title = line(value, "/title").unwrap_or_default();
    let ids = read_ids(value);
    if title.is_empty() && ids == Ids::default() {
        return None;
    }
    let (venue, in_journal) = choose_venue(value);
    // A journal's volume and pages apply only if the venue is that journal.
    let of_journal =
        |pointer: &str| in_journal.then(|| line(value, pointer)).flatten().map(|text| tight(&text));
    Some(Paper {
        kind: kind(value, venue.as_deref()),
        title,
        authors: authors(value),
        published: published(value),
        // arXiv's "volumes" are its ids: abs/2312.07559.
        volume: of_journal("/journal/volume").filter(|volume| !volume.starts_with("abs/")),
        pages: of_journal("/journal/pages"),
        venue,
        summary: text(value, "/abstract"),
        ids,
        url: link(value, "/url").map(String::from),
        pdf_url: link(value, "/openAccessPdf/url").map(String::from),
        licence: line(value, "/openAccessPdf/license"),
        citation_count: number(value, "/citationCount"),
        reference_count: number(value, "/referenceCount"),
        open_access: flag(value, "/isOpenAccess"),
        subjects: subjects(value),
        notes: line(value, "/tldr/text").into_iter().collect(),
        found_by: vec![Source::SemanticScholar],
        ..Paper::default()
    })
}

fn read_ids(value: &Value) -> Ids {
    let doi = line(value, "/externalIds/DOI").and_then(|doi| papers::doi(&doi));
    let arxiv = line(value, "/externalIds/ArXiv")
        .or_else(|| Some(doi.as_deref()?.strip_prefix(ARXIV_DOI)?.to_owned()))
        .and_then(|id| papers::arxiv_id(&id));
    let (arxiv, arxiv_version) = arxiv.unzip();
    let issn = line(value, "/publicationVenue/issn").into_iter();
    Ids {
        doi,
        arxiv,
        arxiv_version: arxiv_version.flatten(),
        semantic_scholar: line(value, "/paperId"),
        pubmed: line(value, "/externalIds/PubMed"),
        pubmed_central: line(value, "/externalIds/PubMedCentral").map(|id| {
            let digits = id.trim_start_matches("PMC");
            format!("PMC{digits}")
        }),
        issn: distinct(issn.chain(lines(value, "/publicationVenue/alternate_issns"))),
        ..Ids::default()
    }
}

fn authors(value: &Value) -> Vec<Author> {
    let authors = list(value, "/authors").iter();
    authors.filter_map(|one| papers::author(&line(one, "/name")?)).collect()
}

/// Returns the venue, and whether it is the one that `journal` names.
///
/// `journal` has the full name if `venue` abbreviates it (Nat. Mac. Intell.). For a work that was first a preprint, either may still name
/// the server, and then the other is right.
fn choose_venue(value: &Value) -> (Option<String>, bool) {
    let journal = line(value, "/journal/name");
    let of_record = [line(value, "/publicationVenue/name"), line(value, "/venue")];
    let mut all = [&journal].into_iter().chain(&of_record).flatten();
    let chosen = all.clone().find(|name| server(name).is_none()).or_else(|| all.next());
    let in_journal = journal.is_none() || chosen == journal.as_ref();
    let chosen = chosen.map(|name| server(name).map_or_else(|| name.clone(), str::to_owned));
    (chosen, in_journal)
}

/// Returns the name of a preprint server, or `None` for any other venue.
fn server(venue: &str) -> Option<&'static str> {
    const SERVERS: [(&str, &str); 9] = [
        ("arxiv", "arXiv"),
        ("arxiv.org", "arXiv"),
        ("biorxiv", "bioRxiv"),
        ("chemrxiv", "ChemRxiv"),
        ("medrxiv", "medRxiv"),
        ("psyarxiv", "PsyArXiv"),
        ("research square", "Research Square"),
        ("socarxiv", "SocArXiv"),
        ("ssrn electronic journal", "SSRN"),
    ];
    let venue = venue.to_lowercase();
    SERVERS.iter().find_map(|(known, name)| (venue == *known).then_some(*name))
}

fn kind(value: &Value, venue: Option<&str>) -> Kind {
    let types = lines(value, "/publicationTypes");
    let is = |name: &str| types.iter().any(|kind| kind == name);
    let of_venue = line(value, "/publicationVenue/type").unwrap_or_default();
    let articles = [
        "JournalArticle",
        "Review",
        "CaseReport",
        "ClinicalTrial",
        "Editorial",
        "LettersAndComments",
        "MetaAnalysis",
        "Study",
    ];
    // Many articles have no known type, only a journal and a volume.
    let is_in_volume = types.is_empty()
        && line(value, "/journal/name").is_some()
        && line(value, "/journal/volume").is_some();
    if venue.is_some_and(|venue| server(venue).is_some()) {
        Kind::Preprint
    } else if is("BookSection") {
        Kind::Chapter
    } else if is("Book") {
        Kind::Book
    } else if is("Dataset") {
        Kind::Dataset
    } else if of_venue == "conference" || (is("Conference") && of_venue != "journal") {
        Kind::ProceedingsArticle
    } else if articles.iter().any(|name| is(name)) || of_venue == "journal" || is_in_volume {
        Kind::Article
    } else if is("News") {
        Kind::NewsArticle
    } else {
        Kind::Other
    }
}

/// Returns the day, or only the year if the day is in another year, because it is then the preprint's. 1 January stands for the year.
fn published(value: &Value) -> Option<Date> {
    let day = line(value, "/publicationDate").and_then(|date| Date::read(&date));
    let is_first = |day: &Date| (day.month, day.day) == (Some(1), Some(1));
    let year = number(value, "/year").and_then(|year| Date::of_parts(&[i64::try_from(year).ok()?]));
    match (day, year) {
        (Some(day), Some(year)) if day.year != year.year || is_first(&day) => Some(year),
        (day, year) => day.or(year),
    }
}

fn subjects(value: &Value) -> Vec<String> {
    let fields = list(value, "/s2FieldsOfStudy").iter();
    let named = fields.filter_map(|field| line(field, "/category"));
    distinct(lines(value, "/fieldsOfStudy").into_iter().chain(named))
}

/// Formats `525 - 535` as `525-535`.
fn tight(pages: &str) -> String {
    pages.replace(" - ", "-")
}
