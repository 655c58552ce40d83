//! A table of words becomes the paragraphs of a page.
//!
//! Each row of the table names its block, paragraph and line. Lines of one paragraph are joined, and so is a word that a line end split.

use std::collections::{HashMap, HashSet};

use formats::escaped;

use crate::pdf::join;

/// The level of the rows that are words; others are the boxes around them.
const WORD: u32 = 5;
/// A line that ends a sentence and is this much shorter than the next, in line heights, ends its paragraph.
const SHORT_LINES: i64 = 3;
/// A line that leaves this much of its block's width empty, in percent, ends its paragraph if the next begins like a sentence.
const EMPTY_PERCENT: i64 = 30;

/// A page that was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ReadPage {
    /// Its paragraphs, as Markdown.
    pub(super) text: String,
    /// The characters of all words.
    pub(super) characters: u64,
    /// How sure the program is of them: the sum over all characters, 0 to 100 each.
    pub(super) sureness: f64,
    /// The number of words that it is sure of.
    pub(super) sure_words: usize,
}

/// A word with less is doubtful, of 100.
pub(super) const SURE: f64 = 60.0;

impl ReadPage {
    /// Returns how sure the program is on average, 0 to 100; `None` for a page without words.
    pub(super) fn confidence(&self) -> Option<f64> {
        (self.characters > 0).then(|| self.sureness / self.characters as f64)
    }
}

struct Line<'a> {
    /// Block and paragraph.
    place: (u32, u32),
    words: Vec<&'a str>,
    left: i64,
    right: i64,
    height: i64,
}

/// Returns the page in a table of words; rows that are no words are passed over.
pub(super) fn read_table(table: &str) -> ReadPage {
    let mut page = ReadPage::default();
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut open = None;
    for word in table.lines().filter_map(parse_word) {
        let characters = word.text.chars().count() as u64;
        page.characters += characters;
        page.sureness += word.confidence * characters as f64;
        let is_word = word.text.chars().filter(|c| c.is_alphanumeric()).count() > 1;
        page.sure_words += usize::from(is_word && word.confidence >= SURE);
        if open != Some(word.line) {
            open = Some(word.line);
            let (block, paragraph, _) = word.line;
            let place = (block, paragraph);
            let left = word.left;
            lines.push(Line { place, words: Vec::new(), left, right: left, height: 0 });
        }
        if let Some(line) = lines.last_mut() {
            line.words.push(word.text);
            line.left = line.left.min(word.left);
            line.right = line.right.max(word.right);
            line.height = line.height.max(word.height);
        }
    }
    // Rules and specks are read as signs.
    lines.retain(|line| line.words.iter().any(|word| word.contains(char::is_alphanumeric)));
    page.text = paragraphs(&lines).join("\n\n");
    page
}

struct Word<'a> {
    text: &'a str,
    confidence: f64,
    /// Block, paragraph and line.
    line: (u32, u32, u32),
    left: i64,
    right: i64,
    height: i64,
}

fn parse_word(row: &str) -> Option<Word<'_>> {
    let mut fields = row.splitn(12, '\t');
    let mut number = || fields.next()?.trim().parse::<u32>().ok();
    let level = number()?;
    let (_page, block, paragraph, line, _word) =
        (number()?, number()?, number()?, number()?, number()?);
    let (left, _top, width, height) = (number()?, number()?, number()?, number()?);
    let confidence =
        fields.next()?.trim().parse::<f64>().ok().filter(|number| number.is_finite())?;
    let text = fields.next()?.trim();
    (level == WORD && !text.is_empty()).then(|| Word {
        text,
        confidence: confidence.clamp(0.0, 100.0),
        line: (block, paragraph, line),
        left: i64::from(left),
        right: i64::from(left) + i64::from(width),
        height: i64::from(height),
    })
}

fn paragraphs(lines: &[Line<'_>]) -> Vec<String> {
    let vocabulary: HashSet<String> = lines
        .iter()
        .flat_map(|line| &line.words)
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '-').to_lowercase())
        .filter(|word| !word.is_empty() && !word.ends_with('-'))
        .collect();
    let mut edges: HashMap<u32, (i64, i64)> = HashMap::new();
    for line in lines {
        let edge = edges.entry(line.place.0).or_insert((line.left, line.right));
        *edge = (edge.0.min(line.left), edge.1.max(line.right));
    }
    let mut found: Vec<String> = Vec::new();
    let mut before: Option<&Line<'_>> = None;
    for line in lines {
        let words = line.words.join(" ");
        let words: String = words.chars().filter(|c| !c.is_control()).collect();
        let open = found
            .last_mut()
            .filter(|open| before.is_some_and(|before| continues(before, line, open, &edges)));
        match open {
            Some(open) => {
                join(open, &words, |word| vocabulary.contains(word));
            }
            None => found.push(words),
        }
        before = Some(line);
    }
    for paragraph in &mut found {
        if let std::borrow::Cow::Owned(other) = escaped(paragraph) {
            *paragraph = other;
        }
    }
    found
}

/// Returns whether `line` goes on with the paragraph `open`, which ends with the line `before`; `edges` are the left and right edge of
/// each block.
fn continues(
    before: &Line<'_>,
    line: &Line<'_>,
    open: &str,
    edges: &HashMap<u32, (i64, i64)>,
) -> bool {
    let begins_item = line
        .words
        .first()
        .is_some_and(|mark| matches!(*mark, "•" | "▪" | "●" | "-" | "–" | "*" | "+"));
    if begins_item && line.words.len() > 1 {
        return false;
    }
    let ended = open.ends_with(['.', '?', '!', ':', ';', '"', '”', '’', ')']);
    if before.place == line.place {
        let short = before.right + SHORT_LINES * before.height.max(1) < line.right;
        let (left, right) = edges.get(&line.place.0).copied().unwrap_or_default();
        let is_empty = (right - before.right) * 100 > (right - left) * EMPTY_PERCENT;
        let begins = !line.words.first().is_some_and(|word| word.starts_with(char::is_lowercase));
        return !(ended && short || is_empty && begins);
    }
    // A paragraph that goes on in the next column, or that was cut where none ends.
    let resumes = line.words.first().is_some_and(|word| word.starts_with(char::is_lowercase));
    let alike = before.height * 2 > line.height && line.height * 2 > before.height;
    !ended && resumes && alike && before.words.len() > 3 && line.words.len() > 3
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a table of these lines, each its block, paragraph, line, and words; all have one confidence.
    fn build_table(lines: &[(u32, u32, u32, &str)], confidence: &str) -> String {
        let mut table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n1\t1\t0\t0\t0\t0\t0\t0\t2480\t3508\t-1\t\n".to_owned();
        for (block, paragraph, line, words) in lines {
            let mut left = 100;
            for (word, number) in words.split(' ').zip(1..) {
                let width = 20 * word.chars().count();
                table.push_str(&format!(
                    "5\t1\t{block}\t{paragraph}\t{line}\t{number}\t{left}\t0\t{width}\t30\t{confidence}\t{word}\n"
                ));
                left += width + 10;
            }
        }
        table
    }

    // proves: A6
    #[test]
    fn lines_become_paragraphs_and_split_words_are_joined() {
        let page = read_table(&build_table(
            &[
                (1, 1, 1, "Tea and health"),
                (2, 1, 1, "People drink tea in the morn-"),
                (2, 1, 2, "ing, and a well-known well-"),
                (2, 1, 3, "known study says so."),
                (2, 2, 1, "# not a heading"),
                (3, 1, 1, "| ="),
                (4, 1, 1, "- one item"),
                (4, 1, 2, "- another one"),
            ],
            "91.5",
        ));
        assert_eq!(
            page.text,
            "Tea and health\n\nPeople drink tea in the morning, and a well-known well-known study says so.\n\n\\# not a heading\n\n- one item\n\n- another one"
        );
        assert_eq!(page.confidence(), Some(91.5));
        assert_eq!(page.sure_words, 23);
    }

    // proves: A6
    #[test]
    fn lines_that_stand_alone_stay_alone() {
        let page = read_table(&build_table(
            &[
                (1, 1, 1, "Invoice number 12"),
                (1, 1, 2, "Bill to"),
                (1, 1, 3, "Acme Corporation, New York"),
                (1, 1, 4, "and elsewhere"),
            ],
            "90",
        ));
        assert_eq!(
            page.text,
            "Invoice number 12\n\nBill to\n\nAcme Corporation, New York and elsewhere"
        );
    }

    // proves: A6
    #[test]
    fn a_paragraph_goes_on_in_the_next_column() {
        let page = read_table(&build_table(
            &[(1, 1, 1, "The study of all tea that"), (2, 1, 1, "people drink was long. Then")],
            "80",
        ));
        assert_eq!(page.text, "The study of all tea that people drink was long. Then");
    }

    // proves: A6
    #[test]
    fn what_is_no_table_is_no_page() {
        for table in ["", "\t\t\t", "5\t1\t1\t1\t1\t1\t0\t0\t9\t9\tNaN\tx", "5\t1\n", "text\n\u{0}"]
        {
            assert_eq!(read_table(table), ReadPage::default(), "{table:?}");
        }
        assert_eq!(read_table(&build_table(&[(1, 1, 1, "x")], "-1")).confidence(), Some(0.0));
        assert_eq!(ReadPage::default().confidence(), None);
    }

    proptest::proptest! {
        #[test]
        fn no_table_breaks_it(rows in proptest::collection::vec("[0-9\\t-]{0,30}\\PC{0,10}", 0..20)) {
            let page = read_table(&rows.join("\n"));
            proptest::prop_assert!(page.confidence().is_none_or(|sure| (0.0..=100.0).contains(&sure)));
        }
    }
}
