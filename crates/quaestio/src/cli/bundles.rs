//! The command line of what is done with a bundle.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Format, Json};

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The bundle, from `quaestio runs export RUN --format bundle`; - reads standard input.
    pub(crate) file: PathBuf,
    /// Require a signature by this minisign public key, given as text or as a file.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
    /// Output format.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) format: VerifyFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerifyFormat {
    Text,
    Json,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The bundle, from `quaestio runs export RUN --format bundle`; - reads standard input.
    pub(crate) file: PathBuf,
    /// Output format.
    #[arg(long, value_enum, default_value = "md")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("attachments").required(true).multiple(true))]
pub(crate) struct AttachArgs {
    /// The bundle; the attachment is added to this file.
    pub(crate) file: PathBuf,
    /// Sign the manifest with the minisign secret key in this file.
    ///
    /// If the key has a password, set it in QUAESTIO_SIGNING_PASSWORD.
    #[arg(long, value_name = "FILE", group = "attachments")]
    pub(crate) sign: Option<PathBuf>,
    /// Attach the response of a timestamp authority (RFC 3161) for the manifest's SHA-256.
    #[arg(long, value_name = "FILE.tsr", group = "attachments")]
    pub(crate) time_stamp: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) json: Json,
}
