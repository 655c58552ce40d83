//! A table for a terminal.

use unicode_width::UnicodeWidthStr;

use super::{BASES, choose_mark, letters, one_line, people, title, value};
use crate::table::{RowKind, Table};

/// The widest that row labels may be, in columns of the terminal.
const WIDEST_LABEL: usize = 34;
/// The widest that a column heading may be before it is broken.
const WIDEST_HEADING: usize = 14;
/// The width of the gap between two columns.
const GAP: usize = 2;

/// Returns a table as aligned text, with no line wider than `width` if the table can be broken that far.
///
/// A wider banner is broken into blocks of columns, one below the other, each with the labels of the rows and the
/// column of all respondents. Letters stand to the right of their value.
///
/// ```
/// use survey::text;
/// # let table = survey::table::Table {
/// #     study: "W1".into(), question: "Q1".into(), text: "Do you ride?".into(), kind: survey::study::Kind::Single,
/// #     weight: None, columns: vec![], rows: vec![], footer: vec![], intervals: None,
/// # };
/// assert!(text::plain(&table, 80).starts_with("W1 · Q1: Do you ride?"));
/// ```
pub fn plain(table: &Table, width: usize) -> String {
    let columns: Vec<Column> =
        (0..table.columns.len()).map(|place| Column::of(table, place)).collect();
    let labels = format_labels(table);
    let label_width = labels.iter().flatten().map(|line| line.width()).max().unwrap_or(0);
    let mut page = String::new();
    for line in wrapped(&title(table), width.max(20)) {
        page.push_str(&line);
        page.push('\n');
    }
    for block in blocks(&columns, label_width, width) {
        page.push('\n');
        write_block(&mut page, table, &labels, label_width, &block);
    }
    if !table.footer.is_empty() {
        page.push('\n');
    }
    for sentence in &table.footer {
        for line in wrapped(&one_line(sentence), width.max(20)) {
            page.push_str(&line);
            page.push('\n');
        }
    }
    page
}

/// A column as it is printed.
struct Column {
    group: String,
    heading: Vec<String>,
    letter: String,
    /// Values, bases first, and what stands to their right.
    cells: Vec<(String, String)>,
    value_width: usize,
    letters_width: usize,
}

impl Column {
    fn of(table: &Table, place: usize) -> Column {
        let Some(heading) = table.columns.get(place) else {
            return Column {
                group: String::new(),
                heading: vec![],
                letter: String::new(),
                cells: vec![],
                value_width: 0,
                letters_width: 0,
            };
        };
        let bases = BASES.iter().map(|line| {
            let beside = if line.marked { choose_mark(heading.level) } else { "" };
            (people((line.of)(heading)), beside.to_owned())
        });
        let values =
            table.rows.iter().map(|row| (value(table, row, place), one_line(letters(row, place))));
        let cells: Vec<(String, String)> = bases.chain(values).collect();
        let lines = wrapped(&one_line(&heading.label), WIDEST_HEADING);
        let letters_width = cells.iter().map(|(_, letters)| letters.width()).max().unwrap_or(0);
        let of_values = cells.iter().map(|(value, _)| value.width()).max().unwrap_or(0);
        let of_heading = lines.iter().map(|line| line.width()).max().unwrap_or(0);
        let beside = if letters_width > 0 { letters_width + 1 } else { 0 };
        let value_width =
            of_values.max(of_heading.saturating_sub(beside)).max(heading.letter.width());
        Column {
            group: one_line(&heading.group),
            heading: lines,
            letter: heading.letter.clone(),
            cells,
            value_width,
            letters_width,
        }
    }

    fn width(&self) -> usize {
        self.value_width + if self.letters_width > 0 { self.letters_width + 1 } else { 0 }
    }
}

/// Returns the columns in blocks that fit; each block has the first column.
fn blocks(columns: &[Column], label_width: usize, width: usize) -> Vec<Vec<&Column>> {
    let Some((first, rest)) = columns.split_first() else { return vec![vec![]] };
    let begun = label_width + GAP + first.width();
    let (mut blocks, mut block, mut used) = (vec![], vec![first], begun);
    for column in rest {
        let more = GAP + column.width();
        if used + more > width && block.len() > 1 {
            blocks.push(std::mem::replace(&mut block, vec![first]));
            used = begun;
        }
        block.push(column);
        used += more;
    }
    blocks.push(block);
    blocks
}

/// Returns the labels of all lines, bases first.
fn format_labels(table: &Table) -> Vec<Vec<String>> {
    let bases = BASES.iter().map(|line| vec![line.label.to_owned()]);
    let rows = table.rows.iter().map(|row| {
        let what = if row.kind == RowKind::Net { " (net)" } else { "" };
        let indent = if row.member { "  " } else { "" };
        let label = one_line(&format!("{}{what}", row.label));
        let lines = wrapped(&label, WIDEST_LABEL - indent.len());
        lines.into_iter().map(|line| format!("{indent}{line}")).collect()
    });
    bases.chain(rows).collect()
}

fn write_block(
    page: &mut String,
    table: &Table,
    labels: &[Vec<String>],
    label_width: usize,
    block: &[&Column],
) {
    let mut put = |line: String| {
        page.push_str(line.trim_end());
        page.push('\n');
    };
    for line in groups(block, label_width) {
        put(line);
    }
    let depth = block.iter().map(|column| column.heading.len()).max().unwrap_or(0);
    for level in 0..depth {
        let mut line = " ".repeat(label_width);
        for column in block {
            // Headings are aligned at the bottom.
            let above = depth - column.heading.len();
            let words = level.checked_sub(above).and_then(|at| column.heading.get(at));
            line.push_str(&right(words.map_or("", String::as_str), GAP + column.width()));
        }
        put(line);
    }
    if block.iter().any(|column| !column.letter.is_empty()) {
        let mut line = " ".repeat(label_width);
        for column in block {
            line.push_str(&right(&column.letter, GAP + column.value_width));
            line.push_str(&" ".repeat(column.width() - column.value_width));
        }
        put(line);
    }
    let rule = label_width + block.iter().map(|column| GAP + column.width()).sum::<usize>();
    for (place, lines) in labels.iter().enumerate() {
        if place == 0 || (place == BASES.len() && !table.rows.is_empty()) {
            put("─".repeat(rule));
        }
        let (last, before) =
            lines.split_last().map_or(("", &[][..]), |(last, before)| (last, before));
        for line in before {
            put(line.clone());
        }
        let mut line = left(last, label_width);
        for column in block {
            let (value, letters) =
                column.cells.get(place).map_or(("", ""), |(value, letters)| (value, letters));
            line.push_str(&right(value, GAP + column.value_width));
            if column.letters_width > 0 {
                line.push(' ');
                line.push_str(&left(letters, column.letters_width));
            }
        }
        put(line);
    }
}

/// Returns the lines that name the banner questions, each above its columns.
fn groups(block: &[&Column], label_width: usize) -> Vec<String> {
    let mut spans: Vec<(&str, usize)> = Vec::new();
    for column in block {
        let width = GAP + column.width();
        match spans.last_mut() {
            Some((group, all)) if *group == column.group => *all += width,
            _ => spans.push((&column.group, width)),
        }
    }
    if spans.iter().all(|(group, _)| group.is_empty()) {
        return vec![];
    }
    let words: Vec<(Vec<String>, usize)> = spans
        .into_iter()
        .map(|(group, width)| (wrapped(group, width.saturating_sub(GAP).max(1)), width))
        .collect();
    let depth = words.iter().map(|(lines, _)| lines.len()).max().unwrap_or(0);
    let line = |level: usize| {
        let mut line = " ".repeat(label_width);
        for (lines, width) in &words {
            let at = level.checked_sub(depth - lines.len()).and_then(|at| lines.get(at));
            line.push_str(&" ".repeat(GAP));
            line.push_str(&left(at.map_or("", String::as_str), width - GAP));
        }
        line
    };
    (0..depth).map(line).collect()
}

fn right(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(text.width())))
}

fn left(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}

/// Breaks a text between words into lines of at most `width`; longer words are broken too.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let used = lines.last().map_or(0, |line| line.width());
        if used > 0 && used + 1 + word.width() > width {
            lines.push(String::new());
        } else if used > 0 {
            lines.iter_mut().last().into_iter().for_each(|line| line.push(' '));
        }
        for character in word.chars() {
            let mut bytes = [0; 4];
            let wide = character.encode_utf8(&mut bytes).width();
            if lines.last().is_some_and(|line| !line.is_empty() && line.width() + wide > width) {
                lines.push(String::new());
            }
            lines.iter_mut().last().into_iter().for_each(|line| line.push(character));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::example;

    // proves: B7
    #[test]
    fn a_table_is_told_with_bases_marks_and_letters() {
        insta::assert_snapshot!(plain(&example::table(), 100));
    }

    // proves: B7
    #[test]
    fn a_wide_banner_is_broken_into_blocks_with_everybody_in_each() {
        let page = plain(&example::table(), 64);
        insta::assert_snapshot!(page);
        assert_eq!(page.matches("1,250").count(), 2);
    }

    #[test]
    fn a_table_with_too_few_cells_or_none_at_all_is_told_as_it_is() {
        let mut table = example::table();
        for row in &mut table.rows {
            row.cells.truncate(2);
        }
        assert!(plain(&table, 80).contains("Very satisfied"));
        table.columns.clear();
        table.rows.clear();
        assert!(plain(&table, 0).starts_with("W2 · Q5: "));
    }

    proptest! {
        #[test]
        fn a_text_is_broken_without_losing_a_word(text in "[a-zé世 ]{0,60}", width in 2_usize..20) {
            let lines = wrapped(&text, width);
            prop_assert!(lines.iter().all(|line| line.width() <= width), "{:?}", lines);
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }

        #[test]
        fn no_width_and_no_label_breaks_a_table(width in 0_usize..200, label in any::<String>()) {
            let mut table = example::table();
            table.columns[2].label.clone_from(&label);
            table.columns[3].group.clone_from(&label);
            table.rows[1].label = label;
            let page = plain(&table, width);
            prop_assert!(page.lines().count() > 10);
            prop_assert!(!page.chars().any(|c| c.is_control() && c != '\n'));
        }
    }
}
