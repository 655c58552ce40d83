//! The command line of `quaestio runs`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Subcommand;
use jiff::{Span, SpanRelativeTo};
use run::entry::Hash;

use super::{Format, Json, OutputArgs, OutputPath, Said};
use crate::export::ExportFormat;
use crate::pdf::PaperSize;

/// Runs are named by their id, by its beginning, or as `last`.
#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    /// List the runs, newest first.
    List {
        #[arg(long, default_value_t = 20)]
        limit: u32,
        #[arg(long, default_value_t = 0)]
        offset: u32,
        /// Include the runs of evaluations.
        #[arg(long)]
        all: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Show where a run stands: steps, cost, claims.
    Show {
        run: String,
        #[command(flatten)]
        json: Json,
    },
    /// Print the entries of a run's log, one JSON object a line.
    Events {
        run: String,
        /// Begin after this entry.
        #[arg(long, default_value_t = 0)]
        after: u64,
        /// Go on until the run ends.
        #[arg(long)]
        follow: bool,
    },
    /// Print a run's result, or write it to a file or a folder.
    Export {
        run: String,
        /// The format, json if nothing is said; with --output, that of a file whose name does not say it.
        #[arg(long, value_enum)]
        format: Option<ExportFormat>,
        /// The style of its references.
        #[arg(long, value_name = "NAME")]
        style: Option<String>,
        /// Of a bundle: leave out the texts of sources, which their licences may not let you pass on. The passages that the run looked at
        /// are in its log.
        #[arg(long)]
        passages_only: bool,
        /// The paper of a PDF.
        #[arg(long, value_enum, default_value = "a4")]
        paper: PaperSize,
        #[command(flatten)]
        place: OutputPath,
    },
    /// Write a run's folder of plain files for programs: answer, contexts, judgments, events, manifest.
    Artifacts {
        run: String,
        #[command(flatten)]
        json: Json,
    },
    /// Go on with a run that was interrupted.
    Resume {
        run: String,
        #[command(flatten)]
        said: Said,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Stop a run.
    Cancel {
        run: String,
        #[command(flatten)]
        json: Json,
    },
    /// Remove runs: their logs, results and artifacts, and what was read for them alone.
    Remove {
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<String>,
        #[command(flatten)]
        json: Json,
    },
    /// Remove runs that ended long ago. What waits for a person has not ended.
    Prune {
        /// How long ago they ended, at least: 30d, 12h, 2w.
        #[arg(long, value_name = "AGE", value_parser = age)]
        older_than: Duration,
        /// Only name them.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        json: Json,
    },
    /// Begin a new run that keeps the steps of this one before STEP; `--set` and `--model` apply after it.
    Fork {
        run: String,
        #[arg(long, value_name = "STEP")]
        from: String,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Make the deliverable again from the log alone, and compare.
    Replay {
        run: String,
        #[arg(long, value_enum, default_value = "md")]
        format: Format,
    },
    /// Tell what is different between two results: claims that came, went, were reworded or changed their verdict, sources, settings, cost.
    ///
    /// Each is a run or a file of a result as JSON, as `--format json` prints it, so that results of two machines can be compared.
    Diff {
        #[arg(value_name = "RUN|FILE")]
        from: String,
        #[arg(value_name = "RUN|FILE")]
        to: String,
        #[command(flatten)]
        json: Json,
    },
    /// Answer what a run asks, and go on with it.
    Answer {
        run: String,
        #[arg(required_unless_present = "answers", conflicts_with = "answers")]
        answer: Option<String>,
        /// Which question, where the run asks several.
        #[arg(long)]
        gate: Option<String>,
        #[command(flatten)]
        said: Said,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Print the plan that a run proposes, with its revision and its hash; or save an edited one.
    Plan {
        run: String,
        /// Which plan, where the run proposes several.
        #[arg(long)]
        gate: Option<String>,
        /// Save the plan of this file, a JSON object as `--json` prints it, as the next revision.
        #[arg(long, value_name = "FILE.json")]
        edit: Option<PathBuf>,
        #[command(flatten)]
        json: Json,
    },
    /// Approve the plan that a run proposes, and go on with it.
    Approve {
        run: String,
        /// Which plan, where the run proposes several.
        #[arg(long)]
        gate: Option<String>,
        /// Only this revision of it; without, the latest.
        #[arg(long, value_name = "N", requires = "plan_hash")]
        revision: Option<u32>,
        /// The hash of that revision.
        #[arg(long, value_name = "HASH", requires = "revision")]
        plan_hash: Option<Hash>,
        #[command(flatten)]
        output: OutputArgs,
    },
    /// Reject the plan that a run proposes, which ends the run.
    Reject {
        run: String,
        /// Which plan, where the run proposes several.
        #[arg(long)]
        gate: Option<String>,
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
