//! Startup contexts as JSON files that people can read and edit: `{folder}/{user_id}/{startup_id}.json`.
//!
//! Several processes may share the folder: a writer holds an exclusive lock on the user's folder, a reader a shared one. A context is
//! written under another name, `.next-…`, and renamed once it is on disk. If several contexts are saved together, the file `.commit`
//! marks that all of them are on disk; the next process that finds it finishes the renames. So a process that dies leaves all of them
//! behind, or none.

mod folder;
mod place;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use run::contexts::{ContextError, Contexts, Existing, StartupContext, is_id};

use folder::Folder;

pub use place::of as folder_of;
pub(crate) use place::owner as user_of;

/// Marks the files under [`NEXT`] as complete.
const COMMIT: &str = ".commit";
const NEXT: &str = ".next-";
const ENDING: &str = ".json";

/// The startup contexts of all users, one file each.
#[derive(Debug, Clone)]
pub struct ContextFiles {
    root: Arc<Path>,
}

impl ContextFiles {
    /// Stores contexts under `folder`, which is created when the first one is saved.
    pub fn new(folder: impl Into<PathBuf>) -> ContextFiles {
        ContextFiles { root: folder.into().into() }
    }

    /// Runs `work` in the user's folder with writers locked out; `None` if the folder does not exist.
    async fn reading<T: Send + 'static>(
        &self,
        user: &str,
        work: impl FnOnce(&UserFolder) -> Result<T, ContextError> + Send + 'static,
    ) -> Result<Option<T>, ContextError> {
        let (root, user) = (Arc::clone(&self.root), user.to_owned());
        aside(move || {
            let Some(user_folder) = UserFolder::open(&root, &user, "read")? else {
                return Ok(None);
            };
            let lock = user_folder
                .folder
                .lock_shared()
                .map_err(|error| user_folder.failed("read", "", &error))?;
            if !user_folder.is_committed()? {
                return work(&user_folder).map(Some);
            }
            drop(lock);
            let _lock = user_folder.locked()?;
            work(&user_folder).map(Some)
        })
        .await
    }

    /// Runs `work` in the user's folder with readers and writers locked out; `None` if the folder does not exist.
    async fn writing<T: Send + 'static>(
        &self,
        user: &str,
        work: impl FnOnce(&UserFolder) -> Result<T, ContextError> + Send + 'static,
    ) -> Result<Option<T>, ContextError> {
        let (root, user) = (Arc::clone(&self.root), user.to_owned());
        aside(move || {
            let Some(user_folder) = UserFolder::open(&root, &user, "written")? else {
                return Ok(None);
            };
            let _lock = user_folder.locked()?;
            work(&user_folder).map(Some)
        })
        .await
    }
}

/// Runs disk work on a blocking thread.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ContextError> + Send + 'static,
) -> Result<T, ContextError> {
    let broken_off = |_| ContextError::Store {
        action: "read or written".into(),
        reason: "the work on the files stopped unexpectedly".into(),
    };
    tokio::task::spawn_blocking(work).await.map_err(broken_off)?
}

/// The folder of one user.
struct UserFolder {
    folder: Folder,
    path: PathBuf,
    user: String,
}

fn failed(action: &str, path: &Path, error: &io::Error) -> ContextError {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ContextError::DiskFull,
        _ => ContextError::Store {
            action: action.to_owned(),
            reason: format!("{}: {error}", path.display()),
        },
    }
}

fn file_of(id: &str) -> String {
    format!("{id}{ENDING}")
}

impl UserFolder {
    /// Opens the folder of a user; `None` if there is no such folder, or no such user.
    fn open(root: &Path, user: &str, action: &str) -> Result<Option<UserFolder>, ContextError> {
        let Some(name) = place::of(user) else { return Ok(None) };
        let path = root.join(&name);
        let folder = Folder::open(root, &name).map_err(|error| failed(action, &path, &error))?;
        Ok(folder.map(|folder| UserFolder { folder, path, user: user.to_owned() }))
    }

    fn failed(&self, action: &str, name: &str, error: &io::Error) -> ContextError {
        failed(action, &self.path.join(name), error)
    }

    /// Locks the folder for writing, and completes a commit that an earlier process left unfinished.
    fn locked(&self) -> Result<std::fs::File, ContextError> {
        let lock = self.folder.lock().map_err(|error| self.failed("written", "", &error))?;
        if self.is_committed()? {
            self.finish().map_err(|error| self.failed("written", "", &error))?;
        }
        Ok(lock)
    }

    fn is_committed(&self) -> Result<bool, ContextError> {
        let found = self.folder.open_file(COMMIT);
        found.map(|file| file.is_some()).map_err(|error| self.failed("read", COMMIT, &error))
    }

    /// Renames the complete files into place.
    fn finish(&self) -> io::Result<()> {
        for name in self.folder.names()? {
            let place = name.strip_prefix(NEXT).and_then(|place| place.strip_suffix(ENDING));
            if let Some(id) = place.filter(|id| is_id(id)) {
                self.folder.rename(&name, &file_of(id))?;
            }
        }
        self.folder.sync()?;
        self.folder.remove(COMMIT)?;
        self.folder.sync()
    }

    fn find(&self, id: &str) -> Result<Option<StartupContext>, ContextError> {
        if !is_id(id) {
            return Ok(None);
        }
        let name = file_of(id);
        let bytes = self.folder.read(&name).map_err(|error| self.failed("read", &name, &error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let broken = |reason: String| {
            let error = io::Error::other(format!("{reason}; repair the file or move it away"));
            self.failed("read", &name, &error)
        };
        let context: StartupContext =
            serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))?;
        if context.id != id {
            return Err(broken(format!("its id is '{}'", context.id)));
        }
        if context.user_id != self.user {
            return Err(broken(format!("its user_id is '{}'", context.user_id)));
        }
        match context.wrong() {
            Some(what) => Err(broken(what)),
            None => Ok(Some(context)),
        }
    }

    fn list(&self) -> Result<Vec<StartupContext>, ContextError> {
        let names = self.folder.names().map_err(|error| self.failed("read", "", &error))?;
        let mut contexts = Vec::new();
        // Names with a leading dot are ours or another program's.
        for name in names.iter().filter(|name| !name.starts_with('.')) {
            let Some(id) = name.strip_suffix(ENDING) else { continue };
            if !is_id(id) {
                let reason = "its name is not a valid id; rename the file or move it away";
                return Err(self.failed("read", name, &io::Error::other(reason)));
            }
            // A file that was removed by hand meanwhile is skipped.
            contexts.extend(self.find(id)?);
        }
        StartupContext::sort(&mut contexts);
        Ok(contexts)
    }

    /// Writes contexts to disk and then renames them into place.
    fn put(&self, contexts: &[StartupContext]) -> Result<(), ContextError> {
        let staged = self.stage(contexts).and_then(|()| match contexts {
            [_] => Ok(()),
            _ => self.folder.sync().and_then(|()| self.folder.write_new(COMMIT, b"")),
        });
        if let Err(error) = staged {
            // Files that cannot be removed now have no effect without the commit file, and are removed later.
            let _ = self.folder.remove(COMMIT);
            let _ = self.sweep();
            return Err(self.failed("written", "", &error));
        }
        let done = match contexts {
            [context] => {
                let name = file_of(&context.id);
                let moved = self.folder.rename(&format!("{NEXT}{name}"), &name);
                moved.and_then(|()| self.folder.sync())
            }
            _ => self.folder.sync().and_then(|()| self.finish()),
        };
        done.map_err(|error| self.failed("written", "", &error))
    }

    fn stage(&self, contexts: &[StartupContext]) -> io::Result<()> {
        self.sweep()?;
        for context in contexts {
            let mut bytes = serde_json::to_vec_pretty(context)?;
            bytes.push(b'\n');
            self.folder.write_new(&format!("{NEXT}{}", file_of(&context.id)), &bytes)?;
        }
        Ok(())
    }

    /// Removes the incomplete files of a process that died.
    fn sweep(&self) -> io::Result<()> {
        for name in self.folder.names()? {
            if name.starts_with(NEXT) {
                self.folder.remove(&name)?;
            }
        }
        Ok(())
    }
}

#[async_trait]
impl Contexts for ContextFiles {
    async fn list(&self, user: &str) -> Result<Vec<StartupContext>, ContextError> {
        Ok(self.reading(user, UserFolder::list).await?.unwrap_or_default())
    }

    async fn get(&self, user: &str, id: &str) -> Result<Option<StartupContext>, ContextError> {
        let id = id.to_owned();
        Ok(self.reading(user, move |user_folder| user_folder.find(&id)).await?.flatten())
    }

    async fn keep(
        &self,
        contexts: &[StartupContext],
        existing: Existing,
    ) -> Result<(), ContextError> {
        StartupContext::check_all(contexts)?;
        let Some(first) = contexts.first() else { return Ok(()) };
        let (root, user) = (Arc::clone(&self.root), first.user_id.clone());
        let place = place::of(&user)
            .ok_or_else(|| ContextError::Wrong { what: "its user cannot have a folder".into() })?;
        let made = aside(move || {
            Folder::make(&root, &place)
                .map_err(|error| failed("written", &root.join(&place), &error))
        });
        made.await?;
        let contexts = contexts.to_vec();
        let kept = self.writing(&user, move |user_folder| {
            for context in &contexts {
                // An unreadable file is not overwritten.
                if user_folder.find(&context.id)?.is_some() && existing == Existing::Stays {
                    return Err(ContextError::Taken { id: context.id.clone() });
                }
            }
            user_folder.put(&contexts)
        });
        kept.await?.ok_or_else(|| ContextError::Store {
            action: "written".into(),
            reason: format!(
                "{}: the user's folder was removed in the meantime",
                self.root.display()
            ),
        })
    }

    async fn replace(&self, context: &StartupContext) -> Result<(), ContextError> {
        StartupContext::check_all(std::slice::from_ref(context))?;
        let (user, id, context) = (&context.user_id, &context.id, context.clone());
        let replaced =
            self.writing(user, move |user_folder| match user_folder.find(&context.id)? {
                None => Err(ContextError::no_such(&context.id)),
                Some(_) => user_folder.put(&[context]),
            });
        replaced.await?.ok_or_else(|| ContextError::no_such(id))
    }

    async fn exchange(
        &self,
        read: &StartupContext,
        context: &StartupContext,
    ) -> Result<StartupContext, ContextError> {
        StartupContext::check_all(std::slice::from_ref(context))?;
        let (user, id) = (&context.user_id, &context.id);
        let (read, context) = (read.clone(), context.clone());
        let exchanged = self.writing(user, move |user_folder| {
            let stored = user_folder.find(&context.id)?;
            let stored = stored.ok_or_else(|| ContextError::no_such(&context.id))?;
            let context = context.in_place_of(&stored, &read)?;
            user_folder.put(std::slice::from_ref(&context))?;
            Ok(context)
        });
        exchanged.await?.ok_or_else(|| ContextError::no_such(id))
    }

    async fn touch(&self, user: &str, id: &str, at: Timestamp) -> Result<(), ContextError> {
        let named = id.to_owned();
        let touched = self.writing(user, move |user_folder| match user_folder.find(&named)? {
            None => Err(ContextError::no_such(&named)),
            Some(context) if at > context.last_accessed => {
                user_folder.put(&[StartupContext { last_accessed: at, ..context }])
            }
            Some(_) => Ok(()),
        });
        touched.await?.ok_or_else(|| ContextError::no_such(id))
    }

    async fn remove(&self, user: &str, id: &str) -> Result<(), ContextError> {
        let named = id.to_owned();
        let removed = self.writing(user, move |user_folder| {
            let gone = || ContextError::no_such(&named);
            if !is_id(&named) {
                return Err(gone());
            }
            // An unreadable file may be removed; anything but a regular file is not ours.
            let name = file_of(&named);
            let there = user_folder.folder.open_file(&name);
            there
                .map_err(|error| user_folder.failed("written", &name, &error))?
                .ok_or_else(gone)?;
            let removed = user_folder.folder.remove(&name).and_then(|()| user_folder.folder.sync());
            removed.map_err(|error| user_folder.failed("written", &name, &error))
        });
        removed.await?.ok_or_else(|| ContextError::no_such(id))
    }
}
