//! One moment of the database, for a thread that computes and waits.

use std::pin::Pin;
use std::vec;

use deadpool_postgres::Transaction;
use futures::StreamExt;
use futures::stream::ReadyChunks;
use tokio::runtime::Handle;
use tokio_postgres::{Error, Row, RowStream};

use crate::fault::Fault;
use crate::query::{self, Values};

/// The maximum number of rows that are taken from a connection at once.
const PORTION: usize = 1_024;

/// A transaction that reads, from outside the runtime.
pub(crate) struct Snapshot<'a> {
    runtime: &'a Handle,
    pub(crate) transaction: &'a Transaction<'a>,
}

impl<'a> Snapshot<'a> {
    pub(crate) fn new(runtime: &'a Handle, transaction: &'a Transaction<'a>) -> Snapshot<'a> {
        Snapshot { runtime, transaction }
    }

    /// Waits for queries in the transaction.
    pub(crate) fn wait<T>(&self, queries: impl Future<Output = T>) -> T {
        self.runtime.block_on(queries)
    }

    /// Sets parameters of the transaction.
    pub(crate) fn set(&self, sql: &str) -> Result<(), Fault> {
        Ok(self.wait(self.transaction.batch_execute(sql))?)
    }

    /// Returns all rows of a query.
    pub(crate) fn rows(&self, sql: &str, values: &Values<'_>) -> Result<Vec<Row>, Fault> {
        self.wait(query::rows(self.transaction, sql, values))
    }

    /// Returns the rows of a query of which there may be too many to hold at once: few are in memory at a time.
    pub(crate) fn stream(&self, sql: &str, values: &Values<'_>) -> Result<Stream<'a>, Fault> {
        let rows = self.wait(async {
            let statement = self.transaction.prepare_cached(sql).await?;
            self.transaction.query_raw(&statement, values.iter().copied()).await
        })?;
        let portions = Box::pin(rows.ready_chunks(PORTION));
        Ok(Stream { runtime: self.runtime, portions, portion: Vec::new().into_iter() })
    }
}

/// Rows as they arrive.
pub(crate) struct Stream<'a> {
    runtime: &'a Handle,
    portions: Pin<Box<ReadyChunks<RowStream>>>,
    portion: vec::IntoIter<Result<Row, Error>>,
}

impl Iterator for Stream<'_> {
    type Item = Result<Row, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.portion.next() {
                return Some(row.map_err(Fault::from));
            }
            self.portion = self.runtime.block_on(self.portions.next())?.into_iter();
        }
    }
}
