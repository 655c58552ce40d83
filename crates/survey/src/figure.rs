//! A figure: a share, a mean or another number of one study, with its bases, its error and its interval.

pub(crate) mod alike;
pub(crate) mod compute;
pub(crate) mod difference;
mod error;
pub(crate) mod sample;
mod trend;
pub(crate) mod uncertainty;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use error::FigureError;
pub use trend::Point;
use uncertainty::Measured;

/// How figures are computed and compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    /// A difference is significant where its p-value is below this; a letter of a table is then small.
    pub alpha: f64,
    /// The stricter one: a letter is then a capital.
    pub strict_alpha: f64,
    /// Below this base a figure is marked: in respondents, or where that is smaller, in effective ones ([`Base::carrying`]).
    pub low_base: u64,
    /// Below this base, held against the same number, nothing is tested, and no figure is told.
    pub least_base: u64,
    pub test: Test,
    pub correction: Correction,
    /// Of intervals, such as 0.95.
    pub confidence: f64,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            alpha: 0.05,
            strict_alpha: 0.01,
            low_base: 100,
            least_base: 30,
            test: Test::EffectiveBase,
            correction: Correction::None,
            confidence: 0.95,
        }
    }
}

impl Rules {
    /// Returns the first rule with an impossible value, and what it must be; `None` if all are possible.
    ///
    /// Levels and the confidence are above 0 and below 1, the stricter level is no higher than the other one, the least
    /// base is at least 2 respondents, and the low base is no lower than the least base.
    pub fn wrong(&self) -> Option<(&'static str, String)> {
        // Written so that NaN is wrong too.
        let share = |value: f64| value > 0.0 && value < 1.0;
        let is_share = |example: &str| format!("above 0 and below 1, such as {example}");
        if !share(self.alpha) {
            Some(("alpha", is_share("0.05")))
        } else if !share(self.strict_alpha) {
            Some(("strict_alpha", is_share("0.01")))
        } else if self.strict_alpha > self.alpha {
            Some(("strict_alpha", format!("{} (alpha) at most", self.alpha)))
        } else if !share(self.confidence) {
            Some(("confidence", is_share("0.95")))
        } else if self.least_base < 2 {
            Some(("least_base", "2 respondents at least".to_owned()))
        } else if self.low_base < self.least_base {
            Some(("low_base", format!("{} (least_base) at least", self.least_base)))
        } else {
            None
        }
    }
}

/// What a test takes for the size of a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Test {
    /// Kish's effective base, with the pooled z test.
    EffectiveBase,
    /// The linearised (Taylor) variance of the weighted share, with the z test.
    Linearised,
    /// The respondents, with the pooled z test.
    UnweightedBase,
}

impl Test {
    /// Returns what the test rests on, worded for readers.
    pub fn told(self) -> &'static str {
        match self {
            Test::EffectiveBase => "on Kish's effective base",
            Test::Linearised => "with the linearised variance",
            Test::UnweightedBase => "on the unweighted base",
        }
    }
}

/// How p-values are adjusted where many are looked at together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Correction {
    None,
    Holm,
    BenjaminiHochberg,
}

/// The specification of a figure: what is measured, of whom, and in which study.
#[derive(Debug, Clone, PartialEq)]
pub struct Spec {
    /// The study, by its place in the project.
    pub study: usize,
    /// The question, by its place in the study.
    pub question: usize,
    pub measure: Measure,
    /// Who is counted: respondents for whom every condition holds. If empty, all respondents.
    pub segment: Vec<Condition>,
    pub weighting: Weighting,
}

/// What is measured of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Measure {
    /// The share, among those who answered, of those who gave any of these answers, by their places.
    Share(Vec<usize>),
    Mean,
    Median,
    /// The standard deviation.
    Sd,
    /// Promoters (9 and 10) minus detractors (0 to 6) among those who answered, from -1 to 1.
    Nps,
    /// The number of respondents who answered.
    Base,
    WeightedBase,
    EffectiveBase,
}

/// Respondents who gave any of some answers to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// By its place in the study.
    pub question: usize,
    /// By their places.
    pub answers: Vec<usize>,
}

/// How respondents are weighted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Weighting {
    /// As the study says.
    #[default]
    Study,
    /// Each respondent counts once.
    Nobody,
    /// By this column, by its place in the study.
    Column(usize),
}

/// How many a figure rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Base {
    /// Respondents.
    pub unweighted: u64,
    /// The sum of their weights.
    pub weighted: f64,
    /// Kish (1965): the square of the sum of weights over the sum of their squares.
    pub effective: f64,
}

impl Base {
    /// Returns the number of respondents that a figure can be said to rest on: the smaller of the unweighted and the
    /// effective base, in whole respondents, as both are shown.
    pub fn carrying(&self) -> u64 {
        let effective = self.effective.round();
        // Compared as floats, so that converting to a whole number loses no effective base.
        if effective < self.unweighted as f64 { effective.max(0.0) as u64 } else { self.unweighted }
    }
}

/// A figure with everything that is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// As a proportion for shares and NPS (0.62, not 62), in the question's own unit for means.
    pub value: f64,
    pub base: Base,
    /// Standard error of the value; none where there is none, as for a median or a base.
    pub error: Option<f64>,
    /// The confidence interval of [`Rules::confidence`].
    pub interval: Option<(f64, f64)>,
    pub level: Level,
}

/// How far a base carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Fine,
    /// [`Base::carrying`] is below [`Rules::low_base`]: shown and marked.
    Low,
    /// [`Base::carrying`] is below [`Rules::least_base`]: not told, not tested.
    TooLow,
}

/// What came of comparing two figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// The first less the second.
    pub difference: f64,
    /// Standard error of the difference.
    pub error: Option<f64>,
    /// The confidence interval of the difference.
    pub interval: Option<(f64, f64)>,
    /// Two-sided; none where nothing was tested.
    pub p: Option<f64>,
    /// Whether `p` is below [`Rules::alpha`].
    pub significant: bool,
    /// Which test it was, or why there was none.
    pub told: String,
}

/// Returns the name of a test, worded to follow "tested with the".
pub(crate) fn test_name(measured: Measured, test: Test, pooled: bool) -> String {
    let name = match (measured, test) {
        (Measured::Mean, Test::Linearised) => "t test",
        (Measured::Mean, _) => "Welch t test",
        (Measured::Share, Test::EffectiveBase | Test::UnweightedBase) if pooled => "pooled z test",
        (Measured::Share | Measured::Nps, _) => "z test",
    };
    format!("{name} {}", test.told())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: B5
    #[test]
    fn rules_that_cannot_be_are_named_with_what_they_must_be() {
        let usual = Rules::default();
        assert_eq!(usual.wrong(), None);
        let edge = Rules { strict_alpha: 0.05, least_base: 2, low_base: 2, ..usual };
        assert_eq!(edge.wrong(), None);
        let told = |rules: Rules| rules.wrong().map(|(key, must)| format!("{key}: {must}"));
        for alpha in [0.0, 1.0, -0.1, 5.0, f64::NAN] {
            let must = Some("alpha: above 0 and below 1, such as 0.05".to_owned());
            assert_eq!(told(Rules { alpha, ..usual }), must, "{alpha}");
            for (rules, key) in [
                (Rules { strict_alpha: alpha, ..usual }, "strict_alpha"),
                (Rules { confidence: alpha, ..usual }, "confidence"),
            ] {
                assert_eq!(rules.wrong().map(|(key, _)| key), Some(key), "{alpha}");
            }
        }
        for (rules, must) in [
            (Rules { strict_alpha: 0.06, ..usual }, "strict_alpha: 0.05 (alpha) at most"),
            (Rules { least_base: 1, ..usual }, "least_base: 2 respondents at least"),
            (Rules { low_base: 29, ..usual }, "low_base: 30 (least_base) at least"),
        ] {
            assert_eq!(told(rules).as_deref(), Some(must));
        }
    }
}
