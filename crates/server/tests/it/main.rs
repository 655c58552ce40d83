//! The server as a client meets it: real HTTP, real SQLite or PostgreSQL, methods and a model of our own.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod again;
mod api;
mod cancel;
mod configuration;
mod contexts;
mod contract;
mod crowd;
mod debate;
mod examples;
mod gates;
mod history;
mod home;
mod isolation;
mod mcp;
mod namesakes;
mod openai;
mod operating;
mod page;
mod patience;
mod quotas;
mod raw;
mod recovery;
mod refusals;
mod scientists;
mod security;
mod stage;
mod stream;
mod tokens;
mod uploads;
mod words;
mod workflows;
