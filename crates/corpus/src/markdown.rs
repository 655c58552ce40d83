//! Markdown: its headings, and the front matter before them.

pub(crate) mod vault;

use std::borrow::Cow;
use std::collections::BTreeMap;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use crate::document::{Heading, Section, cut_sections, one_line};

/// The maximum length of front matter, in bytes.
const FRONT_MATTER_BYTES: usize = 64 * 1024;

/// The maximum length of a tag or of a link's name, in bytes.
const MARK_BYTES: usize = 120;
/// About the most tags and links that are kept.
const MARKS: usize = 500;
/// A line of more bytes is parsed by its beginning alone.
const LONG_LINE: usize = 16 * 1024;
/// How much of a long line is parsed, in bytes: more than any heading keeps.
const BEGINNING: usize = 1024;
/// How much is parsed at once, in bytes, if its blocks are shorter.
const WINDOW: usize = 1 << 20;
/// Of a table with more rows than this, the first are parsed.
const MANY_ROWS: usize = 100;
/// How many lines these are: its head, the line below it, and a row.
const KEPT_ROWS: usize = 3;

/// Returns the title, the sections and the front matter of a Markdown text.
///
/// The title is that of the front matter, else `known`, else the first heading of level 1, else `otherwise`.
pub(crate) fn outline(
    text: &str,
    known: Option<&str>,
    otherwise: &str,
) -> (String, Vec<Section>, BTreeMap<String, String>) {
    let (body, metadata) = front_matter(text);
    let headings = find_headings(text, body, WINDOW);
    let first = headings.iter().find(|heading| heading.level == 1 && !heading.text.is_empty());
    let title = metadata.get("title").map(String::as_str).or(known);
    let title = title.or(first.map(|heading| heading.text.as_str())).unwrap_or(otherwise);
    let title = one_line(title);
    let sections = cut_sections(text, body..text.len(), &title, &headings);
    (title, sections, metadata)
}

/// Returns where the text after the front matter begins, and what the front matter says, keys in lower case: its `key: value` lines, and
/// its lists with their items joined by commas.
pub(crate) fn front_matter(text: &str) -> (usize, BTreeMap<String, String>) {
    let mut metadata = BTreeMap::new();
    let mut lines = text.split_inclusive('\n');
    let Some(opening) = lines.next().filter(|line| line.trim_end() == "---") else {
        return (0, metadata);
    };
    let mut at = opening.len();
    // The key whose list is open.
    let mut open: Option<String> = None;
    for line in lines {
        at += line.len();
        if matches!(line.trim_end(), "---" | "...") {
            return if metadata.is_empty() { (0, metadata) } else { (at, metadata) };
        }
        if at > FRONT_MATTER_BYTES {
            break;
        }
        if let (Some(key), Some(item)) = (&open, line.trim().strip_prefix("- ")) {
            let all: &mut String = metadata.entry(key.clone()).or_default();
            if !all.is_empty() {
                all.push_str(", ");
            }
            all.push_str(unquoted(item.trim()));
            continue;
        }
        open = key_of_list(line);
        if let Some((key, value)) = pair(line) {
            metadata.insert(key, value);
        }
    }
    (0, BTreeMap::new())
}

fn pair(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once(':')?;
    let value = value.trim();
    let items = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    let value = match items {
        Some(items) => {
            let items = items.split(',').map(|item| unquoted(item.trim()));
            items.filter(|item| !item.is_empty()).collect::<Vec<_>>().join(", ")
        }
        None => unquoted(value).to_owned(),
    };
    (is_key(key) && !value.is_empty()).then(|| (key.trim().to_lowercase(), value))
}

/// Returns the key of a line such as `tags:`, below which a list may follow.
fn key_of_list(line: &str) -> Option<String> {
    let key = line.trim_end().strip_suffix(':')?;
    is_key(key).then(|| key.trim().to_lowercase())
}

fn is_key(key: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
    key.starts_with(char::is_alphanumeric) && key.chars().all(word) && key.len() <= 60
}

fn unquoted(value: &str) -> &str {
    let inner = ['"', '\''].iter().find_map(|q| value.strip_prefix(*q)?.strip_suffix(*q));
    inner.unwrap_or(value)
}

/// Returns what a note of a vault says by its marks: `tags`, from `#tag`, and `links`, from `[[Note]]`; each once, joined by commas.
///
/// Only a text with a front matter or such links counts as a note: elsewhere `#` means many things.
pub(crate) fn note_marks(text: &str, has_front_matter: bool) -> BTreeMap<String, String> {
    let mut tags: Vec<&str> = Vec::new();
    let mut links: Vec<&str> = Vec::new();
    let mut fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fence = !fence;
        }
        if fence {
            continue;
        }
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("[[").filter(|_| links.len() <= MARKS) {
            let Some((link, after)) = after.split_once("]]") else { break };
            rest = after;
            let name = link.split(['|', '#', '^']).next().unwrap_or_default().trim();
            if !name.is_empty() && name.len() <= MARK_BYTES && !links.contains(&name) {
                links.push(name);
            }
        }
        for word in line.split_whitespace() {
            let Some(tag) = word.strip_prefix('#') else { continue };
            let tag = tag.trim_end_matches(|c: char| !c.is_alphanumeric());
            let is_plain = tag.chars().all(|c| c.is_alphanumeric() || "_-/".contains(c));
            let is_tag = is_plain && tag.len() <= MARK_BYTES && tag.contains(char::is_alphabetic);
            if is_tag && !tags.contains(&tag) {
                tags.push(tag);
            }
            if tags.len() > MARKS {
                break;
            }
        }
        if tags.len() + links.len() > MARKS {
            break;
        }
    }
    let is_note = has_front_matter || !links.is_empty();
    let found = [("tags", tags), ("links", links)].into_iter();
    let found = found.filter(|(_, words)| is_note && !words.is_empty());
    found.map(|(key, words)| (key.to_owned(), words.join(", "))).collect()
}

/// Finds the headings of a text, window by window, since the parser holds all blocks of what it parses.
fn find_headings(text: &str, body: usize, window_bytes: usize) -> Vec<Heading> {
    let parsed = filled(&text[body..]);
    let mut found: Vec<Heading> = Vec::new();
    let (mut start, mut length) = (0, window_bytes);
    loop {
        let rest = &parsed[start..];
        let end = rest[..rest.floor_char_boundary(length)].rfind('\n').map_or(0, |end| end + 1);
        let window = if length < rest.len() { &rest[..end] } else { rest };
        let (headings, last) = headings_of(window);
        // The last block may go on after the window: the next one begins with it.
        let is_whole = window.len() == rest.len();
        let kept = headings.into_iter().filter(|heading| is_whole || heading.start < last);
        found.extend(kept.map(|heading| Heading {
            start: body + start + heading.start,
            end: body + start + heading.end,
            ..heading
        }));
        if is_whole {
            return found;
        }
        length = if last == 0 { length.saturating_mul(2) } else { window_bytes };
        start += last;
    }
}

/// Returns the headings of a text, and where its last block begins.
fn headings_of(text: &str) -> (Vec<Heading>, usize) {
    let mut found: Vec<Heading> = Vec::new();
    let mut open: Option<Heading> = None;
    let (mut inside, mut depth, mut last) = (0_usize, 0_usize, 0);
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        if depth == 0 {
            last = range.start;
        }
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) if inside == 0 => {
                let (start, end) = (range.start, range.end);
                open = Some(Heading { level: level as usize, start, end, text: String::new() });
            }
            Event::End(TagEnd::Heading(_)) => {
                found.extend(open.take().map(|mut heading| {
                    heading.text = one_line(&heading.text);
                    heading
                }));
            }
            Event::Start(Tag::BlockQuote(_) | Tag::List(_) | Tag::FootnoteDefinition(_)) => {
                inside += 1;
            }
            Event::End(TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::FootnoteDefinition) => {
                inside -= 1;
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut open {
                    heading.text.push_str(&part);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.text.push(' ');
                }
            }
            _ => {}
        }
    }
    (found, text[..last].rfind('\n').map_or(0, |end| end + 1))
}

/// Returns a text of the same length in which letters stand for what no heading needs, since the parser's memory grows with the marks in
/// it: for the ends of long lines, and for the rows of long tables, which become one.
fn filled(text: &str) -> Cow<'_, str> {
    let mut rows = 0;
    let is_short = |line: &str| {
        rows = if is_row(line) { rows + 1 } else { 0 };
        line.len() <= LONG_LINE && rows <= MANY_ROWS
    };
    if text.split('\n').all(is_short) {
        return Cow::Borrowed(text);
    }
    let mut filled = String::with_capacity(text.len());
    let mut rows = 0;
    for line in text.split_inclusive('\n') {
        let words = line.trim_end_matches(['\r', '\n']);
        rows = if is_row(words) { rows + 1 } else { 0 };
        let kept = match (rows, line.len()) {
            (rows, _) if rows > KEPT_ROWS => {
                // It goes on with the row before it.
                filled.pop();
                filled.push('x');
                0
            }
            (_, ..=LONG_LINE) => words.len(),
            _ => words.floor_char_boundary(BEGINNING),
        };
        filled.push_str(&words[..kept]);
        filled.extend(std::iter::repeat_n('x', words.len() - kept));
        filled.push_str(&line[words.len()..]);
    }
    Cow::Owned(filled)
}

/// Returns whether a line looks like a row of a table.
fn is_row(line: &str) -> bool {
    line.starts_with('|') && line.trim_end().ends_with('|')
}

#[cfg(test)]
mod tests {
    // proves: A6
    #[test]
    fn a_line_of_any_length_is_outlined_where_it_stands() {
        let long = "`a` *b* [c](d) ".repeat(10_000);
        let text =
            format!("# Tea\n\n{long}\n\n## Milk {long}\n\nWhite.\r\n\nSugar\n=====\n\nSweet.\n");
        let (title, sections, _) = outline(&text, None, "stem");
        assert_eq!(title, "Tea");
        let found: Vec<&str> =
            sections.iter().map(|section| &text[section.start..section.end]).collect();
        assert_eq!(found.len(), 3);
        assert!(found[0].starts_with("# Tea") && found[0].ends_with("[c](d)"));
        assert!(found[1].starts_with("## Milk `a`") && found[1].ends_with("White."));
        assert_eq!(found[2], "Sugar\n=====\n\nSweet.");
        assert!(sections[1].path[1].starts_with("Milk a b c"), "{:?}", sections[1].path);
        let rows = "| one | two |\r\n".repeat(MANY_ROWS + 1);
        let text = format!("# Tea\n\n| a | b |\n|---|---|\n{rows}\n## Milk\n\nWhite.\n");
        let (_, sections, _) = outline(&text, None, "stem");
        assert_eq!(&text[sections[1].start..sections[1].end], "## Milk\n\nWhite.");
        assert_eq!(sections.len(), 2);
        let tags: String = (0..200_000).map(|tag| format!(" #t{tag}")).collect();
        let tags = format!("[[A]]{tags}");
        assert!(note_marks(&tags, true)["tags"].split(", ").count() <= MARKS + 1);
    }

    use super::*;

    fn paths(text: &str) -> Vec<String> {
        let (_, sections, _) = outline(text, None, "stem");
        sections.iter().map(|section| section.path.join(" > ")).collect()
    }

    // proves: A6
    #[test]
    fn headings_are_the_same_however_much_is_parsed_at_once() {
        let blocks = [
            "# Tea\n",
            "Green\nor black\n=====\n",
            "Hot  \n---\n",
            "- # in a list\n\n  ## too\n- b\n\n\n  c\n",
            "> # quoted\n> b\n",
            "```\n# code\n\n# more\n",
            "```\n",
            "    # indented\n\n    # too\n",
            "<!-- a\n\n# b\n-->\n",
            "| a | b |\n|---|---|\n| # c | d |\n",
            "[^1]: # note\n\n    ## too\n",
            "### ÄÖ `x` *y*\n",
            "text\n# Milk\n",
            "\n\n",
            "~~~~ # x\n~~~\n",
            "~~~~\n",
        ];
        let choose = |from: usize| {
            (0..60).map(move |n| blocks[(n * n * 7 + n * from + from) % blocks.len()])
        };
        for from in 0..40 {
            let text: String = choose(from).flat_map(|block| [block, "\n"]).collect();
            let whole = find_headings(&text, 0, usize::MAX);
            for window in [1, 7, 30, 200] {
                assert_eq!(find_headings(&text, 0, window), whole, "{window}: {text}");
            }
        }
    }

    // proves: A6
    #[test]
    fn headings_make_sections_and_code_does_not() {
        let text = "intro\n\n# Tea `x`\n\na\n\nMethod\n------\n\nb\n\n```sh\n# no heading\n```\n\n> # quoted\n\n### Deep\n\nc\n";
        assert_eq!(paths(text), ["Tea x", "Tea x", "Tea x > Method", "Tea x > Method > Deep"]);
    }

    // proves: A6
    #[test]
    fn front_matter_is_metadata_and_no_section() {
        let text = "---\r\nTitle: \"Tea: a study\"\r\ncompany: Acme\r\ntags:\r\n  - x\r\n---\r\n# One\r\n\r\ntext\r\n";
        let (title, sections, metadata) = outline(text, None, "stem");
        assert_eq!(title, "Tea: a study");
        assert_eq!(
            metadata.into_iter().collect::<Vec<_>>(),
            [
                ("company".to_owned(), "Acme".to_owned()),
                ("tags".to_owned(), "x".to_owned()),
                ("title".to_owned(), "Tea: a study".to_owned()),
            ]
        );
        assert_eq!(sections[0].path, ["Tea: a study", "One"]);
        assert_eq!(&text[sections[0].start..sections[0].end], "# One\r\n\r\ntext");
    }

    // proves: A6
    #[test]
    fn a_note_of_a_vault_has_its_tags_and_links() {
        let text = "---\naliases: [\"Tea\", chai]\ntags:\n- drink\n- 'hot'\n---\n# Tea #1\n\nSee [[Milk|the other]], [[Cup#Size]] and [[Milk]]. #drink/green, #fff; a #2.\n\n```\n#define x [[y]]\n```\n";
        let (at, metadata) = front_matter(text);
        assert_eq!(metadata["aliases"], "Tea, chai");
        assert_eq!(metadata["tags"], "drink, hot");
        let marks = note_marks(&text[at..], true);
        assert_eq!(marks["links"], "Milk, Cup");
        assert_eq!(marks["tags"], "drink/green, fff");
        assert!(note_marks("Colour #fff, issue #tea.", false).is_empty());
    }

    #[test]
    fn a_rule_at_the_top_is_no_front_matter() {
        assert_eq!(front_matter("---\n\nJust a rule.\n\n---\n").0, 0);
        assert_eq!(front_matter("---\nkey: value, and it never ends\n").0, 0);
    }

    #[test]
    fn a_text_without_headings_is_one_section_under_its_file_name() {
        assert_eq!(paths("only words"), ["stem"]);
        assert!(paths(" \n ").is_empty());
    }
}
