//! The port for moving users' files elsewhere and in.

use std::collections::BTreeSet;
use std::fs;

use async_trait::async_trait;
use run::entry::Hash;
use run::error::PortError;
use run::files::FileRef;
use run::moving::MovableFiles;

use super::{FileStore, failed, names};
use crate::context_files::user_of;

impl FileStore {
    fn list_users(&self) -> Result<Vec<String>, PortError> {
        let mut users = BTreeSet::new();
        for below in ["files", "surveys"] {
            users.extend(names(&self.data.join(below))?.iter().filter_map(|name| user_of(name)));
        }
        Ok(users.into_iter().collect())
    }

    fn list_files(
        &self,
        user: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<FileRef>, PortError> {
        let folder = self.folder("files", user)?;
        let is_wanted = |name: &String| {
            name.parse::<Hash>().is_ok() && after.is_none_or(|after| name.as_str() > after)
        };
        let mut files = Vec::new();
        for sha256 in names(&folder)?.into_iter().filter(is_wanted).take(limit as usize) {
            let path = folder.join(&sha256);
            let about = fs::metadata(&path).map_err(|error| failed("read", &path, &error))?;
            files.push(FileRef { name: sha256.clone(), sha256, bytes: about.len() });
        }
        Ok(files)
    }
}

#[async_trait]
impl MovableFiles for FileStore {
    async fn users_of_files(&self) -> Result<Vec<String>, PortError> {
        self.aside(FileStore::list_users).await
    }

    async fn files_part(
        &self,
        user: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Vec<FileRef>, PortError> {
        let (user, after) = (user.to_owned(), after.map(str::to_owned));
        self.aside(move |store| store.list_files(&user, after.as_deref(), limit)).await
    }
}
