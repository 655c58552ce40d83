//! The characters of the fonts Symbol and Wingdings, whose codes are not those of letters.

/// The font Symbol from 0x20 on.
const SYMBOL: &str = " !∀#∃%&∍()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";
/// The font Symbol from 0xA0 on.
const SYMBOL_UPPER: &str = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…⏐⎯↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪ 〉∫⌠⎮⌡⎞⎟⎠⎤⎥⎦⎫⎬⎭";
/// The usual characters of Wingdings; dingbats of its other codes say nothing.
const WINGDINGS: [(u32, char); 40] = [
    (0x21, '✎'),
    (0x22, '✂'),
    (0x28, '☎'),
    (0x2A, '✉'),
    (0x46, '☞'),
    (0x4A, '☺'),
    (0x4B, '😐'),
    (0x4C, '☹'),
    (0x52, '☼'),
    (0x54, '❄'),
    (0x6C, '●'),
    (0x6D, '○'),
    (0x6E, '■'),
    (0x6F, '□'),
    (0x71, '❑'),
    (0x72, '❒'),
    (0x73, '⬧'),
    (0x74, '⧫'),
    (0x75, '◆'),
    (0x76, '❖'),
    (0x77, '⬥'),
    (0x9F, '•'),
    (0xA1, '○'),
    (0xA4, '◉'),
    (0xA7, '▪'),
    (0xA8, '☐'),
    (0xAB, '★'),
    (0xD8, '➢'),
    (0xDF, '←'),
    (0xE0, '→'),
    (0xE1, '↑'),
    (0xE2, '↓'),
    (0xE7, '←'),
    (0xE8, '→'),
    (0xEF, '⇦'),
    (0xF0, '⇨'),
    (0xFB, '✗'),
    (0xFC, '✓'),
    (0xFD, '☒'),
    (0xFE, '☑'),
];
const WINGDINGS_2: [(u32, char); 6] =
    [(0x4F, '✗'), (0x50, '✓'), (0x51, '☒'), (0x52, '☑'), (0x53, '☒'), (0xA3, '☐')];

/// Returns the character that `font` shows for `code`; codes may be moved to U+F000, as Word stores them.
///
/// `None` if the font is not one of these or the character is unknown.
pub(crate) fn character(font: &str, code: u32) -> Option<char> {
    let code = if (0xF000..=0xF0FF).contains(&code) { code - 0xF000 } else { code };
    let listed = |list: &[(u32, char)]| {
        list.iter().find(|(known, _)| *known == code).map(|(_, character)| *character)
    };
    match named(font) {
        "symbol" => {
            let (from, table) = if code < 0xA0 { (0x20, SYMBOL) } else { (0xA0, SYMBOL_UPPER) };
            table.chars().nth(usize::try_from(code.checked_sub(from)?).ok()?)
        }
        "wingdings" => listed(&WINGDINGS).or_else(|| match code {
            0x80..=0x8A => char::from_u32([0x24EA, 0x245F + code - 0x80][usize::from(code > 0x80)]),
            0x8C..=0x95 => char::from_u32(0x2776 + code - 0x8C),
            _ => None,
        }),
        "wingdings 2" => listed(&WINGDINGS_2),
        _ => None,
    }
}

/// Returns the name under which a font of symbols is known here, or `""`.
pub(crate) fn named(font: &str) -> &'static str {
    match font.trim().to_lowercase().as_str() {
        "symbol" => "symbol",
        "wingdings" => "wingdings",
        "wingdings 2" => "wingdings 2",
        "wingdings 3" | "webdings" | "zapfdingbats" | "zapf dingbats" | "itc zapf dingbats"
        | "monotype sorts" => "dingbats",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn symbols_are_the_characters_that_print() {
        let shown = |font: &str, codes: &[u32]| -> Vec<Option<char>> {
            codes.iter().map(|code| character(font, *code)).collect()
        };
        assert_eq!(
            shown("Symbol", &[0x61, 0xF0B3, 0x5E, 0xE5, 0xFE]),
            [Some('α'), Some('≥'), Some('⊥'), Some('∑'), Some('⎭')]
        );
        assert_eq!(shown("Symbol", &[0xFF, 0x10, 0x7F]), [None; 3]);
        assert_eq!(
            shown("Wingdings", &[0xFC, 0x80, 0x81, 0x8A, 0x8C, 0x95]),
            [Some('✓'), Some('⓪'), Some('①'), Some('⑩'), Some('❶'), Some('❿')]
        );
        assert_eq!(character("Arial", 0x61), None);
    }
}
