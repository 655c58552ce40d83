//! The names of people: `Last, First and others`.

use super::tex::plain;
use crate::tidy;

/// Returns the names that `and` joins, first name first.
pub(super) fn people(names: &str) -> Vec<String> {
    let names = tidy(names);
    let mut found = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in names.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            c if c.is_whitespace() && depth == 0 && at >= start => {
                let after = names[at..].trim_start();
                if let Some(rest) =
                    after.strip_prefix("and").filter(|it| it.starts_with(char::is_whitespace))
                {
                    found.push(&names[start..at]);
                    start = names.len() - rest.len();
                }
            }
            _ => {}
        }
    }
    found.push(names.get(start..).unwrap_or_default());
    let shown = found.into_iter().map(|name| match name.trim() {
        "others" => "et al.".to_owned(),
        name => person(name),
    });
    shown.filter(|name| !name.is_empty()).collect()
}

/// Returns `Last, First` or `Last, Suffix, First` as `First Last Suffix`.
fn person(name: &str) -> String {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for c in name.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(c);
        }
    }
    let parts: Vec<String> = parts.iter().map(|part| plain(part)).collect();
    match parts.as_slice() {
        [last, first] => tidy(&format!("{first} {last}")),
        [last, suffix, first] => tidy(&format!("{first} {last} {suffix}")),
        parts => tidy(&parts.join(" ")),
    }
}
