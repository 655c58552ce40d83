//! The operations of the product, which every face calls, and the loop that works on runs.
//!
//! A face (the command line, the HTTP server) reads what somebody wants and prints what came of it; what is done lies here and below, in
//! [`run::work`]. Nothing here knows an adapter: configuration, models and files are the [`Backend`]'s, and everything that is stored
//! comes through the ports of a [`World`](run::ports::World).
//!
//! - A [`Worker`] holds runs for one process: it claims them, renews their leases, hears who wants them stopped, and calls their methods.
//!   A command works on one run, an evaluation on many, a server on whatever stands in the queue: all of them through it.
//! - A [`Queue`] feeds a worker: it takes up what `Log::unfinished` names, whoever put it there, so that starting, answering, recovering
//!   after a crash and sharing a folder with other processes are one mechanism. A run that cannot go on here rests, and its state says why.
//! - [`Backend`] is what a server asks of the program behind it.

mod backend;
mod queue;
mod worker;

pub use backend::{
    Backend, BudgetChoice, Changes, Choices, Estimate, Export, Forked, FormatChoice, Heading,
    Limits, MethodChoice, ModelName, Refusal, RefusalKind, Report, SourceChoice, StrategyChoice,
    Survey, SurveyFile, SurveyState, SurveyStudy, Taken, Vitals,
};
pub use queue::{Host, Queue, QueueParts};
pub use worker::{Held, Worker};
