//! The part of the doctor that is about sources: each is asked one small question, once and with little patience.

use std::sync::Arc;
use std::time::{Duration, Instant};

use app::Check;
use futures::future::join_all;
use sources::{McpTrial, Outside};

use papers::{ServerName, Source};
use run::error::PortError;
use run::services::Memory;
use run::sources::{Query, Sources as _};

use super::{Network, Tell, broken, fine, missing};
use crate::config::{self, Config};
use crate::failure::Failure;
use crate::wire;

/// The longest that one source is waited for.
const SOURCE_PATIENCE: Duration = Duration::from_secs(8);
/// How long a source may be silent, in seconds.
const SOURCE_SECONDS: f64 = 5.0;
/// What a source is asked: it is small, and every source has an answer.
const SOURCE_QUERY: &str = "cholera";

pub(super) async fn check_sources(
    config: &Config,
    memory: Result<Arc<dyn Memory>, Failure>,
    network: Network,
    tell: &mut Tell<'_>,
) {
    const NAME: &str = "sources";
    let is_tried = network == Network::Asked && config.sources.network != config::Network::Cached;
    let asked = wire::asked(&[], config);
    let outside = match &memory {
        Ok(memory) => wire::sources(config, Arc::clone(memory)).await,
        Err(failure) => Err(failure.clone()),
    };
    let ready = outside.as_ref().map_err(Failure::clone).and_then(|outside| {
        let asked = asked?;
        wire::ready(outside, &asked)?;
        Ok(asked)
    });
    match ready {
        Err(failure) => tell(broken(NAME, failure.what, &failure.hint)),
        Ok(asked) => {
            let titles: Vec<_> = asked.iter().map(|source| source.title()).collect();
            let titles = titles.join(", ");
            let mut lacking = Vec::new();
            if config.sources.web.engine.is_empty() {
                lacking.push("no web search: set sources.web.engine");
            }
            if config.sources.contact.is_empty() {
                lacking.push("no contact: set sources.contact to your email address");
            }
            let found = if is_tried { titles } else { format!("{titles}; not tried") };
            tell(match lacking.is_empty() {
                true => fine(NAME, found),
                false => missing(NAME, found, &lacking.join("; ")),
            });
            if is_tried && let Ok(memory) = memory {
                match try_sources(config, memory, &enabled(asked, config)).await {
                    Ok(checks) => checks.into_iter().for_each(&mut *tell),
                    Err(failure) => tell(broken(NAME, failure.what, &failure.hint)),
                }
            }
        }
    }
    for (name, _) in config.servers() {
        let Ok(outside) = &outside else { break };
        let called = Source::Mcp(name).to_string();
        tell(if config.sources.network == config::Network::Cached {
            fine(&called, "not tried, since the network is off")
        } else if network == Network::LeftAlone {
            fine(&called, "not tried")
        } else {
            try_server(outside, name).await
        });
    }
}

/// Returns the sources that a method asks by default, without MCP servers.
fn enabled(mut asked: Vec<Source>, config: &Config) -> Vec<Source> {
    let others = config.hypothesize.asked.iter().chain(&config.market.asked);
    for source in others {
        let is_set_up = *source != Source::Web || !config.sources.web.engine.is_empty();
        if is_set_up && !asked.contains(source) {
            asked.push(*source);
        }
    }
    asked.retain(|source| !matches!(source, Source::Mcp(_)));
    asked
}

/// Asks each source for one result, once and with little patience. If none can be reached, that is one check.
pub(crate) async fn try_sources(
    config: &Config,
    memory: Arc<dyn Memory>,
    asked: &[Source],
) -> Result<Vec<Check>, Failure> {
    let mut config = config.clone();
    config.sources.network = config::Network::Refresh;
    config.sources.service_seconds = config.sources.service_seconds.min(SOURCE_SECONDS);
    let outside = wire::sources_once(&config, memory).await?;
    let tried = join_all(asked.iter().map(|source| try_source(&outside, *source))).await;
    let unreached = |tried: &Result<Duration, PortError>| {
        matches!(tried, Err(PortError::Unreachable { .. } | PortError::TimedOut { .. }))
    };
    if tried.len() > 1
        && tried.iter().all(unreached)
        && let Some(Err(error)) = tried.first()
    {
        let found = format!("none could be reached ({error})");
        let advice = "check your connection; --no-network answers from the cache";
        return Ok(vec![missing("sources", found, advice)]);
    }
    Ok(asked.iter().zip(tried).map(|(source, tried)| judge(*source, tried)).collect())
}

async fn try_source(outside: &Outside, source: Source) -> Result<Duration, PortError> {
    let began = Instant::now();
    let query = Query { alone: true, ..Query::new(SOURCE_QUERY, 1) };
    let asked = async {
        match source {
            Source::Web => outside.pages(&query).await.map(drop),
            _ => outside.papers(&[source], &query).await.map(drop),
        }
    };
    let late = |_| {
        let (service, seconds) = (source.title().into_owned(), SOURCE_PATIENCE.as_secs());
        Err(PortError::TimedOut { service, seconds, setting: "" })
    };
    tokio::time::timeout(SOURCE_PATIENCE, asked).await.unwrap_or_else(late)?;
    Ok(began.elapsed())
}

/// Says what a source's answer means, and what to do.
fn judge(source: Source, tried: Result<Duration, PortError>) -> Check {
    let name = source.to_string();
    match tried {
        Ok(taken) => fine(&name, format!("answered in {} ms", taken.as_millis())),
        Err(error @ PortError::Limited { .. }) => missing(
            &name,
            error.to_string(),
            "wait a few minutes; a key or sources.contact raises the limit at most services",
        ),
        Err(error @ PortError::Refused { status: 401 | 403, .. }) => {
            broken(&name, error.to_string(), "check the service's key")
        }
        Err(error @ (PortError::Unreachable { .. } | PortError::TimedOut { .. }))
            if source == Source::Web =>
        {
            missing(&name, error.to_string(), "check your connection and sources.web.base_url")
        }
        Err(error @ (PortError::Unreachable { .. } | PortError::TimedOut { .. })) => missing(
            &name,
            error.to_string(),
            "check your connection; the other sources are used meanwhile",
        ),
        Err(error @ PortError::Invalid { .. }) => broken(&name, error.to_string(), ""),
        Err(error) => missing(&name, error.to_string(), "try again later"),
    }
}

/// Asks an MCP server whether it has its tools.
async fn try_server(outside: &Outside, name: ServerName) -> Check {
    let began = Instant::now();
    let called = Source::Mcp(name).to_string();
    match outside.try_server(name).await {
        Ok(McpTrial { calls_itself, lacking }) if lacking.is_empty() => {
            let taken = began.elapsed().as_millis();
            fine(&called, format!("{calls_itself} answered in {taken} ms and has its tools"))
        }
        Ok(McpTrial { calls_itself, lacking }) => {
            let found = format!("{calls_itself} does not have {}", lacking.join(", "));
            broken(&called, found, &format!("correct mcp.{name}.tools"))
        }
        Err(error) => broken(&called, error.to_string(), &format!("correct mcp.{name}")),
    }
}
