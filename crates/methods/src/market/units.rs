//! Units for computation: products and quotients of parts, each with its power.
//!
//! `USD/lawyer/year` times `lawyers` is `USD/year`. The singular and the plural of a noun are the same part; percentages and plain numbers
//! have no part. A 12 may convert months to years, as 365 does for days and 52 for weeks.

use std::collections::{BTreeMap, BTreeSet};

use text::{Language, is_stop_word};

use super::arithmetic::{Expression, Operator};
use super::figures::{self, Figure, Kind};

/// Maximum absolute power of a part.
const HIGHEST: i32 = 9;
/// Maximum number of parts in a computed unit.
const MOST_PARTS: usize = 12;
const YEAR: &str = "year";
/// Units of time; [`Unit::written`] puts them last, in this order.
const TIMES: [&str; 7] = [YEAR, "quarter", "month", "week", "day", "hour", "minute"];
/// How many of a unit of time make a year.
const IN_A_YEAR: [(u32, &str); 3] = [(12, "month"), (365, "day"), (52, "week")];
/// Words that count nothing in particular.
const NO_UNIT: [&str; 10] =
    ["number", "count", "share", "ratio", "fraction", "time", "x", "factor", "multiple", "none"];

/// A unit as a product of parts.
#[derive(Debug, Clone, Default)]
pub(super) struct Unit {
    /// The parts, by the singular of a noun or the code of a currency.
    parts: BTreeMap<String, Part>,
    /// The power of each number of [`IN_A_YEAR`] that was multiplied with it.
    constants: BTreeMap<u32, i32>,
}

#[derive(Debug, Clone, Default)]
struct Part {
    power: i32,
    /// The words in the numerator, `lawyers`, and in the denominator, `lawyer`; empty if not written there.
    above: String,
    below: String,
}

impl Unit {
    /// Reads a unit as people write it. Accepts any text.
    pub(super) fn of(written: &str) -> Unit {
        let mut reader = Reader::default();
        let tokens = tokenize(written);
        let mut rest = tokens.iter().peekable();
        while let Some(token) = rest.next() {
            let next = rest.peek().map(|next| next.to_lowercase()).unwrap_or_default();
            match token.to_lowercase().as_str() {
                "per" if next == "cent" => {
                    rest.next();
                    reader.is_share |= reader.words.is_empty();
                }
                "%" | "percent" | "percentage" => reader.is_share |= reader.words.is_empty(),
                "/" | "÷" | "per" => reader.line(),
                "a" | "an" if TIMES.contains(&singular(&next).as_str()) => reader.line(),
                "*" | "×" | "·" => reader.times(),
                "(" => reader.is_group |= reader.is_below && reader.words.is_empty(),
                ")" if reader.is_group => {
                    reader.part();
                    reader.is_group = false;
                }
                ")" => {}
                "annually" | "yearly" => reader.unit.put(YEAR, YEAR, -1),
                "monthly" => reader.unit.put("month", "month", -1),
                _ => reader.words.push(token.clone()),
            }
        }
        reader.part();
        reader.unit.parts.retain(|_, part| part.power != 0);
        reader.unit
    }

    /// Returns the unit of an expression, or why its units cannot be combined.
    pub(super) fn derived(
        expression: &Expression,
        named: &dyn Fn(&str) -> Option<Unit>,
    ) -> Result<Unit, String> {
        match expression {
            Expression::Number(number) => Ok(Unit::constant(*number)),
            Expression::Percent(_) => Ok(Unit::default()),
            Expression::Name(name) => {
                named(name).ok_or_else(|| format!("the unit of '{name}' is unknown"))
            }
            Expression::Negative(inner) => Unit::derived(inner, named),
            Expression::Joined(one, operator, other) => {
                let (one, other) = (Unit::derived(one, named)?, Unit::derived(other, named)?);
                match operator {
                    Operator::Plus | Operator::Minus => one.beside(&other),
                    Operator::Times => one.by(&other, 1),
                    Operator::Over => one.by(&other, -1),
                }
            }
        }
    }

    /// Returns whether two units are the same, however they are written.
    pub(super) fn is(&self, other: &Unit) -> bool {
        let powers = |unit: &Unit| -> Vec<(String, i32)> {
            unit.settled().parts.into_iter().map(|(key, part)| (key, part.power)).collect()
        };
        powers(self) == powers(other)
    }

    /// Returns the same unit with the other's words for shared parts.
    pub(super) fn in_words_of(&self, other: &Unit) -> Unit {
        let mut unit = self.clone();
        for (key, part) in &mut unit.parts {
            let Some(of) = other.parts.get(key) else { continue };
            for (own, theirs) in [(&mut part.above, &of.above), (&mut part.below, &of.below)] {
                if !theirs.is_empty() {
                    own.clone_from(theirs);
                }
            }
        }
        unit
    }

    /// Writes the unit in the form that [`Unit::of`] reads: currencies first, times last.
    pub(super) fn written(&self) -> String {
        let unit = self.settled();
        let place = |key: &str| {
            let time = TIMES.iter().position(|time| *time == key).map_or(0, |at| at + 1);
            (time, !is_currency(key))
        };
        let mut parts: Vec<(&String, &Part)> = unit.parts.iter().collect();
        parts.sort_by_key(|(key, _)| place(key));
        let mut written = String::new();
        for (key, part) in parts.iter().filter(|(_, part)| part.power > 0) {
            let word = [&part.above, &part.below, *key].into_iter().find(|word| !word.is_empty());
            for _ in 0..part.power {
                let before = if written.is_empty() { "" } else { "*" };
                written.push_str(&format!("{before}{}", word.unwrap_or(key)));
            }
        }
        for (key, part) in parts.iter().filter(|(_, part)| part.power < 0) {
            let word = if part.below.is_empty() { key } else { &part.below };
            written.push_str(&format!("/{word}").repeat(part.power.unsigned_abs() as usize));
        }
        written
    }

    /// Returns the denominator: `/lawyer/year`.
    pub(super) fn below(&self) -> String {
        let written = self.written();
        written.find('/').and_then(|at| written.get(at..)).unwrap_or_default().to_owned()
    }

    fn constant(number: f64) -> Unit {
        let known = IN_A_YEAR.iter().find(|(many, _)| f64::from(*many) == number);
        let constants = known.map(|(many, _)| (*many, 1)).into_iter().collect();
        Unit { parts: BTreeMap::new(), constants }
    }

    fn put(&mut self, key: &str, word: &str, power: i32) {
        let part = self.parts.entry(key.to_owned()).or_default();
        part.power = part.power.saturating_add(power);
        let own = if power > 0 { &mut part.above } else { &mut part.below };
        if own.is_empty() {
            word.clone_into(own);
        }
    }

    fn currencies(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().map(String::as_str).filter(|key| is_currency(key))
    }

    fn by(mut self, other: &Unit, sign: i32) -> Result<Unit, String> {
        let currencies: BTreeSet<&str> = self.currencies().chain(other.currencies()).collect();
        if currencies.len() > 1 {
            let currencies = currencies.into_iter().collect::<Vec<_>>().join(" and ");
            return Err(format!("it combines two currencies, {currencies}"));
        }
        for (key, part) in &other.parts {
            let own = self.parts.entry(key.clone()).or_default();
            own.power = own.power.saturating_add(part.power * sign);
            for (word, of) in [(&mut own.above, &part.above), (&mut own.below, &part.below)] {
                if word.is_empty() {
                    word.clone_from(of);
                }
            }
        }
        for (many, often) in &other.constants {
            let own = self.constants.entry(*many).or_default();
            *own = own.saturating_add(often.saturating_mul(sign));
        }
        self.parts.retain(|_, part| part.power != 0);
        let too_high = self.parts.values().any(|part| part.power.abs() > HIGHEST);
        if too_high || self.parts.len() > MOST_PARTS {
            return Err("it multiplies more units than mean anything".into());
        }
        Ok(self)
    }

    fn beside(&self, other: &Unit) -> Result<Unit, String> {
        if self.is(other) {
            return Ok(self.settled().in_words_of(self));
        }
        let named = |unit: &Unit| match unit.written() {
            empty if empty.is_empty() => "no unit".to_owned(),
            written => format!("'{written}'"),
        };
        Err(format!(
            "it adds or subtracts figures of different units, {} and {}",
            named(self),
            named(other)
        ))
    }

    /// Lets the numbers of [`IN_A_YEAR`] convert units of time where possible. The rest only multiply the value.
    fn settled(&self) -> Unit {
        let mut unit = Unit { parts: self.parts.clone(), constants: BTreeMap::new() };
        for (many, short) in IN_A_YEAR {
            let mut left = self.constants.get(&many).copied().unwrap_or_default();
            let power = |unit: &Unit, key: &str| unit.parts.get(key).map_or(0, |part| part.power);
            while left != 0 {
                let (shorts, years) = (power(&unit, short), power(&unit, YEAR));
                let turn = left.signum();
                if shorts * turn >= 0 && years * turn <= 0 {
                    break;
                }
                // 12 months per year are one.
                unit.put(short, short, turn);
                unit.put(YEAR, YEAR, -turn);
                left -= turn;
            }
        }
        unit.parts.retain(|_, part| part.power != 0);
        unit
    }
}

/// Returns whether values in a unit are percentages, including `% of lawyers` and `% per year`.
pub(super) fn is_percent(written: &str) -> bool {
    let mut tokens = tokenize(written).into_iter().map(|token| token.to_lowercase());
    match tokens.next().as_deref() {
        Some("%" | "percent" | "percentage") => true,
        Some("per") => tokens.next().as_deref() == Some("cent"),
        _ => false,
    }
}

/// Returns the unit of a figure; its own signs take precedence over the stated unit.
pub(super) fn of_figure(read: &Figure, written: &str) -> String {
    let beside = Unit::of(written);
    match read.kind {
        Kind::Percent => "%".to_owned(),
        Kind::Plain if is_percent(written) => "%".to_owned(),
        Kind::Plain => written.to_owned(),
        Kind::Money(code) => {
            let behind = Unit::of(&format!("{code} {}", read.rest)).below();
            let below = if behind.is_empty() { beside.below() } else { behind };
            format!("{code}{below}")
        }
    }
}

/// Codes are the only parts in upper case.
fn is_currency(key: &str) -> bool {
    key.len() == 3 && key.bytes().all(|byte| byte.is_ascii_uppercase())
}

/// A unit being read, part by part.
#[derive(Default)]
struct Reader {
    unit: Unit,
    /// The words of the current part.
    words: Vec<String>,
    is_share: bool,
    is_below: bool,
    /// Whether a parenthesis in the denominator is open.
    is_group: bool,
}

impl Reader {
    fn line(&mut self) {
        self.part();
        self.is_below = true;
    }

    fn times(&mut self) {
        self.part();
        self.is_below &= self.is_group;
    }

    /// Ends the current part.
    fn part(&mut self) {
        let words = std::mem::take(&mut self.words);
        if std::mem::take(&mut self.is_share) {
            return;
        }
        let power = if self.is_below { -1 } else { 1 };
        let whole = words.join(" ").to_lowercase();
        let of_word = |word: &String| figures::currency(&word.to_lowercase());
        let codes: BTreeSet<&str> = match figures::currency(&whole) {
            Some(code) => [code].into(),
            None => words.iter().filter_map(of_word).collect(),
        };
        for code in &codes {
            self.unit.put(code, code, power);
        }
        if figures::currency(&whole).is_some() {
            return;
        }
        let counts = |word: &&String| {
            let lower = word.to_lowercase();
            let of_currency = of_word(word).is_some() || (lower == "us" && !codes.is_empty());
            !of_currency && lower != "1" && !is_stop_word(&lower, Language::English)
        };
        let words: Vec<&String> = words.iter().filter(counts).collect();
        // "number of lawyers"
        let is_count = |word: &&&String| matches!(word.to_lowercase().as_str(), "number" | "count");
        let words: Vec<&str> =
            words.iter().skip_while(is_count).map(|word| word.as_str()).collect();
        let key = words.iter().map(|word| singular(word)).collect::<Vec<_>>().join(" ");
        if !key.is_empty() && !NO_UNIT.contains(&key.as_str()) {
            self.unit.put(&key, &words.join(" "), power);
        }
    }
}

/// Splits a unit into its words and signs.
fn tokenize(written: &str) -> Vec<String> {
    let cleaned = run::ledger::one_line(&run::grounding::clean(written));
    let mut tokens: Vec<String> = Vec::new();
    let mut word = String::new();
    for c in cleaned.chars().chain([' ']) {
        if c.is_alphanumeric() || matches!(c, '$' | '€' | '£' | '¥' | '₹') {
            word.push(c);
            continue;
        }
        if !word.is_empty() {
            tokens.push(std::mem::take(&mut word));
        }
        if matches!(c, '/' | '÷' | '*' | '×' | '·' | '(' | ')' | '%') {
            tokens.push(c.into());
        }
    }
    tokens
}

/// Returns the singular of a noun in lower case: the same for singular and plural, though not always a real word.
fn singular(word: &str) -> String {
    let word = word.to_lowercase();
    match word.as_str() {
        "people" | "persons" => return "person".into(),
        "men" => return "man".into(),
        "women" => return "woman".into(),
        "children" => return "child".into(),
        "yr" | "yrs" | "annum" => return YEAR.into(),
        "mo" | "mos" => return "month".into(),
        _ => {}
    }
    let long = word.chars().nth(2).is_some();
    let stays = ["ss", "us", "is"].iter().any(|end| word.ends_with(end));
    let one = if long && !stays { word.strip_suffix('s').unwrap_or(&word) } else { &word };
    if let Some(stem) = one.strip_suffix("ie").filter(|stem| !stem.is_empty()) {
        return format!("{stem}y");
    }
    // "boxes", "matches", "houses", "heroes".
    match one.strip_suffix('e') {
        Some(stem) if ["x", "ch", "sh", "s", "z", "o"].iter().any(|end| stem.ends_with(end)) => {
            stem.to_owned()
        }
        _ => one.to_owned(),
    }
}

#[cfg(test)]
mod tests;
