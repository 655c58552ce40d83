//! The prose of a section: one text with addresses, entered sentence by sentence.

use std::collections::BTreeMap;

use ::grounding::address::{Address, Cited, cited};
use ::grounding::prose::{Piece, Prose};

use super::clerk::Clerk;
use super::payload::{Paragraph, Spoken};
use crate::grounded::docket::{Sentence, plain};

/// Maximum number of sentences in a section's prose.
const MOST: usize = 80;

/// A sentence as written.
struct Written {
    /// The index of its paragraph.
    block: usize,
    words: String,
    cites: Vec<String>,
    /// The ids of the statements that it names: `[C3]` is `c3`.
    named: Vec<String>,
    is_conclusion: bool,
}

/// Enters a text as paragraphs. Headings are left out, as sections have their own.
///
/// A conclusion that cites nothing rests on what holds in its paragraph, or else in the whole text.
pub(super) fn paragraphs(text: &str, clerk: &mut Clerk<'_, '_>) -> Vec<Paragraph> {
    let text = run::grounding::clean(text);
    let citations = cited(&text);
    let spans: Vec<_> = citations.iter().map(|one| one.span.clone()).collect();
    let read = Prose::of(&text, &spans);
    let written: Vec<Written> =
        read.claims().take(MOST).map(|(_, piece)| Written::of(piece, &citations)).collect();
    // The sentences by their positions, with their paragraphs.
    let mut entered: BTreeMap<usize, (usize, Spoken)> = BTreeMap::new();
    for (place, one) in written.iter().enumerate().filter(|(_, one)| one.states()) {
        if let Some(statement) = clerk.state(&one.sentence()) {
            entered.insert(place, (one.block, Spoken { statement, rests_on: vec![] }));
        }
    }
    for (place, one) in written.iter().enumerate().filter(|(_, one)| !one.states()) {
        if let Some(spoken) = one.concluded(around(one.block, &entered), clerk) {
            entered.insert(place, (one.block, spoken));
        }
    }
    let mut paragraphs: Vec<(usize, Paragraph)> = Vec::new();
    for (block, spoken) in entered.into_values() {
        match paragraphs.last_mut() {
            Some((known, paragraph)) if *known == block => paragraph.sentences.push(spoken),
            _ => paragraphs.push((block, Paragraph { sentences: vec![spoken] })),
        }
    }
    paragraphs.into_iter().map(|(_, paragraph)| paragraph).collect()
}

/// Returns the ids of what holds in a paragraph, or else in the whole text.
fn around(block: usize, entered: &BTreeMap<usize, (usize, Spoken)>) -> Vec<String> {
    let ids = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<String> {
        let wanted = entered.values().filter(|(own, _)| is_wanted(*own));
        wanted.map(|(_, spoken)| spoken.statement.id.clone()).collect()
    };
    let beside = ids(&|own| own == block);
    if beside.is_empty() { ids(&|_| true) } else { beside }
}

impl Written {
    fn of(piece: &Piece, citations: &[Cited]) -> Written {
        let own = piece.citations.iter().filter_map(|index| citations.get(*index));
        let (mut cites, mut named) = (Vec::new(), Vec::new());
        for address in own.flat_map(|one| &one.addresses) {
            match address {
                Address::Claim(number) => named.push(format!("c{number}")),
                other => cites.push(other.to_string()),
            }
        }
        let (words, is_conclusion) = (plain(&piece.in_context()), piece.is_conclusion());
        Written { block: piece.block, words, cites, named, is_conclusion }
    }

    /// Returns whether it reports what sources say, rather than what follows from statements.
    fn states(&self) -> bool {
        !self.is_conclusion && (self.named.is_empty() || !self.cites.is_empty())
    }

    fn sentence(&self) -> Sentence {
        let Written { words, cites, is_conclusion, .. } = self;
        Sentence {
            words: words.clone(),
            cites: cites.clone(),
            is_conclusion: *is_conclusion,
            ..Sentence::default()
        }
    }

    /// Enters it as a conclusion from what it cites and names, or else from its surroundings.
    fn concluded(&self, around: Vec<String>, clerk: &mut Clerk<'_, '_>) -> Option<Spoken> {
        if !self.cites.is_empty() {
            let rests_on = clerk.rests_on(&self.named);
            let basis = rests_on.iter().filter_map(|id| clerk.claim(id)).cloned().collect();
            let statement = clerk.state(&Sentence { basis, ..self.sentence() })?;
            return Some(Spoken { statement, rests_on });
        }
        let rests_on = if self.named.is_empty() { around } else { self.named.clone() };
        // The surroundings are empty until they have been judged.
        let is_known = !rests_on.is_empty();
        let (statement, rests_on) =
            is_known.then(|| clerk.concluded(&self.words, &rests_on)).flatten()?;
        Some(Spoken { statement, rests_on })
    }
}
