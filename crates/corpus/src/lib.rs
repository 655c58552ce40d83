//! Files become documents, documents become sections, sections become chunks.
//!
//! Reading and cutting never wait: they take bytes or text and give plain data. A file is looked at before it is believed (a
//! PDF named `.txt` is a PDF), every offset counts bytes in the document's own text, and a file that cannot be read says why and what would help.
//!
//! ```
//! use std::path::Path;
//!
//! let file = b"---\ncompany: Acme\n---\n# Tea\n\nPeople drink tea.\n\n## Method\n\nWe asked 1,204 adults.\n";
//! let document = corpus::read(Path::new("tea.md"), file, &corpus::Limits::default())?;
//! assert_eq!(document.title, "Tea");
//! assert_eq!(document.metadata["company"], "Acme");
//! assert_eq!(document.sections[1].path, ["Tea", "Method"]);
//!
//! let chunks = corpus::chunk(&document, &corpus::ChunkSize::default());
//! assert_eq!(&document.text[chunks[1].start..chunks[1].end], "## Method\n\nWe asked 1,204 adults.");
//! # Ok::<(), corpus::ReadError>(())
//! ```
//!
//! A folder is listed by [`walk`], and a file's bytes come through [`load`], which never takes in more than it may. PDFs, which
//! need engines too large to trust, are read by a [`Worker`]: another process, which can be ended. [`ingest`] leads whole folders
//! into a collection, vectors and all.
//!
//! What was fetched has no name but a [`Label`]: its address, and what its server said of it. [`read_as`] reads it, and [`Shelving`] takes it
//! into a collection through the same stages as files, together with what is known of it as a work.

mod about;
mod archive;
mod chunk;
mod decode;
mod document;
mod docx;
mod dom;
mod epub;
mod html;
mod ingest;
mod label;
mod markdown;
mod pdf;
mod plain;
mod read;
mod render;
mod shelving;
mod sniff;
mod walk;
pub mod worker;
mod xml;

pub use chunk::{Chunk, ChunkSize, chunk};
pub use document::{Document, Format, Page, Section};
pub use ingest::{
    ENDINGS, IngestError, NameError, Named, Order, Problem, Reader, Report, TakeError, TakenFile,
    Workers, ingest, label_of, take_file,
};
pub use label::Label;
pub use read::{Limits, ReadError, load, read, read_as, sha256};
pub use shelving::Shelving;
pub use walk::{Found, Skip, Skipped, WalkError, Walked, walk};
pub use worker::Worker;
