//! Writes the sections of a report concurrently, each from its own notes, and checks them sentence by sentence.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use futures::future::join_all;
use run::evidence::Numbered;
use run::material::{Material, Place};
use run::{Agent, Mode, Result};

use super::depth::Measure;
use super::outline::{Outline, Section, wanted};
use super::research::{Note, Research};
use crate::ask::deep::Inquiry;
use crate::ask::deep::brief::Brief;
use crate::grounded::{self, Checked, Prose, Subject};

pub(super) const SECTION_WRITER: Agent = Agent {
    name: "section_writer",
    prompt: "ask/section_writer",
    text: include_str!("../../../../prompts/ask/section_writer.md"),
};

/// A written section.
pub(super) struct Written {
    /// What it is about.
    pub(super) title: String,
    /// The heading to print if it has none of its own that holds, in Markdown.
    pub(super) heading: String,
    /// The writer's draft, with its remarks.
    pub(super) draft: Prose,
    pub(super) checked: Checked,
}

impl Inquiry<'_> {
    /// Writes and checks every section. The notes of one that cannot be written are quoted.
    pub(super) async fn sections(
        &self,
        brief: &Brief,
        outline: &Outline,
        research: &Research,
        measure: &Measure,
    ) -> Result<Vec<Written>> {
        let written =
            join_all(outline.sections.iter().enumerate().map(async |(index, section)| {
                let run = self.run.scope(&format!("section-{}", index + 1));
                let notes: Vec<&Note> =
                    section.notes.iter().filter_map(|number| research.note_of(*number)).collect();
                if self.run.mode() == Mode::Offline {
                    return self.quoted(&run, section, &notes, research).await;
                }
                self.written(&run, brief, outline, section, &notes, research, measure)
                    .await
                    .map(|written| vec![written])
            }))
            .await;
        Ok(written
            .into_iter()
            .collect::<Result<Vec<Vec<Written>>>>()?
            .into_iter()
            .flatten()
            .collect())
    }

    /// Quotes the notes of a section, grouped under the titles of their documents.
    async fn quoted(
        &self,
        run: &run::Run,
        section: &Section,
        notes: &[&Note],
        research: &Research,
    ) -> Result<Vec<Written>> {
        let mut groups: Vec<(String, Vec<&Note>)> = Vec::new();
        for note in notes {
            let title = research.title(note);
            match groups.iter_mut().find(|(known, _)| *known == title) {
                Some((_, notes)) => notes.push(note),
                None => groups.push((title, vec![note])),
            }
        }
        let mut written = Vec::new();
        for (number, (title, notes)) in groups.into_iter().enumerate() {
            let above = if number == 0 { format!("## {}", section.heading) } else { String::new() };
            let below = if title.is_empty() { String::new() } else { format!("### {title}") };
            let heading = [above, below].into_iter().filter(|part| !part.is_empty());
            let (evidence, notes) = standing(&notes, research, u32::MAX);
            let draft = quotes(&notes);
            let call = || run.agent(&SECTION_WRITER);
            let subject = Subject {
                run,
                question: self.question,
                evidence: &evidence,
                answers: &|_| false,
                call: &call,
                unsupported: self.options.rules.unsupported,
            };
            let checked = grounded::check(&subject, &draft).await?;
            let heading = heading.collect::<Vec<_>>().join("\n\n");
            let title = section.heading.clone();
            written.push(Written { title, heading, draft, checked });
        }
        Ok(written)
    }

    /// Has a section written from its notes.
    #[expect(
        clippy::too_many_arguments,
        reason = "a section is written from all that came before it"
    )]
    async fn written(
        &self,
        run: &run::Run,
        brief: &Brief,
        outline: &Outline,
        section: &Section,
        notes: &[&Note],
        research: &Research,
        measure: &Measure,
    ) -> Result<Written> {
        let (evidence, notes) = standing(notes, research, measure.section_tokens);
        let words = measure.words / (outline.sections.len() as u32 + 1).max(1);
        let (report, told) = (wanted(brief, measure), told(section, outline, words));
        let noted = format_notes(&notes);
        let call = || {
            self.options
                .asking(run, &SECTION_WRITER, self.question)
                .given("What the reader wants of the report", &report)
                .given("The section that you write", &told)
                .showing("Its notes", &noted)
                .citing_statements(&evidence)
        };
        let quotes = || quotes(&notes);
        let asked = call().as_part_of_synthesis().even_if_unusable().offline(quotes);
        let draft: Prose = asked.reply().await?;
        let said = material_words(&notes, &evidence);
        let is_noted = |words: &str| said.iter().any(|said| words.contains(said.as_str()));
        let subject = Subject {
            run,
            question: self.question,
            evidence: &evidence,
            answers: &is_noted,
            call: &call,
            unsupported: self.options.rules.unsupported,
        };
        let headed = Prose { text: headed(&section.heading, &draft.text), ..draft.clone() };
        let mut checked = grounded::check(&subject, &headed).await?;
        if !checked.holds() && !draft.text.is_empty() {
            self.run.warn(format!(
                "no sentence of the section '{}' passed the check, so its notes are quoted instead",
                section.heading
            ));
            checked = grounded::check(&subject, &quotes()).await?;
        }
        let heading = format!("## {}", section.question);
        Ok(Written { title: section.heading.clone(), heading, draft, checked })
    }
}

/// Returns a section's text under its heading.
fn headed(heading: &str, text: &str) -> String {
    let text = text.trim();
    // Writers often repeat the heading.
    let first = text.lines().next().unwrap_or_default();
    let bare = |line: &str| line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let rest = if first.starts_with('#') && bare(first) == bare(heading) {
        text.get(first.len()..).unwrap_or_default()
    } else {
        text
    };
    format!("## {heading}\n\n{}", rest.trim())
}

/// Returns the evidence in which `notes` stand, in the order of its numbers, as much as fits into `tokens`, and the notes with their places
/// in it.
///
/// Passages of one document overlap if several questions led there. A passage that holds more notes comes first, and a note whose words
/// stand in a passage taken already adds no other.
fn standing(notes: &[&Note], research: &Research, tokens: u32) -> (Vec<Numbered>, Vec<Note>) {
    let numbers: BTreeSet<u32> = notes.iter().map(|note| note.place.evidence).collect();
    let own: Vec<Numbered> =
        numbers.iter().filter_map(|number| research.evidence_of(*number).cloned()).collect();
    let material = Material::of(&own);
    // Each passage with the notes that it holds, by their indices.
    let held: Vec<(&Numbered, BTreeSet<usize>)> = own
        .iter()
        .map(|one| {
            let holds = |note: &Note| {
                let from = research.evidence_of(note.place.evidence);
                let words = material.words(note.place);
                from.is_some_and(|from| document(from) == document(one))
                    && words.is_some_and(|words| one.evidence.text.contains(words))
            };
            let all = notes.iter().enumerate().filter(|(_, note)| holds(note));
            (one, all.map(|(index, _)| index).collect())
        })
        .collect();
    let mut open: BTreeSet<usize> = (0..notes.len()).collect();
    let mut rest: Vec<&(&Numbered, BTreeSet<usize>)> = held.iter().collect();
    let mut chosen: Vec<&(&Numbered, BTreeSet<usize>)> = Vec::new();
    let mut left = tokens as usize;
    loop {
        let counted = rest.iter().map(|(_, held)| held.intersection(&open).count()).enumerate();
        let best = counted.max_by_key(|(place, count)| (*count, Reverse(*place)));
        let Some((place, _)) = best.filter(|(_, count)| *count > 0) else { break };
        let one = rest.remove(place);
        let needed = text::count_tokens(&one.0.evidence.text);
        if needed > left && !chosen.is_empty() {
            continue;
        }
        left = left.saturating_sub(needed);
        open.retain(|index| !one.1.contains(index));
        chosen.push(one);
    }
    chosen.sort_by_key(|(one, _)| one.number);
    let place = |index: usize, note: &Note| {
        if chosen.iter().any(|(one, _)| one.number == note.place.evidence) {
            return Some(note.place);
        }
        let words = material.words(note.place)?;
        let holding = chosen.iter().filter(|(_, held)| held.contains(&index));
        let mut found = holding.flat_map(|(one, _)| {
            let places = material.quoted(one.number, words).into_iter();
            places.filter(|place| place.evidence == one.number)
        });
        found.next()
    };
    let moved = |(index, note): (usize, &&Note)| {
        Some(Note { place: place(index, note)?, ..(*note).clone() })
    };
    let notes = notes.iter().enumerate().filter_map(moved).collect();
    (chosen.into_iter().map(|(one, _)| (*one).clone()).collect(), notes)
}

/// Returns what identifies the document of a piece of evidence.
fn document(one: &Numbered) -> (&str, &str) {
    (&one.evidence.source_uri, &one.evidence.provenance.place.document_id)
}

/// Returns prose that quotes the statements of notes, each once.
fn quotes(notes: &[Note]) -> Prose {
    let mut known: BTreeSet<Place> = BTreeSet::new();
    let mut text = String::new();
    for note in notes {
        if known.insert(note.place) {
            let _ = writeln!(text, "- [{}]", note.place.address());
        }
    }
    Prose { text, ..Prose::default() }
}

/// Returns the words of the noted statements.
fn material_words(notes: &[Note], evidence: &[Numbered]) -> Vec<String> {
    let material = Material::of(evidence);
    let words = notes.iter().filter_map(|note| material.words(note.place));
    words.map(str::to_owned).collect()
}

fn told(section: &Section, outline: &Outline, words: u32) -> String {
    let mut page = format!("Heading: {}\n", section.heading);
    for (label, text) in [("Purpose", &section.purpose), ("Form", &section.form)] {
        if !text.is_empty() {
            let _ = writeln!(page, "{label}: {text}");
        }
    }
    let _ = writeln!(page, "At most {words} words, addresses not counted.");
    let others = outline.sections.iter().filter(|other| other.heading != section.heading);
    let others: Vec<&str> = others.map(|other| other.heading.as_str()).collect();
    if !others.is_empty() {
        let _ = writeln!(page, "Other sections, which say the rest: {}", others.join("; "));
    }
    page
}

fn format_notes(notes: &[Note]) -> String {
    let note = |note: &Note| format!("- [{}] {}\n", note.place.address(), note.says);
    notes.iter().map(note).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use run::evidence::{Evidence, EvidenceKind, Passage};

    use super::*;

    fn evidence(number: u32, name: &str, from: u64, text: &str) -> Numbered {
        let mut passage = Passage::whole(EvidenceKind::Rag, name, name.to_owned(), text.to_owned());
        passage.place.start = from;
        passage.place.end += from;
        let evidence = Arc::new(Evidence::from_passage(passage, Timestamp::UNIX_EPOCH));
        Numbered { number, evidence }
    }

    fn note(evidence: u32, first: u32, last: u32) -> Note {
        let place = Place { evidence, first, last };
        Note { place, says: place.address(), questions: vec![0] }
    }

    // proves: A10
    #[test]
    fn what_stands_in_a_passage_that_is_shown_brings_no_other_one() {
        let first =
            "The quay was built in May. The mole was built in June. The light was lit in July.";
        let second =
            "The mole was built in June. The light was lit in July. The bell rang in August.";
        let mut research = Research::default();
        research.evidence = vec![
            evidence(1, "harbour", 0, first),
            evidence(2, "harbour", 27, second),
            evidence(3, "copy", 0, second),
        ];
        let placed = |notes: &[Note], tokens| {
            let notes: Vec<&Note> = notes.iter().collect();
            let (evidence, notes) = standing(&notes, &research, tokens);
            let numbers: Vec<u32> = evidence.iter().map(|one| one.number).collect();
            let places: Vec<String> = notes.iter().map(|note| note.place.address()).collect();
            (numbers, places.join(" "))
        };
        let moved = placed(&[note(1, 1, 1), note(1, 2, 2), note(2, 2, 2), note(2, 1, 2)], 9_000);
        assert_eq!(moved, (vec![1], "1.1 1.2 1.3 1.2-3".to_owned()));
        let both = placed(&[note(1, 1, 1), note(2, 3, 3), note(2, 1, 1)], 9_000);
        assert_eq!(both, (vec![1, 2], "1.1 2.3 2.1".to_owned()));
        // Another document needs its own passage, and what there is no room for is left out.
        let other = placed(&[note(1, 2, 2), note(3, 1, 1)], 9_000);
        assert_eq!(other, (vec![1, 3], "1.2 3.1".to_owned()));
        let narrow = placed(&[note(1, 1, 1), note(2, 3, 3)], 1);
        assert_eq!(narrow, (vec![1], "1.1".to_owned()));
    }
}
