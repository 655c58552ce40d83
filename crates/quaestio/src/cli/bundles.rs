//! The command line of what is done with a bundle.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The bundle, as `quaestio runs export --format bundle` writes it; - reads it from standard input.
    pub(crate) file: PathBuf,
    /// The public key of minisign with which it must be signed, or a file that holds it.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,
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
    /// The bundle, as `quaestio runs export --format bundle` writes it; - reads it from standard input.
    pub(crate) file: PathBuf,
    #[arg(long, value_enum, default_value = "md")]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("attachments").required(true).multiple(true))]
pub(crate) struct AttachArgs {
    /// The bundle; it is replaced by one with the attachment.
    pub(crate) file: PathBuf,
    /// Sign the manifest with the secret key of minisign in this file. Its password is taken from QUAESTIO_SIGNING_PASSWORD, if it has
    /// one.
    #[arg(long, value_name = "FILE", group = "attachments")]
    pub(crate) sign: Option<PathBuf>,
    /// Attach the answer of a time stamping authority (RFC 3161) to the SHA-256 of the manifest.
    #[arg(long, value_name = "FILE.tsr", group = "attachments")]
    pub(crate) time_stamp: Option<PathBuf>,
}
