//! A fork: a new run that begins with another run's entries up to a step.

use super::{NewStart, announce, create, intact};
use crate::entry::{Entry, Event};
use crate::log::{LogError, RequestKey, Wait};
use crate::settings::Settings;
use crate::views;
use crate::world::World;

/// Why a run cannot be forked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ForkError {
    #[error("run {run} has no step '{step}'; its steps: {steps}")]
    NoSuchStep { run: String, step: String, steps: String },
    #[error(transparent)]
    Log(#[from] LogError),
}

/// A fork to make.
#[derive(Debug, Clone)]
pub struct NewFork {
    /// The id of the new run.
    pub run: String,
    pub user: String,
    pub from: String,
    /// The first step to repeat: a step, an agent (`writer` means `writer #1`) or a scope.
    pub step: String,
    /// The version of the method that continues it; `None` for the version that wrote the run.
    pub version: Option<u32>,
    pub settings: Settings,
    pub owner: Option<String>,
    /// The key of the fork's request, if that may be repeated.
    pub key: Option<RequestKey>,
    /// How many runs of the method the user may have at work, including the fork.
    pub at_most: Option<u32>,
}

/// Returns the index of the entry with which a step begins. `writer` means `writer #1`, otherwise the first step in a scope of that
/// name, otherwise the first one of an agent of that name in any scope.
pub fn beginning(entries: &[Entry], wanted: &str) -> Option<usize> {
    let first = |is_meant: &dyn Fn(&str) -> bool| {
        entries.iter().position(|entry| match &entry.event {
            Event::Called { step, .. } | Event::Refused { step, .. } => is_meant(step),
            _ => false,
        })
    };
    let numbered = format!("{wanted} #1");
    let scope = format!("{wanted}/");
    let within = format!("/{wanted} #1");
    first(&|step| step == wanted)
        .or_else(|| first(&|step| step == numbered))
        .or_else(|| first(&|step| step.starts_with(&scope)))
        .or_else(|| first(&|step| step.ends_with(&within)))
}

/// Copies the entries before a step into a new run, which then diverges.
pub async fn fork(world: &World, fork: NewFork) -> std::result::Result<(), ForkError> {
    let entries = world.log.entries(&fork.user, &fork.from, 0).await?;
    intact(&fork.from, &entries)?;
    let Some(at) = beginning(&entries, &fork.step) else {
        let mut steps: Vec<String> =
            views::timeline(&entries).into_iter().map(|line| line.step).collect();
        steps.dedup();
        return Err(ForkError::NoSuchStep {
            run: fork.from,
            step: fork.step,
            steps: steps.join(", "),
        });
    };
    let mut events: Vec<(jiff::Timestamp, Event)> = Vec::new();
    let (mut method, mut question) = (String::new(), String::new());
    for entry in &entries[..at] {
        match &entry.event {
            Event::Started { method: name, version, question: asked, user, .. } => {
                (method, question) = (name.clone(), asked.clone());
                let started = Event::Started {
                    method: name.clone(),
                    version: fork.version.unwrap_or(*version),
                    question: asked.clone(),
                    settings: fork.settings.clone(),
                    user: user.clone(),
                };
                events.push((entry.at, started));
            }
            Event::Resumed { .. } | Event::Forked { .. } => {}
            event => events.push((entry.at, event.clone())),
        }
    }
    let forked = Event::Forked { from: fork.from.clone(), step: fork.step.clone() };
    events.push((world.clock.now(), forked));
    let NewFork { run, user, settings, owner, key, at_most, .. } = fork;
    let new = NewStart { run, user, question, settings, owner, key, at_most };
    let (entries, written) = create(world, &new, &method, events, Wait::Durable);
    written.await?;
    announce(world, &new.run, &entries);
    Ok(())
}
