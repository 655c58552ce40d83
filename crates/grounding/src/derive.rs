//! Derived numbers: a reader names the expression, and the program evaluates it.
//!
//! "About seven times faster" rests on "94 / 13" if both numbers occur in what is cited. Numbers, units and times of day may be added,
//! subtracted, multiplied and divided. Things that occur there word for word may be counted: `count("lentils", "beans")`. The difference
//! of two percentages is in percentage points, and a percentage of a percentage is neither. A number may be used as often as it occurs
//! there, not counting its uses as a divisor: 5 cells are not 5 + 5. Numbers from the question are marked: `asked(12) + 2`.
//!
//! ```
//! use grounding::check::{Context, Gazetteer};
//! use grounding::derive::{Derivation, Relation, evaluate};
//! use grounding::statement::Source;
//!
//! let source = Source::of("The nightly run fell from 94 to 13 minutes.");
//! let ground = source.ground(0, 0).unwrap();
//! let context = Context { grounds: &[ground], question: "", gazetteer: &Gazetteer::default() };
//! let seven = Derivation {
//!     number: "seven times".into(),
//!     expression: "94 / 13".into(),
//!     relation: Relation::About,
//! };
//! let claim = "The nightly run is about seven times faster now.";
//! assert!(evaluate(&seven, claim, &context).is_ok());
//! assert!(evaluate(&Derivation { expression: "94 / 12".into(), ..seven.clone() }, claim, &context).is_err());
//! assert!(evaluate(&Derivation { number: "nine times".into(), ..seven }, claim, &context).is_err());
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::{Context, Fault, Held, fold_text};
use crate::quantity::{self, Bound, Number, Quantity, Reading, is_rounding};

/// A number of a claim and how it comes about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Derivation {
    /// The number as the claim has it.
    pub number: String,
    /// Arithmetic over numbers that stand in the statements, such as `94 / 13`, `08:45 - 08:00`, `(39 - 22) / 22 * 100`, or a count of
    /// things that they name, such as `count("lentils", "beans")`. A number that the asker gave is `asked(12)`.
    pub expression: String,
    /// How the claim's number stands to what the expression comes to.
    pub relation: Relation,
}

impl Derivation {
    /// Returns whether it takes a number from the question instead of from what is cited.
    pub fn takes_from_question(&self) -> bool {
        fold_text(&self.expression).contains(ASKED)
    }
}

/// How a claim's number stands to the result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// It is the result, or the result rounded to the digits that the claim gives.
    #[default]
    Equal,
    /// The claim says that it is roughly the result.
    About,
    /// The claim says that the result is more than this.
    MoreThan,
    /// The claim says that the result is less than this.
    LessThan,
}

/// The value of an expression.
#[derive(Debug, Clone, PartialEq)]
struct Value {
    /// The value in the base unit of its dimension.
    base: f64,
    /// The value in the unit in which the numbers are written, if they share one.
    written: f64,
    /// Empty if there is none; `ratio` of two like values, `clock` for a time of day, `count` for counted things.
    dimension: String,
    /// The number of terms added up, by which a mean may be divided.
    terms: u32,
    /// Whether it comes from multiplying or dividing one cited number by another.
    is_scaled: bool,
    /// Whether it consists only of constants of measurement.
    is_constant: bool,
    /// Whether it was multiplied or divided by such a constant.
    is_converted: bool,
}

/// Evaluates an expression over what a claim cites, and compares the claim's number with the result.
///
/// If the number is a count of a figure, the claim must say that it is a bound: "all 650 rated it" does not match 635.
pub fn evaluate(derivation: &Derivation, claim: &str, context: &Context<'_>) -> Result<(), Fault> {
    let Derivation { number, expression, relation } = derivation;
    let wrong = |result: String| Fault::WrongArithmetic {
        number: number.clone(),
        expression: expression.clone(),
        result,
    };
    let held = Held::of(context);
    let text = fold_text(expression);
    let mut parser = Parser {
        text: &text,
        at: 0,
        held: &held,
        depth: 0,
        divides: false,
        used: vec![],
        has_ground: false,
    };
    let value = parser.sum().map_err(&wrong)?;
    if !parser.rest().is_empty() {
        return Err(wrong(format!("\"{}\" is not readable as a calculation", parser.rest())));
    }
    if !parser.has_ground {
        return Err(wrong("none of its numbers is in what is cited".into()));
    }
    let Some(claimed) = parse_claimed(number, claim) else {
        return Err(wrong("the number in the claim is not readable".into()));
    };
    // The number of people asked is an exact count, and a writer has no reason to round it silently. For anything else, there are more
    // ways to express a bound than any list can hold: "north of 300 million", "failed to reach half".
    let is_counted = context.grounds.iter().any(|ground| !ground.figures.is_empty())
        && claimed.readings.iter().any(Reading::is_plain);
    let bounds = bounds_of(number, claim);
    let is_said = !is_counted || bounds.iter().any(|bound| relation.is_said(bound));
    let relation = if is_said { *relation } else { Relation::Equal };
    let is_close = !bounds.is_empty() && bounds.iter().all(|bound| bound.is_close);
    let furthest = if is_close { CLOSEST } else { FURTHEST };
    if claimed.readings.iter().any(|reading| value.stands(reading, relation, furthest)) {
        Ok(())
    } else if is_said {
        Err(wrong(value.shown()))
    } else {
        Err(wrong(format!("{}, and the claim does not say that it is a bound", value.shown())))
    }
}

/// The largest factor between a bound and the result: "more than" a number is not many times more.
const FURTHEST: f64 = 2.0;
/// The same factor for "nearly" and "just over", which are as close as a rounding.
const CLOSEST: f64 = 1.1;

/// Reads a claim's number in context, since the number alone does not show the language of its words.
fn parse_claimed(number: &str, claim: &str) -> Option<Quantity> {
    let (claim, number) = (fold_text(claim), fold_text(number));
    let is_it =
        |one: &Quantity| claim.get(one.at.clone()).is_some_and(|it| it.trim() == number.trim());
    let alone = || <[Quantity; 1]>::try_from(quantity::scan(&number)).ok().map(|[alone]| alone);
    quantity::scan(&claim).into_iter().find(is_it).or_else(alone)
}

/// Returns the bounds that the claim's words express, one for each occurrence of its number.
fn bounds_of(number: &str, claim: &str) -> Vec<Bound> {
    let (claim, number) = (fold_text(claim).to_lowercase(), fold_text(number).to_lowercase());
    let number = number.trim();
    let places = claim.match_indices(number).map(|(at, _)| at..at + number.len());
    places.map(|at| quantity::bound(&claim, &at)).collect()
}

impl Relation {
    /// Returns whether the words beside a number may express this relation.
    fn is_said(self, bound: &Bound) -> bool {
        match self {
            Relation::Equal | Relation::About => true,
            Relation::MoreThan => bound.is_more,
            Relation::LessThan => bound.is_less,
        }
    }
}

impl Value {
    /// Creates a value before any operation.
    fn new(base: f64, written: f64, dimension: &str) -> Value {
        let (terms, dimension) = (1, dimension.to_owned());
        let (is_scaled, is_constant, is_converted) = (false, false, false);
        Value { base, written, dimension, terms, is_scaled, is_constant, is_converted }
    }

    fn of(reading: &Reading) -> Option<Value> {
        match reading {
            Reading::Number(Number { value, unit, .. }) => {
                let (factor, dimension) =
                    unit.as_ref().map_or((1.0, ""), |unit| (unit.factor, &*unit.dimension));
                Some(Value::new(value * factor, *value, dimension))
            }
            Reading::Clock { minutes, .. } => {
                let minutes = f64::from(*minutes);
                Some(Value::new(minutes * 60.0, minutes, "clock"))
            }
            Reading::Date(date) => {
                let year = f64::from(date.year.filter(|_| date.month.is_none())?);
                Some(Value::new(year, year, ""))
            }
        }
    }

    /// Turns a count into a plain number for arithmetic. A count on its own counts things, not minutes or percent.
    fn uncounted(self) -> Value {
        if self.dimension == "count" { Value { dimension: String::new(), ..self } } else { self }
    }

    fn shown(&self) -> String {
        let rounded = |value: f64| (value * 1e4).round() / 1e4;
        match &*self.dimension {
            "" | "ratio" | "count" => rounded(self.base).to_string(),
            "share" => format!("{} %", rounded(self.base * 100.0)),
            "points" => format!("{} percentage points", rounded(self.base)),
            "time" => format!("{} s", rounded(self.base)),
            "clock" => format!(
                "{:02}:{:02}",
                (self.base / 3600.0).floor(),
                (self.base / 60.0 % 60.0).floor()
            ),
            dimension => format!("{} ({dimension})", rounded(self.written)),
        }
    }

    /// Returns whether a claim's number has this relation to the result.
    fn stands(&self, claimed: &Reading, relation: Relation, furthest: f64) -> bool {
        match claimed {
            Reading::Clock { minutes, .. } => {
                self.dimension == "clock" && (self.base / 60.0 - f64::from(*minutes)).abs() < 0.5
            }
            Reading::Date(date) => {
                let year = date.year.filter(|_| date.month.is_none());
                year.is_some_and(|year| (self.base - f64::from(year)).abs() < 1e-6)
            }
            Reading::Number(number) => {
                self.candidates(number).into_iter().any(|(value, result)| {
                    let step = number.step * (value / number.value).abs();
                    let step = if step.is_finite() { step } else { number.step };
                    let step = if number.is_share { 0.05 } else { step };
                    let in_unit = result * (number.value / value).abs();
                    let is_bound =
                        number.is_share || is_round_bound(number.value, in_unit, relation);
                    is_bound && relates(value, step, result, relation, furthest)
                })
            }
        }
    }

    /// Returns the claim's number and the result, in every measure that they share.
    fn candidates(&self, number: &Number) -> Vec<(f64, f64)> {
        let plain = matches!(&*self.dimension, "" | "ratio");
        let Some(unit) = &number.unit else {
            // "Rose by 0.4" may mean hours without naming them again; a difference of percentages would be in points.
            return vec![(number.value, self.written)];
        };
        let value = number.value * unit.factor;
        match &*unit.dimension {
            dimension if dimension == self.dimension => vec![(value, self.base)],
            // A ratio is a percentage, and so is a ratio multiplied by 100.
            "share" if plain => match (self.is_scaled, self.is_converted) {
                (_, false) => vec![(value, self.base)],
                (true, true) => vec![(value, self.base), (number.value, self.base)],
                // Dividing by 100 alone does not make a share.
                (false, true) => vec![],
            },
            "times" if plain => vec![(number.value, self.base)],
            "points" if plain => vec![(number.value, self.written)],
            "degrees" if matches!(&*self.dimension, "temperature" | "fahrenheit") => {
                vec![(number.value, self.written)]
            }
            // Numbers without units, from a table whose head does not name them.
            _ if self.dimension.is_empty() => vec![(number.value, self.written)],
            _ => vec![],
        }
    }
}

/// Returns whether a number is a plausible bound of a result: the nearest rounder number, in steps of 1, 2.5 or 5 of any of its places.
/// "More than 3 million" fits 3.4 million, and "less than 100" fits 67; 16.4 is no bound of 18.4.
fn is_round_bound(claimed: f64, result: f64, relation: Relation) -> bool {
    const PLACES: i32 = 6;
    const STEPS: [f64; 3] = [1.0, 2.5, 5.0];
    let (claimed, result) = (claimed.abs(), result.abs());
    let rounded = |step: f64| match relation {
        Relation::MoreThan => Some((result / step).floor() * step),
        Relation::LessThan => Some((result / step).ceil() * step),
        Relation::Equal | Relation::About => None,
    };
    let magnitude = if claimed > 0.0 { claimed.log10().floor() } else { 0.0 };
    (0..=PLACES).any(|place| {
        let place = 10_f64.powf(magnitude - f64::from(place));
        STEPS.iter().any(|step| {
            rounded(step * place).is_none_or(|bound| (bound - claimed).abs() <= NOISE * claimed)
        })
    })
}

/// The tolerance for floating-point errors, as a share of the value.
const NOISE: f64 = 1e-9;

/// Returns whether `claimed`, which is precise to the `step`, has this relation to the `result`.
fn relates(claimed: f64, step: f64, result: f64, relation: Relation, furthest: f64) -> bool {
    let (claimed, result) =
        if claimed >= 0.0 { (claimed, result.abs()) } else { (claimed, result) };
    let apart = (claimed - result).abs();
    let is_same =
        apart <= NOISE * claimed.abs().max(result.abs()) || apart <= step * 0.5 * (1.0 + NOISE);
    match relation {
        Relation::Equal => is_same,
        Relation::About => is_same || is_rounding(claimed, step, result),
        Relation::MoreThan => result > claimed && result <= claimed.abs() * furthest,
        Relation::LessThan => result < claimed && result * furthest >= claimed,
    }
}

/// Constants of measurement, which an expression may use though the sources do not contain them.
const CONSTANTS: [f64; 13] =
    [1.0, 7.0, 12.0, 24.0, 52.0, 60.0, 100.0, 365.0, 1000.0, 1024.0, 3600.0, 1e6, 1e9];

/// The prefix of a number from the question.
const ASKED: &str = "asked(";

struct Parser<'a> {
    text: &'a str,
    at: usize,
    held: &'a Held,
    depth: u32,
    /// Whether the next number is part of a divisor.
    divides: bool,
    /// The numbers read so far, without divisors, each with whether it came from the question.
    used: Vec<(bool, Reading)>,
    /// Whether any number so far is cited or from the question: constants of measurement alone prove nothing.
    has_ground: bool,
}

type Parsed = Result<Value, String>;

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default().trim_start()
    }

    fn take(&mut self, signs: &[char]) -> Option<char> {
        let sign = self.rest().chars().next().filter(|sign| signs.contains(sign))?;
        self.at = self.text.len() - self.rest().len() + sign.len_utf8();
        Some(sign)
    }

    fn sum(&mut self) -> Parsed {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&['+', '-']) {
            let other = self.product()?;
            value = add(&value.uncounted(), &other.uncounted(), sign == '-')?;
        }
        Ok(value)
    }

    fn product(&mut self) -> Parsed {
        let mut value = self.factor()?;
        while let Some(sign) = self.take(&['*', '/', '×', '·', '÷']) {
            let is_division = matches!(sign, '/' | '÷');
            let outer = self.divides;
            self.divides |= is_division;
            let (one, other) = (value.uncounted(), self.factor()?.uncounted());
            self.divides = outer;
            value = if is_division { divide(&one, &other)? } else { multiply(&one, &other)? };
        }
        Ok(value)
    }

    fn factor(&mut self) -> Parsed {
        const DEEPEST: u32 = 16;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err("the expression is nested too deeply".into());
        }
        let value = if self.take(&['(']).is_some() {
            let value = self.sum()?;
            self.take(&[')']).ok_or("a bracket is not closed")?;
            Ok(value)
        } else if self.rest().starts_with("count(") {
            self.count()
        } else if self.rest().starts_with(ASKED) {
            self.asked()
        } else if self.take(&['-']).is_some() {
            let value = self.factor()?;
            Ok(Value { base: -value.base, written: -value.written, ..value })
        } else {
            self.operand()
        };
        self.depth -= 1;
        value
    }

    /// Reads a number, which must occur in what is cited.
    fn operand(&mut self) -> Parsed {
        let rest = self.rest();
        let start = self.text.len() - rest.len();
        // A slash or dash before another number ends this operand.
        let cut = rest
            .char_indices()
            .skip(1)
            .find(|(at, sign)| {
                matches!(sign, '*' | '×' | '÷' | '+' | '(' | ')')
                    || matches!(sign, '/' | '-')
                        && rest.get(at + 1..).is_some_and(|after| {
                            after
                                .trim_start()
                                .starts_with(|c: char| c.is_ascii_digit() || "($€£".contains(c))
                        })
            })
            .map_or(rest.len(), |(at, _)| at);
        let written = rest.get(..cut).unwrap_or_default();
        let readings = parse_readings(written)?;
        // A small number may only be the divisor of a sum of that many terms.
        let divisor = readings.iter().filter_map(Value::of).find_map(|value| {
            let is_constant = CONSTANTS.contains(&value.base);
            let is_small = value.base.fract() == 0.0 && (2.0..10.0).contains(&value.base);
            let may_be = value.dimension.is_empty() && (is_constant || is_small);
            may_be.then(|| Value { terms: u32::from(is_constant), is_constant: true, ..value })
        });
        let value = match self.look_up(&readings, false, written)? {
            Some(value) => Some(value),
            None if self.divides && divisor.is_some() => divisor,
            None => self.with_magnitude(&readings, written)?.or(divisor),
        };
        let value =
            value.ok_or_else(|| format!("\"{}\" is not in what is cited", written.trim()))?;
        self.at = start + cut;
        Ok(value)
    }

    /// Looks up a number whose magnitude the expression leaves out: 21 of "$21 million" is 21,000,000.
    fn with_magnitude(
        &mut self,
        readings: &[Reading],
        written: &str,
    ) -> Result<Option<Value>, String> {
        const MAGNITUDES: [f64; 4] = [1e3, 1e6, 1e9, 1e12];
        for magnitude in MAGNITUDES {
            let scaled = readings.iter().filter_map(|reading| match reading {
                Reading::Number(number) => Some(Reading::Number(Number {
                    value: number.value * magnitude,
                    step: number.step * magnitude,
                    ..number.clone()
                })),
                _ => None,
            });
            if let Some(value) = self.look_up(&scaled.collect::<Vec<_>>(), false, written)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// Reads a number from the question.
    fn asked(&mut self) -> Parsed {
        let rest = self.rest();
        let start = self.text.len() - rest.len() + ASKED.len();
        let inside = rest.get(ASKED.len()..).unwrap_or_default();
        let (written, _) = inside.split_once(')').ok_or("asked(…) is not closed")?;
        let readings = parse_readings(written)?;
        let value = self
            .look_up(&readings, true, written)?
            .ok_or_else(|| format!("\"{}\" is not in the question", written.trim()))?;
        self.at = start + written.len() + 1;
        Ok(value)
    }

    /// Looks up a number, with its unit, in what is cited or in the question; returns `None` if it does not occur there.
    fn look_up(
        &mut self,
        readings: &[Reading],
        is_asked: bool,
        written: &str,
    ) -> Result<Option<Value>, String> {
        let known = if is_asked { &self.held.asked } else { &self.held.operands };
        let Some(found) = readings.iter().find_map(|reading| known.find(reading)) else {
            return Ok(None);
        };
        self.has_ground = true;
        if !self.divides {
            let is_same = |(asked, one): &&(bool, Reading)| *asked == is_asked && one == found;
            let used = self.used.iter().filter(is_same).count();
            let count = if is_asked { known.count(found) } else { self.held.count(found) };
            if used >= count {
                return Err(format!(
                    "\"{}\" is used more often than it occurs there",
                    written.trim()
                ));
            }
            self.used.push((is_asked, found.clone()));
        }
        Ok(Value::of(found))
    }

    /// Counts things that occur in what is cited.
    fn count(&mut self) -> Parsed {
        let rest = self.rest();
        let inside = rest.get("count(".len()..).unwrap_or_default();
        let mut items: Vec<String> = Vec::new();
        let mut quoted = inside.split('"');
        let mut used = 0;
        while let Some(gap) = quoted.next() {
            used += gap.len();
            if gap.trim_start_matches([',', ';', ' ']).starts_with(')') {
                let close = gap.find(')').unwrap_or_default();
                let end = "count(".len() + used - gap.len() + close + 1;
                self.at = self.text.len() - rest.len() + end;
                let value = items.len() as f64;
                self.has_ground |= !items.is_empty();
                return Ok(Value::new(value, value, "count"));
            }
            let item = quoted.next().ok_or("a quotation mark is not closed")?;
            used += item.len() + 2;
            let item = item.trim().to_lowercase();
            if !self.held.says(&item) {
                return Err(format!("\"{item}\" is not in what is cited"));
            }
            if items.contains(&item) {
                return Err(format!("\"{item}\" is counted twice"));
            }
            items.push(item);
        }
        Err("count(…) is not closed".into())
    }
}

/// Reads exactly one number.
fn parse_readings(written: &str) -> Result<Vec<Reading>, String> {
    let found = quantity::scan(written);
    let [Quantity { at, readings, .. }] = found.as_slice() else {
        return Err(format!("\"{}\" is not one number", written.trim()));
    };
    // The counted noun may follow: "6,820 people".
    let is_noun =
        |after: &str| !after.contains(|c: char| !c.is_alphabetic() && c != ' ' && c != '\'');
    if at.start > 0 || !written.get(at.end..).is_some_and(is_noun) {
        return Err(format!("\"{}\" is not a number", written.trim()));
    }
    Ok(readings.clone())
}

fn add(one: &Value, other: &Value, is_minus: bool) -> Parsed {
    stands(one)?;
    stands(other)?;
    let sign = if is_minus { -1.0 } else { 1.0 };
    let (base, written) = (one.base + sign * other.base, one.written + sign * other.written);
    let terms = one.terms + other.terms;
    let is_scaled = one.is_scaled || other.is_scaled;
    let is_constant = one.is_constant && other.is_constant;
    let is_converted = one.is_converted || other.is_converted;
    let of = |dimension: &str, base: f64| {
        Ok(Value {
            base,
            written,
            dimension: dimension.to_owned(),
            terms,
            is_scaled,
            is_constant,
            is_converted,
        })
    };
    match (&*one.dimension, &*other.dimension) {
        ("share", "share") if is_minus => of("points", base * 100.0),
        ("clock", "clock") if is_minus => of("time", base),
        ("clock", "clock") => Err("two times of day cannot be added".into()),
        ("clock", "time") => of("clock", base),
        (a, b) if a == b => of(a, base),
        // A number may lack its unit, as in tables and ranges.
        ("", b) => of(b, one.written * unit_of(other) + sign * other.base),
        (a, "") => of(a, one.base + sign * other.written * unit_of(one)),
        (a, b) => Err(format!("{a} and {b} cannot be added or subtracted")),
    }
}

/// Returns how many base units one of its units has.
fn unit_of(value: &Value) -> f64 {
    if value.written == 0.0 { 1.0 } else { value.base / value.written }
}

fn multiply(one: &Value, other: &Value) -> Parsed {
    stands(one)?;
    stands(other)?;
    let plain = |value: &Value| matches!(&*value.dimension, "" | "ratio" | "share" | "times");
    let dimension = match (plain(one), plain(other)) {
        (true, true) if one.dimension == "ratio" || other.dimension == "ratio" => {
            "ratio".to_owned()
        }
        (true, true) => String::new(),
        (true, false) => other.dimension.clone(),
        (false, true) => one.dimension.clone(),
        (false, false) => format!("{}·{}", one.dimension, other.dimension),
    };
    let share = |value: &Value| if value.dimension == "share" { value.base } else { value.written };
    let (base, written) = (one.base * other.base, share(one) * share(other));
    Ok(Value { base, written, dimension, terms: 1, ..scaled(one, other) })
}

/// Returns the properties of a product or quotient of two values, except its value.
fn scaled(one: &Value, other: &Value) -> Value {
    let are_both_there = !one.is_constant && !other.is_constant;
    Value {
        is_scaled: are_both_there || one.is_scaled || other.is_scaled,
        is_constant: one.is_constant && other.is_constant,
        is_converted: !are_both_there || one.is_converted || other.is_converted,
        ..one.clone()
    }
}

/// Rejects a number that does not occur in what is cited.
fn stands(value: &Value) -> Result<(), String> {
    if value.terms > 0 {
        Ok(())
    } else {
        Err(format!("\"{}\" is not in what is cited", value.base))
    }
}

fn divide(one: &Value, other: &Value) -> Parsed {
    if other.base == 0.0 {
        return Err("a division by zero".into());
    }
    if one == other {
        return Err("a number divided by itself says nothing".into());
    }
    // A number that is not cited may only divide a sum of that many terms.
    stands(one)?;
    if f64::from(one.terms) != other.base {
        stands(other)?;
    }
    let dimension = match (&*one.dimension, &*other.dimension) {
        ("points", "share" | "points") => "ratio".to_owned(),
        (a, b) if a == b => "ratio".to_owned(),
        (a, "" | "ratio" | "times") => a.to_owned(),
        // The first takes its unit from the second: "1.2 million marks, of which 0.9 million".
        ("", _) => "ratio".to_owned(),
        (a, b) => format!("{a}/{b}"),
    };
    let base = match (&*one.dimension, &*other.dimension) {
        // 17 points of 22 %.
        ("points", "share") => one.base / (other.base * 100.0),
        ("", _) => one.written / other.written,
        _ => one.base / other.base,
    };
    let written = if dimension == "ratio" { base } else { one.written / other.written };
    Ok(Value { base, written, dimension, terms: 1, ..scaled(one, other) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Gazetteer, Ground};
    use crate::statement::Source;
    use proptest::prelude::*;

    fn derive(
        source: &str,
        number: &str,
        expression: &str,
        relation: Relation,
    ) -> Result<(), Fault> {
        derive_asked("", source, number, expression, relation)
    }

    fn derive_asked(
        question: &str,
        source: &str,
        number: &str,
        expression: &str,
        relation: Relation,
    ) -> Result<(), Fault> {
        let source = Source::of(source);
        let ground = source.ground(0, source.statements.len() - 1).unwrap();
        let context = Context { grounds: &[ground], question, gazetteer: &Gazetteer::default() };
        let derivation =
            Derivation { number: number.into(), expression: expression.into(), relation };
        let claim = match relation {
            Relation::Equal | Relation::About => number.to_owned(),
            Relation::MoreThan => format!("It is more than {number}."),
            Relation::LessThan => format!("It is less than {number}."),
        };
        evaluate(&derivation, &claim, &context)
    }

    // proves: B6, C4
    #[test]
    fn a_bound_of_a_count_is_one_that_the_claim_tells() {
        use Relation::{LessThan, MoreThan};
        let source = Source::of("In W2, 635 were asked, of whom 53.1 % were satisfied.");
        let mut ground = source.ground(0, 0).unwrap();
        for value in ["635", "53.1 %"] {
            let (value, base) = (value.to_owned(), String::new());
            ground.figures.push(crate::check::Figure { value, base, labels: vec![] });
        }
        let plain = source.ground(0, 0).unwrap();
        let all = "All 650 passengers interviewed this spring rated their overall satisfaction.";
        for (claim, number, expression, relation, is_said) in [
            (all, "650", "635", LessThan, false),
            ("Fewer than 650 of the passengers rated it.", "650", "635", LessThan, true),
            ("Of the passengers, 650 at most have rated it.", "650", "635", LessThan, true),
            ("Nearly 650 of the passengers rated it.", "650", "635", LessThan, true),
            ("More than 650 of the passengers rated it.", "650", "635", LessThan, false),
            ("Fewer than 600 of the passengers rated it.", "600", "635", MoreThan, false),
            ("The passengers who rated it were 600 or more.", "600", "635", MoreThan, true),
            ("No fewer than 600 of the passengers rated it.", "600", "635", MoreThan, true),
            ("We have heard from 600+ of the passengers.", "600+", "635", MoreThan, true),
            ("Es haben mindestens 600 der Fahrgäste geantwortet.", "600", "635", MoreThan, true),
            ("Es haben 600 der Fahrgäste darauf geantwortet.", "600", "635", MoreThan, false),
            ("Plus de 600 passagers ont répondu à la question.", "600", "635", MoreThan, true),
            // Words of a language that is not supported.
            ("Yli 600 matkustajaa vastasi.", "600", "635", MoreThan, true),
            // There are more ways to say it of a share than any list can hold.
            (
                "The buses satisfy somewhere north of 50 % of them.",
                "50 %",
                "53.1 %",
                MoreThan,
                true,
            ),
        ] {
            let (number, expression) = (number.to_owned(), expression.to_owned());
            let derivation = Derivation { number, expression, relation };
            let gazetteer = Gazetteer::default();
            let of = |ground: &Ground| {
                let grounds = std::slice::from_ref(ground);
                let context = Context { grounds, question: "", gazetteer: &gazetteer };
                evaluate(&derivation, claim, &context)
            };
            assert_eq!(of(&ground).is_ok(), is_said, "{claim}: {:?}", of(&ground));
            assert_eq!(of(&plain), Ok(()), "{claim}");
        }
    }

    // proves: C4
    #[test]
    fn what_is_nearly_a_number_is_near_it() {
        let of = |claim: &str, expression: &str| {
            let source = Source::of("Of 990 who ride and 1200 who drive 635 were asked.");
            let ground = source.ground(0, 0).unwrap();
            let (number, expression) = ("two thirds".to_owned(), expression.to_owned());
            let derivation = Derivation { number, expression, relation: Relation::LessThan };
            let gazetteer = Gazetteer::default();
            let context = Context { grounds: &[ground], question: "", gazetteer: &gazetteer };
            evaluate(&derivation, claim, &context).is_ok()
        };
        assert!(of("Nearly two thirds of those who ride were asked.", "635 / 990"));
        assert!(!of("Nearly two thirds of those who drive were asked.", "635 / 1200"));
        assert!(!of("Roughly two thirds of those who drive were asked.", "635 / 1200"));
        assert!(of("Those who drive and were asked fell well short of two thirds.", "635 / 1200"));
        assert!(of("Less than two thirds of those who drive were asked.", "635 / 1200"));
    }

    // proves: C4, C20
    #[test]
    fn of_computed_figures_only_their_values_are_calculated_with() {
        let source = Source::of(
            "635 people rated it, of 990 and of 1200 who ride, and 1.04 million tickets were sold.",
        );
        let mut ground = source.ground(0, 0).unwrap();
        for value in ["19.3 %", "43.0 %"] {
            let (value, base) = (value.to_owned(), "205".to_owned());
            ground.figures.push(crate::check::Figure { value, base, labels: vec![] });
        }
        let grounds = [ground];
        let context = Context { grounds: &grounds, question: "", gazetteer: &Gazetteer::default() };
        let derive = |number: &str, expression: &str| {
            let (number, expression) = (number.to_owned(), expression.to_owned());
            let derivation = Derivation { number, expression, relation: Relation::Equal };
            evaluate(&derivation, "", &context)
        };
        assert_eq!(derive("23.7 points", "43.0 % - 19.3 %"), Ok(()));
        assert!(derive("37", "55 - 18").is_err());
        assert!(derive("78 points", "43.0 + 18 + 34 - 17").is_err());
    }

    // proves: C4
    #[test]
    fn a_number_becomes_a_percentage_only_where_something_was_divided() {
        let source = "They spend 22.23 on the islands and 29.81 in the centre.";
        let check = |number: &str, expression: &str| {
            derive(source, number, expression, Relation::Equal).is_ok()
        };
        assert!(!check("7.58 %", "29.81 - 22.23") && !check("22.23 %", "22.23"));
        assert!(!check("7.58 %", "(29.81 - 22.23) / 100"));
        assert!(check("25 %", "(29.81 - 22.23) / 29.81") && check("7.58", "29.81 - 22.23"));
    }

    // proves: C4, C20
    #[test]
    fn what_is_worked_out_from_what_stands_there_holds() {
        use Relation::{About, Equal, LessThan, MoreThan};
        for (source, number, expression, relation) in [
            ("from 94 to 13 minutes", "seven times", "94 / 13", About),
            (
                "from 18 mΩ to 47 mΩ in E1, from 19 mΩ to 26 mΩ in E2",
                "7 milliohms",
                "26 mΩ - 19 mΩ",
                Equal,
            ),
            ("from 18 mΩ to 47 mΩ", "twofold", "47/18", MoreThan),
            ("€186,000, of which €64,000 was lost", "a third", "64,000 / 186,000", About),
            ("from 08:00 to 08:45", "three quarters of an hour", "08:45 - 08:00", Equal),
            ("from 25 to 40 minutes", "a quarter of an hour", "40 minutes - 25 minutes", Equal),
            ("from 25 to 40 minutes", "15 minutes", "40 - 25", Equal),
            ("alarm at 05:43, closed at 05:48", "five minutes", "05:48 - 05:43", Equal),
            (
                "1.2 million marks, of which 0.9 million",
                "three quarters",
                "0.9 million / 1.2 million",
                Equal,
            ),
            ("worth $21 million, of $310 million spent", "7 %", "21 / 310 * 100", About),
            ("$4.5 billion, up from $1.5 billion", "threefold", "4.5 / 1.5", Equal),
            ("$4.5 billion, up from $1.5 billion", "$3 billion", "4.5 - 1.5", Equal),
            ("39 % on 40 mg and 22 % on placebo", "17 percentage points", "39 % - 22 %", Equal),
            ("39 % on 40 mg and 22 % on placebo", "77 %", "(39 % - 22 %) / 22 %", Equal),
            ("39 % on 40 mg and 22 % on placebo", "77 per cent", "(39 - 22) / 22 * 100", Equal),
            ("nine years; after five", "four years", "9 - 5", Equal),
            ("one minute per 100,000 documents", "ten minutes", "1,000,000 / 100,000", Equal),
            ("lentils, beans and soya", "three", "count(\"lentils\", \"beans\", \"soya\")", Equal),
            ("2 cells, 4 cells and 9 cells", "5", "(2 + 4 + 9) / 3", Equal),
            ("of 438 people 391 stayed", "89 %", "391 / 438", Equal),
            ("of 438 people 391 stayed", "90 %", "391 / 438", LessThan),
            ("it cost £3.4 million", "£3 million", "£3.4 million", MoreThan),
            ("from 1961 to 1990", "thirty years", "1990 - 1961 + 1", Equal),
            ("5 cells here and 5 cells there", "ten", "5 + 5", Equal),
            ("it took 67 ms", "100 ms", "67 ms", LessThan),
            ("it took 17 days", "two weeks", "17 days", MoreThan),
            ("it took 17 minutes", "a quarter of an hour", "17 minutes", MoreThan),
            ("it took 45 minutes", "an hour", "45 minutes", LessThan),
            ("14 of them", "ten", "14", MoreThan),
            ("388 people", "400 people", "388", LessThan),
            ("388 people and 104 others", "500 people", "388 + 104", LessThan),
        ] {
            let derived = derive(source, number, expression, relation);
            // A million documents is the writer's own assumption.
            let holds = expression != "1,000,000 / 100,000";
            assert_eq!(
                derived.is_ok(),
                holds,
                "{number} = {expression} of {source:?}: {derived:?}"
            );
        }
    }

    // proves: C4, C20
    #[test]
    fn what_does_not_come_to_the_number_or_is_made_up_does_not() {
        use Relation::{About, Equal, LessThan, MoreThan};
        for (source, number, expression, relation) in [
            // No one says "less than 9100" of 6700 or 6750.
            ("a default of 6700", "9100", "6700", LessThan),
            ("a default of 6750", "9100", "6750", LessThan),
            ("a default of 6700", "9100", "6700 * 6700 / 6700", LessThan),
            ("a default of 6700", "9100", "6700 + 6700 - 6700", LessThan),
            ("a default of 6700", "6100", "6700", MoreThan),
            ("a default of 6700 and 50 more", "9100", "6700 + 50", LessThan),
            // Constants of measurement only.
            ("5 cells", "24", "24", Equal),
            ("5 cells", "1440", "24 * 60", Equal),
            ("5 cells", "24", "5 / 5 * 24", Equal),
            // A magnitude that is left out still counts.
            ("worth $21 million for 12 firms", "1.75", "21 / 12", Equal),
            ("$4.5 billion, up from $1.5 million", "threefold", "4.5 / 1.5", Equal),
            ("$4.5 billion, up from $1.5 billion", "$3", "4.5 - 1.5", Equal),
            ("5 cells", "0", "count()", Equal),
            ("5 cells", "10 cells", "5 + 5", Equal),
            ("5 cells", "25 cells", "5 * 5", Equal),
            ("90.4 % against 81.3 %", "9.1 per cent", "90.4 % - 81.3 %", Equal),
            ("39 % on 40 mg and 22 % on placebo", "17 per cent", "39 - 22", Equal),
            ("from 94 to 13 minutes", "nine times", "94 / 13", About),
            ("from 94 to 13 minutes", "eighty", "94 - 14", Equal),
            ("it reached 18.4 million", "16.4 million", "18.4 million", MoreThan),
            ("16 minutes", "16 hours", "16 minutes", Equal),
            ("9.0 kg", "nine tonnes", "9.0", Equal),
            ("from 18 mΩ to 47 mΩ", "threefold", "47/18", MoreThan),
            ("5 cells", "10 cells", "5 * 2", Equal),
            ("5 cells", "2.5", "5 / 2", Equal),
            ("lentils and beans", "three", "count(\"lentils\", \"beans\", \"soya\")", Equal),
            ("lentils and beans", "three", "count(\"lentils\", \"beans\", \"lentils\")", Equal),
            ("lentils and beans", "2 minutes", "count(\"lentils\", \"beans\")", Equal),
            ("lentils and beans", "2 %", "count(\"lentils\", \"beans\")", Equal),
            ("5 cells", "6", "", Equal),
            ("5 cells", "6", "5 + ", Equal),
            ("5 cells", "5", "((((((((((((((((((5))))))))))))))))))", Equal),
            ("5 cells", "5", "count(", Equal),
            ("5 cells", "5", "count(\"cells\"", Equal),
            ("5 cells and 0 others", "6", "5 / 0", Equal),
            ("at 05:43 and 05:48", "11:31", "05:43 + 05:48", Equal),
        ] {
            let derived = derive(source, number, expression, relation);
            assert!(derived.is_err(), "{number} = {expression} of {source:?}");
        }
    }

    // proves: C4, C20
    #[test]
    fn what_a_claim_has_from_its_statement_stands_there_once() {
        let statement = Source::of("It was worth $4.5 billion.").ground(0, 0).unwrap();
        let claim = Ground { is_claim: true, ..statement.clone() };
        let other = Source::of("The other was worth $4.5 billion too.").ground(0, 0).unwrap();
        let doubled = |grounds: &[Ground]| {
            let context = Context { grounds, question: "", gazetteer: &Gazetteer::default() };
            let (number, expression) = ("$9 billion".to_owned(), "4.5 + 4.5".to_owned());
            let derivation = Derivation { number, expression, relation: Relation::Equal };
            evaluate(&derivation, "", &context)
        };
        assert!(doubled(&[claim.clone(), statement.clone(), statement.clone()]).is_err());
        assert_eq!(doubled(&[claim, statement, other]), Ok(()));
    }

    // proves: C4, C20
    #[test]
    fn what_the_asker_gave_is_named_as_that() {
        use Relation::{Equal, LessThan};
        let question =
            "We run twelve databases of 4 TB with 2 spares on version 13. Is the limit 9100?";
        let source = "Each database takes one slot, and 2 are kept for backups.";
        for (number, expression, relation) in [
            ("twelve", "asked(12)", Equal),
            ("twelve databases", "asked(twelve)", Equal),
            ("fourteen", "asked(12) + 2", Equal),
            ("4 TB", "asked(4 TB)", Equal),
            ("13", "asked(13)", Equal),
            ("20", "asked(12) + 2", LessThan),
            // The two occurs in both.
            ("4", "asked(2) + 2", Equal),
        ] {
            let derived = derive_asked(question, source, number, expression, relation);
            assert_eq!(derived, Ok(()), "{number} = {expression}");
            let derivation = Derivation { expression: expression.into(), ..Derivation::default() };
            assert!(derivation.takes_from_question(), "{expression}");
        }
        for (number, expression) in [
            // Numbers not marked as the question's, or not in the question.
            ("twelve", "12"),
            ("13", "13"),
            ("9100", "9100"),
            ("eleven", "asked(11)"),
            ("3", "asked(3)"),
            ("24", "asked(12) + asked(12)"),
            ("12", "asked(12"),
            ("12", "asked()"),
        ] {
            let derived = derive_asked(question, source, number, expression, Equal);
            assert!(derived.is_err(), "{number} = {expression}");
        }
        assert!(derive_asked("", source, "twelve", "asked(12)", Equal).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_expression_is_evaluated_or_refused(expression in "(?s)(.|[0-9()+*/\" .,%-]|count\\(|asked\\(|08:45|kg){0,24}", number in "(?s)(.|[0-9.]){0,6}") {
            drop(derive("from 94 to 13 minutes at 08:45 with 5 kg", &number, &expression, Relation::About));
        }
    }
}
