//! The first sheet: every table with a link to it.

use rust_xlsxwriter::{Url, Worksheet, XlsxError};

use super::names::INDEX;
use super::style::{Styles, shown};
use crate::table::Table;

const HEADINGS: [(&str, f64); 6] = [
    ("Table", 24.0),
    ("Study", 10.0),
    ("Question", 14.0),
    ("Text", 70.0),
    ("Kind", 9.0),
    ("Base", 9.0),
];

pub(super) fn write(
    sheet: &mut Worksheet,
    tables: &[Table],
    names: &[String],
    title: &str,
    notes: &[String],
    styles: &Styles,
) -> Result<(), XlsxError> {
    sheet.set_name(INDEX)?;
    sheet.set_landscape().set_print_fit_to_pages(1, 0);
    sheet.write_string_with_format(0, 0, shown(title), &styles.title)?;
    let mut row = 1;
    for note in notes {
        sheet.write_string(row, 0, shown(note))?;
        row += 1;
    }
    row += 1;
    for (column, (heading, width)) in (0..).zip(HEADINGS) {
        sheet.write_string_with_format(row, column, heading, &styles.strong)?;
        sheet.set_column_width(column, width)?;
    }
    row += 1;
    sheet.set_freeze_panes(row, 0)?;
    for (table, name) in tables.iter().zip(names) {
        let link = Url::new(format!("internal:'{name}'!A1")).set_text(name);
        sheet.write_url_with_format(row, 0, link, &styles.link)?;
        for (column, text) in
            [(1, &*table.study), (2, &table.question), (3, &table.text), (4, table.kind.name())]
        {
            sheet.write_string_with_format(row, column, shown(text), &styles.text)?;
        }
        if let Some(everybody) = table.columns.first() {
            sheet.write_number_with_format(
                row,
                5,
                everybody.base.unweighted as f64,
                &styles.base,
            )?;
        }
        row += 1;
    }
    Ok(())
}
