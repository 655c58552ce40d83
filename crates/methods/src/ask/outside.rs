//! Looks a question up outside: what to search for, what the sources say to it, and their texts into the collection.
//!
//! What is asked outside is made from the question alone, never from what was read.

use std::collections::HashSet;

use futures::future::join_all;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use run::paper::{self, Paper, PaperId, Source};
use run::sources::{Answer, Hit, Query, Reading, Searched, TakenIn, Target};
use run::{Agent, Reply, Result, Run, Stop, ledger};

use super::{Options, SearchRules};

pub(super) const SEARCHER: Agent = Agent {
    name: "searcher",
    prompt: "ask/searcher",
    text: include_str!("../../prompts/ask/searcher.md"),
};

/// What to search for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Queries {
    /// Search queries, the most promising first, each of a few words.
    pub queries: Vec<String>,
}

impl Reply for Queries {
    fn check(&self) -> std::result::Result<(), String> {
        match self.queries.iter().find(|query| query.chars().count() > Query::LONGEST) {
            _ if self.queries.iter().all(|query| query.trim().is_empty()) => {
                Err("`queries` holds no query".into())
            }
            Some(query) => Err(format!(
                "the query '{}…' is longer than {} characters",
                query.chars().take(40).collect::<String>(),
                Query::LONGEST
            )),
            None => Ok(()),
        }
    }
}

/// What was looked up, as the deliverable shows it.
#[derive(Debug, Serialize)]
pub(super) struct LookedUp {
    /// Whether everything that was asked answered, and everything that was to be read could be reached.
    complete: bool,
    queries: Vec<String>,
    /// What each source came to, for each query in turn.
    answers: Vec<Answer>,
    pages_found: usize,
    read: Vec<TakenIn>,
}

impl LookedUp {
    pub(super) fn read_any(&self) -> bool {
        self.read.iter().any(|taken| taken.outcome.why_not().is_none())
    }

    /// Says what was not reached, where something was not.
    pub(super) fn missing(&self) -> Option<&'static str> {
        (!self.complete).then_some(
            "not everything that may answer this could be reached; the warnings say what",
        )
    }
}

/// Searches for what bears on the question and reads it into the collection.
pub(super) async fn read_up(run: &Run, question: &str, options: &Options) -> Result<LookedUp> {
    let rules = &options.rules.search;
    let queries = queries(run, question, rules).await?;
    let names: Vec<&str> = options.sources.iter().map(|source| source.title()).collect();
    for query in &queries {
        run.say(format!("searching {} for: {query}", names.join(", ")));
    }
    let Searches { papers, pages, mut complete } =
        search(run, &queries, &options.sources, rules).await?;
    let answers = papers.iter().flat_map(|one| one.answers.iter().cloned()).collect();
    let pages_found = pages.iter().map(Vec::len).sum();
    let mut targets = chosen(run, papers, pages, rules);
    let room = room(run, queries.len());
    if targets.len() > room {
        run.warn(format!(
            "{} of {} papers and pages were not read: the cap of steps leaves no room for them (--max-steps)",
            targets.len() - room,
            targets.len()
        ));
        complete = false;
        targets.truncate(room);
    }
    let collection = options.collection(run);
    let readings = join_all(
        targets
            .iter()
            .map(async |target| run.scope(&name_of(target)).read(&collection, target).await),
    );
    let mut read: Vec<TakenIn> = Vec::new();
    for reading in readings.await {
        match reading {
            Ok(taken) => read.push(taken),
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                run.warn(format!("not read: {stop}"));
                complete = false;
            }
            Err(stop) => return Err(stop),
        }
    }
    for TakenIn { source_uri, outcome } in &read {
        if let Some(reason) = outcome.why_not() {
            run.say(format!("left out: {}: {reason}", ledger::one_line(source_uri)));
        }
        complete &= !matches!(outcome, Reading::Unreached { .. });
    }
    let kept = read.iter().filter(|taken| taken.outcome.why_not().is_none()).count();
    run.say(format!("read {kept} of {} papers and pages", targets.len()));
    if kept < read.len() {
        run.warn(format!(
            "{} of the papers and pages that were found could not be read; deliverable.searched.read says why",
            read.len() - kept
        ));
    }
    Ok(LookedUp { complete, queries, answers, pages_found, read })
}

/// Returns how many papers and pages may be read, so that the cap of steps leaves enough of them to answer.
fn room(run: &Run, queries: usize) -> usize {
    /// The searcher with its tries, the retrieval, the writer with its tries and its return.
    const OTHERS: u64 = 10;
    let max = run.max_steps().unwrap_or(u64::MAX);
    let searches = 2 * queries as u64;
    // A narrow cap is met anyway; half of it is for reading then.
    let left = max.saturating_sub(OTHERS + searches).max(max.saturating_sub(searches) / 2);
    usize::try_from(left).unwrap_or(usize::MAX)
}

/// Names the scope of a reading by what is read.
fn name_of(target: &Target) -> String {
    const LONGEST: usize = 80;
    let uri = ledger::one_line(&run::grounding::clean(&target.source_uri()));
    uri.chars().take(LONGEST).collect()
}

/// Returns what to search for: the searcher's queries, or the question as it stands where there is no model to ask.
async fn queries(run: &Run, question: &str, rules: &SearchRules) -> Result<Vec<String>> {
    let most = rules.queries.max(1) as usize;
    let itself = || Queries { queries: vec![question.chars().take(Query::LONGEST).collect()] };
    let asked = run
        .agent(&SEARCHER)
        .given("Question", question)
        .given("Queries wanted, at most", most.to_string())
        .offline(itself)
        .reply::<Queries>()
        .await;
    let queries = match asked {
        Ok(queries) => queries,
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            run.warn(format!("the question itself was searched for: {stop}"));
            itself()
        }
        Err(stop) => return Err(stop),
    };
    let mut seen = HashSet::new();
    let queries = queries.queries.iter();
    Ok(queries
        .map(|query| ledger::one_line(&run::grounding::clean(query)))
        .filter(|query| !query.is_empty() && seen.insert(query.to_lowercase()))
        .take(most)
        .collect())
}

/// What the searches brought.
struct Searches {
    papers: Vec<Searched>,
    pages: Vec<Vec<Hit>>,
    /// Whether every source that was wanted answered every query.
    complete: bool,
}

/// Asks every source for every query. An error only where not one of them answered.
async fn search(
    run: &Run,
    queries: &[String],
    sources: &[Source],
    rules: &SearchRules,
) -> Result<Searches> {
    let scholarly: Vec<Source> =
        sources.iter().copied().filter(|source| *source != Source::Web).collect();
    let web = sources.contains(&Source::Web);
    let answered = join_all(queries.iter().enumerate().map(async |(index, text)| {
        let (run, query) =
            (run.scope(&format!("query-{}", index + 1)), Query::new(text, rules.results));
        let papers = async {
            if scholarly.is_empty() { None } else { Some(run.papers(&scholarly, &query).await) }
        };
        let pages = async { if web { Some(run.pages(&query).await) } else { None } };
        futures::future::join(papers, pages).await
    }))
    .await;
    let (mut papers, mut pages, mut failed) = (Vec::new(), Vec::new(), None);
    for (searched, hits) in answered {
        tried(run, searched, &mut papers, &mut failed)?;
        tried(run, hits, &mut pages, &mut failed)?;
    }
    let mut complete = failed.is_none();
    for Answer { source, outcome, in_place_of, as_of } in papers.iter().flat_map(|one| &one.answers)
    {
        let title = source.title();
        if let (Some(why), None) = (outcome.why_not(), in_place_of) {
            run.warn(format!("{title} was not searched: {why}"));
            complete = false;
        }
        if let Some(as_of) = as_of {
            run.warn(format!("{title} could not be asked; what it said at {as_of} was used"));
        }
    }
    match failed {
        Some(stop) if papers.is_empty() && pages.is_empty() => Err(stop),
        _ => Ok(Searches { papers, pages, complete }),
    }
}

/// Keeps an answer; a search that failed is told, and remembered for the case that all of them did.
fn tried<T>(
    run: &Run,
    answer: Option<Result<T>>,
    answers: &mut Vec<T>,
    failed: &mut Option<Stop>,
) -> Result<()> {
    match answer {
        None => {}
        Some(Ok(answer)) => answers.push(answer),
        Some(Err(stop @ (Stop::Stage { .. } | Stop::Budget { .. }))) => {
            run.warn(stop.to_string());
            failed.get_or_insert(stop);
        }
        Some(Err(stop)) => return Err(stop),
    }
    Ok(())
}

/// Chooses what is read: the best of every query in turn, every work and every page once.
fn chosen(
    run: &Run,
    searched: Vec<Searched>,
    hits: Vec<Vec<Hit>>,
    rules: &SearchRules,
) -> Vec<Target> {
    let papers = paper::in_turn(searched.into_iter().map(|one| one.papers).collect());
    let papers = paper::merged(papers);
    let mut known: HashSet<String> = papers.iter().flat_map(addresses).collect();
    let (retracted, papers): (Vec<Paper>, Vec<Paper>) =
        papers.into_iter().partition(|paper| paper.retracted == Some(true));
    for paper in retracted {
        run.warn(format!("not read, since it was retracted: {}", ledger::one_line(&paper.title)));
    }
    let papers = papers
        .into_iter()
        .filter(|paper| paper.summary.is_some() || paper.pdf_url.is_some())
        .take(rules.papers_read as usize)
        .map(|paper| Target::Paper { paper: Box::new(paper), full_text: rules.full_text });
    let pages = paper::in_turn(hits)
        .into_iter()
        .filter(|hit| known.insert(address(&hit.url)))
        .take(rules.pages_read as usize)
        .map(|hit| Target::Page { url: hit.url });
    papers.chain(pages).collect()
}

/// Returns an address as addresses are compared: an arXiv id or a DOI where it holds one, else without scheme, `www.`, fragment and
/// slash at its end.
fn address(url: &str) -> String {
    match PaperId::of_address(url) {
        Some(PaperId::Arxiv { id, .. }) => return format!("arxiv:{id}"),
        Some(id) => return id.to_string(),
        None => {}
    }
    let url = url.split('#').next().unwrap_or_default();
    let url = url.split_once("://").map_or(url, |(_, rest)| rest);
    url.strip_prefix("www.").unwrap_or(url).trim_end_matches('/').to_owned()
}

fn addresses(paper: &Paper) -> Vec<String> {
    let ids = &paper.ids;
    let arxiv = ids.arxiv.iter().map(|id| format!("arxiv:{id}"));
    let doi = ids.doi.iter().map(|doi| format!("doi:{doi}"));
    let urls = paper.url.iter().chain(&paper.pdf_url).map(|url| address(url));
    arxiv.chain(doi).chain(urls).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_is_one_however_it_is_written() {
        let same =
            ["https://www.example.org/a/", "http://example.org/a", "https://example.org/a#part"];
        assert!(same.iter().all(|url| address(url) == "example.org/a"));
        assert_eq!(address("https://arxiv.org/pdf/2005.11401v4"), "arxiv:2005.11401");
        assert_eq!(address("https://doi.org/10.1000/ABC"), "doi:10.1000/abc");
    }

    #[test]
    fn queries_that_are_none_or_too_long_are_sent_back() {
        let queries = |queries: &[&str]| Queries {
            queries: queries.iter().map(|&query| query.into()).collect(),
        };
        assert!(queries(&[]).check().is_err());
        assert!(queries(&["", " "]).check().is_err());
        assert!(queries(&[&"x".repeat(Query::LONGEST + 1)]).check().is_err());
        assert!(queries(&["tides", "moon"]).check().is_ok());
    }
}
