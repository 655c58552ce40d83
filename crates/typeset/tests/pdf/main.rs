//! What a PDF holds, read back with a reader of PDF and with `pdftotext` of poppler-utils, which must be installed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod citations;
mod hostile;
mod limits;
mod pages;
mod read;
