//! The HTTP API of Quaestio, its live stream and its page.

mod house;

pub use house::{
    BudgetChoice, Changes, Choices, Estimate, Export, FormatChoice, Heading, House, Limits,
    MethodChoice, ModelName, Prepared, Refusal, RefusalKind, Report, SourceChoice, StrategyChoice,
    Taken,
};
