//! Markdown without the tags of HTML in it: their words stay, code stays as it is, and tables become those of Markdown.

use super::{Settings, Writer, html, tidy};
use crate::script::{subscript, superscript};

/// The most bytes of a tag.
const LONGEST_TAG: usize = 4_000;
/// The most bytes of what is raised or lowered.
const LONGEST_SCRIPT: usize = 40;
/// Elements within a line.
const INLINE: &[&str] = &[
    "a", "abbr", "audio", "b", "big", "br", "button", "cite", "code", "del", "dfn", "em", "font",
    "i", "iframe", "img", "input", "ins", "kbd", "label", "mark", "picture", "q", "s", "samp",
    "small", "source", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "video",
    "wbr",
];
const TABLE: &[&str] = &["table", "thead", "tbody", "tr", "td", "th"];
/// Elements with words that no reader sees.
const UNSEEN: &[&str] = &["script", "style", "svg"];

/// Returns Markdown without its tags. `most`: how many bytes a table may have.
pub(super) fn without(markdown: &str, most: usize) -> String {
    let mut page = Page { found: String::with_capacity(markdown.len()), within: 0, most };
    let mut prose = 0;
    let mut fence: Option<&str> = None;
    let mut at = 0;
    for line in markdown.split_inclusive('\n') {
        let end = at + line.len();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (None, Some(_)) => {
                page.prose(&markdown[prose..at]);
                (fence, prose) = (mark, at);
            }
            (Some(open), Some(mark)) if open == mark => {
                page.found.push_str(&markdown[prose..end]);
                (fence, prose) = (None, end);
            }
            _ => {}
        }
        at = end;
    }
    match fence {
        Some(_) => page.found.push_str(&markdown[prose..]),
        None => page.prose(&markdown[prose..]),
    }
    page.found
}

struct Page {
    found: String,
    /// How many elements that begin a line are open: blanks at the start of lines mean nothing within.
    within: usize,
    most: usize,
}

/// A tag, its name in lower case.
struct Tag<'a> {
    name: String,
    is_end: bool,
    attributes: &'a str,
    length: usize,
}

impl Page {
    fn prose(&mut self, text: &str) {
        let mut rest = text;
        // Ends that are looked for in vain need no second look.
        let mut missing: Vec<String> = Vec::new();
        while let Some(at) = rest.find(['<', '`', '\n']) {
            self.found.push_str(&rest[..at]);
            rest = &rest[at..];
            let length = match rest.as_bytes().first() {
                Some(b'\n') => self.line_break(rest),
                Some(b'`') => self.code(rest),
                _ => self.tag(rest, &mut missing),
            };
            rest = rest.get(length..).unwrap_or_default();
        }
        self.found.push_str(rest);
    }

    fn line_break(&mut self, text: &str) -> usize {
        if !self.found.ends_with("\n\n") {
            self.found.push('\n');
        }
        let blanks = text[1..].len() - text[1..].trim_start_matches([' ', '\t']).len();
        // A blank line ends what is HTML alone.
        if text[1 + blanks..].starts_with('\n') {
            self.within = 0;
        }
        if self.within > 0 { 1 + blanks } else { 1 }
    }

    /// Writes the code that a text begins with, or its backticks if nothing ends it within the paragraph.
    fn code(&mut self, text: &str) -> usize {
        let ticks = text.len() - text.trim_start_matches('`').len();
        let near = text.get(..LONGEST_TAG.min(text.len())).unwrap_or(text);
        let near = near.split("\n\n").next().unwrap_or_default();
        let mut at = ticks;
        let mut length = ticks;
        while let Some(next) = near.get(at..).and_then(|rest| rest.find('`')) {
            let start = at + next;
            let count = near[start..].len() - near[start..].trim_start_matches('`').len();
            at = start + count;
            if count == ticks {
                length = at;
                break;
            }
        }
        self.found.push_str(&text[..length]);
        length
    }

    /// Writes what the tag that a text may begin with stands for; returns how much of the text that takes.
    fn tag(&mut self, text: &str, missing: &mut Vec<String>) -> usize {
        let Some(tag) = tag_of(text).filter(|_| !self.found.ends_with('\\')) else {
            self.found.push('<');
            return 1;
        };
        let after = &text[tag.length..];
        if tag.name == "!--" {
            return tag.length;
        }
        if !tag.is_end && (tag.name == "table" || UNSEEN.contains(&&*tag.name)) {
            let end = format!("</{}>", tag.name);
            if missing.contains(&end) {
                return tag.length;
            }
            let Some(inner) = find_ignoring_case(after, &end) else {
                missing.push(end);
                return tag.length;
            };
            let length = tag.length + inner + end.len();
            if tag.name == "table" {
                let mut table = Writer::new(self.most as u64);
                html::write(&text[..length], Settings::default(), &mut table);
                self.paragraph_break();
                self.found.push_str(&table.finish());
                self.paragraph_break();
            }
            return length;
        }
        if let ("sup" | "sub", false) = (&*tag.name, tag.is_end)
            && let Some(length) = self.script(&tag, after)
        {
            return tag.length + length;
        }
        match &*tag.name {
            "img" => self.found.push_str(&attribute(tag.attributes, "alt")),
            "br" if !self.found.ends_with([' ', '\n']) => self.found.push(' '),
            "br" => {}
            name if TABLE.contains(&name) => {}
            name if html::is_block(name) => return tag.length + self.block(&tag, after),
            _ => {}
        }
        tag.length
    }

    /// Writes what is raised or lowered; returns how much of the text that takes.
    fn script(&mut self, tag: &Tag, after: &str) -> Option<usize> {
        let end = after.find('<').filter(|end| *end <= LONGEST_SCRIPT)?;
        let close = tag_of(&after[end..]).filter(|close| close.is_end && close.name == tag.name)?;
        let said = &after[..end];
        let length = end + close.length;
        if tag.name == "sup" {
            self.found.push_str(&superscript(said));
        } else {
            let lowered = subscript(&self.found, said, &after[length..]).into_owned();
            self.found.push_str(&lowered);
        }
        Some(length)
    }

    /// Begins or ends an element that has lines of its own; returns how many blanks after its tag mean nothing.
    fn block(&mut self, tag: &Tag, after: &str) -> usize {
        let blanks = after.len() - after.trim_start().len();
        let is_heading = tag.name.len() == 2 && tag.name.starts_with('h') && tag.name != "hr";
        match (&*tag.name, tag.is_end) {
            ("li", false) => {
                self.own_line();
                self.found.push_str("- ");
                return blanks;
            }
            ("li", true) => return 0,
            ("hr", _) => return 0,
            ("ul" | "ol", _) => {}
            (name, false) if is_heading => {
                self.paragraph_break();
                let level = name[1..].parse().unwrap_or(1);
                self.found.extend(std::iter::repeat_n('#', level));
                self.found.push(' ');
                return blanks;
            }
            _ => self.paragraph_break(),
        }
        self.within = if tag.is_end { self.within.saturating_sub(1) } else { self.within + 1 };
        if is_heading {
            self.within = 0;
        }
        let at_start = self.found.is_empty() || self.found.ends_with('\n');
        if at_start { after.len() - after.trim_start_matches([' ', '\t']).len() } else { 0 }
    }

    fn own_line(&mut self) {
        self.found.truncate(self.found.trim_end_matches([' ', '\t']).len());
        if !self.found.is_empty() && !self.found.ends_with('\n') {
            self.found.push('\n');
        }
    }

    fn paragraph_break(&mut self) {
        self.own_line();
        if !self.found.is_empty() && !self.found.ends_with("\n\n") {
            self.found.push('\n');
        }
    }
}

/// Returns the tag of HTML or the comment that a text begins with.
fn tag_of(text: &str) -> Option<Tag<'_>> {
    let near = &text[..text.floor_char_boundary(LONGEST_TAG)];
    if near.starts_with("<!--") {
        let length = near.find("-->")? + 3;
        return Some(Tag { name: "!--".to_owned(), is_end: false, attributes: "", length });
    }
    let inner = near.strip_prefix('<')?;
    let named = inner.strip_prefix('/').unwrap_or(inner);
    let letters = named.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(named.len());
    let (name, rest) = named.split_at(letters);
    let name = name.to_ascii_lowercase();
    let is_known = html::is_block(&name)
        || [INLINE, UNSEEN, TABLE].iter().any(|names| names.contains(&&*name));
    if !is_known || !rest.starts_with(|c: char| c.is_whitespace() || c == '/' || c == '>') {
        return None;
    }
    let mut quote = None;
    for (at, c) in rest.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None, '<') => return None,
            (None, '>') => {
                let length = near.len() - rest.len() + at + 1;
                let is_end = inner.starts_with('/');
                return Some(Tag { name, is_end, attributes: &rest[..at], length });
            }
            _ => {}
        }
    }
    None
}

/// Returns the words of an attribute that stands in quotation marks.
fn attribute(attributes: &str, name: &str) -> String {
    let found = attributes.match_indices(name).find_map(|(at, _)| {
        let rest = attributes[at + name.len()..].trim_start().strip_prefix('=')?.trim_start();
        let mark = rest.chars().next().filter(|mark| "\"'".contains(*mark))?;
        rest[1..].split(mark).next()
    });
    tidy(found.unwrap_or_default())
}

fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    let is_wanted = |window: &[u8]| window.eq_ignore_ascii_case(wanted.as_bytes());
    text.as_bytes().windows(wanted.len()).position(is_wanted)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(markdown: &str, expected: &str) {
        assert_eq!(without(markdown, 10_000).trim(), expected, "{markdown}");
    }

    // proves: A6
    #[test]
    fn tags_leave_their_words() {
        check(
            "<span style=\"color: red; x: '>'\">An error at '<a href='#x'>In [1]</a>'.</span><br/>Next",
            "An error at 'In [1]'. Next",
        );
        check(
            "<h1 align=\"center\">Tides</h1>\n<div>\n    <p>They <b>come</b></p>\n    twice.\n</div>",
            "# Tides\n\nThey come\n\ntwice.",
        );
        check(
            "10<sup>5</sup> of H<sub>2</sub>O <!-- no --><img src=x alt=\"the moon\">",
            "10⁵ of H2O the moon",
        );
        check("<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>", "- a\n- b");
        check(
            "<style>p { x }</style>See <https://a.org>, a <b and $x<y>z$.",
            "See <https://a.org>, a <b and $x<y>z$.",
        );
    }

    // proves: A6
    #[test]
    fn code_keeps_its_tags_and_tables_their_form() {
        let code = "Use `<b>` and ``a ` <i>``:\n\n```html\n<p>x</p>\n```\n\\<b> é";
        check(code, code);
        check(
            "Ports:<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></TABLE>End",
            "Ports:\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nEnd",
        );
        check("``` \n<b>", "``` \n<b>");
    }

    // proves: A6
    #[test]
    fn tags_without_an_end_take_linear_time() {
        for start in
            ["<b ", "<!--", "<table>", "<style>", "<h1>", "<sup>", "`", "<b \"", "<td", "<p>\n"]
        {
            let before = std::time::Instant::now();
            without(&start.repeat(20_000), 10_000);
            assert!(before.elapsed().as_secs() < 30, "{start}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: A6
        #[test]
        fn any_markdown_is_read(markdown in "(</?(b|p|h1|li|table|td|sup|sub|script|img alt=)[ >\"']|<!--|-->|`{1,3}|\\\\|é|🌊|[ \t\n<>\"'a=]){0,60}") {
            let _ = without(&markdown, 1_000);
        }
    }
}
