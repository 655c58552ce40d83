//! Attributes, macros and quotes within a paragraph.

use std::collections::HashMap;

use crate::markup::start_of;
use crate::script::subscript;
use crate::struck::struck;
use crate::superscript;

/// The most bytes between a mark and its end.
const LONGEST: usize = 1000;
/// How deep marks may be nested.
const DEEPEST: usize = 8;
/// The most bytes that attributes add to a line.
const MOST_ADDED: usize = 20_000;

/// Attributes that every file has.
const BUILT_IN: &[(&str, &str)] = &[
    ("nbsp", " "),
    ("zwsp", ""),
    ("wj", ""),
    ("apos", "'"),
    ("quot", "\""),
    ("lsquo", "‘"),
    ("rsquo", "’"),
    ("ldquo", "“"),
    ("rdquo", "”"),
    ("deg", "°"),
    ("plus", "+"),
    ("brvbar", "¦"),
    ("vbar", "|"),
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("startsb", "["),
    ("endsb", "]"),
    ("caret", "^"),
    ("asterisk", "*"),
    ("tilde", "~"),
    ("backslash", "\\"),
    ("backtick", "`"),
    ("two-colons", "::"),
    ("two-semicolons", ";;"),
    ("cpp", "C++"),
    ("cxx", "C++"),
    ("pp", "++"),
    ("empty", ""),
    ("blank", ""),
    ("sp", " "),
    ("litdd", "--"),
];

/// Returns a text with the values of the attributes in it; unknown ones stay as they are.
pub(super) fn resolved(text: &str, attributes: &HashMap<String, String>) -> String {
    if !text.contains('{') {
        return text.to_owned();
    }
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    let mut added = 0;
    while let Some(start) = rest.find('{') {
        found.push_str(&rest[..start]);
        let inner = &rest[start + 1..];
        let name = start_of(inner, 80)
            .split('}')
            .next()
            .filter(|name| inner[name.len()..].starts_with('}'));
        let value = name.and_then(|name| {
            let key = name.to_lowercase();
            let built_in =
                || BUILT_IN.iter().find(|(known, _)| *known == key).map(|(_, value)| *value);
            attributes.get(&key).map(String::as_str).or_else(built_in)
        });
        match (name, value) {
            (Some(name), Some(value)) if !found.ends_with('\\') && added < MOST_ADDED => {
                found.push_str(value);
                added += value.len();
                rest = &inner[name.len() + 1..];
            }
            _ => {
                if name.is_some() && found.ends_with('\\') {
                    found.pop();
                }
                found.push('{');
                rest = inner;
            }
        }
    }
    found.push_str(rest);
    found
}

/// Returns the words of a text without its markup, and the footnotes in it.
pub(super) fn unmarked(text: &str) -> (String, Vec<String>) {
    let mut notes = Vec::new();
    let words = within(text, &mut notes, 0);
    (words, notes)
}

fn within(text: &str, notes: &mut Vec<String>, depth: usize) -> String {
    let mut found = String::with_capacity(text.len());
    if depth > DEEPEST {
        return text.to_owned();
    }
    let mut rest = text;
    let mut before = ' ';
    while let Some(c) = rest.chars().next() {
        let part = match c {
            '\\' => escaped(rest),
            '*' | '_' | '`' | '#' | '^' | '~' => quoted(rest, c, before, notes, depth),
            '+' => passed(rest, before),
            '$' => between(rest, "$$", "$$"),
            '"' => smart(rest, '"', ('“', '”'), notes, depth),
            '\'' => smart(rest, '\'', ('‘', '’'), notes, depth).or_else(|| {
                (before.is_alphanumeric() && rest[1..].starts_with(char::is_alphabetic))
                    .then(|| ("’".to_owned(), 1))
            }),
            '<' => reference(rest, notes, depth),
            '[' => anchor(rest, notes, depth),
            '(' => symbol(rest),
            '-' | '=' | '.' => arrow(rest, before),
            _ if !before.is_alphanumeric() && c.is_ascii_alphabetic() => {
                macro_at(rest, notes, depth)
            }
            _ => None,
        };
        if let Some((words, length)) = part {
            before = rest[..length].chars().last().unwrap_or(' ');
            found.push_str(&words);
            rest = &rest[length..];
        } else {
            let is_break =
                c == '+' && before == ' ' && (rest.len() == 1 || rest[1..].starts_with('\n'));
            if !is_break {
                found.push(c);
            }
            before = c;
            rest = &rest[c.len_utf8()..];
            if c.is_alphanumeric() {
                // The rest of a word begins nothing.
                let end = rest.find(|c: char| !c.is_alphanumeric()).unwrap_or(rest.len());
                found.push_str(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }
    found
}

fn escaped(text: &str) -> Option<(String, usize)> {
    let next = text[1..].chars().next()?;
    let name = text[1..].chars().take_while(char::is_ascii_alphabetic).count();
    if name > 0 {
        let after = &text[1 + name..];
        return after.starts_with(':').then(|| (text[1..1 + name].to_owned(), 1 + name));
    }
    "*_`#^~+<[{'\"(-.\\".contains(next).then(|| (next.to_string(), 1 + next.len_utf8()))
}

/// Returns the words between marks: `*bold*`, `**b**old`.
fn quoted(
    text: &str,
    mark: char,
    before: char,
    notes: &mut Vec<String>,
    depth: usize,
) -> Option<(String, usize)> {
    let doubled: String = [mark, mark].iter().collect();
    if mark != '^' && mark != '~' && text.starts_with(&doubled) {
        let inner = start_of(&text[2..], LONGEST);
        if let Some(end) = inner.find(&doubled).filter(|end| *end > 0) {
            let words = within(&inner[..end], notes, depth + 1);
            return Some((words, end + 4));
        }
        return None;
    }
    let inner = start_of(&text[1..], LONGEST);
    if inner.starts_with(char::is_whitespace) || inner.starts_with(mark) {
        return None;
    }
    if mark == '^' || mark == '~' {
        let end = inner
            .find(mark)
            .filter(|end| *end > 0 && !inner[..*end].contains(char::is_whitespace))?;
        let words = within(&inner[..end], notes, depth + 1);
        let words = match mark {
            '^' => superscript(&words),
            _ => subscript(before.encode_utf8(&mut [0; 4]), &words, &text[end + 2..]).into_owned(),
        };
        return Some((words, end + 2));
    }
    if before.is_alphanumeric() || before == ':' || before == ';' || before == '}' {
        return None;
    }
    for (at, _) in inner.match_indices(mark) {
        let after = inner[at + 1..].chars().next();
        let ends = after.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        let is_end = at > 0 && ends && !inner[..at].ends_with(char::is_whitespace);
        if is_end && after != Some(mark) {
            let within_marks = &inner[..at];
            let words = match (
                mark,
                within_marks.strip_prefix('+').and_then(|rest| rest.strip_suffix('+')),
            ) {
                ('`', Some(literal)) => literal.to_owned(),
                _ => within(within_marks, notes, depth + 1),
            };
            return Some((words, at + 2));
        }
    }
    None
}

/// Returns what is between plus signs, which is shown as it is.
fn passed(text: &str, before: char) -> Option<(String, usize)> {
    if let Some(part) = between(text, "+++", "+++").or_else(|| between(text, "++", "++")) {
        return Some(part);
    }
    let inner = start_of(&text[1..], LONGEST);
    if inner.starts_with([' ', '+', '\n']) || before.is_alphanumeric() {
        return None;
    }
    let end = inner.match_indices('+').map(|(at, _)| at).find(|at| {
        let after = inner[at + 1..].chars().next();
        after.is_none_or(|c| !c.is_alphanumeric()) && !inner[..*at].ends_with(' ')
    })?;
    Some((inner[..end].to_owned(), end + 2))
}

fn between(text: &str, open: &str, close: &str) -> Option<(String, usize)> {
    let inner = start_of(text.strip_prefix(open)?, LONGEST);
    let end = inner.find(close).filter(|end| *end > 0)?;
    Some((inner[..end].to_owned(), open.len() + end + close.len()))
}

/// Returns a quotation: `"`words`"`.
fn smart(
    text: &str,
    mark: char,
    printed: (char, char),
    notes: &mut Vec<String>,
    depth: usize,
) -> Option<(String, usize)> {
    let inner = start_of(text[1..].strip_prefix('`')?, LONGEST);
    let close: String = ['`', mark].iter().collect();
    let end = inner.find(&close)?;
    let words = within(&inner[..end], notes, depth + 1);
    Some((format!("{}{words}{}", printed.0, printed.1), end + 4))
}

/// Returns the words of `<<target,words>>` or of `<https://…>`.
fn reference(text: &str, notes: &mut Vec<String>, depth: usize) -> Option<(String, usize)> {
    if let Some(inner) = text.strip_prefix("<<") {
        let inner = start_of(inner, LONGEST);
        let end = inner.find(">>")?;
        let target = &inner[..end];
        if target.contains('<') || target.starts_with(' ') {
            return None;
        }
        let words = match target.split_once(',') {
            Some((_, words)) => within(words.trim(), notes, depth + 1),
            None => readable(target),
        };
        return Some((words, end + 4));
    }
    let inner = start_of(&text[1..], LONGEST);
    let is_address = inner.starts_with("http://") || inner.starts_with("https://");
    let end = inner.find('>').filter(|_| is_address)?;
    Some((inner[..end].to_owned(), end + 2))
}

/// Returns the words of a target that no words were given for.
fn readable(target: &str) -> String {
    let name = target.trim_start_matches('#').trim_start_matches('_');
    format!("[{name}]")
}

/// Returns the words of `[[anchor]]` or `[.role]#words#`.
fn anchor(text: &str, notes: &mut Vec<String>, depth: usize) -> Option<(String, usize)> {
    if let Some(inner) = text.strip_prefix("[[[") {
        let end = start_of(inner, LONGEST).find("]]]")?;
        return Some((
            format!("[{}]", inner[..end].split(',').next_back().unwrap_or_default()),
            end + 6,
        ));
    }
    if let Some(inner) = text.strip_prefix("[[") {
        let end = start_of(inner, 200).find("]]")?;
        let is_name = !inner[..end].is_empty()
            && inner.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == ':');
        return is_name.then(|| (String::new(), end + 4));
    }
    let inner = start_of(&text[1..], 200);
    let end = inner.find(']')?;
    let after = &text[end + 2..];
    let mark = after.chars().next().filter(|mark| "#*_`".contains(*mark))?;
    let is_role = inner.starts_with(['.', '#'])
        || inner[..end].chars().all(|c| c.is_ascii_alphanumeric() || " -_".contains(c)) && end > 0;
    let (words, length) = quoted(after, mark, ' ', notes, depth)?;
    let is_struck = inner[..end].split(['.', ' ']).any(|role| role == "line-through");
    let words = if is_struck { struck(&words) } else { words };
    is_role.then(|| (words, end + 2 + length))
}

fn symbol(text: &str) -> Option<(String, usize)> {
    for (written, printed) in [("(C)", "©"), ("(R)", "®"), ("(TM)", "™")] {
        if text.starts_with(written) {
            return Some((printed.to_owned(), written.len()));
        }
    }
    if let Some(inner) = text.strip_prefix("(((") {
        let end = start_of(inner, LONGEST).find(")))")?;
        return Some((String::new(), end + 6));
    }
    let inner = start_of(text.strip_prefix("((")?, LONGEST);
    let end = inner.find("))")?;
    Some((inner[..end].to_owned(), end + 4))
}

fn arrow(text: &str, before: char) -> Option<(String, usize)> {
    for (written, printed) in [("->", "→"), ("=>", "⇒"), ("...", "…")] {
        if text.starts_with(written) {
            return Some((printed.to_owned(), written.len()));
        }
    }
    let rest = text.strip_prefix("--")?;
    let after = rest.chars().next();
    if before == ' ' && after.is_none_or(char::is_whitespace)
        || before.is_alphanumeric() && after.is_some_and(char::is_alphanumeric)
    {
        return Some(("—".to_owned(), 2));
    }
    None
}

/// Returns the words of a macro: `link:address[words]`, `https://address[words]`, `kbd:[Ctrl]`, `linkgit:git-log[1]`.
fn macro_at(text: &str, notes: &mut Vec<String>, depth: usize) -> Option<(String, usize)> {
    let name_length =
        start_of(text, 40).find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')?;
    let name = &text[..name_length];
    let rest = text[name_length..].strip_prefix(':')?;
    let is_address = matches!(name, "http" | "https" | "ftp" | "irc" | "mailto")
        && (rest.starts_with("//") || name == "mailto");
    let target_length = start_of(rest, LONGEST)
        .find(|c: char| c == '[' || c.is_whitespace() || is_address && "<>\"".contains(c))
        .unwrap_or_else(|| start_of(rest, LONGEST).len());
    let target = &rest[..target_length];
    let target = if is_address && !rest[target_length..].starts_with('[') {
        target.trim_end_matches(['.', ',', ';', ')', ':', '?', '!'])
    } else {
        target
    };
    let after = &rest[target.len()..];
    let start = name_length + 1 + target.len();
    let Some(inner) = after.strip_prefix('[') else {
        let whole = format!("{name}:{target}");
        return (is_address && !target.is_empty()).then_some((whole, start));
    };
    let inner = start_of(inner, LONGEST);
    let end = closing(inner)?;
    let content = &inner[..end];
    let length = start + end + 2;
    if target.starts_with(':') || name == "pass" && !target.is_empty() && target.len() > 4 {
        return None;
    }
    let first = || {
        let words = content.trim_matches('"').trim_end_matches('^');
        // What follows the words are settings: `window=_blank`.
        let words = match words.split_once(',') {
            Some((words, rest)) if rest.contains('=') => words.trim_matches('"'),
            _ => words,
        };
        words.replace("\\]", "]")
    };
    let words = match name {
        _ if is_address => {
            let words = within(&first(), notes, depth + 1);
            if words.is_empty() {
                if name == "mailto" { target.to_owned() } else { format!("{name}:{target}") }
            } else {
                words
            }
        }
        "link" | "xref" => {
            let words = within(&first(), notes, depth + 1);
            match (words.is_empty(), name) {
                (false, _) => words,
                (true, "link") => target.to_owned(),
                (true, _) => readable(target),
            }
        }
        "footnote" | "footnoteref" => {
            if content.is_empty() {
                String::new()
            } else {
                notes.push(content.replace("\\]", "]"));
                format!("[{}]", notes.len())
            }
        }
        "image" | "icon" => {
            let words = first();
            if words.contains('=') {
                String::new()
            } else {
                words.split(',').next().unwrap_or_default().to_owned()
            }
        }
        "kbd" | "btn" | "pass" | "stem" | "latexmath" | "asciimath" | "indexterm2" => {
            content.replace("\\]", "]")
        }
        "menu" => {
            if content.is_empty() {
                target.to_owned()
            } else {
                format!("{target} > {content}")
            }
        }
        "indexterm" | "anchor" | "bibanchor" | "toc" => String::new(),
        // A page of a manual: `linkgit:git-log[1]`.
        _ if !target.is_empty()
            && !content.is_empty()
            && content.len() <= 3
            && content.as_bytes()[0].is_ascii_digit() =>
        {
            format!("{target}({content})")
        }
        _ if !target.is_empty() && name.len() > 1 && !content.contains('=') => {
            if content.is_empty() { target.to_owned() } else { within(content, notes, depth + 1) }
        }
        _ => return None,
    };
    Some((words, length))
}

/// Returns where the bracket closes that was opened before a text.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match c {
            '[' if before != '\\' => depth += 1,
            ']' if before == '\\' => {}
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
        before = c;
    }
    None
}
