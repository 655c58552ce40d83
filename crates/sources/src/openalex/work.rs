//! A work as OpenAlex describes it.

use serde_json::Value;

use papers::{ARXIV_DOI, Author, Date, Ids, Kind, Paper, Source};

use super::summary;
use crate::json::{flag, line, lines, link, list, number};
use crate::markup::{self, distinct};

/// Concepts with a lower score are only parents of others that were found; the service lists both.
const FOUND_CONCEPT: f64 = 0.3;

/// Reads a work; returns `None` if it has neither a title nor an id.
pub(super) fn read(work: &Value) -> Option<Paper> {
    let title = line(work, "/title").or_else(|| line(work, "/display_name")).unwrap_or_default();
    let ids = read_ids(work);
    if title.is_empty() && ids == Ids::default() {
        return None;
    }
    let kind = map_kind(work);
    let home = find_home(work, kind);
    let of_home = |pointer: &str| home.and_then(|home| line(home, pointer));
    Some(Paper {
        kind,
        title,
        authors: authors(work),
        affiliations: affiliations(work),
        funders: funders(work),
        published: published(work),
        venue: of_home("/source/display_name")
            .or_else(|| of_home("/raw_source_name"))
            .map(|venue| venue.replace("arXiv (Cornell University)", "arXiv")),
        volume: line(work, "/biblio/volume"),
        issue: line(work, "/biblio/issue"),
        pages: pages(work),
        // The host of a preprint server is a university, not a publisher.
        publisher: of_home("/source/host_organization_name").filter(|_| kind != Kind::Preprint),
        summary: work
            .pointer("/abstract_inverted_index")
            .or_else(|| work.pointer("/abstract_inverted_index_v3"))
            .and_then(Value::as_object)
            .and_then(summary::rebuilt)
            .map(|text| markup::plain(&text)),
        url: url(work),
        pdf_url: free_text(work),
        licence: line(work, "/best_oa_location/license")
            .or_else(|| line(work, "/primary_location/license")),
        language: line(work, "/language"),
        citation_count: number(work, "/cited_by_count"),
        reference_count: number(work, "/referenced_works_count"),
        open_access: flag(work, "/open_access/is_oa")
            .or_else(|| flag(work, "/primary_location/is_oa")),
        retracted: flag(work, "/is_retracted"),
        subjects: subjects(work),
        notes: notes(work),
        ids: Ids { issn: home.map(issn).unwrap_or_default(), ..ids },
        found_by: vec![Source::Openalex],
        ..Paper::default()
    })
}

/// Reads the ids, which are URLs: `https://openalex.org/W4381738344`.
fn read_ids(work: &Value) -> Ids {
    let last = |pointer: &str| {
        let id = line(work, pointer)?;
        id.trim_end_matches('/').rsplit('/').next().map(str::to_owned)
    };
    let doi = line(work, "/doi").or_else(|| line(work, "/ids/doi"));
    let doi = doi.and_then(|doi| papers::doi(&doi));
    let arxiv =
        doi.as_deref().and_then(|doi| doi.strip_prefix(ARXIV_DOI)).and_then(papers::arxiv_id);
    let arxiv = arxiv.or_else(|| list(work, "/locations").iter().find_map(at_arxiv));
    let (arxiv, arxiv_version) = arxiv.unzip();
    Ids {
        doi,
        arxiv,
        arxiv_version: arxiv_version.flatten(),
        openalex: last("/id").or_else(|| last("/ids/openalex")),
        pubmed: last("/ids/pmid"),
        pubmed_central: last("/ids/pmcid").map(|id| {
            let digits = id.trim_start_matches("PMC");
            format!("PMC{digits}")
        }),
        ..Ids::default()
    }
}

/// Returns the id of a copy on arXiv.
fn at_arxiv(location: &Value) -> Option<(String, Option<u32>)> {
    let url = link(location, "/landing_page_url")?;
    let there = matches!(url.host_str(), Some("arxiv.org" | "www.arxiv.org" | "export.arxiv.org"));
    there.then(|| papers::arxiv_id(url.as_str()))?
}

/// Returns the location that a reference names: for a preprint its server, for anything else no repository copy.
fn find_home(work: &Value, kind: Kind) -> Option<&Value> {
    let is_copy = |location: &&Value| {
        kind != Kind::Preprint && line(location, "/source/type").as_deref() == Some("repository")
    };
    let named = |location: &&Value| {
        line(location, "/source/display_name")
            .or_else(|| line(location, "/raw_source_name"))
            .is_some()
    };
    let primary = work.pointer("/primary_location").or_else(|| work.pointer("/host_venue"));
    let mut all = primary.into_iter().chain(list(work, "/locations"));
    all.find(|location| named(location) && !is_copy(location))
}

fn issn(home: &Value) -> Vec<String> {
    let linking = line(home, "/source/issn_l");
    distinct(lines(home, "/source/issn").into_iter().chain(linking))
}

/// Returns the authors, named as the paper prints them, or else by their record, which may merge namesakes.
fn authors(work: &Value) -> Vec<Author> {
    let printed = |one: &Value| papers::author(&line(one, "/raw_author_name")?);
    let recorded = |one: &Value| papers::author(&line(one, "/author/display_name")?);
    let authors = list(work, "/authorships").iter();
    authors.filter_map(|one| printed(one).or_else(|| recorded(one))).collect()
}

/// Returns the institutions that OpenAlex knows, or else the printed affiliations.
fn affiliations(work: &Value) -> Vec<String> {
    let of = |one: &Value| {
        let known = list(one, "/institutions").iter();
        let known: Vec<String> = known.filter_map(|place| line(place, "/display_name")).collect();
        if known.is_empty() { lines(one, "/raw_affiliation_strings") } else { known }
    };
    distinct(list(work, "/authorships").iter().flat_map(of))
}

/// Returns the funders; newer answers list them as `funders`, older ones with each grant.
fn funders(work: &Value) -> Vec<String> {
    let named = list(work, "/funders").iter().filter_map(|one| line(one, "/display_name"));
    let paid = list(work, "/grants").iter().filter_map(|one| line(one, "/funder_display_name"));
    distinct(named.chain(paid))
}

/// Returns the date; 1 January means that OpenAlex knows only the year.
fn published(work: &Value) -> Option<Date> {
    let day = line(work, "/publication_date").and_then(|date| Date::read(&date));
    let day = day.filter(|day| (day.month, day.day) != (Some(1), Some(1)));
    day.or_else(|| {
        let year = line(work, "/publication_year").or_else(|| line(work, "/publication_date"))?;
        Date::of_parts(&[Date::read(&year)?.year.into()])
    })
}

fn pages(work: &Value) -> Option<String> {
    let (first, last) = (line(work, "/biblio/first_page"), line(work, "/biblio/last_page"));
    match (first, last) {
        (Some(first), Some(last)) if first != last => Some(format!("{first}-{last}")),
        (first, last) => first.or(last),
    }
}

/// Returns the page of the publisher or preprint server; the resolver's address of the DOI is as good.
fn url(work: &Value) -> Option<String> {
    ["/primary_location/landing_page_url", "/doi", "/id"]
        .iter()
        .find_map(|pointer| link(work, pointer))
        .map(String::from)
}

/// Returns the address of the free full text, preferably a PDF.
fn free_text(work: &Value) -> Option<String> {
    let of_location = |location: &Value| {
        flag(location, "/is_oa").filter(|free| *free).and_then(|_| link(location, "/pdf_url"))
    };
    let url = link(work, "/best_oa_location/pdf_url")
        .or_else(|| work.pointer("/primary_location").and_then(of_location))
        .or_else(|| list(work, "/locations").iter().find_map(of_location))
        .or_else(|| link(work, "/open_access/oa_url"))
        .or_else(|| link(work, "/best_oa_location/landing_page_url"))?;
    // An arXiv page's PDF has a similar address.
    match url.as_str().split_once("://arxiv.org/abs/") {
        Some((_, id)) => Some(format!("https://arxiv.org/pdf/{id}")),
        None => Some(url.into()),
    }
}

fn map_kind(work: &Value) -> Kind {
    let raw = line(work, "/type_crossref").or_else(|| line(work, "/primary_location/raw_type"));
    let of_source = line(work, "/primary_location/source/type").unwrap_or_default();
    if raw.as_deref() == Some("proceedings-article") {
        return Kind::ProceedingsArticle;
    }
    match line(work, "/type").or(raw).unwrap_or_default().as_str() {
        "article" | "review" | "letter" | "editorial" | "erratum" | "journal-article"
        | "data-paper" | "software-paper" | "retraction" => match of_source.as_str() {
            "conference" => Kind::ProceedingsArticle,
            _ => Kind::Article,
        },
        "conference-paper" | "proceedings-article" => Kind::ProceedingsArticle,
        "preprint" | "posted-content" => Kind::Preprint,
        "book" | "monograph" | "edited-book" | "reference-book" => Kind::Book,
        "book-chapter" | "reference-entry" | "book-section" => Kind::Chapter,
        "dissertation" => Kind::Thesis,
        "report" | "standard" => Kind::Report,
        "dataset" => Kind::Dataset,
        "software" => Kind::Software,
        _ => Kind::Other,
    }
}

/// Returns topics and keywords; from older answers, the concepts found.
fn subjects(work: &Value) -> Vec<String> {
    let named =
        |pointer: &str| list(work, pointer).iter().filter_map(|one| line(one, "/display_name"));
    let found = |one: &&Value| {
        let score = one.pointer("/score").and_then(Value::as_f64);
        score.is_some_and(|score| score >= FOUND_CONCEPT)
    };
    let mut all: Vec<String> = named("/topics").chain(named("/keywords")).collect();
    all.extend(line(work, "/primary_topic/display_name"));
    if all.is_empty() {
        let concepts = list(work, "/concepts").iter().filter(found);
        all.extend(concepts.filter_map(|one| line(one, "/display_name")));
    }
    distinct(all)
}

fn notes(work: &Value) -> Vec<String> {
    let cut = flag(work, "/is_authors_truncated") == Some(true);
    cut.then(|| "OpenAlex lists its first authors only".to_owned()).into_iter().collect()
}
