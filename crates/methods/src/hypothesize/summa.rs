//! A hypothesis in the form of a scholastic *quaestio*: the question, what speaks against it, on the contrary, the answer, the
//! replies.
//!
//! `composed` writes one from the hypotheses themselves, `faults` tells what a model's own rendering lacks, and
//! `marked_sentences` finds the sentences in it that cite, so that each can be checked.
//! The form is that of an article of Thomas Aquinas' *Summa theologiae*.

mod label;
mod marked;
mod reading;

use std::fmt::Write as _;

pub(super) use marked::{marked_sentences, remarked};
pub(super) use reading::faults;
pub use reading::read;

/// Objections that a block has at least.
pub(super) const FEWEST_OBJECTIONS: usize = 3;

/// One *quaestio*, each text on one line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Block {
    /// Begins with "Whether", by custom.
    pub question: String,
    /// What stands behind "On the contrary,".
    pub contrary: String,
    /// What stands behind "I answer that".
    pub answer: String,
    /// Each objection with its reply.
    pub contested: Vec<(String, String)>,
}

/// Returns the rendering of `blocks`, parted by lines `---`.
///
/// Where no text is empty and each block has three objections or more, [`read`] finds the same blocks in it, whatever the texts hold:
/// each stands on one line behind the mark of its part, without a mark, heading or bullet of its own in front.
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

/// Returns `text` on one line, however long, without what would read as the beginning of a part.
fn plain(text: &str) -> String {
    let line = on_one_line(text);
    let mut rest = line.as_str();
    loop {
        let bare = label::without_lead(rest);
        let shorter = match label::label(bare) {
            Some(found) if found.sure => bare.get(found.text).unwrap_or_default(),
            _ => bare,
        };
        // A text that is nothing but marks is still a text.
        if shorter.is_empty() || shorter.len() == rest.len() {
            return rest.to_owned();
        }
        rest = shorter;
    }
}

/// Unlike [`run::ledger::one_line`], cuts nothing off.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
