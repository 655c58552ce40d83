//! The key, the names and the values of an entry as they are written.

use std::collections::HashMap;

/// The most bytes of a value.
const LONGEST_VALUE: usize = 200_000;

/// Reads the fields of an entry one after the other.
pub(super) struct Scan<'a> {
    pub(super) rest: &'a str,
    pub(super) abbreviations: &'a HashMap<String, String>,
    pub(super) left: &'a mut u64,
}

impl Scan<'_> {
    /// Returns the key of the entry; empty if it has none.
    pub(super) fn key(&mut self) -> String {
        let end = self.rest.find([',', '}', '=', '\n']).unwrap_or(self.rest.len());
        let (key, rest) = self.rest.split_at(end);
        if rest.starts_with('=') {
            // An entry without a key begins with its first field.
            return String::new();
        }
        self.rest = rest;
        key.trim().to_owned()
    }

    /// Returns the name of the next field and its value as it is written, or `None` at the end.
    pub(super) fn field(&mut self) -> Option<(String, String)> {
        loop {
            let rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            if rest.is_empty() || rest.starts_with(['}', ')']) {
                return None;
            }
            let end = rest.find(['=', ',', '{', '}', '"', '\n']).unwrap_or(rest.len());
            let name = rest[..end].trim().to_ascii_lowercase();
            let after = rest[end..].trim_start();
            if let Some(value) = after.strip_prefix('=') {
                self.rest = value;
                let value = self.value();
                return Some((name, value));
            }
            // Whatever is no field is passed over up to the next comma or line.
            let next = rest.find([',', '\n'])?;
            self.rest = &rest[next + 1..];
        }
    }

    /// Returns a value: strings, numbers and abbreviations joined by `#`.
    fn value(&mut self) -> String {
        let mut value = String::new();
        loop {
            self.rest = self.rest.trim_start();
            let (part, rest) = match self.rest.as_bytes().first() {
                Some(b'{') => enclosed(&self.rest[1..], '}'),
                Some(b'"') => enclosed(&self.rest[1..], '"'),
                _ => {
                    let ends = |c: char| c.is_whitespace() || ",#}){\"".contains(c);
                    self.rest.split_at(self.rest.find(ends).unwrap_or(self.rest.len()))
                }
            };
            let is_bare = !self.rest.starts_with(['{', '"']);
            let name = part.to_ascii_lowercase();
            let known = self.abbreviations.get(&name).map(String::as_str);
            let known = known
                .or_else(|| month(&name))
                .filter(|it| is_bare && it.len() as u64 <= *self.left);
            if let Some(known) = known {
                *self.left -= known.len() as u64;
            }
            if value.len() < LONGEST_VALUE {
                let part = known.unwrap_or(part);
                value.push_str(&part[..part.floor_char_boundary(LONGEST_VALUE)]);
            }
            self.rest = rest.trim_start();
            match self.rest.strip_prefix('#') {
                Some(next) => self.rest = next,
                None => break,
            }
        }
        value
    }
}

/// Returns what stands before the closing mark at the same depth of braces, and what follows it.
fn enclosed(text: &str, close: char) -> (&str, &str) {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if c == close && depth == 0 && !(escaped && c == '"') => {
                return (&text[..at], &text[at + 1..]);
            }
            '{' if !escaped => depth += 1,
            '}' if !escaped => depth = depth.saturating_sub(1),
            _ => {}
        }
        escaped = c == '\\' && !escaped;
    }
    (text, "")
}

/// Returns the month that an abbreviation names.
fn month(name: &str) -> Option<&'static str> {
    const MONTHS: [&str; 12] = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ];
    let is_short = |month: &&str| name.len() == 3 && month.to_ascii_lowercase().starts_with(name);
    MONTHS.into_iter().find(is_short)
}
