//! Every number of a sentence is one of its figures', and stands with the right label.

use std::collections::BTreeSet;

use super::binding::bound;
use super::numbers::{Bound, Said, Told, What};
use super::parts::{Dimension, Measured};
use super::sentence::Sentence;
use super::values::{same_unit, tells, within};
use crate::expression::shown::{rounded, shown};
use crate::expression::{Evaluated, Unit};
use crate::study::Kind;

/// A value that a number can tell: of one figure, or of an expression over two.
struct Slot<'a, 'b> {
    value: f64,
    unit: Unit,
    of: Vec<&'b Measured<'a>>,
    text: String,
}

/// Appends what is wrong with the numbers.
pub(super) fn check(sentence: &Sentence<'_>, faults: &mut Vec<String>) {
    let slots = slots(sentence);
    let kinds: [&[What]; 2] =
        [&[What::Value], &[What::Base, What::WeightedBase, What::EffectiveBase]];
    for kind in kinds {
        let said: Vec<&Said> =
            sentence.said.iter().filter(|said| kind.contains(&said.what)).collect();
        values(sentence, &slots, &said, faults);
    }
    for said in &sentence.said {
        match said.what {
            What::Value | What::Base | What::WeightedBase | What::EffectiveBase => {}
            What::P { below } => p_value(sentence, said, below, faults),
            What::Confidence => confidence(sentence, said, faults),
            What::Interval => interval(sentence, said, &slots, faults),
            What::Scale => scale(sentence, said, faults),
            What::Things => things(sentence, said, &slots, faults),
        }
    }
}

fn slots<'a, 'b>(sentence: &'b Sentence<'a>) -> Vec<Slot<'a, 'b>> {
    let mut slots = Vec::new();
    for part in &sentence.parts {
        let text = part.part.text.clone();
        slots.push(Slot {
            value: part.part.figure.value,
            unit: part.part.unit,
            of: vec![part],
            text,
        });
    }
    let mut place = 0;
    for (asked, evaluated) in sentence.figures {
        let of: Vec<&Measured<'a>> = sentence.parts.iter().skip(place).take(asked.len()).collect();
        place += asked.len();
        if of.len() > 1 {
            let Evaluated { value, unit, text, .. } = evaluated;
            slots.push(Slot { value: *value, unit: *unit, of: of.clone(), text: text.clone() });
            if *unit == Unit::Ratio {
                let (value, unit) = (value - 1.0, Unit::Growth);
                slots.push(Slot { value, unit, of, text: shown(value, unit) });
            }
        }
    }
    slots
}

impl Slot<'_, '_> {
    fn is_of(&self, dimension: &Dimension, labels: &BTreeSet<String>) -> bool {
        // What compares two labels belongs to neither alone.
        let own: BTreeSet<Option<&BTreeSet<String>>> =
            self.of.iter().map(|part| part.of.get(dimension)).collect();
        own.len() != 1 || self.of.iter().all(|part| part.is_of(dimension, labels))
    }

    fn is_one(&self, dimension: &Dimension) -> bool {
        let own: BTreeSet<Option<&BTreeSet<String>>> =
            self.of.iter().map(|part| part.of.get(dimension)).collect();
        own.len() == 1
    }
}

/// A multiple is checked with what it compares.
fn is_multiple(said: &Said) -> bool {
    said.unit == Told::Times
}

/// Whether a percentage tells by how much something is more or less, which is no share.
fn is_relative(sentence: &Sentence<'_>, said: &Said) -> bool {
    said.unit == Told::Percent
        && !said.fraction
        && ((sentence.back(said.from, 1) == "by"
            && (2..=4).any(|by| super::directions::moves(sentence.back(said.from, by))))
            || matches!(
                sentence.word(said.to),
                "more"
                    | "higher"
                    | "lower"
                    | "fewer"
                    | "less"
                    | "greater"
                    | "increase"
                    | "rise"
                    | "decline"
                    | "decrease"
                    | "drop"
                    | "growth"
                    | "gain"
                    | "fall"
            ))
}

fn candidates(sentence: &Sentence<'_>, slots: &[Slot<'_, '_>], said: &Said) -> Vec<usize> {
    let relative = is_relative(sentence, said);
    let places = slots.iter().enumerate().filter(|(_, slot)| match said.what {
        What::Value => {
            same_unit(said, slot.unit)
                && (!relative || slot.unit == Unit::Growth)
                && tells(said, slot.value, slot.unit)
        }
        _ => slot.of.len() == 1 && base_of(slot, said).is_some_and(|base| within(said, base)),
    });
    places.map(|(place, _)| place).collect()
}

fn base_of(slot: &Slot<'_, '_>, said: &Said) -> Option<f64> {
    let base = slot.of.first()?.part.figure.base;
    let digits = |value: f64| rounded(value, said.decimals.max(1));
    Some(match said.what {
        What::WeightedBase => digits(base.weighted),
        What::EffectiveBase => digits(base.effective),
        _ => base.unweighted as f64,
    })
}

fn values(
    sentence: &Sentence<'_>,
    slots: &[Slot<'_, '_>],
    said: &[&Said],
    faults: &mut Vec<String>,
) {
    let said: Vec<&Said> = said
        .iter()
        .copied()
        .filter(|said| {
            !is_multiple(said) && super::measures::half(sentence, said.at) != Some(said.at)
        })
        .collect();
    let found: Vec<Vec<usize>> =
        said.iter().map(|said| candidates(sentence, slots, said)).collect();
    let mut left: Vec<Vec<usize>> = found.clone();
    for dimension in &sentence.varying {
        // Numbers that compare two labels of this dimension are of neither.
        let single = |places: &Vec<usize>| {
            places.is_empty()
                || places
                    .iter()
                    .any(|place| slots.get(*place).is_some_and(|one| one.is_one(dimension)))
        };
        let within: Vec<usize> =
            (0..said.len()).filter(|at| found.get(*at).is_some_and(single)).collect();
        let places: Vec<usize> = within.iter().filter_map(|at| Some(said.get(*at)?.at)).collect();
        let labels = sentence.labels(dimension);
        let bound = bound(
            &places,
            dimension,
            &labels,
            &sentence.tokens,
            &sentence.clauses,
            &sentence.order,
        );
        for (at, labels) in within.iter().zip(bound) {
            let (Some(labels), Some(left)) = (labels, left.get_mut(*at)) else { continue };
            left.retain(|place| {
                slots.get(*place).is_some_and(|slot| slot.is_of(dimension, labels))
            });
        }
    }
    for ((said, found), left) in said.iter().zip(&found).zip(&left) {
        if found.is_empty() {
            faults.push(unknown(slots, said));
        } else if left.is_empty() {
            let of: Vec<String> = found
                .iter()
                .filter_map(|place| slots.get(*place))
                .flat_map(|slot| &slot.of)
                .filter_map(|part| {
                    let place = sentence.parts.iter().position(|one| std::ptr::eq(one, *part))?;
                    Some(sentence.told(place))
                })
                .collect();
            faults.push(format!(
                "'{}' stands with the wrong label: it is the figure of {}; put each number next to its own label.",
                said.shown,
                of.join(" and of ")
            ));
        }
    }
}

fn unknown(slots: &[Slot<'_, '_>], said: &Said) -> String {
    let mut known: Vec<String> = slots
        .iter()
        .map(|slot| match said.what {
            What::Value => slot.text.clone(),
            _ => base_of(slot, said).map(|base| base.to_string()).unwrap_or_default(),
        })
        .collect();
    known.dedup();
    let what = match said.what {
        What::Base => "the base is",
        What::WeightedBase => "the weighted base is",
        What::EffectiveBase => "the effective base is",
        _ => "the figures are",
    };
    let reserve =
        if said.bound == Bound::Exactly { "" } else { ", with what stands before the number" };
    format!(
        "'{}' is no value of the figures{reserve}: {what} {}; write one of these, in its unit, or give an expression for it.",
        said.shown,
        known.join(", ")
    )
}

fn p_value(sentence: &Sentence<'_>, said: &Said, below: bool, faults: &mut Vec<String>) {
    let all: Vec<f64> = sentence
        .own_pairs()
        .into_iter()
        .filter_map(|(one, other)| sentence.compared(one, other)?.p)
        .collect();
    let right = |p: &f64| {
        if below { *p < said.value } else { (rounded(*p, said.decimals) - said.value).abs() < 1e-9 }
    };
    if all.is_empty() {
        faults.push(format!(
            "'{}' is a p-value, and nothing is tested here: leave it out.",
            said.shown
        ));
    } else if !(if below { all.iter().all(right) } else { all.iter().any(right) }) {
        let known: Vec<String> = all.iter().map(|p| format!("{p:.4}")).collect();
        faults.push(format!("'{}' is not the p-value, which is {}.", said.shown, known.join(", ")));
    }
}

fn confidence(sentence: &Sentence<'_>, said: &Said, faults: &mut Vec<String>) {
    let rules = sentence.rules;
    let known = [rules.confidence * 100.0, (1.0 - rules.alpha) * 100.0, rules.alpha * 100.0];
    if !known.iter().any(|known| (known - said.value).abs() < 1e-6) {
        faults.push(format!(
            "'{}' is not the level in use: intervals have {} % confidence, tests {} %.",
            said.shown, known[0], known[1]
        ));
    }
}

fn interval(
    sentence: &Sentence<'_>,
    said: &Said,
    slots: &[Slot<'_, '_>],
    faults: &mut Vec<String>,
) {
    let mut known: Vec<(f64, Unit)> = Vec::new();
    for part in &sentence.parts {
        let Some((low, high)) = part.part.figure.interval else { continue };
        let unit = part.part.unit;
        known.extend([(low, unit), (high, unit), ((high - low) / 2.0, unit)]);
    }
    for (_, evaluated) in sentence.figures {
        let interval = evaluated.comparison.as_ref().and_then(|comparison| comparison.interval);
        let Some((low, high)) = interval else { continue };
        known.extend([
            (low, Unit::Points),
            (high, Unit::Points),
            ((high - low) / 2.0, Unit::Points),
        ]);
    }
    let told = |value: f64, unit: Unit| {
        let value = crate::expression::shown::scaled(value, unit);
        let value =
            if said.sign.is_none() { value.abs() } else { value * said.sign.unwrap_or(1.0) };
        (rounded(value, said.decimals) - said.value).abs() < 1e-9
    };
    let value =
        slots.iter().any(|slot| same_unit(said, slot.unit) && tells(said, slot.value, slot.unit));
    if let Some(ends) = other_end(sentence, said) {
        let (low, high) = if ends.at > said.at { (said, ends) } else { (ends, said) };
        let signed = |said: &Said, value: f64, unit: Unit| {
            let value = crate::expression::shown::scaled(value, unit);
            let wanted = said.value * said.sign.unwrap_or(1.0);
            (rounded(value, said.decimals) - wanted).abs() < 1e-9
        };
        let near = sentence.near(said.at, &[]);
        let own = near
            .iter()
            .filter_map(|part| Some((part.part.figure.interval?, part.part.unit, false)));
        let apart = sentence.figures.iter().filter_map(|(_, evaluated)| {
            let interval = evaluated.comparison.as_ref()?.interval?;
            Some((interval, Unit::Points, evaluated.value < 0.0))
        });
        let right = own.chain(apart).any(|((least, most), unit, turned)| {
            // A difference that is told as an amount has its interval turned with it.
            (signed(low, least, unit) && signed(high, most, unit))
                || (turned && signed(low, -most, unit) && signed(high, -least, unit))
        });
        if !right {
            faults.push(format!(
                "'{}' and '{}' are not the low and the high end of one interval of the figure beside them.",
                low.shown, high.shown
            ));
        }
        return;
    }
    if !value && !known.iter().any(|(value, unit)| told(*value, *unit)) {
        let known: Vec<String> = known.iter().map(|(value, unit)| shown(*value, *unit)).collect();
        faults.push(format!(
            "'{}' is no end of an interval of the figures: these are {}.",
            said.shown,
            known.join(", ")
        ));
    }
}

/// The other end of an interval that is told as "49.1 to 57.1".
fn other_end<'a>(sentence: &'a Sentence<'_>, said: &Said) -> Option<&'a Said> {
    let joined = |one: &Said, other: &Said| {
        let between = sentence.tokens.get(one.at + 1..other.at).unwrap_or_default();
        between.len() <= 5
            && between.iter().any(|token| token.is(&["to", "and", "-", ",", "—"]))
            && !between.iter().any(|token| token.is(&["(", ")", ";"]))
    };
    let mut ends = sentence.said.iter().filter(|one| one.what == What::Interval);
    ends.find(|one| {
        (one.at < said.at && joined(one, said)) || (one.at > said.at && joined(said, one))
    })
}

fn scale(sentence: &Sentence<'_>, said: &Said, faults: &mut Vec<String>) {
    // NPS is on no scale of answers.
    let mut scaled = sentence.parts.iter().filter(|part| part.part.unit != Unit::Nps);
    let right = scaled.any(|part| {
        let scores: Vec<f64> = part.question.answers.iter().filter_map(|one| one.score).collect();
        let least = scores.iter().copied().fold(f64::INFINITY, f64::min);
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let points = said.unit == Told::Points && said.value == scores.len() as f64;
        points || said.value == least || said.value == most
    });
    // A value may stand beside the word as well, and is no end of a scale.
    let end = sentence.back(said.from, 1) == "of";
    let value = !end
        && sentence.parts.iter().any(|part| {
            same_unit(said, part.part.unit) && tells(said, part.part.figure.value, part.part.unit)
        });
    if !right && !value {
        faults.push(format!(
            "'{}' is not how the scale of the question goes: look at its answers.",
            said.shown
        ));
    }
}

fn things(sentence: &Sentence<'_>, said: &Said, slots: &[Slot<'_, '_>], faults: &mut Vec<String>) {
    let mut counts: BTreeSet<usize> = BTreeSet::new();
    for part in &sentence.parts {
        for dimension in part.of.keys() {
            let labels: BTreeSet<&String> =
                sentence.parts.iter().filter_map(|one| one.of.get(dimension)).flatten().collect();
            counts.insert(labels.len());
        }
        counts.insert(part.question.answers.len());
        for condition in &part.asked.spec.segment {
            let by = part.study.questions.get(condition.question);
            counts.extend(by.map(|by| by.answers.len()));
        }
    }
    counts.insert(sentence.project.studies.len());
    counts.insert(sentence.parts.len());
    // "4 hours" is a value, no count of things.
    let value =
        slots.iter().any(|slot| same_unit(said, slot.unit) && tells(said, slot.value, slot.unit));
    let topic = sentence.tokens.get(said.to).is_some_and(|noun| {
        let numeric = sentence.parts.iter().filter(|part| part.question.kind == Kind::Numeric);
        let questions = numeric.map(|part| part.question.text.to_lowercase());
        questions.into_iter().any(|text| text.contains(noun.word.as_str()))
    });
    let counted = !topic && counts.contains(&(said.value as usize));
    if !value && !counted {
        faults.push(format!(
            "'{} {}' is no number of the figures.",
            said.shown,
            sentence.word(said.to)
        ));
    }
}
