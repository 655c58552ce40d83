//! A process that is paused in the middle of a run, and wakes up.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use run::log::LogError;
use run::work::{self, NewStart};
use run::world::{Clock, World};
use run::{Deliverable, Event, Method, Outcome, Run, Settings, Stop};
use tokio::sync::watch;

use crate::ports::Memory;

/// A clock by which the process sleeps for half a minute once a call stands in the log, while another one takes the run up.
struct Sleep(Arc<Memory>);

impl Clock for Sleep {
    fn now(&self) -> Timestamp {
        let is_called = |event: &Event| matches!(event, Event::Called { .. });
        if !self.0.entries().iter().any(|entry| is_called(&entry.event)) {
            return Timestamp::UNIX_EPOCH;
        }
        self.0.belongs_to(2);
        Timestamp::UNIX_EPOCH + SignedDuration::from_secs(30)
    }
}

async fn call(run: &Run) -> run::Result<Deliverable> {
    run.step("call", &(), async || -> Result<(), _> { panic!("another process makes this call") })
        .await?;
    Ok(Deliverable { outcome: Outcome::Answered, fields: Default::default(), ledger: vec![] })
}

// proves: C1, S1
#[tokio::test]
async fn a_process_that_slept_since_it_announced_a_call_does_not_make_it_for_a_run_that_was_taken_over()
 {
    let log = Arc::new(Memory::default());
    let world = World::of(Arc::<Memory>::clone(&log), Arc::new(Sleep(log)));
    let new = NewStart {
        run: "r".into(),
        user: "ada".into(),
        question: "Who?".into(),
        settings: Settings::default(),
        owner: Some("sleeper".into()),
        key: None,
        at_most: None,
    };
    let method = Method::new("calls", 1, |run| Box::pin(call(run)));
    let (_cancel, cancelled) = watch::channel(None);
    let stop = work::start_and_work(&world, &method, new, cancelled).await.unwrap_err();
    assert!(matches!(stop, Stop::Log(LogError::Fenced { .. })), "{stop}");
}
