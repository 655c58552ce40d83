//! The research methods, one file each, read top to bottom.
//!
//! ```
//! assert!(methods::all().find("ask").is_some());
//! ```

pub mod ask;
pub mod brief;
pub mod calibration;
pub mod check;
pub mod debate;
pub mod difference;
mod grounded;
pub mod hypothesize;
pub mod market;
pub mod order;
mod outside;
mod published;
pub mod report;
pub mod validation;
pub mod workflow;

pub use grounded::SecondReader;

use include_dir::{Dir, include_dir};
use run::{Agent, Method, Methods};
use serde::de::DeserializeOwned;
use serde_json::Value;

use workflow::layered;

/// The prompts that ship.
static PROMPTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/prompts");

/// Returns the file of a prompt that ships, by its name `<method>/<role>`.
///
/// ```
/// assert!(methods::find_prompt("ask/writer").is_some_and(|text| text.starts_with("---")));
/// assert_eq!(methods::find_prompt("ask/../ask/writer"), None);
/// ```
pub fn find_prompt(name: &str) -> Option<&'static str> {
    PROMPTS.get_file(format!("{name}.md"))?.contents_utf8()
}

/// Returns every method that ships.
pub fn all() -> Methods {
    let ask = Method::new("ask", 9, |run| Box::pin(ask::perform(run)))
        .described(
            "Ask",
            "Answers a question and checks every sentence against its source.",
            "Who was John Snow?",
        )
        .reading(&[
            "strategy",
            "collection",
            "where",
            "company",
            "sources",
            "max_questions",
            "depth",
            "words",
            "audience",
            "as",
            "language",
            "continue",
            "history",
        ])
        .in_stages(ask::stages)
        .checking(|options| check_options("ask", options, |_: &ask::Options| None));
    let hypothesize = Method::new("hypothesize", 7, |run| Box::pin(hypothesize::perform(run)))
        .described(
            "Hypothesize",
            "Proposes testable hypotheses from the literature, criticises them and ranks them.",
            "Why do honey bee colonies collapse in winter?",
        )
        .reading(&["domain", "objective", "top", "collection", "sources", "history"])
        .in_stages(hypothesize::stages)
        .checking(|options| check_options("hypothesize", options, hypothesize::Options::wrong))
        .reported(hypothesize::report::build);
    let market = Method::new("market", 7, |run| Box::pin(market::perform(run)))
        .described("Market", "Analyses a market: size, competitors, customers and strategy, with citations. You answer \
            questions and approve the plan first.", "I want to explore the market for repair cafés")
        .reading(&["collection", "sources", "startup", "history"])
        .in_stages(market::stages)
        .planning_first()
        .checking(|options| check_options("market", options, market::Options::wrong))
        .reported(market::report::build);
    let debate = Method::new("debate", 7, |run| Box::pin(debate::perform(run)))
        .described("Debate", "Two scientists debate a question over papers. One proposes a solution with code that is run, \
            the other reviews it.", "Can a sorting network of depth 5 sort 8 numbers?")
        .reading(&["max_turns", "url", "history", "collection", "sources"])
        .in_stages(debate::stages)
        .checking(|options| check_options("debate", options, debate::Options::wrong))
        .reported(debate::report::build);
    let brief = Method::new("brief", 6, |run| Box::pin(brief::perform(run)))
        .described("Brief", "Writes an executive summary of survey data: what was found, why groups differ, what to do. Every \
            figure is computed again from the data.", "How satisfied are our customers, and what should we do?")
        .reading(&["survey", "loop", "history"])
        .in_stages(brief::stages)
        .checking(|options| check_options("brief", options, brief::Options::wrong))
        .reported(brief::report::build);
    let check = Method::new("check", 5, |run| Box::pin(check::perform(run)))
        .described("Check", "Checks any text against your documents and gives each sentence a verdict with its evidence.", "The handle of the pump was removed on 8 September 1854.")
        .reading(&["collection", "text"])
        .in_stages(check::stages)
        .reported(check::report::build);
    Methods::new([ask, hypothesize, market, debate, brief, check].map(layered))
}

/// The scopes that methods name themselves, without the numbers at their ends. Other scopes are named by a planner or after a source, so
/// their names hold texts of a run.
pub const SCOPES: &[&str] = &[
    "arxiv",
    "by",
    "claims",
    "competitors",
    "conclusions",
    "corpus",
    "critic",
    "crossref",
    "customers",
    "editor",
    "explore_worker",
    "headings",
    "hypothesis_generator",
    "in-order",
    "literature_scout",
    "market_sizing",
    "mended",
    "openalex",
    "optimist",
    "own",
    "part",
    "pessimist",
    "query",
    "question",
    "read",
    "reader",
    "retrieval",
    "reversed",
    "round",
    "sandbox",
    "section",
    "semantic scholar",
    "strategy",
    "summa_composer",
    "synthesizer",
    "turn",
];

/// Checks that options can be read, and that none of them is `wrong`.
fn check_options<O: DeserializeOwned>(
    method: &str,
    options: &Value,
    wrong: fn(&O) -> Option<(&'static str, String)>,
) -> Result<(), String> {
    let options = O::deserialize(options).map_err(|error| error.to_string())?;
    wrong(&options).map_or(Ok(()), |(key, what)| Err(format!("{method}.{key} {what}")))
}

/// The calls that an agent makes in the course of a run.
#[derive(Debug, Clone, Copy)]
pub struct Calls {
    pub agent: Agent,
    /// Bytes of the longest prompt that it usually gets.
    pub prompt_bytes: usize,
    /// Tokens of evidence and of other agents' texts in that prompt.
    pub evidence_tokens: u32,
    /// Tokens of a usual reply.
    pub reply_tokens: u32,
    /// Number of calls if nothing fails.
    pub usual: u32,
    /// Maximum number of calls, counting every try and every return to the agent.
    pub most: u32,
}
