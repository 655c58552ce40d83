//! What makes a number a bound: "more than" before it, "or less" behind it, `≥`, `<` and the sign.

use crate::grounding::fold::is_word;

/// Words before a number, by the bound they set. Of two that end alike, the longer comes first.
const BEFORE: &[(&str, &[&str])] = &[
    (">=", &["no fewer than", "no less than", "not less than", "at least", "a minimum of"]),
    ("<=", &["no more than", "not more than", "at most", "up to", "a maximum of"]),
    (">", &["more than", "greater than", "higher than", "larger than"]),
    (">", &["over", "above", "exceeding"]),
    ("<", &["less than", "fewer than", "lower than", "under", "below"]),
    ("before", &["before", "prior to"]),
    ("after", &["after"]),
    ("until", &["until", "till"]),
    ("since", &["since"]),
    ("within", &["within"]),
    ("every", &["every", "each"]),
];

/// Words behind a number, by the bound they set.
const BEHIND: &[(&str, &[&str])] = &[
    (">=", &["or more", "or greater", "or higher", "or over", "or older", "at least"]),
    (">=", &["and above", "and over"]),
    ("<=", &["or less", "or fewer", "or lower", "or under", "or younger", "at most"]),
    ("<=", &["and below", "and under"]),
];

/// Marks before a number, each with what it is compared by; white space may stand behind them.
const MARKS: [(&str, &str); 8] = [
    ("<=", "<="),
    (">=", ">="),
    ("≤", "<="),
    ("≥", ">="),
    ("<", "<"),
    (">", ">"),
    ("±", "±"),
    ("+/-", "±"),
];

/// Reads the bound in words that ends `left`, no further back than `floor`: where it starts, and the bound.
pub(super) fn before(left: &str, floor: usize) -> (usize, &'static str) {
    let start_of = |near: &str, phrase: &str| {
        let start = near.len().checked_sub(phrase.len()).filter(|start| *start >= floor)?;
        let free = !near.get(..start)?.ends_with(is_word);
        (free && near.get(start..)?.eq_ignore_ascii_case(phrase)).then_some(start)
    };
    left.strip_suffix(' ')
        .and_then(|near| {
            rows(BEFORE).find_map(|(bound, phrase)| Some((start_of(near, phrase)?, bound)))
        })
        .unwrap_or((left.len(), ""))
}

/// Reads the bound that `rest` begins with, in words or as a plus: its length, and the bound.
pub(super) fn behind(rest: &str) -> Option<(usize, &'static str)> {
    if let Some(after) = rest.strip_prefix('+') {
        return (!after.starts_with(is_word)).then_some((1, ">="));
    }
    let next = rest.strip_prefix(' ')?;
    let stands =
        |phrase: &str| next.strip_prefix(phrase).is_some_and(|after| !after.starts_with(is_word));
    rows(BEHIND).find(|(_, phrase)| stands(phrase)).map(|(bound, phrase)| (1 + phrase.len(), bound))
}

/// Takes the sign of a number and its mark off the end of `left`, and returns how they are compared: `-`, `<`, `>=-`, `±`.
pub(super) fn sign(left: &str) -> (&str, String) {
    let free = |rest: &&str| !rest.ends_with(is_word) && !rest.ends_with('-');
    let words = || ["minus ", "negative "].iter().find_map(|word| left.strip_suffix(word));
    let negative = left.strip_suffix('-').filter(free).or_else(|| words().filter(free));
    let (left, minus) = negative.map_or((left, ""), |rest| (rest, "-"));

    let near = left.trim_end_matches(' ');
    for (mark, compared) in MARKS {
        if let Some(rest) = near.strip_suffix(mark) {
            let minus = if compared.starts_with(['<', '>']) { minus } else { "" };
            return (rest, format!("{compared}{minus}"));
        }
    }
    for (mark, compared) in [(".", "."), ("+", "")] {
        if let Some(rest) = left.strip_suffix(mark).filter(free) {
            return (rest, compared.to_owned());
        }
    }
    (left, minus.to_owned())
}

fn rows(
    table: &'static [(&'static str, &'static [&'static str])],
) -> impl Iterator<Item = (&'static str, &'static str)> {
    table.iter().flat_map(|(bound, phrases)| phrases.iter().map(|phrase| (*bound, *phrase)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bound_before_a_number_is_read() {
        assert_eq!(before("with no more than ", 0), (5, "<="));
        assert_eq!(before("More than ", 0), (0, ">"));
        assert_eq!(before("moreover ", 0), (9, ""));
        assert_eq!(before("more than ", 5), (10, ""));
        assert_eq!(before("since", 0), (5, ""));
    }

    #[test]
    fn a_bound_may_stand_behind_the_number() {
        assert_eq!(behind(" or more gulls"), Some((8, ">=")));
        assert_eq!(behind("+ gulls"), Some((1, ">=")));
        assert_eq!(behind("+5"), None);
        assert_eq!(behind(" or moreover"), None);
    }

    #[test]
    fn a_mark_and_a_sign_are_taken_together() {
        assert_eq!(sign("p < "), ("p ", "<".to_owned()));
        assert_eq!(sign("at ≥ -"), ("at ", ">=-".to_owned()));
        assert_eq!(sign("minus "), ("", "-".to_owned()));
        assert_eq!(sign("10-"), ("10-", String::new()));
        assert_eq!(sign("+"), ("", String::new()));
    }
}
