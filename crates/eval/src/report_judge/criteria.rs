//! The criteria by which reports on a question are scored.

use std::fmt::Write as _;

use run::Reply;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A side of a report; the same four whatever the question.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    Comprehensiveness,
    Insight,
    InstructionFollowing,
    Readability,
}

impl Dimension {
    /// All dimensions in display order.
    pub const ALL: [Dimension; 4] = [
        Dimension::Comprehensiveness,
        Dimension::Insight,
        Dimension::InstructionFollowing,
        Dimension::Readability,
    ];

    /// Returns the key of its metrics.
    pub fn name(self) -> &'static str {
        match self {
            Dimension::Comprehensiveness => "comprehensiveness",
            Dimension::Insight => "insight",
            Dimension::InstructionFollowing => "instruction_following",
            Dimension::Readability => "readability",
        }
    }
}

/// The criteria of a task, and how much each of them weighs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Criteria {
    /// Who asks this, what they need, and what therefore weighs most, in a few sentences.
    #[serde(default)]
    #[schemars(length(max = 1_000))]
    pub reason: String,
    pub comprehensiveness: Weighed,
    pub insight: Weighed,
    pub instruction_following: Weighed,
    pub readability: Weighed,
}

/// A dimension with its criteria.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Weighed {
    #[schemars(length(min = 2, max = 5))]
    pub criteria: Vec<Criterion>,
    /// How much the dimension weighs among the four.
    #[schemars(range(min = 0, max = 100))]
    pub weight: f64,
}

/// Something that a report is scored by.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Criterion {
    /// In a few words.
    #[schemars(length(max = 100))]
    pub name: String,
    /// What a good report does, in a sentence or two.
    #[schemars(length(max = 400))]
    pub looks_for: String,
    /// How much it weighs among those of its dimension.
    #[schemars(range(min = 0, max = 100))]
    pub weight: f64,
}

impl Reply for Criteria {
    fn check(&self) -> Result<(), String> {
        for (dimension, weighed) in self.dimensions() {
            let name = dimension.name();
            let number = weighed.criteria.len();
            if !(2..=5).contains(&number) {
                return Err(format!("`{name}` has {number} criteria, and must have 2 to 5"));
            }
            if let Some(at) = weighed
                .criteria
                .iter()
                .position(|one| one.name.trim().is_empty() || one.looks_for.trim().is_empty())
            {
                return Err(format!(
                    "criterion {} of `{name}` must have a `name` and say what it `looks_for`",
                    at + 1
                ));
            }
            let whose = format!("the criteria of `{name}`");
            check_weights(&whose, weighed.criteria.iter().map(|one| one.weight))?;
        }
        check_weights("the four dimensions", self.dimensions().map(|(_, one)| one.weight))
    }
}

/// Refuses weights that cannot be normalised.
fn check_weights(
    whose: &str,
    weights: impl IntoIterator<Item = f64>,
) -> std::result::Result<(), String> {
    let mut sum = 0.0;
    for weight in weights {
        if !(0.0..=100.0).contains(&weight) {
            return Err(format!("a weight of {whose} is {weight}, and must be 0 to 100"));
        }
        sum += weight;
    }
    if sum > 0.0 {
        return Ok(());
    }
    Err(format!("the weights of {whose} are all 0: give more to what matters more"))
}

impl Criteria {
    /// Returns the dimensions in their order.
    pub fn dimensions(&self) -> [(Dimension, &Weighed); 4] {
        Dimension::ALL.map(|dimension| {
            let weighed = match dimension {
                Dimension::Comprehensiveness => &self.comprehensiveness,
                Dimension::Insight => &self.insight,
                Dimension::InstructionFollowing => &self.instruction_following,
                Dimension::Readability => &self.readability,
            };
            (dimension, weighed)
        })
    }

    /// Returns the criteria with weights that add up to 1, among the dimensions and within each.
    pub fn normalised(mut self) -> Criteria {
        let all: f64 = self.dimensions().iter().map(|(_, one)| one.weight).sum();
        for weighed in [
            &mut self.comprehensiveness,
            &mut self.insight,
            &mut self.instruction_following,
            &mut self.readability,
        ] {
            weighed.weight /= all;
            let own: f64 = weighed.criteria.iter().map(|one| one.weight).sum();
            weighed.criteria.iter_mut().for_each(|one| one.weight /= own);
        }
        self
    }

    /// Returns every criterion with its number, from 1, its dimension, and its share of the total once weights are normalised.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u32, Dimension, f64, &Criterion)> {
        let all = self.dimensions().into_iter().flat_map(|(dimension, weighed)| {
            let share = move |one: &Criterion| weighed.weight * one.weight;
            weighed.criteria.iter().map(move |one| (dimension, share(one), one))
        });
        (1..).zip(all).map(|(number, (dimension, share, one))| (number, dimension, share, one))
    }

    /// Returns the criteria as shown to a judge, without weights, which might bias its scores.
    ///
    /// Each round begins with a different dimension, so that repeated judgements are not echoes. A criterion keeps its number.
    pub(super) fn listed(&self, round: u32) -> String {
        let mut order = Dimension::ALL;
        order.rotate_left(round.saturating_sub(1) as usize % Dimension::ALL.len());
        let mut list = String::new();
        for wanted in order {
            for (number, _, _, criterion) in self.numbered().filter(|(_, own, ..)| *own == wanted) {
                let Criterion { name, looks_for, .. } = criterion;
                let _ = writeln!(list, "{number}. {name} ({}): {looks_for}", wanted.name());
            }
        }
        list
    }

    /// Returns the weights in a line.
    pub fn told(&self) -> String {
        let line = self.dimensions().map(|(dimension, weighed)| {
            let number = weighed.criteria.len();
            format!("{} {:.2} ({number} criteria)", dimension.name(), weighed.weight)
        });
        line.join(", ")
    }
}
