//! Storage ports: one database, or several stores instead of one.

use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;

use crate::contexts::Contexts;
use crate::error::PortError;
use crate::files::StoredFiles;
use crate::history::History;
use crate::library::Library;
use crate::log::{Log, LogError};
use crate::services::Memory;
use crate::usage::UsageStore;

/// The stores of runs, documents, startup contexts, users' files and their use, and what is remembered of outside services.
#[derive(Clone)]
pub struct Database {
    pub log: Arc<dyn Log>,
    pub library: Arc<dyn Library>,
    pub contexts: Arc<dyn Contexts>,
    pub files: Arc<dyn StoredFiles>,
    pub memory: Arc<dyn Memory>,
    pub usage: Arc<dyn UsageStore>,
    pub history: Arc<dyn History>,
    pub storage: Arc<dyn Storage>,
}

/// The store of runs and documents from the operator's view.
#[async_trait]
pub trait Storage: Send + Sync {
    /// Returns the name under which this process holds runs; no other process has it.
    fn owner(&self) -> &str;
    /// Returns how many bytes are stored.
    async fn bytes(&self) -> Result<u64, PortError>;
    /// Gives up what this process holds, so that other processes need not wait for its lease to end. Call it last.
    async fn close(&self);
    /// Checks that the store is writable. Changes none of its contents.
    async fn writable(&self) -> Result<(), LogError>;
    /// Counts the runs that have not ended.
    async fn tally(&self) -> Result<Tally, PortError>;
    /// Checks the store as far as its engine does quickly; returns its location and kind, or what is wrong, for a person.
    async fn check(&self) -> Result<String, String>;
}

/// The numbers of unfinished runs of all users, by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    pub queued: u64,
    pub running: u64,
    pub waiting: u64,
    /// Since when the longest-queued run has been in the queue.
    pub oldest_queued_at: Option<Timestamp>,
}
