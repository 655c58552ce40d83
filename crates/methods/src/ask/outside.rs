//! Searches outside for a question: makes queries, asks the sources, and reads what they found into the collection.
//!
//! The queries of the strategy `search` are made from the question or the approved plan, never from what was read.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use papers::Source;
use run::sources::{Answer, Hit, Query, Searched, Served, TakenIn, Target};
use run::{Agent, Reply, Result, Run, Stop};

use super::{Options, SearchRules};
use crate::outside::{self, Read, Searches, Works, address, addresses};

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

/// What was searched for and read, as the deliverable shows it.
#[derive(Debug, Serialize)]
pub struct LookedUp {
    /// Whether every source answered, and everything to be read could be reached.
    complete: bool,
    queries: Vec<String>,
    /// The outcome of each source, for each query in turn.
    answers: Vec<Answer>,
    pages_found: usize,
    read: Vec<TakenIn>,
}

impl LookedUp {
    pub(super) fn read_any(&self) -> bool {
        self.read.iter().any(|taken| taken.outcome.why_not().is_none())
    }

    /// Returns a remark if not everything could be reached.
    pub(super) fn missing(&self) -> Option<&'static str> {
        (!self.complete).then_some(
            "Some sources could not be reached, so an answer may be missing here. The warnings name them.",
        )
    }
}

/// Steps other than searches and readings: the searcher with its tries, the retrieval, the writer with its tries and its second turn.
const OTHERS: u64 = 10;

/// Searches for what bears on the question and reads it into the collection.
pub(super) async fn read_up(run: &Run, question: &str, options: &Options) -> Result<LookedUp> {
    let rules = &options.rules.search;
    let queries = propose_queries(run, question, options).await?;
    let servers = outside::steps_of_servers(&options.sources, queries.len());
    let others = OTHERS + outside::approved(run).len() as u64 + servers;
    let room = outside::room(run, others, queries.len());
    look_up(run, queries, &options.sources, rules, &options.collection(run), room).await
}

/// Runs the queries against the sources and reads the best results into the collection, as far as there is `room`.
pub(super) async fn look_up(
    run: &Run,
    queries: Vec<String>,
    sources: &[Source],
    rules: &SearchRules,
    collection: &str,
    room: usize,
) -> Result<LookedUp> {
    let Searches { papers, pages, texts, mut complete } =
        outside::search(run, &queries, sources, |text| Query::new(text, rules.results)).await?;
    let answers = outside::answers(&papers, &texts).cloned().collect();
    let pages_found = pages.iter().map(Vec::len).sum();
    let targets = chosen(run, papers, pages, texts, rules);
    let Read { taken: read, complete: reached } =
        outside::read(run, collection, &targets, room).await?;
    complete &= reached;
    let kept = read.iter().filter(|taken| taken.outcome.why_not().is_none()).count();
    if kept < read.len() {
        run.warn(format!(
            "{} of the papers and pages found could not be read; the JSON result gives the reasons under \
             deliverable.searched.read",
            read.len() - kept
        ));
    }
    Ok(LookedUp { complete, queries, answers, pages_found, read })
}

/// Returns the queries. With an approved plan: its search terms alone, or the question if it has none. Without a plan: the searcher's
/// queries, or the question itself if there is no model.
async fn propose_queries(run: &Run, question: &str, options: &Options) -> Result<Vec<String>> {
    let itself = about(question, &options.company);
    if run.is_planned() {
        // No one approved what a searcher would make up.
        let approved = outside::approved(run);
        return Ok(if approved.is_empty() {
            outside::distinct([itself.as_str()].into_iter())
        } else {
            approved
        });
    }
    let most = options.rules.search.queries.max(1) as usize;
    let itself = || Queries { queries: vec![itself.chars().take(Query::LONGEST).collect()] };
    let asked = options
        .asking(run, &SEARCHER, question)
        .given("Queries wanted, at most", most.to_string())
        .offline(itself)
        .reply::<Queries>()
        .await;
    let queries = match asked {
        Ok(queries) => queries,
        Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
            run.warn(format!("the question itself was used as the search query: {stop}"));
            itself()
        }
        Err(stop) => return Err(stop),
    };
    let mut queries = outside::distinct(queries.queries.iter().map(String::as_str));
    queries.truncate(most);
    Ok(queries)
}

/// Returns the question with the company before it, unless the question names it.
pub(super) fn about(question: &str, company: &str) -> String {
    let words = |text: &str| {
        let text = text.to_lowercase();
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect::<Vec<_>>()
    };
    let (asked, named) = (words(question), words(company));
    if named.is_empty() || asked.windows(named.len()).any(|some| some == named) {
        question.to_owned()
    } else {
        format!("{company} {question}")
    }
}

/// Chooses what to read: the best of every query in turn, each work, page and text once.
fn chosen(
    run: &Run,
    searched: Vec<Searched>,
    hits: Vec<Vec<Hit>>,
    served: Vec<Served>,
    rules: &SearchRules,
) -> Vec<Target> {
    let Works { papers, left_out } = outside::works(run, searched);
    // A work that was left out must not come back as a page.
    let mut known: HashSet<String> = papers.iter().chain(&left_out).flat_map(addresses).collect();
    let papers = papers
        .into_iter()
        .filter(|paper| paper.summary.is_some() || paper.pdf_url.is_some())
        .take(rules.papers_read as usize)
        .map(|paper| Target::Paper { paper: Box::new(paper), full_text: rules.full_text });
    let pages = papers::in_turn(hits)
        .into_iter()
        .filter(|hit| known.insert(address(&hit.url)))
        .take(rules.pages_read as usize)
        .map(|hit| Target::Page { url: hit.url });
    let found: Vec<Target> = papers.chain(pages).collect();
    let is_new = |uri: &str| known.insert(uri.to_owned());
    let texts = outside::new_texts(served, is_new, rules.pages_read);
    found.into_iter().chain(texts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A2
    #[test]
    fn a_company_stands_before_a_question_that_does_not_name_it() {
        assert_eq!(about("Who leads it?", "Acme"), "Acme Who leads it?");
        assert_eq!(about("Who leads ACME, today?", "Acme"), "Who leads ACME, today?");
        assert_eq!(about("Who leads Möwe & Co?", "möwe & co"), "Who leads Möwe & Co?");
        assert_eq!(about("What acmeism is", "Acme"), "Acme What acmeism is");
        assert_eq!(about("Who leads it?", ""), "Who leads it?");
        assert_eq!(about("Who leads it?", "&"), "Who leads it?");
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
