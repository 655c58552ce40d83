//! Semantic Scholar's Academic Graph: papers of all fields, with their ids in other services.
//!
//! As recorded from 2023 to 2025, an empty answer has no `data`, abstracts that publishers withhold are null, unknown ids in a batch are
//! null, and an unknown paper is a 404 with JSON. Without a key, all callers share one allowance, and most are limited.

#[cfg(test)]
mod fields;
mod paper;

use std::time::Duration;

use reqwest::Url;
use serde_json::json;

use papers::{Paper, PaperId, Source};
use run::error::PortError;
use run::sources::Query;
use transport::{Secret, Service};

use crate::json::{self, Body, Parts};
use crate::keys;
use crate::service::{Etiquette, Purpose, Reply, Request, Scholarly};

/// The fields requested for every paper.
const FIELDS: &str = "paperId,externalIds,url,title,abstract,venue,publicationVenue,year,publicationDate,publicationTypes,journal,authors,\
                      citationCount,referenceCount,isOpenAccess,openAccessPdf,fieldsOfStudy,s2FieldsOfStudy,tldr";
/// The most papers of one search, and the most ids of one batch.
const MOST: u32 = 100;
const MOST_IDS: usize = 500;

pub(crate) struct SemanticScholar {
    pub(crate) base: Url,
    /// The key; without one, few requests are answered.
    pub(crate) key: Option<Secret>,
}

impl SemanticScholar {
    pub(crate) const BASE: &str = "https://api.semanticscholar.org/";

    fn get(&self, segments: &[&str]) -> Request {
        let path = ["graph", "v1", "paper"].into_iter().chain(segments.iter().copied());
        let mut url = json::under(&self.base, path);
        url.query_pairs_mut().append_pair("fields", FIELDS);
        self.with_key(Request::get(url))
    }

    fn with_key(&self, mut request: Request) -> Request {
        request
            .headers
            .extend(self.key.iter().filter_map(|key| keys::build_header("x-api-key", "", key)));
        request
    }

    fn service(&self) -> Service<'_> {
        Service { name: NAME, key: self.key.as_ref() }
    }
}

const NAME: &str = "Semantic Scholar";

/// Formats an id as the service writes it. The service does not distinguish versions.
fn name_of(id: &PaperId) -> String {
    match id {
        PaperId::Arxiv { id, .. } => format!("ARXIV:{id}"),
        PaperId::Doi(doi) => format!("DOI:{doi}"),
    }
}

impl Scholarly for SemanticScholar {
    fn source(&self) -> Source {
        Source::SemanticScholar
    }

    fn etiquette(&self) -> Etiquette {
        // A key allows one request a second over all endpoints; backing off is a condition of use. Without a key, retries mostly meet the
        // same limit, and it is faster to ask another source.
        let (attempts, seconds) = if self.key.is_some() { (4, 30) } else { (2, 15) };
        Etiquette {
            name: NAME,
            spacing: Duration::from_millis(1_100),
            at_once: 1,
            attempts,
            deadline: Duration::from_secs(seconds),
            cool_down: Duration::from_secs(60),
            rests_after_failure: false,
            answers: &[404],
            fresh_for: Duration::from_secs(24 * 60 * 60),
        }
    }

    fn search(&self, query: &Query) -> Request {
        let mut request = self.get(&["search"]);
        // According to its documentation, hyphenated terms find nothing.
        let text = query.text.replace(['-', '‐', '‑'], " ");
        let mut pairs = request.url.query_pairs_mut();
        pairs.append_pair("query", &text.split_whitespace().collect::<Vec<_>>().join(" "));
        pairs.append_pair("limit", &query.limit.clamp(1, MOST).to_string());
        if query.from_year.is_some() || query.to_year.is_some() {
            let year = |year: Option<i16>| year.map_or_else(String::new, |year| year.to_string());
            let years = format!("{}-{}", year(query.from_year), year(query.to_year));
            pairs.append_pair("year", &years);
        }
        drop(pairs);
        request
    }

    fn lookup(&self, id: &PaperId) -> Option<Request> {
        let name = name_of(id);
        // Slashes are kept as they are, so a segment of dots would lead elsewhere.
        let segments: Vec<&str> = name.split('/').collect();
        let astray = segments.iter().any(|segment| matches!(*segment, "." | ".."));
        (!astray).then(|| self.get(&segments))
    }

    /// Asks for up to [`MOST_IDS`] papers and ignores the rest. Without a key, the service does not answer such requests.
    fn batch(&self, ids: &[PaperId]) -> Option<Request> {
        self.key.as_ref()?;
        let ids: Vec<String> = ids.iter().map(name_of).take(MOST_IDS).collect();
        let mut request = self.get(&["batch"]);
        request.json = Some(json!({ "ids": ids }).to_string());
        Some(request)
    }

    /// Reads searches, single papers and batches.
    fn read(&self, asked: Purpose, reply: &Reply) -> Result<Vec<Paper>, PortError> {
        let service = self.service();
        if asked == Purpose::Lookup && reply.status == 404 && says_not_found(reply) {
            return Ok(Vec::new());
        }
        let body = Body::of(service, reply)?;
        let names = ["data", "paperId", "total", "error", "message", "code"];
        let lists = match body.parts(names)? {
            Parts::List(items) => items,
            Parts::Object([Some(data), ..]) => {
                json::items(data).ok_or_else(|| service.malformed("papers that are no list"))?
            }
            Parts::Object([_, Some(_), ..]) => vec![body.whole()?],
            Parts::Object([_, _, Some(total), ..]) if total.get() == "0" => Vec::new(),
            Parts::Object([.., error, message, code]) => {
                let Some(words) = error.or(message).and_then(json::item) else {
                    return Err(service.malformed("neither papers nor a count of them"));
                };
                let code = code.and_then(json::item);
                return Err(service.in_band(&json!({ "message": words, "code": code })));
            }
        };
        json::read(service, &lists, paper::read)
    }
}

/// Returns whether a 404 is the service's own: `{"error": "Paper with id … not found"}`.
fn says_not_found(reply: &Reply) -> bool {
    let body = serde_json::from_slice::<serde_json::Value>(&reply.body).unwrap_or_default();
    json::line(&body, "/error").is_some_and(|error| error.to_lowercase().contains("not found"))
}

#[cfg(test)]
mod tests;
