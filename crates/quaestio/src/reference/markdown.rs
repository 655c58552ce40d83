//! Texts of the program as Markdown.

use std::sync::LazyLock;

use crate::config::default_keys;

static KEYS: LazyLock<Vec<String>> = LazyLock::new(default_keys);

/// Returns a text on one line whose characters mean nothing in Markdown, except for code in backticks. Flags and settings become
/// code, and a setting leads to its place.
pub(super) fn plain(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            out.push_str(&linked(part).unwrap_or_else(|| code(part)));
            continue;
        }
        for (index, word) in part.split(' ').enumerate() {
            if index > 0 {
                out.push(' ');
            }
            let name = word.trim_matches(|c| ['(', ')', ',', ';', ':', '.', '"'].contains(&c));
            match linked(name).or_else(|| page(name)).or_else(|| is_code(name).then(|| code(name)))
            {
                Some(shown) => {
                    let (before, after) = word.split_once(name).unwrap_or_default();
                    out.extend([&escape(before), &shown, &escape(after)].map(String::as_str));
                }
                None => out.push_str(&escape(word)),
            }
        }
    }
    out
}

/// Returns whether a word is a flag or a variable of the environment.
fn is_code(word: &str) -> bool {
    let is_variable = word.contains('_')
        && word
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    is_variable || (word.starts_with("--") && word.len() > 2)
}

/// Returns a link to a page of the manual, or to a decision.
fn page(path: &str) -> Option<String> {
    let name = path.strip_prefix("docs/")?;
    let target = name
        .strip_prefix("manual/")
        .map_or_else(|| format!("../../{name}"), |page| format!("../{page}"));
    name.ends_with(".md").then(|| format!("[{}]({target})", code(path)))
}

/// Returns a link to a setting.
fn linked(name: &str) -> Option<String> {
    KEYS.iter().any(|key| key == name && key.contains('.')).then(|| setting(name))
}

/// Returns a link to a setting that is there.
pub(super) fn setting(key: &str) -> String {
    format!("[{}](settings.md#{key})", code(key))
}

/// Returns code on a line, fit for a cell of a table.
pub(super) fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '*' | '_' | '[' | ']' | '|' | '\\' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// Returns a table, or nothing without rows.
pub(super) fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut out = line(&heads.map(str::to_owned));
    out.push_str(&line(&heads.map(|_| "---".to_owned())));
    rows.iter().for_each(|row| out.push_str(&line(row)));
    out.push('\n');
    out
}

/// Returns a text as the id of a place: letters, digits and hyphens.
pub(super) fn slug(text: &str) -> String {
    let cut = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty());
    cut.collect::<Vec<_>>().join("-").to_lowercase()
}
