//! The slides of a presentation and the pages of a drawing.

use crate::reading_order::{Place, in_reading_order};
use crate::writer::tidy;
use crate::xml::Element;

use super::page::Page;

/// Writes a section for each slide and returns the title of the first that has one; `kind` is what a slide is called.
pub(super) fn write<'a>(
    body: &'a Element,
    kind: &str,
    page: &mut Page<'a>,
    pages: &mut Vec<usize>,
) -> Option<String> {
    let mut first_title = None;
    let slides = body.elements().filter(|it| &*it.name == "page");
    for (index, slide) in slides.enumerate() {
        if page.text.is_full() {
            break;
        }
        pages.push(if page.text.is_empty() { 0 } else { page.text.len() + 2 });
        let shapes = in_reading_order(slide.elements().map(|it| (place(it), it)).collect());
        let title = shapes.iter().find(|shape| is(shape, "title") && !said(shape).is_empty());
        let mark = if page.hides(slide) { " (hidden)" } else { "" };
        let number = format!("{kind} {}{mark}", index + 1);
        let words = title.map(|title| page.title(title));
        page.text.slide(&number, words.as_deref());
        first_title = first_title.or(words);
        for shape in &shapes {
            let furniture = ["footer", "header", "date-time", "page-number"];
            let is_title = title.is_some_and(|title| std::ptr::eq(*title, *shape));
            if !is_title && &*shape.name != "notes" && !furniture.iter().any(|it| is(shape, it)) {
                page.block(shape);
            }
        }
        let notes: Vec<&Element> =
            shapes.iter().filter(|it| &*it.name == "notes").copied().collect();
        let notes = notes.into_iter().flat_map(Element::elements);
        let notes: Vec<&Element> =
            notes.filter(|it| is(it, "notes") && !said(it).is_empty()).collect();
        if !notes.is_empty() {
            page.text.heading(3, "Notes");
        }
        for shape in notes {
            page.block(shape);
        }
    }
    first_title
}

/// Returns whether a shape is a placeholder of this class.
fn is(shape: &Element, class: &str) -> bool {
    shape.attribute("class") == Some(class)
}

fn said(shape: &Element) -> String {
    let paragraphs = shape.all("p").into_iter().map(Element::text);
    tidy(&paragraphs.collect::<Vec<_>>().join(" "))
}

/// Returns where a shape stands, in micrometres.
fn place(shape: &Element) -> Place {
    let length = |name: &str| shape.attribute(name).and_then(micrometres);
    let smaller = |one: &str, other: &str| match (length(one), length(other)) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    let (left, top) = moved(shape);
    let inner = shape.elements().next().filter(|_| &*shape.name == "g");
    let inner = inner.map(place).unwrap_or_default();
    Place {
        left: length("x").or_else(|| smaller("x1", "x2")).or(left).unwrap_or(inner.left),
        top: length("y").or_else(|| smaller("y1", "y2")).or(top).unwrap_or(inner.top),
        height: length("height").unwrap_or(inner.height),
    }
}

/// Returns where a turned shape was moved to: `rotate (1.2) translate (4cm 5cm)`.
fn moved(shape: &Element) -> (Option<i64>, Option<i64>) {
    let moved = shape.attribute("transform").and_then(|it| it.split("translate").nth(1));
    let moved = moved.and_then(|it| it.split(['(', ')']).nth(1)).unwrap_or_default();
    let mut lengths = moved.split([' ', ',']).filter(|it| !it.is_empty()).map(micrometres);
    (lengths.next().flatten(), lengths.next().flatten())
}

/// Returns a length such as `2.5cm` in micrometres.
fn micrometres(length: &str) -> Option<i64> {
    let unit = length.find(|c: char| c.is_ascii_alphabetic())?;
    let (number, unit) = length.split_at(unit);
    let each = match unit {
        "mm" => 1000.0,
        "cm" => 10_000.0,
        "in" => 25_400.0,
        "pt" => 25_400.0 / 72.0,
        "pc" => 25_400.0 / 6.0,
        "px" => 25_400.0 / 96.0,
        _ => return None,
    };
    let number: f64 = number.trim().parse().ok()?;
    #[expect(clippy::cast_possible_truncation, reason = "floats become the nearest integer")]
    Some((number * each) as i64)
}
