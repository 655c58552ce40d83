//! External sources of a run: papers, pages, and their texts.
//!
//! There are two ports. [`Sources`] searches scholarly services, the web and MCP servers, and fetches addresses; [`Intake`] turns material
//! into documents of a collection, in which [`Library`](crate::library::Library) finds passages as in any other.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::error::PortError;
use crate::evidence::EvidenceKind;
use crate::library::Put;
use papers::{Paper, PaperId, ServerName, Source};

/// A search query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    pub text: String,
    /// The number of papers or pages wanted from each source.
    pub limit: u32,
    /// The first and the last wanted year of publication.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_year: Option<i16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_year: Option<i16>,
    /// Whether no other source may stand in for one that does not answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// Whether to search only journal and conference publications: sources that also have preprints are not asked for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub published: bool,
}

impl Query {
    /// The maximum query length in characters that every search accepts.
    pub const LONGEST: usize = 400;

    pub fn new(text: impl Into<String>, limit: u32) -> Query {
        let text = text.into();
        Query { text, limit, from_year: None, to_year: None, alone: false, published: false }
    }
}

/// The combined results of the sources.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// Each work once, in the sources' order: the best of each first.
    pub papers: Vec<Paper>,
    pub answers: Vec<Answer>,
}

/// The answer of one source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub source: Source,
    pub outcome: Outcome,
    /// The unavailable source that this one stood in for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_place_of: Option<Source>,
    /// The time of an older answer, given because the source could not be asked now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Timestamp>,
}

impl Answer {
    /// Returns a source's own current answer.
    pub fn new(source: Source, outcome: Outcome) -> Answer {
        Answer { source, outcome, in_place_of: None, as_of: None }
    }
}

/// How a source answered. A rate limit does not mean that nothing was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The number of papers, which may be zero.
    Found(u32),
    Limited {
        retry_after_seconds: Option<u64>,
    },
    /// It was not reached, or its answer is unusable.
    Failed {
        reason: String,
    },
}

impl Outcome {
    /// Converts an error to the outcome of a source.
    pub fn of(error: &PortError) -> Outcome {
        match error {
            PortError::Limited { retry_after, .. } => {
                Outcome::Limited { retry_after_seconds: retry_after.map(|after| after.as_secs()) }
            }
            error => Outcome::Failed { reason: error.to_string() },
        }
    }

    /// Returns why a source did not answer; `None` if it did.
    pub fn why_not(&self) -> Option<String> {
        match self {
            Outcome::Found(_) => None,
            Outcome::Limited { retry_after_seconds: Some(seconds) } => {
                Some(format!("it is limiting requests and asks to wait {seconds} s"))
            }
            Outcome::Limited { retry_after_seconds: None } => {
                Some("it is limiting requests".into())
            }
            Outcome::Failed { reason } => Some(reason.clone()),
        }
    }
}

/// A page that a web search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    pub title: String,
    pub url: String,
    /// The search engine's excerpt as plain text, possibly empty.
    pub snippet: String,
    /// As the search engine writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// A text that an MCP server returned for a query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedText {
    /// `mcp://<server>/<tool>/<digest of the text>`: nothing that the server says of itself decides what the text is cited as.
    pub source_uri: String,
    /// One line, as the server says it.
    pub title: String,
    /// Markdown or plain text.
    pub text: String,
}

/// The texts of the MCP servers that were asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Served {
    /// Each text once, in the servers' order: the best of each first.
    pub texts: Vec<ServedText>,
    pub answers: Vec<Answer>,
}

/// The content fetched from an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// The final address, after redirects.
    pub url: String,
    /// The media type, lower case, without parameters; empty if the server named none.
    pub media_type: String,
    /// The character encoding that the server named.
    pub charset: Option<String>,
    pub bytes: Vec<u8>,
}

/// The scholarly services, the web search, the MCP servers and the fetcher.
///
/// Every adapter follows the services' rules for callers, retries transient errors, and connects only to the addresses it is
/// configured for or, when fetching, to public ones.
#[async_trait]
pub trait Sources: Send + Sync {
    /// Searches all of `sources` in parallel, with substitutes for those that limit their callers. Fails only if none of them
    /// answered.
    async fn papers(&self, sources: &[Source], query: &Query) -> Result<Searched, PortError>;
    /// Returns the results of the web search, best first.
    async fn pages(&self, query: &Query) -> Result<Vec<Hit>, PortError>;
    /// Asks each of these MCP servers in parallel. A server that fails is one of the answers; what it offers beside texts is left.
    async fn texts(&self, servers: &[ServerName], query: &Query) -> Result<Served, PortError>;
    /// Returns the papers with these ids, in the same order; `None` for an id that no source knows.
    async fn papers_named(&self, ids: &[PaperId]) -> Vec<Result<Option<Paper>, PortError>>;
    /// Fetches the content at a public address.
    async fn fetch(&self, url: &str) -> Result<Fetched, PortError>;
}

/// A page, a paper or a server's text to read into a collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Page {
        url: String,
    },
    /// Its abstract; with `full_text`, its free PDF instead, if there is one.
    Paper {
        paper: Box<Paper>,
        full_text: bool,
    },
    /// A text that is here already; no address in it is fetched.
    Text {
        text: Box<ServedText>,
    },
}

impl Target {
    /// Returns how it will be cited, as far as known before it is read.
    pub fn source_uri(&self) -> String {
        match self {
            Target::Page { url } => url.clone(),
            Target::Paper { paper, .. } => paper.source_uri(),
            Target::Text { text } => text.source_uri.clone(),
        }
    }
}

/// Fetches the readable text of a target.
///
/// If a paper's PDF is unavailable or is not a PDF (some servers answer with a page), the material holds its abstract and the reason.
pub async fn material(sources: &dyn Sources, target: &Target) -> Result<Material, PortError> {
    match target {
        Target::Page { url } => {
            let fetched = sources.fetch(url).await?;
            Ok(Material {
                source_uri: fetched.url.clone(),
                kind: EvidenceKind::Web,
                work: None,
                body: Body::Fetched(fetched),
                lacking: None,
            })
        }
        Target::Paper { paper, full_text } => {
            let (body, lacking) = text_of(paper, sources, *full_text).await?;
            let (source_uri, kind) = (paper.source_uri(), EvidenceKind::Scholarly);
            Ok(Material { source_uri, kind, work: Some((**paper).clone()), body, lacking })
        }
        Target::Text { text } => Ok(Material {
            source_uri: text.source_uri.clone(),
            kind: EvidenceKind::Tool,
            work: None,
            body: Body::Text(format!("# {}\n\n{}\n", text.title, text.text)),
            lacking: None,
        }),
    }
}

/// Returns the readable text of a paper and, if the full text was wanted but is missing, the reason.
async fn text_of(
    paper: &Paper,
    sources: &dyn Sources,
    full_text: bool,
) -> Result<(Body, Option<String>), PortError> {
    let page = paper
        .summary
        .as_ref()
        .map(|summary| Body::Text(format!("# {}\n\n{summary}\n", paper.title)));
    let none = || PortError::Invalid { what: "it has neither an abstract nor a free PDF".into() };
    let Some(url) = paper.pdf_url.as_ref().filter(|_| full_text || page.is_none()) else {
        return page.map(|page| (page, None)).ok_or_else(none);
    };
    let error = match sources.fetch(url).await {
        Ok(fetched) if fetched.bytes.starts_with(b"%PDF-") => {
            return Ok((Body::Fetched(fetched), None));
        }
        Ok(_) => PortError::Invalid { what: format!("there is no PDF at {url}") },
        Err(error) => error,
    };
    match page {
        Some(page) => Ok((page, Some(error.to_string()))),
        None => Err(error),
    }
}

/// External material on its way into a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// The key under which it is stored and cited: `https://…`, `arxiv:ID`, `doi:DOI`, `mcp://…`.
    pub source_uri: String,
    pub kind: EvidenceKind,
    /// Bibliographic data of the work; `None` for a page, whose own metadata is used.
    pub work: Option<Paper>,
    pub body: Body,
    /// Why the full text is missing although it was wanted and is said to be free. The body is then an abstract.
    pub lacking: Option<String>,
}

/// The readable text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Markdown, used as it is.
    Text(String),
    Fetched(Fetched),
}

/// The outcome of taking in a material.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenIn {
    pub source_uri: String,
    pub outcome: Reading,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// It is in the collection.
    Kept {
        title: String,
        /// SHA-256 of its text.
        text_sha256: String,
        text_bytes: u64,
        chunks: u64,
        put: Put,
    },
    /// Its content is unreadable, now and later.
    Unreadable { reason: String },
    /// It could not be reached now, but may be later.
    Unreached { reason: String },
}

impl Reading {
    /// Returns the outcome for a target that could not be fetched.
    pub fn of(error: &PortError) -> Reading {
        let reason = error.to_string();
        match error {
            PortError::TimedOut { .. }
            | PortError::Unreachable { .. }
            | PortError::Limited { .. }
            | PortError::Failed { .. } => Reading::Unreached { reason },
            _ => Reading::Unreadable { reason },
        }
    }

    /// Returns why it is not in the collection; `None` if it is.
    pub fn why_not(&self) -> Option<&str> {
        match self {
            Reading::Kept { .. } => None,
            Reading::Unreadable { reason } | Reading::Unreached { reason } => Some(reason),
        }
    }
}

/// Turns fetched material into documents of a collection, including vectors.
#[async_trait]
pub trait Intake: Send + Sync {
    /// Takes materials into the collection, which is created if needed; returns an outcome for each, in the same order. An unreadable
    /// material does not affect the others.
    async fn take_in(
        &self,
        user: &str,
        collection: &str,
        materials: Vec<Material>,
    ) -> Result<Vec<TakenIn>, PortError>;
}

/// Writes reference lists.
pub trait Bibliography: Send + Sync {
    /// Returns the reference of each work, in the order of the works, as plain text on one line.
    fn references(&self, works: &[&Paper]) -> Vec<String>;
}
