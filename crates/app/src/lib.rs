//! What every face shares: the worker that holds runs, the queue that feeds it, and the backend behind a server.
//!
//! A face (the command line, the HTTP server) reads a request and prints its result; the work is done here and below, in [`run::work`].
//! This crate knows no adapter: the [`Backend`] owns configuration, models and files, and everything stored is reached through the ports
//! of a [`World`](run::world::World).
//!
//! - A [`Worker`] holds runs for one process: it claims them, renews their leases, hears requests to stop, and calls their methods. A
//!   command works on one run, an evaluation on many and a server on whatever is queued, all through a worker.
//! - A [`Queue`] feeds a worker with the runs that `Log::unfinished` names, no matter which process put them there. So starting,
//!   answering, recovering after a crash and sharing a folder with other processes are one mechanism. A run that cannot go on in this
//!   process rests, and its state says why.
//! - A [`Backend`] is the program as a server sees it.
//! - [`moving`] copies everything from one database to another, and checks a database.

mod backend;
mod configuration;
pub mod moving;
mod queue;
mod spread;
mod worker;

pub use backend::{
    Backend, BudgetChoice, Changes, Choices, Estimate, Export, ExportOrder, Forked, FormatChoice,
    Heading, LeftOut, Limits, MethodChoice, ModelName, Refusal, RefusalKind, Report, SourceChoice,
    StrategyChoice, Survey, SurveyFile, SurveyState, SurveyStudy, Taken, Vitals,
};
pub use configuration::{
    Check, CheckState, Configuration, ConfigurationChange, ConfigurationKey, ConfigurationSetting,
    KeyName, ProviderChoice, SetBy, Trial, TrialOutcome, Tried,
};
pub use queue::{Host, Queue, QueueParts};
pub use worker::{Held, Worker};
