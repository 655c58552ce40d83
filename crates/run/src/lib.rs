//! The vocabulary and the engine of a run.
//!
//! A research method is an ordinary async function over a [`Run`], and a run is its log. Each call on the run is a step: found again
//! after a restart, stopped by a cancel, counted against the budget. [`world::World`] holds all that a run needs from outside; nothing here
//! does I/O.
//!
//! A method reads like its process:
//!
//! ```
//! use run::{Ask, Deliverable, Outcome, Result, Run};
//!
//! async fn greet(run: &Run) -> Result<Deliverable> {
//!     let ask = Ask { question: "What is your name?".into(), ..Ask::default() };
//!     let name = run.ask("name", ask).await?; // the method stops here until a person answers
//!     run.say(format!("greeting {name}"));
//!     let fields = [("greeting".to_owned(), format!("Hello, {name}!").into())];
//!     Ok(Deliverable { outcome: Outcome::Answered, fields: fields.into_iter().collect(), ledger: vec![] })
//! }
//! ```
//!
//! The [`ledger`] decides what a deliverable may state: each claim is bound to the statements of its sources that support it
//! ([`material`]).

mod asking;
pub mod budget;
pub mod canonical;
pub mod consult;
pub mod contexts;
pub mod database;
mod draft;
pub mod embedding;
pub mod entry;
pub mod error;
pub mod evidence;
pub mod files;
pub mod history;
mod journal;
pub mod ledger;
pub mod library;
pub mod listener;
pub mod log;
pub mod material;
pub mod model;
pub mod moving;
pub mod news;
pub mod past;
pub mod plan;
pub mod prompt;
pub mod refined;
mod run;
pub mod sandbox;
pub mod schema;
pub mod services;
pub mod settings;
pub mod sources;
pub mod stages;
pub mod stands;
pub mod tokens;
pub mod usage;
pub mod views;
mod windows;
pub mod work;
pub mod world;

/// Reference marks in a text; see the crate `grounding`.
pub use ::grounding::marks;
/// Display-safe text; see the crate `grounding`.
pub mod grounding {
    pub use ::grounding::fold::{clean, is_unseen};
}

pub use asking::{CALL_DEADLINE, Call, CallOffline, Form, Reply};
pub use entry::{Ask, Entry, Event, Outcome};
pub use plan::{Plan, PlanStep};
pub use prompt::Agent;
pub use refined::Refined;
pub use run::{Result, Run, Stop};
pub use settings::{Mode, Settings};
pub use stages::Stage;
pub use work::{Deliverable, Method, Methods};
