//! Accents and symbols as Unicode.

/// Returns the character or the words that a command without arguments prints.
pub(super) fn symbol(name: &str) -> Option<&'static str> {
    Some(match name {
        "%" => "%",
        "&" => "&",
        "$" => "$",
        "#" => "#",
        "_" => "_",
        "{" => "{",
        "}" => "}",
        " " | "\n" | "quad" | "qquad" | "enspace" | "space" | "hfill" | "hfil" | "nobreakspace" => {
            " "
        }
        "," | ";" | ":" | ">" | "thinspace" => " ",
        "!" | "/" | "-" | "@" | "|" => "",
        "ldots" | "dots" | "textellipsis" => "…",
        "textbackslash" => "\\",
        "textasciitilde" => "~",
        "textasciicircum" => "^",
        "textbar" => "|",
        "textless" => "<",
        "textgreater" => ">",
        "textunderscore" => "_",
        "textdollar" => "$",
        "textquotesingle" => "'",
        "textquotedbl" => "\"",
        "textasteriskcentered" => "*",
        "textendash" => "–",
        "textemdash" => "—",
        "textbullet" => "•",
        "textdegree" | "degree" => "°",
        "textmu" => "µ",
        "texttimes" => "×",
        "textcopyright" | "copyright" => "©",
        "textregistered" => "®",
        "texttrademark" => "™",
        "pounds" | "textsterling" => "£",
        "euro" | "texteuro" => "€",
        "S" | "textsection" => "§",
        "P" | "textparagraph" => "¶",
        "dag" | "textdagger" => "†",
        "ddag" | "textdaggerdbl" => "‡",
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
        "XeTeX" => "XeTeX",
        "XeLaTeX" => "XeLaTeX",
        "LuaTeX" => "LuaTeX",
        "LuaLaTeX" => "LuaLaTeX",
        "pdfTeX" => "pdfTeX",
        "pdfLaTeX" => "pdfLaTeX",
        "AmS" => "AMS",
        "METAFONT" => "METAFONT",
        "MP" => "MetaPost",
        "eTeX" => "ε-TeX",
        "lq" => "‘",
        "rq" => "’",
        "textquoteleft" => "‘",
        "textquoteright" => "’",
        "textquotedblleft" => "“",
        "textquotedblright" => "”",
        "glqq" => "„",
        "grqq" => "“",
        "flqq" | "guillemotleft" => "«",
        "frqq" | "guillemotright" => "»",
        "slash" => "/",
        "today" => "",
        "textvisiblespace" => "␣",
        "rightarrow" | "textrightarrow" | "to" => "→",
        "leftarrow" => "←",
        "checkmark" => "✓",
        _ => return None,
    })
}

/// Returns a letter with the accent of a command: `\'` and `e` make `é`.
pub(super) fn accented(command: &str, letter: &str) -> Option<String> {
    let combining = match command {
        "'" => '\u{301}',
        "`" => '\u{300}',
        "^" => '\u{302}',
        "\"" => '\u{308}',
        "~" => '\u{303}',
        "=" => '\u{304}',
        "." => '\u{307}',
        "u" => '\u{306}',
        "v" => '\u{30c}',
        "H" => '\u{30b}',
        "c" => '\u{327}',
        "k" => '\u{328}',
        "d" => '\u{323}',
        "b" => '\u{331}',
        "r" => '\u{30a}',
        _ => return None,
    };
    let first = letter.chars().next()?;
    let composed =
        COMPOSED.iter().find(|(mark, _, _)| *mark == combining).and_then(|(_, plain, made)| {
            let at = plain.chars().position(|c| c == first)?;
            made.chars().nth(at)
        });
    let rest = &letter[first.len_utf8()..];
    Some(match composed {
        Some(made) => format!("{made}{rest}"),
        None => format!("{first}{combining}{rest}"),
    })
}

/// For each accent the plain letters and, at the same places, the letters with it.
const COMPOSED: &[(char, &str, &str)] = &[
    ('\u{301}', "aeiouyAEIOUYcnszCNSZlrLRgG", "áéíóúýÁÉÍÓÚÝćńśźĆŃŚŹĺŕĹŔǵǴ"),
    ('\u{300}', "aeiouAEIOUnN", "àèìòùÀÈÌÒÙǹǸ"),
    ('\u{302}', "aeiouAEIOUcghjswyCGHJSWY", "âêîôûÂÊÎÔÛĉĝĥĵŝŵŷĈĜĤĴŜŴŶ"),
    ('\u{308}', "aeiouyAEIOUY", "äëïöüÿÄËÏÖÜŸ"),
    ('\u{303}', "anoiuANOIU", "ãñõĩũÃÑÕĨŨ"),
    ('\u{304}', "aeiouAEIOU", "āēīōūĀĒĪŌŪ"),
    ('\u{307}', "cegzICEGZ", "ċėġżİĊĖĠŻ"),
    ('\u{306}', "aeiougAEIOUG", "ăĕĭŏŭğĂĔĬŎŬĞ"),
    ('\u{30c}', "cdenrstzCDENRSTZagAG", "čďěňřšťžČĎĚŇŘŠŤŽǎǧǍǦ"),
    ('\u{30b}', "ouOU", "őűŐŰ"),
    ('\u{327}', "cstnkgrlCSTNKGRLe", "çşţņķģŗļÇŞŢŅĶĢŖĻȩ"),
    ('\u{328}', "aeiuoAEIUO", "ąęįųǫĄĘĮŲǪ"),
    ('\u{323}', "aehimnostuAEHIMNOSTU", "ạẹḥịṃṇọṣṭụẠẸḤỊṂṆỌṢṬỤ"),
    ('\u{30a}', "auAU", "åůÅŮ"),
];
