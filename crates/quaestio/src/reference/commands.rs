//! The page of the commands, from the definition of the command line.

use clap::{Arg, ArgAction, Command};
use run::Methods;

use super::markdown::{code, plain, slug};
use crate::cli;

pub(super) fn page(methods: &Methods) -> String {
    let mut program = cli::build_command(methods);
    program.build();
    let mut out = String::from(
        "# Commands\n\nEvery command of `quaestio`, with its arguments and options. `quaestio COMMAND --help` prints the same at the \
         terminal.\n\n",
    );
    let mut list = String::new();
    for command in shown(&program) {
        let name = command.get_name();
        list.push_str(&format!("- [`{name}`](#quaestio-{name}): {}\n", about(command)));
    }
    out.push_str(&list);
    out.push_str("\n## Options of every command {#global}\n\n");
    options(&mut out, program.get_arguments().filter(|arg| arg.is_global_set()));
    for command in shown(&program) {
        section(&mut out, command, "quaestio", 2);
    }
    out
}

fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|one| !one.is_hide_set() && one.get_name() != "help")
}

fn about(command: &Command) -> String {
    command.get_about().map(|text| plain(&text.to_string())).unwrap_or_default()
}

fn section(out: &mut String, command: &Command, parent: &str, depth: usize) {
    let name = format!("{parent} {}", command.get_name());
    let (marks, id) = ("#".repeat(depth), slug(&name));
    out.push_str(&format!("{marks} {name} {{#{id}}}\n\n"));
    let long = command.get_long_about().or(command.get_about()).map(ToString::to_string);
    for paragraph in long.unwrap_or_default().split("\n\n") {
        out.push_str(&format!("{}\n\n", plain(paragraph)));
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ").lines().map(str::trim).collect::<Vec<_>>();
    out.push_str(&format!("```text\n{}\n```\n\n", usage.join("\n")));
    examples(out, command);
    let own = command.get_arguments().filter(|arg| !arg.is_global_set());
    options(out, own);
    for one in shown(command) {
        section(out, one, &name, (depth + 1).min(4));
    }
}

fn options<'a>(out: &mut String, args: impl Iterator<Item = &'a Arg>) {
    let is_own = |arg: &&Arg| {
        let action = arg.get_action();
        let is_help =
            matches!(action, ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong);
        !arg.is_hide_set() && !is_help && !matches!(action, ArgAction::Version)
    };
    let args: Vec<&Arg> = args.filter(is_own).collect();
    let mut headings: Vec<Option<&str>> = vec![None];
    for arg in &args {
        let heading = arg.get_help_heading();
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading in headings {
        let mut under: Vec<&Arg> =
            args.iter().filter(|arg| arg.get_help_heading() == heading).copied().collect();
        under.sort_by_key(|arg| !arg.is_positional());
        if let Some(heading) = heading.filter(|_| !under.is_empty()) {
            out.push_str(&format!("**{}**\n\n", plain(heading)));
        }
        under.iter().for_each(|arg| list_option(out, arg));
        if !under.is_empty() {
            out.push('\n');
        }
    }
}

fn list_option(out: &mut String, arg: &Arg) {
    out.push_str(&format!("- {}{}\n", spelled(arg), described(arg)));
    for value in arg.get_possible_values().iter().filter(|value| !value.is_hide_set()) {
        if let Some(help) = value.get_help().filter(|_| takes_value(arg)) {
            let name = code(value.get_name());
            out.push_str(&format!("    - {name}: {}\n", plain(&help.to_string())));
        }
    }
}

/// Writes the examples that `--help` shows.
fn examples(out: &mut String, command: &Command) {
    let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let lines: Vec<&str> =
        after.lines().map(str::trim).filter(|line| line.starts_with("quaestio ")).collect();
    if !lines.is_empty() {
        out.push_str(&format!("```sh\n{}\n```\n\n", lines.join("\n")));
    }
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

/// Returns how an argument is written.
fn spelled(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    let several =
        if arg.get_num_args().is_some_and(|range| range.max_values() > 1) { "…" } else { "" };
    let value = names.iter().map(|name| format!("<{name}>")).collect::<Vec<_>>().join(" ");
    let mut ways = Vec::new();
    ways.extend(arg.get_short().map(|short| format!("-{short}")));
    ways.extend(arg.get_long().map(|long| format!("--{long}")));
    match ways.last_mut() {
        Some(last) if takes_value(arg) => last.push_str(&format!(" {value}{several}")),
        Some(_) => {}
        None => ways.push(format!("{value}{several}")),
    }
    ways.iter().map(|way| code(way)).collect::<Vec<_>>().join(", ")
}

/// Returns what an argument is for, its values, its default, and the other names of its flag.
fn described(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut parts = vec![plain(&help)];
    let values = arg.get_possible_values();
    let short = values.iter().filter(|value| !value.is_hide_set() && value.get_help().is_none());
    let names: Vec<String> = short.map(|value| code(value.get_name())).collect();
    if takes_value(arg) && !names.is_empty() {
        parts.push(format!("Values: {}.", names.join(", ")));
    }
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| code(&value.to_string_lossy())).collect();
    if takes_value(arg) && !defaults.is_empty() {
        parts.push(format!("Default: {}.", defaults.join(", ")));
    }
    let aliases = arg.get_visible_aliases().unwrap_or_default();
    parts.extend(aliases.iter().map(|alias| format!("Also: {}.", code(&format!("--{alias}")))));
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() { String::new() } else { format!(": {}", parts.join(" ")) }
}
