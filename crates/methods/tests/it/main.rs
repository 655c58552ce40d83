//! The methods on a stage: everything outside is scripted.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod asked;
mod brief;
mod budget;
mod debate;
mod deep;
mod following_up;
mod headings;
mod hijacked;
mod hypothesize;
mod leads;
mod market;
mod paused;
mod planted;
mod ports;
mod stage;
mod summaries;
mod traced;
