//! A claim laid beside its quote, word by word, so that a word that was exchanged shows.
//!
//! Where most of a claim's words stand in the quote in the same order, the claim is the quote retold. A word that then stands where
//! the quote has another one is an exchange: "lower" made "higher", "mice" made "women", "with" made "despite".

use std::collections::HashSet;

use super::lexicon::listed;
use super::measures;
use super::names::{bare, unmeasured};
use super::polarity::direction;
use super::{Fault, Written};
use crate::analysis::{Analyzer, Language, is_stop_word};

mod lexicon;

use self::lexicon::{NEUTRAL, OPPOSITES, SAME, TELLING};

/// Words of a claim that are laid beside its quote; a sentence has fewer.
const MOST_ASKED: usize = 256;
/// Words of a quote that a claim is laid beside.
const MOST_GIVEN: usize = 4096;

/// A word that is laid beside another.
#[derive(Clone)]
struct Word {
    lower: String,
    /// What is compared: the stem, or the word itself where it carries grammar.
    stem: String,
    is_content: bool,
    /// Whether an "and", an "or" or a comma joins it to a word beside it.
    is_joined: bool,
    /// The number of clauses begun before it.
    clause: usize,
}

/// A stretch between two words that both texts have: what the claim has there, and what the quote has.
struct Gap<'a> {
    asked: &'a [Word],
    given: &'a [Word],
    /// The place in the quote behind it.
    end: usize,
}

/// Returns a fault for the first word of the folded `claim` that stands where its quote has another one.
pub(super) fn exchanged(claim: &str, written: &Written<'_>) -> Option<Fault> {
    let mut analyzer = Analyzer::new(Language::English);
    let asked = words(claim, MOST_ASKED, CLAIM_CUTS, &mut analyzer);
    let given = words(written.quote, MOST_GIVEN, QUOTE_CUTS, &mut analyzer);
    let heading = words(written.section, MOST_GIVEN, QUOTE_CUTS, &mut analyzer);
    let pairs = alike(&asked, &given);
    let shared = pairs.iter().filter(|(at, _)| asked.get(*at).is_some_and(|word| word.is_content));
    let shared = shared.count();
    let content = asked.iter().filter(|word| word.is_content).count();
    if shared < 2 || shared * 5 < content * 3 {
        let sentence = words(sentence_of(written), MOST_GIVEN, QUOTE_CUTS, &mut analyzer);
        return put_in(&asked, &given, &[heading, sentence].concat());
    }
    let stems = |words: &'_ [Word]| -> HashSet<String> {
        words.iter().map(|word| word.stem.clone()).collect()
    };
    let (heading, known) = (stems(&heading), stems(&given));
    let gaps = gaps(&asked, &given, &pairs);
    let exchanged = gaps
        .iter()
        .find_map(|gap| exchange(gap, &known, &heading).or_else(|| rival(gap, &given, &heading)))
        .or_else(|| swapped(&gaps));
    match exchanged {
        Some(word) => Some(Fault::WordExchanged { word: word.lower.clone() }),
        None if joined_apart(&asked, &given, &pairs) => Some(Fault::Misjoined),
        None => gaps.iter().any(|gap| lessened(gap, &asked)).then_some(Fault::PolarityDiffers),
    }
}

/// Returns the sentence that the quote was cut from.
fn sentence_of<'a>(written: &Written<'a>) -> &'a str {
    const STOPS: [char; 4] = ['.', '!', '?', '\n'];
    let Some((before, after)) = written.passage.split_once(written.quote) else { return "" };
    let start = before.rfind(STOPS).map_or(0, |stop| stop + 1);
    let end =
        if written.quote.ends_with(STOPS) { 0 } else { after.find(STOPS).unwrap_or(after.len()) };
    written.passage.get(start..before.len() + written.quote.len() + end).unwrap_or_default()
}

/// Returns a fault for the first word that neither quote nor heading has, where the rest of the claim is the quote's words in another
/// order; `beside` is the heading, and the sentence that the quote was cut from.
fn put_in(asked: &[Word], given: &[Word], beside: &[Word]) -> Option<Fault> {
    /// In a claim of fewer words one is too great a part.
    const FEWEST: usize = 4;
    let content: Vec<&Word> = asked.iter().filter(|word| word.is_content).collect();
    let has = |words: &[Word], word: &Word| words.iter().any(|one| is_same(word, one));
    let known = content.iter().filter(|word| has(given, word)).count();
    if content.len() < FEWEST || known * 4 < content.len() * 3 {
        return None;
    }
    let foreign =
        |word: &&&Word| !has(given, word) && !has(beside, word) && !listed(NEUTRAL, &word.lower);
    let word = content.iter().find(foreign)?;
    Some(Fault::WordExchanged { word: word.lower.clone() })
}

/// Marks and words that begin a clause: of a claim every comma and "and" may, of a quote only what parts two statements.
const CLAIM_CUTS: (&str, &[&str]) =
    (".,;:!?", &["and or but while whereas although though who which that"]);
const QUOTE_CUTS: (&str, &[&str]) = (".;!?", &["but while whereas although though"]);

/// Returns the words of a folded text that are laid beside others: those with content, those that tell how these are joined.
fn words(
    text: &str,
    most: usize,
    (marks, cuts): (&str, &[&str]),
    analyzer: &mut Analyzer,
) -> Vec<Word> {
    let measures = measures::scan(text);
    let mut found: Vec<Word> = Vec::new();
    let (mut clause, mut end, mut joins) = (0, 0, false);
    for (at, token) in unmeasured(text, &measures) {
        let before = text.get(end..at).unwrap_or_default();
        end = at + token.len();
        clause += usize::from(before.contains(|c| marks.contains(c)));
        // What opens a sentence may end with a comma: "In winter, gulls …".
        if let [_, .., last] = found.as_mut_slice() {
            last.is_joined |= before.contains(',');
        }
        for part in bare(token).split('-') {
            let lower = part.to_lowercase();
            clause += usize::from(listed(cuts, &lower));
            if matches!(lower.as_str(), "and" | "or") {
                joins = true;
                if let Some(last) = found.last_mut() {
                    last.is_joined = true;
                }
            }
            let is_content = !is_stop_word(&lower, Language::English);
            let stem = if is_content { analyzer.terms(&lower).concat() } else { lower.clone() };
            let tells = is_content || listed(TELLING, &lower) || direction(&lower).is_some();
            if tells && !stem.is_empty() {
                let is_joined = std::mem::take(&mut joins);
                found.push(Word { lower, stem, is_content, is_joined, clause });
            }
        }
        if found.len() >= most {
            break;
        }
    }
    found
}

/// Returns the places of the words that both texts have in the same order: the most, content before grammar.
///
/// Wagner and Fischer's table for the longest common subsequence; both texts are bounded, and so is the table.
fn alike(asked: &[Word], given: &[Word]) -> Vec<(usize, usize)> {
    let width = given.len() + 1;
    let mut best = vec![0_u16; (asked.len() + 1) * width];
    let value = |best: &[u16], row: usize, column: usize| {
        best.get(row * width + column).copied().unwrap_or_default()
    };
    let weight = |one: &Word, two: &Word| match (one.stem == two.stem, one.is_content) {
        (true, true) => 3,
        (true, false) => 1,
        _ => 0,
    };
    // From the ends, so that the way through the table is read forwards.
    for (row, one) in asked.iter().enumerate().rev() {
        for (column, two) in given.iter().enumerate().rev() {
            let skipped = value(&best, row + 1, column).max(value(&best, row, column + 1));
            let weight = weight(one, two);
            let joined = value(&best, row + 1, column + 1) + weight;
            if let Some(cell) = best.get_mut(row * width + column) {
                *cell = if weight > 0 { skipped.max(joined) } else { skipped };
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut pairs = Vec::new();
    while let (Some(one), Some(two)) = (asked.get(row), given.get(column)) {
        let weight = weight(one, two);
        let here = value(&best, row, column);
        if weight > 0 && here == value(&best, row + 1, column + 1) + weight {
            pairs.push((row, column));
            (row, column) = (row + 1, column + 1);
        } else if here == value(&best, row + 1, column + 1) {
            // Of ways as good as each other the one that sets word against word.
            (row, column) = (row + 1, column + 1);
        } else if here == value(&best, row, column + 1) {
            column += 1;
        } else {
            row += 1;
        }
    }
    pairs
}

/// Returns what stands before, between and behind the words that both texts have.
fn gaps<'a>(asked: &'a [Word], given: &'a [Word], pairs: &[(usize, usize)]) -> Vec<Gap<'a>> {
    let mut found = Vec::new();
    let (mut row, mut column) = (0, 0);
    for (at, there) in pairs.iter().copied().chain([(asked.len(), given.len())]) {
        found.push(Gap {
            asked: asked.get(row..at).unwrap_or_default(),
            given: given.get(column..there).unwrap_or_default(),
            end: there,
        });
        (row, column) = (at + 1, there + 1);
    }
    found
}

/// Returns the first word of the claim that opposes a word of the quote at its place, or that the quote and its heading do not know.
///
/// What is not known may stand neither for another word nor beside one with an "and".
fn exchange<'a>(
    gap: &Gap<'a>,
    known: &HashSet<String>,
    heading: &HashSet<String>,
) -> Option<&'a Word> {
    let opposed = |word: &&Word| {
        gap.given.iter().any(|other| opposes(&word.lower, &other.lower))
            && !gap.given.iter().any(|other| is_same(word, other))
    };
    let replaces = gap.given.iter().any(|other| other.is_content);
    let is_new = |word: &&Word| {
        word.is_content
            && (replaces || word.is_joined)
            && ![known, heading].iter().any(|stems| {
                stems.contains(&word.stem)
                    || stems.iter().any(|other| is_derived(&word.stem, other))
            })
            && !listed(NEUTRAL, &word.lower)
            && !gap.given.iter().any(|other| is_same(word, other))
    };
    gap.asked.iter().find(opposed).or_else(|| gap.asked.iter().find(is_new))
}

/// Returns the word that stands alone for another one, where the heading has both or the quote comes to it only later.
///
/// "Adults" may be called by the heading's "gulls"; "pigs" may not be called "goats" under "Goats and pigs".
fn rival<'a>(gap: &Gap<'a>, given: &[Word], heading: &HashSet<String>) -> Option<&'a Word> {
    let later = |word: &Word| {
        let has = |words: Option<&[Word]>| {
            words.unwrap_or_default().iter().any(|other| other.stem == word.stem)
        };
        has(given.get(gap.end..)) && !has(given.get(..gap.end))
    };
    let instead = gap.given.iter().any(|word| word.is_content);
    let (one, two) = match (gap.asked, gap.given) {
        ([one], [two]) => (one, two),
        ([one, rest @ ..], [_] | [_, _]) if rest.len() < 3 => {
            let all = gap.asked.iter().all(|word| word.is_content && later(word));
            return (instead && all).then_some(one);
        }
        _ => return None,
    };
    // A list may be given in another order.
    if one.is_joined && two.is_joined {
        return None;
    }
    let named = heading.contains(&one.stem) && heading.contains(&two.stem);
    let content = one.is_content && two.is_content;
    (content && !is_same(one, two) && (named || later(one))).then_some(one)
}

/// Tells whether the claim goes on, in one clause, with what the quote says of something else in another clause.
fn joined_apart(asked: &[Word], given: &[Word], pairs: &[(usize, usize)]) -> bool {
    let apart = |(row, column): (usize, usize), (next, there): (usize, usize)| {
        let (one, two) = (asked.get(row)?, asked.get(next)?);
        let (from, to) = (given.get(column)?, given.get(there)?);
        let between = given.get(column + 1..there)?;
        let other = |word: &&Word| {
            word.clause == to.clause && word.is_content && !listed(NEUTRAL, &word.lower)
        };
        let parted = from.clause != to.clause && between.iter().any(|word| other(&word));
        Some(parted && one.clause == two.clause && next - row == 1)
    };
    let next = pairs.iter().skip(1);
    pairs.iter().zip(next).any(|(pair, next)| apart(*pair, *next).unwrap_or_default())
}

/// Tells whether the claim leaves out that the quote makes less of a risk: "linked to falls" by "linked to a lower risk of falls".
fn lessened(gap: &Gap<'_>, asked: &[Word]) -> bool {
    const INVERSELY: &[&str] = &["inversely negatively inverse"];
    const MEASURED: &[&str] =
        &["risk risks odds hazard incidence likelihood probability chance rate rates levels"];
    let less = direction("lower");
    let measured = gap.given.iter().any(|word| listed(MEASURED, &word.lower));
    let fewer = gap.given.iter().any(|word| direction(&word.lower) == less);
    let turned = gap.given.iter().any(|word| listed(INVERSELY, &word.lower));
    let said = asked.iter().any(|word| direction(&word.lower) == less);
    gap.asked.is_empty() && (turned && !said || fewer && measured && gap.given.len() <= 4)
}

/// Returns a word of the claim that has changed places with another one of the quote.
fn swapped<'a>(gaps: &[Gap<'a>]) -> Option<&'a Word> {
    let single = |gap: &Gap<'a>| match (gap.asked, gap.given) {
        ([one], [two]) if !(one.is_joined && two.is_joined) => Some((one, two)),
        _ => None,
    };
    let exchanges: Vec<(&Word, &Word)> = gaps.iter().filter_map(single).collect();
    let there: HashSet<(&str, &str)> =
        exchanges.iter().map(|(one, two)| (one.stem.as_str(), two.stem.as_str())).collect();
    exchanges
        .into_iter()
        .find(|(one, two)| there.contains(&(two.stem.as_str(), one.stem.as_str())))
        .map(|(one, _)| one)
}

/// Tells whether two lower-case words point opposite ways.
fn opposes(one: &str, two: &str) -> bool {
    let across = |left: &[&str], right: &[&str]| {
        listed(left, one) && listed(right, two) || listed(right, one) && listed(left, two)
    };
    let turned = matches!(
        (direction(one), direction(two)),
        (Some((row, side)), Some((other, away))) if row == other && side != away
    );
    turned || OPPOSITES.iter().any(|(left, right)| across(left, right))
}

/// Tells whether two words may stand for each other: one direction, one row of synonyms, or one made from the other.
fn is_same(one: &Word, two: &Word) -> bool {
    let aligned = direction(&one.lower).is_some_and(|side| direction(&two.lower) == Some(side));
    one.stem == two.stem
        || aligned
        || SAME.iter().any(|row| listed(&[row], &one.lower) && listed(&[row], &two.lower))
        || is_derived(&one.stem, &two.stem)
}

/// Tells whether two stems differ only in an ending that makes one kind of word from another: `remov` and `removal`.
fn is_derived(one: &str, two: &str) -> bool {
    const ENDINGS: &[&str] = &[
        "a ability able age al ally ance ant ate ated ation e ed en ence ent er ers es ful ial ian ic ical ies ing ion ist ition",
        "ity ive ly ment ness or s t th tion ty y",
    ];
    let shared: usize = one
        .chars()
        .zip(two.chars())
        .take_while(|(left, right)| left == right)
        .map(|(left, _)| left.len_utf8())
        .sum();
    let ends = |stem: &str| {
        let end = stem.get(shared..).unwrap_or_default();
        end.is_empty() || listed(ENDINGS, end)
    };
    shared >= 4 && ends(one) && ends(two)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C4, C13
    #[test]
    fn a_word_put_into_a_claim_in_another_order_shows() {
        let quote = "Each increase in fine dust was associated with a higher risk of dementia";
        let claim = "A higher risk of cancer was associated with each increase in fine dust.";
        check(claim, quote, "", Some("cancer"));
        check(&claim.replace("cancer", "dementia"), quote, "", None);
        let quote = "Delirium is common after heart surgery.";
        check("After liver surgery, delirium is common.", quote, "", Some("liver"));
        let quote = "The association was stronger in women than in men.";
        let claim = "In women the association was stronger than in children.";
        check(claim, quote, "", Some("children"));
    }

    fn check(claim: &str, quote: &str, section: &str, expected: Option<&str>) {
        let written = Written { quote, section, passage: quote };
        let fault = exchanged(claim, &written).map(|fault| match fault {
            Fault::WordExchanged { word } => word,
            other => format!("{other:?}"),
        });
        assert_eq!(fault.as_deref(), expected, "{claim:?} by {quote:?}");
    }

    // proves: C4, C13
    #[test]
    fn a_word_where_the_quote_has_another_is_an_exchange() {
        let quote = "Short sleep was associated with a lower risk of falls in mice after more than two years";
        check(quote, quote, "", None);
        check("Short sleep was associated with a lower risk of falls", quote, "", None);
        check("Short sleep was linked with a reduced risk of falls in mice", quote, "", None);
        check("Short sleep was associated with a higher risk of falls", quote, "", Some("higher"));
        check(
            "Short sleep was associated with a lower risk of strokes",
            quote,
            "",
            Some("strokes"),
        );
        check(
            "Short sleep was associated despite a lower risk of falls",
            quote,
            "",
            Some("despite"),
        );
        check("Short sleep had a lower risk of falls in women", quote, "", Some("women"));
        check("Short naps were associated with a lower risk of falls", quote, "Naps", None);
        check("Music is loud.", quote, "", None);
        check("Short sleep was associated with falls", quote, "", Some("PolarityDiffers"));
        check("Short sleep and naps had a lower risk of falls", quote, "", Some("naps"));
    }

    // proves: C4, C13
    #[test]
    fn what_is_said_of_one_thing_is_not_said_of_its_rival() {
        let quote = "Goats ate the bark of young trees; pigs ate acorns under the oaks";
        check("Pigs ate the bark of young trees", quote, "", Some("pigs"));
        check("Goats ate acorns under the oaks", quote, "", Some("Misjoined"));
        check("Goats ate the bark and pigs ate acorns", quote, "", None);
        let quote = "Pigs ate acorns under the oaks";
        check("Goats ate acorns under the oaks", quote, "Goats and pigs", Some("goats"));
        check("Goats ate acorns under the oaks", quote, "Goats", None);
    }

    // proves: C4, C13
    #[test]
    fn two_words_that_changed_places_are_an_exchange() {
        let quote = "Terns ate fish on Lundy while puffins ate crabs on Skomer";
        check(
            "Puffins ate fish on Lundy while terns ate crabs on Skomer",
            quote,
            "",
            Some("puffins"),
        );
        check("Terns ate fish on Lundy", quote, "", None);
    }

    #[test]
    fn endings_make_one_kind_of_word_from_another() {
        for (one, two, expected) in [
            ("remov", "removal", true),
            ("infect", "infecti", false),
            ("nitrat", "nitrit", false),
            ("effect", "effect", true),
            ("depress", "depression", true),
            ("gull", "gulf", false),
            ("é", "è", false),
        ] {
            assert_eq!(is_derived(one, two), expected, "{one} {two}");
        }
    }
}
