//! Scholarly services, web search, the page reader, and the bibliography.
//!
//! A run asks through [`Outside`]. Each service is two plain functions, what to ask it and how to read what it says; one client asks for all
//! of them and keeps to what each wants of its callers. [`Csl`] writes references of what was found.
//!
//! ```
//! use run::paper::{Author, Date, Kind, Paper};
//! use run::sources::Bibliography;
//!
//! let paper = Paper {
//!     kind: Kind::Article,
//!     title: "On the tides".into(),
//!     authors: vec![Author::Person { family: "Doe".into(), given: "Jane".into() }],
//!     published: Some(Date { year: 2021, month: None, day: None }),
//!     venue: Some("Journal of Coasts".into()),
//!     volume: Some("7".into()),
//!     ..Paper::default()
//! };
//! let apa = sources::Csl::named("apa")?;
//! assert_eq!(apa.references(&[&paper]), ["Doe, J. (2021). On the tides. Journal of Coasts, 7."]);
//! # Ok::<(), sources::NoStyle>(())
//! ```

mod address;
mod arxiv;
mod bibliography;
mod cache;
mod client;
mod crossref;
mod json;
mod keys;
mod markup;
mod media;
mod openalex;
mod outside;
mod pace;
mod semantic_scholar;
mod service;
mod services;
mod settings;
mod web;

#[cfg(test)]
mod fields;
#[cfg(test)]
mod mutations;
#[cfg(all(test, feature = "recorded"))]
mod recorded;
#[cfg(all(test, feature = "recorded"))]
mod recorded_web;

pub use bibliography::{Csl, Item, Name, NoStyle, bibtex, csl_json, ris, styles};
pub use outside::Outside;
pub use services::{Endpoint, Engine, NoEngine, Services, ServicesError};
pub use settings::{Network, Settings};
pub use transport::without_userinfo;
