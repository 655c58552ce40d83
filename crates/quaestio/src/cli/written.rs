//! Every command that the README and the manual show is one that this program accepts.

use std::path::Path;

use clap::error::ErrorKind;
use conformance::pages::{blocks, calls, pages};

use super::{build_command, parse, settings_last};

/// Returns what is wrong with a call of the program, if anything is.
fn refuse(call: &[String]) -> Option<String> {
    let args = call.iter().map(Into::into).collect();
    let error = parse(settings_last(args), &methods::all()).err()?;
    let is_help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    (!is_help).then(|| format!("{}\n{error}", call.join(" ")))
}

// proves: F1, F10
#[test]
fn every_command_in_the_readme_and_the_manual_is_valid() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut faults, mut count) = (Vec::new(), 0);
    for path in pages(&root).unwrap() {
        let page = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        for block in blocks(&page, &text).unwrap() {
            for (command, _) in block.commands() {
                for call in calls(&command, "quaestio") {
                    count += 1;
                    faults.extend(
                        refuse(&call).map(|fault| format!("{page}:{}: {fault}", block.line)),
                    );
                }
            }
        }
    }
    assert!(count > 0, "no page shows a command");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

// proves: F1, F10
#[test]
fn every_command_in_the_help_is_valid() {
    let mut open = vec![build_command(&methods::all())];
    let mut faults = Vec::new();
    while let Some(command) = open.pop() {
        for shown in [command.get_after_help(), command.get_after_long_help()].into_iter().flatten()
        {
            let shown = shown.to_string();
            // An example stands on a line of its own; prose may name the program as well.
            let lines = shown.lines().filter(|line| line.trim_start().starts_with("quaestio "));
            faults.extend(
                lines.flat_map(|line| calls(line, "quaestio")).filter_map(|call| refuse(&call)),
            );
        }
        open.extend(command.get_subcommands().cloned());
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
