//! Normalises an item's texts for a style's engine.

use papers::Date;
use unicode_normalization::UnicodeNormalization;

use super::item::{Item, Name};

/// Suffixes of names.
const SUFFIXES: [&str; 8] = ["Jr", "Jr.", "Sr", "Sr.", "II", "III", "IV", "Esq."];

/// Returns the item with one-line texts, names in parts, plain titles, and equal first and last pages merged.
pub(super) fn normalised(item: &Item) -> Item {
    Item {
        id: item.id.clone(),
        kind: plain(&item.kind),
        title: quoted(&without_markup(&plain(&item.title))),
        author: item.author.iter().filter_map(name).collect(),
        editor: item.editor.iter().filter_map(name).collect(),
        issued: item.issued.and_then(checked),
        accessed: item.accessed.and_then(checked),
        container_title: titled(&item.container_title),
        volume: some(&item.volume),
        issue: some(&item.issue),
        page: some(&item.page).map(|page| pages(&page)),
        number: some(&item.number),
        edition: some(&item.edition),
        version: some(&item.version),
        genre: some(&item.genre),
        status: some(&item.status),
        publisher: titled(&item.publisher),
        doi: some(&item.doi).map(|doi| doi_of(&doi)),
        url: some(&item.url).map(|url| addressed(&url, "\"'<>`{}|\\^ ")),
        issn: some(&item.issn),
        isbn: some(&item.isbn),
        language: some(&item.language),
        // No style prints these, and some are long.
        pmid: None,
        pmcid: None,
        summary: None,
        keyword: None,
    }
}

/// Drops impossible parts of a date.
fn checked(date: Date) -> Option<Date> {
    let parts = [Some(date.year.into()), date.month.map(i64::from), date.day.map(i64::from)];
    Date::of_parts(&parts.into_iter().map_while(|part| part).collect::<Vec<i64>>())
}

/// Returns a text on one line: white space and control characters become single spaces, marks that turn or hide text are removed, and
/// letters are composed (NFC).
pub(super) fn plain(text: &str) -> String {
    let text: String = text
        .nfc()
        .filter(|c| !is_hidden(*c))
        .map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c })
        .collect();
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Returns whether a character is invisible or changes how others are shown: directions, soft hyphens, byte-order marks, tags, zero-width
/// characters.
///
/// Joiners are kept, since Persian and Hindi need them.
pub(super) fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

fn some(text: &Option<String>) -> Option<String> {
    text.as_deref().map(plain).filter(|text| !text.is_empty())
}

fn titled(text: &Option<String>) -> Option<String> {
    some(text).map(|text| quoted(&without_markup(&text))).filter(|text| !text.is_empty())
}

/// Removes CSL-JSON's tags for italics, bold, subscript, superscript and small capitals; other angle brackets are text.
fn without_markup(text: &str) -> String {
    const TAGS: [&str; 10] =
        ["<i>", "</i>", "<b>", "</b>", "<sub>", "</sub>", "<sup>", "</sup>", "</span>", "<sc>"];
    const SPANS: [&str; 2] = ["<span class=\"nocase\">", "<span style=\"font-variant:"];

    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        plain.push_str(before);
        let known = TAGS.iter().any(|known| tag.starts_with(known))
            || SPANS.iter().any(|known| tag.starts_with(known));
        match tag.find('>') {
            Some(end) if known => rest = &tag[end + 1..],
            _ => {
                plain.push('<');
                rest = &tag[1..];
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// Replaces pairs of straight quotation marks by the style's own, nested pairs by its inner ones, and straight apostrophes by typographic
/// ones.
///
/// An unmatched mark stays: it may be a prime, as in `5'-AMP`.
fn quoted(text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    let mut open: Vec<(usize, char)> = Vec::new();
    let mut pairs = Vec::new();
    for at in 0..letters.len() {
        let c = letters.get(at).copied().unwrap_or_default();
        if c != '"' && c != '\'' {
            continue;
        }
        let before = at.checked_sub(1).and_then(|before| letters.get(before)).copied();
        let after = letters.get(at + 1).copied();
        let begins = before.is_none_or(|c| c.is_whitespace() || "([{-–—/“‘\"'".contains(c));
        let ends = after.is_none_or(|c| !c.is_alphanumeric());
        let within =
            before.is_some_and(char::is_alphabetic) && after.is_some_and(char::is_alphabetic);
        if c == '\'' && within {
            letters[at] = '’';
        } else if begins && after.is_some_and(|c| !c.is_whitespace()) {
            open.push((at, c));
        } else if ends && let Some(index) = open.iter().rposition(|(_, mark)| *mark == c) {
            // Marks opened since then have no partner.
            open.truncate(index + 1);
            pairs.extend(open.pop().map(|(from, _)| (open.len(), from, at)));
        }
    }
    for (depth, from, to) in pairs {
        let (left, right) = if depth % 2 == 0 { ('“', '”') } else { ('‘', '’') };
        letters[from] = left;
        letters[to] = right;
    }
    letters.into_iter().collect()
}

/// Returns pages with plain hyphens, and `15` for `15-15`.
fn pages(pages: &str) -> String {
    let plain: String = pages
        .chars()
        .map(|c| if matches!(c, '\u{2010}'..='\u{2015}' | '\u{2212}') { '-' } else { c })
        .collect();
    match plain.split_once('-') {
        Some((first, last)) if first.trim() == last.trim_matches(['-', ' ']) => {
            first.trim().to_owned()
        }
        Some((first, last)) => format!("{}-{}", first.trim(), last.trim_matches(['-', ' '])),
        None => plain,
    }
}

/// Returns a DOI without its resolver, safe in a URL.
fn doi_of(doi: &str) -> String {
    let bare = doi.find("10.").map_or(doi, |at| {
        let before = doi[..at].to_lowercase();
        let resolver = before.ends_with("doi.org/") || before.trim_end() == "doi:";
        if resolver { &doi[at..] } else { doi }
    });
    addressed(bare, "\"'<>`{}|\\^ #?")
}

/// Percent-encodes the characters that a URL must not contain.
fn addressed(text: &str, refused: &str) -> String {
    let mut address = String::with_capacity(text.len());
    for c in text.chars() {
        if refused.contains(c) {
            address.push_str(&format!("%{:02X}", u32::from(c)));
        } else {
            address.push(c);
        }
    }
    address
}

/// Returns a name in its parts, or `None` if nothing is left of it.
fn name(name: &Name) -> Option<Name> {
    let literal = some(&name.literal);
    let (family, after_family) = split_suffix(some(&name.family));
    let (given, after_given) = split_suffix(some(&name.given));
    let name = Name {
        suffix: some(&name.suffix).or(after_family).or(after_given),
        dropping_particle: some(&name.dropping_particle),
        non_dropping_particle: some(&name.non_dropping_particle),
        given: given.map(|given| initials_apart(&given)),
        family,
        literal: None,
    };
    match (literal, name) {
        (Some(literal), _) => Some(Name::literal(literal)),
        (None, Name { family: None, given, .. }) => given.map(Name::literal),
        (None, name) => Some(name),
    }
}

/// Splits the suffix off `King, Jr.` and `Martin Luther Jr.`
fn split_suffix(text: Option<String>) -> (Option<String>, Option<String>) {
    let Some(text) = text else { return (None, None) };
    match text.rsplit_once(' ') {
        Some((before, last)) if SUFFIXES.contains(&last) => {
            let last =
                if last == "Jr" || last == "Sr" { format!("{last}.") } else { last.to_owned() };
            (Some(before.trim_end_matches([',', ' ']).to_owned()), Some(last))
        }
        _ => (Some(text), None),
    }
}

/// Separates given names into words, and capitalises them if none has a capital: `A.M.` becomes `A. M.`
fn initials_apart(given: &str) -> String {
    let mut apart = String::with_capacity(given.len() + 4);
    let capitals = given.chars().any(char::is_uppercase);
    let mut begins = true;
    for c in given.chars() {
        if apart.ends_with('.') && c.is_alphabetic() {
            apart.push(' ');
            begins = true;
        }
        if begins && !capitals {
            apart.extend(c.to_uppercase());
        } else {
            apart.push(c);
        }
        begins = matches!(c, ' ' | '-');
    }
    apart
}
