//! P-values adjusted for multiple tests.
//!
//! A family is the tests that are read together: for a row of a banner table, the pairs of columns within one banner
//! question; for a trend, its pairs of neighbours. A value that was not tested is no member and stays as it is.

use crate::figure::Correction;

/// Returns the p-values adjusted by a correction, in their order.
pub fn adjusted(correction: Correction, values: &[Option<f64>]) -> Vec<Option<f64>> {
    match correction {
        Correction::None => values.to_vec(),
        Correction::Holm => holm(values),
        Correction::BenjaminiHochberg => benjamini_hochberg(values),
    }
}

/// Returns p-values that control the probability of any false discovery in the family.
///
/// Holm (1979), A simple sequentially rejective multiple test procedure: the i-th smallest of m times (m - i + 1),
/// never below that of a smaller one, at most 1.
pub fn holm(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let order = by_size(values);
    let mut adjusted = vec![None; values.len()];
    let mut least = 0.0_f64;
    for (rank, (place, value)) in order.iter().enumerate() {
        least = least.max(value * (order.len() - rank) as f64).min(1.0);
        set(&mut adjusted, *place, least);
    }
    adjusted
}

/// Returns p-values that control the expected share of false discoveries among the discoveries of the family.
///
/// Benjamini and Hochberg (1995), Controlling the false discovery rate: the i-th smallest of m times m / i, never above
/// that of a larger one, at most 1.
pub fn benjamini_hochberg(values: &[Option<f64>]) -> Vec<Option<f64>> {
    let order = by_size(values);
    let mut adjusted = vec![None; values.len()];
    let mut most = 1.0_f64;
    for (rank, (place, value)) in order.iter().enumerate().rev() {
        most = most.min(value * order.len() as f64 / (rank + 1) as f64);
        set(&mut adjusted, *place, most);
    }
    adjusted
}

/// Returns the p-values that exist, smallest first, each with its place.
fn by_size(values: &[Option<f64>]) -> Vec<(usize, f64)> {
    let mut order: Vec<(usize, f64)> = values
        .iter()
        .enumerate()
        .filter_map(|(place, value)| Some((place, (*value)?)))
        .filter(|(_, value)| !value.is_nan())
        .collect();
    order.sort_by(|(_, one), (_, other)| one.total_cmp(other));
    order
}

fn set(values: &mut [Option<f64>], place: usize, value: f64) {
    if let Some(slot) = values.get_mut(place) {
        *slot = Some(value);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn near(given: &[Option<f64>], expected: &[Option<f64>]) {
        assert_eq!(given.len(), expected.len());
        for (one, other) in given.iter().zip(expected) {
            match (one, other) {
                (Some(one), Some(other)) => assert!((one - other).abs() < 1e-12, "{given:?}"),
                (one, other) => assert_eq!(one, other),
            }
        }
    }

    // proves: B5
    #[test]
    fn a_family_is_adjusted_as_its_authors_say() {
        let raw = [Some(0.04), None, Some(0.01), Some(0.03), Some(0.02)];
        near(&holm(&raw), &[Some(0.06), None, Some(0.04), Some(0.06), Some(0.06)]);
        near(&benjamini_hochberg(&raw), &[Some(0.04), None, Some(0.04), Some(0.04), Some(0.04)]);
        assert_eq!(adjusted(Correction::None, &raw), raw);
        assert_eq!(holm(&[]), []);
    }

    proptest! {
        // proves: B5
        #[test]
        fn adjusting_never_lowers_and_keeps_the_order(
            raw in proptest::collection::vec(proptest::option::of(0.0..=1.0_f64), 0..40)
        ) {
            let (holm, hochberg) = (holm(&raw), benjamini_hochberg(&raw));
            for (one, value) in raw.iter().enumerate() {
                let Some(value) = *value else {
                    prop_assert_eq!((holm[one], hochberg[one]), (None, None));
                    continue;
                };
                let (by_holm, by_hochberg) = (holm[one].unwrap(), hochberg[one].unwrap());
                prop_assert!(value <= by_hochberg + 1e-15);
                prop_assert!(by_hochberg <= by_holm + 1e-15 && by_holm <= 1.0);
                for (other, larger) in raw.iter().enumerate() {
                    if larger.is_some_and(|larger| larger >= value) {
                        prop_assert!(holm[other].unwrap() >= by_holm);
                        prop_assert!(hochberg[other].unwrap() >= by_hochberg);
                    }
                }
            }
        }
    }
}
