//! How close two sentences are in their wording, and which of their numbers differ.

use super::NumberChange;

/// What stands for every number, so that sentences do not become less close by another number.
const NUMBER: &str = "#";

/// The words of a sentence, sorted.
pub(super) struct Wording(Vec<String>);

impl Wording {
    pub(super) fn of(sentence: &str) -> Wording {
        let folded = text::fold_case(sentence);
        let words = text::words(&folded).map(|(_, word)| {
            let is_number = word.chars().any(|c| c.is_ascii_digit());
            if is_number { NUMBER.to_owned() } else { word.to_owned() }
        });
        let mut words: Vec<String> = words.collect();
        words.sort_unstable();
        Wording(words)
    }

    /// Returns the share of words that both have (Dice's coefficient), 0 to 1. It is the same in both directions.
    pub(super) fn closeness(&self, other: &Wording) -> f64 {
        let all = self.0.len() + other.0.len();
        if all == 0 {
            return 0.0;
        }
        let (mut ours, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut shared = 0_usize;
        while let (Some(one), Some(two)) = (ours.peek(), theirs.peek()) {
            match one.cmp(two) {
                std::cmp::Ordering::Less => drop(ours.next()),
                std::cmp::Ordering::Greater => drop(theirs.next()),
                std::cmp::Ordering::Equal => {
                    shared += 1;
                    ours.next();
                    theirs.next();
                }
            }
        }
        2.0 * shared as f64 / all as f64
    }
}

/// Returns the numbers that stand in one sentence only, in order, each with the one that stands in its place.
pub(super) fn compare_numbers(from: &str, to: &str) -> Vec<NumberChange> {
    let (mut ours, mut theirs) = (numbers(from), numbers(to));
    ours.retain(|number| match theirs.iter().position(|other| other == number) {
        Some(place) => {
            theirs.remove(place);
            false
        }
        None => true,
    });
    let count = ours.len().max(theirs.len());
    let (mut ours, mut theirs) = (ours.into_iter(), theirs.into_iter());
    (0..count).map(|_| NumberChange { from: ours.next(), to: theirs.next() }).collect()
}

/// Returns the numbers of a sentence as they are written: `1,200`, `3.5%`, `$12`.
fn numbers(sentence: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = sentence;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from_digit) = rest.split_at(start);
        let is_inside = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
        let end = from_digit.find(|c| !is_inside(c)).unwrap_or(from_digit.len());
        let (digits, after) = from_digit.split_at(end);
        let number = digits.trim_end_matches(['.', ',']);
        let sign =
            before.chars().next_back().filter(|c| matches!(c, '$' | '€' | '£' | '¥' | '-' | '−'));
        let percent = if number.len() == digits.len() && after.starts_with('%') { "%" } else { "" };
        let sign = sign.map(String::from).unwrap_or_default();
        found.push(format!("{sign}{number}{percent}"));
        rest = after;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_number_leaves_sentences_as_close_as_they_are() {
        let close = |one: &str, other: &str| Wording::of(one).closeness(&Wording::of(other));
        assert!(
            (close("Snow counted 616 deaths.", "SNOW counted 1,300 deaths") - 1.0).abs() < 1e-9
        );
        assert!((close("Gulls eat fish", "Gulls eat eggs") - 2.0 / 3.0).abs() < 1e-9);
        assert!((close("死亡者は616人だった", "死亡者は700人だった") - 1.0).abs() < 1e-9);
        assert!(close("", "") < 1e-9 && close("a", "b") < 1e-9);
    }

    #[test]
    fn numbers_are_those_that_one_sentence_has_alone() {
        let told = |from, to| {
            let changes = compare_numbers(from, to).into_iter();
            let number = |side: Option<String>| side.unwrap_or_else(|| "-".into());
            changes
                .map(|one| format!("{} {}", number(one.from), number(one.to)))
                .collect::<Vec<_>>()
        };
        assert_eq!(told("In 1854, 616 died.", "In 1854, 618 died."), ["616 618"]);
        assert_eq!(told("12% of $1,200.50.", "15% of $1,200.50, or 3"), ["12% 15%", "- 3"]);
        assert_eq!(told("1 and 2", "2 and 1"), [""; 0]);
        assert_eq!(told("616人", "618人"), ["616 618"]);
    }
}
