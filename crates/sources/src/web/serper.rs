//! Serper, which returns Google's results.

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

const NAME: &str = "Serper";
const NAMES: Names = Names { url: "/link", snippet: "/snippet", published: &["/date"] };
const MOST: u32 = 100;
/// The number of words in a query after which Google ignores the rest.
const QUERY_WORDS: usize = 32;

pub(crate) struct Serper {
    pub(crate) base: Url,
    pub(crate) key: Secret,
}

impl Serper {
    pub(crate) const BASE: &str = "https://google.serper.dev/";
}

impl WebSearch for Serper {
    fn etiquette(&self) -> Etiquette {
        Etiquette {
            name: NAME,
            spacing: Duration::from_millis(50),
            at_once: 4,
            attempts: 3,
            deadline: Duration::from_secs(20),
            cool_down: Duration::from_secs(60),
            rests_after_failure: false,
            answers: &[],
            fresh_for: Duration::from_secs(60 * 60),
        }
    }

    fn search(&self, query: &Query) -> Request {
        let words: Vec<&str> = query.text.split_whitespace().take(QUERY_WORDS).collect();
        let mut asked = json!({ "q": words.join(" "), "num": query.limit.clamp(1, MOST) });
        let from = query.from_year.map(|year| format!(",cd_min:1/1/{year}"));
        let to = query.to_year.map(|year| format!(",cd_max:12/31/{year}"));
        if from.is_some() || to.is_some() {
            let span = [from, to].into_iter().flatten().collect::<String>();
            asked["tbs"] = format!("cdr:1{span}").into();
        }
        Request {
            url: json::under(&self.base, ["search"]),
            headers: keys::build_header("x-api-key", "", &self.key).into_iter().collect(),
            json: Some(asked.to_string()),
        }
    }

    fn read(&self, reply: &Reply) -> Result<Vec<Hit>, PortError> {
        let service = Service { name: NAME, key: Some(&self.key) };
        let body = Body::of(service, reply)?;
        match body.parts(["organic", "searchParameters", "message", "statusCode"])? {
            Parts::Object([Some(organic), ..]) => super::hits(service, organic, &NAMES),
            Parts::Object([None, _, Some(words), code]) => {
                let words = json::item(words);
                let code = code.and_then(json::item);
                Err(service.in_band(&json!({ "message": words, "code": code })))
            }
            Parts::Object([None, Some(_), ..]) => Ok(Vec::new()),
            _ => Err(service.malformed("something other than a search")),
        }
    }
}
