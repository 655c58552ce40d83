//! The command line of `quaestio runs`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use jiff::{Span, SpanRelativeTo};
use run::entry::Hash;

use super::{Format, Json, OutputArgs, OutputPath, Said, heading};
use crate::export::ExportFormat;
use crate::pdf::PaperSize;

/// List, show, resume, answer, approve, compare or export runs.
///
/// Name a run by its id, the beginning of its id, or `last`.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List runs, newest first.
    List {
        /// Show at most this many runs.
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
        /// Skip this many runs.
        #[arg(long, value_name = "N", default_value_t = 0)]
        offset: u32,
        /// Include the runs of evaluations.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Show the state of a run: steps, cost, claims.
    Show {
        /// The run.
        run: String,
        #[command(flatten)]
        json: Json,
    },
    /// Print a run's log, one JSON object per line.
    Events {
        /// The run.
        run: String,
        /// Start after this entry.
        #[arg(long, value_name = "N", default_value_t = 0)]
        after: u64,
        /// Keep printing until the run ends.
        #[arg(long)]
        follow: bool,
    },
    /// Print a run's result, or write it to a file or folder.
    Export {
        /// The run.
        run: String,
        /// Output format [default: json, or the ending of the --output file].
        #[arg(long, value_enum, help_heading = heading::OUTPUT)]
        format: Option<ExportFormat>,
        /// Citation style of the references [default: apa (bibliography.style)].
        #[arg(long, value_name = "NAME", help_heading = heading::OUTPUT)]
        style: Option<String>,
        /// Leave the full texts of sources out of a bundle.
        ///
        /// Use this if their licences do not let you pass them on. The passages that the run read stay in its log.
        #[arg(long, help_heading = heading::OUTPUT)]
        passages_only: bool,
        /// Paper size of a PDF.
        #[arg(long, value_enum, default_value = "a4", help_heading = heading::OUTPUT)]
        paper: PaperSize,
        #[command(flatten)]
        place: OutputPath,
    },
    /// Write a run's folder of plain files: answer, contexts, judgments, events, manifest.
    Artifacts {
        /// The run.
        run: String,
        #[command(flatten)]
        json: Json,
    },
    /// Resume a run that was interrupted.
    Resume {
        /// The run.
        run: String,
        #[command(flatten)]
        said: Said,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Stop a run.
    Cancel {
        /// The run.
        run: String,
        #[command(flatten)]
        json: Json,
    },
    /// Remove runs: their logs, results, artifacts, and documents read only for them.
    Remove {
        /// The runs.
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<String>,
        #[command(flatten)]
        json: Json,
    },
    /// Remove runs that ended long ago. Runs that wait for you stay.
    Prune {
        /// Remove runs that ended at least this long ago, such as 30d, 12h or 2w.
        #[arg(long, value_name = "AGE", value_parser = age)]
        older_than: Duration,
        /// List the runs, but remove nothing.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Start a new run from a step of an earlier one.
    ///
    /// The new run keeps all steps before STEP and repeats the rest. Changes by `--set` and `--model` apply from STEP on.
    Fork {
        /// The run to start from.
        run: String,
        /// The first step to repeat; `quaestio runs show RUN` lists the steps.
        #[arg(long, value_name = "STEP")]
        from: String,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Rebuild a run's result from its log alone, and compare.
    Replay {
        /// The run.
        run: String,
        /// Output format.
        #[arg(long, value_enum, default_value = "md")]
        format: Format,
    },
    /// Show the differences between two results: claims, verdicts, sources, settings, cost.
    ///
    /// Each result is a run, or a JSON file from `--format json`. You can compare results from two machines.
    Diff {
        /// The earlier result.
        #[arg(value_name = "RUN|FILE")]
        from: String,
        /// The later result.
        #[arg(value_name = "RUN|FILE")]
        to: String,
        #[command(flatten)]
        json: Json,
    },
    /// Answer a run's question, and resume the run.
    Answer {
        /// The run.
        run: String,
        /// Your answer.
        #[arg(required_unless_present = "answers", conflicts_with = "answers")]
        answer: Option<String>,
        /// The question to answer, if the run asks several.
        #[arg(long, value_name = "NAME")]
        gate: Option<String>,
        #[command(flatten)]
        said: Said,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Show the plan that a run proposes, or save an edited one.
    Plan {
        /// The run.
        run: String,
        /// The plan to show, if the run proposes several.
        #[arg(long, value_name = "NAME")]
        gate: Option<String>,
        /// Save the plan in this file as the next revision; start from the output of --json.
        #[arg(long, value_name = "FILE.json")]
        edit: Option<PathBuf>,
        #[command(flatten)]
        json: Json,
    },
    /// Approve a run's plan, and resume the run.
    Approve {
        /// The run.
        run: String,
        /// The plan to approve, if the run proposes several.
        #[arg(long, value_name = "NAME")]
        gate: Option<String>,
        /// Approve this revision only [default: the latest].
        #[arg(long, value_name = "N", requires = "plan_hash")]
        revision: Option<u32>,
        /// Hash of that revision.
        #[arg(long, value_name = "HASH", requires = "revision")]
        plan_hash: Option<Hash>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Reject a run's plan. This ends the run.
    Reject {
        /// The run.
        run: String,
        /// The plan to reject, if the run proposes several.
        #[arg(long, value_name = "NAME")]
        gate: Option<String>,
        /// Your reason, recorded in the log.
        #[arg(long, value_name = "TEXT", default_value = "")]
        reason: String,
        #[command(flatten)]
        json: Json,
    },
}

/// Reads an age such as `30d`.
fn age(text: &str) -> Result<Duration, String> {
    let wrong = || "write a number and its unit, such as 30d, 12h or 2w".to_owned();
    let span: Span = text.parse().map_err(|_| wrong())?;
    let age = span.to_duration(SpanRelativeTo::days_are_24_hours()).map_err(|_| wrong())?;
    Duration::try_from(age).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_is_a_number_and_its_unit() {
        let hours = |hours| Ok(Duration::from_hours(hours));
        assert_eq!(age("30d"), hours(30 * 24));
        assert_eq!(age("2w"), hours(14 * 24));
        assert_eq!(age("1d 12h"), hours(36));
        for wrong in ["", "30", "-1d", "d", "1 month", "soon"] {
            assert!(age(wrong).is_err(), "{wrong}");
        }
    }
}
