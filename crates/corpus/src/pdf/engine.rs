//! The two engines, each on its own thread with a large stack and a deadline.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use pdf_extract::{
    ColorSpace, MediaBox, Object, ObjectId, OutputDev, OutputError, Path, PathOp, Transform,
};
use unpdf::{ErrorKind, InlineContent, ParseOptions};

use super::contents::{Known, MARK, OPENS, rewrite};
use super::forms::{self, Field};
use super::layout::{Block, Glyph, PageLines};
use super::notes;
use crate::document::one_line;
use crate::read::Limits;

/// The stack of an engine's thread, in bytes.
const STACK: usize = 64 << 20;

/// The part of its time after which the first engine reads no further pages.
const ENOUGH: f64 = 0.9;
/// The most bytes of instructions that the pages of a file may become.
const WRITTEN: usize = 512 << 20;
/// How far out no page reaches, in points.
const FAR: f64 = 1e7;
/// After how many characters the time is looked at.
const BETWEEN_LOOKS: usize = 256;

/// The number of threads left running because their time was up.
static LEFT_BEHIND: AtomicUsize = AtomicUsize::new(0);

/// Returns whether this process may still be working on a file that was given up.
pub(crate) fn left_behind() -> bool {
    LEFT_BEHIND.load(Ordering::Relaxed) > 0
}

/// Why an engine gave no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    Encrypted,
    Damaged,
    TookTooLong,
    TooLarge,
    /// There was not enough memory to start.
    NoMemory,
}

/// The result of `pdf-extract`.
pub(super) struct First {
    pub(super) pages: Vec<PageLines>,
    /// The pages it could not read to their end.
    pub(super) failed: HashSet<u32>,
    /// What stands on the pages besides their own text.
    pub(super) beside: Vec<Beside>,
    /// Whether it is a form of which only its maker's program shows the fields.
    pub(super) xfa_only: bool,
    /// Whether the file is encrypted, with an empty password.
    pub(super) encrypted: bool,
    pub(super) pictures: bool,
    /// Whether its time was up before the last page.
    pub(super) late: bool,
    /// Whether a page would become larger than any page, in bytes or in width: the second engine has no such bounds.
    pub(super) endless: bool,
}

/// What people put onto a page.
#[derive(Debug, Clone)]
pub(super) struct Beside {
    pub(super) page: u32,
    pub(super) fields: Vec<Field>,
    pub(super) notes: Vec<String>,
}

/// The result of `unpdf`.
pub(super) struct Second {
    pub(super) blocks: Vec<Block>,
    pub(super) numbers: Vec<u32>,
    pub(super) title: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) pictures: bool,
    /// Whether something in the file could not be read.
    pub(super) incomplete: bool,
    /// Whether its list of objects had to be made anew.
    pub(super) repaired: bool,
}

pub(super) fn first(bytes: &[u8], limits: &Limits, time: Duration) -> Result<First, Failure> {
    let bytes: Arc<[u8]> = bytes.into();
    let most = usize::try_from(limits.text_bytes).unwrap_or(usize::MAX);
    // What was read by then is sent a little before the time is up.
    let until = Instant::now() + time.mul_f64(ENOUGH);
    within(time, move || extract(&bytes, most, until))
}

pub(super) fn second(bytes: &[u8], limits: &Limits, time: Duration) -> Result<Second, Failure> {
    let bytes: Arc<[u8]> = bytes.into();
    let most = usize::try_from(limits.text_bytes).unwrap_or(usize::MAX);
    within(time, move || blocks(&bytes, most))
}

fn within<T: Send + 'static>(
    time: Duration,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (done, result) = mpsc::sync_channel(1);
    let engine = std::thread::Builder::new().name("pdf".to_owned()).stack_size(STACK);
    let spawned = engine.spawn(move || {
        let found = catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(Failure::Damaged));
        // No one receives the result once the time is up.
        let _ = done.send(found);
    });
    let Ok(thread) = spawned else { return Err(Failure::NoMemory) };
    match result.recv_timeout(time) {
        Ok(found) => {
            let _ = thread.join();
            found
        }
        // Panics in the work are caught, so the thread died while it was being set up.
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(Failure::NoMemory),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            LEFT_BEHIND.fetch_add(1, Ordering::Relaxed);
            Err(Failure::TookTooLong)
        }
    }
}

fn extract(bytes: &[u8], most: usize, until: Instant) -> Result<First, Failure> {
    let mut file = pdf_extract::Document::load_mem(bytes).map_err(|error| failure(&error))?;
    let encrypted = file.is_encrypted();
    if encrypted {
        file.decrypt("").map_err(|error| failure(&error))?;
    }
    let numbers: Vec<(u32, ObjectId)> = file.get_pages().into_iter().collect();
    let pictures = file.objects.values().any(is_picture);
    let beside = find_beside(&file, &numbers);
    let xfa_only = forms::is_xfa_only(&file);
    let mut reading = Reading {
        known: Known::none(),
        written: WRITTEN,
        left: most,
        until,
        failed: HashSet::new(),
        endless: false,
    };
    let mut pages = Vec::with_capacity(numbers.len());
    for (number, id) in &numbers {
        let page = reading.read(&mut file, *number, *id);
        if reading.left == 0 {
            return Err(Failure::TooLarge);
        }
        pages.push(page);
    }
    let Reading { failed, endless, .. } = reading;
    let late = Instant::now() >= until;
    Ok(First { pages, failed, beside, xfa_only, encrypted, pictures, late, endless })
}

/// The reading of all pages of a file.
struct Reading {
    known: Known,
    /// How many more bytes the pages may become when they are written anew.
    written: usize,
    /// How many more bytes of text are allowed.
    left: usize,
    until: Instant,
    failed: HashSet<u32>,
    endless: bool,
}

impl Reading {
    fn read(&mut self, file: &mut pdf_extract::Document, number: u32, id: ObjectId) -> PageLines {
        let late = Instant::now() >= self.until;
        let rewritten =
            if late { None } else { rewrite(file, id, &mut self.known, &mut self.written) };
        let Some(mut rewritten) = rewritten else {
            self.failed.insert(number);
            return PageLines::new(number);
        };
        let collect = |file: &pdf_extract::Document| {
            let page = PageLines::new(number);
            let (left, until) = (self.left, self.until);
            let mut page = Collector { page, left, until, looked: 0, is_far: false };
            // The engine panics on what it does not know; the other pages may be fine.
            let read = catch_unwind(AssertUnwindSafe(|| {
                pdf_extract::output_doc_page(file, &mut page, number)
            }));
            (page, matches!(read, Ok(Ok(()))))
        };
        let (mut page, mut whole) = collect(file);
        if !whole && page.left > 0 && Instant::now() < self.until {
            let mended = rewritten.mend_fonts(file, &mut self.known, |file| collect(file).1);
            if mended {
                (page, whole) = collect(file);
            }
        }
        rewritten.clear(file);
        self.endless |= rewritten.endless || page.is_far;
        if !whole || rewritten.cut {
            self.failed.insert(number);
        }
        self.left = page.left;
        page.page
    }
}

/// Returns the fields and notes of all pages that have any.
fn find_beside(file: &pdf_extract::Document, pages: &[(u32, ObjectId)]) -> Vec<Beside> {
    let mut seen: HashSet<ObjectId> = HashSet::new();
    let mut found: Vec<Beside> = pages
        .iter()
        .map(|(number, id)| Beside {
            page: *number,
            fields: forms::on_page(file, *id, &mut seen),
            notes: notes::on_page(file, *id),
        })
        .collect();
    if let Some(last) = found.last_mut() {
        last.fields.extend(forms::without_place(file, &seen));
    }
    found.retain(|it| !it.fields.is_empty() || !it.notes.is_empty());
    found
}

fn failure(error: &pdf_extract::Error) -> Failure {
    match error {
        pdf_extract::Error::Decryption(
            pdf_extract::encryption::DecryptionError::IncorrectPassword,
        )
        | pdf_extract::Error::InvalidPassword => Failure::Encrypted,
        _ => Failure::Damaged,
    }
}

fn is_picture(object: &Object) -> bool {
    let kind = object.as_stream().ok().and_then(|stream| stream.dict.get(b"Subtype").ok());
    kind.and_then(|kind| kind.as_name().ok()).is_some_and(|name| name == b"Image")
}

/// Receives the glyphs of one page from the engine.
struct Collector {
    page: PageLines,
    /// How many more bytes of text are allowed.
    left: usize,
    until: Instant,
    /// How many characters came since the time was looked at.
    looked: usize,
    /// Whether a character is or stands farther out than [`FAR`].
    is_far: bool,
}

impl Collector {
    fn is_late(&mut self) -> bool {
        self.looked += 1;
        if self.looked < BETWEEN_LOOKS {
            return false;
        }
        self.looked = 0;
        Instant::now() >= self.until
    }

    /// Takes the straight lines of a path; of a filled one only boxes as thin as lines.
    fn take_path(&mut self, place: &Transform, path: &Path, drawn: bool) {
        let at = |x: f64, y: f64| {
            (x * place.m11 + y * place.m21 + place.m31, x * place.m12 + y * place.m22 + place.m32)
        };
        let mut from = None;
        let mut filled: Vec<(f64, f64)> = Vec::new();
        for part in &path.ops {
            match *part {
                PathOp::MoveTo(x, y) => {
                    self.take_filled(&filled);
                    filled = vec![at(x, y)];
                    from = Some(at(x, y));
                }
                PathOp::LineTo(x, y) => {
                    let to = at(x, y);
                    if let Some(from) = from.filter(|_| drawn) {
                        self.page.rule(from, to);
                    } else if !filled.is_empty() {
                        filled.push(to);
                    }
                    from = Some(to);
                }
                PathOp::Rect(x, y, width, height) => {
                    let corners =
                        [(x, y), (x + width, y), (x + width, y + height), (x, y + height)];
                    let corners = corners.map(|(x, y)| at(x, y));
                    if drawn {
                        for index in 0..4 {
                            self.page.rule(corners[index], corners[(index + 1) % 4]);
                        }
                    } else {
                        self.page.rule(corners[0], corners[2]);
                    }
                }
                PathOp::Close => {}
                PathOp::CurveTo(..) => {
                    filled.clear();
                    from = None;
                }
            }
        }
        self.take_filled(&filled);
    }

    /// Takes the outline of a filled shape, if it is as thin as a line.
    fn take_filled(&mut self, corners: &[(f64, f64)]) {
        if corners.len() >= 4 {
            let low = corners.iter().fold(corners[0], |low, at| (low.0.min(at.0), low.1.min(at.1)));
            let high =
                corners.iter().fold(corners[0], |high, at| (high.0.max(at.0), high.1.max(at.1)));
            self.page.rule(low, high);
        }
    }
}

impl OutputDev for Collector {
    fn begin_page(
        &mut self,
        _: u32,
        _: &MediaBox,
        _: Option<(f64, f64, f64, f64)>,
    ) -> Result<(), OutputError> {
        Ok(())
    }
    fn end_page(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
    fn output_character(
        &mut self,
        place: &Transform,
        width: f64,
        spacing: f64,
        font_size: f64,
        text: &str,
    ) -> Result<(), OutputError> {
        let Some(left) = self.left.checked_sub(text.len()).filter(|left| *left > 0) else {
            self.left = 0;
            return Err(OutputError::FormatError(std::fmt::Error));
        };
        self.left = left;
        if self.is_late() {
            return Err(OutputError::FormatError(std::fmt::Error));
        }
        let advance = width * font_size + spacing;
        let glyph = Glyph {
            text,
            x: place.m31,
            y: place.m32,
            along: (place.m11, place.m12),
            size: (font_size * place.m21.hypot(place.m22)).abs(),
            advance: advance * place.m11.hypot(place.m12),
        };
        self.is_far |= [glyph.x, glyph.y, glyph.size].iter().any(|it| it.abs() > FAR);
        self.page.add(&glyph);
        Ok(())
    }
    fn begin_word(&mut self) -> Result<(), OutputError> {
        self.page.begin_word();
        Ok(())
    }
    fn end_word(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
    fn end_line(&mut self) -> Result<(), OutputError> {
        Ok(())
    }
    fn stroke(
        &mut self,
        place: &Transform,
        _: &ColorSpace,
        _: &[f64],
        path: &Path,
    ) -> Result<(), OutputError> {
        self.take_path(place, path, true);
        Ok(())
    }
    fn fill(
        &mut self,
        place: &Transform,
        _: &ColorSpace,
        _: &[f64],
        path: &Path,
    ) -> Result<(), OutputError> {
        if let Some(PathOp::Rect(MARK, opens, ..)) = path.ops.last() {
            self.page.at_edge(*opens == OPENS);
        }
        self.take_path(place, path, false);
        Ok(())
    }
}

fn blocks(bytes: &[u8], most: usize) -> Result<Second, Failure> {
    let options = ParseOptions::new().lenient().sequential();
    let file = unpdf::parse_bytes_with_options(bytes, options);
    let file = file.map_err(|error| match error.kind() {
        ErrorKind::Encrypted | ErrorKind::InvalidPassword => Failure::Encrypted,
        _ => Failure::Damaged,
    })?;
    let mut found = Vec::new();
    let mut size = 0;
    for page in &file.pages {
        for element in &page.elements {
            let Some(block) = convert_block(page.number, element) else { continue };
            size += block.bytes();
            if size > most {
                return Err(Failure::TooLarge);
            }
            found.push(block);
        }
    }
    let known = &file.metadata;
    let mut metadata = BTreeMap::new();
    let author = known.author.as_deref().map(one_line).filter(|author| !author.is_empty());
    metadata.extend(author.map(|author| ("author".to_owned(), author)));
    let created = known.created.map(|at| at.format("%Y-%m-%d").to_string());
    metadata.extend(created.map(|created| ("created".to_owned(), created)));
    let quality = &file.extraction_quality;
    Ok(Second {
        blocks: found,
        numbers: file.pages.iter().map(|page| page.number).collect(),
        title: known.title.clone(),
        metadata,
        pictures: file.pages.iter().any(|page| page.image_op_count > 0),
        incomplete: quality.pages_incomplete
            || quality.undecodable_content_streams > 0
            || quality.skipped_object_count > 0
            || quality.xref_reconstructed,
        repaired: quality.xref_reconstructed,
    })
}

fn convert_block(page: u32, element: &unpdf::Block) -> Option<Block> {
    let block = match element {
        unpdf::Block::Paragraph(paragraph) => {
            let text = said(paragraph);
            match paragraph.heading_level() {
                Some(level) => Block::heading(page, usize::from(level), text),
                None if paragraph.is_list_item() => Block::item(page, text),
                None => Block::paragraph(page, text),
            }
        }
        unpdf::Block::Table(table) => {
            let rows = table.rows.iter().map(|row| {
                let cells = row.cells.iter().map(|cell| {
                    cell.content.iter().map(said).collect::<Vec<_>>().join(" ").trim().to_owned()
                });
                cells.collect()
            });
            Block::table(page, rows.collect())
        }
        unpdf::Block::Code { content } | unpdf::Block::Raw { content } => {
            Block::paragraph(page, content.clone())
        }
        _ => return None,
    };
    block.holds_text().then_some(block)
}

/// Returns the words of a paragraph on one line, with words rejoined that a line end had split.
fn said(paragraph: &unpdf::Paragraph) -> String {
    let mut text = String::new();
    for part in &paragraph.content {
        match part {
            InlineContent::Text(run) => text.push_str(&run.text),
            InlineContent::Link { text: words, .. } => text.push_str(words),
            InlineContent::LineBreak => text.push('\n'),
            InlineContent::Image { .. } => {}
        }
    }
    let mut whole = String::new();
    for line in text.lines() {
        super::layout::join(&mut whole, line.trim(), |_| true);
    }
    whole
}
