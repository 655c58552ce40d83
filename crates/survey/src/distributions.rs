//! Tails and quantiles of the distributions that tests are read from.
//!
//! Thin words over [`statrs`]. Whatever is no number, or asks for a distribution that there is not, gives NaN.

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, Normal, StudentsT};
use statrs::function::beta::checked_beta_reg;

/// Returns how likely a standard normal number is at least as far from 0 as `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    if z.is_nan() { f64::NAN } else { 2.0 * Normal::standard().sf(z.abs()) }
}

/// Returns how likely a number of Student's distribution is at least as far from 0 as `t`.
pub fn t_two_sided(t: f64, degrees: f64) -> f64 {
    match StudentsT::new(0.0, 1.0, degrees) {
        Ok(student) if !t.is_nan() => 2.0 * student.sf(t.abs()),
        _ => f64::NAN,
    }
}

/// Returns how likely a number of the chi-square distribution is `x` or more.
pub fn chi_square_tail(x: f64, degrees: f64) -> f64 {
    match ChiSquared::new(degrees) {
        Ok(_) if x <= 0.0 => 1.0,
        Ok(chi_square) if x.is_finite() => chi_square.sf(x),
        _ => f64::NAN,
    }
}

/// Returns how likely a number of Fisher's F distribution is `x` or more.
pub fn f_tail(x: f64, degrees: f64, degrees_below: f64) -> f64 {
    if x <= 0.0 && degrees > 0.0 && degrees_below > 0.0 {
        return 1.0;
    }
    // The share of the lower degrees is computed as it is: 1 less the other one would lose the digits of small tails.
    let share = degrees_below / (degrees * x + degrees_below);
    checked_beta_reg(degrees_below / 2.0, degrees / 2.0, share).unwrap_or(f64::NAN)
}

/// Returns the standard normal number below which the share `probability` lies.
pub fn normal_quantile(probability: f64) -> f64 {
    if !(probability > 0.0 && probability < 1.0) {
        return f64::NAN;
    }
    let normal = Normal::standard();
    polished(normal.inverse_cdf(probability), probability, &normal)
}

/// Returns the number below which the share `probability` of Student's distribution lies.
pub fn t_quantile(probability: f64, degrees: f64) -> f64 {
    if !(probability > 0.0 && probability < 1.0) {
        return f64::NAN;
    }
    match StudentsT::new(0.0, 1.0, degrees) {
        Ok(student) => {
            let guess = student.inverse_cdf(probability);
            let guess = if guess.is_finite() { guess } else { normal_quantile(probability) };
            polished(guess, probability, &student)
        }
        Err(_) => f64::NAN,
    }
}

/// Two of Newton's steps: inverses are given with fewer digits than the tails.
fn polished<D>(guess: f64, probability: f64, distribution: &D) -> f64
where
    D: ContinuousCDF<f64, f64> + Continuous<f64, f64>,
{
    (0..2).fold(guess, |at, _| {
        let beyond = if probability > 0.5 {
            (1.0 - probability) - distribution.sf(at)
        } else {
            distribution.cdf(at) - probability
        };
        let step = beyond / distribution.pdf(at);
        if step.is_finite() { at - step } else { at }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(one: f64, other: f64) {
        assert!((one - other).abs() <= 1e-9 * other.abs(), "{one} is not {other}");
    }

    // proves: B5
    #[test]
    fn tails_and_quantiles_are_those_of_the_tables() {
        near(normal_two_sided(1.959963984540054), 0.05);
        near(normal_quantile(0.975), 1.959963984540054);
        near(normal_quantile(0.025), -1.959963984540054);
        near(t_quantile(0.975, 10.0), 2.2281388519649385);
        near(t_two_sided(2.2281388519649385, 10.0), 0.05);
        near(chi_square_tail(3.841458820694124, 1.0), 0.05);
        near(f_tail(4.964602743730711, 1.0, 10.0), 0.05);
    }

    #[test]
    fn what_is_no_number_gives_none() {
        for value in [
            normal_two_sided(f64::NAN),
            t_two_sided(1.0, 0.0),
            t_two_sided(f64::NAN, 3.0),
            chi_square_tail(1.0, -1.0),
            f_tail(1.0, 0.0, 3.0),
            f_tail(f64::NAN, 1.0, 3.0),
            normal_quantile(0.0),
            normal_quantile(1.0),
            t_quantile(2.0, 4.0),
            t_quantile(0.5, f64::NAN),
        ] {
            assert!(value.is_nan());
        }
        assert_eq!(chi_square_tail(0.0, 2.0), 1.0);
        assert_eq!(f_tail(0.0, 2.0, 2.0), 1.0);
        assert_eq!(t_two_sided(f64::INFINITY, 5.0), 0.0);
    }
}
