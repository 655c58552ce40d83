//! Splits a fragment into marks and the text between them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::OnceLock;

/// A piece of a fragment. Names are in lower case, without a prefix.
#[derive(Debug, PartialEq)]
pub(super) enum Piece<'a> {
    Text(Cow<'a, str>),
    Open(String),
    Close(String),
    /// An element that is opened and closed at once.
    Empty(String),
}

/// The longest mark, in bytes; anything longer is text.
const LONGEST_MARK: usize = 1_024;
/// The most levels of escaping that are undone.
const READINGS: usize = 3;
/// The longest character reference.
const LONGEST_REFERENCE: usize = 40;

/// The elements of HTML, JATS and MathML that occur in titles and abstracts. Others are text: `List<String>`, `<UNK>`.
const ELEMENTS: &str = "a abbr abstract alternatives annotation annotation-xml article-title award-id b big blockquote body bold br break \
    caption center chem-struct chem-struct-wrap cite code col colgroup dd def def-item def-list del dfn disp-formula disp-quote div dl dt em \
    email ext-link fig fixed-case fn font footer graphic h1 h2 h3 h4 h5 h6 head header hr html i img inf inline-formula inline-graphic ins \
    italic kbd label li link list list-item maction main mark math menclose merror mfenced mfrac mi mlabeledtr mmultiscripts mn mo monospace \
    mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover \
    named-content nobr nolabel ol overline p pre private-char q related-article roman s sans-serif sc scp script sec section \
    see-also semantics small span strike strong styled-content style sub sup table tbody td tex-math tfoot th thead title tr trans-abstract \
    tt u ul underline uri var verbatim verse-group verse-line wbr xref";

/// Returns the pieces of a text. Decoding double-escaped text reveals its marks, and it is split again.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    cut(text, READINGS, &mut found);
    found
}

fn cut<'a>(text: &'a str, readings: usize, found: &mut Vec<Piece<'a>>) {
    let mut from = 0;
    let mut at = 0;
    // The end of an unclosed comment or the like is searched for only once.
    let mut unclosed = [false; 3];
    while let Some(start) = text.get(at..).and_then(|rest| rest.find('<')).map(|next| at + next) {
        let Some((piece, length)) = mark(&text[start..], &mut unclosed) else {
            at = start + 1;
            continue;
        };
        say(&text[from..start], readings, found);
        found.extend(piece);
        from = start + length;
        at = from;
    }
    say(&text[from..], readings, found);
}

fn say<'a>(text: &'a str, readings: usize, found: &mut Vec<Piece<'a>>) {
    match decoded(text) {
        Cow::Owned(decoded) if readings > 1 && has_marks(&decoded) => {
            let mut again = Vec::new();
            cut(&decoded, readings - 1, &mut again);
            found.extend(again.into_iter().map(|piece| piece.into_owned()));
        }
        decoded if decoded.is_empty() => {}
        decoded => found.push(Piece::Text(decoded)),
    }
}

impl Piece<'_> {
    fn into_owned(self) -> Piece<'static> {
        match self {
            Piece::Text(text) => Piece::Text(Cow::Owned(text.into_owned())),
            Piece::Open(name) => Piece::Open(name),
            Piece::Close(name) => Piece::Close(name),
            Piece::Empty(name) => Piece::Empty(name),
        }
    }
}

fn has_marks(text: &str) -> bool {
    let mut unclosed = [false; 3];
    text.match_indices('<').any(|(at, _)| mark(&text[at..], &mut unclosed).is_some())
        || text.match_indices('&').any(|(at, _)| reference(&text[at..]).is_some())
}

/// Returns the mark at the start of a text, and its length; a comment is a mark without a piece.
fn mark<'a>(text: &'a str, unclosed: &mut [bool; 3]) -> Option<(Option<Piece<'a>>, usize)> {
    const HIDDEN: [(&str, &str); 3] = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
    for ((opening, closing), unclosed) in HIDDEN.into_iter().zip(unclosed) {
        let Some(rest) = text.strip_prefix(opening) else { continue };
        if *unclosed {
            return None;
        }
        let Some(end) = rest.find(closing) else {
            *unclosed = true;
            return None;
        };
        let said = (opening == "<![CDATA[").then(|| Piece::Text(Cow::Borrowed(&rest[..end])));
        return Some((said, opening.len() + end + closing.len()));
    }
    let rest = text.strip_prefix('<')?;
    let (closes, rest) = match rest.strip_prefix('/') {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let named = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_');
    let name = &rest[..rest.find(|c| !named(c)).unwrap_or(rest.len())];
    let (prefix, local) = name.split_once(':').unwrap_or(("", name));
    if !local.starts_with(|c: char| c.is_ascii_alphabetic()) || local.len() > 32 {
        return None;
    }
    let local = local.to_ascii_lowercase();
    let known =
        matches!(prefix, "jats" | "mml" | "m" | "math" | "xhtml" | "html") || is_element(&local);
    if !known {
        return None;
    }
    let (length, empty) = attributes(&rest[name.len()..], closes)?;
    let length = text.len() - rest.len() + name.len() + length;
    let piece = match (closes, empty) {
        (true, _) => Piece::Close(local),
        (false, true) => Piece::Empty(local),
        (false, false) => Piece::Open(local),
    };
    Some((Some(piece), length))
}

fn is_element(name: &str) -> bool {
    static KNOWN: OnceLock<HashSet<&'static str>> = OnceLock::new();
    KNOWN.get_or_init(|| ELEMENTS.split_whitespace().collect()).contains(name)
}

/// Returns the length of the attributes including the `>`, and whether the element is self-closing. Each attribute needs a value: `a <b
/// and c> d` is text.
fn attributes(text: &str, closes: bool) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    let bytes = bytes.get(..LONGEST_MARK).unwrap_or(bytes);
    let skip = |at: usize, wanted: fn(u8) -> bool| {
        let rest = bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(|byte| !wanted(*byte)).unwrap_or(rest.len())
    };
    let space = |byte: u8| byte.is_ascii_whitespace();
    let mut at = 0;
    loop {
        let before = at;
        at = skip(at, space);
        match bytes.get(at)? {
            b'>' => return Some((at + 1, false)),
            b'/' if bytes.get(at + 1) == Some(&b'>') => return Some((at + 2, true)),
            byte if byte.is_ascii_alphabetic() && at > before && !closes => {}
            _ => return None,
        }
        at = skip(at, |b| b.is_ascii_alphanumeric() || matches!(b, b':' | b'-' | b'_' | b'.'));
        at = skip(at, space);
        if bytes.get(at) != Some(&b'=') {
            return None;
        }
        at = skip(at + 1, space);
        at = match bytes.get(at)? {
            quote @ (b'"' | b'\'') => {
                let rest = bytes.get(at + 1..)?;
                at + 1 + rest.iter().position(|byte| byte == quote)? + 1
            }
            _ => skip(at, |b| !b.is_ascii_whitespace() && b != b'>'),
        };
    }
}

/// Decodes character references; both `&amp;lt;` and `&lt;` are `<`.
fn decoded(text: &str) -> Cow<'_, str> {
    let mut decoded = String::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = text.get(at..).and_then(|rest| rest.find('&')) {
        let start = at + found;
        match reference(&text[start..]) {
            Some((character, length)) => {
                decoded.push_str(&text[from..start]);
                decoded.push_str(&character);
                from = start + length;
                at = from;
            }
            None => at = start + 1,
        }
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    decoded.push_str(&text[from..]);
    Cow::Owned(decoded)
}

/// Returns the value of the character reference at the start of a text, and its length. It must end in a semicolon: `AT&T` and
/// `?a=1&copy=2` contain none.
fn reference(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let mut rest = text.strip_prefix('&')?;
    while let Some(shorter) = rest.strip_prefix("amp;") {
        rest = shorter;
    }
    let read = text.len() - rest.len();
    let window = rest.as_bytes().get(..LONGEST_REFERENCE).unwrap_or(rest.as_bytes());
    let end = window.iter().position(|b| !b.is_ascii_alphanumeric() && *b != b'#');
    if let Some(end) = end.filter(|end| *end > 0 && window.get(*end) == Some(&b';')) {
        let name = &rest[..=end];
        let whole = format!("&{name}");
        let character = htmlize::unescape(whole.as_str()).into_owned();
        if character != whole && !character.ends_with(';') {
            return Some((Cow::Owned(character), read + name.len()));
        }
    }
    (read > 1).then_some((Cow::Borrowed("&"), read))
}
