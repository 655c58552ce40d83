//! Startup contexts in the database.

use async_trait::async_trait;
use deadpool_postgres::Transaction;
use jiff::Timestamp;
use tokio_postgres::Row;

use run::contexts::{ContextError, Contexts, Existing, StartupContext};

use crate::Postgres;
use crate::connection::Unsure;
use crate::fault::Fault;
use crate::plain::stored;
use crate::query::{self, json, text, to_json};

const CONTEXT: &str = "SELECT user_id, id, body FROM contexts WHERE user_id = $1";

fn read_context(row: &Row) -> Result<StartupContext, Fault> {
    let (user, id) = (text(row, 0)?, text(row, 1)?);
    let context: StartupContext = json(row, 2)?;
    if (&context.user_id, &context.id) != (&user, &id) {
        return Err(Fault::unreadable(format!(
            "the row of '{id}' of {user} contains a different context"
        )));
    }
    Ok(context)
}

async fn list(transaction: &Transaction<'_>, user: &str) -> Result<Vec<StartupContext>, Fault> {
    let found = query::rows(transaction, CONTEXT, &[&stored(user)]).await?;
    found.iter().map(read_context).collect()
}

async fn find(
    transaction: &Transaction<'_>,
    user: &str,
    id: &str,
) -> Result<Option<StartupContext>, Fault> {
    let sql = format!("{CONTEXT} AND id = $2");
    let found = query::row(transaction, &sql, &[&stored(user), &stored(id)]).await?;
    found.as_ref().map(read_context).transpose()
}

/// Returns a context, which nobody else changes until the transaction ends.
async fn lock(
    transaction: &Transaction<'_>,
    user: &str,
    id: &str,
) -> Result<Option<StartupContext>, Fault> {
    let sql = format!("{CONTEXT} AND id = $2 FOR UPDATE");
    let found = query::row(transaction, &sql, &[&stored(user), &stored(id)]).await?;
    found.as_ref().map(read_context).transpose()
}

/// Saves contexts in a transaction that a refusal rolls back.
async fn keep(
    transaction: &Transaction<'_>,
    contexts: &[StartupContext],
    existing: Existing,
) -> Result<Result<(), ContextError>, Fault> {
    let otherwise = match existing {
        Existing::Stays => "DO NOTHING",
        Existing::Replaced => "(user_id, id) DO UPDATE SET body = excluded.body",
    };
    let sql = format!(
        "INSERT INTO contexts (user_id, id, body) VALUES ($1, $2, $3) ON CONFLICT {otherwise}"
    );
    for context in contexts {
        let StartupContext { user_id, id, .. } = context;
        let values: &query::Values<'_> = &[&stored(user_id), &stored(id), &to_json(context)?];
        if query::execute(transaction, &sql, values).await? == 0 {
            return Ok(Err(ContextError::Taken { id: id.clone() }));
        }
    }
    Ok(Ok(()))
}

/// Replaces a context; returns whether there was one.
async fn replace(transaction: &Transaction<'_>, context: &StartupContext) -> Result<bool, Fault> {
    let StartupContext { user_id, id, .. } = context;
    let sql = "UPDATE contexts SET body = $3 WHERE user_id = $1 AND id = $2";
    let values: &query::Values<'_> = &[&stored(user_id), &stored(id), &to_json(context)?];
    Ok(query::execute(transaction, sql, values).await? > 0)
}

/// Replaces a context if it is still the one that was read.
async fn exchange(
    transaction: &Transaction<'_>,
    read: &StartupContext,
    context: &StartupContext,
) -> Result<Result<StartupContext, ContextError>, Fault> {
    let Some(standing) = lock(transaction, &context.user_id, &context.id).await? else {
        return Ok(Err(ContextError::no_such(&context.id)));
    };
    match context.clone().in_place_of(&standing, read) {
        Ok(context) => replace(transaction, &context).await.map(|_| Ok(context)),
        Err(changed) => Ok(Err(changed)),
    }
}

async fn touch(
    transaction: &Transaction<'_>,
    user: &str,
    id: &str,
    at: Timestamp,
) -> Result<Result<(), ContextError>, Fault> {
    let Some(context) = lock(transaction, user, id).await? else {
        return Ok(Err(ContextError::no_such(id)));
    };
    if at > context.last_accessed {
        replace(transaction, &StartupContext { last_accessed: at, ..context }).await?;
    }
    Ok(Ok(()))
}

/// Removes a context; returns whether there was one.
async fn remove(transaction: &Transaction<'_>, user: &str, id: &str) -> Result<bool, Fault> {
    let sql = "DELETE FROM contexts WHERE user_id = $1 AND id = $2";
    Ok(query::execute(transaction, sql, &[&stored(user), &stored(id)]).await? > 0)
}

/// Returns what was written or why it was refused.
fn settle<T>(written: Result<Result<T, ContextError>, Fault>) -> Result<T, ContextError> {
    written.unwrap_or_else(|fault| Err(fault.context("written")))
}

#[async_trait]
impl Contexts for Postgres {
    async fn list(&self, user: &str) -> Result<Vec<StartupContext>, ContextError> {
        let found = self.read_with(user, |transaction, user| Box::pin(list(transaction, user)));
        let mut contexts = found.await.map_err(|fault| fault.context("read"))?;
        StartupContext::sort(&mut contexts);
        Ok(contexts)
    }

    async fn get(&self, user: &str, id: &str) -> Result<Option<StartupContext>, ContextError> {
        let found = self
            .read_with((user, id), |transaction, (user, id)| Box::pin(find(transaction, user, id)));
        found.await.map_err(|fault| fault.context("read"))
    }

    async fn keep(
        &self,
        contexts: &[StartupContext],
        existing: Existing,
    ) -> Result<(), ContextError> {
        StartupContext::check_all(contexts)?;
        let given = (contexts, existing);
        let kept = self.write_with(Unsure::Fail, given, |transaction, (contexts, existing)| {
            Box::pin(keep(transaction, contexts, *existing))
        });
        settle(kept.await)
    }

    async fn replace(&self, context: &StartupContext) -> Result<(), ContextError> {
        StartupContext::check_all(std::slice::from_ref(context))?;
        let replaced = self.write_with(Unsure::Repeat, context, |transaction, context| {
            Box::pin(async {
                let was_there = replace(transaction, context).await?;
                Ok(was_there.then_some(()).ok_or_else(|| ContextError::no_such(&context.id)))
            })
        });
        settle(replaced.await)
    }

    async fn exchange(
        &self,
        read: &StartupContext,
        context: &StartupContext,
    ) -> Result<StartupContext, ContextError> {
        StartupContext::check_all(std::slice::from_ref(context))?;
        let given = (read, context);
        let exchanged = self.write_with(Unsure::Fail, given, |transaction, (read, context)| {
            Box::pin(exchange(transaction, read, context))
        });
        settle(exchanged.await)
    }

    async fn touch(&self, user: &str, id: &str, at: Timestamp) -> Result<(), ContextError> {
        let given = (user, id, at);
        let touched = self.write_with(Unsure::Repeat, given, |transaction, (user, id, at)| {
            Box::pin(touch(transaction, user, id, *at))
        });
        settle(touched.await)
    }

    async fn remove(&self, user: &str, id: &str) -> Result<(), ContextError> {
        let removed = self.write_with(Unsure::Fail, (user, id), |transaction, (user, id)| {
            Box::pin(async {
                let was_there = remove(transaction, user, id).await?;
                Ok(was_there.then_some(()).ok_or_else(|| ContextError::no_such(id)))
            })
        });
        settle(removed.await)
    }
}
