//! The command line of `quaestio models get`.

use clap::Args;

/// Only this command downloads a model, and only after a yes.
#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// The model, for example sentence-transformers/all-MiniLM-L6-v2. Without it, the known models are listed.
    #[arg(value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// Download without asking.
    #[arg(long)]
    pub(crate) yes: bool,
    /// The address of the model's folder; the default is its folder on huggingface.co.
    #[arg(long, value_name = "URL", requires = "name")]
    pub(crate) from: Option<String>,
    /// A file of the model and its SHA-256. Name every file this way if the model is not a known one.
    #[arg(long = "sha256", value_name = "FILE=DIGEST", requires = "name")]
    pub(crate) digests: Vec<String>,
}
