//! What a document says about itself as a work: who wrote it, when, and where it appeared.
//!
//! Pages of journals say it in the tags that reference managers read (Highwire Press's `citation_title` and its kin); other pages say it in
//! JSON-LD, in `<meta>` elements of several conventions, and in their byline.

mod byline;
mod date;
mod linked;
mod tags;

use std::collections::BTreeMap;

use papers::{Ids, Kind, Paper};

use crate::document::one_line;
pub(crate) use linked::{Linked, parse_linked_data};
pub(crate) use tags::Tags;

/// What the readability engine found in a page.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) title: Option<String>,
    pub(crate) byline: Option<String>,
    pub(crate) published: Option<String>,
    pub(crate) site: Option<String>,
    pub(crate) language: Option<String>,
    /// The text of a `<time>` in its article.
    pub(crate) time: Option<String>,
}

/// `<meta>` names that give a page's authors; the first that yields an author is used.
const AUTHORS: &[&str] = &[
    "author",
    "article:author",
    "dc.creator",
    "dcterms.creator",
    "parsely-author",
    "sailthru.author",
];
/// `<meta>` names that give the date of publication.
#[rustfmt::skip]
const PUBLISHED: &[&str] = &[
    "article:published_time", "og:published_time", "datepublished", "dc.date.issued",
    "dcterms.issued", "dc.date", "dcterms.date", "dcterms.created", "dc.date.created",
    "parsely-pub-date", "sailthru.date", "pubdate", "publishdate", "publish-date", "date",
];

/// Returns the work that a page describes.
pub(crate) fn page(tags: &Tags, linked: &Linked, seen: &Seen) -> Paper {
    if tags.first(&["citation_title"]).is_some() {
        return scholarly(tags, linked, seen);
    }
    let named = AUTHORS.iter().map(|name| tags.all(&[name]));
    let named = named.map(|lines| lines.into_iter().flat_map(byline::authors).collect::<Vec<_>>());
    let seen_authors = || seen.byline.as_deref().map(byline::authors);
    let authors = std::iter::once(linked.authors.clone())
        .chain(named)
        .find(|authors| !authors.is_empty())
        .or_else(seen_authors);
    Paper {
        kind: Kind::WebPage,
        title: seen.title.clone().unwrap_or_default(),
        authors: authors.unwrap_or_default(),
        published: published(tags, linked, seen),
        venue: seen.site.clone().or_else(|| linked.site.clone()),
        language: language(tags, linked, seen),
        ..Paper::default()
    }
}

fn published(tags: &Tags, linked: &Linked, seen: &Seen) -> Option<papers::Date> {
    let of_tags = || PUBLISHED.iter().find_map(|name| date::date(tags.first(&[name])?));
    let seen_date = |text: &Option<String>| text.as_deref().and_then(date::date);
    linked
        .published
        .or_else(|| seen_date(&seen.published))
        .or_else(of_tags)
        .or_else(|| seen_date(&seen.time))
}

fn language(tags: &Tags, linked: &Linked, seen: &Seen) -> Option<String> {
    let of_tags = || tags.first(&["dc.language", "dcterms.language"]).map(str::to_owned);
    seen.language.clone().or_else(|| linked.language.clone()).or_else(of_tags)
}

/// Returns the work of a page that has tags for reference managers.
fn scholarly(tags: &Tags, linked: &Linked, seen: &Seen) -> Paper {
    let first = |names: &[&str]| tags.first(names).map(str::to_owned);
    let all = |names: &[&str]| tags.all(names).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let persons = |name: &str, list: &str| {
        let named = tags.all(&[name]).into_iter().filter_map(byline::person).collect::<Vec<_>>();
        let listed = || tags.all(&[list]).into_iter().flat_map(|names| names.split(';'));
        let mut named =
            if named.is_empty() { listed().filter_map(byline::person).collect() } else { named };
        named.truncate(byline::AUTHORS);
        named
    };
    let doi = tags.all(&["citation_doi", "prism.doi", "dc.identifier", "dc.identifier.doi", "doi"]);
    let arxiv = first(&["citation_arxiv_id"]).and_then(|id| papers::arxiv_id(&id));
    let (arxiv, arxiv_version) = arxiv.map_or((None, None), |(id, version)| (Some(id), version));
    let ids = Ids {
        doi: doi.into_iter().find_map(papers::doi),
        arxiv,
        arxiv_version,
        pubmed: first(&["citation_pmid"]).filter(|id| id.bytes().all(|b| b.is_ascii_digit())),
        issn: all(&["citation_issn"]),
        isbn: all(&["citation_isbn"]),
        ..Ids::default()
    };
    let venues = [
        (Kind::Article, &["citation_journal_title", "prism.publicationname"][..]),
        (Kind::ProceedingsArticle, &["citation_conference_title", "citation_conference"]),
        (Kind::Chapter, &["citation_inbook_title", "citation_book_title"]),
    ];
    let venue = venues.iter().find_map(|(kind, names)| Some((*kind, first(names)?)));
    let institutions = [
        (Kind::Thesis, "citation_dissertation_institution"),
        (Kind::Report, "citation_technical_report_institution"),
    ];
    let institution = institutions.iter().find_map(|(kind, name)| Some((*kind, first(&[name])?)));
    let kind = match (&venue, &institution) {
        (Some((kind, _)), _) | (None, Some((kind, _))) => *kind,
        _ if ids.arxiv.is_some() => Kind::Preprint,
        _ if !ids.isbn.is_empty() => Kind::Book,
        _ if ids.doi.is_some() => Kind::Other,
        // Some sites write such a tag on every page.
        _ => Kind::WebPage,
    };
    let dates =
        ["citation_publication_date", "citation_date", "citation_year", "citation_online_date"];
    let pages = match (first(&["citation_firstpage"]), first(&["citation_lastpage"])) {
        (Some(first), Some(last)) if first != last => Some(format!("{first}-{last}")),
        (first, _) => first,
    };
    let authors = persons("citation_author", "citation_authors");
    Paper {
        kind,
        title: first(&["citation_title"]).unwrap_or_default(),
        authors: if authors.is_empty() { linked.authors.clone() } else { authors },
        editors: persons("citation_editor", "citation_editors"),
        published: dates
            .iter()
            .find_map(|name| date::date(tags.first(&[name])?))
            .or_else(|| published(tags, linked, seen)),
        venue: venue.map(|(_, name)| name).or_else(|| {
            seen.site.clone().or_else(|| linked.site.clone()).filter(|_| kind == Kind::WebPage)
        }),
        volume: first(&["citation_volume", "prism.volume"]),
        issue: first(&["citation_issue", "prism.number"]),
        pages,
        publisher: institution.map(|(_, name)| name).or_else(|| first(&["citation_publisher"])),
        pdf_url: first(&["citation_pdf_url"]).filter(|url| is_address(url)),
        language: first(&["citation_language"]).or_else(|| language(tags, linked, seen)),
        ids,
        ..Paper::default()
    }
}

fn is_address(url: &str) -> bool {
    let web = url.starts_with("https://") || url.starts_with("http://");
    web && !url.contains(char::is_whitespace)
}

/// Returns the work that a document other than a page describes, from its file's metadata.
pub(crate) fn file(metadata: &BTreeMap<String, String>) -> Paper {
    let said = |name: &str| metadata.get(name).map(|value| one_line(value));
    let dates = ["published", "date", "created"];
    Paper {
        kind: Kind::WebPage,
        authors: said("author").map(|line| byline::authors(&line)).unwrap_or_default(),
        published: dates.iter().find_map(|name| date::date(&said(name)?)),
        publisher: said("publisher"),
        language: said("lang"),
        ..Paper::default()
    }
}

#[cfg(test)]
mod tests {
    use papers::Author;

    use super::*;

    fn said(html: &str, seen: &Seen) -> Paper {
        let document = formats::html::parse(html).unwrap();
        let scripts = document.select("script");
        let linked = parse_linked_data(scripts.iter().map(|script| script.text().to_string()));
        page(&Tags::of(&document), &linked, seen)
    }

    fn names(paper: &Paper) -> Vec<String> {
        paper.authors.iter().map(ToString::to_string).collect()
    }

    // proves: A2
    #[test]
    fn a_journal_s_page_is_the_article_that_its_tags_name() {
        let article = said(
            r#"<meta name="citation_journal_title" content="Journal of Tea"><meta name="citation_title" content="Tea &amp; sympathy">
            <meta name="citation_author" content="Leaf, Ann B."><meta name="citation_author" content="Jan van der Berg">
            <meta name="citation_author" content="World Tea Organization"><meta name="citation_publication_date" content="2024/05/08">
            <meta name="citation_doi" content="https://doi.org/10.1000/Tea.1"><meta name="citation_volume" content="12">
            <meta name="citation_issue" content="3"><meta name="citation_firstpage" content="521"><meta name="citation_lastpage" content="535">
            <meta name="citation_issn" content="1234-5678"><meta name="citation_pmid" content="123">
            <meta name="citation_publisher" content="Leaf Press"><meta name="citation_language" content="en">
            <meta name="citation_reference" content="citation_title=Another; citation_author=Nobody">
            <meta name="citation_pdf_url" content="https://a.org/tea.pdf"><meta name="author" content="Webmaster">"#,
            &Seen { title: Some("Tea & sympathy | Journal of Tea".into()), ..Seen::default() },
        );
        assert_eq!((article.kind, article.title.as_str()), (Kind::Article, "Tea & sympathy"));
        let person = |family: &str, given: &str| Author::Person {
            family: family.into(),
            given: given.into(),
        };
        let group = Author::Named { name: "World Tea Organization".into() };
        assert_eq!(
            article.authors,
            [person("Leaf", "Ann B."), person("van der Berg", "Jan"), group]
        );
        assert_eq!(article.published.unwrap().to_string(), "2024-05-08");
        assert_eq!(article.ids.doi.as_deref(), Some("10.1000/tea.1"));
        assert_eq!(article.ids.pubmed.as_deref(), Some("123"));
        assert_eq!(article.ids.issn, ["1234-5678"]);
        for (found, expected) in [
            (&article.venue, "Journal of Tea"),
            (&article.volume, "12"),
            (&article.issue, "3"),
            (&article.pages, "521-535"),
            (&article.publisher, "Leaf Press"),
            (&article.language, "en"),
            (&article.pdf_url, "https://a.org/tea.pdf"),
        ] {
            assert_eq!(found.as_deref(), Some(expected));
        }
    }

    // proves: A2
    #[test]
    fn tags_tell_what_kind_of_work_a_page_is_of() {
        let tag = |name: &str, content: &str| format!("<meta name='{name}' content='{content}'>");
        let title = tag("citation_title", "Tea");
        for (tags, kind) in [
            (tag("citation_conference_title", "TeaConf"), Kind::ProceedingsArticle),
            (tag("citation_inbook_title", "Teas"), Kind::Chapter),
            (tag("citation_dissertation_institution", "Leaf University"), Kind::Thesis),
            (tag("citation_technical_report_institution", "Leaf"), Kind::Report),
            (tag("citation_arxiv_id", "2005.11401v2"), Kind::Preprint),
            (tag("citation_isbn", "9780000000000"), Kind::Book),
            (tag("bepress_citation_doi", "10.1000/x"), Kind::Other),
            (tag("citation_doi", "no doi"), Kind::WebPage),
            (tag("citation_pdf_url", "javascript:alert(1)"), Kind::WebPage),
        ] {
            let work = said(&format!("{title}{tags}"), &Seen::default());
            assert_eq!((work.kind, work.title.as_str()), (kind, "Tea"), "{tags}");
            assert_eq!(work.pdf_url, None);
        }
        let listed = tag("citation_authors", "Leaf, Ann; Cup, Bo");
        assert_eq!(
            names(&said(&format!("{title}{listed}"), &Seen::default())),
            ["Ann Leaf", "Bo Cup"]
        );
    }

    // proves: A2
    #[test]
    fn a_page_tells_its_authors_and_date_in_many_ways() {
        let linked = r#"<script>{"@type": "Article", "author": {"name": "Ann Leaf"}, "datePublished": "2021-02-03"}</script>"#;
        let tags = r#"<meta name="author" content="Bo Cup"><meta property="article:author" content="https://a.org/bo">
            <meta name="DC.date.issued" content="2020-01-01T01:28:49">"#;
        let seen = Seen { byline: Some("By Cy Pot".into()), ..Seen::default() };
        for (html, author, date) in [
            (format!("{linked}{tags}"), "Ann Leaf", "2021-02-03"),
            (tags.to_owned(), "Bo Cup", "2020-01-01"),
            (String::new(), "Cy Pot", "2019-07"),
            ("<meta name='author' content='https://a.org/bo'>".to_owned(), "Cy Pot", "2019-07"),
        ] {
            let seen = Seen {
                byline: seen.byline.clone(),
                time: Some("2019-07".into()),
                ..Seen::default()
            };
            let work = said(&html, &seen);
            assert_eq!(names(&work), [author], "{html}");
            assert_eq!(work.published.map(|it| it.to_string()).as_deref(), Some(date), "{html}");
            assert_eq!(work.kind, Kind::WebPage);
        }
    }
}
