//! Code that was proposed, and what came of running it.

use methods::debate::payload::Proposed;
use run::sandbox::{End, Execution, LANGUAGE, Left, Trial};

use crate::render::pages::Page;

/// Characters of what a program printed that a report shows, and files that it names; the JSON has all of them.
const SHOWN_CHARS: usize = 4_000;
const SHOWN_FILES: usize = 20;

pub(super) fn proposal(page: &mut Page, proposed: &Proposed) {
    if !proposed.code.trim().is_empty() {
        let language = if proposed.language == LANGUAGE { LANGUAGE } else { "" };
        page.code(&proposed.code, language);
    }
    match &proposed.trial {
        Trial::NotExecuted { reason } => {
            let reason = page.inline(reason);
            page.paragraph(&format!("**Not executed.** {reason}"));
        }
        Trial::Executed(execution) => executed(page, execution),
    }
}

fn executed(page: &mut Page, execution: &Execution) {
    let Execution { end, duration_ms, checks, .. } = execution;
    let end = match end {
        End::Exited { code } => format!("exit code {code}"),
        End::Killed { signal } => format!("ended by signal {signal}"),
        End::TimedOut => "its time was up".to_owned(),
        End::TooMuchOutput => "it printed more than it may".to_owned(),
        End::TooMuchStored => "it stored more than it may".to_owned(),
    };
    let fell =
        if checks.failed > 0 { format!(", {} failed", checks.failed) } else { String::new() };
    let lines = [
        format!("**Executed** in {duration_ms} ms: {end}."),
        format!(
            "Checks of its own, self-reported: {} found, {} held{fell}.",
            checks.found, checks.held
        ),
        format!(
            "Interpreter: {}; held by: {}.",
            page.inline(&execution.interpreter),
            page.inline(&execution.layers.join(", "))
        ),
    ];
    page.paragraph(&lines.join("  \n"));
    printed(page, "It printed:", &execution.stdout);
    printed(page, "On standard error:", &execution.stderr);
    files(page, &execution.files);
}

fn printed(page: &mut Page, label: &str, text: &str) {
    if text.trim().is_empty() {
        return;
    }
    page.paragraph(label);
    let shown: String = text.chars().take(SHOWN_CHARS).collect();
    page.code(&shown, "");
    if shown.len() < text.len() {
        let all = text.chars().count();
        page.paragraph(&format!("Cut: {SHOWN_CHARS} of {all} characters."));
    }
}

fn files(page: &mut Page, files: &[Left]) {
    if files.is_empty() {
        return;
    }
    page.paragraph("Files that it left:");
    let line = |file: &Left| format!("File {} ({} bytes)", page.inline(&file.path), file.bytes);
    let items: Vec<String> = files.iter().take(SHOWN_FILES).map(line).collect();
    page.items(items);
    if files.len() > SHOWN_FILES {
        page.paragraph(&format!("And {} more.", files.len() - SHOWN_FILES));
    }
}
