//! Headers, footers and page numbers are not part of a document's text.

use std::collections::{HashMap, HashSet};

use super::headings::LARGE;
use super::lines::{APART, Line, PageLines, body_size, measure_leading};

/// How often a line must recur at the edge of pages to be a running header or footer.
const RUNNING_PAGES: usize = 3;
/// How often a bare page number must.
const NUMBERED_PAGES: usize = 2;
/// The most rows in a running header or footer.
const RUNNING_ROWS: usize = 3;

/// Removes headers, footers and page numbers: lines at the top or foot of most pages, set apart from the rest.
pub(super) fn drop_running_lines(pages: &mut [PageLines]) {
    let body = body_size(pages);
    let margins: Vec<Vec<Margin>> = pages.iter().map(|page| margins(&page.lines, body)).collect();
    let mut seen: HashMap<Mark, usize> = HashMap::new();
    for (page, margins) in pages.iter().zip(&margins) {
        let lines = margins.iter().flat_map(|margin| margin.rows.iter().flatten());
        let marks: HashSet<Mark> =
            lines.flat_map(|at| marks(page.lines[*at].words(), page.number)).collect();
        for mark in marks {
            *seen.entry(mark).or_default() += 1;
        }
    }
    let half = pages.len().div_ceil(2);
    let runs = |mark: &Mark| {
        let least = if mark.is_page_number() { NUMBERED_PAGES } else { RUNNING_PAGES };
        seen.get(mark).is_some_and(|times| *times >= half.max(least))
    };
    let find_dropped = |page: &PageLines, margins: Vec<Margin>| {
        let running = |at: &usize| marks(page.lines[*at].words(), page.number).iter().any(runs);
        let mut dropped: HashSet<usize> = HashSet::new();
        for margin in margins {
            let rows = margin.rows.iter().take_while(|row| row.iter().any(running));
            let rows = rows.count();
            // A line that runs on into the body belongs to the body.
            let apart = margin.ends.iter().rev().find(|end| **end <= rows).copied().unwrap_or(0);
            dropped.extend(margin.rows[..apart].iter().flatten().filter(|at| running(at)));
        }
        dropped
    };
    let dropped: Vec<HashSet<usize>> =
        pages.iter().zip(margins).map(|(page, margins)| find_dropped(page, margins)).collect();
    // Where nothing else stands on most pages, it is what the pages say.
    let bare = pages
        .iter()
        .zip(&dropped)
        .filter(|(page, dropped)| !dropped.is_empty() && dropped.len() == page.lines.len());
    if bare.count() * 2 > pages.len() {
        return;
    }
    for (page, dropped) in pages.iter_mut().zip(dropped) {
        let mut at = 0;
        page.lines.retain(|_| {
            at += 1;
            !dropped.contains(&(at - 1))
        });
    }
}

/// A possible header or footer of a page.
struct Margin {
    /// The indexes of the lines of each row, from the edge of the page inwards.
    rows: Vec<Vec<usize>>,
    /// For each gap that is wide enough, how many of the rows it separates from the rest.
    ends: Vec<usize>,
}

/// Returns the possible header and footer of a page with these lines; `body` is the size of most text.
fn margins(lines: &[Line], body: f64) -> Vec<Margin> {
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|a, b| lines[*a].down.total_cmp(&lines[*b].down));
    let same_row = |a: &usize, b: &usize| {
        let size = lines[*a].size.max(lines[*b].size);
        lines[*b].down - lines[*a].down <= 0.5 * size
    };
    let mut rows: Vec<&[usize]> = order.chunk_by(same_row).collect();
    let usual = measure_leading(lines).unwrap_or(1.3 * body).max(body);
    // The next row is below or above.
    let gap = |row: &[usize], next: &[usize]| match (row, next) {
        ([first, ..], [next_first, ..]) => {
            let last = row.last().unwrap_or(first);
            let next_last = next.last().unwrap_or(next_first);
            let below = lines[*next_first].down - lines[*last].down;
            below.max(lines[*first].down - lines[*next_last].down)
        }
        _ => 0.0,
    };
    let mut found = Vec::new();
    for _ in 0..2 {
        let mut margin = Margin { rows: Vec::new(), ends: Vec::new() };
        for (row, next) in rows.iter().zip(rows.iter().skip(1).map(Some).chain([None])) {
            // Text larger than the body is a title, not a running line.
            let large = |at: &usize| lines[*at].size >= LARGE * body;
            if margin.rows.len() == RUNNING_ROWS || row.iter().any(large) {
                break;
            }
            margin.rows.push(row.to_vec());
            let apart = next.is_none_or(|next| gap(row, next) > APART * usual);
            if apart {
                margin.ends.push(margin.rows.len());
            }
        }
        margin.rows.truncate(margin.ends.last().copied().unwrap_or(0));
        found.push(margin);
        rows.reverse();
    }
    found
}

/// What a running line has in common with those of other pages.
#[derive(PartialEq, Eq, Hash)]
enum Mark {
    /// The whole line.
    Same(String),
    /// The text before and after a number, and how far this number is ahead of the page number.
    Numbered { before: String, after: String, ahead: i64 },
}

impl Mark {
    fn is_page_number(&self) -> bool {
        matches!(self, Self::Numbered { before, after, .. } if before.is_empty() && after.is_empty())
    }
}

/// Returns the marks of a line at the edge of a page; empty if it is too long for a running line.
fn marks(words: &str, page: u32) -> Vec<Mark> {
    /// How many numbers of a line are tried as its page number; each costs a copy of the line.
    const NUMBERS: usize = 8;
    if words.len() > 160 {
        return Vec::new();
    }
    let mut found = vec![Mark::Same(words.to_owned())];
    let mut at = 0;
    for part in words.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        let end = at + digits.len();
        if let Ok(number) = digits.parse::<u32>()
            && found.len() <= NUMBERS
        {
            found.push(Mark::Numbered {
                before: words[..at].to_owned(),
                after: words[end..].to_owned(),
                ahead: i64::from(number) - i64::from(page),
            });
        }
        at += part.len();
    }
    found
}
