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
mod grounded;
pub mod hypothesize;
pub mod market;
pub mod order;
mod outside;
mod published;
pub mod workflow;

pub use grounded::SecondReader;

use run::{Agent, Method, Methods};

use workflow::layered;

/// Returns every method that ships.
pub fn all() -> Methods {
    let ask = Method::new("ask", 3, |run| Box::pin(ask::perform(run))).in_stages(ask::stages);
    let hypothesize = Method::new("hypothesize", 2, |run| Box::pin(hypothesize::perform(run)))
        .in_stages(hypothesize::stages);
    let market =
        Method::new("market", 2, |run| Box::pin(market::perform(run))).in_stages(market::stages);
    let debate =
        Method::new("debate", 2, |run| Box::pin(debate::perform(run))).in_stages(debate::stages);
    let brief =
        Method::new("brief", 2, |run| Box::pin(brief::perform(run))).in_stages(brief::stages);
    let check =
        Method::new("check", 1, |run| Box::pin(check::perform(run))).in_stages(check::stages);
    Methods::new([ask, hypothesize, market, debate, brief, check].map(layered))
}

/// The calls that an agent makes in the course of a run.
#[derive(Debug, Clone, Copy)]
pub struct Calls {
    pub agent: Agent,
    /// The longest prompt that it usually gets.
    pub prompt_bytes: usize,
    /// Tokens of evidence and of other agents' texts among it.
    pub evidence_tokens: u32,
    /// Tokens of a usual reply.
    pub reply_tokens: u32,
    /// Where nothing fails.
    pub usual: u32,
    /// Every try and every return to the agent counted.
    pub most: u32,
}
