//! The services, their addresses, and what is needed to ask them.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use papers::ServerName;
use reqwest::Url;
use transport::{NoBaseUrl, Secret};

use run::error::PortError;
use run::services::Memory;

use crate::arxiv::Arxiv;
use crate::client::Client;
use crate::crossref::Crossref;
use crate::mcp::McpServer;
use crate::openalex::OpenAlex;
use crate::outside::Outside;
use crate::semantic_scholar::SemanticScholar;
use crate::service::{Scholarly, WebSearch};
use crate::settings::Settings;
use crate::web::{Brave, SearxNg, Serper, Tavily};

/// The address of a service, and its key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Endpoint {
    /// A base URL for [`transport::base_url`]; empty means the service's own address.
    pub base_url: String,
    pub key: Option<Secret>,
}

/// The configuration of all services.
#[derive(Debug, Clone, PartialEq)]
pub struct Services {
    pub arxiv: Endpoint,
    pub crossref: Endpoint,
    pub semantic_scholar: Endpoint,
    pub openalex: Endpoint,
    pub web: Option<(Engine, Endpoint)>,
    pub servers: Vec<McpServer>,
    /// Whether another scholarly source stands in for one that does not answer.
    pub stand_in: bool,
}

/// A web search engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// A self-hosted instance; it needs an address but no key.
    SearxNg,
    Tavily,
    Brave,
    Serper,
}

impl Engine {
    pub const ALL: [Engine; 4] = [Engine::SearxNg, Engine::Tavily, Engine::Brave, Engine::Serper];

    /// Returns its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Engine::SearxNg => "searxng",
            Engine::Tavily => "tavily",
            Engine::Brave => "brave",
            Engine::Serper => "serper",
        }
    }

    /// Returns the usual environment variable for its key, or `None` if it needs no key.
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Engine::SearxNg => None,
            Engine::Tavily => Some("TAVILY_API_KEY"),
            Engine::Brave => Some("BRAVE_API_KEY"),
            Engine::Serper => Some("SERPER_API_KEY"),
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown engine name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown web search engine '{name}'. Choose searxng, tavily, brave or serper")]
pub struct NoEngine {
    pub name: String,
}

impl FromStr for Engine {
    type Err = NoEngine;

    fn from_str(name: &str) -> Result<Engine, NoEngine> {
        let known = Engine::ALL.into_iter().find(|engine| engine.name() == name);
        known.ok_or_else(|| NoEngine { name: name.to_owned() })
    }
}

/// The reason why the services cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ServicesError {
    #[error("{service}: {reason}")]
    BaseUrl { service: &'static str, reason: NoBaseUrl },
    #[error("{engine} needs the address of your own instance. Set `sources.web.base_url`")]
    NoAddress { engine: Engine },
    #[error("{engine} needs an API key. Set {variable}")]
    NoKey { engine: Engine, variable: &'static str },
    #[error(
        "no web search is configured. Set `sources.web.engine` to searxng, tavily, brave or serper"
    )]
    NoWeb,
    #[error("no MCP server is called {name}. Add it to the configuration under `[mcp.{name}]`")]
    NoServer { name: ServerName },
    #[error("the MCP server {name} needs the environment variable {variable}, which is not set")]
    NoVariable { name: ServerName, variable: String },
    #[error(transparent)]
    Settings(PortError),
}

impl Outside {
    /// Sets up the client and its services; makes no request.
    ///
    /// Without a memory nothing is kept, and each process follows the services' etiquette on its own.
    pub fn new(
        settings: Settings,
        services: Services,
        memory: Option<Arc<dyn Memory>>,
    ) -> Result<Outside, ServicesError> {
        let Services { arxiv, crossref, semantic_scholar, openalex, web, servers, stand_in } =
            services;
        let contact = settings.contact.clone();
        let arxiv = address("arXiv", &arxiv, Arxiv::BASE)?;
        let papers = Arxiv::new(arxiv.clone());
        let etiquette = papers.etiquette();
        // They stand in for each other in this order.
        let scholarly: Vec<Box<dyn Scholarly>> = vec![
            Box::new(SemanticScholar {
                base: address("Semantic Scholar", &semantic_scholar, SemanticScholar::BASE)?,
                key: semantic_scholar.key,
            }),
            Box::new(OpenAlex {
                base: address("OpenAlex", &openalex, OpenAlex::BASE)?,
                key: openalex.key,
                contact: contact.clone(),
            }),
            Box::new(papers),
            Box::new(Crossref::new(address("Crossref", &crossref, Crossref::BASE)?, contact)),
        ];
        let web = web.map(|(engine, endpoint)| search(engine, &endpoint));
        let mut client = Client::new(settings, memory).map_err(ServicesError::Settings)?;
        // Its terms of use count all requests of a person's machines to any of its hosts.
        client.share("arxiv.org", &etiquette, &arxiv);
        Ok(Outside::of(client, scholarly, web, servers, stand_in))
    }
}

fn search(engine: Engine, endpoint: &Endpoint) -> Result<Box<dyn WebSearch>, ServicesError> {
    let at = |own: &str| address(engine.name(), endpoint, own);
    let key = || {
        let variable = engine.key_variable().unwrap_or_default();
        endpoint.key.clone().ok_or(ServicesError::NoKey { engine, variable })
    };
    Ok(match engine {
        Engine::SearxNg if endpoint.base_url.is_empty() => {
            return Err(ServicesError::NoAddress { engine });
        }
        Engine::SearxNg => Box::new(SearxNg { base: at("")? }),
        Engine::Tavily => Box::new(Tavily { base: at(Tavily::BASE)?, key: key()? }),
        Engine::Brave => Box::new(Brave { base: at(Brave::BASE)?, key: key()? }),
        Engine::Serper => Box::new(Serper { base: at(Serper::BASE)?, key: key()? }),
    })
}

/// Returns the endpoint's address, or else the service's own.
fn address(service: &'static str, endpoint: &Endpoint, own: &str) -> Result<Url, ServicesError> {
    let text = if endpoint.base_url.is_empty() { own } else { &endpoint.base_url };
    transport::base_url(text).map_err(|reason| ServicesError::BaseUrl { service, reason })
}

#[cfg(test)]
mod tests {
    use papers::Source;

    use super::*;

    fn services(web: Option<(Engine, Endpoint)>) -> Services {
        let own = Endpoint::default;
        Services {
            arxiv: own(),
            crossref: own(),
            semantic_scholar: own(),
            openalex: own(),
            web,
            servers: vec![],
            stand_in: true,
        }
    }

    fn error(services: Services) -> String {
        let outside = Outside::new(Settings::default(), services, None).unwrap();
        let lacks = outside.ready(&[Source::Web]).err();
        assert_eq!(outside.ready(&[Source::Arxiv]), Ok(()), "nobody else needs the web search");
        lacks.map_or_else(String::new, |error| error.to_string())
    }

    // proves: A2
    #[tokio::test]
    async fn a_paper_of_arxiv_is_not_fetched_while_arxiv_rests() {
        use papers::Source;
        use run::sources::{Query, Sources};

        use crate::client::tests::server::{Say, Server};

        let server = Server::start(|_| Say::status(429, &[("retry-after", "3600")], ""));
        let arxiv = Endpoint { base_url: server.url("/"), key: None };
        let services = Services { arxiv, stand_in: false, ..services(None) };
        let outside = Outside::new(Settings::default(), services, None).unwrap();
        let gulls = Query::new("gulls", 1);
        assert!(outside.papers(&[Source::Arxiv], &gulls).await.is_err());
        // No request is made, not even to resolve the name.
        for page in ["https://arxiv.org/pdf/1", "https://export.arxiv.org/pdf/1"] {
            let error = outside.fetch(page).await.unwrap_err();
            assert!(matches!(error, PortError::Limited { .. }), "{error}");
        }
        assert_eq!(server.seen().len(), 1);
    }

    // proves: A2
    #[test]
    fn every_engine_says_what_it_lacks() {
        assert!(error(services(None)).contains("no web search is configured"));
        let key = Some(Secret::from("canary".to_owned()));
        for engine in Engine::ALL {
            assert_eq!(engine.name().parse(), Ok(engine));
            let lacks = error(services(Some((engine, Endpoint::default()))));
            let wanted = engine.key_variable().unwrap_or("needs the address");
            assert!(lacks.contains(wanted), "{lacks}");
            let base_url = "https://user:canary@search.example.org".to_owned();
            let refused = error(services(Some((engine, Endpoint { base_url, key: key.clone() }))));
            assert!(
                refused.contains("invalid base URL") && !refused.contains("canary"),
                "{refused}"
            );
            let base_url = "https://search.example.org".to_owned();
            assert_eq!(
                error(services(Some((engine, Endpoint { base_url, key: key.clone() })))),
                ""
            );
        }
        assert!("altavista".parse::<Engine>().is_err());
    }
}
