//! What a method is worth: datasets of questions, metrics of what came of them, a judge whose own worth is measured, and
//! comparisons that say when a difference may be chance.
//!
//! An evaluation is a set of runs: every case under every arm is a run of its own, and a judgement is one too. What is known of
//! an evaluation is a fold over their logs, so it resumes, replays and accounts for its cost as runs do.
//!
//! ```text
//! dataset ─► runner ─► observation ─► metrics ─► report ─► comparison        report ─► mlflow
//! ```
//!
//! # How it is made
//!
//! ```text
//! dataset ─► runner ─► observation ─► metrics ─► report ─► comparison        report ─► mlflow        log ─► otlp
//! ```
//!
//! - **An evaluation is a set of runs.** Every case under every arm is one, under a request key made of what decides its
//!   outcome: method and version, question, settings, prompts, the digest of the documents. So resume and cache are one
//!   mechanism, the one that keeps a request sent twice from making two runs, and an evaluation's cost is the sum of its
//!   runs'.
//! - **Reports of other programs** (`ForeignArm`) are read before anything is asked: `methods::check::marked` writes
//!   their citations as this program writes them, so that an observation of them is counted by the same functions.
//!   Nothing of them is run.
//! - **The judge is a method** (`judge`), so a judgement has log, budget and prompt digest as well; nobody can order one.
//!   It is asked in both orders and in rounds; `agreement` (Krippendorff's alpha) says what its word is worth before
//!   anything is made of it.
//! - **The judge of reports** (`report_judge`) is one as well: a run draws up criteria from the question alone, once for
//!   a case, and runs that score two whole reports by them carry these criteria in their options. Models give scores;
//!   weights, relative scores and what both orders come to are computed (`report_judge::scores`,
//!   `metrics::beside_the_control`).
//! - `observation` is a fold over a run's log, with what the result of a report tells of its research; `metrics`
//!   (`metrics::text`: what a text is like, whatever it says), `bootstrap`, `agreement` and `compare` are plain functions
//!   over observations. Intervals are seeded from the data: the same results give the same report.
//! - `otlp` turns a run's log into spans after the GenAI semantic conventions; `mlflow` sends them and the report. Files
//!   come first, and whatever fails at the mirror loses nothing.
//! - `retrieval` measures the ordinary way of documents into a collection and out of it, over collections in BEIR's
//!   layout.

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
