//! Bytes as text, whatever their encoding.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::ReadError;

/// Returns a file's text, and a note if its encoding had to be guessed.
///
/// A byte order mark decides. Without one, text with a NUL in every second place is UTF-16, valid UTF-8 is UTF-8,
/// and anything else is Windows-1252, the encoding of most older Western exports.
/// `declared` is what the file itself says, as XML does; only a mark or UTF-16 takes precedence.
pub(super) fn decode<'a>(
    file: &str,
    bytes: &'a [u8],
    declared: Option<&'static Encoding>,
) -> Result<(Cow<'a, str>, Option<String>), ReadError> {
    let (encoding, mark) =
        Encoding::for_bom(bytes).unwrap_or_else(|| (guessed(bytes, declared), 0));
    let body = bytes.get(mark..).unwrap_or_default();
    let (text, damaged) = encoding.decode_without_bom_handling(body);
    if text.contains('\0') {
        return Err(ReadError::OtherFormat {
            file: file.to_owned(),
            expected: "text",
            found: "it contains bytes that are not text".to_owned(),
        });
    }
    let note = if damaged {
        Some(format!(
            "some letters of {file} are not readable as {} and are shown as \u{fffd}",
            encoding.name()
        ))
    } else if encoding == WINDOWS_1252 && declared.is_none() {
        Some(format!(
            "{file} is not UTF-8 and was read as Windows-1252; if letters look wrong, save it as UTF-8"
        ))
    } else {
        None
    };
    Ok((text, note))
}

fn guessed(bytes: &[u8], declared: Option<&'static Encoding>) -> &'static Encoding {
    let sample = bytes.get(..bytes.len().min(4096)).unwrap_or_default();
    let zeros = |offset: usize| {
        let places = sample.iter().skip(offset).step_by(2);
        let all = places.len();
        (all > 1) && places.filter(|byte| **byte == 0).count() * 3 > all
    };
    match (zeros(0), zeros(1)) {
        (false, true) => return UTF_16LE,
        (true, false) => return UTF_16BE,
        _ => {}
    }
    if let Some(declared) = declared.filter(|one| *one != UTF_16LE && *one != UTF_16BE) {
        return declared;
    }
    if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { WINDOWS_1252 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_usual_encoding_of_a_text_gives_the_text() {
        let text = "Größe;Café\n1;2\n";
        let utf_16 = |big: bool, mark: bool| -> Vec<u8> {
            let units = mark.then_some(0xfeff).into_iter().chain(text.encode_utf16());
            units
                .flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() })
                .collect()
        };
        let windows: Vec<u8> = text.chars().map(|letter| letter as u8).collect();
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        let all = [
            text.as_bytes().to_vec(),
            marked,
            windows,
            utf_16(true, true),
            utf_16(true, false),
            utf_16(false, true),
            utf_16(false, false),
        ];
        for (number, bytes) in all.iter().enumerate() {
            let (read, note) = decode("a.csv", bytes, None).unwrap();
            assert_eq!(read, text, "{number}");
            assert_eq!(note.is_some(), number == 2);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        let error = decode("a.csv", b"PK\x03\x04\0\0\0\0\x08abc\0", None).unwrap_err();
        assert!(error.to_string().contains("a.csv is not text"), "{error}");
    }
}
