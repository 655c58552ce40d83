//! Whether a claim and its quote say yes or no alike.
//!
//! The quote is read with the clause it was cut from, so that "effective in all" out of "is not effective in all" is a no.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::fold::is_word;
use super::quote::Found;
use super::{Fault, Passage};
use crate::analysis::{Language, is_unspaced, sentences, terms};

/// Words that turn a statement round, or say that it is not asserted.
const ENGLISH: &str = " not no never neither nor none nobody nothing nowhere cannot without non fail fails failed failing lack lacks \
    lacked lacking absence absent unable impossible unlikely hardly scarcely rarely seldom barely refuse refuses refused deny denies \
    denied denying refute refutes refuted disprove disproves disproved disproven false falsely untrue incorrect incorrectly wrong wrongly \
    myth myths misconception misconceptions doubt doubts doubtful dispute disputes disputed reject rejects rejected ceased prevent prevents prevented \
    avoid avoids avoided avoiding stop stops stopped refrain refrains banned prohibited forbidden instead contrary hoax debunked fallacy \
    nary nought nil dont cant isnt arent wasnt werent doesnt didnt hasnt havent hadnt wouldnt shouldnt couldnt except excluding unless ";

const OTHERS: &str = " nicht kein keine keiner keinen keinem keines nie niemals nirgends ohne weder niemand nichts kaum selten \
    ne pas jamais aucun aucune sans ni rien guère nunca jamás ningún ninguno ninguna sin tampoco nadie nada non senza mai nessuno \
    nessuna niente não nunca nenhum nenhuma sem niet geen nooit zonder inte ingen inga aldrig utan не нет ни никогда без никто ничего нельзя ";

/// Function words that show a text to be English, where `sin` and `sans` are no negations.
const ENGLISH_SIGNS: &str = " the of and is are were that with for by has have this from ";

/// Words before a "but" that makes an exception.
const EXCEPTED: &str =
    " all any anything anywhere anyone everything everyone everywhere nothing nobody none ";

/// Words that narrow or widen a statement: a claim may have one only if its quote has one of the same row.
const SCOPES: [&str; 4] = [
    " only solely exclusively merely alone ",
    " all every always everyone everybody everything everywhere entire entirely completely ",
    " most mostly majority mainly largely usually generally ",
    " few little rare ",
];

/// Words that leave a statement open; what they govern must stay open.
const OPEN: &str = " if whether unless ";

/// Words that a claim may not drop.
const HEDGES: &str = " may might could possibly perhaps probably potentially allegedly reportedly supposedly presumably hypothetically \
    would thought believed claimed supposed rumoured rumored assumed hypothesised hypothesized formerly ";

/// Words that keep a hedge.
const HEDGED: &str = " may might could can possibly possible perhaps probably potentially potential allegedly alleged reportedly supposedly \
    presumably would suggest suggests suggested likely seem seems appear appears hypothetically \
    thought believed claimed supposed rumoured rumored assumed hypothesised hypothesized formerly ";

/// Opposite directions; a row's sides are told by stems of the English stemmer.
const DIRECTIONS: [(&str, &str); 35] = [
    (
        "increase increases increased increasing rise rises rose risen rising grow grows grew grown growing growth higher more greater \
         larger gain gains gained up climbed surged expanded bigger raise raises raised upward",
        "decrease decreases decreased decreasing fall falls fell fallen falling decline declines declined declining reduce reduces \
         reduced reducing reduction drop drops dropped dropping lower lowered fewer less smaller lose loses lost loss losses shrank \
         shrunk shrink diminished down downward",
    ),
    ("above over exceeding", "below under beneath"),
    ("before earlier prior precedes preceded", "after later following follows followed"),
    ("longer longest", "shorter shortest"),
    (
        "better best improve improves improved improvement",
        "worse worst worsen worsens worsened deteriorated",
    ),
    ("highest largest most maximum biggest greatest", "lowest smallest least fewest minimum"),
    ("majority", "minority"),
    ("positive positively", "negative negatively"),
    ("always all every everyone each", "sometimes some several few occasionally"),
    (
        "support supports supported supporting",
        "oppose opposes opposed contradict contradicts contradicted",
    ),
    ("accept accepts accepted", "reject rejects rejected"),
    ("faster quicker", "slower"),
    ("stronger", "weaker"),
    ("older oldest", "younger youngest"),
    ("cause causes caused causing", "prevent prevents prevented preventing cure cures cured"),
    ("open opens opened opening", "close closes closed closing shut"),
    (
        "start starts started begin begins began begun",
        "end ends ended finish finishes finished stopped",
    ),
    ("win wins won", "lose loses lost"),
    ("high large big", "low small"),
    ("northern north", "southern south"),
    ("eastern east", "western west"),
    ("male males men man boys", "female females women woman girls"),
    ("left", "right"),
    ("import imports imported", "export exports exported"),
    ("buy bought buys", "sell sold sells"),
    ("inside within", "outside"),
    ("dead died dies die killed", "alive survived survives survive"),
    ("safe", "dangerous unsafe harmful"),
    ("success succeeded successful", "failure failed unsuccessful"),
    ("same identical", "different"),
    ("add adds added", "remove removes removed"),
    ("since", "until till"),
    ("often frequently", "rarely seldom"),
    ("hot warm hotter warmer", "cold cool colder cooler"),
    ("early earliest", "late latest"),
];

/// Tells whether a lower-case word negates in English.
pub(super) fn is_negation(lower: &str) -> bool {
    listed(ENGLISH, lower) || lower.ends_with("n't")
}

/// Returns the row of [`DIRECTIONS`] that a lower-case word is in, and whether it is on its first side.
pub(super) fn direction(lower: &str) -> Option<(usize, bool)> {
    let on = |side: &str| side.split_whitespace().any(|word| word == lower);
    DIRECTIONS
        .iter()
        .enumerate()
        .find(|(_, (one, other))| on(one) || on(other))
        .map(|(row, (one, _))| (row, on(one)))
}

/// Says whether the folded `claim` and the quote disagree in a yes or no, a direction, or a restriction.
pub(super) fn fault(claim: &str, passage: &Passage<'_>, found: &Found) -> Option<Fault> {
    let quote = found.text();
    let (before, after) = surroundings(passage.text, found);
    // Under the heading "Myths" everything is denied.
    let heading = passage.section.rsplit('>').next().unwrap_or_default();
    let heading = if negations(&spoken(heading), true) > 0 { heading } else { "" };
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
        || Reading::new(after, english).has_of(SCOPES[0]) && !asked.has_of(SCOPES[0])
        || asked.open != given.open
        || given.hedged && !asked.has_of(HEDGED)
        || claim.trim_end().ends_with('?') != (quote.ends_with('?') || after.ends_with('?'))
        || asked.turned_against(&given)
        || affixed(&asked, &inside)
        || affixed(&inside, &asked)
        || compared_backwards(claim, quote)
        || DIRECTIONS
            .iter()
            .any(|(up, down)| asked.opposes(&inside, up, down) || asked.opposes(&inside, down, up));
    differs.then_some(Fault::PolarityDiffers)
}

/// What the checks need of one text.
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

    fn has_of(&self, row: &str) -> bool {
        self.words.iter().any(|word| listed(row, word))
    }

    fn opposes(&self, other: &Reading, one: &str, opposite: &str) -> bool {
        let has = |reading: &Reading, side: &str| {
            side.split_whitespace().any(|word| reading.words.contains(word))
        };
        has(self, one) && !has(self, opposite) && has(other, opposite) && !has(other, one)
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

fn listed(row: &str, word: &str) -> bool {
    row.contains(&format!(" {word} "))
}

fn is_english(text: &str) -> bool {
    spoken(text).iter().any(|word| listed(ENGLISH_SIGNS, word))
}

/// Counts the negations among the words of one clause.
fn negations(words: &[String], english: bool) -> usize {
    (0..words.len()).filter(|index| negates(words, *index, english)).count()
}

fn negates(words: &[String], index: usize, english: bool) -> bool {
    let Some(word) = words.get(index).map(String::as_str) else { return false };
    let next = words.get(index + 1).map_or("", String::as_str);
    let before = index.checked_sub(1).and_then(|index| words.get(index)).map_or("", String::as_str);
    match word {
        "no" if next.starts_with(|c: char| c.is_ascii_digit()) => false,
        "few" | "little" => !matches!(
            before,
            "a" | "the"
                | "these"
                | "those"
                | "past"
                | "last"
                | "next"
                | "first"
                | "every"
                | "quite"
        ),
        "rather" | "other" => next == "than",
        "but" => listed(EXCEPTED, before),
        "apart" | "far" => next == "from",
        _ => {
            let part = |part: &str| matches!(part, "not" | "no" | "non" | "never");
            is_negation(word)
                || !english && (listed(OTHERS, word) || word.starts_with("n'"))
                || word.contains('-') && word.split('-').any(part)
        }
    }
}

fn negates_unspaced(text: &str) -> bool {
    text.contains(is_unspaced)
        && [
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
        ]
        .iter()
        .any(|word| text.contains(word))
}

/// Returns the lower-case words of a text with inner apostrophes and hyphens; single letters in a row are read as one word.
fn spoken(text: &str) -> Vec<String> {
    let words = text
        .split(|c: char| !(is_word(c) || matches!(c, '\'' | '-')))
        .map(|word| word.trim_matches(|c| !is_word(c)).to_lowercase())
        .filter(|word| !word.is_empty());
    let mut found: Vec<String> = Vec::new();
    let mut spelled = String::new();
    for word in words {
        if word.chars().count() == 1 {
            spelled.push_str(&word);
        } else {
            let letters = word.split('-').all(|part| part.chars().count() == 1);
            found.extend(Some(std::mem::take(&mut spelled)).filter(|letters| !letters.is_empty()));
            found.push(if letters { word.replace('-', "") } else { word });
        }
    }
    found.extend(Some(spelled).filter(|letters| !letters.is_empty()));
    found
}

/// Cuts a text at the marks and conjunctions that end a clause.
fn clauses(text: &str) -> impl Iterator<Item = &str> {
    text.split(['.', ',', ';', ':', '!', '?', '，', '。', '；', '：', '、', '！', '？'])
        .flat_map(|piece| piece.split(" - "))
        .flat_map(|piece| {
            split_words(
                piece,
                &["but", "while", "whereas", "although", "though", "however", "because"],
            )
        })
}

/// Cuts a clause where it goes on with a second part.
fn parts(clause: &str) -> Vec<&str> {
    split_words(clause, &["and", "or", "who", "which"])
}

fn split_words<'a>(text: &'a str, cuts: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut from = 0;
    let mut at = 0;
    let mut last = "";
    for word in text.split(' ') {
        // "anything but" and "all but" take back what went before.
        let kept = word == "but" && listed(EXCEPTED, &last.to_lowercase());
        last = word;
        if !kept && cuts.iter().any(|cut| word.eq_ignore_ascii_case(cut)) {
            found.extend(text.get(from..at));
            from = at;
        }
        at += word.len() + 1;
    }
    found.extend(text.get(from..));
    found
}

/// Returns what stands around the quote in its clause, folded: the text before it and the text after it.
fn surroundings<'a>(passage: &str, found: &'a Found) -> (String, &'a str) {
    let sentences = sentences(passage);
    let text = &found.folded.text;
    let holding =
        |at: usize| sentences.iter().position(|sentence| sentence.start <= at && at < sentence.end);
    let first = holding(found.span.start);
    let start = first
        .and_then(|index| sentences.get(index))
        .map_or(found.span.start, |sentence| sentence.start);
    let end = holding(found.span.end.saturating_sub(1))
        .and_then(|index| sentences.get(index))
        .map_or(found.span.end, |sentence| sentence.end);
    let before = text.get(found.folded.after(start)..found.at.start).unwrap_or_default();
    let after = text.get(found.at.end..found.folded.after(end)).unwrap_or_default();
    let quote = found.text();
    let clause = before.get(clause_start(before, quote)..).unwrap_or_default();
    let lead = first.map_or("", |index| lead_in(passage, &sentences, index));
    (format!("{lead} {clause}"), after.get(..clause_end(after)).unwrap_or_default())
}

/// Returns where the clause begins that the quote goes on with.
///
/// A comma, colon or dash begins one only before something that can be a subject, and never where a negation hangs over it, as
/// in "it is not, in our view, effective".
fn clause_start(before: &str, quote: &str) -> usize {
    const SUBJECTS: &str = " the a an this these those it they he she we there its their his her our some many most all both each \
        but and so yet while whereas although though however ";
    let mut start = 0;
    let mut hangs = false;
    let mut aside = false;
    for (at, mark) in before.char_indices() {
        let next = at + mark.len_utf8();
        let rest = before.get(next..).unwrap_or_default();
        let clause = match mark {
            ';' | '；' | '。' => true,
            ',' | ':' | '-' | '，' | '：' => {
                let spaced = rest.starts_with(' ') || rest.is_empty() || mark.len_utf8() > 1;
                let word = rest
                    .trim_start()
                    .split(' ')
                    .find(|word| !word.is_empty())
                    .or_else(|| quote.split(' ').next())
                    .unwrap_or_default();
                let subject =
                    listed(SUBJECTS, &word.to_lowercase()) || word.starts_with(char::is_uppercase);
                let left = before.get(start..at).map(spoken).unwrap_or_default();
                let negated = negations(&left, false) > 0;
                let last =
                    left.len().checked_sub(1).is_some_and(|index| negates(&left, index, false));
                if !spaced {
                    continue;
                }
                hangs |= last || negated && aside || left.iter().any(|word| listed(OPEN, word));
                aside |= !subject;
                subject && !hangs || mark.len_utf8() > 1
            }
            ' ' => {
                let word = rest.split(' ').next().unwrap_or_default();
                let last =
                    before.get(..at).and_then(|left| left.rsplit(' ').next()).unwrap_or_default();
                matches!(word, "but" | "while" | "whereas" | "although")
                    && !listed(EXCEPTED, &last.to_lowercase())
            }
            _ => false,
        };
        if clause {
            (start, hangs, aside) = (next, false, false);
        }
    }
    start
}

/// Returns where the clause ends that the quote is followed by.
fn clause_end(after: &str) -> usize {
    const CUTS: [&str; 12] = [
        "and", "but", "while", "whereas", "although", "though", "because", "who", "which", "that",
        "or", "so",
    ];
    let question = after.ends_with('?');
    let mark = after
        .find([',', ';', ':', '，', '；', '。'])
        .or_else(|| after.find(" - "))
        .unwrap_or(after.len());
    let clause = after.get(..mark).unwrap_or_default();
    let mut at = 0;
    for word in clause.split(' ') {
        if CUTS.contains(&word) {
            break;
        }
        at += word.len() + 1;
    }
    if question { after.len() } else { at.min(mark) }
}

/// Returns the line that introduces the list a sentence is in, if it ends with a colon: "None of these helps:".
fn lead_in<'a>(passage: &'a str, sentences: &[Range<usize>], index: usize) -> &'a str {
    let in_list = |range: &Range<usize>| {
        let line = passage
            .get(..range.start)
            .and_then(|left| left.rsplit('\n').next())
            .unwrap_or_default();
        line.trim_end().ends_with(['-', '*', '+', '•', '.', ')', '|'])
            && !line.contains(char::is_alphabetic)
    };
    let mut before = sentences.get(..=index).unwrap_or_default().iter().rev();
    let own = before.next();
    if !own.is_some_and(in_list) {
        return "";
    }
    let lead = before
        .find(|range| !in_list(range))
        .and_then(|range| passage.get(range.clone()))
        .unwrap_or_default();
    if lead.ends_with([':', '：']) { lead } else { "" }
}

#[cfg(test)]
mod tests {
    use super::super::{fold, quote};
    use super::*;

    fn check(claim: &str, passage: &str, quote: &str, agrees: bool) {
        let found = quote::find(passage, quote).unwrap();
        let claim = fold::fold(claim, fold::LineEnd::Joined).text;
        assert_eq!(
            fault(&claim, &Passage { text: passage, section: "" }, &found).is_none(),
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
