//! The time and cost of the user's earlier runs of a method.

use super::{Result, Run};
use crate::entry::Event;
use crate::error::PortError;
use crate::log::{Listing, LogError, Status};
use crate::past::{PastRun, Prices};
use crate::settings::Settings;
use crate::views;
use crate::work::Method;

/// The number of runs to inspect, newest first.
const LOOKED_AT: u32 = 20;

impl Run {
    /// Returns the time and cost of the user's last completed runs of the method with the same stages and the same mode.
    pub async fn past_runs(&self, method: &Method) -> Result<Vec<PastRun>> {
        let shared = &self.shared;
        let models = shared.world.models.as_ref();
        let prices = models.map_or_else(Prices::default, |models| Prices {
            main: models.main.price(),
            light: models.light.price(),
        });
        let stages = (method.stages)(&shared.settings.options);
        let alike = |settings: &Settings| {
            settings.mode() == shared.settings.mode()
                && (method.stages)(&settings.options) == stages
        };
        let unreadable = |error: LogError| {
            let action = "read earlier runs".to_owned();
            match error {
                LogError::DiskFull => PortError::DiskFull { action },
                other => PortError::Store { action, reason: other.to_string() },
            }
        };
        let listing = Listing {
            method: Some(method.name.to_owned()),
            status: Some(Status::Completed),
            limit: LOOKED_AT,
            ..Listing::default()
        };
        self.step("past runs", &method.name, async || {
            let (log, user) = (&shared.world.log, &shared.user);
            let mut past = Vec::new();
            for summary in log.list(user, &listing).await.map_err(unreadable)? {
                let entries = match log.entries(user, &summary.run_id, 0).await {
                    Ok(entries) => entries,
                    // It was removed, or its log is damaged: its cost is unknown.
                    Err(_) => continue,
                };
                let start = views::start(&entries);
                // A fork's copied entries took their time elsewhere.
                let forked =
                    entries.iter().any(|entry| matches!(entry.event, Event::Forked { .. }));
                if !forked && start.is_some_and(|start| alike(start.settings)) {
                    past.push(PastRun::of(&entries, &stages, prices));
                }
            }
            Ok(past)
        })
        .await
    }
}
