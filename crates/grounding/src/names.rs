//! Proper names: a name in a claim must occur in what it cites.
//!
//! A capital makes a name, except at the beginning of a sentence, and not on its own in German. A word with an inner capital, a digit or
//! an underscore is a name anywhere. No list of names or of ordinary words is consulted.

use std::collections::HashSet;

use text::Language;

use crate::check::fold_text;
use crate::fold::is_word;
use crate::quantity::Quantity;

/// The significance of a capital inside a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Capitals {
    /// It makes a name, except of this language's stop words.
    MakeNames(Language),
    /// It says nothing: nouns are capitalised, or names have other forms in what is cited.
    SayNothing,
}

impl Capitals {
    /// Returns the significance of capitals in a folded claim with this folded context.
    pub(crate) fn of(claim: &str, context: &str) -> Capitals {
        let (claim, context) = (text::guess(claim), text::guess(context));
        let differ = claim != context && claim != Language::Other && context != Language::Other;
        if claim == Language::German || differ {
            Capitals::SayNothing
        } else {
            Capitals::MakeNames(claim)
        }
    }
}

/// The words in which a name is looked up.
#[derive(Debug, Default)]
pub(crate) struct Known {
    words: HashSet<String>,
    /// The words that a name may be a form of: `Kenya` for `Kenyan`. In English only capitalised words count, or Paris would match a
    /// parish.
    names: HashSet<String>,
    /// The words in order, for initials.
    order: Vec<String>,
    /// The rank that the last word names: "third" may precede "quarter".
    quarter: Option<usize>,
}

/// Ranks in words, for names that elsewhere have numerals: the Second World War is World War II.
const ORDINALS: [&str; 10] =
    ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

/// Reads Roman numerals up to 39.
fn roman(word: &str) -> Option<u32> {
    let value = |c: char| match c {
        'I' => Some(1),
        'V' => Some(5),
        'X' => Some(10),
        _ => None,
    };
    let digits: Vec<u32> = word.chars().map(value).collect::<Option<_>>()?;
    let sum = digits.iter().enumerate().fold(0_i64, |sum, (index, digit)| {
        let is_less = digits.get(index + 1).is_some_and(|next| digit < next);
        sum + if is_less { -i64::from(*digit) } else { i64::from(*digit) }
    });
    u32::try_from(sum).ok().filter(|value| (1..40).contains(value))
}

/// Splits a version's name into prefix and number: `v1.3` into nothing and 1.3, `tlsv1.3` into `tls` and 1.3.
fn version(lower: &str) -> Option<(&str, &str)> {
    let at = lower.match_indices('v').map(|(at, _)| at).find(|at| {
        lower.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    })?;
    Some((lower.get(..at)?, lower.get(at + 1..)?))
}

impl Known {
    /// Adds the words of a folded text.
    pub(crate) fn add(&mut self, text: &str) {
        let is_english = text::guess(text) == Language::English;
        for (_, token) in tokens(text) {
            for part in std::iter::once(token).chain(split_token(token)) {
                let lower = bare(part).to_lowercase();
                if !is_english || is_capital(part) {
                    self.names.insert(lower.clone());
                }
                self.words.insert(lower.replace(['-', '.'], ""));
                // A text with `wal_level` also names WAL.
                if lower.contains('_') {
                    let words = lower.split('_').filter(|word| !word.is_empty());
                    self.words.extend(words.map(str::to_owned));
                }
                if let Some(rank) = ORDINALS.iter().position(|word| *word == lower) {
                    self.words.insert((rank + 1).to_string());
                    self.quarter = Some(rank + 1);
                } else if let ("quarter", Some(rank)) = (&*lower, self.quarter.take()) {
                    self.words.insert(format!("q{rank}"));
                }
                self.words.extend(roman(part).map(|value| value.to_string()));
                self.words.extend(version(&lower).map(|(_, version)| version.to_owned()));
                self.words.insert(lower);
                self.words.insert(part.to_lowercase());
            }
            self.order.push(token.to_owned());
        }
        self.order.push(".".to_owned());
    }

    /// Returns whether a name is among the words, in any case, possessive, plural or other ending.
    fn has(&self, name: &str) -> bool {
        let lower = bare(name).to_lowercase();
        if self.words.contains(&lower) || self.words.contains(&lower.replace(['-', '.'], "")) {
            return true;
        }
        if roman(name).is_some_and(|value| self.words.contains(&value.to_string())) {
            return true;
        }
        let of_version = |(of, version): (&str, &str)| {
            self.words.contains(version) && (of.is_empty() || self.words.contains(of))
        };
        if version(&lower).is_some_and(of_version) {
            return true;
        }
        let is_plain = lower.chars().all(char::is_alphabetic);
        if is_plain && self.names.iter().any(|known| is_other_ending(&lower, known)) {
            return true;
        }
        self.has_initials(bare(name))
            || split_token(name).nth(1).is_some()
                && !name.contains(|c: char| c.is_numeric())
                && split_token(name).all(|part| !is_capital(part) || self.has(part))
    }

    /// Returns whether a name is the initials of consecutive words.
    fn has_initials(&self, name: &str) -> bool {
        let letters: Vec<char> = name.chars().collect();
        if letters.len() < 2 || !letters.iter().all(|letter| letter.is_uppercase()) {
            return false;
        }
        let initials: Vec<char> = self
            .order
            .iter()
            .filter(|word| is_capital(word) || word.chars().count() > 3 || *word == ".")
            .filter_map(|word| word.chars().next()?.to_uppercase().next())
            .collect();
        initials.windows(letters.len()).any(|window| window == letters)
    }

    /// Returns whether the words include a name's initials: "EU" for "European Union".
    fn has_short_form(&self, name: &[&str]) -> bool {
        let short: String = name.iter().filter_map(|word| word.chars().next()).collect();
        short.chars().count() > 1
            && self.words.contains(&short.to_lowercase())
            && self.order.contains(&short)
    }
}

/// Words that texts always capitalise, also inside sentences: a claim that begins with one begins with a name.
#[derive(Debug, Clone, Default)]
pub struct Gazetteer {
    /// The words as written: the file `CHANGES` does not make "Changes" a name.
    capital: HashSet<String>,
    small: HashSet<String>,
}

impl Gazetteer {
    /// Reads the sentences of a text.
    pub fn add(&mut self, text: &str) {
        let folded = fold_text(text);
        if text::guess(&folded) == Language::German {
            return;
        }
        for (at, token) in tokens(&folded) {
            let word = bare(token);
            if !is_capital(token) {
                self.small.insert(word.to_lowercase());
            } else if !starts_clause(&folded, at) {
                self.capital.insert(word.to_owned());
            }
        }
    }

    fn has(&self, token: &str) -> bool {
        let word = bare(token);
        self.capital.contains(word) && !self.small.contains(&word.to_lowercase())
    }
}

/// Returns the names of a folded claim that are not among the known words, in order.
///
/// `quantities` are the claim's own, and text inside them is no name. In German, or if the claim is in another language than what it
/// cites, a capital alone makes no name.
pub(crate) fn absent<'a>(
    claim: &'a str,
    quantities: &[Quantity],
    known: &Known,
    gazetteer: &Gazetteer,
    capitals: Capitals,
) -> Vec<&'a str> {
    let names: Vec<(usize, &str)> = tokens(claim)
        .filter(|(at, token)| {
            let end = at + token.len();
            !quantities.iter().any(|one| one.at.start < end && *at < one.at.end)
        })
        .filter(|(at, token)| {
            let opens = starts_clause(claim, *at) && !gazetteer.has(token);
            is_name(token, opens, capitals) && !(opens && is_bounded_age(token))
        })
        .collect();
    let mut found = Vec::new();
    for (index, (_, name)) in names.iter().enumerate() {
        if known.has(name) {
            continue;
        }
        // Adjacent names are one: "European Union".
        let adjacent = |one: &[(usize, &str)]| match one {
            [(at, name), (next, _)] => claim.get(at + name.len()..*next) == Some(" "),
            _ => false,
        };
        let before =
            (0..index).rev().take_while(|at| names.get(*at..*at + 2).is_some_and(adjacent));
        let first = before.last().unwrap_or(index);
        let after =
            (index..names.len()).take_while(|at| names.get(*at..*at + 2).is_some_and(adjacent));
        let last = after.last().map_or(index, |at| at + 1);
        let whole: Vec<&str> =
            names.get(first..=last).unwrap_or_default().iter().map(|(_, name)| *name).collect();
        if !known.has_short_form(&whole) && !found.contains(name) {
            found.push(*name);
        }
    }
    found
}

/// Returns the words of a folded text, including inner punctuation, and where each starts: `La-Roche's`, `pg_dump`, `/v1/search`.
pub(crate) fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let inner =
        |c: char| is_word(c) || matches!(c, '-' | '\'' | '&' | '_' | '.' | '/' | '+' | '#' | '@');
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..)?;
        let start = from + rest.find(is_word)?;
        let rest = text.get(start..)?;
        let token = rest.get(..rest.find(|c| !inner(c)).unwrap_or(rest.len()))?;
        from = start + token.len();
        Some((start, token.trim_end_matches(|c| !is_word(c) && !matches!(c, '+' | '#'))))
    })
}

/// Returns whether a token is a stop word and a number, such as "Under-35s" and "Over-55s" at the beginning of a sentence.
fn is_bounded_age(token: &str) -> bool {
    let is_number = |part: &str| {
        let digits = part.strip_suffix('s').unwrap_or(part);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let mut parts = split_token(token);
    let first = parts.next().map(str::to_lowercase);
    first.is_some_and(|word| text::is_stop_word(&word, Language::English))
        && parts.next().is_some_and(is_number)
        && parts.next().is_none()
}

/// Returns the words that make up a token.
fn split_token(token: &str) -> impl Iterator<Item = &str> {
    token.split(|c: char| !is_word(c) && c != '_').filter(|part| !part.is_empty())
}

/// Strips possessive and plural endings: `Darwin's` becomes `Darwin`.
fn bare(token: &str) -> &str {
    let token = token.strip_suffix("'s").or_else(|| token.strip_suffix('\'')).unwrap_or(token);
    // The plural of an acronym: `DNAs`.
    let singular = token
        .strip_suffix('s')
        .filter(|stem| stem.chars().nth(1).is_some() && stem.chars().all(char::is_uppercase));
    singular.unwrap_or(token)
}

fn is_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase)
}

/// Returns whether two words differ only in an ending of a few letters: `Kenyan` and `Kenya`, `Warschaus` and `Warschau`.
fn is_other_ending(one: &str, other: &str) -> bool {
    const SHORTEST_STEM: usize = 4;
    const LONGEST_ENDING: usize = 4;
    // `Texan` and `Texas`.
    let of_place = other.strip_suffix('s').and_then(|stem| one.strip_prefix(stem));
    if other.len() > SHORTEST_STEM && matches!(of_place, Some("n" | "an" | "ian")) {
        return true;
    }
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let vowel = |c: char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y');
    let stem = short.strip_suffix(vowel).unwrap_or(short);
    let count = stem.chars().count();
    count >= SHORTEST_STEM
        && long.starts_with(stem)
        && long.chars().count() - count <= LONGEST_ENDING
        && other.chars().all(char::is_alphabetic)
}

/// Returns whether a sentence, a label or a quotation begins at `at`.
fn starts_clause(claim: &str, at: usize) -> bool {
    let left = claim.get(..at).unwrap_or_default();
    let before = left.trim_end_matches(|c: char| {
        !is_word(c) && !matches!(c, '.' | ':' | '!' | '?' | '"' | '\'' | '|')
    });
    left.trim().is_empty()
        || !left.contains(is_word)
        || before.len() < left.len() && before.ends_with(['.', ':', '!', '?', '|'])
        || left.ends_with(['"', '\'', '['])
        || left.ends_with(". (")
}

/// Returns whether a token is written as a name.
fn is_name(token: &str, opens: bool, capitals: Capitals) -> bool {
    // Text in scripts without spaces is not split into words.
    if token.contains(text::is_unspaced) {
        return false;
    }
    let word = bare(token);
    let has_digit = word.contains(|c: char| c.is_numeric());
    let has_letter = word.contains(char::is_alphabetic);
    if has_digit {
        // A version may have no letters: `4.3.1`.
        return has_letter || word.contains(['.', '-', '/']);
    }
    if word.contains('_') {
        return true;
    }
    let count = word.chars().filter(|c| c.is_uppercase()).count();
    let inner = split_token(word).any(|part| part.chars().skip(1).any(char::is_uppercase));
    let first = is_capital(word) || split_token(word).any(is_capital);
    let is_pronoun = word == "I" || word.starts_with("I'");
    if inner && (count > 1 || !is_capital(word)) {
        return true;
    }
    let Capitals::MakeNames(language) = capitals else { return false };
    let is_grammar = [language, Language::English].iter().any(|one| text::is_stop_word(word, *one));
    first && !is_pronoun && !opens && !is_grammar
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantity::scan;

    fn check(claim: &str, context: &str, expected: &[&str]) {
        let mut known = Known::default();
        known.add(context);
        let mut gazetteer = Gazetteer::default();
        gazetteer.add("It was written by Tessera and Malik on paper, in a CHANGES file.");
        let capitals = Capitals::of(claim, context);
        let found = absent(claim, &scan(claim), &known, &gazetteer, capitals);
        assert_eq!(found, expected, "{claim:?} by {context:?}");
    }

    // proves: C4, C20
    #[test]
    fn a_name_that_is_not_there_is_found() {
        check("It was Ilse Brandvold.", "by Ilse Brandvik", &["Brandvold"]);
        check("Readings from Trench D rose.", "Trench C rose", &["D"]);
        check("It holds for E1 cells.", "E2 cells", &["E1"]);
        check("Since 4.3.1 it works.", "since 4.3.2", &["4.3.1"]);
        check("Call `/v1/search` for that.", "call /v2/search", &["v1/search"]);
        check("Set max_size first.", "set min_size", &["max_size"]);
        check("Mayor O'Connor said so.", "Mayor Thomas O'Brien said so", &["O'Connor"]);
        check("France beat Argentina 4-2.", "The French team beat Croatia 4-2", &["Argentina"]);
        check("He was born in Paris.", "he was born in the parish of St James", &["Paris"]);
        check("According to the LARKSPUR-2 report it fell.", "it fell", &["LARKSPUR-2"]);
        check(
            "Die Station in NRW wurde von der DWD verlegt und geschlossen.",
            "die Station des DWD",
            &["NRW"],
        );
    }

    // proves: C4, C20
    #[test]
    fn what_is_named_in_another_form_is_there_and_a_capital_at_the_start_is_no_name() {
        check("Sequences are not copied. Taken together: Slots either.", "nothing", &[]);
        check("Under-35s are less content.", "among “18-34” fewer were content", &[]);
        check("Changes of diet weaken it.", "a diet may have changed", &[]);
        check("The Kenyan and Kenya's EU offices.", "Kenya and the European Union", &[]);
        check("In the European Union it fell.", "in the EU", &[]);
        check("DNAs and X-ray of iron.", "DNA must be X-rayed", &[]);
        check("World War II, Chapter VII.", "the Second World War, in chapter 7", &[]);
        check("In Q3 it ran TLSv1.3.", "in the third quarter it ran TLS 1.3", &[]);
        check("新しい図書館は2020年4月に開館した。", "図書館を2020年4月1日に開館した", &[]);
        check("PgBouncer works with TCP/IP.", "TCP/IP and pgbouncer", &[]);
        check("En Allemagne et dans la ville de Munich.", "in Germany and the city of Munich", &[]);
        check("I think I'm in March 2011 at 5 pm.", "", &[]);
        check(
            "Die Messstation wurde von der Gemeinde am Hang verlegt.",
            "the station was moved",
            &[],
        );
        check("He said \"Use it\" and left.", "", &[]);
        check("It is what Texan and Honduran firms pay.", "firms in Texas and in Honduras", &[]);
        check("Turning WAL archiving off helps.", "set wal_level to minimal", &[]);
    }
}
