//! The encodings of the fonts of an RTF.

use encoding_rs::Encoding;

use crate::ooxml::symbol;

/// The bytes from 0x80 on of the code pages of DOS.
const DOS_437: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u{a0}";
const DOS_850: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u{ad}±‗¾¶§÷¸°¨·¹³²■\u{a0}";

/// How bytes are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    Known(&'static Encoding),
    Dos437,
    Dos850,
    /// The font's own symbols.
    Symbols(&'static str),
}

impl Charset {
    /// The encoding of files that name none.
    pub(super) const USUAL: Charset = Charset::Known(encoding_rs::WINDOWS_1252);

    /// Returns the encoding of a code page; that of Western Europe if it is unknown.
    pub(super) fn of_page(page: i32) -> Charset {
        Charset::Known(match page {
            437 => return Charset::Dos437,
            850 | 858 => return Charset::Dos850,
            866 => encoding_rs::IBM866,
            874 => encoding_rs::WINDOWS_874,
            932 => encoding_rs::SHIFT_JIS,
            936 => encoding_rs::GBK,
            949 | 1361 => encoding_rs::EUC_KR,
            950 => encoding_rs::BIG5,
            1250 => encoding_rs::WINDOWS_1250,
            1251 => encoding_rs::WINDOWS_1251,
            1253 => encoding_rs::WINDOWS_1253,
            1254 => encoding_rs::WINDOWS_1254,
            1255 => encoding_rs::WINDOWS_1255,
            1256 => encoding_rs::WINDOWS_1256,
            1257 => encoding_rs::WINDOWS_1257,
            1258 => encoding_rs::WINDOWS_1258,
            10000 => encoding_rs::MACINTOSH,
            10007 => encoding_rs::X_MAC_CYRILLIC,
            20866 => encoding_rs::KOI8_R,
            21866 => encoding_rs::KOI8_U,
            65001 => encoding_rs::UTF_8,
            _ => encoding_rs::WINDOWS_1252,
        })
    }

    /// Returns the encoding of a font by its `\fcharset`; `None` for that of the file.
    pub(super) fn of_font(charset: i32, name: &str) -> Option<Charset> {
        let page = match charset {
            0 => 1252,
            2 => return Some(Charset::Symbols(symbol::named(name))),
            77 => 10000,
            128 => 932,
            129 => 949,
            130 => 1361,
            134 => 936,
            136 => 950,
            161 => 1253,
            162 => 1254,
            163 => 1258,
            177 => 1255,
            178..=180 => 1256,
            186 => 1257,
            204 => 1251,
            222 => 874,
            238 => 1250,
            254 => 437,
            255 => 850,
            _ => return None,
        };
        Some(Charset::of_page(page))
    }

    /// Appends the characters of `bytes`.
    pub(super) fn decode(self, bytes: &[u8], text: &mut String) {
        let listed = |table: &'static str, byte: u8| match byte.checked_sub(0x80) {
            Some(index) => table.chars().nth(usize::from(index)).unwrap_or(' '),
            None => char::from(byte),
        };
        match self {
            Charset::Known(encoding) => {
                text.push_str(&encoding.decode_without_bom_handling(bytes).0);
            }
            Charset::Dos437 => text.extend(bytes.iter().map(|byte| listed(DOS_437, *byte))),
            Charset::Dos850 => text.extend(bytes.iter().map(|byte| listed(DOS_850, *byte))),
            Charset::Symbols(font) => {
                let shown = |byte: &u8| match symbol::character(font, u32::from(*byte)) {
                    Some(shown) => Some(shown),
                    None if font.is_empty() && byte.is_ascii() => Some(char::from(*byte)),
                    None => Some('•').filter(|_| !byte.is_ascii_whitespace()),
                };
                text.extend(bytes.iter().filter_map(shown));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn bytes_are_read_as_their_font_shows_them() {
        let decoded = |charset: Charset, bytes: &[u8]| {
            let mut text = String::new();
            charset.decode(bytes, &mut text);
            text
        };
        assert_eq!(DOS_437.chars().count(), 128);
        assert_eq!(DOS_850.chars().count(), 128);
        assert_eq!(decoded(Charset::of_page(1251), b"\xCF\xF0"), "Пр");
        assert_eq!(decoded(Charset::of_page(932), b"\x83\x65"), "テ");
        assert_eq!(decoded(Charset::of_page(850), b"a\x84\xE1"), "aäß");
        let symbol = Charset::of_font(2, "Symbol").unwrap();
        assert_eq!(decoded(symbol, b"\xB7a"), "•α");
        let dingbats = Charset::of_font(2, "ZapfDingbats").unwrap();
        assert_eq!(decoded(dingbats, b"4 "), "•");
        assert_eq!(Charset::of_font(1, "Arial"), None);
    }
}
