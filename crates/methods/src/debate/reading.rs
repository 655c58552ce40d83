//! What a scientist reads before a turn. arXiv and Crossref are queried concurrently, their works are read into the corpus, and the whole
//! corpus is searched for passages.

use std::collections::BTreeSet;

use futures::future::{join, try_join_all};

use papers::{Kind, Paper, Source};
use run::evidence::{Numbered, Passage};
use run::library::Search;
use run::sources::{Query, Reading, Target};
use run::{Result, Run, Stop};

use super::Options;
use super::milestone::Milestone;
use super::payload::{Ingested, Scientist};
use super::query::{Sought, sought};
use super::transcript::Transcript;
use crate::outside::{self, Read, Searches, addresses};

/// Steps of a turn besides its readings, including an agent's retries.
const OTHERS: u64 = 12;

/// The input of a scientist's turn.
pub(super) struct TurnInput {
    pub(super) query: String,
    pub(super) ingested: Ingested,
    pub(super) retrieved: u32,
    pub(super) evidence: Vec<Numbered>,
}

/// Reads the page given to the debate. As the user asked for it, the debate ends if it cannot be read.
pub(super) async fn page(run: &Run, transcript: &mut Transcript<'_>) -> Result<()> {
    let (url, corpus) = (&transcript.options.url, &transcript.options.corpus);
    if url.is_empty() {
        return Ok(());
    }
    let run = &run.scope("reader");
    let Read { taken, .. } =
        outside::read(run, corpus, &[Target::Page { url: url.clone() }], 1).await?;
    let why_not = taken.first().map(|one| match one.outcome.why_not() {
        None if !is_scholarly(&one.source_uri) => Some(ENCYCLOPAEDIA.to_owned()),
        why_not => why_not.map(str::to_owned),
    });
    match why_not {
        Some(None) => {
            transcript.corpus_exists = true;
            Ok(())
        }
        Some(Some(reason)) => Err(unread(url, &reason)),
        None => Err(unread(url, "the budget left no room for it")),
    }
}

/// Why an encyclopaedia article is not read.
const ENCYCLOPAEDIA: &str = "it is an encyclopaedia article, which does not count as evidence";

fn unread(url: &str, reason: &str) -> Stop {
    let url = run::ledger::one_line(url);
    Stop::Stage {
        stage: "reader".into(),
        message: format!("could not read the page {url}: {reason}"),
        retry_attempted: false,
    }
}

/// Reads up for a turn; `None` if nothing relevant was found.
pub(super) async fn read_up(
    run: &Run,
    transcript: &mut Transcript<'_>,
    who: Scientist,
) -> Result<Option<TurnInput>> {
    let options = transcript.options;
    let private = transcript.is_private();
    let Sought { query, retrieval } = sought(run, transcript.question, &transcript.turns, private);
    run.say(Milestone::Query(who, query.clone()).to_string());
    let ingested = if options.outside && !query.is_empty() {
        ingested(run, transcript, &query).await?
    } else {
        Ingested::default()
    };
    run.say(Milestone::Ingested(who, ingested).to_string());
    let passages = retrieved(run, transcript, &retrieval).await?;
    let retrieved = passages.len() as u32;
    run.say(Milestone::Retrieved(who, retrieved).to_string());
    let passages = outside::in_context(run, passages, options.rules.context_tokens).await?;
    let evidence = if passages.is_empty() {
        // The passages of the previous turn are still relevant.
        transcript.last_read()
    } else {
        run.cite(passages)?
    };
    if evidence.is_empty() {
        return Ok(None);
    }
    transcript.take_in(&evidence);
    Ok(Some(TurnInput { query, ingested, retrieved, evidence }))
}

/// Queries both sources and reads their new works.
async fn ingested(run: &Run, transcript: &mut Transcript<'_>, query: &str) -> Result<Ingested> {
    let options = transcript.options;
    let rules = &options.rules;
    let query = [query.to_owned()];
    let leg = async |source: Source, results: u32| {
        if results == 0 {
            return Ok(None);
        }
        let run = run.scope(&source.title().to_lowercase());
        // No other service may answer for this one. arXiv has only preprints; from Crossref, a debate reads published works.
        let published = source == Source::Crossref;
        let wanted = |text: &str| Query { alone: true, published, ..Query::new(text, results) };
        match outside::search(&run, &query, &[source], wanted).await {
            Ok(found) => Ok(Some(found)),
            // The other source, and what was read before, may suffice.
            Err(Stop::Stage { .. }) => Ok(None),
            Err(stop) => Err(stop),
        }
    };
    let (arxiv, crossref) = join(
        leg(Source::Arxiv, rules.arxiv_results),
        leg(Source::Crossref, rules.crossref_results),
    )
    .await;
    let (arxiv, crossref) = (arxiv?, crossref?);
    let wanted = |leg: &Option<Searches>, results: u32| {
        results == 0 || leg.as_ref().is_some_and(|found| found.complete)
    };
    transcript.complete &= wanted(&arxiv, rules.arxiv_results);
    transcript.complete &= wanted(&crossref, rules.crossref_results);
    let mut chosen = transcript.read.clone();
    let arxiv = readable(run, options, &mut chosen, arxiv, |_| true);
    let is_published =
        |paper: &Paper| matches!(paper.kind, Kind::Article | Kind::ProceedingsArticle);
    let crossref = readable(run, options, &mut chosen, crossref, is_published);

    let of_arxiv = arxiv.len();
    let targets: Vec<Target> = [arxiv, crossref]
        .concat()
        .into_iter()
        .map(|paper| Target::Paper { paper: Box::new(paper), full_text: rules.full_text })
        .collect();
    if targets.is_empty() {
        return Ok(Ingested::default());
    }
    let turns = 2 * u64::from(rules.max_turns);
    let room = outside::room(run, OTHERS * turns, 0) / turns.max(1) as usize;
    let Read { taken, complete } =
        outside::read(run, &options.corpus, &targets, room.max(1)).await?;
    transcript.complete &= complete;
    let kept: BTreeSet<&str> = taken
        .iter()
        .filter(|one| one.outcome.why_not().is_none())
        .map(|one| one.source_uri.as_str())
        .collect();
    transcript.corpus_exists |= !kept.is_empty();
    // Works that were not reached, or had no room, may be read later.
    let settled = |outcome: &Reading| !matches!(outcome, Reading::Unreached { .. });
    let settled: BTreeSet<&str> = taken
        .iter()
        .filter(|one| settled(&one.outcome))
        .map(|one| one.source_uri.as_str())
        .collect();
    for target in &targets {
        if let Target::Paper { paper, .. } = target
            && settled.contains(target.source_uri().as_str())
        {
            transcript.read.extend(addresses(paper));
        }
    }
    let uris: Vec<String> = targets.iter().map(Target::source_uri).collect();
    let count =
        |uris: &[String]| uris.iter().filter(|uri| kept.contains(uri.as_str())).count() as u32;
    let (arxiv, crossref) = uris.split_at(of_arxiv);
    Ok(Ingested { arxiv: count(arxiv), crossref: count(crossref) })
}

/// Returns the works of a source that have a text and were not chosen before.
fn readable(
    run: &Run,
    options: &Options,
    chosen: &mut BTreeSet<String>,
    found: Option<Searches>,
    is_wanted: impl Fn(&Paper) -> bool,
) -> Vec<Paper> {
    let full_text = options.rules.full_text;
    let papers = found.map_or_else(Vec::new, |found| outside::works(run, found.papers).papers);
    let mut readable = Vec::new();
    for paper in papers {
        let own = addresses(&paper);
        let is_known = own.iter().any(|address| chosen.contains(address));
        let has_text = paper.summary.is_some() || (full_text && paper.pdf_url.is_some());
        if has_text && !is_known && is_wanted(&paper) {
            chosen.extend(own);
            readable.push(paper);
        }
    }
    readable
}

/// Returns the nearest passages in the corpus and in the user's own collection.
async fn retrieved(
    run: &Run,
    transcript: &mut Transcript<'_>,
    question: &str,
) -> Result<Vec<Passage>> {
    let options = transcript.options;
    if !transcript.corpus_exists {
        transcript.corpus_exists = run.has_collection(&options.corpus).await?;
    }
    let corpus = transcript.corpus_exists.then_some(("corpus", &options.corpus));
    let own = (!options.collection.is_empty()).then_some(("own", &options.collection));
    let places = corpus.into_iter().chain(own);
    let found = try_join_all(places.map(async |(scope, collection)| {
        let search = Search {
            collection: collection.clone(),
            question: question.to_owned(),
            filter: Default::default(),
            top_k: options.rules.passages,
            retrieval: options.rules.retrieval,
        };
        run.scope(scope).retrieve(&search).await
    }))
    .await?;
    let mut passages = outside::together_of(found);
    passages.retain(|passage| is_scholarly(&passage.source_uri));
    Ok(passages)
}

/// Returns whether a source may be used as evidence; encyclopaedias may not.
pub fn is_scholarly(source_uri: &str) -> bool {
    let Some((scheme, rest)) = source_uri.split_once("://") else { return true };
    if !scheme.starts_with("http") {
        return true;
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().trim_end_matches('.').to_lowercase();
    !ENCYCLOPAEDIAS.iter().any(|one| {
        host.strip_suffix(one).is_some_and(|before| before.is_empty() || before.ends_with('.'))
    })
}

/// Hosts, including their subdomains, whose articles anyone may edit.
const ENCYCLOPAEDIAS: [&str; 8] = [
    "wikipedia.org",
    "wikimedia.org",
    "wikiwand.com",
    "wikidata.org",
    "wiktionary.org",
    "wikibooks.org",
    "wikiversity.org",
    "fandom.com",
];

#[cfg(test)]
mod tests {
    use super::*;

    // proves: D2
    #[test]
    fn an_encyclopaedia_is_no_evidence() {
        for uri in [
            "https://en.wikipedia.org/wiki/Tide",
            "https://wikipedia.org",
            "http://EN.m.Wikipedia.org:80/wiki/Tide",
            "https://user@de.wikipedia.org./wiki/Tide",
            "https://www.wikiwand.com/en/Tide",
        ] {
            assert!(!is_scholarly(uri), "{uri}");
        }
        for uri in [
            "https://notwikipedia.org/a",
            "https://example.org/wikipedia.org",
            "arxiv:2001.00001",
            "doi:10.1000/wikipedia.org",
            "doc://kb/wikipedia.org.md",
        ] {
            assert!(is_scholarly(uri), "{uri}");
        }
    }
}
