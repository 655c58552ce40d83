//! Papers: the works that scholarly sources return and that a bibliography lists, web pages included.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

mod authors;
mod merging;
mod reference;
mod source;

pub use authors::author;
pub use merging::{in_turn, merged};
pub use reference::{AttachedFile, Highlight, Reference};
pub use source::{NoServerName, NoSource, ServerName, Source};

/// A work, as its sources describe it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Paper {
    pub kind: Kind,
    /// The title with its subtitle, in plain text.
    pub title: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub authors: Vec<Author>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub editors: Vec<Author>,
    /// The authors' institutions, each once.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub affiliations: Vec<String>,
    /// The organisations that funded it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub funders: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<Date>,
    /// The date of this version, if the work has versions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<Date>,
    /// The journal, proceedings, book or site, as deposited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub venue: Option<String>,
    /// The abbreviation of the venue, as deposited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub venue_short: Option<String>,
    /// The series that the book or the proceedings belong to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issue: Option<String>,
    /// The page range or single page, as deposited: `521-535`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<String>,
    /// The article number, for venues that use it instead of pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub article_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edition: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub publisher_place: Option<String>,
    /// The abstract in plain text, with paragraphs separated by an empty line.
    #[serde(rename = "abstract", skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(skip_serializing_if = "Ids::is_empty")]
    pub ids: Ids,
    /// The page about the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The address of its free full text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pdf_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// A language tag, as deposited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The number of works that cite it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub citation_count: Option<u64>,
    /// The number of works that it cites.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference_count: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_access: Option<bool>,
    /// Whether it was withdrawn; `None` if no source says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retracted: Option<bool>,
    /// Fields of study, subjects, categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subjects: Vec<String>,
    /// Free text from a source: arXiv's comment and journal reference, a one-sentence summary.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The sources that reported it, in that order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub found_by: Vec<Source>,
}

impl Paper {
    /// Returns the URI it is cited by: `arxiv:ID`, `doi:DOI`, or else its address; empty if it has none of them.
    pub fn source_uri(&self) -> String {
        let Ids { arxiv, doi, semantic_scholar, openalex, .. } = &self.ids;
        let known = [
            arxiv.as_ref().map(|id| format!("arxiv:{id}")),
            doi.as_ref().map(|doi| format!("doi:{doi}")),
            self.url.clone(),
            semantic_scholar
                .as_ref()
                .map(|id| format!("https://www.semanticscholar.org/paper/{id}")),
            openalex.as_ref().map(|id| format!("https://openalex.org/{id}")),
        ];
        known.into_iter().flatten().next().unwrap_or_default()
    }

    pub fn year(&self) -> Option<i16> {
        self.published.map(|date| date.year)
    }
}

/// The type of a work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Article,
    Preprint,
    ProceedingsArticle,
    Book,
    Chapter,
    Thesis,
    Report,
    Dataset,
    Software,
    NewsArticle,
    WebPage,
    #[default]
    Other,
}

/// An author or an editor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Author {
    /// A person. `family` holds particles as written; `given` may be empty or initials, and ends in the suffix, if any: `Donald, Jr.`
    Person { family: String, given: String },
    /// A group, an organisation, or a person whose name is not split into parts.
    Named { name: String },
}

impl fmt::Display for Author {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Author::Person { family, given } if given.is_empty() => f.write_str(family),
            Author::Person { family, given } => write!(f, "{given} {family}"),
            Author::Named { name } => f.write_str(name),
        }
    }
}

/// A day, a month or a year.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Date {
    pub year: i16,
    /// 1 to 12.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub month: Option<u8>,
    /// 1 to 31; `None` without a month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<u8>,
}

impl Date {
    /// Builds a date from up to three numbers. Returns `None` if the first is not a year; drops an impossible number and those after it.
    pub fn of_parts(parts: &[i64]) -> Option<Date> {
        let year = i16::try_from(*parts.first()?).ok().filter(|year| (1..=9999).contains(year))?;
        let part = |index: usize, most: u8| {
            let part = parts.get(index).and_then(|part| u8::try_from(*part).ok());
            part.filter(|part| (1..=most).contains(part))
        };
        let month = part(1, 12);
        Some(Date { year, month, day: month.and(part(2, 31)) })
    }

    /// Reads the date at the start of a text, in the form of RFC 3339: `2024-05-08T…`, `2024-05`, `2024`.
    pub fn read(text: &str) -> Option<Date> {
        let date = text.trim().split(['T', ' ']).next()?;
        let parts = date.splitn(3, '-').map_while(|part| part.parse().ok());
        Date::of_parts(&parts.collect::<Vec<i64>>())
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}", self.year)?;
        if let Some(month) = self.month {
            write!(f, "-{month:02}")?;
        }
        if let Some(day) = self.day {
            write!(f, "-{day:02}")?;
        }
        Ok(())
    }
}

/// The identifiers of a work.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Ids {
    /// As [`doi`] writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// The arXiv id, without its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arxiv: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arxiv_version: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub semantic_scholar: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openalex: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pubmed: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pubmed_central: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub issn: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub isbn: Vec<String>,
}

impl Ids {
    /// Returns the arXiv id, taken from arXiv's own DOI if need be.
    pub fn arxiv_id(&self) -> Option<&str> {
        let of_doi = || self.doi.as_deref()?.strip_prefix(ARXIV_DOI);
        self.arxiv.as_deref().or_else(of_doi)
    }

    fn is_empty(&self) -> bool {
        *self == Ids::default()
    }
}

/// A paper named by its id: `arxiv:2005.11401`, `doi:10.1038/s42256-024-00832-8`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PaperId {
    Arxiv {
        id: String,
        version: Option<u32>,
    },
    /// As [`doi`] writes it.
    Doi(String),
}

/// The reason why a text names no paper.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPaper {
    #[error(
        "'{text}' is not an arXiv id. Write it like 2005.11401, 2005.11401v2 or hep-th/9901001"
    )]
    Arxiv { text: String },
    #[error("'{text}' is not a DOI. Write it like 10.1038/s42256-024-00832-8")]
    Doi { text: String },
    #[error("'{text}' is not a paper id. Write arxiv:ID or doi:DOI")]
    Unknown { text: String },
}

impl PaperId {
    /// Returns the paper whose own page or PDF is at a web address of arXiv or the DOI system; `None` for every other address.
    pub fn of_address(url: &str) -> Option<PaperId> {
        let (scheme, rest) = url.trim().split_once("://")?;
        let web = ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
        let (host, path) = rest.split_once('/')?;
        let host = host.to_ascii_lowercase();
        let id = path.split(['?', '#']).next().unwrap_or_default();
        match host.trim_start_matches("www.") {
            "arxiv.org" | "export.arxiv.org" if web => {
                let (kind, id) = id.split_once('/')?;
                let of_paper = matches!(kind, "abs" | "pdf" | "html" | "format");
                let (id, version) = arxiv_id(id).filter(|_| of_paper)?;
                Some(PaperId::Arxiv { id, version })
            }
            "doi.org" | "dx.doi.org" if web => format!("doi:{id}").parse().ok(),
            _ => None,
        }
    }
}

impl FromStr for PaperId {
    type Err = NoPaper;

    fn from_str(text: &str) -> Result<PaperId, NoPaper> {
        let (scheme, rest) = text.trim().split_once(':').unwrap_or(("", text));
        let text = || rest.trim().chars().take(200).collect();
        if scheme.eq_ignore_ascii_case("arxiv") {
            let (id, version) = arxiv_id(rest).ok_or_else(|| NoPaper::Arxiv { text: text() })?;
            Ok(PaperId::Arxiv { id, version })
        } else if scheme.eq_ignore_ascii_case("doi") {
            let named = doi(rest).ok_or_else(|| NoPaper::Doi { text: text() })?;
            // Only DataCite knows arXiv's own DOIs, and arXiv has better metadata.
            match named.strip_prefix(ARXIV_DOI).and_then(arxiv_id) {
                Some((id, version)) => Ok(PaperId::Arxiv { id, version }),
                None => Ok(PaperId::Doi(named)),
            }
        } else {
            Err(NoPaper::Unknown { text: text() })
        }
    }
}

impl fmt::Display for PaperId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PaperId::Arxiv { id, version: None } => write!(f, "arxiv:{id}"),
            PaperId::Arxiv { id, version: Some(version) } => write!(f, "arxiv:{id}v{version}"),
            PaperId::Doi(doi) => write!(f, "doi:{doi}"),
        }
    }
}

/// The prefix of arXiv's own DOIs.
pub const ARXIV_DOI: &str = "10.48550/arxiv.";

/// Returns a DOI in the form used for comparison: lower case, without `doi:` or a resolver's address.
///
/// Returns `None` if the text is no DOI: `10.`, a registrant, `/`, and a suffix without white space or control characters.
pub fn doi(text: &str) -> Option<String> {
    let text = text.trim().to_lowercase();
    let at = text.find("10.")?;
    let before = &text[..at];
    let resolver = before.is_empty() || before.ends_with("doi.org/") || before.trim_end() == "doi:";
    let (registrant, suffix) = text[at + 3..].split_once('/')?;
    let numbered = registrant.len() >= 3
        && registrant.starts_with(|c: char| c.is_ascii_digit())
        && registrant.chars().all(|c| c.is_ascii_digit() || c == '.');
    let plain =
        !suffix.is_empty() && !suffix.contains(|c: char| c.is_whitespace() || c.is_control());
    (resolver && numbered && plain && text.len() <= 400).then(|| text[at..].to_owned())
}

/// Reads an arXiv id and its version: `2005.11401v2`, `hep-th/9901001`, or an arXiv address that contains one.
pub fn arxiv_id(text: &str) -> Option<(String, Option<u32>)> {
    let text = text.trim();
    let text = match text.split_once("arxiv.org/") {
        Some((_, path)) => path.split_once('/').map_or("", |(_, id)| id),
        None => text
            .get(..6)
            .filter(|start| start.eq_ignore_ascii_case("arxiv:"))
            .map_or(text, |_| &text[6..]),
    };
    let text = text.split(['?', '#']).next().unwrap_or_default();
    let text = text.strip_suffix(".pdf").unwrap_or(text);
    let (id, version) = match text.rfind('v').map(|at| text.split_at(at)) {
        Some((id, version)) if version[1..].parse::<u32>().is_ok() => {
            (id, version[1..].parse().ok())
        }
        _ => (text, None),
    };
    let digits = |text: &str, lengths: &[usize]| {
        lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let new = id
        .split_once('.')
        .is_some_and(|(month, number)| digits(month, &[4]) && digits(number, &[4, 5]));
    let old = id.split_once('/').is_some_and(|(archive, number)| {
        digits(number, &[7])
            && archive.starts_with(|c: char| c.is_ascii_lowercase())
            && archive.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '.'))
    });
    (new || old).then(|| (id.to_owned(), version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paper_is_named_by_its_id_in_any_of_the_usual_forms() {
        let arxiv = |id: &str, version| PaperId::Arxiv { id: id.to_owned(), version };
        for (text, id) in [
            ("arxiv:2005.11401", arxiv("2005.11401", None)),
            ("arXiv:2005.11401v2", arxiv("2005.11401", Some(2))),
            ("arxiv:hep-th/9901001v3", arxiv("hep-th/9901001", Some(3))),
            ("arxiv:math.GT/0309136", arxiv("math.GT/0309136", None)),
            ("doi:10.48550/arXiv.1706.03762", arxiv("1706.03762", None)),
            ("DOI: 10.1038/S42256-024-00832-8", PaperId::Doi("10.1038/s42256-024-00832-8".into())),
            ("doi:https://doi.org/10.1000/(x)[y]", PaperId::Doi("10.1000/(x)[y]".into())),
        ] {
            assert_eq!(text.parse(), Ok(id), "{text}");
        }
        for text in [
            "arxiv:abc",
            "arxiv:",
            "arxiv:20055.11401",
            "doi:11.1/x",
            "doi:10.1/x",
            "doi:10.1000/",
            "2005.11401",
            "",
        ] {
            assert!(text.parse::<PaperId>().is_err(), "{text}");
        }
        assert_eq!(
            arxiv_id("https://arxiv.org/pdf/2005.11401v4.pdf"),
            Some(("2005.11401".into(), Some(4)))
        );
        assert_eq!(
            arxiv_id("http://arxiv.org/abs/hep-th/9901001"),
            Some(("hep-th/9901001".into(), None))
        );
        assert_eq!(doi("see doi 10.1000/x"), None);
    }

    #[test]
    fn an_address_is_that_of_a_paper_by_its_host_alone() {
        let of = |url: &str| PaperId::of_address(url).map(|id| id.to_string());
        for (url, id) in [
            ("https://arxiv.org/abs/2005.11401v2", "arxiv:2005.11401v2"),
            ("http://export.arxiv.org/pdf/hep-th/9901001.pdf", "arxiv:hep-th/9901001"),
            ("https://www.arxiv.org/pdf/2005.11401?download=1", "arxiv:2005.11401"),
            ("https://dx.doi.org/10.1000/ABC#top", "doi:10.1000/abc"),
            ("https://doi.org/10.48550/arXiv.1706.03762", "arxiv:1706.03762"),
        ] {
            assert_eq!(of(url).as_deref(), Some(id), "{url}");
        }
        for url in [
            "https://web.archive.org/web/2020/https://arxiv.org/abs/1706.03762",
            "https://example.org/?u=https://doi.org/10.1000/x",
            "https://arxiv.org/list/cs.CL/recent",
            "ftp://arxiv.org/abs/1706.03762",
            "https://notarxiv.org/abs/1706.03762",
            "arxiv:1706.03762",
        ] {
            assert_eq!(of(url), None, "{url}");
        }
    }

    #[test]
    fn a_date_keeps_what_can_be() {
        let date = |year, month, day| Some(Date { year, month, day });
        assert_eq!(Date::read("2024-05-08T12:00:00Z"), date(2024, Some(5), Some(8)));
        assert_eq!(Date::read("2024-13-08"), date(2024, None, None));
        assert_eq!(Date::read("2024-05"), date(2024, Some(5), None));
        assert_eq!(Date::read("spring"), None);
        assert_eq!(Date::of_parts(&[]), None);
        assert_eq!(Date::of_parts(&[0, 1]), None);
        assert_eq!(date(2024, Some(5), None).unwrap().to_string(), "2024-05");
    }
}
