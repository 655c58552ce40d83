//! The research methods, one file each, read top to bottom.
//!
//! ```
//! assert!(methods::all().find("ask").is_some());
//! ```

pub mod ask;
pub mod hypothesize;
mod outside;

use run::{Method, Methods};

/// Returns every method that ships.
pub fn all() -> Methods {
    let ask = Method { name: "ask", version: 2, perform: |run| Box::pin(ask::perform(run)) };
    Methods::new([ask])
}
