//! The values of a form's fields: what people typed, chose and checked.

use std::collections::HashSet;

use pdf_extract::content::Content;
use pdf_extract::{Dictionary, Document, Object, ObjectId};

use super::objects::{MOST_PARENTS, flags, inherited, name, place, text_of, value_text};

/// The most fields that are read from one file.
const FIELDS: usize = 20_000;

/// A field of a form, with a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Field {
    /// What the form calls it: its tooltip, else its name; may be empty.
    pub(super) name: String,
    pub(super) value: Value,
    /// Left, bottom, right and top, in the page's own units.
    pub(super) place: Option<[f64; 4]>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    Text(String),
    /// A box or a button of several; `false` if it is left empty.
    Checked(bool),
}

impl Field {
    /// Returns the field as words of its own, or `None` for an empty box.
    pub(super) fn said(&self) -> Option<String> {
        match &self.value {
            Value::Text(text) if self.name.is_empty() => Some(text.clone()),
            Value::Text(text) => {
                Some(format!("{}: {text}", self.name.trim_end_matches([':', ' '])))
            }
            Value::Checked(true) if !self.name.is_empty() => {
                Some(format!("{CHECKED} {}", self.name))
            }
            Value::Checked(_) => None,
        }
    }
}

/// A box with a mark in it, and one without.
pub(super) const CHECKED: char = '☒';
pub(super) const EMPTY: char = '☐';

/// Returns the fields whose boxes stand on this page.
pub(super) fn on_page(file: &Document, page: ObjectId, seen: &mut HashSet<ObjectId>) -> Vec<Field> {
    let mut found = Vec::new();
    for (id, widget) in super::objects::annotations(file, page) {
        if found.len() >= FIELDS || name(file, widget, b"Subtype") != Some(b"Widget".as_slice()) {
            continue;
        }
        let parent = widget.get(b"Parent").and_then(Object::as_reference).ok();
        seen.extend(id);
        seen.extend(parent);
        // Hidden, or not shown on the screen.
        if flags(file, widget, b"F") & 0b10_0010 != 0 {
            continue;
        }
        found.extend(field(file, widget));
    }
    found
}

/// Returns the fields that stand on no page.
pub(super) fn without_place(file: &Document, seen: &HashSet<ObjectId>) -> Vec<Field> {
    let Some(form) = find_form(file) else { return Vec::new() };
    let mut open: Vec<ObjectId> = references(file, form, b"Fields");
    let mut visited: HashSet<ObjectId> = HashSet::new();
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        if !visited.insert(id) || visited.len() > FIELDS || seen.contains(&id) {
            continue;
        }
        let Ok(field_or_group) = file.get_dictionary(id) else { continue };
        let kids = references(file, field_or_group, b"Kids");
        if kids.iter().any(|kid| seen.contains(kid)) && field_or_group.has(b"FT") {
            continue;
        }
        if kids.is_empty() {
            let at = field(file, field_or_group).map(|field| Field { place: None, ..field });
            found.extend(at.filter(|field| !matches!(field.value, Value::Checked(false))));
        }
        open.extend(kids);
    }
    found.reverse();
    found
}

/// Returns whether the form is of a kind that only its maker's program shows: XFA, without fields of the usual kind.
pub(super) fn is_xfa_only(file: &Document) -> bool {
    find_form(file)
        .is_some_and(|form| form.has(b"XFA") && references(file, form, b"Fields").is_empty())
}

fn find_form(file: &Document) -> Option<&Dictionary> {
    file.catalog().ok()?.get_deref(b"AcroForm", file).ok()?.as_dict().ok()
}

fn references(file: &Document, of: &Dictionary, key: &[u8]) -> Vec<ObjectId> {
    let list = of.get_deref(key, file).and_then(Object::as_array);
    list.map(|list| list.iter().filter_map(|item| item.as_reference().ok()).collect())
        .unwrap_or_default()
}

fn field(file: &Document, widget: &Dictionary) -> Option<Field> {
    let kind = inherited(file, widget, b"FT")?.as_name().ok()?;
    let settings = inherited(file, widget, b"Ff").and_then(|it| it.as_i64().ok()).unwrap_or(0);
    let value = inherited(file, widget, b"V");
    let value = match kind {
        b"Tx" if settings & (1 << 13) == 0 => {
            let text = value.and_then(|value| value_text(file, value));
            Value::Text(text.or_else(|| shown(file, widget)).unwrap_or_default())
        }
        b"Ch" => Value::Text(chosen(file, widget, value).or_else(|| shown(file, widget))?),
        b"Btn" if settings & (1 << 16) == 0 => {
            let state = name(file, widget, b"AS").or(value.and_then(|value| value.as_name().ok()));
            Value::Checked(state.is_some_and(|state| state != b"Off"))
        }
        b"Sig" => {
            let signature = value?.as_dict().ok()?;
            let by = signature.get_deref(b"Name", file).ok().and_then(text_of)?;
            Value::Text(format!("signed by {by}"))
        }
        _ => return None,
    };
    if matches!(&value, Value::Text(text) if text.trim().is_empty()) {
        return None;
    }
    let value = match value {
        Value::Text(text) => Value::Text(text.trim().to_owned()),
        checked => checked,
    };
    let mut called = read_label(file, widget);
    if settings & (1 << 15) != 0
        && let Some(option) = read_option(file, widget)
    {
        called = if called.is_empty() { option } else { format!("{called}: {option}") };
    }
    Some(Field { name: called, value, place: place(file, widget) })
}

/// Returns what a form calls a field: the tooltip, else the name where people gave it.
fn read_label(file: &Document, widget: &Dictionary) -> String {
    let tooltip = inherited(file, widget, b"TU").and_then(text_of);
    if let Some(tooltip) = tooltip.map(|it| crate::document::one_line(&it))
        && !tooltip.is_empty()
    {
        return tooltip;
    }
    let mut parts: Vec<String> = Vec::new();
    let mut at = Some(widget);
    for _ in 0..MOST_PARENTS {
        let Some(field) = at else { break };
        parts.extend(field.get_deref(b"T", file).ok().and_then(text_of));
        at = field.get_deref(b"Parent", file).ok().and_then(|it| it.as_dict().ok());
    }
    // `topmostSubform[0].Page1[0].f1_01[0]`: the last part is the field's own.
    let own = parts.first().map(String::as_str).unwrap_or_default();
    let own = own.split_once('[').map_or(own, |(own, _)| own);
    let words = own.replace(['_', '.'], " ");
    let letters = words.chars().filter(|c| c.is_alphabetic()).count();
    let digits = words.chars().filter(char::is_ascii_digit).count();
    if letters < 2 || digits > letters { String::new() } else { words.trim().to_owned() }
}

/// Returns what a radio button stands for.
fn read_option(file: &Document, widget: &Dictionary) -> Option<String> {
    let state = name(file, widget, b"AS")?;
    let state = String::from_utf8_lossy(state).into_owned();
    let options = inherited(file, widget, b"Opt").and_then(|it| it.as_array().ok());
    let option = options.and_then(|options| options.get(state.parse::<usize>().ok()?));
    let said = option.and_then(text_of).unwrap_or(state);
    said.chars().any(char::is_alphabetic).then_some(said)
}

/// Returns the words of the options that are chosen in a list.
fn chosen(file: &Document, widget: &Dictionary, value: Option<&Object>) -> Option<String> {
    let value = value?;
    let options = inherited(file, widget, b"Opt").and_then(|it| it.as_array().ok());
    let shown = |exported: String| {
        let pairs = options.into_iter().flatten().filter_map(|option| option.as_array().ok());
        let mut pairs = pairs.filter_map(|pair| Some((text_of(pair.first()?)?, pair.get(1)?)));
        let pair = pairs.find(|(export, _)| *export == exported);
        pair.and_then(|(_, shown)| text_of(shown)).unwrap_or(exported)
    };
    let all: Vec<String> = match value {
        Object::Array(all) => all.iter().filter_map(text_of).map(shown).collect(),
        one => text_of(one).map(shown).into_iter().collect(),
    };
    (!all.is_empty()).then(|| all.join(", "))
}

/// Returns the words that a field's appearance shows.
fn shown(file: &Document, widget: &Dictionary) -> Option<String> {
    let appearance = widget.get_deref(b"AP", file).ok()?.as_dict().ok()?;
    let stream = appearance.get_deref(b"N", file).ok()?.as_stream().ok()?;
    let content = stream.decompressed_content().unwrap_or_else(|_| stream.content.clone());
    let content = Content::decode(content.get(..1 << 16).unwrap_or(&content)).ok()?;
    let mut text = String::new();
    for operation in &content.operations {
        match operation.operator.as_str() {
            "Td" | "TD" | "T*" | "Tm" if !text.is_empty() => text.push(' '),
            "Tj" | "'" | "\"" => text.extend(operation.operands.last().and_then(text_of)),
            "TJ" => {
                let parts = operation.operands.first().and_then(|it| it.as_array().ok());
                text.extend(parts.into_iter().flatten().filter_map(text_of));
            }
            _ => {}
        }
    }
    // Codes of a font of its own are no characters.
    let sound = text.chars().all(|c| !c.is_control());
    (sound && !text.trim().is_empty()).then(|| crate::document::one_line(&text))
}
