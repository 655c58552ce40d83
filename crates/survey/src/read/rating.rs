//! Whether answers form a rating, and which end of it is favourable.

use crate::study::{Answer, Code, Given, Question, Top, Value};

/// A recognised scale.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Rating {
    /// The first and last value of the scale; answers outside have no score.
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) top: Top,
    /// The score minus the value: -1 if the value 1 is labelled "0 - Not at all likely".
    pub(super) shift: f64,
}

impl Rating {
    /// Returns the score of a value; `None` if it is outside the scale.
    pub(super) fn score(&self, value: f64) -> Option<f64> {
        (self.from..=self.to).contains(&value).then_some(value + self.shift)
    }
}

/// Words of answers that are not points of a scale.
const OUTSIDE: [&str; 20] = [
    "don't know",
    "dont know",
    "do not know",
    "don’t know",
    "not sure",
    "unsure",
    "no opinion",
    "no answer",
    "refused",
    "prefer not",
    "not applicable",
    "n/a",
    "can't say",
    "cannot say",
    "not stated",
    "missing",
    "weiß nicht",
    "weiss nicht",
    "keine angabe",
    "ne sait pas",
];

/// Beginnings of negative words, checked before the positive ones, which many of them contain.
const BAD: [&str; 43] = [
    "dissatisf",
    "disagree",
    "unlikely",
    "unimportant",
    "unfavo",
    "unhappy",
    "not ",
    "never",
    "poor",
    "bad",
    "worst",
    "worse",
    "terrible",
    "awful",
    "horrible",
    "disappoint",
    "hate",
    "dislike",
    "refuse",
    "wouldn't",
    "would not",
    "none",
    "no trust",
    "distrust",
    "oppose",
    "difficult",
    "hard",
    "low",
    "weak",
    "least",
    "rarely",
    "hardly",
    "useless",
    "negative",
    "detractor",
    "unzufrieden",
    "schlecht",
    "nicht ",
    "mangelhaft",
    "nie",
    "insatisf",
    "pas ",
    "unwichtig",
];

/// Beginnings of positive words.
const GOOD: [&str; 36] = [
    "satisf",
    "agree",
    "likely",
    "important",
    "favo",
    "happy",
    "always",
    "excellent",
    "good",
    "great",
    "best",
    "better",
    "outstanding",
    "perfect",
    "love",
    "like",
    "definitely",
    "certainly",
    "would",
    "trust",
    "complete",
    "support",
    "easy",
    "high",
    "strong",
    "most",
    "often",
    "very often",
    "useful",
    "positive",
    "promoter",
    "zufrieden",
    "gut",
    "zustimm",
    "immer",
    "wichtig",
];

/// Returns whether an answer is outside a scale: "don't know" and the like.
pub(super) fn is_outside(label: &str) -> bool {
    let label = label.to_lowercase();
    OUTSIDE.iter().any(|words| label.contains(words))
}

/// Returns -1 for a negative answer, 1 for a positive one, and 0 for others.
fn judged(label: &str) -> i8 {
    let label = format!(" {} ", label.to_lowercase());
    let begins = |words: &str| label.contains(&format!(" {words}"));
    if BAD.iter().any(|words| begins(words)) {
        -1
    } else {
        i8::from(GOOD.iter().any(|words| begins(words)))
    }
}

/// Returns whether an answer is as strong as possible.
fn is_emphatic(label: &str) -> bool {
    const FAR: [&str; 12] = [
        "not at all",
        "extremely",
        "completely",
        "very ",
        "excellent",
        "strongly",
        "totally",
        "perfect",
        "absolutely",
        "sehr ",
        "voll",
        "überhaupt",
    ];
    let label = label.to_lowercase();
    FAR.iter().any(|words| label.contains(words))
}

/// Returns the rating that labelled codes form; `None` if they are not a rating.
///
/// The codes must be a run of 3 to 11 whole numbers without a gap, not counting answers such as "don't know", and one
/// of its two ends must be more positive than the other. Codes between the ends may have no label. Five labels or more
/// that are numbers are a rating too, unless the words of the question ask how many of something there are.
pub(super) fn rating(codes: &[Code], asked: &str) -> Option<Rating> {
    let (from, to, low, high) = ends(codes)?;
    let points = to - from + 1.0;
    let labelled = codes.iter().filter(|code| on(code, from, to)).count();
    // How often something happens in days and weeks is not a rating, although "never" sounds like one.
    let often = codes.iter().any(|code| {
        let label = code.label.to_lowercase();
        ["once a", "times a", "every ", "daily", "weekly", "monthly", "a week", "a month"]
            .iter()
            .any(|words| label.contains(words))
    });
    if often {
        return None;
    }
    let emphatic = is_emphatic(low) || is_emphatic(high);
    let (low, high) = (judged(low), judged(high));
    // "Excellent" against "fair": one emphatic end is enough.
    let told = low * high < 0 || (low != high && emphatic);
    let numbers_only =
        codes.iter().filter(|code| on(code, from, to)).all(|code| number_label(&code.label));
    let numbered =
        numbers_only && labelled >= 5 && (asks_for_one(asked) || !asks_for_a_number(asked));
    if !(3.0..=11.0).contains(&points) || !(told || numbered) {
        return None;
    }
    let top = if low > high { Top::Lowest } else { Top::Highest };
    Some(Rating { from, to, top, shift: shift(codes, from, to) })
}

/// Returns the ends of a declared scale, and its top according to its labels.
pub(super) fn declared(codes: &[Code], values: &[f64]) -> Rating {
    if let Some((from, to, low, high)) = ends(codes) {
        let top = if judged(low) > judged(high) { Top::Lowest } else { Top::Highest };
        return Rating { from, to, top, shift: shift(codes, from, to) };
    }
    // No labels, or labels with gaps: all numbers are on the scale.
    let labelled =
        codes.iter().filter(|code| !is_outside(&code.label)).filter_map(|code| match code.value {
            Value::Number(number) => Some(number),
            Value::Text(_) => None,
        });
    let mut numbers: Vec<f64> = labelled.chain(values.iter().copied()).collect();
    // Next to a handful of points, numbers such as 98 and 99 stand for no answer even if they are undeclared.
    let points = |number: &f64| (0.0..=11.0).contains(number);
    if numbers.iter().filter(|number| points(number)).count() >= 2
        && numbers.iter().all(|number| points(number) || *number >= 66.0 || *number < 0.0)
    {
        numbers.retain(points);
    }
    numbers.sort_by(f64::total_cmp);
    let from = numbers.first().copied().unwrap_or(0.0);
    let to = numbers.last().copied().unwrap_or(from);
    Rating { from, to, top: Top::Highest, shift: 0.0 }
}

/// Returns the first and last number of the longest run of codes, with their labels.
fn ends(codes: &[Code]) -> Option<(f64, f64, &str, &str)> {
    let mut points: Vec<(f64, &str)> = codes
        .iter()
        .filter(|code| !is_outside(&code.label))
        .filter_map(|code| match code.value {
            Value::Number(number) if number.fract() == 0.0 => Some((number, code.label.as_str())),
            Value::Number(_) | Value::Text(_) => None,
        })
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    // Two labelled ends are a whole scale if no point between them has a label.
    if let [(from, low), (to, high)] = points.as_slice()
        && (4.0..=10.0).contains(&(to - from))
    {
        return Some((*from, *to, low, high));
    }
    let mut best: &[(f64, &str)] = &[];
    let runs = points.chunk_by(|one, other| other.0 - one.0 <= 1.0);
    for run in runs {
        if run.len() > best.len() {
            best = run;
        }
    }
    let (first, last) = (best.first()?, best.last()?);
    (best.len() >= 2).then_some((first.0, last.0, first.1, last.1))
}

fn on(code: &Code, from: f64, to: f64) -> bool {
    matches!(code.value, Value::Number(number) if (from..=to).contains(&number))
        && !is_outside(&code.label)
}

fn number_label(label: &str) -> bool {
    super::cells::parse_number(label, false).is_some()
}

/// Returns how far the numbers at the beginning of labels are above their values: the questionnaire's numbers, which an export renumbered.
///
/// 0 if a label of the scale begins with no number, or if the differences are not all the same.
fn shift(codes: &[Code], from: f64, to: f64) -> f64 {
    let mut apart = codes.iter().filter(|code| on(code, from, to)).map(|code| match code.value {
        Value::Number(value) => Some(beginning(&code.label)? - value),
        Value::Text(_) => None,
    });
    let Some(Some(first)) = apart.next() else { return 0.0 };
    if apart.all(|one| one == Some(first)) { first } else { 0.0 }
}

/// Returns the whole number that a label begins with: 0 for "0 - Not at all likely"; `None` for "18-24", "2.5 hours" and "10 %".
fn beginning(label: &str) -> Option<f64> {
    let label = label.trim();
    let unsigned = label.strip_prefix(['+', '-', '−']).unwrap_or(label);
    let rest = unsigned.trim_start_matches(|sign: char| sign.is_ascii_digit());
    let digits = unsigned.get(..unsigned.len() - rest.len())?;
    let number: f64 = digits.parse().ok()?;
    // A number that continues as a range, a fraction, a percentage or a word is another number.
    let mut after = rest.chars().filter(|sign| !sign.is_whitespace());
    let goes_on = match (rest.chars().next(), after.next(), after.next()) {
        (Some(sign), _, _) if sign.is_alphanumeric() => true,
        (_, Some('%'), _) => true,
        (_, Some('-' | '–' | '.' | ',' | '/'), Some(next)) => next.is_ascii_digit(),
        _ => false,
    };
    (!goes_on).then_some(if label.starts_with(['-', '−']) { -number } else { number })
}

/// Returns the lowest and highest score of a question whose scores are not its values; `None` if they are.
pub(super) fn scored_by_labels(question: &Question) -> Option<(f64, f64)> {
    let scores = || question.answers.iter().filter_map(|answer| answer.score);
    let by_value = |answer: &Answer| match (&answer.given, answer.score) {
        (Given::Is(Value::Number(value)), Some(score)) => *value == score,
        _ => true,
    };
    if question.answers.iter().all(by_value) {
        return None;
    }
    Some((scores().reduce(f64::min)?, scores().reduce(f64::max)?))
}

/// Returns whether the words of a question ask for a number of something, which is counted or measured rather than judged.
fn asks_for_a_number(text: &str) -> bool {
    const WORDS: [&str; 15] = [
        "how many",
        "number of",
        "how often",
        "how old",
        "age",
        "years",
        "what year",
        "which year",
        "year of",
        "wie viele",
        "wie oft",
        "wie alt",
        "anzahl",
        "alter",
        "combien",
    ];
    let plain: String = text
        .to_lowercase()
        .chars()
        .map(|sign| if sign.is_alphanumeric() { sign } else { ' ' })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let plain = format!(" {} ", words.join(" "));
    let is_year = matches!(words.as_slice(), ["year" | "jahr"]);
    is_year || WORDS.iter().any(|word| plain.contains(&format!(" {word} ")))
}

/// Returns whether the words of a question ask for a rating: if its numbers have no labels, nothing else shows it.
pub(super) fn asks_for_one(text: &str) -> bool {
    let text = text.to_lowercase();
    const WORDS: [&str; 22] = [
        "satisf",
        "how likely",
        "likelihood",
        "recommend",
        "agree",
        "rate ",
        "rating",
        "how important",
        "concern",
        "trust",
        "how much",
        "on a scale",
        "scale of",
        "scale from",
        "0-10",
        "1-10",
        "1-5",
        "1-7",
        "0 to 10",
        "1 to 10",
        "1 to 5",
        "zufried",
    ];
    // "(1=left, 5=right)": the ends are named.
    let ends = text.contains("1=")
        && ["5=", "7=", "10=", "4=", "11="].iter().any(|end| text.contains(end));
    ends || WORDS.iter().any(|word| text.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(labels: &[(f64, &str)]) -> Vec<Code> {
        let code = |(value, label): &(f64, &str)| Code {
            value: Value::Number(*value),
            label: (*label).to_owned(),
        };
        labels.iter().map(code).collect()
    }

    fn run(labels: &[&str]) -> Vec<Code> {
        let numbered: Vec<(f64, &str)> =
            labels.iter().enumerate().map(|(place, label)| (place as f64 + 1.0, *label)).collect();
        codes(&numbered)
    }

    #[test]
    fn ratings_are_recognised_with_their_top() {
        let all: [(&[&str], Top); 8] = [
            (
                &["Very dissatisfied", "Dissatisfied", "Neither", "Satisfied", "Very satisfied"],
                Top::Highest,
            ),
            (
                &["Very satisfied", "Satisfied", "Neither", "Dissatisfied", "Very dissatisfied"],
                Top::Lowest,
            ),
            (
                &[
                    "Strongly agree",
                    "Agree",
                    "Neutral",
                    "Disagree",
                    "Strongly disagree",
                    "Don't know",
                ],
                Top::Lowest,
            ),
            (&["Excellent", "Very good", "Good", "Fair", "Poor"], Top::Lowest),
            (
                &["Not at all likely", "Not very likely", "Fairly likely", "Very likely"],
                Top::Highest,
            ),
            (&["Not important at all", "A little", "Somewhat", "Very important"], Top::Highest),
            (
                &["Sehr zufrieden", "Zufrieden", "Teils", "Unzufrieden", "Sehr unzufrieden"],
                Top::Lowest,
            ),
            (&["Never", "Rarely", "Sometimes", "Often", "Always"], Top::Highest),
        ];
        for (labels, top) in all {
            assert_eq!(rating(&run(labels), "").unwrap().top, top, "{labels:?}");
        }
        let ends = rating(
            &codes(&[(0.0, "Not at all likely"), (10.0, "Extremely likely"), (98.0, "Don't know")]),
            "",
        );
        assert_eq!(ends.map(|one| (one.from, one.to)), Some((0.0, 10.0)));
        let outside = codes(&[
            (1.0, "I would refuse"),
            (2.0, "Very unlikely"),
            (3.0, "Probably wouldn't"),
            (4.0, "Probably would"),
            (5.0, "Very likely"),
            (97.0, "I'm already planning to"),
            (98.0, "Don't know"),
        ]);
        assert_eq!(
            rating(&outside, "").map(|one| (one.from, one.to, one.top)),
            Some((1.0, 5.0, Top::Highest))
        );
    }

    #[test]
    fn lists_that_are_no_ratings_are_left_alone() {
        for labels in [
            &["Male", "Female"][..],
            &["Yes", "No", "Don't know"],
            &["North", "East", "South", "West"],
            &["18-24", "25-34", "35-44", "45-54", "55+"],
            &["Basic Secondary", "Intermediate Secondary", "Academic Secondary", "University"],
            &["Student", "Employed", "Unemployed", "Retired", "Other"],
            &[
                "Once a day or more often",
                "Every few days",
                "Once a week",
                "Once a month",
                "Less often",
                "Never",
            ],
            &["Wave 1", "Wave 2", "Wave 3", "Wave 4", "Wave 5"],
        ] {
            assert_eq!(rating(&run(labels), ""), None, "{labels:?}");
        }
    }

    // proves: B9
    #[test]
    fn a_scale_is_scored_by_the_numbers_that_its_labels_begin_with() {
        let shift = |labels: &[(f64, &str)]| declared(&codes(labels), &[]).shift;
        let eleven = |style: &dyn Fn(usize) -> String| {
            let labels: Vec<String> = (0..11).map(style).collect();
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            rating(&run(&labels), "").map(|one| (one.from, one.to, one.shift))
        };
        let printed = eleven(&|point| match point {
            0 => "0 - Not at all likely".into(),
            10 => "10 - Extremely likely".into(),
            point => point.to_string(),
        });
        assert_eq!(printed, Some((1.0, 11.0, -1.0)));
        assert_eq!(eleven(&|point| point.to_string()), Some((1.0, 11.0, -1.0)));
        assert_eq!(eleven(&|point| (point + 1).to_string()), Some((1.0, 11.0, 0.0)));
        assert_eq!(shift(&[(1.0, "0 - Not at all"), (11.0, "10 - Extremely")]), -1.0);
        assert_eq!(shift(&[(0.0, "1. Bad"), (1.0, "2. Fair"), (2.0, "3. Good")]), 1.0);
        assert_eq!(shift(&[(1.0, "-1: worse"), (2.0, "0: same"), (3.0, "+1: better")]), -2.0);
        // Not numbers of points, or not one for each.
        assert_eq!(shift(&[(1.0, "0-1 Bad"), (2.0, "1-2 Fair"), (3.0, "2-3 Good")]), 0.0);
        assert_eq!(shift(&[(1.0, "0 Bad"), (2.0, "Fair"), (3.0, "2 Good")]), 0.0);
        assert_eq!(shift(&[(1.0, "0 Bad"), (2.0, "5 Fair"), (3.0, "10 Good")]), 0.0);
        assert_eq!(shift(&[(1.0, "0% sure"), (2.0, "1% sure"), (3.0, "2% sure")]), 0.0);
        assert_eq!(shift(&[(1.0, "0th"), (2.0, "1st"), (3.0, "2nd")]), 0.0);
    }

    // proves: B9
    #[test]
    fn numbers_of_something_are_no_rating() {
        let five = run(&["1", "2", "3", "4", "5"]);
        for asked in [
            "How many people live in your household?",
            "Number of cars",
            "How often do you ride in a week?",
            "Your age in decades",
            "Wie viele Kinder haben Sie?",
            "Year",
        ] {
            assert_eq!(rating(&five, asked), None, "{asked}");
        }
        for asked in [
            "Quality of the service",
            "How do you like our package?",
            "How likely are you to recommend us in the next years?",
            "How many stars? Rate us on a scale from 1 to 5",
        ] {
            assert!(rating(&five, asked).is_some(), "{asked}");
        }
        let words = run(&["Very bad", "Bad", "Fair", "Good", "Very good"]);
        assert!(rating(&words, "How often were you content?").is_some());
    }
}
