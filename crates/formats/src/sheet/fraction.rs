//! Numbers with fractions, as spreadsheets show them.

/// The most digits of a denominator.
const MOST_DIGITS: usize = 3;

/// Returns a number of 0 or more with a fraction, its whole part apart if `is_mixed`: `1 1/4`, else `5/4`.
///
/// `denominator` is that of the format: placeholders, which say how many digits it may have, or its digits.
pub(super) fn shown(value: f64, is_mixed: bool, denominator: &str) -> String {
    let fixed = denominator.trim_start_matches(['#', '?']).parse().ok().filter(|it| *it > 0_u32);
    let digits = u32::try_from(denominator.len().clamp(1, MOST_DIGITS)).unwrap_or(1);
    let mut whole = if is_mixed { value.trunc() } else { 0.0 };
    let (mut over, under) = match fixed {
        Some(under) => (((value - whole) * f64::from(under)).round(), under),
        None => nearest(value - whole, 10_u32.pow(digits) - 1),
    };
    if is_mixed && over >= f64::from(under) {
        (whole, over) = (whole + 1.0, 0.0);
    }
    match (whole > 0.0, over > 0.0) {
        (true, true) => format!("{whole:.0} {over:.0}/{under}"),
        (false, true) => format!("{over:.0}/{under}"),
        (_, false) => format!("{whole:.0}"),
    }
}

/// Returns the fraction nearest to a number of 0 or more whose denominator is at most `most`.
fn nearest(value: f64, most: u32) -> (f64, u32) {
    let off = |under: u32| (value - (value * f64::from(under)).round() / f64::from(under)).abs();
    // The smallest of those that are as near.
    let best = (1..=most).fold(1, |best, it| if off(it) + 1e-12 < off(best) { it } else { best });
    ((value * f64::from(best)).round(), best)
}
