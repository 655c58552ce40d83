//! The words of a value that is written in TeX: accents and symbols resolved, commands and braces dropped.

use crate::{superscript, tex};

/// The most bytes of the address of a link.
const LONGEST_ADDRESS: usize = 2_000;

/// Returns the words of `tex` as they print.
pub(crate) fn plain(tex: &str) -> String {
    let mut out = String::with_capacity(tex.len());
    let mut rest = tex;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '$' => {
                match after.split_once('$').map(|(within, rest)| (tex::readable(within), rest)) {
                    Some((Some(words), rest)) => {
                        out.push_str(&words);
                        rest
                    }
                    _ => after,
                }
            }
            '{' | '}' => after,
            '~' => {
                out.push(' ');
                after
            }
            '\\' => command(after, &mut out),
            '-' | '`' | '\'' => punctuation(c, rest, &mut out),
            c => {
                out.push(c);
                after
            }
        };
    }
    out
}

/// Returns an address without what TeX needs around it and within.
pub(crate) fn verbatim(tex: &str) -> String {
    let tex = tex.replace("\\url", "").replace(['{', '}', '$'], "");
    let tex = tex.replace("\\textasciitilde", "~").replace("\\textunderscore", "_");
    tex.replace('\\', "").trim().to_owned()
}

/// Writes dashes and quotation marks; returns what follows them.
fn punctuation<'a>(mark: char, text: &'a str, out: &mut String) -> &'a str {
    let rest = text.trim_start_matches(mark);
    let count = text.len() - rest.len();
    match (mark, count) {
        ('-', 2) => out.push('–'),
        ('-', 3) => out.push('—'),
        ('`', 1) => out.push('‘'),
        ('\'', 1) => out.push('\''),
        ('`', 2) => out.push('“'),
        ('\'', 2) => out.push('”'),
        _ => out.push_str(&text[..count]),
    }
    rest
}

/// Writes what the command after a backslash prints; returns what follows it.
fn command<'a>(text: &'a str, out: &mut String) -> &'a str {
    let Some(first) = text.chars().next() else { return text };
    let after = &text[first.len_utf8()..];
    if !first.is_ascii_alphabetic() {
        if let Some(mark) = accent(first) {
            return accented(mark, after, out);
        }
        match first {
            '\\' | ' ' | '\n' | '\r' | '\t' | ',' | ';' | ':' | '!' => out.push(' '),
            '/' | '-' | '(' | ')' | '[' | ']' | '@' => {}
            other => out.push(other),
        }
        return after;
    }
    let letters = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, rest) = text.split_at(letters);
    let argument = rest.trim_start();
    if letters == 1
        && let Some(mark) = accent(first)
    {
        let is_letter = argument.starts_with(['{', '\\']) || argument.len() < rest.len();
        if is_letter && !argument.is_empty() {
            return accented(mark, argument, out);
        }
    }
    if name == "textsuperscript"
        && let Some((raised, rest)) = argument.strip_prefix('{').and_then(|it| it.split_once('}'))
    {
        out.push_str(&superscript(raised));
        return rest;
    }
    if name == "href" {
        // The address stands before the words.
        let near = &argument[..argument.floor_char_boundary(LONGEST_ADDRESS)];
        return near.find('}').map_or(rest, |end| &argument[end + 1..]);
    }
    if let Some(printed) = symbol(name) {
        out.push_str(printed);
        return argument;
    }
    // A command such as `\emph{…}` or `\em …` only changes how its words look.
    argument
}

/// Writes the next letter with an accent; returns what follows it.
fn accented<'a>(mark: char, text: &'a str, out: &mut String) -> &'a str {
    let text = text.trim_start_matches(['{', ' ']);
    let (letter, rest) = if let Some(command) = text.strip_prefix('\\') {
        let letters = command.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (name, rest) = command.split_at(letters);
        let letter = match name {
            "i" | "imath" => Some('i'),
            "j" | "jmath" => Some('j'),
            name => symbol(name).and_then(|printed| printed.chars().next()),
        };
        match letter {
            Some(letter) => (letter, rest.trim_start_matches(' ')),
            None => return text,
        }
    } else {
        match text.chars().next() {
            Some('}') | None => return text,
            Some(letter) => (letter, &text[letter.len_utf8()..]),
        }
    };
    tex::push_accented(letter, mark, out);
    rest
}

fn accent(command: char) -> Option<char> {
    // Some programs write the accent itself.
    tex::accent(if command == '´' { '\'' } else { command })
}

/// Returns what a command prints that stands for a character, also where mathematics is read as words.
fn symbol(name: &str) -> Option<&'static str> {
    Some(match name {
        "ng" => "ŋ",
        "NG" => "Ŋ",
        "EUR" => "€",
        "textquotesingle" => "’",
        "quotedblbase" => "„",
        "quotesinglbase" => "‚",
        "textquestiondown" => "¿",
        "textexclamdown" => "¡",
        "degrees" => "°",
        "textmu" => "μ",
        "backslash" => "\\",
        "textperiodcentered" => "·",
        "textregisteredsign" => "®",
        _ => return tex::symbol(name).or_else(|| tex::math_symbol(name)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn accents_and_symbols_print_and_commands_do_not() {
        let check = |tex: &str, words: &str| assert_eq!(plain(tex), words, "{tex}");
        check(r#"G{\"o}del and \"Uber na{\"\i}ve"#, "Gödel and Über naïve");
        check(
            r"Erd{\H o}s, {\v S}im\'{a}k, \c{c}a, \c Ca, Fran\c{c}ois",
            "Erdős, Šimák, ça, Ça, François",
        );
        check(r"\L{}\'od\'z, {\O}rsted, Stra{\ss}e, {\AA}s", "Łódź, Ørsted, Straße, Ås");
        check(r"\emph{Tea} \& {\em more} {\TeX} 50\% of \$5", "Tea & more TeX 50% of $5");
        check(r"``a'' -- b --- c~d 1--2", "“a” – b — c d 1–2");
        check(r"$\alpha$-helix of {DNA}", "α-helix of DNA");
        check(
            r"$^{14}$C at $10^{-3}$, the 4\textsuperscript{th} {$\mu$}m",
            "¹⁴C at 10⁻³, the 4th μm",
        );
        check(r"\href{http://x.org}{the words} \url{http://y.org}", "the words http://y.org");
        check(r"\'", "");
        check(r"\'\unknown{x}", "x");
        assert_eq!(verbatim(r"\url{http://x.org/a\_b}"), "http://x.org/a_b");
    }
}
