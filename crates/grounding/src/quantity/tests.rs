use proptest::prelude::*;

use super::*;
use crate::fold::{LineEnd, fold};

fn check_quantities(claim: &str, source: &str) -> Vec<Borne> {
    let read = |text: &str| scan(&fold(text, LineEnd::Joined).text);
    let mut known = Known::default();
    known.add(read(source));
    known.add_years(&read(source));
    let claimed = read(claim);
    claimed.iter().filter(|one| one.is_told).map(|one| known.bears_out(one)).collect()
}

fn check(claim: &str, source: &str, holds: bool) {
    let borne = check_quantities(claim, source);
    let held = borne.iter().all(|one| *one == Borne::Out);
    let folded = fold(claim, LineEnd::Joined).text;
    assert_eq!(held, holds, "{claim:?} by {source:?}: {borne:?} {:#?}", scan(&folded));
}

// proves: C4, C20
#[test]
fn the_same_quantity_agrees_however_it_is_written() {
    for (claim, source) in [
        ("40.0 of them", "40 of them"),
        ("40 per cent of birds", "40% of birds"),
        ("Some 1.5 million people came", "Around 1.5m people came"),
        ("in the early 1960s", "opened in 1962"),
        ("in the 19th century", "born in 1812"),
        ("12 or more bolts", "at least a dozen bolts"),
        ("half a percentage point", "by 0.5 percentage points"),
        ("half of a percentage point", "by 0.5 percentage points"),
        ("an hour and a half", "held for 90 minutes"),
        ("a ratio of .72 (p=.016)", "0.72, p = 0.016"),
        ("the third quarter of 2023", "Q3 2023"),
        ("in 2022/2023", "in FY2022/23"),
        ("床面積は12,000㎡だ", "12,000 m²"),
        ("20 personnes", "une vingtaine de personnes"),
        ("near-zero downtime", "no downtime"),
        ("1,000 nests", "1000 nests"),
        ("3.5 million nests", "3,500,000 nests"),
        ("a 1.2-million-document corpus", "1.2 million documents"),
        ("twenty-one eggs", "21 eggs"),
        ("two hundred and fifty", "250"),
        ("zero", "set it to 0"),
        ("the interval includes zero", "−0.9 (−1.9 to 0.1)"),
        ("in the 21st century", "in the twenty-first century"),
        ("by the eighth week", "by week 8"),
        ("on 12 March 2011", "on March 12th, 2011"),
        ("on 2011-03-12", "on 12 March 2011 at noon"),
        ("in 2011", "on 12 March 2011"),
        ("in March 2011", "on 12 Mar. 2011"),
        ("the end of October 2023", "by 31 October 2023"),
        ("the winter of 2011-12", "the winter of 2011–12"),
        ("until 2012", "2011–12"),
        ("10 to 15%", "10-15 %"),
        ("between 10 and 15 kg", "10-15 kilograms"),
        ("the $3,600 that it charges", "$3,600 a year"),
        ("$21 million per year", "worth $21 million in 2025"),
        ("EUR 3.2 billion a year", "sales of €3.2 billion in the year 2024"),
        ("down from 24.9 % a year earlier", "24.9 % in 2025"),
        ("down from two thirds a year ago", "66 % in 2025"),
        ("down from half a year ago", "50 % in 2025"),
        ("it began half a year ago", "6 months"),
        ("$5m was paid", "$5 million was paid"),
        ("186,000 euros", "€186,000"),
        ("5 km/h", "5 kilometres per hour"),
        ("1.2 metres a second", "1.2 m/s"),
        ("3 × 10⁵ cells", "300,000 cells"),
        ("3 × 10^(-5) of them", "0.00003 of them"),
        ("a million cells", "10⁶ cells"),
        ("10^6 cells", "1,000,000 cells"),
        ("a limit of 10⁻³ M", "a limit of 0.001 M"),
        ("1,024 leaves", "2¹⁰ leaves"),
        ("in 2011", "in 2011³ the count"),
        ("34.5 %", "34.5¹ %"),
        ("7 eggs", "7¹ eggs"),
        ("5-year plan", "plan of 5 years"),
        ("-5 °C", "-5 degrees Celsius"),
        ("31.6 degrees below zero", "−31.6 °C"),
        ("thirty centimetres", "0.3 m"),
        ("1.5 milliohms", "1.5 mΩ"),
        ("six weeks", "42 days"),
        ("three quarters of an hour", "45 minutes"),
        ("a quarter of the risk", "25 % of the risk"),
        ("half of the memory", "50 % of memory"),
        ("one in five", "21 %"),
        ("three in five", "61 %"),
        ("roughly three passengers in five", "61 %"),
        ("one rider out of three", "33 %"),
        ("gut vier von fünf App-Käufern", "81 %"),
        ("seit 2025 um 38,3 Punkte", "38.3 points since 2025"),
        ("about 90 %", "90.4 %"),
        ("just over nine years", "9.3 years"),
        ("two and a half days", "2.5 days"),
        ("a further two and a half", "2.5 more"),
        ("a minute per hundred thousand documents", "one minute per 100,000 documents"),
        ("1 hour", "an hour"),
        ("at 5 pm", "at 17:00"),
        ("fell by 3.1 days", "a change of −3.1 days"),
        ("doubled", "twice as many"),
        ("dreiundzwanzig der Tiere und die Hunde", "23 animals"),
        ("vingt et un des chiens sont dans la rue", "21 dogs"),
        ("库容为三千二百万立方米", "32,000,000"),
        ("建于1958年", "built in 1958"),
        ("百分之五", "5 %"),
        ("2011年3月12日", "12 March 2011"),
    ] {
        check(claim, source, true);
    }
}

// proves: C4, C20
#[test]
fn another_quantity_does_not() {
    for (claim, source) in [
        ("15 %", "10-14 %"),
        ("a shift of +12 mV", "a shift of −12 mV"),
        ("106 cells", "10⁶ cells"),
        ("10 cells", "10⁶ cells"),
        ("10⁵ cells", "10⁶ cells"),
        ("10³ cells", "10⁻³ cells"),
        ("20113 birds", "in 2011³ birds"),
        ("a shift of plus 12 mV", "a shift of −12 mV"),
        ("−12 MV", "−12 mV"),
        ("5.8 mS/m", "5.8 MS/m"),
        ("in the 1950s", "in 1962"),
        ("in the 18th century", "born in 1812"),
        ("two dozen bolts", "a dozen bolts"),
        ("une trentaine de personnes", "une vingtaine de personnes"),
        ("5 mg", "5 g"),
        ("40%", "40 gulls and 40 kg"),
        ("5 million", "5 billion"),
        ("16 hours", "16 minutes"),
        ("nine tonnes", "9.0 kg"),
        ("four seconds", "4 ms"),
        ("1.7 per cent", "1.7 percentage points"),
        ("18 schools", "at 18:00"),
        ("at 18:00", "18 schools"),
        ("5 gulls", "5 March"),
        ("12 April 2011", "12 March 2011"),
        ("5 March 2011", "12 March and 5 April 2011"),
        ("in 2012", "in 2011"),
        ("90 %", "90.4 %"),
        ("about 80 %", "90.4 %"),
        ("31.6 °C", "−31.6 °C"),
        ("-5 °C", "5 °C"),
        ("thirty centimetres", "30 m"),
        ("a third of them", "a quarter of them"),
        ("one in three", "21 %"),
        ("version 3 kg", "version 4.3.1"),
        ("two hundred", "two thousand"),
        ("1½ hours", "1 hour"),
        ("10:30", "10:45"),
        ("三百只海鸥", "两百只海鸥"),
        ("$5", "€5"),
        ("$5 per day", "$5"),
        ("$5 per day", "$5 in 2025"),
        ("$21 million per year", "worth $21 million"),
        ("$21 million per year", "worth $22 million in 2025"),
        ("5 km", "5 km/h"),
        ("5 mg per day", "5 mg per week"),
        ("drei der Hunde und die Katze", "vier der Hunde und die Katze"),
        ("2.5 days", "25 days"),
        ("the interval includes zero", "0.9 (0.1 to 1.9)"),
    ] {
        check(claim, source, false);
    }
}

// proves: C20
#[test]
fn what_is_hardly_a_number_is_not_asked_for() {
    for claim in [
        "one of them came first",
        "a second person, once",
        "synchronised first",
        "cells of type 3C and E1 in version 4.3.1 of K-3 at /v1/search",
        "一些人统一了",
    ] {
        check(claim, "nothing", true);
    }
}

#[test]
fn a_cell_has_the_unit_of_its_column_or_row() {
    let row = "| Slag (kg) | 8.4 | 9.0 |";
    let mut known = Known::default();
    known.add(scan_row(row, "| Category | C | Total |"));
    let says = |claim: &str| scan(claim).iter().all(|one| known.bears_out(one) == Borne::Out);
    assert!(says("9.0 kg") && says("8,400 g") && !says("nine tonnes"));
    let mut known = Known::default();
    known.add(scan_row("| 1961-1990 | 2.1 |", "| Period | Temperature (°C) |"));
    let says = |claim: &str| scan(claim).iter().all(|one| known.bears_out(one) == Borne::Out);
    assert!(says("2.1 °C") && !says("2.1 mm"));
}

#[test]
fn cells_stand_between_bars() {
    let check = |row: &str, expected: &[&str]| {
        let found: Vec<&str> = cells(row).into_iter().map(|cell| &row[cell]).collect();
        assert_eq!(found, expected, "{row:?}");
    };
    check("| a | b  |c|", &["a", "b", "c"]);
    check("|  | b |", &["", "b"]);
    check(r"| a \| b | c |", &[r"a \| b", "c"]);
    check("a | b", &["a", "b"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_can_be_scanned(text in "(?s)(.|[0-9a-z., %$:-]|two|hundred|million|March|half|三|to| ){0,30}") {
        let text = fold(&text, LineEnd::Joined).text;
        let mut last = 0;
        for quantity in scan(&text) {
            prop_assert!(quantity.at.start >= last, "{:?}", quantity);
            prop_assert!(text.get(quantity.at.clone()).is_some_and(|slice| !slice.is_empty()));
            prop_assert!(!quantity.readings.is_empty());
            last = quantity.at.end;
        }
        scan_row(&text, &text);
    }

    // proves: C4, C20
    #[test]
    fn a_number_agrees_with_itself_and_no_other(a in 0u32..5_000_000, b in 0u32..5_000_000) {
        let claim = format!("{a} nests");
        prop_assert_eq!(check_quantities(&claim, &format!("{a} nests")), vec![Borne::Out]);
        prop_assert_eq!(check_quantities(&claim, &format!("{b} nests")) == vec![Borne::Out], a == b);
    }
}

// proves: C10
#[test]
fn amounts_are_told_by_what_they_are_of() {
    use Of::{Count, Data, Date, Duration, Measure, Money, Share, TimeOfDay};
    let check = |text: &str, expected: &[Of]| assert_eq!(find_amounts(text), expected, "{text}");
    check("11.00 euros on 3 May 2024, at 9:30", &[Money, Date, TimeOfDay]);
    check("£40 a day for 3 weeks", &[Money, Duration]);
    check("about 12 % of 64 KiB", &[Share, Data]);
    check("33.1km, 6700 objects", &[Measure, Count]);
    check("150 Euro und 30 Minuten", &[Money, Duration]);
    check("560円、1971年11月", &[Money, Date]);
    check("None at all.", &[]);
}
