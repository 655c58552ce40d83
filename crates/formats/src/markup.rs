//! What the readers of markup languages share: indentation, list marks and dates.

use crate::Writer;
use crate::writer::tidy;

/// How far a tab reaches.
const TAB: usize = 8;

/// Returns the lines of a text with tabs expanded, control characters as blanks, and no blanks at their ends.
pub(crate) fn expanded(text: &str) -> Vec<String> {
    text.lines().map(|line| expand(line.trim_end())).collect()
}

fn expand(line: &str) -> String {
    if !line.contains(|c: char| c.is_control()) {
        return line.to_owned();
    }
    let mut found = String::with_capacity(line.len() + TAB);
    let mut column = 0;
    for c in line.chars() {
        if c == '\t' {
            let blanks = TAB - column % TAB;
            found.extend(std::iter::repeat_n(' ', blanks));
            column += blanks;
        } else {
            // Form feeds and their like are blanks.
            found.push(if c.is_control() { ' ' } else { c });
            column += 1;
        }
    }
    found
}

/// Returns the number of blanks that a line begins with.
pub(crate) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Returns lines without the blanks that all of them begin with.
pub(crate) fn dedented(lines: &[String]) -> Vec<String> {
    let written = lines.iter().filter(|line| !line.trim().is_empty());
    let least = written.map(|line| indent(line)).min().unwrap_or(0);
    lines.iter().map(|line| line.get(least..).unwrap_or_default().to_owned()).collect()
}

/// Returns the start of a text, at most `most` bytes.
pub(crate) fn start_of(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// Writes a list item with the mark that prints; marks that Markdown does not know become words.
pub(crate) fn write_item(page: &mut Writer, depth: usize, mark: &str, words: &str) {
    let is_number = mark.strip_suffix(['.', ')']).is_some_and(|digits| {
        matches!(digits.len(), 1..=3) && digits.bytes().all(|b| b.is_ascii_digit())
    });
    if is_number || mark == "-" {
        page.item(depth, mark, words);
    } else if !words.trim().is_empty() {
        page.item(depth, "-", &format!("{mark} {words}"));
    }
}

/// Writes a term and what it means.
pub(crate) fn write_definition(page: &mut Writer, term: &str, meaning: &str) {
    let (term, meaning) = (tidy(term), tidy(meaning));
    if term.is_empty() {
        page.paragraph(&meaning);
    } else if meaning.is_empty() {
        page.paragraph(&term);
    } else {
        page.block(&format!("{}\n: {meaning}", crate::escaped(&term)));
    }
}

/// Returns a date as ISO 8601 if it is written as `2024-03-09`, `March 9, 2024` or `9 March 2024`; otherwise as it is written.
pub(crate) fn iso_date(written: &str) -> String {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let words: Vec<&str> =
        written.split([' ', ',', '.', '~']).filter(|word| !word.is_empty()).collect();
    let number =
        |word: &str| word.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse::<u32>().ok();
    let month = |word: &str| {
        let start = word.get(..3)?.to_lowercase();
        MONTHS.iter().position(|month| *month == start).map(|at| at + 1)
    };
    let found = match *words.as_slice() {
        [one, other, year] => match (month(one), month(other)) {
            (Some(month), None) => number(other).map(|day| (day, month, year)),
            (None, Some(month)) => number(one).map(|day| (day, month, year)),
            _ => None,
        },
        _ => None,
    };
    match found {
        Some((day @ 1..=31, month, year))
            if year.len() == 4 && year.bytes().all(|b| b.is_ascii_digit()) =>
        {
            format!("{year}-{month:02}-{day:02}")
        }
        _ => tidy(written),
    }
}

#[cfg(test)]
mod mutated;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_iso_where_they_are_full() {
        assert_eq!(iso_date("March 9, 2024"), "2024-03-09");
        assert_eq!(iso_date("9th  June 2020"), "2020-06-09");
        assert_eq!(iso_date("2024-03-09"), "2024-03-09");
        assert_eq!(iso_date("Summer 2024"), "Summer 2024");
    }
}
