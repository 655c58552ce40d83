//! Cuts HTML into tags and text, in one pass and whatever it contains.

use std::borrow::Cow;

/// The most attributes of a tag that are looked at.
const ATTRIBUTES: usize = 64;
/// The most bytes of a name.
const LONGEST_NAME: usize = 40;

pub(super) enum Token<'a> {
    /// Text with its entities resolved.
    Text(Cow<'a, str>),
    Tag(Tag),
}

/// A tag, with its name and those of its attributes in lower case.
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) is_end: bool,
    attributes: Vec<(String, String)>,
}

impl Tag {
    /// Returns the value of an attribute, blank if the tag does not have it.
    pub(super) fn attribute(&self, name: &str) -> &str {
        self.attributes.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub(super) fn is_void(&self) -> bool {
        matches!(
            self.name.as_str(),
            "area"
                | "base"
                | "br"
                | "col"
                | "embed"
                | "hr"
                | "img"
                | "input"
                | "link"
                | "meta"
                | "wbr"
        )
    }

    /// Returns whether the tag stands within words.
    pub(super) fn is_inline(&self) -> bool {
        let name = self.name.strip_prefix("jats:").unwrap_or(&self.name);
        matches!(
            name,
            "a" | "b"
                | "i"
                | "u"
                | "em"
                | "strong"
                | "sub"
                | "sup"
                | "span"
                | "small"
                | "font"
                | "sc"
                | "italic"
                | "bold"
                | "code"
        )
    }

    /// Returns whether what the element holds is not shown.
    pub(super) fn is_hidden(&self) -> bool {
        let style: String =
            self.attribute("style").chars().filter(|c| !c.is_whitespace()).collect();
        let style = style.to_ascii_lowercase();
        let by_style = ["display:none", "visibility:hidden", "mso-hide:all"]
            .iter()
            .any(|rule| style.contains(rule));
        let is_unseen = matches!(
            self.name.as_str(),
            "head"
                | "object"
                | "svg"
                | "select"
                | "template"
                | "datalist"
                | "map"
                | "audio"
                | "video"
        );
        by_style || is_unseen || self.attributes.iter().any(|(name, _)| name == "hidden")
    }
}

/// Returns the tags and texts of `html`. Comments, and what scripts and styles hold, are left out.
pub(super) fn tokens(html: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = html;
    std::iter::from_fn(move || {
        loop {
            let at = rest.find('<').unwrap_or(rest.len());
            if at > 0 {
                let (text, after) = rest.split_at(at);
                rest = after;
                return Some(Token::Text(htmlize::unescape(text)));
            }
            let inner = rest.strip_prefix('<')?;
            if let Some(comment) = inner.strip_prefix("!--") {
                rest = comment.find("-->").map_or("", |end| &comment[end + 3..]);
            } else if inner.starts_with(['!', '?']) {
                rest = inner.find('>').map_or("", |end| &inner[end + 1..]);
            } else if inner.trim_start_matches('/').starts_with(|c: char| c.is_ascii_alphabetic()) {
                let (tag, after) = read_tag(inner);
                rest = after;
                if !tag.is_end
                    && matches!(
                        tag.name.as_str(),
                        "script" | "style" | "title" | "textarea" | "noframes"
                    )
                {
                    rest = after_element(&tag.name, rest);
                    continue;
                }
                return Some(Token::Tag(tag));
            } else {
                rest = inner;
                return Some(Token::Text("<".into()));
            }
        }
    })
}

/// Returns what follows the end tag of an element whose content is not HTML.
fn after_element<'a>(name: &str, text: &'a str) -> &'a str {
    let mut at = 0;
    while let Some(found) = text[at..].find("</") {
        let start = at + found + 2;
        let end = start + name.len();
        if text.get(start..end).is_some_and(|it| it.eq_ignore_ascii_case(name)) {
            return text[end..].find('>').map_or("", |close| &text[end + close + 1..]);
        }
        at = start;
    }
    ""
}

/// Returns the tag that begins after a `<`, and what follows it: nothing, if the tag does not end.
fn read_tag(text: &str) -> (Tag, &str) {
    let named = text.trim_start_matches('/');
    let is_end = named.len() < text.len();
    let end = named.find(|c: char| c.is_whitespace() || "/>".contains(c)).unwrap_or(named.len());
    let name = named[..named.floor_char_boundary(end.min(LONGEST_NAME))].to_ascii_lowercase();
    let mut tag = Tag { name, is_end, attributes: Vec::new() };
    let mut rest = &named[end..];
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
        if rest.is_empty() {
            return (tag, "");
        }
        if let Some(after) = rest.strip_prefix('>') {
            return (tag, after);
        }
        let end = rest.find(|c: char| c.is_whitespace() || "/>=".contains(c)).unwrap_or(rest.len());
        // A tag may hold a lone `=`.
        let end = end.max(rest.chars().next().map_or(1, char::len_utf8));
        let (name, after) = rest.split_at(end);
        let (value, after) = match after.trim_start().strip_prefix('=') {
            Some(value) => attribute_value(value.trim_start()),
            None => ("", after),
        };
        if tag.attributes.len() < ATTRIBUTES {
            let name = name[..name.floor_char_boundary(LONGEST_NAME)].to_ascii_lowercase();
            tag.attributes.push((name, htmlize::unescape(value).into_owned()));
        }
        rest = after;
    }
}

/// Returns the value that `text` begins with, and what follows it.
fn attribute_value(text: &str) -> (&str, &str) {
    let quoted = |mark: char| {
        text.strip_prefix(mark).map(|inner| inner.split_once(mark).unwrap_or((inner, "")))
    };
    quoted('"').or_else(|| quoted('\'')).unwrap_or_else(|| {
        let end = text.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(text.len());
        text.split_at(end)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(html: &str) -> String {
        tokens(html)
            .map(|token| match token {
                Token::Text(text) => text.into_owned(),
                Token::Tag(tag) => format!("[{}{}]", if tag.is_end { "/" } else { "" }, tag.name),
            })
            .collect()
    }

    // proves: A6
    #[test]
    fn tags_and_text_are_apart() {
        assert_eq!(
            written("a < b &lt; <B x='>' y=1/>c</B ><!-- <i> -->d<!doctype x><br/>"),
            "a < b < [b]c[/b]d[br]"
        );
        assert_eq!(written("<script>a</b></SCRIPT>c<a b=\"never closed>d"), "c[a]");
        let tags: Vec<Token> = tokens("<img ALT=\"a &amp; b\" hidden>").collect();
        let [Token::Tag(tag)] = tags.as_slice() else { panic!("one tag") };
        assert_eq!((tag.attribute("alt"), tag.is_hidden()), ("a & b", true));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A6
        #[test]
        fn any_text_is_cut(html in "(<|>|/|=|'|\"|<!--|-->|table|td|script|é|&amp;|[a-z ]{1,3}|(?s).){0,60}") {
            written(&html);
        }
    }
}
