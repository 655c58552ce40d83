//! The command line of `quaestio db`.

use std::path::PathBuf;

use clap::Subcommand;

/// The database: runs, documents and startup contexts.
#[derive(Debug, Subcommand)]
pub(crate) enum DbCommand {
    /// Copy the database into a new file, as it stands at one moment, while others go on working with it.
    Backup { file: PathBuf },
}
