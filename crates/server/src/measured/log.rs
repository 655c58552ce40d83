//! A log whose durable appends are timed.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use jiff::Timestamp;
use run::entry::{Entry, Hash};
use run::log::{Append, CancelRequest, Listing, Log, LogError, RunSummary, Wait};
use run::news::News;

use crate::metrics::Metrics;

/// Returns the same log with its durable appends timed.
pub(crate) fn measure_log(log: Arc<dyn Log>, metrics: &Arc<Metrics>) -> Arc<dyn Log> {
    Arc::new(MeasuredLog { log, metrics: Arc::clone(metrics) })
}

struct MeasuredLog {
    log: Arc<dyn Log>,
    metrics: Arc<Metrics>,
}

#[async_trait]
impl Log for MeasuredLog {
    fn append(&self, append: Append) -> BoxFuture<'static, Result<(), LogError>> {
        let (is_durable, began) = (append.wait == Wait::Durable, Instant::now());
        let (appended, metrics) = (self.log.append(append), Arc::clone(&self.metrics));
        Box::pin(async move {
            let stored = appended.await;
            if is_durable && stored.is_ok() {
                metrics.appended(began.elapsed().as_secs_f64());
            }
            stored
        })
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
