//! A report: questions, rounds of research, notes, an outline of them, sections, and an editor, with every sentence accounted for.
//!
//! Each question is looked up and read in rounds, and noted statement by statement. An outline groups the notes; the sections are written
//! from them concurrently, and each is checked as soon as it is written. An editor sums up what holds. A section without notes is not
//! written: it is named as open.

mod depth;
mod editor;
mod outline;
mod research;
mod sections;

use std::collections::BTreeSet;

use futures::future::join;
use run::ledger::{Claim, Verdict};
use run::material::Material;
use run::{Deliverable, Mode, Outcome, Result};
use serde::Serialize;
use serde_json::json;

use super::Inquiry;
use super::board::Board;
use super::brief::Brief;
use super::graph::Graph;
use super::synthesis::{Said, unanswered};
use crate::Calls;
use crate::ask::{Rules, warn_of_unsupported};
use crate::grounded::{self, Grounded, Printer, Prose, READER};

pub use depth::{Depth, Measure, ReportRules};
pub use outline::{Outlined, SectionDraft};
pub use research::{Inquired, Judged, Noted, Notes};

use editor::{EDITOR, Edited};
use outline::{OUTLINER, Outline, Section};
use research::{COVERAGE_JUDGE, NOTE_TAKER, Next, Note, Research};
use sections::{SECTION_WRITER, Written};

/// What a report is made of, as the deliverable shows it.
#[derive(Debug, Serialize)]
struct Told<'a> {
    depth: Depth,
    /// The earlier run that it continues or refreshes.
    #[serde(skip_serializing_if = "Option::is_none")]
    goes_on_from: Option<&'a str>,
    /// Words of the text, without marks.
    words: usize,
    #[serde(flatten)]
    brief: &'a Brief,
    questions: &'a [Inquired],
    sections: &'a [Section],
    notes: &'a [Note],
    sources_read: usize,
    sources_cited: usize,
    citations: usize,
}

impl Inquiry<'_> {
    /// Writes a report from the results of the plan's tasks, and from what is looked up for each of its questions.
    pub(super) async fn reported(
        &self,
        brief: &Brief,
        graph: &Graph,
        board: &Board,
        mut research: Research,
    ) -> Result<Deliverable> {
        let measure = self.affordable(brief.questions.len())?;
        self.hold_back_for_report(&measure, brief.questions.len())?;
        self.research(&mut research, board, &measure).await?;
        let outlining = self.outlined(brief, &research, &measure);
        let (outline, judged) = join(outlining, self.judged(&research, Next::Report)).await;
        let outline = outline?;
        research.judge(judged?);
        let sections = self.sections(brief, &outline, &research, &measure).await?;
        self.run.release(&SECTION_WRITER);
        let open = may_be_open(&outline, &sections, &research);
        let edited = self.edited(brief, &sections, &research, board, &open, &measure).await?;
        self.run.release(&READER);
        let mut deliverable =
            self.delivered(brief, graph, board, &research, &outline, &sections, &edited, open)?;
        let sources: BTreeSet<&str> = cited(&deliverable.ledger).collect();
        if let Some(changes) = self.changes(&research.collections, sources.into_iter()).await? {
            deliverable.fields.insert("changes".into(), json!(changes));
        }
        Ok(deliverable)
    }

    /// Puts the parts together, with one numbering of marks and one ledger.
    #[expect(
        clippy::too_many_arguments,
        reason = "a report is put together from all that came before"
    )]
    fn delivered(
        &self,
        brief: &Brief,
        graph: &Graph,
        board: &Board,
        research: &Research,
        outline: &Outline,
        sections: &[Written],
        edited: &Edited,
        open: Vec<String>,
    ) -> Result<Deliverable> {
        let rules = &self.options.rules;
        let material = Material::of(&research.evidence);
        let mut printer = Printer::new(rules.unsupported, &material);
        edited.summary.print(&mut printer, Some("## Summary"), &BTreeSet::new());
        for (written, cut) in sections.iter().zip(&edited.cut) {
            written.checked.print(&mut printer, Some(&written.heading), cut);
        }
        let Grounded { text, mut ledger, holds } = printer.printed();
        warn_of_unsupported(self.run, rules.unsupported, &ledger);
        let mut said = Said::of(board);
        let mut beside = Prose { open, ..Prose::default() };
        for draft in sections.iter().map(|written| &written.draft).chain([&edited.draft]) {
            beside.differ.extend(draft.differ.iter().cloned());
            beside.assumed.extend(draft.assumed.iter().cloned());
        }
        // An editor with a model has seen the whole, and what may be open: its list replaces the others'. Without a model, its remark is
        // one more.
        match self.run.mode() {
            Mode::Model if !edited.draft.open.is_empty() => {
                beside.open.clone_from(&edited.draft.open);
            }
            _ => beside.open.extend(edited.draft.open.iter().cloned()),
        }
        said.add(&beside);
        let shown = self.contradictions(&beside, board, &research.evidence, &mut ledger);
        let (outcome, text) = if holds {
            (Outcome::Answered, text)
        } else {
            let (outcome, text) = unanswered(board);
            (outcome, text.to_owned())
        };
        let words = words_of(&text);
        if self.above_ceiling(words) > 0 {
            let ceiling = rules.report.measure().words;
            self.run.warn(format!("the report has {words} words; the limit was {ceiling}"));
        }
        let told = Told {
            depth: rules.report.depth,
            goes_on_from: self.options.earlier.as_ref().map(|earlier| earlier.run.as_str()),
            words,
            brief,
            questions: &research.questions,
            sections: &outline.sections,
            notes: &research.notes,
            sources_read: sources(
                research.evidence.iter().map(|one| one.evidence.source_uri.as_str()),
            ),
            sources_cited: sources(cited(&ledger)),
            citations: cited(&ledger).count(),
        };
        let mut fields = said.fields(self.options, graph, board, &text, &shown);
        fields.insert("report".into(), json!(told));
        if let Some(reader) = grounded::reader(self.run) {
            fields.insert("reader".into(), json!(reader));
        }
        Ok(Deliverable { outcome, fields, ledger })
    }

    /// Returns whether a report is written: if several things are asked or an earlier report is continued, and the cap leaves enough steps.
    pub(super) fn is_report(&self, brief: &Brief) -> bool {
        /// Steps of the editor and the second reader.
        const BESIDE: u64 = 12;
        /// Research takes as many steps again.
        const PARTS: u64 = 2;
        let steps = (brief.questions.len() as u64 + BESIDE) * PARTS;
        let has_steps = self.run.max_steps().is_none_or(|most| most >= steps);
        if self.options.earlier.is_some() && !has_steps {
            self.run.warn(format!(
                "the earlier report was not used: a report needs {steps} steps, and the limit is lower. Raise it with \
                 `--max-steps`"
            ));
        }
        (brief.is_of_several() || self.options.earlier.is_some()) && has_steps
    }

    /// Returns the size of a report of `questions` questions within the run's caps. A part of the caps is for the sections; if that is too
    /// little, each gets less evidence and fewer words.
    fn affordable(&self, questions: usize) -> Result<Measure> {
        const FOR_SECTIONS: f64 = 0.3;
        let measure = self.options.rules.report.measure();
        if self.run.mode() == Mode::Offline {
            return Ok(measure);
        }
        let calls = self.run.affordable(&SECTION_WRITER, section_bytes(&measure))?;
        let share = calls * FOR_SECTIONS / (questions + 1) as f64;
        Ok(if share < 1.0 { measure.scaled(share) } else { measure })
    }

    /// Holds back enough of the budget to write a section for each question, to sum up, and to have all of it read.
    fn hold_back_for_report(&self, measure: &Measure, questions: usize) -> Result<()> {
        const FOR_SECTIONS: f64 = 0.4;
        if self.run.mode() == Mode::Offline {
            return Ok(());
        }
        let run = self.run;
        let calls = run.affordable(&SECTION_WRITER, section_bytes(measure))? * FOR_SECTIONS;
        let sections = if calls < questions as f64 { calls as usize } else { questions }.max(1);
        let (bytes, models) = (section_bytes(measure), vec![0; sections]);
        run.hold_back_calls(SECTION_WRITER.name, &SECTION_WRITER, bytes, &models, sections)?;
        run.hold_back(&EDITOR, editor_bytes(measure))?;
        grounded::hold_back_now(run, reply_tokens(measure))
    }
}

/// Returns what may be open: sections on which nothing was found, and what writers and judges miss.
fn may_be_open(outline: &Outline, sections: &[Written], research: &Research) -> Vec<String> {
    let mut open = outline.open.clone();
    open.extend(sections.iter().flat_map(|written| written.draft.open.iter().cloned()));
    open.extend(research.questions.iter().flat_map(open_of));
    let mut seen = BTreeSet::new();
    open.retain(|one| seen.insert(one.to_lowercase()));
    open
}

/// Returns what stays open of a question.
fn open_of(inquired: &Inquired) -> Vec<String> {
    match (inquired.answered, inquired.notes) {
        (true, _) => vec![],
        (false, 0) => vec![format!("Nothing was found about: {}", inquired.asked.question)],
        (false, _) => inquired.open.clone(),
    }
}

/// Returns the sources of a ledger's marks, one for each mark.
fn cited(ledger: &[Claim]) -> impl Iterator<Item = &str> {
    let mut marks = BTreeSet::new();
    let citations = ledger.iter().flat_map(|claim| &claim.citations);
    let shown = citations.filter(move |one| {
        one.verdict != Verdict::Unsupported && one.number.is_some_and(|number| marks.insert(number))
    });
    shown.map(|one| one.source_uri.as_str())
}

fn sources<'a>(uris: impl Iterator<Item = &'a str>) -> usize {
    uris.collect::<BTreeSet<&str>>().len()
}

/// Returns how many words a report has, without its marks.
fn words_of(text: &str) -> usize {
    text::words(&run::ledger::without_marks(text)).count()
}

/// Returns the tokens of the sentences of a report, including addresses.
fn reply_tokens(measure: &Measure) -> u32 {
    measure.words.saturating_mul(2)
}

/// Returns the bytes of a usual prompt of a section's writer.
fn section_bytes(measure: &Measure) -> usize {
    SECTION_WRITER.text.len() + measure.section_tokens as usize * BYTES_PER_TOKEN
}

fn editor_bytes(measure: &Measure) -> usize {
    /// Factor that allows for a sentence's number and addresses besides its words.
    const BESIDE: usize = 2;
    EDITOR.text.len() + measure.words as usize * BYTES_PER_TOKEN * BESIDE
}

/// The token estimate counts four characters a token, and a usual character is little more than a byte.
const BYTES_PER_TOKEN: usize = 5;

/// Returns the agents that a report calls besides the planner, and how often at most.
pub(super) fn calls(rules: &Rules, question: &str, goes_on: bool, tries: u32) -> Vec<Calls> {
    const USUAL_NOTES: u32 = 500;
    const USUAL_JUDGEMENT: u32 = 120;
    const USUAL_OUTLINE: u32 = 600;
    const USUAL_SUMMARY: u32 = 400;
    /// Bytes of questions, a heading and what is wanted.
    const BESIDE: usize = 2_000;
    let measure = rules.report.measure();
    let agent =
        |agent: run::Agent, evidence_tokens: u32, reply_tokens, usual: u32, most: u32| Calls {
            agent,
            prompt_bytes: agent.text.len()
                + question.len()
                + BESIDE
                + evidence_tokens as usize * BYTES_PER_TOKEN,
            evidence_tokens,
            reply_tokens,
            usual,
            most: most * tries,
        };
    let Measure { questions, rounds, passages, note_tokens, section_tokens, words, .. } = measure;
    /// Tokens of a usual passage.
    const PASSAGE: u32 = 350;
    let parts = (passages * PASSAGE).div_ceil(note_tokens.max(1)).max(1);
    // What an earlier report cites is read before the rounds.
    let rounds = rounds + u32::from(goes_on);
    let judged = questions * rounds;
    let section_words = words / (questions + 1).max(1);
    vec![
        agent(
            NOTE_TAKER,
            note_tokens.min(passages * PASSAGE),
            USUAL_NOTES,
            questions * rounds * parts,
            questions * rounds * parts * 2,
        ),
        agent(COVERAGE_JUDGE, 1_500, USUAL_JUDGEMENT, judged, judged),
        agent(OUTLINER, 6_000, USUAL_OUTLINE, 1, 1),
        agent(
            SECTION_WRITER,
            section_tokens.min(8_000),
            section_words * 2,
            // Every other section goes back once.
            questions + questions / 2,
            2 * questions,
        ),
        agent(EDITOR, words * 2, USUAL_SUMMARY, 1, 2),
        grounded::reader_calls(reply_tokens(&measure), reply_tokens(&measure), tries),
    ]
}
