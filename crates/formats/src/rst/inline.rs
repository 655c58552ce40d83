//! Inline markup: emphasis, literals, roles, references and substitutions by their words.

use std::cell::Cell;
use std::collections::HashMap;

use crate::markup::start_of;
use crate::script::subscript;
use crate::superscript;

/// The most bytes of the name of a substitution or a note.
const LONGEST_NAME: usize = 200;

/// Returns the words of a text without its inline markup.
pub(super) fn words(
    text: &str,
    substitutions: &HashMap<String, String>,
    references: &Cell<usize>,
) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = ' ';
    // Where an end was looked for in vain, it is not looked for again.
    let mut unended: Vec<&str> = Vec::new();
    while let Some(c) = rest.chars().next() {
        if c == '\\' {
            let escaped = rest[1..].chars().next();
            // An escaped blank joins what it stands between.
            if let Some(escaped) = escaped.filter(|c| !c.is_whitespace()) {
                found.push(escaped);
            }
            before = escaped.unwrap_or(' ');
            rest = &rest[1 + escaped.map_or(0, char::len_utf8)..];
            if before.is_whitespace() {
                before = ' ';
            }
            continue;
        }
        if may_start(before)
            && let Some((words, length)) = marked(rest, substitutions, references, &mut unended)
        {
            before = rest[..length].chars().last().unwrap_or(' ');
            let (marks, after) = rest.split_at(length);
            let is_lowered = marks.starts_with(":sub:") || marks.starts_with(":subscript:");
            // An escaped blank joins what it stands between.
            let after = after.strip_prefix("\\ ").unwrap_or(after);
            let said = if is_lowered { subscript(&found, &words, after) } else { words.into() };
            found.push_str(&said);
            rest = &rest[length..];
            continue;
        }
        if c == '_' && before.is_alphanumeric() {
            // The underscore of a reference: `word_` and `word__`.
            let after = rest.trim_start_matches('_');
            let is_end = after.chars().next().is_none_or(|c| !c.is_alphanumeric());
            if is_end && rest.len() - after.len() <= 2 {
                rest = after;
                before = '_';
                continue;
            }
        }
        found.push(c);
        before = c;
        rest = &rest[c.len_utf8()..];
    }
    found
}

fn may_start(before: char) -> bool {
    before.is_whitespace()
        || "'\"([{<-/:_".contains(before)
        || !before.is_ascii() && !before.is_alphanumeric()
}

/// Returns the words and the length of the markup that a text begins with.
fn marked<'a>(
    text: &'a str,
    substitutions: &HashMap<String, String>,
    references: &Cell<usize>,
    unended: &mut Vec<&'a str>,
) -> Option<(String, usize)> {
    let mut ended = |start: &'static str, end: &'static str| {
        if unended.contains(&end) {
            return None;
        }
        let inner = text.strip_prefix(start)?;
        if inner.starts_with(char::is_whitespace) {
            return None;
        }
        let mut from = inner.chars().next().map_or(0, char::len_utf8);
        while let Some(at) = inner.get(from..).and_then(|rest| rest.find(end)) {
            let at = from + at;
            let after = inner[at + end.len()..].chars().next();
            let escaped = end != "``" && inner[..at].ends_with('\\');
            let ends = after.is_none_or(|c| c.is_whitespace() || !c.is_alphanumeric());
            if ends && !escaped && !inner[..at].ends_with(char::is_whitespace) {
                return Some((&inner[..at], start.len() + at + end.len()));
            }
            from = at + end.len();
        }
        unended.push(end);
        None
    };
    if text.starts_with("``") {
        return ended("``", "``").map(|(inner, length)| (inner.to_owned(), length));
    }
    if text.starts_with("**") {
        return ended("**", "**").map(|(inner, length)| (unescaped(inner), length));
    }
    if text.starts_with('*') {
        return ended("*", "*").map(|(inner, length)| (unescaped(inner), length));
    }
    if text.starts_with("_`") {
        return ended("_`", "`").map(|(inner, length)| (unescaped(inner), length));
    }
    if let Some(after) = text.strip_prefix('|') {
        let inner = start_of(after, LONGEST_NAME);
        let inner = &inner[..inner.find('|')?];
        if inner.is_empty() || inner.starts_with(' ') || inner.ends_with(' ') {
            return None;
        }
        let length = inner.len() + 2;
        let words =
            substitutions.get(&inner.to_lowercase()).cloned().unwrap_or_else(|| inner.to_owned());
        return Some((words, length + underscores(&text[length..])));
    }
    if text.starts_with('`') {
        let (inner, length) = ended("`", "`")?;
        let rest = &text[length..];
        if let Some(role) = role_at(rest) {
            return Some((by_role(role, inner), length + role.len() + 2));
        }
        return Some((titled(inner), length + underscores(rest)));
    }
    if text.starts_with(':') {
        let role = role_at(text)?;
        let start = role.len() + 2;
        let rest = text[start..].strip_prefix('`')?;
        let end = rest.find('`')?;
        return Some((by_role(role, &rest[..end]), start + end + 2));
    }
    if text.starts_with('[') {
        let end = start_of(text, LONGEST_NAME).find(']')?;
        let label = &text[1..end];
        let is_label = !label.is_empty() && !label.contains(char::is_whitespace);
        let after = text[end + 1..].strip_prefix('_')?;
        let is_end = after.chars().next().is_none_or(|c| !c.is_alphanumeric());
        if !is_label || !is_end {
            return None;
        }
        let label = match label.trim_start_matches('#') {
            "" => {
                references.set(references.get() + 1);
                references.get().to_string()
            }
            label => label.to_owned(),
        };
        return Some((format!("[{label}]"), end + 2));
    }
    None
}

/// Returns how many underscores make a text before them a reference.
fn underscores(rest: &str) -> usize {
    (rest.len() - rest.trim_start_matches('_').len()).min(2)
}

/// Returns the role that a text begins with: `:ref:`.
fn role_at(text: &str) -> Option<&str> {
    let rest = text.strip_prefix(':')?;
    let is_part = |c: char| c.is_alphanumeric() || "-_+.:".contains(c);
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    let name = rest[..length].trim_end_matches(|c| c != ':').strip_suffix(':')?;
    let before_quote = rest[name.len() + 1..].starts_with('`')
        || text.len() == name.len() + 2
        || !rest[name.len() + 1..].starts_with(is_part);
    (!name.is_empty() && before_quote).then_some(name)
}

/// Returns what a reader sees of a role's text.
fn by_role(role: &str, inner: &str) -> String {
    let name = role.rsplit(':').next().unwrap_or(role).to_lowercase();
    match name.as_str() {
        "math" | "code" | "literal" | "samp" | "kbd" | "file" | "command" => {
            if name == "samp" || name == "file" {
                inner.replace(['{', '}'], "")
            } else {
                inner.to_owned()
            }
        }
        "raw" | "raw-html" | "index" => titled(inner),
        "pep" if !inner.contains('<') => format!("PEP {inner}"),
        "rfc" if !inner.contains('<') => format!("RFC {inner}"),
        "abbr" => inner.to_owned(),
        "sup" | "superscript" => superscript(&unescaped(inner)),
        _ => {
            let words = titled(inner);
            match words.strip_prefix('~') {
                Some(path) => path.rsplit('.').next().unwrap_or(path).to_owned(),
                None => words.strip_prefix('!').unwrap_or(&words).to_owned(),
            }
        }
    }
}

/// Returns the title of `title <target>`, or the target if it has none.
fn titled(inner: &str) -> String {
    let words = match inner.strip_suffix('>').and_then(|rest| rest.rsplit_once('<')) {
        Some((title, target)) if !target.is_empty() => {
            if title.trim().is_empty() {
                target
            } else {
                title.trim_end()
            }
        }
        _ => inner,
    };
    unescaped(words)
}

fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut found = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(c) = letters.next() {
        if c != '\\' {
            found.push(c);
        } else if let Some(next) = letters.next().filter(|c| !c.is_whitespace()) {
            found.push(next);
        }
    }
    found
}
