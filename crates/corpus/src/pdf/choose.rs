//! Which engine's text of each page is kept, and what stands beside it.

use std::collections::{BTreeMap, HashSet};

use super::engine::{Beside, Failure, First, Second};
use super::layout::{self, Block};
use super::words::{Words, counts, is_garbled};
use super::{Found, title};
use crate::read::{Limits, ReadError};

/// The fewest words of a page by which the engines are compared.
const COMPARED: usize = 30;

/// What is kept of the engines' results.
pub(super) struct Chosen {
    pub(super) blocks: Vec<Block>,
    /// The numbers of all pages.
    pub(super) pages: Vec<u32>,
    pub(super) title: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) engine: &'static str,
    /// The number of pages without text.
    pub(super) bare: usize,
    /// Whether its list of objects had to be made anew.
    pub(super) repaired: bool,
    /// The number of pages whose fonts do not say what their signs are.
    pub(super) garbled: usize,
    /// Whether the time was up before the last page.
    pub(super) late: bool,
}

pub(super) fn choose(found: Found, limits: &Limits) -> Result<Chosen, ReadError> {
    let damaged = || ReadError::Damaged { format: "PDF".to_owned() };
    let repaired = found.repaired;
    let (first, second) = sort_out(found.first, found.second, limits)?;
    let encrypted = first.as_ref().is_some_and(|first| first.encrypted);
    let sound = first.is_some();
    let late = first.as_ref().is_some_and(|first| first.late) && second.is_none();
    let xfa_only = first.as_ref().is_some_and(|first| first.xfa_only);
    let pictures = first.as_ref().is_some_and(|first| first.pictures)
        || second.as_ref().is_some_and(|second| second.pictures);
    let broken = first.as_ref().is_none_or(|first| !first.failed.is_empty())
        || second.as_ref().is_none_or(|second| second.incomplete);
    let mut metadata = BTreeMap::new();
    let mut known = None;
    if let Some(second) = &second {
        metadata.clone_from(&second.metadata);
        known = second.title.as_deref().and_then(title::sensible);
    }
    let Some(mut merged) = merge(first, second) else { return Err(damaged()) };
    let words = blocks_text(&merged.blocks);
    let with_text = pages_with_text(&merged.blocks, pictures);
    let bare = merged.pages.iter().filter(|number| !with_text.contains(number)).count();
    let characters = words.chars().filter(|c| !c.is_whitespace()).count();
    let said = merged.beside.iter().any(|it| !it.notes.is_empty() || !it.fields.is_empty());
    if xfa_only && words.split_whitespace().count() < PLACEHOLDER_WORDS {
        return Err(ReadError::Failed { what: XFA.to_owned() });
    }
    match characters {
        _ if said => {}
        0 if late => return Err(ReadError::TookTooLong { seconds: limits.time_seconds }),
        0 if encrypted => return Err(ReadError::Encrypted { format: "PDF".to_owned() }),
        _ if (pictures || merged.garbled > 0) && sound && !repaired && with_text.is_empty() => {
            return Err(ReadError::Scanned);
        }
        0 if broken || repaired => return Err(damaged()),
        0 => return Err(ReadError::Empty),
        _ => {}
    }
    if xfa_only {
        metadata.insert("form".to_owned(), "xfa".to_owned());
    }
    for Beside { page, fields, notes } in merged.beside {
        let fields = fields.iter().filter_map(super::forms::Field::said);
        let more = fields.chain(notes).map(|said| Block::paragraph(page, said)).collect();
        layout::insert(&mut merged.blocks, page, more);
    }
    Ok(Chosen {
        blocks: merged.blocks,
        pages: merged.pages,
        title: known,
        metadata,
        engine: merged.engine,
        bare,
        repaired: merged.repaired,
        garbled: merged.garbled,
        late,
    })
}

/// The most words of the page that stands in for a form.
const PLACEHOLDER_WORDS: usize = 150;
/// What is said of a form that cannot be read.
const XFA: &str =
    "it is an XFA form, whose fields only Adobe's programs show; print it to a PDF there first";

/// Returns what the engines found, or why nothing can be kept.
fn sort_out(
    first: Result<First, Failure>,
    second: Result<Second, Failure>,
    limits: &Limits,
) -> Result<(Option<First>, Option<Second>), ReadError> {
    match (first, second) {
        (Err(Failure::TookTooLong), Err(_)) | (Err(_), Err(Failure::TookTooLong)) => {
            Err(ReadError::TookTooLong { seconds: limits.time_seconds })
        }
        (_, Err(Failure::Encrypted)) | (Err(Failure::Encrypted), _) => {
            Err(ReadError::Encrypted { format: "PDF".to_owned() })
        }
        (Err(Failure::TooLarge), _) | (_, Err(Failure::TooLarge)) => {
            let limit = limits.text_bytes;
            Err(ReadError::TooLarge { bytes: limit.saturating_add(1), limit })
        }
        // One engine alone could give another document than both, so the result would depend on what else was in memory.
        (Err(Failure::NoMemory), _) | (_, Err(Failure::NoMemory)) => {
            Err(ReadError::BrokeReader { mebibytes: limits.memory_bytes >> 20 })
        }
        (Err(_), Err(_)) => Err(ReadError::Damaged { format: "PDF".to_owned() }),
        (first, second) => Ok((first.ok(), second.ok())),
    }
}

/// The text of both engines.
struct Merged {
    blocks: Vec<Block>,
    pages: Vec<u32>,
    engine: &'static str,
    /// What was not put into the text of the pages.
    beside: Vec<Beside>,
    repaired: bool,
    garbled: usize,
}

/// Returns the better text of each page; `None` if there is no page.
fn merge(first: Option<First>, second: Option<Second>) -> Option<Merged> {
    let merged = match (first, second) {
        (Some(first), None) => from_first(first, &HashSet::new(), Vec::new()),
        (Some(first), Some(second)) if !first.pages.is_empty() => match better(&first, &second) {
            Better::All => from_second(second, first.beside),
            Better::On(pages) if pages.is_empty() => {
                let all = Words::of(&blocks_text(&second.blocks));
                let beside = first.beside.clone();
                let merged = from_first(first, &pages, Vec::new());
                let worse = Words::of(&blocks_text(&merged.blocks)).worse_than(&all);
                if worse && merged.garbled == 0 { from_second(second, beside) } else { merged }
            }
            Better::On(pages) => from_first(first, &pages, second.blocks),
        },
        (first, Some(second)) => {
            from_second(second, first.map(|first| first.beside).unwrap_or_default())
        }
        (None, None) => return None,
    };
    (!merged.pages.is_empty()).then_some(merged)
}

/// Where the second engine's text is better.
enum Better {
    All,
    On(HashSet<u32>),
}

fn better(first: &First, second: &Second) -> Better {
    let own: String = first.pages.iter().map(|page| page.words() + "\n").collect();
    let (own, all) = (Words::of(&own), Words::of(&blocks_text(&second.blocks)));
    let same_pages = first.pages.iter().map(|page| page.number).eq(second.numbers.iter().copied());
    let broken = !same_pages && (second.incomplete || !first.failed.is_empty());
    if own.worse_than(&all) || broken && all.all > own.all {
        return Better::All;
    }
    if !same_pages {
        return Better::On(HashSet::new());
    }
    let others = by_page(&second.blocks);
    let worse = first.pages.iter().filter(|page| {
        let Some(other) = others.get(&page.number) else { return false };
        let own = page.words();
        let garbled = is_garbled(&own) && !is_garbled(other);
        let (own, other) = (Words::of(&own), Words::of(other));
        // What could not be read to its end may be wrong before it, too.
        let failed = first.failed.contains(&page.number) && other.all * 10 > own.all * 9;
        failed || other.all >= COMPARED && (garbled || own.worse_than(&other))
    });
    Better::On(worse.map(|page| page.number).collect())
}

/// Returns the first engine's text, with `others` on the pages in `replaced`.
fn from_first(mut first: First, replaced: &HashSet<u32>, others: Vec<Block>) -> Merged {
    let pages: Vec<u32> = first.pages.iter().map(|page| page.number).collect();
    let mut garbled = 0;
    // Among pages that can be read, one that seems garbled is one of formulas or programs.
    let unread = first.pages.iter().filter(|page| is_garbled(&page.words())).count();
    let many = unread * 2 >= first.pages.len();
    for page in &mut first.pages {
        if replaced.contains(&page.number) {
            page.clear();
        } else if many && is_garbled(&page.words()) {
            page.clear();
            garbled += 1;
        } else if let Some(it) = first.beside.iter_mut().find(|it| it.page == page.number) {
            it.fields = page.fill(std::mem::take(&mut it.fields));
        }
    }
    let mut blocks = layout::blocks(first.pages);
    let mut instead: BTreeMap<u32, Vec<Block>> = BTreeMap::new();
    for block in others.into_iter().filter(|block| replaced.contains(&block.page)) {
        instead.entry(block.page).or_default().push(block);
    }
    for (page, more) in instead {
        layout::insert(&mut blocks, page, more);
    }
    let engine = if replaced.is_empty() { "pdf-extract" } else { "pdf-extract and unpdf" };
    Merged { blocks, pages, engine, beside: first.beside, repaired: false, garbled }
}

fn from_second(second: Second, beside: Vec<Beside>) -> Merged {
    let texts = by_page(&second.blocks);
    let mut garbled: HashSet<u32> =
        texts.iter().filter(|(_, text)| is_garbled(text)).map(|(page, _)| *page).collect();
    if garbled.len() * 2 < texts.len() {
        garbled.clear();
    }
    let mut blocks = second.blocks;
    blocks.retain(|block| !garbled.contains(&block.page));
    Merged {
        blocks,
        pages: second.numbers,
        engine: "unpdf",
        beside,
        repaired: second.repaired,
        garbled: garbled.len(),
    }
}

/// Returns the pages that hold text; where there are pictures, a stamp or a number is none.
fn pages_with_text(blocks: &[Block], pictures: bool) -> HashSet<u32> {
    let texts = by_page(blocks).into_iter();
    let with_text =
        texts.filter(|(_, text)| if pictures { counts(text) } else { !text.trim().is_empty() });
    with_text.map(|(page, _)| page).collect()
}

fn blocks_text(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks {
        block.say(&mut text);
        text.push('\n');
    }
    text
}

/// Returns the text of each page.
fn by_page(blocks: &[Block]) -> BTreeMap<u32, String> {
    let mut found: BTreeMap<u32, String> = BTreeMap::new();
    for block in blocks {
        let mut said = String::new();
        block.say(&mut said);
        let starts = std::iter::once((0, block.page)).chain(block.breaks.iter().copied());
        let ends = block.breaks.iter().map(|(at, _)| *at).chain([said.len()]);
        for ((start, page), end) in starts.zip(ends) {
            let text = found.entry(page).or_default();
            text.push_str(said.get(start..end).unwrap_or_default());
            text.push('\n');
        }
    }
    found
}
