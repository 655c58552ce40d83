//! From an expression to its value.

use super::resolving::{Asked, Resolved, resolve};
use super::shown::shown;
use super::{Evaluated, Expression, Operator, Part, Segment, Trend, Unit, Wrong, parse};
use crate::figure::{Condition, Measure, Rules};
use crate::project::Project;
use crate::study::{Question, Study};

/// Computes an expression.
///
/// A figure with a base below [`Rules::least_base`] is computed too; its level says that it must not be reported.
///
/// # Errors
///
/// Fails if the text cannot be parsed, names something the project lacks, joins figures that are not alike, or measures
/// what no one answered.
pub fn evaluate(project: &Project, rules: &Rules, text: &str) -> Result<Evaluated, Wrong> {
    let resolved = resolve(project, &parse(text)?)?;
    let expression = written(&resolved).to_string();
    let part = |asked: &Asked| evaluate_part(project, rules, asked);
    let (asked, parts, value, unit) = match resolved {
        Resolved::One(asked) => {
            let part = part(&asked)?;
            let (value, unit) = (part.figure.value, part.unit);
            (vec![asked], vec![part], value, unit)
        }
        Resolved::Difference(one, other) => {
            let (first, second) = (part(&one)?, part(&other)?);
            let value = first.figure.value - second.figure.value;
            let unit = match first.unit {
                Unit::Share | Unit::Nps => Unit::Points,
                Unit::Count => Unit::Count,
                _ => Unit::Difference,
            };
            (vec![one, other], vec![first, second], value, unit)
        }
        Resolved::Ratio(one, other) => {
            let (first, second) = (part(&one)?, part(&other)?);
            let value = over(&first, first.figure.value, &second)?;
            (vec![one, other], vec![first, second], value, Unit::Ratio)
        }
        Resolved::Growth(later, earlier, _) => {
            let (first, second) = (part(&later)?, part(&earlier)?);
            let value = over(&first, first.figure.value - second.figure.value, &second)?;
            (vec![later, earlier], vec![first, second], value, Unit::Growth)
        }
    };
    let comparison = match asked.as_slice() {
        [one, other] => project.compare(&one.spec, &other.spec, rules).ok(),
        _ => None,
    };
    let text = shown(value, unit);
    Ok(Evaluated { expression, value, unit, parts, comparison, text })
}

/// Returns an expression in the canonical form of this project: names as the studies have them, and nothing left implicit.
///
/// # Errors
///
/// Fails for the same reasons as [`evaluate`] does before it computes anything.
pub fn canonical(project: &Project, expression: &Expression) -> Result<Expression, Wrong> {
    Ok(written(&resolve(project, expression)?))
}

fn over(above: &Part, value: f64, below: &Part) -> Result<f64, Wrong> {
    if let Some(negative) = [above, below].into_iter().find(|part| part.figure.value < 0.0) {
        return Err(Wrong::NotDivided { expression: negative.expression.clone() });
    }
    let zero = below.figure.value == 0.0 || !(value / below.figure.value).is_finite();
    if zero {
        return Err(Wrong::DividedByZero { expression: below.expression.clone() });
    }
    Ok(value / below.figure.value)
}

fn written(resolved: &Resolved) -> Expression {
    let figure = |asked: &Asked| Box::new(Expression::Figure(asked.call.clone()));
    match resolved {
        Resolved::One(asked) => Expression::Figure(asked.call.clone()),
        Resolved::Difference(one, other) => {
            Expression::Joined(figure(one), Operator::Minus, figure(other))
        }
        Resolved::Ratio(one, other) => {
            Expression::Joined(figure(one), Operator::Over, figure(other))
        }
        Resolved::Growth(later, earlier, of) => Expression::Trend {
            kind: Trend::Growth,
            of: of.clone(),
            from: earlier.call.study.clone().unwrap_or_default(),
            to: later.call.study.clone().unwrap_or_default(),
        },
    }
}

fn evaluate_part(project: &Project, rules: &Rules, asked: &Asked) -> Result<Part, Wrong> {
    let figure = project.figure(&asked.spec, rules)?;
    let unit = asked.call.measure.unit();
    let study = project.studies.get(asked.spec.study);
    let question = study.and_then(|study| study.questions.get(asked.spec.question));
    let answers = match (&asked.spec.measure, question) {
        (Measure::Share(places), Some(question)) => labels(question, places),
        _ => Vec::new(),
    };
    let segment = asked.spec.segment.iter();
    Ok(Part {
        expression: asked.call.to_string(),
        study: asked.call.study.clone().unwrap_or_default(),
        question: asked.call.question.clone(),
        segment: segment.filter_map(|one| condition(study?, one)).collect(),
        answers,
        unit,
        text: shown(figure.value, unit),
        figure,
    })
}

fn labels(question: &Question, places: &[usize]) -> Vec<String> {
    let answers = places.iter().filter_map(|place| question.answers.get(*place));
    answers.map(|answer| answer.label.clone()).collect()
}

fn condition(study: &Study, condition: &Condition) -> Option<Segment> {
    let question = study.questions.get(condition.question)?;
    let all = question.answers.iter().map(|answer| answer.label.clone());
    Some(Segment {
        question: question.words(),
        answers: labels(question, &condition.answers),
        all: all.collect(),
    })
}
