//! Binds each claim of some prose to the statements that it cites, and checks it against them by program.

use std::collections::BTreeSet;

use grounding::address::Address;
use grounding::check::{Context, Fault, check};
use grounding::prose::{Piece, Prose as Read, Role};
use run::ledger::{Quoted, Verdict};
use run::material::{Material, Place};

use super::entry::{Entry, Form, Kind};
use super::prose::{Cite, Of, Prose};

/// Returns an entry for each claim and each heading, checked by program. A claim that repeats its statement is quoted or, over figures,
/// recomputed; no other has a verdict yet.
pub(super) fn bind(
    read: &Read,
    prose: &Prose,
    material: &Material<'_>,
    question: &str,
) -> Vec<Entry> {
    let citations = prose.citations();
    let mut entries: Vec<Entry> = read
        .pieces
        .iter()
        .enumerate()
        .filter(|(_, piece)| piece.is_claim() || is_heading(piece))
        .map(|(index, piece)| entry(index, piece, &citations, material))
        .collect();
    let claims: Vec<usize> = numbered(&entries);
    for index in 0..entries.len() {
        let Some(piece) = entries.get(index).and_then(|entry| read.pieces.get(entry.piece)) else {
            continue;
        };
        let basis = basis_of(index, piece, &citations, &claims, &entries, read);
        if let Some(entry) = entries.get_mut(index) {
            entry.basis = basis;
            if entry.kind == Kind::Cited && entry.places.is_empty() && !entry.basis.is_empty() {
                entry.kind = Kind::Conclusion;
                entry.faults.clear();
            }
        }
    }
    for entry in &mut entries {
        if matches!(entry.kind, Kind::Cited | Kind::Uncited) {
            hold_against(entry, material, question);
        }
    }
    entries
}

/// Returns whether a frame can assert something: whether it is a heading, label or lead-in of several words.
fn is_heading(piece: &Piece) -> bool {
    const FEWEST_WORDS: usize = 3;
    piece.role == Role::Frame && text::words(&piece.words).nth(FEWEST_WORDS - 1).is_some()
}

/// Returns the indices of the claims, in order: claim 1 is the first.
fn numbered(entries: &[Entry]) -> Vec<usize> {
    let is_claim = |(_, entry): &(usize, &Entry)| entry.kind != Kind::Heading;
    entries.iter().enumerate().filter(is_claim).map(|(index, _)| index).collect()
}

fn entry(index: usize, piece: &Piece, citations: &[Cite], material: &Material<'_>) -> Entry {
    let claim = piece.in_context();
    let own: Vec<&Cite> =
        piece.citations.iter().filter_map(|index| citations.get(*index)).collect();
    let mut rests_on_claims = false;
    let mut found: Vec<Result<Vec<Place>, Fault>> = Vec::new();
    for cite in &own {
        match &cite.of {
            Of::Addresses(addresses) => {
                for address in addresses {
                    if let Address::Claim(_) = address {
                        rests_on_claims = true;
                        continue;
                    }
                    found.push(at_address(*address, &piece.words, &claim, material));
                }
            }
            Of::Quote(quoted) => found.push(at_quote(quoted, &claim, material)),
        }
    }
    let (mut places, mut faults) = gathered(found);
    let kind = if piece.role == Role::Frame {
        Kind::Heading
    } else if piece.is_conclusion() {
        Kind::Conclusion
    } else if own.is_empty() {
        Kind::Uncited
    } else {
        Kind::Cited
    };
    if kind == Kind::Uncited && piece.role != Role::Code {
        places.extend(material.nearest(&claim, None));
    }
    if piece.role == Role::Code && places.is_empty() {
        places.extend(material.quoted(0, &piece.words));
    }
    if matches!(kind, Kind::Cited | Kind::Uncited)
        && places.is_empty()
        && !rests_on_claims
        && faults.is_empty()
    {
        faults.push(Fault::CitesNothing);
    }
    let form = match piece.role {
        Role::Cell { .. } => Form::Cell,
        Role::Code => Form::Code,
        Role::Sentence | Role::Conclusion | Role::Frame => Form::Sentence,
    };
    let (words, written) = (piece.words.clone(), piece.written.clone());
    Entry { piece: index, claim, words, written, kind, form, places, faults, ..Entry::default() }
}

/// Returns the places of citations, each once, or their faults if there is no place.
pub(super) fn gathered(found: Vec<Result<Vec<Place>, Fault>>) -> (Vec<Place>, Vec<Fault>) {
    let mut places: Vec<Place> = Vec::new();
    let mut faults: Vec<Fault> = Vec::new();
    for found in found {
        match found {
            Ok(found) => places.extend(found),
            Err(fault) => faults.push(fault),
        }
    }
    let mut seen = BTreeSet::new();
    places.retain(|place| seen.insert(*place));
    // The places found support the claim or do not, whatever else was cited.
    if !places.is_empty() {
        faults.clear();
    }
    (places, faults)
}

/// Returns the places of an address. If it is a passage alone and the claim has words in quotation marks, these are located in the passage.
pub(super) fn at_address(
    address: Address,
    words: &str,
    claim: &str,
    material: &Material<'_>,
) -> Result<Vec<Place>, Fault> {
    if let Address::Passage(passage) = address
        && let Some(quote) = in_quotation_marks(words)
    {
        let found = material.quoted(passage, quote);
        if found.iter().any(|place| place.evidence == passage) {
            return Ok(found);
        }
    }
    material.place(address, claim).map(|place| vec![place])
}

/// Returns the places of a quote. If it stands nowhere, returns the statement of its passage that is nearest to the claim.
pub(super) fn at_quote(
    quoted: &Quoted,
    claim: &str,
    material: &Material<'_>,
) -> Result<Vec<Place>, Fault> {
    let found = material.quoted(quoted.evidence, &quoted.quote);
    if !found.is_empty() {
        return Ok(found);
    }
    material.place(Address::Passage(quoted.evidence), claim).map(|place| vec![place])
}

/// Returns the words between quotation marks, if there are enough of them to locate.
fn in_quotation_marks(words: &str) -> Option<&str> {
    const FEWEST_WORDS: usize = 4;
    [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»')].iter().find_map(|(open, close)| {
        let (_, rest) = words.split_once(*open)?;
        let (quote, _) = rest.split_once(*close)?;
        text::words(quote).nth(FEWEST_WORDS - 1).map(|_| quote)
    })
}

/// Returns the entries that an entry rests on: those that it names, else, unless it has citations of its own, those that stand nearest, as
/// `standing_around` picks them.
fn basis_of(
    index: usize,
    piece: &Piece,
    citations: &[Cite],
    claims: &[usize],
    entries: &[Entry],
    read: &Read,
) -> Vec<usize> {
    let named = piece
        .citations
        .iter()
        .filter_map(|index| citations.get(*index))
        .flat_map(|cite| match &cite.of {
            Of::Addresses(addresses) => addresses.as_slice(),
            Of::Quote(_) => &[],
        })
        .filter_map(|address| match address {
            Address::Claim(number) => {
                claims.get(usize::try_from(*number).ok()?.checked_sub(1)?).copied()
            }
            _ => None,
        })
        .filter(|basis| *basis != index);
    let named: Vec<usize> = named.collect();
    let Some(entry) = entries.get(index) else { return named };
    if !named.is_empty()
        || entry.kind == Kind::Cited
        || !entry.places.is_empty() && entry.kind == Kind::Conclusion
    {
        return named;
    }
    let others = entries.iter().enumerate().filter(|(other, entry)| {
        *other != index && matches!(entry.kind, Kind::Cited | Kind::Uncited)
    });
    let sites = others.filter_map(|(other, entry)| {
        read.pieces.get(entry.piece).map(|piece| (other, Site::of(piece)))
    });
    let side =
        if entry.kind == Kind::Heading { Side::Heading(index) } else { Side::Sentence(index) };
    standing_around(side, Site::of(piece), &sites.collect::<Vec<_>>())
}

/// A position in a text: the counts of the headings and the blocks before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Site {
    section: usize,
    pub(crate) block: usize,
}

impl Site {
    pub(crate) fn of(piece: &Piece) -> Site {
        Site { section: piece.section, block: piece.block }
    }
}

/// The entry that looks for others to rest on, by index: a sentence looks back, a heading ahead.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Side {
    Sentence(usize),
    Heading(usize),
}

/// Returns those of `others` that stand nearest: in the paragraph, else on its side in the section, else in the section, else anywhere.
pub(crate) fn standing_around(side: Side, own: Site, others: &[(usize, Site)]) -> Vec<usize> {
    const ROUNDS: usize = 4;
    let fits = |round: usize, other: usize, site: Site| match (round, side) {
        // A label at the beginning of an item heads that item.
        (0, _) => site.block == own.block,
        (1, Side::Sentence(index)) => site.section == own.section && other < index,
        (1, Side::Heading(index)) => site.section == own.section && other > index,
        (2, _) => site.section == own.section,
        _ => true,
    };
    (0..ROUNDS)
        .map(|round| {
            let fitting = others.iter().filter(|(other, site)| fits(round, *other, *site));
            fitting.map(|(other, _)| *other).collect::<Vec<usize>>()
        })
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// Returns the faults that the program finds in a conclusion whose basis is already limited to what holds.
pub(crate) fn conclusion_faults(
    entry: &Entry,
    entries: &[Entry],
    material: &Material<'_>,
    question: &str,
) -> Vec<Fault> {
    let grounds = entry.grounds(entries, material);
    if grounds.is_empty() {
        return vec![Fault::RestsOnNothing];
    }
    let context = Context { grounds: &grounds, question, gazetteer: &material.gazetteer };
    check(entry.checked(), &context).faults
}

/// Checks a claim that cites against its statements. Keeps the faults of its citations.
pub(crate) fn hold_against(entry: &mut Entry, material: &Material<'_>, question: &str) {
    if entry.places.is_empty() {
        return;
    }
    let grounds = entry.grounds(&[], material);
    let context = Context { grounds: &grounds, question, gazetteer: &material.gazetteer };
    // The program computed what a figure's statement says.
    let is_figure = entry.places.iter().all(|place| place.is_figure());
    let word_for_word = if is_figure { Verdict::Recomputed } else { Verdict::Quoted };
    // A citation without words quotes its statements.
    if entry.words.is_empty() && entry.faults.is_empty() {
        entry.verdict = word_for_word;
        return;
    }
    let checked = check(entry.checked(), &context);
    entry.faults.extend(checked.faults);
    // A cell may repeat a statement while its row is another's.
    if checked.is_verbatim && entry.faults.is_empty() && !entry.form.is_cell() {
        entry.verdict = word_for_word;
    }
}
