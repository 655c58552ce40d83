//! The title of a PDF: what a person gave it, not what a program wrote there.

use super::layout::{Block, Kind};
use super::words::is_garbled_line;
use crate::document::one_line;

/// The ends of file names that programs write as titles.
const FILES: [&str; 24] = [
    ".doc", ".docx", ".tex", ".dvi", ".indd", ".pdf", ".qxd", ".rtf", ".odt", ".ps", ".eps",
    ".txt", ".htm", ".html", ".md", ".ppt", ".pptx", ".xls", ".xlsx", ".pub", ".pmd", ".fm",
    ".wpd", ".ai",
];
/// How the titles begin that programs write.
const OPENINGS: [&str; 13] = [
    "microsoft word",
    "microsoft powerpoint",
    "microsoft excel",
    "powerpoint presentation",
    "untitled",
    "(anonymous",
    "about:",
    "file:",
    "http://",
    "https://",
    "print job",
    "output from",
    "adobe photoshop",
];
/// The titles that programs write.
const WHOLE: [&str; 16] = [
    "anonymous",
    "title",
    "document",
    "document title",
    "no title",
    "none",
    "null",
    "unknown",
    "new document",
    "slide",
    "presentation",
    "blank",
    "blank page",
    "scan",
    "scanned document",
    "layout",
];

/// Returns the title if a person seems to have given it; programs write file names and their own names there.
pub(super) fn sensible(title: &str) -> Option<String> {
    let title = one_line(title);
    let lower = title.to_lowercase();
    // `Slide 1`, `Document2`, `Dokument1`
    let bare = lower.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ' || c == '-');
    let machine = OPENINGS.iter().any(|opening| lower.starts_with(opening))
        || FILES.iter().any(|end| lower.ends_with(end))
        || WHOLE.contains(&bare)
        || bare == "dokument"
        || is_file_name(&title)
        || is_garbled_line(&title);
    let letters = title.chars().filter(|c| c.is_alphabetic()).count();
    let dense = title.chars().any(|c| c >= '\u{2e80}' && c.is_alphabetic());
    (letters >= if dense { 2 } else { 4 } && !machine).then_some(title)
}

/// Returns whether a title is one word with the signs that only names of files have.
fn is_file_name(title: &str) -> bool {
    let one = !title.contains(char::is_whitespace);
    let digits = title.chars().filter(char::is_ascii_digit).count();
    let joined = title.contains('_') || title.contains('\\') || title.contains('/');
    one && (joined || digits * 2 > title.chars().count())
}

/// Returns whether a heading is that of a first part, or a date, and not the title above it.
fn opens_a_part(text: &str) -> bool {
    let parts = ["abstract", "contents", "table of contents", "introduction", "summary", "index"];
    let year = |word: &str| {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit());
        word.len() == 4 && digits && (word.starts_with("19") || word.starts_with("20"))
    };
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).collect();
    let date = words.len() <= 5 && words.iter().any(|word| year(word));
    crate::plain::numbered(text).is_some() || parts.contains(&text.to_lowercase().as_str()) || date
}

/// Returns the highest heading of the first page with text, for a file without a title.
pub(super) fn opening(blocks: &[Block]) -> Option<String> {
    let page = blocks.first()?.page;
    let first = blocks.iter().take_while(|block| block.page == page);
    let headings = first.filter_map(|block| match block.kind {
        Kind::Heading(level) if !opens_a_part(&block.text) => Some((level, &block.text)),
        _ => None,
    });
    headings.min_by_key(|(level, _)| *level).map(|(_, text)| text.clone())
}
