//! The sheet of one table.
//!
//! ```text
//! W2 · Q5: How satisfied …
//! Index
//!                     Total     Gender
//!                               Female     Male
//!                               A          B
//! Respondents         650       330        312
//! Base: answered      641       326        308
//! Weighted base
//! Effective base
//! Very satisfied      28%       31%   b    26%
//! …
//! ```

use rust_xlsxwriter::{Url, Worksheet, XlsxError};

use super::names::INDEX;
use super::style::{Styles, shown};
use crate::figure::Level;
use crate::table::{RowKind, Table};
use crate::text::{self, BASES, TOO_LOW, choose_digits, choose_mark};

/// The rows above the bases: title, link, banner questions, headings, letters.
const ABOVE: u32 = 5;
/// The row of the banner questions; headings and letters follow.
const GROUPS: u32 = 2;
const HEADINGS: u32 = 3;
const LETTERS: u32 = 4;

/// Returns the number of columns of the sheet.
pub(super) fn width(table: &Table) -> usize {
    1 + 2 * table.columns.len()
}

/// Returns the number of rows of the sheet.
pub(super) fn length(table: &Table) -> usize {
    let counted = count_counted_rows(table);
    let counts = if counted > 0 { counted + 2 } else { 0 };
    ABOVE as usize + BASES.len() + table.rows.len() + counts + 1 + table.footer.len()
}

fn count_counted_rows(table: &Table) -> usize {
    table.rows.iter().filter(|row| row.cells.iter().any(|cell| cell.count.is_some())).count()
}

/// Returns the sheet's column of a value; its letters are in the next one.
fn column(place: usize) -> u16 {
    u16::try_from(1 + 2 * place).unwrap_or(u16::MAX)
}

pub(super) fn write(
    sheet: &mut Worksheet,
    table: &Table,
    name: &str,
    styles: &Styles,
) -> Result<(), XlsxError> {
    sheet.set_name(name)?;
    sheet.write_string_with_format(0, 0, shown(&text::title(table)), &styles.title)?;
    let back = Url::new(format!("internal:'{INDEX}'!A1")).set_text(INDEX);
    sheet.write_url_with_format(1, 0, back, &styles.link)?;
    headings(sheet, table, styles)?;
    let row = bases(sheet, table, styles)?;
    let row = values(sheet, table, row, styles)?;
    let row = counts(sheet, table, row, styles)? + 1;
    for (row, sentence) in (row..).zip(&table.footer) {
        sheet.write_string_with_format(row, 0, shown(sentence), &styles.footer)?;
    }
    sheet.set_column_width(0, 40)?;
    for place in 0..table.columns.len() {
        sheet.set_column_width(column(place), 10)?;
        sheet.set_column_width(column(place) + 1, 5)?;
    }
    // Labels and all respondents stay in view on the left, headings at the top.
    sheet.set_freeze_panes(ABOVE, if table.columns.is_empty() { 1 } else { 3 })?;
    sheet.set_repeat_rows(0, ABOVE - 1)?;
    sheet.set_repeat_columns(0, 0)?;
    sheet.set_landscape().set_print_fit_to_pages(1, 0).set_footer("&L&A&R&P / &N");
    Ok(())
}

fn headings(sheet: &mut Worksheet, table: &Table, styles: &Styles) -> Result<(), XlsxError> {
    let mut from = 0;
    for group in table.columns.chunk_by(|one, next| one.group == next.group) {
        let to = from + group.len();
        let words = group.first().map_or(String::new(), |column| shown(&column.group));
        sheet.merge_range(GROUPS, column(from), GROUPS, column(to) - 1, &words, &styles.group)?;
        from = to;
    }
    for (place, heading) in table.columns.iter().enumerate() {
        let (left, right) = (column(place), column(place) + 1);
        let label = shown(&heading.label);
        sheet.merge_range(HEADINGS, left, HEADINGS, right, &label, &styles.heading)?;
        let letter = shown(&heading.letter);
        sheet.merge_range(LETTERS, left, LETTERS, right, &letter, &styles.letter)?;
    }
    // Broken lines need height, which a merged cell does not gain by itself.
    let longest = table.columns.iter().map(|column| column.label.chars().count()).max();
    let lines = longest.unwrap_or(0).div_ceil(14).clamp(1, 8);
    sheet.set_row_height(HEADINGS, 15.0 * lines as f64)?;
    Ok(())
}

fn bases(sheet: &mut Worksheet, table: &Table, styles: &Styles) -> Result<u32, XlsxError> {
    let mut row = ABOVE;
    for line in &BASES {
        sheet.write_string_with_format(row, 0, line.label, &styles.base_label)?;
        for (place, heading) in table.columns.iter().enumerate() {
            let number = (line.of)(heading);
            let format = if number.fract() == 0.0 { &styles.base } else { &styles.base_part };
            sheet.write_number_with_format(row, column(place), number, format)?;
            let mark = choose_mark(heading.level);
            if line.marked && !mark.is_empty() {
                sheet.write_string_with_format(row, column(place) + 1, mark, &styles.beside)?;
            }
        }
        row += 1;
    }
    Ok(row)
}

fn values(
    sheet: &mut Worksheet,
    table: &Table,
    mut at: u32,
    styles: &Styles,
) -> Result<u32, XlsxError> {
    for row in &table.rows {
        let label = match row.kind {
            RowKind::Net => &styles.strong,
            _ if row.member => &styles.member,
            _ => &styles.text,
        };
        sheet.write_string_with_format(at, 0, shown(&row.label), label)?;
        let format = styles.value(row.kind, choose_digits(table.kind, row.kind));
        for (place, (cell, heading)) in row.cells.iter().zip(&table.columns).enumerate() {
            match cell.value.filter(|value| value.is_finite()) {
                Some(value) => {
                    // NPS is shown in points.
                    let shown = if row.kind == RowKind::Nps { value * 100.0 } else { value };
                    sheet.write_number_with_format(at, column(place), shown, &format)?;
                }
                None => {
                    let told = if heading.level == Level::TooLow { TOO_LOW } else { "–" };
                    sheet.write_string_with_format(at, column(place), told, &styles.none)?;
                }
            }
            if !cell.letters.is_empty() {
                let letters = shown(&cell.letters);
                sheet.write_string_with_format(at, column(place) + 1, letters, &styles.beside)?;
            }
        }
        at += 1;
    }
    Ok(at)
}

/// Writes the weighted numbers of respondents behind the shares.
fn counts(
    sheet: &mut Worksheet,
    table: &Table,
    mut at: u32,
    styles: &Styles,
) -> Result<u32, XlsxError> {
    if count_counted_rows(table) == 0 {
        return Ok(at);
    }
    at += 1;
    let heading =
        if table.weight.is_some() { "Weighted respondents" } else { "Respondents who gave it" };
    sheet.write_string_with_format(at, 0, heading, &styles.strong)?;
    for row in table.rows.iter().filter(|row| row.cells.iter().any(|cell| cell.count.is_some())) {
        at += 1;
        sheet.write_string_with_format(at, 0, shown(&row.label), &styles.base_label)?;
        for (place, (cell, _)) in row.cells.iter().zip(&table.columns).enumerate() {
            if let Some(count) = cell.count.filter(|count| count.is_finite()) {
                let format = if table.weight.is_some() { &styles.base_part } else { &styles.base };
                sheet.write_number_with_format(at, column(place), count, format)?;
            }
        }
    }
    Ok(at + 1)
}
