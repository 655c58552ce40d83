//! What every face calls: start a run and see it through, resume, answer, cancel, fork, replay.

#[cfg(test)]
mod tests;

use std::time::Duration;

use tokio::sync::watch;

use run::entry::Entry;
use run::ports::{LogError, Status, World};
use run::work::{self, NewFork, NewStart, Replayed, Stopping};
use run::{Method, Methods, Settings, views};

use crate::failure::Failure;
use crate::submission::DEBATE;

/// How often a worker looks whether someone asked its runs to stop.
const WATCH: Duration = Duration::from_millis(250);
/// How often it renews its leases, counted in watches.
const WATCHES_PER_RENEWAL: u32 = 80;

/// The exit code of a program that an interrupt ended.
pub(crate) const INTERRUPTED: i32 = 130;

/// The engine of one process: a world, the methods it knows, and who it works for.
pub(crate) struct Engine {
    pub(crate) world: World,
    pub(crate) methods: Methods,
    pub(crate) user: String,
    /// The name under which this process holds runs.
    pub(crate) owner: String,
    /// Debates of the user that may be at work at the same time; none where there is no limit.
    pub(crate) debates: Option<u32>,
}

impl Engine {
    pub(crate) fn method(&self, name: &str) -> Result<&Method, Failure> {
        self.methods.find(name).ok_or_else(|| {
            Failure::new(
                format!("this program knows no method '{name}'"),
                "the run was started by another version of quaestio",
            )
        })
    }

    fn at_most(&self, method: &Method) -> Option<u32> {
        self.debates.filter(|_| method.name == DEBATE)
    }

    /// Starts a run and works on it until it ends, waits, or is cancelled.
    pub(crate) async fn start(
        &self,
        method: &str,
        run: &str,
        question: &str,
        settings: Settings,
    ) -> Result<Status, Failure> {
        let method = self.method(method)?;
        let new = NewStart {
            run: run.to_owned(),
            user: self.user.clone(),
            question: question.to_owned(),
            settings,
            owner: Some(self.owner.clone()),
            key: None,
            at_most: self.at_most(method),
        };
        let (cancel, cancelled) = watch::channel(None);
        self.watched(run, &cancel, work::start_and_work(&self.world, method, new, cancelled)).await
    }

    /// Takes a run up again and works on it.
    pub(crate) async fn resume(&self, run: &str) -> Result<Status, Failure> {
        let entries = self.entries(run).await?;
        let name = started(run, &entries)?.method.to_owned();
        let method = self.method(&name)?;
        let attempt = self.world.log.claim(&self.user, run, &self.owner).await?;
        self.see_through(method, run, attempt).await
    }

    /// Goes on with a run that was put back into the queue.
    ///
    /// Where another process has taken it up, says so once and waits for what comes of it. A run that its worker leaves
    /// behind is taken up here.
    pub(crate) async fn go_on(&self, run: &str, says: impl Fn(&str)) -> Result<Status, Failure> {
        let entries = self.entries(run).await?;
        let method = self.method(started(run, &entries)?.method)?;
        let mut said = false;
        loop {
            match self.world.log.claim(&self.user, run, &self.owner).await {
                Ok(attempt) => return self.see_through(method, run, attempt).await,
                Err(LogError::NotOpen { .. }) => {
                    let status = self.world.log.summary(&self.user, run).await?.status;
                    if status == Status::Waiting || status.is_final() {
                        return Ok(status);
                    }
                }
                Err(LogError::Busy { owner, .. }) => {
                    if !std::mem::replace(&mut said, true) {
                        says(&format!(
                            "{owner} has taken the run up; waiting for what comes of it"
                        ));
                    }
                }
                Err(error) => return Err(error.into()),
            }
            tokio::select! {
                () = tokio::time::sleep(WATCH) => {}
                Ok(()) = tokio::signal::ctrl_c() => {
                    let hint = format!("`quaestio runs events {run} --follow` follows it, `quaestio runs cancel {run}` stops it");
                    return Err(Failure::new(format!("run {run} goes on in another process"), hint));
                }
            }
        }
    }

    pub(crate) async fn entries(&self, run: &str) -> Result<Vec<Entry>, Failure> {
        Ok(self.world.log.entries(&self.user, run, 0).await?)
    }

    /// Forks a run before a step and works on the fork.
    pub(crate) async fn fork(
        &self,
        from: &str,
        step: &str,
        run: &str,
        settings: Settings,
    ) -> Result<Status, Failure> {
        let entries = self.entries(from).await?;
        let name = started(from, &entries)?.method.to_owned();
        let method = self.method(&name)?;
        let fork = NewFork {
            run: run.to_owned(),
            user: self.user.clone(),
            from: from.to_owned(),
            step: step.to_owned(),
            version: Some(method.version),
            settings,
            owner: Some(self.owner.clone()),
            key: None,
            at_most: self.at_most(method),
        };
        work::fork(&self.world, fork).await?;
        self.see_through(method, run, work::FIRST_ATTEMPT).await
    }

    pub(crate) async fn replay(&self, run: &str) -> Result<Replayed, Failure> {
        let entries = self.entries(run).await?;
        let name = started(run, &entries)?.method.to_owned();
        Ok(work::replay(&self.world, self.method(&name)?, run, &entries).await?)
    }

    /// Asks a run to stop: whoever works on it hears of it; a run that nobody works on is cancelled here.
    pub(crate) async fn cancel(&self, run: &str, by: &str) -> Result<Status, Failure> {
        match work::stop(&self.world, &self.user, run, &self.owner, by).await? {
            Stopping::Cancelled => Ok(Status::Cancelled),
            Stopping::Asked => Ok(Status::Running),
            Stopping::Ended(status) => {
                Err(Failure::new(format!("run {run} is {} already", status.name()), ""))
            }
        }
    }

    /// Works on a run while watching for whoever wants it stopped.
    async fn see_through(
        &self,
        method: &Method,
        run: &str,
        attempt: u32,
    ) -> Result<Status, Failure> {
        let (cancel, cancelled) = watch::channel(None);
        let work = work::work(&self.world, method, &self.user, run, attempt, cancelled);
        self.watched(run, &cancel, work).await
    }

    async fn watched(
        &self,
        run: &str,
        cancel: &watch::Sender<Option<String>>,
        work: impl Future<Output = run::Result<Status>>,
    ) -> Result<Status, Failure> {
        tokio::select! {
            ended = work => Ok(ended?),
            never = self.watch(run, cancel) => match never {},
        }
    }

    async fn watch(
        &self,
        run: &str,
        cancel: &watch::Sender<Option<String>>,
    ) -> std::convert::Infallible {
        let mut watches: u32 = 0;
        let mut interrupted = false;
        let mut interrupt = Box::pin(tokio::signal::ctrl_c());
        loop {
            tokio::select! {
                biased;
                Ok(()) = &mut interrupt => {
                    if interrupted {
                        // Whoever asks twice does not want to wait for good order.
                        std::process::exit(INTERRUPTED);
                    }
                    interrupted = true;
                    interrupt = Box::pin(tokio::signal::ctrl_c());
                    // The worker holds the other end for as long as there is work to stop.
                    let _ = cancel.send(Some("the person at the terminal".into()));
                }
                () = tokio::time::sleep(WATCH) => {}
            }
            watches = watches.wrapping_add(1);
            // A look that fails is made again; a lost lease shows at the next append.
            if let Ok(requests) = self.world.log.cancel_requests(&self.owner).await
                && let Some(request) =
                    requests.into_iter().find(|wish| wish.user == self.user && wish.run == run)
            {
                let _ = cancel.send(Some(request.by));
            }
            if watches.is_multiple_of(WATCHES_PER_RENEWAL) {
                let _ = self.world.log.renew(&self.owner).await;
            }
        }
    }
}

/// Returns what a run was started with.
pub(crate) fn started<'a>(run: &str, entries: &'a [Entry]) -> Result<views::Start<'a>, Failure> {
    views::start(entries).ok_or_else(|| LogError::NoSuchRun { run: run.to_owned() }.into())
}
