//! What frames, shapes and objects of an OpenDocument file say.

use super::{Aside, Page};
use crate::ooxml::alternative;
use crate::writer::{comment, tidy};
use crate::xml::Element;

impl<'a> Page<'a> {
    /// Sets aside what a frame, shape or comment says.
    pub(in crate::odt) fn drawing(&mut self, element: &'a Element) {
        if &*element.name == "annotation" {
            let author = element.child("creator").map(Element::text).unwrap_or_default();
            let mut words = String::new();
            for said in element.elements().filter(|it| matches!(&*it.name, "p" | "list")) {
                self.flat(said, &mut words);
            }
            let words = comment(&author, &words);
            return self.aside.push(Aside::Line(words));
        }
        let described = ["desc", "title"]
            .iter()
            .find_map(|name| element.child(name).and_then(|it| alternative(&it.text())));
        if let Some(words) = described {
            self.aside.push(Aside::Line(format!("Image: {words}")));
        }
        match &*element.name {
            "frame" => {
                // The first that can be shown; those after it stand in for it.
                let shown = element.elements().find(|it| {
                    matches!(
                        &*it.name,
                        "text-box" | "object" | "table" | "image" | "object-ole" | "plugin"
                    )
                });
                match shown {
                    // Words may stand on a picture, too.
                    Some(boxed) if matches!(&*boxed.name, "text-box" | "image") => {
                        self.aside.push(Aside::Blocks(boxed));
                    }
                    Some(object) if &*object.name == "object" => {
                        self.aside.push(Aside::Object(object));
                    }
                    Some(table) if &*table.name == "table" => {
                        self.aside.push(Aside::Blocks(element));
                    }
                    _ => {}
                }
            }
            "g" => {
                for inner in element.elements() {
                    match &*inner.name {
                        "desc" | "title" | "event-listeners" | "glue-point" => {}
                        _ => self.drawing(inner),
                    }
                }
            }
            _ => self.aside.push(Aside::Blocks(element)),
        }
    }

    /// Writes a formula or a chart.
    pub(super) fn object(&mut self, object: &'a Element) {
        // Each is written once, however often it is named.
        let linked = object.attribute("href").and_then(|name| self.objects.remove(name));
        let Some(inner) = linked.or_else(|| object.elements().next()) else { return };
        if &*inner.name == "math" {
            // The formula as its author typed it.
            let typed = inner.all("annotation").into_iter().next();
            return self.text.paragraph(&tidy(&typed.unwrap_or(inner).text()));
        }
        let Some(chart) = inner.all("chart").into_iter().find(|it| it.attribute("class").is_some())
        else {
            return;
        };
        for name in ["title", "subtitle"] {
            if let Some(title) = chart.child(name) {
                self.text.paragraph(&tidy(&title.text()));
            }
        }
        if let Some(table) = chart.child("table") {
            self.table(table);
        }
    }
}
