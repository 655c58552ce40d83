//! A local stand-in for everything outside: scholarly services, a web search, pages.
//!
//! The replies are our own, in the shapes that the services have.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fakes::{FakeModel, Say, Seen};
use serde_json::{Value, json};

use crate::stand::Stand;

/// The sentence that answers [`QUESTION`] on the page.
pub(crate) const ON_THE_PAGE: &str =
    "The Brightwater tide gauge recorded a surge of 3.42 metres on 14 January 2021.";
/// The sentence that answers it in the abstract on arXiv and, in other words, at Crossref.
pub(crate) const IN_THE_ABSTRACT: &str =
    "We show that the Brightwater surge of 3.42 metres was raised by wind alone.";
pub(crate) const QUESTION: &str = "How many metres was the Brightwater surge?";

/// Services that answer, and can be cut off.
pub(crate) struct Outside {
    pub(crate) server: FakeModel,
    limited: Arc<AtomicBool>,
}

impl Outside {
    pub(crate) fn start() -> Outside {
        Outside::saying("")
    }

    /// The same, but whoever asks for the page first waits for ever.
    pub(crate) fn hanging_once() -> Outside {
        let hung = AtomicBool::new(false);
        let server = FakeModel::start(move |seen| {
            if seen.path.starts_with("/v1/pages/") && !hung.swap(true, Ordering::Relaxed) {
                return Say::NoopListener;
            }
            answer(seen, "")
        });
        Outside { server, limited: Arc::default() }
    }

    /// Services that take every request, and let it wait.
    pub(crate) fn answering_late() -> Outside {
        Outside { server: FakeModel::start(|_| Say::NoopListener), limited: Arc::default() }
    }

    /// The same, with something more on the page.
    pub(crate) fn saying(more: &str) -> Outside {
        let more = more.to_owned();
        let limited = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&limited);
        let server = FakeModel::start(move |seen| {
            if told.load(Ordering::Relaxed) && seen.path.starts_with("/v1/arxiv/") {
                return say(429, "text/plain", "Rate exceeded.");
            }
            answer(seen, &more)
        });
        Outside { server, limited }
    }

    /// The same, with a free PDF of the paper on arXiv.
    pub(crate) fn with_pdf(pdf: &str) -> Outside {
        let pdf = pdf.to_owned();
        let limited = Arc::new(AtomicBool::new(false));
        let lost = Arc::clone(&limited);
        let server = FakeModel::start(move |seen| {
            let host = seen.header("host").unwrap_or_default();
            let link = format!(
                r#"<link href="http://{host}/v1/pdf/2104.00001v2" rel="related" type="application/pdf" title="pdf"/>"#
            );
            match seen.path.as_str() {
                path if path.starts_with("/v1/pdf/") && lost.load(Ordering::Relaxed) => {
                    say(404, "text/plain", "not here")
                }
                path if path.starts_with("/v1/pdf/") => say(200, "application/pdf", &pdf),
                path if path.starts_with("/v1/arxiv/") => {
                    let feed = build_feed().replace("</entry>", &format!("{link}</entry>"));
                    say(200, "application/atom+xml", &feed)
                }
                _ => answer(seen, ""),
            }
        });
        Outside { server, limited }
    }

    /// Takes the PDF away, or brings it back.
    pub(crate) fn lose_the_pdf(&self, lost: bool) {
        self.limited.store(lost, Ordering::Relaxed);
    }

    /// Lets arXiv turn everyone away.
    pub(crate) fn limit_arxiv(&self) {
        self.limited.store(true, Ordering::Relaxed);
    }

    /// A stand whose program asks this server in the place of everyone outside.
    pub(crate) fn stand(&self) -> Stand {
        let base = self.server.base_url();
        let host = base.trim_start_matches("http://").trim_end_matches("/v1/").to_owned();
        Stand::new()
            .variable("QUAESTIO_SOURCES__BASE_URLS__ARXIV", &format!("{base}arxiv/"))
            .variable("QUAESTIO_SOURCES__BASE_URLS__CROSSREF", &format!("{base}crossref/"))
            .variable("QUAESTIO_SOURCES__BASE_URLS__OPENALEX", &format!("{base}openalex/"))
            .variable("QUAESTIO_SOURCES__BASE_URLS__SEMANTIC_SCHOLAR", &format!("{base}s2/"))
            .variable("QUAESTIO_SOURCES__WEB__ENGINE", "searxng")
            .variable("QUAESTIO_SOURCES__WEB__BASE_URL", &format!("{base}searx/"))
            .variable("QUAESTIO_SOURCES__PRIVATE_HOSTS", &format!("[\"{host}\"]"))
            .variable("QUAESTIO_SOURCES__RETRY_DELAY_MS", "1")
    }

    /// The paths that were asked, without their queries.
    pub(crate) fn asked(&self) -> Vec<String> {
        let seen = self.server.seen();
        seen.iter().map(|seen| seen.path.split('?').next().unwrap_or_default().to_owned()).collect()
    }
}

fn answer(seen: &Seen, more: &str) -> Say {
    let path = seen.path.split('?').next().unwrap_or_default();
    let host = seen.header("host").unwrap_or_default();
    match path.strip_prefix("/v1/").unwrap_or_default() {
        path if path.starts_with("arxiv/") => say(200, "application/atom+xml", &build_feed()),
        path if path.starts_with("crossref/works/10.48550") => {
            say(404, "text/plain", "Resource not found.")
        }
        path if path.starts_with("crossref/works/") => {
            json_page(&json!({"status": "ok", "message-type": "work", "message": crossref_work()}))
        }
        path if path.starts_with("crossref/") => json_page(&json!({
            "status": "ok",
            "message-type": "work-list",
            "message": {"total-results": 1, "items": [crossref_work()]},
        })),
        path if path.starts_with("openalex/works/") => say(404, "text/html", "<h1>404</h1>"),
        path if path.starts_with("openalex/") => {
            json_page(&json!({"meta": {"count": 1}, "results": [openalex_work()]}))
        }
        path if path.starts_with("s2/") => {
            say(429, "application/json", r#"{"message":"Too Many Requests.","code":"429"}"#)
        }
        path if path.starts_with("searx/") => json_page(&json!({
            "query": "", "number_of_results": 2, "unresponsive_engines": [],
            "results": [
                {"title": "Storm surge of 2021", "url": format!("http://{host}/v1/pages/surge"), "content": "The <b>surge</b> at Brightwater"},
                {"title": "Inside", "url": "http://169.254.169.254/latest/meta-data/", "content": "keys"},
            ],
        })),
        "pages/surge" => say(200, "text/html; charset=utf-8", &page(more)),
        _ => say(404, "text/plain", "not here"),
    }
}

pub(crate) fn say(status: u16, content_type: &'static str, body: &str) -> Say {
    Say::Status { status, headers: vec![], content_type, body: body.to_owned() }
}

fn json_page(page: &Value) -> Say {
    say(200, "application/json", &page.to_string())
}

fn page(more: &str) -> String {
    let filler = "The harbour office keeps the record of the gauge and publishes it every spring for anyone to read. ";
    format!(
        "<!doctype html><html lang=\"en\"><head><title>Storm surge of 2021</title>\
         <meta name=\"author\" content=\"Jane Doe\"><meta property=\"article:published_time\" content=\"2021-03-02\">\
         <meta property=\"og:site_name\" content=\"Harbour News\"></head><body><nav><a href=\"/\">Home</a></nav>\
         <article><h1>Storm surge of 2021</h1><p>{ON_THE_PAGE} {filler}</p><p>{more}</p><p>{filler}{filler}</p>\
         <p>{filler}{filler}</p></article></body></html>"
    )
}

fn build_feed() -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/" xmlns:arxiv="http://arxiv.org/schemas/atom">
  <id>https://arxiv.org/api/x</id>
  <title>arXiv Query</title>
  <updated>2026-11-01T00:00:00Z</updated>
  <opensearch:itemsPerPage>1</opensearch:itemsPerPage>
  <opensearch:totalResults>1</opensearch:totalResults>
  <opensearch:startIndex>0</opensearch:startIndex>
  <entry>
    <id>http://arxiv.org/abs/2104.00001v2</id>
    <title>Wind and the Brightwater surge: a reanalysis</title>
    <updated>2021-05-01T00:00:00Z</updated>
    <published>2021-04-01T00:00:00Z</published>
    <summary>Storm surges have many causes. {IN_THE_ABSTRACT} Pressure played no part.</summary>
    <author><name>Ada Tidewell</name></author>
    <author><name>Bo Marsh</name></author>
    <category term="physics.ao-ph" scheme="http://arxiv.org/schemas/atom"/>
    <arxiv:primary_category term="physics.ao-ph"/>
    <link href="https://arxiv.org/abs/2104.00001v2" rel="alternate" type="text/html"/>
  </entry>
</feed>"#
    )
}

/// The work that Crossref has as well.
fn openalex_work() -> Value {
    json!({
        "id": "https://openalex.org/W99", "doi": "https://doi.org/10.5555/SURGE.2021", "type": "article",
        "title": "Pressure and tides at Brightwater harbour", "display_name": "Pressure and tides at Brightwater harbour",
        "publication_year": 2022, "cited_by_count": 5, "is_retracted": false,
        "authorships": [{"author": {"display_name": "Cora Lee"}, "raw_author_name": "Cora Lee"}],
        "abstract_inverted_index": {"The": [0], "tide": [1]},
    })
}

fn crossref_work() -> Value {
    json!({
        "DOI": "10.5555/surge.2021", "type": "journal-article", "title": ["Pressure and tides at Brightwater harbour"],
        "author": [{"given": "Cora", "family": "Lee", "sequence": "first"}],
        "container-title": ["Journal of Coasts"], "volume": "7", "issue": "2", "page": "11-19",
        "issued": {"date-parts": [[2022, 6]]}, "publisher": "Shore Press",
        "abstract": "<jats:p>The tide at Brightwater harbour follows the moon with a lag of two hours.</jats:p>",
        "URL": "https://doi.org/10.5555/surge.2021", "is-referenced-by-count": 3, "references-count": 20,
    })
}
