//! A page is written anew as the first engine can read it.
//!
//! `pdf-extract` follows forms within forms without end and draws them in the wrong place, takes fonts of one name for one font, does not
//! know all ways to show text, and gives up a page at the first colour, byte or operand that it does not expect. So the instructions of a
//! page and of its forms become one stream that has text, straight lines and their places, each with the operands that it must have.

mod cmaps;
mod fonts;
mod tokens;
mod writer;

use std::io::Read;
use std::rc::Rc;

use flate2::read::ZlibDecoder;
use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream};

pub(super) use fonts::Known;
pub(super) use writer::{MARK, OPENS};
use writer::{Writer, Written};

/// The most bytes that a stream of instructions may have.
const MOST: usize = 32 << 20;
/// How many levels of lists of pages a page looks to for what it lacks.
const LEVELS: usize = 32;
/// The size of a page that says none: left, bottom, right, top.
const LETTER: [f64; 4] = [0.0, 0.0, 612.0, 792.0];

/// A page written anew.
pub(super) struct Rewritten {
    page: ObjectId,
    /// The stream of its instructions.
    stream: ObjectId,
    /// Its fonts, `F0`, `F1` and so on.
    fonts: Vec<Rc<Dictionary>>,
    /// Whether some of its text could not be kept.
    pub(super) cut: bool,
    /// Whether it would become larger than any page.
    pub(super) endless: bool,
}

/// Writes a page anew, in the place of the old one; `left` is how many bytes the pages may still become.
pub(super) fn rewrite(
    file: &mut Document,
    page: ObjectId,
    known: &mut Known,
    left: &mut usize,
) -> Option<Rewritten> {
    let dictionary = file.get_dictionary(page).ok()?;
    let none = Dictionary::new();
    let resources = inherited(file, dictionary, b"Resources").and_then(|it| it.as_dict().ok());
    let media_box = inherited(file, dictionary, b"MediaBox").and_then(|it| numbers(file, it));
    let [x0, y0, x1, y1] = media_box.unwrap_or(LETTER).map(|it: f64| Object::Real(it as f32));
    let mut writer = Writer::of(file, known, MOST.min(*left));
    writer.draw(&page_content(file, dictionary), resources.unwrap_or(&none));
    let Written { content, fonts, cut, endless, is_far } = writer.finish();
    *left -= content.len().min(*left);
    let stream = file.add_object(Object::Null);
    let dictionary = file.get_object_mut(page).ok()?.as_dict_mut().ok()?;
    dictionary.set("Contents", Object::Reference(stream));
    dictionary.set("MediaBox", vec![x0, y0, x1, y1]);
    dictionary.remove(b"ArtBox");
    let rewritten = Rewritten { page, stream, fonts, cut, endless: endless || is_far };
    rewritten.put(file, content, &rewritten.fonts);
    Some(rewritten)
}

impl Rewritten {
    /// Makes these the instructions and the fonts of the page.
    fn put(&self, file: &mut Document, content: Vec<u8>, fonts: &[Rc<Dictionary>]) {
        file.set_object(self.stream, Stream::new(Dictionary::new(), content));
        let mut named = Dictionary::new();
        for (index, font) in fonts.iter().enumerate() {
            named.set(format!("F{index}"), (**font).clone());
        }
        let mut resources = Dictionary::new();
        resources.set("Font", named);
        if let Ok(page) = file.get_object_mut(self.page).and_then(Object::as_dict_mut) {
            page.set("Resources", resources);
        }
    }

    /// Makes those fonts simpler that the engine cannot read, of which `reads` tells. Returns whether there were any.
    pub(super) fn mend_fonts(
        &mut self,
        file: &mut Document,
        known: &mut Known,
        reads: impl Fn(&Document) -> bool,
    ) -> bool {
        let stream = file.get_object(self.stream).and_then(Object::as_stream);
        let Ok(content) = stream.map(|stream| stream.content.clone()) else { return false };
        let mut mended = false;
        for index in 0..self.fonts.len() {
            let font = Rc::clone(&self.fonts[index]);
            let mut is_sound = |font: &Rc<Dictionary>| {
                self.put(file, b"BT /F0 1 Tf ET".to_vec(), std::slice::from_ref(font));
                reads(file)
            };
            if is_sound(&font) {
                continue;
            }
            mended = true;
            self.cut = true;
            let simpler = fonts::simpler(file, &font).map(Rc::new);
            let mut is_sound = |font: &&Rc<Dictionary>| {
                self.put(file, b"BT /F0 1 Tf ET".to_vec(), std::slice::from_ref(*font));
                reads(file)
            };
            let chosen = simpler.iter().find(&mut is_sound).map(Rc::clone);
            let chosen = chosen.unwrap_or_else(|| {
                if fonts::is_wide(&font) { known.mute() } else { known.plain() }
            });
            known.replace(&font, &chosen);
            self.fonts[index] = chosen;
        }
        self.put(file, content, &self.fonts);
        mended
    }

    /// Gives back the room that the page took.
    pub(super) fn clear(&self, file: &mut Document) {
        file.set_object(self.stream, Object::Null);
    }
}

/// Returns an entry of a page, or that of the nearest list above it that has one.
fn inherited<'a>(file: &'a Document, page: &'a Dictionary, key: &[u8]) -> Option<&'a Object> {
    let mut at = page;
    for _ in 0..LEVELS {
        if let Ok(found) = at.get_deref(key, file) {
            return Some(found);
        }
        at = at.get_deref(b"Parent", file).ok()?.as_dict().ok()?;
    }
    None
}

/// Returns the numbers in a list of as many.
fn numbers<const COUNT: usize>(file: &Document, list: &Object) -> Option<[f64; COUNT]> {
    let list = list.as_array().ok()?;
    let mut found = [0.0; COUNT];
    for (number, item) in found.iter_mut().zip(list) {
        *number = f64::from(file.dereference(item).ok()?.1.as_float().ok()?);
    }
    (list.len() == COUNT && found.iter().all(|number| number.is_finite())).then_some(found)
}

/// Returns the instructions of a page, which may stand in several streams.
fn page_content(file: &Document, page: &Dictionary) -> Vec<u8> {
    let mut content = Vec::new();
    let Ok(found) = page.get_deref(b"Contents", file) else { return content };
    let parts = match found {
        Object::Array(parts) => parts.as_slice(),
        part => std::slice::from_ref(part),
    };
    for part in parts {
        let part = file.dereference(part).ok().and_then(|(_, part)| part.as_stream().ok());
        if let Some(part) = part {
            content.extend_from_slice(&unpack(part, MOST.saturating_sub(content.len())));
            content.push(b'\n');
        }
    }
    content
}

/// Returns what a stream holds, up to the first damage and to `most` bytes.
fn unpack(stream: &Stream, most: usize) -> Vec<u8> {
    let filters = stream.filters().unwrap_or_default();
    let mut plain = if filters.as_slice() == [b"FlateDecode"] && !stream.dict.has(b"DecodeParms") {
        let mut plain = Vec::new();
        let mut from = ZlibDecoder::new(stream.content.as_slice());
        let mut step = [0; 4096];
        while plain.len() < most {
            match from.read(&mut step) {
                Ok(0) | Err(_) => break,
                Ok(count) => plain.extend_from_slice(&step[..count]),
            }
        }
        plain
    } else {
        stream.decompressed_content().unwrap_or_else(|_| stream.content.clone())
    };
    plain.truncate(most);
    plain
}
