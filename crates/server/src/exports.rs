//! Hands the metrics on at an interval, for a collector that does not come for them.

use std::time::Duration;

use ::app::Refusal;
use async_trait::async_trait;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::metrics::Now;
use crate::state::{App, Shared};

/// The longest that the end of the server waits for the last page to be taken.
const LAST: Duration = Duration::from_secs(5);

/// A receiver of the metrics.
#[async_trait]
pub trait MetricsSink: Send + Sync + 'static {
    /// Returns the time between two pages.
    fn interval(&self) -> Duration;
    /// Takes the page that `/metrics` shows, in the text format of OpenMetrics.
    async fn take(&self, page: &str);
}

/// Returns all metrics as they are now.
pub(crate) async fn render_page(app: &App) -> Result<String, Refusal> {
    let now = Now {
        runs_at_work: app.worker.count(),
        runs_hindered: app.queue.hindered(),
        vitals: app.backend.vitals().await?,
    };
    Ok(app.metrics.page(&now))
}

/// Hands the metrics on for as long as it is polled.
pub(crate) async fn serve(app: Shared) {
    let Some(sink) = &app.exports else { return std::future::pending().await };
    let mut ticks = interval(sink.interval());
    // A collector that is slow must not get several pages at once.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks.tick().await;
    loop {
        ticks.tick().await;
        hand_on(&app).await;
    }
}

/// Hands the metrics on for the last time, to whoever takes them in time.
pub(crate) async fn finish(app: &App) {
    // A collector that hangs must not hold up the end.
    let _ = timeout(LAST, hand_on(app)).await;
}

/// Hands the metrics on once, if somebody takes them.
async fn hand_on(app: &App) {
    let Some(sink) = &app.exports else { return };
    // Where the store does not answer, the next page says what this one would have said.
    if let Ok(page) = render_page(app).await {
        sink.take(&page).await;
    }
}
