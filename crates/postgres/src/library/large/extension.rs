//! The extension pgvector, which finds near vectors in the database.

use tokio_postgres::Row;

use crate::Postgres;
use crate::fault::Fault;

/// The advisory lock under which the extension is made: one process does it, and others wait.
const LOCK: i64 = 0x7175_6165_7665_6374;
/// The oldest version with graphs of 16-bit vectors that are searched until enough rows are found.
const OLDEST: (u32, u32) = (0, 8);

/// Whether a database has the extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Extension {
    /// `schema` is where it lies, as it stands in a statement.
    Ready {
        schema: String,
        version: String,
    },
    TooOld {
        version: String,
    },
    /// The server has it, and the database does not.
    Available,
    Missing,
}

impl Extension {
    /// Returns how large collections with vectors are searched, for a person.
    pub(crate) fn explain(&self, from: u64) -> String {
        let in_memory = |why: &str| {
            format!("collections with vectors are searched in memory, whatever their size: {why}")
        };
        match self {
            Extension::Ready { version, .. } => format!(
                "pgvector {version}; collections of {from} passages and more are searched in \
                 the database"
            ),
            Extension::TooOld { version } => {
                in_memory(&format!("pgvector {version} is too old. Update it to 0.8 or later"))
            }
            Extension::Available => in_memory(
                "the extension is not installed. Let a superuser run `CREATE EXTENSION vector` in this database",
            ),
            Extension::Missing => {
                in_memory("the server does not have the extension pgvector. Install 0.8 or later")
            }
        }
    }
}

const STATE: &str = "
    SELECT (SELECT quote_ident(n.nspname) FROM pg_namespace n WHERE n.oid = e.extnamespace), e.extversion
      FROM (SELECT) one LEFT JOIN pg_extension e ON e.extname = 'vector'
     WHERE e.oid IS NOT NULL OR EXISTS (SELECT FROM pg_available_extensions a WHERE a.name = 'vector')";

/// Looks for the extension.
pub(crate) async fn find_extension(postgres: &Postgres) -> Result<Extension, Fault> {
    match postgres.select(STATE, &[]).await?.first() {
        Some(row) => read_state(row),
        None => Ok(Extension::Missing),
    }
}

fn read_state(row: &Row) -> Result<Extension, Fault> {
    let (schema, version): (Option<String>, Option<String>) = (row.try_get(0)?, row.try_get(1)?);
    let (Some(schema), Some(version)) = (schema, version) else { return Ok(Extension::Available) };
    let mut numbers = version.split('.').map(|number| number.parse().unwrap_or(0));
    let known = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    Ok(match known >= OLDEST {
        true => Extension::Ready { schema, version },
        false => Extension::TooOld { version },
    })
}

/// Looks for the extension, and makes it if the server has it and this user may.
pub(super) async fn make_extension(postgres: &Postgres) -> Result<Extension, Fault> {
    let found = find_extension(postgres).await?;
    if found != Extension::Available {
        return Ok(found);
    }
    let client = postgres.shared.pool.get().await?;
    let sql = format!(
        "BEGIN; SELECT pg_advisory_xact_lock({LOCK}); CREATE EXTENSION IF NOT EXISTS vector; COMMIT"
    );
    if client.batch_execute(&sql).await.is_err() {
        // Refused, and `doctor` says what to do.
        client.batch_execute("ROLLBACK").await?;
        return Ok(Extension::Available);
    }
    drop(client);
    find_extension(postgres).await
}
