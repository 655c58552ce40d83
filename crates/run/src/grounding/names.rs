//! Proper names, what is said of them, and letters that only look like the ones they stand for.

use std::collections::HashSet;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_script::{Script, UnicodeScript};

use super::Fault;
use super::fold::is_word;
use super::measures;
use crate::analysis::{Language, is_stop_word, sentences};

/// The words that the quote, its section and its passage write.
pub(super) struct Written<'a> {
    pub(super) quote: &'a str,
    pub(super) section: &'a str,
    pub(super) passage: &'a str,
}

/// Ordinary words that open sentences.
const OPENERS: &str = " according additional additionally adults adult analyses analysis animals approximately article author authors \
    based cases certain changes children common compared comparison consequently considering contrary current currently data \
    days earlier early evidence examples experiments experts finally findings first following further furthermore generally given \
    historically importantly interestingly investigators large last later less like long measurements members men methods models \
    nearly new notably number numbers observations older overall participants patients people previous previously recent recently \
    regarding report reports research researchers respondents result results reviewers samples scholars scientists second several \
    similarly small source sources specifically studies study subjects surprisingly surveys teams tests text third today trials \
    two three four five six seven eight nine ten typically unlike users using usually various women workers writers years younger ";

/// Returns a fault for every proper name of the folded `claim` that neither the quote nor its section has.
pub(super) fn faults(claim: &str, written: &Written<'_>) -> Vec<Fault> {
    let known = Known::new([written.quote, written.section]);
    let passage: HashSet<&str> = tokens(written.passage).map(|(_, token)| token).collect();
    let measured: Vec<_> = measures::scan(claim).into_iter().map(|measure| measure.at).collect();
    let openings: HashSet<usize> = sentences(claim)
        .into_iter()
        .filter_map(|sentence| Some(sentence.start + claim.get(sentence)?.find(is_word)?))
        .collect();
    let mut found = Vec::new();
    for (at, token) in tokens(claim) {
        if measured.iter().any(|range| range.contains(&at)) {
            continue;
        }
        let opening =
            openings.contains(&at) && !has_inner_sign(token) && is_ordinary(token, &passage);
        if !opening && is_name(token) && !known.has(token) {
            found.push(Fault::NameAbsent { name: token.to_owned() });
        }
    }
    found.dedup();
    found
}

/// Returns the words of a folded text with their hyphens and apostrophes, and where each starts.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let inner = |c: char| is_word(c) || matches!(c, '-' | '\'' | '&');
    let mut from = 0;
    std::iter::from_fn(move || {
        let rest = text.get(from..)?;
        let start = from + rest.find(is_word)?;
        let rest = text.get(start..)?;
        let token = rest.get(..rest.find(|c| !inner(c)).unwrap_or(rest.len()))?;
        from = start + token.len();
        Some((start, token.trim_end_matches(|c| !is_word(c))))
    })
}

/// The words a name may be found among, as written and in lower case.
struct Known {
    exact: HashSet<String>,
    lower: HashSet<String>,
    /// Common nouns of the source, for `Gulls` in a title and `gull` in the text.
    common: HashSet<String>,
}

impl Known {
    fn new(texts: [&str; 2]) -> Known {
        let mut exact = HashSet::new();
        for (_, token) in texts.iter().flat_map(|text| tokens(text)) {
            for part in std::iter::once(token).chain(token.split('-')) {
                exact.insert(singular(part).to_owned());
                exact.insert(bare(part).to_owned());
            }
        }
        let lower = exact.iter().map(|token| token.to_lowercase()).collect();
        let common =
            exact.iter().filter(|token| !token.contains(char::is_uppercase)).cloned().collect();
        Known { exact, lower, common }
    }

    fn has(&self, token: &str) -> bool {
        let token = bare(token);
        if is_acronym(token) && is_stop_word(token, Language::English) {
            return self.exact.contains(token);
        }
        let whole = |word: &str| {
            let lower = word.to_lowercase();
            let other_number = lower.strip_suffix('s').map_or(format!("{lower}s"), str::to_owned);
            self.lower.contains(&lower)
                || self.exact.contains(singular(word))
                || self.common.contains(&other_number)
        };
        // A name with a number in it is one name; of others each part must be known, if it is a name itself.
        whole(token)
            || !token.contains(|c: char| c.is_numeric())
                && token.contains('-')
                && token.split('-').all(|part| !is_name(part) || whole(part))
    }
}

/// Cuts the possessive: `Darwin's` is about `Darwin`.
fn bare(token: &str) -> &str {
    token.strip_suffix("'s").unwrap_or(token)
}

/// Cuts the plural of acronyms and peoples (`DNAs`, `Norwegians`); `Williams` is not the plural of `William`.
fn singular(token: &str) -> &str {
    let token = bare(token);
    let plural = |stem: &&str| {
        is_acronym(stem)
            || ["ian", "ean", "can"].iter().any(|end| stem.ends_with(end) && stem.len() > 5)
    };
    token.strip_suffix('s').filter(plural).unwrap_or(token)
}

fn is_acronym(token: &str) -> bool {
    token.chars().filter(|c| c.is_uppercase()).count() >= 2 && !token.contains(char::is_lowercase)
}

fn has_inner_sign(token: &str) -> bool {
    token.chars().skip(1).any(|c| c.is_uppercase() || c.is_numeric())
}

/// Tells whether a token is written as a name somewhere inside a sentence.
fn is_name(token: &str) -> bool {
    let token = bare(token);
    let capital = token.contains(char::is_uppercase);
    let mixed = token.contains(|c: char| c.is_numeric()) && token.contains(char::is_alphabetic);
    let pronoun = token == "I" || token.starts_with("I'");
    let lower_part = token.split('-').all(|part| !part.contains(char::is_uppercase) && !mixed);
    let stop = !is_acronym(token) && is_stop_word(token, Language::English);
    !pronoun && !lower_part && (capital || mixed) && !stop
}

/// Tells whether a capital at the start of a sentence is only that.
fn is_ordinary(token: &str, passage: &HashSet<&str>) -> bool {
    let lower = bare(token).to_lowercase();
    let languages = [Language::English, Language::German, Language::French, Language::Spanish];
    if languages.into_iter().any(|language| is_stop_word(&lower, language))
        || OPENERS.contains(&format!(" {lower} "))
    {
        return true;
    }
    let known =
        |word: &str| passage.contains(word) || passage.contains(format!("{word}s").as_str());
    lower.split('-').all(|part| {
        known(part)
            || known(part.strip_suffix('s').unwrap_or(part))
            || is_stop_word(part, Language::English)
    }) || known(&lower)
}

/// A number, date, name or direction that a clause joins to others.
struct Fact {
    clause: usize,
    sort: String,
    value: String,
}

/// Tells whether the claim joins what the quote keeps apart: "the B747 carries 525" by "the A380 carries 525; the B747 carries 416".
///
/// Two facts are kept apart if no clause of the quote has both, and a clause with one has another of the same sort as the other.
pub(super) fn misjoined(claim: &str, quote: &str) -> bool {
    let (given, asked) = (facts(quote), facts(claim));
    let clauses = |fact: &Fact| -> HashSet<usize> {
        given.iter().filter(|other| same(other, fact)).map(|other| other.clause).collect()
    };
    let apart = |one: &Fact, two: &Fact, among: &[&Fact]| {
        let (ones, twos) = (clauses(one), clauses(two));
        let rival = |other: &Fact| {
            ones.contains(&other.clause)
                && other.sort == two.sort
                && !among.iter().any(|fact| same(fact, other))
        };
        !twos.is_empty() && ones.is_disjoint(&twos) && given.iter().any(rival)
    };
    let torn = |among: &[&Fact]| {
        let pairs = among.iter().flat_map(|one| among.iter().map(move |two| (*one, *two)));
        pairs.filter(|(one, two)| one.sort != two.sort).any(|(one, two)| apart(one, two, among))
    };
    let whole: Vec<&Fact> = asked.iter().collect();
    let last = asked.last().map_or(0, |fact| fact.clause);
    let one_clause =
        |clause| asked.iter().filter(|fact| fact.clause == clause).collect::<Vec<&Fact>>();
    torn(&whole) || (0..=last).any(|clause| torn(&one_clause(clause)))
}

fn same(one: &Fact, other: &Fact) -> bool {
    one.sort == other.sort && one.value == other.value
}

/// Reads the facts of a folded text, in order, with the clause each is in.
fn facts(text: &str) -> Vec<Fact> {
    const CUTS: &str = " and or but while whereas although though however because who which ";
    let measures = measures::scan(text);
    let measured = |at: usize| measures.iter().any(|measure| measure.at.contains(&at));
    let mark = |(at, c): &(usize, char)| {
        ".,;:!?".contains(*c)
            && text.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let marks = text.char_indices().filter(mark).map(|(at, _)| at);
    // "between 3 and 5 May" and "in 1990 and 2010" join; the clause goes on.
    let joins = |at: usize, token: &str| {
        measures.iter().any(|measure| measure.at.end + 1 == at)
            && measures.iter().any(|measure| measure.at.start == at + token.len() + 1)
    };
    let conjunctions = tokens(text)
        .filter(|(at, token)| {
            CUTS.contains(&format!(" {} ", token.to_lowercase())) && !joins(*at, token)
        })
        .map(|(at, _)| at);
    let cuts: Vec<usize> = marks.chain(conjunctions).filter(|at| !measured(*at)).collect();
    let clause = |at: usize| cuts.iter().filter(|cut| **cut < at).count();
    let numbers = measures.iter().map(|measure| {
        let (sort, value) = measure.sort_and_value();
        (measure.at.start, sort, value)
    });
    let words = tokens(text).filter(|(at, _)| !measured(*at)).filter_map(|(at, token)| {
        match super::polarity::direction(&token.to_lowercase()) {
            Some((row, side)) => Some((at, format!("direction {row}"), side.to_string())),
            None => is_name(token).then(|| (at, "name".to_owned(), bare(token).to_lowercase())),
        }
    });
    let mut found: Vec<(usize, String, String)> = numbers.chain(words).collect();
    found.sort();
    found.into_iter().map(|(at, sort, value)| Fact { clause: clause(at), sort, value }).collect()
}

/// Returns a fault for every word of the claim in letters that its source does not use.
///
/// `nоt` with a Cyrillic о, a Latin letter from a phonetic alphabet and a word struck through all hide what a reader sees.
pub(super) fn foreign(claim: &str, written: &Written<'_>) -> Vec<Fault> {
    let source = format!("{}\n{}", written.quote, written.section);
    let scripts: HashSet<Script> = source.chars().map(|c| c.script()).collect();
    let known: HashSet<&str> = tokens(&source).map(|(_, token)| token).collect();
    let measured: Vec<_> = measures::scan(claim).into_iter().map(|measure| measure.at).collect();
    let mut found: Vec<Fault> = tokens(claim)
        .filter(|(at, token)| {
            !measured.iter().any(|range| range.contains(at)) && !known.contains(token)
        })
        .filter(|(_, token)| looks_foreign(token, &scripts))
        .map(|(_, token)| Fault::ForeignScript { word: token.to_owned() })
        .collect();
    let sign = signs(claim).find(|sign| !source.contains(*sign));
    found.extend(sign.map(|sign| Fault::ForeignScript { word: sign.to_string() }));
    found.extend(spelled_out(claim).map(|word| Fault::ForeignScript { word }));
    found
}

/// Returns a negation written with its letters apart: `n.o.t`.
fn spelled_out(claim: &str) -> Option<String> {
    let mut letters = String::new();
    for word in claim.split(|c: char| !is_word(c)).filter(|word| !word.is_empty()).chain(["."]) {
        if word.chars().nth(1).is_none() && word != "." {
            letters.push_str(&word.to_lowercase());
        } else if letters.len() > 1 && super::polarity::is_negation(&letters) {
            return Some(letters);
        } else {
            letters.clear();
        }
    }
    None
}

/// Returns the signs of a claim that can stand for a letter or for "not": pictures, arrows, relations, marks inside a word.
fn signs(claim: &str) -> impl Iterator<Item = char> {
    let characters: Vec<char> = claim.chars().collect();
    let is_sign = |c: char| {
        matches!(c, '\u{2190}'..='\u{23ff}' | '\u{2460}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' | '¬' | '<' | '>' | '=')
            && c != '−'
    };
    let stands_in = |c: char| !is_word(c) && !c.is_whitespace() && !".,-'\"/:;&()".contains(c);
    let triples = characters.windows(3).filter_map(|w| match w {
        [left, sign, right]
            if left.is_alphabetic() && right.is_alphabetic() && stands_in(*sign) =>
        {
            Some(*sign)
        }
        _ => None,
    });
    let inside: Vec<char> = triples.collect();
    characters.into_iter().filter(move |c| is_sign(*c)).chain(inside)
}

/// Returns a fault where the claim, as Markdown shows it, may not read as it is written: struck out, in a comment, an entity.
pub(super) fn hidden(claim: &str, passage: &str) -> Option<Fault> {
    const MARKS: [&str; 8] = ["~~", "<!", "</", "](", "][", "]:", "&#", "\\"];
    let written = |mark: &str| claim.contains(mark) && !passage.contains(mark);
    let tag = |after: &str| after.starts_with(|c: char| c.is_ascii_alphabetic());
    let entity = claim.split('&').skip(1).any(|after| {
        after.find(';').is_some_and(|end| end < 12 && tag(after)) && !after.starts_with(' ')
    });
    let tagged = claim.split('<').skip(1).any(tag);
    let mark = MARKS.into_iter().find(|mark| written(mark));
    let word = mark.or(entity.then_some("&")).or(tagged.then_some("<"))?;
    Some(Fault::ForeignScript { word: word.to_owned() })
}

fn looks_foreign(word: &str, scripts: &HashSet<Script>) -> bool {
    use Script::{Common, Han, Hiragana, Inherited, Katakana};
    let own: HashSet<Script> = word
        .chars()
        .map(|c| c.script())
        .filter(|script| !matches!(script, Common | Inherited))
        .map(|script| if matches!(script, Hiragana | Katakana) { Han } else { script })
        .collect();
    let japanese = scripts.contains(&Hiragana) || scripts.contains(&Katakana);
    let absent = |script: &Script| !(scripts.contains(script) || *script == Han && japanese);
    own.len() > 1 || own.iter().any(absent) || is_disguised(word)
}

/// Tells whether a Latin word has marks laid over it, letters no ordinary spelling uses, or accents that hide a negation.
fn is_disguised(word: &str) -> bool {
    let latin = word.chars().any(|c| c.script() == Script::Latin);
    let odd = |c: char| {
        is_combining_mark(c)
            || c.script() == Script::Latin
                && matches!(c, '\u{180}'..='\u{2af}' | '\u{1d00}'..='\u{1dbf}' | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}' | '\u{10780}'..='\u{107ba}')
    };
    let skeleton: String = word
        .nfd()
        .filter(|c| !is_combining_mark(*c))
        .map(|c| match c {
            'ı' => 'i',
            'ø' => 'o',
            'ŧ' => 't',
            'ŉ' => 'n',
            'ħ' => 'h',
            _ => c,
        })
        .collect();
    let accented = skeleton != word.nfd().collect::<String>()
        && super::polarity::is_negation(&skeleton.to_lowercase());
    latin && (word.chars().any(odd) || accented)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSAGE: &str = "Niko Tinbergen, of the University of Oxford, watched herring gulls. The US and WHO said COVID-19 and H5N1 kill us. \
        Turkeys, and a turkey, saw McDonald's α-helix.";

    fn written(quote: &str) -> Written<'_> {
        Written { quote, section: "Herring gull > Ringing in Wales", passage: PASSAGE }
    }

    fn check(claim: &str, absent: &[&str]) {
        let expected: Vec<Fault> =
            absent.iter().map(|name| Fault::NameAbsent { name: (*name).to_owned() }).collect();
        assert_eq!(faults(claim, &written(PASSAGE)), expected, "{claim:?}");
    }

    // proves: C4, C13
    #[test]
    fn every_token_of_a_name_must_occur_in_quote_or_section() {
        check("Tinbergen's gulls were ringed in Wales.", &[]);
        check("Researchers at the University of Oxford watched gulls.", &[]);
        check("Researchers at the University of Cambridge watched gulls.", &["Cambridge"]);
        check("Jan Tinbergen watched gulls.", &["Jan"]);
        check("Gulls were watched. Watched gulls are British.", &["British"]);
        check("Lorenz watched gulls.", &["Lorenz"]);
        check("In May 2011 the GULLS and Turkeys came", &[]);
    }

    // proves: C4, C13
    #[test]
    fn acronyms_and_names_with_digits_are_whole() {
        check("COVID-19 and H5N1 kill the WHO", &[]);
        check("COVID-18 and H5N2 kill", &["COVID-18", "H5N2"]);
        check("DNA kills", &["DNA"]);
        let us = faults("It kills the US", &written("COVID-19 and H5N1 kill us"));
        assert_eq!(us, [Fault::NameAbsent { name: "US".to_owned() }]);
    }

    // proves: C4, C13
    #[test]
    fn facts_stay_in_the_clauses_the_quote_puts_them_in() {
        let check = |claim: &str, quote: &str, expected: bool| {
            assert_eq!(misjoined(claim, quote), expected, "{claim:?}");
        };
        let planes = "The A380 carries 525 people; the B747 carries 416";
        check("The A380 carries 525 people.", planes, false);
        check("The A380 carries 525 and the B747 416.", planes, false);
        check("The B747 carries 525 people.", planes, true);
        check("The B747, it is said, carries 525 people.", planes, true);
        check("Sales were down 5% in Q1.", "Sales were up 5% in Q1 and down 3% in Q2", true);
    }

    // proves: C4, C13
    #[test]
    fn letters_of_another_script_are_foreign() {
        let check = |claim: &str, expected: usize| {
            assert_eq!(foreign(claim, &written(PASSAGE)).len(), expected, "{claim:?}");
        };
        check("gulls do not eat an α-helix of 5 μm", 0);
        check("gulls do nоt eat", 1);
        check("gulls do nọt eat", 1);
        check("gulls do n\u{336}o\u{336}t\u{336} eat", 1);
        check("чайки eat", 1);
        check("gulls do 🅽🅾🆃 eat", 1);
        check("a naïve café", 0);
    }
}
