//! What a check found, sentence by sentence: unsupported ones first.

use render::{Block, Document, Line};
use serde_json::Value;

use crate::report::{count, footer, list, text, verdicts};

/// Returns the report of a check that came to its end.
pub(crate) fn build(envelope: &Value) -> Option<Document> {
    let sentences = envelope.get("deliverable")?.get("sentences")?.as_array()?;
    let is_failed = |sentence: &&Value| text(sentence, "verdict") == "unsupported";
    let (failed, others): (Vec<&Value>, Vec<&Value>) = sentences.iter().partition(is_failed);
    let mut report = Document::default();
    let all = sentences.len();
    report.paragraph(match failed.len() {
        0 => format!("None of {} is unsupported.", count(all as u64, "sentence", "sentences")),
        1 => format!("1 of {} is unsupported.", count(all as u64, "sentence", "sentences")),
        several => format!("{several} of {all} sentences are unsupported."),
    });
    for (heading, sentences) in [("Unsupported", failed), ("The other sentences", others)] {
        if !sentences.is_empty() {
            report.heading(heading);
        }
        report.blocks.extend(sentences.into_iter().map(sentence));
    }
    footer(&mut report, envelope);
    Some(report)
}

/// Returns a sentence with its verdict, its faults and what it was checked against.
fn sentence(sentence: &Value) -> Block {
    let (id, claim) = (text(sentence, "id"), text(sentence, "claim"));
    let verdict = text(sentence, "verdict");
    let sign = verdicts::find_sign(verdict).map_or(String::new(), |sign| format!("{} ", sign.sign));
    let mut lines = vec![
        Line::new().strong(id).text(format!(" {claim}")),
        format!("{sign}{verdict}: {}", verdicts::says(verdict)).into(),
    ];
    lines.extend(verdicts::faults(sentence).into_iter().map(|fault| format!("- {fault}").into()));
    lines.extend(list(sentence, "statements").iter().map(|statement| {
        let (uri, quote) = (text(statement, "source_uri"), text(statement, "quote"));
        format!("{uri}: \"{quote}\"").into()
    }));
    Block::Hanging(lines)
}
