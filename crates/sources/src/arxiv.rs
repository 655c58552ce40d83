//! arXiv: preprints, by its Atom API.
//!
//! Since 2026 it limits even polite callers, for hours and without saying for how long. So only one attempt is made, and then arXiv is
//! left alone.

mod feed;
mod query;
mod withdrawal;

use std::time::Duration;

use reqwest::Url;

use papers::{Paper, PaperId, Source};
use run::error::PortError;
use run::sources::Query;

use crate::json;
use crate::markup::distinct;
use crate::service::{Etiquette, Purpose, Reply, Request, Scholarly};

const NAME: &str = "arXiv";
/// The most papers that one request may ask for.
const MOST: u32 = 2_000;
/// The most ids in one request, since URLs have limited length.
const MOST_IDS: usize = 100;

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
        let mut url = json::under(&self.base, ["api", "query"]);
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
            // Its terms of use: one request every three seconds over one connection.
            spacing: Duration::from_secs(3),
            at_once: 1,
            attempts: 1,
            deadline: Duration::from_secs(15),
            cool_down: Duration::from_secs(10 * 60),
            rests_after_failure: true,
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
        // In a search it would ignore the version.
        Some(self.request(&[("id_list", &format_id(id, *version)), ("max_results", "1")]))
    }

    /// Asks for up to [`MOST_IDS`] of the papers in one turn, and ignores the rest.
    fn batch(&self, ids: &[PaperId]) -> Option<Request> {
        let all: Vec<(&str, Option<u32>)> = ids.iter().filter_map(of_arxiv).collect();
        // Results are matched by id alone, so two versions of one paper could be confused.
        let alone = |(id, version): &(&str, Option<u32>)| {
            all.iter().all(|(other, another)| other != id || another == version)
        };
        let names =
            all.iter().filter(|one| alone(one)).map(|(id, version)| format_id(id, *version));
        let mut names = distinct(names);
        names.truncate(MOST_IDS);
        let most = names.len().to_string();
        (names.len() > 1)
            .then(|| self.request(&[("id_list", &names.join(",")), ("max_results", &most)]))
    }

    fn read(&self, asked: Purpose, reply: &Reply) -> Result<Vec<Paper>, PortError> {
        let text = String::from_utf8_lossy(&reply.body);
        feed::read(asked, text.trim_start_matches('\u{feff}'))
            .map_err(|fault| fault.error(reply.status))
    }
}

/// Formats an id as arXiv writes it.
fn format_id(id: &str, version: Option<u32>) -> String {
    version.map_or_else(|| id.to_owned(), |version| format!("{id}v{version}"))
}

fn of_arxiv(id: &PaperId) -> Option<(&str, Option<u32>)> {
    match id {
        PaperId::Arxiv { id, version } => Some((id, *version)),
        PaperId::Doi(_) => None,
    }
}

#[cfg(test)]
mod tests;
