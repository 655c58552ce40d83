//! The report of `debate`: how it ended, then each turn with what was read for it, what was said, run and decided.

mod proposal;
mod turn;

use render::{Document, Line};
use serde::Deserialize as _;
use serde_json::Value;

use super::payload::{Debate, Ending};
use crate::report::{WentWrong, footer, list, ran_offline, sources, text, went_wrong};

/// Returns the report of what the method delivered; `None` if the run came to nothing that can be shown.
pub(crate) fn build(envelope: &Value) -> Option<Document> {
    let debate = Debate::deserialize(envelope.get("deliverable")?).ok()?;
    let mut report = Document { title: Some(text(envelope, "question").into()), blocks: vec![] };
    head(&mut report, envelope, &debate);
    if !debate.answer.trim().is_empty() {
        report.heading("Conclusion");
        report.paragraph(&debate.answer);
    }
    for turn in &debate.turns {
        turn::turn(&mut report, turn);
    }
    sources(&mut report, envelope, list(envelope, "citations"));
    if let Some(error) = envelope.get("error") {
        went_wrong(&mut report, &WentWrong::of(error));
    }
    footer(&mut report, envelope);
    Some(report)
}

fn head(report: &mut Document, envelope: &Value, debate: &Debate) {
    let cycles = debate.turns.iter().map(|turn| turn.cycle).max().unwrap_or_default();
    let cycles = match cycles {
        1 => format!("after 1 cycle of at most {}", debate.max_turns),
        many => format!("after {many} cycles of at most {}", debate.max_turns),
    };
    let (ended, how) = match debate.ending {
        Ending::Viable => (
            "Viable solution reached",
            format!(
                " {cycles}: the reviewer found the proposal viable, and its code passed its checks."
            ),
        ),
        Ending::MaxTurns => {
            ("No viable solution", format!(" {cycles}: the debate used all its turns."))
        }
        Ending::NoEvidence => ("No evidence found", ": there was nothing to debate.".to_owned()),
        Ending::Interrupted if envelope.get("error").is_some() => (
            "Stopped",
            format!(" {cycles}. What was said until then follows; the reason is at the end."),
        ),
        Ending::Interrupted => {
            ("Interrupted", format!(" {cycles}. What was said until then follows."))
        }
    };
    report.paragraph(Line::new().strong(ended).text(how));
    if ran_offline(envelope) {
        report.paragraph(
            "Offline: no model was asked. The scientists only quote what was found; nobody argued or judged.",
        );
    }
    if !debate.grounded && !debate.turns.is_empty() {
        report.paragraph(
            "Some sentences cited nothing, or failed the check against what they cite. They are left out.",
        );
    }
}
