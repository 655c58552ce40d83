//! A survey of two waves, made in code, with effects that are known because they were put there.
#![allow(dead_code, reason = "each test target uses its part of it")]

use survey::project::Project;
use survey::study::{
    Answer, Code, Column, Data, Format, Given, Kind, Net, Origin, Question, Study, Top, Value,
};

/// Chance from a seed (Steele and others 2014, SplitMix64).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, many: usize) -> usize {
        (self.next() % many as u64) as usize
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// The place of one of some likelihoods.
    fn among(&mut self, likely: &[f64]) -> usize {
        let mut left = self.unit() * likely.iter().sum::<f64>();
        for (place, share) in likely.iter().enumerate() {
            left -= share;
            if left < 0.0 {
                return place;
            }
        }
        likely.len() - 1
    }
}

struct Maker {
    columns: Vec<Column>,
    questions: Vec<Question>,
}

impl Maker {
    fn column(&mut self, name: &str, numbers: Vec<f64>, codes: &[(f64, &str)]) -> usize {
        let codes = codes
            .iter()
            .map(|(value, label)| Code { value: Value::Number(*value), label: (*label).into() });
        self.columns.push(Column {
            name: name.into(),
            label: String::new(),
            data: Data::numbers(numbers),
            codes: codes.collect(),
            missing: vec![],
            format: String::new(),
        });
        self.columns.len() - 1
    }

    fn question(
        &mut self,
        id: &str,
        text: &str,
        kind: Kind,
        column: usize,
        labels: &[&str],
        first: f64,
    ) {
        let answers = labels.iter().enumerate().map(|(place, label)| {
            let number = place as f64 + first;
            Answer {
                code: number.to_string(),
                label: (*label).into(),
                score: (kind == Kind::Scale).then_some(number),
                given: Given::Is(Value::Number(number)),
            }
        });
        self.questions.push(Question {
            id: id.into(),
            text: text.into(),
            kind,
            columns: vec![column],
            answers: answers.collect(),
            nets: vec![],
            grid: None,
            top: Top::Highest,
        });
    }
}

const SATISFIED: [&str; 5] = [
    "Very dissatisfied",
    "Dissatisfied",
    "Neither satisfied nor dissatisfied",
    "Satisfied",
    "Very satisfied",
];
const LIKELY: [&str; 5] =
    ["Very unlikely", "Rather unlikely", "Undecided", "Rather likely", "Very likely"];
pub(crate) const REASONS: [&str; 5] = ["Price", "Quality", "Service", "Reputation", "Habit"];
const PLACES: [&str; 4] = ["Supermarket", "Discounter", "Online shop", "Weekly market"];

/// A scale of five points, of which the two favourable ones have this share together.
fn five(chance: &mut Chance, top: f64) -> f64 {
    let rest = 1.0 - top;
    let likely = [rest * 0.2, rest * 0.3, rest * 0.5, top * 0.6, top * 0.4];
    chance.among(&likely) as f64 + 1.0
}

fn wave(id: &str, title: &str, later: bool, seed: u64, respondents: usize) -> Study {
    let mut chance = Chance(seed);
    let mut drawn: Vec<Vec<f64>> = vec![Vec::new(); 10];
    let mut reasons: Vec<Vec<f64>> = vec![Vec::new(); REASONS.len()];
    for _ in 0..respondents {
        let gender = chance.among(&[0.52, 0.48]);
        let age = chance.among(&[0.3, 0.38, 0.32]);
        let region = chance.among(&[0.34, 0.3, 0.22, 0.14]);
        let usage = chance.among(&[0.25, 0.75]);
        let lift = if later { 0.09 } else { 0.0 };
        let satisfied = [0.56, 0.42][gender] + [0.08, 0.0, -0.05][age] + lift;
        let renews = [0.55, 0.53][gender] + [0.0, 0.02, 0.12][age] - lift;
        let shop = chance.among(
            &[[0.30, 0.24, 0.38, 0.08], [0.44, 0.26, 0.2, 0.1], [0.52, 0.2, 0.08, 0.2]][age],
        );
        let hours =
            2.0 + 6.0 * chance.unit() + [3.0, 1.0, 0.0][age] + if later { 0.8 } else { 0.0 };
        let recommends = {
            let up = if chance.unit() < [0.75, 0.55][usage] { 7.0 } else { 3.0 };
            (up + (chance.unit() * 4.0).floor()).min(10.0)
        };
        let values = [
            gender as f64 + 1.0,
            age as f64 + 1.0,
            region as f64 + 1.0,
            usage as f64 + 1.0,
            five(&mut chance, satisfied),
            five(&mut chance, renews),
            (hours * 2.0).round() / 2.0,
            recommends,
            shop as f64 + 1.0,
            [0.7, 1.3][gender] * (0.8 + 0.4 * chance.unit()),
        ];
        for (column, value) in drawn.iter_mut().zip(values) {
            column.push(value);
        }
        // Who gave no answer at all counts nowhere.
        let asked = chance.unit() < 0.95;
        let likely = [0.61 - 0.2 * gender as f64, 0.44, 0.27, 0.19, 0.11];
        for (column, share) in reasons.iter_mut().zip(likely) {
            let given = chance.unit() < share;
            column.push(if asked { f64::from(u8::from(given)) } else { f64::NAN });
        }
    }
    let mut maker = Maker { columns: Vec::new(), questions: Vec::new() };
    let single = [
        ("gender", "Are you a woman or a man?", &["Female", "Male"][..]),
        ("age", "How old are you?", &["18-34", "35-54", "55+"][..]),
        ("region", "Where do you live?", &["North", "South", "East", "West"][..]),
        ("usage", "How much do you use the service?", &["Heavy users", "Light users"][..]),
    ];
    let mut drawn = drawn.into_iter();
    let mut next = || drawn.next().unwrap_or_default();
    for (id, text, labels) in single {
        let column = maker.column(id, next(), &[]);
        maker.question(id, text, Kind::Single, column, labels, 1.0);
    }
    let scales = [
        ("Q5", "How satisfied are you with the mobile app?", SATISFIED),
        ("Q6", "How likely are you to renew your contract?", LIKELY),
    ];
    for (id, text, labels) in scales {
        let column = maker.column(id, next(), &[]);
        maker.question(id, text, Kind::Scale, column, &labels, 1.0);
    }
    let column = maker.column("Q7", next(), &[]);
    maker.question(
        "Q7",
        "How many hours a week do you watch films?",
        Kind::Numeric,
        column,
        &[],
        1.0,
    );
    let column = maker.column("Q9", next(), &[]);
    let points: Vec<String> = (0..=10).map(|point| point.to_string()).collect();
    let points: Vec<&str> = points.iter().map(String::as_str).collect();
    maker.question(
        "Q9",
        "How likely are you to recommend our brand to a friend or colleague?",
        Kind::Scale,
        column,
        &points,
        0.0,
    );
    let column = maker.column("Q8", next(), &[]);
    maker.question(
        "Q8",
        "Where do you usually buy your groceries?",
        Kind::Single,
        column,
        &PLACES,
        1.0,
    );
    let weight = maker.column("weight", next(), &[]);
    let columns: Vec<usize> = reasons
        .into_iter()
        .enumerate()
        .map(|(place, numbers)| maker.column(&format!("Q3_{}", place + 1), numbers, &[]))
        .collect();
    let answers = columns.iter().zip(REASONS).enumerate().map(|(place, (column, label))| Answer {
        code: format!("Q3_{}", place + 1),
        label: label.into(),
        score: None,
        given: Given::Counted { column: *column, value: Value::Number(1.0) },
    });
    maker.questions.push(Question {
        id: "Q3".into(),
        text: "Which of these are reasons for choosing your provider?".into(),
        kind: Kind::Multi,
        answers: answers.collect(),
        columns,
        nets: vec![Net { label: "Rational reasons".into(), answers: vec![0, 1] }],
        grid: None,
        top: Top::Highest,
    });
    Study {
        id: id.into(),
        title: title.into(),
        origin: Origin { file: format!("{id}.csv"), format: Format::Csv, sha256: String::new() },
        respondents,
        columns: maker.columns,
        questions: maker.questions,
        weight: Some(weight),
        segments: vec![0, 1, 2, 3],
        notes: vec![],
    }
}

/// The two waves.
pub(crate) fn build_project() -> Project {
    Project {
        studies: vec![
            wave("W1", "Tracker, spring 2024", false, 7, 1600),
            wave("W2", "Tracker, spring 2025", true, 11, 1600),
        ],
        ..Project::default()
    }
}

/// Two waves of other respondents, in the order in which they were asked.
pub(crate) fn ordered(seed: u64, respondents: usize) -> Project {
    Project {
        studies: vec![
            wave("W1", "Tracker, spring 2024", false, seed, respondents),
            wave("W2", "Tracker, spring 2025", true, seed ^ 0x5555, respondents),
        ],
        is_ordered: true,
    }
}
