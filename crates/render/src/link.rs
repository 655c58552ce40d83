//! Addresses on the web that a reader may follow.

use url::Url;

/// An address on the web: of scheme `http` or `https`, nothing else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link(String);

impl Link {
    /// Returns a text as a link; `None` if it is not an address on the web.
    ///
    /// ```
    /// use render::Link;
    ///
    /// assert_eq!(Link::read("https://example.org/a b").unwrap().as_str(), "https://example.org/a%20b");
    /// assert!(Link::read("javascript:alert(1)").is_none());
    /// assert!(Link::read("file:///etc/passwd").is_none());
    /// ```
    pub fn read(text: &str) -> Option<Link> {
        let url = Url::parse(text.trim()).ok()?;
        let is_web = matches!(url.scheme(), "http" | "https");
        let names_nobody = url.username().is_empty() && url.password().is_none();
        // A host may hold a quotation mark by the rules; no real one does.
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\`".contains(&byte);
        let is_plain = url.as_str().bytes().all(is_plain);
        (is_web && names_nobody && is_plain && url.has_host()).then(|| Link(url.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}
