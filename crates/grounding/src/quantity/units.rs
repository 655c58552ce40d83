//! Units of measure and currencies: what they measure, and how much of it.
//!
//! The table holds international symbols, and unit words in a few languages. A unit outside the table is ignored: the number before it is
//! then compared by value alone.

use super::{Of, first_word};
use crate::fold::is_word;

/// A unit: what it measures and how much of that it is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unit {
    /// `length`, `time`, `mass/volume`; units of one dimension convert into each other.
    pub(crate) dimension: String,
    /// The number of base units of its dimension.
    pub(crate) factor: f64,
    /// The display name.
    pub(crate) name: String,
    /// Whether it was taken from the next number.
    pub(crate) is_shared: bool,
}

impl Unit {
    fn of(row: &Row) -> Unit {
        let Row(dimension, factor, spellings) = row;
        let name = spellings.split(' ').next().unwrap_or_default().replace('_', " ");
        Unit { dimension: (*dimension).to_owned(), factor: *factor, name, is_shared: false }
    }

    /// Returns this unit per `other`.
    pub(super) fn per(&self, other: &Unit) -> Unit {
        // In "$5 per day", `other` is already a denominator.
        let below = other.name.strip_prefix('/').unwrap_or(&other.name);
        let dimension = match other.dimension.strip_prefix('/') {
            Some(below) => format!("{}/{below}", self.dimension),
            None => format!("{}·{}", self.dimension, other.dimension),
        };
        Unit {
            dimension,
            factor: self.factor * other.factor,
            name: format!("{}/{below}", self.name),
            is_shared: false,
        }
    }

    /// Returns the unit of a computed value, named after its dimension.
    pub(crate) fn derived(dimension: &str) -> Unit {
        Unit {
            dimension: dimension.to_owned(),
            factor: 1.0,
            name: dimension.to_owned(),
            is_shared: false,
        }
    }
}

/// Reads the unit after a number; returns it with its length, including the space or hyphen before it.
///
/// `per` and `/` continue a unit: "5 mg per day" and "5 mg a day" have the same one.
pub(super) fn read(after: &str) -> Option<(Unit, usize)> {
    let (mut unit, mut length) = match single(after) {
        Some((unit, length)) => (Some(unit), length),
        None => (None, 0),
    };
    while let Some(below) = denominator(after.get(length..)?, unit.is_some()) {
        let Some((other, used)) = single(below) else { break };
        length = after.len() - below.len() + used;
        unit = Some(match unit {
            Some(unit) => Unit {
                dimension: format!("{}/{}", unit.dimension, other.dimension),
                factor: unit.factor / other.factor,
                name: format!("{}/{}", unit.name, other.name),
                is_shared: false,
            },
            None => Unit {
                dimension: format!("/{}", other.dimension),
                factor: 1.0 / other.factor,
                name: format!("/{}", other.name),
                is_shared: false,
            },
        });
    }
    Some((unit?, length))
}

/// Reads the `s` of "the 1990s" after `length` digits.
pub(super) fn decade(rest: &str, length: usize) -> Option<(Unit, usize)> {
    let is_decade = length == 4
        && rest.get(..4)?.ends_with('0')
        && matches!(first_word(rest.get(4..)?), "s" | "er");
    let length = first_word(rest.get(length..)?).len();
    is_decade.then(|| (Unit::derived("decade"), length))
}

/// Returns the unit named in a column's head: the one in brackets, or else the one at its end.
pub(super) fn in_head(head: &str) -> Option<Unit> {
    if head.contains('(') || head.contains(|c: char| c.is_ascii_digit()) {
        return in_brackets(head);
    }
    let starts = head.match_indices(' ').map(|(at, _)| at + 1);
    let mut endings = starts.filter_map(|start| head.get(start..));
    endings.find_map(|ending| alone(ending).filter(|_| ending.len() > 1))
}

/// Returns the unit that a cell names in brackets.
pub(super) fn in_brackets(head: &str) -> Option<Unit> {
    let inner = head.rsplit_once('(')?.1.split(')').next()?.trim();
    alone(inner.strip_prefix("in ").unwrap_or(inner))
}

/// Reads a unit that makes up the whole text.
fn alone(words: &str) -> Option<Unit> {
    let words = words.trim();
    let (unit, length) = read(&format!(" {words}"))?;
    (length == words.len() + 1).then_some(unit)
}

/// Dimensions whose words rarely mean anything else.
const PLAIN: [&str; 16] = [
    "data",
    "bits",
    "mass",
    "power",
    "energy",
    "voltage",
    "current",
    "charge",
    "resistance",
    "pressure",
    "frequency",
    "volume",
    "temperature",
    "fahrenheit",
    "euro",
    "dollar",
];

/// Returns the units that a text names in words, with or without a number: "given in mebibytes".
pub(crate) fn named(text: &str) -> Vec<Unit> {
    /// Shorter words and symbols are often something else.
    const SHORTEST: usize = 4;
    let mut found = Vec::new();
    for (at, _) in text.char_indices().filter(|(_, c)| is_word(*c)) {
        let begins = !text.get(..at).and_then(|left| left.chars().next_back()).is_some_and(is_word);
        let written = first_word(text.get(at..).unwrap_or_default());
        if !begins || written.chars().count() < SHORTEST {
            continue;
        }
        if let Some((unit, length)) = word(written).filter(|(_, length)| *length == written.len())
            && PLAIN.contains(&&*unit.dimension)
        {
            debug_assert!(length > 0);
            found.push(Unit { name: written.to_owned(), ..unit });
        }
    }
    found
}

/// Returns the names of all units that a text mentions in words or signs, with or without a number.
pub(crate) fn mentioned(text: &str) -> std::collections::BTreeSet<String> {
    let mut found: std::collections::BTreeSet<String> =
        text::words(text).filter_map(|(_, written)| Some(word(written)?.0.name)).collect();
    let signs = CURRENCIES.iter().filter(|(sign, _)| text.contains(sign));
    found.extend(signs.filter_map(|(_, name)| Some(word(name)?.0.name)));
    found.extend(text.char_indices().filter_map(|(at, _)| Some(phrase(text.get(at..)?)?.0.name)));
    found
}

/// Reads the currency sign before a number, in the text to its left up to `start`; returns where the number now begins.
pub(super) fn currency_before(left: &str, start: usize) -> (usize, Option<Unit>) {
    let near = left.get(..start).unwrap_or_default();
    let near = near.strip_suffix(' ').unwrap_or(near);
    let found = CURRENCIES.iter().find_map(|(sign, name)| {
        let before = near.strip_suffix(sign)?;
        (!before.ends_with(is_word)).then_some((before.len(), *name))
    });
    match found {
        Some((start, name)) => {
            let unit = Unit {
                dimension: name.to_owned(),
                factor: 1.0,
                name: name.to_owned(),
                is_shared: false,
            };
            (start, Some(unit))
        }
        None => (start, None),
    }
}

/// Returns whether `rate` is `sum` per year.
pub(super) fn is_yearly(rate: &Unit, sum: &Unit) -> bool {
    let below = rate.dimension.strip_prefix(&*sum.dimension);
    below == Some("/months") && rate.factor * 12.0 == sum.factor
}

/// Returns the text after "per", "a" or a slash.
fn denominator(after: &str, behind_unit: bool) -> Option<&str> {
    let slash = || after.strip_prefix('/').filter(|_| behind_unit);
    let each = || {
        ["a", "an", "each", "every", "pro", "par", "por", "je", "al"].iter().find_map(|word| {
            let below = after.strip_prefix(' ')?.strip_prefix(word)?.strip_prefix(' ')?;
            let (unit, length) = single(below)?;
            // "25 % a year ago" says when, not how much each year.
            let is_time = matches!(&*unit.dimension, "time" | "months");
            (is_time && !says_when(below.get(length..)?)).then_some(below)
        })
    };
    let below = after.strip_prefix(" per ").or_else(|| after.strip_prefix("-per-"));
    below.or_else(slash).or_else(each).filter(|below| below.starts_with(char::is_alphabetic))
}

/// Returns whether a text begins with a word that turns the preceding duration into a point in time.
pub(super) fn says_when(rest: &str) -> bool {
    matches!(first_word(rest.trim_start()), "ago" | "earlier" | "before" | "later" | "after")
}

/// Reads one unit, with the space or hyphen before it.
fn single(after: &str) -> Option<(Unit, usize)> {
    let gap = after.strip_prefix([' ', '-']).unwrap_or(after);
    let (unit, length) = phrase(gap).or_else(|| power(gap)).or_else(|| word(gap))?;
    Some((unit, after.len() - gap.len() + length))
}

/// Reads a unit of several words or signs: "percentage points", `°C`, `%`.
fn phrase(gap: &str) -> Option<(Unit, usize)> {
    PHRASES.iter().find_map(|row| {
        row.2.split(' ').find_map(|spelling| {
            let spelling = spelling.replace('_', " ");
            let written = gap.get(..spelling.len())?;
            let after = gap.get(spelling.len()..)?;
            let ends = !spelling.ends_with(is_word) || !after.starts_with(is_word);
            (written.to_lowercase() == spelling.to_lowercase() && ends)
                .then(|| (Unit::of(row), spelling.len()))
        })
    })
}

/// Reads "square metres" and "cubic feet".
fn power(gap: &str) -> Option<(Unit, usize)> {
    let (after, power, dimension) = [("square ", 2, "area"), ("cubic ", 3, "volume")]
        .iter()
        .find_map(|(word, power, name)| Some((gap.strip_prefix(word)?, *power, *name)))?;
    let (unit, length) = word(after).filter(|(unit, _)| unit.dimension == "length")?;
    let factor = unit.factor.powi(power);
    let name = format!("{}{}", unit.name, if power == 2 { '²' } else { '³' });
    let unit = Unit { dimension: dimension.to_owned(), factor, name, is_shared: false };
    Some((unit, gap.len() - after.len() + length))
}

fn word(gap: &str) -> Option<(Unit, usize)> {
    if gap.starts_with(text::is_unspaced) {
        let spellings = UNITS.iter().flat_map(|row| row.2.split(' ').map(move |form| (row, form)));
        let fitting = spellings.filter(|(_, form)| gap.starts_with(form));
        let (row, form) = fitting.max_by_key(|(_, form)| form.len())?;
        return Some((Unit::of(row), form.len()));
    }
    let end = gap.find(|c: char| !is_word(c) && !"²³µμΩ".contains(c)).unwrap_or(gap.len());
    let written = gap.get(..end).filter(|written| !written.is_empty())?;
    let lower = written.to_lowercase();
    // "MW" is not "mW", but "Metres" are metres.
    let is_word_form =
        |form: &str| form.chars().count() > 3 && form.chars().all(char::is_lowercase);
    let row = UNITS.iter().find(|row| {
        row.2.split(' ').any(|form| form == written || is_word_form(form) && form == lower)
    })?;
    let unit = Unit::of(row);
    let after = gap.get(end..)?;
    // "2025 um 38,3 Punkte gefallen" has no micrometres.
    let tells_how_much =
        after.strip_prefix(' ').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if written == "um" && tells_how_much {
        return None;
    }
    // "Kilowatt-hours" are not kilowatts.
    let joined = after
        .strip_prefix(['-', '·'])
        .or_else(|| after.strip_prefix(' ').filter(|_| row.0 == "power"));
    if let Some((second, length)) = joined.and_then(word)
        && row.0 == "power"
        && second.dimension == "time"
    {
        let energy = Unit {
            dimension: "energy".to_owned(),
            factor: unit.factor * second.factor,
            name: format!("{}{}", unit.name, second.name),
            is_shared: false,
        };
        return Some((energy, end + 1 + length));
    }
    Some((unit, end))
}

/// Returns the kind of an amount with a unit; a rate counts by its numerator.
pub(super) fn of(unit: &Unit) -> Of {
    const OTHER_MONEY: [&str; 6] = ["cent", "franc", "mark", "krone", "peso", "pound"];
    let dimension = unit.dimension.split(['/', '·']).next().unwrap_or_default();
    let is_money =
        CURRENCIES.iter().any(|(_, name)| *name == dimension) || OTHER_MONEY.contains(&dimension);
    match dimension {
        _ if is_money => Of::Money,
        "time" | "months" => Of::Duration,
        "share" | "points" | "times" => Of::Share,
        "data" | "bits" => Of::Data,
        "clock" => Of::TimeOfDay,
        "decade" => Of::Date,
        _ => Of::Measure,
    }
}

/// A dimension, the unit in base units, and the unit's spellings, of which the first is its name; `_` is a space.
struct Row(&'static str, f64, &'static str);

/// Currency signs and codes that may precede a number. Of two with the same ending, the longer comes first.
const CURRENCIES: [(&str, &str); 22] = [
    ("US$", "dollar"),
    ("A$", "aud"),
    ("C$", "cad"),
    ("NZ$", "nzd"),
    ("HK$", "hkd"),
    ("R$", "brl"),
    ("USD", "dollar"),
    ("EUR", "euro"),
    ("GBP", "pound sterling"),
    ("JPY", "yen"),
    ("CNY", "yuan"),
    ("CHF", "chf"),
    ("INR", "rupee"),
    ("$", "dollar"),
    ("€", "euro"),
    ("£", "pound sterling"),
    ("¥", "yen"),
    ("￥", "yen"),
    ("₹", "rupee"),
    ("₽", "rouble"),
    ("₩", "won"),
    ("₪", "shekel"),
];

/// Units of several words, or with a sign in them, in any case. Of two with the same beginning, the longer comes first.
const PHRASES: &[Row] = &[
    Row(
        "points",
        1.0,
        "percentage_points percentage_point percent_points Prozentpunkte Prozentpunkten points_de_pourcentage puntos_porcentuales 个百分点 パーセントポイント",
    ),
    Row("share", 0.01, "%_CI %_confidence"),
    Row("share", 0.01, "% per_cent pour_cent por_ciento por_cento per_cento パーセント"),
    Row("share", 0.001, "‰ per_mille"),
    Row("share", 0.0001, "basis_points"),
    Row(
        "temperature",
        1.0,
        "°C °_C degrees_Celsius degree_Celsius degrees_centigrade degrees_C Grad_Celsius degrés_Celsius grados_Celsius ℃",
    ),
    Row("fahrenheit", 1.0, "°F °_F degrees_Fahrenheit degree_Fahrenheit degrees_F"),
    Row("length", 1852.0, "nautical_miles nautical_mile"),
    Row("length", 9.4607e15, "light_years light-years"),
    Row("dollar", 1.0, "US_dollars US_dollar"),
    Row("pound sterling", 1.0, "pounds_sterling"),
    Row("euro", 1.0, "€"),
    Row("clock", 1.0, "a.m. p.m."),
];

/// Units of one word. Symbols are case-sensitive, words are in lower case.
const UNITS: &[Row] = &[
    Row("share", 0.01, "% percent pct prozent procent"),
    Row("share", 1e-6, "ppm"),
    Row("share", 1e-9, "ppb"),
    Row("points", 1.0, "pp"),
    Row("points", 1.0, "points point punkte puntos"),
    Row("times", 1.0, "times fold x fach veces fois volte"),
    // Lengths, in metres.
    Row("length", 1.0, "m metre metres meter meters mètre mètres metro metros metern"),
    Row(
        "length",
        1e3,
        "km kilometre kilometres kilometer kilometers kms kilomètres kilómetros kilometern",
    ),
    Row(
        "length",
        1e-2,
        "cm centimetre centimetres centimeter centimeters zentimeter centimètres centímetros",
    ),
    Row("length", 1e-3, "mm millimetre millimetres millimeter millimeters millimètres milímetros"),
    Row("length", 1e-6, "μm µm micrometre micrometres micrometer micrometers micron microns um"),
    Row("length", 1e-9, "nm nanometre nanometres nanometer nanometers"),
    Row("length", 0.3048, "ft foot feet"),
    Row("length", 0.0254, "inch inches"),
    Row("length", 0.9144, "yd yard yards"),
    Row("length", 1609.344, "mi mile miles"),
    // Masses, in grams.
    Row("mass", 1.0, "g gram grams gramme grammes gramm gramos"),
    Row(
        "mass",
        1e3,
        "kg kilogram kilograms kilogramme kilogrammes kilo kilos kilogramm kilogramos",
    ),
    Row("mass", 1e-3, "mg milligram milligrams milligramm miligramos"),
    Row("mass", 1e-6, "μg µg mcg microgram micrograms ug"),
    Row("mass", 1e-9, "ng nanogram nanograms"),
    Row("mass", 1e6, "t tonne tonnes tonnen toneladas"),
    Row("ton", 1.0, "ton tons"),
    Row("mass", 453.592_37, "lb lbs"),
    Row("pound", 1.0, "pound pounds"),
    Row("mass", 28.349_523, "oz ounce ounces"),
    Row("molar mass", 1.0, "Da"),
    Row("molar mass", 1e3, "kDa"),
    // Areas, in square metres.
    Row("area", 1e4, "ha hectare hectares hektar"),
    Row("area", 4046.856, "acre acres"),
    Row("area", 1.0, "m² m2 ㎡"),
    Row("area", 1e6, "km² km2"),
    Row("area", 1e-4, "cm² cm2"),
    Row("area", 1e-6, "mm² mm2"),
    Row("area", 0.092_903, "ft² ft2"),
    // Volumes, in cubic metres.
    Row("volume", 1.0, "m³ m3"),
    Row("volume", 1e9, "km³ km3"),
    Row("volume", 1e-6, "cm³ cm3"),
    Row("volume", 0.028_316_8, "ft³ ft3"),
    Row("volume", 1e-3, "l L litre litres liter liters litros"),
    Row("volume", 1e-6, "ml mL millilitre millilitres milliliter milliliters"),
    Row("volume", 1e-4, "dl dL decilitre decilitres"),
    Row("volume", 1e-9, "μl µl μL µL microlitre microlitres microliter microliters"),
    Row("gallon", 1.0, "gallon gallons"),
    Row("pint", 1.0, "pint pints"),
    // Times, in seconds; months and years do not convert to days.
    Row(
        "time",
        1.0,
        "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos 秒",
    ),
    Row("time", 1e-3, "ms millisecond milliseconds millisekunden"),
    Row("time", 1e-6, "μs µs microsecond microseconds"),
    Row("time", 1e-9, "ns nanosecond nanoseconds"),
    Row("time", 60.0, "min mins minute minutes minuten minuto minutos 分钟 分間"),
    Row("time", 3600.0, "h hr hrs hour hours stunde stunden heure heures hora horas 小时 時間"),
    Row("time", 86_400.0, "day days tag tage tagen jour jours día días dia dias 天 日間"),
    Row("time", 604_800.0, "week weeks woche wochen semaine semaines semana semanas 周 週間"),
    Row("time", 1_209_600.0, "fortnight fortnights"),
    Row("months", 1.0, "month months monat monate monaten mois mes meses 个月 ヶ月"),
    Row(
        "months",
        12.0,
        "year years yr yrs jahr jahre jahren an ans année années año años ano anos 年间 年間",
    ),
    Row("months", 120.0, "decade decades jahrzehnt jahrzehnte décennie décennies década décadas"),
    Row("months", 1200.0, "century centuries jahrhundert jahrhunderte siècle siècles siglo siglos"),
    Row("months", 12_000.0, "millennium millennia"),
    // Speeds and frequencies.
    Row("length/time", 1.0 / 3.6, "kph kmh"),
    Row("length/time", 0.447_04, "mph"),
    Row("length/time", 0.514_444, "knot knots kn"),
    Row("turns/time", 1.0, "rpm"),
    Row("frequency", 1.0, "Hz hertz"),
    Row("frequency", 1e3, "kHz kilohertz"),
    Row("frequency", 1e6, "MHz megahertz"),
    Row("frequency", 1e9, "GHz gigahertz"),
    // Data, in bytes; kB counts as 1,000 bytes, though some mean 1,024.
    Row("bits", 1.0, "bit bits"),
    Row("data", 1.0, "byte bytes octets"),
    Row("data", 1e3, "kB KB kilobyte kilobytes"),
    Row("data", 1e6, "MB megabyte megabytes"),
    Row("data", 1e9, "GB gigabyte gigabytes"),
    Row("data", 1e12, "TB terabyte terabytes"),
    Row("data", 1e15, "PB petabyte petabytes"),
    Row("data", 1024.0, "KiB kibibytes"),
    Row("data", 1_048_576.0, "MiB mebibyte mebibytes"),
    Row("data", 1_073_741_824.0, "GiB gibibyte gibibytes"),
    Row("data", 1_099_511_627_776.0, "TiB tebibyte tebibytes"),
    Row("bits/time", 1e3, "kbps kbit"),
    Row("bits/time", 1e6, "Mbps Mbit"),
    Row("bits/time", 1e9, "Gbps Gbit"),
    Row("pixels", 1.0, "px pixel pixels"),
    // Temperatures and angles.
    Row("temperature", 1.0, "celsius centigrade"),
    Row("kelvin", 1.0, "K kelvin kelvins"),
    Row("degrees", 1.0, "° degree degrees deg grad degrés grados"),
    // Energy, in joules, and power, in watts.
    Row("energy", 1.0, "J joule joules"),
    Row("energy", 1e3, "kJ kilojoule kilojoules"),
    Row("energy", 1e6, "MJ"),
    Row("energy", 1e9, "GJ"),
    Row("energy", 4.184, "cal"),
    Row("calories", 1.0, "calorie calories"),
    Row("energy", 4184.0, "kcal kilocalorie kilocalories"),
    Row("power", 1.0, "W watt watts"),
    Row("power", 1e3, "kW kilowatt kilowatts"),
    Row("power", 1e6, "MW megawatt megawatts"),
    Row("power", 1e9, "GW gigawatt gigawatts"),
    Row("power", 1e12, "TW terawatt terawatts"),
    Row("power", 1e-3, "mW milliwatt milliwatts"),
    Row("energy", 3600.0, "Wh"),
    Row("energy", 3.6e6, "kWh"),
    Row("energy", 3.6e9, "MWh"),
    Row("energy", 3.6e12, "GWh"),
    Row("energy", 3.6e15, "TWh"),
    Row("electronvolt", 1.0, "eV"),
    Row("electronvolt", 1e3, "keV"),
    Row("electronvolt", 1e6, "MeV"),
    Row("electronvolt", 1e9, "GeV"),
    Row("electronvolt", 1e12, "TeV"),
    // Electricity.
    Row("voltage", 1.0, "V volt volts"),
    Row("voltage", 1e-3, "mV millivolt millivolts"),
    Row("voltage", 1e3, "kV kilovolt kilovolts"),
    Row("voltage", 1e6, "MV megavolt megavolts"),
    Row("conductance", 1.0, "S siemens"),
    Row("conductance", 1e-3, "mS millisiemens"),
    Row("conductance", 1e-6, "μS µS microsiemens"),
    Row("conductance", 1e6, "MS"),
    Row("current", 1.0, "A amp amps ampere amperes"),
    Row("current", 1e-3, "mA milliamp milliamps milliampere milliamperes"),
    Row("charge", 1.0, "Ah ampere-hours"),
    Row("charge", 1e-3, "mAh"),
    Row("resistance", 1.0, "Ω ohm ohms Ohm"),
    Row("resistance", 1e-3, "mΩ mOhm milliohm milliohms"),
    Row("resistance", 1e3, "kΩ kOhm kiloohm kilohms"),
    // Pressures and forces.
    Row("pressure", 1.0, "Pa pascal pascals"),
    Row("pressure", 1e2, "hPa"),
    Row("pressure", 1e3, "kPa kilopascal kilopascals"),
    Row("pressure", 1e6, "MPa"),
    Row("pressure", 1e9, "GPa"),
    Row("pressure", 1e5, "bar bars"),
    Row("pressure", 1e2, "mbar millibar millibars"),
    Row("pressure", 6894.757, "psi"),
    Row("pressure", 101_325.0, "atm"),
    Row("pressure", 133.322, "mmHg"),
    Row("force", 1.0, "N newton newtons"),
    Row("force", 1e3, "kN"),
    // Amounts, doses and levels.
    Row("amount", 1.0, "mol mole moles"),
    Row("amount", 1e-3, "mmol millimole millimoles"),
    Row("amount", 1e-6, "μmol µmol micromole micromoles"),
    Row("amount", 1e-9, "nmol nanomole nanomoles"),
    Row("concentration", 1e-3, "mM"),
    Row("concentration", 1e-6, "μM µM"),
    Row("concentration", 1e-9, "nM"),
    Row("units", 1.0, "IU"),
    Row("level", 1.0, "dB decibel decibels"),
    Row("activity", 1.0, "Bq becquerel becquerels"),
    Row("dose", 1.0, "Sv sievert sieverts"),
    Row("dose", 1e-3, "mSv"),
    Row("absorbed dose", 1.0, "Gy"),
    Row("illuminance", 1.0, "lux"),
    // Money.
    Row("dollar", 1.0, "dollar dollars dólares USD"),
    Row("cent", 1.0, "cent cents"),
    Row("euro", 1.0, "euro euros EUR"),
    Row("pound sterling", 1.0, "GBP"),
    Row("yen", 1.0, "yen JPY 円"),
    Row("chf", 1.0, "CHF"),
    Row("franc", 1.0, "franc francs franken"),
    Row("rupee", 1.0, "rupee rupees INR"),
    Row("rouble", 1.0, "rouble roubles ruble rubles"),
    Row("yuan", 1.0, "yuan CNY 元"),
    Row("peso", 1.0, "peso pesos"),
    Row("mark", 1.0, "mark marks"),
    Row("krone", 1.0, "krone kroner krona kronor"),
];
