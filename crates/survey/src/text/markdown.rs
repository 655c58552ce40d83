//! A table as Markdown.

use super::{BASES, choose_mark, letters, one_line, people, title, value};
use crate::table::{RowKind, Table};

/// Returns a table as Markdown: a heading, a pipe table, and the footer as a list.
///
/// Labels are data: nothing in them becomes a tag, a link or another column.
pub fn markdown(table: &Table) -> String {
    let mut page = format!("### {}\n\n", escaped(&title(table)));
    line(
        &mut page,
        "",
        table.columns.iter().map(|column| match column.group.as_str() {
            "" => escaped(&column.label),
            group => format!("{}: {}", escaped(group), escaped(&column.label)),
        }),
    );
    page.push_str("|:---|");
    page.push_str(&"---:|".repeat(table.columns.len()));
    page.push('\n');
    if table.columns.iter().any(|column| !column.letter.is_empty()) {
        line(&mut page, "", table.columns.iter().map(|column| column.letter.clone()));
    }
    for bases in &BASES {
        line(
            &mut page,
            bases.label,
            table.columns.iter().map(|column| {
                let mark = if bases.marked { choose_mark(column.level) } else { "" };
                joined(&people((bases.of)(column)), mark)
            }),
        );
    }
    for row in &table.rows {
        let label = escaped(&row.label);
        let label = match row.kind {
            RowKind::Net => format!("**{label}** (net)"),
            // Leading spaces in a cell are not shown.
            _ if row.member => format!("– {label}"),
            _ => label,
        };
        let cell = |place| joined(&value(table, row, place), letters(row, place));
        line(&mut page, &label, (0..table.columns.len()).map(cell));
    }
    if !table.footer.is_empty() {
        page.push('\n');
    }
    for sentence in &table.footer {
        page.push_str(&format!("- {}\n", escaped(sentence)));
    }
    page
}

fn joined(value: &str, beside: &str) -> String {
    match beside {
        "" => escaped(value),
        beside => format!("{} {}", escaped(value), escaped(beside)),
    }
}

fn line(page: &mut String, label: &str, cells: impl Iterator<Item = String>) {
    page.push_str(&format!("| {label} |"));
    for cell in cells {
        page.push_str(&format!(" {cell} |"));
    }
    page.push('\n');
}

/// Returns a text in which Markdown finds no markup.
fn escaped(text: &str) -> String {
    let mut plain = String::new();
    for character in one_line(text).chars() {
        match character {
            '&' => plain.push_str("&amp;"),
            '<' => plain.push_str("&lt;"),
            '>' => plain.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '!' | '~' | '$' => {
                plain.push('\\');
                plain.push(character);
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::example;

    // proves: B7
    #[test]
    fn a_table_is_told_as_markdown() {
        insta::assert_snapshot!(markdown(&example::table()));
    }

    #[test]
    fn no_label_becomes_markup_or_another_column() {
        let mut table = example::table();
        table.rows[3].label = "a | b <img src=x> [c](http://d) **e** \\| \n# f".into();
        table.columns[1].label = "x|y".into();
        let page = markdown(&table);
        assert!(page.contains(r"| a \| b &lt;img src=x&gt; \[c\](http://d) \*\*e\*\* \\\| \# f |"));
        let bars = |line: &str| line.replace("\\|", "").matches('|').count();
        let lines: Vec<&str> = page.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(lines.len(), 3 + BASES.len() + table.rows.len());
        assert!(lines.iter().all(|line| bars(line) == table.columns.len() + 2), "{page}");
    }
}
