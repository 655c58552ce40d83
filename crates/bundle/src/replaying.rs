//! Performs a bundle's method once more, over the log alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use futures::future::BoxFuture;
use jiff::Timestamp;
use run::Methods;
use run::entry::{Entry, Hash};
use run::log::{Append, CancelRequest, Listing, Log, LogError, RunSummary};
use run::prompt::Prompts;
use run::views;
use run::world::{Clock, World};
use serde_json::Value;
use thiserror::Error;

use crate::archive;
use crate::bibliography::Written;
use crate::log;
use crate::manifest::{Manifest, name};
use crate::packing::PackError;

/// What came of performing a method once more.
#[derive(Debug)]
pub struct Replayed {
    pub run: String,
    /// Whether it is what was recorded, byte for byte.
    pub same: bool,
    /// The version of the method that wrote the run, if this one would not write the same. The result is then the recorded one.
    pub recorded_by: Option<u32>,
    pub result: Value,
}

/// Why a bundle cannot be replayed.
#[derive(Debug, Error)]
pub enum ReplayError {
    #[error(transparent)]
    Bundle(#[from] PackError),
    #[error("this version has no method \"{method}\"")]
    NoMethod { method: String },
    #[error(transparent)]
    Stopped(#[from] run::Stop),
}

/// Performs the method of a bundle's run once more over its log: no model, no documents, no network.
///
/// # Errors
///
/// If it is no bundle, or the method does not come to its end over this log.
pub async fn replay(bundle: &[u8], methods: &Methods) -> Result<Replayed, ReplayError> {
    let no_bundle = |reason: String| PackError::NoBundle { reason };
    let mut members: BTreeMap<String, Vec<u8>> = archive::read(bundle)
        .map_err(PackError::from)?
        .into_iter()
        .map(|member| (member.name, member.bytes))
        .collect();
    let mut take =
        |name: &str| members.remove(name).ok_or_else(|| no_bundle(format!("it has no {name}")));
    let manifest: Manifest = serde_json::from_slice(&take(name::MANIFEST)?)
        .map_err(|error| no_bundle(format!("its manifest: {error}")))?;
    let entries =
        log::read(&take(name::LOG)?).map_err(|why| no_bundle(format!("{}: {why}", name::LOG)))?;
    let result = serde_json::from_slice(&take(name::RESULT)?).unwrap_or(Value::Null);
    let replayed = over(methods, &manifest.run_id, &entries, &find_prompts(&members)).await?;
    let result = views::envelope(&manifest.run_id, &replayed.entries, &Written::of(&result));
    let run::work::Replayed { same, recorded_by, .. } = replayed;
    Ok(Replayed { run: manifest.run_id, same, recorded_by, result })
}

/// Returns the prompts among the members of a bundle, by `<method>/<role>`.
pub(crate) fn find_prompts(members: &BTreeMap<String, Vec<u8>>) -> BTreeMap<String, String> {
    let prompts = members.iter().filter_map(|(name, bytes)| {
        let prompt = name.strip_prefix(name::PROMPTS)?.strip_suffix(".md")?;
        Some((prompt.to_owned(), String::from_utf8(bytes.clone()).ok()?))
    });
    prompts.collect()
}

/// Performs the method of a run once more over its log, with these prompts.
pub(crate) async fn over(
    methods: &Methods,
    run: &str,
    entries: &[Entry],
    prompts: &BTreeMap<String, String>,
) -> Result<run::work::Replayed, ReplayError> {
    let name = views::start(entries).map(|start| start.method).unwrap_or_default();
    let method = methods.find(name);
    let method = method.ok_or_else(|| ReplayError::NoMethod { method: name.to_owned() })?;
    let world = World {
        prompts: Arc::new(Prompts::new(prompts.clone(), BTreeMap::new())),
        ..World::of(Arc::new(Nowhere), Arc::new(Stopped))
    };
    Ok(run::work::replay(&world, method, run, entries).await?)
}

/// A clock that shows one moment: what a replay needs to know of time is in the log.
struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// A log that has nothing and takes nothing: a replay works over entries that it is given.
struct Nowhere;

fn nothing<T>(run: &str) -> Result<T, LogError> {
    Err(LogError::NoSuchRun { run: run.to_owned() })
}

#[async_trait]
impl Log for Nowhere {
    fn append(&self, append: Append) -> BoxFuture<'static, Result<(), LogError>> {
        Box::pin(async move { nothing(&append.run) })
    }

    async fn page(&self, _: &str, run: &str, _: u64, _: u32) -> Result<Vec<Entry>, LogError> {
        nothing(run)
    }

    async fn summary(&self, _: &str, run: &str) -> Result<RunSummary, LogError> {
        nothing(run)
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
        nothing(run)
    }

    async fn release(&self, _: &str, run: &str, _: &str) -> Result<(), LogError> {
        nothing(run)
    }

    async fn request_cancel(&self, _: &str, run: &str, _: &str) -> Result<(), LogError> {
        nothing(run)
    }

    async fn cancel_requests(&self, _: &str) -> Result<Vec<CancelRequest>, LogError> {
        Ok(vec![])
    }

    async fn renew(&self, _: &str) -> Result<(), LogError> {
        Ok(())
    }

    async fn remove(&self, _: &str, run: &str) -> Result<(), LogError> {
        nothing(run)
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
