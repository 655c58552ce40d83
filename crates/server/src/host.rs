//! The server's tasks around running runs: listeners, counts and events.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ::app::{Backend, Host, Refusal};
use async_trait::async_trait;
use run::entry::Entry;
use run::history::History;
use run::log::{Log, Status};
use run::views;
use run::world::World;

use crate::api::request;
use crate::feed::{FeedListener, Feeds};
use crate::found;
use crate::measured::{measure_log, measured};
use crate::metrics::Metrics;
use crate::{Happened, Witness};

/// The most runs whose requests are remembered.
const REQUESTS: usize = 100_000;

pub(crate) struct ServerHost {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) witness: Arc<dyn Witness>,
    pub(crate) log: Arc<dyn Log>,
    pub(crate) history: Arc<dyn History>,
    pub(crate) feeds: Arc<Feeds>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) requests: Requests,
}

/// The requests behind the runs that have not ended.
#[derive(Default)]
pub(crate) struct Requests(Mutex<HashMap<(String, String), String>>);

impl Requests {
    fn known(&self) -> MutexGuard<'_, HashMap<(String, String), String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes the request that started a run or sent it something.
    pub(crate) fn note(&self, user: &str, run: &str) {
        if let Some(request) = request::current() {
            let mut known = self.known();
            // Runs that end in another process are never removed.
            if known.len() >= REQUESTS {
                known.clear();
            }
            known.insert((user.to_owned(), run.to_owned()), request);
        }
    }
}

impl ServerHost {
    /// Stores the text by which the run is found. If that fails, it is stored later.
    async fn keep_text(&self, user: &str, run: &str, entries: Vec<Entry>) {
        let (backend, id) = (Arc::clone(&self.backend), run.to_owned());
        let text = move || found::text_of(&*backend, &id, &entries);
        if let Ok(text) = tokio::task::spawn_blocking(text).await {
            let _ = self.history.keep_text(user, run, &text).await;
        }
    }
}

#[async_trait]
impl Host for ServerHost {
    fn world(&self, user: &str, run: &str, start: &views::Start<'_>) -> Result<World, Refusal> {
        let listener = Arc::new(FeedListener::of(self.feeds.of(user, run)));
        let world = self.backend.world(start.settings.models.as_ref(), listener)?;
        let models = world.models.map(|models| measured(&models, &self.metrics));
        let log = measure_log(Arc::clone(&world.log), &self.metrics);
        Ok(World { models, log, ..world })
    }

    fn happened(&self, user: &str, run: &str, event: &'static str, message: &str) {
        let request = self.requests.known().get(&(user.to_owned(), run.to_owned())).cloned();
        let request = request.as_deref();
        self.witness.happened(&Happened { user, run, request, event, message });
    }

    async fn ended(&self, user: &str, run: &str, status: Status) {
        // The run has ended whether or not its artifacts can be written.
        if let Ok(entries) = self.log.entries(user, run, 0).await {
            self.metrics.ended(&entries, status);
            self.backend.ended(user, run, &entries).await;
            self.keep_text(user, run, entries).await;
        }
        self.happened(user, run, "ended", status.name());
        self.requests.known().remove(&(user.to_owned(), run.to_owned()));
    }

    fn waited(&self, wait: Duration) {
        self.metrics.waited(wait.as_secs_f64());
    }

    fn lost(&self, user: &str, run: &str) {
        self.metrics.lost_lease();
        self.happened(user, run, "lost", "another worker has taken it over");
    }
}
