//! A log whose appends pass through a function.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use jiff::Timestamp;

use super::{Append, CancelRequest, Listing, Log, LogError, RunSummary};
use crate::entry::{Entry, Hash};
use crate::news::News;

/// What is returned of an append.
type Appended = BoxFuture<'static, Result<(), LogError>>;

/// Returns a log that hands each append to `pass`, which hands it on to the log beneath, or does not; everything else goes there itself.
///
/// As a log does, `pass` must queue the append before it returns if it hands it on at once: the order is that of the calls.
pub fn pass_appends<F>(log: Arc<dyn Log>, pass: F) -> Arc<dyn Log>
where
    F: Fn(&Arc<dyn Log>, Append) -> Appended + Send + Sync + 'static,
{
    Arc::new(Passing { log, pass })
}

struct Passing<F> {
    log: Arc<dyn Log>,
    pass: F,
}

#[async_trait]
impl<F> Log for Passing<F>
where
    F: Fn(&Arc<dyn Log>, Append) -> Appended + Send + Sync,
{
    fn append(&self, append: Append) -> Appended {
        (self.pass)(&self.log, append)
    }

    async fn entries(&self, user: &str, run: &str, after: u64) -> Result<Vec<Entry>, LogError> {
        self.log.entries(user, run, after).await
    }

    async fn page(
        &self,
        user: &str,
        run: &str,
        after: u64,
        most: u32,
    ) -> Result<Vec<Entry>, LogError> {
        self.log.page(user, run, after, most).await
    }

    async fn summary(&self, user: &str, run: &str) -> Result<RunSummary, LogError> {
        self.log.summary(user, run).await
    }

    async fn list(&self, user: &str, listing: &Listing) -> Result<Vec<RunSummary>, LogError> {
        self.log.list(user, listing).await
    }

    async fn unfinished(&self, limit: u32) -> Result<Vec<(String, String)>, LogError> {
        self.log.unfinished(limit).await
    }

    async fn keyed(&self, user: &str, key: &str) -> Result<Option<(String, Hash)>, LogError> {
        self.log.keyed(user, key).await
    }

    async fn find(&self, user: &str, prefix: &str) -> Result<Vec<String>, LogError> {
        self.log.find(user, prefix).await
    }

    async fn claim(&self, user: &str, run: &str, owner: &str) -> Result<u32, LogError> {
        self.log.claim(user, run, owner).await
    }

    async fn release(&self, user: &str, run: &str, owner: &str) -> Result<(), LogError> {
        self.log.release(user, run, owner).await
    }

    async fn request_cancel(&self, user: &str, run: &str, by: &str) -> Result<(), LogError> {
        self.log.request_cancel(user, run, by).await
    }

    async fn cancel_requests(&self, owner: &str) -> Result<Vec<CancelRequest>, LogError> {
        self.log.cancel_requests(owner).await
    }

    async fn renew(&self, owner: &str) -> Result<(), LogError> {
        self.log.renew(owner).await
    }

    fn news(&self) -> BoxStream<'static, News> {
        self.log.news()
    }

    fn tell(&self, news: News) {
        self.log.tell(news);
    }

    async fn remove(&self, user: &str, run: &str) -> Result<(), LogError> {
        self.log.remove(user, run).await
    }

    async fn ended_before(
        &self,
        user: Option<&str>,
        before: Timestamp,
        limit: u32,
    ) -> Result<Vec<(String, String)>, LogError> {
        self.log.ended_before(user, before, limit).await
    }
}
