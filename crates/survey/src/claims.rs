//! Claims: sentences over survey data, held against the figures that they carry.
//!
//! A claim is one English sentence with the expressions of its figures. It holds where every figure can be computed and everything that the sentence says of figures
//! is so; whatever cannot be made out is refused. What is wrong is told to the writer, with the value that is right.
//!
//! | rule | where it is written down |
//! |---|---|
//! | Figures can be read and computed, with no base below the least. | [`crate::expression`], [`Rules::least_base`] |
//! | Every number outside names is a value, a part or a base of the figures, in its unit and rounded correctly; reserves such as *about* and *more than* have exact meanings. | `claims/values.rs` |
//! | A number between quotation marks, or after *was* and *answered*, that is the label of an answer or segment of the figures is a name. | `claims/numerals.rs` |
//! | A figure is called what it is, and weighed as its study is; numbers have the digits 0 to 9. | `claims/measures.rs` |
//! | A mean is in the unit and for the time that its question asks for, and is called by the answer that it is nearest to. | `claims/units.rs`, `claims/scores.rs` |
//! | Nothing is told that could or must be. | `claims/modes.rs` |
//! | Every number stands with the label of its figure. | `claims/binding.rs` |
//! | Comparisons go the right way and are significant, or said not to be; what is alike is not; sizes, gaps that change and spans of time fit the figures. | `claims/directions.rs` |
//! | Superlatives are held against all answers, segments or studies. | `claims/ranks.rs` |
//! | Orders are those of the values; what one label alone is said to be or do, none of the others is or does. | `claims/orders.rs` |
//! | Most, all, few, nobody and the like are held against the share, wherever they stand. | `claims/majorities.rs` |
//! | Several answers in one figure are joined by *or*; only, alone and both need figures that say so. | `claims/unions.rs` |
//! | Of a question answered by Yes or No, its verb says Yes, and its verb with a negation No. | `claims/polarity.rs` |
//! | Young and old gloss the first and the last label of age. | `claims/ages.rs` |
//! | Promoters and detractors are shares of a scale from 0 to 10. | `claims/promoters.rs` |
//! | The sentence is about the question, names what its figures are of, and nothing else. | `claims/subject.rs`, `claims/topics.rs` |
//! | A share on a scale is told from its side of the middle. | `claims/sides.rs` |
//! | Who is left out, taken in or set against others is what the figures are of. | `claims/bounds.rs` |
//! | Times are those of the studies; what is told of two times has figures of two studies. | `claims/times.rs` |
//! | Nothing else is added that no figure says: other people, records, sizes of differences. | `claims/riders.rs` |
//! | No causes, and nothing turned into its opposite. | `claims/causes.rs`, `claims/negations.rs` |
//! | A sentence without figures tells no finding; it asks, supposes, or names a limit of the data. | `claims/opinion.rs`, `claims/moods.rs` |
//!
//! A sum of answers is a figure like any other, `share(Q3=1|4)`; a number that was added up elsewhere is none (`claims/sums.rs`).

mod ages;
mod amounts;
mod binding;
mod bounds;
mod causes;
mod directions;
mod families;
mod majorities;
mod measures;
mod mentions;
mod modes;
mod moods;
mod negations;
mod numbers;
mod numerals;
mod opinion;
mod orders;
mod parts;
mod polarity;
mod promoters;
mod ranks;
mod riders;
mod scores;
mod sentence;
mod sides;
mod subject;
mod sums;
mod times;
mod tokens;
mod topics;
mod unions;
mod units;
mod values;
mod words;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::expression::resolving::Asked;
use crate::expression::{Evaluated, evaluated};
use crate::figure::{Level, Rules};
use crate::project::Project;
use sentence::Sentence;

/// Characters of a sentence, at most.
pub const LONGEST: usize = 1_000;
/// Figures of a sentence, at most.
pub const MOST_FIGURES: usize = 20;

/// A sentence, and the figures that it states.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Stated {
    /// One sentence.
    pub text: String,
    /// The expressions of all figures in it, such as `share(Q5=top2, segment=Female)`.
    #[serde(default)]
    pub figures: Vec<String>,
}

/// What came of checking a sentence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Checked {
    pub holds: bool,
    /// What is wrong, one sentence each, for the writer.
    pub faults: Vec<String>,
    /// The figures that could be computed.
    pub figures: Vec<Evaluated>,
}

/// Holds a sentence against its figures.
///
/// One without figures must tell no finding, as [`check_opinion`] says.
pub fn check(project: &Project, rules: &Rules, claim: &Stated) -> Checked {
    let mut faults = Vec::new();
    if claim.text.chars().nth(LONGEST).is_some() {
        faults
            .push(format!("the sentence is longer than {LONGEST} characters: make several of it."));
    }
    if claim.figures.len() > MOST_FIGURES {
        faults.push(format!(
            "the sentence has more than {MOST_FIGURES} figures: make several of it."
        ));
    }
    if !faults.is_empty() {
        return Checked { holds: false, faults, figures: vec![] };
    }
    if claim.figures.is_empty() {
        return check_opinion(&claim.text, project);
    }
    let mut figures: Vec<(Vec<Asked>, Evaluated)> = Vec::new();
    for text in &claim.figures {
        match evaluated(project, rules, text) {
            Ok((asked, evaluated)) => {
                for part in evaluated.parts.iter().filter(|part| part.figure.level == Level::TooLow)
                {
                    faults.push(format!(
                        "{} rests on {} respondents, and below {} nothing is told: leave it out.",
                        part.expression,
                        part.figure.base.carrying(),
                        rules.least_base
                    ));
                }
                figures.push((asked, evaluated));
            }
            Err(wrong) => faults.push(format!("the figure {text} cannot be computed: {wrong}.")),
        }
    }
    // With a figure missing, every other fault could be a consequence.
    if faults.is_empty() {
        let sentence = Sentence::new(project, rules, &claim.text, &figures);
        measures::check(&sentence, &claim.text, &mut faults);
        modes::check(&sentence, &mut faults);
        units::check(&sentence, &mut faults);
        scores::check(&sentence, &mut faults);
        amounts::check(&sentence, &mut faults);
        directions::check(&sentence, &mut faults);
        ranks::check(&sentence, &mut faults);
        orders::check(&sentence, &mut faults);
        majorities::check(&sentence, &mut faults);
        subject::check(&sentence, &mut faults);
        sides::check(&sentence, &mut faults);
        sums::check(&sentence, &mut faults);
        unions::check(&sentence, &mut faults);
        ages::check(&sentence, &mut faults);
        negations::check(&sentence, &mut faults);
        let asked = topics::asked_words(&sentence.parts);
        bounds::check(&sentence, &asked, &mut faults);
        times::check(&sentence, &asked, &mut faults);
        riders::check(&sentence, &asked, &mut faults);
        let cause = causes::cause(project, &sentence.tokens, &sentence.named, &asked);
        if let Some((_, phrase)) = cause {
            faults.push(opinion::told_cause(&phrase));
        }
        let mut known = std::collections::BTreeSet::new();
        faults.retain(|fault| known.insert(fault.clone()));
    }
    let figures = figures.into_iter().map(|(_, evaluated)| evaluated).collect();
    Checked { holds: faults.is_empty(), faults, figures }
}

/// Checks a sentence that carries no figures, such as a recommendation: it tells no number, no comparison of the data, nothing of significance and no cause, and
/// it asks for something, says what could be, or names a limit of the data.
pub fn check_opinion(text: &str, project: &Project) -> Checked {
    without_figures(text, || opinion::check_sentence(project, text))
}

/// Checks a title: it tells no more than a sentence without figures may.
pub fn check_title(text: &str, project: &Project) -> Checked {
    without_figures(text, || opinion::check(project, text))
}

fn without_figures(text: &str, check: impl FnOnce() -> Vec<String>) -> Checked {
    let faults = if text.chars().nth(LONGEST).is_some() {
        vec![format!("the sentence is longer than {LONGEST} characters: make several of it.")]
    } else {
        let mut faults = check();
        faults.extend(measures::digits(text));
        faults
    };
    Checked { holds: faults.is_empty(), faults, figures: vec![] }
}
