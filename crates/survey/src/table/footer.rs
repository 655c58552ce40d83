//! What a reader must know of a table, one sentence each.

use super::columns::Columns;
use super::rows::Made;
use super::{Heading, Row, RowKind};
use crate::figure::uncertainty::Measured;
use crate::figure::{Correction, Level, Rules, Test, test_name};
use crate::study::{Kind, Question, Top};

pub(crate) fn footer(
    weight: Option<&str>,
    question: &Question,
    made: &Made,
    columns: &Columns,
    headings: &[Heading],
    rules: &Rules,
) -> Vec<String> {
    let rows: Vec<RowKind> = made.rows.iter().map(|row| row.kind).collect();
    let mut footer = vec![
        match weight {
            Some(weight) => {
                format!("Weighted by {weight}; respondents without a weight above 0 are left out.")
            }
            None => "Not weighted.".to_owned(),
        },
        "Base: respondents who answered the question; shares are of these.".to_owned(),
    ];
    let without_score = made.without_score;
    if without_score > 0 {
        let answered = headings.first().map_or(0, |heading| heading.base.unweighted);
        let (first, more) = match rows.contains(&RowKind::Nps) {
            true => (
                "NPS, mean",
                " The boxes above NPS include everyone who answered, so NPS is not exactly their difference.",
            ),
            false => ("Mean", ""),
        };
        footer.push(format!(
            "{first}, median, standard deviation and standard error have their own base, respondents whose answer has a \
             score: in total {} of {answered}. The other {without_score} gave an answer without a score.{more}",
            answered.saturating_sub(without_score)
        ));
    }
    if question.top == Top::Lowest && rows.contains(&RowKind::Mean) {
        let boxes =
            if rows.contains(&RowKind::Boxed) { " Top 2 box counts from there, and" } else { "" };
        footer.push(format!(
            "The lowest number is the most favourable answer:{boxes} a lower mean is more favourable."
        ));
    }
    if rows.contains(&RowKind::Blank) {
        footer.push(
            "Declared as no answer and Blank are shares of everyone in the column. Blank includes respondents who were not \
             asked, unless a declared value marks them."
                .to_owned(),
        );
    } else if rows.contains(&RowKind::NoAnswer) {
        footer.push(
            "Not asked or no answer is a share of everyone in the column; the data do not distinguish the two."
                .to_owned(),
        );
    }
    if made.nets_overlap {
        footer.push(
            "Nets overlap and do not add up: an answer is listed under each net that it is part of."
                .to_owned(),
        );
    }
    if question.kind == Kind::Multi {
        footer.push(
            "Several answers were possible, so shares may add up to more than 100 %.".to_owned(),
        );
    }
    footer.extend(tests(&rows, columns, rules));
    if made.without_spread {
        footer.push(
            "Columns are not tested if all answers within each are the same, such as 100 % against 0 %: there is no variation \
             to test with."
                .to_owned(),
        );
    }
    // The unweighted base is named alone if that is enough.
    let base = |level: Level| {
        let least = if level == Level::Low { rules.low_base } else { rules.least_base };
        let mut marked = headings.iter().filter(|heading| heading.level == level);
        match marked.all(|heading| heading.base.unweighted < least) {
            true => "Base",
            false => "Base, or effective base,",
        }
    };
    if headings.iter().any(|heading| heading.level == Level::Low) {
        footer.push(format!("* {} below {} respondents.", base(Level::Low), rules.low_base));
    }
    if headings.iter().any(|heading| heading.level == Level::TooLow) {
        footer.push(format!(
            "** {} below {} respondents: not shown and not tested.",
            base(Level::TooLow),
            rules.least_base
        ));
    }
    let is_untold = |row: &Row| {
        let cells = row.cells.iter().zip(headings);
        cells
            .into_iter()
            .any(|(cell, heading)| cell.value.is_none() && heading.level != Level::TooLow)
    };
    if made.rows.iter().any(is_untold) {
        footer.push(format!(
            "– Not shown and not tested: the base of this figure, unweighted or effective, is below {} respondents, or it cannot be computed.",
            rules.least_base
        ));
    }
    if rows.contains(&RowKind::Sd) {
        let n = match rules.test {
            Test::EffectiveBase => Some("Kish's effective base"),
            Test::UnweightedBase => Some("the respondents"),
            Test::Linearised => None,
        };
        let error = n.map_or_else(
            || "is linearised (Taylor)".to_owned(),
            |n| format!("of the mean is sqrt(Σw(x - m)² / Σw / (n - 1)), n being {n}"),
        );
        footer.push(format!(
            "The standard deviation is sqrt(Σw(x - m)² / (Σw - 1)), as in SPSS; the standard error {error}."
        ));
    }
    footer
}

fn tests(rows: &[RowKind], columns: &Columns, rules: &Rules) -> Vec<String> {
    if columns.groups.is_empty() {
        return vec![];
    }
    let mut sentences = vec![];
    if columns.groups.iter().any(|group| !group.overlapping && group.columns > 1) {
        let tested = "Columns of the same banner question are tested against each other";
        sentences = tested_rows(rows, tested, "columns of a banner question", rules);
        if sentences.is_empty() {
            return vec![];
        }
    }
    if columns.groups.iter().any(|group| group.overlapping) {
        sentences.push(
            "Columns of a banner question with several answers overlap and are not tested."
                .to_owned(),
        );
    }
    sentences
}

/// Returns how rows were tested, in sentences of which the first starts with `beginning`; empty if no row is tested.
/// `pairs` names what a correction covers.
fn tested_rows(rows: &[RowKind], beginning: &str, pairs: &str, rules: &Rules) -> Vec<String> {
    let mut tests = vec![];
    let of = |kinds: &[RowKind]| rows.iter().any(|row| kinds.contains(row));
    if of(&[RowKind::Answer, RowKind::Net, RowKind::Boxed]) {
        tests.push(format!("shares with the {}", test_name(Measured::Share, rules.test, true)));
    }
    if of(&[RowKind::Nps]) {
        tests.push(format!("NPS with the {}", test_name(Measured::Nps, rules.test, false)));
    }
    if of(&[RowKind::Mean]) {
        tests.push(format!("means with the {}", test_name(Measured::Mean, rules.test, false)));
    }
    if tests.is_empty() {
        return vec![];
    }
    let by = match rules.correction {
        Correction::None => None,
        Correction::Holm => Some("Holm"),
        Correction::BenjaminiHochberg => Some("Benjamini and Hochberg"),
    };
    vec![
        format!("{beginning}, two-sided: {}.", tests.join(", ")),
        format!(
            "The letter in a cell names a column with a significantly lower value: small for p < {}, capital for p < {}.",
            rules.alpha, rules.strict_alpha
        ),
        match by {
            None => "P-values are not corrected for multiple tests.".to_owned(),
            Some(by) => {
                format!("P-values are corrected by {by} over the pairs of {pairs} in a row.")
            }
        },
    ]
}

/// Returns what a reader must know of a table of several studies, from the footers of each. `untested` is why some
/// neighbours were not tested, `is_incomplete` whether a study lacks some row.
pub(crate) fn of_waves(
    waves: &[(&str, &[String])],
    rows: &[Row],
    untested: &[String],
    is_incomplete: bool,
    rules: &Rules,
) -> Vec<String> {
    let mut footer: Vec<String> = vec![];
    for sentence in waves.iter().flat_map(|(_, sentences)| sentences.iter()) {
        let of: Vec<&str> = waves
            .iter()
            .filter(|(_, sentences)| sentences.contains(sentence))
            .map(|(study, _)| *study)
            .collect();
        // A mark means the same in every study.
        let is_of_all = of.len() == waves.len() || sentence.starts_with(['*', '–']);
        let told =
            if is_of_all { sentence.clone() } else { format!("{}: {sentence}", of.join(", ")) };
        if !footer.contains(&told) {
            footer.push(told);
        }
    }
    let kinds: Vec<RowKind> = rows.iter().map(|row| row.kind).collect();
    let tested = "Each column is a study, and is tested against the next as an independent sample";
    footer.extend(tested_rows(&kinds, tested, "neighbouring studies", rules));
    footer.extend(untested.iter().map(|told| format!("Some neighbours are {told}.")));
    if is_incomplete {
        let is_other = footer.iter().any(|sentence| sentence.starts_with('–'));
        let told = if is_other { "– Or the study does" } else { "– The study does" };
        footer.push(format!("{told} not have this row."));
    }
    footer
}

/// Returns how the intervals of a table's cells were computed; `None` if no cell has one.
pub(crate) fn intervals(rows: &[Row], rules: &Rules) -> Option<String> {
    let has = |kinds: &[RowKind]| {
        let mut of_kind = rows.iter().filter(|row| kinds.contains(&row.kind));
        of_kind.any(|row| row.cells.iter().any(|cell| cell.interval.is_some()))
    };
    let of_shares = match rules.test {
        Test::Linearised => "symmetric in logits for shares",
        Test::EffectiveBase | Test::UnweightedBase => "Wilson's for shares",
    };
    let kinds = [
        (has(&[RowKind::Answer, RowKind::Net, RowKind::Boxed]), of_shares),
        (has(&[RowKind::Nps]), "normal for NPS"),
        (has(&[RowKind::Mean]), "Student's for means"),
    ];
    let told: Vec<&str> = kinds.iter().filter(|(has, _)| *has).map(|(_, told)| *told).collect();
    let confidence = percent(rules.confidence);
    (!told.is_empty())
        .then(|| format!("Intervals are at {confidence} % confidence, {}.", told.join(", ")))
}

/// Returns 95 for 0.95, without the digits of float rounding.
fn percent(share: f64) -> f64 {
    (share * 1e6).round() / 1e4
}
