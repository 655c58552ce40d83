//! Copies collections with their documents, and startup contexts.

use run::contexts::StartupContext;
use run::error::PortError;
use run::library::{Part, StoredDocument};
use run::moving::{CollectionRow, is_same_document};

use super::{Copying, Done, LOT, MoveError, Outcome};

impl Copying<'_> {
    /// Copies the collections of a user with their documents.
    pub(super) async fn copy_collections(&mut self) -> Result<(), MoveError> {
        let mut after: Option<String> = None;
        loop {
            let rows = self.from.movable.collection_rows(&self.user, after.as_deref(), LOT).await?;
            let Some(last) = rows.last() else { return Ok(()) };
            after = Some(last.collection.name.clone());
            for row in rows {
                let what = format!("collection {}", row.collection.name);
                self.come_to(what.clone());
                let outcome = self.copy_collection(&row).await;
                let arrived = matches!(outcome, Ok(Ok(_)));
                self.settle(|| what, |copied| &mut copied.collections, outcome)?;
                if arrived {
                    self.copy_documents(&row).await?;
                }
            }
        }
    }

    async fn copy_collection(&self, row: &CollectionRow) -> Result<Outcome, PortError> {
        if self.to.movable.put_collection(row).await? {
            return Ok(Ok(Done::Copied));
        }
        let reason = match self.to.movable.collection_row(row.id).await? {
            Some(there) if there.is_same(row) => return Ok(Ok(Done::Already)),
            Some(there)
                if (&there.user, &there.collection.name) == (&row.user, &row.collection.name) =>
            {
                "the target has it already, indexed in another way".to_owned()
            }
            Some(there) => format!(
                "its id {}, which determines the ids of its documents, belongs to the collection {} of {} at the target",
                row.id, there.collection.name, there.user
            ),
            None => "the target has another collection of that name".to_owned(),
        };
        Ok(Err(reason))
    }

    async fn copy_documents(&mut self, row: &CollectionRow) -> Result<(), MoveError> {
        let name = &row.collection.name;
        let mut after: Option<String> = None;
        loop {
            let part = Part { after, limit: LOT };
            let documents = self.from.library.documents_part(&self.user, name, &part).await?;
            let Some(last) = documents.last() else { return Ok(()) };
            after = Some(last.path.clone());
            for about in documents {
                self.come_to(format!("document {} of {name}", about.path));
                let outcome = self.copy_document(row, &about).await;
                let what = || format!("document {} of {name}, {}", about.document_id, about.path);
                self.settle(what, |copied| &mut copied.documents, outcome)?;
            }
        }
    }

    async fn copy_document(
        &self,
        row: &CollectionRow,
        about: &StoredDocument,
    ) -> Result<Outcome, PortError> {
        let (user, collection) = (&row.user, &row.collection);
        if let Some(already) = self.compare_document(row, about).await? {
            return Ok(already);
        }
        let found = self.from.movable.whole_document(user, &about.document_id).await?;
        let Some(document) = found else {
            return Ok(Err("it was removed in the meantime".to_owned()));
        };
        if let Some(fault) = document.faults(row.id, &collection.manifest).first() {
            return Ok(Err(format!("it is damaged: {fault}")));
        }
        // It may have been replaced since it was listed.
        let about = document.about.clone();
        if self.to.movable.put_whole_document(user, row.id, document).await? {
            return Ok(Ok(Done::Copied));
        }
        // After a broken connection a write is repeated, and then the document is there.
        let there = self.compare_document(row, &about).await?;
        Ok(there.unwrap_or_else(|| Err("the target has another document with its path".to_owned())))
    }

    /// Returns whether the document is there already, or that another one is; `None` if there is none.
    async fn compare_document(
        &self,
        row: &CollectionRow,
        about: &StoredDocument,
    ) -> Result<Option<Outcome>, PortError> {
        let paths = std::slice::from_ref(&about.path);
        let there = self.to.library.documents_at(&row.user, &row.collection.name, paths).await?;
        Ok(there.first().map(|there| match is_same_document(about, there) {
            true => Ok(Done::Already),
            false => Err("the target has it already, with other contents".to_owned()),
        }))
    }

    /// Copies the startup contexts of a user.
    pub(super) async fn copy_contexts(&mut self) -> Result<(), MoveError> {
        let contexts = self.from.contexts.list(&self.user).await?;
        for context in contexts {
            let what = format!("startup context {}", context.id);
            self.come_to(what.clone());
            let outcome = self.copy_context(&context).await?;
            self.settle(|| what, |copied| &mut copied.contexts, Ok(outcome))?;
        }
        Ok(())
    }

    async fn copy_context(&self, context: &StartupContext) -> Result<Outcome, MoveError> {
        let Some(there) = self.to.contexts.get(&self.user, &context.id).await? else {
            self.to.contexts.add(context).await?;
            return Ok(Ok(Done::Copied));
        };
        let last_accessed = there.last_accessed;
        if there != (StartupContext { last_accessed, ..context.clone() }) {
            return Ok(Err("the target has it already, with other contents".to_owned()));
        }
        self.to.contexts.touch(&self.user, &context.id, context.last_accessed).await?;
        Ok(Ok(Done::Already))
    }
}
