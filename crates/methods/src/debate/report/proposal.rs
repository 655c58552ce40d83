//! Code that was proposed, and what came of running it.

use render::{Document, Line};
use run::sandbox::{End, Execution, LANGUAGE, Left, Trial};

use crate::debate::payload::Proposed;

/// Characters of what a program printed that a report shows, and files that it names; the JSON has all of them.
const SHOWN_CHARS: usize = 4_000;
const SHOWN_FILES: usize = 20;

pub(super) fn proposal(report: &mut Document, proposed: &Proposed) {
    if !proposed.code.trim().is_empty() {
        let language = if proposed.language == LANGUAGE { LANGUAGE } else { "" };
        report.code(&proposed.code, language);
    }
    match &proposed.trial {
        Trial::NotExecuted { reason } => {
            report.paragraph(Line::new().strong("Not executed.").text(format!(" {reason}")));
        }
        Trial::Executed(execution) => executed(report, execution),
    }
}

fn executed(report: &mut Document, execution: &Execution) {
    let Execution { end, duration_ms, checks, .. } = execution;
    let end = match end {
        End::Exited { code } => format!("exit code {code}"),
        End::Killed { signal } => format!("ended by signal {signal}"),
        End::TimedOut => "the time limit was reached".to_owned(),
        End::TooMuchOutput => "it printed more than is allowed".to_owned(),
        End::TooMuchStored => "it stored more than is allowed".to_owned(),
    };
    let fell =
        if checks.failed > 0 { format!(", {} failed", checks.failed) } else { String::new() };
    let lines = [
        Line::new().strong("Executed").text(format!(" in {duration_ms} ms: {end}.")),
        Line::from(format!(
            "Its own checks, as the code reports them: {} found, {} passed{fell}.",
            checks.found, checks.held
        )),
        Line::from(format!(
            "Interpreter: {}; isolated by: {}.",
            execution.interpreter,
            execution.layers.join(", ")
        )),
    ];
    report.paragraph(Line::broken(lines));
    printed(report, "It printed:", &execution.stdout);
    printed(report, "On standard error:", &execution.stderr);
    files(report, &execution.files);
}

fn printed(report: &mut Document, label: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    report.paragraph(label);
    let shown: String = text.chars().take(SHOWN_CHARS).collect();
    report.code(&shown, "");
    if shown.len() < text.len() {
        let all = text.chars().count();
        report.paragraph(format!(
            "The first {SHOWN_CHARS} of {all} characters; the JSON result contains all of them."
        ));
    }
}

fn files(report: &mut Document, files: &[Left]) {
    if files.is_empty() {
        return;
    }
    report.paragraph("Files it wrote:");
    let line = |file: &Left| format!("File {} ({} bytes)", file.path, file.bytes);
    report.items(files.iter().take(SHOWN_FILES).map(line));
    if files.len() > SHOWN_FILES {
        report.paragraph(format!("And {} more.", files.len() - SHOWN_FILES));
    }
}
