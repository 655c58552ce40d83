//! The letters, signs and accents that TeX writes as commands, in documents and in bibliographies.

use unicode_normalization::char::compose;

/// Returns what a command without arguments prints that means the same wherever TeX is read.
pub(crate) fn symbol(name: &str) -> Option<&'static str> {
    Some(match name {
        "ldots" | "dots" | "textellipsis" => "…",
        "textbackslash" => "\\",
        "textasciitilde" => "~",
        "textasciicircum" => "^",
        "textbar" => "|",
        "textless" => "<",
        "textgreater" => ">",
        "textunderscore" => "_",
        "textdollar" => "$",
        "textendash" => "–",
        "textemdash" => "—",
        "textbullet" => "•",
        "textdegree" | "degree" => "°",
        "textcopyright" | "copyright" => "©",
        "textregistered" => "®",
        "texttrademark" => "™",
        "pounds" | "textsterling" => "£",
        "euro" | "texteuro" => "€",
        "S" | "textsection" => "§",
        "P" => "¶",
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "o" => "ø",
        "O" => "Ø",
        "aa" => "å",
        "AA" => "Å",
        "l" => "ł",
        "L" => "Ł",
        "i" => "ı",
        "j" => "ȷ",
        "dh" => "ð",
        "th" => "þ",
        "dj" => "đ",
        "DJ" => "Đ",
        "TH" => "Þ",
        "DH" => "Ð",
        "LaTeX" => "LaTeX",
        "TeX" => "TeX",
        "LaTeXe" => "LaTeX2ε",
        "BibTeX" => "BibTeX",
        "textquoteleft" => "‘",
        "textquoteright" => "’",
        "textquotedblleft" => "“",
        "textquotedblright" => "”",
        "glqq" => "„",
        "guillemotleft" => "«",
        "guillemotright" => "»",
        "rightarrow" | "to" => "→",
        _ => return None,
    })
}

/// Returns the combining mark that a command such as `\'` sets on the letter that follows.
pub(crate) fn accent(command: char) -> Option<char> {
    Some(match command {
        '`' => '\u{300}',
        '\'' => '\u{301}',
        '^' => '\u{302}',
        '~' => '\u{303}',
        '=' => '\u{304}',
        'u' => '\u{306}',
        '.' => '\u{307}',
        '"' => '\u{308}',
        'r' => '\u{30a}',
        'H' => '\u{30b}',
        'v' => '\u{30c}',
        'd' => '\u{323}',
        'c' => '\u{327}',
        'k' => '\u{328}',
        'b' => '\u{331}',
        _ => return None,
    })
}

/// Appends a letter with a combining mark: one character, where Unicode has it.
pub(crate) fn push_accented(letter: char, mark: char, out: &mut String) {
    match compose(letter, mark) {
        Some(composed) => out.push(composed),
        None => out.extend([letter, mark]),
    }
}
