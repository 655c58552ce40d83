//! Statements: the units of a source that can be cited, split by the program.
//!
//! A sentence, a heading, a list item's sentence, a table row and a code block are statements. Each has its span, so an
//! [address](crate::address) determines quote, bytes and digest by construction, and nothing can be miscopied.
//!
//! ```
//! use grounding::statement::statements;
//!
//! let text = "# Tides\n\nThey come twice a day. They follow the moon.\n\n| Port | Metres |\n|---|---|\n| Brest | 6.9 |\n";
//! let cut: Vec<&str> = statements(text).into_iter().map(|one| &text[one.span]).collect();
//! assert_eq!(cut, ["Tides", "They come twice a day.", "They follow the moon.", "| Brest | 6.9 |"]);
//! ```

use std::collections::HashMap;
use std::ops::Range;

use text::{Block, Kind, sentences_of, split_blocks};

mod above;
mod leads;

pub use above::Above;

/// The form of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    Sentence,
    /// A heading, with its level, 1 to 6, or [`TERM`] for a term that is defined below it.
    Heading(u8),
    /// A sentence of a list item.
    Item,
    /// A row of a table. The head row is not a statement; it belongs to every row below it.
    Row,
    /// A code block, which stays whole.
    Code,
}

/// The level of a term that the statements below it define.
pub const TERM: u8 = 7;

/// A statement of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    pub form: Form,
    /// The byte range in the source's text.
    pub span: Range<usize>,
    /// The byte range of its block's lines, including marks.
    pub lines: Range<usize>,
    /// The number of its block in the source; statements of one paragraph or list item share it.
    pub block: usize,
    /// The byte range of its table's head row.
    pub head: Option<Range<usize>>,
    /// The index of the nearest heading that it is under.
    pub heading: Option<usize>,
    /// The index of the statement that leads into it, without which it may mean something else: the line above its list or quotation, the
    /// item that it stands within, the label at the beginning of its item.
    pub lead: Option<usize>,
    /// Whether it is quoted in its source, with a `>` before its line, and so may be somebody else's.
    pub is_quoted: bool,
}

impl Statement {
    fn new(form: Form, span: Range<usize>, block: (usize, &Block), heading: Option<usize>) -> Self {
        let (block, lines) = (block.0, block.1.lines.clone());
        Statement { form, span, lines, block, head: None, heading, lead: None, is_quoted: false }
    }
}

/// Returns the statements of a text, in order; they do not overlap, and none is empty.
pub fn statements(text: &str) -> Vec<Statement> {
    let found_blocks = split_blocks(text);
    let mut found: Vec<Statement> = Vec::new();
    // The open headings, with level and index.
    let mut open: Vec<(u8, usize)> = Vec::new();
    // The index of each term's statement, by its block.
    let mut terms: HashMap<usize, usize> = HashMap::new();
    for (block, found_block) in found_blocks.iter().enumerate() {
        let term = found_block.term.and_then(|term| terms.get(&term).copied());
        let heading = term.or_else(|| open.last().map(|(_, index)| *index));
        let mut add = |form, span: Range<usize>, head: Option<Range<usize>>| {
            let written = text.get(span.clone()).unwrap_or_default();
            if written.chars().any(char::is_alphanumeric) {
                let new = Statement::new(form, span, (block, found_block), heading);
                found.push(Statement { head, ..new });
            }
        };
        match found_block.kind {
            Kind::Heading(level) => {
                while open.last().is_some_and(|(above, _)| *above >= level) {
                    open.pop();
                }
                let heading = open.last().map(|(_, index)| *index);
                let span = found_block.span.clone();
                if text
                    .get(span.clone())
                    .is_some_and(|line| line.chars().any(char::is_alphanumeric))
                {
                    open.push((level, found.len()));
                    let form = Form::Heading(level);
                    found.push(Statement::new(form, span, (block, found_block), heading));
                }
            }
            Kind::Term => {
                add(Form::Heading(TERM), found_block.span.clone(), None);
                if found.last().is_some_and(|last| last.block == block) {
                    terms.insert(block, found.len() - 1);
                }
            }
            Kind::Row { .. } if found_block.is_head => {}
            Kind::Row { head } => {
                let head = head.and_then(|index| found_blocks.get(index));
                add(Form::Row, found_block.span.clone(), head.map(|head| head.span.clone()));
            }
            Kind::Code => add(Form::Code, found_block.span.clone(), None),
            Kind::Paragraph | Kind::Item => {
                let form = if found_block.kind == Kind::Item { Form::Item } else { Form::Sentence };
                for sentence in sentences_of(text, found_block.span.clone()) {
                    add(form, unquoted(text, sentence), None);
                }
            }
        }
    }
    leads::add(text, &found_blocks, &mut found);
    found
}

/// Strips the `>` of a block quote before a sentence.
fn unquoted(text: &str, sentence: Range<usize>) -> Range<usize> {
    let written = text.get(sentence.clone()).unwrap_or_default();
    let inner = written.trim_start_matches(['>', ' ']);
    let start = sentence.end - inner.len();
    if inner.len() < written.len() && written.starts_with('>') {
        start..sentence.end
    } else {
        sentence
    }
}

/// A text and its statements.
#[derive(Debug, Clone)]
pub struct Source<'a> {
    pub text: &'a str,
    pub statements: Vec<Statement>,
}

impl<'a> Source<'a> {
    pub fn of(text: &'a str) -> Source<'a> {
        Source { text, statements: statements(text) }
    }

    /// Returns the text from the `first` to the `last` statement, both counted from 0, or `None` if there are no such statements.
    pub fn run(&self, first: usize, last: usize) -> Option<&'a str> {
        self.text.get(self.span(first, last)?)
    }

    /// Returns the byte range from the `first` to the `last` statement.
    pub fn span(&self, first: usize, last: usize) -> Option<Range<usize>> {
        let (first, last) = (self.statements.get(first)?, self.statements.get(last)?);
        (first.span.start < last.span.end).then_some(first.span.start..last.span.end)
    }

    /// Returns the text around statements: their paragraphs, and the statements before and after them.
    ///
    /// Omits surrounding tables and code.
    pub fn around(&self, first: usize, last: usize) -> &'a str {
        let Some(inside) = self.statements.get(first).zip(self.statements.get(last)) else {
            return "";
        };
        let is_near = |index: usize, statement: &Statement, block: usize, reach: usize| {
            statement.block == block
                || (matches!(statement.form, Form::Sentence | Form::Item) && index < reach)
        };
        let mut start = inside.0.span.start;
        for (away, statement) in
            self.statements.get(..first).unwrap_or_default().iter().rev().enumerate()
        {
            if !is_near(away, statement, inside.0.block, 1) {
                break;
            }
            start = statement.span.start;
        }
        let mut end = inside.1.span.end;
        for (away, statement) in
            self.statements.get(last + 1..).unwrap_or_default().iter().enumerate()
        {
            if !is_near(away, statement, inside.1.block, 1) {
                break;
            }
            end = statement.span.end;
        }
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns the byte range of whole blocks around statements, in which the statements split as they do here: their own blocks, and the
    /// adjacent paragraphs or list items; of a table, everything from its head on.
    pub fn window(&self, first: usize, last: usize) -> Range<usize> {
        let Some(inside) = self.statements.get(first).zip(self.statements.get(last)) else {
            return 0..0;
        };
        let joins = |one: &Statement, other: &Statement| {
            let is_prose = |one: &Statement| matches!(one.form, Form::Sentence | Form::Item);
            let is_table = one.form == Form::Row && one.head.is_some() && one.head == other.head;
            one.block == other.block || is_table || is_prose(one) && is_prose(other)
        };
        let mut range = inside.0.lines.start..inside.1.lines.end;
        let mut blocks = 0;
        let before = self.statements.get(..first).unwrap_or_default().iter().rev();
        for statement in before.take_while(|other| joins(inside.0, other)) {
            blocks +=
                usize::from(statement.lines.start < range.start && statement.form != Form::Row);
            if blocks > 1 {
                break;
            }
            range.start = range.start.min(statement.lines.start);
        }
        let mut blocks = 0;
        let behind = self.statements.get(last + 1..).unwrap_or_default().iter();
        for statement in behind.take_while(|other| joins(inside.1, other)) {
            blocks += usize::from(statement.lines.end > range.end && statement.form != Form::Row);
            if blocks > 1 {
                break;
            }
            range.end = range.end.max(statement.lines.end);
        }
        let heads = self.statements.get(first..=last).unwrap_or_default().iter();
        let head = heads.filter_map(|one| one.head.as_ref()).map(|head| head.start).min();
        head.map_or(range.start, |head| head.min(range.start))..range.end
    }

    /// Returns the byte range of the first lines of the text: its title and the text below it, up to the next heading.
    pub fn opening(&self) -> Range<usize> {
        /// Author and subject fit in this many bytes.
        const LONGEST: usize = 600;
        let is_heading = |statement: &Statement| matches!(statement.form, Form::Heading(_));
        let mut end = 0;
        for (index, statement) in self.statements.iter().enumerate() {
            if index > 0 && is_heading(statement) || statement.span.end > LONGEST {
                break;
            }
            end = statement.span.end;
        }
        0..end
    }

    /// Returns the headings above a statement, outermost first.
    pub fn headings(&self, index: usize) -> Vec<&'a str> {
        let mut found = Vec::new();
        let mut above = self.statements.get(index).and_then(|statement| statement.heading);
        while let Some(heading) = above.and_then(|index| self.statements.get(index)) {
            found.push(self.text.get(heading.span.clone()).unwrap_or_default());
            above = heading.heading;
        }
        found.reverse();
        found
    }

    /// Returns the indices of the statements that lead into a statement, outermost first.
    pub fn leads(&self, index: usize) -> Vec<usize> {
        let lead = |index: &usize| self.statements.get(*index).and_then(|one| one.lead);
        let mut found: Vec<usize> = std::iter::successors(lead(&index), lead).collect();
        found.reverse();
        found
    }

    /// Returns the head row of a statement's table.
    pub fn head(&self, index: usize) -> Option<&'a str> {
        self.text.get(self.statements.get(index)?.head.clone()?)
    }

    /// Returns the first and last statement that the byte range `span` touches.
    pub fn touched(&self, span: &Range<usize>) -> Option<(usize, usize)> {
        let touches = |one: &Statement| one.span.start < span.end && span.start < one.span.end;
        let first = self.statements.iter().position(touches)?;
        let last = self.statements.iter().rposition(touches)?;
        Some((first, last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Checks what leads into the statement that has these words, outermost first.
    fn check_leads(text: &str, words: &str, expected: &[&str]) {
        let source = Source::of(text);
        let said = |index: usize| source.run(index, index).unwrap();
        let count = source.statements.len();
        let index = (0..count).find(|index| said(*index).contains(words)).unwrap();
        let leads: Vec<&str> = source.leads(index).into_iter().map(said).collect();
        assert_eq!(leads, expected, "{words:?} of {text:?}");
    }

    // proves: C10
    #[test]
    fn a_statement_knows_what_leads_into_it() {
        let rules = "Read this. Guests may not:\n\n- light fires\n- keep pets. These are:\n  1. dogs\n  2. cats\n";
        check_leads(rules, "fires", &["Guests may not:"]);
        check_leads(rules, "dogs", &["Guests may not:", "keep pets.", "These are:"]);
        let labels = "- **Forbidden:** To run. To shout.\n- Pets? They may not enter.\n- Dogs. They bark. They bite.\n- It is calm here at night. Do not knock.\n";
        check_leads(labels, "shout", &["**Forbidden:** To run."]);
        check_leads(labels, "enter", &["Pets?"]);
        check_leads(labels, "bite", &["Dogs."]);
        check_leads(labels, "knock", &[]);
        check_leads("**Not allowed.** Dogs bark here. Cats mew.", "Cats", &["**Not allowed.**"]);
        check_leads("Ann said: no. It rains.", "rains", &[]);
    }

    // proves: C10
    #[test]
    fn what_is_quoted_knows_it_and_who_wrote_it() {
        let mail = "I come.\n\nOn Monday Ann wrote:\n> Do you come? It rains\n> a lot. Bye.\n\nNo.\n\n> **Note:** Bring a coat.\n";
        check_leads(mail, "a lot", &["On Monday Ann wrote:\n> Do you come?"]);
        check_leads("Ann wrote:\n\n> It rains. Bye.", "Bye", &["Ann wrote:"]);
        let source = Source::of(mail);
        let quoted: Vec<&str> = (0..source.statements.len())
            .filter(|index| source.statements[*index].is_quoted)
            .map(|index| source.run(index, index).unwrap())
            .collect();
        assert_eq!(quoted, ["It rains\n> a lot.", "Bye."]);
    }

    fn check(text: &str, expected: &[(Form, &str)]) {
        let found: Vec<(Form, &str)> =
            statements(text).into_iter().map(|one| (one.form, &text[one.span])).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    // proves: C4
    #[test]
    fn everything_that_can_be_cited_is_a_statement_once() {
        check(
            "# Tides\n\nDr. Who saw 3.5 m. It fell.\n\n1. First. Then\n- 涨潮。退潮。\n\n```\na = 1\n\nb\n```\n> So it is.\n",
            &[
                (Form::Heading(1), "Tides"),
                (Form::Sentence, "Dr. Who saw 3.5 m."),
                (Form::Sentence, "It fell."),
                (Form::Item, "First."),
                (Form::Item, "Then"),
                (Form::Item, "涨潮。"),
                (Form::Item, "退潮。"),
                (Form::Code, "a = 1\n\nb"),
                (Form::Sentence, "So it is."),
            ],
        );
    }

    // proves: C4
    #[test]
    fn a_row_has_its_column_heads_and_every_statement_its_headings() {
        let text =
            "# A\n\n## B\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n## C\n\nText. More.\n\n# D\n\nEnd.";
        let source = Source::of(text);
        let index = |words: &str| {
            source.statements.iter().position(|one| text[one.span.clone()].contains(words)).unwrap()
        };
        assert_eq!(source.head(index("| 1")), Some("| x | y |"));
        assert_eq!(source.headings(index("| 1")), ["A", "B"]);
        assert_eq!(source.headings(index("Text")), ["A", "C"]);
        assert_eq!(source.headings(index("End")), ["D"]);
        assert_eq!(source.run(index("Text"), index("More")), Some("Text. More."));
        assert_eq!(source.around(index("Text"), index("Text")), "Text. More.");
    }

    // proves: C10
    #[test]
    fn an_entry_of_a_list_without_marks_is_cut_the_same_in_its_window() {
        let text = "Before.\n\nRent: 900\nFloor: 3\nRooms: 2\nHeating: gas\n\nAfter.";
        let source = Source::of(text);
        for (index, one) in source.statements.iter().enumerate() {
            let window = source.window(index, index);
            let within = Source::of(&text[window.clone()]);
            let span = one.span.start - window.start..one.span.end - window.start;
            let (first, last) = within.touched(&span).unwrap();
            assert_eq!(within.span(first, last), Some(span), "{:?}", &text[one.span.clone()]);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn statements_of_any_text_are_in_order_and_apart(text in "(?s)(.|[-#|`> \n.!?]|[a-z0-9]|\\| a ){0,80}") {
            let source = Source::of(&text);
            let mut last = 0;
            for (index, one) in source.statements.iter().enumerate() {
                prop_assert!(one.span.start >= last && !one.span.is_empty());
                prop_assert!(text.get(one.span.clone()).is_some());
                last = one.span.end;
                prop_assert_eq!(source.touched(&one.span), Some((index, index)));
                prop_assert!(source.around(index, index).contains(&text[one.span.clone()]));
                source.headings(index);
                // It splits the same in its window.
                let window = source.window(index, index);
                let within = Source::of(&text[window.clone()]);
                let span = one.span.start - window.start..one.span.end - window.start;
                let found = within.touched(&span).map(|(first, last)| within.span(first, last));
                prop_assert_eq!(found.flatten(), Some(span), "{:?} of {:?}", window, source.statements);
            }
        }
    }
}
