//! Tails and quantiles of the distributions that tests use.
//!
//! The normal and chi-square distributions come from [`statrs`]. Student's and Fisher's are computed here, which keeps
//! their precision for millions of respondents. Arguments that are NaN, or that no distribution has, give NaN.

mod beta;

use statrs::distribution::{ChiSquared, Continuous, ContinuousCDF, Normal, StudentsT};

use beta::incomplete_beta;

/// Returns the probability that a standard normal variable is at least as far from 0 as `z`.
pub fn normal_two_sided(z: f64) -> f64 {
    if z.is_nan() { f64::NAN } else { 2.0 * Normal::standard().sf(z.abs()) }
}

/// Returns the probability that a variable of Student's t distribution is at least as far from 0 as `t`.
pub fn t_two_sided(t: f64, degrees: f64) -> f64 {
    if t.is_infinite() && degrees > 0.0 {
        return 0.0;
    }
    let both = degrees + t * t;
    incomplete_beta(degrees / 2.0, 0.5, degrees / both, t * t / both)
}

/// Returns the probability that a chi-square variable is `x` or more.
pub fn chi_square_tail(x: f64, degrees: f64) -> f64 {
    match ChiSquared::new(degrees) {
        Ok(_) if x <= 0.0 => 1.0,
        Ok(chi_square) if x.is_finite() => chi_square.sf(x),
        _ => f64::NAN,
    }
}

/// Returns the probability that a variable of Fisher's F distribution is `x` or more.
pub fn f_tail(x: f64, degrees: f64, degrees_below: f64) -> f64 {
    let x = x.max(0.0) + 0.0 * x;
    let both = degrees * x + degrees_below;
    incomplete_beta(degrees_below / 2.0, degrees / 2.0, degrees_below / both, degrees * x / both)
}

/// Returns the number below which a standard normal variable lies with this `probability`.
pub fn normal_quantile(probability: f64) -> f64 {
    if !(probability > 0.0 && probability < 1.0) {
        return f64::NAN;
    }
    let normal = Normal::standard();
    let beyond = |at: f64| normal_two_sided(at) / 2.0;
    quantile(probability, |tail| -normal.inverse_cdf(tail), beyond, |at| normal.pdf(at))
}

/// Returns the number below which a variable of Student's t distribution lies with this `probability`.
pub fn t_quantile(probability: f64, degrees: f64) -> f64 {
    let Ok(student) = StudentsT::new(0.0, 1.0, degrees) else { return f64::NAN };
    if !(probability > 0.0 && probability < 1.0) {
        return f64::NAN;
    }
    // With many degrees of freedom, the inverse of statrs is far off, and the normal one close.
    let guess = |tail: f64| {
        if degrees < 200.0 {
            -student.inverse_cdf(tail)
        } else {
            -Normal::standard().inverse_cdf(tail)
        }
    };
    let beyond = |at: f64| t_two_sided(at, degrees) / 2.0;
    quantile(probability, guess, beyond, |at| student.pdf(at))
}

/// Finds the quantile of a symmetric distribution from a guess, by Newton's method on its upper tail.
fn quantile(
    probability: f64,
    guess: impl Fn(f64) -> f64,
    beyond: impl Fn(f64) -> f64,
    density: impl Fn(f64) -> f64,
) -> f64 {
    let tail = probability.min(1.0 - probability);
    let mut at = guess(tail).max(0.0);
    for _ in 0..20 {
        let step = (beyond(at) - tail) / density(at);
        if !step.is_finite() {
            break;
        }
        at += step;
        if step.abs() <= at.abs() * 1e-15 {
            break;
        }
    }
    if probability < 0.5 { -at } else { at }
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
