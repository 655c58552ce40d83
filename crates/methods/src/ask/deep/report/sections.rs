//! The sections of a report, written at the same time, each from its own notes, and checked sentence by sentence.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use futures::future::join_all;
use run::analysis;
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

/// A section that was written.
pub(super) struct Written {
    /// What it is about.
    pub(super) title: String,
    /// What stands over it where it has no heading of its own that holds, in Markdown.
    pub(super) heading: String,
    /// What its writer said beside it.
    pub(super) draft: Prose,
    pub(super) checked: Checked,
}

impl Inquiry<'_> {
    /// Writes every section and checks it. What cannot be written is quoted.
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

    /// Quotes the notes of a section, those of one document under its title.
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
            let evidence = evidence(&notes, research, u32::MAX);
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
        let evidence = evidence(notes, research, measure.section_tokens);
        let notes: Vec<&Note> = notes
            .iter()
            .copied()
            .filter(|note| evidence.iter().any(|one| one.number == note.place.evidence))
            .collect();
        let words = measure.words / (outline.sections.len() as u32 + 1).max(1);
        let (report, told) = (wanted(brief, measure), told(section, outline, words));
        let noted = noted(&notes);
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
                "nothing that the model wrote of the section '{}' holds; its notes are quoted instead",
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
    // Writers repeat it as often as not.
    let first = text.lines().next().unwrap_or_default();
    let bare = |line: &str| line.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let rest = if first.starts_with('#') && bare(first) == bare(heading) {
        text.get(first.len()..).unwrap_or_default()
    } else {
        text
    };
    format!("## {heading}\n\n{}", rest.trim())
}

/// Returns the evidence in which notes stand, in the order of its numbers, as much as there is room for: what more notes stand in comes
/// before the rest.
fn evidence(notes: &[&Note], research: &Research, tokens: u32) -> Vec<Numbered> {
    let mut numbers: Vec<u32> = notes.iter().map(|note| note.place.evidence).collect();
    numbers.sort_unstable();
    let mut counted: Vec<(usize, u32)> = Vec::new();
    for number in numbers {
        match counted.last_mut() {
            Some((count, known)) if *known == number => *count += 1,
            _ => counted.push((1, number)),
        }
    }
    counted.sort_by_key(|(count, number)| (std::cmp::Reverse(*count), *number));
    let mut left = tokens as usize;
    let mut chosen: Vec<Numbered> = Vec::new();
    for (_, number) in counted {
        let Some(one) = research.evidence_of(number) else { continue };
        let needed = analysis::tokens(&one.evidence.text);
        if needed > left && !chosen.is_empty() {
            continue;
        }
        left = left.saturating_sub(needed);
        chosen.push(one.clone());
    }
    chosen.sort_by_key(|one| one.number);
    chosen
}

/// Returns prose that quotes the statements of notes, each once.
fn quotes(notes: &[&Note]) -> Prose {
    let mut known: BTreeSet<Place> = BTreeSet::new();
    let mut text = String::new();
    for note in notes {
        if known.insert(note.place) {
            let _ = writeln!(text, "- [{}]", note.place.address());
        }
    }
    Prose { text, ..Prose::default() }
}

/// Returns the words of the statements that are noted.
fn material_words(notes: &[&Note], evidence: &[Numbered]) -> Vec<String> {
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

fn noted(notes: &[&Note]) -> String {
    let note = |note: &&Note| format!("- [{}] {}\n", note.place.address(), note.says);
    notes.iter().map(note).collect()
}
