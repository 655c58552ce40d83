//! Outlines a report from its notes, and not from memory.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use run::{Agent, Mode, Reply, Result, Stop};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::depth::Measure;
use super::research::Research;
use crate::ask::deep::Inquiry;
use crate::ask::deep::brief::Brief;
use crate::grounded::docket::plain;

pub(super) const OUTLINER: Agent = Agent {
    name: "outliner",
    prompt: "ask/outliner",
    text: include_str!("../../../../prompts/ask/outliner.md"),
};

/// Maximum sections of a report.
const MOST_SECTIONS: usize = 14;

/// An outline as its editor drafts it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outlined {
    /// In the order in which they are read.
    #[schemars(length(max = MOST_SECTIONS))]
    pub sections: Vec<SectionDraft>,
}

/// A section as an editor drafts it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct SectionDraft {
    /// What the reader is to know after it.
    #[schemars(length(max = 300))]
    pub purpose: String,
    /// The numbers of the notes that it is written from.
    #[schemars(length(max = 80))]
    pub notes: Vec<u32>,
    /// How it is written: as prose, a table, a list of steps, a timeline.
    #[schemars(length(max = 120))]
    pub form: String,
    /// A few words, which assert nothing.
    #[schemars(length(max = 100))]
    pub heading: String,
}

impl Reply for Outlined {
    fn check(&self) -> std::result::Result<(), String> {
        if self.sections.is_empty() { Err("`sections` is empty".into()) } else { Ok(()) }
    }
}

/// A section to write.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Section {
    pub(super) heading: String,
    /// The heading to print if its own does not hold: the question that most of its notes serve.
    #[serde(skip)]
    pub(super) question: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) purpose: String,
    #[serde(skip)]
    pub(super) form: String,
    /// The numbers of its notes, from 1.
    pub(super) notes: Vec<u32>,
}

/// The sections, and what there were no notes for.
pub(super) struct Outline {
    pub(super) sections: Vec<Section>,
    pub(super) open: Vec<String>,
}

impl Inquiry<'_> {
    /// Groups the notes into sections. If an outline names none of them, the rule's is taken: a section for each question.
    pub(super) async fn outlined(
        &self,
        brief: &Brief,
        research: &Research,
        measure: &Measure,
    ) -> Result<Outline> {
        let by_rule = || by_rule(research);
        if research.notes.is_empty() || self.run.mode() == Mode::Offline {
            return Ok(sound(&by_rule(), research));
        }
        let outlined = self
            .options
            .asking(self.run, &OUTLINER, self.question)
            .given("What the reader wants", wanted(brief, measure))
            .given("What must be answered", questions(research))
            .showing("The notes", listed(research))
            .offline(by_rule)
            .reply::<Outlined>()
            .await;
        let drafted = match outlined {
            Ok(drafted) => drafted,
            Err(stop @ (Stop::Budget { .. } | Stop::Stage { .. })) => {
                self.run.warn(format!("the report has a section for each question: {stop}"));
                by_rule()
            }
            Err(stop) => return Err(stop),
        };
        let outline = sound(&drafted, research);
        if outline.sections.is_empty() {
            self.run.warn("the outline names no note that there is; the report has a section for each question");
            return Ok(sound(&by_rule(), research));
        }
        Ok(outline)
    }
}

/// Returns what the reader wants, and how much of it.
pub(super) fn wanted(brief: &Brief, measure: &Measure) -> String {
    let mut page = String::new();
    for line in [&brief.asked, &brief.form].into_iter().chain(&brief.perspectives) {
        if !line.is_empty() {
            let _ = writeln!(page, "- {line}");
        }
    }
    let _ = writeln!(page, "- at most {} words; fewer where there is less to say", measure.words);
    page
}

fn questions(research: &Research) -> String {
    let numbered = (1..).zip(&research.questions);
    numbered.map(|(number, one)| format!("q{number}. {}\n", one.asked.question)).collect()
}

/// Lists all notes, each with its number, the question that it serves, and its source.
fn listed(research: &Research) -> String {
    let mut page = String::new();
    for (number, note) in (1..).zip(&research.notes) {
        let questions: Vec<String> =
            note.questions.iter().map(|index| format!("q{}", index + 1)).collect();
        let (questions, title) = (questions.join(", "), research.title(note));
        let _ = writeln!(page, "{number}. ({questions}; {title}) {}", note.says);
    }
    page
}

/// Makes a section of each question. A note that serves several stands under the first; a question all of whose notes stand elsewhere has
/// no section of its own.
fn by_rule(research: &Research) -> Outlined {
    let mut sections = Vec::new();
    for (index, inquired) in research.questions.iter().enumerate() {
        let own =
            research.notes_of(index).filter(|(_, note)| note.questions.first() == Some(&index));
        let notes: Vec<u32> = own.map(|(number, _)| number).collect();
        if !notes.is_empty() || inquired.notes == 0 {
            let heading = inquired.asked.question.clone();
            sections.push(SectionDraft { heading, notes, ..SectionDraft::default() });
        }
    }
    Outlined { sections }
}

/// Returns the sections that have notes; the others stay open.
fn sound(drafted: &Outlined, research: &Research) -> Outline {
    let mut outline = Outline { sections: vec![], open: vec![] };
    for draft in drafted.sections.iter().take(MOST_SECTIONS) {
        let is_there = |number: &u32| research.note_of(*number).is_some();
        let notes: BTreeSet<u32> = draft.notes.iter().copied().filter(is_there).collect();
        let notes: Vec<u32> = notes.into_iter().collect();
        let heading = plain(&draft.heading);
        if notes.is_empty() {
            if !heading.is_empty() {
                outline.open.push(format!("Nothing was found about: {heading}"));
            }
            continue;
        }
        let question = served(&notes, research);
        let heading = if heading.is_empty() { question.clone() } else { heading };
        let [purpose, form] = [&draft.purpose, &draft.form].map(|text| plain(text));
        outline.sections.push(Section { heading, question, purpose, form, notes });
    }
    outline
}

/// Returns the question that most of these notes serve.
fn served(notes: &[u32], research: &Research) -> String {
    let of = |number: &u32| research.note_of(*number);
    let serves = |index: usize| {
        notes.iter().filter_map(of).filter(|note| note.questions.contains(&index)).count()
    };
    // On a tie, the first.
    let most = (0..research.questions.len()).rev().max_by_key(|index| serves(*index));
    let question = most.and_then(|index| research.questions.get(index));
    question.map(|one| one.asked.question.clone()).unwrap_or_default()
}
