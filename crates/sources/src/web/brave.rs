//! Brave Search, which has its own index.
//!
//! A search without results has no `web`. Titles and descriptions contain markup and entities.

use std::time::Duration;

use reqwest::Url;

use run::error::PortError;
use run::sources::{Hit, Query};
use transport::{Secret, Service};

use super::Names;
use crate::json::{self, Body, Parts};
use crate::keys;
use crate::service::{Etiquette, Reply, Request, WebSearch};

const NAME: &str = "Brave Search";
const NAMES: Names =
    Names { url: "/url", snippet: "/description", published: &["/page_age", "/age"] };
/// The most characters and words of a query; longer ones are refused.
const QUERY: usize = 400;
const QUERY_WORDS: usize = 50;
const MOST: u32 = 20;

pub(crate) struct Brave {
    pub(crate) base: Url,
    pub(crate) key: Secret,
}

impl Brave {
    pub(crate) const BASE: &str = "https://api.search.brave.com/";
}

impl WebSearch for Brave {
    fn etiquette(&self) -> Etiquette {
        Etiquette {
            name: NAME,
            spacing: Duration::from_millis(200),
            at_once: 2,
            attempts: 3,
            deadline: Duration::from_secs(20),
            cool_down: Duration::from_secs(60),
            rests_after_failure: false,
            answers: &[],
            fresh_for: Duration::from_secs(60 * 60),
        }
    }

    /// Builds a search. A date range needs both ends, so years count only if both are given.
    fn search(&self, query: &Query) -> Request {
        let words: Vec<&str> = query.text.split_whitespace().take(QUERY_WORDS).collect();
        let mut url = json::under(&self.base, ["res", "v1", "web", "search"]);
        let mut pairs = url.query_pairs_mut();
        pairs
            .append_pair("q", json::cut(&words.join(" "), QUERY))
            .append_pair("count", &query.limit.clamp(1, MOST).to_string())
            .append_pair("result_filter", "web")
            .append_pair("text_decorations", "false");
        if let (Some(from), Some(to)) = (query.from_year, query.to_year) {
            let span = format!("{from:04}-01-01to{to:04}-12-31");
            pairs.append_pair("freshness", &span);
        }
        drop(pairs);
        let key = keys::build_header("x-subscription-token", "", &self.key);
        Request { headers: key.into_iter().collect(), ..Request::get(url) }
    }

    fn read(&self, reply: &Reply) -> Result<Vec<Hit>, PortError> {
        let service = Service { name: NAME, key: Some(&self.key) };
        let body = Body::of(service, reply)?;
        let web = match body.parts(["web", "type", "error"])? {
            Parts::Object([Some(web), ..]) => web,
            Parts::Object([None, Some(kind), None]) if kind.get() == "\"search\"" => {
                return Ok(Vec::new());
            }
            Parts::Object([.., Some(error)]) => {
                return Err(service.in_band(&json::item(error).unwrap_or_default()));
            }
            _ => return Err(service.malformed("something other than a search")),
        };
        match json::members(web, ["results"]) {
            [Some(results)] => super::hits(service, results, &NAMES),
            [None] => Err(service.malformed("a search without its results")),
        }
    }
}
