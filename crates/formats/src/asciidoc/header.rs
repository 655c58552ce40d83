//! Titles, the author and the revision below the first, and attributes.

use super::{LONGEST_VALUE, MOST_ATTRIBUTES, Page, Style};
use crate::markup::iso_date;
use crate::writer::tidy;

impl Page {
    /// Takes in `:name: value`; returns whether the line is one of these.
    pub(super) fn attribute(&mut self, line: &str) -> bool {
        let Some((name, value)) = line.strip_prefix(':').and_then(|rest| rest.split_once(':'))
        else {
            return false;
        };
        let plain = name.trim_matches('!');
        let is_name = plain.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        if !is_name || !value.is_empty() && !value.starts_with(' ') {
            return false;
        }
        // What no name has, such as a blank, is passed over.
        let key: String =
            plain.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
        let key = key.to_lowercase();
        if name.contains('!') {
            self.attributes.remove(&key);
            return true;
        }
        let value = self.resolved(value.trim().trim_end_matches('\\').trim_end());
        if matches!(
            &*key,
            "author"
                | "date"
                | "email"
                | "keywords"
                | "lang"
                | "description"
                | "revdate"
                | "revnumber"
        ) && !value.is_empty()
        {
            self.state(&key, &value);
        }
        if self.attributes.len() < MOST_ATTRIBUTES && value.len() <= LONGEST_VALUE {
            self.attributes.insert(key, value);
        }
        true
    }

    pub(super) fn state(&mut self, key: &str, value: &str) {
        let key = match key {
            "revdate" => "date",
            "revnumber" => "version",
            key => key,
        };
        let value = if key == "date" { iso_date(value) } else { tidy(value) };
        self.metadata.insert(key.to_owned(), value);
    }

    /// Returns how many lines continue the value of an attribute.
    pub(super) fn continued(&self, lines: &[String], at: usize) -> usize {
        lines[at..].iter().take_while(|line| line.ends_with(" \\")).count()
    }

    pub(super) fn heading(&mut self, lines: &[String], at: usize) -> Option<usize> {
        let line = lines[at].as_str();
        let rest = line.trim_start_matches('=');
        let rest = if rest.len() == line.len() { line.trim_start_matches('#') } else { rest };
        let level = line.len() - rest.len();
        if (1..=6).contains(&level) && rest.starts_with(' ') {
            let words = rest.trim().trim_end_matches(&format!(" {}", "=".repeat(level)));
            return Some(1 + self.titled(level, words, lines, at + 1));
        }
        let under = lines.get(at + 1)?;
        let mark = under.chars().next()?;
        let level = "=-~^+".find(mark)? + 1;
        let (length, words) = (under.chars().count(), line.chars().count());
        let is_title = length >= 3
            && under.chars().all(|c| c == mark)
            && length.abs_diff(words) <= 2
            && !self.open.contains(under)
            && line.chars().any(char::is_alphanumeric)
            && !line.starts_with([' ', '.', '[', '|']);
        if !is_title {
            return None;
        }
        Some(2 + self.titled(level, line, lines, at + 2))
    }

    /// Writes a heading, and reads the header below it if it is the title; returns how many lines that has.
    fn titled(&mut self, level: usize, words: &str, lines: &[String], below: usize) -> usize {
        // The title may name attributes that stand below it.
        let is_title = level == 1 && self.text.is_empty();
        let count = if is_title { self.header(lines, below) } else { 0 };
        self.write_heading(level, words);
        count
    }

    pub(super) fn write_heading(&mut self, level: usize, words: &str) {
        self.lists.clear();
        self.counts.clear();
        self.attached = false;
        self.style = Style::default();
        let words = self.unmarked(words);
        self.text.heading(level, &words);
    }

    /// Takes in the attributes from `at` on; returns how many lines that are.
    fn settings(&mut self, lines: &[String], at: usize) -> usize {
        let mut count = 0;
        while let Some(line) = lines.get(at + count)
            && (line.starts_with("//") && !line.starts_with("///") || self.attribute(line))
        {
            count += 1 + self.continued(lines, at + count);
        }
        count
    }

    /// Reads the author and the revision below the title; returns how many lines that are.
    pub(super) fn header(&mut self, lines: &[String], at: usize) -> usize {
        // Attributes may stand before the author, and after the revision.
        let before = self.settings(lines, at);
        let at = at + before;
        let mut count = 0;
        let is_line = |line: &&String| {
            !line.is_empty()
                && !line.starts_with([':', '/', '[', '=', ' ', '*', '|', '-'])
                && !line.contains("::")
        };
        let line = |count: usize| lines.get(at + count).filter(is_line);
        if let Some(author) = line(0) {
            let is_author = author.contains('<') && author.contains('@')
                || author.split(' ').count() <= 4
                    && !author.ends_with(['.', ':'])
                    && author.starts_with(char::is_uppercase);
            if is_author {
                let names: Vec<String> = author
                    .split(';')
                    .map(|name| tidy(&name.split('<').next().unwrap_or(name).replace('_', " ")))
                    .filter(|name| !name.is_empty())
                    .collect();
                self.state("author", &names.join(", "));
                self.attributes.insert("author".to_owned(), names.join(", "));
                count = 1;
                if let Some(revision) =
                    line(1).filter(|line| line.contains(|c: char| c.is_ascii_digit()))
                {
                    let (first, rest) = revision.split_once(',').unwrap_or((revision, ""));
                    let number = first.trim_start_matches('v');
                    let is_number = number.starts_with(|c: char| c.is_ascii_digit())
                        && !number.contains([' ', '-']);
                    let date = if is_number { rest } else { revision }
                        .split(": ")
                        .next()
                        .unwrap_or_default();
                    if is_number {
                        self.state("revnumber", number);
                        self.attributes.insert("revnumber".to_owned(), number.to_owned());
                    }
                    if !date.trim().is_empty() {
                        self.state("revdate", date);
                        self.attributes.insert("revdate".to_owned(), tidy(date));
                    }
                    count = 2;
                }
            }
        }
        before + count + self.settings(lines, at + count)
    }
}
