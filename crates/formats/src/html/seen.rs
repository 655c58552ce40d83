//! What of a page is text that people see, and which of its elements begin a new line.

use dom_query::NodeRef;

/// Elements with nothing to read in them.
#[rustfmt::skip]
const UNREADABLE: &[&str] = &[
    "annotation", "annotation-xml", "datalist", "head", "iframe", "noframes", "noscript", "object",
    "script", "style", "template", "title",
];

/// Elements that start a new line.
#[rustfmt::skip]
const BLOCKS: &[&str] = &[
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details",
    "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form",
    "header", "hgroup", "hr", "html", "legend", "listing", "main", "menu", "nav", "optgroup",
    "option", "p", "search", "section", "select", "summary", "table", "tbody", "td", "textarea",
    "tfoot", "th", "thead", "title", "tr",
];
/// Those of them that have a shape of their own in Markdown.
#[rustfmt::skip]
const SHAPED: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6", "li", "ul", "ol", "pre", "br"];

/// The longest text, in bytes, that is compared with what stands beside it.
const LONGEST_TWIN: usize = 400;
/// The fewest letters that are said again where they stand among others.
const SHORTEST_TWIN: usize = 4;
/// How many elements beside or within another are looked at.
const NEAR: usize = 20;

/// Returns whether an element of this name starts a new line.
pub fn is_block(name: &str) -> bool {
    BLOCKS.contains(&name) || SHAPED.contains(&name)
}

/// Returns whether there is nothing to read in an element with this name.
pub fn is_unreadable(node: &NodeRef, name: &str) -> bool {
    UNREADABLE.contains(&name) || node.has_attr("hidden")
}

/// Returns whether the style of an element hides it.
pub fn is_hidden(node: &NodeRef) -> bool {
    let Some(style) = node.attr("style") else { return false };
    let style: String = style.chars().filter(|c| !c.is_whitespace()).collect();
    let style = style.to_ascii_lowercase();
    ["display:none", "visibility:hidden", "mso-hide:all"].iter().any(|rule| style.contains(rule))
}

/// Returns whether the style of an element strikes its text through.
pub(super) fn is_struck(node: &NodeRef) -> bool {
    let Some(style) = node.attr("style") else { return false };
    let style = style.to_ascii_lowercase();
    style.split(';').filter_map(|rule| rule.split_once(':')).any(|(name, value)| {
        matches!(name.trim(), "text-decoration" | "text-decoration-line")
            && value.split_whitespace().any(|word| word == "line-through")
    })
}

/// Returns whether an element is an ornament, as it says to programs that read aloud: an icon, a sign that links to its heading, or
/// another shape of a formula or of words that stand beside it.
pub(super) fn is_ornament(node: &NodeRef, name: &str) -> bool {
    if is_block(name) || node.attr("aria-hidden").is_none_or(|it| &*it != "true") {
        return false;
    }
    let own = signs(node);
    if own.is_empty() || name == "i" {
        return matches!(name, "a" | "i");
    }
    let Some(parent) = node.parent() else { return false };
    let beside = || parent.children_it(false).filter(|it| it.id != node.id).take(NEAR);
    let is_formula = |it: NodeRef| {
        it.has_name("math") || it.descendants_it().take(NEAR).any(|it| it.has_name("math"))
    };
    beside().any(is_formula)
        || own.len() <= LONGEST_TWIN && beside().any(|it| repeats(&signs(&it), &own))
}

/// Returns whether letters beside an ornament say what it says.
fn repeats(beside: &str, own: &str) -> bool {
    beside == own || own.chars().count() >= SHORTEST_TWIN && beside.contains(own)
}

/// Returns the letters and digits of a node's text, or of its start if it is long.
fn signs(node: &NodeRef) -> String {
    if node.is_text() {
        return node.text().chars().filter(|c| c.is_alphanumeric()).take(LONGEST_TWIN).collect();
    }
    let mut found = String::new();
    for text in node.descendants_it().filter(NodeRef::is_text) {
        if found.len() > LONGEST_TWIN {
            break;
        }
        found.extend(text.text().chars().filter(|c| c.is_alphanumeric()).take(LONGEST_TWIN));
    }
    found
}

/// Returns whether a picture is described by no more than the name of its file.
pub(super) fn is_file_name(alt: &str) -> bool {
    let end = alt.rsplit_once('.').map_or("", |(_, end)| end).to_ascii_lowercase();
    matches!(end.as_str(), "png" | "jpg" | "jpeg" | "gif" | "svg" | "webp" | "bmp")
        && !alt.contains(' ')
}

/// Returns the description of a picture; where a program loads it later, that may stand in the element for browsers without programs.
pub(super) fn alternative(picture: &NodeRef) -> String {
    let own = picture.attr_or("alt", "").trim().to_owned();
    let later = || {
        let beside = picture.next_element_sibling().filter(|it| it.has_name("noscript"))?;
        let inner = beside.descendants_it().take(NEAR).find(|it| it.has_name("img"))?;
        Some(inner.attr_or("alt", "").trim().to_owned())
    };
    let alt = if own.is_empty() { later().unwrap_or_default() } else { own };
    if is_file_name(&alt) { String::new() } else { alt }
}

/// Returns whether raised text marks a note: it is or stands in a link within the page.
pub(super) fn is_note_mark(raised: &NodeRef) -> bool {
    let leads_within =
        |it: &NodeRef| it.has_name("a") && it.attr("href").is_some_and(|to| to.contains('#'));
    raised.parent().is_some_and(|it| leads_within(&it))
        || raised.descendants_it().take(NEAR).any(|it| leads_within(&it))
}

/// Returns whether a link says that it marks a note, as those of books do.
pub(super) fn is_note_link(link: &NodeRef) -> bool {
    let says = |name: &str, value: &str| {
        link.attr(name).is_some_and(|it| it.split_whitespace().any(|it| it == value))
    };
    says("role", "doc-noteref") || says("epub:type", "noteref")
}
