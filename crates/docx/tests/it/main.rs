//! Documents as a reader of the format finds them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod any_text;
mod document;
mod reading;
