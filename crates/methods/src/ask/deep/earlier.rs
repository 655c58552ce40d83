//! An earlier report that a new one continues, or brings up to date.
//!
//! A continuation reads again what the earlier report cites, and looks up only what that leaves open. An update asks the same again, and
//! says which of the statements cited earlier no longer stand in their sources.

use std::collections::BTreeSet;

use grounding::address::{Address, cited};
use jiff::Timestamp;
use run::entry::Entry;
use run::evidence::Passage;
use run::ledger::Verdict;
use run::stands::Quoted;
use run::{Outcome, Result, views};
use serde::{Deserialize, Serialize};

use super::Inquiry;
use super::brief::SubQuestion;

/// What an earlier run asked and cited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Earlier {
    pub run: String,
    pub ended_at: Timestamp,
    pub question: String,
    /// What it had to answer, if it was a report.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<SubQuestion>,
    pub purpose: Purpose,
}

/// The purpose of taking up an earlier run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// To continue it: the passages that it cites and those that its notes stand in.
    GoOn(Vec<Passage>),
    /// To ask it again: what it cited.
    Refresh(Vec<Quoted>),
}

/// What became of the quotes of an earlier report.
#[derive(Debug, Serialize)]
pub(super) struct Changes {
    run: String,
    ended_at: Timestamp,
    /// Quotes that still stand in their sources.
    stand: usize,
    /// Quotes that no longer do.
    gone: Vec<Quoted>,
    /// Quotes whose sources were not read again.
    unread: usize,
    /// Sources that only this report cites, and those that only the earlier one cites, by their paths.
    new_sources: Vec<String>,
    left_sources: Vec<String>,
}

impl Earlier {
    /// Reads an earlier run of `ask` from its log.
    ///
    /// # Errors
    /// Returns why the run cannot be continued, in words.
    pub fn of(run: &str, entries: &[Entry], refresh: bool) -> std::result::Result<Earlier, String> {
        let start = views::start(entries).filter(|start| start.method == "ask");
        let Some(start) = start else {
            return Err(format!("the run {run} was not made by the method 'ask'"));
        };
        match views::outcome(entries) {
            None => return Err(format!("the run {run} has not finished yet")),
            Some(Outcome::Answered) => {}
            Some(_) => return Err(format!("the run {run} found no answer to continue from")),
        }
        let ended_at = entries.last().map_or(Timestamp::UNIX_EPOCH, |entry| entry.at);
        let report = views::deliverable(entries).and_then(|fields| fields.get("report"));
        let list = |key: &str| {
            let list = report.and_then(|report| report.get(key)?.as_array());
            list.map(Vec::as_slice).unwrap_or_default()
        };
        let questions =
            list("questions").iter().filter_map(|one| SubQuestion::deserialize(one).ok());
        let notes = list("notes").iter().filter_map(|note| note.get("place")?.as_str());
        let purpose = if refresh {
            Purpose::Refresh(quotes(entries))
        } else {
            Purpose::GoOn(passages(entries, notes))
        };
        Ok(Earlier {
            run: run.to_owned(),
            ended_at,
            question: start.question.to_owned(),
            questions: questions.collect(),
            purpose,
        })
    }

    /// Returns what it asked, for the planner: nothing that it found.
    pub(super) fn told(&self) -> String {
        let questions = self.questions.iter().map(|one| format!("\n- {}", one.question));
        format!("{}{}", self.question, questions.collect::<String>())
    }
}

/// Returns what a run cites, each quote once.
fn quotes(entries: &[Entry]) -> Vec<Quoted> {
    let mut seen = BTreeSet::new();
    let citations = views::ledger(entries).iter().flat_map(|claim| &claim.citations);
    let holding = citations.filter(|one| one.verdict != Verdict::Unsupported);
    let quoted = holding.map(|one| Quoted {
        source_uri: one.source_uri.clone(),
        source_sha256: one.source_sha256.clone(),
        title: one.title.clone(),
        quote: one.quote.clone(),
    });
    quoted.filter(|one| seen.insert((one.source_uri.clone(), one.quote.clone()))).collect()
}

/// Returns the passages that a run cites, and those in which the notes at these addresses stand.
fn passages<'a>(entries: &[Entry], notes: impl Iterator<Item = &'a str>) -> Vec<Passage> {
    let ledger = views::ledger(entries);
    let ids: BTreeSet<&str> = ledger
        .iter()
        .flat_map(|claim| &claim.citations)
        .filter(|one| one.verdict != Verdict::Unsupported)
        .map(|one| one.evidence_id.as_str())
        .collect();
    let numbers: BTreeSet<u32> = notes
        .flat_map(|place| cited(&format!("[{place}]")))
        .flat_map(|cited| cited.addresses)
        .filter_map(|address| match address {
            Address::Statements { passage, .. } | Address::Passage(passage) => Some(passage),
            Address::Figure(_) | Address::Claim(_) => None,
        })
        .collect();
    let evidence = views::evidence(entries).into_iter();
    let read = evidence.filter(|one| {
        numbers.contains(&one.number) || ids.contains(one.evidence.evidence_id.as_str())
    });
    read.map(|one| one.evidence.passage()).collect()
}

impl Inquiry<'_> {
    /// Returns what became of the quotes of an earlier report, if this one brings it up to date. `collections` hold what was read for this
    /// one, and `sources` are those that it cites.
    pub(super) async fn changes<'a>(
        &self,
        collections: &[String],
        sources: impl Iterator<Item = &'a str>,
    ) -> Result<Option<Changes>> {
        let Some((earlier, quotes)) = self.refreshed() else { return Ok(None) };
        let own = self.options.own_documents.then(|| self.options.collection.clone());
        let collections: Vec<String> = own.into_iter().chain(collections.iter().cloned()).collect();
        let stand = self.run.still_stand(&collections, quotes).await?;
        let of = |wanted: Option<bool>| {
            let with = quotes.iter().zip(&stand).filter(move |(_, stands)| **stands == wanted);
            with.map(|(quoted, _)| quoted)
        };
        // A run's own collection is named after the run, so only paths can be compared.
        let paths = |uris: BTreeSet<&'a str>| uris.into_iter().map(Quoted::path).collect();
        let now: BTreeSet<&str> = paths(sources.collect());
        let before: BTreeSet<&str> =
            quotes.iter().map(|one| Quoted::path(&one.source_uri)).collect();
        let names = |names: Vec<&&str>| names.into_iter().map(|name| (*name).to_owned()).collect();
        Ok(Some(Changes {
            run: earlier.run.clone(),
            ended_at: earlier.ended_at,
            stand: of(Some(true)).count(),
            gone: of(Some(false)).cloned().collect(),
            unread: of(None).count(),
            new_sources: names(now.difference(&before).collect()),
            left_sources: names(before.difference(&now).collect()),
        }))
    }

    /// Returns the report that is brought up to date, and what it cited.
    pub(super) fn refreshed(&self) -> Option<(&Earlier, &[Quoted])> {
        let earlier = self.options.earlier.as_deref()?;
        match &earlier.purpose {
            Purpose::Refresh(quotes) => Some((earlier, quotes)),
            Purpose::GoOn(_) => None,
        }
    }

    /// Returns what is cited by the earlier report that this one continues.
    pub(super) fn gone_on_from(&self) -> Option<&[Passage]> {
        match &self.options.earlier.as_deref()?.purpose {
            Purpose::GoOn(passages) => Some(passages),
            Purpose::Refresh(_) => None,
        }
    }
}
