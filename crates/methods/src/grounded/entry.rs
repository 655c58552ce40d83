//! A claim on its way through the checks.

use grounding::check::{Fault, Ground};
use grounding::derive::Derivation;
use run::ledger::Verdict;
use run::material::{Material, Place};

/// A claim, what it cites, and its outcome so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    /// The index of its piece of prose.
    pub(crate) piece: usize,
    /// What it says; for a cell, with its row and column.
    pub(crate) claim: String,
    /// What is shown, and checked by program; for a cell, the cell alone.
    pub(crate) words: String,
    /// The words as written, with Markdown's marks; empty if they are not from prose.
    pub(crate) written: String,
    pub(crate) kind: Kind,
    pub(crate) form: Form,
    pub(crate) places: Vec<Place>,
    /// The indices of the entries that it rests on.
    pub(crate) basis: Vec<usize>,
    /// The indices of entries that may support a number that its own statements lack: "three ways", which its paragraph goes on to name.
    pub(crate) around: Vec<usize>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) derivations: Vec<Derivation>,
    pub(crate) verdict: Verdict,
    /// What replaces it: what the writer wrote instead, or its statements, quoted.
    pub(crate) instead: Option<Instead>,
}

/// The kind of a claim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// It says what the statements that it cites say.
    #[default]
    Cited,
    /// It cites nothing, and is checked against the statement nearest to it.
    Uncited,
    /// It is the writer's own conclusion.
    Conclusion,
    /// It frames what stands below it, and must assert no more.
    Heading,
}

/// The form in which a claim is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Form {
    #[default]
    Sentence,
    /// A cell of a table in prose.
    Cell,
    /// What a structured reply says of something; it is checked with the name of that thing.
    Attribute,
    Code,
}

impl Form {
    /// Returns whether it is not a sentence of its own.
    pub(crate) fn is_cell(self) -> bool {
        matches!(self, Form::Cell | Form::Attribute)
    }
}

/// The replacement of a claim that did not hold.
#[derive(Debug, Clone)]
pub(crate) enum Instead {
    /// Claims that hold, in the writer's words.
    Mended(Vec<Entry>),
    Quoted(Place),
}

impl Entry {
    pub(crate) fn holds(&self) -> bool {
        self.verdict.holds()
    }

    /// Returns whether it is a claim of the answer that neither holds nor was replaced.
    pub(crate) fn fails(&self) -> bool {
        self.kind != Kind::Heading && !self.holds() && self.instead.is_none()
    }

    /// Returns the words that are checked by program.
    pub(crate) fn checked(&self) -> &str {
        if self.form == Form::Attribute { &self.claim } else { &self.words }
    }

    /// Returns what it is checked against: the statements of its places, and the claims that it rests on with theirs.
    pub(crate) fn grounds(&self, all: &[Entry], material: &Material<'_>) -> Vec<Ground> {
        let of = |places: &[Place]| -> Vec<Ground> {
            places.iter().filter_map(|place| material.ground(*place)).collect()
        };
        let mut grounds = of(&self.places);
        for basis in self.basis.iter().filter_map(|index| all.get(*index)) {
            let statements =
                vec![grounding::check::Cited { text: basis.claim.clone(), head: String::new() }];
            grounds.push(Ground { statements, is_claim: true, ..Ground::default() });
            grounds.extend(of(&basis.places));
        }
        grounds
    }
}
