//! Lists: bullets, numbers, fields, options and definitions.

use super::{Page, Place, explicit, indented, paragraph_length, table};
use crate::markup::{dedented, indent, iso_date, write_definition, write_item};
use crate::writer::tidy;

impl Page {
    pub(super) fn list(&mut self, lines: &[String], from: usize, place: &Place) -> usize {
        let mut at = from;
        let mut number = 0;
        let is_same = |line: &String| {
            let first = lines[from].chars().next().filter(|mark| "*+-•‣⁃".contains(*mark));
            list_mark(line).filter(|(mark, _)| {
                let own = mark.chars().next().filter(|mark| "*+-•‣⁃".contains(*mark));
                own == first
            })
        };
        while let Some((mark, start)) = lines.get(at).and_then(is_same) {
            number += 1;
            let count = 1 + indented(lines, at + 1, 1);
            let mut item = vec![lines[at].get(start..).unwrap_or_default().to_owned()];
            let inner = lines[at + 1..at + count].iter();
            item.extend(inner.map(|line| line[indent(line).min(start)..].to_owned()));
            let mark = match mark.as_str() {
                "#." => format!("{number}."),
                mark if "*+-•‣⁃".contains(mark) => "-".to_owned(),
                mark => mark.to_owned(),
            };
            self.item(&mark, &item, place);
            at += count;
            let gap = lines[at..].iter().take_while(|line| line.trim().is_empty()).count();
            if lines.get(at + gap).and_then(is_same).is_some() {
                at += gap;
            } else {
                break;
            }
        }
        at - from
    }

    /// Writes a list item: its first paragraph as such, then its other blocks.
    pub(super) fn item(&mut self, mark: &str, item: &[String], place: &Place) {
        let first = item.first().map_or("", String::as_str);
        let is_words = list_mark(first).is_none()
            && explicit(first).is_none()
            && table::grid(item, 0).is_none();
        let count = if is_words { paragraph_length(item, 0) } else { 0 };
        let deeper = item[..count].iter().skip(1).position(|line| indent(line) > 0);
        let count = deeper.map_or(count, |deeper| deeper + 1);
        if count == 0 {
            return self.blocks(item, &place.within_list());
        }
        let words = self.joined(&item[..count]);
        write_item(&mut self.text, place.lists, mark, &words);
        let literal = if item[count - 1].ends_with("::") { self.literal(item, count) } else { 0 };
        self.blocks(&item[count + literal..], &place.within_list());
    }

    /// Writes fields: those at the start of the file are its metadata, others are items.
    pub(super) fn fields(&mut self, lines: &[String], from: usize, place: &Place) -> usize {
        let mut at = from;
        let is_docinfo = place.is_top && self.text.len() == self.title_end;
        while let Some((name, words)) = lines.get(at).and_then(|line| field(line)) {
            let count = 1 + indented(lines, at + 1, 1);
            let mut body = vec![words.to_owned()];
            body.extend(dedented(&lines[at + 1..at + count]));
            if is_docinfo {
                self.docinfo(name, &body);
            } else {
                let is_words = explicit(words).is_none();
                let length = if is_words { paragraph_length(&body, 0) } else { 0 };
                let first = self.joined(&body[..length]);
                let name = self.inline(name);
                write_item(
                    &mut self.text,
                    place.lists,
                    "-",
                    format!("{name}: {first}").trim_end_matches([':', ' ']),
                );
                self.blocks(&body[length..], &place.within_list());
            }
            at += count;
            let gap = lines[at..].iter().take_while(|line| line.trim().is_empty()).count();
            if lines.get(at + gap).is_some_and(|next| field(next).is_some()) {
                at += gap;
            } else {
                break;
            }
        }
        at - from
    }

    pub(super) fn docinfo(&mut self, name: &str, body: &[String]) {
        let words = self.joined(body);
        let name = name.to_lowercase();
        let key = match name.as_str() {
            "author" | "authors" => "author",
            "date" | "created" => "date",
            "keywords" | "subject" | "lang" | "version" | "copyright" | "organization"
            | "status" | "revision" => &name,
            "abstract" | "dedication" => return self.text.paragraph(&words),
            // Settings of Sphinx.
            "orphan" | "tocdepth" | "nocomments" | "nosearch" => return,
            _ => return self.text.item(0, "-", &format!("{}: {words}", self.inline(&name))),
        };
        let words =
            words.trim_matches('$').trim_start_matches("Date:").trim_start_matches("Revision:");
        let value = if key == "date" { iso_date(words) } else { tidy(words) };
        if !value.is_empty() {
            self.metadata.insert(key.to_owned(), value);
        }
    }

    pub(super) fn options(&mut self, lines: &[String], from: usize, place: &Place) -> usize {
        let mut at = from;
        while lines.get(at).is_some_and(|line| is_option(line)) {
            let (option, words) = lines[at].split_once("  ").unwrap_or((&lines[at], ""));
            let count = 1 + indented(lines, at + 1, 1);
            let mut body = vec![words.trim().to_owned()];
            body.extend(dedented(&lines[at + 1..at + count]));
            self.meaning(&[option.to_owned()], false, &body, place);
            at += count;
            let gap = lines[at..].iter().take_while(|line| line.trim().is_empty()).count();
            if lines.get(at + gap).is_some_and(|next| is_option(next)) {
                at += gap;
            }
        }
        at - from
    }

    pub(super) fn definition(&mut self, lines: &[String], at: usize, place: &Place) -> usize {
        let count = 1 + indented(lines, at + 1, 1);
        let body = dedented(&lines[at + 1..at + count]);
        self.meaning(&lines[at..=at], true, &body, place);
        count
    }

    /// Writes terms and their meaning: its first paragraph as the definition, then its other blocks.
    pub(super) fn meaning(
        &mut self,
        terms: &[String],
        is_inline: bool,
        body: &[String],
        place: &Place,
    ) {
        let start = body.iter().take_while(|line| line.trim().is_empty()).count();
        let body = &body[start..];
        let terms: Vec<String> = terms
            .iter()
            .map(|term| if is_inline { self.inline(term) } else { tidy(term) })
            .collect();
        let term = terms.join(", ");
        let first = body.first().map_or("", String::as_str);
        let is_words = list_mark(first).is_none()
            && explicit(first).is_none()
            && field(first).is_none()
            && table::grid(body, 0).is_none()
            && body.get(1).is_none_or(|next| indent(next) == 0);
        let count = if is_words { paragraph_length(body, 0) } else { 0 };
        let count = body[..count].iter().position(|line| indent(line) > 0).unwrap_or(count);
        let words = self.joined(&body[..count]);
        write_definition(&mut self.text, &term, &words);
        let literal = if count > 0 && body[count - 1].ends_with("::") {
            self.literal(body, count)
        } else {
            0
        };
        self.blocks(&body[count + literal..], &place.within());
    }
}

/// Returns the mark of a list item and where its words begin.
pub(super) fn list_mark(line: &str) -> Option<(String, usize)> {
    let mark = line.split(' ').next()?;
    let rest = &line[mark.len()..];
    let start = line.len() - rest.trim_start().len();
    let is_bullet = matches!(mark, "*" | "+" | "-" | "•" | "‣" | "⁃");
    let inner = mark.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.or_else(|| mark.strip_suffix(['.', ')']));
    let is_number = inner.is_some_and(|inner| {
        let is_roman = |c: char| "ivxlcdmIVXLCDM".contains(c);
        inner == "#"
            || (1..=9).contains(&inner.len()) && inner.bytes().all(|b| b.is_ascii_digit())
            || inner.len() == 1 && inner.bytes().all(|b| b.is_ascii_alphabetic())
            || (2..=5).contains(&inner.len()) && inner.chars().all(is_roman)
    });
    (is_bullet || is_number && !rest.is_empty()).then(|| (mark.to_owned(), start))
}

/// Returns the name and the first words of a field.
pub(super) fn field(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix(':')?;
    let end = rest.match_indices(':').map(|(at, _)| at).find(|at| {
        let after = &rest[at + 1..];
        (after.is_empty() || after.starts_with(' ')) && !rest[..*at].ends_with('\\')
    })?;
    let name = &rest[..end];
    let is_name = !name.is_empty() && !name.starts_with([' ', ':']) && !name.contains('`');
    is_name.then(|| (name, rest[end + 1..].trim()))
}

/// Returns whether a line begins an entry of an option list: `-a, --all  what it does`.
pub(super) fn is_option(line: &str) -> bool {
    let option = line.split("  ").next().unwrap_or_default();
    let is_part = |part: &str| {
        let part = part.trim();
        (part.starts_with('-') || part.starts_with('/'))
            && part.len() >= 2
            && part.split(' ').count() <= 2
            && part[1..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '?')
    };
    (line.starts_with('-') || line.starts_with('/') && line.contains("  "))
        && !option.starts_with("---")
        && option.split(',').all(is_part)
}
