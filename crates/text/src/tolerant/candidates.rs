//! Finds the one object of a reply among prose, fences and reasoning.
//!
//! An object in the prose may be quoted from a hostile document. So every top-level object counts, wherever it stands, and this module
//! never chooses between two that differ. For the same reason an unreadable object ends the search: what is nested in it, or stands
//! after it, is not the reply.

use serde_json::Value;

use super::lenient::{Opening, Reader, Stop, is_blank, is_fence, is_quote, no_colon};
use super::{Read, Unreadable};

/// The tags around a model's reasoning, which is not part of its reply. They match in any case.
pub const REASONING: [(&str, &str); 11] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<analysis>", "</analysis>"),
    ("<scratchpad>", "</scratchpad>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
];

/// What has been read since the reply or a fence began. An array counts as a reply only if nothing stands around it.
#[derive(Clone, Copy, PartialEq)]
enum Lead {
    Reply,
    Fence,
    Prose,
}

struct Search<'a> {
    text: &'a str,
    reader: Reader<'a>,
    found: Option<Read>,
    /// The number of objects that differ from the first.
    differing: usize,
    cut_at: Option<usize>,
}

/// Returns the one object of `text`, or the array that is the whole of it.
pub(super) fn only_one(text: &str) -> Result<Read, Unreadable> {
    if let Some(read) = after_reasoning(text) {
        return Ok(read);
    }
    let mut search =
        Search { text, reader: Reader::new(text), found: None, differing: 0, cut_at: None };
    search.scan().map_err(|stop| unreadable(text, stop))?;
    match search.found {
        Some(_) if search.differing > 0 => {
            Err(Unreadable::Ambiguous { candidates: search.differing + 1 })
        }
        Some(read) => Ok(read),
        None => match search.cut_at {
            Some(at) => Err(unreadable(
                text,
                Stop::Broken { at, what: "the object ends before its first value".to_owned() },
            )),
            None => Err(Unreadable::NoJson { began: beginning(text) }),
        },
    }
}

impl Search<'_> {
    fn scan(&mut self) -> Result<(), Stop> {
        let bytes = self.text.as_bytes();
        let blank = self.text.len() - self.text.trim_start_matches(is_blank).len();
        let (mut at, mut lead, mut in_fence) = (blank, Lead::Reply, false);
        while let Some(&byte) = bytes.get(at) {
            // Only these bytes can begin anything, and none of them occurs inside a multi-byte character.
            if !matches!(byte, b'{' | b'[' | b'<' | b'`' | b'~' | 0xE2) {
                if byte == b'"' && lead != Lead::Prose && self.reader.member_at(at) {
                    let what = "the opening brace of the object is missing".to_owned();
                    return Err(Stop::Broken { at, what });
                }
                if !byte.is_ascii_whitespace() {
                    lead = Lead::Prose;
                }
                at += 1;
                continue;
            }
            let rest = &self.text[at..];
            if let Some(tag) = match_tag(rest) {
                match tag {
                    Tag::Opens { length, close } => match find(&rest[length..], close) {
                        Some(end) => at += length + end + close.len(),
                        None => return Ok(()),
                    },
                    Tag::Closes { length } => at += length,
                }
            } else if is_fence(rest) {
                let label = rest.trim_start_matches(['`', '~']);
                at += rest.len() - label.len();
                let word = &label
                    [..label.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(label.len())];
                in_fence = !in_fence;
                if in_fence {
                    at += word.len();
                    let json = word.is_empty()
                        || word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("json"));
                    lead = if json { Lead::Fence } else { Lead::Prose };
                }
            } else if byte == b'{' {
                at = self.brace(at)?;
                lead = Lead::Prose;
            } else if byte == b'[' && lead != Lead::Prose {
                at = self.bracket(at, lead)?;
                lead = Lead::Prose;
            } else {
                lead = Lead::Prose;
                at += 1;
            }
        }
        Ok(())
    }

    /// Reads the text at a `{` and returns where to continue.
    fn brace(&mut self, at: usize) -> Result<usize, Stop> {
        match self.reader.opening(at) {
            Opening::Prose => return Ok(self.reader.at),
            Opening::Cut if self.text[at..].contains(is_quote) => {
                return Err(Stop::Broken {
                    at,
                    what: "the object ends before its first value".to_owned(),
                });
            }
            Opening::Cut => {
                self.cut_at = Some(at);
                return Ok(self.reader.at);
            }
            Opening::NoColon(key) => return Err(Stop::Broken { at, what: no_colon(&key) }),
            Opening::Object => {}
        }
        match self.reader.read_at(at) {
            Ok(value) => {
                self.offer(value);
                let end = self.reader.at;
                self.nothing_goes_on(end)?;
                Ok(end)
            }
            Err(stop) => match prose_ends(&self.text[at..]) {
                Some(length) if matches!(stop, Stop::Broken { .. }) => Ok(at + length),
                _ => Err(stop),
            },
        }
    }

    /// Rejects an object that was closed too early: what follows it belongs to the reply and would be lost.
    fn nothing_goes_on(&mut self, end: usize) -> Result<(), Stop> {
        let after = self.text[end..].trim_start_matches(is_blank);
        let Some(next) = after.strip_prefix(',') else { return Ok(()) };
        let next = next.trim_start_matches(is_blank);
        if !self.reader.member_at(self.text.len() - next.len()) {
            return Ok(());
        }
        let what = "the object is closed here, and goes on after it".to_owned();
        Err(Stop::Broken { at: end.saturating_sub(1), what })
    }

    /// Reads the text at a `[` with nothing before it and returns where to continue.
    fn bracket(&mut self, at: usize, lead: Lead) -> Result<usize, Stop> {
        match self.reader.read_at(at) {
            Ok(value) => {
                let rest = self.text[self.reader.at..].trim_start_matches(is_blank);
                if rest.is_empty() || (lead == Lead::Fence && is_fence(rest)) {
                    self.offer(value);
                } else if let Value::Array(items) = value {
                    items.into_iter().filter(Value::is_object).for_each(|item| self.offer(item));
                }
                Ok(self.reader.at)
            }
            Err(Stop::Broken { at: failed_at, what }) => {
                let meant =
                    self.text[at + 1..].trim_start_matches(is_blank).starts_with(['{', '[', '"']);
                if meant {
                    Err(Stop::Broken { at: failed_at, what })
                } else {
                    Ok(failed_at.max(at + 1))
                }
            }
            Err(stop) => Err(stop),
        }
    }

    fn offer(&mut self, value: Value) {
        let (repaired, truncated) = (self.reader.repaired, self.reader.truncated);
        match &mut self.found {
            None => self.found = Some(Read { value, repaired, truncated }),
            Some(read) if read.value == value => {
                read.repaired &= repaired;
                read.truncated &= truncated;
            }
            Some(_) => self.differing += 1,
        }
    }
}

/// Returns the reply after reasoning that has only a closing tag, as when the provider wrote the opening tag itself.
///
/// The tag must be the only one, and one whole object, array or fence must follow it; any drafts before it are then not replies.
fn after_reasoning(text: &str) -> Option<Read> {
    let start = text.trim_start_matches(is_blank);
    if start.starts_with(['{', '[']) || is_fence(start) {
        return None;
    }
    let mut reply = None;
    for (at, _) in text.match_indices(['<', '[', '◁']) {
        match match_tag(&text[at..]) {
            Some(Tag::Closes { length }) if reply.is_none() => reply = Some(&text[at + length..]),
            Some(_) => return None,
            None => {}
        }
    }
    let mut reply = reply?.trim_matches(is_blank);
    if is_fence(reply) {
        let (_, body) = reply.split_once('\n')?;
        reply = body.trim_end_matches(['`', '~']).trim_matches(is_blank);
    }
    if !reply.starts_with(['{', '[']) {
        return None;
    }
    let mut reader = Reader::new(reply);
    let value = reader.read_at(0).ok()?;
    (reader.at == reply.len() && !reader.truncated).then_some(Read {
        value,
        repaired: reader.repaired,
        truncated: false,
    })
}

enum Tag {
    Opens { length: usize, close: &'static str },
    Closes { length: usize },
}

fn match_tag(rest: &str) -> Option<Tag> {
    if !rest.starts_with(['<', '[', '◁']) {
        return None;
    }
    let begins =
        |mark: &str| rest.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark));
    REASONING.into_iter().find_map(|(open, close)| {
        if begins(open) {
            Some(Tag::Opens { length: open.len(), close })
        } else {
            begins(close).then_some(Tag::Closes { length: close.len() })
        }
    })
}

/// Returns where `mark` first stands, ignoring ASCII case.
fn find(text: &str, mark: &str) -> Option<usize> {
    text.as_bytes()
        .windows(mark.len())
        .position(|window| window.eq_ignore_ascii_case(mark.as_bytes()))
}

/// Returns the length of a braced formula or style sheet, such as `{x : x > 0}`: closed, and without any quotation mark.
fn prose_ends(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if is_quote(c) => return None,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

fn unreadable(text: &str, stop: Stop) -> Unreadable {
    match stop {
        Stop::TooDeep => Unreadable::TooDeep,
        Stop::Broken { at, what } => {
            let before = &text[..at];
            let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
            let line = before.matches('\n').count() + 1;
            Unreadable::Broken { line, column: before[line_start..].chars().count() + 1, what }
        }
    }
}

/// Returns the first 80 characters on one line.
pub(super) fn beginning(text: &str) -> String {
    let words: String = text.chars().take(400).collect();
    words.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(80).collect()
}
