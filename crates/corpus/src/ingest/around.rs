//! What a chunk's text needs from above it: the terms that it defines, and what leads into the list that it begins within.

use std::ops::Range;

use text::{Block, Kind, find_leads, sentences_of, split_blocks};

/// The blocks of a document, and what leads into each.
pub(super) struct Around<'a> {
    text: &'a str,
    blocks: Vec<Block>,
    leads: Vec<Option<usize>>,
}

impl<'a> Around<'a> {
    pub(super) fn of(text: &'a str) -> Around<'a> {
        let blocks = split_blocks(text);
        let leads = find_leads(text, &blocks);
        Around { text, blocks, leads }
    }

    /// Returns the terms being defined where a chunk begins, outermost first: those that stand before it.
    pub(super) fn terms(&self, at: usize) -> Vec<String> {
        let mut around = Vec::new();
        let mut term = self.blocks.get(self.begun(at)).and_then(|block| block.term);
        while let Some(block) = term.and_then(|term| self.blocks.get(term)) {
            if block.lines.start < at {
                around.push(self.written(block).to_owned());
            }
            term = block.term;
        }
        around.reverse();
        around
    }

    /// Returns what leads into the list that a chunk begins within, outermost first, each part with a colon behind it; empty if the chunk
    /// begins with anything else. Only what leads into all of the list's items in the chunk is among it.
    pub(super) fn leads(&self, chunk: Range<usize>) -> Vec<String> {
        let begun = self.begun(chunk.start);
        let blocks = self.blocks.iter().enumerate().skip(begun);
        let mut items = blocks
            .take_while(|(_, block)| block.kind == Kind::Item && block.lines.start < chunk.end)
            .map(|(index, _)| self.leads_before(index, chunk.start));
        let Some(first) = items.next() else { return vec![] };
        let common = items.fold(first, |mut common, leads| {
            let same = common.iter().zip(&leads).take_while(|(one, other)| one == other).count();
            common.truncate(same);
            common
        });
        let last_sentence = |block: &Block| {
            let last = sentences_of(self.text, block.span.clone()).pop()?;
            self.text.get(last)
        };
        let told = common.into_iter().filter_map(|lead| self.blocks.get(lead));
        let told = told.filter_map(last_sentence).map(|sentence| {
            let words = sentence.split_whitespace().filter(|word| *word != ">");
            let line = words.collect::<Vec<_>>().join(" ").replace("**", "").replace("__", "");
            line.trim_end_matches([' ', ':', '：', '.']).to_owned()
        });
        told.filter(|told| !told.is_empty()).map(|told| told + ":").collect()
    }

    /// Returns the blocks that lead into a block and stand before a byte of the text, outermost first.
    fn leads_before(&self, index: usize, at: usize) -> Vec<usize> {
        let lead = |index: &usize| self.leads.get(*index).copied().flatten();
        let is_before =
            |index: &usize| self.blocks.get(*index).is_some_and(|block| block.lines.start < at);
        let mut leads: Vec<usize> =
            std::iter::successors(lead(&index), lead).filter(is_before).collect();
        leads.reverse();
        leads
    }

    /// Returns the index of the block that stands at a byte of the text, or of the next one.
    fn begun(&self, at: usize) -> usize {
        self.blocks.partition_point(|block| block.lines.end <= at)
    }

    fn written(&self, block: &Block) -> &str {
        self.text.get(block.span.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C10, B9
    #[test]
    fn a_chunk_that_begins_within_a_list_knows_what_leads_into_it() {
        let text = "Read this. Guests **may not:**\n\n- light fires\n- keep pets\n  - dogs\n  - cats\n- shout\n\nBreakfast is at 8.\n";
        let around = Around::of(text);
        let leads = |from: &str, to: &str| {
            let end = text.find(to).unwrap() + to.len();
            around.leads(text.find(from).unwrap()..end)
        };
        assert_eq!(leads("- keep", "8."), ["Guests may not:"]);
        assert_eq!(leads("- cats", "- cats"), ["Guests may not:", "keep pets:"]);
        assert_eq!(leads("- cats", "shout"), ["Guests may not:"]);
        assert!(leads("Breakfast", "8.").is_empty());
        assert!(leads("Read", "8.").is_empty());
    }
}
