//! XML that stays well-formed whatever a text holds.

/// XML that is written from left to right.
#[derive(Debug, Default)]
pub(crate) struct Xml(pub(crate) String);

impl Xml {
    /// Adds markup of the program's own.
    pub(crate) fn put(&mut self, markup: impl AsRef<str>) {
        self.0.push_str(markup.as_ref());
    }
}

/// Returns a text as the content of an element or the value of an attribute. Control characters become spaces, and what XML cannot hold
/// becomes the replacement character.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c if c.is_control() => escaped.push(' '),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}
