//! The counts behind a table: how many of each column gave each answer, counted in one pass over the respondents.

use crate::coded::{Codes, NONE, OTHER, Weights, encode_columns, find_column};
use crate::figure::FigureError;
use crate::study::{Column, Data, Kind, Question, Study};
use crate::table::columns::{Bundle, Columns};
use crate::weighted::{Count, Middle, Moments, median};

/// Counts of respondents for each column of a banner.
pub(crate) struct Tally {
    /// By answer, then by column.
    pub(crate) answers: Vec<Vec<Count>>,
    /// By net, then by column.
    pub(crate) nets: Vec<Vec<Count>>,
    /// Those who answered, by column.
    pub(crate) answered: Vec<Count>,
    /// All respondents, by column.
    pub(crate) everybody: Vec<Count>,
    /// Those who did not answer and have a value declared as no answer, by column.
    pub(crate) declared: Vec<Count>,
    /// For a numeric question: its moments and its median, by column.
    pub(crate) numbers: Option<Vec<(Moments, Option<f64>)>>,
}

impl Tally {
    pub(crate) fn of(
        study: &Study,
        question: &Question,
        columns: &Columns,
        weights: &Weights<'_>,
    ) -> Result<Tally, FigureError> {
        let answers = question.answers.len();
        if answers >= usize::from(OTHER) {
            return Err(FigureError::TooManyAnswers {
                question: question.id.clone(),
                answers,
                most: usize::from(OTHER) - 1,
            });
        }
        let width = columns.headings.len();
        let mut tally = Tally {
            answers: vec![vec![Count::default(); width]; answers],
            nets: vec![vec![Count::default(); width]; question.nets.len()],
            answered: vec![Count::default(); width],
            everybody: vec![Count::default(); width],
            declared: vec![Count::default(); width],
            numbers: None,
        };
        tally.count_declared(study, question, columns, weights)?;
        let codes = encode_columns(study, question)?;
        for (number, bundle) in columns.bundles.iter().enumerate() {
            let counted = match codes.as_slice() {
                [codes] if question.kind != Kind::Multi => {
                    let mut counted = count_one(codes, bundle, weights, answers);
                    counted.net_exclusive(question);
                    counted
                }
                codes => count_several(codes, bundle, weights, question),
            };
            tally.take(&counted, bundle, number == 0);
        }
        if question.kind == Kind::Numeric
            && let Some(&place) = question.columns.first()
        {
            tally.numbers = Some(numbers(find_column(study, place)?, columns, weights));
        }
        Ok(tally)
    }

    /// Counts those with a value declared as no answer who gave no answer in another column.
    fn count_declared(
        &mut self,
        study: &Study,
        question: &Question,
        columns: &Columns,
        weights: &Weights<'_>,
    ) -> Result<(), FigureError> {
        let asked: Vec<&Column> = question
            .columns
            .iter()
            .map(|place| find_column(study, *place))
            .collect::<Result<_, _>>()?;
        if asked.iter().all(|column| column.missing.is_empty()) {
            return Ok(());
        }
        let declared: Vec<_> = asked.into_iter().map(Column::declared).collect();
        for row in 0..study.respondents {
            let said = |wanted: bool| declared.iter().any(|of| of(row) == Some(wanted));
            if !said(true) || said(false) {
                continue;
            }
            let weight = weights.weight(row);
            for (number, bundle) in columns.bundles.iter().enumerate() {
                let of_cell =
                    bundle.cell.get(row).and_then(|cell| bundle.columns.get(usize::from(*cell)));
                for &place in
                    of_cell.into_iter().flatten().filter(|place| number == 0 || **place > 0)
                {
                    if let Some(count) = self.declared.get_mut(place) {
                        count.add(weight);
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the cells of a bundle to the columns they are part of. The column of all respondents is counted from the first bundle only.
    fn take(&mut self, counted: &Counted, bundle: &Bundle, first: bool) {
        let rows = self
            .answers
            .iter_mut()
            .chain(&mut self.nets)
            .chain([&mut self.answered, &mut self.everybody]);
        add(rows, counted, bundle, first);
    }
}

fn add<'a>(
    rows: impl Iterator<Item = &'a mut Vec<Count>>,
    counted: &Counted,
    bundle: &Bundle,
    first: bool,
) {
    for (row, cells) in rows.zip(&counted.rows) {
        for (count, columns) in cells.iter().zip(&bundle.columns) {
            for &column in columns {
                if let Some(sum) = row.get_mut(column)
                    && (first || column > 0)
                {
                    sum.join(*count);
                }
            }
        }
    }
}

/// Counts for each cell of a bundle. The rows are the answers, the nets, who answered, and all respondents. `count_one` counts no nets.
struct Counted {
    rows: Vec<Vec<Count>>,
}

impl Counted {
    /// Counts nets from their members, which exclude each other, and puts them after the answers.
    fn net_exclusive(&mut self, question: &Question) {
        let answers = question.answers.len();
        let width = self.rows.first().map_or(0, Vec::len);
        let nets = question.nets.iter().map(|net| {
            let mut members = net.answers.clone();
            members.sort_unstable();
            members.dedup();
            let mut sums = vec![Count::default(); width];
            for counts in
                members.iter().filter(|at| **at < answers).filter_map(|at| self.rows.get(*at))
            {
                sums.iter_mut().zip(counts).for_each(|(sum, count)| sum.join(*count));
            }
            sums
        });
        let nets: Vec<Vec<Count>> = nets.collect();
        self.rows.splice(answers..answers, nets);
    }
}

/// Counts the answers of one column. Large studies spend their time here.
fn count_one(codes: &Codes<'_>, bundle: &Bundle, weights: &Weights<'_>, answers: usize) -> Counted {
    let width = bundle.columns.len();
    // After the answers come those who gave an unlisted one, and those who gave none.
    let mut cells = vec![[0.0_f64; 4]; (answers + 2) * width];
    let slot = |place: u16| match place {
        NONE => answers + 1,
        OTHER => answers,
        place => usize::from(place),
    };
    let mut count = |slot: usize, cell: u16, weight: f64| {
        if let Some(sums) = cells.get_mut(slot * width + usize::from(cell)) {
            sums[0] += 1.0;
            sums[1] += weight;
            sums[2] += weight * weight;
        }
    };
    match codes {
        Codes::Few { index, places } => {
            let slots = places.map(slot);
            let rows = index.iter().map(|value| slots[usize::from(*value)]).zip(&bundle.cell);
            match weights {
                Weights::Nobody => rows.for_each(|(slot, cell)| count(slot, *cell, 1.0)),
                Weights::Few { index, weights } => rows
                    .zip(*index)
                    .for_each(|((slot, cell), at)| count(slot, *cell, weights[usize::from(*at)])),
                Weights::Numbers { numbers, .. } => rows
                    .zip(*numbers)
                    .for_each(|((slot, cell), weight)| count(slot, *cell, *weight)),
            }
        }
        Codes::Texts { .. } | Codes::Numbers { .. } => {
            for (row, cell) in bundle.cell.iter().enumerate() {
                count(slot(codes.place(row)), *cell, weights.weight(row));
            }
        }
    }
    let row = |slot: usize| -> Vec<Count> {
        let cells = cells.iter().skip(slot * width).take(width);
        cells.map(|[n, w, q, _]| Count { respondents: *n, weight: *w, squares: *q }).collect()
    };
    let mut rows: Vec<Vec<Count>> = (0..answers).map(row).collect();
    let mut answered = vec![Count::default(); width];
    for cells in rows.iter().chain([&row(answers)]) {
        answered.iter_mut().zip(cells).for_each(|(sum, count)| sum.join(*count));
    }
    let mut everybody = answered.clone();
    everybody.iter_mut().zip(row(answers + 1)).for_each(|(sum, count)| sum.join(count));
    rows.extend([answered, everybody]);
    Counted { rows }
}

/// Counts the answers of a multiple-response set: each once for a respondent, whatever its column.
fn count_several(
    columns: &[Codes<'_>],
    bundle: &Bundle,
    weights: &Weights<'_>,
    question: &Question,
) -> Counted {
    let (answers, nets) = (question.answers.len(), question.nets.len());
    let mut nets_of: Vec<Vec<usize>> = vec![vec![]; answers];
    for (number, net) in question.nets.iter().enumerate() {
        for &member in &net.answers {
            if let Some(nets) = nets_of.get_mut(member)
                && !nets.contains(&number)
            {
                nets.push(number);
            }
        }
    }
    let mut rows = vec![vec![Count::default(); bundle.columns.len()]; answers + nets + 2];
    let mut given: Vec<usize> = vec![];
    for (row, cell) in bundle.cell.iter().enumerate() {
        let weight = weights.weight(row);
        given.clear();
        let mut answered = false;
        for codes in columns {
            let place = codes.place(row);
            answered |= place != NONE;
            let place = usize::from(place);
            let Some(nets) = nets_of.get(place) else { continue };
            for item in std::iter::once(place).chain(nets.iter().map(|net| answers + net)) {
                if !given.contains(&item) {
                    given.push(item);
                }
            }
        }
        if answered {
            given.push(answers + nets);
        }
        given.push(answers + nets + 1);
        for &item in &given {
            if let Some(count) =
                rows.get_mut(item).and_then(|cells| cells.get_mut(usize::from(*cell)))
            {
                count.add(weight);
            }
        }
    }
    Counted { rows }
}

/// Returns the moments and the median of a numeric question for each column.
fn numbers(
    column: &Column,
    columns: &Columns,
    weights: &Weights<'_>,
) -> Vec<(Moments, Option<f64>)> {
    match &column.data {
        Data::Few { values, index } => few_numbers(column, values, index, columns, weights),
        Data::Numbers(_) | Data::Texts { .. } => many_numbers(column, columns, weights),
    }
}

/// Counts few distinct numbers like answers.
fn few_numbers(
    column: &Column,
    values: &[f64],
    index: &[u8],
    columns: &Columns,
    weights: &Weights<'_>,
) -> Vec<(Moments, Option<f64>)> {
    let mut places = Box::new([NONE; 256]);
    for ((slot, value), at) in places.iter_mut().zip(values).zip(0..) {
        *slot = if column.is_missing(*value) { NONE } else { at };
    }
    let codes = Codes::Few { index, places };
    let mut counts = vec![vec![Count::default(); columns.headings.len()]; values.len()];
    for (number, bundle) in columns.bundles.iter().enumerate() {
        let counted = count_one(&codes, bundle, weights, values.len());
        add(counts.iter_mut(), &counted, bundle, number == 0);
    }
    (0..columns.headings.len())
        .map(|place| {
            let of_column: Vec<(f64, Count)> = values
                .iter()
                .zip(&counts)
                .filter_map(|(value, counts)| Some((*value, *counts.get(place)?)))
                .collect();
            let weighed = |(value, count): &(f64, Count)| (*value, count.weight);
            (Moments::of(&of_column), median(&mut of_column.iter().map(weighed).collect()))
        })
        .collect()
}

/// Reads many distinct numbers one by one.
fn many_numbers(
    column: &Column,
    columns: &Columns,
    weights: &Weights<'_>,
) -> Vec<(Moments, Option<f64>)> {
    let width = columns.headings.len();
    let mut moments = vec![Moments::default(); width];
    let each = |take: &mut dyn FnMut(usize, f64, f64)| {
        for (number, bundle) in columns.bundles.iter().enumerate() {
            for (row, cell) in bundle.cell.iter().enumerate() {
                let Some(of_cell) = bundle.columns.get(usize::from(*cell)) else { continue };
                if of_cell.is_empty() {
                    continue;
                }
                let Some(value) = column.answer(row) else { continue };
                let weight = weights.weight(row);
                for &place in of_cell.iter().filter(|place| number == 0 || **place > 0) {
                    take(place, value, weight);
                }
            }
        }
    };
    each(&mut |place, value, weight| {
        if let Some(moments) = moments.get_mut(place) {
            moments.count.add(weight);
            moments.mean += weight * value;
        }
    });
    for moments in &mut moments {
        if moments.count.weight > 0.0 {
            moments.mean /= moments.count.weight;
        }
    }
    each(&mut |place, value, weight| {
        if let Some(moments) = moments.get_mut(place) {
            let beyond = value - moments.mean;
            moments.spread += weight * beyond * beyond;
            moments.linear += weight * weight * beyond * beyond;
        }
    });
    let medians = compute_medians(column, columns, weights, &moments);
    moments.into_iter().zip(medians).collect()
}

/// Returns the median of each column, found in one pass over the respondents in the order of their numbers.
fn compute_medians(
    column: &Column,
    columns: &Columns,
    weights: &Weights<'_>,
    moments: &[Moments],
) -> Vec<Option<f64>> {
    let mut middles: Vec<Middle> =
        moments.iter().map(|moments| Middle::of(moments.count.weight)).collect();
    // Sorts rows rather than numbers, which takes half as much memory as the column.
    let value = |row: u32| column.answer(row as usize).unwrap_or(f64::NAN);
    let mut order: Vec<u32> = (0..u32::try_from(column.data.len()).unwrap_or(u32::MAX)).collect();
    order.retain(|row| column.answer(*row as usize).is_some());
    order.sort_unstable_by(|one, other| value(*one).total_cmp(&value(*other)));
    for row in order {
        let value = value(row);
        let row = row as usize;
        let weight = weights.weight(row);
        for (number, bundle) in columns.bundles.iter().enumerate() {
            let of_cell =
                bundle.cell.get(row).and_then(|cell| bundle.columns.get(usize::from(*cell)));
            for &place in of_cell.into_iter().flatten().filter(|place| number == 0 || **place > 0) {
                if let Some(middle) = middles.get_mut(place) {
                    middle.pass(value, weight);
                }
            }
        }
    }
    middles.iter().map(Middle::median).collect()
}
