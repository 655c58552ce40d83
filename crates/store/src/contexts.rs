//! Startup contexts in the database.

use async_trait::async_trait;
use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Transaction, TransactionBehavior, params};

use run::contexts::{ContextError, Contexts, Existing, StartupContext};

use crate::Store;
use crate::library::unreadable;
use crate::log::is_disk_full;

fn error(action: &str, error: &rusqlite::Error) -> ContextError {
    if is_disk_full(error) {
        return ContextError::DiskFull;
    }
    ContextError::Store { action: action.to_owned(), reason: error.to_string() }
}

/// Reads a row of `user_id`, `id` and `body`.
fn context(row: &Row<'_>) -> rusqlite::Result<StartupContext> {
    let (user, id, body): (String, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let context: StartupContext =
        serde_json::from_str(&body).map_err(|reason| unreadable(2, reason))?;
    if (&context.user_id, &context.id) != (&user, &id) {
        let reason = format!("the row of '{id}' of {user} contains a different context");
        return Err(unreadable(2, std::io::Error::other(reason)));
    }
    Ok(context)
}

fn find(connection: &Connection, user: &str, id: &str) -> rusqlite::Result<Option<StartupContext>> {
    connection
        .prepare_cached("SELECT user_id, id, body FROM contexts WHERE user_id = ?1 AND id = ?2")?
        .query_row(params![user, id], context)
        .optional()
}

fn put(connection: &Connection, context: &StartupContext) -> rusqlite::Result<()> {
    let body = serde_json::to_string(context)
        .map_err(|reason| rusqlite::Error::ToSqlConversionFailure(Box::new(reason)))?;
    connection
        .prepare_cached(
            "INSERT INTO contexts (user_id, id, body) VALUES (?1, ?2, ?3)
             ON CONFLICT (user_id, id) DO UPDATE SET body = excluded.body",
        )?
        .execute(params![context.user_id, context.id, body])?;
    Ok(())
}

impl Store {
    /// Changes contexts in one transaction, which a refusal rolls back.
    async fn change<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<Result<T, ContextError>>
        + Send
        + 'static,
    ) -> Result<T, ContextError> {
        let written = self.shared.writer.run(move |connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            if done.is_ok() {
                transaction.commit()?;
            }
            Ok(done)
        });
        written.await.unwrap_or_else(|failed| Err(error("written", &failed)))
    }
}

#[async_trait]
impl Contexts for Store {
    async fn list(&self, user: &str) -> Result<Vec<StartupContext>, ContextError> {
        let user = user.to_owned();
        let read = self.read(move |connection| {
            connection
                .prepare_cached("SELECT user_id, id, body FROM contexts WHERE user_id = ?1")?
                .query_map([user], context)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        let mut contexts = read.await.map_err(|failed| error("read", &failed))?;
        StartupContext::sort(&mut contexts);
        Ok(contexts)
    }

    async fn get(&self, user: &str, id: &str) -> Result<Option<StartupContext>, ContextError> {
        let (user, id) = (user.to_owned(), id.to_owned());
        let read = self.read(move |connection| find(connection, &user, &id));
        read.await.map_err(|failed| error("read", &failed))
    }

    async fn keep(
        &self,
        contexts: &[StartupContext],
        existing: Existing,
    ) -> Result<(), ContextError> {
        StartupContext::check_all(contexts)?;
        let contexts = contexts.to_vec();
        self.change(move |transaction| {
            for context in &contexts {
                let StartupContext { user_id, id, .. } = context;
                if existing == Existing::Stays && find(transaction, user_id, id)?.is_some() {
                    return Ok(Err(ContextError::Taken { id: id.clone() }));
                }
                put(transaction, context)?;
            }
            Ok(Ok(()))
        })
        .await
    }

    async fn replace(&self, context: &StartupContext) -> Result<(), ContextError> {
        StartupContext::check_all(std::slice::from_ref(context))?;
        let context = context.clone();
        self.change(move |transaction| {
            if find(transaction, &context.user_id, &context.id)?.is_none() {
                return Ok(Err(ContextError::no_such(&context.id)));
            }
            put(transaction, &context).map(Ok)
        })
        .await
    }

    async fn exchange(
        &self,
        read: &StartupContext,
        context: &StartupContext,
    ) -> Result<StartupContext, ContextError> {
        StartupContext::check_all(std::slice::from_ref(context))?;
        let (read, context) = (read.clone(), context.clone());
        self.change(move |transaction| {
            let Some(stored) = find(transaction, &context.user_id, &context.id)? else {
                return Ok(Err(ContextError::no_such(&context.id)));
            };
            match context.in_place_of(&stored, &read) {
                Ok(context) => put(transaction, &context).map(|()| Ok(context)),
                Err(changed) => Ok(Err(changed)),
            }
        })
        .await
    }

    async fn touch(&self, user: &str, id: &str, at: Timestamp) -> Result<(), ContextError> {
        let (user, id) = (user.to_owned(), id.to_owned());
        self.change(move |transaction| {
            let Some(context) = find(transaction, &user, &id)? else {
                return Ok(Err(ContextError::no_such(&id)));
            };
            if at > context.last_accessed {
                put(transaction, &StartupContext { last_accessed: at, ..context })?;
            }
            Ok(Ok(()))
        })
        .await
    }

    async fn remove(&self, user: &str, id: &str) -> Result<(), ContextError> {
        let (user, id) = (user.to_owned(), id.to_owned());
        self.change(move |transaction| {
            let removed = transaction
                .prepare_cached("DELETE FROM contexts WHERE user_id = ?1 AND id = ?2")?
                .execute(params![user, id])?;
            Ok(if removed == 0 { Err(ContextError::no_such(&id)) } else { Ok(()) })
        })
        .await
    }
}
