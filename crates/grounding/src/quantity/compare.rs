//! Decides whether one quantity supports another.

use super::{Date, Number, Of, Quantity, Reading, units};

/// What a source says about a quantity of a claim.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Borne {
    Out,
    /// The source has the number with another unit, given here.
    UnitDiffers(String),
    /// The source does not have it.
    Absent,
}

/// The quantities that may support those of a claim.
#[derive(Debug, Default)]
pub(crate) struct Known {
    quantities: Vec<Quantity>,
    /// Whether some statement has a range that spans zero.
    spans_zero: bool,
    /// The years of the context: a source's title may give the year of all its dates.
    years: Vec<i32>,
}

impl Known {
    /// Adds quantities from what is cited.
    pub(crate) fn add(&mut self, quantities: Vec<Quantity>) {
        let value = |quantity: &Quantity| match quantity.readings.first() {
            Some(Reading::Number(number)) => number.value,
            _ => 0.0,
        };
        self.spans_zero |=
            quantities.windows(2).any(|pair| value(&pair[0]) < 0.0 && value(&pair[1]) > 0.0);
        self.quantities.extend(quantities);
    }

    /// Adds the years from the surrounding text.
    pub(crate) fn add_years(&mut self, quantities: &[Quantity]) {
        for reading in quantities.iter().flat_map(|quantity| &quantity.readings) {
            match reading {
                Reading::Date(Date { year: Some(year), .. }) => self.years.push(*year),
                Reading::Number(number) => self.years.extend(year_of(number)),
                _ => {}
            }
        }
    }

    /// Returns what these quantities say about `claimed`.
    pub(crate) fn bears_out(&self, claimed: &Quantity) -> Borne {
        let is_zero = |reading: &Reading| {
            matches!(reading, Reading::Number(Number { value: 0.0, unit: None, .. }))
        };
        if self.spans_zero && claimed.readings.iter().any(is_zero) {
            return Borne::Out;
        }
        let mut other_unit = None;
        for reading in &claimed.readings {
            for given in &self.quantities {
                let fitting = given.readings.iter().filter(|other| {
                    // An ambiguous separator must mean the same on both sides.
                    let sides = (separator(reading, claimed), separator(other, given));
                    !matches!(sides, (Some(one), Some(other)) if one != other)
                });
                for other in fitting {
                    match self.agree(reading, claimed.is_rounded, other) {
                        Borne::Out if self.lacks_percent(reading, other) => {}
                        Borne::Out => return Borne::Out,
                        Borne::UnitDiffers(_) if self.tells_of_a_year(reading, other) => {
                            return Borne::Out;
                        }
                        Borne::UnitDiffers(unit) => other_unit = other_unit.or(Some(unit)),
                        Borne::Absent => {}
                    }
                }
            }
        }
        other_unit.map_or(Borne::Absent, Borne::UnitDiffers)
    }

    /// Returns the known reading that agrees with this one, preferably one with a unit.
    pub(crate) fn find(&self, reading: &Reading) -> Option<&Reading> {
        let given = || self.quantities.iter().flat_map(|quantity| &quantity.readings);
        let is_same = |other: &&Reading| self.agree(reading, false, other) == Borne::Out;
        let has_unit =
            |other: &&Reading| !matches!(other, Reading::Number(Number { unit: None, .. }));
        given().filter(is_same).find(has_unit).or_else(|| given().find(is_same))
    }

    /// Returns whether a folded text has numbers, all of which are supported.
    pub(crate) fn tells(&self, text: &str) -> bool {
        let quantities = super::scan(text);
        let is_borne_out = |quantity| self.bears_out(quantity) == Borne::Out;
        !quantities.is_empty() && quantities.iter().all(is_borne_out)
    }

    /// Counts the occurrences of a number.
    pub(crate) fn count(&self, reading: &Reading) -> usize {
        let has = |quantity: &&Quantity| quantity.readings.contains(reading);
        self.quantities.iter().filter(has).count()
    }

    /// Returns whether a percentage would rest on a bare number, with no percentage among these quantities.
    fn lacks_percent(&self, claimed: &Reading, given: &Reading) -> bool {
        let dimension = |reading: &Reading| match reading {
            Reading::Number(Number { unit: Some(unit), .. }) => Some(unit.dimension == "share"),
            Reading::Number(Number { unit: None, .. }) => None,
            _ => Some(false),
        };
        let is_percent = |reading: &Reading| match reading {
            Reading::Number(number) => !number.is_share && dimension(reading) == Some(true),
            _ => false,
        };
        is_percent(claimed)
            && dimension(given).is_none()
            && !self.quantities.iter().flat_map(|known| &known.readings).any(is_percent)
    }

    /// Returns whether a claim says a sum "per year" that its source says of one year: "worth $21 million in 2025".
    ///
    /// Whether it is a sum of that whole year is left to a reader.
    fn tells_of_a_year(&self, claimed: &Reading, given: &Reading) -> bool {
        let (Reading::Number(claimed), Reading::Number(given)) = (claimed, given) else {
            return false;
        };
        let (Some(rate), Some(sum)) = (&claimed.unit, &given.unit) else { return false };
        let names_year = |reading: &Reading| match reading {
            Reading::Date(date) => date.year.is_some(),
            Reading::Number(number) => number.unit.is_none() && year_of(number).is_some(),
            _ => false,
        };
        units::of(sum) == Of::Money
            && units::is_yearly(rate, sum)
            && self.quantities.iter().flat_map(|known| &known.readings).any(names_year)
    }

    fn agree(&self, claimed: &Reading, is_rounded: bool, given: &Reading) -> Borne {
        let when = |holds: bool| if holds { Borne::Out } else { Borne::Absent };
        match (claimed, given) {
            (Reading::Number(claimed), Reading::Number(given)) => agree(claimed, is_rounded, given),
            (Reading::Date(claimed), Reading::Date(given)) => {
                when(self.dates_agree(claimed, given))
            }
            // A date supports its year: "12 March 2011" says "2011".
            (Reading::Number(number), Reading::Date(date)) => when(date.year.is_some_and(|year| {
                year_of(number) == Some(year) || spans_year(number, f64::from(year))
            })),
            (Reading::Date(Date { year, month: None, day: None }), Reading::Number(number)) => {
                when(year.is_some() && year_of(number) == *year)
            }
            (
                Reading::Clock { minutes, is_half },
                Reading::Clock { minutes: given, is_half: also },
            ) => {
                const HALF_A_DAY: u32 = 12 * 60;
                let apart = minutes.abs_diff(*given);
                when(apart == 0 || apart == HALF_A_DAY && (*is_half || *also))
            }
            _ => Borne::Absent,
        }
    }

    fn dates_agree(&self, claimed: &Date, given: &Date) -> bool {
        let fits = |claimed: Option<u32>, given: Option<u32>| claimed.is_none() || claimed == given;
        let year = match (claimed.year, given.year) {
            (Some(claimed), Some(given)) => claimed == given,
            (Some(claimed), None) => self.years.contains(&claimed),
            (None, _) => true,
        };
        year && fits(claimed.month, given.month) && fits(claimed.day, given.day)
    }
}

/// The meaning of an ambiguous separator in a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Separator {
    Grouping,
    Decimal,
}

/// Returns the meaning of the separator in one reading of a quantity, or `None` if it is unambiguous.
fn separator(reading: &Reading, quantity: &Quantity) -> Option<Separator> {
    let value = |reading: &Reading| match reading {
        Reading::Number(number) => Some(number.value),
        _ => None,
    };
    let own = value(reading)?;
    let others = || quantity.readings.iter().filter_map(value);
    let is_thousandth = |one: f64, other: f64| (one * 1000.0 - other).abs() <= other.abs() * 1e-9;
    if own != 0.0 && others().any(|other| is_thousandth(other, own)) {
        return Some(Separator::Grouping);
    }
    let is_decimal = own != 0.0 && others().any(|other| is_thousandth(own, other));
    is_decimal.then_some(Separator::Decimal)
}

/// Returns the year that a number may be.
fn year_of(number: &Number) -> Option<i32> {
    let is_year = number.unit.is_none()
        && number.step == 1.0
        && number.value.fract() == 0.0
        && (1000.0..2200.0).contains(&number.value);
    // A whole number in this range fits an `i32`.
    is_year.then_some(number.value as i32)
}

/// Returns whether a year lies in a decade or century: 1962 in "the 1960s", 1812 in "the 19th century".
fn spans_year(number: &Number, year: f64) -> bool {
    match number.unit.as_ref().map(|unit| &*unit.name) {
        Some("decade") => (number.value..number.value + 10.0).contains(&year),
        Some("century") => ((year - 1.0) / 100.0).floor() + 1.0 == number.value,
        _ => false,
    }
}

/// Compares a claimed number with a given one.
pub(crate) fn agree(claimed: &Number, is_rounded: bool, given: &Number) -> Borne {
    if given.unit.is_none() && year_of(given).is_some() && spans_year(claimed, given.value) {
        return Borne::Out;
    }
    // "Completed in 2005" does not support 2005 m.
    let is_year = given.unit.is_none()
        && year_of(given).is_some_and(|year| (1900..=2100).contains(&year))
        && claimed.unit.as_ref().is_some_and(|unit| !unit.is_shared);
    if is_year {
        return Borne::Absent;
    }
    let (Some(unit), Some(other)) = (&claimed.unit, &given.unit) else {
        // A number without a unit here may have an unknown one, or one further away.
        return when(close(claimed, is_rounded, claimed.value, given.value));
    };
    if unit.dimension == other.dimension {
        let same_sign = unit.dimension != "temperature"
            || claimed.value.is_sign_negative() == given.value.is_sign_negative();
        let (value, source) = (claimed.value * unit.factor, given.value * other.factor);
        let scaled = Number { step: claimed.step * unit.factor, ..claimed.clone() };
        return when(same_sign && close(&scaled, is_rounded, value, source));
    }
    let same = close(claimed, is_rounded, claimed.value, given.value);
    // Whether "the $3,600 that it charges" omits too much of "$3,600 a year" is left to a reader.
    let is_rate_of = other.dimension.strip_prefix(&*unit.dimension).unwrap_or_default();
    let is_money = units::of(unit) == Of::Money && is_rate_of.starts_with('/');
    match same {
        true if is_money => Borne::Out,
        true if unit.is_shared || other.is_shared || alike(&unit.dimension, &other.dimension) => {
            Borne::Out
        }
        true => Borne::UnitDiffers(other.name.clone()),
        false => Borne::Absent,
    }
}

/// Returns whether two units may be the same because a name of theirs is ambiguous.
fn alike(one: &str, other: &str) -> bool {
    const AMBIGUOUS: [(&str, &str); 8] = [
        ("degrees", "temperature"),
        ("degrees", "fahrenheit"),
        ("pound", "mass"),
        ("pound", "pound sterling"),
        ("ton", "mass"),
        ("calories", "energy"),
        ("points", "times"),
        ("decade", "months"),
    ];
    AMBIGUOUS.iter().any(|pair| *pair == (one, other) || *pair == (other, one))
}

fn when(holds: bool) -> Borne {
    if holds { Borne::Out } else { Borne::Absent }
}

/// Returns whether a value is the given one, or a rounding of it if the claim says so.
///
/// A value without a sign may stand for a negative one: "fell by 3.1" for −3.1.
fn close(claimed: &Number, is_rounded: bool, value: f64, given: f64) -> bool {
    /// The tolerance for floating-point errors.
    const NOISE: f64 = 1e-9;
    let given = if value >= 0.0 && !claimed.has_plus { given.abs() } else { given };
    let apart = (value - given).abs();
    if apart <= NOISE * value.abs().max(given.abs()) {
        return true;
    }
    if claimed.is_share {
        /// The tolerance of shares in words, which come in coarse steps.
        const SHARE: f64 = 0.025;
        return apart <= SHARE;
    }
    is_rounded && is_rounding(value, claimed.step, given)
}

/// Returns whether `value`, precise to the `step`, is a rounding of `given`. Trailing zeros may come from rounding: "about 90" for 88.
pub(crate) fn is_rounding(value: f64, step: f64, given: f64) -> bool {
    /// The largest error of a rounding, as a share.
    const FURTHEST: f64 = 0.1;
    let mut step = step;
    while step > 0.0 && value != 0.0 && (value / (step * 10.0)).fract() == 0.0 {
        step *= 10.0;
    }
    let apart = (value - given).abs();
    apart <= step * 0.5 * (1.0 + 1e-9) && apart <= FURTHEST * given.abs()
}
