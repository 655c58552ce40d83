//! The numbers of a sentence, in digits and in words, with the unit and the reserve with which they are told.

mod qualifiers;
mod what;

use super::tokens::Token;
use qualifiers::QUALIFIERS;
use what::what;

/// A number of a sentence.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    /// The tokens that it takes, qualifiers and unit included.
    pub(super) from: usize,
    pub(super) at: usize,
    pub(super) to: usize,
    /// In the scale in which it is told: 62 for 62 %, 50 for a half.
    pub(super) value: f64,
    pub(super) decimals: usize,
    pub(super) unit: Told,
    pub(super) bound: Bound,
    /// Minus or plus where it is written.
    pub(super) sign: Option<f64>,
    /// A fraction in words, or one in four: rounder than digits.
    pub(super) fraction: bool,
    pub(super) what: What,
    /// Text as it stands, for messages.
    pub(super) shown: String,
}

/// The unit that is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    Percent,
    Points,
    Times,
    Plain,
}

/// With what reserve a number is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    Exactly,
    About,
    Nearly,
    JustOver,
    Over,
    AtLeast,
    Under,
    AtMost,
}

/// What a number is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Value,
    Base,
    WeightedBase,
    EffectiveBase,
    /// Of a test; whether it is said to be below.
    P {
        below: bool,
    },
    Confidence,
    /// The end of an interval, or half its width.
    Interval,
    /// The ends of a scale, or how many points it has.
    Scale,
    /// How many things of some kind: three reasons.
    Things,
}

impl Bound {
    /// The values that are told truly so, both ends included or not: `(least, most, least itself, most itself)`. None for exact ones.
    pub(super) fn range(self, said: &Said) -> Option<(f64, f64, bool, bool)> {
        let value = said.value;
        let points = matches!(said.unit, Told::Percent | Told::Points);
        let (near, far) = match (points, said.fraction) {
            (true, true) => (4.0, 10.0),
            (true, false) => (2.0, 10.0),
            (false, _) => (value.abs() * 0.03, value.abs() * 0.1),
        };
        match self {
            Bound::Exactly if said.fraction => Some((value - 2.0, value + 2.0, true, true)),
            Bound::Exactly => None,
            Bound::About => Some((value - near, value + near, true, true)),
            Bound::Nearly => Some((value - near, value, true, false)),
            Bound::JustOver => Some((value, value + near, false, true)),
            Bound::Over => Some((value, value + far, false, true)),
            Bound::AtLeast => Some((value, value + far, true, true)),
            Bound::Under => Some((value - far, value, true, false)),
            Bound::AtMost => Some((value - far, value, true, true)),
        }
    }
}

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 8] =
    ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];

/// Reads the numbers of a sentence that stand outside names.
pub(super) fn numbers(tokens: &[Token], named: &[bool]) -> Vec<Said> {
    let mut said: Vec<Said> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if named.get(at).copied().unwrap_or_default() {
            at += 1;
            continue;
        }
        match number(tokens, named, at) {
            Some(mut one) => {
                // "783 women".
                let label = named.get(one.to).copied().unwrap_or_default();
                let plain = one.unit == Told::Plain && !one.fraction && one.decimals == 0;
                if label && plain && one.value >= 10.0 && one.what == What::Value {
                    one.what = What::Base;
                }
                at = one.to;
                said.push(one);
            }
            None => at += 1,
        }
    }
    share_units(tokens, &mut said);
    said
}

fn word(tokens: &[Token], at: usize) -> &str {
    tokens.get(at).map_or("", |token| token.word.as_str())
}

/// A number in words, and where it ends.
fn spelled(tokens: &[Token], at: usize) -> Option<(f64, usize)> {
    let small = |at: usize| SMALL.iter().position(|known| *known == word(tokens, at));
    let (mut value, mut to) = match small(at) {
        Some(value) => (value as f64, at + 1),
        None => {
            let tens =
                TENS.iter().position(|known| *known == word(tokens, at))? as f64 * 10.0 + 20.0;
            let next = if word(tokens, at + 1) == "-" { at + 2 } else { at + 1 };
            match small(next).filter(|value| (1..10).contains(value)) {
                Some(unit) => (tens + unit as f64, next + 1),
                None => (tens, at + 1),
            }
        }
    };
    for (name, factor) in [("hundred", 100.0), ("thousand", 1000.0)] {
        if word(tokens, to) == name {
            value *= factor;
            to += 1;
        }
    }
    Some((value, to))
}

/// The part that a word such as `thirds` stands for.
fn part(word: &str) -> Option<f64> {
    Some(match word {
        "half" | "halves" => 2.0,
        "third" | "thirds" => 3.0,
        "quarter" | "quarters" => 4.0,
        "fifth" | "fifths" => 5.0,
        "sixth" | "sixths" => 6.0,
        "eighth" | "eighths" => 8.0,
        "tenth" | "tenths" => 10.0,
        _ => return None,
    })
}

fn number(tokens: &[Token], named: &[bool], at: usize) -> Option<Said> {
    let mut said = Said {
        from: at,
        at,
        to: at + 1,
        value: 0.0,
        decimals: 0,
        unit: Told::Plain,
        bound: Bound::Exactly,
        sign: None,
        fraction: false,
        what: What::Value,
        shown: String::new(),
    };
    let first = word(tokens, at);
    if let Some((value, decimals)) = tokens.get(at)?.number() {
        (said.value, said.decimals) = (value, decimals);
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let glued = tokens.get(at).is_some_and(|token| token.joined);
        // A sign after a word or a number joins them: "18-34"; after a bracket it is one.
        let opened = at.checked_sub(2).and_then(|opened| tokens.get(opened));
        let opened = opened.is_some_and(|token| matches!(token.word.as_str(), "(" | "[" | "\""));
        let free = before.is_some_and(|token| !token.joined || opened);
        match before.map(|token| token.word.as_str()) {
            Some("-") if glued && free => said.sign = Some(-1.0),
            Some("+") if glued => said.sign = Some(1.0),
            _ if at > 0 && word(tokens, at - 1) == "minus" => said.sign = Some(-1.0),
            _ if at > 0 && word(tokens, at - 1) == "plus" => said.sign = Some(1.0),
            _ => {}
        }
        // "2nd", "3rd": a rank, no amount.
        if tokens.get(at + 1).is_some_and(|next| next.joined && next.is(&["st", "nd", "rd", "th"]))
        {
            return None;
        }
    } else if matches!(
        first,
        "half"
            | "halves"
            | "halved"
            | "twice"
            | "double"
            | "doubled"
            | "doubles"
            | "doubling"
            | "triple"
            | "tripled"
            | "triples"
            | "thrice"
    ) {
        return Some(multiple(tokens, named, at, said));
    } else if matches!(first, "a" | "an") && part(word(tokens, at + 1)).is_some() {
        if word(tokens, at + 1) == "half" && word(tokens, at + 2) == "hour" {
            return None;
        }
        said.at = at + 1;
        said.to = at + 2;
        said.value = 100.0 / part(word(tokens, at + 1))?;
        said.unit = Told::Percent;
        said.fraction = true;
        return Some(finished(tokens, named, said));
    } else if first == "hundred" && at > 0 && word(tokens, at - 1) == "a" {
        said.value = 100.0;
    } else {
        let (value, to) = spelled(tokens, at)?;
        (said.value, said.to) = (value, to);
    }
    // One office in seven.
    let noun = tokens.get(said.to).is_some_and(|noun| {
        noun.is_word()
            && !noun.joined
            && !noun.is(&["in", "out", "of", "percent", "per", "point", "points"])
    });
    let divided = match (word(tokens, said.to + 1), word(tokens, said.to + 2)) {
        ("out", "of") => Some(said.to + 3),
        ("in", _) => Some(said.to + 2),
        _ => None,
    };
    if let Some(of) = divided.filter(|_| noun && spelled(tokens, at).is_some())
        && let Some((whole, to)) = spelled(tokens, of)
        && matches!(whole as u32, 3..=10 | 20)
        && said.value < whole
        && !(of..to).any(|at| named.get(at).copied().unwrap_or_default())
        && !unit_follows(tokens, to)
    {
        said.value = said.value * 100.0 / whole;
        said.to = to;
        (said.unit, said.fraction) = (Told::Percent, true);
        return Some(finished(tokens, named, said));
    }
    // Two thirds; 3/4; one in four; 9 out of 10.
    let next = if word(tokens, said.to) == "-" { said.to + 1 } else { said.to };
    if said.decimals == 0
        && let Some(parts) = part(word(tokens, next))
        && said.value < parts
    {
        said.value = said.value * 100.0 / parts;
        said.to = next + 1;
        (said.unit, said.fraction) = (Told::Percent, true);
        return Some(finished(tokens, named, said));
    }
    let of = match (word(tokens, said.to), word(tokens, said.to + 1)) {
        ("out", "of") | ("in", "every") => Some(said.to + 2),
        ("in" | "of" | "/", _) => Some(said.to + 1),
        _ => None,
    };
    if let Some(of) = of.filter(|of| !named.get(*of).copied().unwrap_or_default()) {
        let whole = spelled(tokens, of).or_else(|| {
            Some((tokens.get(of)?.number().filter(|(_, decimals)| *decimals == 0)?.0, of + 1))
        });
        let round = |value: f64| matches!(value as u32, 3..=10 | 20 | 100);
        if let Some((whole, to)) =
            whole.filter(|(whole, _)| said.decimals == 0 && said.value < *whole && round(*whole))
            && !tokens.get(to).is_some_and(|next| next.is(&["%", "percent", "points"]))
            && !tokens.get(of).is_some_and(|next| next.joined && word(tokens, of - 1) != "/")
        {
            said.value = said.value * 100.0 / whole;
            said.to = to;
            (said.unit, said.fraction) = (Told::Percent, true);
            return Some(finished(tokens, named, said));
        }
    }
    if first == "one" && !unit_follows(tokens, said.to) {
        return None;
    }
    Some(finished(tokens, named, said))
}

fn unit_follows(tokens: &[Token], at: usize) -> bool {
    let at = if word(tokens, at) == "-" { at + 1 } else { at };
    ["%", "percent", "percentage", "per", "point", "points", "pp", "pt", "pts"]
        .contains(&word(tokens, at))
        || (word(tokens, at) == "times")
}

/// Half, twice, doubled and the like.
fn multiple(tokens: &[Token], named: &[bool], at: usize, mut said: Said) -> Said {
    let first = word(tokens, at);
    let times = match first {
        "twice" | "double" | "doubled" | "doubles" | "doubling" => 2.0,
        "triple" | "tripled" | "triples" | "thrice" => 3.0,
        _ => 0.5,
    };
    // Half as many, half the share of: a multiple; half of them: a share.
    let multiple = first != "half" && first != "halves"
        || word(tokens, at + 1) == "as"
        || (word(tokens, at + 1) == "that")
        || (word(tokens, at + 1) == "the"
            && ["share", "level", "rate", "proportion", "figure"].contains(&word(tokens, at + 2)));
    (said.value, said.unit) = if multiple { (times, Told::Times) } else { (50.0, Told::Percent) };
    said.fraction = true;
    finished(tokens, named, said)
}

/// Reads what stands around a number.
fn finished(tokens: &[Token], named: &[bool], mut said: Said) -> Said {
    if !said.fraction {
        unit(tokens, &mut said);
    }
    let mut from = said.from;
    if said.sign.is_some() {
        from = from.saturating_sub(1);
    }
    let currency = tokens.get(said.at).is_some_and(|token| token.joined)
        && from > 0
        && ["€", "$", "£", "¥"].contains(&word(tokens, from - 1));
    if currency {
        from -= 1;
    }
    for (words, bound) in QUALIFIERS {
        let words: Vec<&str> = words.split(' ').collect();
        let Some(start) = from.checked_sub(words.len()) else { continue };
        let free = |at: usize| !named.get(at).copied().unwrap_or_default();
        let mut told = (start..from).zip(&words);
        let there = told.all(|(at, wanted)| word(tokens, at) == *wanted && free(at));
        // "Went up to" tells a direction.
        let went = *bound == Bound::AtMost
            && words.first() == Some(&"up")
            && (start.checked_sub(1).is_some_and(|before| {
                [
                    "went", "is", "was", "moved", "edged", "are", "were", "climbed", "going", ",",
                    "now",
                ]
                .contains(&word(tokens, before))
            }) || tokens.iter().skip(said.to).any(|token| token.word == "from"));
        // "Ahead of men, above 48 %" is a comparison all the same.
        if there && !went {
            said.bound = *bound;
            from = start;
            break;
        }
    }
    said.from = from;
    what(tokens, &mut said);
    let shown = tokens.get(said.from..said.to).unwrap_or_default();
    for token in shown {
        if !said.shown.is_empty() && !token.joined {
            said.shown.push(' ');
        }
        said.shown.push_str(&token.word);
    }
    said
}

fn unit(tokens: &[Token], said: &mut Said) {
    let mut at = said.to;
    if word(tokens, at) == "-" && tokens.get(at + 1).is_some_and(Token::is_word) {
        at += 1;
    }
    // "%oo" is another sign.
    if word(tokens, at) == "%"
        && tokens.get(at + 1).is_some_and(|next| next.joined && (next.is_word() || next.is(&["%"])))
    {
        return;
    }
    let (unit, taken) = match (word(tokens, at), word(tokens, at + 1), word(tokens, at + 2)) {
        ("%" | "percent", "-", "points" | "point") => (Told::Points, 3),
        ("%" | "percent" | "percentage", "points" | "point", _) => (Told::Points, 2),
        ("per", "cent", "points" | "point") => (Told::Points, 3),
        ("percentage", "-", "point" | "points") => (Told::Points, 3),
        ("per", "cent", _) => (Told::Percent, 2),
        ("%" | "percent" | "pct", _, _) => (Told::Percent, 1),
        ("points" | "point" | "pp" | "pps" | "ppt" | "ppts" | "pts" | "pt", _, _) => {
            (Told::Points, 1)
        }
        ("times" | "fold", _, _) => (Told::Times, 1),
        ("x" | "×", _, _) => (Told::Times, 1),
        _ => return,
    };
    said.unit = unit;
    said.to = at + taken;
}

/// In a list, numbers take the unit of the one that has it: 62, 48 and 33 %; from 48 to 62 %.
fn share_units(tokens: &[Token], said: &mut [Said]) {
    const BETWEEN: &[&str] = &[
        ",", "and", "or", "to", "-", "versus", "vs", ".", "/", "against", "compared", "with", "&",
        "—",
    ];
    for place in (1..said.len()).rev() {
        let (before, after) = said.split_at_mut(place);
        let (Some(one), Some(next)) = (before.last_mut(), after.first()) else { continue };
        let between = tokens.get(one.to..next.from).unwrap_or_default();
        let listed = between.len() <= 3 && between.iter().all(|token| token.is(BETWEEN));
        if one.unit == Told::Plain
            && listed
            && matches!(next.unit, Told::Percent | Told::Points)
            && !next.fraction
        {
            one.unit = next.unit;
            if matches!(one.what, What::Things) {
                one.what = next.what;
            }
        }
    }
}
