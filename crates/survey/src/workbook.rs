//! Banner tables as a workbook (XLSX).
//!
//! The first sheet is an index with a link to every table. Each table has its own sheet, so that its headings stay in
//! view. Values are numbers with formats, with their letters in a separate column beside them. Bases stand above, and
//! what a reader must know below. Weighted numbers of respondents follow in a separate block.

mod index;
mod names;
mod sheet;
mod style;

use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook, XlsxError};

use crate::table::Table;
use style::Styles;

/// Why tables cannot become a workbook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorkbookError {
    #[error(
        "the table of {question} in {study} has {columns} columns; a sheet can have {most}. Choose fewer or shorter questions \
         for the banner"
    )]
    TooWide { study: String, question: String, columns: usize, most: usize },
    #[error(
        "the table of {question} in {study} has {rows} rows; a sheet can have {most}. Leave this question out"
    )]
    TooLong { study: String, question: String, rows: usize, most: usize },
    #[error(
        "there are {tables} tables; a workbook can have {most}. Choose questions, or make one workbook for each study"
    )]
    TooMany { tables: usize, most: usize },
    #[error("could not write the workbook: {reason}")]
    Unwritten { reason: String },
}

impl From<XlsxError> for WorkbookError {
    fn from(error: XlsxError) -> WorkbookError {
        WorkbookError::Unwritten { reason: error.to_string() }
    }
}

/// The most columns of a sheet.
const MOST_COLUMNS: usize = 16_384;
/// The most rows of a sheet.
const MOST_ROWS: usize = 1_048_576;
/// The most sheets that the index can list, with room for its heading. Spreadsheet programs become slow long before.
const MOST_TABLES: usize = 65_000;

/// Returns tables as the bytes of a workbook; the same tables give the same bytes.
///
/// `title` heads the index, and `notes` follow it, one per line. No text becomes a formula.
///
/// # Errors
///
/// Fails if a table has more columns or rows than a sheet holds, or if there are more tables than a workbook holds.
pub fn workbook(tables: &[Table], title: &str, notes: &[String]) -> Result<Vec<u8>, WorkbookError> {
    if tables.len() > MOST_TABLES {
        return Err(WorkbookError::TooMany { tables: tables.len(), most: MOST_TABLES });
    }
    for table in tables {
        fits(table)?;
    }
    let names = names::of(tables);
    let styles = Styles::new();
    let mut book = Workbook::new();
    // A fixed date, so that the same tables give the same bytes.
    let made = ExcelDateTime::from_ymd(2000, 1, 1)?;
    book.set_properties(
        &DocProperties::new().set_title(style::shown(title)).set_creation_datetime(&made),
    );
    index::write(book.add_worksheet(), tables, &names, title, notes, &styles)?;
    for (table, name) in tables.iter().zip(&names) {
        sheet::write(book.add_worksheet(), table, name, &styles)?;
    }
    Ok(book.save_to_buffer()?)
}

/// Checks that a table fits on a sheet.
fn fits(table: &Table) -> Result<(), WorkbookError> {
    let (study, question) = (table.study.clone(), table.question.clone());
    let columns = sheet::width(table);
    if columns > MOST_COLUMNS {
        return Err(WorkbookError::TooWide { study, question, columns, most: MOST_COLUMNS });
    }
    let rows = sheet::length(table);
    if rows > MOST_ROWS {
        return Err(WorkbookError::TooLong { study, question, rows, most: MOST_ROWS });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
