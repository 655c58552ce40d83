//! Attributes and character data of XML that is read as a stream.

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use crate::xml::resolve;

/// Returns the value of an attribute, by its name without prefix.
pub(super) fn attribute(start: &BytesStart, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    let mut found = attributes.with_checks(false).flatten();
    let value = found.find(|it| it.key.local_name().as_ref() == name)?;
    value.normalized_value(XmlVersion::Implicit1_0).ok().map(std::borrow::Cow::into_owned)
}

/// Appends the characters that an event stands for.
pub(super) fn say(event: &Event, into: &mut String) {
    match event {
        Event::Text(part) => into.push_str(&part.xml10_content()),
        Event::CData(part) => into.push_str(&part.xml10_content()),
        Event::GeneralRef(entity) => into.push_str(&resolve(entity).unwrap_or_default()),
        _ => {}
    }
}
