//! The title block of a document: what its preamble says of title, authors and places, which shows where the title is printed.
//!
//! The title itself, the names and the date are metadata as well, and the title stands in no other place.

use super::Page;
use super::reader::Reader;
use crate::markup::iso_date;
use crate::writer::tidy;

/// Commands that end a title block.
const PRINTED_BY: &[&str] = &["\\make", "\\titlepage", "\\end{frontmatter}"];

/// What is stated of a document and shows in its title block, beside title, author and date.
const STATED: &[&str] = &[
    "subtitle",
    "affiliation",
    "affil",
    "address",
    "email",
    "ead",
    "institute",
    "institution",
    "publishers",
    "titlehead",
    "university",
    "department",
    "faculty",
    "supervisor",
    "advisor",
    "dedication",
    "curraddr",
    "homepage",
];

/// What the title block still has to show.
#[derive(Debug, Default)]
pub(super) struct TitleBlock {
    parts: Vec<Part>,
    /// How many title blocks the rest of the text prints.
    pub(super) left: usize,
    /// Whether the text is read, not the preamble.
    pub(super) is_in_text: bool,
}

#[derive(Debug)]
struct Part {
    name: String,
    source: String,
    is_of_text: bool,
}

/// Returns how many title blocks a text prints.
pub(super) fn count(text: &str) -> usize {
    let ends = |rest: &str| {
        let letters = rest.bytes().skip(1).take_while(u8::is_ascii_alphabetic).count();
        prints_title(&rest[1..=letters]) || rest.starts_with("\\end")
    };
    let places = PRINTED_BY.iter().flat_map(|command| text.match_indices(command));
    places.filter(|(at, _)| ends(&text[*at..])).count()
}

/// Returns whether a command prints the title block: `\maketitle`, or that of a class.
pub(super) fn prints_title(name: &str) -> bool {
    name == "titlepage" || name.starts_with("make") && name.ends_with("title")
}

impl Page {
    /// Takes in what `name` states of the document; returns whether it does so.
    pub(super) fn state_part(&mut self, name: &str, reader: &mut Reader) -> bool {
        let is_heading = matches!(name, "title" | "author" | "date");
        if matches!(name, "keywords" | "subject") {
            let words = reader.argument();
            self.state(name, &words);
            if name == "keywords" && self.titles.is_in_text && self.depth == 0 {
                self.close();
                let words = self.unmarked(&words);
                self.text.paragraph(&format!("Keywords: {words}"));
            }
            return true;
        }
        if !is_heading && !STATED.contains(&name) {
            return false;
        }
        // An address may stand in a sentence.
        let is_address = matches!(name, "email" | "ead" | "homepage");
        let is_in_line = self.quoted.is_some() || is_address && !self.open.trim().is_empty();
        let is_of_author = self.depth > 0;
        if !is_heading && (is_of_author || self.titles.is_in_text && is_in_line) {
            if self.open.ends_with(char::is_alphanumeric) {
                self.open.push(' ');
            }
            return false;
        }
        if reader.peek() != Some('{') && reader.peek() != Some('[') && !is_heading {
            return false;
        }
        reader.optional();
        let mut source = reader.argument();
        while !is_heading && reader.peek() == Some('{') {
            source.push_str("\\\\");
            source.push_str(&reader.argument());
        }
        match name {
            "author" => {
                let names = list_names(&source);
                self.state("author", &names);
            }
            "title" | "date" => self.state(name, &source),
            _ => {}
        }
        let is_of_text = self.titles.is_in_text;
        let is_shown = !is_of_text || self.titles.left > 0;
        let part = Part { name: name.to_owned(), source, is_of_text };
        if is_shown {
            self.titles.parts.push(part);
        } else if !is_heading {
            self.close();
            self.write_part(&part);
            self.close();
        }
        true
    }

    /// Writes the title block: what stands below the title, the date last, and the notes of all.
    pub(super) fn write_title_block(&mut self) {
        self.close();
        let mut parts = std::mem::take(&mut self.titles.parts);
        parts.sort_by_key(|part| match part.name.as_str() {
            "titlehead" => 0,
            "title" => 1,
            "subtitle" => 2,
            "date" => 4,
            _ => 3,
        });
        for part in &parts {
            self.write_part(part);
        }
        self.close();
    }

    /// Writes what the text states of the document and no title block showed.
    pub(super) fn write_rest_of_title(&mut self) {
        self.titles.parts.retain(|part| part.is_of_text && part.name != "title");
        self.write_title_block();
    }

    fn write_part(&mut self, part: &Part) {
        if part.name == "title" {
            // Its words are the title of the document; its notes show here.
            self.unmarked(&part.source);
            return;
        }
        for lines in blocks(&part.source) {
            let mut shown = String::new();
            for line in lines {
                // As the argument of a command of which nothing is known, it may hold keys with values.
                let words = self.unmarked(&format!("\\@part{{{line}}}"));
                if !shown.is_empty() && !words.is_empty() {
                    shown.push_str(if shown.ends_with([',', ';', ':', '.']) { " " } else { ", " });
                }
                shown.push_str(&words);
            }
            self.text.paragraph(&tidy(&shown));
        }
    }

    /// Sets a field of the metadata, or the title.
    fn state(&mut self, key: &str, value: &str) {
        let notes = std::mem::take(&mut self.notes);
        let value = self.unmarked(value);
        self.notes = notes;
        if value.is_empty() {
            return;
        }
        match key {
            "title" => self.title = Some(value),
            "date" => {
                if value.chars().any(|c| c.is_ascii_digit()) {
                    self.metadata.insert("date".to_owned(), iso_date(&value));
                }
            }
            key => {
                self.metadata.entry(key.to_owned()).or_insert(value);
            }
        }
    }
}

/// Returns the lines of each author: `Ann\\Oslo \and Bo\\Kiel`.
fn blocks(source: &str) -> Vec<Vec<String>> {
    let mut found = vec![vec![String::new()]];
    let mut depth = 0_usize;
    let mut reader = Reader::new(source);
    while let Some(c) = reader.next() {
        let mut part = String::from(c);
        match c {
            '\\' => {
                let (name, is_starred) = reader.starred_command();
                match name.as_str() {
                    "and" | "And" | "AND" if depth == 0 => {
                        found.push(vec![String::new()]);
                        continue;
                    }
                    "\\" | "newline" if depth == 0 => {
                        if reader.peek() == Some('[') {
                            reader.optional();
                        }
                        if let Some(lines) = found.last_mut() {
                            lines.push(String::new());
                        }
                        continue;
                    }
                    name => part.push_str(name),
                }
                if is_starred {
                    part.push('*');
                }
            }
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if let Some(line) = found.last_mut().and_then(|lines| lines.last_mut()) {
            line.push_str(&part);
        }
    }
    found
}

/// Returns the names of authors, without where they work.
fn list_names(authors: &str) -> String {
    let authors = authors.replace("\\and", ", ").replace("\\AND", ", ").replace("\\And", ", ");
    let names: Vec<&str> = authors
        .split(", ")
        .map(|author| author.split("\\\\").next().unwrap_or(author).trim())
        .filter(|name| !name.is_empty())
        .collect();
    names.join(", ")
}
