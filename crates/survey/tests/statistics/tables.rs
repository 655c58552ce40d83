use proptest::prelude::*;
use survey::figure::{Correction, Level, Measure, Rules, Spec, Test, Weighting};
use survey::project::Project;
use survey::table::{RowKind, Table, banner, banners, waves};

use crate::study::*;

fn shown(table: &Table) -> String {
    let mut lines = vec![];
    let bases = table
        .columns
        .iter()
        .map(|column| format!("{} {} {:.1}", column.label, column.letter, column.base.weighted));
    lines.push(bases.collect::<Vec<_>>().join(" | "));
    for row in &table.rows {
        let cells = row.cells.iter().map(|cell| match cell.value {
            Some(value) => format!("{value:.3} {}", cell.letters).trim().to_owned(),
            None => "-".to_owned(),
        });
        lines.push(format!(
            "{:?} {}: {}",
            row.kind,
            row.label,
            cells.collect::<Vec<_>>().join(" | ")
        ));
    }
    lines.extend(table.footer.clone());
    lines.extend(table.intervals.clone());
    lines.join("\n")
}

/// A scale and a set of answers, by two banner questions.
fn tea() -> Project {
    let rows = || 0..240_usize;
    let number = |number: usize| number as f64;
    build_project(
        vec![
            column(
                "q",
                rows().map(
                    |row| if row % 17 == 3 { NONE } else { number((row * 7 + row / 80) % 5 + 1) },
                ),
            ),
            column("region", rows().map(|row| number(row / 80 + 1))),
            column("sex", rows().map(|row| number(row % 2 + 1))),
            column("weight", rows().map(|row| number(row % 3) * 0.5 + 0.5)),
            column("m1", rows().map(|row| number(usize::from(row < 60 || row % 5 == 0)))),
            column("m2", rows().map(|row| number(usize::from(row > 200 || row % 3 == 0)))),
            column("rare", rows().map(|row| if row < 20 { 1.0 } else { 2.0 })),
        ],
        vec![
            net(scale("Q", 0, &[1.0, 2.0, 3.0, 4.0, 5.0]), "Any good", &[2, 4]),
            single("REGION", 1, &[1.0, 2.0, 3.0]),
            single("SEX", 2, &[1.0, 2.0]),
            net(dichotomies("M", &[4, 5]), "Any", &[0, 1]),
            single("RARE", 6, &[1.0, 2.0]),
        ],
        Some(3),
    )
}

// proves: B5
#[test]
fn a_table_has_what_practitioners_expect() {
    let rules = Rules::default();
    let table = banner(&tea(), 0, 0, &[1, 2, 3], Weighting::Study, &rules).unwrap();
    insta::assert_snapshot!(shown(&table), @r"
    Total  226.0 | answer 1 A 74.5 | answer 2 B 75.5 | answer 3 C 76.0 | answer 1 D 112.5 | answer 2 E 113.5 | option 4 F 91.0 | option 5 G 68.5
    Answer answer 1: 0.192 | 0.188 | 0.192 | 0.197 | 0.173 | 0.211 | 0.154 | 0.190
    Answer answer 2: 0.204 | 0.201 | 0.212 | 0.197 | 0.209 | 0.198 | 0.302 | 0.190
    Net Any good: 0.405 | 0.403 | 0.397 | 0.414 | 0.413 | 0.396 | 0.418 | 0.409
    Answer answer 3: 0.199 | 0.195 | 0.205 | 0.197 | 0.200 | 0.198 | 0.297 | 0.197
    Answer answer 5: 0.206 | 0.208 | 0.192 | 0.217 | 0.213 | 0.198 | 0.121 | 0.212
    Answer answer 4: 0.199 | 0.208 | 0.199 | 0.191 | 0.204 | 0.194 | 0.126 | 0.212
    Boxed Top 2 box: 0.405 | 0.416 | 0.391 | 0.408 | 0.418 | 0.392 | 0.247 | 0.423
    Boxed Bottom 2 box: 0.396 | 0.389 | 0.404 | 0.395 | 0.382 | 0.410 | 0.456 | 0.380
    Mean Mean: 3.022 | 3.047 | 2.987 | 3.033 | 3.076 | 2.969 | 2.758 | 3.066
    Median Median: 3.000 | 3.000 | 3.000 | 3.000 | 3.000 | 3.000 | 3.000 | 3.000
    Sd Standard deviation: 1.416 | 1.421 | 1.405 | 1.440 | 1.404 | 1.431 | 1.219 | 1.426
    Se Standard error: 0.102 | 0.177 | 0.175 | 0.178 | 0.143 | 0.145 | 0.139 | 0.159
    Sigma Sigma: 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000
    NoAnswer Not asked or no answer: 0.058 | 0.063 | 0.056 | 0.056 | 0.062 | 0.054 | 0.052 | 0.055
    Weighted by weight; respondents without a weight above 0 are left out.
    Base: respondents who answered the question; shares are of these.
    Not asked or no answer is a share of everyone in the column; the data do not distinguish the two.
    Columns of the same banner question are tested against each other, two-sided: shares with the pooled z test on Kish's effective base, means with the Welch t test on Kish's effective base.
    The letter in a cell names a column with a significantly lower value: small for p < 0.05, capital for p < 0.01.
    P-values are not corrected for multiple tests.
    Columns of a banner question with several answers overlap and are not tested.
    * Base, or effective base, below 100 respondents.
    The standard deviation is sqrt(Σw(x - m)² / (Σw - 1)), as in SPSS; the standard error of the mean is sqrt(Σw(x - m)² / Σw / (n - 1)), n being Kish's effective base.
    Intervals are at 95 % confidence, Wilson's for shares, Student's for means.
    ");
    let table = banner(&tea(), 0, 3, &[4, 1], Weighting::Nobody, &rules).unwrap();
    insta::assert_snapshot!(shown(&table), @r"
    Total  240.0 | answer 1 A 20.0 | answer 2 B 220.0 | answer 1 C 80.0 | answer 2 D 80.0 | answer 3 E 80.0
    Net Any: 0.688 | - | 0.659 | 0.863 De | 0.475 | 0.725 D
    Answer option 4: 0.400 | - | 0.345 | 0.800 DE | 0.200 | 0.200
    Answer option 5: 0.442 | - | 0.450 | 0.338 | 0.338 | 0.650 CD
    Sigma Sigma: 0.842 | - | 0.795 | 1.137 | 0.537 | 0.850
    NoAnswer Not asked or no answer: 0.000 | - | 0.000 | 0.000 | 0.000 | 0.000
    Not weighted.
    Base: respondents who answered the question; shares are of these.
    Not asked or no answer is a share of everyone in the column; the data do not distinguish the two.
    Several answers were possible, so shares may add up to more than 100 %.
    Columns of the same banner question are tested against each other, two-sided: shares with the pooled z test on Kish's effective base.
    The letter in a cell names a column with a significantly lower value: small for p < 0.05, capital for p < 0.01.
    P-values are not corrected for multiple tests.
    * Base below 100 respondents.
    ** Base below 30 respondents: not shown and not tested.
    Intervals are at 95 % confidence, Wilson's for shares.
    ");
    assert_eq!(table.columns[1].level, Level::TooLow);
}

/// A scale from 0 to 10 with a "don't know", and some who said nothing.
fn recommending() -> Project {
    let points: Vec<f64> = (0..=10).map(f64::from).collect();
    let mut asked = scale("R", 0, &[points.as_slice(), &[98.0]].concat());
    asked.text = "How likely are you to recommend us?".into();
    if let Some(unsure) = asked.answers.last_mut() {
        unsure.score = None;
    }
    let given = (0..200_usize).map(|row| match row {
        row if row % 20 == 1 => NONE,
        row if row % 10 == 2 => 98.0,
        row => points[(row * 7) % 11],
    });
    build_project(
        vec![
            column("r", given),
            column("sex", (0..200_usize).map(|row| (row % 2 + 1) as f64)),
            column("weight", (0..200_usize).map(|row| (row % 3) as f64 * 0.5 + 0.5)),
        ],
        vec![asked, single("SEX", 1, &[1.0, 2.0])],
        Some(2),
    )
}

// proves: B5
#[test]
fn nps_stands_below_its_parts_and_the_footer_tells_its_base() {
    let project = recommending();
    let table = banner(&project, 0, 0, &[1], Weighting::Study, &Rules::default()).unwrap();
    let at = |label: &str| table.rows.iter().position(|row| row.label == label);
    let first = at("Top 2 box").unwrap();
    let labels: Vec<(RowKind, &str)> =
        table.rows[first..].iter().take(6).map(|row| (row.kind, row.label.as_str())).collect();
    assert_eq!(
        labels,
        [
            (RowKind::Boxed, "Top 2 box"),
            (RowKind::Boxed, "Promoters (9–10)"),
            (RowKind::Boxed, "Passives (7–8)"),
            (RowKind::Boxed, "Detractors (0–6)"),
            (RowKind::Nps, "NPS"),
            (RowKind::Mean, "Mean"),
        ]
    );
    assert_eq!(at("Bottom 2 box"), None);
    for (place, heading) in table.columns.iter().enumerate() {
        let count = |row: usize| table.rows[row].cells[place].count.unwrap();
        let (promoters, passives, detractors) =
            (count(first + 1), count(first + 2), count(first + 3));
        let unsure = count(at("answer 98").unwrap());
        near(promoters + passives + detractors + unsure, heading.base.weighted);
        let nps = table.rows[first + 4].cells[place].value.unwrap();
        near((promoters - detractors) / (promoters + passives + detractors), nps);
    }
    let told = |start: &str| table.footer.iter().find(|line| line.starts_with(start));
    assert_eq!(
        told("NPS, mean").unwrap(),
        "NPS, mean, median, standard deviation and standard error have their own base, respondents whose answer has a score: in total 170 of 190. The other 20 gave an answer without a score. The boxes above NPS include everyone who answered, so NPS is not exactly their difference."
    );
    let base = table.rows.iter().find(|row| row.kind == RowKind::ScoredBase).unwrap();
    let scored: Vec<f64> = base.cells.iter().map(|cell| cell.value.unwrap()).collect();
    assert_eq!(scored, [170.0, 80.0, 90.0]);
    assert_eq!(
        told("Not asked or no answer").unwrap(),
        "Not asked or no answer is a share of everyone in the column; the data do not distinguish the two."
    );
    let tea = banner(&tea(), 0, 0, &[], Weighting::Study, &Rules::default()).unwrap();
    assert!(!tea.footer.iter().any(|line| line.contains("their own base")));
}

// proves: B5
#[test]
fn who_declined_stands_apart_from_who_has_no_value() {
    let rows = || 0..200_usize;
    let given = |row: usize| match row {
        row if row < 40 => NONE,
        row if row < 50 => 99.0,
        row => (row % 3) as f64,
    };
    let project = build_project(
        vec![
            missing(column("q", rows().map(given)), 99.0),
            column("sex", rows().map(|row| (row % 2) as f64)),
            column("w", rows().map(|row| if row == 0 { 0.0 } else { 1.0 })),
            missing(column("m1", rows().map(given)), 99.0),
            column("m2", rows().map(|row| if row == 45 { 1.0 } else { NONE })),
        ],
        vec![
            single("Q", 0, &[0.0, 1.0, 2.0]),
            single("SEX", 1, &[0.0, 1.0]),
            dichotomies("M", &[3, 4]),
        ],
        Some(2),
    );
    let counts = |question: usize| -> Vec<(RowKind, Vec<f64>)> {
        let table =
            banner(&project, 0, question, &[1], Weighting::Study, &Rules::default()).unwrap();
        let silent =
            table.rows.iter().filter(|row| matches!(row.kind, RowKind::NoAnswer | RowKind::Blank));
        let count = |row: &survey::table::Row| -> Vec<f64> {
            row.cells.iter().map(|cell| cell.count.unwrap()).collect()
        };
        silent.map(|row| (row.kind, count(row))).collect()
    };
    let both = |declined: [f64; 3], blank: [f64; 3]| {
        vec![(RowKind::NoAnswer, declined.to_vec()), (RowKind::Blank, blank.to_vec())]
    };
    assert_eq!(counts(0), both([10.0, 5.0, 5.0], [39.0, 19.0, 20.0]));
    // Whoever declined in one column and answered in another has answered.
    assert_eq!(counts(2), both([9.0, 5.0, 4.0], [39.0, 19.0, 20.0]));
    assert_eq!(counts(1), [(RowKind::NoAnswer, vec![0.0; 3])]);
}

// proves: B5
#[test]
fn nets_stand_in_their_order_each_above_all_its_members() {
    let labels = |nets: &[(&str, &[usize])]| {
        let mut project = tea();
        let question = &mut project.studies[0].questions[0];
        question.nets.clear();
        for (label, answers) in nets {
            *question = net(question.clone(), label, answers);
        }
        let table = banner(&project, 0, 0, &[], Weighting::Study, &Rules::default()).unwrap();
        let is_answer = |kind: RowKind| matches!(kind, RowKind::Net | RowKind::Answer);
        let rows = table.rows.iter().filter(|row| is_answer(row.kind));
        let told = rows.map(|row| {
            let label = row.label.trim_start_matches("answer ");
            if row.member { format!("-{label}") } else { label.to_owned() }
        });
        let overlap = table.footer.iter().any(|line| line.starts_with("Nets overlap"));
        (told.collect::<Vec<_>>().join(" "), overlap)
    };
    let (told, overlap) = labels(&[("Top", &[4, 3]), ("Bottom", &[0, 1])]);
    assert_eq!((told.as_str(), overlap), ("Top -4 -5 Bottom -1 -2 3", false));
    let (told, overlap) = labels(&[("Upper", &[2, 3, 4]), ("Ends", &[1, 4])]);
    assert_eq!((told.as_str(), overlap), ("1 Upper -3 -4 -5 Ends -2 -5", true));
    let (told, overlap) = labels(&[("Low", &[1]), ("High", &[3, 3])]);
    assert_eq!((told.as_str(), overlap), ("1 Low -2 3 High -4 5", false));
}

// proves: B5 B7
#[test]
fn a_footer_speaks_of_what_stands_above_it() {
    let mut project = recommending();
    // Only a few of the second column gave an answer with a score.
    let sex = (0..200_usize).map(|row| if (row % 10 == 2) || row < 20 { 2.0 } else { 1.0 });
    project.studies[0].columns[1] = column("sex", sex);
    project.studies[0].columns.push(column("n", (0..200).map(f64::from)));
    project.studies[0].questions.push(numeric("N", 3));
    let made = |project: &Project, question: usize| {
        banner(project, 0, question, &[1], Weighting::Study, &Rules::default()).unwrap()
    };
    let table = made(&project, 0);
    let mean = table.rows.iter().find(|row| row.kind == RowKind::Mean).unwrap();
    assert_eq!((table.columns[2].level, mean.cells[2].value), (Level::Low, None));
    let says = |table: &Table, start: &str| table.footer.iter().any(|line| line.starts_with(start));
    assert!(says(&table, "– Not shown and not tested: the base of this figure"));
    assert!(!says(&table, "The lowest number is the most favourable"));
    assert!(!says(&table, "Intervals"), "no page shows them");
    assert_eq!(
        table.intervals.as_deref(),
        Some(
            "Intervals are at 95 % confidence, Wilson's for shares, normal for NPS, Student's for means."
        )
    );
    let page = survey::text::plain(&table, 100);
    let line = page.lines().find(|line| line.starts_with("Base: answers with a score")).unwrap();
    let numbers: Vec<&str> = line.split_whitespace().skip(5).collect();
    assert_eq!(numbers, ["170", "153", "17"]);
    let numbers = made(&project, 2);
    assert!(!says(&numbers, "– Not shown"));
    assert_eq!(
        numbers.intervals.as_deref(),
        Some("Intervals are at 95 % confidence, Student's for means.")
    );
    project.studies[0].questions[0].top = survey::study::Top::Lowest;
    assert!(says(
        &made(&project, 0),
        "The lowest number is the most favourable answer: Top 2 box counts from there, and a lower mean is more favourable."
    ));
}

// proves: B5
#[test]
fn a_cell_is_the_figure_of_its_segment() {
    let project = tea();
    for test in [Test::EffectiveBase, Test::Linearised, Test::UnweightedBase] {
        let rules = Rules { test, ..Rules::default() };
        for question in [0, 3] {
            let table =
                banner(&project, 0, question, &[1, 2, 3], Weighting::Study, &rules).unwrap();
            for (answer, asked) in project.studies[0].questions[question].answers.iter().enumerate()
            {
                let row = table.rows.iter().find(|row| row.label == asked.label).unwrap();
                for (place, (segment, label)) in
                    [(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (3, 0), (3, 1)].into_iter().enumerate()
                {
                    let spec =
                        within(of(question, Measure::Share(vec![answer])), segment, &[label]);
                    let figure = project.figure(&spec, &rules).unwrap();
                    let cell = &row.cells[place + 1];
                    near(cell.value.unwrap(), figure.value);
                    assert_eq!(cell.interval.is_some(), figure.interval.is_some());
                    if let (Some(one), Some(other)) = (cell.interval, figure.interval) {
                        near(one.0, other.0);
                        near(one.1, other.1);
                    }
                    near(table.columns[place + 1].base.effective, figure.base.effective);
                }
            }
        }
        let table = banner(&project, 0, 0, &[1], Weighting::Study, &rules).unwrap();
        let find = |kind| table.rows.iter().find(|row| row.kind == kind).unwrap();
        for (kind, measure) in [
            (RowKind::Mean, Measure::Mean),
            (RowKind::Median, Measure::Median),
            (RowKind::Sd, Measure::Sd),
        ] {
            let figure = project.figure(&within(of(0, measure), 1, &[1]), &rules).unwrap();
            near(find(kind).cells[2].value.unwrap(), figure.value);
        }
        let mean = project.figure(&within(of(0, Measure::Mean), 1, &[1]), &rules).unwrap();
        near(find(RowKind::Se).cells[2].value.unwrap(), mean.error.unwrap());
    }
}

// proves: B5
#[test]
fn numbers_have_the_same_table_however_many_there_are() {
    let number = |row: usize| (row * 37 % 211) as f64;
    let build_project = |few: bool| {
        let spread = move |row: usize| if few || row > 0 { 0.0 } else { 1e-9 };
        let values: Vec<f64> = (0..600).map(|row| number(row) + spread(row)).collect();
        let mut numbers = column("n", values.clone());
        if !few {
            numbers.data = survey::study::Data::Numbers(values);
        }
        build_project(
            vec![
                missing(numbers, 7.0),
                column("b", (0..600).map(|row| f64::from(row % 3))),
                column("w", (0..600).map(|row| f64::from(row % 4))),
            ],
            vec![numeric("N", 0), single("B", 1, &[0.0, 1.0, 2.0])],
            Some(2),
        )
    };
    let [few, many] = [true, false]
        .map(|few| banner(&build_project(few), 0, 0, &[1], Weighting::Study, &small()).unwrap());
    assert_eq!(few.footer, many.footer);
    assert!(few.rows.len() > 4);
    for (one, other) in few.rows.iter().zip(&many.rows) {
        for (one, other) in one.cells.iter().zip(&other.cells) {
            assert!((one.value.unwrap() - other.value.unwrap()).abs() < 1e-9);
            assert_eq!(one.letters, other.letters);
        }
    }
    let segment = within(of(0, Measure::Median), 1, &[2]);
    let figure = build_project(true).figure(&segment, &small()).unwrap();
    near(few.rows[1].cells[3].value.unwrap(), figure.value);
}

/// Three waves of 400: these shares say 1, of shops that are called so; and on a scale so many more are content each time.
fn three_waves(labels: [[&str; 3]; 3]) -> Project {
    let wave = |number: usize| {
        let share = [40, 60, 62][number];
        let q = (0..400).map(move |row| match row % 100 {
            at if at < share => 1.0,
            at if at < 80 => 2.0,
            _ => 3.0,
        });
        let mut shop = single("SHOP", 0, &[1.0, 2.0, 3.0]);
        for (answer, label) in shop.answers.iter_mut().zip(labels[number]) {
            answer.label = label.to_owned();
        }
        let mut of_wave = study(
            ["W1", "W2", "W3"][number],
            vec![
                column("q", q),
                column("s", (0..400).map(move |row| ((row + number) % 5 + 1) as f64)),
                column("w", (0..400).map(|row| if row % 2 == 0 { 0.5 } else { 1.5 })),
            ],
            vec![shop, scale("S", 1, &[1.0, 2.0, 3.0, 4.0, 5.0])],
            (number > 0).then_some(2),
        );
        of_wave.title = format!("Wave {}", number + 1);
        of_wave
    };
    Project { studies: (0..3).map(wave).collect(), ..Project::default() }
}

// proves: B5 B9
#[test]
fn waves_stand_side_by_side_and_each_is_tested_against_the_next() {
    const SHOPS: [&str; 3] = ["Market", "Online", "Other"];
    let asked: Vec<(usize, usize, Weighting)> =
        (0..3).map(|study| (study, 0, Weighting::Study)).collect();
    let rules = Rules::default();
    let project = three_waves([SHOPS; 3]);
    let table = waves(&project, &asked, &rules).unwrap();
    assert_eq!((table.study.as_str(), table.question.as_str()), ("W1, W2, W3", "SHOP"));
    insta::assert_snapshot!(shown(&table), @r"
    W1 A 400.0 | W2 B 400.0 | W3 C 400.0
    Answer Market: 0.400 | 0.600 A | 0.620
    Answer Online: 0.400 B | 0.200 | 0.180
    Answer Other: 0.200 | 0.200 | 0.200
    Sigma Sigma: 1.000 | 1.000 | 1.000
    NoAnswer Not asked or no answer: 0.000 | 0.000 | 0.000
    Studies: W1 – Wave 1; W2 – Wave 2; W3 – Wave 3.
    W1: Not weighted.
    Base: respondents who answered the question; shares are of these.
    Not asked or no answer is a share of everyone in the column; the data do not distinguish the two.
    W2, W3: Weighted by w; respondents without a weight above 0 are left out.
    Each column is a study, and is tested against the next as an independent sample, two-sided: shares with the pooled z test on Kish's effective base.
    The letter in a cell names a column with a significantly lower value: small for p < 0.05, capital for p < 0.01.
    P-values are not corrected for multiple tests.
    Intervals are at 95 % confidence, Wilson's for shares.
    ");
    // Every cell is the figure of its study, and every letter the comparison of neighbours.
    for (place, row) in table.rows.iter().take(3).enumerate() {
        let specs: Vec<Spec> =
            (0..3).map(|study| Spec { study, ..of(0, Measure::Share(vec![place])) }).collect();
        for (cell, spec) in row.cells.iter().zip(&specs) {
            near(cell.value.unwrap(), project.figure(spec, &rules).unwrap().value);
        }
        for pair in [0, 1] {
            let found = project.compare(&specs[pair + 1], &specs[pair], &rules).unwrap();
            let (higher, lower) =
                if found.difference > 0.0 { (pair + 1, pair) } else { (pair, pair + 1) };
            let letters = row.cells[higher].letters.to_lowercase();
            assert_eq!(letters.contains(["a", "b", "c"][lower]), found.significant);
        }
    }
    let holm = waves(&project, &asked, &Rules { correction: Correction::Holm, ..rules }).unwrap();
    assert!(
        holm.footer.iter().any(|line| line.ends_with("pairs of neighbouring studies in a row."))
    );
    // An answer that a study does not have is empty there; one that moved to another code is the same.
    let moved = three_waves([SHOPS, SHOPS, ["Market", "Other", "Catalogue"]]);
    let table = waves(&moved, &asked, &rules).unwrap();
    let labels: Vec<&str> = table.rows.iter().take(4).map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["Market", "Online", "Other", "Catalogue"]);
    let is_there = |row: usize| {
        table.rows[row].cells.iter().map(|cell| cell.value.is_some()).collect::<Vec<_>>()
    };
    assert_eq!((is_there(1), is_there(3)), (vec![true, true, false], vec![false, false, true]));
    near(table.rows[2].cells[2].value.unwrap(), 0.18);
    assert!(table.footer.iter().any(|line| line == "– The study does not have this row."));
    let scales: Vec<(usize, usize, Weighting)> =
        (0..2).map(|study| (study, 1, Weighting::Nobody)).collect();
    let table = waves(&project, &scales, &rules).unwrap();
    assert!(table.rows.iter().any(|row| row.kind == RowKind::Mean && row.cells.len() == 2));
    assert_eq!(table.weight, None);
    assert!(waves(&project, &[], &rules).is_err());
    assert_eq!(table.footer[0], "Studies: W1 – Wave 1; W2 – Wave 2.");
}

// proves: B5
#[test]
fn many_tables_at_once_are_those_made_one_by_one() {
    let (project, rules) = (tea(), Rules::default());
    let together =
        banners(&project, 0, &[0, 3, 4, 1], &[1, 2, 3], Weighting::Study, &rules).unwrap();
    for (table, question) in together.iter().zip([0, 3, 4, 1]) {
        let alone = banner(&project, 0, question, &[1, 2, 3], Weighting::Study, &rules).unwrap();
        assert_eq!(*table, alone);
    }
    assert_eq!(together.len(), 4);
    assert!(banners(&project, 0, &[0, 9], &[1], Weighting::Study, &rules).is_err());
    assert!(banner(&project, 0, 0, &[9], Weighting::Study, &rules).is_err());
    let bare = banner(&project, 0, 0, &[], Weighting::Study, &rules).unwrap();
    assert_eq!(bare.columns.len(), 1);
}

// proves: B5
#[test]
fn a_banner_of_many_columns_is_counted_in_parts() {
    let mut project = tea();
    let questions = project.studies[0].questions.clone();
    // Twelve questions by three columns are more cells than are counted at once.
    let banner_questions: Vec<usize> = (0..12)
        .map(|number| {
            project.studies[0].questions.push(questions[1 + number % 2].clone());
            questions.len() + number
        })
        .collect();
    let rules = Rules::default();
    let wide = banner(&project, 0, 0, &banner_questions, Weighting::Study, &rules).unwrap();
    let narrow = banner(&project, 0, 0, &[1, 2], Weighting::Study, &rules).unwrap();
    assert_eq!(wide.columns.len(), 1 + 6 * 5);
    assert_eq!(wide.columns[30].letter, "AD");
    for (one, other) in wide.rows.iter().zip(&narrow.rows) {
        for place in 0..5 {
            assert_eq!(one.cells[26 + place].value, other.cells[1 + place].value);
        }
        assert_eq!(one.cells[0].value, other.cells[0].value);
    }
}

/// A question of three answers by a banner of three columns, from the answers of each respondent.
fn made(answers: &[(u8, u8, f64)]) -> Project {
    build_project(
        vec![
            column("q", answers.iter().map(|(answer, _, _)| f64::from(*answer))),
            column("b", answers.iter().map(|(_, segment, _)| f64::from(*segment))),
            column("w", answers.iter().map(|(_, _, weight)| *weight)),
        ],
        vec![scale("Q", 0, &[0.0, 1.0, 2.0, 3.0]), single("B", 1, &[0.0, 1.0, 2.0])],
        Some(2),
    )
}

proptest! {
    // proves: B5
    #[test]
    fn letters_stand_on_one_side_and_agree_with_the_comparison(
        answers in proptest::collection::vec((0..4_u8, 0..3_u8, 0.2..3.0_f64), 20..120)
    ) {
        let (project, rules) = (made(&answers), Rules { alpha: 0.3, strict_alpha: 0.1, least_base: 5, ..Rules::default() });
        let table = banner(&project, 0, 0, &[1], Weighting::Study, &rules).unwrap();
        let corrected = Rules { correction: Correction::Holm, ..rules };
        let holm = banner(&project, 0, 0, &[1], Weighting::Study, &corrected).unwrap();
        for (row, by_holm) in table.rows.iter().zip(&holm.rows) {
            for (one, letter) in [(1, 'a'), (2, 'b'), (3, 'c')] {
                for (other, other_letter) in [(1, 'a'), (2, 'b'), (3, 'c')] {
                    let has = |row: &survey::table::Row, column: usize, letter: char| {
                        row.cells[column].letters.to_lowercase().contains(letter)
                    };
                    if !has(row, one, other_letter) {
                        prop_assert!(!has(by_holm, one, other_letter));
                        continue;
                    }
                    prop_assert!(one != other && !has(row, other, letter));
                    prop_assert!(row.cells[one].value > row.cells[other].value);
                }
            }
        }
        let answers = table.rows.iter().filter(|row| row.kind == RowKind::Answer);
        for (answer, row) in answers.enumerate() {
            let spec = |segment: usize| within(of(0, Measure::Share(vec![answer])), 1, &[segment]);
            if let Ok(found) = project.compare(&spec(0), &spec(1), &rules) {
                let (a, b) = (&row.cells[1].letters, &row.cells[2].letters);
                let lettered = a.to_lowercase().contains('b') || b.to_lowercase().contains('a');
                prop_assert_eq!(lettered, found.significant);
                prop_assert_eq!(a.contains('B') || b.contains('A'), found.p.is_some_and(|p| p < 0.1));
            }
        }
    }

    // proves: B5
    #[test]
    fn all_answers_to_a_question_with_one_answer_are_everybody(
        answers in proptest::collection::vec((0..4_u8, 0..3_u8, 0.2..3.0_f64), 1..60)
    ) {
        let table = banner(&made(&answers), 0, 0, &[1], Weighting::Study, &small()).unwrap();
        let sigma = table.rows.iter().find(|row| row.kind == RowKind::Sigma).unwrap();
        for cell in &sigma.cells {
            prop_assert!(cell.value.is_none_or(|sum| (sum - 1.0).abs() < 1e-12));
        }
        let silent = table.rows.iter().find(|row| row.kind == RowKind::NoAnswer).unwrap();
        prop_assert!(silent.cells.iter().all(|cell| cell.value.is_none_or(|share| share == 0.0)));
    }
}
