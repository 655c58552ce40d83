//! Statistics compared with numpy, scipy and statsmodels, run by the Python that `QUAESTIO_REFERENCE_PYTHON` names; it must have the packages of
//! `tests/reference/requirements.txt`. The data are made here and handed over as CSV.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use survey::distributions::{
    chi_square_tail, f_tail, normal_quantile, normal_two_sided, t_quantile, t_two_sided,
};
use survey::figure::{Condition, Correction, Measure, Rules, Spec, Test, Weighting};
use survey::project::Project;
use survey::table::{RowKind, banner};

#[allow(dead_code, reason = "shared with the tests of statistics, which use more of it")]
#[path = "statistics/study.rs"]
mod study;
use study::{NONE, build_project, column, dichotomies, numeric, scale, single};

const RESPONDENTS: usize = 5_000;
// The questions, by their places.
const Q: usize = 0;
const NPS: usize = 1;
const N: usize = 2;
const M: usize = 3;
const B: usize = 4;
const C: usize = 5;
const N1: usize = 6;
const N2: usize = 7;

/// A number from 0 to 1 for a respondent and a column, by splitmix64.
fn chance(row: usize, column: u64) -> f64 {
    let mut x = (row as u64)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(column.wrapping_mul(0xD1B5_4A32_D192_ED03));
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    (x ^ (x >> 31)) as f64 / 2.0_f64.powi(64)
}

/// Returns the columns of the study by their names, in their order.
fn build_columns() -> Vec<(&'static str, Vec<f64>)> {
    let made = |of: &dyn Fn(usize) -> f64| (0..RESPONDENTS).map(of).collect::<Vec<f64>>();
    let b = |row: usize| (chance(row, 1) * 3.0).floor() + 1.0;
    let unless = |row: usize, column: u64, share: f64, value: f64| {
        if chance(row, column) < share { NONE } else { value }
    };
    let q = |row: usize| {
        let at = (chance(row, 2) * 0.9 + 0.05 * (b(row) - 1.0)).min(0.999);
        unless(row, 3, 0.06, (at * 5.0).floor() + 1.0)
    };
    let nps = |row: usize| match unless(row, 5, 0.1, (chance(row, 4) * 11.0).floor()) {
        // Nobody of the second segment says 3, so a cell of the table is empty.
        3.0 if b(row) == 2.0 => 4.0,
        value => value,
    };
    let n = |row: usize| unless(row, 7, 0.05, 1e4 + chance(row, 6) * 5e3);
    let m = |row: usize, number: u64| match chance(row, 8) {
        silent if silent < 0.08 => NONE,
        silent if silent < 0.15 && number == 1 => NONE,
        _ => f64::from(u8::from(chance(row, 8 + number) < 0.2 * number as f64 + 0.1)),
    };
    let pair = |row: usize, n: f64| unless(row, 20, 0.07, n);
    vec![
        ("q", made(&q)),
        ("nps", made(&nps)),
        ("n", made(&n)),
        ("m1", made(&|row| m(row, 1))),
        ("m2", made(&|row| m(row, 2))),
        ("m3", made(&|row| m(row, 3))),
        ("b", made(&b)),
        ("c", made(&|row| (chance(row, 14) * 3.0).floor() + 1.0)),
        (
            "w",
            made(&|row| match row {
                row if row % 50 == 0 => 0.0,
                row if row % 77 == 0 => NONE,
                row if row % 91 == 0 => -1.5,
                row => 0.3 + 2.0 * chance(row, 15) * chance(row, 16),
            }),
        ),
        ("n1", made(&|row| pair(row, (chance(row, 17) * 20.0).floor()))),
        ("n2", made(&|row| pair(row, (chance(row, 17) * 19.0 + chance(row, 18) * 3.0).floor()))),
    ]
}

fn made() -> Project {
    let named = build_columns().into_iter().map(|(name, numbers)| column(name, numbers));
    let points = |from: u8, to: u8| (from..=to).map(f64::from).collect::<Vec<f64>>();
    build_project(
        named.collect(),
        vec![
            scale("Q", 0, &points(1, 5)),
            scale("NPS", 1, &points(0, 10)),
            numeric("N", 2),
            dichotomies("M", &[3, 4, 5]),
            single("B", 6, &points(1, 3)),
            single("C", 7, &points(1, 3)),
            numeric("N1", 9),
            numeric("N2", 10),
        ],
        Some(8),
    )
}

/// Returns what the script prints of the same data.
fn run_reference() -> BTreeMap<String, f64> {
    let columns = build_columns();
    let mut csv = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..RESPONDENTS {
        let cells = columns.iter().map(|(_, numbers)| match numbers[row] {
            number if number.is_nan() => String::new(),
            number => format!("{number:?}"),
        });
        let _ = writeln!(csv, "{}", cells.collect::<Vec<_>>().join(","));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made.csv");
    std::fs::write(&path, csv).unwrap();
    let python = std::env::var("QUAESTIO_REFERENCE_PYTHON")
        .expect("QUAESTIO_REFERENCE_PYTHON names a Python with the packages of requirements.txt");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/statistics.py");
    let output = Command::new(python).arg(script).arg(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn spec(question: usize, measure: Measure, segment: Option<(usize, usize)>) -> Spec {
    let condition = |(question, answer)| Condition { question, answers: vec![answer] };
    Spec {
        study: 0,
        question,
        measure,
        segment: segment.into_iter().map(condition).collect(),
        weighting: Weighting::Study,
    }
}

/// The two most favourable answers.
fn top() -> Measure {
    Measure::Share(vec![3, 4])
}

const KISH: Rules = Rules {
    alpha: 0.05,
    strict_alpha: 0.01,
    low_base: 100,
    least_base: 30,
    test: Test::EffectiveBase,
    correction: Correction::None,
    confidence: 0.95,
};
const TAYLOR: Rules = Rules { test: Test::Linearised, ..KISH };
const UNWEIGHTED: Rules = Rules { test: Test::UnweightedBase, ..KISH };

type Found = BTreeMap<String, f64>;

fn figures(project: &Project, found: &mut Found) {
    for segment in [None, Some(0), Some(1), Some(2)] {
        let name = segment.map_or("all".to_owned(), |place| format!("b{}", place + 1));
        let segment = segment.map(|place| (B, place));
        let mut put = |what: &str, value: f64| {
            found.insert(format!("{name}{what}"), value);
        };
        let figure = |question: usize, measure: Measure, rules: &Rules| {
            project.figure(&spec(question, measure, segment), rules).unwrap()
        };
        for (what, measure) in [
            (".base", Measure::Base),
            (".weighted", Measure::WeightedBase),
            (".effective", Measure::EffectiveBase),
            (".median", Measure::Median),
            (".sd", Measure::Sd),
        ] {
            put(what, figure(Q, measure, &KISH).value);
        }
        for (what, measure, linearised) in
            [(".share", top(), ".share.logit"), (".mean", Measure::Mean, "")]
        {
            let by_base = figure(Q, measure.clone(), &KISH);
            put(what, by_base.value);
            put(&format!("{what}.error"), by_base.error.unwrap());
            put(&format!("{what}.low"), by_base.interval.unwrap().0);
            put(&format!("{what}.high"), by_base.interval.unwrap().1);
            let taylor = figure(Q, measure, &TAYLOR);
            put(&format!("{what}.linearised"), taylor.error.unwrap());
            if !linearised.is_empty() {
                put(&format!("{linearised}.low"), taylor.interval.unwrap().0);
                put(&format!("{linearised}.high"), taylor.interval.unwrap().1);
            }
        }
        let nps = figure(NPS, Measure::Nps, &KISH);
        put(".nps", nps.value);
        put(".nps.error", nps.error.unwrap());
        put(".n.mean", figure(N, Measure::Mean, &KISH).value);
        put(".n.sd", figure(N, Measure::Sd, &KISH).value);
        put(".n.median", figure(N, Measure::Median, &KISH).value);
    }
}

fn pairs(project: &Project, found: &mut Found) {
    let mut raw = vec![];
    for (one, other) in [(0, 1), (0, 2), (1, 2)] {
        let name = format!("b{}-b{}", one + 1, other + 1);
        let compared = |measure: Measure, rules: &Rules| {
            let of = |place| spec(Q, measure.clone(), Some((B, place)));
            project.compare(&of(one), &of(other), rules).unwrap()
        };
        let mut put = |what: &str, value: Option<f64>| {
            found.insert(format!("{name}.{what}"), value.unwrap());
        };
        let share = compared(top(), &KISH);
        raw.push(share.p);
        put("share.p", share.p);
        put("share.unweighted.p", compared(top(), &UNWEIGHTED).p);
        put("share.linearised.p", compared(top(), &TAYLOR).p);
        let mean = compared(Measure::Mean, &KISH);
        put("mean.p", mean.p);
        put("mean.error", mean.error);
        put("mean.high", mean.interval.map(|(_, high)| high));
        put("mean.linearised.p", compared(Measure::Mean, &TAYLOR).p);
    }
    for (name, correction) in
        [("holm", Correction::Holm), ("benjamini_hochberg", Correction::BenjaminiHochberg)]
    {
        for (at, p) in survey::adjust::adjusted(correction, &raw).into_iter().enumerate() {
            found.insert(format!("{name}.{at}"), p.unwrap());
        }
    }
}

fn dependent(project: &Project, found: &mut Found) {
    let overlap = |measure: Measure, rules: &Rules| {
        let of = |segment| spec(Q, measure.clone(), Some(segment));
        project.compare(&of((B, 0)), &of((C, 0)), rules).unwrap()
    };
    let same = |question: usize, one: usize, other: usize| {
        let of = |answer| spec(question, Measure::Share(vec![answer]), None);
        project.compare(&of(one), &of(other), &KISH).unwrap()
    };
    let means = |question| spec(question, Measure::Mean, None);
    let (answers, columns) = (same(Q, 4, 0), same(M, 0, 1));
    let m = |measure| project.figure(&spec(M, measure, None), &KISH).unwrap().value;
    for (name, value) in [
        ("overlap.share.linearised", overlap(top(), &TAYLOR).error),
        ("overlap.mean.linearised", overlap(Measure::Mean, &TAYLOR).error),
        ("overlap.share.p", overlap(top(), &KISH).p),
        ("answers.error", answers.error),
        ("answers.p", answers.p),
        ("columns.error", columns.error),
        ("columns.p", columns.p),
        ("pairs.p", project.compare(&means(N1), &means(N2), &KISH).unwrap().p),
        ("m.base", Some(m(Measure::Base))),
        ("m.share", Some(m(Measure::Share(vec![0])))),
        ("m.any", Some(m(Measure::Share(vec![0, 1])))),
    ] {
        found.insert(name.to_owned(), value.unwrap());
    }
    for (name, question) in [("q", Q), ("nps", NPS)] {
        let tested = project.association(0, question, B, Weighting::Study).unwrap();
        let corrected = tested.rao_scott.unwrap();
        for (what, value) in [
            ("chi_square", tested.chi_square),
            ("effective.p", tested.p_effective),
            ("f", corrected.f),
            ("degrees", corrected.degrees),
            ("p", corrected.p),
        ] {
            found.insert(format!("{name}.{what}"), value);
        }
    }
}

/// Returns a tail or a quantile by its name in the script, "what degrees degrees_below at".
fn tail(name: &str) -> Option<f64> {
    let mut words = name.split(' ');
    let what = words.next()?;
    let [degrees, below, at] = [(); 3].map(|()| words.next().and_then(|word| word.parse().ok()));
    let (degrees, below, at) = (degrees?, below?, at?);
    Some(match what {
        "t" => t_two_sided(at, degrees),
        "t_quantile" => t_quantile(at, degrees),
        "normal" => normal_two_sided(at),
        "normal_quantile" => normal_quantile(at),
        "chi_square" => chi_square_tail(at, degrees),
        "f" => f_tail(at, degrees, below),
        _ => return None,
    })
}

// proves: B5
#[test]
fn statistics_are_those_of_numpy_scipy_and_statsmodels() {
    let project = made();
    let mut found = Found::new();
    figures(&project, &mut found);
    pairs(&project, &mut found);
    dependent(&project, &mut found);
    let reference = run_reference();
    let mut far = vec![];
    for (name, expected) in &reference {
        let value = found.remove(name).or_else(|| tail(name));
        let value = value.unwrap_or_else(|| panic!("nothing here is {name}"));
        let off = if value == *expected { 0.0 } else { (value - expected).abs() / expected.abs() };
        // A tail below 1e-290 has no digits that anybody needs.
        if off.is_nan() || (off > 1e-9 && expected.abs() > 1e-290) {
            far.push(format!("{name}: {value:e} and not {expected:e} ({off:.1e})"));
        }
    }
    assert!(found.is_empty(), "the script does not print {:?}", found.keys());
    assert!(far.is_empty(), "{} of {}:\n{}", far.len(), reference.len(), far.join("\n"));
}

// proves: B5
#[test]
fn the_letters_of_a_table_are_those_of_the_script() {
    let (project, reference) = (made(), run_reference());
    let rules = Rules { correction: Correction::Holm, ..KISH };
    let table = banner(&project, 0, Q, &[B], Weighting::Study, &rules).unwrap();
    let row = table.rows.iter().find(|row| row.kind == RowKind::Boxed).unwrap();
    for (at, (one, other)) in [(0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
        let p = reference[&format!("holm.{at}")];
        let share = |place: usize| reference[&format!("b{}.share", place + 1)];
        let (higher, lower) = if share(one) > share(other) { (one, other) } else { (other, one) };
        let letter = ["A", "B", "C"][lower];
        let letters = &row.cells[higher + 1].letters;
        assert_eq!(letters.contains(letter), p < 0.01);
        assert_eq!(letters.to_uppercase().contains(letter), p < 0.05);
    }
}
