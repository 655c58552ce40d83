//! The sources of a run: every service behind one port.
//!
//! All wanted services are asked at the same time. One that limits its callers has not said that there is nothing: another is asked
//! instead, and the answer says so.

use async_trait::async_trait;
use futures::future::join_all;
use jiff::Timestamp;

use papers::{Paper, PaperId, ServerName, Source};
use run::error::PortError;
use run::sources::{Answer, Fetched, Hit, Outcome, Query, Searched, Served, ServedText, Sources};

use crate::client::{Client, passes};
use crate::mcp::{McpServer, McpTrial, Server};
use crate::service::{Purpose, Reply, Scholarly, WebSearch};
use crate::services::ServicesError;

/// The services and the client that asks them.
pub struct Outside {
    client: Client,
    /// The scholarly services, in the order in which they stand in for each other.
    scholarly: Vec<Box<dyn Scholarly>>,
    /// The web search, or the error that is returned when it is asked.
    web: Option<Result<Box<dyn WebSearch>, ServicesError>>,
    servers: Vec<Server>,
    stand_in: bool,
}

impl Outside {
    pub(crate) fn of(
        client: Client,
        scholarly: Vec<Box<dyn Scholarly>>,
        web: Option<Result<Box<dyn WebSearch>, ServicesError>>,
        servers: Vec<McpServer>,
        stand_in: bool,
    ) -> Outside {
        let servers = servers.into_iter().map(Server::of).collect();
        Outside { client, scholarly, web, servers, stand_in }
    }

    /// Checks whether all of these are configured so that they can be asked; makes no request.
    pub fn ready(&self, asked: &[Source]) -> Result<(), ServicesError> {
        for source in asked {
            match source {
                Source::Web => drop(self.web()?),
                Source::Mcp(name) => drop(self.server(*name)?),
                _ => {}
            }
        }
        Ok(())
    }

    /// Tries whether an MCP server answers and has its tools; calls none of them.
    pub async fn try_server(&self, name: ServerName) -> Result<McpTrial, PortError> {
        let server = self.server(name).map_err(|error| invalid(&error))?;
        self.client.try_server(&server.config).await
    }

    /// Returns a server that can be asked.
    fn server(&self, name: ServerName) -> Result<&Server, ServicesError> {
        let found = self.servers.iter().find(|one| one.config.name == name);
        let server = found.ok_or(ServicesError::NoServer { name })?;
        match server.config.lacks() {
            None => Ok(server),
            Some(variable) => Err(ServicesError::NoVariable { name, variable: variable.into() }),
        }
    }

    /// Asks an MCP server.
    async fn texts_of(&self, name: ServerName, query: &Query) -> (Vec<ServedText>, Answer) {
        let asked = async {
            let server = self.server(name).map_err(|error| invalid(&error))?;
            self.client.ask_server(server, query).await
        };
        let (source, in_place_of) = (Source::Mcp(name), None);
        match asked.await {
            Ok((mut texts, as_of)) => {
                texts.truncate(query.limit as usize);
                let outcome = Outcome::Found(texts.len() as u32);
                (texts, Answer { source, outcome, in_place_of, as_of })
            }
            Err(error) => (vec![], Answer::new(source, Outcome::of(&error))),
        }
    }

    fn web(&self) -> Result<&dyn WebSearch, ServicesError> {
        match &self.web {
            None => Err(ServicesError::NoWeb),
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(web)) => Ok(&**web),
        }
    }

    fn service(&self, source: Source) -> Result<&dyn Scholarly, PortError> {
        let found = self.scholarly.iter().find(|service| service.source() == source);
        found.map(|service| &**service).ok_or_else(|| PortError::Invalid {
            what: format!("{} is not a scholarly source", source.title()),
        })
    }

    async fn search(&self, source: Source, query: &Query) -> Result<Dated, PortError> {
        let service = self.service(source)?;
        let request = service.search(query);
        let read = |reply: &Reply| service.read(Purpose::Search, reply);
        let (mut papers, as_of) = self.client.ask_for(&service.etiquette(), &request, read).await?;
        // A work without a title cannot be identified.
        papers.retain(|paper| !paper.title.is_empty());
        papers.truncate(query.limit as usize);
        Ok(Dated { papers, as_of })
    }

    /// Looks up many papers in one request; returns nothing if no service supports this or answers.
    async fn at_once(&self, ids: &[PaperId]) -> Vec<Paper> {
        for service in &self.scholarly {
            let batch = (ids.len() >= MANY).then(|| service.batch(ids)).flatten();
            let Some(request) = batch else { continue };
            let read = |reply: &Reply| service.read(Purpose::Batch, reply);
            if let Ok((papers, _)) = self.client.ask_for(&service.etiquette(), &request, read).await
            {
                return papers;
            }
        }
        Vec::new()
    }

    /// Asks the service that knows such ids best, then the others until there is an abstract or a free text to read.
    async fn paper(&self, id: &PaperId) -> Result<Option<Paper>, PortError> {
        let order: [Source; 4] = match id {
            PaperId::Arxiv { .. } => {
                [Source::Arxiv, Source::SemanticScholar, Source::Openalex, Source::Crossref]
            }
            PaperId::Doi(_) => {
                [Source::Crossref, Source::Openalex, Source::SemanticScholar, Source::Arxiv]
            }
        };
        let (mut told, mut failed) = (Vec::new(), None);
        for source in order {
            let service = self.service(source)?;
            let Some(request) = service.lookup(id) else { continue };
            let read = |reply: &Reply| service.read(Purpose::Lookup, reply);
            match self.client.ask_for(&service.etiquette(), &request, read).await {
                Ok((papers, _)) => {
                    told.extend(papers.into_iter().filter(|paper| is(paper, id)).take(1));
                }
                Err(error) => failed = failed.or(Some(error)),
            }
            if told.iter().any(has_text) {
                break;
            }
        }
        match (papers::merged(told).into_iter().next(), failed) {
            (Some(paper), _) => Ok(Some(paper)),
            // A service that was not reached may know it.
            (None, Some(error)) => Err(error),
            (None, None) => Ok(None),
        }
    }

    async fn all(&self, sources: &[Source], query: &Query) -> Vec<Asked> {
        join_all(sources.iter().map(async |&source| Asked {
            source,
            in_place_of: None,
            papers: self.search(source, query).await,
        }))
        .await
    }
}

/// A source that was asked, and its answer.
struct Asked {
    source: Source,
    in_place_of: Option<Source>,
    papers: Result<Dated, PortError>,
}

/// Papers, and the time of the answer if it is an old one because the service could not be asked now.
struct Dated {
    papers: Vec<Paper>,
    as_of: Option<Timestamp>,
}

impl Asked {
    fn answer(&self) -> Answer {
        let (outcome, as_of) = match &self.papers {
            Ok(Dated { papers, as_of }) => (Outcome::Found(papers.len() as u32), *as_of),
            Err(error) => (Outcome::of(error), None),
        };
        Answer { source: self.source, outcome, in_place_of: self.in_place_of, as_of }
    }
}

/// Combines the errors of all sources; it is a rate limit only if every source limits its callers.
fn unanswered(errors: Vec<(Source, PortError)>) -> PortError {
    let all_limit = errors.iter().all(|(_, error)| matches!(error, PortError::Limited { .. }));
    if errors.len() < 2 || all_limit {
        let first = errors.into_iter().next().map(|(_, error)| error);
        return first.unwrap_or_else(|| PortError::Invalid {
            what: "no scholarly source was named. Name one with `--source`, such as arxiv".into(),
        });
    }
    let names: Vec<_> = errors.iter().map(|(source, _)| source.title()).collect();
    let reasons: Vec<String> = errors.iter().map(|(_, error)| error.to_string()).collect();
    PortError::Unreachable { service: names.join(", "), reason: reasons.join("; ") }
}

#[async_trait]
impl Sources for Outside {
    async fn papers(&self, sources: &[Source], query: &Query) -> Result<Searched, PortError> {
        let mut wanted: Vec<Source> = Vec::new();
        for &source in sources {
            self.service(source)?;
            if !wanted.contains(&source) {
                wanted.push(source);
            }
        }
        let mut asked = self.all(&wanted, query).await;
        let mut next = 0;
        // A stand-in may fail too.
        while let Some(Asked { source, papers, .. }) = asked.get(next) {
            next += 1;
            if query.alone || !self.stand_in || !papers.as_ref().is_err_and(passes) {
                continue;
            }
            let in_place_of = Some(*source);
            let mut all = self.scholarly.iter().map(|service| service.source());
            let free = all.find(|source| asked.iter().all(|one| one.source != *source));
            if let Some(source) = free {
                let papers = self.search(source, query).await;
                asked.push(Asked { source, in_place_of, papers });
            }
        }
        let answers = asked.iter().map(Asked::answer).collect();
        let (mut lists, mut errors) = (Vec::new(), Vec::new());
        for one in asked {
            match one.papers {
                Ok(Dated { papers, .. }) => lists.push(papers),
                Err(error) => errors.push((one.source, error)),
            }
        }
        if lists.is_empty() {
            return Err(unanswered(errors));
        }
        Ok(Searched { papers: papers::merged(papers::in_turn(lists)), answers })
    }

    async fn pages(&self, query: &Query) -> Result<Vec<Hit>, PortError> {
        let web = self.web().map_err(|error| invalid(&error))?;
        let read = |reply: &Reply| web.read(reply);
        let (mut hits, _) = self.client.ask_for(&web.etiquette(), &web.search(query), read).await?;
        hits.truncate(query.limit as usize);
        Ok(hits)
    }

    async fn texts(&self, servers: &[ServerName], query: &Query) -> Result<Served, PortError> {
        let mut wanted: Vec<ServerName> = Vec::new();
        for name in servers {
            if !wanted.contains(name) {
                wanted.push(*name);
            }
        }
        let asked = join_all(wanted.iter().map(|name| self.texts_of(*name, query))).await;
        let (texts, answers) = asked.into_iter().unzip();
        Ok(Served { texts: papers::in_turn(texts), answers })
    }

    async fn papers_named(&self, ids: &[PaperId]) -> Vec<Result<Option<Paper>, PortError>> {
        let known = self.at_once(ids).await;
        join_all(ids.iter().map(async |id| {
            let known = known.iter().find(|paper| is(paper, id) && has_text(paper));
            match known {
                Some(paper) => Ok(Some(paper.clone())),
                None => self.paper(id).await,
            }
        }))
        .await
    }

    async fn fetch(&self, url: &str) -> Result<Fetched, PortError> {
        self.client.fetch(url).await
    }
}

fn invalid(error: &ServicesError) -> PortError {
    PortError::Invalid { what: error.to_string() }
}

/// The number of ids from which one request for all of them is worth the wait.
const MANY: usize = 3;

/// Returns whether a paper has an abstract or a PDF.
fn has_text(paper: &Paper) -> bool {
    paper.summary.is_some() || paper.pdf_url.is_some()
}

/// Returns whether a service answered with the requested paper.
fn is(paper: &Paper, id: &PaperId) -> bool {
    match id {
        PaperId::Arxiv { id, version } => {
            let same = paper.ids.arxiv_id() == Some(id);
            // Only arXiv knows its versions.
            same && (version.is_none() || paper.ids.arxiv_version == *version)
        }
        PaperId::Doi(doi) => paper.ids.doi.as_ref() == Some(doi),
    }
}

#[cfg(test)]
mod tests;
