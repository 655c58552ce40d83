//! Which statement leads into which.

use std::collections::HashMap;

use text::{Block, find_leads, is_emphasised, is_in_quotation};

use super::{Form, Statement};

/// Adds to each statement what leads into it, and whether it is quoted.
pub(super) fn add(text: &str, blocks: &[Block], statements: &mut [Statement]) {
    let of_blocks = find_leads(text, blocks);
    // The first and the last statement of each block.
    let mut ends: HashMap<usize, (usize, usize)> = HashMap::new();
    for (index, one) in statements.iter().enumerate() {
        ends.entry(one.block).or_insert((index, index)).1 = index;
    }
    let written = |one: &Statement| text.get(one.span.clone()).unwrap_or_default();
    let mut labels: HashMap<usize, bool> = HashMap::new();
    let mut quoting: HashMap<usize, bool> = HashMap::new();
    for index in 0..statements.len() {
        let Some(one) = statements.get(index) else { continue };
        let may_be_quoted = *quoting.entry(one.block).or_insert_with(|| {
            let block = blocks.get(one.block).and_then(|block| text.get(block.lines.clone()));
            block.is_some_and(|block| block.contains('>') && !is_notice(block))
        });
        let is_quoted = may_be_quoted
            && matches!(one.form, Form::Sentence | Form::Item)
            && is_in_quotation(text, one.span.start);
        let first = ends.get(&one.block).map_or(index, |(first, _)| *first);
        let opening = statements.get(first).filter(|_| first < index);
        let is_labelled = opening.is_some_and(|opening| {
            let is_item = opening.form == Form::Item;
            *labels.entry(first).or_insert_with(|| is_label(written(opening), is_item))
        });
        // Who wrote what is quoted may stand right before it, without a blank line between.
        let names_author = |opening: &&Statement| {
            is_quoted && !opening.is_quoted && introduces_quotation(written(opening))
        };
        let lead = if is_labelled || opening.is_some_and(|opening| names_author(&opening)) {
            Some(first)
        } else {
            let of_block = |block: &usize| of_blocks.get(*block).copied().flatten();
            let mut above = std::iter::successors(of_block(&one.block), of_block);
            above.find_map(|block| ends.get(&block)).map(|(_, last)| *last)
        };
        if let Some(one) = statements.get_mut(index) {
            (one.lead, one.is_quoted) = (lead, is_quoted);
        }
    }
}

/// Returns whether a block with `>` before its lines is a notice of its author's own: `> **Note:** …`, `> [!WARNING] …`.
fn is_notice(block: &str) -> bool {
    let inner = block.trim_start_matches(['>', ' ']);
    ["**", "__", "[!"].iter().any(|mark| inner.starts_with(mark))
}

/// Returns whether a sentence has a line that ends with a colon before one that is quoted.
fn introduces_quotation(sentence: &str) -> bool {
    let lines = sentence.lines().zip(sentence.lines().skip(1));
    let mut pairs = lines.map(|(one, next)| (one.trim_end(), next.trim_start()));
    pairs.any(|(one, next)| one.ends_with([':', '：']) && next.starts_with('>'))
}

/// Returns whether the first sentence of a block is a label of those after it: emphasised, or of an item also a question, a few words, or
/// what begins with a few words and a colon.
fn is_label(sentence: &str, is_item: bool) -> bool {
    /// More words say something.
    const MOST_WORDS: usize = 4;
    let is_few = |words: &str| text::words(words).nth(MOST_WORDS).is_none();
    if is_emphasised(sentence) || begins_with_label(sentence) {
        return true;
    }
    let key = sentence.split_once([':', '：']).filter(|(_, said)| !said.trim().is_empty());
    is_item
        && (sentence.ends_with(['?', '？', '؟'])
            || is_few(sentence) && !sentence.contains(text::is_unspaced)
            || key.is_some_and(|(key, _)| is_few(key)))
}

/// Returns whether a text begins with emphasised words and a colon.
fn begins_with_label(text: &str) -> bool {
    ["**", "__", "*", "_"].iter().any(|mark| {
        let inner = text.strip_prefix(mark).and_then(|rest| rest.split_once(mark));
        inner.is_some_and(|(label, behind)| {
            let has_colon = label.ends_with([':', '：']) || behind.starts_with([':', '：']);
            has_colon && label.contains(char::is_alphanumeric)
        })
    })
}
