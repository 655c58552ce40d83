//! OpenAlex: works of all kinds, with where to read them and how often they are cited.
//!
//! It wants a key, which it takes as `Authorization: Bearer` as well as in the URL; without one, a day's allowance is soon spent. An
//! unknown work is a 404 with an HTML page. Abstracts come as an index of their words.

#[cfg(test)]
mod fields;
mod summary;
mod work;

use std::time::Duration;

use reqwest::Url;
use reqwest::header::{FROM, HeaderValue};

use papers::{ARXIV_DOI, Paper, PaperId, Source};
use run::error::PortError;
use run::sources::Query;
use transport::{Secret, Service};

use crate::json::{self, Body, Parts};
use crate::keys;
use crate::service::{Etiquette, Purpose, Reply, Request, Scholarly};

/// The most works of one search.
const MOST: u32 = 100;

pub(crate) struct OpenAlex {
    pub(crate) base: Url,
    pub(crate) key: Option<Secret>,
    /// An address at which the service can reach the caller.
    pub(crate) contact: Option<String>,
}

impl OpenAlex {
    pub(crate) const BASE: &str = "https://api.openalex.org/";

    fn get(&self, segments: &[&str]) -> Request {
        let mut request = Request::get(json::under(&self.base, segments.iter().copied()));
        let key =
            self.key.iter().filter_map(|key| keys::build_header("authorization", "Bearer ", key));
        request.headers.extend(key);
        let contact = self.contact.iter().filter_map(|contact| HeaderValue::from_str(contact).ok());
        request.headers.extend(contact.map(|contact| (FROM, contact)));
        request
    }

    fn service(&self) -> Service<'_> {
        Service { name: NAME, key: self.key.as_ref() }
    }
}

const NAME: &str = "OpenAlex";

impl Scholarly for OpenAlex {
    fn source(&self) -> Source {
        Source::Openalex
    }

    fn etiquette(&self) -> Etiquette {
        Etiquette {
            name: NAME,
            // It allows a hundred requests a second.
            spacing: Duration::from_millis(20),
            at_once: 4,
            attempts: 3,
            deadline: Duration::from_secs(20),
            // Its limit is a daily allowance.
            cool_down: Duration::from_secs(10 * 60),
            rests_after_failure: false,
            answers: &[404],
            fresh_for: Duration::from_secs(24 * 60 * 60),
        }
    }

    fn search(&self, query: &Query) -> Request {
        let mut request = self.get(&["works"]);
        let mut pairs = request.url.query_pairs_mut();
        pairs.append_pair("search", &plain_words(&query.text));
        pairs.append_pair("per-page", &query.limit.clamp(1, MOST).to_string());
        let from = query.from_year.map(|year| format!("from_publication_date:{year:04}-01-01"));
        let to = query.to_year.map(|year| format!("to_publication_date:{year:04}-12-31"));
        let filters: Vec<String> = [from, to].into_iter().flatten().collect();
        if !filters.is_empty() {
            pairs.append_pair("filter", &filters.join(","));
        }
        drop(pairs);
        request
    }

    fn lookup(&self, id: &PaperId) -> Option<Request> {
        let doi = match id {
            PaperId::Arxiv { id, .. } => format!("{ARXIV_DOI}{id}"),
            PaperId::Doi(doi) => doi.clone(),
        };
        Some(self.get(&["works", &format!("doi:{doi}")]))
    }

    /// Reads lists and single works, complete or with some of their fields.
    fn read(&self, asked: Purpose, reply: &Reply) -> Result<Vec<Paper>, PortError> {
        let service = self.service();
        if reply.status == 404 && asked == Purpose::Lookup {
            return Ok(Vec::new());
        }
        let body = Body::of(service, reply)?;
        let works = match body.parts(["results", "error", "message", "meta"])? {
            Parts::List(works) => works,
            Parts::Object([Some(results), .., meta]) => {
                let works = json::items(results)
                    .ok_or_else(|| service.malformed("works that are no list"))?;
                let total = meta.and_then(|meta| json::members(meta, ["count"])[0]);
                json::not_withheld(service, &works, total)?;
                works
            }
            Parts::Object([None, Some(error), message, _]) => {
                let words = message.and_then(json::item).or_else(|| json::item(error));
                return Err(service.in_band(&serde_json::json!({ "message": words })));
            }
            Parts::Object(_) => vec![body.whole()?],
        };
        json::read(service, &works, work::read)
    }
}

/// Removes the search operators from a text: quotes, brackets, wildcards, AND, OR and NOT.
fn plain_words(text: &str) -> String {
    const OPERATORS: [char; 9] = ['"', '(', ')', '*', '?', '~', '|', '\\', '^'];
    let words = text.replace(OPERATORS, " ");
    let plain = words.split_whitespace().map(|word| match word {
        "AND" | "OR" | "NOT" => word.to_lowercase(),
        word => word.to_owned(),
    });
    plain.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
