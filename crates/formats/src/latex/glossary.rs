//! Glossaries, acronyms and nomenclatures: what is defined once shows where it is used, and in full the first time.
//!
//! Definitions are gathered before the text is written, since a list of acronyms may stand at its end.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::Page;
use super::reader::Reader;
use crate::markup::write_definition;

/// The most entries of a file.
const MOST: usize = 5000;

/// What the entries of a file are, as TeX.
#[derive(Debug, Default)]
pub(super) struct Glossary {
    entries: HashMap<String, Entry>,
    /// Signs and what they stand for.
    nomenclature: Vec<(String, String)>,
    /// The keys of entries that the text uses.
    used: HashSet<String>,
    /// Those that were shown in full.
    shown: HashSet<String>,
}

#[derive(Debug, Default, Clone)]
struct Entry {
    short: String,
    long: String,
    plural: String,
    description: String,
}

impl Glossary {
    /// Returns the entries that a text defines.
    pub(super) fn find(text: &str) -> Self {
        let mut found = Self::default();
        let mut reader = Reader::new(text);
        while let Some(c) = reader.next() {
            if c == '\\' {
                let name = reader.command();
                if !found.define(&name, &mut reader)
                    && found.used.len() < MOST
                    && parse_form(&name).is_some()
                {
                    reader.optional();
                    found.used.extend(reader.braced().map(|key| key.trim().to_owned()));
                }
            }
        }
        found
    }

    /// Reads a definition; returns whether `name` is one.
    fn define(&mut self, name: &str, reader: &mut Reader) -> bool {
        let is_defined_by_keys =
            matches!(name, "newglossaryentry" | "longnewglossaryentry" | "DeclareAcronym");
        let (key, entry) = match name {
            "newacronym" | "newabbreviation" => {
                reader.optional();
                let key = reader.argument();
                let (short, long) = (reader.argument(), reader.argument());
                (key, Entry { short, long, ..Entry::default() })
            }
            "acro" | "acrodef" | "newacro" | "acrodefplural" => {
                let key = reader.argument();
                if !matches!(reader.peek(), Some('[' | '{')) {
                    return true;
                }
                let short = reader.optional();
                let long = reader.argument();
                if name == "acrodefplural" {
                    return true;
                }
                (key.clone(), Entry { short: short.unwrap_or(key), long, ..Entry::default() })
            }
            _ if is_defined_by_keys => {
                let key = reader.argument();
                let fields = parse_fields(&reader.argument());
                let of = |name: &str| fields.get(name).cloned().unwrap_or_default();
                let mut entry = Entry {
                    short: fields.get("text").cloned().unwrap_or_else(|| of("name")),
                    long: of("long"),
                    plural: of("plural"),
                    description: of("description"),
                };
                if name == "longnewglossaryentry" {
                    entry.description = reader.argument();
                }
                if name == "DeclareAcronym" {
                    entry.short = of("short");
                }
                (key, entry)
            }
            "nomenclature" => {
                reader.optional();
                let (sign, meaning) = (reader.argument(), reader.argument());
                if self.nomenclature.len() < MOST {
                    self.nomenclature.push((sign, meaning));
                }
                return true;
            }
            _ => return false,
        };
        if self.entries.len() < MOST {
            self.entries.insert(key.trim().to_owned(), entry);
        }
        true
    }
}

/// How a command shows an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In full the first time, short from then on.
    First,
    Short,
    Long,
    Full,
    Description,
}

/// Returns how a command shows an entry, and whether in the plural.
fn parse_form(name: &str) -> Option<(Form, bool)> {
    let name = name.to_ascii_lowercase();
    Some(match name.as_str() {
        "gls" | "ac" => (Form::First, false),
        "glspl" | "acp" => (Form::First, true),
        "glstext" | "glsname" | "acrshort" | "acs" | "glsxtrshort" | "glsentryshort"
        | "glsentryname" | "glsentrytext" | "glssymbol" => (Form::Short, false),
        "acrshortpl" | "acsp" | "glsplural" | "glsxtrshortpl" | "glsentryplural" => {
            (Form::Short, true)
        }
        "acrlong" | "acl" | "glsxtrlong" | "glsentrylong" => (Form::Long, false),
        "acrlongpl" | "aclp" | "glsxtrlongpl" => (Form::Long, true),
        "acrfull" | "acf" | "glsxtrfull" | "glsfirst" => (Form::Full, false),
        "acrfullpl" | "acfp" | "glsxtrfullpl" => (Form::Full, true),
        "glsdesc" | "glsentrydesc" => (Form::Description, false),
        _ => return None,
    })
}

impl Page {
    /// Shows an entry, or a list of them; returns whether `name` does so.
    pub(super) fn gloss(&mut self, name: &str, reader: &mut Reader) -> bool {
        match name {
            "acro" => {
                let key = reader.argument();
                let short = if reader.peek() == Some('[') { reader.optional() } else { None };
                if reader.peek() != Some('{') {
                    self.insert(&key, reader);
                    return true;
                }
                let long = reader.argument();
                self.close();
                let (short, long) = (self.unmarked(&short.unwrap_or(key)), self.unmarked(&long));
                write_definition(&mut self.text, &short, &long);
            }
            "printglossary"
            | "printglossaries"
            | "printacronyms"
            | "printnoidxglossary"
            | "printnoidxglossaries"
            | "printunsrtglossary" => {
                reader.optional();
                self.write_glossary();
            }
            "printnomenclature" => {
                reader.optional();
                let entries = std::mem::take(&mut self.glossary.nomenclature);
                self.write_entries("Nomenclature", &entries);
            }
            "acresetall" | "glsresetall" => self.glossary.shown.clear(),
            _ => {
                let mut defined = Glossary::default();
                return defined.define(name, reader) || self.show_entry(name, reader);
            }
        }
        true
    }

    fn show_entry(&mut self, name: &str, reader: &mut Reader) -> bool {
        let Some((mut form, is_plural)) = parse_form(name) else { return false };
        if self.glossary.entries.is_empty() {
            return false;
        }
        reader.optional();
        let key = reader.argument().trim().to_owned();
        let ending = if reader.peek() == Some('[') { reader.optional() } else { None };
        let Some(entry) = self.glossary.entries.get(&key).cloned() else {
            self.open.push_str(&key);
            return true;
        };
        if form == Form::First {
            let is_first = self.glossary.shown.insert(key);
            form = if is_first && !entry.long.is_empty() { Form::Full } else { Form::Short };
        }
        let plural = |words: &str| {
            if is_plural && !words.is_empty() { format!("{words}s") } else { words.to_owned() }
        };
        let short = if is_plural && !entry.plural.is_empty() {
            entry.plural.clone()
        } else {
            plural(&entry.short)
        };
        let shown = match form {
            Form::Full if !entry.long.is_empty() => format!("{} ({short})", plural(&entry.long)),
            Form::Long => plural(&entry.long),
            Form::Description => entry.description,
            _ => short,
        };
        // An entry may use others, or itself.
        let Some(left) = self.expanded.checked_sub(shown.len()) else { return true };
        self.expanded = left;
        let shown = self.unmarked(&shown) + &ending.unwrap_or_default();
        let mut letters = shown.chars();
        match letters.next() {
            Some(first) if name.starts_with(char::is_uppercase) => {
                self.open.extend(first.to_uppercase());
                self.open.push_str(letters.as_str());
            }
            _ => self.open.push_str(&shown),
        }
        true
    }

    /// Writes the entries that the text uses, by what they show.
    fn write_glossary(&mut self) {
        let used = std::mem::take(&mut self.glossary.used);
        let entries = used.iter().filter_map(|key| self.glossary.entries.get(key));
        let mut entries: Vec<(String, String)> = entries
            .map(|entry| {
                let meaning =
                    if entry.description.is_empty() { &entry.long } else { &entry.description };
                (entry.short.clone(), meaning.clone())
            })
            .collect();
        entries.sort_by_key(|(short, _)| short.to_lowercase());
        self.write_entries("Glossary", &entries);
    }

    fn write_entries(&mut self, title: &str, entries: &[(String, String)]) {
        self.close();
        if entries.is_empty() {
            return;
        }
        self.text.heading(2 - self.top, title);
        for (term, meaning) in entries {
            let (term, meaning) = (self.unmarked(term), self.unmarked(meaning));
            write_definition(&mut self.text, &term, &meaning);
        }
        self.close();
    }
}

/// Returns the fields of an entry: `name={sea}, description={Water}`.
fn parse_fields(keys: &str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut reader = Reader::new(keys);
    while reader.peek().is_some() {
        let key = reader.until("=").trim_matches([',', ' ', '\n', '\t']).to_owned();
        let value = match reader.braced() {
            Some(value) => {
                reader.until(",");
                value
            }
            None => reader.until(",").trim().to_owned(),
        };
        found.insert(key, value);
    }
    found
}
