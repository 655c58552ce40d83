//! MCP servers that are asked as sources.

use std::collections::BTreeMap;
use std::time::Duration;

use papers::ServerName;
use serde::Deserialize;
use serde_json::{Map, Value};
use sources::{McpEndpoint, McpServer, McpTool};
use transport::Secret;
use url::Url;

/// Seconds and bytes that a query of a server may take, at most.
const MOST_SECONDS: u64 = 600;
const MOST_BYTES: u64 = 16 << 20;
/// Bytes below which no answer fits.
const FEWEST_BYTES: u64 = 1_024;
/// Milliseconds between two queries, at most.
const MOST_SPACING: u64 = 600_000;

/// A server, as the configuration names it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct McpConfig {
    command: String,
    args: Vec<String>,
    /// Names of variables that the program gets.
    env: Vec<String>,
    url: String,
    /// The name of the variable that holds the token.
    token: String,
    tools: BTreeMap<String, ToolConfig>,
    seconds: u64,
    bytes: u64,
    spacing_ms: u64,
}

impl Default for McpConfig {
    fn default() -> McpConfig {
        McpConfig {
            command: String::new(),
            args: vec![],
            env: vec![],
            url: String::new(),
            token: String::new(),
            tools: BTreeMap::new(),
            seconds: 30,
            bytes: 1 << 20,
            spacing_ms: 500,
        }
    }
}

/// How a tool is called: the argument that takes the query, and perhaps others that are always the same.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum ToolConfig {
    Query(String),
    Call {
        query: String,
        #[serde(default)]
        arguments: Map<String, Value>,
    },
}

impl McpConfig {
    /// Returns the first key that cannot be used, and what it must be.
    pub(super) fn wrong(&self) -> Option<(&'static str, String)> {
        let must = |wrong: bool, key, must: &str| wrong.then(|| (key, must.to_owned()));
        let is_program = !self.command.is_empty();
        let no_query = |tool: &ToolConfig| tool.query().is_empty();
        must(
            is_program != self.url.is_empty(),
            "command",
            "set for a server that is a program, or `url` for one with an address, but not both",
        )
        .or_else(|| {
            let wrong = !is_program && endpoint(&self.url).is_err();
            must(
                wrong,
                "url",
                "an address that starts with http:// or https://, without a key in it",
            )
        })
        .or_else(|| {
            must(
                is_program && !self.token.is_empty(),
                "token",
                "left out with `command`; `env` lists the variables that a program receives",
            )
        })
        .or_else(|| must(!is_program && !self.args.is_empty(), "args", "left out with `url`"))
        .or_else(|| {
            must(
                !is_program && !self.env.is_empty(),
                "env",
                "left out with `url`; `token` names the variable that contains its token",
            )
        })
        .or_else(|| {
            must(
                !self.token.is_empty() && !is_variable(&self.token),
                "token",
                "the name of an environment variable, not the token itself",
            )
        })
        .or_else(|| {
            must(
                !self.env.iter().all(|name| is_variable(name)),
                "env",
                "names of environment variables, not their values",
            )
        })
        .or_else(|| {
            must(
                self.tools.is_empty(),
                "tools",
                "a table of the tools to call, each with the argument for the query",
            )
        })
        .or_else(|| {
            must(
                self.tools.values().any(no_query),
                "tools",
                "each with the name of the argument for the query",
            )
        })
        .or_else(|| must(!(1..=MOST_SECONDS).contains(&self.seconds), "seconds", "1 to 600"))
        .or_else(|| {
            must(!(FEWEST_BYTES..=MOST_BYTES).contains(&self.bytes), "bytes", "1024 to 16777216")
        })
        .or_else(|| must(self.spacing_ms > MOST_SPACING, "spacing_ms", "at most 600000"))
    }

    /// Returns the server as it is asked, with variables from `variable`.
    pub(crate) fn server(
        &self,
        name: ServerName,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<McpServer, String> {
        let with_value = |name: &String| (name.clone(), variable(name).map(Secret::from));
        let endpoint = if self.command.is_empty() {
            let token = (!self.token.is_empty()).then(|| with_value(&self.token));
            McpEndpoint::Address { url: endpoint(&self.url)?, token }
        } else {
            McpEndpoint::Program {
                command: self.command.clone(),
                args: self.args.clone(),
                variables: self.env.iter().map(with_value).collect(),
            }
        };
        let tools = self.tools.iter().map(|(name, tool)| McpTool {
            name: name.clone(),
            query: tool.query().to_owned(),
            arguments: match tool {
                ToolConfig::Query(_) => Map::new(),
                ToolConfig::Call { arguments, .. } => arguments.clone(),
            },
        });
        Ok(McpServer {
            name,
            endpoint,
            tools: tools.collect(),
            timeout: Duration::from_secs(self.seconds),
            bytes: usize::try_from(self.bytes).unwrap_or(usize::MAX),
            spacing: Duration::from_millis(self.spacing_ms),
        })
    }
}

impl ToolConfig {
    fn query(&self) -> &str {
        match self {
            ToolConfig::Query(query) | ToolConfig::Call { query, .. } => query,
        }
    }
}

/// Reads the address of a server, which is asked as it is written.
fn endpoint(url: &str) -> Result<Url, String> {
    transport::base_url(url).map_err(|error| error.to_string())?;
    Url::parse(url).map_err(|error| error.to_string())
}

fn is_variable(name: &str) -> bool {
    let first = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    first && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> Option<(&'static str, String)> {
        toml::from_str::<McpConfig>(text).unwrap().wrong()
    }

    // proves: F5
    #[test]
    fn a_server_is_a_program_or_an_address_with_its_tools() {
        let tools = "\ntools = { search = \"q\" }";
        for fine in [
            "command = \"wiki\"\nargs = [\"--stdio\"]\nenv = [\"WIKI_TOKEN\"]",
            "url = \"https://wiki.example.org/mcp\"\ntoken = \"WIKI_TOKEN\"",
            "url = \"http://127.0.0.1:9/mcp\"\nseconds = 600",
        ] {
            assert_eq!(wrong(&format!("{fine}{tools}")), None, "{fine}");
        }
        for (key, bad) in [
            ("command", ""),
            ("command", "command = \"wiki\"\nurl = \"http://127.0.0.1:9\""),
            ("url", "url = \"file:///etc/passwd\""),
            ("url", "url = \"https://user:secret@wiki.example.org/\""),
            ("token", "url = \"http://127.0.0.1:9\"\ntoken = \"sk-not-a-name\""),
            ("token", "command = \"wiki\"\ntoken = \"WIKI_TOKEN\""),
            ("env", "command = \"wiki\"\nenv = [\"WIKI_TOKEN=secret\"]"),
            ("env", "url = \"http://127.0.0.1:9\"\nenv = [\"WIKI_TOKEN\"]"),
            ("args", "url = \"http://127.0.0.1:9\"\nargs = [\"x\"]"),
            ("seconds", "command = \"wiki\"\nseconds = 0"),
            ("bytes", "command = \"wiki\"\nbytes = 1"),
            ("spacing_ms", "command = \"wiki\"\nspacing_ms = 600001"),
        ] {
            assert_eq!(wrong(&format!("{bad}{tools}")).map(|(key, _)| key), Some(key), "{bad}");
        }
        assert_eq!(wrong("command = \"wiki\"").map(|(key, _)| key), Some("tools"));
        assert_eq!(
            wrong("command = \"wiki\"\ntools = { a = \"\" }").map(|(key, _)| key),
            Some("tools")
        );
    }

    // proves: F5
    #[test]
    fn a_tool_is_called_with_the_query_and_what_the_configuration_says() {
        let text = "url = \"https://wiki.example.org/mcp\"\ntoken = \"WIKI_TOKEN\"\n[tools]\nfind = { query = \"words\", arguments = { limit = 5, in = [\"docs\"] } }\nsearch = \"q\"";
        let config: McpConfig = toml::from_str(text).unwrap();
        let token = |name: &str| (name == "WIKI_TOKEN").then(|| "canary".to_owned());
        let server = config.server("wiki".parse().unwrap(), token).unwrap();
        let McpEndpoint::Address { url, token } = &server.endpoint else { panic!("{server:?}") };
        assert_eq!(url.as_str(), "https://wiki.example.org/mcp", "no slash is added");
        assert!(
            token.as_ref().is_some_and(|(name, value)| name == "WIKI_TOKEN" && value.is_some())
        );
        let [find, search] = server.tools.as_slice() else { panic!("{server:?}") };
        assert_eq!((find.name.as_str(), find.query.as_str()), ("find", "words"));
        assert_eq!(
            Value::Object(find.arguments.clone()),
            serde_json::json!({"limit": 5, "in": ["docs"]})
        );
        assert_eq!((search.query.as_str(), search.arguments.len()), ("q", 0));
    }
}
