//! Crossref: the works that publishers register.
//!
//! The query's words are sent unchanged: Crossref ranks works by how many of them they have, and always finds something. No fields are
//! selected, because Crossref rejects requests for some fields that it has, and they would be lost.

mod item;
mod rights;

use std::time::Duration;

use reqwest::Url;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use papers::{Paper, PaperId, Source};
use run::error::PortError;
use run::sources::Query;
use transport::Service;

use crate::json::{self, Body, Parts};
use crate::markup;
use crate::service::{Etiquette, Purpose, Reply, Request, Scholarly};

const NAME: &str = "Crossref";
const SERVICE: Service<'static> = Service { name: NAME, key: None };
/// The most works that one request may ask for.
const MOST: u32 = 1_000;
/// The most characters of a query, since URLs have limited length.
const LONGEST_QUERY: usize = 1_000;
/// The types searched for: articles, and preprints if wanted. Journals, issues, components and reviews are registered as works too.
const PUBLISHED: &str = "type:journal-article,type:proceedings-article";
const PREPRINTS: &str = ",type:posted-content";

/// Crossref's REST API.
#[derive(Debug, Clone)]
pub(crate) struct Crossref {
    base: Url,
    /// An address for complaints about too many requests; callers who give one are served first.
    contact: Option<String>,
}

impl Crossref {
    pub(crate) const BASE: &str = "https://api.crossref.org/";

    pub(crate) fn new(base: Url, contact: Option<String>) -> Crossref {
        Crossref { base, contact }
    }

    fn works(&self) -> Url {
        json::under(&self.base, ["works"])
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
            // Five a second for callers without a contact.
            spacing: Duration::from_millis(200),
            at_once: 1,
            attempts: 3,
            deadline: Duration::from_secs(30),
            cool_down: Duration::from_secs(60),
            rests_after_failure: false,
            answers: &[400, 404],
            fresh_for: Duration::from_secs(24 * 60 * 60),
        }
    }

    fn search(&self, query: &Query) -> Request {
        let text: String = markup::one_line(&query.text).chars().take(LONGEST_QUERY).collect();
        let mut filter = PUBLISHED.to_owned();
        if !query.published {
            filter.push_str(PREPRINTS);
        }
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

    fn read(&self, asked: Purpose, reply: &Reply) -> Result<Vec<Paper>, PortError> {
        if asked == Purpose::Lookup && is_unknown(reply) {
            return Ok(Vec::new());
        }
        if !(200..300).contains(&reply.status) {
            let text = String::from_utf8_lossy(&reply.body);
            let said = serde_json::from_str::<Value>(&text).ok();
            let said = said.and_then(|body| words(body.get("message")?));
            return Err(json::refused(SERVICE, reply, said.as_deref().unwrap_or(&text)));
        }
        let body = Body::of(SERVICE, reply)?;
        let neither = || SERVICE.malformed("something that is neither a work nor a list of works");
        let parts = body.parts(["status", "message-type", "message"])?;
        let Parts::Object([status, kind, message]) = parts else { return Err(neither()) };
        let is = |part: Option<&RawValue>, wanted: &str| {
            part.and_then(json::item).is_some_and(|said| said == wanted)
        };
        if !is(status, "ok") {
            let said = message.and_then(json::item).and_then(|message| words(&message));
            let said = said.unwrap_or_else(|| "no reason given".into());
            return Err(SERVICE.in_band(&json!({ "message": said })));
        }
        let message = message.ok_or_else(neither)?;
        if is(kind, "work") {
            return json::read(SERVICE, &[message], item::read);
        }
        if !is(kind, "work-list") {
            return Err(neither());
        }
        let [items, total] = json::members(message, ["items", "total-results"]);
        let items =
            items.and_then(json::items).ok_or_else(|| SERVICE.malformed("no list of works"))?;
        json::not_withheld(SERVICE, &items, total)?;
        let mut papers = json::read(SERVICE, &items, item::read)?;
        // A work without a title, such as a journal issue, is useless in a search.
        papers.retain(|paper| !paper.title.is_empty());
        Ok(papers)
    }
}

/// Returns whether a reply is Crossref's answer for an unknown DOI, which is not JSON.
fn is_unknown(reply: &Reply) -> bool {
    reply.status == 404 && reply.body.trim_ascii().eq_ignore_ascii_case(b"Resource not found.")
}

/// Returns all faults that a failure lists, if it has Crossref's format.
fn words(message: &Value) -> Option<String> {
    let one = |message: &Value| {
        let said = json::line(message, "/message").or_else(|| json::line(message, ""))?;
        let value = json::line(message, "/value").filter(|value| !said.contains(value));
        Some(match value {
            Some(value) => format!("{said} ({value})"),
            None => said,
        })
    };
    let all: Vec<String> = match message {
        Value::Array(_) => json::list(message, "").iter().filter_map(one).collect(),
        other => one(other).into_iter().collect(),
    };
    (!all.is_empty()).then(|| all.join("; "))
}

#[cfg(test)]
mod tests;
