//! Statements of a passage that can be quoted as an answer, and their context.

use std::ops::Range;

use grounding::statement::{Above, Form, Source, Statement, TERM};

use super::Text;
use super::prose::BOILERPLATE;

/// A statement that may be an answer, together with what it introduces.
#[derive(Debug, Clone)]
pub(super) struct Candidate<'a> {
    /// The index of its passage.
    pub(super) passage: usize,
    /// Its position in the passage, in bytes.
    pub(super) span: Range<usize>,
    pub(super) words: &'a str,
    /// The part that is quoted, in bytes: the statement, preceded by the one before it if it points back to that.
    pub(super) quote: Range<usize>,
    /// Its paragraph; `section` is everything below its label.
    pub(super) block: &'a str,
    pub(super) section: &'a str,
    pub(super) form: Form,
    /// The headings above it, outermost first, without its label.
    pub(super) headings: Vec<&'a str>,
    /// The innermost heading above it, or the term that it defines.
    pub(super) label: &'a str,
    /// Preceding text that gives its subject: the sentence before it in its paragraph, the sentence that introduces its list, its
    /// column headers.
    pub(super) before: Vec<&'a str>,
    /// Whether its label is a term that it defines.
    pub(super) defines: bool,
    /// Whether its source quotes it, so that it may be somebody else's.
    pub(super) is_quoted: bool,
    /// The statement after it in its paragraph.
    pub(super) next: &'a str,
    /// The number of statements between it and its label.
    pub(super) place: usize,
}

/// Returns the quotable statements of the passages, in order.
pub(super) fn candidates<'a>(passages: &[Text<'a>]) -> Vec<Candidate<'a>> {
    let mut found = Vec::new();
    for (passage, text) in passages.iter().enumerate() {
        let source = Source::of(text.text);
        let above = Above::of(text.section, &source);
        let mut under: Option<usize> = None;
        let mut place = 0;
        for (index, statement) in source.statements.iter().enumerate() {
            place = if statement.heading == under { place + 1 } else { 0 };
            under = statement.heading;
            let words = text.text.get(statement.span.clone()).unwrap_or_default();
            if matches!(statement.form, Form::Heading(_)) || !says_something(words) {
                continue;
            }
            let mut headings = above.headings.clone();
            let within = source.headings(index).into_iter();
            headings.extend(within.filter(|head| !above.headings.contains(head)));
            let label = headings.pop().unwrap_or_default();
            let last = introduced(&source, index, words);
            let span = source.span(index, last).unwrap_or(statement.span.clone());
            found.push(Candidate {
                passage,
                words: text.text.get(span.clone()).unwrap_or_default(),
                quote: quoted(&source, index, last).unwrap_or(span.clone()),
                block: together(&source, index, |one| one.block == statement.block),
                section: together(&source, index, |one| one.heading == statement.heading),
                span,
                form: statement.form,
                headings,
                label,
                before: before(&source, &above, index, text.text),
                is_quoted: statement.is_quoted,
                defines: statement
                    .heading
                    .and_then(|at| source.statements.get(at))
                    .is_some_and(|head| head.form == Form::Heading(TERM)),
                next: next(&source, last),
                place,
            });
        }
    }
    found
}

/// Returns the last statement of what a sentence ending in a colon introduces: a block of code, or a short list.
fn introduced(source: &Source<'_>, index: usize, words: &str) -> usize {
    /// The most list items quoted with the sentence that introduces them.
    const MOST: usize = 8;
    if !words.trim_end_matches(['*', '_', ' ']).ends_with([':', '：']) {
        return index;
    }
    let behind = source.statements.get(index + 1..).unwrap_or_default();
    let Some(first) = behind.first() else { return index };
    match first.form {
        Form::Code => index + 1,
        Form::Item | Form::Row => {
            let is_led = |(away, one): &(usize, &Statement)| {
                one.form == first.form && source.leads(index + 1 + away).contains(&index)
            };
            index + behind.iter().enumerate().take(MOST).take_while(is_led).count()
        }
        Form::Sentence | Form::Heading(_) => index,
    }
}

/// Returns the text of the adjacent statements for which `belongs` holds, including the statement itself.
fn together<'a>(
    source: &Source<'a>,
    index: usize,
    belongs: impl Fn(&Statement) -> bool,
) -> &'a str {
    let all = &source.statements;
    let before =
        all.get(..index).unwrap_or_default().iter().rev().take_while(|one| belongs(one)).count();
    let behind =
        all.get(index + 1..).unwrap_or_default().iter().take_while(|one| belongs(one)).count();
    source.run(index - before, index + behind).unwrap_or_default()
}

/// Returns the bytes to quote for a statement. One that points back to the sentence before it in its paragraph is quoted with it, and so is
/// one after a sentence of a word or two, which may be the answer or turn it: "No.", "Not yet.", "April fool!"
fn quoted(source: &Source<'_>, index: usize, last: usize) -> Option<Range<usize>> {
    /// The most words of such a sentence.
    const FEW: usize = 2;
    let words = source.run(index, index)?;
    let block = source.statements.get(index)?.block;
    let is_short = |before: usize| {
        source.run(before, before).is_some_and(|words| text::words(words).nth(FEW).is_none())
    };
    let before = index.checked_sub(1).filter(|before| {
        last == index
            && source.statements.get(*before).is_some_and(|one| one.block == block)
            && (leans(words) || is_short(*before))
    });
    source.span(before.unwrap_or(index), last)
}

/// Returns whether a sentence begins with a word that points back to one the reader will not see.
pub(super) fn leans(text: &str) -> bool {
    const POINTING: &str = "it its he his she her they them their this these those such however therefore thus hence \
        moreover furthermore but and otherwise";
    let first = text::words(text).next().map(|(_, word)| word.to_lowercase());
    first.is_some_and(|word| POINTING.split_whitespace().any(|pointing| pointing == word))
}

/// Returns the preceding text that gives a statement's subject.
fn before<'a>(source: &Source<'a>, above: &Above<'a>, index: usize, text: &'a str) -> Vec<&'a str> {
    let Some(statement) = source.statements.get(index) else { return vec![] };
    let words = |one: &Statement| text.get(one.span.clone()).unwrap_or_default();
    let mut found: Vec<&str> = source.head(index).into_iter().collect();
    found.extend(above.leads(index));
    let leads = source.leads(index);
    let previous = index.checked_sub(1).and_then(|before| source.statements.get(before));
    if let Some(previous) = previous.filter(|one| one.block == statement.block)
        && leads.last().is_none_or(|lead| lead + 1 != index)
    {
        found.push(words(previous));
    }
    if !leads.is_empty() {
        found.extend(leads.iter().filter_map(|lead| source.statements.get(*lead)).map(words));
    } else if statement.form != Form::Sentence {
        let ahead = source.statements.get(..index).unwrap_or_default().iter().rev();
        let mut ahead =
            ahead.skip_while(|one| one.form == statement.form && one.heading == statement.heading);
        found.extend(
            ahead
                .next()
                .filter(|one| one.form == Form::Sentence && one.heading == statement.heading)
                .map(words),
        );
    } else if previous.is_some_and(|one| {
        one.block != statement.block
            && one.form == Form::Sentence
            && words(one).trim_end().ends_with(['?', '？'])
    }) {
        // A question in its own paragraph is answered by the next one.
        found.extend(previous.map(words));
    }
    found
}

/// Returns the statement after one in its paragraph.
fn next<'a>(source: &Source<'a>, index: usize) -> &'a str {
    let [Some(statement), Some(behind)] = [index, index + 1].map(|at| source.statements.get(at))
    else {
        return "";
    };
    let is_beside = behind.block == statement.block;
    source.run(index + 1, index + 1).filter(|_| is_beside).unwrap_or_default()
}

/// Returns whether a statement asserts something: it is not a question, nor boilerplate that stands on every page.
fn says_something(words: &str) -> bool {
    let lower = words.to_lowercase();
    let body = words.trim_end_matches(['"', '\'', '”', '’', '»', ')', '*', '_', '`', ' ']);
    !body.ends_with(['?', '？']) && !BOILERPLATE.into_iter().any(|phrase| lower.contains(phrase))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(String, String, Vec<String>)> {
        let passage = Text { name: "", title: "", section: "Manual", text, score: 1.0 };
        let owned = |words: &[&str]| words.iter().map(|one| (*one).to_owned()).collect();
        candidates(&[passage])
            .into_iter()
            .map(|one| (one.words.to_owned(), one.label.to_owned(), owned(&one.before)))
            .collect()
    }

    // proves: C10
    #[test]
    fn whatever_can_be_cited_may_answer_with_what_says_what_it_is_about() {
        let text = "gc.auto\n: Packs objects. The default is 6700.\n\nRent: 900\nDue: May 3\n\nTo undo it, run:\n\n```\ngit revert\n```\n\n| Port | Metres |\n|---|---|\n| Brest | 6.9 |\n\nIs it so?\n";
        let found = of(text);
        let entry = |words: &str| found.iter().find(|(found, ..)| found.contains(words)).unwrap();
        assert_eq!(entry("6700").1, "gc.auto");
        assert_eq!(entry("6700").2, ["Packs objects."]);
        assert_eq!(entry("Due").0, "Due: May 3");
        assert_eq!(entry("undo").0, "To undo it, run:\n\n```\ngit revert");
        assert_eq!(entry("Brest").2, ["| Port | Metres |",]);
        assert!(found.iter().all(|(words, ..)| !words.contains("so?")));
    }
}
