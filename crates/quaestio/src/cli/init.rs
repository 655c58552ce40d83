//! The command line of `quaestio init`.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Arg, Args, Command};
use sources::Engine;

/// The word for no web search.
const NONE: &str = "none";

/// Quaestio works without any of this: without a model, answers quote your documents.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Accept the suggested answers without asking. Use it in scripts.
    ///
    /// `--model`, `--docs` and `--web-search` replace a suggestion. `--no-model` and `--no-docs` decline one.
    #[arg(long)]
    pub(crate) yes: bool,
    /// Read these files and folders into the default collection.
    #[arg(long, value_name = "PATH", num_args = 1.., conflicts_with = "no_docs")]
    pub(crate) docs: Vec<PathBuf>,
    /// Read no documents, not even ./docs.
    #[arg(long)]
    pub(crate) no_docs: bool,
    /// Search the web with this engine, or with none.
    #[arg(long, value_name = "ENGINE")]
    pub(crate) web_search: Option<WebSearch>,
    /// The address of your SearXNG server, for example http://localhost:8888.
    #[arg(long, value_name = "URL", requires = "web_search")]
    pub(crate) web_search_url: Option<String>,
    /// Write the settings without trying them: no model call, no search.
    #[arg(long)]
    pub(crate) no_test: bool,
}

/// A search engine, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WebSearch(pub(crate) Option<Engine>);

impl clap::builder::ValueParserFactory for WebSearch {
    type Parser = WebSearchParser;

    fn value_parser() -> WebSearchParser {
        WebSearchParser
    }
}

/// Reads the name of a search engine.
#[derive(Debug, Clone)]
pub(crate) struct WebSearchParser;

impl WebSearchParser {
    fn names() -> PossibleValuesParser {
        let engines = Engine::ALL.iter().map(|engine| engine.name());
        PossibleValuesParser::new(engines.chain([NONE]))
    }
}

impl TypedValueParser for WebSearchParser {
    type Value = WebSearch;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<WebSearch, clap::Error> {
        let name = WebSearchParser::names().parse_ref(command, arg, value)?;
        Ok(WebSearch(name.parse().ok()))
    }

    fn possible_values(
        &self,
    ) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        let engines = Engine::ALL.iter().map(|engine| engine.name());
        Some(Box::new(engines.chain([NONE]).map(clap::builder::PossibleValue::new)))
    }
}
