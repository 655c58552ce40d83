//! MCP servers as sources: which there are, and what each is asked.
//!
//! A server is asked with the query alone: the configuration names its tools, and for each the argument that takes the query. What its
//! tools say of themselves is never read. What they return becomes texts; an address in them stays text and is not fetched.
//!
//! Each query is a session of its own, one after the other: a handshake, a call of each tool, the end. Everything that a server sends in
//! it counts against one limit, and its time is bounded, so that a server that floods or hangs costs no more than that.

mod http;
mod link;
mod session;
#[cfg(unix)]
mod stdio;
mod texts;

use std::time::Duration;

use papers::{ServerName, Source};
use reqwest::Url;
use serde_json::{Map, Value};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use run::error::PortError;
use run::sources::{Query, ServedText};
use transport::{Secret, Service};

use crate::cache::Key;
use link::Link;
use session::Session;

/// How long a server that failed is left alone.
const REST: Duration = Duration::from_mins(1);

/// How long the texts of a server stay fresh.
pub(crate) const FRESH_FOR: Duration = Duration::from_hours(1);

/// The longest time that a query waits for those before it.
pub(crate) const LONGEST_LINE: Duration = Duration::from_hours(1);

/// An MCP server that is asked as a source.
#[derive(Debug, Clone, PartialEq)]
pub struct McpServer {
    pub name: ServerName,
    pub endpoint: McpEndpoint,
    /// The tools that are called, in this order; no other is.
    pub tools: Vec<McpTool>,
    /// The time for one query, from the start of the server to its end.
    pub timeout: Duration,
    /// The most bytes that it may send for one query.
    pub bytes: usize,
    /// The least time between the starts of two queries.
    pub spacing: Duration,
}

/// Where an MCP server is reached. Variables that the environment lacks have no value.
#[derive(Debug, Clone, PartialEq)]
pub enum McpEndpoint {
    /// A program that is started for each query, and ended after it with all that it started. It gets PATH, HOME and `variables`, and
    /// nothing else of the environment.
    Program { command: String, args: Vec<String>, variables: Vec<(String, Option<Secret>)> },
    /// An address that speaks streamable HTTP. Redirects are not followed.
    Address { url: Url, token: Option<(String, Option<Secret>)> },
}

/// A tool of an MCP server.
#[derive(Debug, Clone, PartialEq)]
pub struct McpTool {
    pub name: String,
    /// The argument that takes the query.
    pub query: String,
    /// Other arguments, the same for every query.
    pub arguments: Map<String, Value>,
}

/// What a server says of itself when it is tried.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpTrial {
    /// The name and the version that it gives itself, on one short line.
    pub calls_itself: String,
    /// The configured tools that it does not have.
    pub lacking: Vec<String>,
}

impl McpServer {
    pub(crate) fn title(&self) -> String {
        Source::Mcp(self.name).title().into_owned()
    }

    /// Returns the name of a variable that has no value.
    pub(crate) fn lacks(&self) -> Option<&str> {
        let (variables, token) = match &self.endpoint {
            McpEndpoint::Program { variables, .. } => (variables.as_slice(), None),
            McpEndpoint::Address { token, .. } => (&[][..], token.as_ref()),
        };
        let lacking = variables.iter().chain(token).find(|(_, value)| value.is_none());
        lacking.map(|(name, _)| name.as_str())
    }

    /// Returns the values that no text or error of the server may repeat: those of variables whose names say that they are secret.
    pub(crate) fn secrets(&self) -> Vec<String> {
        let is_secret = |name: &str| {
            let name = name.to_ascii_uppercase();
            ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word))
        };
        let values = |variables: &[(String, Option<Secret>)], all: bool| {
            let secret = variables.iter().filter(|(name, _)| all || is_secret(name));
            let values = secret.filter_map(|(_, value)| Some(value.as_ref()?.reveal().to_owned()));
            values.filter(|value| !value.is_empty()).collect()
        };
        match &self.endpoint {
            McpEndpoint::Program { variables, .. } => values(variables, false),
            McpEndpoint::Address { token: Some(token), .. } => {
                values(std::slice::from_ref(token), true)
            }
            McpEndpoint::Address { token: None, .. } => vec![],
        }
    }

    /// Returns the address by which its pace is known.
    pub(crate) fn address(&self) -> Option<Url> {
        match &self.endpoint {
            McpEndpoint::Program { .. } => Url::parse(&format!("mcp:{}", self.name)).ok(),
            McpEndpoint::Address { url, .. } => Some(url.clone()),
        }
    }

    /// Returns the key of the texts for a query, without a secret.
    pub(crate) fn key(&self, query: &Query) -> Key {
        let place = match &self.endpoint {
            McpEndpoint::Program { command, args, .. } => {
                std::iter::once(command).chain(args).cloned().collect::<Vec<_>>().join("\0")
            }
            McpEndpoint::Address { url, .. } => url.to_string(),
        };
        let tools = self.tools.iter().map(|tool| {
            let arguments = Value::Object(tool.arguments.clone());
            format!("{}\0{}\0{arguments}", tool.name, tool.query)
        });
        let tools: Vec<String> = tools.collect();
        let parts =
            [b"mcp 1", self.name.as_str().as_bytes(), place.as_bytes(), query.text.as_bytes()];
        Key::of(&parts.into_iter().chain(tools.iter().map(String::as_bytes)).collect::<Vec<_>>())
    }

    /// Calls the tools with the query, and returns what they returned as texts.
    async fn ask(
        &self,
        http: &reqwest::Client,
        query: &Query,
    ) -> Result<Vec<ServedText>, PortError> {
        let mut session = self.open(http).await?;
        let mut texts = Vec::new();
        for tool in &self.tools {
            let result = session.call(tool, &query.text).await?;
            texts.extend(texts::read(self.name, &tool.name, result));
        }
        session.close().await;
        Ok(texts::distinct(texts))
    }

    /// The same, within the time for one query.
    pub(crate) async fn ask_in_time(
        &self,
        http: &reqwest::Client,
        query: &Query,
    ) -> Result<Vec<ServedText>, PortError> {
        timeout(self.timeout, self.ask(http, query)).await.unwrap_or_else(|_| {
            Err(PortError::TimedOut {
                service: self.title(),
                seconds: self.timeout.as_secs(),
                setting: "mcp.NAME.seconds",
            })
        })
    }

    /// Tries whether it answers and has its tools; calls none of them.
    pub(crate) async fn attempt(&self, http: &reqwest::Client) -> Result<McpTrial, PortError> {
        let mut session = self.open(http).await?;
        let has = session.tools().await?;
        let calls_itself = session.calls_itself().to_owned();
        session.close().await;
        let names = self.tools.iter().map(|tool| &tool.name);
        let lacking = names.filter(|name| !has.contains(*name)).cloned().collect();
        Ok(McpTrial { calls_itself, lacking })
    }

    async fn open(&self, http: &reqwest::Client) -> Result<Session, PortError> {
        let link = Link::open(self, http)?;
        Session::begin(self.title(), self.secrets(), link).await
    }

    pub(crate) fn malformed(&self, what: &str) -> PortError {
        let title = self.title();
        Service { name: &title, key: None }.malformed(what)
    }
}

/// A server, and how it did lately.
pub(crate) struct Server {
    pub(crate) config: McpServer,
    /// When it failed last, and how. Whoever holds the lock asks it.
    failed: Mutex<Option<(Instant, PortError)>>,
}

impl Server {
    pub(crate) fn of(config: McpServer) -> Server {
        Server { config, failed: Mutex::new(None) }
    }

    /// Asks by `work`, one question after the other. Of a server that failed within the last minute the same error is returned at once,
    /// so that it costs a run its time once, and one warning. A server that refuses a question, or says that a tool failed, has answered.
    pub(crate) async fn in_turn<T>(
        &self,
        work: impl Future<Output = Result<T, PortError>>,
    ) -> Result<T, PortError> {
        let mut failed = self.failed.lock().await;
        if let Some((at, error)) = &*failed
            && at.elapsed() < REST
        {
            return Err(error.clone());
        }
        let answer = work.await;
        let error = answer.as_ref().err();
        let has_answered = |error: &&PortError| {
            matches!(error, PortError::Refused { .. } | PortError::Invalid { .. })
        };
        let error = error.filter(|error| !has_answered(error));
        *failed = error.map(|error| (Instant::now(), error.clone()));
        answer
    }
}

#[cfg(test)]
mod tests;
