//! The fonts of a page, made safe for the first engine.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use pdf_extract::{Dictionary, Document, Object, ObjectId, Stream, dictionary};

use super::cmaps::tamed;
use super::unpack;

/// The most bytes of a table of characters or of a font's program.
const MOST: usize = 16 << 20;
/// How many brackets may stand in each other within a font's program: the engine opens one within the other.
const NESTED: usize = 100;

/// Fonts that were made safe before.
pub(in crate::pdf) struct Known {
    /// By their numbers.
    fonts: HashMap<ObjectId, Rc<Dictionary>>,
    plain: Rc<Dictionary>,
    mute: Rc<Dictionary>,
    /// Those that stand for fonts which could not be read.
    guessed: HashSet<*const Dictionary>,
}

impl Known {
    pub(in crate::pdf) fn none() -> Self {
        let plain = dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Times-Roman", "Encoding" => "WinAnsiEncoding",
        };
        let mut mute = plain.clone();
        let table = (0..=255).map(|code| format!("1 beginbfchar <{code:02x}> <200b> endbfchar\n"));
        let table: String = table.collect();
        mute.set("ToUnicode", Stream::new(Dictionary::new(), table.into_bytes()));
        Self {
            fonts: HashMap::new(),
            plain: Rc::new(plain),
            mute: Rc::new(mute),
            guessed: HashSet::new(),
        }
    }

    /// Returns a font that every reader has.
    pub(super) fn plain(&self) -> Rc<Dictionary> {
        Rc::clone(&self.plain)
    }

    /// Returns a font whose text is none: what its codes stand for is not known.
    pub(super) fn mute(&self) -> Rc<Dictionary> {
        Rc::clone(&self.mute)
    }

    /// Returns whether a font stands for one that could not be read.
    pub(super) fn is_guessed(&self, font: &Rc<Dictionary>) -> bool {
        self.guessed.contains(&Rc::as_ptr(font))
    }

    /// Puts a font in the place of another from now on.
    pub(super) fn replace(&mut self, old: &Rc<Dictionary>, new: &Rc<Dictionary>) {
        self.guessed.insert(Rc::as_ptr(new));
        let all = self.fonts.values_mut();
        all.filter(|font| Rc::ptr_eq(font, old)).for_each(|font| *font = Rc::clone(new));
    }
}

/// Returns a font as the engine can read it.
pub(super) fn safe(file: &Document, font: &Object, known: &mut Known) -> Option<Rc<Dictionary>> {
    let id = font.as_reference().ok();
    if let Some(found) = id.and_then(|id| known.fonts.get(&id)) {
        return Some(Rc::clone(found));
    }
    let (_, font) = file.dereference(font).ok()?;
    let mut made = font.as_dict().ok()?.clone();
    if let Ok(Object::Stream(table)) = made.get_deref(b"ToUnicode", file) {
        let table = tamed(&unpack(table, MOST));
        made.set("ToUnicode", Stream::new(Dictionary::new(), table));
    } else {
        made.remove(b"ToUnicode");
    }
    if let Ok(Object::Stream(table)) = made.get_deref(b"Encoding", file)
        && is_nested(&unpack(table, MOST))
    {
        made.remove(b"Encoding");
    }
    let descriptor = made.get_deref(b"FontDescriptor", file).and_then(Object::as_dict).ok();
    let program = descriptor.and_then(|it| it.get_deref(b"FontFile", file).ok());
    if let Some(program) = program.and_then(|it| it.as_stream().ok())
        && is_nested(&unpack(program, MOST))
    {
        remove_program(file, &mut made);
    }
    let made = Rc::new(made);
    if let Some(id) = id {
        known.fonts.insert(id, Rc::clone(&made));
    }
    Some(made)
}

/// Returns the font with less and less of what the engine may not know.
pub(super) fn simpler(file: &Document, font: &Dictionary) -> [Dictionary; 3] {
    let mut bare = font.clone();
    remove_program(file, &mut bare);
    let mut coded = bare.clone();
    coded.set("Encoding", "WinAnsiEncoding");
    if font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Type3") {
        coded.set("Subtype", "Type1");
    }
    let mut unnamed = coded.clone();
    unnamed.remove(b"ToUnicode");
    [bare, coded, unnamed]
}

/// Returns whether the codes of a font have more than one byte.
pub(super) fn is_wide(font: &Dictionary) -> bool {
    font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|kind| kind == b"Type0")
}

fn remove_program(file: &Document, font: &mut Dictionary) {
    let descriptor = font.get_deref(b"FontDescriptor", file).and_then(Object::as_dict);
    let Ok(mut descriptor) = descriptor.cloned() else { return };
    for program in [b"FontFile".as_slice(), b"FontFile2", b"FontFile3"] {
        descriptor.remove(program);
    }
    font.set("FontDescriptor", descriptor);
}

/// Returns whether more brackets stand in each other than any program has.
fn is_nested(program: &[u8]) -> bool {
    let text = memchr::memmem::find(program, b"eexec").map_or(program, |end| &program[..end]);
    let mut depth = 0_usize;
    for byte in text {
        match byte {
            b'[' | b'{' | b'(' | b'<' => depth += 1,
            b']' | b'}' | b')' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > NESTED {
            return true;
        }
    }
    false
}
