//! Evaluation of methods: datasets of questions, metrics over the results, a judge that is itself measured, and comparisons that say when a
//! difference may be chance.
//!
//! An evaluation is a set of runs: each case under each arm is a run, and so is each judgement. The state of an evaluation is a fold over
//! their logs, so it resumes, replays and accounts for its cost as runs do.
//!
//! ```text
//! dataset ─► runner ─► observation ─► metrics ─► report ─► comparison        report ─► mlflow
//! ```
//!
//! # Design
//!
//! ```text
//! dataset ─► runner ─► observation ─► metrics ─► report ─► comparison        report ─► mlflow
//! ```
//!
//! - **An evaluation is a set of runs.** Each case under each arm is one. Its request key is made of what decides its outcome: method and
//!   version, question, settings, prompts, and the digest of the documents. Resume and cache are therefore one mechanism, the one that
//!   keeps a repeated request from starting a second run. An evaluation costs the sum of its runs.
//! - **Reports of other programs** (`ForeignArm`) are read before any question is asked. `methods::check::marked` rewrites their citations
//!   in this program's form, so that the same functions count them. Nothing of them is run.
//! - **The judge is a method** (`judge`), so a judgement also has a log, a budget and a prompt digest; no user can order one. It is asked
//!   in both orders and in rounds. `agreement` (Krippendorff's alpha) says whether its scores can be trusted before they are used.
//! - **The judge of reports** (`report_judge`) is a method as well. One run per case draws up criteria from the question alone; the runs
//!   that score two whole reports carry these criteria in their options. Models give scores; weights, relative scores and the result over
//!   both orders are computed (`report_judge::scores`, `metrics::beside_the_control`).
//! - `observation` is a fold over a run's log, with the research that a report's result records. `metrics` (`metrics::text`: the style of a
//!   text, whatever it says), `bootstrap`, `agreement` and `compare` are plain functions over observations. Intervals are seeded from the
//!   data: the same results give the same report.
//! - `mlflow` sends the report, and the spans of the runs (`run::views::spans`) in OTLP's JSON. Files are written first, so a failure of
//!   the mirror loses nothing.
//! - `retrieval` measures the production path of documents into a collection and out of it, over collections in BEIR's layout.

pub mod agreement;
pub mod bootstrap;
pub mod claims;
pub mod compare;
pub mod dataset;
pub mod judge;
pub mod metrics;
pub mod mlflow;
pub mod observation;
mod otlp;
pub mod report;
pub mod report_judge;
pub mod retrieval;
pub mod runner;
