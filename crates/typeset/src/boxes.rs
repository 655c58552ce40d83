//! A font whose every letter is an empty box, for the letters that no embedded font has.
//!
//! A reader sees that something is missing, and a copy of the text has it: the glyph that fonts keep for this purpose would lose what it
//! stands for, and archives of PDF forbid it.

use std::collections::BTreeSet;

/// The name of the family, as the template knows it.
pub(crate) const FAMILY: &str = "Boxes";

/// Units of the font in the height of a letter.
const UNITS: u16 = 1000;
const ADVANCE: i16 = 700;
const ASCENT: i16 = 800;
const DESCENT: i16 = -200;
/// The edges of the box: left, bottom, right, top.
const EDGES: [i16; 4] = [50, 0, 650, 700];

/// Returns a TrueType font in which each of some letters is a box.
pub(crate) fn build(letters: &BTreeSet<char>) -> Vec<u8> {
    let glyph = outline();
    let tables: [(&[u8; 4], Table); 10] = [
        (b"OS/2", style()),
        (b"cmap", map(letters)),
        (b"glyf", glyph),
        (b"head", head()),
        (b"hhea", lines()),
        // Both glyphs have one advance; then what is left free at the left of each.
        (b"hmtx", Table::new().signed(&[ADVANCE, 0, EDGES[0]])),
        // The first glyph has no outline. Offsets are counted in pairs of bytes.
        (b"loca", Table::new().words(&[0, 0, (OUTLINE_LENGTH / 2) as u16])),
        (
            b"maxp",
            Table::new().longs(&[1 << 16]).words(&[2, 8, 2, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        ),
        (b"name", names()),
        (b"post", Table::new().longs(&[3 << 16, 0]).signed(&[-100, 50]).longs(&[0; 5])),
    ];
    assemble(&tables)
}

/// Bytes of a table; numbers are big-endian.
#[derive(Debug, Default)]
struct Table(Vec<u8>);

impl Table {
    fn new() -> Table {
        Table::default()
    }

    fn words(mut self, words: &[u16]) -> Table {
        self.0.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        self
    }

    fn signed(mut self, words: &[i16]) -> Table {
        self.0.extend(words.iter().flat_map(|word| word.to_be_bytes()));
        self
    }

    fn longs(mut self, longs: &[u32]) -> Table {
        self.0.extend(longs.iter().flat_map(|long| long.to_be_bytes()));
        self
    }

    fn bytes(mut self, bytes: &[u8]) -> Table {
        self.0.extend_from_slice(bytes);
        self
    }
}

const OUTLINE_LENGTH: usize = 56;

/// Returns a frame: a box with a smaller one cut out of it.
fn outline() -> Table {
    const THICKNESS: i16 = 50;
    let [left, bottom, right, top] = EDGES;
    let (width, height) = (right - left, top - bottom);
    let (inner_width, inner_height) = (width - 2 * THICKNESS, height - 2 * THICKNESS);
    let table = Table::new().signed(&[2]).signed(&EDGES);
    // The last point of each contour, no instructions, and eight points on the curve. Each lies by so much off the one before it.
    let table = table.words(&[3, 7, 0]).bytes(&[1; 8]);
    let table = table.signed(&[left, 0, width, 0, THICKNESS - width, inner_width, 0, -inner_width]);
    table.signed(&[bottom, height, 0, -height, THICKNESS, 0, inner_height, 0])
}

/// Returns which letter has which glyph: a group for each letter, all with the second glyph.
fn map(letters: &BTreeSet<char>) -> Table {
    let count = u32::try_from(letters.len()).unwrap_or(u32::MAX);
    let header = Table::new().words(&[0, 1, 3, 10]).longs(&[12]);
    let map = header.words(&[12, 0]).longs(&[16 + 12 * count, 0, count]);
    letters.iter().fold(map, |map, letter| map.longs(&[u32::from(*letter), u32::from(*letter), 1]))
}

fn head() -> Table {
    const MAGIC: u32 = 0x5f0f_3cf5;
    let head = Table::new().longs(&[1 << 16, 1 << 16, 0, MAGIC]).words(&[0, UNITS]);
    head.longs(&[0; 4]).signed(&EDGES).words(&[0, 8, 2, 0, 0])
}

fn lines() -> Table {
    let lines =
        Table::new().longs(&[1 << 16]).signed(&[ASCENT, DESCENT, 0, ADVANCE, 0, 0, EDGES[2]]);
    lines.signed(&[1, 0, 0, 0, 0, 0, 0, 0]).words(&[1])
}

fn style() -> Table {
    const REGULAR: u16 = 0x40;
    let style = Table::new().signed(&[0, ADVANCE]).words(&[400, 5, 0]).signed(&[0; 11]);
    let style = style.bytes(&[0; 10]).longs(&[0; 4]).bytes(b"NONE");
    let style = style.words(&[REGULAR, 0, u16::MAX]);
    style.signed(&[ASCENT, DESCENT, 0]).words(&[ASCENT.unsigned_abs(), DESCENT.unsigned_abs()])
}

/// Returns the names of the font: family, style, full, PostScript.
fn names() -> Table {
    let names = [(1, FAMILY), (2, "Regular"), (4, FAMILY), (6, FAMILY)];
    let encode =
        |text: &str| -> Vec<u8> { text.encode_utf16().flat_map(u16::to_be_bytes).collect() };
    let mut table = Table::new().words(&[0, 4, 6 + 4 * 12]);
    let mut texts = Vec::new();
    for (kind, name) in names {
        let name = encode(name);
        let place = |length: usize| u16::try_from(length).unwrap_or(u16::MAX);
        table = table.words(&[3, 1, 0x409, kind, place(name.len()), place(texts.len())]);
        texts.extend(name);
    }
    table.bytes(&texts)
}

/// Puts tables behind a directory of them.
fn assemble(tables: &[(&[u8; 4], Table)]) -> Vec<u8> {
    const RECORD: usize = 16;
    let long = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let count = u16::try_from(tables.len()).unwrap_or(u16::MAX);
    // For readers that search by halves: the largest power of two, times 16, its exponent, and the rest.
    let exponent = count.ilog2();
    let range = 16 << exponent;
    let exponent = u16::try_from(exponent).unwrap_or(u16::MAX);
    let mut directory =
        Table::new().longs(&[1 << 16]).words(&[count, range, exponent, count * 16 - range]);
    let mut content = Vec::new();
    let start = 12 + RECORD * tables.len();
    for (name, Table(bytes)) in tables {
        let words = bytes.chunks(4).map(|chunk| {
            let mut word = [0; 4];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            u32::from_be_bytes(word)
        });
        let sum = words.fold(0, u32::wrapping_add);
        directory = directory.bytes(&name[..]);
        directory = directory.longs(&[sum, long(start + content.len()), long(bytes.len())]);
        content.extend_from_slice(bytes);
        content.resize(content.len().next_multiple_of(4), 0);
    }
    directory.bytes(&content).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_letter_is_a_box_and_no_other_has_a_glyph() {
        let font = build(&BTreeSet::from(['東', '京', '𝄞']));
        let face = ttf_parser::Face::parse(&font, 0).unwrap();
        for letter in ['東', '京', '𝄞'] {
            let glyph = face.glyph_index(letter).unwrap();
            assert_eq!((glyph.0, face.glyph_hor_advance(glyph)), (1, Some(700)));
            let box_ = face.glyph_bounding_box(glyph).unwrap();
            assert_eq!((box_.x_min, box_.y_max), (50, 700));
        }
        assert_eq!(outline().0.len(), OUTLINE_LENGTH);
        assert!(face.glyph_index('a').is_none());
    }
}
