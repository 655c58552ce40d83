//! What a program keeps, as ports: one database, or several things that stand in for one.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::contexts::Contexts;
use crate::library::Library;
use crate::ports::{Log, LogError, PortError};

/// Runs, documents and startup contexts, and what keeps them.
#[derive(Clone)]
pub struct Database {
    pub log: Arc<dyn Log>,
    pub library: Arc<dyn Library>,
    pub contexts: Arc<dyn Contexts>,
    pub storage: Arc<dyn Storage>,
}

/// What keeps runs and documents, as whoever operates it sees it.
#[async_trait]
pub trait Storage: Send + Sync {
    /// Returns the name under which this process holds runs; no other process has it.
    fn owner(&self) -> &str;
    /// Returns how many bytes are stored.
    fn bytes(&self) -> u64;
    /// Checks that it can be written to. Nothing that it holds is changed.
    async fn writable(&self) -> Result<(), LogError>;
    /// Counts the runs that have not ended.
    async fn tally(&self) -> Result<Tally, PortError>;
    /// Checks everything that it holds; returns where and what it is, or what is wrong, for a person.
    async fn check(&self) -> Result<String, String>;
}

/// How many runs of all users have not ended, by where they stand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub queued: u64,
    pub running: u64,
    pub waiting: u64,
    /// Since when the run stands in the queue that has stood there longest.
    pub oldest_queued_at: Option<Timestamp>,
}
