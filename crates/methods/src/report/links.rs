//! Where a reader finds a source on the web, and the quoted words in it.

use std::fmt::Write as _;

use render::Link;

/// Words at each end of a long quote by which a browser finds it.
const WORDS: usize = 5;
/// Signs of markup, which a page does not show as the stored text has them.
const MARKUP: &[char] = &['*', '_', '`', '[', ']', '|', '#', '\\', '<', '>', '…'];

/// Returns where a source is found; `None` for what is not on the web, such as a document of the user's or a figure.
///
/// The address of a page leads to the words of `quote` in it, in browsers that know text fragments.
pub(crate) fn link_to(source_uri: &str, quote: &str) -> Option<Link> {
    match source_uri.split_once(':')? {
        ("doi", doi) => Link::read(&format!("https://doi.org/{}", encode(doi, true))),
        ("arxiv", id) => Link::read(&format!("https://arxiv.org/abs/{}", encode(id, true))),
        ("http" | "https", _) => {
            let page = Link::read(source_uri)?;
            Some(lead_to(&page, quote).unwrap_or(page))
        }
        _ => None,
    }
}

/// Returns the link with a text fragment; `None` if the words cannot be found by one.
fn lead_to(page: &Link, quote: &str) -> Option<Link> {
    let page = page.as_str();
    let path = page.split(['?', '#']).next().unwrap_or_default();
    let words: Vec<&str> = quote.split_whitespace().collect();
    let is_plain = !words.is_empty() && !quote.contains(MARKUP);
    if !is_plain || page.contains(":~:") || path.to_ascii_lowercase().ends_with(".pdf") {
        return None;
    }
    let joined = |words: &[&str]| encode(&words.join(" "), false);
    let text = match words.as_slice() {
        words if words.len() <= 2 * WORDS => joined(words),
        words => {
            let (first, last) = (words.get(..WORDS)?, words.get(words.len() - WORDS..)?);
            format!("{},{}", joined(first), joined(last))
        }
    };
    let sign = if page.contains('#') { "" } else { "#" };
    Link::read(&format!("{page}{sign}:~:text={text}"))
}

/// Returns a text percent-encoded; slashes stay in a path.
fn encode(text: &str, is_path: bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        let is_kept = byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~');
        if is_kept || is_path && matches!(byte, b'/' | b'-' | b'(' | b')' | b';' | b':') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn find_link(source_uri: &str, quote: &str) -> Option<String> {
        link_to(source_uri, quote).map(|link| link.as_str().to_owned())
    }

    // proves: F6
    #[test]
    fn a_source_on_the_web_is_linked_to_and_its_words_are_found_there() {
        let long = "The handle of the pump in Broad Street was removed on 8 September 1854.";
        for (source_uri, quote, found) in [
            (
                "https://example.org/a",
                "It rose, 5-fold.",
                Some("https://example.org/a#:~:text=It%20rose%2C%205%2Dfold."),
            ),
            (
                "https://example.org/a",
                long,
                Some(
                    "https://example.org/a#:~:text=The%20handle%20of%20the%20pump,removed%20on%208%20September%201854.",
                ),
            ),
            (
                "https://example.org/a#part",
                "It rose.",
                Some("https://example.org/a#part:~:text=It%20rose."),
            ),
            ("https://example.org/a", "It **rose**.", Some("https://example.org/a")),
            ("https://example.org/a.pdf", "It rose.", Some("https://example.org/a.pdf")),
            ("http://example.org", "", Some("http://example.org/")),
            ("doi:10.1000/a<b>#c", "It rose.", Some("https://doi.org/10.1000/a%3Cb%3E%23c")),
            ("arxiv:hep-th/9901001v2", "It rose.", Some("https://arxiv.org/abs/hep-th/9901001v2")),
            ("doc://manual/a.md", "It rose.", None),
            ("survey://a", "It rose.", None),
            ("https://user:secret@example.org/", "It rose.", None),
            ("", "", None),
        ] {
            assert_eq!(find_link(source_uri, quote).as_deref(), found, "{source_uri}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_but_an_address_on_the_web_comes_out(
            scheme in prop::sample::select(vec!["https:", "http:", "javascript:", "data:", "doi:", "arxiv:", "file:", " https:", "doc:", ""]),
            rest in "\\PC{0,20}",
            quote in "\\PC{0,40}",
        ) {
            if let Some(link) = find_link(&format!("{scheme}{rest}"), &quote) {
                prop_assert!(link.starts_with("https://") || link.starts_with("http://"), "{}", link);
                let is_encoded = link.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'<');
                prop_assert!(is_encoded, "{}", link);
            }
        }
    }
}
