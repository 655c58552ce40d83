//! Bytes become text: as UTF-8 if they are valid UTF-8, else in the encoding that they declare or look like.

use std::borrow::Cow;

use encoding_rs::{Encoding, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};

use crate::read::ReadError;

/// The percentage of characters that may be control characters.
const CONTROL_PERCENT: usize = 2;
/// A claimed encoding is accepted if at most one in this many non-ASCII characters is broken.
const BROKEN_SHARE: usize = 20;
/// Bytes are UTF-8 if they have at least this many sound letters beyond ASCII for each broken place.
const SOUND_SHARE: usize = 4;
/// How far into a page the encoding declaration is searched for, in bytes.
const DECLARED_WITHIN: usize = 4096;

/// Text decoded from bytes.
pub(crate) struct Decoded<'a> {
    /// The bytes themselves, if they are UTF-8.
    pub(crate) text: Cow<'a, str>,
    /// The encoding, unless it was UTF-8.
    pub(crate) encoding: Option<&'static str>,
    pub(crate) byte_order_mark: bool,
    /// How many places of a text in UTF-8 hold bytes that are none; they read as `�`.
    pub(crate) unreadable: usize,
}

/// Returns the text of `bytes`. `page` means that they may declare their encoding in a `<meta>`; `served` is the encoding that a
/// server named.
///
/// The order is that of the HTML standard: a byte order mark, the server's label, the page's declaration, a guess. Valid UTF-8 is
/// decoded as UTF-8 whatever the labels say, as a label that says otherwise is nearly always wrong. An encoding that does not fit the
/// bytes is ignored.
pub(crate) fn decode<'a>(
    bytes: &'a [u8],
    page: bool,
    served: Option<&str>,
) -> Result<Decoded<'a>, ReadError> {
    let (encoding, mark) = Encoding::for_bom(bytes).unwrap_or((UTF_8, 0));
    let body = &bytes[mark..];
    let served = served.and_then(|label| Encoding::for_label_no_replacement(label.as_bytes()));
    let marked = Some(encoding).filter(|encoding| is_wide(encoding));
    let served_wide = served.filter(|served| is_wide(served) && body.contains(&0));
    let wide = marked.or(served_wide.map(|served| wide_order(body).unwrap_or(served)));
    if wide.is_none() && body.contains(&0) {
        return Err(binary(if wide_order(body).is_some() {
            "UTF-16 text without a byte order mark; save it as UTF-8"
        } else {
            "a file with NUL bytes"
        }));
    }
    let declared = if page { declared(body) } else { None };
    let said = [served, declared].into_iter().flatten().filter(|said| !is_wide(said));
    let encoding = wide.unwrap_or_else(|| narrow(body, &said.collect::<Vec<_>>()));
    let text = encoding.decode_without_bom_handling(body).0;
    let unreadable = if encoding == UTF_8 { utf_8(body).1 } else { 0 };
    let controls = text.chars().filter(|c| c.is_control() && !"\t\n\r\u{c}".contains(*c)).count();
    if controls * 100 > text.chars().count() * CONTROL_PERCENT {
        return Err(binary("a file with many control characters"));
    }
    Ok(Decoded {
        text,
        encoding: Some(encoding.name()).filter(|name| *name != UTF_8.name()),
        byte_order_mark: mark > 0,
        unreadable,
    })
}

/// Returns the encoding of bytes that are not UTF-16: the first of `said` that fits, else a guess.
fn narrow(body: &[u8], said: &[&'static Encoding]) -> &'static Encoding {
    // It is written in ASCII alone and would pass for UTF-8.
    if said.contains(&ISO_2022_JP) {
        return ISO_2022_JP;
    }
    if std::str::from_utf8(body).is_ok() {
        return UTF_8;
    }
    // A text that was cut or joined within a letter is not in another encoding: hardly any text of one would pass for so much UTF-8.
    let (letters, broken) = utf_8(body);
    if letters >= broken * SOUND_SHARE {
        return UTF_8;
    }
    let fitting = said.iter().find(|said| fits(said, body));
    fitting.copied().unwrap_or_else(|| guessed(body))
}

/// Returns how many letters beyond ASCII bytes have as UTF-8, and in how many places they are none.
fn utf_8(body: &[u8]) -> (usize, usize) {
    let (mut letters, mut broken) = (0, 0);
    for chunk in body.utf8_chunks() {
        letters += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    (letters, broken)
}

/// Returns whether bytes are text in an encoding, apart from a few that may be damaged.
fn fits(encoding: &'static Encoding, body: &[u8]) -> bool {
    let (text, broken) = encoding.decode_without_bom_handling(body);
    let replaced = || text.chars().filter(|c| *c == char::REPLACEMENT_CHARACTER).count();
    let foreign = || text.chars().filter(|c| !c.is_ascii()).count();
    !broken || replaced() * BROKEN_SHARE <= foreign()
}

fn is_wide(encoding: &'static Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

fn binary(looks_like: &str) -> ReadError {
    ReadError::Binary { looks_like: looks_like.into() }
}

/// Returns the byte order of text in which every other byte is mostly NUL, as in UTF-16 for a Latin script.
fn wide_order(bytes: &[u8]) -> Option<&'static Encoding> {
    let opening = &bytes[..bytes.len().min(1000)];
    let nul = |from: usize| opening.iter().skip(from).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (nul(0), nul(1));
    let wide = even.max(odd) * 5 > opening.len() * 2 && even.min(odd) * 50 < opening.len();
    wide.then_some(if even > odd { UTF_16BE } else { UTF_16LE })
}

fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let opening = bytes[..bytes.len().min(DECLARED_WITHIN)].to_ascii_lowercase();
    let at = opening.windows(8).position(|window| window == b"charset=")?;
    let label = opening[at + 8..].trim_ascii_start();
    let label = label.strip_prefix(b"\"").or(label.strip_prefix(b"'")).unwrap_or(label);
    let end = label.iter().position(|byte| b"\"' ;/>\t\r\n".contains(byte))?;
    // A page that could be read up to this declaration is not UTF-16, and `replacement` would lose it.
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
        let decoded = decode(bytes, page, None).unwrap();
        (decoded.text.into_owned(), decoded.encoding)
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

    // proves: A6
    #[test]
    fn a_few_broken_bytes_do_not_turn_a_text_into_another_encoding() {
        let german = "Größe, Höhe, Länge und Übermaß. ";
        let broken = [german.as_bytes(), b"Schlu\xdf ", german.as_bytes(), b"\xc3"].concat();
        let decoded = decode(&broken, false, Some("windows-1252")).unwrap();
        assert_eq!(decoded.text, format!("{german}Schlu\u{fffd} {german}\u{fffd}"));
        assert_eq!((decoded.encoding, decoded.unreadable), (None, 2));
        // In Latin letters alone, one more says nothing.
        let (latin, ..) = encoding_rs::WINDOWS_1252.encode(german);
        let decoded = decode(&latin, false, None).unwrap();
        assert_eq!((&*decoded.text, decoded.unreadable), (german, 0));
        let mixed = [&latin[..], "é".as_bytes()].concat();
        assert_eq!(decode(&mixed, false, None).unwrap().encoding, Some("windows-1252"));
        for encoding in [encoding_rs::SHIFT_JIS, encoding_rs::EUC_JP, encoding_rs::GBK] {
            let (bytes, ..) = encoding.encode("日本語のテキストです。お茶を飲みます。水もある。");
            assert_ne!(decode(&bytes, false, None).unwrap().encoding, None, "{}", encoding.name());
        }
        let russian = "Привет, как дела? Хорошая погода сегодня, раба и друга.";
        for encoding in [encoding_rs::WINDOWS_1251, encoding_rs::KOI8_R, encoding_rs::IBM866] {
            let (bytes, ..) = encoding.encode(russian);
            assert_ne!(decode(&bytes, false, None).unwrap().encoding, None, "{}", encoding.name());
        }
    }

    #[test]
    fn a_byte_order_mark_is_dropped_and_noted() {
        let decoded = decode("\u{feff}tea\r\n".as_bytes(), false, None).unwrap();
        assert_eq!((&*decoded.text, decoded.byte_order_mark), ("tea\r\n", true));
    }

    #[test]
    fn what_is_not_text_is_refused() {
        assert!(decode(b"tea\0", false, None).is_err());
        assert!(decode(b"\x01\x02\x03tea", false, None).is_err());
        let wide: Vec<u8> = "plain words".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(
            decode(&wide, false, None).is_err_and(|error| error.to_string().contains("UTF-16"))
        );
    }

    // proves: A2
    #[test]
    fn a_server_is_believed_before_the_page_and_neither_against_the_bytes() {
        let served = |bytes: &[u8], charset: &str| {
            let decoded = decode(bytes, true, Some(charset)).unwrap();
            (decoded.text.into_owned(), decoded.encoding)
        };
        // The same bytes spell other words in other encodings.
        let page = b"<meta charset=windows-1252><p>\xcf\xf0\xe8\xe2\xe5\xf2";
        let (text, encoding) = served(page, "windows-1251");
        assert_eq!((text.ends_with("Привет"), encoding), (true, Some("windows-1251")));
        for unknown in ["x-unknown", "", "utf-7", "\u{fffd}"] {
            assert_eq!(served(page, unknown).1, Some("windows-1252"), "{unknown}");
        }
        // A server that labels everything UTF-8.
        assert_eq!(served(page, "utf-8").1, Some("windows-1252"));
        // A server that labels everything Latin-1, for a UTF-8 page, without a byte order mark and with one.
        assert_eq!(served("<p>thé".as_bytes(), "iso-8859-1"), ("<p>thé".to_owned(), None));
        assert_eq!(served("\u{feff}thé".as_bytes(), "iso-8859-1"), ("thé".to_owned(), None));
        // UTF-8 with one broken byte is still UTF-8.
        let broken = ["日本語のテキストです。お茶を飲みます。".as_bytes(), b"\xe3\x81"].concat();
        assert_eq!(served(&broken, "utf-8").1, None);
        let (japanese, ..) = encoding_rs::SHIFT_JIS.encode("日本語のテキスト");
        assert_eq!(served(&japanese, "Shift_JIS"), ("日本語のテキスト".into(), Some("Shift_JIS")));
        assert_ne!(served(&japanese, "euc-kr").1, Some("EUC-KR"));
    }

    #[test]
    fn a_server_may_say_that_a_page_without_a_mark_is_utf_16() {
        let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "<p>plain words".encode_utf16().flat_map(order).collect()
        };
        for (bytes, charset) in [
            (wide(u16::to_le_bytes), "utf-16"),
            (wide(u16::to_be_bytes), "utf-16"),
            (wide(u16::to_be_bytes), "utf-16be"),
        ] {
            assert_eq!(decode(&bytes, true, Some(charset)).unwrap().text, "<p>plain words");
        }
        assert_eq!(decode(b"plain words", true, Some("utf-16")).unwrap().text, "plain words");
    }
}
