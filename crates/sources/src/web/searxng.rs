//! SearXNG: a self-hosted search engine that asks others.
//!
//! It must be configured to answer in JSON. It has no limit on results (it returns a page of what its engines found), and names the
//! engines that did not answer.

use std::time::Duration;

use reqwest::Url;
use serde_json::Value;
use serde_json::value::RawValue;

use run::error::PortError;
use run::sources::{Hit, Query};
use transport::Service;

use super::Names;
use crate::json::{self, Body, Parts, line};
use crate::service::{Etiquette, Reply, Request, WebSearch};

const SERVICE: Service<'static> = Service { name: "SearXNG", key: None };
const NAMES: Names =
    Names { url: "/url", snippet: "/content", published: &["/publishedDate", "/pubdate"] };
/// The most engines that an error names.
const NAMED: usize = 8;

pub(crate) struct SearxNg {
    /// The address of the instance: `http://localhost:8888`
    pub(crate) base: Url,
}

impl WebSearch for SearxNg {
    fn etiquette(&self) -> Etiquette {
        Etiquette {
            name: SERVICE.name,
            // It asks a dozen engines each time, and they suspend callers that ask too often.
            spacing: Duration::from_millis(500),
            at_once: 1,
            attempts: 3,
            deadline: Duration::from_secs(30),
            cool_down: Duration::from_secs(60),
            rests_after_failure: false,
            answers: &[403],
            fresh_for: Duration::from_secs(60 * 60),
        }
    }

    /// Builds a search. Its engines cannot filter by year.
    fn search(&self, query: &Query) -> Request {
        let mut url = json::under(&self.base, ["search"]);
        url.query_pairs_mut()
            .append_pair("q", &without_commands(&query.text))
            .append_pair("format", "json");
        Request::get(url)
    }

    fn read(&self, reply: &Reply) -> Result<Vec<Hit>, PortError> {
        if reply.status == 403 {
            return Err(PortError::Refused {
                service: SERVICE.name.into(),
                status: 403,
                reason: "it does not answer in JSON. Add json to formats under search in its settings.yml (search: {formats: \
                    [html, json]}) and restart it"
                    .into(),
            });
        }
        let body = Body::of(SERVICE, reply)?;
        let Parts::Object([results, silent]) = body.parts(["results", "unresponsive_engines"])?
        else {
            return Err(SERVICE.malformed("a list in the place of results"));
        };
        let Some(results) = results else {
            return Err(SERVICE.malformed("no results, and not that there are none"));
        };
        let hits = super::hits(SERVICE, results, &NAMES)?;
        let silent = silent.map(engines).unwrap_or_default();
        if hits.is_empty() && !silent.is_empty() {
            let reason = format!("its engines did not answer: {silent}");
            return Err(PortError::Failed {
                service: SERVICE.name.into(),
                status: reply.status,
                reason,
            });
        }
        Ok(hits)
    }
}

/// Names the engines that did not answer, with their reasons: `[["brave", "Suspended: too many requests"], …]`.
fn engines(silent: &RawValue) -> String {
    let name = |engine: Value| {
        let name = line(&engine, "/0").or_else(|| line(&engine, ""))?;
        let said = match line(&engine, "/1") {
            Some(reason) => format!("{name} ({reason})"),
            None => name,
        };
        Some(json::cut(&said, 80).to_owned())
    };
    let items = json::items(silent).unwrap_or_default();
    let names: Vec<String> =
        items.iter().filter_map(|raw| name(json::item(raw)?)).take(NAMED).collect();
    match items.len().saturating_sub(names.len()) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    }
}

/// Removes the signs that turn words into commands: `!engine`, `:language`, `<timeout`.
fn without_commands(text: &str) -> String {
    let words = text.split_whitespace().map(|word| word.trim_start_matches(['!', ':', '<', '?']));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
