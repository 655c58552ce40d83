//! What the cells of a workbook refer to: shared texts and styles.

use std::collections::HashMap;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::super::stream::{attribute, say};
use super::{XLSX, damaged, is_true};
use crate::ooxml::is_on;
use crate::xml::{Element, parse as parse_xml};
use crate::{Fault, Script, Scripts};

/// The most texts that cells share.
const MOST_STRINGS: usize = 4_000_000;

/// Returns the texts that cells refer to by number.
pub(super) fn shared_strings(bytes: &[u8]) -> Result<Vec<Box<str>>, Fault> {
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(&text);
    let mut found = Vec::new();
    let mut words = String::new();
    let (mut is_text, mut is_reading) = (false, false);
    let (mut face, mut scripts) = (Face::default(), Scripts::default());
    loop {
        let event = reader.read_event().map_err(|_| damaged())?;
        if let Event::Start(start) | Event::Empty(start) = &event {
            face.follow(start);
        }
        match &event {
            Event::Start(start) => match start.local_name().as_ref() {
                "si" => words.clear(),
                "t" => is_text = true,
                "rPh" => is_reading = true,
                _ => {}
            },
            Event::Empty(start) if start.local_name().as_ref() == "si" => found.push("".into()),
            Event::End(end) => match end.local_name().as_ref() {
                "si" => {
                    scripts.set(Script::Line, &mut words);
                    scripts = Scripts::default();
                    found.push(unescaped(&words).into());
                }
                "t" => is_text = false,
                "rPh" => is_reading = false,
                _ => {}
            },
            Event::Eof => return Ok(found),
            event if is_text && !is_reading => {
                face.say(event, &mut words, &mut scripts);
            }
            _ => {}
        }
        if found.len() > MOST_STRINGS {
            let what = format!("more than {MOST_STRINGS} texts in its cells");
            return Err(Fault::TooComplex { what });
        }
    }
}

/// How the open run of a rich text looks, as far as that changes its meaning.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Face {
    script: Script,
    is_struck: bool,
}

impl Face {
    /// Follows an element of a rich text: a run begins on the line, and its properties may raise it or strike it through.
    pub(super) fn follow(&mut self, start: &BytesStart) {
        match start.local_name().as_ref() {
            "si" | "is" | "r" | "c" => *self = Self::default(),
            "vertAlign" => {
                self.script = match attribute(start, "val").as_deref() {
                    Some("superscript") => Script::Super,
                    Some("subscript") => Script::Sub,
                    _ => Script::Line,
                };
            }
            "strike" => self.is_struck = attribute(start, "val").is_none_or(|it| is_true(&it)),
            _ => {}
        }
    }

    /// Appends the characters that an event stands for.
    pub(super) fn say(self, event: &Event, words: &mut String, scripts: &mut Scripts) {
        scripts.set(self.script, words);
        let start = words.len();
        say(event, words);
        if self.is_struck {
            scripts.strike(words, start);
        }
    }
}

/// Returns `text` with characters that Office writes as `_x000D_`.
pub(super) fn unescaped(text: &str) -> String {
    if !text.contains("_x") {
        return text.to_owned();
    }
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        found.push_str(&rest[..at]);
        let code = rest.get(at + 2..at + 6).filter(|_| rest.get(at + 6..at + 7) == Some("_"));
        let character =
            code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        match character {
            Some(character) => {
                found.push(if character.is_control() { ' ' } else { character });
                rest = &rest[at + 7..];
            }
            None => {
                found.push_str("_x");
                rest = &rest[at + 2..];
            }
        }
    }
    found.push_str(rest);
    found
}

/// How the cells of a style look.
#[derive(Debug, Default)]
pub(super) struct Style {
    /// The code of their number format.
    pub(super) format: Box<str>,
    /// Whether they are struck through.
    pub(super) is_struck: bool,
}

/// Returns the styles of cells.
pub(super) fn cell_styles(bytes: &[u8]) -> Result<Vec<Style>, Fault> {
    let styles = parse_xml(bytes, XLSX)?;
    let mut custom: HashMap<&str, &str> = HashMap::new();
    for format in styles.child("numFmts").into_iter().flat_map(Element::elements) {
        if let (Some(id), Some(code)) =
            (format.attribute("numFmtId"), format.attribute("formatCode"))
        {
            custom.insert(id, code);
        }
    }
    let fonts = styles.child("fonts").into_iter().flat_map(Element::elements);
    let struck: Vec<bool> = fonts.map(|font| is_on(font.child("strike"))).collect();
    let cells = styles.child("cellXfs").into_iter().flat_map(Element::elements);
    let of = |style: &Element| {
        let id = style.attribute("numFmtId").unwrap_or("0");
        let font = style.attribute("fontId").and_then(|id| id.parse().ok());
        Style {
            format: custom.get(id).copied().unwrap_or_else(|| built_in(id)).into(),
            is_struck: font.is_some_and(|font: usize| struck.get(font).copied().unwrap_or(false)),
        }
    };
    Ok(cells.map(of).collect())
}

/// Returns the code of a number format that every workbook has (ECMA-376, 18.8.30).
fn built_in(id: &str) -> &'static str {
    match id {
        "1" => "0",
        "2" => "0.00",
        "3" => "#,##0",
        "4" => "#,##0.00",
        "9" => "0%",
        "10" => "0.00%",
        "11" => "0.00E+00",
        "12" => "# ?/?",
        "13" => "# ??/??",
        "14" | "15" | "27" | "28" | "29" | "30" | "31" | "36" | "50" | "51" | "52" | "53"
        | "54" | "57" | "58" => "yyyy-mm-dd",
        "16" => "d-mmm",
        "17" | "55" | "56" => "mmm-yy",
        "18" | "20" | "32" | "34" => "h:mm",
        "19" | "21" | "33" | "35" => "h:mm:ss",
        "22" => "yyyy-mm-dd h:mm",
        "37" | "38" => "#,##0 ;(#,##0)",
        "39" | "40" => "#,##0.00;(#,##0.00)",
        "41" => "#,##0;-#,##0;\"-\"",
        "42" => "\"$\"#,##0;-\"$\"#,##0;\"-\"",
        "43" => "#,##0.00;-#,##0.00;\"-\"",
        "44" => "\"$\"#,##0.00;-\"$\"#,##0.00;\"-\"",
        "45" => "mm:ss",
        "46" => "[h]:mm:ss",
        "47" => "mm:ss.0",
        "48" => "##0.0E+0",
        _ => "General",
    }
}
