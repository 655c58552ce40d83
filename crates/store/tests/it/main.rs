//! The store as everyone else sees it: a log and a library, on real files.
#![expect(clippy::unwrap_used, reason = "what a test relies on fails it")]

mod amended;
mod child;
mod conformance;
mod contexts;
mod crowd;
mod entries;
mod gates;
mod library;
mod log;
mod planned;
mod plans;
mod races;
mod story;
