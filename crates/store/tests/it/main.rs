//! The store as everyone else sees it: a log and a library, on real files.
#![expect(clippy::unwrap_used, reason = "what a test relies on fails it")]

mod amended;
mod child;
mod contexts;
mod crowd;
mod entries;
mod files;
mod gates;
mod history;
mod library;
mod log;
mod moving;
mod planned;
mod plans;
mod races;
mod usage;
