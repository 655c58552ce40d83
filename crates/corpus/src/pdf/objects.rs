//! Looks things up in the objects of a PDF, whatever state they are in.

use pdf_extract::{Dictionary, Document, Object, ObjectId, decode_text_string};

/// How many levels of fields above a field are looked at.
pub(super) const MOST_PARENTS: usize = 32;

/// Returns the annotations of a page; those that stand in the list itself have no number.
pub(super) fn annotations(
    file: &Document,
    page: ObjectId,
) -> impl Iterator<Item = (Option<ObjectId>, &Dictionary)> {
    let page = file.get_dictionary(page).ok();
    let list = page.and_then(|page| page.get_deref(b"Annots", file).ok());
    let list = list.and_then(|list| list.as_array().ok()).map(Vec::as_slice);
    list.unwrap_or_default().iter().filter_map(|item| {
        let (id, object) = file.dereference(item).ok()?;
        Some((id, object.as_dict().ok()?))
    })
}

/// Returns an entry of a field, or that of the nearest field above it that has one.
pub(super) fn inherited<'a>(
    file: &'a Document,
    field: &'a Dictionary,
    key: &[u8],
) -> Option<&'a Object> {
    let mut at = field;
    for _ in 0..MOST_PARENTS {
        if let Ok(found) = at.get_deref(key, file) {
            return Some(found);
        }
        at = at.get_deref(b"Parent", file).ok()?.as_dict().ok()?;
    }
    None
}

pub(super) fn name<'a>(file: &'a Document, of: &'a Dictionary, key: &[u8]) -> Option<&'a [u8]> {
    of.get_deref(key, file).ok()?.as_name().ok()
}

pub(super) fn flags(file: &Document, of: &Dictionary, key: &[u8]) -> i64 {
    of.get_deref(key, file).and_then(Object::as_i64).unwrap_or(0)
}

/// Returns the rectangle of an annotation: left, bottom, right, top.
pub(super) fn place(file: &Document, of: &Dictionary) -> Option<[f64; 4]> {
    let list = of.get_deref(b"Rect", file).ok()?.as_array().ok()?;
    let mut numbers = [0.0; 4];
    for (number, item) in numbers.iter_mut().zip(list) {
        *number = f64::from(file.dereference(item).ok()?.1.as_float().ok()?);
    }
    let [a, b, c, d] = numbers;
    let whole = list.len() >= 4 && numbers.iter().all(|number| number.is_finite());
    whole.then(|| [a.min(c), b.min(d), a.max(c), b.max(d)])
}

/// Returns the text in a string.
pub(super) fn text_of(object: &Object) -> Option<String> {
    let bytes = object.as_str().ok()?;
    if let Some(pairs) = bytes.strip_prefix(b"\xFF\xFE") {
        let units: Vec<u16> =
            pairs.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        return Some(String::from_utf16_lossy(&units));
    }
    Some(decode_text_string(object).unwrap_or_else(|_| {
        bytes.iter().map(|byte| char::from(*byte)).filter(|c| !c.is_control()).collect()
    }))
}

/// Returns the text in a string, or in the stream in its place.
pub(super) fn value_text(file: &Document, value: &Object) -> Option<String> {
    let (_, value) = file.dereference(value).ok()?;
    match value {
        Object::Stream(stream) => {
            let bytes = stream.decompressed_content().ok()?;
            text_of(&Object::string_literal(bytes))
        }
        value => text_of(value),
    }
}
