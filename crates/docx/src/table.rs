//! How broad the columns of a table are.

use render::{Line, Table, svg};

/// A letter of a table's text as high as its line, in twentieths of a point: 9.5 points.
const LETTER: f64 = 190.0;
/// How much of the breadth that a letter may have in any font it has in ours.
const NARROW: f64 = 0.8;
/// What a cell has beside its text.
pub(crate) const PADDING: u32 = 160;
/// The narrowest column.
const LEAST: f64 = 500.0;

/// Returns how broad each column is, together no broader than `room`, in twentieths of a point.
///
/// A column is as broad as its text where there is room for all; else the broad ones give way, down to their longest word.
pub(crate) fn widths(table: &Table, columns: usize, room: u32) -> Vec<u32> {
    let room = f64::from(room);
    let cells = |index: usize| {
        let head = table.columns.get(index).map(|(line, _)| (line, 1.06));
        head.into_iter()
            .chain(table.rows.iter().filter_map(move |row| Some((row.get(index)?, 1.0))))
    };
    let natural = |index| {
        let broadest = cells(index).map(|(line, bold)| breadth(&shown(line)) * bold);
        broadest.fold(LEAST, f64::max).min(room)
    };
    let least = |index| {
        let words = cells(index).map(|(line, bold)| {
            shown(line).split_whitespace().map(breadth).fold(0.0, f64::max) * bold
        });
        words.fold(LEAST, f64::max).min(room / 2.5)
    };
    let natural: Vec<f64> = (0..columns).map(natural).collect();
    let least: Vec<f64> = (0..columns).map(least).collect();
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

fn breadth(text: &str) -> f64 {
    text.chars().map(svg::breadth).sum::<f64>() * LETTER * NARROW + f64::from(PADDING) + 40.0
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
