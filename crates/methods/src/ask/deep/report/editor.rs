//! The editor's last pass: writes a summary that answers, from the sentences of the sections that hold, and cuts repetition.

use std::collections::{BTreeSet, HashSet};
use std::fmt::Write as _;

use run::evidence::Numbered;
use run::ledger::Verdict;
use run::material::Place;
use run::{Agent, Mode, Result};

use super::depth::Measure;
use super::outline::wanted;
use super::research::{Research, same_words};
use super::sections::Written;
use super::words_of;
use crate::ask::deep::Inquiry;
use crate::ask::deep::board::Board;
use crate::ask::deep::brief::Brief;
use crate::ask::extractive::Looked;
use crate::grounded::entry::{Form, Instead, Kind};
use crate::grounded::{self, Checked, Prose, Subject};

pub(super) const EDITOR: Agent = Agent {
    name: "report_editor",
    prompt: "ask/report_editor",
    text: include_str!("../../../../prompts/ask/report_editor.md"),
};

/// What stays open in an extractive report if no answer stands out.
const NO_SUMMARY: &str = "No sentence answers the whole question. Each section quotes what comes closest; choose a model to \
    have an answer written from it.";

/// The result of the editor.
pub(super) struct Edited {
    pub(super) draft: Prose,
    pub(super) summary: Checked,
    /// By section, the entries that are not shown.
    pub(super) cut: Vec<BTreeSet<usize>>,
}

/// A sentence of the report that holds.
struct Said<'a> {
    section: usize,
    entry: usize,
    /// Whether it is a cell, which stays even if it is said elsewhere.
    is_cell: bool,
    /// Whether it is the writer's own conclusion.
    is_conclusion: bool,
    words: &'a str,
    /// Number of words that are shown.
    length: usize,
    places: Vec<Place>,
}

impl Inquiry<'_> {
    /// Sums the report up and cuts what it says twice.
    pub(super) async fn edited(
        &self,
        brief: &Brief,
        sections: &[Written],
        research: &Research,
        board: &Board,
        open: &[String],
        measure: &Measure,
    ) -> Result<Edited> {
        let said = collect_statements(sections);
        let evidence = cited(&said, research);
        let (report, told) = (wanted(brief, measure), listed(&said, sections));
        let words = (measure.words / 6).clamp(100, 450);
        let length = words as usize + said.iter().map(|one| one.length).sum::<usize>();
        let too_many = self.above_ceiling(length);
        let open = open.join("\n");
        let call = || {
            let call = self.options.asking(self.run, &EDITOR, self.question);
            let call = if open.is_empty() { call } else { call.showing("What may be open", &open) };
            let call = match too_many {
                0 => call,
                words => call.given("Words that are too many", words.to_string()),
            };
            call.given("What the reader wants of the report", &report)
                .given("Words of the summary, at most", words.to_string())
                .showing("The report, sentence by sentence", &told)
        };
        let by_rule = || self.leading(&said, board, research);
        let asked = call().as_synthesis().even_if_unusable().offline(by_rule);
        let draft: Prose = asked.reply().await?;
        let subject = Subject {
            run: self.run,
            question: self.question,
            evidence: &evidence,
            // A statement out of its context is not a summary.
            answers: &|_| false,
            call: &call,
            unsupported: self.options.rules.unsupported,
        };
        let mut summary = grounded::check(&subject, &draft).await?;
        if !summary.holds() {
            summary = grounded::check(&subject, &self.leading(&said, board, research)).await?;
        }
        // An editor that would cut more has misread the task.
        let most = (said.len() / 3).max(said.len() * too_many * 3 / (length * 2).max(1));
        let cut = select_cuts(&draft, &said, sections.len(), most);
        Ok(Edited { draft, summary, cut })
    }

    /// Returns how many of `words` are above what the report may have; 0 if it is at most a tenth more.
    pub(super) fn above_ceiling(&self, words: usize) -> usize {
        let ceiling = self.options.rules.report.measure().words as usize;
        if words > ceiling + ceiling / 10 { words - ceiling } else { 0 }
    }

    /// Sums up without the editor: the statements that answer the question; else, if a model wrote the sections, the first that each cites.
    /// Without a model nothing says that those answer, and there is no summary.
    fn leading(&self, said: &[Said<'_>], board: &Board, research: &Research) -> Prose {
        /// Maximum statements.
        const MOST: usize = 6;
        let looked = Looked::with(board.language(), board.weights());
        let answer = looked.extract(self.question, &research.evidence, &self.options.rules).prose;
        if !answer.text.is_empty() {
            return Prose { open: vec![], ..answer };
        }
        if self.run.mode() == Mode::Offline {
            let open = if said.is_empty() { vec![] } else { vec![NO_SUMMARY.to_owned()] };
            return Prose { open, ..Prose::default() };
        }
        let mut addresses: Vec<String> = Vec::new();
        let mut sections = BTreeSet::new();
        for one in said {
            let Some(place) = one.places.first().filter(|_| sections.insert(one.section)) else {
                continue;
            };
            addresses.push(place.address());
        }
        addresses.truncate(MOST);
        Prose::quoting(&addresses)
    }
}

/// Returns the sentences of the sections that hold, in order.
fn collect_statements(sections: &[Written]) -> Vec<Said<'_>> {
    let mut said = Vec::new();
    for (section, written) in sections.iter().enumerate() {
        let entries = &written.checked.entries;
        for (entry, one) in entries.iter().enumerate().filter(|(_, one)| one.kind != Kind::Heading)
        {
            let mended = match &one.instead {
                Some(Instead::Mended(written)) => written.as_slice(),
                _ => &[],
            };
            let own = Some(one).filter(|one| one.holds());
            for one in own.into_iter().chain(mended) {
                let places = grounded::shown_places(one, entries);
                let is_cell = one.form != Form::Sentence;
                let is_conclusion = one.verdict == Verdict::Inferred;
                said.push(Said {
                    section,
                    entry,
                    is_cell,
                    is_conclusion,
                    words: &one.claim,
                    length: words_of(&one.words),
                    places,
                });
            }
        }
    }
    said
}

/// Returns the evidence that is cited, in the order of its numbers.
fn cited(said: &[Said<'_>], research: &Research) -> Vec<Numbered> {
    let numbers: BTreeSet<u32> =
        said.iter().flat_map(|one| &one.places).map(|place| place.evidence).collect();
    numbers.into_iter().filter_map(|number| research.evidence_of(number).cloned()).collect()
}

/// Lists the sentences of the report with their addresses, numbered, section by section.
fn listed(said: &[Said<'_>], sections: &[Written]) -> String {
    let mut page = String::new();
    let mut section = None;
    for (number, one) in (1..).zip(said) {
        if section != Some(one.section) {
            section = Some(one.section);
            let title = sections.get(one.section).map(|written| written.title.as_str());
            let _ = writeln!(page, "\n## {}\n", title.unwrap_or_default());
        }
        let addresses: Vec<String> = one.places.iter().map(|place| place.address()).collect();
        let arrow = if one.is_conclusion { "→ " } else { "" };
        let _ = writeln!(page, "{number}. {arrow}{} [{}]", one.words, addresses.join(", "));
    }
    page
}

/// Returns the entries that are not shown, by section: those that the editor wants cut, unless they are more than `most`, and sentences
/// that stand in the report already.
fn select_cuts(
    draft: &Prose,
    said: &[Said<'_>],
    sections: usize,
    most: usize,
) -> Vec<BTreeSet<usize>> {
    let wanted: BTreeSet<usize> = draft
        .cut
        .iter()
        .flat_map(|line| line.split(|c: char| !c.is_ascii_digit()))
        .filter_map(|number| number.parse::<usize>().ok()?.checked_sub(1))
        .collect();
    let wanted = if wanted.len() > most { BTreeSet::new() } else { wanted };
    let mut cut = vec![BTreeSet::new(); sections];
    let mut known: HashSet<String> = HashSet::new();
    for (number, one) in said.iter().enumerate() {
        let words = same_words(one.words);
        let is_known = !words.is_empty() && !known.insert(words);
        if let Some(section) = cut.get_mut(one.section)
            && !one.is_cell
            && (is_known || wanted.contains(&number))
        {
            section.insert(one.entry);
        }
    }
    cut
}
