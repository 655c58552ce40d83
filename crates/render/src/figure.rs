//! Pictures that the program draws.

use crate::document::{Block, Table};

/// Figures, and what stands in their place in a format without pictures.
///
/// Titles and words are anybody's text; writers escape them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Picture {
    /// The heading of a section that only a format with pictures has; may be empty.
    pub heading: String,
    /// A paragraph below the heading; may be empty.
    pub words: String,
    pub figures: Vec<Figure>,
    pub instead: Vec<Block>,
}

/// A picture with its caption.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figure {
    /// May be empty: a page then shows the picture alone.
    pub title: String,
    /// What is measured, said behind the title; may be empty.
    pub measure: String,
    /// A whole `svg` element of the program's own making that fetches nothing. It is drawn in `currentColor`, names no font, has a size in
    /// pixels, and tells in a `title` and a `desc` what it shows.
    pub svg: String,
    /// How to read the picture, said below it; may be empty.
    pub key: String,
    /// What the picture shows, figure by figure. A page shows it when it is wanted; elsewhere [`Picture::instead`] may hold it.
    pub values: Option<Table>,
}

impl Figure {
    /// Returns the title of the figure, or what the picture itself is called.
    ///
    /// ```
    /// let svg = "<svg width=\"9\" height=\"9\"><title id=\"a\">Bars &amp; lines</title><desc>a: 1</desc></svg>";
    /// let figure = render::Figure { svg: svg.into(), ..Default::default() };
    /// assert_eq!(figure.caption(), "Bars & lines");
    /// assert_eq!(figure.description(), "Bars & lines. a: 1");
    /// ```
    pub fn caption(&self) -> String {
        if self.title.is_empty() { self.content_of("title") } else { self.title.clone() }
    }

    /// Returns what the picture shows, in words, for readers who do not see it.
    pub fn description(&self) -> String {
        let parts = [self.content_of("title"), self.content_of("desc")];
        let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        parts.join(". ")
    }

    /// Returns the picture as a file of its own, its lines and letters in one colour such as `#1a1a1a` and its letters in a font.
    ///
    /// ```
    /// let svg = "<svg stroke=\"currentColor\"><title>a</title></svg>";
    /// let figure = render::Figure { svg: svg.into(), ..Default::default() };
    /// assert_eq!(
    ///     figure.standalone("#000000", "Arial"),
    ///     "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"Arial\" stroke=\"#000000\"><title>a</title></svg>"
    /// );
    /// ```
    pub fn standalone(&self, colour: &str, font: &str) -> String {
        let font = crate::html::escape(font);
        let root = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"{font}\"");
        let svg = self.svg.trim().replacen("<svg", &root, 1);
        // Texts have no quotation marks, so that this is always the value of an attribute.
        let svg = svg.replace("\"currentColor\"", &format!("\"{colour}\""));
        svg.chars().map(|c| if is_xml(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
    }

    /// Returns width and height in pixels; `None` if the picture does not say.
    pub fn size(&self) -> Option<(f64, f64)> {
        let root = self.svg.get(..self.svg.find('>')?)?;
        let read = |name: &str| {
            let (_, value) = root.split_once(&format!(" {name}=\""))?;
            let value: f64 = value.split('"').next()?.parse().ok()?;
            (value.is_finite() && value > 0.0).then_some(value)
        };
        Some((read("width")?, read("height")?))
    }

    /// Returns the text of the first element of a name.
    fn content_of(&self, name: &str) -> String {
        let content = || {
            let (_, behind) = self.svg.split_once(&format!("<{name}"))?;
            let (_, content) = behind.split_once('>')?;
            Some(unescape(content.split('<').next()?))
        };
        content().unwrap_or_default()
    }
}

/// Returns whether XML may hold a character.
pub(crate) fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

/// Reverses [`crate::html::escape`].
fn unescape(text: &str) -> String {
    let plain = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    plain.replace("&#39;", "'").replace("&amp;", "&")
}
