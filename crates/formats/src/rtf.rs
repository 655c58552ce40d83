//! An RTF becomes Markdown: headings, lists with the labels that print, tables and notes.
//!
//! Deleted and hidden text, field instructions and pictures are left out; headers and footers stand once, after the text. A file is read from its bytes, because its
//! fonts decide how they are encoded.

mod cells;
mod charset;
mod destination;
mod flow;
mod lists;
mod reader;
mod tokens;

use crate::{Bounds, Fault, Parsed, Writer};

use flow::Block;
use reader::{Reader, Said};
use tokens::Tokens;

/// Returns whether bytes are those of an RTF file.
pub(crate) fn recognize(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"{\\rtf")
}

/// Returns what an RTF says.
pub(crate) fn parse(bytes: &[u8], bounds: &Bounds) -> Result<Parsed, Fault> {
    if !recognize(bytes) {
        return Err(Fault::Damaged { format: "RTF".to_owned() });
    }
    let start = bytes.iter().position(|byte| *byte == b'{').unwrap_or(0);
    let bytes = bytes.get(start..).unwrap_or_default();
    let mut reader = Reader::default();
    for token in Tokens::new(bytes) {
        reader.take(token)?;
        // Words that are dropped do not count.
        if reader.length() as u64 > bounds.text_bytes {
            let bytes = bytes.len() as u64;
            return Err(Fault::TooLarge { bytes, limit: bounds.text_bytes });
        }
    }
    let Said { blocks, title, metadata, margins } = reader.finish();
    let mut text = Writer::new(bounds.text_bytes);
    let shift = usize::from(blocks.iter().any(Block::is_title));
    for block in blocks {
        block.write(shift, &mut text);
    }
    for margins in margins {
        margins.write(&mut text);
    }
    Ok(Parsed { title, text: text.finish(), metadata, ..Parsed::default() })
}

#[cfg(test)]
mod tests;
