//! The encoding of a LaTeX file: UTF-8, or what it says itself, as in `\usepackage[latin1]{inputenc}`.

use std::borrow::Cow;

use encoding_rs::Encoding;

/// How many bytes of a file may stand before its encoding is named.
const FIRST: usize = 20_000;

/// Returns the text of a file.
pub(crate) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    if std::str::from_utf8(bytes).is_ok() {
        return String::from_utf8_lossy(bytes);
    }
    let first = String::from_utf8_lossy(&bytes[..bytes.len().min(FIRST)]);
    let named = first.lines().filter(|line| !line.trim_start().starts_with('%'));
    let named = named.filter_map(|line| line.split_once("{inputenc}").map(|(before, _)| before));
    let options = named.filter_map(|before| before.rsplit_once('[')).map(|(_, options)| options);
    let found = options.flat_map(|options| options.split([',', ']'])).find_map(encoding);
    match found {
        Some(encoding) => encoding.decode_without_bom_handling(bytes).0,
        None => String::from_utf8_lossy(bytes),
    }
}

/// Returns the encoding that an option of `inputenc` names.
fn encoding(option: &str) -> Option<&'static Encoding> {
    Some(match option.trim() {
        "latin1" | "ansinew" | "cp1252" => encoding_rs::WINDOWS_1252,
        "latin2" => encoding_rs::ISO_8859_2,
        "latin3" => encoding_rs::ISO_8859_3,
        "latin4" => encoding_rs::ISO_8859_4,
        "latin5" => encoding_rs::WINDOWS_1254,
        "latin9" => encoding_rs::ISO_8859_15,
        "latin10" => encoding_rs::ISO_8859_16,
        "cp1250" => encoding_rs::WINDOWS_1250,
        "cp1251" => encoding_rs::WINDOWS_1251,
        "cp1257" => encoding_rs::WINDOWS_1257,
        "cp866" => encoding_rs::IBM866,
        "iso88595" => encoding_rs::ISO_8859_5,
        "koi8-r" => encoding_rs::KOI8_R,
        "koi8-u" => encoding_rs::KOI8_U,
        "applemac" => encoding_rs::MACINTOSH,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_file_is_read_in_the_encoding_that_it_names() {
        for (bytes, expected) in [
            (&b"\\usepackage[latin1]{inputenc} caf\xe9"[..], "café"),
            (b"\\usepackage[T1, applemac]{inputenc} caf\x8e", "café"),
            (b"%\\usepackage[latin1]{inputenc}\ncaf\xe9", "caf\u{fffd}"),
            ("\\usepackage[latin1]{inputenc} café".as_bytes(), "café"),
        ] {
            assert!(decoded(bytes).ends_with(expected), "{expected}");
        }
    }
}
