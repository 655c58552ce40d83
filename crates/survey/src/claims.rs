//! Claims: a sentence with the expressions of its figures, held against the data.

use serde::{Deserialize, Serialize};

use crate::expression::{Evaluated, evaluate};
use crate::figure::Rules;
use crate::project::Project;

/// A sentence, and the expressions of every figure that it states or compares.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stated {
    pub text: String,
    pub figures: Vec<String>,
}

/// What came of holding a sentence against the data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checked {
    pub holds: bool,
    /// What does not hold, one sentence each.
    pub faults: Vec<String>,
    pub figures: Vec<Evaluated>,
}

/// Evaluates every figure of a sentence.
pub fn check(project: &Project, rules: &Rules, claim: &Stated) -> Checked {
    let (mut figures, mut faults) = (Vec::new(), Vec::new());
    for figure in &claim.figures {
        match evaluate(project, rules, figure) {
            Ok(evaluated) => figures.push(evaluated),
            Err(wrong) => faults.push(format!("{figure}: {wrong}")),
        }
    }
    Checked { holds: faults.is_empty(), faults, figures }
}
