//! A hypothesis in the form of a scholastic *quaestio*: the question, the objections, "on the contrary", the answer, the replies.
//!
//! `composed` renders blocks, `faults` lists what a model's own rendering lacks, and `marked_sentences` finds the sentences that cite, so
//! that each can be checked. The form is that of an article of Thomas Aquinas' *Summa theologiae*.

mod label;
mod marked;
mod reading;

use std::fmt::Write as _;

pub(super) use marked::{marked_sentences, remarked};
pub(super) use reading::faults;
pub use reading::read;

/// Minimum number of objections in a block.
pub(super) const FEWEST_OBJECTIONS: usize = 3;

/// One *quaestio*, each text on one line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// Begins with "Whether", by custom.
    pub question: String,
    /// The text after "On the contrary,".
    pub contrary: String,
    /// The text after "I answer that".
    pub answer: String,
    /// Each objection with its reply.
    pub contested: Vec<(String, String)>,
}

/// Returns the rendering of `blocks`, separated by lines `---`.
///
/// If no text is empty and each block has at least three objections, [`read`] finds the same blocks in it, whatever the texts contain: each
/// text is on one line after the mark of its part, without a leading mark, heading or bullet of its own.
pub(super) fn composed(blocks: &[Block]) -> String {
    let written: Vec<String> = blocks.iter().map(one).collect();
    written.join("\n---\n\n")
}

fn one(block: &Block) -> String {
    let mut page = String::new();
    let _ = writeln!(page, "Question: {}\n\nObjections:", plain(&block.question));
    for (index, (objection, _)) in block.contested.iter().enumerate() {
        let _ = writeln!(page, "{}. {}", index + 1, plain(objection));
    }
    let _ = writeln!(page, "\nOn the contrary, {}", plain(&block.contrary));
    let _ = writeln!(page, "\nI answer that {}", plain(&block.answer));
    page.push_str("\nReplies to objections:\n");
    for (index, (_, reply)) in block.contested.iter().enumerate() {
        let _ = writeln!(page, "Reply to Objection {}. {}", index + 1, plain(reply));
    }
    page
}

/// Returns `text` on one line, of any length, without a beginning that would read as a new part.
fn plain(text: &str) -> String {
    let line = on_one_line(text);
    let mut rest = line.as_str();
    loop {
        let bare = label::without_lead(rest);
        let shorter = match label::label(bare) {
            Some(found) if found.sure => bare.get(found.text).unwrap_or_default(),
            _ => bare,
        };
        // A text that consists of nothing but marks is still a text.
        if shorter.is_empty() || shorter.len() == rest.len() {
            return rest.to_owned();
        }
        rest = shorter;
    }
}

/// Unlike [`run::ledger::one_line`], does not truncate.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
