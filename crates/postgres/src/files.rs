//! Users' files and sets of them in the database.

use async_trait::async_trait;
use run::entry::Hash;
use run::error::PortError;
use run::files::{FileRef, FileSet, Files, StoredFiles, check_name, not_kept, refer, verify};

use crate::Postgres;
use crate::connection::Unsure;
use crate::fault::Fault;
use crate::query::{self, Values, json, text, to_json};

#[async_trait]
impl Files for Postgres {
    async fn read(&self, user: &str, file: &FileRef) -> Result<Vec<u8>, PortError> {
        check_name("user", user)?;
        let action = || format!("read the file '{}'", file.name);
        if file.sha256.parse::<Hash>().is_err() {
            let reason = format!("'{}' is not a SHA-256 digest", file.sha256);
            return Err(PortError::Store { action: action(), reason });
        }
        let query = "SELECT bytes FROM files WHERE user_id = $1 AND sha256 = $2";
        let rows = self.select(query, &[&user, &file.sha256]).await;
        let bytes: Option<Vec<u8>> = rows
            .and_then(|rows| Ok(rows.first().map(|row| row.try_get(0)).transpose()?))
            .map_err(|fault| fault.port(&action()))?;
        let bytes = bytes.ok_or_else(|| not_kept(file))?;
        verify(file, &bytes)?;
        Ok(bytes)
    }
}

#[async_trait]
impl StoredFiles for Postgres {
    async fn put(&self, user: &str, name: &str, bytes: Vec<u8>) -> Result<FileRef, PortError> {
        check_name("user", user)?;
        let file = refer(name, &bytes);
        let insert = "
            INSERT INTO files (user_id, sha256, bytes) VALUES ($1, $2, $3)
            ON CONFLICT (user_id, sha256) DO UPDATE SET bytes = excluded.bytes WHERE files.bytes <> excluded.bytes";
        let written = self.execute(insert, &[&user, &file.sha256, &bytes]).await;
        written.map_err(|fault| fault.port(&format!("keep the file '{name}'")))?;
        Ok(file)
    }

    async fn set(&self, user: &str, name: &str) -> Result<Option<Vec<FileRef>>, PortError> {
        check_name("user", user)?;
        check_name("survey", name)?;
        let query = "SELECT files FROM file_sets WHERE user_id = $1 AND name = $2";
        let rows = self.select(query, &[&user, &name]).await;
        let found = rows.and_then(|rows| rows.first().map(|row| json(row, 0)).transpose());
        found.map_err(|fault| fault.port(&format!("read the survey '{name}'")))
    }

    async fn sets(&self, user: &str) -> Result<Vec<FileSet>, PortError> {
        check_name("user", user)?;
        let query = "SELECT name, files FROM file_sets WHERE user_id = $1 ORDER BY name";
        let rows = self.select(query, &[&user]).await;
        let sets = rows.and_then(|rows| {
            let read = |row| Ok(FileSet { name: text(row, 0)?, files: json(row, 1)? });
            rows.iter().map(read).collect::<Result<_, Fault>>()
        });
        sets.map_err(|fault| fault.port("list the surveys"))
    }

    async fn exchange(
        &self,
        user: &str,
        name: &str,
        read: Option<&[FileRef]>,
        files: &[FileRef],
    ) -> Result<bool, PortError> {
        check_name("user", user)?;
        check_name("survey", name)?;
        let action = format!("keep the survey '{name}'");
        let write = |files: &[FileRef]| to_json(&files).map_err(|fault| fault.port(&action));
        let (read, files) = (read.map(write).transpose()?, write(files)?);
        // A set is written in one form, so that comparing the texts compares the files. Both statements wait for another's change.
        let exchanged = match &read {
            Some(read) => {
                let update = "UPDATE file_sets SET files = $4 WHERE user_id = $1 AND name = $2 AND files = $3";
                self.change_set(update, &[&user, &name, read, &files]).await
            }
            None => {
                let insert = "INSERT INTO file_sets (user_id, name, files) VALUES ($1, $2, $3)
                              ON CONFLICT DO NOTHING";
                self.change_set(insert, &[&user, &name, &files]).await
            }
        };
        exchanged.map_err(|fault| fault.port(&action))
    }

    async fn forget(&self, user: &str, name: &str) -> Result<bool, PortError> {
        check_name("user", user)?;
        check_name("survey", name)?;
        let delete = "DELETE FROM file_sets WHERE user_id = $1 AND name = $2";
        let forgotten = self.change_set(delete, &[&user, &name]).await;
        forgotten.map_err(|fault| fault.port(&format!("forget the survey '{name}'")))
    }
}

impl Postgres {
    /// Runs a statement that changes one set at most; returns whether it did. It is not repeated where that is not known.
    async fn change_set(&self, statement: &str, values: &Values<'_>) -> Result<bool, Fault> {
        let given = (statement, values);
        let changed = self.write_with(Unsure::Fail, given, |transaction, (statement, values)| {
            Box::pin(async move {
                Ok(Ok::<_, Fault>(query::execute(transaction, statement, values).await? == 1))
            })
        });
        changed.await?
    }
}
