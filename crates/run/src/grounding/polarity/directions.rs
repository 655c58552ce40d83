//! Words that point one way or the other: up and down, before and after, male and female.

use std::collections::HashSet;

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
pub(super) fn opposed(claim: &HashSet<String>, quote: &HashSet<String>) -> bool {
    let has = |words: &HashSet<String>, side: &[&str]| words.iter().any(|word| listed(side, word));
    let opposes = |one: &[&str], other: &[&str]| {
        has(claim, one) && !has(claim, other) && has(quote, other) && !has(quote, one)
    };
    DIRECTIONS.iter().any(|(one, other)| opposes(one, other) || opposes(other, one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_side_is_opposed_to_the_other_unless_both_are_named() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<HashSet<String>>();
        let check = |claim: &str, quote: &str, expected: bool| {
            assert_eq!(opposed(&words(claim), &words(quote)), expected, "{claim:?} by {quote:?}");
        };
        check("numbers rose", "numbers fell", true);
        check("numbers fell", "numbers rose", true);
        check("numbers rose", "numbers increased", false);
        check("numbers rose", "numbers rose and fell", false);
        check("numbers rose", "gulls nest", false);
    }

    #[test]
    fn two_words_of_one_side_have_one_direction() {
        assert_eq!(direction("rose"), direction("climbed"));
        assert_ne!(direction("rose"), direction("fell"));
        assert_eq!(direction("gull"), None);
    }
}
