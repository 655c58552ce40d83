//! Sentences as pieces that can be changed one by one.

use survey::claims::Stated;
use survey::expression::{Evaluated, evaluate};
use survey::figure::Rules;
use survey::project::Project;

use crate::forms::Made;
use crate::synthetic::Chance;

/// What is made wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mutation {
    ChangedDigit,
    SwappedSegment,
    WrongDirection,
    SumOfOverlapping,
    InventedQuestion,
    RoundedPastTheTruth,
    WrongBase,
    CausalWording,
}

impl Mutation {
    pub(crate) const ALL: [Mutation; 8] = [
        Mutation::ChangedDigit,
        Mutation::SwappedSegment,
        Mutation::WrongDirection,
        Mutation::SumOfOverlapping,
        Mutation::InventedQuestion,
        Mutation::RoundedPastTheTruth,
        Mutation::WrongBase,
        Mutation::CausalWording,
    ];
}

/// A piece of a sentence.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Text(String),
    /// A value in the scale in which it is shown, and its decimals; the unit follows as text.
    Number {
        value: f64,
        decimals: usize,
    },
    /// The words for a segment, a study or an answer, and its name in expressions.
    Label {
        words: String,
        name: String,
    },
    /// A word of direction, and one for the other way.
    Direction {
        right: String,
        wrong: String,
    },
    /// What the question asks.
    Topic(String),
    Base(u64),
}

pub(crate) fn written(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(words) | Piece::Topic(words) => text.push_str(words),
            Piece::Number { value, decimals } => text.push_str(&digits(*value, *decimals)),
            Piece::Label { words, .. } => text.push_str(words),
            Piece::Direction { right, .. } => text.push_str(right),
            Piece::Base(base) => text.push_str(&base.to_string()),
        }
    }
    let text = text.replace("  ", " ").replace(" ,", ",");
    let mut signs = text.trim().chars();
    let first = signs.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}", signs.as_str())
}

/// Half away from zero, as people round.
pub(crate) fn digits(value: f64, decimals: usize) -> String {
    let power = 10f64.powi(decimals as i32);
    let rounded = (value.abs() * power + 0.5 + 1e-9).floor() / power * value.signum();
    format!("{rounded:.decimals$}")
}

fn values(project: &Project, figures: &[String]) -> Vec<Evaluated> {
    figures
        .iter()
        .map(|figure| {
            evaluate(project, &Rules::default(), figure).expect("a form's figures can be computed")
        })
        .collect()
}

/// Every number that a sentence with these figures may show, with so many decimals.
fn true_numbers(project: &Project, figures: &[String], decimals: usize) -> Vec<String> {
    let mut shown = Vec::new();
    for one in values(project, figures) {
        let mut all = vec![one.value];
        all.extend(one.parts.iter().map(|part| part.figure.value));
        for value in all {
            for value in [value, value * 100.0, -value, value * -100.0] {
                shown.push(digits(value, decimals));
            }
        }
    }
    shown
}

const CAUSES: &[&str] = &[
    ", because the design was renewed",
    ", thanks to the new campaign",
    ", which is driven by the latest update",
    ", as a result of better service",
    ", due to lower fees",
    ", which explains the pattern",
    ", and this leads to higher loyalty",
    ", owing to the relaunch",
    ", an effect of the new pricing",
    ", caused by the recent changes",
];

const INVENTED: &[&str] = &[
    "own a dog",
    "trust advertising on television",
    "plan to move house next summer",
    "would pay extra for organic cotton",
    "have cancelled a newspaper subscription",
    "drive an electric car to work",
];
const INVENTED_NOUNS: &[&str] = &[
    "dog ownership",
    "trust in television advertising",
    "the wish to move house",
    "willingness to pay extra for organic cotton",
    "electric car ownership",
];

/// Returns a sentence with one thing made wrong; none where it has nothing of the kind.
pub(crate) fn corrupted(
    project: &Project,
    chance: &mut Chance,
    made: &Made,
    mutation: Mutation,
) -> Option<Stated> {
    let mut pieces = made.pieces.clone();
    let mut figures = made.figures.clone();
    let places = |test: &dyn Fn(&Piece) -> bool| -> Vec<usize> {
        (0..made.pieces.len()).filter(|place| test(&made.pieces[*place])).collect()
    };
    let numbers = places(&|piece| matches!(piece, Piece::Number { .. }));
    match mutation {
        Mutation::ChangedDigit => {
            let place = *numbers.get(chance.below(numbers.len().max(1)))?;
            let Piece::Number { value, decimals } = made.pieces[place].clone() else { return None };
            let shown = digits(value, decimals);
            let mut changed: Vec<char> = shown.chars().collect();
            let at: Vec<usize> =
                (0..changed.len()).filter(|at| changed[*at].is_ascii_digit()).collect();
            let at = at[chance.below(at.len())];
            let old = changed[at].to_digit(10)?;
            let new = (old + 1 + chance.below(9) as u32) % 10;
            if at == 0 && new == 0 && changed.len() > 1 {
                return None;
            }
            changed[at] = char::from_digit(new, 10)?;
            let changed: String = changed.into_iter().collect();
            if true_numbers(project, &figures, decimals).contains(&changed) || made.loose {
                return None;
            }
            pieces[place] = Piece::Text(changed);
        }
        Mutation::RoundedPastTheTruth => {
            let place = *numbers.get(chance.below(numbers.len().max(1)))?;
            let Piece::Number { value, decimals } = made.pieces[place].clone() else { return None };
            let power = 10f64.powi(decimals as i32);
            let wrong = match chance.below(3) {
                // The other way: 47.4 becomes 48.
                0 => {
                    let (down, up) = ((value * power).floor(), (value * power).ceil());
                    let right = digits(value, decimals);
                    let other = if digits(down / power, decimals) == right { up } else { down };
                    digits(other / power, decimals)
                }
                1 => digits((value / 5.0).round() * 5.0, 0),
                _ => digits((value / 10.0).round() * 10.0, 0),
            };
            let shown = wrong.split_once('.').map_or(0, |(_, decimals)| decimals.len());
            if true_numbers(project, &figures, shown).contains(&wrong) || made.loose {
                return None;
            }
            pieces[place] = Piece::Text(wrong);
        }
        Mutation::SwappedSegment => {
            let labels = places(&|piece| matches!(piece, Piece::Label { .. }));
            let names = |pieces: &[Piece]| -> Vec<String> {
                labels
                    .iter()
                    .filter_map(|place| match &pieces[*place] {
                        Piece::Label { name, .. } => Some(name.clone()),
                        _ => None,
                    })
                    .collect()
            };
            let all = names(&made.pieces);
            let one = chance.below(labels.len().max(1));
            let other = (0..all.len())
                .find(|other| all[*other] != all[one] && made.swaps(&all[one], &all[*other]));
            match other {
                Some(other) => {
                    if all.iter().filter(|name| **name == all[one] || **name == all[other]).count()
                        != 2
                    {
                        return None;
                    }
                    pieces.swap(labels[one], labels[other]);
                    // Equal numbers stay true when their labels are exchanged.
                    let shown: Vec<String> = made
                        .pieces
                        .iter()
                        .filter_map(|piece| match piece {
                            Piece::Number { value, decimals } => Some(digits(*value, *decimals)),
                            _ => None,
                        })
                        .collect();
                    let directed =
                        made.pieces.iter().any(|piece| matches!(piece, Piece::Direction { .. }));
                    if !directed && shown.windows(2).all(|pair| pair[0] == pair[1]) {
                        return None;
                    }
                }
                None => {
                    let (name, words) = made.other_segment(chance, all.get(one)?)?;
                    let moved: Vec<String> =
                        figures.iter().map(|figure| figure.replace(&all[one], &name)).collect();
                    if moved == figures {
                        return None;
                    }
                    for place in &numbers {
                        let Piece::Number { value, decimals } = &made.pieces[*place] else {
                            continue;
                        };
                        if true_numbers(project, &moved, *decimals)
                            .contains(&digits(*value, *decimals))
                        {
                            return None;
                        }
                    }
                    if numbers.is_empty() {
                        return None;
                    }
                    pieces[labels[one]] = Piece::Label { words, name };
                }
            }
        }
        Mutation::WrongDirection => {
            let directions = places(&|piece| matches!(piece, Piece::Direction { .. }));
            let place = *directions.get(chance.below(directions.len().max(1)))?;
            let Piece::Direction { wrong, .. } = &made.pieces[place] else { return None };
            pieces[place] = Piece::Text(wrong.clone());
        }
        Mutation::SumOfOverlapping => return sum(project, chance),
        Mutation::InventedQuestion => {
            let topics = places(&|piece| matches!(piece, Piece::Topic(_)));
            match chance.below(3) {
                0 => {
                    let figure = figures.first()?.clone();
                    let from = figure.find('Q')?;
                    let to = from + 2;
                    figures[0] =
                        format!("{}Q{}{}", &figure[..from], 20 + chance.below(70), &figure[to..]);
                }
                1 => {
                    let place = *topics.first()?;
                    let Piece::Topic(words) = &made.pieces[place] else { return None };
                    pieces[place] = Piece::Topic(format!("{words} (Q{})", 20 + chance.below(70)));
                }
                _ => {
                    let place = *topics.first()?;
                    let from = if made.noun { INVENTED_NOUNS } else { INVENTED };
                    pieces[place] = Piece::Topic((*chance.pick(from)).to_owned());
                    if topics.len() > 1 {
                        return None;
                    }
                }
            }
        }
        Mutation::WrongBase => {
            let bases = places(&|piece| matches!(piece, Piece::Base(_)));
            let place = *bases.get(chance.below(bases.len().max(1)))?;
            let Piece::Base(base) = made.pieces[place] else { return None };
            let known = values(project, &figures);
            let all: Vec<f64> = known
                .iter()
                .flat_map(|one| &one.parts)
                .map(|part| part.figure.base.weighted.round())
                .collect();
            let wrong = match chance.below(4) {
                0 => base + 1 + chance.below(9) as u64,
                1 => base * 2,
                2 => *all.first()? as u64,
                _ => 1600,
            };
            let bases: Vec<u64> = known
                .iter()
                .flat_map(|one| &one.parts)
                .map(|part| part.figure.base.unweighted)
                .collect();
            if bases.contains(&wrong) {
                return None;
            }
            pieces[place] = Piece::Base(wrong);
        }
        Mutation::CausalWording => {
            if figures.is_empty() {
                return None;
            }
            let cause = *chance.pick(CAUSES);
            let mut text = written(&pieces);
            let end = text.pop()?;
            return Some(Stated { text: format!("{text}{cause}{end}"), figures });
        }
    }
    Some(Stated { text: written(&pieces), figures })
}

/// Shares of a multiple-response question added up as if nobody had given two answers.
fn sum(project: &Project, chance: &mut Chance) -> Option<Stated> {
    use crate::synthetic::REASONS;
    let one = chance.below(REASONS.len());
    let other = (one + 1 + chance.below(REASONS.len() - 1)) % REASONS.len();
    let (first, second) = (REASONS[one], REASONS[other]);
    let figure = |names: &str| format!("share(Q3={names})");
    let known =
        values(project, &[figure(first), figure(second), figure(&format!("{first}|{second}"))]);
    let added = digits((known[0].value + known[1].value) * 100.0, 0);
    if known.iter().any(|one| digits(one.value * 100.0, 0) == added) {
        return None;
    }
    let figures = match chance.below(3) {
        0 => vec![figure(first), figure(second)],
        1 => vec![format!("share(Q3={first}) + share(Q3={second})")],
        _ => vec![figure(first), figure(second), figure(&format!("{first}|{second}"))],
    };
    let (first, second) = (first.to_lowercase(), second.to_lowercase());
    let text = match chance.below(4) {
        0 => format!(
            "Together, {first} and {second} are named as reasons for choosing the provider by {added} %."
        ),
        1 => format!("{added} % choose their provider for {first} or {second}."),
        2 => format!(
            "{first} and {second} add up to {added} % of the reasons for choosing a provider."
        ),
        _ => format!(
            "In total, {added} percent name {first} or {second} as a reason for choosing their provider."
        ),
    };
    Some(Stated { text, figures })
}
