//! What every scripted world stands on: a clock that stands still, a log in memory, a library that finds and nothing else.

use std::collections::HashMap;
use std::sync::Mutex;

use async_trait::async_trait;
use futures::future::BoxFuture;
use jiff::Timestamp;

use run::entry::{Entry, Hash};
use run::error::PortError;
use run::evidence::Passage;
use run::library::{
    Collection, Found, Library, Manifest, NewDocument, Part, Put, QueryVector, Search,
    StoredDocument,
};
use run::log::{Append, CancelRequest, Fence, Listing, Log, LogError, NewRun, RunSummary};
use run::sources::{Intake, Material, Reading, TakenIn};
use run::world::Clock;
use text::Language;

pub(crate) struct Standstill;

impl Clock for Standstill {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// Finds passages for a search.
#[async_trait]
pub(crate) trait Finder: Send + Sync {
    async fn find(&self, search: &Search) -> Result<Found, PortError>;
}

/// A library, and the way into it, that has what is found there and keeps nothing.
pub(crate) struct Shelf<F>(pub(crate) F);

#[async_trait]
impl<F: Finder> Intake for Shelf<F> {
    async fn take_in(
        &self,
        _: &str,
        _: &str,
        materials: Vec<Material>,
    ) -> Result<Vec<TakenIn>, PortError> {
        let kept = |material: Material| TakenIn {
            source_uri: material.source_uri,
            outcome: Reading::Kept {
                title: String::new(),
                text_sha256: String::new(),
                text_bytes: 0,
                chunks: 1,
                put: Put::Added,
            },
        };
        Ok(materials.into_iter().map(kept).collect())
    }
}

#[async_trait]
impl<F: Finder> Library for Shelf<F> {
    async fn open(&self, _: &str, _: &str, _: &Manifest) -> Result<(), PortError> {
        Ok(())
    }

    async fn manifest(&self, _: &str, _: &str) -> Result<Manifest, PortError> {
        Ok(Manifest {
            embedder: None,
            language: Language::English,
            languages: Some(Default::default()),
            chunk_tokens: 200,
            smallest_chunk_tokens: 20,
        })
    }

    async fn put(&self, _: &str, _: &str, _: Vec<NewDocument>) -> Result<Vec<Put>, PortError> {
        Ok(vec![])
    }

    async fn remove_paths(&self, _: &str, _: &str, _: &[String]) -> Result<u64, PortError> {
        Ok(0)
    }

    async fn remove_document(&self, _: &str, _: &str) -> Result<bool, PortError> {
        Ok(false)
    }

    async fn remove(&self, _: &str, _: &str) -> Result<bool, PortError> {
        Ok(false)
    }

    async fn collection(&self, _: &str, _: &str) -> Result<Option<Collection>, PortError> {
        Ok(None)
    }

    async fn collections_part(
        &self,
        _: &str,
        _: bool,
        _: &Part,
    ) -> Result<Vec<Collection>, PortError> {
        Ok(vec![])
    }

    async fn documents_part(
        &self,
        _: &str,
        _: &str,
        _: &Part,
    ) -> Result<Vec<StoredDocument>, PortError> {
        Ok(vec![])
    }

    async fn documents_at(
        &self,
        _: &str,
        _: &str,
        _: &[String],
    ) -> Result<Vec<StoredDocument>, PortError> {
        Ok(vec![])
    }

    async fn original(&self, _: &str, _: &str) -> Result<Option<Vec<u8>>, PortError> {
        Ok(None)
    }
    async fn vectors(
        &self,
        _: &str,
        _: &str,
        _: &str,
    ) -> Result<HashMap<Hash, Vec<f32>>, PortError> {
        Ok(HashMap::new())
    }

    async fn document(
        &self,
        _: &str,
        _: &str,
    ) -> Result<Option<(StoredDocument, String)>, PortError> {
        Ok(None)
    }

    async fn passage(&self, _: &str, _: &str) -> Result<Option<Passage>, PortError> {
        Ok(None)
    }

    async fn search(
        &self,
        _: &str,
        search: &Search,
        _: Option<&QueryVector>,
    ) -> Result<Found, PortError> {
        self.0.find(search).await
    }
}

/// A log in memory. A worker that is killed appends nothing more.
#[derive(Default)]
pub(crate) struct Memory {
    lines: Mutex<Lines>,
}

#[derive(Default)]
struct Lines {
    entries: Vec<Entry>,
    attempt: u32,
    dies_after: Option<u64>,
}

impl Memory {
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.lines.lock().unwrap().entries.clone()
    }

    /// Fences off whoever works on an earlier attempt.
    pub(crate) fn belongs_to(&self, attempt: u32) {
        self.lines.lock().unwrap().attempt = attempt;
    }

    /// Lets the next worker append so many entries beside those that are there.
    pub(crate) fn lives_for(&self, entries: Option<u64>) {
        let mut lines = self.lines.lock().unwrap();
        let there = lines.entries.len() as u64;
        lines.dies_after = entries.map(|entries| there + entries);
    }
}

#[async_trait]
impl Log for Memory {
    fn append(&self, append: Append) -> BoxFuture<'static, Result<(), LogError>> {
        let mut lines = self.lines.lock().unwrap();
        let fenced = LogError::Fenced { run: append.run };
        let held = match append.fence {
            Fence::New(NewRun { .. }) | Fence::Idle(_) => true,
            Fence::Attempt(attempt) => attempt >= lines.attempt,
        };
        if !held {
            return Box::pin(std::future::ready(Err(fenced)));
        }
        for sealed in append.entries {
            let there = lines.entries.len() as u64;
            if lines.dies_after.is_some_and(|most| there >= most) || sealed.seq != there + 1 {
                return Box::pin(std::future::ready(Err(fenced)));
            }
            lines.entries.push(Entry::read(&sealed.body, sealed.hash).unwrap());
        }
        Box::pin(std::future::ready(Ok(())))
    }

    async fn page(&self, _: &str, _: &str, after: u64, _: u32) -> Result<Vec<Entry>, LogError> {
        let lines = self.lines.lock().unwrap();
        Ok(lines.entries.iter().filter(|entry| entry.seq > after).cloned().collect())
    }

    async fn summary(&self, _: &str, run: &str) -> Result<RunSummary, LogError> {
        let lines = self.lines.lock().unwrap();
        Ok(RunSummary {
            run_id: run.into(),
            method: String::new(),
            question: String::new(),
            title: None,
            pinned: false,
            status: run::views::status(&lines.entries),
            tokens: 0,
            cost_usd_micros: 0,
            created_at: Timestamp::UNIX_EPOCH,
            updated_at: Timestamp::UNIX_EPOCH,
            entries: lines.entries.len() as u64,
            stopping: false,
            snippet: None,
        })
    }

    async fn list(&self, _: &str, _: &Listing) -> Result<Vec<RunSummary>, LogError> {
        Ok(vec![])
    }

    async fn unfinished(&self, _: u32) -> Result<Vec<(String, String)>, LogError> {
        Ok(vec![])
    }

    async fn keyed(&self, _: &str, _: &str) -> Result<Option<(String, Hash)>, LogError> {
        Ok(None)
    }

    async fn find(&self, _: &str, _: &str) -> Result<Vec<String>, LogError> {
        Ok(vec![])
    }

    async fn claim(&self, _: &str, run: &str, _: &str) -> Result<u32, LogError> {
        Err(LogError::NoSuchRun { run: run.to_owned() })
    }

    async fn release(&self, _: &str, _: &str, _: &str) -> Result<(), LogError> {
        Ok(())
    }

    async fn request_cancel(&self, _: &str, _: &str, _: &str) -> Result<(), LogError> {
        Ok(())
    }

    async fn cancel_requests(&self, _: &str) -> Result<Vec<CancelRequest>, LogError> {
        Ok(vec![])
    }

    async fn renew(&self, _: &str) -> Result<(), LogError> {
        Ok(())
    }

    async fn remove(&self, _: &str, _: &str) -> Result<(), LogError> {
        Ok(())
    }

    async fn ended_before(
        &self,
        _: Option<&str>,
        _: Timestamp,
        _: u32,
    ) -> Result<Vec<(String, String)>, LogError> {
        Ok(vec![])
    }
}
