//! What a run finds outside: papers, pages, and their texts.
//!
//! Two ports. [`Sources`] asks scholarly services and the web search, and fetches what lies at an address; [`Intake`] turns what was fetched
//! into documents of a collection, where [`Library`](crate::library::Library) finds passages in it as in any other.

use async_trait::async_trait;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::evidence::EvidenceKind;
use crate::library::Put;
use crate::ports::PortError;
use papers::{Paper, PaperId, Source};

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    pub text: String,
    /// Papers or pages wanted of each source.
    pub limit: u32,
    /// The first and the last year of publication that is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_year: Option<i16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_year: Option<i16>,
    /// Nobody is asked in the place of a source that does not answer.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// Only what a journal or a conference published: a source that has preprints as well is not asked for them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub published: bool,
}

impl Query {
    /// Characters that every search takes in.
    pub const LONGEST: usize = 400;

    pub fn new(text: impl Into<String>, limit: u32) -> Query {
        let text = text.into();
        Query { text, limit, from_year: None, to_year: None, alone: false, published: false }
    }
}

/// What the sources that were asked came to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Searched {
    /// Every work once, in the sources' order: the best of each first.
    pub papers: Vec<Paper>,
    pub answers: Vec<Answer>,
}

/// What one source said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub source: Source,
    pub outcome: Outcome,
    /// The source that could not be asked, where this one was asked in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_place_of: Option<Source>,
    /// When it said so, where it could not be asked now and an older answer was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Timestamp>,
}

impl Answer {
    /// Returns what a source said that was asked for itself, and now.
    pub fn new(source: Source, outcome: Outcome) -> Answer {
        Answer { source, outcome, in_place_of: None, as_of: None }
    }
}

/// How a source answered. One that limits its callers has not said that there is nothing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// So many papers, which may be none.
    Found(u32),
    Limited {
        retry_after_seconds: Option<u64>,
    },
    /// It was not reached, or what it said cannot be used.
    Failed {
        reason: String,
    },
}

impl Outcome {
    /// Returns what an error says of a source.
    pub fn of(error: &PortError) -> Outcome {
        match error {
            PortError::Limited { retry_after, .. } => {
                Outcome::Limited { retry_after_seconds: retry_after.map(|after| after.as_secs()) }
            }
            error => Outcome::Failed { reason: error.to_string() },
        }
    }

    /// Returns why a source did not answer; none where it did.
    pub fn why_not(&self) -> Option<String> {
        match self {
            Outcome::Found(_) => None,
            Outcome::Limited { retry_after_seconds: Some(seconds) } => {
                Some(format!("limits its callers and asks to wait {seconds} s"))
            }
            Outcome::Limited { retry_after_seconds: None } => Some("limits its callers".into()),
            Outcome::Failed { reason } => Some(reason.clone()),
        }
    }
}

/// A page that a web search found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    pub title: String,
    pub url: String,
    /// Plain text; what the search engine shows of the page, which may be nothing.
    pub snippet: String,
    /// As the search engine writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
}

/// What lay at an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it was found in the end, after redirects.
    pub url: String,
    /// The media type, lower case, without parameters; empty where the server named none.
    pub media_type: String,
    /// The character encoding that the server named.
    pub charset: Option<String>,
    pub bytes: Vec<u8>,
}

/// The scholarly services, the web search and the fetcher.
///
/// Every adapter keeps to what the services ask of their callers, retries what may pass, and reaches no address but those that it is configured for
/// or, when fetching, public ones.
#[async_trait]
pub trait Sources: Send + Sync {
    /// Asks all of `sources` at the same time, and others in the place of those that limit their callers. An error only
    /// where none of them answered.
    async fn papers(&self, sources: &[Source], query: &Query) -> Result<Searched, PortError>;
    /// Returns what the web search finds, best first.
    async fn pages(&self, query: &Query) -> Result<Vec<Hit>, PortError>;
    /// Returns the papers of these ids, in the order of the ids; none for one that no source knows.
    async fn papers_named(&self, ids: &[PaperId]) -> Vec<Result<Option<Paper>, PortError>>;
    /// Fetches what lies at a public address.
    async fn fetch(&self, url: &str) -> Result<Fetched, PortError>;
}

/// What is to be read into a collection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    Page {
        url: String,
    },
    /// Its abstract; with `full_text` what lies at its free PDF instead, where there is one.
    Paper {
        paper: Box<Paper>,
        full_text: bool,
    },
}

impl Target {
    /// Returns what it will be cited as, as far as that is known before it is read.
    pub fn source_uri(&self) -> String {
        match self {
            Target::Page { url } => url.clone(),
            Target::Paper { paper, .. } => paper.source_uri(),
        }
    }
}

/// Fetches what there is to read of a target.
///
/// Where a paper's PDF cannot be had, or is none (some servers answer with a page), there is its abstract, and the material says why.
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
    }
}

/// Returns what there is to read of a paper, and why it is not the full text where that was wanted.
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

/// Something from outside on its way into a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// What it is stored under and cited as: `https://…`, `arxiv:ID`, `doi:DOI`.
    pub source_uri: String,
    pub kind: EvidenceKind,
    /// What is known of the work; for a page none, then it is what the page says of itself.
    pub work: Option<Paper>,
    pub body: Body,
    /// Why the full text is not here: it was wanted, and is said to be free. Then the body is an abstract.
    pub lacking: Option<String>,
}

/// What there is to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// Markdown as it stands.
    Text(String),
    Fetched(Fetched),
}

/// What became of a material.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenIn {
    pub source_uri: String,
    pub outcome: Reading,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// It stands in the collection.
    Kept {
        title: String,
        /// SHA-256 of its text.
        text_sha256: String,
        text_bytes: u64,
        chunks: u64,
        put: Put,
    },
    /// What is there cannot be read, now or later.
    Unreadable { reason: String },
    /// It was not reached now, and may be another time.
    Unreached { reason: String },
}

impl Reading {
    /// Returns what is said of a target that could not be fetched.
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

    /// Returns why it is not in the collection; none where it is.
    pub fn why_not(&self) -> Option<&str> {
        match self {
            Reading::Kept { .. } => None,
            Reading::Unreadable { reason } | Reading::Unreached { reason } => Some(reason),
        }
    }
}

/// Turns what was fetched into documents of a collection, vectors and all.
#[async_trait]
pub trait Intake: Send + Sync {
    /// Takes materials into the collection, which is made if it is not there; answers for each, in their order. What cannot be read spoils
    /// nothing else.
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
