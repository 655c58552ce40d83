//! Texts of others, written so that Markdown, HTML and a terminal take them for nothing else.

/// Returns a text of others on one line, written as `plain` does.
pub(super) fn inline(text: &str, plain: fn(&str) -> String) -> String {
    plain(&one_line(text))
}

pub(super) fn one_line(text: &str) -> String {
    let words = text.split_whitespace().map(run::grounding::clean);
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

/// The same where the line begins a paragraph or an item: it opens no list, quote, fence, rule or box to tick.
pub(super) fn block(text: &str, plain: fn(&str) -> String) -> String {
    let line = inline(text, plain);
    let behind_digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = line.len() - behind_digits.len();
    let is_box = ["[ ]", "[x]", "[X]"].iter().any(|ticked| line.starts_with(ticked));
    if is_box || line.starts_with(['-', '+', '*', '_', '>', '=', '~', '`', '|', ':']) {
        return format!("\\{line}");
    }
    match line.split_at_checked(digits) {
        // A number of a list has a gap behind its dot; a figure such as 62.0 has none.
        Some((number, rest)) if digits > 0 && is_numbering(rest) => format!("{number}\\{rest}"),
        _ => line,
    }
}

/// Tells whether what follows digits makes them the number of an item.
fn is_numbering(rest: &str) -> bool {
    let behind = rest.strip_prefix(['.', ')']);
    behind.is_some_and(|rest| rest.chars().next().is_none_or(|c| !c.is_ascii_digit()))
}

/// Tells whether what is put behind a piece of Markdown would be escaped.
pub(super) fn ends_in_escape(markdown: &str) -> bool {
    markdown.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1
}

/// Returns a line that a document or a model wrote so that no viewer of Markdown takes it for anything but text.
pub(super) fn disarmed(line: &str) -> String {
    let line = escaped_where(line, |before, c, next| {
        // Code and what is struck out reach from line to line, over words that are not the text's own; what is written as an escape or
        // an entity would stand there as something else: `\\[1\\]` as a mark.
        let is_code = matches!(c, '`' | '~');
        let is_escape = c == '\\' && next.is_some_and(|next| next.is_ascii_punctuation());
        let is_entity = c == '&' && next.is_some_and(|next| next == '#' || next.is_alphabetic());
        is_code || is_escape || is_entity || leads_away(before, c, next)
    });
    let heading = if line.starts_with('#') { "\\" } else { "" };
    format!("{heading}{line}")
}

/// Returns Markdown without links, pictures and HTML: what could lead a viewer elsewhere stands there as text.
pub(super) fn unlinked(text: &str) -> String {
    escaped_where(text, leads_away)
}

/// Tells whether a character, between the ones beside it, makes a tag or the target of a link of what follows.
fn leads_away(before: Option<char>, c: char, next: Option<char>) -> bool {
    let opens_tag = c == '<' && next.is_some_and(|next| !next.is_whitespace());
    let opens_target = before == Some(']') && matches!(c, '(' | ':');
    opens_tag || opens_target
}

/// Returns the text with a backslash before every character that is `active` between the ones beside it.
fn escaped_where(text: &str, active: impl Fn(Option<char>, char, Option<char>) -> bool) -> String {
    // What nobody sees goes first: taken out later, it would bring together what it kept apart.
    let text = run::grounding::clean(text);
    let mut written = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    let mut before = None;
    // Whether a backslash of the text itself already makes the next character plain.
    let mut is_escaped = false;
    while let Some(c) = rest.next() {
        let is_active = !is_escaped && active(before, c, rest.peek().copied());
        if is_active {
            written.push('\\');
        }
        written.push(c);
        is_escaped = c == '\\' && !is_escaped && !is_active;
        before = Some(c);
    }
    written
}

/// Writes text so that Markdown reads it as it stands.
pub(super) fn unmarked(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            written.push('\\');
        }
        written.push(c);
    }
    written
}

/// The same for a text whose marks the program checked: they stand as they are.
pub(super) fn unmarked_but_marks(text: &str) -> String {
    let is_plain = |mark: &str| {
        mark.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'[' | b']' | b',' | b' '))
    };
    let mut written = String::with_capacity(text.len());
    let mut from = 0;
    for run::marks::Mark { span, .. } in run::marks::marks(text) {
        let Some(mark) = text.get(span.clone()).filter(|mark| is_plain(mark)) else { continue };
        written.push_str(&unmarked(text.get(from..span.start).unwrap_or_default()));
        written.push_str(mark);
        from = span.end;
    }
    written.push_str(&unmarked(text.get(from..).unwrap_or_default()));
    written
}

pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Parser, Tag};

    use super::*;

    #[test]
    fn nothing_unseen_and_no_backslash_brings_a_link_or_a_tag_back() {
        for text in [
            "[a]\u{200b}(https://evil.example)",
            "[a]\u{ad}: https://evil.example\n\n[a]",
            "\\<script>alert(1)</script>",
            "\\\\\\<img src=https://evil.example>",
            "\u{200b}# A heading",
        ] {
            let page = run::grounding::clean(&disarmed(text));
            let active = Parser::new(&page).find(|event| {
                matches!(
                    event,
                    Event::Html(_)
                        | Event::InlineHtml(_)
                        | Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::Heading { .. })
                )
            });
            assert_eq!(active, None, "{text:?} as {page:?}");
        }
    }

    // proves: C4
    #[test]
    fn what_is_written_as_an_escape_or_an_entity_becomes_no_mark() {
        for text in ["It holds \\[1\\].", "It holds &#91;1&#93;.", "It holds &lsqb;1&rsqb;."] {
            let page = disarmed(text);
            let read: String = Parser::new(&page)
                .filter_map(|event| match event {
                    Event::Text(text) => Some(text.to_string()),
                    _ => None,
                })
                .collect();
            assert_eq!(read, text, "{page}");
        }
    }

    #[test]
    fn a_title_cannot_leave_its_element() {
        assert_eq!(escape("</title><script>\u{1b}"), "&lt;/title&gt;&lt;script&gt; ");
    }
}
