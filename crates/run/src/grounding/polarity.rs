//! Whether a claim and its quote say yes or no alike.
//!
//! The quote is read with the clause it was cut from, so that "effective in all" out of "is not effective in all" is a no. Then
//! negations, directions, comparisons, restrictions and hedges of the two must agree.

mod clauses;
mod directions;
mod negation;

use std::collections::{HashMap, HashSet};

pub(super) use self::clauses::clauses;
use self::clauses::{parts, spoken, surroundings};
pub(super) use self::directions::direction;
use self::directions::opposed;
pub(super) use self::negation::is_negation;
use self::negation::{negates_unspaced, negations};
use super::lexicon::listed;
use super::quote::Found;
use super::{Fault, Passage};
use crate::analysis::{Language, terms};

/// Function words that show a text to be English, where `sin` and `sans` are no negations.
const ENGLISH_SIGNS: &[&str] = &["the of and is are were that with for by has have this from"];

const ONLY: &[&str] = &["only solely exclusively merely alone"];

/// Words that say that one thing comes of another.
const CAUSAL: &[&str] = &[
    "because cause causes caused causing due owing result results resulted resulting led leads therefore hence consequently",
];

/// Words that narrow or widen a statement: a claim may have one only if its quote has one of the same sort.
const SCOPES: [&[&str]; 8] = [
    ONLY,
    &["all every always everyone everybody everything everywhere entire entirely completely"],
    &["most mostly majority mainly largely usually generally"],
    &["few little rare"],
    &["almost nearly virtually practically"],
    &["significant significantly"],
    &["permanent permanently forever irreversible irreversibly"],
    CAUSAL,
];

/// Words of a heading under which things stand that are not so.
const DENYING: &[&str] = &[
    "not no never neither nor none nobody nothing cannot dont isnt arent wasnt werent doesnt didnt cant",
    "myth myths misconception misconceptions fallacy fallacies hoax hoaxes debunked refuted disproved disproven",
    "false untrue wrong incorrect mistaken",
];
/// What the title of a work begins with that collects what is not so.
const COLLECTED: &[&str] = &["myths misconceptions fallacies hoaxes"];
/// What it ends with that calls its subject so: "Tired gulls: a misconception".
const CALLED: &[&str] = &["myth misconception fallacy hoax"];
/// What may stand before them.
const BEFORE: &[&str] = &["the a an some common popular widespread frequent"];

/// Words that leave a statement open; what they govern must stay open.
const OPEN: &[&str] = &["if whether unless"];

/// Words that a claim may not drop.
const HEDGES: &[&str] = &[
    "may might could would possibly perhaps probably potentially presumably supposedly",
    "allegedly reportedly thought believed claimed supposed assumed rumoured rumored hypothesised hypothesized",
    "suspected hypothetical hypothetically postulated speculated conjectured putative putatively",
    "formerly",
];

/// Words that, beside the hedges, keep a hedge.
const SOFTENERS: &[&str] = &["can", TENTATIVE];

/// Softeners that a claim of a cause may not drop.
const TENTATIVE: &str =
    "possible potential alleged likely suggest suggests suggested seem seems appear appears";

/// Says whether the folded `claim` and the quote disagree in a yes or no, a direction, or a restriction.
pub(super) fn fault(claim: &str, passage: &Passage<'_>, found: &Found) -> Option<Fault> {
    let quote = found.text();
    let (before, after) = surroundings(passage.text, found);
    let heading = denying_heading(passage);
    let whole = format!("{heading}. {before} {quote} {after}");
    let english = [claim, &whole].iter().all(|text| is_english(text));
    let asked = Reading::new(claim, english);
    let given = Reading::new(&whole, english);
    let inside = Reading::new(quote, english);
    let bare = |text: &str| text.trim().trim_end_matches('.').to_owned();
    if bare(claim) == bare(quote) {
        // Word for word the quote: only what it was cut from can say otherwise.
        let same = (given.negations, given.open, given.hedged)
            == (inside.negations, inside.open, inside.hedged);
        return (!same).then_some(Fault::PolarityDiffers);
    }
    let turned_outside = inside.negations > 0
        && given.negations > inside.negations
        && asked.negations % 2 != given.negations % 2;
    let differs = (asked.negations > 0) != (given.negations > 0)
        || turned_outside
        || SCOPES.iter().any(|row| asked.has_of(row) && !inside.has_of(row))
        || Reading::new(after, english).has_of(ONLY) && !asked.has_of(ONLY)
        || asked.open != given.open
        || asked.hedged && !(given.has_of(HEDGES) || given.has_of(SOFTENERS))
        || given.hedged && !(asked.has_of(HEDGES) || asked.has_of(SOFTENERS))
        || asked.has_of(CAUSAL)
            && given.has_of(&[TENTATIVE])
            && !(asked.has_of(HEDGES) || asked.has_of(SOFTENERS))
        || claim.trim_end().ends_with('?') != (quote.ends_with('?') || after.ends_with('?'))
        || asked.turned_against(&given)
        || affixed(&asked, &inside)
        || affixed(&inside, &asked)
        || compared_backwards(claim, quote)
        || opposed(&spoken(claim), &spoken(quote));
    differs.then_some(Fault::PolarityDiffers)
}

/// Returns the heading above a passage where it denies what stands under it, as "Myths" does; else nothing.
///
/// The title of a published work does so only as "Myths about gulls" does: "False memories after sleep loss" is what the work is
/// about. Nor does every negation of a heading deny: "Preventing cholera" tells how it is done.
fn denying_heading<'a>(passage: &Passage<'a>) -> &'a str {
    let heading = match passage.section.rsplit_once('>') {
        Some((_, heading)) if !passage.is_title => heading,
        _ => passage.section,
    };
    let words = spoken(heading);
    let first = words.iter().find(|word| !listed(BEFORE, word));
    if passage.is_title {
        let denies = first.is_some_and(|word| listed(COLLECTED, word))
            || words.last().is_some_and(|word| listed(CALLED, word));
        return if denies { heading } else { "" };
    }
    let denies = words.iter().any(|word| listed(DENYING, word) || word.ends_with("n't"))
        // Another language has words of its own.
        || !is_english(heading) && negations(&words, false) > 0;
    if denies { heading } else { "" }
}

/// A text as these checks read it, clause by clause.
struct Reading {
    negations: usize,
    open: bool,
    hedged: bool,
    words: HashSet<String>,
    stems: HashSet<String>,
    /// For each stem, whether it stands in a plain clause and whether in a negated one.
    signs: HashMap<String, (bool, bool)>,
}

impl Reading {
    fn new(text: &str, english: bool) -> Reading {
        let mut reading = Reading {
            negations: 0,
            open: false,
            hedged: false,
            words: HashSet::new(),
            stems: terms(text, Language::English).into_iter().collect(),
            signs: HashMap::new(),
        };
        for clause in clauses(text) {
            let mut spread = false;
            for part in parts(clause) {
                let words = spoken(part);
                let count = negations(&words, english) + usize::from(negates_unspaced(part));
                // Twice no is yes: "it is not true that it does not help".
                let negated = count % 2 == 1;
                reading.negations += count;
                reading.open |= words.iter().any(|word| listed(OPEN, word));
                // As written: the month is "May".
                reading.hedged |= part.split_whitespace().any(|word| listed(HEDGES, word));
                for stem in terms(part, Language::English) {
                    let sign = reading.signs.entry(stem).or_default();
                    sign.0 |= !negated;
                    sign.1 |= negated || spread;
                }
                spread |= negated;
                reading.words.extend(words);
            }
        }
        reading
    }

    /// Tells whether a term stands only in negated clauses here and only in plain ones there, or the reverse.
    fn turned_against(&self, other: &Reading) -> bool {
        self.signs.iter().any(|(stem, sign)| {
            other.signs.get(stem).is_some_and(|given| {
                matches!(
                    (sign, given),
                    ((true, false), (false, true)) | ((false, true), (true, false))
                )
            })
        })
    }

    fn has_of(&self, rows: &[&str]) -> bool {
        self.words.iter().any(|word| listed(rows, word))
    }
}

/// Tells whether `one` says `ineffective` or `harmless` where `other` has only `effective` or `harmful`.
fn affixed(one: &Reading, other: &Reading) -> bool {
    const PREFIXES: [&str; 11] =
        ["un", "in", "im", "il", "ir", "dis", "non", "mis", "anti", "contra", "counter"];
    let turned = |mine: &HashSet<String>, theirs: &HashSet<String>| {
        mine.difference(theirs).any(|word| {
            let without =
                |rest: &str| rest.len() >= 3 && theirs.contains(rest) && !mine.contains(rest);
            PREFIXES.iter().filter_map(|prefix| word.strip_prefix(prefix)).any(without)
                || word.strip_suffix("less").is_some_and(without)
        })
    };
    turned(&one.stems, &other.stems) || turned(&one.words, &other.words)
}

/// Tells whether "A … than B" is given for "B … than A".
fn compared_backwards(claim: &str, quote: &str) -> bool {
    let sides = |text: &str| {
        let (left, right) = text.split_once(" than ")?;
        let stems =
            |side: &str| terms(side, Language::English).into_iter().collect::<HashSet<String>>();
        let (left, right) = (stems(left), stems(right));
        let only = |one: &HashSet<String>, other: &HashSet<String>| {
            one.difference(other).cloned().collect::<HashSet<String>>()
        };
        Some((only(&left, &right), only(&right, &left)))
    };
    let (Some((left, right)), Some((given_left, given_right))) = (sides(claim), sides(quote))
    else {
        return false;
    };
    !left.is_disjoint(&given_right) && !right.is_disjoint(&given_left)
}

fn is_english(text: &str) -> bool {
    spoken(text).iter().any(|word| listed(ENGLISH_SIGNS, word))
}

#[cfg(test)]
mod tests {
    use super::super::{fold, quote};
    use super::*;

    fn check(claim: &str, passage: &str, quote: &str, agrees: bool) {
        let found = quote::find(passage, quote).unwrap();
        let claim = fold::fold(claim, fold::LineEnd::Joined).text;
        assert_eq!(
            fault(&claim, &Passage { text: passage, section: "", is_title: false }, &found)
                .is_none(),
            agrees,
            "{claim:?} by {quote:?}"
        );
    }

    // proves: C4, C13
    #[test]
    fn a_negation_must_be_in_both_or_in_neither() {
        let passage =
            "The drug is not effective in all patients. It doesn’t harm children; it cures adults.";
        check(
            "The drug isn't effective in all patients",
            passage,
            "The drug is not effective in all patients.",
            true,
        );
        check(
            "The drug is effective in all patients",
            passage,
            "The drug is not effective in all patients.",
            false,
        );
        check("It does not harm children", passage, "It doesn’t harm children", true);
        check("It never cures adults", passage, "it cures adults", false);
        check("It cures adults", passage, "it cures adults", true);
    }

    // proves: C4, C13
    #[test]
    fn a_heading_may_deny_what_stands_under_it_and_a_title_only_by_its_name() {
        let text = "Gulls eat glass. They fly at night.";
        for (section, is_title, agrees) in [
            ("Gulls", false, true),
            ("Gulls > Myths", false, false),
            ("Gulls > What they do not eat", false, false),
            ("What gulls do not eat", false, false),
            ("Myths", false, false),
            ("Fallacies", false, false),
            ("Hoaxes", false, false),
            ("Gull diet is not fish: no time to rest", true, true),
            ("No evidence for night flight in gulls", true, true),
            ("Never too late: gulls at p > 0.05 are not tired", true, true),
            ("Myths about gulls", true, false),
            ("Gulls: a misconception", true, false),
            ("False memories of gulls", true, true),
            ("The myth of multitasking gulls revisited", true, true),
            ("Correcting gull misconceptions", true, true),
            ("Gulls > Preventing gulls", false, true),
            ("Gulls > False claims", false, false),
            ("Gulls > Some common wrong beliefs", false, false),
        ] {
            let found = quote::find(text, "Gulls eat glass.").unwrap();
            let passage = Passage { text, section, is_title };
            let fault = fault("Gulls eat glass.", &passage, &found);
            assert_eq!(fault.is_none(), agrees, "{section}");
        }
    }

    // proves: C4, C13
    #[test]
    fn a_quote_is_read_with_the_clause_it_was_cut_from() {
        let passage = "The drug is not effective in all patients. It is not, in our view, the cure for all. There is no evidence that gulls eat grass. \
            Although not cheap, the drug is safe in adults. Whether gulls sleep at sea is open. The drug helped most patients in none of the trials.\n\n\
            None of these helps:\n- aspirin in adult patients\n- rest and sleep\n\nIs the drug safe in children?";
        check("It is effective in all patients", passage, "effective in all patients", false);
        check("It is the cure for all", passage, "the cure for all", false);
        check("Gulls eat grass that", passage, "that gulls eat grass", false);
        check("The drug is safe in adults", passage, "the drug is safe in adults", true);
        check("Gulls sleep at sea", passage, "gulls sleep at sea", false);
        check("The drug helped most patients", passage, "The drug helped most patients", false);
        check("Aspirin helps adult patients", passage, "aspirin in adult patients", false);
        check("The drug is safe in children", passage, "the drug safe in children", false);
    }

    // proves: C4, C13
    #[test]
    fn opposites_disagree() {
        let passage = "Numbers decreased in the north. Terns are larger than gulls in Wales. The drug is harmful and ineffective in mice. \
            Gulls eat fish but not grass. Some patients recovered in a week.";
        check("Numbers increased in the north", passage, "Numbers decreased in the north", false);
        check(
            "Gulls are larger than terns in Wales",
            passage,
            "Terns are larger than gulls in Wales",
            false,
        );
        check(
            "The drug is harmful and effective",
            passage,
            "The drug is harmful and ineffective in mice",
            false,
        );
        check(
            "The drug is harmless",
            passage,
            "The drug is harmful and ineffective in mice",
            false,
        );
        check("Gulls eat grass but not fish", passage, "Gulls eat fish but not grass", false);
        check("Gulls eat fish but not grass", passage, "Gulls eat fish but not grass", true);
        check(
            "All patients recovered in a week",
            passage,
            "Some patients recovered in a week",
            false,
        );
        check("Only gulls eat fish but not grass", passage, "Gulls eat fish but not grass", false);
    }

    // proves: C4, C13
    #[test]
    fn other_languages_negate_too() {
        check(
            "Das Mittel hilft Kindern",
            "Das Mittel hilft Kindern nicht.",
            "Das Mittel hilft Kindern nicht",
            false,
        );
        check(
            "Le vaccin protège les enfants",
            "Le vaccin ne protège pas les enfants.",
            "Le vaccin ne protège pas les enfants",
            false,
        );
        check(
            "El fármaco cura a todos",
            "El fármaco nunca cura a todos.",
            "El fármaco nunca cura a todos",
            false,
        );
        check("海鸥吃草和无脊椎", "海鸥不吃草和别的植物。", "海鸥不吃草和别的", true);
        check("海鸥吃草和植物", "海鸥不吃草和别的植物。", "海鸥不吃草和别的", false);
    }
}
