//! The command line of `quaestio contexts`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Json;

/// Store what you know about a startup, for market analyses.
#[derive(Debug, Subcommand)]
pub(crate) enum ContextsCommand {
    /// List the startup contexts, most recently used first.
    List {
        #[command(flatten)]
        json: Json,
    },
    /// Show a startup context.
    Show {
        /// Id of the startup context.
        id: String,
        #[command(flatten)]
        json: Json,
    },
    /// Add a startup context.
    Add {
        /// Id to call it by: lower-case letters, digits, - and _ [default: made from the name].
        #[arg(long, value_name = "ID")]
        id: Option<String>,
        /// Start with what this finished run learned: its id, the beginning of its id, or `last`.
        #[arg(long, value_name = "RUN")]
        from_run: Option<String>,
        #[command(flatten)]
        fields: ContextFields,
        #[command(flatten)]
        json: Json,
    },
    /// Change the given fields of a startup context; an empty value clears a field.
    Edit {
        /// Id of the startup context.
        id: String,
        #[command(flatten)]
        fields: ContextFields,
        #[command(flatten)]
        json: Json,
    },
    /// Undo what the last analysis added.
    Undo {
        /// Id of the startup context.
        id: String,
        #[command(flatten)]
        json: Json,
    },
    /// Remove a startup context.
    Remove {
        /// Id of the startup context.
        id: String,
        #[command(flatten)]
        json: Json,
    },
    /// Import startup contexts from a file made by `export`: all of them, or none on an error.
    Import {
        /// A JSON file with one startup context or a list.
        #[arg(value_name = "FILE.json")]
        file: PathBuf,
        /// Replace startup contexts that exist already.
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Print a startup context, or all of them, as JSON.
    Export {
        /// Id of the startup context [default: all].
        id: Option<String>,
        /// Write to this file instead of standard output.
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ContextFields {
    /// Name of the startup.
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
    /// What it does.
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Industry.
    #[arg(long, value_name = "TEXT")]
    pub(crate) industry: Option<String>,
    /// Search term; repeatable. The new terms replace the old ones.
    #[arg(long = "search-term", value_name = "TEXT")]
    pub(crate) search_terms: Vec<String>,
    /// Countries or places it serves.
    #[arg(long = "where", value_name = "TEXT")]
    pub(crate) geographical_scope: Option<String>,
    /// Anything else you know; repeatable. `KEY=` removes a key.
    #[arg(long = "meta", value_name = "KEY=VALUE")]
    pub(crate) metadata: Vec<String>,
}
