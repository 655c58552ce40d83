//! How broad the columns of a table are.

use render::{Line, Table, svg};

/// How much of the breadth that a letter may have in any font it has in ours.
const NARROW: f64 = 0.85;
/// From this many columns on a table is set in small letters.
const MANY: usize = 8;

/// How the text of a table is set, in twentieths of a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Size {
    pub(crate) is_small: bool,
    /// The height of a letter.
    letter: f64,
    /// What a cell has on each side of its text.
    pub(crate) margin: u32,
}

impl Size {
    pub(crate) fn of(columns: usize) -> Size {
        match columns {
            ..MANY => Size { is_small: false, letter: 190.0, margin: 80 },
            _ => Size { is_small: true, letter: 160.0, margin: 50 },
        }
    }

    fn breadth(self, text: &str) -> f64 {
        text.chars().map(svg::breadth).sum::<f64>() * self.letter * NARROW
            + f64::from(2 * self.margin)
            + 40.0
    }
}

/// The narrowest column.
const LEAST: f64 = 500.0;

/// Returns how broad each column is, together no broader than `room`, in twentieths of a point.
///
/// A column is as broad as its text where there is room for all; else the broad ones give way, down to their longest word.
pub(crate) fn widths(table: &Table, columns: usize, room: u32) -> Vec<u32> {
    let room = f64::from(room);
    let size = Size::of(columns);
    let cells = |index: usize| {
        let head = table.columns.get(index).map(|(line, _)| (line, 1.06));
        head.into_iter()
            .chain(table.rows.iter().filter_map(move |row| Some((row.get(index)?, 1.0))))
    };
    let natural = |index| {
        let broadest = cells(index).map(|(line, bold)| size.breadth(&shown(line)) * bold);
        broadest.fold(LEAST, f64::max).min(room)
    };
    let least = |index| {
        let words = cells(index).map(|(line, bold)| {
            shown(line).split_whitespace().map(|word| size.breadth(word)).fold(0.0, f64::max) * bold
        });
        words.fold(LEAST, f64::max).min(room / 2.5)
    };
    let natural: Vec<f64> = (0..columns).map(natural).collect();
    let longest_words: Vec<f64> = (0..columns).map(least).collect();
    // A short column is not broken for a long one, unless there is no room even so.
    let is_short = |width: &f64| *width <= room / columns as f64;
    let unbroken = natural.iter().zip(&longest_words);
    let unbroken: Vec<f64> = unbroken
        .map(|(natural, least)| if is_short(natural) { *natural } else { *least })
        .collect();
    let least = if unbroken.iter().sum::<f64>() <= room { unbroken } else { longest_words };
    let [wanted, needed] = [&natural, &least].map(|widths| widths.iter().sum::<f64>());
    let fitted: Vec<f64> = if wanted <= room {
        natural
    } else if needed >= room {
        least.iter().map(|width| width * room / needed).collect()
    } else {
        // The square root, so that one long column does not take what others need as well.
        let wishes: Vec<f64> = natural
            .iter()
            .zip(&least)
            .map(|(natural, least)| (natural - least).max(0.0).sqrt())
            .collect();
        share(&natural, &least, &wishes, room)
    };
    fitted.into_iter().map(|width| width.floor() as u32).collect()
}

/// Returns each column at its least width and its part of what is left, none broader than its text.
fn share(natural: &[f64], least: &[f64], wishes: &[f64], room: f64) -> Vec<f64> {
    let mut widths = least.to_vec();
    // Whatever a column does not need goes to the others, in a few rounds.
    for _ in 0..8 {
        let left = room - widths.iter().sum::<f64>();
        let is_open = |index: usize| widths.get(index) < natural.get(index);
        let open: Vec<usize> = (0..widths.len()).filter(|index| is_open(*index)).collect();
        let wish = |index: &usize| wishes.get(*index).copied().unwrap_or_default();
        let all: f64 = open.iter().map(wish).sum();
        if left < 1.0 || all <= 0.0 {
            break;
        }
        for index in open {
            let more = left * wish(&index) / all;
            if let (Some(width), Some(natural)) = (widths.get_mut(index), natural.get(index)) {
                *width = (*width + more).min(*natural);
            }
        }
    }
    widths
}

/// Returns a line as a reader sees it.
fn shown(line: &Line) -> String {
    use render::Inline;
    let shown = |inline: &Inline| match inline {
        Inline::Text(text) | Inline::Code(text) => text.clone(),
        Inline::Literal(character) => character.to_string(),
        Inline::Strong(line) | Inline::Emphasis(line) => shown(line),
        Inline::Mark { shown, .. } => shown.clone(),
        Inline::Sign(sign) => sign.sign.to_owned(),
        Inline::Break | Inline::SoftBreak => " ".to_owned(),
        Inline::Anchor(_) => String::new(),
    };
    line.0.iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[&[&str]]) -> Table {
        let mut table = Table { columns: vec![], rows: vec![] };
        rows.iter().for_each(|row| table.row(row.iter().map(|cell| Line::from(*cell))));
        table
    }

    #[test]
    fn columns_fit_the_page_and_a_long_one_gives_way() {
        let long = "a sentence that goes on and on ".repeat(20);
        let small = widths(&table(&[&["a", "1"], &["b", "2"]]), 2, 9_000);
        assert!(small.iter().sum::<u32>() < 4_000, "{small:?}");
        let two = widths(&table(&[&["Name of it", &long], &["b", "2"]]), 2, 9_000);
        assert!((8_900..=9_000).contains(&two.iter().sum::<u32>()), "{two:?}");
        assert!(two[0] > 900 && two[1] > 5 * two[0], "{two:?}");
        let word = "W".repeat(400);
        let many = widths(&table(&[&[word.as_str(); 12]]), 12, 9_000);
        assert!(many.iter().sum::<u32>() <= 9_000 && many.iter().all(|width| *width > 500));
    }
}
