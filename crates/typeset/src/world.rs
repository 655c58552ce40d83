//! All that typst gets to see: one source text, the embedded fonts, and the values of a report.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use typst::diag::{FileError, FileResult};
use typst::foundations::{Bytes, Datetime, Dict, Duration};
use typst::syntax::{FileId, Source};
use typst::text::{Font, FontBook};
use typst::utils::LazyHash;
use typst::{Library, LibraryExt, World};

use crate::boxes;

/// The embedded fonts, in the order of `fonts::ALL`.
pub(crate) static FONTS: LazyLock<Vec<Font>> =
    LazyLock::new(|| fonts::ALL.iter().flat_map(|file| Font::iter(Bytes::new(*file))).collect());

static TEMPLATE: LazyLock<Source> =
    LazyLock::new(|| Source::detached(include_str!("template.typ")));

pub(crate) struct ReportWorld {
    library: LazyHash<Library>,
    book: LazyHash<FontBook>,
    fonts: Vec<Font>,
}

impl ReportWorld {
    /// `report` is what the template finds as `sys.inputs`; `missing` are its letters that no embedded font has.
    pub(crate) fn new(report: Dict, missing: &BTreeSet<char>) -> ReportWorld {
        let library = LazyHash::new(Library::builder().with_inputs(report).build());
        let mut fonts = FONTS.clone();
        if !missing.is_empty() {
            fonts.extend(Font::new(Bytes::new(boxes::build(missing)), 0));
        }
        let book = LazyHash::new(FontBook::from_fonts(&fonts));
        ReportWorld { library, book, fonts }
    }
}

impl World for ReportWorld {
    fn library(&self) -> &LazyHash<Library> {
        &self.library
    }

    fn book(&self) -> &LazyHash<FontBook> {
        &self.book
    }

    fn main(&self) -> FileId {
        TEMPLATE.id()
    }

    fn source(&self, id: FileId) -> FileResult<Source> {
        if id == TEMPLATE.id() { Ok(TEMPLATE.clone()) } else { Err(FileError::AccessDenied) }
    }

    fn file(&self, _: FileId) -> FileResult<Bytes> {
        Err(FileError::AccessDenied)
    }

    fn font(&self, index: usize) -> Option<Font> {
        self.fonts.get(index).cloned()
    }

    fn today(&self, _: Option<Duration>) -> Option<Datetime> {
        None
    }
}
