//! Attributes and character data of XML that is read as a stream.

use quick_xml::XmlVersion;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};

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
        Event::GeneralRef(entity) => {
            let character = entity.resolve_char_ref().ok().flatten();
            match (character, resolve_predefined_entity(&entity.xml10_content())) {
                (Some(character), _) => into.push(character),
                (None, Some(known)) => into.push_str(known),
                (None, None) => {}
            }
        }
        _ => {}
    }
}
