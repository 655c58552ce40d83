//! The command line of `quaestio config`, `doctor` and `prompts`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// How a page for people or programs is printed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextOrJson {
    #[default]
    Text,
    Json,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Show the settings that matter and those that you set, and where each value comes from.
    Show(ConfigShowArgs),
    /// Find settings by words in their names and meanings.
    Search {
        #[arg(required = true, value_name = "WORD")]
        words: Vec<String>,
        /// How to print them.
        #[arg(long, value_enum, default_value = "text")]
        format: TextOrJson,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ConfigShowArgs {
    /// Explain this setting, or all below it: models.main, ask, ask.report.
    #[arg(value_name = "SETTING")]
    pub(crate) names: Vec<String>,
    /// List every setting.
    #[arg(long)]
    pub(crate) all: bool,
    /// Show the values that apply to this strategy of `ask` (direct or v001, …) or this method.
    #[arg(long = "for", visible_alias = "strategy", value_name = "NAME")]
    pub(crate) of: Option<String>,
    /// How to print them. JSON lists every setting, or those that you name.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: TextOrJson,
    /// Print JSON; short for --format json.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DoctorArgs {
    /// How to print the checks.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: TextOrJson,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PromptsCommand {
    /// List the prompts with their digests, and which of them are your own.
    List {
        /// How to print them.
        #[arg(long, value_enum, default_value = "text")]
        format: TextOrJson,
    },
    /// Print a prompt as it is used.
    Show {
        /// The prompt, for example ask/writer.
        #[arg(value_name = "NAME")]
        name: String,
        /// Print the prompt that ships, even if you replaced it.
        #[arg(long)]
        shipped: bool,
    },
    /// Write the prompts that ship into a folder, to edit and use them.
    Export {
        #[arg(value_name = "FOLDER")]
        folder: PathBuf,
        /// Write only these prompts, for example ask/writer.
        #[arg(value_name = "NAME")]
        names: Vec<String>,
        /// Replace files that exist.
        #[arg(long)]
        force: bool,
    },
}
