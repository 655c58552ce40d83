//! Prints the answer and builds its ledger.

use std::collections::BTreeSet;

use grounding::prose::{Fate, Printed, Prose as Read};
use run::ledger::{Citation, Claim, Shown, Unsupported, Verdict};
use run::material::{Material, Place};

use super::Grounded;
use super::entry::{Entry, Instead, Kind};

/// The marks of an answer: one number for each run of statements, in the order in which they are shown.
#[derive(Default)]
pub(crate) struct Marks {
    /// The address of each mark, from mark 1 on.
    addresses: Vec<String>,
}

impl Marks {
    /// Returns the marks that a ledger has so far.
    pub(crate) fn of(ledger: &[Claim]) -> Marks {
        let numbered: std::collections::BTreeMap<u32, String> = ledger
            .iter()
            .flat_map(|claim| &claim.citations)
            .filter_map(|citation| Some((citation.number?, citation.address.clone()?)))
            .collect();
        Marks { addresses: numbered.into_values().collect() }
    }

    fn number(&mut self, place: Place) -> u32 {
        let address = place.address();
        let index = self.addresses.iter().position(|known| *known == address);
        let index = index.unwrap_or_else(|| {
            self.addresses.push(address);
            self.addresses.len() - 1
        });
        u32::try_from(index + 1).unwrap_or(u32::MAX)
    }

    fn written(&mut self, places: &[Place]) -> String {
        let mut numbers: Vec<u32> = places.iter().map(|place| self.number(*place)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        numbers.iter().map(|number| format!("[{number}]")).collect::<Vec<_>>().join(" ")
    }

    fn citations(
        &mut self,
        places: &[Place],
        verdict: Verdict,
        material: &Material<'_>,
    ) -> Vec<Citation> {
        let cited = places.iter().filter_map(|place| {
            let number = verdict.holds().then(|| self.number(*place));
            material.citation(*place, number, verdict)
        });
        cited.collect()
    }
}

/// Returns a claim that quotes a place with what leads into it.
pub(crate) fn quoted(place: Place, marks: &mut Marks, material: &Material<'_>) -> Claim {
    let places = material.with_leads(&[place]);
    Claim {
        text: words_of(&places, material),
        verdict: Verdict::Quoted,
        citations: marks.citations(&material.joined(&places), Verdict::Quoted, material),
        ..Claim::default()
    }
}

/// Returns a checked sentence of any text as a claim; one that was not read stays unread.
pub(crate) fn checked_claim(
    entry: &Entry,
    marks: &mut Marks,
    material: &Material<'_>,
    shown: Option<Shown>,
) -> Claim {
    let rests_on = entry.basis.iter().filter_map(|index| u32::try_from(index + 1).ok());
    let is_conclusion = entry.kind == Kind::Conclusion;
    let is_settled = entry.faults.is_empty() || entry.verdict == Verdict::Unread;
    let verdict = if is_settled { entry.verdict } else { Verdict::Unsupported };
    Claim {
        text: entry.claim.clone(),
        verdict,
        citations: marks.citations(&entry.places, verdict, material),
        faults: entry.faults.clone(),
        rests_on: if is_conclusion { rests_on.collect() } else { vec![] },
        derivations: entry.derivations.clone(),
        shown,
    }
}

/// Prints what holds, and enters every claim into the ledger.
pub(super) fn print(
    unsupported: Unsupported,
    read: &Read,
    entries: &[Entry],
    material: &Material<'_>,
) -> Grounded {
    let mut printer = Printer::new(unsupported, material);
    printer.add(None, read, entries, &BTreeSet::new());
    printer.printed()
}

/// A printer of pieces of prose, one below the other, with one numbering of marks and one ledger.
pub(crate) struct Printer<'a> {
    unsupported: Unsupported,
    material: &'a Material<'a>,
    marks: Marks,
    text: String,
    ledger: Vec<Claim>,
    /// What the last quote stood under.
    under: String,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(unsupported: Unsupported, material: &'a Material<'a>) -> Printer<'a> {
        let (marks, text, ledger) = (Marks::default(), String::new(), vec![]);
        Printer { unsupported, material, marks, text, ledger, under: String::new() }
    }

    /// Adds prose under a heading, if any of it is printed: under its own if it begins with one that holds, else under the one given.
    /// Entries in `cut` are not shown, whatever their outcome.
    pub(super) fn add(
        &mut self,
        heading: Option<&str>,
        read: &Read,
        entries: &[Entry],
        cut: &BTreeSet<usize>,
    ) {
        let numbers: Vec<Option<u32>> = ledger_numbers(entries, self.ledger.len());
        let Printed { text, spans } = self.print(read, entries, cut);
        let is_headed = text.trim_start().starts_with('#');
        if !text.trim().is_empty() {
            if !self.text.is_empty() {
                self.text.push_str("\n\n");
            }
            if let Some(heading) = heading.filter(|_| !is_headed) {
                self.text.push_str(&format!("{heading}\n\n"));
            }
        }
        let offset = self.text.len();
        self.text.push_str(&text);
        let shown_at = |index: usize| {
            let span = spans.get(index).cloned().flatten()?;
            Some(Shown { start: (offset + span.start) as u64, end: (offset + span.end) as u64 })
        };
        for entry in entries.iter().filter(|entry| entry.kind != Kind::Heading) {
            let shown = shown_at(entry.piece);
            let Printer { marks, material, ledger, .. } = self;
            match &entry.instead {
                Some(Instead::Mended(written)) => {
                    for entry in written {
                        ledger.push(claim(entry, entries, &numbers, shown, marks, material));
                    }
                }
                Some(Instead::Quoted(place)) => {
                    ledger.push(Claim { shown, ..quoted(*place, marks, material) });
                }
                None => ledger.push(claim(entry, entries, &numbers, shown, marks, material)),
            }
        }
    }

    /// Returns the printed prose with its ledger.
    pub(crate) fn printed(self) -> Grounded {
        let Printer { text, ledger, .. } = self;
        let holds = ledger.iter().any(|claim| claim.verdict.holds());
        Grounded { text, ledger, holds }
    }

    fn print(&mut self, read: &Read, entries: &[Entry], cut: &BTreeSet<usize>) -> Printed {
        let mut fates: Vec<Fate> = vec![Fate::Cut; read.pieces.len()];
        let is_cut = |(index, _): &(usize, &Entry)| !cut.contains(index);
        for (_, entry) in entries.iter().enumerate().filter(is_cut) {
            let fate = self.fate(entry, entries);
            if let Some(place) = fates.get_mut(entry.piece) {
                *place = fate;
            }
        }
        let headings: Vec<usize> = entries
            .iter()
            .filter(|entry| entry.kind == Kind::Heading)
            .map(|entry| entry.piece)
            .collect();
        read.print(|index| {
            let is_free = read.pieces.get(index).is_some_and(|piece| !piece.is_claim())
                && !headings.contains(&index);
            if is_free {
                return Fate::Keep { marks: String::new(), is_conclusion: false };
            }
            fates.get(index).cloned().unwrap_or(Fate::Cut)
        })
    }

    fn fate(&mut self, entry: &Entry, entries: &[Entry]) -> Fate {
        let Printer { unsupported, marks, material, under, .. } = self;
        let places = shown_places(entry, entries);
        // Only quotes that follow each other share their headings.
        let before = std::mem::take(under);
        let quote = |places: &[Place]| {
            *under = before;
            material.shown_after(places, under)
        };
        match (&entry.instead, entry.holds()) {
            (_, true) if entry.words.is_empty() => Fate::Quote {
                words: quote(&material.with_leads(&entry.places)),
                marks: marks.written(&material.joined(&material.with_leads(&places))),
            },
            (_, true) => Fate::Keep {
                marks: if entry.kind == Kind::Heading {
                    String::new()
                } else {
                    marks.written(&places)
                },
                is_conclusion: entry.verdict == Verdict::Inferred && entry.kind != Kind::Heading,
            },
            (Some(Instead::Mended(written)), _) => mended(written, entries, marks),
            (Some(Instead::Quoted(place)), _) => {
                let places = material.with_leads(&[*place]);
                let marks = marks.written(&material.joined(&places));
                Fate::Quote { words: quote(&places), marks }
            }
            (None, false) if entry.kind != Kind::Heading && *unsupported == Unsupported::Mark => {
                Fate::Keep { marks: "[unsupported]".into(), is_conclusion: false }
            }
            (None, false) => Fate::Cut,
        }
    }
}

/// Returns the number of each entry's claim in a ledger that has `before` claims already.
fn ledger_numbers(entries: &[Entry], before: usize) -> Vec<Option<u32>> {
    let mut next = u32::try_from(before + 1).unwrap_or(u32::MAX);
    entries
        .iter()
        .map(|entry| {
            let count = match (&entry.instead, entry.kind) {
                (_, Kind::Heading) => 0,
                (Some(Instead::Mended(written)), _) => u32::try_from(written.len()).unwrap_or(1),
                _ => 1,
            };
            let number = (count > 0).then_some(next);
            next += count;
            number
        })
        .collect()
}

/// Returns the statements that a claim's marks stand for: its own, or those of the claims that it rests on.
pub(crate) fn shown_places(entry: &Entry, entries: &[Entry]) -> Vec<Place> {
    /// A conclusion from many statements is shown with the first of them.
    const MOST: usize = 6;
    if !entry.places.is_empty() || entry.kind == Kind::Heading {
        return entry.places.clone();
    }
    let basis = entry.basis.iter().filter_map(|index| entries.get(*index));
    let mut places: Vec<Place> = basis.flat_map(|basis| basis.places.iter().copied()).collect();
    let mut seen = BTreeSet::new();
    places.retain(|place| seen.insert(*place));
    places.truncate(MOST);
    places
}

fn mended(written: &[Entry], entries: &[Entry], marks: &mut Marks) -> Fate {
    let mut words = String::new();
    let mut last = String::new();
    for entry in written {
        if !words.is_empty() {
            words.push(' ');
            words.push_str(&last);
            words.push(' ');
        }
        if entry.verdict == Verdict::Inferred {
            words.push_str(grounding::prose::ARROW);
            words.push(' ');
        }
        words.push_str(if entry.written.is_empty() { &entry.words } else { &entry.written });
        last = marks.written(&shown_places(entry, entries));
    }
    Fate::Replace { words, marks: last }
}

pub(super) fn words_of(places: &[Place], material: &Material<'_>) -> String {
    let words = places.iter().filter_map(|place| material.words(*place));
    words
        .map(|words| words.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect::<Vec<_>>()
        .join(" ")
}

fn claim(
    entry: &Entry,
    entries: &[Entry],
    numbers: &[Option<u32>],
    shown: Option<Shown>,
    marks: &mut Marks,
    material: &Material<'_>,
) -> Claim {
    // To the reader of the answer, a claim that was not read is unsupported.
    let verdict = if entry.holds() { entry.verdict } else { Verdict::Unsupported };
    let places = if entry.holds() { shown_places(entry, entries) } else { entry.places.clone() };
    let rests_on = entry.basis.iter().filter_map(|index| numbers.get(*index).copied().flatten());
    let is_quote = entry.words.is_empty();
    let whole = if is_quote { material.with_leads(&entry.places) } else { vec![] };
    let places = if is_quote { material.joined(&material.with_leads(&places)) } else { places };
    let text = if is_quote { words_of(&whole, material) } else { entry.claim.clone() };
    Claim {
        text,
        verdict,
        citations: marks.citations(&places, verdict, material),
        faults: entry.faults.clone(),
        rests_on: if verdict == Verdict::Inferred { rests_on.collect() } else { vec![] },
        derivations: entry.derivations.clone(),
        shown,
    }
}
