//! Files become documents, documents become sections, sections become chunks.
//!
//! Reading and chunking never wait: they take bytes or text and return plain data. Content decides the format, not the name (a PDF
//! named `.txt` is a PDF). Every offset counts bytes in the document's own text. A file that cannot be read gives an error that says why
//! and what would help.
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
//! [`walk`] lists a folder, and [`load`] reads a file's bytes, never more than its limit. PDFs need engines too large to trust, so a
//! [`Worker`] reads them: another process, which can be killed. [`ingest`] takes whole folders into a collection, including vectors.
//!
//! A fetched document has no file name. Its [`Label`] is its URL and what its server said about it. [`read_as`] reads it, and
//! [`DocumentIndexer`] takes it into a collection through the same stages as files, together with what is known about it as a work.
//!
//! # Documents and retrieval
//!
//! `corpus::ingest` takes files through overlapping stages. They are read and chunked (all but text, Markdown and HTML by a `Worker`, another
//! process of this program with limits on time and memory, kept for the following files and replaced when it breaks). Their chunks get
//! vectors. Whole documents are stored, as many as make a good batch, text and indexes in one transaction. A chunk may cross a page and
//! knows the pages it stands on, so a citation names the page of its quote.
//!
//! Of a web page, what an article extractor finds is kept if it is nearly all of the page's main part (`corpus::html::main_part`), else
//! the whole main part, narrowed to the element that holds its text. Of a user's own HTML file, everything but its navigation is kept.
//!
//! Scanned pages and pictures of pages are read by `tesseract`, where it is installed: a `Worker` draws them, and [`Workers`] with
//! [`OcrSettings`] runs the program. The metadata of such a document say which pages were read so, and how sure the program is of each.
//!
//! PDFs are laid out here from the glyphs of one engine, page by page. A second engine takes over if the first fails or its words look
//! wrong.
//!
//! There is one analysis of text (`text`): terms are folded and stemmed, stop words are removed, and scripts without spaces give pairs of
//! characters. Every index holds these terms, so that ranking is the same in all of them.
//!
//! - **By words**: BM25 as SQLite's FTS5 scores it. The first search of a collection queries the file's own index. From the second
//!   search on, and until the collection changes, its words are in memory (`index::Lexical`) and give the same scores. RM3 expands the
//!   question with words from its top hits; two of these hits stay ahead when words alone rank.
//! - **By meaning**: vectors of length 1, stored as f32 with their chunks. In memory they take one byte per number, preceded by a
//!   sketch of one bit per number; the best candidates are compared again exactly. A chunk keeps its vector as long as its headings and
//!   text stay the same (`content_hash`), whatever changes around it.
//! - **Both**: reciprocal rank fusion, which only ranks. Coverage and the cosine decide whether anything is relevant. Before a model
//!   sees the hits, only clearly irrelevant ones are dropped (`docs/decisions/relevance.md`).
//!
//! A collection's manifest identifies its embedder completely: model, a digest of its weights, dimensions, numbers, pooling, prefixes,
//! tokens. `Run::retrieve` compares it with the configured one before anything is embedded, and opens the embedder only if a search
//! compares vectors. A local model's forward pass (`models::local`) packs the tokens of all texts without padding; a text's vector does
//! not depend on the texts in the same batch.

mod about;
mod chunk;
mod decode;
mod document;
mod epub;
mod html;
mod ingest;
mod label;
mod markdown;
mod ocr;
mod pdf;
mod plain;
mod read;
mod shelving;
mod sniff;
mod walk;
pub mod worker;
#[cfg(test)]
mod zipped;

pub use chunk::{Chunk, ChunkSize, chunk};
pub use document::{Document, Inner, Page, Section};
pub use formats::Format;
pub use ingest::{
    Catalogue, IngestError, NameError, Named, Order, Problem, Progress, Reader, Report, TakeError,
    TakenFile, Workers, endings, ingest, label_of, take_file,
};
pub use label::Label;
pub use ocr::{OcrError, OcrSettings, Tesseract};
pub use read::{Limits, ReadError, load, read, read_as, sha256};
pub use shelving::DocumentIndexer;
pub use walk::{Found, Skip, Skipped, WalkError, Walked, walk};
pub use worker::Worker;
