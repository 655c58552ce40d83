//! Links by their description, emphasis, footnotes and entities.

use crate::markup::start_of;
use crate::struck::struck;

/// Entities that are no letters with an accent.
const ENTITIES: &[(&str, &str)] = &[
    ("alpha", "α"),
    ("beta", "β"),
    ("gamma", "γ"),
    ("delta", "δ"),
    ("lambda", "λ"),
    ("mu", "μ"),
    ("pi", "π"),
    ("sigma", "σ"),
    ("rarr", "→"),
    ("larr", "←"),
    ("to", "→"),
    ("rightarrow", "→"),
    ("leftarrow", "←"),
    ("ndash", "–"),
    ("mdash", "—"),
    ("hellip", "…"),
    ("dots", "…"),
    ("nbsp", " "),
    ("copy", "©"),
    ("reg", "®"),
    ("trade", "™"),
    ("times", "×"),
    ("deg", "°"),
    ("euro", "€"),
    ("pound", "£"),
    ("para", "¶"),
    ("sect", "§"),
    ("vert", "|"),
    ("under", "_"),
    ("slash", "/"),
    ("plus", "+"),
    ("ast", "*"),
    ("star", "*"),
    ("tilde", "~"),
    ("equal", "="),
    ("lt", "<"),
    ("gt", ">"),
    ("amp", "&"),
    ("infin", "∞"),
    ("ouml", "ö"),
    ("auml", "ä"),
    ("uuml", "ü"),
    ("Ouml", "Ö"),
    ("Auml", "Ä"),
    ("Uuml", "Ü"),
    ("szlig", "ß"),
    ("eacute", "é"),
    ("egrave", "è"),
    ("agrave", "à"),
    ("ccedil", "ç"),
    ("checkmark", "✓"),
    ("zwnj", ""),
    ("emsp", " "),
];
/// The most letters of emphasised text.
const LONGEST: usize = 2000;

/// Returns the words of a text without its inline markup, and the footnotes defined within.
pub(super) fn unmarked(text: &str) -> (String, Vec<String>) {
    let mut found = String::with_capacity(text.len());
    let mut notes = Vec::new();
    let mut rest = text;
    let mut before = ' ';
    // The end of each kind of mark that was looked for in vain lies beyond this many bytes from the end of the text.
    let mut unended: [usize; 128] = [0; 128];
    while let Some(c) = rest.chars().next() {
        let part = match c {
            '[' => bracket(rest, &mut notes),
            '*' | '/' | '_' | '+' | '=' | '~'
                if may_open(before) && rest.len() > unended[c as usize] =>
            {
                let part = emphasis(rest, c);
                if part.is_none() {
                    unended[c as usize] = rest.len().saturating_sub(LONGEST);
                }
                part
            }
            '\\' => entity(rest),
            '<' => target(rest),
            '@' => rest.strip_prefix("@@").and_then(|inner| {
                let end = start_of(inner, LONGEST).find("@@")?;
                Some((String::new(), end + 4))
            }),
            '{' => rest.strip_prefix("{{{").and_then(|inner| {
                let end = start_of(inner, LONGEST).find("}}}")?;
                let call = &inner[..end];
                let words = call.split_once('(').map_or("", |(_, rest)| rest.trim_end_matches(')'));
                Some((words.to_owned(), end + 6))
            }),
            _ => None,
        };
        if let Some((words, length)) = part {
            before = rest[..length].chars().last().unwrap_or(' ');
            found.push_str(&words);
            rest = &rest[length..];
        } else {
            found.push(c);
            before = c;
            rest = &rest[c.len_utf8()..];
        }
    }
    (found, notes)
}

fn may_open(before: char) -> bool {
    before.is_whitespace() || "-—({'\"[|*/_+".contains(before)
}

/// Returns the words within a pair of marks, and their length.
fn emphasis(text: &str, mark: char) -> Option<(String, usize)> {
    let inner = &text[1..];
    if inner.starts_with(|c: char| c.is_whitespace() || c == mark) {
        return None;
    }
    // Emphasis takes four lines at most.
    let near = start_of(inner, LONGEST);
    let near = near.match_indices('\n').nth(3).map_or(near, |(end, _)| &near[..end]);
    for (at, _) in near.match_indices(mark) {
        let after = inner[at + 1..].chars().next();
        let ends = after.is_none_or(|c| c.is_whitespace() || "-—.,:;!?'\")}]|\\*/_+…".contains(c));
        if at > 0 && ends && !inner[..at].ends_with(char::is_whitespace) {
            let within = &inner[..at];
            let words = match mark {
                '=' | '~' => within.to_owned(),
                '+' => struck(&plain(within)),
                _ => plain(within),
            };
            return Some((words, at + 2));
        }
    }
    None
}

/// Returns emphasised text without marks within; their number is bounded by the kinds of mark.
fn plain(text: &str) -> String {
    unmarked(text).0
}

/// Returns the words of a link, footnote or timestamp.
fn bracket(text: &str, notes: &mut Vec<String>) -> Option<(String, usize)> {
    if let Some(inner) = text.strip_prefix("[[") {
        let end = start_of(inner, LONGEST).find("]]")?;
        let link = &inner[..end];
        let length = end + 4;
        let (address, description) = match link.split_once("][") {
            Some((address, description)) => (address, Some(description)),
            None => (link, None),
        };
        let words = match description {
            // A picture as a description shows as such.
            Some(description) if is_image(description) => String::new(),
            Some(description) => plain(description),
            None if is_image(address) => String::new(),
            None => address.trim_start_matches(['*', '#']).trim_start_matches("file:").to_owned(),
        };
        return Some((words, length));
    }
    if let Some(inner) = text.strip_prefix("[fn:") {
        let end = matching(inner)?;
        let (label, note) = inner[..end].split_once(':').unwrap_or((&inner[..end], ""));
        if note.is_empty() {
            return Some((format!("[{label}]"), end + 5));
        }
        let mark = if label.is_empty() { String::new() } else { format!("[{label}]") };
        notes.push(format!("{mark} {note}").trim().to_owned());
        return Some((mark, end + 5));
    }
    if let Some(inner) = text.strip_prefix("[cite") {
        let end = start_of(inner, LONGEST).find(']')?;
        let (_, keys) = inner[..end].split_once(':')?;
        return Some((format!("[{}]", keys.trim()), end + 6));
    }
    let inner = &text[1..start_of(text, 40).find(']')?];
    is_timestamp(inner).then(|| (inner.to_owned(), inner.len() + 2))
}

/// Returns where the bracket closes that was opened before a text.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < LONGEST) {
        match c {
            '[' => depth += 1,
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_image(address: &str) -> bool {
    let name = address.to_ascii_lowercase();
    [".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp"].iter().any(|end| name.ends_with(end))
        && !name.contains(' ')
}

fn is_timestamp(text: &str) -> bool {
    text.len() >= 10
        && text
            .bytes()
            .take(10)
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() })
}

/// Returns what is within angle brackets: a timestamp, an address or a target, which shows nothing.
fn target(text: &str) -> Option<(String, usize)> {
    if let Some(inner) = text.strip_prefix("<<") {
        let end = start_of(inner, 200).find(">>")?;
        let radio = inner.strip_prefix('<').map(|_| inner[1..end].to_owned());
        let extra = inner[end + 2..].starts_with('>') && radio.is_some();
        return Some((radio.unwrap_or_default(), end + 4 + usize::from(extra)));
    }
    let end = start_of(text, 300).find('>')?;
    let inner = &text[1..end];
    let is_address = inner.contains("://") && !inner.contains(' ') || inner.starts_with("mailto:");
    (is_timestamp(inner) || is_address).then(|| (inner.to_owned(), end + 1))
}

/// Returns a line with its timestamps without brackets.
pub(super) fn without_brackets(line: &str) -> String {
    line.replace(['<', '>', '[', ']'], "")
}

fn entity(text: &str) -> Option<(String, usize)> {
    let rest = &text[1..];
    if let Some(after) = rest.strip_prefix('\\') {
        return (after.is_empty() || after.starts_with('\n')).then(|| (String::new(), 2));
    }
    let length = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    let (_, letter) = ENTITIES.iter().find(|(name, _)| *name == &rest[..length])?;
    let braces = usize::from(rest[length..].starts_with("{}")) * 2;
    Some(((*letter).to_owned(), 1 + length + braces))
}
