//! Numbers that are worked out: a reader names the expression, and the program evaluates it.
//!
//! "About seven times faster" rests on "94 / 13" where both numbers stand in what is cited. Numbers, units and times of day may be
//! added, subtracted, multiplied and divided, and things may be counted that stand there word for word: `count("lentils", "beans")`.
//! The difference of two percentages is in percentage points, and a percentage of a percentage is none of them.
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
//! assert!(evaluate(&seven, &context).is_ok());
//! assert!(evaluate(&Derivation { expression: "94 / 12".into(), ..seven.clone() }, &context).is_err());
//! assert!(evaluate(&Derivation { number: "nine times".into(), ..seven }, &context).is_err());
//! ```

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::{Context, Fault, Held, folded};
use crate::quantity::{self, Number, Quantity, Reading, is_rounding};

/// A number of a claim and how it comes about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Derivation {
    /// The number as the claim has it.
    pub number: String,
    /// Arithmetic over numbers that stand in the statements, such as `94 / 13`, `08:45 - 08:00`, `(39 - 22) / 22 * 100`, or a count of
    /// things that they name, such as `count("lentils", "beans")`.
    pub expression: String,
    /// How the claim's number stands to what the expression comes to.
    pub relation: Relation,
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
    /// In the base of its dimension.
    base: f64,
    /// As the numbers are written, where they are written in one unit.
    written: f64,
    /// Empty where there is none; `ratio` of two alike, `clock` for a time of day, `count` of things that were counted.
    dimension: String,
    /// Terms that were added up: what a mean may be divided by.
    terms: u32,
}

/// Evaluates an expression over what a claim cites, and holds the claim's number against the result.
pub fn evaluate(derivation: &Derivation, context: &Context<'_>) -> Result<(), Fault> {
    let Derivation { number, expression, relation } = derivation;
    let wrong = |result: String| Fault::WrongArithmetic {
        number: number.clone(),
        expression: expression.clone(),
        result,
    };
    let held = Held::of(context);
    let text = folded(expression);
    let mut parser = Parser { text: &text, at: 0, held: &held, depth: 0 };
    let value = parser.sum().map_err(&wrong)?;
    if !parser.rest().is_empty() {
        return Err(wrong(format!("\"{}\" cannot be read", parser.rest())));
    }
    let claimed = quantity::scan(&folded(number));
    let [claimed] = claimed.as_slice() else {
        return Err(wrong("the claim's number cannot be read".into()));
    };
    if claimed.readings.iter().any(|reading| value.stands(reading, *relation)) {
        Ok(())
    } else {
        Err(wrong(value.shown()))
    }
}

impl Value {
    fn of(reading: &Reading) -> Option<Value> {
        match reading {
            Reading::Number(Number { value, unit, .. }) => {
                let (factor, dimension) =
                    unit.as_ref().map_or((1.0, ""), |unit| (unit.factor, &*unit.dimension));
                let dimension = dimension.to_owned();
                Some(Value { base: value * factor, written: *value, dimension, terms: 1 })
            }
            Reading::Clock { minutes, .. } => {
                let minutes = f64::from(*minutes);
                let dimension = "clock".to_owned();
                Some(Value { base: minutes * 60.0, written: minutes, dimension, terms: 1 })
            }
            Reading::Date(date) => {
                let year = f64::from(date.year.filter(|_| date.month.is_none())?);
                Some(Value { base: year, written: year, dimension: String::new(), terms: 1 })
            }
        }
    }

    /// Returns it as a number to calculate with. A count alone is a number of things, and neither minutes nor percent.
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

    /// Tells whether a number of a claim stands so to this result.
    fn stands(&self, claimed: &Reading, relation: Relation) -> bool {
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
                    // "More than 3 million" is said of 3.4 million; 16.4 is another number than 18.4.
                    let is_bound = matches!(relation, Relation::MoreThan | Relation::LessThan);
                    let is_rounder = self.terms > 1 || digits(number.value) < digits(self.written);
                    (!is_bound || is_rounder) && relates(value, step, result, relation)
                })
            }
        }
    }

    /// Returns the claim's number and the result in one measure, for every measure that both have.
    fn candidates(&self, number: &Number) -> Vec<(f64, f64)> {
        let plain = matches!(&*self.dimension, "" | "ratio");
        let Some(unit) = &number.unit else {
            // "Rose by 0.4" of hours that are not named again; a share of percentages would be points.
            return vec![(number.value, self.written)];
        };
        let value = number.value * unit.factor;
        match &*unit.dimension {
            dimension if dimension == self.dimension => vec![(value, self.base)],
            // A ratio is a percentage, and so is a number that was multiplied by 100 on the way.
            "share" if plain => vec![(value, self.base), (number.value, self.base)],
            "times" if plain => vec![(number.value, self.base)],
            "points" if plain => vec![(number.value, self.written)],
            "degrees" if matches!(&*self.dimension, "temperature" | "fahrenheit") => {
                vec![(number.value, self.written)]
            }
            // Numbers without units in a table whose head does not tell them.
            _ if self.dimension.is_empty() => vec![(number.value, self.written)],
            _ => vec![],
        }
    }
}

/// Returns how many digits of a number say something: 2 of 120,000.
fn digits(value: f64) -> usize {
    let written = format!("{:.6e}", value.abs());
    let mantissa = written.split('e').next().unwrap_or_default();
    mantissa.replace('.', "").trim_end_matches('0').len()
}

/// Tells whether `claimed`, told to the `step`, stands so to the `result`.
fn relates(claimed: f64, step: f64, result: f64, relation: Relation) -> bool {
    const NOISE: f64 = 1e-9;
    /// What is "more than" a number is not many times more.
    const FURTHEST: f64 = 2.0;
    let (claimed, result) =
        if claimed >= 0.0 { (claimed, result.abs()) } else { (claimed, result) };
    let apart = (claimed - result).abs();
    let is_same =
        apart <= NOISE * claimed.abs().max(result.abs()) || apart <= step * 0.5 * (1.0 + NOISE);
    match relation {
        Relation::Equal => is_same,
        Relation::About => is_same || is_rounding(claimed, step, result),
        Relation::MoreThan => result > claimed && result <= claimed.abs() * FURTHEST,
        Relation::LessThan => result < claimed && result * FURTHEST >= claimed,
    }
}

/// Numbers that belong to measuring, and may stand in an expression though they do not stand in the sources.
const CONSTANTS: [f64; 13] =
    [1.0, 7.0, 12.0, 24.0, 52.0, 60.0, 100.0, 365.0, 1000.0, 1024.0, 3600.0, 1e6, 1e9];

struct Parser<'a> {
    text: &'a str,
    at: usize,
    held: &'a Held,
    depth: u32,
}

type Parsed = Result<Value, String>;

impl Parser<'_> {
    fn rest(&self) -> &str {
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
            let (one, other) = (value.uncounted(), self.factor()?.uncounted());
            value = if matches!(sign, '/' | '÷') {
                divide(&one, &other)?
            } else {
                multiply(&one, &other)?
            };
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
        } else if self.take(&['-']).is_some() {
            let value = self.factor()?;
            Ok(Value { base: -value.base, written: -value.written, ..value })
        } else {
            self.operand()
        };
        self.depth -= 1;
        value
    }

    /// Reads a number, which must stand in what is cited.
    fn operand(&mut self) -> Parsed {
        let rest = self.rest();
        let start = self.text.len() - rest.len();
        // A slash or dash between a number and the next begins the other's part of the expression.
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
        let found = quantity::scan(written);
        let [Quantity { at, readings, .. }] = found.as_slice() else {
            return Err(format!("\"{}\" is not one number", written.trim()));
        };
        if at.start > 0 || written.get(at.end..).is_some_and(|after| !after.trim().is_empty()) {
            return Err(format!("\"{}\" is not a number", written.trim()));
        }
        // What stands there has its unit from there.
        let stands =
            readings.iter().find_map(|reading| self.held.numbers.find(reading)).and_then(Value::of);
        let constant = || {
            readings.iter().filter_map(Value::of).find(|value| {
                value.dimension.is_empty()
                    && (CONSTANTS.contains(&value.base)
                        || value.base.fract() == 0.0 && (2.0..10.0).contains(&value.base))
            })
        };
        let value = match stands {
            Some(value) => value,
            // A small number may be what a sum of so many terms is divided by, and nothing else.
            None => {
                let value = constant().ok_or_else(|| {
                    format!("\"{}\" does not stand in what is cited", written.trim())
                })?;
                let terms = if CONSTANTS.contains(&value.base) { 1 } else { 0 };
                Value { terms, ..value }
            }
        };
        self.at = start + cut;
        Ok(value)
    }

    /// Counts things that stand in what is cited.
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
                return Ok(Value {
                    base: value,
                    written: value,
                    dimension: "count".to_owned(),
                    terms: 1,
                });
            }
            let item = quoted.next().ok_or("a quotation mark is not closed")?;
            used += item.len() + 2;
            let item = item.trim().to_lowercase();
            if !self.held.says(&item) {
                return Err(format!("\"{item}\" does not stand in what is cited"));
            }
            if items.contains(&item) {
                return Err(format!("\"{item}\" is counted twice"));
            }
            items.push(item);
        }
        Err("count(…) is not closed".into())
    }
}

fn add(one: &Value, other: &Value, is_minus: bool) -> Parsed {
    stands(one)?;
    stands(other)?;
    let sign = if is_minus { -1.0 } else { 1.0 };
    let (base, written) = (one.base + sign * other.base, one.written + sign * other.written);
    let terms = one.terms + other.terms;
    let of = |dimension: &str, base: f64| {
        Ok(Value { base, written, dimension: dimension.to_owned(), terms })
    };
    match (&*one.dimension, &*other.dimension) {
        ("share", "share") if is_minus => of("points", base * 100.0),
        ("clock", "clock") if is_minus => of("time", base),
        ("clock", "clock") => Err("two times of day cannot be added".into()),
        ("clock", "time") => of("clock", base),
        (a, b) if a == b => of(a, base),
        // A number without its unit, as tables and ranges have them.
        ("", b) => of(b, one.written * unit_of(other) + sign * other.base),
        (a, "") => of(a, one.base + sign * other.written * unit_of(one)),
        (a, b) => Err(format!("{a} and {b} cannot be added or subtracted")),
    }
}

/// Returns how much of its base one of its unit is.
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
    Ok(Value { base, written, dimension, terms: 1 })
}

/// Refuses a number that does not stand in what is cited.
fn stands(value: &Value) -> Result<(), String> {
    if value.terms > 0 {
        Ok(())
    } else {
        Err(format!("\"{}\" does not stand in what is cited", value.base))
    }
}

fn divide(one: &Value, other: &Value) -> Parsed {
    if other.base == 0.0 {
        return Err("a division by zero".into());
    }
    // A number that does not stand there divides only what has so many terms.
    stands(one)?;
    if f64::from(one.terms) != other.base {
        stands(other)?;
    }
    let dimension = match (&*one.dimension, &*other.dimension) {
        ("points", "share" | "points") => "ratio".to_owned(),
        (a, b) if a == b => "ratio".to_owned(),
        (a, "" | "ratio" | "times") => a.to_owned(),
        // The first has its unit from where the second has it: "1.2 million marks, of which 0.9 million".
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
    Ok(Value { base, written, dimension, terms: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::Gazetteer;
    use crate::statement::Source;
    use proptest::prelude::*;

    fn derive(
        source: &str,
        number: &str,
        expression: &str,
        relation: Relation,
    ) -> Result<(), Fault> {
        let source = Source::of(source);
        let ground = source.ground(0, source.statements.len() - 1).unwrap();
        let context =
            Context { grounds: &[ground], question: "", gazetteer: &Gazetteer::default() };
        let derivation =
            Derivation { number: number.into(), expression: expression.into(), relation };
        evaluate(&derivation, &context)
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
        ] {
            let derived = derive(source, number, expression, relation);
            // A million of documents is the writer's own supposition.
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
        use Relation::{About, Equal, MoreThan};
        for (source, number, expression, relation) in [
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

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_expression_is_evaluated_or_refused(expression in "(?s)(.|[0-9()+*/\" .,%-]|count\\(|08:45|kg){0,24}", number in "(?s)(.|[0-9.]){0,6}") {
            drop(derive("from 94 to 13 minutes at 08:45 with 5 kg", &number, &expression, Relation::About));
        }
    }
}
