//! Messages whose parts are divided by other lines than their header says.

use mail_parser::{Message, MimeHeaders, PartType};

/// Returns a message with the dividing lines that its header announces, if none of its parts was found because it has others.
///
/// A line divides if it begins with two dashes, has no blanks, and a header of a part follows, or it ends with two dashes.
pub(super) fn mended(message: &Message) -> Option<Vec<u8>> {
    let root = message.root_part();
    let kind = root.content_type().filter(|kind| kind.ctype().eq_ignore_ascii_case("multipart"))?;
    if matches!(&root.body, PartType::Multipart(parts) if !parts.is_empty()) {
        return None;
    }
    let boundary = kind.attribute("boundary")?;
    let raw = &*message.raw_message;
    let (header, body) = raw.split_at_checked(root.offset_body as usize)?;
    let mut found = header.to_vec();
    let mut divided = false;
    let mut lines = body.split_inclusive(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let words = line.trim_ascii_end();
        let divides = words.len() > 4
            && words.starts_with(b"--")
            && !words.contains(&b' ')
            && words.iter().any(|byte| *byte != b'-');
        let is_header =
            |next: &&[u8]| next.get(..8).is_some_and(|name| name.eq_ignore_ascii_case(b"content-"));
        if divides && lines.peek().is_some_and(is_header) {
            divided = true;
            found.extend_from_slice(format!("--{boundary}\r\n").as_bytes());
        } else if divides && divided && words.ends_with(b"--") {
            found.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        } else {
            // Some programs end the data of a part with these; nothing is decoded then.
            found.extend(line.iter().filter(|byte| **byte != 0));
        }
    }
    divided.then_some(found)
}
