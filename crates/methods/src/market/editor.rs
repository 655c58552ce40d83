//! The summary: sentences that are concluded from statements which hold already.

use ::grounding::check::Shown;

use super::clerk::Clerk;
use super::payload::Conclusion;
use super::replies::{Advice, Edited};
use crate::grounded::docket::plain;

/// What the editor's text came to.
pub(super) struct Summed {
    pub(super) title: String,
    pub(super) summary: Vec<Conclusion>,
    pub(super) open_questions: Vec<String>,
}

/// Enters the summary.
pub(super) fn entered(reply: &Edited, most: usize, clerk: &mut Clerk<'_, '_>) -> Summed {
    /// Characters of a title, at most.
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
    // A title says no number that nothing bears out.
    let shown = summary.iter().map(|one| one.statement.text.as_str());
    let shown = Shown::of(shown.chain([clerk.section_input().question]));
    let title = if shown.foreign_numbers(&title).is_empty() { title } else { String::new() };
    Summed { title, summary, open_questions: clerk.remarks(&reply.open_questions) }
}
