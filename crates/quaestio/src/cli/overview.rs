//! What `quaestio --help` shows: the commands in groups, the most used first.

use std::fmt::Write;

use clap::Command;

/// The groups and their commands.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Answer", &["ask", "deep", "hypothesize", "market", "debate", "brief"]),
    ("Check", &["check", "validate", "verify", "replay", "attach", "eval"]),
    ("Data", &["ingest", "collections", "documents", "search", "survey", "contexts"]),
    ("Runs", &["runs", "render"]),
    (
        "Operate",
        &[
            "init",
            "serve",
            "worker",
            "mcp",
            "models",
            "embedders",
            "prompts",
            "config",
            "doctor",
            "health",
            "db",
            "completions",
            "man",
        ],
    ),
];

/// Where commands stand that no group names: methods that a program brings.
const OTHERS: &str = "More methods";

/// Returns the command line with an overview that lists its commands in groups.
pub(super) fn grouped(command: Command) -> Command {
    let shown: Vec<(&str, String)> = command
        .get_subcommands()
        .filter(|one| !one.is_hide_set())
        .map(|one| (one.get_name(), one.get_about().map(ToString::to_string).unwrap_or_default()))
        .collect();
    let width = shown.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let header = command.get_styles().get_header();
    let literal = command.get_styles().get_literal();
    let mut template = "{before-help}{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    let is_known = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let others: Vec<&str> =
        shown.iter().map(|(name, _)| *name).filter(|name| !is_known(name)).collect();
    for (title, names) in GROUPS.into_iter().chain([(OTHERS, &others[..])]) {
        let find = |name: &&str| shown.iter().find(|(known, _)| known == name);
        let found: Vec<_> = names.iter().filter_map(find).collect();
        if found.is_empty() {
            continue;
        }
        // Writing to a string cannot fail.
        let _ = writeln!(template, "\n{header}{title}:{header:#}");
        for (name, about) in found {
            let gap = width - name.len() + 2;
            // A brace would begin a tag of the template.
            let about = about.replace(['{', '}'], "");
            let _ = writeln!(template, "  {literal}{name}{literal:#}{:gap$}{about}", "");
        }
    }
    let _ = write!(
        template,
        "\n{header}Options, for every command:{header:#}\n{{options}}{{after-help}}"
    );
    command.help_template(template)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    // proves: F1
    #[test]
    fn every_command_is_in_the_overview_and_in_a_group() {
        let mut command = grouped(Cli::command());
        let overview = command.render_help().to_string();
        for one in Cli::command().get_subcommands().filter(|one| !one.is_hide_set()) {
            let name = one.get_name();
            assert!(overview.contains(&format!("\n  {name} ")), "{name}: {overview}");
        }
        let listed = overview.split("Options, for").next().unwrap();
        let commands = listed.lines().filter(|line| line.starts_with("  "));
        let wide = commands.filter(|line| line.chars().count() > 80);
        assert_eq!(wide.count(), 0, "{overview}");
        assert!(!overview.contains(OTHERS), "{overview}");
        assert!(!overview.contains("\n  help "), "{overview}");
    }
}
