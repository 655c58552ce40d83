//! The models that a provider offers.

use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;

use run::error::PortError;
use transport::{Attempts, Service, body};

use crate::{ConnectError, Connection, Protocol, http};

/// The maximum size of a page of the list, and the maximum number of pages.
const PAGE_BYTES: usize = 16 * 1024 * 1024;
const PAGES: usize = 20;

/// Why there is no list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Port(#[from] PortError),
}

/// A page in the format of OpenAI, Anthropic or Gemini.
#[derive(Deserialize)]
struct Page {
    #[serde(default)]
    data: Option<Vec<Model>>,
    #[serde(default)]
    has_more: Option<bool>,
    #[serde(default)]
    last_id: Option<String>,
    #[serde(default)]
    models: Option<Vec<GeminiModel>>,
    #[serde(default, rename = "nextPageToken")]
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GeminiModel {
    name: String,
    #[serde(default)]
    supported_generation_methods: Option<Vec<String>>,
}

/// Returns the names of the models that a connection's server offers, in alphabetical order.
///
/// Gemini lists models of every kind; only those that generate text are included.
pub async fn offered(
    connection: &Connection,
    deadline: Duration,
) -> Result<Vec<String>, ListError> {
    let client = http::client(connection)?;
    let headers = http::headers(connection)?;
    let mut url = http::url(connection, &["models"])?;
    match connection.protocol {
        Protocol::OpenAi => {}
        Protocol::Anthropic => drop(url.query_pairs_mut().append_pair("limit", "1000")),
        Protocol::Gemini => drop(url.query_pairs_mut().append_pair("pageSize", "1000")),
    }
    let service = Service { name: &connection.id, key: connection.key.as_ref() };
    let mut attempts = Attempts::new(&connection.id, deadline, connection.retry_delay);
    let mut names = Vec::new();
    let mut next: Option<(&str, String)> = None;
    for _ in 0..PAGES {
        let page_url = match &next {
            None => url.clone(),
            Some((name, value)) => with(&url, name, value),
        };
        let page = loop {
            let get = client.get(page_url.clone()).headers(headers.clone());
            let asked = async {
                let mut response = get.send().await.map_err(|error| service.network(&error))?;
                if !response.status().is_success() {
                    let body = body::beginning(&mut response).await;
                    return Err(service.refused(response.status(), response.headers(), &body));
                }
                let body = body::whole(&mut response, service, PAGE_BYTES).await?;
                let page = serde_json::from_slice::<Page>(&body).ok().filter(|page| {
                    // Gemini omits an empty list.
                    let empty = connection.protocol == Protocol::Gemini && body.starts_with(b"{");
                    page.data.is_some() || page.models.is_some() || empty
                });
                page.ok_or_else(|| service.malformed("something that is no list of models"))
            };
            match attempts.make(asked).await {
                Ok(page) => break page,
                Err(error) => attempts.after(error).await?,
            }
        };
        let Page { data, has_more, last_id, models, next_page_token } = page;
        names.extend(data.into_iter().flatten().map(|model| model.id));
        names.extend(models.into_iter().flatten().filter_map(GeminiModel::writes));
        next = match connection.protocol {
            Protocol::OpenAi => None,
            Protocol::Anthropic => {
                last_id.filter(|_| has_more == Some(true)).map(|id| ("after_id", id))
            }
            Protocol::Gemini => {
                next_page_token.filter(|token| !token.is_empty()).map(|token| ("pageToken", token))
            }
        };
        if next.is_none() {
            break;
        }
    }
    names.sort();
    names.dedup();
    Ok(names)
}

fn with(url: &Url, name: &str, value: &str) -> Url {
    let mut url = url.clone();
    url.query_pairs_mut().append_pair(name, value);
    url
}

impl GeminiModel {
    /// Returns the model's name if it generates text.
    fn writes(self) -> Option<String> {
        let methods = self.supported_generation_methods;
        let writes = methods.is_none_or(|methods| methods.iter().any(|m| m == "generateContent"));
        writes.then(|| self.name.strip_prefix("models/").unwrap_or(&self.name).to_owned())
    }
}
