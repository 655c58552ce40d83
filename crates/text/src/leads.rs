//! What leads into a block: the paragraph above a list, the item around a nested one, the line before a quotation.

use crate::blocks::{Block, Kind};
use crate::terms::words;

/// Returns for each block the index of the block that leads into it, which stands before it. Leads of leads lead into it as well.
///
/// - Into the items of a list leads the paragraph right above it that ends with a colon, a question mark or no stop at all; if the items
///   have no stops themselves, any short paragraph does. Into nested items, and into what else stands within an item, leads that item.
/// - Into a table or a block of code leads such a paragraph, and into a paragraph one that ends with a colon.
/// - Into a quotation leads the line before it that ends with a colon.
/// - A line that is bold as a whole leads into all that has no other lead, up to the next such line or heading.
///
/// ```
/// use text::{find_leads, split_blocks};
///
/// let text = "Guests may not:\n\n- light fires\n- keep\n  - dogs\n\nBreakfast is at 8.";
/// let blocks = split_blocks(text);
/// assert_eq!(find_leads(text, &blocks), [None, Some(0), Some(0), Some(2), None]);
/// ```
pub fn find_leads(text: &str, blocks: &[Block]) -> Vec<Option<usize>> {
    let mut reader = Reader { text, blocks, ..Reader::default() };
    for (index, block) in blocks.iter().enumerate() {
        let lead = reader.find(index, block);
        reader.found.push(lead);
    }
    reader.found
}

/// Returns whether the line on which a byte of a text stands is quoted, with a `>` before it.
pub fn is_in_quotation(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    text.get(line..).is_some_and(|line| line.trim_start_matches([' ', '\t']).starts_with('>'))
}

/// Returns whether a text is emphasised from its beginning to its end: `**Not allowed**`, `__Not allowed:__`, `*Not allowed*.`
pub fn is_emphasised(text: &str) -> bool {
    /// A longer text says something.
    const MOST_WORDS: usize = 12;
    let inner = text.trim().trim_end_matches([':', '：', '.', '!', '?']);
    let is_whole = |mark: &str| {
        let body = inner.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark));
        body.is_some_and(|body| !body.contains(['*', '_']) && body.contains(char::is_alphanumeric))
    };
    ["**", "__", "*", "_"].into_iter().any(is_whole) && words(inner).nth(MOST_WORDS).is_none()
}

/// How a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Colon,
    /// With a question mark, or without a stop.
    Open,
    Stop,
}

fn ending(text: &str) -> Ending {
    const CLOSERS: [char; 14] =
        ['*', '_', '`', '"', '\'', '”', '’', '»', '“', ')', ']', '）', '」', '』'];
    let bare = text.trim_end_matches(|c: char| c.is_whitespace() || CLOSERS.contains(&c));
    match bare.chars().next_back() {
        Some(':' | '：') => Ending::Colon,
        Some('.' | '!' | '…' | '。' | '！' | '｡' | '．' | '।' | '॥' | '۔' | '։' | '።') => {
            Ending::Stop
        }
        _ => Ending::Open,
    }
}

/// An open item of a list.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// The columns before its marker.
    inward: usize,
    /// The index of its block.
    block: usize,
    number: Option<u32>,
}

#[derive(Default)]
struct Reader<'a> {
    text: &'a str,
    blocks: &'a [Block],
    found: Vec<Option<usize>>,
    /// The items that the next block may belong to, outermost first.
    open: Vec<Open>,
    /// The last item of a list that a paragraph has ended.
    ended: Option<Open>,
    /// The line above that is bold as a whole.
    bold: Option<usize>,
}

impl Reader<'_> {
    fn find(&mut self, index: usize, block: &Block) -> Option<usize> {
        let lead = match block.kind {
            Kind::Heading(_) => {
                self.open.clear();
                (self.ended, self.bold) = (None, None);
                return None;
            }
            Kind::Term => {
                self.open.clear();
                return None;
            }
            Kind::Item => self.find_of_item(index, block),
            Kind::Paragraph => self.find_of_paragraph(index, block),
            Kind::Row { .. } => match self.before(index) {
                Some(above) if matches!(above.kind, Kind::Row { .. }) && !block.is_head => {
                    self.of(index - 1)
                }
                _ => self.above(index, Ending::Open).or_else(|| self.around(block)),
            },
            Kind::Code => match self.before(index) {
                Some(above) if above.kind == Kind::Code => self.of(index - 1),
                _ => self.above(index, Ending::Open).or_else(|| self.around(block)),
            },
        };
        let written = self.written(block);
        let is_bold = written.starts_with("**") || written.starts_with("__");
        if block.kind == Kind::Paragraph
            && is_bold
            && self.open.is_empty()
            && is_emphasised(written)
        {
            self.bold = Some(index);
            return lead;
        }
        lead.or(self.bold)
    }

    fn find_of_item(&mut self, index: usize, block: &Block) -> Option<usize> {
        /// Items of one list may stand a column apart.
        const APART: usize = 1;
        let own = Open { inward: self.inward(block), block: index, number: self.number(block) };
        while self.open.last().is_some_and(|last| last.inward > own.inward + APART) {
            self.open.pop();
        }
        let lead = match self.open.last().copied() {
            Some(sibling) if sibling.inward + APART >= own.inward => {
                self.open.pop();
                self.of(sibling.block)
            }
            Some(parent) => self.above_list(index, block).or(Some(parent.block)),
            None => {
                let goes_on = |ended: &Open| {
                    let next = ended.number.and_then(|number| number.checked_add(1));
                    ended.inward.abs_diff(own.inward) <= APART
                        && next.is_some()
                        && next == own.number
                };
                match self.ended.filter(goes_on) {
                    Some(ended) => self.of(ended.block),
                    None => self.above_list(index, block),
                }
            }
        };
        self.open.push(own);
        lead
    }

    fn find_of_paragraph(&mut self, index: usize, block: &Block) -> Option<usize> {
        let above = index.checked_sub(1).and_then(|above| Some((above, self.blocks.get(above)?)));
        if let Some((above, first)) = above.filter(|(_, above)| self.are_entries(above, block)) {
            let before = above.checked_sub(1).and_then(|before| self.blocks.get(before));
            let is_first = before.is_none_or(|before| !self.are_entries(before, first));
            let leads = is_first && ending(self.written(first)) == Ending::Colon;
            return if leads { Some(above) } else { self.of(above) };
        }
        let inward = self.inward(block);
        while let Some(last) = self.open.pop_if(|last| last.inward >= inward) {
            self.ended = Some(last);
        }
        let is_quoted = |block: &Block| is_in_quotation(self.text, block.span.start);
        if is_quoted(block)
            && let Some((above, _)) =
                above.filter(|(_, above)| above.kind == Kind::Paragraph && is_quoted(above))
        {
            return self.of(above);
        }
        let is_list = self.blocks.get(index + 1).is_some_and(|next| self.are_entries(block, next));
        let least = if is_list { Ending::Open } else { Ending::Colon };
        self.above(index, least).or_else(|| self.around(block))
    }

    /// Returns whether two blocks are consecutive entries of a list without marks: paragraphs without a blank line between.
    fn are_entries(&self, one: &Block, next: &Block) -> bool {
        let gap = || self.text.get(one.lines.end..next.lines.start).unwrap_or_default();
        one.kind == Kind::Paragraph
            && next.kind == Kind::Paragraph
            && (one.lines == next.lines || gap().matches('\n').count() == 1)
    }

    /// Returns the block right above if it ends with a colon or, with `Open`, if it is a paragraph that ends without a stop.
    fn above(&self, index: usize, least: Ending) -> Option<usize> {
        let above = self.before(index)?;
        let ends = ending(self.written(above));
        let leads = match above.kind {
            Kind::Paragraph => ends == Ending::Colon || ends == least,
            Kind::Item => ends == Ending::Colon,
            _ => false,
        };
        leads.then(|| index - 1)
    }

    /// Returns the paragraph right above a list that leads into it. `first`: the first item of the list.
    fn above_list(&self, index: usize, first: &Block) -> Option<usize> {
        /// A longer paragraph is read without the list below it.
        const MOST_WORDS: usize = 25;
        let above = self.before(index).filter(|above| above.kind == Kind::Paragraph)?;
        // Within an item, only its own paragraphs.
        let is_beside = self.open.last().is_none_or(|parent| self.inward(above) > parent.inward);
        let written = self.written(above);
        let leads = ending(written) != Ending::Stop
            || ending(self.written(first)) != Ending::Stop
                && words(written).nth(MOST_WORDS).is_none();
        (is_beside && leads).then(|| index - 1)
    }

    /// Returns the innermost item that a block stands within.
    fn around(&self, block: &Block) -> Option<usize> {
        let inward = self.inward(block);
        let item = self.open.iter().rev().find(|item| item.inward < inward)?;
        Some(item.block)
    }

    fn before(&self, index: usize) -> Option<&Block> {
        self.blocks.get(index.checked_sub(1)?)
    }

    fn of(&self, index: usize) -> Option<usize> {
        self.found.get(index).copied().flatten()
    }

    fn written(&self, block: &Block) -> &str {
        self.text.get(block.span.clone()).unwrap_or_default()
    }

    /// Returns the columns before a block's lines.
    fn inward(&self, block: &Block) -> usize {
        const TAB: usize = 4;
        let before = self.text.get(..block.lines.start).unwrap_or_default();
        let indent = before.rsplit('\n').next().unwrap_or_default();
        indent.chars().map(|c| if c == '\t' { TAB } else { 1 }).sum()
    }

    /// Returns the number of a list item.
    fn number(&self, block: &Block) -> Option<u32> {
        let mark = self.text.get(block.lines.start..block.span.start)?.trim();
        mark.trim_end_matches(['.', ')']).parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::split_blocks;

    /// Checks the leads of the block with these words, innermost first.
    fn check(text: &str, words: &str, expected: &[&str]) {
        let blocks = split_blocks(text);
        let leads = find_leads(text, &blocks);
        let said = |index: usize| &text[blocks[index].span.clone()];
        let mut at = (0..blocks.len()).find(|index| said(*index).contains(words)).unwrap();
        let mut found = Vec::new();
        while let Some(lead) = leads[at] {
            found.push(said(lead));
            at = lead;
        }
        assert_eq!(found, expected, "{words:?} of {text:?}");
    }

    // proves: C10
    #[test]
    fn a_list_is_led_into_by_what_stands_right_above_it() {
        let list = "- light fires\n- keep dogs";
        for lead in [
            "Guests may not:",
            "**Guests may not:**",
            "Not allowed",
            "What is forbidden?",
            "不允许：",
        ] {
            for gap in ["\n", "\n\n"] {
                check(&format!("Welcome.\n\n{lead}{gap}{list}\n"), "keep dogs", &[lead]);
            }
        }
        check(
            "These are forbidden.\n\n- light fires\n- keep dogs",
            "dogs",
            &["These are forbidden."],
        );
        check("We met on Monday.\n\n- Anna spoke.\n- The budget stands.", "budget", &[]);
        check("# Not allowed\n\n- light fires\n- keep dogs", "dogs", &[]);
        check("Guests may not:\n\n- light fires\n\nBreakfast is at 8.", "Breakfast", &[]);
        check("Fires:\n\n1. never\n\nThey burn.\n\n2. nowhere", "nowhere", &["Fires:"]);
        check("Hours:\n\nMon: 9\nTue: 9\nWed: never", "Wed", &["Hours:"]);
        check("Hours:\nMon: 9\nTue: 9\nWed: never", "Wed", &["Hours:"]);
    }

    // proves: C10
    #[test]
    fn what_stands_within_an_item_is_led_into_by_it() {
        let text = "Not allowed:\n\n1. Pets\n   - dogs\n   - cats\n\n   They bite.\n2. Fires\n\n   Not even:\n\n   * candles\n\n   ```\n   a\n   ```\n";
        check(text, "cats", &["Pets", "Not allowed:"]);
        check(text, "bite", &["Pets", "Not allowed:"]);
        check(text, "Fires", &["Not allowed:"]);
        check(text, "candles", &["Not even:", "Fires", "Not allowed:"]);
    }

    // proves: C10
    #[test]
    fn tables_code_quotations_and_what_follows_a_colon_are_led_into() {
        check("Never run:\n\n```\nrm -rf /\n```", "rm", &["Never run:"]);
        check(
            "Refused offers\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
            "| 3",
            &["Refused offers"],
        );
        check("It is untrue:\n\nThe sun is cold. It is.\n\nNext.", "cold", &["It is untrue:"]);
        check("It is untrue:\n\nThe sun is cold.\n\nNext.", "Next", &[]);
        check("Ann wrote:\n\n> It rains.\n>\n\n> It snows.\n\nNo.", "snows", &["Ann wrote:"]);
        check("Ann wrote:\n\n> It rains.\n\nNo.", "No.", &[]);
    }

    // proves: C10
    #[test]
    fn a_bold_line_leads_as_a_heading_does() {
        let text = "**Rejected**\n\nA bridge.\n\nWe saw:\n\n- a road\n\n**Agreed:**\n\nA path.\n\n# End\n\nBye.";
        check(text, "bridge", &["**Rejected**"]);
        check(text, "road", &["We saw:", "**Rejected**"]);
        check(text, "path", &["**Agreed:**"]);
        check(text, "Bye", &[]);
        check("*Ann Lee*\n\nIt rains.", "rains", &[]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C10
        #[test]
        fn what_leads_into_a_block_stands_before_it(text in "(?s)([-*>#|`: \n]|1\\. |  - |\\*\\*a\\*\\*|[a-c.?]|\t){0,60}") {
            let blocks = split_blocks(&text);
            let leads = find_leads(&text, &blocks);
            prop_assert_eq!(leads.len(), blocks.len());
            prop_assert!(leads.iter().enumerate().all(|(index, lead)| lead.is_none_or(|lead| lead < index)));
        }
    }
}
