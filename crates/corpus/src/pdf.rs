//! A PDF becomes Markdown, and each of its pages knows where it begins.
//!
//! Two engines read it. `pdf-extract` gives the better text, as positioned glyphs from which [`layout`] makes paragraphs; `unpdf` reads
//! more damaged files. The second is used if the first fails or its text looks wrong compared with the other's.

mod engine;
mod layout;
mod write;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use formats::Format;

use crate::document::{Document, one_line};
use crate::markdown;
use crate::read::{Limits, ReadError};
pub(crate) use engine::left_behind;
use engine::{Failure, First, Second};
use layout::Block;
pub(crate) use layout::join;

/// Pages that have pictures and fewer characters than this are scans.
const CHARACTERS_A_PAGE: usize = 25;
/// The percentage of the other engine's words that must be there.
const WORDS_PERCENT: usize = 60;
/// The percentage of words that may have at most two letters; more means that words fell apart.
const SHORT_PERCENT: usize = 40;
/// The percentage of characters that may be unknown.
const UNKNOWN_PERCENT: usize = 2;

/// Returns the document in the bytes of a PDF.
pub(crate) fn read(bytes: &[u8], stem: &str, limits: &Limits) -> Result<Document, ReadError> {
    let allowed = Duration::from_secs(limits.time_seconds.max(1));
    let started = Instant::now();
    let first = engine::first(bytes, limits, allowed.mul_f64(0.6));
    if matches!(first, Err(Failure::Encrypted)) {
        return Err(ReadError::Encrypted { format: "PDF".to_owned() });
    }
    let left = allowed.mul_f64(0.95).saturating_sub(started.elapsed());
    let second = engine::second(bytes, limits, left);
    let chosen = choose(first, second, limits)?;
    let written = write::markdown(&chosen.blocks, &chosen.pages);
    let (title, sections, _) = markdown::outline(&written.text, chosen.title.as_deref(), stem);
    let mut metadata = chosen.metadata;
    metadata.insert("engine".to_owned(), chosen.engine.to_owned());
    if chosen.bare > 0 {
        metadata.insert("pages_without_text".to_owned(), chosen.bare.to_string());
    }
    Ok(Document {
        format: Format::Pdf,
        title,
        text: written.text,
        sections,
        pages: written.pages,
        metadata,
        work: None,
    })
}

/// What is kept of the engines' results.
struct Chosen {
    blocks: Vec<Block>,
    /// The numbers of all pages.
    pages: Vec<u32>,
    title: Option<String>,
    metadata: BTreeMap<String, String>,
    engine: &'static str,
    /// The number of pages without text.
    bare: usize,
}

fn choose(
    first: Result<First, Failure>,
    second: Result<Second, Failure>,
    limits: &Limits,
) -> Result<Chosen, ReadError> {
    let damaged = || ReadError::Damaged { format: "PDF".to_owned() };
    let (mut first, second) = match (first, second) {
        (Err(Failure::TookTooLong), Err(_)) | (Err(_), Err(Failure::TookTooLong)) => {
            return Err(ReadError::TookTooLong { seconds: limits.time_seconds });
        }
        (_, Err(Failure::Encrypted)) | (Err(Failure::Encrypted), _) => {
            return Err(ReadError::Encrypted { format: "PDF".to_owned() });
        }
        (Err(Failure::TooLarge), _) | (_, Err(Failure::TooLarge)) => {
            let limit = limits.text_bytes;
            return Err(ReadError::TooLarge { bytes: limit.saturating_add(1), limit });
        }
        // One engine alone could give another document than both, so the result would depend on what else was in memory.
        (Err(Failure::NoMemory), _) | (_, Err(Failure::NoMemory)) => {
            return Err(ReadError::BrokeReader { mebibytes: limits.memory_bytes >> 20 });
        }
        (Err(_), Err(_)) => return Err(damaged()),
        (first, second) => (first.ok(), second.ok()),
    };
    let encrypted = first.as_ref().is_some_and(|first| first.encrypted);
    let sound = first.is_some();
    let pictures = first.as_ref().is_some_and(|first| first.pictures)
        || second.as_ref().is_some_and(|second| second.pictures);
    let broken = first.as_ref().is_none_or(|first| first.failed > 0)
        || second.as_ref().is_none_or(|second| second.incomplete);
    let whole = first.as_ref().is_some_and(|first| first.failed == 0 && !first.pages.is_empty());
    if !whole && second.as_ref().is_some_and(|second| second.pages_missing) {
        return Err(damaged());
    }
    let mut known = BTreeMap::new();
    let mut title = None;
    if let Some(second) = &second {
        known.clone_from(&second.metadata);
        title = second.title.as_deref().and_then(sensible);
    }
    let mut numbers: Vec<u32> = Vec::new();
    numbers.extend(first.iter().flat_map(|first| first.pages.iter().map(|page| page.number)));
    let other = second.as_ref().map(|second| Words::of(&text_of(&second.blocks)));
    let laid = first.take().map(|first| layout::blocks(first.pages));
    let own = laid.as_ref().map(|blocks| Words::of(&text_of(blocks)));
    let falls_back = match (&own, &other) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(own), Some(other)) => broken && other.all > own.all || own.worse_than(other),
    };
    let (blocks, engine) = match (laid, second) {
        (_, Some(second)) if falls_back => {
            numbers = second.numbers;
            (second.blocks, "unpdf")
        }
        (Some(blocks), _) => (blocks, "pdf-extract"),
        (None, _) => return Err(damaged()),
    };
    if numbers.is_empty() {
        return Err(damaged());
    }
    let characters = text_of(&blocks).chars().filter(|c| !c.is_whitespace()).count();
    let few = characters < CHARACTERS_A_PAGE.saturating_mul(numbers.len());
    match characters {
        0 if encrypted => return Err(ReadError::Encrypted { format: "PDF".to_owned() }),
        _ if few && pictures && sound => return Err(ReadError::Scanned),
        0 if broken => return Err(damaged()),
        0 => return Err(ReadError::Empty),
        _ => {}
    }
    let with_text: std::collections::HashSet<u32> =
        blocks.iter().flat_map(|block| block.pages()).collect();
    let bare = numbers.iter().filter(|number| !with_text.contains(number)).count();
    Ok(Chosen { blocks, pages: numbers, title, metadata: known, engine, bare })
}

fn text_of(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        block.say(&mut text);
        text.push('\n');
    }
    text
}

/// How plausible the words of a text look.
struct Words {
    all: usize,
    short: usize,
    characters: usize,
    unknown: usize,
}

impl Words {
    fn of(text: &str) -> Self {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let (mut all, mut short) = (0, 0);
        for word in words {
            all += 1;
            let letters = word.chars().all(char::is_alphabetic) && word.chars().count() <= 2;
            // Scripts without spaces between words have no short words.
            short += usize::from(letters && word.chars().all(|c| c < '\u{2e80}'));
        }
        let unknown = text.chars().filter(|c| *c == '\u{fffd}').count();
        Self { all, short, characters: text.chars().count(), unknown }
    }

    /// Returns whether these words look so wrong that the other engine's are used.
    fn worse_than(&self, other: &Self) -> bool {
        let fell_apart = |words: &Self| words.short * 100 > words.all * SHORT_PERCENT;
        let unknown = |words: &Self| words.unknown * 100 > words.characters * UNKNOWN_PERCENT;
        self.all * 100 < other.all * WORDS_PERCENT
            || other.all > 0 && fell_apart(self) && !fell_apart(other)
            || other.all > 0 && unknown(self) && !unknown(other)
    }
}

/// Returns the title if a person seems to have given it; programs write file names and their own names there.
fn sensible(title: &str) -> Option<String> {
    let title = one_line(title);
    let lower = title.to_lowercase();
    let file = [".doc", ".docx", ".tex", ".dvi", ".indd", ".pdf", ".qxd", ".rtf", ".odt", ".ps"];
    let machine = lower.starts_with("microsoft word")
        || lower.starts_with("untitled")
        || lower == "anonymous"
        || lower.starts_with("(anonymous")
        || file.iter().any(|end| lower.ends_with(end));
    let letters = title.chars().filter(|c| c.is_alphabetic()).count();
    (letters >= 4 && !machine).then_some(title)
}

#[cfg(test)]
mod tests;
