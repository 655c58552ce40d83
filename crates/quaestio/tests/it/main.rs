//! The whole program, as a user meets it: real binary, real SQLite, real HTTP against a fake model server.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agreed;
mod arrows;
mod ask;
mod attack;
mod bad_input;
mod bad_model;
mod brief;
mod briefs;
mod budget;
mod bundles;
mod cancel;
mod chats;
mod check;
mod config;
mod configuration;
mod contexts;
mod corpus;
#[cfg(unix)]
mod debate;
mod debates;
mod deep;
#[cfg(unix)]
mod deploy;
mod documents;
mod embedders;
mod engine;
mod eval;
#[cfg(target_os = "linux")]
mod footprint;
mod formats;
mod former;
mod gallery;
mod gates;
mod hypothesize;
mod in_process;
mod languages;
mod logs;
mod machine;
#[cfg(unix)]
mod manners;
mod manual;
mod mcp;
#[cfg(unix)]
mod mcp_sources;
mod models;
mod moved;
mod natural;
mod output;
mod outside;
mod own_method;
mod papers;
mod pdfs;
mod quotes;
mod result_files;
mod runs;
mod search;
mod sentences;
mod serve;
mod stand;
mod start;
mod survey;
#[cfg(unix)]
mod telemetry;
mod terminal;
mod version;
mod word;
#[cfg(unix)]
mod words;
mod workers;
mod workflow;
mod zotero;
