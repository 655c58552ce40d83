//! A session with a server: the handshake, then one request after the other.
//!
//! What the server sends unasked is counted and left: notifications are dropped, a ping is answered, and every other request of its own
//! is refused, so that it reaches neither a model nor the user through us.

use std::collections::BTreeSet;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ErrorCode, Implementation,
    InitializeRequestParams, InitializeResult, ProtocolVersion,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::task::yield_now;

use run::error::PortError;
use run::grounding::clean;
use transport::Service;

use super::McpTool;
use super::link::Link;

/// Messages of a server in one session, wanted or not.
const MOST_MESSAGES: usize = 1_000;

/// Pages of a list of tools.
const MOST_PAGES: usize = 20;

/// Characters of a server's own words in an error, and of its name.
const EXCERPT: usize = 300;
const LONGEST_NAME: usize = 80;

/// A session whose handshake is done.
pub(super) struct Session {
    title: String,
    secrets: Vec<String>,
    link: Link,
    /// The number of the last request.
    asked: u64,
    received: usize,
    calls_itself: String,
}

/// A message as it comes, before it is known what it answers.
#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<String>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Fault>,
}

/// An error in the place of a result.
#[derive(Deserialize)]
struct Fault {
    code: i64,
    #[serde(default)]
    message: String,
}

/// The names in a list of tools. What else it says of them is not read.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tools {
    tools: Vec<Named>,
    #[serde(default)]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    name: String,
}

impl Session {
    /// Agrees with the server on a version of the protocol.
    pub(super) async fn begin(
        title: String,
        secrets: Vec<String>,
        link: Link,
    ) -> Result<Session, PortError> {
        let calls_itself = String::new();
        let mut session = Session { title, secrets, link, asked: 0, received: 0, calls_itself };
        let client = Implementation::new("quaestio", env!("CARGO_PKG_VERSION"));
        let hello = InitializeRequestParams::new(ClientCapabilities::default(), client)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
        let about: InitializeResult = session.request("initialize", &hello).await?;
        session.link.agree(about.protocol_version.as_str());
        let line = format!("{} {}", about.server_info.name, about.server_info.version);
        session.calls_itself = session.excerpt(&line, LONGEST_NAME);
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        session.link.tell(&ready).await?;
        Ok(session)
    }

    /// Returns the name and version that the server gives itself.
    pub(super) fn calls_itself(&self) -> &str {
        &self.calls_itself
    }

    /// Calls a tool with the query.
    pub(super) async fn call(
        &mut self,
        tool: &McpTool,
        query: &str,
    ) -> Result<CallToolResult, PortError> {
        let mut arguments = tool.arguments.clone();
        arguments.insert(tool.query.clone(), Value::from(query));
        let call = CallToolRequestParams::new(tool.name.clone()).with_arguments(arguments);
        let result: CallToolResult = self.request("tools/call", &call).await?;
        if result.is_error == Some(true) {
            let said = result.content.iter().find_map(|block| block.as_text());
            let said = said.map_or("no reason", |text| text.text.as_str());
            let said = self.excerpt(said, EXCERPT);
            return Err(self.reported(&format!("its tool {}: {said}", tool.name)));
        }
        Ok(result)
    }

    /// Returns the names of its tools.
    pub(super) async fn tools(&mut self) -> Result<BTreeSet<String>, PortError> {
        let mut names = BTreeSet::new();
        let mut from = None;
        for _ in 0..MOST_PAGES {
            let asked = from.map_or_else(|| json!({}), |from: String| json!({"cursor": from}));
            let page: Tools = self.request("tools/list", &asked).await?;
            names.extend(page.tools.into_iter().map(|tool| tool.name));
            match page.next_cursor {
                Some(next) if !next.is_empty() => from = Some(next),
                _ => return Ok(names),
            }
        }
        Err(self.malformed(&format!("a list of tools of more than {MOST_PAGES} pages")))
    }

    /// Ends the session; a program gets a moment to end by itself.
    pub(super) async fn close(self) {
        self.link.close().await;
    }

    /// Makes a request, and reads its result.
    async fn request<T: DeserializeOwned>(
        &mut self,
        method: &str,
        params: &impl Serialize,
    ) -> Result<T, PortError> {
        self.asked += 1;
        let number = self.asked.to_string();
        let request =
            json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        self.link.ask(&request).await?;
        loop {
            let bytes = self.link.receive().await?;
            self.received += 1;
            if self.received > MOST_MESSAGES {
                return Err(self.malformed(&format!("more than {MOST_MESSAGES} messages")));
            }
            let message: Message<'_> = serde_json::from_slice(&bytes)
                .map_err(|cause| self.malformed(&format!("no message of JSON-RPC: {cause}")))?;
            match message {
                Message { method: Some(method), id: Some(id), .. } => {
                    self.answer(&method, id).await?;
                }
                // A notification.
                Message { method: Some(_), .. } => {}
                Message { id: Some(id), result: Some(result), .. } if id.get() == number => {
                    return serde_json::from_str(result.get()).map_err(|cause| {
                        self.malformed(&format!("a result of {method} of another form: {cause}"))
                    });
                }
                // A server that could not read the request names none.
                Message { id, error: Some(fault), .. }
                    if id.is_none_or(|id| id.get() == number) =>
                {
                    let said = self.excerpt(&fault.message, EXCERPT);
                    return Err(self.reported(&format!("{method}, error {}: {said}", fault.code)));
                }
                // An answer to nothing that was asked.
                _ => {}
            }
            // A server that never stops cannot hide the deadline.
            yield_now().await;
        }
    }

    /// Answers a request of the server's own.
    async fn answer(&mut self, method: &str, id: &RawValue) -> Result<(), PortError> {
        let answer = if method == "ping" {
            json!({"jsonrpc": "2.0", "id": id, "result": {}})
        } else {
            let error = json!({"code": ErrorCode::METHOD_NOT_FOUND.0, "message": "this client only calls tools"});
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        };
        self.link.tell(&answer).await
    }

    /// Returns the error for a request that the server itself says has failed.
    fn reported(&self, what: &str) -> PortError {
        PortError::Invalid { what: format!("{} reports a failure of {what}", self.title) }
    }

    fn malformed(&self, what: &str) -> PortError {
        Service { name: &self.title, key: None }.malformed(&self.excerpt(what, 2 * EXCERPT))
    }

    /// Returns the beginning of a text on one line, without secrets.
    fn excerpt(&self, text: &str, most: usize) -> String {
        let mut line = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
        for secret in &self.secrets {
            line = line.replace(secret, "***");
        }
        match line.char_indices().nth(most) {
            Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
            None => line,
        }
    }
}
