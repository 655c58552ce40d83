//! Copies users' files, and the sets of them that are surveys.

use run::error::PortError;
use run::files::{FileRef, FileSet};

use super::{Copying, Done, LOT, MoveError, Outcome};

impl Copying<'_> {
    /// Copies the files of a user, and then the sets that name them.
    pub(super) async fn copy_files(&mut self) -> Result<(), MoveError> {
        // Where files are kept below folders, these are named after their users.
        if !run::library::is_name(&self.user) {
            return Ok(());
        }
        let mut after: Option<String> = None;
        loop {
            let files = self.from.files.files_part(&self.user, after.as_deref(), LOT).await?;
            let Some(last) = files.last() else { break };
            after = Some(last.sha256.clone());
            for file in files {
                let what = format!("file {}", file.sha256);
                self.come_to(what.clone());
                let outcome = self.copy_file(&file).await;
                self.settle(|| what, |copied| &mut copied.files, outcome)?;
            }
        }
        let sets = match self.from.files.sets(&self.user).await {
            Ok(sets) => sets,
            Err(error) => {
                self.refuse("surveys".to_owned(), error.to_string());
                return Ok(());
            }
        };
        for set in sets {
            let outcome = self.copy_set(&set).await;
            self.settle(|| format!("survey {}", set.name), |copied| &mut copied.surveys, outcome)?;
        }
        Ok(())
    }

    async fn copy_file(&self, file: &FileRef) -> Result<Outcome, PortError> {
        if self.to.files.read(&self.user, file).await.is_ok() {
            return Ok(Ok(Done::Already));
        }
        let bytes = match self.from.files.read(&self.user, file).await {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(error.to_string())),
        };
        self.to.files.put(&self.user, &file.name, bytes).await?;
        Ok(Ok(Done::Copied))
    }

    async fn copy_set(&self, set: &FileSet) -> Result<Outcome, PortError> {
        if self.to.files.exchange(&self.user, &set.name, None, &set.files).await? {
            return Ok(Ok(Done::Copied));
        }
        let there = self.to.files.set(&self.user, &set.name).await?;
        Ok(match there.as_ref() == Some(&set.files) {
            true => Ok(Done::Already),
            false => Err("the target has it already, with other files".to_owned()),
        })
    }
}
