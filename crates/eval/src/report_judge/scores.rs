//! Combines the scores of criteria into the relative score of a report.

use std::collections::{BTreeMap, BTreeSet};

use run::Reply;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::criteria::{Criteria, Dimension};

/// The key of the score over all dimensions.
pub const OVERALL: &str = "overall";

/// What a judge gave two reports.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Marks {
    /// One for each criterion.
    #[schemars(length(min = 1, max = 20))]
    pub scores: Vec<Mark>,
}

/// The scores of both reports by one criterion.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Mark {
    /// Its number.
    #[schemars(range(min = 1, max = 20))]
    pub criterion: u32,
    /// What decided both scores, in a sentence.
    #[serde(default)]
    #[schemars(length(max = 300))]
    pub reason: String,
    /// 0 (nothing of it is there) to 10.
    #[schemars(range(min = 0, max = 10))]
    pub first: f64,
    #[schemars(range(min = 0, max = 10))]
    pub second: f64,
}

impl Reply for Marks {
    fn check(&self) -> Result<(), String> {
        let mut scored = BTreeSet::new();
        for Mark { criterion, first, second, .. } in &self.scores {
            if !scored.insert(*criterion) {
                return Err(format!("criterion {criterion} is scored twice"));
            }
            for (place, score) in [("first", first), ("second", second)] {
                if !(0.0..=10.0).contains(score) {
                    return Err(format!(
                        "`{place}` of criterion {criterion} is {score}, and must be 0 to 10"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A comparison of two reports, by position and not by arm.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    /// The weighted scores by dimension, and of all as [`OVERALL`], each 0 to 10.
    pub first: BTreeMap<String, f64>,
    pub second: BTreeMap<String, f64>,
    /// In the order of their numbers.
    pub scores: Vec<Scored>,
}

/// A criterion with the scores of both reports.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scored {
    pub criterion: String,
    pub dimension: Dimension,
    /// Its share of the overall score, 0 to 1.
    pub weight: f64,
    pub reason: String,
    pub first: f64,
    pub second: f64,
}

impl Compared {
    /// Combines scores by the weights of their criteria; fails with the criteria that were not scored, if any.
    pub(super) fn of(criteria: &Criteria, marks: &Marks) -> Result<Compared, String> {
        let mut compared = Compared::default();
        let mut left_out = Vec::new();
        for (number, dimension, weight, criterion) in criteria.numbered() {
            let Some(mark) = marks.scores.iter().find(|mark| mark.criterion == number) else {
                left_out.push(number.to_string());
                continue;
            };
            for (sums, score) in
                [(&mut compared.first, mark.first), (&mut compared.second, mark.second)]
            {
                *sums.entry(dimension.name().to_owned()).or_default() += criterion.weight * score;
                *sums.entry(OVERALL.to_owned()).or_default() += weight * score;
            }
            let (criterion, reason) = (criterion.name.clone(), mark.reason.clone());
            let Mark { first, second, .. } = *mark;
            compared.scores.push(Scored { criterion, dimension, weight, reason, first, second });
        }
        if left_out.is_empty() {
            return Ok(compared);
        }
        Err(format!("no scores were given for the criteria {}", left_out.join(", ")))
    }

    /// Returns the relative scores of the report shown first, or of the other one, by dimension and overall.
    pub fn relative(&self, of_first: bool) -> BTreeMap<String, f64> {
        let (target, reference) =
            if of_first { (&self.first, &self.second) } else { (&self.second, &self.first) };
        let both = target.iter().filter_map(|(key, own)| Some((key, *own, *reference.get(key)?)));
        both.map(|(key, own, other)| (key.clone(), relative(own, other))).collect()
    }

    /// Returns both overall scores in a line.
    pub fn told(&self) -> String {
        let [first, second] =
            [&self.first, &self.second].map(|one| one.get(OVERALL).copied().unwrap_or_default());
        format!("the first report {first:.1}, the second {second:.1} of 10")
    }
}

/// Returns target / (target + reference), 0 to 1; 0.5 if both are equal, even if both are 0.
pub fn relative(target: f64, reference: f64) -> f64 {
    let sum = target + reference;
    if sum > 0.0 { target / sum } else { 0.5 }
}
