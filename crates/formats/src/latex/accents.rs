//! Accents and symbols as Unicode.

use crate::tex;

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
        " " | "\n" | "quad" | "qquad" | "enspace" | "space" | "hfill" | "hfil" | "nobreakspace"
        | "," | ";" | ":" | ">" | "thinspace" => " ",
        "!" | "/" | "-" | "@" | "|" | "today" => "",
        "textquotesingle" => "'",
        "textquotedbl" => "\"",
        "textasteriskcentered" => "*",
        "textmu" => "µ",
        "texttimes" => "×",
        "textparagraph" => "¶",
        "dag" | "textdagger" => "†",
        "ddag" | "textdaggerdbl" => "‡",
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
        "grqq" => "“",
        "flqq" => "«",
        "frqq" => "»",
        "slash" => "/",
        "textvisiblespace" => "␣",
        "textlangle" => "⟨",
        "textrangle" => "⟩",
        "textbraceleft" => "{",
        "textbraceright" => "}",
        "textbardbl" => "‖",
        "textperthousand" => "‰",
        "textonehalf" => "½",
        "textonequarter" => "¼",
        "textthreequarters" => "¾",
        "textordfeminine" => "ª",
        "textordmasculine" => "º",
        "textcent" => "¢",
        "textyen" => "¥",
        "textpm" => "±",
        "textdiv" => "÷",
        "textminus" => "−",
        "textnumero" => "№",
        "textquestiondown" => "¿",
        "textexclamdown" => "¡",
        "textohm" => "Ω",
        "textcelsius" => "℃",
        "textleftarrow" => "←",
        "textuparrow" => "↑",
        "textdownarrow" => "↓",
        "textrightarrow" => "→",
        "leftarrow" => "←",
        "checkmark" => "✓",
        _ => return tex::symbol(name),
    })
}

/// Returns a letter with the accent of a command: `\'` and `e` make `é`.
pub(super) fn accented(command: &str, letter: &str) -> Option<String> {
    let mut rest = command.chars();
    let mark = tex::accent(rest.next().filter(|_| rest.as_str().is_empty())?)?;
    let first = letter.chars().next()?;
    let mut made = String::with_capacity(letter.len() + mark.len_utf8());
    tex::push_accented(first, mark, &mut made);
    made.push_str(&letter[first.len_utf8()..]);
    Some(made)
}
