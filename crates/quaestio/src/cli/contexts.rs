//! The command line of `quaestio contexts`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Json;

/// Startup contexts: what an analysis of a market begins with.
#[derive(Debug, Subcommand)]
pub(crate) enum ContextsCommand {
    /// List the startup contexts, the last used first.
    List {
        #[command(flatten)]
        json: Json,
    },
    /// Show a startup context.
    Show {
        id: String,
        #[command(flatten)]
        json: Json,
    },
    /// Keep a new startup context.
    Add {
        /// What it is called by later: small letters, digits, - and _; the default is made from the name.
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// Begin with what this finished run learned: its id, the beginning of it, or `last`.
        #[arg(long, value_name = "RUN")]
        from_run: Option<String>,
        #[command(flatten)]
        fields: ContextFields,
    },
    /// Change what is given of a startup context; an empty value clears.
    Edit {
        id: String,
        #[command(flatten)]
        fields: ContextFields,
    },
    /// Take back what the last analysis that began with it taught it.
    Undo { id: String },
    /// Remove a startup context.
    Remove { id: String },
    /// Keep the startup contexts of a file, as `export` writes it: all of them, or none.
    Import {
        /// One context or a list of them.
        #[arg(value_name = "FILE.json")]
        file: PathBuf,
        /// Replace those that are there already.
        #[arg(long)]
        replace: bool,
    },
    /// Print a startup context, or all of them, as JSON.
    Export {
        id: Option<String>,
        /// Write to this file instead of standard output.
        #[arg(long, short)]
        output: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ContextFields {
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    #[arg(long, value_name = "TEXT")]
    pub(crate) industry: Option<String>,
    /// What to search for; may be given several times, and takes the place of those there were.
    #[arg(long = "search-term", value_name = "TEXT")]
    pub(crate) search_terms: Vec<String>,
    /// The countries or places it is about.
    #[arg(long = "where", value_name = "TEXT")]
    pub(crate) geographical_scope: Option<String>,
    /// Anything else that is known; may be given several times, and `KEY=` takes a key away.
    #[arg(long = "meta", value_name = "KEY=VALUE")]
    pub(crate) metadata: Vec<String>,
}
