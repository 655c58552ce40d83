//! The *quaestio* of the best hypotheses, line by line.

use methods::hypothesize::payload::Origin;

use super::Page;

/// The words with which a part of a *quaestio* begins.
const PARTS: [&str; 10] = [
    "question",
    "quaestio",
    "article",
    "objection",
    "on the contrary",
    "sed contra",
    "i answer that",
    "respondeo",
    "reply to objection",
    "reply",
];

/// Writes the rendering, and says whose it is.
pub(super) fn section(page: &mut Page, written: &str, origin: Origin) {
    page.heading("Summa");
    let by = match origin {
        Origin::Model => "",
        Origin::Extractive => {
            "Put together by the program from sentences of the papers; no model was asked. "
        }
        Origin::Fallback => {
            "Put together by the program from the ranked hypotheses, since what the composer wrote was no quaestio. "
        }
    };
    page.paragraph(&format!(
        "{by}A sentence with a mark is checked against its quote; the rest is argument."
    ));
    for line in written.lines() {
        let line = self::line(page, line);
        page.paragraph(&line);
    }
}

/// Returns a line with what it begins with in bold, where that is a heading or names a part.
fn line(page: &Page, line: &str) -> String {
    let line = line.trim();
    let heading = line.trim_start_matches('#');
    if heading.len() < line.len() {
        let heading = page.inline(heading.replace("**", "").trim_matches('#'));
        return bold(&heading);
    }
    let (label, rest) = match line.strip_prefix("**").and_then(|bold| bold.split_once("**")) {
        Some((label, rest)) => (label, rest),
        None => line.split_at(part(line)),
    };
    let (label, rest) = (page.inline(label), rest.trim_start());
    match (label.as_str(), rest) {
        ("", _) => page.block(rest),
        (_, "") => bold(&label),
        _ => format!("{} {}", bold(&label), page.inline(rest)),
    }
}

fn bold(text: &str) -> String {
    // An asterisk of the text's own would end what is bold, or leave the marks standing.
    let text = text.replace("\\*", "").replace('*', "");
    let text = text.trim_end_matches('\\').trim();
    if text.is_empty() { String::new() } else { format!("**{text}**") }
}

/// Returns how long the words are that name a part, their full stop or colon included.
fn part(line: &str) -> usize {
    const LONGEST: usize = 40;
    let begins = |part: &&str| match line.split_at_checked(part.len()) {
        Some((begin, rest)) => {
            begin.eq_ignore_ascii_case(part) && !rest.starts_with(char::is_alphanumeric)
        }
        None => false,
    };
    if !PARTS.iter().any(|part| begins(part)) {
        return 0;
    }
    match line.find(['.', ':', ',']) {
        Some(end) if end < LONGEST => end + 1,
        _ => 0,
    }
}
