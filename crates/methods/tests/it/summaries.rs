//! Summaries that an analyst could have written over the example survey, and the same with one thing made wrong: what the program alone
//! holds against the statements that they cite lets all of the first pass, and nearly none of the second.
//!
//! The sentences are drawn from the data, in forms of this test's own; none is a statement of the program's.

use std::collections::BTreeMap;
use std::path::Path;

use grounding::check::{Context, check};
use methods::brief::passage;
use run::evidence::{Evidence, Numbered};
use run::material::{Material, Place};
use survey::expression::evaluate;
use survey::figure::Rules;
use survey::project::Project;
use survey::read::{self, File};
use survey::statement::{Finding, Language};

/// Chance from a seed (Steele and others 2014, SplitMix64).
struct Chance(u64);

impl Chance {
    fn below(&mut self, many: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % many as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

fn example() -> Project {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/survey");
    let names =
        ["survey.toml", "wave1.csv", "wave1.codebook.csv", "wave2.csv", "wave2.codebook.csv"];
    let files = names
        .map(|name| File { name: name.into(), bytes: std::fs::read(folder.join(name)).unwrap() });
    read::read_project(&files).unwrap()
}

/// What is measured: how an expression names it, and how people do.
struct Topic {
    figure: &'static str,
    said: &'static str,
    /// What another figure beside it is of; empty where there is none.
    other: &'static str,
}

const TOPICS: [Topic; 8] = [
    Topic {
        figure: "share(Q5=top2",
        said: "satisfied with the buses",
        other: "dissatisfied with the buses",
    },
    Topic {
        figure: "share(Q4_1=top2",
        said: "satisfied with punctuality",
        other: "satisfied with cleanliness",
    },
    Topic {
        figure: "share(Q4_3=top2",
        said: "content with the price of tickets",
        other: "content with the drivers",
    },
    Topic {
        figure: "share(Q3=3",
        said: "buying their ticket in the app",
        other: "buying their ticket at a machine",
    },
    Topic { figure: "share(Q1=1", said: "riding daily", other: "riding about once a week" },
    Topic {
        figure: "share(Q2=Q2_3",
        said: "taking the bus for shopping",
        other: "taking the bus for leisure and friends",
    },
    Topic { figure: "mean(Q7", said: "", other: "" },
    Topic { figure: "nps(Q6", said: "", other: "" },
];

/// Whom a figure is of: how an expression names them, and how people do.
const GROUPS: [&[(&str, &str)]; 3] = [
    &[("gender:Female", "women"), ("gender:Male", "men")],
    &[
        ("age_group:18-34", "the 18-34s"),
        ("age_group:35-54", "the 35-54s"),
        ("age_group:55 and over", "people of 55 and over"),
    ],
    &[
        ("region:Centre", "the Centre"),
        ("region:North", "the North"),
        ("region:Harbour islands", "the Harbour islands"),
    ],
];

/// A sentence in pieces, of which one can be made wrong.
#[derive(Debug, Clone)]
struct Sentence {
    text: String,
    figures: Vec<String>,
    /// Pieces of the text that may be replaced by others that are wrong, by what they are.
    wrongs: Vec<(Mutation, String, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Mutation {
    Number,
    Unit,
    Group,
    Swap,
    Topic,
    Study,
    Base,
}

/// A figure as this test reads it from the data.
struct Told {
    shown: String,
    unit: &'static str,
    value: f64,
    base: u64,
}

fn describe_figure(project: &Project, figure: &str) -> Told {
    let found =
        evaluate(project, &Rules::default(), figure).unwrap_or_else(|e| panic!("{figure}: {e}"));
    let base = found.parts[0].figure.base.unweighted;
    match &figure[..4] {
        "shar" => Told {
            shown: format!("{:.1}", found.value * 100.0),
            unit: " %",
            value: found.value * 100.0,
            base,
        },
        "nps(" => Told {
            shown: format!("{:.1}", found.value * 100.0),
            unit: " points",
            value: found.value * 100.0,
            base,
        },
        _ => {
            Told { shown: format!("{:.2}", found.value), unit: " euros", value: found.value, base }
        }
    }
}

/// Returns another number that is no rounding of this one.
fn another(chance: &mut Chance, of: &Told) -> String {
    let away = [3.3, 7.1, 11.9, -4.7, -8.3][chance.below(5)];
    let digits = of.shown.split('.').nth(1).map_or(0, str::len);
    format!("{:.digits$}", of.value + away)
}

fn sentence(project: &Project, chance: &mut Chance) -> Sentence {
    let topic = chance.pick(&TOPICS);
    let groups = *chance.pick(&GROUPS);
    let first = chance.below(groups.len());
    let second = (first + 1 + chance.below(groups.len() - 1)) % groups.len();
    let ((one, women), (other, men)) = (groups[first], groups[second]);
    let third = groups.iter().find(|(id, _)| *id != one && *id != other);
    let wave = 1 + chance.below(2);
    let of =
        |group: &str, wave: usize| format!("{}, segment={group}, study=W{wave})", topic.figure);
    let whole = |wave: usize| format!("{}, study=W{wave})", topic.figure);
    let measured = |told: &Told, whom: &str| match topic.figure {
        "mean(Q7" => format!("{whom} spend {} euros a month on tickets", told.shown),
        "nps(Q6" => format!("the NPS of {whom} is {} points", told.shown),
        _ => format!("{} % of {whom} are {}", told.shown, topic.said),
    };
    let mut wrongs: Vec<(Mutation, String, String)> = Vec::new();
    let wrong_number = |chance: &mut Chance, told: &Told| {
        (Mutation::Number, told.shown.clone(), another(chance, told))
    };
    let wrong_unit = |told: &Told| {
        let unit = match told.unit {
            " %" => " points",
            _ => " %",
        };
        (Mutation::Unit, format!("{}{}", told.shown, told.unit), format!("{}{unit}", told.shown))
    };
    let (text, figures) = match chance.below(4) {
        0 => {
            let figure = whole(wave);
            let told = describe_figure(project, &figure);
            wrongs.push(wrong_number(chance, &told));
            wrongs.push(wrong_unit(&told));
            wrongs.push((Mutation::Study, format!("W{wave}"), format!("W{}", 3 - wave)));
            wrongs.push((Mutation::Base, told.base.to_string(), (told.base + 17).to_string()));
            let said = measured(&told, "all who answered");
            (format!("In W{wave}, {said} (n = {}).", told.base), vec![figure])
        }
        1 => {
            let figure = of(one, wave);
            let told = describe_figure(project, &figure);
            wrongs.push(wrong_number(chance, &told));
            wrongs.push(wrong_unit(&told));
            wrongs.push((Mutation::Group, women.to_owned(), men.to_owned()));
            wrongs.push((Mutation::Base, told.base.to_string(), (told.base + 23).to_string()));
            (format!("As {} answers show, {}.", told.base, measured(&told, women)), vec![figure])
        }
        2 => {
            let figures = vec![of(one, wave), of(other, wave)];
            let (high, low) =
                (describe_figure(project, &figures[0]), describe_figure(project, &figures[1]));
            wrongs.push(wrong_number(chance, &high));
            wrongs.push(wrong_number(chance, &low));
            if let Some((_, third)) = third {
                wrongs.push((Mutation::Group, men.to_owned(), (*third).to_owned()));
            }
            if high.shown != low.shown {
                let swapped = (format!("{women}\u{0}"), format!("{men}\u{0}"));
                wrongs.push((Mutation::Swap, swapped.0, swapped.1));
            }
            let text = format!(
                "While {}, among {men} it is {}{}.",
                measured(&high, women),
                low.shown,
                low.unit
            );
            (text, figures)
        }
        _ => {
            let figures = vec![whole(1), whole(2)];
            let (earlier, later) =
                (describe_figure(project, &figures[0]), describe_figure(project, &figures[1]));
            wrongs.push(wrong_number(chance, &later));
            if earlier.shown != later.shown {
                wrongs.push((Mutation::Swap, "W1\u{0}".into(), "W2\u{0}".into()));
            }
            let said = measured(&later, "all who answered");
            let text =
                format!("In W2, {said}, compared with {}{} in W1.", earlier.shown, earlier.unit);
            (text, figures)
        }
    };
    if !topic.other.is_empty() && text.contains(topic.said) {
        wrongs.push((Mutation::Topic, topic.said.to_owned(), topic.other.to_owned()));
    }
    Sentence { text, figures, wrongs }
}

impl Sentence {
    /// Returns the sentence with one thing made wrong; none where it has nothing of the kind.
    fn corrupted(&self, chance: &mut Chance, mutation: Mutation) -> Option<String> {
        let fitting: Vec<_> = self.wrongs.iter().filter(|(kind, ..)| *kind == mutation).collect();
        if fitting.is_empty() {
            return None;
        }
        let (_, from, to) = chance.pick(&fitting);
        if mutation == Mutation::Swap {
            let mut both = [from.trim_end_matches('\u{0}'), to.trim_end_matches('\u{0}')];
            // "Men" stands in "women".
            both.sort_by_key(|label| std::cmp::Reverse(label.len()));
            let [one, other] = both;
            let marked = self.text.replace(one, "\u{0}");
            return Some(marked.replace(other, one).replace('\u{0}', other));
        }
        let wrong = self.text.replacen(from.as_str(), to, 1);
        (wrong != self.text).then_some(wrong)
    }

    /// Returns what the program finds wrong with a text that cites the figures of this sentence.
    fn faults(&self, project: &Project, text: &str) -> Vec<String> {
        let worded = self.figures.iter().map(|figure| {
            let evaluated = evaluate(project, &Rules::default(), figure).unwrap();
            let finding = Finding::of(project, &evaluated);
            passage(&finding, &finding.words(Language::English))
        });
        let evidence: Vec<Numbered> = worded
            .zip(1..)
            .map(|(passage, number)| {
                let evidence = Evidence::from_passage(passage, jiff::Timestamp::UNIX_EPOCH);
                Numbered { number, evidence: std::sync::Arc::new(evidence) }
            })
            .collect();
        let material = Material::of(&evidence);
        let grounds: Vec<_> = evidence
            .iter()
            .map(|one| material.ground(Place::figure(one.number)).unwrap())
            .collect();
        let question = "How satisfied are passengers with the buses?";
        let context = Context { grounds: &grounds, question, gazetteer: &material.gazetteer };
        check(text, &context).faults.iter().map(ToString::to_string).collect()
    }
}

fn build_summary(project: &Project, chance: &mut Chance) -> Vec<Sentence> {
    let many = 3 + chance.below(3);
    (0..many).map(|_| sentence(project, chance)).collect()
}

// proves: B6, C13
#[test]
fn no_correct_summary_of_five_hundred_is_refused() {
    let project = example();
    let mut chance = Chance(42);
    let mut refused = Vec::new();
    for _ in 0..500 {
        for one in build_summary(&project, &mut chance) {
            let faults = one.faults(&project, &one.text);
            if !faults.is_empty() {
                refused.push(format!("{}\n  {faults:?}", one.text));
            }
        }
    }
    let shown = refused.iter().take(25).cloned().collect::<Vec<_>>().join("\n");
    assert!(refused.is_empty(), "{} refused:\n{shown}", refused.len());
}

// proves: B6, C13
#[test]
fn of_five_hundred_corrupted_summaries_at_least_ninety_nine_in_a_hundred_are_caught() {
    use Mutation::{Base, Group, Number, Study, Swap, Topic, Unit};
    const ALL: [Mutation; 7] = [Number, Unit, Group, Swap, Topic, Study, Base];
    let project = example();
    let mut chance = Chance(4711);
    let mut counts: BTreeMap<Mutation, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    let mut number = 0;
    while number < 500 {
        let mutation = ALL[number % ALL.len()];
        let summary = build_summary(&project, &mut chance);
        let found =
            summary.iter().find_map(|one| Some((one, one.corrupted(&mut chance, mutation)?)));
        let Some((one, wrong)) = found else { continue };
        number += 1;
        let is_caught = !one.faults(&project, &wrong).is_empty();
        let count = counts.entry(mutation).or_default();
        count.0 += 1;
        count.1 += usize::from(is_caught);
        if !is_caught {
            missed.push(format!("{mutation:?}: {wrong}  {:?}", one.figures));
        }
    }
    println!("{counts:?}");
    let shown = missed.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(missed.len() <= 5, "{} missed, {counts:?}:\n{shown}", missed.len());
    assert!(counts.values().all(|(made, _)| *made >= 50), "{counts:?}");
}
