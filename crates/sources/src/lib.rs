//! Scholarly services, web search, the page reader, and the bibliography.
//!
//! Each service is a [`service::Service`]: what to ask it, and how to read what it says; both are plain functions. One client asks for all of
//! them and keeps to what each wants of its callers.

mod bibliography;
#[allow(dead_code)]
mod address;
#[allow(dead_code)]
mod cache;
#[allow(dead_code)]
mod client;
#[allow(dead_code)]
mod media;
#[allow(dead_code)]
mod pace;
mod arxiv;
#[allow(dead_code)]
mod crossref;
#[allow(dead_code)]
mod markup;
#[cfg(all(test, feature = "recorded"))]
mod recorded;
#[cfg(test)]
mod fields;
#[allow(dead_code)]
mod json;
#[allow(dead_code)]
mod keys;
#[allow(dead_code)]
mod markup;
#[cfg(test)]
mod mutations;
#[allow(dead_code)]
mod names;
#[allow(dead_code)]
mod openalex;
#[cfg(all(test, feature = "recorded"))]
mod recorded_web;
#[allow(dead_code)]
mod semantic_scholar;
#[allow(dead_code)]
mod service;
mod settings;

pub use settings::{Network, Settings};

pub use bibliography::{Csl, Item, Name, NoStyle, bibtex, csl_json, ris, styles};
#[allow(dead_code, unused_imports)]
mod web;
