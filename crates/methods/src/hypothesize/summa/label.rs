//! The marks that open the parts of a *quaestio*, in the spellings that models use.

use std::ops::Range;

/// A part, as a line announces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Question,
    Objections,
    Objection(u32),
    Contrary,
    Answer,
    Replies,
    Reply(u32),
    /// A bare number: an objection or a reply, depending on its place, or no mark at all.
    Item(u32),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    pub(super) part: Part,
    /// The span of the part's text in the line; may be empty.
    pub(super) text: Range<usize>,
    /// False if the words may also belong to a sentence ("Objection 2 fails"); then the place decides.
    pub(super) sure: bool,
}

/// Returns the mark at the beginning of `line`, after any Markdown marks.
pub(super) fn label(line: &str) -> Option<Label> {
    let bare = without_lead(line);
    let body = bare.trim_start_matches(['*', '_']);
    let emphasis = bare.get(..bare.len() - body.len())?;
    let (part, after, sure) = named(body).or_else(|| item(body))?;
    let (rest, closed) = close(after, emphasis);
    let mut text = rest.trim();
    if !closed && !emphasis.is_empty() {
        // The whole line is emphasised.
        text = text.strip_suffix(emphasis).unwrap_or(text).trim_end();
    }
    let separated = rest.len() < after.len() || text.is_empty();
    let numbered = matches!(part, Part::Objection(_) | Part::Reply(_));
    let undashed = text.strip_prefix(['-', '–', '—']).filter(|it| it.starts_with(' '));
    let dashed = numbered && !separated && undashed.is_some();
    let mut skipped = rest.len() - rest.trim_start().len();
    if let Some(shorter) = undashed.filter(|_| dashed) {
        skipped += text.len() - shorter.trim_start().len();
        text = shorter.trim_start();
    }
    let uncertain = numbered || part == Part::Objections && !heads(body);
    let sure = sure || dashed || separated && (numbered || !uncertain);
    if !sure && !uncertain {
        return None;
    }
    let start = line.len() - rest.len() + skipped;
    Some(Label { part, text: start..start + text.len(), sure })
}

/// Returns `line` without leading marks of headings, quotations and lists; keeps emphasis.
pub(super) fn without_lead(line: &str) -> &str {
    let mut rest = line.trim_start();
    loop {
        let heading = rest.trim_start_matches('#');
        let shorter = if heading.len() < rest.len() && heading.starts_with(char::is_whitespace) {
            heading
        } else if let Some(quoted) = rest.strip_prefix('>') {
            quoted
        } else if let Some(listed) = rest.strip_prefix(['-', '+', '*', '•'])
            && listed.starts_with(char::is_whitespace)
        {
            listed
        } else {
            return rest;
        };
        rest = shorter.trim_start();
    }
}

const CONTRARY: &[&str] = &["on the contrary", "sed contra"];
const ANSWER: &[&str] = &[
    "i answer that",
    "i respond that",
    "respondeo dicendum quod",
    "respondeo dicendum",
    "respondeo quod",
    "respondeo",
    "i answer",
];
const REPLIES: &[&str] = &[
    "replies to the objections",
    "replies to objections",
    "reply to the objections",
    "reply to objections",
    "responses to the objections",
    "responses to objections",
    "replies",
    "responses",
    "ad obiectiones",
    "ad objectiones",
];
const REPLY: &[&str] = &[
    "reply to objection",
    "reply to obj.",
    "reply to",
    "reply objection",
    "reply",
    "response to objection",
    "response to",
    "response",
    "ad obiectionem",
    "ad objectionem",
    "ad",
];
const ORDINALS: &[&str] =
    &["primum", "secundum", "tertium", "quartum", "quintum", "sextum", "septimum", "octavum"];
/// The headings of the objections, then the phrases that may open them instead.
const OBJECTIONS: &[&str] = &[
    "the objections",
    "objections",
    "videtur quod non",
    "videtur quod",
    "it would seem that",
    "it seems that",
];
const QUESTION: &[&str] = &["question", "quaestio"];

/// Returns whether a heading announces the objections.
fn heads(body: &str) -> bool {
    OBJECTIONS.iter().take(2).any(|words| phrase(body, words).is_some())
}

/// Returns the part that `body` names, the rest, and whether nothing else can be meant.
fn named(body: &str) -> Option<(Part, &str, bool)> {
    let first = |list: &[&str]| list.iter().find_map(|words| phrase(body, words));
    if let Some(rest) = first(CONTRARY) {
        return Some((Part::Contrary, rest, phrase(body, "sed contra").is_some()));
    }
    if let Some(rest) = first(ANSWER) {
        return Some((Part::Answer, rest, phrase(body, "i answer") != Some(rest)));
    }
    if let Some(rest) = first(REPLIES) {
        return Some((Part::Replies, rest, false));
    }
    for words in REPLY {
        let Some(rest) = phrase(body, words) else { continue };
        if let Some((number, rest)) = parse_number(rest.trim_start()) {
            return Some((Part::Reply(number), rest, false));
        }
        if *words == "ad" {
            return ordinal(rest.trim_start());
        }
    }
    if let Some(rest) = first(OBJECTIONS) {
        return Some((Part::Objections, rest, false));
    }
    if let Some(rest) = phrase(body, "objection").or_else(|| phrase(body, "obj.")) {
        let (number, rest) = parse_number(rest.trim_start())?;
        return Some((Part::Objection(number), rest, false));
    }
    let rest = first(QUESTION)?;
    let rest = parse_number(rest.trim_start()).map_or(rest, |(_, rest)| rest);
    Some((Part::Question, rest, false))
}

fn ordinal(rest: &str) -> Option<(Part, &str, bool)> {
    let (index, rest) = ORDINALS
        .iter()
        .enumerate()
        .find_map(|(index, word)| Some((index as u32, phrase(rest, word)?)))?;
    let formulas = ["ergo dicendum quod", "dicendum quod", "ergo dicendum", "dicendum", "ergo"];
    let spoken = formulas.iter().find_map(|words| phrase(rest.trim_start(), words));
    Some((Part::Reply(index + 1), spoken.unwrap_or(rest), false))
}

/// Reads `1. ` and `1) `, but not `1.5` or `1990. `.
fn item(body: &str) -> Option<(Part, &str, bool)> {
    let (number, rest) = parse_number(body)?;
    let behind = rest.strip_prefix(['.', ')'])?.trim_start_matches(['*', '_']);
    (behind.is_empty() || behind.starts_with(char::is_whitespace)).then_some((
        Part::Item(number),
        rest,
        true,
    ))
}

/// Reads a number of at most three digits that is not followed by a letter, digit or decimal.
fn parse_number(text: &str) -> Option<(u32, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (read, rest) = text.split_at_checked(digits)?;
    let mut next = rest.chars();
    let goes_on = match next.next() {
        Some('.') => next.next().is_some_and(|c| c.is_ascii_digit()),
        Some(other) => other.is_alphanumeric(),
        None => false,
    };
    if digits > 3 || goes_on {
        return None;
    }
    Some((read.parse().ok()?, rest))
}

/// Returns what follows `words` in `text`, ignoring case and the kind of white space between them.
fn phrase<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let mut rest = text;
    for (index, word) in words.split(' ').enumerate() {
        let begin = rest.trim_start();
        if index > 0 && begin.len() == rest.len() {
            return None;
        }
        let (head, tail) = begin.split_at_checked(word.len())?;
        if !head.eq_ignore_ascii_case(word) {
            return None;
        }
        rest = tail;
    }
    let whole = words.ends_with('.') || !rest.starts_with(char::is_alphanumeric);
    whole.then_some(rest)
}

/// Returns `after` without one separator and the closing emphasis right after the mark, and whether the emphasis was closed.
fn close<'a>(after: &'a str, emphasis: &str) -> (&'a str, bool) {
    let opened = !emphasis.is_empty();
    let (rest, closed) = match after.strip_prefix(emphasis) {
        Some(rest) if opened => (rest, true),
        _ => (after, false),
    };
    let Some(rest) = rest.strip_prefix(['.', ':', ',', ')']) else { return (rest, closed) };
    match rest.strip_prefix(emphasis) {
        Some(rest) if opened && !closed => (rest, true),
        _ => (rest, closed),
    }
}
