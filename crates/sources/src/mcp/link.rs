//! The way to a server: messages there and back, within limits.

use reqwest::Client;
use serde_json::Value;

use run::error::PortError;
use transport::Service;

use super::http::Http;
#[cfg(unix)]
use super::stdio::Program;
use super::{McpEndpoint, McpServer};

/// What a server may still send in a session.
pub(super) struct Allowance {
    /// The server, in errors.
    title: String,
    /// The key of the configuration that allows more.
    setting: String,
    bytes: usize,
    left: usize,
}

impl Allowance {
    fn of(server: &McpServer) -> Allowance {
        let setting = format!("mcp.{}.bytes", server.name);
        Allowance { title: server.title(), setting, bytes: server.bytes, left: server.bytes }
    }

    /// Counts received bytes; fails if they are too many.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), PortError> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => {
                let Allowance { setting, bytes, .. } = self;
                let what = format!(
                    "more than the limit of {bytes} bytes; raise `{setting}` to \
                    read it"
                );
                Err(self.service().malformed(&what))
            }
        }
    }

    /// Returns the server as errors name it.
    pub(super) fn service(&self) -> Service<'_> {
        Service { name: &self.title, key: None }
    }

    pub(super) fn unreachable(&self, reason: impl Into<String>) -> PortError {
        PortError::Unreachable { service: self.title.clone(), reason: reason.into() }
    }
}

/// An open way to a server.
pub(super) enum Link {
    #[cfg(unix)]
    Program(Box<Program>),
    Address(Box<Http>),
}

impl Link {
    /// Starts the program, or prepares the requests; nothing is sent.
    pub(super) fn open(server: &McpServer, http: &Client) -> Result<Link, PortError> {
        let allowance = Allowance::of(server);
        match &server.endpoint {
            #[cfg(unix)]
            McpEndpoint::Program { command, args, variables } => {
                let program = Program::start(command, args, variables, allowance)?;
                Ok(Link::Program(Box::new(program)))
            }
            #[cfg(not(unix))]
            McpEndpoint::Program { .. } => Err(allowance.unreachable(
                "MCP servers can be started as programs only on Unix. Give a url instead",
            )),
            McpEndpoint::Address { url, token } => {
                let token = token.as_ref().and_then(|(_, value)| value.clone());
                Ok(Link::Address(Box::new(Http::new(http.clone(), url.clone(), token, allowance))))
            }
        }
    }

    /// Sends a request, whose answer is received next.
    pub(super) async fn ask(&mut self, message: &Value) -> Result<(), PortError> {
        match self {
            #[cfg(unix)]
            Link::Program(program) => program.send(message).await,
            Link::Address(http) => http.ask(message).await,
        }
    }

    /// Sends a message that has no answer.
    pub(super) async fn tell(&mut self, message: &Value) -> Result<(), PortError> {
        match self {
            #[cfg(unix)]
            Link::Program(program) => program.send(message).await,
            Link::Address(http) => http.tell(message).await,
        }
    }

    /// Returns the next message, as JSON that was not looked at.
    pub(super) async fn receive(&mut self) -> Result<Vec<u8>, PortError> {
        match self {
            #[cfg(unix)]
            Link::Program(program) => program.receive().await,
            Link::Address(http) => http.receive().await,
        }
    }

    /// Goes on in the version of the protocol that was agreed on.
    pub(super) fn agree(&mut self, version: &str) {
        if let Link::Address(http) = self {
            http.agree(version);
        }
    }

    pub(super) async fn close(self) {
        match self {
            #[cfg(unix)]
            Link::Program(program) => program.close().await,
            Link::Address(http) => http.close().await,
        }
    }
}
