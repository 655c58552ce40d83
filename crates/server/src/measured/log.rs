//! A log whose durable appends are timed.

use std::sync::Arc;
use std::time::Instant;

use run::log::{Log, Wait, pass_appends};

use crate::metrics::Metrics;

/// Returns the same log with its durable appends timed.
pub(crate) fn measure_log(log: Arc<dyn Log>, metrics: &Arc<Metrics>) -> Arc<dyn Log> {
    let metrics = Arc::clone(metrics);
    pass_appends(log, move |log, append| {
        let (is_durable, began) = (append.wait == Wait::Durable, Instant::now());
        let (appended, metrics) = (log.append(append), Arc::clone(&metrics));
        Box::pin(async move {
            let stored = appended.await;
            if is_durable && stored.is_ok() {
                metrics.appended(began.elapsed().as_secs_f64());
            }
            stored
        })
    })
}
