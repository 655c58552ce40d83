//! Words that turn a statement round, counted clause by clause.

use crate::analysis::is_unspaced;
use crate::grounding::lexicon::listed;

const ENGLISH: &[&str] = &[
    "not no never neither nor none nobody nothing nowhere cannot without non nary nought nil",
    // Apostrophes left out.
    "dont cant isnt arent wasnt werent doesnt didnt hasnt havent hadnt wouldnt shouldnt couldnt",
    // It hardly is.
    "unable impossible unlikely hardly scarcely rarely seldom barely",
    // It lacks, fails or ends.
    "fail fails failed failing lack lacks lacked lacking absence absent ceased stop stops stopped",
    // Someone says that it is not so.
    "refuse refuses refused deny denies denied denying refute refutes refuted disprove disproves disproved disproven",
    "doubt doubts doubtful dispute disputes disputed reject rejects rejected contrary debunked",
    "false falsely untrue incorrect incorrectly wrong wrongly myth myths misconception misconceptions hoax hoaxes fallacy fallacies",
    // Someone keeps it from being so.
    "prevent prevents prevented avoid avoids avoided avoiding refrain refrains banned prohibited forbidden",
    // All but.
    "instead except excluding unless",
];

const OTHER_LANGUAGES: &[&str] = &[
    // German.
    "nicht kein keine keiner keinen keinem keines nie niemals nirgends ohne weder niemand nichts kaum selten",
    // French.
    "ne pas jamais aucun aucune sans ni rien guère",
    // Spanish.
    "nunca jamás ningún ninguno ninguna sin tampoco nadie nada",
    // Italian.
    "non senza mai nessuno nessuna niente",
    // Portuguese.
    "não nenhum nenhuma sem",
    // Dutch, Swedish.
    "niet geen nooit zonder inte ingen inga aldrig utan",
    // Russian.
    "не нет ни никогда без никто ничего нельзя",
];

/// Chinese, Japanese, Korean and Thai, where words have no spaces between them.
const UNSPACED: [&str; 14] = [
    "不",
    "没",
    "沒",
    "未",
    "无",
    "無",
    "ない",
    "ません",
    "なかった",
    "않",
    "못",
    "없",
    "아니",
    "ไม่",
];

/// Words before a "but" that makes an exception.
const EXCEPTED: &[&str] =
    &["all any anything anywhere anyone everything everyone everywhere nothing nobody none"];

/// Words that make a "few" or "little" behind them some.
const SOME: &[&str] = &["a the these those past last next first every quite"];

/// Tells whether a lower-case word negates in English.
pub(in crate::grounding) fn is_negation(lower: &str) -> bool {
    listed(ENGLISH, lower) || lower.ends_with("n't")
}

/// Tells whether a "but" behind a lower-case word makes an exception: "all but".
pub(super) fn is_excepted(lower: &str) -> bool {
    listed(EXCEPTED, lower)
}

/// Counts the negations among the lower-case words of one clause.
///
/// In a text that is not `english` the words of other languages count too: in English `sin` and `sans` are none.
pub(super) fn negations(words: &[String], english: bool) -> usize {
    (0..words.len()).filter(|index| negates(words, *index, english)).count()
}

/// Tells whether the word at `index` negates where it stands.
pub(super) fn negates(words: &[String], index: usize, english: bool) -> bool {
    let Some(word) = words.get(index).map(String::as_str) else { return false };
    let next = words.get(index + 1).map_or("", String::as_str);
    let before = index.checked_sub(1).and_then(|index| words.get(index)).map_or("", String::as_str);
    match word {
        "no" if next.starts_with(|c: char| c.is_ascii_digit()) => false,
        "few" | "little" => !listed(SOME, before),
        "rather" | "other" => next == "than",
        "but" => is_excepted(before),
        "apart" | "far" => next == "from",
        _ => {
            let part = |part: &str| matches!(part, "not" | "no" | "non" | "never");
            is_negation(word)
                || !english && (listed(OTHER_LANGUAGES, word) || word.starts_with("n'"))
                || word.contains('-') && word.split('-').any(part)
        }
    }
}

/// Tells whether a text in a script without spaces has a negation.
pub(super) fn negates_unspaced(text: &str) -> bool {
    text.contains(is_unspaced) && UNSPACED.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(clause: &str, english: bool, expected: usize) {
        let words: Vec<String> = clause.split(' ').map(str::to_owned).collect();
        assert_eq!(negations(&words, english), expected, "{clause:?}");
    }

    #[test]
    fn a_word_negates_where_it_stands() {
        check("it doesn't harm", true, 1);
        check("it is not true that it never helps", true, 2);
        check("no 5", true, 0);
        check("few gulls", true, 1);
        check("a few gulls", true, 0);
        check("anything but safe", true, 1);
        check("small but safe", true, 0);
        check("rather than", true, 1);
        check("a never-ending story", true, 1);
    }

    #[test]
    fn words_of_other_languages_negate_outside_english() {
        check("sin and sans", true, 0);
        check("cura sin daño", false, 1);
        assert!(negates_unspaced("海鸥不吃草") && !negates_unspaced("海鸥吃草"));
    }
}
