//! A work in the form that citation styles use: a CSL-JSON item.

use papers::{Author, Date, Kind, Paper};
use serde::{Deserialize, Deserializer, Serialize};

/// A CSL-JSON item (citation-style-language/schema, version 1.0.2), with the fields that papers can fill.
///
/// Deserialising accepts numbers as texts, drops unknown fields, and treats fields of the wrong form as missing.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Item {
    #[serde(deserialize_with = "text")]
    pub id: String,
    /// `article-journal`, `chapter`, `webpage`, …
    #[serde(rename = "type", deserialize_with = "text")]
    pub kind: String,
    #[serde(deserialize_with = "text")]
    pub title: String,
    #[serde(deserialize_with = "or_none", skip_serializing_if = "Vec::is_empty")]
    pub author: Vec<Name>,
    #[serde(deserialize_with = "or_none", skip_serializing_if = "Vec::is_empty")]
    pub editor: Vec<Name>,
    #[serde(with = "date", skip_serializing_if = "Option::is_none")]
    pub issued: Option<Date>,
    #[serde(with = "date", skip_serializing_if = "Option::is_none")]
    pub accessed: Option<Date>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub container_title: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// The number of an article, a report or a preprint.
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub genre: Option<String>,
    /// The status: `in press`, [`Item::RETRACTED`].
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    #[serde(
        rename = "DOI",
        deserialize_with = "some_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub doi: Option<String>,
    #[serde(
        rename = "URL",
        deserialize_with = "some_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub url: Option<String>,
    #[serde(
        rename = "ISSN",
        deserialize_with = "some_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub issn: Option<String>,
    #[serde(
        rename = "ISBN",
        deserialize_with = "some_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub isbn: Option<String>,
    #[serde(
        rename = "PMID",
        deserialize_with = "some_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub pmid: Option<String>,
    #[serde(
        rename = "PMCID",
        deserialize_with = "some_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub pmcid: Option<String>,
    #[serde(
        rename = "abstract",
        deserialize_with = "some_text",
        skip_serializing_if = "Option::is_none"
    )]
    pub summary: Option<String>,
    /// A language tag.
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The work's subjects, separated by commas.
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub keyword: Option<String>,
}

/// The name of an author or editor: a person's name in parts, or a name as a whole.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Name {
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub dropping_particle: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub non_dropping_particle: Option<String>,
    #[serde(deserialize_with = "some_text", skip_serializing_if = "Option::is_none")]
    pub literal: Option<String>,
}

impl Item {
    /// The status of a work that was withdrawn.
    pub const RETRACTED: &str = "Retracted";

    /// Converts a paper to an item with that id.
    ///
    /// An arXiv preprint is an article that arXiv publishes under its number and its own DOI, without a genre. Data on its printing
    /// elsewhere, such as the journal's DOI, volume and ISSN, is omitted. A web page without authors has its site as the author.
    pub fn of(paper: &Paper, id: &str) -> Item {
        let text = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
        let mut item = Item {
            id: id.to_owned(),
            kind: kind_of(paper).to_owned(),
            title: paper.title.clone(),
            author: paper.authors.iter().map(Name::of).collect(),
            editor: paper.editors.iter().map(Name::of).collect(),
            issued: paper.published,
            container_title: text(&paper.venue),
            volume: text(&paper.volume),
            issue: text(&paper.issue),
            page: text(&paper.pages),
            number: text(&paper.article_number),
            edition: text(&paper.edition),
            status: (paper.retracted == Some(true)).then(|| Item::RETRACTED.to_owned()),
            publisher: text(&paper.publisher),
            doi: text(&paper.ids.doi),
            url: text(&paper.url),
            issn: paper.ids.issn.first().cloned(),
            isbn: paper.ids.isbn.first().cloned(),
            pmid: text(&paper.ids.pubmed),
            pmcid: text(&paper.ids.pubmed_central),
            summary: text(&paper.summary),
            language: text(&paper.language),
            keyword: Some(paper.subjects.join(", ")).filter(|subjects| !subjects.is_empty()),
            ..Item::default()
        };
        match &paper.ids.arxiv {
            Some(arxiv) if is_arxiv_preprint(paper) => {
                item.container_title = None;
                item.publisher = Some("arXiv".to_owned());
                item.number = Some(format!("arXiv:{arxiv}"));
                item.doi = Some(format!("10.48550/arXiv.{arxiv}"));
                let url = item.url.filter(|url| is_arxiv(url));
                item.url = url.or_else(|| Some(format!("https://arxiv.org/abs/{arxiv}")));
                (item.volume, item.issue, item.page) = (None, None, None);
                (item.issn, item.isbn, item.edition) = (None, None, None);
            }
            _ if item.kind == "article" => {
                // A preprint's server is its publisher.
                item.publisher = item.container_title.take().or(item.publisher);
            }
            _ => {}
        }
        if item.kind == "webpage" {
            if item.author.is_empty() {
                let site = item.container_title.take().or_else(|| item.publisher.take());
                item.author = site.map(Name::literal).into_iter().collect();
            }
            // A site that is also the author is named once.
            let is_author = |site: &String| {
                item.author.iter().any(|author| author.literal.as_deref() == Some(site))
            };
            item.container_title = item.container_title.take().filter(|site| !is_author(site));
            item.publisher = None;
        }
        item
    }
}

impl Name {
    pub fn literal(name: String) -> Name {
        Name { literal: Some(name), ..Name::default() }
    }

    fn of(author: &Author) -> Name {
        match author {
            Author::Named { name } => Name::literal(name.clone()),
            Author::Person { family, given } => Name {
                family: Some(family.clone()),
                given: Some(given.clone()).filter(|given| !given.trim().is_empty()),
                ..Name::default()
            },
        }
    }
}

/// Returns whether the work was published on arXiv, not just stored there too.
pub(super) fn is_arxiv_preprint(paper: &Paper) -> bool {
    let elsewhere = paper.venue.as_ref().is_some_and(|venue| !is_arxiv(venue))
        || paper.ids.doi.as_ref().is_some_and(|doi| !is_arxiv(doi));
    paper.ids.arxiv.is_some() && (paper.kind == Kind::Preprint || !elsewhere)
}

fn is_arxiv(text: &str) -> bool {
    text.to_lowercase().contains("arxiv")
}

fn kind_of(paper: &Paper) -> &'static str {
    if is_arxiv_preprint(paper) {
        return "article";
    }
    match paper.kind {
        Kind::Article => "article-journal",
        Kind::Preprint => "article",
        Kind::ProceedingsArticle => "paper-conference",
        Kind::Book => "book",
        Kind::Chapter => "chapter",
        Kind::Thesis => "thesis",
        Kind::Report => "report",
        Kind::Dataset => "dataset",
        Kind::Software => "software",
        Kind::NewsArticle => "article-newspaper",
        Kind::WebPage => "webpage",
        Kind::Other if paper.volume.is_some() || paper.issue.is_some() => "article-journal",
        Kind::Other if paper.url.is_some() && paper.ids.doi.is_none() => "webpage",
        Kind::Other => "document",
    }
}

/// A text, a number, a list or anything else.
#[derive(Deserialize)]
#[serde(untagged)]
enum Loose {
    Text(String),
    Number(serde_json::Number),
    List(Vec<Loose>),
    Else(serde::de::IgnoredAny),
}

impl Loose {
    fn text(self) -> Option<String> {
        match self {
            Loose::Text(text) => Some(text),
            Loose::Number(number) => Some(number.to_string()),
            Loose::List(_) | Loose::Else(_) => None,
        }
    }
}

fn text<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    some_text(from).map(Option::unwrap_or_default)
}

/// Reads a text; from a list, as in Crossref, the first one.
fn some_text<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    Ok(match Loose::deserialize(from)? {
        Loose::List(list) => list.into_iter().find_map(Loose::text),
        one => one.text(),
    })
}

fn or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Name>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        List(Vec<Name>),
        Else(serde::de::IgnoredAny),
    }
    Ok(match Names::deserialize(from)? {
        Names::List(names) => names,
        Names::Else(_) => Vec::new(),
    })
}

/// `{"date-parts": [[2024, 5, 8]]}`
mod date {
    use papers::Date;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Loose;

    #[derive(Default, Serialize, Deserialize)]
    #[serde(default, rename_all = "kebab-case")]
    struct Parts {
        date_parts: Vec<Vec<i64>>,
    }

    pub(super) fn serialize<S: Serializer>(date: &Option<Date>, to: S) -> Result<S::Ok, S::Error> {
        let parts = date.map(|date| {
            let parts =
                [Some(i64::from(date.year)), date.month.map(i64::from), date.day.map(i64::from)];
            Parts { date_parts: vec![parts.into_iter().map_while(|part| part).collect()] }
        });
        parts.serialize(to)
    }

    /// Reads date parts given as numbers or texts; a range becomes its first day.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Date>, D::Error> {
        #[derive(Default, Deserialize)]
        #[serde(default, rename_all = "kebab-case")]
        struct Written {
            date_parts: Option<Loose>,
            raw: Option<Loose>,
            literal: Option<Loose>,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Date(Written),
            Text(String),
            Else(serde::de::IgnoredAny),
        }
        let written = match Form::deserialize(from)? {
            Form::Date(written) => written,
            Form::Text(text) => return Ok(Date::read(&text)),
            Form::Else(_) => return Ok(None),
        };
        let parts = match written.date_parts {
            Some(Loose::List(range)) => match range.into_iter().next() {
                Some(Loose::List(parts)) => parts,
                _ => Vec::new(),
            },
            _ => Vec::new(),
        };
        let parts = parts.into_iter().map_while(|part| part.text()?.trim().parse().ok());
        let texts = [written.raw, written.literal];
        Ok(Date::of_parts(&parts.collect::<Vec<i64>>())
            .or_else(|| texts.into_iter().flatten().find_map(|text| Date::read(&text.text()?))))
    }
}
