//! The command line for sources, collections and documents.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};

use super::{Json, SourceArg};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    /// One work after the other, to read.
    Table,
    /// A reference list in the style of --style.
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
    /// Whom to ask; the default is sources.asked of the configuration.
    #[arg(long = "source", value_name = "SOURCE", value_delimiter = ',')]
    pub(crate) sources: Vec<SourceArg>,
    /// Papers and pages wanted of each source.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) limit: u32,
    /// The first year of publication that is wanted.
    #[arg(long, value_name = "YEAR")]
    pub(crate) from: Option<i16>,
    /// The last year of publication that is wanted.
    #[arg(long, value_name = "YEAR")]
    pub(crate) to: Option<i16>,
    #[arg(long, value_enum, default_value = "table")]
    pub(crate) format: ListFormat,
    /// The style of --format references.
    #[arg(long, value_name = "NAME")]
    pub(crate) style: Option<String>,
    /// Print the names of the styles there are.
    #[arg(long = "styles")]
    pub(crate) style_list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct IngestArgs {
    /// Files and folders, https://… addresses, arxiv:ID, doi:DOI.
    #[arg(required = true, value_name = "PATH|URL|arxiv:ID|doi:DOI")]
    pub(crate) targets: Vec<OsString>,
    /// Read the abstracts of papers alone, even where their text is free.
    #[arg(long)]
    pub(crate) abstracts: bool,
    /// The collection they go into; it is made if it is not there.
    #[arg(long, value_name = "NAME", default_value = crate::commands::DEFAULT_COLLECTION)]
    pub(crate) collection: String,
    /// Metadata for every document read now; may be given several times.
    #[arg(long = "meta", value_name = "KEY=VALUE")]
    pub(crate) metadata: Vec<String>,
    /// Remove every document of the collection whose file this call did not find.
    #[arg(long)]
    pub(crate) prune: bool,
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
    /// Show a collection's manifest and documents.
    Show {
        name: String,
        #[command(flatten)]
        json: Json,
    },
    /// Remove a collection with everything in it.
    ///
    /// On a terminal it asks first.
    Remove {
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
        #[arg(long, value_name = "NAME", default_value = crate::commands::DEFAULT_COLLECTION)]
        collection: String,
        #[command(flatten)]
        json: Json,
    },
    /// Show what is known of a document, its text, or a span of it.
    Show {
        id: String,
        /// Print the extracted text and nothing else.
        #[arg(long)]
        text: bool,
        /// Print only these bytes of the text, START..END.
        #[arg(long, value_name = "START..END")]
        span: Option<String>,
        #[command(flatten)]
        json: Json,
    },
}
