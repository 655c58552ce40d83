//! The regularised incomplete beta function, for the large degrees of freedom of surveys.
//!
//! The one in `statrs` subtracts logarithms of gamma functions, which leaves 7 digits for a sample of ten million.

use statrs::function::gamma::ln_gamma;

/// From here on, three terms of Stirling's series give all digits of a float.
const LARGE: f64 = 30.0;
const MOST_STEPS: u32 = 100_000;

/// Returns `I_x(a, b)`. `y` is `1 - x`, passed separately so that no digits are lost if `x` is near 1.
///
/// The continued fraction of Didonato and Morris (1992), Algorithm 708: significant digit computation of the incomplete
/// beta function ratios, equation 9, which subtracts no large number from another. NaN if it does not converge.
pub(super) fn incomplete_beta(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let numbers = a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite();
    if !numbers || !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
        f64::NAN
    } else if x == 0.0 {
        0.0
    } else if y == 0.0 {
        1.0
    } else if a * y >= b * x {
        lower(a, b, x, y)
    } else {
        1.0 - lower(b, a, y, x)
    }
}

/// Computes the function left of its mean, by Lentz's forward method.
fn lower(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let term = |m: f64| {
        let around = a + 2.0 * m - 1.0;
        let above = (m * (a + m - 1.0) / around) * ((a + b + m - 1.0) / around) * (b - m) * x * x;
        let below = m
            + m * (b - m) * x / around
            + (a + m) * (a * y - b * x + 1.0 + m * (1.0 + y)) / (a + 2.0 * m + 1.0);
        (above, below)
    };
    let not_zero = |value: f64| if value == 0.0 { f64::MIN_POSITIVE } else { value };
    let mut fraction = not_zero(a * (a * y - b * x + 1.0) / (a + 1.0));
    let (mut c, mut d) = (fraction, 0.0);
    for step in 1..MOST_STEPS {
        let (above, below) = term(f64::from(step));
        d = 1.0 / not_zero(below + above * d);
        c = not_zero(below + above / c);
        fraction *= c * d;
        if (c * d - 1.0).abs() <= f64::EPSILON {
            let powers = a * ln_of_share(x, y) + b * ln_of_share(y, x) - ln_beta(a, b);
            return powers.exp() / fraction;
        }
    }
    f64::NAN
}

/// Returns the logarithm of a share, computed from the smaller of the share and its rest.
fn ln_of_share(share: f64, rest: f64) -> f64 {
    if rest < 0.5 { (-rest).ln_1p() } else { share.ln() }
}

/// Returns the logarithm of the beta function.
fn ln_beta(one: f64, other: f64) -> f64 {
    let (small, large) = if one < other { (one, other) } else { (other, one) };
    if large < LARGE {
        return ln_gamma(small) + ln_gamma(large) - ln_gamma(small + large);
    }
    // Stirling's series of both, with the large parts cancelled on paper.
    let both = small + large;
    let grown = (both - 0.5) * (small / large).ln_1p() + small * large.ln() - small
        + correction(both)
        - correction(large);
    stirling(small) - grown
}

/// Returns the logarithm of the gamma function; for large numbers `statrs` has only 12 digits.
fn stirling(z: f64) -> f64 {
    if z < LARGE {
        return ln_gamma(z);
    }
    (z - 0.5) * z.ln() - z + 0.5 * std::f64::consts::TAU.ln() + correction(z)
}

fn correction(z: f64) -> f64 {
    let square = z * z;
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * square)) / square) / z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_add_up_to_one() {
        for a in [0.15, 0.5, 1.0, 3.7, 40.0, 1e3, 1e7] {
            for b in [0.15, 0.5, 2.0, 60.0, 1e4] {
                for at in [0.01, 0.3, 0.9, 1.0, 1.1, 2.0] {
                    // Around the mean, where neither side is small.
                    let y = f64::min(at * b / (a + b), 0.999);
                    let x = 1.0 - y;
                    let (one, other) = (incomplete_beta(a, b, x, y), incomplete_beta(b, a, y, x));
                    assert!((one + other - 1.0).abs() < 1e-11, "{a} {b} {at}: {one} {other}");
                }
            }
        }
    }

    #[test]
    fn what_is_known_is_found() {
        let near = |one: f64, other: f64| assert!((one - other).abs() <= 1e-13 * other, "{one}");
        near(incomplete_beta(1.0, 1.0, 0.3, 0.7), 0.3);
        near(incomplete_beta(2.0, 1.0, 0.3, 0.7), 0.09);
        near(incomplete_beta(0.5, 0.5, 0.5, 0.5), 0.5);
        near(incomplete_beta(1e6, 1.0, 0.999_999, 1e-6), (1e6 * (-1e-6_f64).ln_1p()).exp());
        assert!(incomplete_beta(0.0, 1.0, 0.5, 0.5).is_nan());
        assert!(incomplete_beta(1.0, 1.0, f64::NAN, 0.5).is_nan());
        assert_eq!(incomplete_beta(1.0, 1.0, 0.0, 1.0), 0.0);
        assert_eq!(incomplete_beta(1.0, 1.0, 1.0, 0.0), 1.0);
    }
}
