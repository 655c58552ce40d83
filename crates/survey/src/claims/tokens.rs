//! A sentence as words, numbers and marks.

use rust_stemmers::{Algorithm, Stemmer};

/// A word, a number, or a mark.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    /// In lower case; of a possessive without its ending; of a number as it stands.
    pub(super) word: String,
    pub(super) kind: Kind,
    /// What words are compared by.
    pub(super) stem: String,
    pub(super) capital: bool,
    /// Whether nothing stands between this and the one before.
    pub(super) joined: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    Word,
    /// The value, and how many decimals are shown.
    Number(f64, usize),
    Mark,
}

impl Token {
    pub(super) fn is(&self, words: &[&str]) -> bool {
        words.contains(&self.word.as_str())
    }

    pub(super) fn number(&self) -> Option<(f64, usize)> {
        match self.kind {
            Kind::Number(value, decimals) => Some((value, decimals)),
            Kind::Word | Kind::Mark => None,
        }
    }

    pub(super) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }
}

const HYPHENS: [char; 5] = ['-', '‐', '‑', '–', '−'];

/// Tells whether signs are what turns a word into its opposite: what follows them after a hyphen is the same word, as in `un-satisfied`.
fn turns(signs: &[char]) -> bool {
    const PREFIXES: [&str; 5] = ["un", "non", "dis", "mis", "anti"];
    let prefix: String = signs.iter().flat_map(|sign| sign.to_lowercase()).collect();
    PREFIXES.contains(&prefix.as_str())
}

/// Splits a text. Dashes of all kinds are one, except where one with blanks around it separates what is said: that one is `—`.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let stemmer = Stemmer::create(Algorithm::English);
    let signs: Vec<char> = text.chars().collect();
    let sign = |at: usize| signs.get(at).copied();
    let mut tokens = Vec::new();
    let mut at = 0;
    let mut joined = false;
    while let Some(first) = sign(at) {
        let from = at;
        if first.is_whitespace() {
            joined = false;
            at += 1;
            continue;
        }
        let hyphen = |at: usize| sign(at).is_some_and(|sign| HYPHENS.contains(&sign));
        let digit = |at: usize| sign(at).is_some_and(|sign| sign.is_ascii_digit());
        let point_first = first == '.' && digit(at + 1) && !(at > 0 && digit(at - 1));
        let token = if digit(at) || point_first {
            at = number_end(&signs, at);
            let shown: String = signs.get(from..at).unwrap_or_default().iter().collect();
            let plain = shown.replace(',', "");
            let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            let kind = plain.parse().map_or(Kind::Mark, |value| Kind::Number(value, decimals));
            Token { stem: shown.clone(), word: shown, kind, capital: false, joined }
        } else if first.is_alphanumeric() {
            while sign(at).is_some_and(|sign| sign.is_alphanumeric() || sign == '_')
                || (sign(at).is_some_and(|sign| matches!(sign, '\'' | '’'))
                    && sign(at + 1).is_some_and(char::is_alphanumeric))
            {
                at += 1;
                let so_far = signs.get(from..at).unwrap_or_default();
                if turns(so_far) && hyphen(at) && sign(at + 1).is_some_and(char::is_alphabetic) {
                    at += 1;
                }
            }
            let shown = signs.get(from..at).unwrap_or_default().iter();
            let shown: String = shown.filter(|sign| !HYPHENS.contains(sign)).collect();
            let lower = shown.to_lowercase().replace('’', "'");
            let word = lower.strip_suffix("'s").unwrap_or(&lower).to_owned();
            let stem = stem(&stemmer, &word);
            Token { word, kind: Kind::Word, stem, capital: first.is_uppercase(), joined }
        } else {
            at += 1;
            let spaced = !joined && sign(at).is_none_or(char::is_whitespace);
            let mark = match first {
                '—' => '—',
                dash if HYPHENS.contains(&dash) && spaced => '—',
                dash if HYPHENS.contains(&dash) => '-',
                '“' | '”' | '„' | '«' | '»' => '"',
                '‘' | '’' => '\'',
                other => other,
            };
            let word = mark.to_string();
            Token { stem: word.clone(), word, kind: Kind::Mark, capital: false, joined }
        };
        tokens.push(token);
        joined = true;
    }
    tokens
}

fn number_end(signs: &[char], from: usize) -> usize {
    let digit = |at: usize| signs.get(at).is_some_and(char::is_ascii_digit);
    let mut at = from;
    while digit(at) {
        at += 1;
    }
    while at > from
        && signs.get(at) == Some(&',')
        && (1..=3).all(|ahead| digit(at + ahead))
        && !digit(at + 4)
    {
        at += 4;
    }
    if signs.get(at) == Some(&'.') && digit(at + 1) {
        at += 1;
        while digit(at) {
            at += 1;
        }
    }
    at
}

/// Words that mean the same segment, or the same deed, have one stem.
fn stem(stemmer: &Stemmer, word: &str) -> String {
    match word {
        "ease" => stemmer.stem("easy").into_owned(),
        "spent" => "spend".to_owned(),
        "paid" => "pay".to_owned(),
        "bought" => "buy".to_owned(),
        "drove" | "driven" => stemmer.stem("drive").into_owned(),
        "rode" | "ridden" => stemmer.stem("ride").into_owned(),
        "slept" => "sleep".to_owned(),
        "ate" | "eaten" => "eat".to_owned(),
        "drank" | "drunk" => "drink".to_owned(),
        "woman" | "women" | "female" | "females" => "female".to_owned(),
        "man" | "men" | "male" | "males" => "male".to_owned(),
        _ => stemmer.stem(word).into_owned(),
    }
}

/// Tells whether two words are of one family: `satisfied` and `satisfaction`.
pub(super) fn akin(one: &str, other: &str) -> bool {
    const ENOUGH: usize = 6;
    one == other
        || super::families::kin(one, other)
        || one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count() >= ENOUGH
}
