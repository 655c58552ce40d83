//! Scholarly services, web search, MCP servers, the page reader, and the bibliography.
//!
//! A run asks through [`Outside`]. Each service is two plain functions: what to ask, and how to read the reply. One client asks all of
//! them and keeps each service's rules. [`Csl`] formats references to the works found.
//!
//! ```
//! use papers::{Author, Date, Kind, Paper};
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
//!
//! # Papers, pages, references
//!
//! `run::sources` has three ports. `Sources` (adapter `sources::Outside`) asks services and fetches; `Intake` (adapter in `corpus`) makes
//! documents of what was fetched; `Bibliography` (adapter `sources::Csl`) formats references. Bytes go from the first to the second
//! through the run, so neither crate knows the other.
//!
//! Each service is two plain functions, what to ask and how to read the reply (`sources::service`); one client asks all of them and keeps
//! their rules: spacing, concurrency, rate headers, attempts, cool-downs, cache. Papers that several sources know are merged by `papers`.
//!
//! An MCP server is asked with the query alone (`sources::mcp`), and what its tools return are texts that enter the run's collection as
//! they are: nothing else of it is read, and no address in it is fetched.
//!
//! `ask --strategy search` is `rag` with a search before it. The searcher writes queries from the question alone. Every query is a scope
//! with its steps `papers`, `pages` and `texts`. What is chosen is read, each in its own scope, into the collection `run-<id>` (a fork reads into
//! its own, so that no run loses the text it cites). From there on nothing differs from the user's own documents: a quote is checked
//! against the stored text, retrieval and relevance are the same, and the writer cannot tell whom to trust by origin. A document
//! remembers its origin (`kind`, `work`), evidence takes its type from that, and the references of a deliverable are a fold over the log:
//! the works behind the citations that are shown.

mod address;
mod arxiv;
mod bibliography;
mod cache;
mod client;
mod crossref;
mod json;
mod keys;
mod markup;
mod mcp;
mod media;
mod memory;
mod openalex;
mod outside;
mod pace;
mod semantic_scholar;
mod service;
mod services;
mod settings;
mod sitemap;
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
pub use client::Receiver;
pub use mcp::{McpEndpoint, McpServer, McpTool, McpTrial};
pub use memory::FolderMemory;
pub use outside::Outside;
pub use services::{Endpoint, Engine, NoEngine, Services, ServicesError};
pub use settings::{Network, Settings};
pub use sitemap::{SitePage, SitePages, list_pages};
pub use transport::without_userinfo;
