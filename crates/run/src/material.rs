//! The evidence shown to a writer, as statements, and the meaning of its addresses.

use std::collections::BTreeMap;

use ::grounding::address::Address;
use ::grounding::check::{Cited, Fault, Figure, Gazetteer, Ground};
use ::grounding::locate::Finder;
use ::grounding::nearest::Nearest;
use ::grounding::statement::{Above, Form, Source, Statement};

use crate::evidence::{Evidence, EvidenceKind, Numbered};
use crate::ledger::{Citation, Verdict};
use text::Language;

mod row;
mod shown;

pub use row::row_with_heads;

/// A range of statements of a piece of evidence; for a figure, all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// The number of the evidence.
    pub evidence: u32,
    /// Counted from 1; 0 for a figure.
    pub first: u32,
    pub last: u32,
}

impl Place {
    /// Returns the place of a figure that the program computed and worded.
    pub fn figure(number: u32) -> Place {
        Place { evidence: number, first: 0, last: 0 }
    }

    pub fn is_figure(self) -> bool {
        self.first == 0
    }

    /// Returns whether all of another place is within this one.
    pub fn holds(self, other: Place) -> bool {
        self.evidence == other.evidence && self.first <= other.first && other.last <= self.last
    }

    /// Returns the address, without brackets: `3.4`, `3.4-6`, `F2`.
    pub fn address(self) -> String {
        let Place { evidence, first, last } = self;
        if self.is_figure() {
            format!("F{evidence}")
        } else if first == last {
            format!("{evidence}.{first}")
        } else {
            format!("{evidence}.{first}-{last}")
        }
    }
}

/// Evidence, split into statements.
pub struct Material<'a> {
    pieces: Vec<Piece<'a>>,
    /// The names that occur in the evidence.
    pub gazetteer: Gazetteer,
}

struct Piece<'a> {
    numbered: &'a Numbered,
    source: Source<'a>,
    above: Above<'a>,
}

impl<'a> Material<'a> {
    pub fn of(evidence: &'a [Numbered]) -> Material<'a> {
        let mut gazetteer = Gazetteer::default();
        let pieces = evidence.iter().map(|numbered| {
            gazetteer.add(&numbered.evidence.text);
            let source = Source::of(&numbered.evidence.text);
            let above = Above::of(&numbered.evidence.provenance.place.section, &source);
            Piece { numbered, source, above }
        });
        Material { pieces: pieces.collect(), gazetteer }
    }

    fn piece(&self, number: u32) -> Option<&Piece<'a>> {
        self.pieces.iter().find(|piece| piece.numbered.number == number)
    }

    /// Resolves an address. A bare passage number resolves to its statement nearest to the claim.
    ///
    /// Claims have no statements here.
    pub fn place(&self, address: Address, claim: &str) -> Result<Place, Fault> {
        let absent = || Fault::NoSuchStatement { address: address.to_string() };
        match address {
            Address::Statements { passage: number, .. }
            | Address::Passage(number)
            | Address::Figure(number)
                if self.piece(number).is_some_and(Piece::is_figure) =>
            {
                Ok(Place::figure(number))
            }
            Address::Statements { passage, first, last } => {
                let piece = self.piece(passage).ok_or_else(absent)?;
                let place = Place { evidence: passage, first, last };
                let (first, last) = piece.indices(place);
                piece.source.span(first, last).map(|_| place).ok_or_else(absent)
            }
            Address::Passage(passage) => self.nearest(claim, Some(passage)).ok_or_else(absent),
            Address::Figure(_) | Address::Claim(_) => Err(absent()),
        }
    }

    /// Returns the places of a quote: in the named passage, otherwise in any other.
    pub fn quoted(&self, passage: u32, quote: &str) -> Vec<Place> {
        let named = self.pieces.iter().filter(|piece| piece.numbered.number == passage);
        let others = self.pieces.iter().filter(|piece| piece.numbered.number != passage);
        let mut found = named.chain(others).filter_map(|piece| {
            let runs = Finder::of(&piece.source).locate(quote);
            (!runs.is_empty()).then(|| {
                let place = |(first, last): (usize, usize)| self.at(piece, first, last);
                runs.into_iter().map(place).collect::<Vec<Place>>()
            })
        });
        found.next().unwrap_or_default()
    }

    /// Returns the statement nearest to a claim by its words, in one passage or in all; without a passage, `None` if it shares too
    /// little.
    pub fn nearest(&self, claim: &str, passage: Option<u32>) -> Option<Place> {
        /// The least share of the claim that a statement and its headings must hold if no passage is named.
        const LEAST: f64 = 0.4;
        let mut places: Vec<Place> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        for piece in self
            .pieces
            .iter()
            .filter(|piece| passage.is_none_or(|one| one == piece.numbered.number))
        {
            let section = &piece.numbered.evidence.provenance.place.section;
            for (index, statement) in piece.source.statements.iter().enumerate() {
                if matches!(statement.form, Form::Heading(_)) {
                    continue;
                }
                let words = piece.source.run(index, index).unwrap_or_default();
                let head = piece.source.head(index).unwrap_or_default();
                places.push(self.at(piece, index, index));
                texts.push(format!("{section}\n{head}\n{words}"));
            }
        }
        let mut nearest = Nearest::of(texts.iter().map(String::as_str), Language::English);
        let ranked = nearest.rank(claim);
        let (index, share) = ranked.first()?;
        let near_enough = passage.is_some() || *share >= LEAST;
        places.get(*index).copied().filter(|_| near_enough)
    }

    fn at(&self, piece: &Piece<'_>, first: usize, last: usize) -> Place {
        if piece.is_figure() {
            return Place::figure(piece.numbered.number);
        }
        let counted = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
        Place { evidence: piece.numbered.number, first: counted(first), last: counted(last) }
    }

    /// Returns the place of the statement in which a byte range of a passage begins.
    pub fn touched(&self, passage: u32, span: &std::ops::Range<usize>) -> Option<Place> {
        let piece = self.piece(passage)?;
        let (first, last) = piece.source.touched(span)?;
        Some(self.at(piece, first, last))
    }

    /// Returns the statements of a place with their context, for the checks and for a reader.
    pub fn ground(&self, place: Place) -> Option<Ground> {
        let piece = self.piece(place.evidence)?;
        let (first, last) = piece.indices(place);
        let mut ground = piece.source.ground(first, last)?;
        let at = &piece.numbered.evidence.provenance.place;
        // A passage that begins with its headings has them twice: in its section and in its text.
        let mut above: Vec<String> =
            at.section.split(" > ").map(str::to_owned).filter(|head| !head.is_empty()).collect();
        for heading in std::mem::take(&mut ground.headings) {
            if !above.contains(&heading) {
                above.push(heading);
            }
        }
        ground.headings = above;
        let leads = piece.above.leads(first).iter().map(|lead| (*lead).to_owned());
        ground.leads.splice(0..0, leads);
        // Other passages of the document tell who and what it is about.
        let same = self.pieces.iter().filter(|other| {
            other.numbered.evidence.source_uri == piece.numbered.evidence.source_uri
        });
        let texts: Vec<&str> = same.map(|other| other.numbered.evidence.text.as_str()).collect();
        ground.opening = format!("{}\n{}", at.title, texts.join("\n"));
        if piece.is_figure() {
            ground.figures = figures_of(&piece.numbered.evidence);
            // A figure is one statement, although the questionnaire's words in it may end like sentences.
            let text = piece.numbered.evidence.text.clone();
            ground.statements = vec![Cited { text, ..Cited::default() }];
            // Other figures of a question are not the document of this one.
            ground.opening.clone_from(&at.title);
        }
        Some(ground)
    }

    /// Returns the words of a place as they are in the source.
    pub fn words(&self, place: Place) -> Option<&'a str> {
        let piece = self.piece(place.evidence)?;
        let (first, last) = piece.indices(place);
        piece.source.run(first, last)
    }

    /// Returns the headings above a place and its words, for comparison with a question.
    pub fn with_headings(&self, place: Place) -> String {
        let section = self
            .piece(place.evidence)
            .map(|piece| piece.numbered.evidence.provenance.place.section.as_str());
        format!("{}\n{}", section.unwrap_or_default(), self.words(place).unwrap_or_default())
    }

    /// Returns whether a place is a program's data object rather than words for people.
    pub fn is_object(&self, place: Place) -> bool {
        self.words(place).is_some_and(|words| words.contains("{\"") || words.contains("\"}"))
    }

    /// Returns whether a place is whole sentences, so that it can be quoted as one.
    pub fn is_sentences(&self, place: Place) -> bool {
        let run = self.piece(place.evidence).and_then(|piece| {
            let (first, last) = piece.indices(place);
            piece.source.statements.get(first..=last)
        });
        let is_sentence = |one: &Statement| matches!(one.form, Form::Sentence | Form::Item);
        !self.is_object(place) && run.is_some_and(|run| run.iter().all(is_sentence))
    }

    /// Returns a place as a citation of the ledger.
    pub fn citation(
        &self,
        place: Place,
        number: Option<u32>,
        verdict: Verdict,
    ) -> Option<Citation> {
        let piece = self.piece(place.evidence)?;
        let (first, last) = piece.indices(place);
        let span = piece.source.span(first, last)?;
        let evidence = &piece.numbered.evidence;
        let at = &evidence.provenance.place;
        let start = at.start + span.start as u64;
        Some(Citation {
            number,
            evidence_id: evidence.evidence_id.clone(),
            source_uri: evidence.source_uri.clone(),
            title: at.title.clone(),
            section: at.section.clone(),
            page: at.page_at(start),
            quote: evidence.text.get(span.clone())?.to_owned(),
            start: Some(start),
            end: Some(at.start + span.end as u64),
            source_sha256: at.source_sha256.clone(),
            verdict,
            faults: vec![],
            address: Some(place.address()),
        })
    }
}

impl Piece<'_> {
    /// Returns whether it is a figure that the program computed and worded.
    fn is_figure(&self) -> bool {
        self.numbered.evidence.kind == EvidenceKind::Survey
    }

    /// Returns the indices of a place's first and last statement, counted from 0.
    fn indices(&self, place: Place) -> (usize, usize) {
        if place.is_figure() {
            return (0, self.source.statements.len().saturating_sub(1));
        }
        let index = |number: u32| usize::try_from(number).unwrap_or(usize::MAX).saturating_sub(1);
        (index(place.first), index(place.last))
    }
}

/// The key of the figures in an evidence's metadata.
const FIGURES: &str = "figures";

/// Encodes figures for an evidence's metadata.
pub fn figures_metadata(figures: &[Figure]) -> BTreeMap<String, String> {
    let written = serde_json::to_string(figures).unwrap_or_default();
    BTreeMap::from([(FIGURES.to_owned(), written)])
}

/// Returns the figures of a statement that the program worded.
fn figures_of(evidence: &Evidence) -> Vec<Figure> {
    let written = evidence.provenance.metadata.get(FIGURES);
    written.and_then(|written| serde_json::from_str(written).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::tests::evidence;

    fn tides() -> Vec<Numbered> {
        vec![
            evidence(2, "Tides", "Springs", "They come twice. They follow the moon by 2 days."),
            evidence(3, "Waves", "Swell", "Swell travels 10,000 km. It comes from storms."),
        ]
    }

    // proves: C4, C13
    #[test]
    fn an_address_gives_span_quote_and_digest_by_construction() {
        let evidence = tides();
        let material = Material::of(&evidence);
        let address = Address::Statements { passage: 2, first: 2, last: 2 };
        let place = material.place(address, "").unwrap();
        let citation = material.citation(place, Some(1), Verdict::Quoted).unwrap();
        assert_eq!(citation.quote, "They follow the moon by 2 days.");
        assert_eq!(
            (citation.start, citation.end),
            (Some(27), Some(58)),
            "the passage begins at byte 10"
        );
        assert_eq!(citation.source_sha256, evidence[0].evidence.provenance.place.source_sha256);
        assert_eq!(citation.address.as_deref(), Some("2.2"));
        assert_eq!(material.ground(place).unwrap().headings, ["Tides", "Springs"]);
    }

    #[test]
    fn a_heading_that_the_passage_begins_with_is_there_once() {
        let evidence =
            [evidence(1, "Tides", "Springs", "# Tides\n\n## Springs\n\n### Moon\n\nIt pulls.")];
        let material = Material::of(&evidence);
        let place = material.place(Address::Statements { passage: 1, first: 4, last: 4 }, "");
        let ground = material.ground(place.unwrap()).unwrap();
        assert_eq!(ground.headings, ["Tides", "Springs", "Moon"]);
    }

    // proves: C4
    #[test]
    fn what_does_not_stand_there_has_no_place() {
        let evidence = tides();
        let material = Material::of(&evidence);
        for address in [
            Address::Statements { passage: 2, first: 3, last: 3 },
            Address::Statements { passage: 2, first: 1, last: 3 },
            Address::Statements { passage: 1, first: 1, last: 1 },
            Address::Statements { passage: u32::MAX, first: u32::MAX, last: u32::MAX },
            Address::Passage(7),
            Address::Figure(1),
        ] {
            let fault = material.place(address, "They come twice.").unwrap_err();
            assert_eq!(fault, Fault::NoSuchStatement { address: address.to_string() });
        }
    }

    // proves: C4
    #[test]
    fn a_passage_without_more_and_a_copied_quote_are_understood() {
        let evidence = tides();
        let material = Material::of(&evidence);
        let at = |evidence, first| Place { evidence, first, last: first };
        let nearest = material.place(Address::Passage(3), "Storms bring it.");
        assert_eq!(nearest, Ok(at(3, 2)));
        assert_eq!(material.quoted(2, "Swell travels about 10,000 km"), [at(3, 1)]);
        assert_eq!(material.nearest("Swell travels far, 10,000 km", None), Some(at(3, 1)));
        assert_eq!(material.nearest("Penguins lay one egg", None), None);
    }
}
