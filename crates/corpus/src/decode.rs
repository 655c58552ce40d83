//! Bytes become text: UTF-8 where they are, the encoding they declare or look like where they are not.

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use crate::read::ReadError;

/// Of a hundred characters, how many control characters a text may hold.
const CONTROL_PERCENT: usize = 2;
/// How far into a page its declared encoding is looked for, in bytes.
const DECLARED_WITHIN: usize = 4096;

/// Text as read from bytes.
pub(crate) struct Decoded {
    pub(crate) text: String,
    /// The encoding, unless it was UTF-8.
    pub(crate) encoding: Option<&'static str>,
    pub(crate) byte_order_mark: bool,
}

/// Returns the text of `bytes`; `page` says that they may declare their encoding in a `<meta>`.
///
/// Valid UTF-8 is taken as such whatever a page declares, for what declares otherwise is nearly always mistaken.
pub(crate) fn decode(bytes: &[u8], page: bool) -> Result<Decoded, ReadError> {
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or((UTF_8, 0));
    let body = &bytes[mark..];
    let wide = encoding == UTF_16LE || encoding == UTF_16BE;
    if !wide && body.contains(&0) {
        return Err(binary(if halves(body) {
            "UTF-16 text without a byte order mark; save it as UTF-8"
        } else {
            "a file with NUL bytes"
        }));
    }
    let declared = if page { declared(body) } else { None };
    let encoding = match declared {
        _ if wide => encoding,
        Some(declared) if declared == ISO_2022_JP => declared,
        _ if std::str::from_utf8(body).is_ok() => UTF_8,
        Some(declared) if declared != UTF_8 => declared,
        _ => guessed(body),
    };
    let text = encoding.decode_without_bom_handling(body).0;
    let controls = text.chars().filter(|c| c.is_control() && !"\t\n\r\u{c}".contains(*c)).count();
    if controls * 100 > text.chars().count() * CONTROL_PERCENT {
        return Err(binary("a file with many control characters"));
    }
    Ok(Decoded {
        text: Cow::into_owned(text),
        encoding: Some(encoding.name()).filter(|name| *name != UTF_8.name()),
        byte_order_mark: mark > 0,
    })
}

fn binary(looks_like: &str) -> ReadError {
    ReadError::Binary { looks_like: looks_like.into() }
}

/// Tells whether every other byte is mostly NUL, as in UTF-16 of a Latin script.
fn halves(bytes: &[u8]) -> bool {
    let opening = &bytes[..bytes.len().min(1000)];
    let nul = |from: usize| opening.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (nul(0), nul(1));
    even.max(odd) * 5 > opening.len() * 2 && even.min(odd) * 50 < opening.len()
}

fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let opening = bytes[..bytes.len().min(DECLARED_WITHIN)].to_ascii_lowercase();
    let at = opening.windows(8).position(|window| window == b"charset=")?;
    let label = opening[at + 8..].trim_ascii_start();
    let label = label.strip_prefix(b"\"").or(label.strip_prefix(b"'")).unwrap_or(label);
    let end = label.iter().position(|byte| b"\"' ;/>\t\r\n".contains(byte))?;
    // A page that could be read as far as this declaration is not UTF-16, and `replacement` would lose it.
    Encoding::for_label_no_replacement(&label[..end])
        .filter(|found| *found != UTF_16LE && *found != UTF_16BE)
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    let mut detector = chardetng::EncodingDetector::new(chardetng::Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, chardetng::Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], page: bool) -> (String, Option<&'static str>) {
        let decoded = decode(bytes, page).unwrap();
        (decoded.text, decoded.encoding)
    }

    // proves: A6
    #[test]
    fn old_encodings_are_read_and_named() {
        let french = "Les enquêtes révèlent une préférence marquée pour le thé à Besançon.";
        let (latin, _, _) = encoding_rs::WINDOWS_1252.encode(french);
        assert_eq!(read(&latin, false), (french.to_owned(), Some("windows-1252")));
        let wide: Vec<u8> = "\u{feff}thé".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(read(&wide, false), ("thé".to_owned(), Some("UTF-16BE")));
        let page = b"<meta charset='windows-1251'><p>\xcf\xf0\xe8\xe2\xe5\xf2";
        assert_eq!(read(page, true).1, Some("windows-1251"));
        assert!(read(page, true).0.ends_with("Привет"));
    }

    #[test]
    fn a_byte_order_mark_is_dropped_and_noted() {
        let decoded = decode("\u{feff}tea\r\n".as_bytes(), false).unwrap();
        assert_eq!((decoded.text.as_str(), decoded.byte_order_mark), ("tea\r\n", true));
    }

    #[test]
    fn what_is_not_text_is_refused() {
        assert!(decode(b"tea\0", false).is_err());
        assert!(decode(b"\x01\x02\x03tea", false).is_err());
        let wide: Vec<u8> = "plain words".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(decode(&wide, false).is_err_and(|error| error.to_string().contains("UTF-16")));
    }
}
