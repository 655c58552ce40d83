//! Events of the server's work, for a log.

/// An observer of requests and runs.
pub trait Witness: Send + Sync + 'static {
    /// Called when a request was answered.
    fn answered(&self, answered: &Answered<'_>);
    /// Called when the state of a run changed.
    fn happened(&self, happened: &Happened<'_>);
}

/// An event of a run, in a form that can be logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Happened<'a> {
    pub user: &'a str,
    pub run: &'a str,
    /// The id of the request that ordered the run or last sent it something; `None` if another process received it.
    pub request: Option<&'a str>,
    /// `taken_up`, `waiting`, `paused`, `ended`, `lost` or `hindered`.
    pub event: &'static str,
    /// How it ended, or why it does not continue.
    pub message: &'a str,
}

/// An answered request, in a form that can be logged: without its content and without keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered<'a> {
    /// The id of the request, from its sender or generated.
    pub request: &'a str,
    /// The sender; `None` without authentication.
    pub user: Option<&'a str>,
    /// The run it is about.
    pub run: Option<&'a str>,
    pub method: &'a str,
    /// The path without its query; `other` if nothing is served there, since it could be any text.
    pub path: &'a str,
    pub status: u16,
    /// The time until the answer began.
    pub milliseconds: u64,
}
