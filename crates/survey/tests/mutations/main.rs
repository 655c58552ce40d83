//! Summaries that are right, and the same summaries with one thing made wrong: none of the first may be refused, nearly all of the second must be.
//!
//! A summary is several sentences from many forms over a survey whose effects were put there. What is made wrong is wrong by construction: the figures
//! are computed from the data, and a change that happens to stay true is thrown away here, not by what is tested.

mod forms;
#[path = "../synthetic/mod.rs"]
mod synthetic;
mod topics;
mod wording;

use std::collections::BTreeMap;

use forms::{Made, opinion, sentence};
use survey::claims::{Checked, Stated, check};
use survey::figure::Rules;
use survey::project::Project;
use synthetic::{Chance, project};
use wording::{Mutation, corrupted};

fn checked(project: &Project, made: &Stated) -> Checked {
    check(project, &Rules::default(), made)
}

fn summary(project: &Project, chance: &mut Chance) -> Vec<Made> {
    let many = 3 + chance.below(3);
    let mut sentences: Vec<Made> = (0..many).map(|_| sentence(project, chance)).collect();
    if chance.below(2) == 0 {
        sentences.push(opinion(chance));
    }
    sentences
}

// proves: B6
// proves: C13
#[test]
fn no_correct_summary_of_five_hundred_is_refused() {
    let project = project();
    let mut chance = Chance(42);
    let mut refused = Vec::new();
    let mut sentences = 0;
    for _ in 0..500 {
        let summary = summary(&project, &mut chance);
        sentences += summary.len();
        for made in summary {
            let stated = made.stated();
            let checked = checked(&project, &stated);
            if !checked.holds {
                refused.push(format!(
                    "{}\n  {:?}\n  {:#?}",
                    stated.text, stated.figures, checked.faults
                ));
            }
        }
    }
    println!("500 summaries, {sentences} sentences, {} refused", refused.len());
    let shown = refused.iter().take(25).cloned().collect::<Vec<_>>().join("\n");
    assert!(refused.is_empty(), "{} refused:\n{shown}", refused.len());
}

// proves: B6
// proves: C13
#[test]
fn of_five_hundred_corrupted_summaries_at_least_ninety_nine_in_a_hundred_are_caught() {
    let project = project();
    let mut chance = Chance(4711);
    let mut counts: BTreeMap<Mutation, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    let mut number = 0;
    while number < 500 {
        let mutation = Mutation::ALL[number % Mutation::ALL.len()];
        let mut summary = summary(&project, &mut chance);
        let Some((place, wrong)) = (0..summary.len()).find_map(|place| {
            Some((place, corrupted(&project, &mut chance, &summary[place], mutation)?))
        }) else {
            continue;
        };
        number += 1;
        summary.remove(place);
        let others: Vec<Stated> = summary.iter().map(Made::stated).collect();
        assert!(others.iter().all(|stated| checked(&project, stated).holds));
        let caught = !checked(&project, &wrong).holds;
        let count = counts.entry(mutation).or_default();
        count.0 += 1;
        count.1 += usize::from(caught);
        if !caught {
            missed.push(format!("{mutation:?}: {}\n  {:?}", wrong.text, wrong.figures));
        }
    }
    for (mutation, (made, caught)) in &counts {
        println!("{mutation:?}: {caught} of {made} caught");
    }
    println!("{} of 500 caught", 500 - missed.len());
    let shown = missed.iter().take(40).cloned().collect::<Vec<_>>().join("\n");
    assert!(missed.len() <= 5, "{} missed:\n{shown}", missed.len());
    for (mutation, (made, caught)) in counts {
        assert!(made >= 50, "{mutation:?}: only {made}");
        assert!(caught * 100 >= made * 97, "{mutation:?}: {caught} of {made}:\n{shown}");
    }
}
