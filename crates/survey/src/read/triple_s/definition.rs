//! The description of a Triple-S survey: its variables, and where they are in the data.

use encoding_rs::Encoding;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::read::ReadError;

/// A description.
#[derive(Debug, Default)]
pub(super) struct Definition {
    pub(super) title: String,
    /// The data file, if it is named.
    pub(super) href: Option<String>,
    pub(super) csv: bool,
    /// The number of lines before the data.
    pub(super) skip: usize,
    pub(super) variables: Vec<Variable>,
    /// The levels of a hierarchy, which has no variables of its own.
    pub(super) levels: Vec<Level>,
}

/// A level of a hierarchy.
#[derive(Debug, Default)]
pub(super) struct Level {
    pub(super) ident: String,
    pub(super) href: String,
    /// The parent's ident, and the variable that links both.
    pub(super) parent: Option<(String, String)>,
}

/// The kind of value that a variable holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Single,
    Multiple,
    Quantity,
    Character,
    Logical,
    Date,
    Time,
}

#[derive(Debug)]
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) label: String,
    pub(super) kind: Type,
    /// Whether its codes are texts.
    pub(super) literal: bool,
    /// `weight`, `serial`, or empty.
    pub(super) used_for: String,
    /// The first and last character of a line, or field of a CSV line; from 1.
    pub(super) start: usize,
    pub(super) finish: usize,
    /// How many subfields a multiple variable is spread over.
    pub(super) subfields: Option<usize>,
    pub(super) values: Vec<(String, String)>,
}

/// An element of the description.
#[derive(Debug, Default)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
    text: String,
}

/// The deepest nesting of elements; the standard needs ten.
const DEPTH: usize = 64;
/// The longest line of fixed columns.
const LINE: usize = 1 << 24;

/// Reads a description.
pub(super) fn read(file: &str, bytes: &[u8]) -> Result<Definition, ReadError> {
    let (text, _) = crate::read::text::decode(file, bytes, declared(bytes))?;
    let root = tree(file, &text)?;
    let other = |found: String| ReadError::OtherFormat {
        file: file.to_owned(),
        expected: "a Triple-S description",
        found,
    };
    if root.name != "sss" {
        return Err(other(format!("its first element is {:?}, not \"sss\"", root.name)));
    }
    if let Some(hierarchy) = root.find("hierarchy") {
        let levels: Vec<Level> = hierarchy.all("level").map(level).collect();
        if levels.is_empty() {
            return Err(other("its hierarchy has no levels".to_owned()));
        }
        return Ok(Definition { levels, ..Definition::default() });
    }
    let survey = root.find("survey").ok_or_else(|| other("it has no survey".to_owned()))?;
    let record =
        survey.find("record").ok_or_else(|| other("its survey has no record".to_owned()))?;
    let variables: Vec<Variable> = record
        .all("variable")
        .enumerate()
        .map(|(place, element)| variable(file, place + 1, element))
        .collect::<Result<_, _>>()?;
    if variables.is_empty() {
        return Err(other("its record has no variables".to_owned()));
    }
    let title = survey.find("title").or(survey.find("name"));
    Ok(Definition {
        title: title.map(Element::words).unwrap_or_default(),
        href: record.attribute("href").map(str::to_owned),
        csv: record.attribute("format").is_some_and(|format| format.eq_ignore_ascii_case("csv")),
        skip: record.attribute("skip").and_then(|skip| skip.trim().parse().ok()).unwrap_or(0),
        variables,
        levels: Vec::new(),
    })
}

fn level(element: &Element) -> Level {
    let told =
        |element: &Element, name: &str| element.attribute(name).unwrap_or_default().to_owned();
    let ident = told(element, "ident");
    let parent =
        element.find("parent").map(|parent| (told(parent, "level"), told(parent, "linkvar")));
    Level { href: told(element, "href"), ident, parent }
}

fn variable(file: &str, number: usize, element: &Element) -> Result<Variable, ReadError> {
    let ident = element.attribute("ident").unwrap_or_default().to_owned();
    let name = element.find("name").map(Element::words).unwrap_or_default();
    let name = if name.is_empty() { format!("V{ident}") } else { name };
    let wrong = |problem: String, remedy: &str| {
        ReadError::setting(file, format!("variable {number} ({name})"), problem, remedy)
    };
    let kind = match element.attribute("type").unwrap_or_default() {
        "single" => Type::Single,
        "multiple" => Type::Multiple,
        "quantity" => Type::Quantity,
        "character" => Type::Character,
        "logical" => Type::Logical,
        "date" => Type::Date,
        "time" => Type::Time,
        other => {
            let remedy =
                "the standard has single, multiple, quantity, character, logical, date and time";
            return Err(wrong(format!("{other:?} is not a type"), remedy));
        }
    };
    let whole = |element: Option<&Element>, name: &str| -> Option<usize> {
        element?.attribute(name)?.trim().parse().ok()
    };
    let position = element.find("position");
    let start = whole(position, "start").filter(|start| (1..=LINE).contains(start));
    let start = start.ok_or_else(|| {
        wrong("it has no position with a start from 1".to_owned(), "export the survey again")
    })?;
    let finish = whole(position, "finish").unwrap_or(start);
    if finish < start || finish > LINE {
        return Err(wrong(
            format!("its position is from {start} to {finish}"),
            "export the survey again",
        ));
    }
    let spread = element.find("spread");
    let subfields = spread.map(|_| whole(spread, "subfields").unwrap_or(0));
    if subfields.is_some_and(|subfields| subfields == 0 || subfields > finish - start + 1) {
        let problem = format!(
            "it is spread over {} fields that its position does not hold",
            subfields.unwrap_or(0)
        );
        return Err(wrong(problem, "export the survey again"));
    }
    let values = element.find("values").into_iter().flat_map(|values| values.all("value"));
    Ok(Variable {
        label: element.find("label").map(Element::words).unwrap_or_default(),
        kind,
        literal: element.attribute("format").is_some_and(|format| format == "literal"),
        used_for: element.attribute("use").unwrap_or_default().to_owned(),
        start,
        finish,
        subfields,
        values: values
            .map(|value| {
                (value.attribute("code").unwrap_or_default().trim().to_owned(), value.words())
            })
            .collect(),
        name,
    })
}

impl Element {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn find(&self, name: &str) -> Option<&Element> {
        self.children.iter().find(|child| child.name == name)
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// Returns its words; of those in several languages or for several modes of asking, the first.
    fn words(&self) -> String {
        let said = match self.find("text") {
            Some(first) if self.text.trim().is_empty() => &first.text,
            _ => &self.text,
        };
        said.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Returns the encoding that an XML declaration names.
fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let start = bytes.get(..bytes.len().min(200)).unwrap_or_default();
    let start = String::from_utf8_lossy(start);
    let (_, after) = start.split_once("encoding=")?;
    let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let name = after.get(1..)?.split(quote).next()?;
    Encoding::for_label(name.as_bytes())
}

fn tree(file: &str, text: &str) -> Result<Element, ReadError> {
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    loop {
        let line = |reader: &Reader<&[u8]>| {
            let at = usize::try_from(reader.buffer_position()).unwrap_or(0);
            text.get(..text.floor_char_boundary(at)).unwrap_or_default().matches('\n').count() + 1
        };
        let event = reader.read_event();
        let event = event.map_err(|error| {
            ReadError::damaged(file, format!("line {}: {error}", line(&reader)))
        })?;
        let say = |open: &mut Vec<Element>, words: &str| {
            if let Some(element) = open.last_mut() {
                element.text.push_str(words);
            }
        };
        let mut done = None;
        match event {
            Event::Start(start) => {
                if open.len() >= DEPTH {
                    return Err(ReadError::damaged(
                        file,
                        format!("its elements are nested more than {DEPTH} deep"),
                    ));
                }
                open.push(element(&start));
            }
            // A line break.
            Event::Empty(start) if start.local_name().as_ref() == "br" => say(&mut open, " "),
            Event::Empty(start) => done = Some(element(&start)),
            Event::End(_) => done = open.pop(),
            Event::Text(words) => say(&mut open, &words.xml10_content()),
            Event::CData(words) => say(&mut open, &words.xml10_content()),
            Event::GeneralRef(entity) => {
                let name = entity.xml10_content();
                match (entity.resolve_char_ref().ok().flatten(), resolve_predefined_entity(&name)) {
                    (Some(letter), _) => say(&mut open, letter.encode_utf8(&mut [0; 4])),
                    (None, Some(known)) => say(&mut open, known),
                    (None, None) => say(&mut open, &format!("&{name};")),
                }
            }
            Event::Eof => {
                let problem = if open.is_empty() {
                    "it has no elements"
                } else {
                    "it ends inside an element"
                };
                return Err(ReadError::damaged(file, problem));
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
        if let Some(element) = done {
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => return Ok(element),
            }
        }
    }
}

fn element(start: &BytesStart<'_>) -> Element {
    let attributes = start.attributes().flatten().map(|attribute| {
        let name = attribute.key.local_name().as_ref().to_lowercase();
        let value = attribute.normalized_value(XmlVersion::Implicit1_0);
        (name, value.map(|value| value.into_owned()).unwrap_or_default())
    });
    Element {
        name: start.local_name().as_ref().to_lowercase(),
        attributes: attributes.collect(),
        ..Element::default()
    }
}
