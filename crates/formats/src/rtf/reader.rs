//! Follows the groups and control words of an RTF and gathers what it shows.

mod groups;
mod words;

use std::collections::{BTreeMap, HashMap};

use crate::margins::Margins;
use crate::{Fault, Script};

use super::charset::Charset;
use super::destination::{Destination, Note};
use super::flow::{Block, Flow, NUMBER};
use super::lists::Lists;
use super::tokens::Token;

/// How deep groups may be nested.
const DEEPEST_GROUP: usize = 2000;
/// How deep notes and text boxes may be nested; deeper ones are left out.
const DEEPEST_NOTE: usize = 16;
/// The most characters of the name of a font or style.
const LONGEST_NAME: usize = 100;

/// What a group inherits from the one around it.
#[derive(Debug, Clone, Copy)]
struct State {
    destination: Destination,
    charset: Charset,
    /// How many characters stand in for a Unicode character.
    stand_ins: usize,
    hidden: bool,
    deleted: bool,
    script: Script,
    struck: bool,
    style: i32,
    outline: Option<usize>,
    in_table: bool,
    /// The number of its list; 0 for none.
    list: i32,
    depth: usize,
}

#[derive(Default)]
struct Font {
    name: String,
    charset: Option<i32>,
    page: Option<i32>,
}

#[derive(Default)]
struct Style {
    name: String,
    outline: Option<usize>,
}

/// What an RTF says.
pub(super) struct Said {
    pub(super) blocks: Vec<Block>,
    pub(super) title: Option<String>,
    pub(super) metadata: BTreeMap<String, String>,
    pub(super) margins: Vec<Margins>,
}

/// What was read so far.
pub(super) struct Reader {
    open: Vec<State>,
    state: State,
    /// Whether the group has just begun, so that its first word may name its destination.
    fresh: bool,
    /// Whether the destination may be skipped if it is unknown.
    optional: bool,
    /// How many characters still stand in for the last Unicode character.
    skip: usize,
    bytes: Vec<u8>,
    /// The first half of a surrogate pair.
    high: Option<u16>,
    page: Charset,
    fonts: HashMap<i32, Font>,
    font: i32,
    default_font: i32,
    styles: HashMap<i32, Style>,
    style: i32,
    lists: Lists,
    title: Option<String>,
    metadata: BTreeMap<String, String>,
    date: [i32; 3],
    /// What gathers in a destination that is not text.
    said: String,
    author: String,
    property: String,
    /// The text, and the notes within it that are open, with the depth of their groups.
    flows: Vec<(Flow, usize, Note)>,
    endnote: bool,
    /// Whether the last field shows the number of a page.
    is_page_field: bool,
    margins: Margins,
    first_margins: Margins,
    /// Whether first pages have headers and footers of their own.
    has_first: bool,
    footnotes: usize,
    endnotes: usize,
    length: usize,
}

impl Default for Reader {
    fn default() -> Self {
        let state = State {
            destination: Destination::Text,
            charset: Charset::USUAL,
            stand_ins: 1,
            hidden: false,
            deleted: false,
            script: Script::Line,
            struck: false,
            style: -1,
            outline: None,
            in_table: false,
            list: 0,
            depth: 0,
        };
        Self {
            open: Vec::new(),
            state,
            fresh: false,
            optional: false,
            skip: 0,
            bytes: Vec::new(),
            high: None,
            page: Charset::USUAL,
            fonts: HashMap::new(),
            font: 0,
            default_font: 0,
            styles: HashMap::new(),
            style: 0,
            lists: Lists::default(),
            title: None,
            metadata: BTreeMap::new(),
            date: [0; 3],
            said: String::new(),
            author: String::new(),
            property: String::new(),
            flows: vec![(Flow::default(), 0, Note::Box)],
            endnote: false,
            is_page_field: false,
            margins: Margins::default(),
            first_margins: Margins::default(),
            has_first: false,
            footnotes: 0,
            endnotes: 0,
            length: 0,
        }
    }
}

impl Reader {
    /// Returns how many bytes of text were read.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// Notes that the number of the page stands here.
    fn number_page(&mut self) {
        if let Some((flow, _, Note::Header { .. } | Note::Footer { .. })) = self.flows.last_mut() {
            flow.push(Script::Line, false, &NUMBER.to_string());
        }
    }

    /// Returns everything that was read.
    pub(super) fn finish(mut self) -> Said {
        self.flush();
        while self.flows.len() > 1 {
            self.end_note();
        }
        let form = self.paragraph_form();
        let blocks = self.flows.pop().map(|(flow, _, _)| flow.finish(form)).unwrap_or_default();
        let mut margins = vec![self.margins];
        margins.extend(Some(self.first_margins).filter(|_| self.has_first));
        Said { blocks, title: self.title, metadata: self.metadata, margins }
    }

    pub(super) fn take(&mut self, token: Token) -> Result<(), Fault> {
        if !matches!(token, Token::Byte(_) | Token::Text(_)) {
            self.flush();
        }
        match token {
            Token::Open => {
                if self.open.len() >= DEEPEST_GROUP {
                    let what = format!("groups nested more than {DEEPEST_GROUP} deep");
                    return Err(Fault::TooComplex { what });
                }
                self.open.push(self.state);
                self.skip = 0;
                self.fresh = true;
                self.optional = false;
                return Ok(());
            }
            Token::Close => self.close(),
            Token::Symbol(b'*') if self.fresh => {
                self.optional = true;
                return Ok(());
            }
            _ if self.skip > 0 && self.stands_in(token) => {}
            Token::Word(name, number) => self.word(name, number),
            Token::Symbol(symbol) => match symbol {
                b'~' => self.push("\u{a0}"),
                b'_' => self.push("-"),
                b'\\' | b'{' | b'}' => self.text(&[symbol]),
                b'\r' | b'\n' => self.end_paragraph(),
                b'\t' => self.push("\t"),
                _ => {}
            },
            Token::Byte(byte) => self.text(&[byte]),
            Token::Text(text) => self.text(text),
        }
        self.fresh = false;
        self.optional = false;
        Ok(())
    }

    /// Leaves out what stands in for a Unicode character; returns whether nothing of the token is left.
    fn stands_in(&mut self, token: Token) -> bool {
        match token {
            Token::Text(text) => {
                let skipped = self.skip.min(text.len());
                self.skip -= skipped;
                self.text(text.get(skipped..).unwrap_or_default());
            }
            // A character that follows at once has no stand-in.
            Token::Word("u", _) => {
                self.skip = 0;
                return false;
            }
            Token::Word("par" | "cell" | "row" | "pard" | "uc", _) => {
                self.skip = 0;
                return false;
            }
            _ => self.skip -= 1,
        }
        true
    }

    fn text(&mut self, bytes: &[u8]) {
        match self.state.destination {
            Destination::Skipped | Destination::Searched | Destination::Info => {}
            _ => self.bytes.extend_from_slice(bytes),
        }
    }

    /// Decodes the bytes that were gathered.
    fn flush(&mut self) {
        if self.bytes.is_empty() {
            return;
        }
        let mut words = String::new();
        self.state.charset.decode(&self.bytes, &mut words);
        self.bytes.clear();
        self.push(&words);
    }

    /// Adds words to where they go.
    fn push(&mut self, words: &str) {
        self.high = None;
        match self.state.destination {
            Destination::Text | Destination::Note(_) => {
                if !self.state.hidden && !self.state.deleted {
                    self.length += words.len();
                    if let Some((flow, _, _)) = self.flows.last_mut() {
                        flow.push(self.state.script, self.state.struck, words);
                    }
                }
            }
            Destination::Fonts => {
                add_name(&mut self.fonts.entry(self.font).or_default().name, words);
            }
            Destination::Styles => {
                add_name(&mut self.styles.entry(self.style).or_default().name, words);
            }
            Destination::Skipped
            | Destination::Searched
            | Destination::Info
            | Destination::Created
            | Destination::Lists
            | Destination::ListOverrides => {}
            Destination::About(_)
            | Destination::Label
            | Destination::LevelText
            | Destination::Author
            | Destination::PropertyName
            | Destination::PropertyValue
            | Destination::Instruction => self.said.push_str(words),
        }
    }

    /// Adds a character by its number, which may be half of a surrogate pair.
    fn push_unit(&mut self, number: i32) {
        let Ok(unit) = u16::try_from(number & 0xFFFF) else { return };
        let pair: Vec<u16> = self.high.take().into_iter().chain([unit]).collect();
        if (0xD800..0xDC00).contains(&unit) {
            self.high = Some(unit);
        } else if (0xF020..=0xF0FF).contains(&unit)
            && let Charset::Symbols(_) = self.state.charset
        {
            self.bytes.push(u8::try_from(unit & 0xFF).unwrap_or_default());
            self.flush();
        } else {
            let whole = String::from_utf16(&pair).or_else(|_| String::from_utf16(&[unit]));
            self.push(&whole.unwrap_or_default());
        }
    }
}

/// Adds to a name that is not too long yet.
fn add_name(name: &mut String, words: &str) {
    if name.len() < LONGEST_NAME {
        name.extend(words.chars().take(LONGEST_NAME));
    }
}
