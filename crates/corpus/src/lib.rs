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
//! What was fetched has no name but a [`Label`]: its address, and what its server said of it. [`read_as`] reads it, and [`DocumentIndexer`] takes it
//! into a collection through the same stages as files, together with what is known of it as a work.
//!
//! # Documents and retrieval
//!
//! `corpus::ingest` leads files through stages that overlap: they are read and cut (a PDF, DOCX or EPUB by a `Worker`,
//! another process of this program with limits on time and memory, kept for the following files and replaced when it
//! breaks), their chunks get vectors, and whole documents are stored, as many as make a good batch, text and indexes in
//! one transaction. Chunks may cross a page; each knows the pages it stands on, so a citation names the page of its
//! quote.
//!
//! Of a web page that is kept which an extractor for articles finds, where that is nearly all of the page's main part
//! (`corpus::html::main_part`), else the main part whole; of a user's own HTML file all but its navigation.
//!
//! PDFs are laid out here from the glyphs of one engine, page by page; a second engine takes over where the first fails
//! or its words look wrong.
//!
//! There is one analysis of text (`text`): folded, stemmed, without stop words, pairs of characters for scripts
//! without spaces. Every index holds its terms, so that ranking is the same in all of them.
//!
//! - **By words**: BM25 as SQLite's FTS5 scores it. The first search of a collection asks the file's own index; from the
//!   second on, and until the collection changes, its words are in memory (`index::Lexical`), to the same scores.
//!   RM3 widens the question by the words of its first hits, of which two stay ahead where words alone rank.
//! - **By meaning**: vectors of length 1, stored as f32 beside their chunks, held in memory as one byte a number with a
//!   sketch of one bit a number before them, the best compared again exactly. A chunk keeps its vector while its headings
//!   and text stay the same (`content_hash`), whatever changes around it.
//! - **Both**: reciprocal rank fusion, which ranks and decides nothing. What decides whether anything is relevant is
//!   coverage, and the cosine; before a model only what is clearly nothing is dropped (`docs/decisions/relevance.md`).
//!
//! A collection's manifest names its embedder in full: model, a digest of its weights, dimensions, numbers, pooling,
//! prefixes, tokens. `Run::retrieve` compares it with the configured one before anything is embedded, and opens that only
//! when a search compares vectors. A local model's forward pass (`models::local`) packs the tokens of all texts without
//! padding; a text's vector does not depend on its company.

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
pub use shelving::DocumentIndexer;
pub use walk::{Found, Skip, Skipped, WalkError, Walked, walk};
pub use worker::Worker;
