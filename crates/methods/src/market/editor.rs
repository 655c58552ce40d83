//! The summary: sentences concluded from statements that already hold.

use ::grounding::check::Shown;

use super::clerk::Clerk;
use super::payload::Conclusion;
use super::replies::{Advice, Edited};
use crate::grounded::docket::plain;

/// The outcome of the editor's reply.
pub(super) struct Summed {
    pub(super) title: String,
    pub(super) summary: Vec<Conclusion>,
    pub(super) open_questions: Vec<String>,
}

/// Enters the summary.
pub(super) fn entered(reply: &Edited, most: usize, clerk: &mut Clerk<'_, '_>) -> Summed {
    /// Maximum number of characters in a title.
    const LONGEST_TITLE: usize = 200;
    let mut summary: Vec<Conclusion> = Vec::new();
    for Advice { text, rests_on } in reply.summary.iter().take(most) {
        let text = plain(text);
        if text.is_empty() || summary.iter().any(|known| known.statement.text == text) {
            continue;
        }
        if let Some((statement, rests_on)) = clerk.concluded(&text, rests_on) {
            summary.push(Conclusion { statement, rests_on });
        }
    }
    let title: String = plain(&reply.title).chars().take(LONGEST_TITLE).collect();
    // A title with an unsupported number is dropped.
    let shown = summary.iter().map(|one| one.statement.text.as_str());
    let shown = Shown::of(shown.chain([clerk.section_input().question]));
    let title = if shown.foreign_numbers(&title).is_empty() { title } else { String::new() };
    Summed { title, summary, open_questions: clerk.remarks(&reply.open_questions) }
}
