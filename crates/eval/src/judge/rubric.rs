//! The criteria by which answers are scored.

/// A criterion of the rubric; each is scored from 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Criterion {
    Correctness,
    Completeness,
    Support,
    Clarity,
}

impl Criterion {
    /// All criteria in the order of the rubric.
    pub const ALL: [Criterion; 4] =
        [Criterion::Correctness, Criterion::Completeness, Criterion::Support, Criterion::Clarity];

    /// Returns the key of its score.
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Correctness => "correctness",
            Criterion::Completeness => "completeness",
            Criterion::Support => "support",
            Criterion::Clarity => "clarity",
        }
    }
}

/// Returns the criteria in the order of a round: each round begins with a different one, so that repeated judgements are not echoes.
pub(super) fn rotated(round: u32) -> [Criterion; 4] {
    let mut criteria = Criterion::ALL;
    criteria.rotate_left(round.saturating_sub(1) as usize % Criterion::ALL.len());
    criteria
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A8
    #[test]
    fn every_round_goes_through_all_criteria_and_begins_with_another_one() {
        let first: Vec<Criterion> = (1..=4).map(|round| rotated(round)[0]).collect();
        assert_eq!(first, Criterion::ALL);
        for round in [0, 1, 5, u32::MAX] {
            let mut all = rotated(round);
            all.sort_unstable();
            assert_eq!(all, Criterion::ALL);
        }
    }
}
