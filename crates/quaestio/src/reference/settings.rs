//! The page of the settings, from the file of the defaults and its comments.

use super::markdown::{code, plain};
use super::variables;
use crate::config::DEFAULTS;

/// Settings that a comment describes together.
#[derive(Default)]
struct Entry {
    /// Keys in full, with their defaults.
    keys: Vec<(String, String)>,
    comment: String,
}

/// A table of the file.
#[derive(Default)]
struct Section {
    name: String,
    comment: String,
    entries: Vec<Entry>,
}

pub(super) fn page() -> String {
    let mut out = String::from(
        "# Settings\n\nEvery setting with its default. Set one in your configuration file, in `quaestio.toml` of the folder you work \
         in, as an environment variable, or with `--set`. `quaestio config show` prints the value of each and where it comes from. \
         [Configuration](../configuration.md) explains the layers.\n\nThe environment variable of a setting is its name in capitals \
         after `QUAESTIO_`, with two underscores for each dot: `ask.top_k` is `QUAESTIO_ASK__TOP_K`.\n\n",
    );
    for section in read(DEFAULTS) {
        let title = if section.name.is_empty() { "General" } else { &section.name };
        out.push_str(&format!("## {title}\n\n"));
        if !section.comment.is_empty() {
            out.push_str(&format!("{}\n\n", plain(&section.comment)));
        }
        for entry in &section.entries {
            for (key, value) in &entry.keys {
                out.push_str(&format!("- <a id=\"{key}\"></a>{} = {}\n", code(key), code(value)));
            }
            out.push('\n');
            if !entry.comment.is_empty() {
                // Below the settings that it is about.
                let indent = if entry.keys.is_empty() { "" } else { "    " };
                out.push_str(&format!("{indent}{}\n\n", plain(&entry.comment)));
            }
        }
    }
    out.push_str(&variables::section());
    out
}

/// Reads the file: a comment belongs to what stands right below it, and settings without one to the comment above them.
fn read(text: &str) -> Vec<Section> {
    let mut sections = vec![Section::default()];
    let mut comment = String::new();
    for line in text.lines().chain([""]) {
        let line = line.trim();
        let section = sections.last_mut().expect("the first is there from the beginning");
        if let Some(said) = line.strip_prefix('#') {
            comment.push_str(said);
            comment.push('\n');
        } else if line.is_empty() {
            // The head of the file says what the page says.
            let said = std::mem::take(&mut comment);
            let is_empty = section.name.is_empty() && section.entries.is_empty();
            if !said.is_empty() && !is_empty {
                section.entries.push(Entry { keys: vec![], comment: said });
            }
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            sections.push(Section {
                name: name.to_owned(),
                comment: std::mem::take(&mut comment),
                entries: vec![],
            });
        } else if let Some((key, value)) = line.split_once('=') {
            let joins = comment.is_empty()
                && section.entries.last().is_some_and(|last| !last.keys.is_empty());
            if !joins {
                section.entries.push(Entry { keys: vec![], comment: std::mem::take(&mut comment) });
            }
            let prefix =
                if section.name.is_empty() { String::new() } else { format!("{}.", section.name) };
            if let Some(entry) = section.entries.last_mut() {
                entry.keys.push((format!("{prefix}{}", key.trim()), value.trim().to_owned()));
            }
        }
    }
    sections
}
