//! Figures and what they mean, in words.

use eval::report::{Better, Difference, Group, Mean, MetricLine, MetricUnit};

/// The meaning of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    Better,
    Worse,
    /// It is significant, but neither better nor worse.
    Other,
    /// The interval holds zero.
    Chance,
}

impl Reading {
    pub(super) fn of(line: &MetricLine, difference: &Difference) -> Reading {
        match (difference.is_told_apart(), line.better, difference.value > 0.0) {
            (false, ..) => Reading::Chance,
            (true, Better::Neither, _) => Reading::Other,
            (true, Better::Higher, true) | (true, Better::Lower, false) => Reading::Better,
            (true, ..) => Reading::Worse,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Reading::Better => "better",
            Reading::Worse => "worse",
            Reading::Other => "differs",
            Reading::Chance => "may be chance",
        }
    }
}

pub(super) const GROUPS: [Group; 7] = [
    Group::Answer,
    Group::Citations,
    Group::Text,
    Group::Retrieval,
    Group::Judge,
    Group::Reports,
    Group::Cost,
];

pub(super) fn group(group: Group) -> &'static str {
    match group {
        Group::Answer => "Answers",
        Group::Citations => "Citations",
        Group::Text => "Texts",
        Group::Retrieval => "Retrieval",
        Group::Judge => "Judge",
        Group::Reports => "Reports beside the control's",
        Group::Cost => "Time and cost",
    }
}

/// Returns a figure with its unit.
pub(super) fn figure(line: &MetricLine, value: f64) -> String {
    written(line, value, if value < 0.0 { "-" } else { "" })
}

/// Returns a difference with its sign and unit.
pub(super) fn signed(line: &MetricLine, value: f64) -> String {
    written(line, value, if value < 0.0 { "-" } else { "+" })
}

fn written(line: &MetricLine, value: f64, sign: &str) -> String {
    let size = value.abs();
    let text = match line.unit {
        MetricUnit::Share if line.group == Group::Retrieval => format!("{size:.3}"),
        MetricUnit::Share | MetricUnit::Score => format!("{size:.2}"),
        MetricUnit::Milliseconds if size < 999.5 => format!("{size:.0} ms"),
        MetricUnit::Milliseconds => format!("{:.1} s", size / 1000.0),
        MetricUnit::Tokens | MetricUnit::Words => format!("{size:.0}"),
        MetricUnit::Points | MetricUnit::Count => format!("{size:.1}"),
        MetricUnit::Usd if size < 0.01 => format!("${size:.6}"),
        MetricUnit::Usd => format!("${size:.4}"),
    };
    // A value that rounds to zero has no sign.
    let is_nothing = !text.contains(|c: char| matches!(c, '1'..='9'));
    if is_nothing { text } else { format!("{sign}{text}") }
}

/// Returns the interval of a figure in words, each end written by `write`.
fn between(low: f64, high: f64, write: impl Fn(f64) -> String) -> String {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => format!("{} to {}", write(low), write(high)),
        (true, false) => format!("{} or more", write(low)),
        (false, true) => format!("{} or less", write(high)),
        (false, false) => "not known".to_owned(),
    }
}

/// Returns a mean with its interval, and the number of its cases if these are not all.
pub(super) fn mean(line: &MetricLine, mean: &Mean, cases: u64) -> String {
    let interval = between(mean.low, mean.high, |end| figure(line, end));
    let of = if mean.of == cases { String::new() } else { format!(", {} cases", mean.of) };
    format!("{} ({interval}{of})", figure(line, mean.value))
}

/// Returns the interval of a difference.
pub(super) fn interval(line: &MetricLine, difference: &Difference) -> String {
    between(difference.low, difference.high, |end| signed(line, end))
}

/// Returns a difference with its interval.
pub(super) fn difference(line: &MetricLine, difference: &Difference) -> String {
    format!("{}, {}", signed(line, difference.value), interval(line, difference))
}

/// Returns in words whether a share differs significantly from a half, which means that two are alike.
pub(super) fn side(share: &Mean) -> &'static str {
    match (share.low > 0.5, share.high < 0.5) {
        (true, _) => "better",
        (_, true) => "worse",
        _ => "may be chance",
    }
}

/// Returns a share as percent with its interval.
pub(super) fn percent(share: &Mean) -> String {
    let percent = |value: f64| format!("{:.0} %", value * 100.0);
    format!("{} ({})", percent(share.value), between(share.low, share.high, percent))
}

/// Returns a number with its noun, in the singular or plural.
pub(super) fn count(number: u64, one: &str, several: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {several}") }
}

/// Joins items as in a sentence.
pub(super) fn listed(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [others @ .., last] => format!("{} and {last}", others.join(", ")),
    }
}

/// Says in what two arms differ, and in how many figures that may be chance.
pub(super) fn differing(differences: &[(&MetricLine, &Difference)]) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut chance = differences.len();
    for (says, reading) in [
        ("better in", Reading::Better),
        ("worse in", Reading::Worse),
        ("neither better nor worse, but different in", Reading::Other),
    ] {
        let own = differences.iter().filter(|(line, one)| Reading::of(line, one) == reading);
        let own: Vec<String> =
            own.map(|(line, one)| format!("{} ({})", line.name, difference(line, one))).collect();
        chance -= own.len();
        if !own.is_empty() {
            parts.push(format!("{says} {}", listed(&own)));
        }
    }
    if parts.is_empty() {
        parts.push("not told apart in anything".to_owned());
    }
    if chance > 0 {
        let figures = count(chance as u64, "figure", "figures");
        parts.push(format!("in {figures} the difference may be chance"));
    }
    parts
}

/// Returns a sentence on how many intervals exclude zero by chance alone.
pub(super) fn by_chance(looked_at: usize) -> String {
    let chance = looked_at as f64 / 20.0;
    format!(
        "Of {looked_at} that are looked at, chance alone brings {chance:.1} on average that do."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build_line(unit: MetricUnit, better: Better) -> MetricLine {
        let text = String::new;
        MetricLine {
            key: text(),
            name: text(),
            meaning: text(),
            unit,
            better,
            group: Group::Answer,
        }
    }

    #[test]
    fn figures_have_their_unit_and_what_rounds_to_nothing_no_sign() {
        for (unit, value, written) in [
            (MetricUnit::Share, -0.001, "0.00"),
            (MetricUnit::Share, 0.125, "+0.12"),
            (MetricUnit::Milliseconds, -999.4, "-999 ms"),
            (MetricUnit::Milliseconds, 999.6, "+1.0 s"),
            (MetricUnit::Usd, -0.25, "-$0.2500"),
            (MetricUnit::Usd, 0.000_25, "+$0.000250"),
            (MetricUnit::Tokens, 1234.4, "+1234"),
        ] {
            assert_eq!(signed(&build_line(unit, Better::Higher), value), written);
        }
    }

    #[test]
    fn open_ends_are_said_in_words() {
        let line = build_line(MetricUnit::Share, Better::Higher);
        let of = |low, high| interval(&line, &Difference { value: 0.0, low, high, of: 1 });
        assert_eq!(of(-0.5, 0.5), "-0.50 to +0.50");
        assert_eq!(of(0.5, f64::INFINITY), "+0.50 or more");
        assert_eq!(of(f64::NEG_INFINITY, 0.5), "+0.50 or less");
        assert_eq!(of(f64::NEG_INFINITY, f64::INFINITY), "not known");
    }

    #[test]
    fn what_is_better_depends_on_the_figure() {
        let difference =
            |value: f64| Difference { value, low: value - 0.1, high: value + 0.1, of: 9 };
        let [high, low, neither] = [Better::Higher, Better::Lower, Better::Neither]
            .map(|better| build_line(MetricUnit::Share, better));
        assert_eq!(Reading::of(&high, &difference(0.5)), Reading::Better);
        assert_eq!(Reading::of(&high, &difference(-0.5)), Reading::Worse);
        assert_eq!(Reading::of(&low, &difference(-0.5)), Reading::Better);
        assert_eq!(Reading::of(&low, &difference(0.5)), Reading::Worse);
        assert_eq!(Reading::of(&low, &difference(0.05)), Reading::Chance);
        assert_eq!(Reading::of(&neither, &difference(0.5)), Reading::Other);
        assert_eq!(Reading::of(&neither, &difference(-0.5)), Reading::Other);
        assert_eq!(Reading::of(&neither, &difference(0.05)), Reading::Chance);
    }
}
