//! The headers and footers of a DOCX that its sections show.

use std::collections::HashSet;

use crate::Fault;
use crate::archive::Archive;
use crate::margins::{Margins, Part};
use crate::ooxml::{Budget, Relations, is_on};
use crate::xml::{Element, Node};

use super::DOCX;
use super::styles::{Styles, hidden};

/// The most sections that are looked at.
const SECTIONS: usize = 200;

/// Returns the headers and footers of the sections: those of first pages where they differ, and the usual ones.
pub(super) fn read(
    bodies: &[&Element],
    archive: &mut Archive,
    relations: &Relations,
    styles: &Styles,
) -> Result<Margins, Fault> {
    let mut found = Margins::default();
    let mut budget = Budget::new();
    let mut known = HashSet::new();
    let by_id = relations.by_id();
    let sections = bodies.iter().flat_map(|body| body.all("sectPr"));
    for section in sections.take(SECTIONS) {
        let has_first = is_on(section.child("titlePg"));
        for reference in section.elements() {
            let kind = match &*reference.name {
                "headerReference" => "Header",
                "footerReference" => "Footer",
                _ => continue,
            };
            let is_shown = match reference.attribute("type") {
                Some("first") => has_first,
                // Those of even pages mirror the others.
                Some("even") => false,
                _ => true,
            };
            let name = reference.attribute("id").and_then(|id| by_id.get(id));
            if let Some(name) = name.filter(|name| is_shown && known.insert(**name))
                && let Some(part) = budget.part(archive, name, DOCX)?
            {
                let mut reading = Reading { styles, parts: Vec::new(), fields: Vec::new() };
                reading.parts(&part);
                found.add(kind, &reading.parts);
            }
        }
    }
    Ok(found)
}

/// A header or footer being read.
struct Reading<'a> {
    styles: &'a Styles,
    parts: Vec<Part>,
    /// The open fields: the instruction of each, and whether its result has begun.
    fields: Vec<(String, bool)>,
}

impl Reading<'_> {
    fn parts(&mut self, parent: &Element) {
        for node in &parent.children {
            let Node::Element(element) = node else { continue };
            match &*element.name {
                "p" | "tab" | "ptab" | "br" | "cr" => {
                    self.parts.push(Part::default());
                    self.parts(element);
                }
                "r" if hidden(self.styles, element) => {}
                "t" => {
                    let is_number = self.fields.iter().any(|(said, _)| is_page(said));
                    if is_number {
                        self.number();
                    } else if self.fields.iter().all(|(_, is_result)| *is_result) {
                        self.last().words.push_str(&element.text());
                    }
                }
                "noBreakHyphen" => self.last().words.push('-'),
                "pgNum" => self.number(),
                "fldSimple" => {
                    let said = element.attribute("instr").unwrap_or_default().to_owned();
                    self.fields.push((said, true));
                    self.parts(element);
                    self.fields.pop();
                }
                "fldChar" => match element.attribute("fldCharType") {
                    Some("begin") => self.fields.push((String::new(), false)),
                    Some("separate") => {
                        if let Some((_, is_result)) = self.fields.last_mut() {
                            *is_result = true;
                        }
                    }
                    Some("end") => {
                        let said = self.fields.pop();
                        if said.is_some_and(|(said, _)| is_page(&said)) {
                            self.number();
                        }
                    }
                    _ => {}
                },
                "instrText" => {
                    if let Some((said, _)) = self.fields.last_mut() {
                        said.push_str(&element.text());
                    }
                }
                "AlternateContent" => {
                    let options = ["Choice", "Fallback"].iter();
                    if let Some(option) = options.filter_map(|name| element.child(name)).next() {
                        self.parts(option);
                    }
                }
                "del" | "moveFrom" | "delText" | "delInstrText" | "pPr" | "rPr" | "sdtPr"
                | "tcPr" | "tblPr" | "trPr" => {}
                _ => self.parts(element),
            }
        }
    }

    fn last(&mut self) -> &mut Part {
        if self.parts.is_empty() {
            self.parts.push(Part::default());
        }
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }

    fn number(&mut self) {
        self.last().is_numbered = true;
    }
}

/// Returns whether a field shows the number of a page, or how many there are.
fn is_page(instruction: &str) -> bool {
    let name = instruction.split_whitespace().next().unwrap_or_default().to_ascii_uppercase();
    matches!(name.as_str(), "PAGE" | "NUMPAGES" | "SECTIONPAGES" | "SECTION")
}
