//! Writes down what is drawn: text, straight lines and where they stand.

use std::collections::HashMap;
use std::io::Write;
use std::rc::Rc;

use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::fonts::{self, Known};
use super::tokens::{Token, Tokens, number};
use super::{MOST, numbers, unpack};

/// How deep forms may stand in forms.
const FORMS: usize = 16;
/// The most forms that are drawn on a page.
const DRAWN: usize = 20_000;
/// How deep states may be saved, and marks may stand in marks.
const NESTED: usize = 512;
/// The longest path that may be the border of a table, in bytes.
const PATH: usize = 1 << 16;
/// The most bytes of a number that may be one of a page though it is none: `.-`.
const NUMBER: usize = 4;
/// The most operands of an instruction.
const OPERANDS: usize = 64;
/// The left edge of a box that is none: its text stands at the edge of all pages, from here or until here.
pub(in crate::pdf) const MARK: f64 = -7_654_321.0;
/// The bottom edge of the box where such text begins.
pub(in crate::pdf) const OPENS: f64 = 1.0;

enum Operand<'a> {
    Number(f64),
    Name(&'a [u8]),
    Text(Vec<u8>),
    List(Vec<u8>),
    /// Of a mark: whether it says that it stands at the edge of all pages.
    Running(bool),
}

/// What became of a page.
pub(super) struct Written {
    pub(super) content: Vec<u8>,
    pub(super) fonts: Vec<Rc<Dictionary>>,
    /// Whether some of its text could not be kept.
    pub(super) cut: bool,
    /// Whether it would become larger than any page.
    pub(super) endless: bool,
    /// Whether it has a number that is larger than any page.
    pub(super) is_far: bool,
}

pub(super) struct Writer<'a> {
    file: &'a Document,
    known: &'a mut Known,
    fonts: Vec<Rc<Dictionary>>,
    /// The places of fonts in the list, by where the file holds them.
    places: HashMap<Option<*const Object>, usize>,
    out: Vec<u8>,
    most: usize,
    /// The forms that are being drawn.
    open: Vec<ObjectId>,
    /// How many forms were drawn.
    drawn: usize,
    cut: bool,
    endless: bool,
    is_far: bool,
    path: Vec<u8>,
    /// Whether a font was chosen, now and in each saved state.
    has_font: bool,
    saved: Vec<bool>,
    marks: Vec<bool>,
}

impl<'a> Writer<'a> {
    pub(super) fn of(file: &'a Document, known: &'a mut Known, most: usize) -> Self {
        Self {
            file,
            known,
            fonts: Vec::new(),
            places: HashMap::new(),
            out: Vec::new(),
            most,
            open: Vec::new(),
            drawn: 0,
            cut: false,
            endless: false,
            is_far: false,
            path: Vec::new(),
            has_font: false,
            saved: Vec::new(),
            marks: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Written {
        let Self { out, fonts, cut, endless, is_far, .. } = self;
        Written { content: out, fonts, cut: cut || endless, endless, is_far }
    }

    /// Writes the instructions of a page or a form, which find their fonts and forms in `resources`.
    pub(super) fn draw(&mut self, content: &[u8], resources: &Dictionary) {
        self.endless |= content.len() >= MOST;
        let (states, marks) = (self.saved.len(), self.marks.len());
        let mut tokens = Tokens::of(content);
        let mut operands: Vec<Operand> = Vec::new();
        while let Some(token) = tokens.next() {
            if self.out.len() > self.most {
                self.endless = true;
                break;
            }
            let operand = match token {
                Token::Word(b"BI") => {
                    tokens.skip_image();
                    operands.clear();
                    continue;
                }
                Token::Word(word) => {
                    self.instruct(word, &operands, resources, states);
                    operands.clear();
                    continue;
                }
                Token::Number(text) => {
                    let value = number(text);
                    self.is_far |= value.is_none() && text.len() > NUMBER;
                    value.map(Operand::Number)
                }
                Token::Name(name) => Some(Operand::Name(name)),
                Token::Literal(_) | Token::Hex(_) => string(token).map(Operand::Text),
                Token::Open => Some(Operand::List(list(&mut tokens))),
                Token::OpenDictionary => Some(Operand::Running(is_running(&mut tokens))),
                Token::Close | Token::CloseDictionary => None,
            };
            if operands.len() == OPERANDS {
                operands.remove(0);
            }
            operands.extend(operand);
        }
        while self.marks.len() > marks {
            self.end_mark();
        }
        while self.saved.len() > states {
            self.restore();
        }
    }

    fn instruct(
        &mut self,
        word: &[u8],
        operands: &[Operand],
        resources: &Dictionary,
        states: usize,
    ) {
        match word {
            b"q" if self.saved.len() < NESTED => {
                self.saved.push(self.has_font);
                self.say(&[], "q");
            }
            b"Q" if self.saved.len() > states => self.restore(),
            b"BT" | b"ET" | b"T*" => self.say(&[], &String::from_utf8_lossy(word)),
            b"cm" | b"Tm" => self.say_numbers::<6>(word, operands),
            b"Td" | b"TD" => self.say_numbers::<2>(word, operands),
            b"Tc" | b"Tw" | b"Tz" | b"TL" | b"Ts" => self.say_numbers::<1>(word, operands),
            b"Tf" => self.choose_font(operands, resources),
            b"Tj" | b"TJ" => self.show(operands),
            b"'" => {
                self.say(&[], "T*");
                self.show(operands);
            }
            b"\"" => {
                if let Some([word, letter]) = last(operands.split_last().map_or(&[], |it| it.1)) {
                    self.say(&[word], "Tw");
                    self.say(&[letter], "Tc");
                }
                self.say(&[], "T*");
                self.show(operands);
            }
            b"m" | b"l" => self.go::<2>(word, operands),
            b"c" => self.go::<6>(word, operands),
            b"v" | b"y" | b"re" => self.go::<4>(word, operands),
            b"h" => self.path.extend_from_slice(b"h\n"),
            b"S" | b"B" | b"B*" => self.paint("S"),
            b"s" | b"b" | b"b*" => {
                self.path.extend_from_slice(b"h\n");
                self.paint("S");
            }
            b"f" | b"F" | b"f*" => self.paint("f"),
            b"n" => self.path.clear(),
            b"BMC" | b"BDC" => self.begin_mark(operands, resources),
            b"EMC" => self.end_mark(),
            b"Do" => self.draw_form(operands, resources),
            _ => {}
        }
    }

    fn say(&mut self, numbers: &[f64], word: &str) {
        for number in numbers {
            // Writing to memory cannot fail.
            let _ = write!(self.out, "{number} ");
        }
        self.out.extend_from_slice(word.as_bytes());
        self.out.push(b'\n');
    }

    fn say_numbers<const COUNT: usize>(&mut self, word: &[u8], operands: &[Operand]) {
        if let Some(numbers) = last::<COUNT>(operands) {
            self.say(&numbers, &String::from_utf8_lossy(word));
        }
    }

    fn restore(&mut self) {
        if let Some(had_font) = self.saved.pop() {
            self.has_font = had_font;
            self.say(&[], "Q");
        }
    }

    fn choose_font(&mut self, operands: &[Operand], resources: &Dictionary) {
        let [.., Operand::Name(name), Operand::Number(size)] = operands else { return };
        let named = resources.get_deref(b"Font", self.file).and_then(Object::as_dict);
        let font = named.and_then(|named| named.get(name)).ok();
        let next = self.fonts.len();
        let place = *self.places.entry(font.map(std::ptr::from_ref)).or_insert(next);
        if place == next {
            let safe = font.and_then(|font| fonts::safe(self.file, font, self.known));
            let font = safe.unwrap_or_else(|| self.known.plain());
            self.cut |= self.known.is_guessed(&font);
            self.fonts.push(font);
        }
        self.has_font = true;
        self.out.extend_from_slice(format!("/F{place} ").as_bytes());
        self.say(&[*size], "Tf");
    }

    fn show(&mut self, operands: &[Operand]) {
        let (text, word) = match operands {
            [.., Operand::Text(text)] => (text, "Tj"),
            [.., Operand::List(list)] => (list, "TJ"),
            _ => return,
        };
        if self.has_font {
            self.out.extend_from_slice(text);
            self.say(&[], word);
        }
    }

    /// Adds to the path.
    fn go<const COUNT: usize>(&mut self, word: &[u8], operands: &[Operand]) {
        let Some(numbers) = last::<COUNT>(operands) else { return };
        if self.path.len() > PATH {
            return;
        }
        for number in numbers {
            let _ = write!(self.path, "{number} ");
        }
        self.path.extend_from_slice(word);
        self.path.push(b'\n');
    }

    fn paint(&mut self, word: &str) {
        // What begins nowhere goes nowhere.
        let begun = memchr::memchr2(b'm', b'e', &self.path).is_some();
        if begun && self.path.len() <= PATH {
            self.out.append(&mut self.path);
            self.say(&[], word);
        }
        self.path.clear();
    }

    fn begin_mark(&mut self, operands: &[Operand], resources: &Dictionary) {
        if self.marks.len() >= NESTED {
            return;
        }
        let running = match operands {
            [.., Operand::Name(b"Artifact"), Operand::Running(running)] => *running,
            [.., Operand::Name(b"Artifact"), Operand::Name(name)] => {
                let named = resources.get_deref(b"Properties", self.file).and_then(Object::as_dict);
                let about = named.and_then(|named| named.get_deref(name, self.file));
                let kind = about.and_then(Object::as_dict).and_then(|it| it.get(b"Type"));
                kind.and_then(Object::as_name).is_ok_and(|kind| kind == b"Pagination")
            }
            _ => false,
        };
        self.marks.push(running);
        if running {
            self.say(&[MARK, OPENS, 0.0, 0.0], "re f");
        }
    }

    fn end_mark(&mut self) {
        if self.marks.pop() == Some(true) {
            self.say(&[MARK, 0.0, 0.0, 0.0], "re f");
        }
    }

    fn draw_form(&mut self, operands: &[Operand], resources: &Dictionary) {
        let [.., Operand::Name(name)] = operands else { return };
        let named = resources.get_deref(b"XObject", self.file).and_then(Object::as_dict);
        let Ok(form) = named.and_then(|named| named.get(name)) else { return };
        let Ok((id, form)) = self.file.dereference(form) else { return };
        let (Some(id), Ok(form)) = (id, form.as_stream()) else { return };
        let kind = form.dict.get(b"Subtype").and_then(Object::as_name);
        if kind.ok() != Some(b"Form".as_slice()) || self.open.contains(&id) {
            return;
        }
        self.endless |= self.drawn == DRAWN;
        if self.open.len() == FORMS || self.endless || self.saved.len() >= NESTED {
            self.cut = true;
            return;
        }
        self.drawn += 1;
        self.open.push(id);
        self.saved.push(self.has_font);
        self.say(&[], "q");
        let matrix = form.dict.get_deref(b"Matrix", self.file).ok();
        if let Some(matrix) = matrix.and_then(|it| numbers::<6>(self.file, it)) {
            self.say(&matrix, "cm");
        }
        let own = form.dict.get_deref(b"Resources", self.file).and_then(Object::as_dict);
        self.draw(&unpack(form, MOST), own.unwrap_or(resources));
        self.restore();
        self.open.pop();
    }
}

/// Returns the last operands, if they are numbers.
fn last<const COUNT: usize>(operands: &[Operand]) -> Option<[f64; COUNT]> {
    let tail = operands.last_chunk::<COUNT>()?;
    let mut found = [0.0; COUNT];
    for (number, operand) in found.iter_mut().zip(tail) {
        let Operand::Number(value) = operand else { return None };
        *number = *value;
    }
    Some(found)
}

/// Returns a string as the engine reads it.
fn string(token: Token) -> Option<Vec<u8>> {
    /// How many parentheses the engine reads within each other.
    const NESTED: usize = 50;
    let (open, text, close) = match token {
        Token::Literal(text) if text.iter().filter(|byte| **byte == b'(').count() < NESTED => {
            (b'(', text.to_vec(), b')')
        }
        Token::Hex(text) => {
            (b'<', text.iter().copied().filter(u8::is_ascii_hexdigit).collect(), b'>')
        }
        _ => return None,
    };
    Some([&[open], text.as_slice(), &[close]].concat())
}

/// Returns a list of strings and of the distances between them, up to its end.
fn list(tokens: &mut Tokens) -> Vec<u8> {
    let mut written = vec![b'['];
    for token in tokens {
        match token {
            Token::Close | Token::Word(_) => break,
            Token::Number(text) => {
                if let Some(distance) = number(text) {
                    let _ = write!(written, "{distance} ");
                }
            }
            token => written.extend(string(token).unwrap_or_default()),
        }
    }
    written.push(b']');
    written
}

/// Returns whether a dictionary, up to its end, says that something stands at the edge of all pages.
fn is_running(tokens: &mut Tokens) -> bool {
    let mut depth = 0_usize;
    let mut found = false;
    for token in tokens {
        match token {
            Token::OpenDictionary => depth += 1,
            Token::CloseDictionary if depth == 0 => break,
            Token::CloseDictionary => depth -= 1,
            Token::Name(b"Pagination") => found = true,
            Token::Word(b"BDC" | b"BMC" | b"EMC" | b"BT" | b"ET") => break,
            _ => {}
        }
    }
    found
}
