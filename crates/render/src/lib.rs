//! Reports as blocks and inlines. A report is built once; a writer decides what it looks like.
//!
//! ```
//! use render::{Document, Line};
//!
//! let mut report = Document::default();
//! report.heading("Deaths in Soho");
//! report.paragraph(Line::from("The handle was removed on 8 September 1854.").marks(&[1]));
//! assert_eq!(
//!     render::markdown::write(&report),
//!     "## Deaths in Soho\n\nThe handle was removed on 8 September 1854. [1]\n"
//! );
//! let fragment = render::html::write(&report, &Default::default());
//! assert_eq!(fragment.outline[0].text, "Deaths in Soho");
//! ```
//!
//! Text is only text: whatever a document, a model or a user wrote goes into [`Inline::Text`], and each writer escapes it for its format.
//! A citation leads somewhere only as an [`Inline::Mark`], which text cannot forge. [`Document::label`] gives all of them the labels that a
//! reader sees, such as `[7a]`, once for every writer. [`read::read`] makes blocks of Markdown that a model
//! wrote, without links, pictures or HTML.

mod document;
mod figure;
pub mod html;
mod labels;
mod line;
mod link;
pub mod markdown;
pub mod placed;
pub mod read;
pub mod source;
pub mod svg;
pub mod terminal;
pub mod text;

pub use document::{Alignment, Block, Document, List, Note, NotedSource, Notes, Table};
pub use figure::{Figure, Picture};
pub use labels::{Label, Labels};
pub use line::{Cited, Extent, Inline, Line, Sign, one_line};
pub use link::Link;
