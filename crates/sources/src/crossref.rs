//! Crossref: the works that publishers register.
//!
//! It is asked with the words of the query as they are: it ranks by how many of them a work has, and always finds something. It is not told
//! which fields to send: it knows several that it refuses to be asked for, and they would be lost.

mod item;
mod rights;

use std::time::Duration;

use reqwest::Url;
use serde_json::Value;

use run::paper::{Paper, PaperId, Source};
use run::ports::PortError;
use run::sources::Query;

use crate::markup;
use crate::service::{Etiquette, Reply, Request, Scholarly};

const NAME: &str = "Crossref";
/// Works that one request may ask for.
const MOST: u32 = 1_000;
/// Characters of a query; addresses have their limits.
const LONGEST_QUERY: usize = 1_000;
/// What is looked for: articles and preprints. Journals, issues, components and reviews are registered as works too.
const TYPES: &str = "type:journal-article,type:proceedings-article,type:posted-content";

/// Crossref's REST API.
#[derive(Debug, Clone)]
pub(crate) struct Crossref {
    base: Url,
    /// The address under which the caller can be told that it asks too much; who gives one is served first.
    contact: Option<String>,
}

impl Crossref {
    pub(crate) const BASE: &str = "https://api.crossref.org/";

    pub(crate) fn new(base: Url, contact: Option<String>) -> Crossref {
        Crossref { base, contact }
    }

    fn works(&self) -> Url {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().push("works");
        }
        url
    }

    fn request(&self, mut url: Url) -> Request {
        if let Some(contact) = &self.contact {
            url.query_pairs_mut().append_pair("mailto", contact);
        }
        Request::get(url)
    }
}

impl Scholarly for Crossref {
    fn source(&self) -> Source {
        Source::Crossref
    }

    fn etiquette(&self) -> Etiquette {
        Etiquette {
            name: NAME,
            // Five a second for those who give no contact.
            spacing: Duration::from_millis(200),
            at_once: 1,
            attempts: 3,
            deadline: Duration::from_secs(30),
            cool_down: Duration::from_secs(60),
            answers: &[400, 404],
            fresh_for: Duration::from_secs(24 * 60 * 60),
        }
    }

    fn search(&self, query: &Query) -> Request {
        let text: String = markup::one_line(&query.text).chars().take(LONGEST_QUERY).collect();
        let mut filter = TYPES.to_owned();
        for (name, year) in [("from", query.from_year), ("until", query.to_year)] {
            if let Some(year) = year {
                filter.push_str(&format!(",{name}-pub-date:{:04}", year.clamp(1, 9_999)));
            }
        }
        let mut url = self.works();
        url.query_pairs_mut()
            .append_pair("query.bibliographic", &text)
            .append_pair("rows", &query.limit.clamp(1, MOST).to_string())
            .append_pair("filter", &filter);
        self.request(url)
    }

    fn lookup(&self, id: &PaperId) -> Option<Request> {
        // arXiv's DOIs are registered with DataCite.
        let PaperId::Doi(doi) = id else { return None };
        let mut url = self.works();
        url.path_segments_mut().ok()?.push(doi);
        Some(self.request(url))
    }

    fn read(&self, reply: &Reply) -> Result<Vec<Paper>, PortError> {
        let body = match serde_json::from_slice(&reply.body) {
            Ok(body) => body,
            Err(_) if is_unknown(reply) => return Ok(Vec::new()),
            Err(cause) => return Err(unreadable(reply, &cause)),
        };
        let body: Value = body;
        if !(200..300).contains(&reply.status) || body["status"] != "ok" {
            return Err(complaint(reply.status, &body["message"]));
        }
        let message = &body["message"];
        match body["message-type"].as_str() {
            Some("work") => Ok(item::read(message).into_iter().collect()),
            Some("work-list") => {
                let items =
                    message["items"].as_array().ok_or_else(|| malformed("no list of works"))?;
                // What has no title, an issue of a journal, is of no use to who searches.
                let papers = items.iter().filter_map(item::read);
                Ok(papers.filter(|paper| !paper.title.is_empty()).collect())
            }
            _ => Err(malformed("something that is neither a work nor a list of works")),
        }
    }
}

/// Tells whether a reply is the one with which Crossref says that it does not know a DOI; it is not JSON.
fn is_unknown(reply: &Reply) -> bool {
    reply.status == 404 && reply.body.trim_ascii().eq_ignore_ascii_case(b"Resource not found.")
}

fn malformed(what: &str) -> PortError {
    PortError::Malformed { service: NAME.into(), what: what.into() }
}

fn unreadable(reply: &Reply, cause: &serde_json::Error) -> PortError {
    let what = what_it_is(&reply.body, cause);
    let service = NAME.to_owned();
    match reply.status {
        200..300 => PortError::Malformed { service, what },
        400..500 => PortError::Refused { service, status: reply.status, reason: what },
        status => PortError::Failed { service, status, reason: what },
    }
}

/// Says what came in place of JSON.
fn what_it_is(body: &[u8], cause: &serde_json::Error) -> String {
    let text = String::from_utf8_lossy(body);
    if text.trim().is_empty() {
        "an empty body".into()
    } else if let Some(page) = markup::page_title(&text) {
        page
    } else if cause.is_eof() {
        "JSON that breaks off".into()
    } else {
        format!("no JSON: {cause}")
    }
}

/// Returns the error of a failure that Crossref describes: a list of what is wrong with a request, or an exception.
fn complaint(status: u16, message: &Value) -> PortError {
    let one = |message: &Value| {
        let said = message["message"].as_str().or_else(|| message.as_str())?;
        let said = markup::one_line(said);
        let value = message["value"].as_str().filter(|value| !said.contains(value));
        Some(match value {
            Some(value) => format!("{said} ({value})"),
            None => said,
        })
    };
    let all = match message {
        Value::Array(list) => list.iter().filter_map(one).collect::<Vec<_>>().join("; "),
        other => one(other).unwrap_or_default(),
    };
    let reason: String = match all.as_str() {
        "" => "it does not say why".into(),
        all => all.chars().take(300).collect(),
    };
    let service = NAME.to_owned();
    match status {
        400..500 => PortError::Refused { service, status, reason },
        200..300 => PortError::Malformed { service, what: format!("a failure: {reason}") },
        status => PortError::Failed { service, status, reason },
    }
}

#[cfg(test)]
mod tests;
