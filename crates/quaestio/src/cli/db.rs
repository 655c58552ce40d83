//! The command line of `quaestio db`.

use std::path::PathBuf;

use clap::Subcommand;

use super::Json;

/// Back up, copy or check the database: runs, documents, startup contexts and survey files.
#[derive(Debug, Subcommand)]
pub(crate) enum DbCommand {
    /// Back up the database to a new file, while others keep using it.
    Backup {
        /// File to create.
        file: PathBuf,
        #[command(flatten)]
        json: Json,
    },
    /// Copy everything from a data folder to a PostgreSQL database, or back.
    ///
    /// This copies the runs and logs of all users, collections with their documents and indexes, startup contexts, and survey files.
    /// Every log is verified on arrival. A run in progress arrives in the queue.
    ///
    /// You can start an interrupted copy again: what is already there and identical is skipped. What differs is listed and left as it
    /// is.
    Copy {
        /// Copy from this data folder or postgres://user@host/name.
        from: String,
        /// Copy to this data folder or postgres://user@host/name.
        to: String,
        #[command(flatten)]
        json: Json,
    },
    /// Check that the database is consistent.
    ///
    /// This checks every log to its last entry, runs against their logs, indexes against their documents, and survey files against
    /// their digests. It also lists orphans. The exit code is 1 if something is wrong.
    Check {
        #[command(flatten)]
        json: Json,
    },
}
