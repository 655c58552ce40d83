//! Units of measure and currencies, and the one name each is compared by.

use super::token;
use crate::grounding::fold::is_word;
use crate::grounding::lexicon::{listed, named};

/// Reads the unit that stands behind a number: its length with the space before it, and its name.
///
/// `per` and `/` go on: "5 mg per day" and "5 mg a day" have the unit `mg/day`.
pub(super) fn read(rest: &str) -> Option<(usize, String)> {
    let (mut length, mut name) = single(rest).unwrap_or_default();
    while let Some(below) = denominator(rest.get(length..)?, length > 0) {
        let word = below.split(|c: char| !is_word(c)).next()?;
        let (used, read) = single(below)
            .unwrap_or_else(|| (word.len(), word.trim_end_matches('s').to_lowercase()));
        name = format!("{name}/{read}");
        length = rest.len() - below.len() + used;
    }
    (length > 0).then_some((length, name))
}

/// Returns what follows "per", a slash behind a unit, or the "a" of "5 mg a day".
fn denominator(after: &str, behind_unit: bool) -> Option<&str> {
    let slash = || after.strip_prefix('/').filter(|_| behind_unit);
    let each =
        || [" a ", " an ", " each ", " every "].iter().find_map(|word| after.strip_prefix(word));
    after
        .strip_prefix(" per ")
        .or_else(slash)
        .or_else(|| each().filter(|below| listed(TIMES, token(below))))
        .filter(|below| below.starts_with(char::is_alphabetic))
}

/// Reads one unit, with the space or hyphen before it: its length, and its name.
fn single(rest: &str) -> Option<(usize, String)> {
    let gap = rest.strip_prefix([' ', '-']).unwrap_or(rest);
    let (length, name) =
        phrase(gap).or_else(|| power(gap)).or_else(|| sign(gap)).or_else(|| word(gap))?;
    Some((rest.len() - gap.len() + length, name))
}

fn phrase(gap: &str) -> Option<(usize, String)> {
    let (phrase, name) = PHRASES.iter().find(|(phrase, _)| behind(gap, phrase).is_some())?;
    Some((phrase.len(), (*name).to_owned()))
}

/// Reads "square metres" and "cubic feet".
fn power(gap: &str) -> Option<(usize, String)> {
    let (after, raised) = [("square", '²'), ("cubic", '³')]
        .iter()
        .find_map(|(word, raised)| Some((behind(gap, word)?, *raised)))?;
    let (length, mut name) = single(after)?;
    name.push(raised);
    Some((gap.len() - after.len() + length, name))
}

fn sign(gap: &str) -> Option<(usize, String)> {
    let sign = gap.chars().next()?;
    let name = match sign {
        '%' | '‰' => sign.to_string(),
        // "€5" is the next amount.
        '€' if !gap.get(sign.len_utf8()..)?.starts_with(|c: char| c.is_ascii_digit()) => {
            "euro".to_owned()
        }
        _ => return None,
    };
    Some((sign.len_utf8(), name))
}

fn word(gap: &str) -> Option<(usize, String)> {
    let degree = gap.strip_prefix('°').map_or(0, |_| '°'.len_utf8());
    let letters = gap.get(degree..)?;
    let end = letters.find(|c: char| !is_word(c)).unwrap_or(letters.len());
    let written = gap.get(..degree + end).filter(|written| !written.is_empty())?;
    let lower = written.to_lowercase();
    // "MW" is not "mW", but "Metres" are metres.
    let is_word_form = |form: &str| form.len() > 3 && form.chars().all(char::is_lowercase);
    let name = named(UNITS, |form| form == written || is_word_form(form) && form == lower)?;
    // "Kilowatt-hours" are no kilowatts.
    let after = gap.get(written.len()..)?;
    let joined = after
        .strip_prefix('-')
        .or_else(|| after.strip_prefix(' ').filter(|_| !lower.ends_with('s')));
    if let Some((second, times)) = joined.and_then(word) {
        return Some((written.len() + 1 + second, format!("{name}·{times}")));
    }
    Some((written.len(), name.to_owned()))
}

/// Returns what stands behind `phrase`, in any case, if `text` begins with it.
fn behind<'a>(text: &'a str, phrase: &str) -> Option<&'a str> {
    let (written, after) = text.split_at_checked(phrase.len())?;
    (written.eq_ignore_ascii_case(phrase) && !after.starts_with(is_word)).then_some(after)
}

/// Takes the currency and the space behind it off the end of `left`, and returns its name.
pub(super) fn without_currency(left: &str) -> (&str, Option<&'static str>) {
    let near = left.strip_suffix(' ').unwrap_or(left);
    CURRENCIES
        .iter()
        .find_map(|(sign, name)| Some((near.strip_suffix(sign)?, Some(*name))))
        .filter(|(before, _)| !before.ends_with(is_word))
        .unwrap_or((left, None))
}

/// What may follow "a" in "5 mg a day".
const TIMES: &[&str] = &["second minute hour day night week month year decade"];

/// Currency signs and codes that may stand before a number. Of two that end alike, the longer comes first.
const CURRENCIES: [(&str, &str); 20] = [
    ("US$", "usd"),
    ("A$", "aud"),
    ("C$", "cad"),
    ("NZ$", "nzd"),
    ("HK$", "hkd"),
    ("R$", "brl"),
    ("USD", "usd"),
    ("EUR", "euro"),
    ("GBP", "gbp"),
    ("JPY", "yen"),
    ("CHF", "chf"),
    ("INR", "rupee"),
    ("$", "dollar"),
    ("€", "euro"),
    ("£", "gbp"),
    ("¥", "yen"),
    ("₹", "rupee"),
    ("₽", "rouble"),
    ("₩", "won"),
    ("₪", "shekel"),
];

/// Units of more than one word, or with a full stop in them; in any case.
const PHRASES: [(&str, &str); 22] = [
    ("percentage points", "pp"),
    ("percentage point", "pp"),
    ("percent points", "pp"),
    ("per cent", "%"),
    ("% ci", "%ci"),
    ("% confidence", "%ci"),
    ("a.m.", "am"),
    ("p.m.", "pm"),
    ("per mille", "‰"),
    ("degrees celsius", "°C"),
    ("degrees fahrenheit", "°F"),
    ("degrees centigrade", "°C"),
    ("degree celsius", "°C"),
    ("degrees c", "°C"),
    ("degrees f", "°F"),
    ("° c", "°C"),
    ("° f", "°F"),
    ("nautical miles", "nmi"),
    ("light years", "ly"),
    ("us dollars", "usd"),
    ("basis points", "bp"),
    ("pounds sterling", "gbp"),
];

/// Units, each with its spellings; the first of a row is its name. Symbols are in the case they are written in, words in lower case.
const UNITS: &[&str] = &[
    // Shares.
    "% percent pct",
    "‰ permille",
    "pp",
    "ppm",
    "ppb",
    "bp",
    // Lengths.
    "m metre metres meter meters",
    "km kilometre kilometres kilometer kilometers kms",
    "cm centimetre centimetres centimeter centimeters",
    "mm millimetre millimetres millimeter millimeters",
    "μm micrometre micrometres micrometer micrometers micron microns um",
    "nm nanometre nanometres nanometer nanometers",
    "ft foot feet",
    "inch inches",
    "yd yard yards",
    "mi mile miles",
    "ly",
    "au",
    // Masses.
    "g gram grams gramme grammes",
    "kg kilogram kilograms kilogramme kilogrammes kilo kilos",
    "mg milligram milligrams",
    "μg mcg microgram micrograms ug",
    "ng nanogram nanograms",
    "t tonne tonnes",
    "ton tons",
    "lb lbs pound pounds",
    "oz ounce ounces",
    "kDa",
    "Da",
    // Areas.
    "ha hectare hectares",
    "acre acres",
    "m² m2",
    "km² km2",
    "cm² cm2",
    "mm² mm2",
    "ft² ft2",
    // Volumes.
    "m³ m3",
    "km³ km3",
    "cm³ cm3",
    "ft³ ft3",
    "l L litre litres liter liters",
    "ml mL millilitre millilitres milliliter milliliters",
    "dl dL decilitre decilitres deciliter deciliters",
    "μl μL microlitre microlitres microliter microliters",
    "gallon gallons",
    "pint pints",
    // Times.
    "s sec secs second seconds",
    "ms millisecond milliseconds",
    "μs microsecond microseconds",
    "ns nanosecond nanoseconds",
    "min mins minute minutes",
    "h hr hrs hour hours",
    "day days",
    "week weeks",
    "fortnight fortnights",
    "month months",
    "year years yr yrs",
    "decade decades",
    "century centuries",
    "millennium millennia",
    "am",
    "pm",
    // Speeds and frequencies.
    "km/h kph kmh",
    "mi/h mph",
    "knot knots kn",
    "rpm",
    "Hz hertz",
    "kHz kilohertz",
    "MHz megahertz",
    "GHz gigahertz",
    // Data.
    "bit bits",
    "byte bytes",
    "kB KB kilobyte kilobytes",
    "MB megabyte megabytes",
    "GB gigabyte gigabytes",
    "TB terabyte terabytes",
    "PB petabyte petabytes",
    "KiB",
    "MiB",
    "GiB",
    "TiB",
    "kbps kbit",
    "Mbps Mbit",
    "Gbps Gbit",
    "px pixel pixels",
    "kb",
    // Temperatures and angles.
    "°C celsius centigrade",
    "°F fahrenheit",
    "K kelvin kelvins",
    "° degree degrees deg",
    // Energy and power.
    "J joule joules",
    "kJ kilojoule kilojoules",
    "MJ",
    "GJ",
    "cal calorie calories",
    "kcal kilocalorie kilocalories",
    "W watt watts",
    "kW kilowatt kilowatts",
    "MW megawatt megawatts",
    "GW gigawatt gigawatts",
    "TW terawatt terawatts",
    "mW milliwatt milliwatts",
    "Wh",
    "kWh",
    "MWh",
    "GWh",
    "TWh",
    "eV",
    "keV",
    "MeV",
    "GeV",
    "TeV",
    // Electricity.
    "V volt volts",
    "mV millivolt millivolts",
    "kV kilovolt kilovolts",
    "A amp amps ampere amperes",
    "mA milliamp milliamps",
    "Ω ohm ohms",
    // Pressures and forces.
    "Pa pascal pascals",
    "hPa",
    "kPa kilopascal kilopascals",
    "MPa",
    "GPa",
    "bar bars",
    "mbar millibar millibars",
    "psi",
    "atm",
    "mmHg",
    "N newton newtons",
    "kN",
    // Amounts, doses and levels.
    "mol",
    "mmol",
    "μmol",
    "nmol",
    "M",
    "mM",
    "μM",
    "nM",
    "IU",
    "dB decibel decibels",
    "Bq becquerel becquerels",
    "Sv sievert sieverts",
    "mSv",
    "Gy",
    "lux",
    "x times fold",
    // Money.
    "dollar dollars",
    "cent cents",
    "euro euros EUR",
    "gbp GBP",
    "usd USD",
    "yen JPY",
    "chf CHF",
    "franc francs",
    "rupee rupees INR",
    "rouble roubles ruble rubles",
    "yuan CNY",
    "peso pesos",
    "mark marks",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rest: &str, expected: Option<(usize, &str)>) {
        let expected = expected.map(|(length, name)| (length, name.to_owned()));
        assert_eq!(read(rest), expected, "{rest:?}");
    }

    #[test]
    fn a_unit_has_one_name() {
        check(" kilograms", Some((10, "kg")));
        check(" Kilometres per hour", Some((20, "km/h")));
        check("-year plan", Some((5, "year")));
        check(" kilowatt-hours", Some((15, "kW·h")));
        check(" kilowatt hours of work", Some((15, "kW·h")));
        check(" kilowatts", Some((10, "kW")));
        check(" square metres", Some((14, "m²")));
        check(" degrees Celsius", Some((16, "°C")));
        check("%", Some((1, "%")));
        check(" mg a day", Some((9, "mg/day")));
        check(" deaths per week", None);
        check(" mw", None);
    }

    #[test]
    fn a_currency_stands_before_its_number() {
        assert_eq!(without_currency("paid US$ "), ("paid ", Some("usd")));
        assert_eq!(without_currency("paid $"), ("paid ", Some("dollar")));
        assert_eq!(without_currency("AUS$"), ("AUS$", None));
    }
}
