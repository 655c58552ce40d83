//! Simple mathematics of TeX as readable text: `$10^6\,\mathrm{m}$` is `10⁶ m`, `$\frac{a}{b}$` is `a/b`.
//!
//! What is not simple stays as it is: whoever reads TeX reads it better than a guess.

use super::math_symbol;
use crate::script::{factor, goes_on, power};
use crate::writer::tidy;
use crate::{Script, Scripts};

/// How deep groups may be nested.
const DEEPEST: usize = 20;
/// The longest formula, in bytes.
const LONGEST: usize = 4_000;

/// Commands whose argument is read as it is.
const PLAIN: &[&str] = &[
    "text",
    "mathrm",
    "mathbf",
    "mathit",
    "mathsf",
    "mathtt",
    "mathcal",
    "mathfrak",
    "mathscr",
    "mathbb",
    "boldsymbol",
    "bm",
    "operatorname",
    "mbox",
    "textrm",
    "textbf",
    "textit",
    "textsf",
    "textnormal",
    "mathnormal",
    "emph",
    "ensuremath",
    "hbox",
    "pmb",
    "mathop",
    "mathrel",
];
/// Commands that only change how what surrounds them looks.
const SILENT: &[&str] = &[
    "left",
    "right",
    "big",
    "Big",
    "bigg",
    "Bigg",
    "bigl",
    "bigr",
    "Bigl",
    "Bigr",
    "limits",
    "nolimits",
    "displaystyle",
    "textstyle",
    "scriptstyle",
    "rm",
    "bf",
    "it",
    "cal",
    "nonumber",
    "notag",
    "relax",
    "xspace",
    "mathstrut",
];
/// Functions, which print their names.
const NAMES: &[&str] = &[
    "log", "ln", "lg", "exp", "sin", "cos", "tan", "cot", "sec", "csc", "arcsin", "arccos",
    "arctan", "sinh", "cosh", "tanh", "max", "min", "sup", "inf", "lim", "limsup", "liminf", "det",
    "dim", "ker", "deg", "gcd", "arg", "Pr", "hom",
];
/// Accents, by the mark that they set on a letter.
const ACCENTS: &[(&str, char)] = &[
    ("bar", '\u{304}'),
    ("overline", '\u{304}'),
    ("hat", '\u{302}'),
    ("widehat", '\u{302}'),
    ("tilde", '\u{303}'),
    ("widetilde", '\u{303}'),
    ("dot", '\u{307}'),
    ("ddot", '\u{308}'),
    ("vec", '\u{20d7}'),
    ("check", '\u{30c}'),
    ("acute", '\u{301}'),
    ("grave", '\u{300}'),
    ("breve", '\u{306}'),
    ("dddot", '\u{20db}'),
    ("underline", '\u{332}'),
];

/// Signs between two sides, which stand apart from them.
const BETWEEN: &str = "×·÷±∓∗⋆⊕⊗∧∨∩∪∖≤≥≠≪≫≈~≃≅≡∝≺≻<>∥⊥∈∉∋⊂⊆⊃⊇←⇒⟹⇐↔⇔⟺↦⟶⟼⇌⊢⊨→";

/// Returns a formula as text, or `None` if it is not simple.
pub(crate) fn readable(formula: &str) -> Option<String> {
    if formula.len() > LONGEST {
        return None;
    }
    let mut rest = formula;
    let written = group(&mut rest, 0)?;
    rest.is_empty().then(|| tidy(&written))
}

/// Reads up to a closing brace or the end.
fn group(rest: &mut &str, depth: usize) -> Option<String> {
    if depth > DEEPEST {
        return None;
    }
    let (mut words, mut scripts) = (String::new(), Scripts::default());
    // Where the last index or exponent ends.
    let mut end = None;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        part_from(&mut end, &mut words);
        match c {
            '}' => break,
            '^' => {
                *rest = after;
                words.push_str(&power(&argument(rest, depth)?));
                end = Some(words.len());
            }
            '_' => {
                *rest = after;
                let lowered = argument(rest, depth)?;
                index(lowered.trim(), &mut words, &mut scripts);
                end = Some(words.len());
            }
            '\\' => {
                *rest = after;
                command(rest, &mut words, depth)?;
            }
            '{' => {
                *rest = after;
                words.push_str(&group(rest, depth + 1)?);
                *rest = rest.strip_prefix('}')?;
            }
            '~' => {
                words.push(' ');
                *rest = after;
            }
            '\'' => {
                words.push('′');
                *rest = after;
            }
            '&' | '#' => return None,
            c => {
                words.push(c);
                *rest = after;
            }
        }
    }
    part_from(&mut end, &mut words);
    scripts.set(Script::Line, &mut words);
    Some(words)
}

/// Sets a space after the index or exponent that ends at `end` if what follows it would be read as a part of it: `log_b 8`.
fn part_from(end: &mut Option<usize>, words: &mut String) {
    let Some(at) = *end else { return };
    let (Some(formula), Some(next)) = (words.get(..at), words.get(at..)) else { return };
    if next.is_empty() {
        return;
    }
    if goes_on(formula, next) {
        words.insert(at, ' ');
    }
    *end = None;
}

/// Appends an index: digits after a letter as they are typed (`x1`, `H2O`), words after a `_`.
fn index(lowered: &str, words: &mut String, scripts: &mut Scripts) {
    let is_number = !lowered.is_empty() && lowered.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        scripts.set(Script::Sub, words);
        words.push_str(lowered);
        scripts.set(Script::Line, words);
    } else if !lowered.is_empty() {
        words.push('_');
        words.push_str(&enclosed(lowered));
    }
}

/// Returns a part in parentheses unless it is one number, word or sign.
fn enclosed(part: &str) -> String {
    let part = part.trim();
    let single = part.chars().all(char::is_alphanumeric) || part.chars().count() == 1;
    if single { part.to_owned() } else { format!("({part})") }
}

/// Sets a space where a factor follows that a fraction or a root does not cover.
fn stand_apart(rest: &str, words: &mut String) {
    if rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '\\' | '{' | '(')) {
        words.push(' ');
    }
}

/// Reads what a command or a script applies to: a group, a command, or one character.
fn argument(rest: &mut &str, depth: usize) -> Option<String> {
    *rest = rest.trim_start();
    let c = rest.chars().next()?;
    let after = &rest[c.len_utf8()..];
    *rest = after;
    match c {
        '{' => {
            let words = group(rest, depth + 1)?;
            *rest = rest.strip_prefix('}')?;
            Some(words)
        }
        '\\' => {
            let mut words = String::new();
            command(rest, &mut words, depth + 1)?;
            Some(words)
        }
        '}' | '^' | '_' | '&' => None,
        c => Some(c.to_string()),
    }
}

/// Appends what a command shows.
fn command(rest: &mut &str, words: &mut String, depth: usize) -> Option<()> {
    if depth > DEEPEST {
        return None;
    }
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (name, after) = rest.split_at(letters);
    if letters == 0 {
        let sign = rest.chars().next()?;
        *rest = &rest[sign.len_utf8()..];
        match sign {
            ',' | ';' | ':' | ' ' | '>' | '\n' | '/' => words.push(' '),
            '!' | '-' => {}
            '%' | '$' | '&' | '#' | '_' | '{' | '}' => words.push(sign),
            '|' => words.push('‖'),
            _ => return None,
        }
        return Some(());
    }
    *rest = after.trim_start_matches(' ');
    match name {
        "frac" | "dfrac" | "tfrac" | "nicefrac" | "sfrac" => {
            let (over, under) = (argument(rest, depth)?, argument(rest, depth)?);
            // A fraction after a whole number is apart from it.
            if words.ends_with(|c: char| c.is_ascii_digit()) {
                words.push(' ');
            }
            words.push_str(&format!("{}/{}", enclosed(&over), factor(&under)));
            stand_apart(rest, words);
        }
        "sqrt" => {
            let root = match rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
                Some((degree, behind)) => {
                    *rest = behind;
                    match degree.trim() {
                        "3" => "∛".to_owned(),
                        "4" => "∜".to_owned(),
                        degree => format!("{degree}√"),
                    }
                }
                None => "√".to_owned(),
            };
            let of = argument(rest, depth)?;
            words.push_str(&format!("{root}{}", factor(&of)));
            stand_apart(rest, words);
        }
        "quad" | "qquad" | "enspace" | "space" | "hspace" => words.push(' '),
        "pmod" => words.push_str(&format!(" (mod {})", argument(rest, depth)?)),
        "pod" => words.push_str(&format!(" ({})", argument(rest, depth)?)),
        "bmod" | "mod" => words.push_str(" mod "),
        "phantom" | "hphantom" | "vphantom" => drop(argument(rest, depth)?),
        "lbrace" => words.push('{'),
        "rbrace" => words.push('}'),
        "label" => drop(argument(rest, depth)?),
        "tag" => words.push_str(&format!(" ({})", argument(rest, depth)?)),
        name if SILENT.contains(&name) => {
            // An empty delimiter shows nothing.
            if matches!(name, "left" | "right") && rest.starts_with('.') {
                *rest = &rest[1..];
            }
        }
        name if PLAIN.contains(&name) => {
            if name == "operatorname" {
                *rest = rest.strip_prefix('*').unwrap_or(rest);
            }
            words.push_str(&argument(rest, depth)?);
        }
        name if NAMES.contains(&name) => {
            words.push_str(name);
            if rest.starts_with(|c: char| c.is_alphanumeric() || c == '\\') {
                words.push(' ');
            }
        }
        name => {
            if let Some((_, mark)) = ACCENTS.iter().find(|(known, _)| *known == name) {
                let of = argument(rest, depth)?;
                words.push_str(of.trim());
                words.push(*mark);
            } else {
                let sign = math_symbol(name)?;
                let is_between = BETWEEN.contains(sign);
                if is_between {
                    words.push(' ');
                }
                words.push_str(sign);
                if is_between {
                    words.push(' ');
                }
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn simple_mathematics_is_text_and_the_rest_stays() {
        for (formula, shown) in [
            ("10^6", "10⁶"),
            (r"3 \times 10^{-3}\,\mathrm{m}^2", "3 × 10⁻³ m²"),
            ("x^2", "x²"),
            ("H_2O", "H2O"),
            (r"\mathrm{CO_2}", "CO2"),
            ("x_i", "x_i"),
            ("x_{i,j}^{2k}", "x_(i,j)^(2k)"),
            (r"V_{\max}", "V_max"),
            ("1010_2", "1010₂"),
            (r"e^{kt} + x^{ab} + x^e + k^{th}", "e^(kt) + x^(ab) + x^e + kth"),
            (r"\frac{1}{2a} \ne \frac{a}{b}c", "1/(2a) ≠ a/b c"),
            (r"\sqrt{2x}", "√(2x)"),
            (r"\alpha \le \frac{a+b}{2}", "α ≤ (a+b)/2"),
            (r"2\frac12", "2 1/2"),
            (r"\sqrt{x} + \sqrt[3]{8}", "√x + ∛8"),
            (r"25\,^\circ\mathrm{C}", "25 °C"),
            (r"\left( \bar{x} \right.", "( x\u{304}"),
            (r"95\%", "95%"),
            (r"\sum_{i=1}^n x_i", "∑_(i=1)ⁿ x_i"),
            (r"\log x, f'(x)", "log x, f′(x)"),
            (r"p < 0.05", "p < 0.05"),
            (r"a \equiv \langle b, \ldots \rangle \pmod{\Theta}", "a ≡ ⟨b, …⟩ (mod Θ)"),
        ] {
            assert_eq!(readable(formula).as_deref(), Some(shown), "{formula}");
        }
        let deep = "{".repeat(5000) + &"}".repeat(5000);
        for formula in
            [r"\begin{pmatrix}a & b\end{pmatrix}", r"\unknown{x}", "{a", "a}", "x^", &deep]
        {
            assert_eq!(readable(formula), None, "{formula}");
        }
    }
}
