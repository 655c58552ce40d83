//! What is told of the server's work, for a log.

/// Hears of requests and of runs; what it does with that is its own.
pub trait Witness: Send + Sync + 'static {
    /// Hears that a request was answered.
    fn answered(&self, answered: &Answered<'_>);
    /// Hears what became of a run.
    fn happened(&self, happened: &Happened<'_>);
}

/// What became of a run, as a log may tell of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Happened<'a> {
    pub user: &'a str,
    pub run: &'a str,
    /// The id of the request that ordered the run, or last said something to it; none where that was another process's.
    pub request: Option<&'a str>,
    /// `taken_up`, `waiting`, `paused`, `ended` or `hindered`.
    pub event: &'static str,
    /// How it ended, or why it does not go on.
    pub message: &'a str,
}

/// A request that was answered, as a log may tell of it: nothing of what was asked, said or shown as a key is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered<'a> {
    /// The id of the request: what its sender called it, or one of ours.
    pub request: &'a str,
    /// Who sent it; none where nobody was asked.
    pub user: Option<&'a str>,
    /// The run that it is about.
    pub run: Option<&'a str>,
    pub method: &'a str,
    /// Without its query; `other` where nothing is served, for that is whatever a stranger wrote.
    pub path: &'a str,
    pub status: u16,
    /// Until the answer began.
    pub milliseconds: u64,
}
