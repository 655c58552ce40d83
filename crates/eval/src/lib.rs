//! What a method is worth: datasets of questions, metrics of what came of them, a judge whose own worth is measured, and
//! comparisons that say when a difference may be chance.
//!
//! An evaluation is a set of runs: every case under every arm is a run of its own, and a judgement is one too. What is known of
//! an evaluation is a fold over their logs, so it resumes, replays and accounts for its cost as runs do.
//!
//! ```text
//! dataset ─► runner ─► observation ─► metrics ─► report ─► comparison        report ─► mlflow
//! ```

pub mod agreement;
pub mod bootstrap;
pub mod claims;
pub mod compare;
pub mod dataset;
pub mod judge;
pub mod metrics;
pub mod mlflow;
pub mod observation;
pub mod otlp;
pub mod report;
pub mod report_judge;
pub mod retrieval;
pub mod runner;
