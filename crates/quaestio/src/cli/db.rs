//! The command line of `quaestio db`.

use std::path::PathBuf;

use clap::Subcommand;

use super::Json;

/// The database: runs, documents, startup contexts and survey files.
#[derive(Debug, Subcommand)]
pub(crate) enum DbCommand {
    /// Copy the database into a new file, as it stands at one moment, while others go on working with it.
    Backup { file: PathBuf },
    /// Copy everything that is kept in one place to another: from a data folder to a PostgreSQL database, or the other way.
    ///
    /// Copied are the runs of all users with their logs, to the byte, collections with their documents and indexes,
    /// startup contexts, and survey files. Every log is verified where it arrives. A run that is at work arrives in the
    /// queue. What is there already and is the same is passed over, so that a copy that broke off goes on when it is
    /// started again; what is there and differs is named and left as it is.
    Copy {
        /// A data folder, or postgres://user@host/name.
        from: String,
        /// A data folder, or postgres://user@host/name.
        to: String,
    },
    /// Check that everything in the database fits together.
    ///
    /// Checked are the logs of all users to their last entries, the rows of runs against their logs, collections and
    /// their indexes against the documents, and survey files against their digests; what belongs to nothing is named.
    /// The exit code is 1 if something is wrong.
    Check {
        #[command(flatten)]
        json: Json,
    },
}
