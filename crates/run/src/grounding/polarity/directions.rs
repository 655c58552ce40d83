//! Words that point one way or the other: up and down, before and after, male and female.

use std::collections::HashMap;

use crate::grounding::lexicon::listed;

/// Opposite directions, the words of each side in all their forms.
const DIRECTIONS: [(&[&str], &[&str]); 35] = [
    (
        &[
            "increase increases increased increasing rise rises rose risen rising grow grows grew grown growing growth",
            "gain gains gained climbed surged expanded raise raises raised up upward higher more greater larger bigger",
        ],
        &[
            "decrease decreases decreased decreasing fall falls fell fallen falling decline declines declined declining",
            "reduce reduces reduced reducing reduction drop drops dropped dropping lose loses lost loss losses shrank shrunk shrink",
            "diminished down downward lower lowered fewer less smaller",
        ],
    ),
    (&["above over exceeding"], &["below under beneath"]),
    (&["before earlier prior precedes preceded"], &["after later following follows followed"]),
    (&["longer longest"], &["shorter shortest"]),
    (
        &["better best improve improves improved improvement"],
        &["worse worst worsen worsens worsened deteriorated"],
    ),
    (&["highest largest most maximum biggest greatest"], &["lowest smallest least fewest minimum"]),
    (&["majority"], &["minority"]),
    (&["positive positively"], &["negative negatively"]),
    (&["always all every everyone each"], &["sometimes some several few occasionally"]),
    (
        &["support supports supported supporting"],
        &["oppose opposes opposed contradict contradicts contradicted"],
    ),
    (&["accept accepts accepted"], &["reject rejects rejected"]),
    (&["faster quicker"], &["slower"]),
    (&["stronger"], &["weaker"]),
    (&["older oldest"], &["younger youngest"]),
    (&["cause causes caused causing"], &["prevent prevents prevented preventing cure cures cured"]),
    (&["open opens opened opening"], &["close closes closed closing shut"]),
    (
        &["start starts started begin begins began begun"],
        &["end ends ended finish finishes finished stopped"],
    ),
    (&["win wins won"], &["lose loses lost"]),
    (&["high large big"], &["low small"]),
    (&["northern north"], &["southern south"]),
    (&["eastern east"], &["western west"]),
    (&["male males men man boys"], &["female females women woman girls"]),
    (&["left"], &["right"]),
    (&["import imports imported"], &["export exports exported"]),
    (&["buy bought buys"], &["sell sold sells"]),
    (&["inside within"], &["outside"]),
    (&["dead died dies die killed"], &["alive survived survives survive"]),
    (&["safe"], &["dangerous unsafe harmful"]),
    (&["success succeeded successful"], &["failure failed unsuccessful"]),
    (&["same identical"], &["different"]),
    (&["add adds added"], &["remove removes removed"]),
    (&["since"], &["until till"]),
    (&["often frequently"], &["rarely seldom"]),
    (&["hot warm hotter warmer"], &["cold cool colder cooler"]),
    (&["early earliest"], &["late latest"]),
];

/// Returns the row of the directions that a lower-case word is in, and whether it is on its first side.
pub(in crate::grounding) fn direction(lower: &str) -> Option<(usize, bool)> {
    let row =
        DIRECTIONS.iter().position(|(one, other)| listed(one, lower) || listed(other, lower))?;
    Some((row, DIRECTIONS.get(row).is_some_and(|(one, _)| listed(one, lower))))
}

/// Tells whether `claim` has words of one side only, of which `quote` has words of the other side only.
///
/// What both say counts on neither side: "a higher risk for more than a year" by "a lower risk for more than a year".
pub(super) fn opposed(claim: &[String], quote: &[String]) -> bool {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in quote {
        *left.entry(word).or_default() += 1;
    }
    let mut claimed: Vec<&str> = Vec::new();
    for word in claim {
        match left.get_mut(word.as_str()) {
            Some(count) if *count > 0 => *count -= 1,
            _ => claimed.push(word),
        }
    }
    let quoted: Vec<&str> =
        left.into_iter().filter(|(_, count)| *count > 0).map(|(word, _)| word).collect();
    let has = |words: &[&str], side: &[&str]| words.iter().any(|word| listed(side, word));
    let opposes = |one: &[&str], other: &[&str]| {
        has(&claimed, one) && !has(&claimed, other) && has(&quoted, other) && !has(&quoted, one)
    };
    DIRECTIONS.iter().any(|(one, other)| opposes(one, other) || opposes(other, one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_side_is_opposed_to_the_other_unless_both_are_named() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<String>>();
        let check = |claim: &str, quote: &str, expected: bool| {
            assert_eq!(opposed(&words(claim), &words(quote)), expected, "{claim:?} by {quote:?}");
        };
        check("numbers rose", "numbers fell", true);
        check("numbers fell", "numbers rose", true);
        check("numbers rose", "numbers increased", false);
        check("numbers rose", "numbers rose and fell", false);
        check("numbers rose", "gulls nest", false);
        check("numbers rose for more than a year", "numbers fell for more than a year", true);
        check("lower here and higher there", "lower here and lower there", true);
        check("numbers rose", "more numbers rose and few fell", false);
    }

    #[test]
    fn two_words_of_one_side_have_one_direction() {
        assert_eq!(direction("rose"), direction("climbed"));
        assert_ne!(direction("rose"), direction("fell"));
        assert_eq!(direction("gull"), None);
    }
}
