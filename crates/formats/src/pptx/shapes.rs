//! The shapes of a slide in reading order, and the placeholders of the layout that they fill.

use crate::reading_order::{Place, in_reading_order};
use crate::writer::tidy;
use crate::xml::Element;

use super::words::{Styles, line};

/// The most shapes of a layout, and the most children of its other parts, that are looked at.
const CHILDREN: usize = 64;

/// A layout and the master that it is based on.
#[derive(Default, Clone, Copy)]
pub(super) struct Layout<'a> {
    layout: Option<&'a Element>,
    master: Option<&'a Element>,
}

/// Returns the child called `name` if it is one of the first.
pub(super) fn near<'a>(parent: &'a Element, name: &str) -> Option<&'a Element> {
    parent.elements().take(CHILDREN).find(|it| &*it.name == name)
}

impl<'a> Layout<'a> {
    pub(super) fn new(layout: Option<&'a Element>, master: Option<&'a Element>) -> Self {
        Self { layout, master }
    }

    /// Returns the shapes of layout and master that a placeholder follows.
    fn followed(&self, holder: Option<&Element>) -> (Option<&'a Element>, Option<&'a Element>) {
        let Some(holder) = holder else { return (None, None) };
        let kind = kind_of(holder);
        let index = holder.attribute("idx");
        let same = |it: &Element| match index {
            Some(index) => it.attribute("idx") == Some(index),
            None => kind_of(it) == kind,
        };
        let layout = placeholder(self.layout, same);
        // The master knows one title and one body.
        let above = layout.and_then(place_holder).map_or(kind, kind_of);
        let above = match above {
            "ctrTitle" => "title",
            "title" | "dt" | "ftr" | "sldNum" => above,
            _ => "body",
        };
        (layout, placeholder(self.master, |it| kind_of(it) == above))
    }
}

/// Returns the shape of a layout or master whose placeholder is `asked` for.
fn placeholder(part: Option<&Element>, asked: impl Fn(&Element) -> bool) -> Option<&Element> {
    let tree = near(near(part?, "cSld")?, "spTree")?;
    tree.elements().take(CHILDREN).find(|shape| place_holder(shape).is_some_and(&asked))
}

/// Returns the properties of a shape that are not visual: its name, its description, its placeholder.
fn properties(shape: &Element) -> Option<&Element> {
    shape.elements().find(|it| it.name.starts_with("nv") && it.name.ends_with("Pr"))
}

fn place_holder(shape: &Element) -> Option<&Element> {
    properties(shape)?.child("nvPr")?.child("ph")
}

fn kind_of(holder: &Element) -> &str {
    holder.attribute("type").unwrap_or("obj")
}

/// A shape of a slide.
pub(super) struct Shape<'a> {
    pub(super) element: &'a Element,
    layout: Layout<'a>,
}

impl<'a> Shape<'a> {
    /// Returns whether the shape fills a placeholder of this kind.
    pub(super) fn holds(&self, kind: &str) -> bool {
        place_holder(self.element).is_some_and(|holder| kind_of(holder) == kind)
    }

    pub(super) fn is_title(&self) -> bool {
        self.holds("title") || self.holds("ctrTitle")
    }

    /// Returns whether the shape is a footer, a header, a date or a slide number.
    pub(super) fn is_furniture(&self) -> bool {
        ["dt", "ftr", "hdr", "sldNum", "sldImg"].iter().any(|kind| self.holds(kind))
    }

    /// Returns what the shape says, on one line.
    pub(super) fn said(&self) -> String {
        self.element.child("txBody").map(|body| tidy(&line(body))).unwrap_or_default()
    }

    /// Returns its name and description.
    pub(super) fn own(&self) -> Option<&'a Element> {
        let own = properties(self.element)?.child("cNvPr")?;
        let unseen = matches!(own.attribute("hidden"), Some("1" | "true"));
        (!unseen).then_some(own)
    }

    /// Returns where the styles of its paragraphs are, nearest first.
    pub(super) fn styles(&self) -> Styles<'a> {
        let holder = place_holder(self.element);
        let (layout, master) = self.layout.followed(holder);
        let listed = |shape: &'a Element| near(near(shape, "txBody")?, "lstStyle");
        let mut found: Vec<&Element> =
            [Some(self.element), layout, master].into_iter().flatten().filter_map(listed).collect();
        if let Some(holder) = holder {
            let name = match kind_of(holder) {
                "title" | "ctrTitle" => "titleStyle",
                "dt" | "ftr" | "sldNum" => "otherStyle",
                _ => "bodyStyle",
            };
            let styles = self.layout.master.and_then(|it| near(it, "txStyles"));
            found.extend(styles.and_then(|styles| near(styles, name)));
        }
        Styles(found)
    }
}

/// Returns the visible shapes below `tree` in reading order, each group's together.
pub(super) fn all<'a>(tree: &'a Element, layout: &Layout<'a>) -> Vec<Shape<'a>> {
    let mut here: Vec<(Place, &Element)> = Vec::new();
    gather(tree, layout, &mut here);
    let mut found = Vec::new();
    for element in in_reading_order(here) {
        let shape = Shape { element, layout: *layout };
        if shape.own().is_none() {
            continue;
        }
        found.push(shape);
        if &*element.name == "grpSp" {
            found.extend(all(element, layout));
        }
    }
    found
}

fn gather<'a>(parent: &'a Element, layout: &Layout<'a>, found: &mut Vec<(Place, &'a Element)>) {
    for element in parent.elements() {
        match &*element.name {
            "sp" | "pic" | "graphicFrame" | "grpSp" | "cxnSp" => {
                found.push((place(element, layout), element));
            }
            "AlternateContent" => {
                let before = found.len();
                for option in ["Choice", "Fallback"] {
                    if let Some(option) = element.child(option)
                        && found.len() == before
                    {
                        gather(option, layout, found);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns where a shape stands, as itself, its layout or its master says.
fn place(shape: &Element, layout: &Layout) -> Place {
    let own = |shape: &Element| -> Option<Place> {
        let inner = shape.elements().find(|it| matches!(&*it.name, "spPr" | "grpSpPr"));
        let frame = shape.child("xfrm").or_else(|| inner?.child("xfrm"))?;
        let number = |child: &str, name: &str| frame.child(child)?.attribute(name)?.parse().ok();
        Some(Place {
            left: number("off", "x")?,
            top: number("off", "y")?,
            height: number("ext", "cy").unwrap_or(0),
        })
    };
    own(shape)
        .or_else(|| {
            let (layout, master) = layout.followed(place_holder(shape));
            layout.and_then(own).or_else(|| master.and_then(own))
        })
        .unwrap_or_default()
}
