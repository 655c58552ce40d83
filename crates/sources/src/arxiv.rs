//! arXiv: preprints, by its Atom API.
//!
//! Since 2026 it limits polite callers too, for hours and without saying for how long. So one attempt is made, and then it is left alone.

mod feed;
mod query;

use std::time::Duration;

use reqwest::Url;

use run::paper::{Paper, PaperId, Source};
use run::ports::PortError;
use run::sources::Query;

use crate::service::{Etiquette, Reply, Request, Scholarly};

const NAME: &str = "arXiv";
/// Papers that one request may ask for.
const MOST: u32 = 2_000;

/// arXiv's API.
#[derive(Debug, Clone)]
pub(crate) struct Arxiv {
    base: Url,
}

impl Arxiv {
    pub(crate) const BASE: &str = "https://export.arxiv.org/";

    pub(crate) fn new(base: Url) -> Arxiv {
        Arxiv { base }
    }

    fn request(&self, parameters: &[(&str, &str)]) -> Request {
        let mut url = self.base.clone();
        if let Ok(mut path) = url.path_segments_mut() {
            path.pop_if_empty().extend(["api", "query"]);
        }
        url.query_pairs_mut().extend_pairs(parameters);
        Request::get(url)
    }
}

impl Scholarly for Arxiv {
    fn source(&self) -> Source {
        Source::Arxiv
    }

    fn etiquette(&self) -> Etiquette {
        Etiquette {
            name: NAME,
            // Its terms: one request every three seconds over one connection.
            spacing: Duration::from_secs(3),
            at_once: 1,
            attempts: 1,
            deadline: Duration::from_secs(15),
            cool_down: Duration::from_secs(10 * 60),
            answers: &[400],
            // It announces new papers once a day.
            fresh_for: Duration::from_secs(24 * 60 * 60),
        }
    }

    fn search(&self, query: &Query) -> Request {
        self.request(&[
            ("search_query", &query::search_query(query)),
            ("start", "0"),
            ("max_results", &query.limit.clamp(1, MOST).to_string()),
            ("sortBy", "relevance"),
            ("sortOrder", "descending"),
        ])
    }

    fn lookup(&self, id: &PaperId) -> Option<Request> {
        let PaperId::Arxiv { id, version } = id else { return None };
        let id = version.map_or_else(|| id.clone(), |version| format!("{id}v{version}"));
        // Beside a search it would ignore the version.
        Some(self.request(&[("id_list", &id), ("max_results", "1")]))
    }

    fn read(&self, reply: &Reply) -> Result<Vec<Paper>, PortError> {
        let text = String::from_utf8_lossy(&reply.body);
        feed::read(text.trim_start_matches('\u{feff}')).map_err(|fault| fault.error(reply.status))
    }
}

#[cfg(test)]
mod tests;
