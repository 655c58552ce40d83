//! Who is asked for papers, pages and texts, and their names in orders and configurations.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Who is asked for papers, pages and texts.
///
/// Its name is that in orders, configurations and logs:
///
/// ```
/// use papers::Source;
///
/// let wiki: Source = "mcp:wiki".parse()?;
/// assert_eq!(wiki.to_string(), "mcp:wiki");
/// assert_eq!(wiki.title(), "the MCP server wiki");
/// assert_eq!("semantic-scholar".parse(), Ok(Source::SemanticScholar));
/// # Ok::<(), papers::NoSource>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    Arxiv,
    Crossref,
    SemanticScholar,
    Openalex,
    Web,
    /// A configured MCP server.
    Mcp(ServerName),
}

/// What stands before the name of an MCP server.
const MCP: &str = "mcp:";

impl Source {
    /// The sources that need no configuration to have a name.
    pub const FIXED: [Source; 5] =
        [Source::Arxiv, Source::Crossref, Source::SemanticScholar, Source::Openalex, Source::Web];

    /// Returns the display name.
    pub fn title(self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Source::Arxiv => "arXiv",
            Source::Crossref => "Crossref",
            Source::SemanticScholar => "Semantic Scholar",
            Source::Openalex => "OpenAlex",
            Source::Web => "the web search",
            Source::Mcp(name) => return Cow::Owned(format!("the MCP server {name}")),
        })
    }

    /// Returns whether it returns papers, with what is known of them.
    pub fn is_scholarly(self) -> bool {
        !matches!(self, Source::Web | Source::Mcp(_))
    }

    /// Returns the name of the MCP server, if it is one.
    pub fn server(self) -> Option<ServerName> {
        match self {
            Source::Mcp(name) => Some(name),
            _ => None,
        }
    }

    fn fixed_name(self) -> &'static str {
        match self {
            Source::Arxiv => "arxiv",
            Source::Crossref => "crossref",
            Source::SemanticScholar => "semantic-scholar",
            Source::Openalex => "openalex",
            Source::Web => "web",
            Source::Mcp(_) => "mcp",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Mcp(name) => write!(f, "{MCP}{name}"),
            other => f.write_str(other.fixed_name()),
        }
    }
}

/// The error for a text that names no source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoSource {
    #[error(
        "unknown source '{name}'. Choose arxiv, crossref, semantic-scholar, openalex, web, or mcp:NAME for a configured MCP \
         server"
    )]
    Unknown { name: String },
    #[error(transparent)]
    Server(#[from] NoServerName),
}

/// Characters of an unusable name that an error repeats.
const SHOWN: usize = 64;

impl FromStr for Source {
    type Err = NoSource;

    fn from_str(name: &str) -> Result<Source, NoSource> {
        if let Some(server) = name.strip_prefix(MCP) {
            return Ok(Source::Mcp(server.parse()?));
        }
        let known = Source::FIXED.into_iter().find(|source| source.fixed_name() == name);
        known.ok_or_else(|| NoSource::Unknown { name: name.chars().take(SHOWN).collect() })
    }
}

impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Source, D::Error> {
        let name = Cow::<'de, str>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Source {
    fn schema_name() -> Cow<'static, str> {
        "Source".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let fixed = Source::FIXED.map(Source::fixed_name);
        json_schema!({
            "description": "The source to search: a service, the web search, or a configured MCP server as `mcp:NAME`.",
            "anyOf": [
                { "type": "string", "enum": fixed },
                { "type": "string", "pattern": "^mcp:[a-z][a-z0-9_-]{0,31}$" },
            ],
        })
    }
}

/// The name of an MCP server in the configuration: a lower-case letter, then at most 31 lower-case letters, digits, hyphens and
/// underscores.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServerName(
    /// The name in ASCII, filled up with zeros.
    [u8; ServerName::LONGEST],
);

/// The error for a text that cannot name an MCP server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid name for an MCP server: '{name}'. Begin with a lower-case letter, then use up to 31 lower-case letters, digits, \
     hyphens and underscores"
)]
pub struct NoServerName {
    pub name: String,
}

impl ServerName {
    /// Bytes of the longest name.
    const LONGEST: usize = 32;

    pub fn as_str(&self) -> &str {
        let end = self.0.iter().position(|byte| *byte == 0).unwrap_or(Self::LONGEST);
        self.0.get(..end).and_then(|name| std::str::from_utf8(name).ok()).unwrap_or_default()
    }
}

impl FromStr for ServerName {
    type Err = NoServerName;

    fn from_str(name: &str) -> Result<ServerName, NoServerName> {
        let mut bytes = [0; Self::LONGEST];
        let starts = name.starts_with(|first: char| first.is_ascii_lowercase());
        let fits = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
        };
        match bytes.get_mut(..name.len()) {
            Some(place) if starts && name.bytes().all(fits) => {
                place.copy_from_slice(name.as_bytes());
                Ok(ServerName(bytes))
            }
            _ => Err(NoServerName { name: name.chars().take(SHOWN).collect() }),
        }
    }
}

impl fmt::Display for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ServerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F5
    #[test]
    fn every_source_is_read_from_the_name_that_it_is_written_with() {
        let wiki = Source::Mcp("team-wiki_2".parse().unwrap());
        for source in Source::FIXED.into_iter().chain([wiki]) {
            assert_eq!(source.to_string().parse(), Ok(source));
        }
        assert_eq!(wiki.to_string(), "mcp:team-wiki_2");
        assert!(!wiki.is_scholarly() && !Source::Web.is_scholarly());
        assert!(Source::Crossref.is_scholarly());
    }

    // proves: F5
    #[test]
    fn a_name_that_could_be_mistaken_for_something_else_is_refused() {
        let longest = "a".repeat(32);
        assert_eq!(longest.parse::<ServerName>().unwrap().as_str(), longest);
        for name in ["", "Wiki", "1wiki", "wi ki", "wiki:x", "wiki/..", "wi.ki", "wïki", "a\0"] {
            assert!(name.parse::<ServerName>().is_err(), "{name}");
        }
        assert!(format!("{longest}a").parse::<ServerName>().is_err());
        for name in ["mcp:", "mcp", "MCP:wiki", "arXiv", "web ", "http://example.org"] {
            assert!(name.parse::<Source>().is_err(), "{name}");
        }
    }
}
