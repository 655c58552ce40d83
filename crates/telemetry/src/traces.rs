//! Sends the trace of each run that ended or waits.

use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use run::log::{Log, Status, pass_appends};
use run::views::spans::{self, Texts};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::client::Client;
use crate::collector::{Collector, Resource};
use crate::encode::{count, encode, rejected_spans, requests};
use crate::settings::{Endpoint, SettingsError};

/// The most runs whose traces wait to be sent.
const MOST_WAITING: usize = 1_000;

/// A user and the id of a run.
type Key = (String, String);

/// What is sent of a run, and where to.
#[derive(Debug, Clone)]
pub struct TraceSettings {
    pub endpoint: Endpoint,
    pub resource: Resource,
    /// What of the texts of a run its spans hold.
    pub texts: Texts<'static>,
}

/// Sends traces in the background, one after another.
///
/// What could not be sent is lost: it is still in the log, from which `runs` can tell everything that the trace would have told.
pub struct TraceExporter {
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

struct Shared {
    log: Arc<dyn Log>,
    client: Client,
    resource: Resource,
    texts: Texts<'static>,
    waiting: Mutex<Waiting>,
    /// How many traces wait or are being sent.
    open: watch::Sender<usize>,
}

/// The runs whose traces wait to be sent, each once, the one that has waited longest first.
#[derive(Default)]
struct Waiting {
    order: VecDeque<Key>,
    known: HashSet<Key>,
}

impl Drop for TraceExporter {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl TraceExporter {
    /// Begins to send traces of runs in `log`. Must be called within a Tokio runtime.
    pub fn start(
        log: Arc<dyn Log>,
        collector: Collector,
        settings: TraceSettings,
    ) -> Result<Arc<TraceExporter>, SettingsError> {
        let TraceSettings { endpoint, resource, texts } = settings;
        let shared = Arc::new(Shared {
            log,
            client: Client::new(collector, endpoint)?,
            resource,
            texts,
            waiting: Mutex::default(),
            open: watch::Sender::new(0),
        });
        let task = tokio::spawn(Arc::clone(&shared).work());
        Ok(Arc::new(TraceExporter { shared, task }))
    }

    /// Returns the log whose runs are traced: whenever an append ends a run there or leaves it waiting for a person, whoever makes the
    /// append, the trace is sent. Appends do not wait for that.
    pub fn watch(self: &Arc<TraceExporter>) -> Arc<dyn Log> {
        let exporter = Arc::clone(self);
        pass_appends(Arc::clone(&self.shared.log), move |log, append| {
            let is_due = append.status.is_final() || append.status == Status::Waiting;
            let key = is_due.then(|| (append.user.clone(), append.run.clone()));
            let (appended, exporter) = (log.append(append), Arc::clone(&exporter));
            Box::pin(async move {
                let stored = appended.await;
                if let (Some(key), Ok(())) = (key, &stored) {
                    exporter.shared.enqueue(key);
                }
                stored
            })
        })
    }

    /// Waits until everything is sent, but not longer than `most`, nor for a collector that is not there.
    pub async fn settle(&self, most: Duration) {
        self.shared.client.set_closing(true);
        let mut open = self.shared.open.subscribe();
        // The sender lives as long as this.
        let sent = tokio::time::timeout(most, open.wait_for(|open| *open == 0)).await;
        if sent.is_err() {
            let why = format!("it did not accept them within {} s", most.as_secs_f32());
            self.shared.client.tell("a trace", &why);
        }
        self.shared.client.set_closing(false);
    }
}

impl Shared {
    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enqueue(&self, key: Key) {
        let mut waiting = self.waiting();
        // What is sent later holds what would be sent now.
        if waiting.known.contains(&key) {
            return;
        }
        if waiting.order.len() >= MOST_WAITING {
            drop(waiting);
            return self.client.tell("a trace", "too many are waiting to be sent");
        }
        waiting.known.insert(key.clone());
        waiting.order.push_back(key);
        // Before anybody can take it.
        self.open.send_modify(|open| *open += 1);
    }

    fn next(&self) -> Option<Key> {
        let mut waiting = self.waiting();
        let key = waiting.order.pop_front()?;
        waiting.known.remove(&key);
        Some(key)
    }

    async fn work(self: Arc<Shared>) {
        let mut open = self.open.subscribe();
        while open.wait_for(|open| *open > 0).await.is_ok() {
            while let Some((user, run)) = self.next() {
                self.send(&user, &run).await;
                self.open.send_modify(|open| *open = open.saturating_sub(1));
            }
        }
    }

    /// Sends the trace of a run as its log stands now.
    async fn send(&self, user: &str, run: &str) {
        // A run that was removed meanwhile has no trace.
        let Ok(entries) = self.log.entries(user, run, 0).await else { return };
        // Ids of runs are unique for a user only.
        let spans = spans::spans(run, user, &entries, self.texts);
        drop(entries);
        for request in requests(&self.resource, &spans) {
            let body = encode(&request, self.client.protocol());
            match self.client.send(body).await {
                Ok(reply) => {
                    if let Some((rejected, why)) = rejected_spans(&reply) {
                        let what = format!("of {} spans", count(&request));
                        self.client.tell_rejected(&what, rejected, &why);
                    }
                }
                Err(error) => return self.client.tell("traces", &error.to_string()),
            }
        }
    }
}
