//! Users' files and sets of them in the database.

use std::sync::Arc;

use async_trait::async_trait;
use run::entry::Hash;
use run::error::PortError;
use run::files::{FileRef, FileSet, Files, StoredFiles, check_name, not_kept, refer, verify};

use crate::Postgres;
use crate::connection::Unsure;
use crate::fault::Fault;
use crate::plain::{restored, stored};

#[async_trait]
impl Files for Postgres {
    async fn read(&self, user: &str, file: &FileRef) -> Result<Vec<u8>, PortError> {
        check_name("user", user)?;
        let action = || format!("read the file '{}'", file.name);
        if file.sha256.parse::<Hash>().is_err() {
            let reason = format!("'{}' is no SHA-256 digest", file.sha256);
            return Err(PortError::Store { action: action(), reason });
        }
        let (user, sha256) = (user.to_owned(), file.sha256.clone());
        let found = self.read(move |transaction| {
            let (user, sha256) = (user.clone(), sha256.clone());
            Box::pin(async move {
                let query = transaction
                    .prepare_cached("SELECT bytes FROM files WHERE user_id = $1 AND sha256 = $2")
                    .await?;
                let row = transaction.query_opt(&query, &[&user, &sha256]).await?;
                row.map(|row| row.try_get::<_, Vec<u8>>(0)).transpose().map_err(Fault::from)
            })
        });
        let found = found.await.map_err(|fault| fault.port(&action()))?;
        let bytes = found.ok_or_else(|| not_kept(file))?;
        verify(file, &bytes)?;
        Ok(bytes)
    }
}

#[async_trait]
impl StoredFiles for Postgres {
    async fn put(&self, user: &str, name: &str, bytes: Vec<u8>) -> Result<FileRef, PortError> {
        check_name("user", user)?;
        let file = refer(name, &bytes);
        let (user, sha256, bytes) = (user.to_owned(), file.sha256.clone(), Arc::new(bytes));
        let written = self.write(Unsure::Repeat, move |transaction| {
            let (user, sha256, bytes) = (user.clone(), sha256.clone(), Arc::clone(&bytes));
            Box::pin(async move {
                let insert = transaction
                    .prepare_cached(
                        "INSERT INTO files (user_id, sha256, bytes) VALUES ($1, $2, $3)
                         ON CONFLICT (user_id, sha256) DO UPDATE SET bytes = excluded.bytes
                          WHERE files.bytes <> excluded.bytes",
                    )
                    .await?;
                transaction.execute(&insert, &[&user, &sha256, &bytes.as_slice()]).await?;
                Ok(Ok::<(), PortError>(()))
            })
        });
        written.await.map_err(|fault| fault.port(&format!("keep the file '{name}'")))??;
        Ok(file)
    }

    async fn set(&self, user: &str, name: &str) -> Result<Option<Vec<FileRef>>, PortError> {
        check_name("user", user)?;
        check_name("survey", name)?;
        let (user, set) = (user.to_owned(), name.to_owned());
        let found = self.read(move |transaction| {
            let (user, set) = (user.clone(), set.clone());
            Box::pin(async move {
                let query = transaction
                    .prepare_cached("SELECT files FROM file_sets WHERE user_id = $1 AND name = $2")
                    .await?;
                let row = transaction.query_opt(&query, &[&user, &set]).await?;
                row.map(|row| read_files(row.try_get(0)?)).transpose()
            })
        });
        found.await.map_err(|fault| fault.port(&format!("read the survey '{name}'")))
    }

    async fn sets(&self, user: &str) -> Result<Vec<FileSet>, PortError> {
        check_name("user", user)?;
        let user = user.to_owned();
        let found = self.read(move |transaction| {
            let user = user.clone();
            Box::pin(async move {
                let query = transaction
                    .prepare_cached(
                        "SELECT name, files FROM file_sets WHERE user_id = $1 ORDER BY name",
                    )
                    .await?;
                let rows = transaction.query(&query, &[&user]).await?.into_iter();
                rows.map(|row| {
                    Ok(FileSet { name: row.try_get(0)?, files: read_files(row.try_get(1)?)? })
                })
                .collect::<Result<Vec<_>, Fault>>()
            })
        });
        found.await.map_err(|fault| fault.port("list the surveys"))
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
        let fail = |fault: &Fault| fault.port(&action);
        let read = read.map(write_files).transpose().map_err(|fault| fail(&fault))?;
        let files = write_files(files).map_err(|fault| fail(&fault))?;
        let (user, name) = (user.to_owned(), name.to_owned());
        // A set is written in one form, so that comparing the texts compares the files. Both statements wait for another's change.
        let exchanged = self.write(Unsure::Fail, move |transaction| {
            let (user, name, read, files) =
                (user.clone(), name.clone(), read.clone(), files.clone());
            Box::pin(async move {
                let changed = match &read {
                    Some(read) => {
                        let update = transaction
                            .prepare_cached(
                                "UPDATE file_sets SET files = $4
                                  WHERE user_id = $1 AND name = $2 AND files = $3",
                            )
                            .await?;
                        transaction.execute(&update, &[&user, &name, read, &files]).await?
                    }
                    None => {
                        let insert = transaction
                            .prepare_cached(
                                "INSERT INTO file_sets (user_id, name, files) VALUES ($1, $2, $3)
                                 ON CONFLICT DO NOTHING",
                            )
                            .await?;
                        transaction.execute(&insert, &[&user, &name, &files]).await?
                    }
                };
                Ok(Ok::<bool, PortError>(changed == 1))
            })
        });
        exchanged.await.map_err(|fault| fault.port(&action))?
    }

    async fn forget(&self, user: &str, name: &str) -> Result<bool, PortError> {
        check_name("user", user)?;
        check_name("survey", name)?;
        let (user, set) = (user.to_owned(), name.to_owned());
        let forgotten = self.write(Unsure::Fail, move |transaction| {
            let (user, set) = (user.clone(), set.clone());
            Box::pin(async move {
                let delete = transaction
                    .prepare_cached("DELETE FROM file_sets WHERE user_id = $1 AND name = $2")
                    .await?;
                let gone = transaction.execute(&delete, &[&user, &set]).await?;
                Ok(Ok::<bool, PortError>(gone == 1))
            })
        });
        forgotten.await.map_err(|fault| fault.port(&format!("forget the survey '{name}'")))?
    }
}

/// Returns the references of a set as they are stored.
fn write_files(files: &[FileRef]) -> Result<String, Fault> {
    let text = serde_json::to_string(files).map_err(Fault::unreadable)?;
    Ok(stored(&text).into_owned())
}

fn read_files(text: String) -> Result<Vec<FileRef>, Fault> {
    serde_json::from_str(&restored(text)).map_err(Fault::unreadable)
}
