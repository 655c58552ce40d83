//! The page of the exit codes.

use super::markdown::table;
use crate::failure::Exit;

const ALL: [Exit; 7] = [
    Exit::Done,
    Exit::Failed,
    Exit::Usage,
    Exit::NotEnoughEvidence,
    Exit::Partial,
    Exit::Waiting,
    Exit::Cancelled,
];

fn meaning(exit: Exit) -> &'static str {
    match exit {
        Exit::Done => "The command did what it was asked to do.",
        Exit::Failed => "The command failed. Standard error says why, and what to do.",
        Exit::Usage => "The command line or the configuration is wrong. Nothing was begun.",
        Exit::NotEnoughEvidence => {
            "There is not enough evidence for an answer, or nothing was found. `check`: a sentence is unsupported. `validate`: the \
             result has a fault."
        }
        Exit::Partial => {
            "The result is partial: a cap was met, a step failed, or a source could not be reached. `ingest`: something was left out."
        }
        Exit::Waiting => "The run waits for you: it asks a question, or proposes a plan.",
        Exit::Cancelled => "The run was cancelled.",
    }
}

pub(super) fn page() -> String {
    let rows = ALL.map(|exit| [exit.code().to_string(), meaning(exit).to_owned()]);
    format!(
        "# Exit codes\n\nScripts can tell from the exit code how a command ended.\n\n{}\
         A second Ctrl-C ends the program at once, with code 130.\n",
        table(["Code", "Meaning"], &rows)
    )
}
