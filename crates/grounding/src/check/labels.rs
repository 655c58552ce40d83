//! Labels of computed figures. A claim must name no segment, answer or study other than those of its figures, and must not give one the
//! number of another.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::Analyzer;

use super::{Fault, fold_text};
use crate::quantity::{self, Borne, Known, Quantity};

/// A number that a program computed, and what it is of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The number as it is shown, such as `61.9 %`.
    pub value: String,
    /// How many it rests on.
    pub base: String,
    pub labels: Vec<Label>,
}

/// What a figure is of in one respect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Label {
    /// What it may be called.
    pub names: Vec<String>,
    /// What it is made of, where it is several together: none of them alone is it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<String>,
    /// What the others are called.
    pub others: Vec<String>,
    /// Words that mean it only beside the others, such as `now` and `a year ago`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_time: Vec<String>,
}

/// Finds what a claim says of something other than its figures: a label that none of them has, or a number beside another's label.
///
/// It does not recognise labels that the claim paraphrases.
pub(super) fn faults(
    claim: &str,
    quantities: &[Quantity],
    figures: &[&Figure],
    statements: &[(String, Vec<Quantity>)],
) -> Vec<Fault> {
    let mut reader = Reader { analyzer: Analyzer::new(text::guess(claim)) };
    let claim = Claim { text: claim, words: reader.words(claim), quantities };
    let told: BTreeSet<String> =
        statements.iter().flat_map(|(text, _)| reader.words(text)).map(|(_, word)| word).collect();
    let labels = || figures.iter().flat_map(|figure| &figure.labels);
    let all =
        |label: &'_ Label| label.names.iter().chain(&label.parts).cloned().collect::<Vec<_>>();
    let cited: BTreeSet<String> = labels().flat_map(all).collect();
    let others: BTreeSet<&String> = labels().flat_map(|label| &label.others).collect();
    let mut faults = Vec::new();
    for other in others.into_iter().filter(|other| !cited.contains(*other)) {
        let words = reader.label(other);
        let stands_there = words.iter().all(|word| told.contains(word));
        if !stands_there && claim.place_of(&words).is_some() {
            let fault = Fault::NameAbsent { name: other.clone() };
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
    }
    for part in labels().filter_map(|label| claim.part_alone(label)) {
        let is_cited = labels().any(|label| label.parts.is_empty() && label.names.contains(part));
        if !is_cited {
            faults.push(Fault::GoesBeyond { words: part.clone() });
        }
    }
    faults.extend(claim.unit_from_nowhere(figures, statements));
    let respects: BTreeSet<BTreeSet<&String>> = labels().map(respect).collect();
    for one in respects {
        let of = |number: fn(&Figure) -> &String| -> Vec<(&String, &Label)> {
            let labels = figures.iter().filter_map(|figure| {
                let label = figure.labels.iter().find(|label| respect(label) == one)?;
                Some((number(figure), label))
            });
            labels.collect()
        };
        let swapped = claim.swapped(&of(|figure| &figure.value), &mut reader);
        let swapped = swapped.or_else(|| claim.swapped(&of(|figure| &figure.base), &mut reader));
        faults.extend(swapped);
    }
    faults
}

/// Returns the respect in which a label distinguishes figures: all names that they may have in it.
fn respect(label: &Label) -> BTreeSet<&String> {
    label.names.iter().chain(&label.parts).chain(&label.others).collect()
}

/// Reads the words of a text in the form used for comparison.
struct Reader {
    analyzer: Analyzer,
}

impl Reader {
    /// Returns the words of a text with their positions, without stop words.
    fn words(&mut self, text: &str) -> Vec<(usize, String)> {
        let words = text::words(text).collect::<Vec<_>>();
        let each = words.into_iter().flat_map(|(at, word)| {
            // "The 18-34s" are 18-34.
            let digits =
                word.strip_suffix('s').filter(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
            let terms = self.analyzer.terms(digits.filter(|rest| !rest.is_empty()).unwrap_or(word));
            terms.into_iter().map(move |term| (at, term))
        });
        each.collect()
    }

    /// Returns the words that identify a label; none for a single digit or letter.
    fn label(&mut self, label: &str) -> Vec<String> {
        let words: Vec<String> =
            self.words(&fold_text(label)).into_iter().map(|(_, word)| word).collect();
        let is_short = words.iter().map(|word| word.chars().count()).sum::<usize>() < 2;
        if is_short { vec![] } else { words }
    }
}

struct Claim<'a> {
    text: &'a str,
    words: Vec<(usize, String)>,
    quantities: &'a [Quantity],
}

impl Claim<'_> {
    /// Returns the position of a label in the claim: its words in sequence, ignoring stop words.
    fn place_of(&self, label: &[String]) -> Option<usize> {
        if label.is_empty() {
            return None;
        }
        let is_it = |run: &&[(usize, String)]| {
            run.iter().zip(label).all(|((_, word), wanted)| word == wanted)
        };
        self.words.windows(label.len()).find(is_it)?.first().map(|(at, _)| *at)
    }

    /// Returns the position of a long word that only this label has: "islanders" stands for the Harbour islands.
    fn place_of_a_word<'w>(
        &self,
        label: impl Iterator<Item = &'w String>,
        others: &[String],
    ) -> Option<usize> {
        /// Shorter words are often common ones.
        const SHORTEST: usize = 6;
        let is_own = |word: &&String| word.chars().count() >= SHORTEST && !others.contains(word);
        let place = |word: &String| self.words.iter().find(|(_, known)| known == word);
        label.filter(is_own).find_map(place).map(|(at, _)| *at)
    }

    /// Returns the position of the first of some phrases, stop words included: "now", "a year ago".
    fn place_in_time(&self, phrases: &[String]) -> Option<usize> {
        let words: Vec<(usize, String)> =
            text::words(self.text).map(|(at, word)| (at, word.to_lowercase())).collect();
        let place = |phrase: &String| {
            let wanted: Vec<&str> = phrase.split(' ').collect();
            let is_it = |run: &&[(usize, String)]| {
                run.iter().zip(&wanted).all(|((_, word), wanted)| word == wanted)
            };
            words.windows(wanted.len()).find(is_it)?.first().map(|(at, _)| *at)
        };
        phrases.iter().filter_map(place).min()
    }

    /// Returns the only part that the claim names, unless it also uses a word that only another part has.
    fn part_alone<'l>(&self, label: &'l Label) -> Option<&'l String> {
        // "Very" distinguishes "very satisfied" from "rather satisfied", though it is a stop word.
        let lower = |text: &str| -> Vec<String> {
            text::words(text).map(|(_, word)| word.to_lowercase()).collect()
        };
        let parts: Vec<Vec<String>> =
            label.parts.iter().map(|part| lower(&fold_text(part))).collect();
        let claim = lower(self.text);
        let is_named = |part: &Vec<String>| {
            !part.is_empty() && claim.windows(part.len()).any(|run| run == part.as_slice())
        };
        let mut named = parts.iter().enumerate().filter(|(_, part)| is_named(part));
        let (at, own) = named.next()?;
        let is_alone = named.next().is_none();
        let others = parts.iter().enumerate().filter(|(other, _)| *other != at);
        let tells_another = others
            .flat_map(|(_, words)| words)
            .any(|word| !own.contains(word) && claim.contains(word));
        if is_alone && !tells_another { label.parts.get(at) } else { None }
    }

    /// Finds a number whose unit neither its figure nor any statement names: what was asked in euros a month is not a percentage, nor an
    /// amount a week.
    fn unit_from_nowhere(
        &self,
        figures: &[&Figure],
        statements: &[(String, Vec<Quantity>)],
    ) -> Option<Fault> {
        let named: BTreeSet<String> =
            statements.iter().flat_map(|(text, _)| quantity::mentioned_units(text)).collect();
        let lacks = |quantity: &&Quantity| {
            quantity.unit_names().any(|unit| unit.split('/').any(|one| !named.contains(one)))
        };
        let told = self.quantities.iter().filter(|quantity| quantity.is_told);
        told.filter(lacks).find_map(|quantity| {
            let mut of = figures.iter().filter(|one| bears_out(&one.value, quantity));
            let has_unit = |figure: &&&Figure| {
                quantity::scan(&fold_text(&figure.value))
                    .iter()
                    .any(|one| one.unit_names().next().is_some())
            };
            let found = of.find(|figure| !has_unit(figure))?.value.clone();
            let number = self.text.get(quantity.at.clone()).unwrap_or_default().trim().to_owned();
            Some(Fault::UnitDiffers { number, found })
        })
    }

    /// Returns whether a label belongs to a number: it is close, and does not end a clause of another number, as in "10 points fewer than
    /// in 2025, and 19 % of the young".
    fn is_beside(&self, label: usize, number: &Quantity) -> bool {
        /// The most bytes between them.
        const FURTHEST: usize = 30;
        const ENDS: [char; 5] = [',', ';', ':', '–', '—'];
        let (start, end) = (number.at.start, number.at.end);
        if label >= end {
            return label - end <= FURTHEST;
        }
        let between = self.text.get(label..start).unwrap_or_default();
        let clause = self.text.get(..label).unwrap_or_default().rfind(ENDS).unwrap_or_default();
        let mut others = self.quantities.iter().filter(|one| one.at.end <= label);
        let is_anothers = between.contains(ENDS) && others.any(|one| one.at.start > clause);
        between.len() <= FURTHEST && !is_anothers
    }

    /// Finds a number given with the label of another figure.
    ///
    /// Labels and numbers must come in the same order. The check passes if a claim repeats a label, or omits one whose number it gives.
    /// If only one label is named, a number beside it must not be another figure's. In "No change since 2025", no number is beside the
    /// label.
    fn swapped(&self, figures: &[(&String, &Label)], reader: &mut Reader) -> Option<Fault> {
        let mut owners: Vec<&Label> = Vec::new();
        for (_, label) in figures {
            if owners.iter().all(|known| known.others != label.others) {
                owners.push(label);
            }
        }
        if owners.len() < 2 {
            return None;
        }
        let mut named: Vec<(usize, usize)> = Vec::new();
        for (index, owner) in owners.iter().enumerate() {
            let names: Vec<Vec<String>> =
                owner.names.iter().chain(&owner.parts).map(|name| reader.label(name)).collect();
            let whole = names.iter().filter_map(|words| self.place_of(words)).min();
            let place = whole.or_else(|| {
                let others: Vec<String> =
                    owner.others.iter().flat_map(|name| reader.label(name)).collect();
                self.place_of_a_word(names.iter().flatten(), &others)
            });
            named.extend(place.map(|place| (place, index)));
        }
        // "53.1 %, less than a year ago" does not date the number to a year ago.
        let is_named = |owner: usize| named.iter().any(|(_, index)| *index == owner);
        let unnamed = owners.iter().enumerate().filter(|(index, _)| !is_named(*index));
        let in_time: Option<Vec<(usize, usize)>> = unnamed
            .map(|(index, owner)| Some((self.place_in_time(&owner.in_time)?, index)))
            .collect();
        named.extend(in_time.into_iter().flatten());
        named.sort_unstable();
        let numbers: Vec<(&Quantity, usize)> = self
            .quantities
            .iter()
            .filter(|quantity| quantity.is_told)
            .filter_map(|quantity| {
                let bearing = figures.iter().filter(|(number, _)| bears_out(number, quantity));
                let mut of: Vec<usize> = bearing
                    .filter_map(|(_, label)| {
                        owners.iter().position(|one| one.others == label.others)
                    })
                    .collect();
                of.dedup();
                match of.as_slice() {
                    [one] => Some((quantity, *one)),
                    _ => None,
                }
            })
            .collect();
        let is_wrong = |at: usize, of: usize| match named.as_slice() {
            [(place, only)] => {
                numbers.iter().all(|(_, of)| of != only)
                    && numbers.get(at).is_some_and(|(quantity, _)| self.is_beside(*place, quantity))
            }
            all if all.len() == numbers.len() => all.get(at).is_some_and(|(_, one)| *one != of),
            _ => false,
        };
        let mut once: Vec<usize> = numbers.iter().map(|(_, of)| *of).collect();
        once.sort_unstable();
        let count = once.len();
        once.dedup();
        if named.len() > 1 && (once.len() != count || once.len() != named.len()) {
            return None;
        }
        let (at, (quantity, of)) =
            numbers.iter().enumerate().find(|(at, (_, of))| is_wrong(*at, *of))?;
        let beside = named.get(at).or(named.first()).and_then(|(_, index)| owners.get(*index));
        let name = |label: &Label| {
            label.names.iter().chain(&label.parts).next().cloned().unwrap_or_default()
        };
        Some(Fault::NumberOfAnother {
            number: self.text.get(quantity.at.clone()).unwrap_or_default().trim().to_owned(),
            name: beside.map(|label| name(label)).unwrap_or_default(),
            found: owners.get(*of).map(|label| name(label)).unwrap_or_default(),
        })
    }
}

fn bears_out(number: &str, quantity: &Quantity) -> bool {
    let mut known = Known::default();
    known.add(quantity::scan(&fold_text(number)));
    known.bears_out(quantity) == Borne::Out
}

#[cfg(test)]
mod tests {
    use super::super::{Cited, Context, Gazetteer, Ground, check};
    use super::*;

    fn of(value: &str, base: &str, group: &str, wave: &str) -> Figure {
        let label = |name: &str, all: &[&str]| Label {
            names: vec![name.to_owned()],
            parts: vec![],
            others: all.iter().filter(|one| **one != name).map(|one| (*one).to_owned()).collect(),
            in_time: match name {
                "W1" => vec!["a year ago".into()],
                "W2" => vec!["now".into()],
                _ => vec![],
            },
        };
        Figure {
            value: value.into(),
            base: base.into(),
            labels: vec![
                label(group, &["Inner city", "Harbour islands", "North"]),
                label(wave, &["W1", "W2"]),
            ],
        }
    }

    #[track_caller]
    fn told(claim: &str, expected: Option<&str>) {
        let figures =
            [of("62.0 %", "310", "Inner city", "W2"), of("48.1 %", "222", "Harbour islands", "W2")];
        told_of(&figures, claim, expected);
    }

    #[track_caller]
    fn told_of(figures: &[Figure], claim: &str, expected: Option<&str>) {
        let grounds: Vec<Ground> = figures
            .iter()
            .map(|figure| {
                let [label, wave] = [0, 1].map(|at| &figure.labels[at].names[0]);
                let text = format!(
                    "In {wave}, {} of “{label}” (Part of town) were satisfied (base {}).",
                    figure.value, figure.base
                );
                Ground {
                    statements: vec![Cited { text, ..Cited::default() }],
                    figures: vec![figure.clone()],
                    ..Ground::default()
                }
            })
            .collect();
        let gazetteer = Gazetteer::default();
        let context = Context { grounds: &grounds, question: "", gazetteer: &gazetteer };
        let faults = check(claim, &context).faults;
        assert_eq!(faults.first().map(ToString::to_string).as_deref(), expected, "{claim}");
    }

    // proves: B6
    #[test]
    fn a_figure_is_of_nobody_else() {
        told("In the inner city 62.0 % are satisfied, on the Harbour islands 48.1 %.", None);
        told("62.0 % of the inner city and 48.1 % of the Harbour islands are satisfied.", None);
        told("People of the Harbour islands are least satisfied (48.1 %, 222 asked).", None);
        told("Those on the islands are at 48.1 %, the others at 62.0 %.", None);
        told(
            "While islanders are at 62.0 %, the inner city is at 48.1 %.",
            Some("what it cites says this of \"Inner city\", not of \"Harbour islands\""),
        );
        told("In the north 48.1 % are satisfied.", Some("what it cites does not name \"North\""));
        told(
            "In the inner city 48.1 % are satisfied, on the Harbour islands 62.0 %.",
            Some("what it cites says this of \"Harbour islands\", not of \"Inner city\""),
        );
        told(
            "The inner city is satisfied with 48.1 %.",
            Some("what it cites says this of \"Harbour islands\", not of \"Inner city\""),
        );
        told(
            "Of the 222 people in the inner city most are satisfied.",
            Some("what it cites says this of \"Harbour islands\", not of \"Inner city\""),
        );
        told(
            "With 62.0 % satisfied nothing in the town comes near what we found on the Harbour islands.",
            None,
        );
        told("Where only 222 were asked on the Harbour islands, 62.0 % elsewhere says more.", None);
        told("In W1, 48.1 % were satisfied.", Some("what it cites does not name \"W1\""));
    }

    // proves: B6
    #[test]
    fn a_study_is_told_by_its_time() {
        let figures = [of("62.8 %", "578", "North", "W1"), of("53.1 %", "635", "North", "W2")];
        for claim in [
            "A year ago 62.8 % were satisfied, and now 53.1 % are.",
            "Now 53.1 % are satisfied; a year ago it was 62.8 %.",
            "It is down from 62.8 % a year ago to 53.1 %.",
            "Of the buses' passengers 53.1 % are satisfied, fewer than a year ago.",
            "It fell from 62.8 % in W1 to 53.1 % a year later.",
            "Of 578 asked in W1 62.8 % were satisfied, and of 635 now 53.1 %.",
        ] {
            told_of(&figures, claim, None);
        }
        let fault = Some("what it cites says this of \"W2\", not of \"W1\"");
        told_of(&figures, "A year ago 53.1 % were satisfied, and now 62.8 % are.", fault);
    }
}
