//! Claims made to deceive the hard checks, and honest ones: how far a program can tell them apart, and that it never calls one of the
//! first a quote.

mod bounds;
mod falsified;
mod honest;
mod misused;
mod passages;
mod retold;

use std::collections::HashSet;

use grounding::check::{Checked, Context, Gazetteer, check};
use grounding::derive::{Derivation, Relation, evaluate};
use grounding::locate::Finder;
use grounding::statement::Source;

use passages::Passage;

/// A family, a claim, the passage that it cites, and the words there that it rests on.
type Case = (&'static str, &'static str, Passage<'static>, &'static str);

/// Holds a claim against the statements that its quote stands in; none where it stands nowhere.
fn checked(claim: &str, passage: Passage<'_>, quote: &str) -> Option<Checked> {
    let claim = grounding::marks::without_marks(claim);
    let source = Source::of(passage.text);
    let runs = Finder::of(&source).locate(quote);
    let mut gazetteer = Gazetteer::default();
    gazetteer.add(passage.text);
    let grounds: Vec<_> = runs
        .into_iter()
        .filter_map(|(first, last)| {
            let mut ground = source.ground(first, last)?;
            ground.headings = passage.section.split(" > ").map(str::to_owned).collect();
            Some(ground)
        })
        .collect();
    let context = Context { grounds: &grounds, question: "", gazetteer: &gazetteer };
    (!grounds.is_empty()).then(|| check(&claim, &context))
}

fn deceitful() -> Vec<(&'static str, String, Passage<'static>, &'static str)> {
    let written = misused::MISUSED.iter().chain(retold::EXCHANGED).copied();
    let written =
        written.map(|(family, claim, passage, quote)| (family, claim.to_owned(), passage, quote));
    falsified::falsified().into_iter().chain(written).collect()
}

// proves: C4, C13
#[test]
fn not_one_claim_made_to_deceive_is_called_a_quote() {
    let cases = deceitful();
    let distinct: HashSet<(&str, &str)> =
        cases.iter().map(|(_, claim, _, quote)| (claim.as_str(), *quote)).collect();
    assert!(distinct.len() >= 180, "{} distinct cases", distinct.len());
    let offenders: Vec<String> = cases
        .iter()
        .filter(|(_, claim, passage, quote)| {
            checked(claim, *passage, quote).is_some_and(|checked| checked.is_verbatim)
        })
        .map(|(family, claim, _, quote)| format!("{family}: {claim:?} by {quote:?}"))
        .collect();
    assert!(offenders.is_empty(), "quoted, and should not be:\n{}", offenders.join("\n"));
}

// proves: C4, C13
#[test]
fn figures_units_and_names_that_were_changed_are_found_without_a_reader() {
    const EXACT: [&str; 4] = ["invented number", "changed unit", "changed name", "changed date"];
    let cases = deceitful();
    let exact: Vec<_> = cases.iter().filter(|(family, ..)| EXACT.contains(family)).collect();
    let passed: Vec<String> = exact
        .iter()
        .filter(|(_, claim, passage, quote)| {
            checked(claim, *passage, quote).is_none_or(|checked| checked.holds())
        })
        .map(|(family, claim, _, quote)| format!("{family}: {claim:?} by {quote:?}"))
        .collect();
    // What is left is a reader's to see: the end of a range for the range, "over" and "up to", a name that a sentence begins with.
    let all = exact.len();
    assert!(
        all >= 60 && passed.len() * 100 <= all * 26,
        "{} of {all} passed:\n{}",
        passed.len(),
        passed.join("\n")
    );
}

// proves: C4, C13
#[test]
fn no_honest_claim_is_refused_by_the_hard_checks() {
    let faithful = honest::FAITHFUL
        .into_iter()
        .map(|(claim, passage, quote)| ("faithful", claim, passage, quote));
    let cases: Vec<Case> =
        faithful.chain(honest::HONEST.iter().chain(retold::RETOLD).copied()).collect();
    assert!(cases.len() >= 60, "{} cases", cases.len());
    let refused: Vec<String> = cases
        .iter()
        .filter_map(|(family, claim, passage, quote)| match checked(claim, *passage, quote) {
            None => Some(format!("{family}: {claim:?}: {quote:?} was not found")),
            Some(checked) if checked.holds() => None,
            Some(checked) => {
                Some(format!("{family}: {claim:?} by {quote:?}: {:?}", checked.faults))
            }
        })
        .collect();
    assert!(refused.is_empty(), "refused, and should not be:\n{}", refused.join("\n"));
}

// proves: C4, C20
#[test]
fn however_a_bound_is_said_it_holds_on_its_own_side() {
    let gazetteer = Gazetteer::default();
    let mut wrong = Vec::new();
    for (source, claim, number, relation, result) in bounds::BOUNDS.iter().copied() {
        let source = Source::of(source);
        let ground = source.ground(0, source.statements.len() - 1).unwrap();
        let context = Context { grounds: &[ground], question: "", gazetteer: &gazetteer };
        let holds = |relation: Relation| {
            let (number, expression) = (number.to_owned(), result.to_owned());
            evaluate(&Derivation { number, expression, relation }, claim, &context).is_ok()
        };
        let other = match relation {
            Relation::MoreThan => Relation::LessThan,
            _ => Relation::MoreThan,
        };
        if !holds(relation) || holds(other) {
            wrong.push(claim);
        }
    }
    assert!(bounds::BOUNDS.len() >= 70 && wrong.is_empty(), "{wrong:#?}");
}
