//! The command line for sources, collections and documents.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{Json, SourceArg};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// A list to read.
    Table,
    /// A reference list, formatted as --style.
    References,
    Json,
    Bibtex,
    Ris,
    CslJson,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to search for.
    #[arg(required_unless_present = "style_list")]
    pub(crate) query: Option<String>,
    /// Search these sources [default: sources.asked].
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) sources: Vec<SourceArg>,
    /// Request this many results from each source.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) limit: u32,
    /// Published in this year or later.
    #[arg(long, value_name = "YEAR")]
    pub(crate) from: Option<i16>,
    /// Published in this year or earlier.
    #[arg(long, value_name = "YEAR")]
    pub(crate) to: Option<i16>,
    /// Output format.
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: ListFormat,
    /// Citation style for --format references [default: apa (bibliography.style)].
    #[arg(long, value_name = "NAME")]
    pub(crate) style: Option<String>,
    /// List the citation styles.
    #[arg(long = "styles")]
    pub(crate) style_list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    /// Files, folders, zotero:FOLDER, git:FOLDER@REVISION, web addresses (https://…), arxiv:ID or doi:DOI.
    #[arg(
        required_unless_present = "sitemap",
        value_name = "PATH|zotero:PATH|git:PATH|URL|arxiv:ID|doi:DOI"
    )]
    pub(crate) targets: Vec<OsString>,
    /// Add the pages that a sitemap or feed lists, on its own host; repeatable.
    ///
    /// Pages that robots.txt closes to programs are left out.
    #[arg(long, value_name = "URL")]
    pub(crate) sitemap: Vec<String>,
    /// Most pages to add from sitemaps and feeds.
    #[arg(long, value_name = "NUMBER", default_value_t = 200, requires = "sitemap")]
    pub(crate) most_pages: usize,
    /// Add only the abstracts of papers, even if the full text is free.
    #[arg(long)]
    pub(crate) abstracts: bool,
    /// Collection to add to; it is created if needed.
    #[arg(long, value_name = "NAME", default_value = crate::commands::DEFAULT_COLLECTION)]
    pub(crate) collection: String,
    /// Metadata for the added documents; repeatable.
    #[arg(long = "meta", value_name = "KEY=VALUE")]
    pub(crate) metadata: Vec<String>,
    /// Folder of Zotero's linked files, if their paths are relative.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) linked_files: Option<PathBuf>,
    /// Remove documents whose files were not found this time.
    #[arg(long)]
    pub(crate) prune: bool,
    /// Stay, and read files again when they change. Ctrl-C stops.
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum CollectionsCommand {
    /// List the collections.
    List {
        /// Include the collections of single runs and of evaluations.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Show a collection: its documents and how they were indexed.
    Show {
        /// Name of the collection.
        name: String,
        #[command(flatten)]
        json: Json,
    },
    /// Remove a collection and everything in it.
    ///
    /// On a terminal, Quaestio asks you first.
    Remove {
        /// Name of the collection.
        name: String,
        /// Do not ask; required where there is no terminal.
        #[arg(long, short)]
        yes: bool,
        #[command(flatten)]
        json: Json,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum DocumentsCommand {
    /// List the documents of a collection.
    List {
        /// Name of the collection.
        #[arg(long, value_name = "NAME", default_value = crate::commands::DEFAULT_COLLECTION)]
        collection: String,
        #[command(flatten)]
        json: Json,
    },
    /// Show a document's details, its text, or part of its text.
    Show {
        /// Id of the document; `quaestio documents list` shows the ids.
        id: String,
        /// Print only the extracted text.
        #[arg(long)]
        text: bool,
        /// Print only these bytes of the text.
        #[arg(long, value_name = "START..END")]
        span: Option<String>,
        #[command(flatten)]
        json: Json,
    },
}
