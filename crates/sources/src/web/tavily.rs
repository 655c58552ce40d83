//! Tavily: a search engine for programs; its snippets are excerpts of the pages.

use std::time::Duration;

use reqwest::Url;
use serde_json::json;

use run::error::PortError;
use run::sources::{Hit, Query};
use transport::{Secret, Service};

use super::Names;
use crate::json::{self, Body, Parts};
use crate::keys;
use crate::service::{Etiquette, Reply, Request, WebSearch};

const NAME: &str = "Tavily";
const NAMES: Names = Names { url: "/url", snippet: "/content", published: &["/published_date"] };
/// The most characters of a query; longer ones are refused.
const QUERY: usize = 400;
const MOST: u32 = 20;

pub(crate) struct Tavily {
    pub(crate) base: Url,
    pub(crate) key: Secret,
}

impl Tavily {
    pub(crate) const BASE: &str = "https://api.tavily.com/";
}

impl WebSearch for Tavily {
    fn etiquette(&self) -> Etiquette {
        Etiquette {
            name: NAME,
            // Trial keys allow a hundred requests a minute.
            spacing: Duration::from_millis(600),
            at_once: 2,
            attempts: 3,
            deadline: Duration::from_secs(30),
            cool_down: Duration::from_secs(60),
            rests_after_failure: false,
            answers: &[],
            fresh_for: Duration::from_secs(60 * 60),
        }
    }

    fn search(&self, query: &Query) -> Request {
        let mut asked = json!({
            "query": json::cut(&query.text, QUERY),
            "max_results": query.limit.clamp(1, MOST),
            "search_depth": "basic",
            "include_answer": false,
            "include_raw_content": false,
            "include_images": false,
        });
        if let Some(year) = query.from_year {
            asked["start_date"] = format!("{year:04}-01-01").into();
        }
        if let Some(year) = query.to_year {
            asked["end_date"] = format!("{year:04}-12-31").into();
        }
        Request {
            url: json::under(&self.base, ["search"]),
            headers: keys::build_header("authorization", "Bearer ", &self.key)
                .into_iter()
                .collect(),
            json: Some(asked.to_string()),
        }
    }

    fn read(&self, reply: &Reply) -> Result<Vec<Hit>, PortError> {
        let service = Service { name: NAME, key: Some(&self.key) };
        let body = Body::of(service, reply)?;
        match body.parts(["results", "detail", "error"])? {
            Parts::Object([Some(results), ..]) => super::hits(service, results, &NAMES),
            Parts::Object([None, detail, error]) => {
                let words = detail.or(error).and_then(json::item);
                Err(service.in_band(&json!({ "detail": words })))
            }
            Parts::List(_) => Err(service.malformed("a list in the place of results")),
        }
    }
}
