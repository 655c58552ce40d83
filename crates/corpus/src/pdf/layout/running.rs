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
    let places = Places::of(pages, &margins);
    let runs = |mark: &Mark| {
        let least = if mark.is_page_number() { NUMBERED_PAGES } else { RUNNING_PAGES };
        seen.get(mark).is_some_and(|times| *times >= half.max(least))
    };
    let find_dropped = |page: &PageLines, margins: Vec<Margin>| {
        let running = |at: &usize| {
            let line = &page.lines[*at];
            line.at_edge
                || marks(line.words(), page.number).iter().any(runs)
                || places.repeats(line, page.number)
        };
        let numbered =
            |row: &[usize]| row.iter().any(|at| places.is_numbered(&page.lines[*at], page.number));
        let turned = |line: &Line| {
            line.is_turned() && places.turned.get(line.words()) >= Some(&half.max(RUNNING_PAGES))
        };
        let is_out = |at: &usize| page.lines[*at].at_edge || turned(&page.lines[*at]);
        let mut dropped: HashSet<usize> = (0..page.lines.len()).filter(is_out).collect();
        for margin in margins {
            let is_head = |row: &&Vec<usize>| row.iter().any(running) || numbered(row);
            let rows = margin.rows.iter().take_while(is_head).count();
            // A line that runs on into the body belongs to the body.
            let apart = margin.ends.iter().rev().find(|end| **end <= rows).copied().unwrap_or(0);
            for row in &margin.rows[..apart] {
                let numbered = numbered(row);
                dropped.extend(row.iter().filter(|at| numbered || running(at)));
            }
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

/// What stands at the same place at the edge of several pages.
struct Places {
    /// The first page with this text at this place, and how many have it.
    texts: HashMap<(String, i64), (u32, usize)>,
    /// How many pages have a number at this place, so far ahead of that of the page.
    numbers: HashMap<(i64, i64), usize>,
    /// How many pages have this text along their side.
    turned: HashMap<String, usize>,
    least: usize,
}

/// The height of a place, in points: a line that stands a little higher or lower is in the same or the next one.
const PLACE: f64 = 4.0;
/// The longest line with a page number, in bytes.
const NUMBERED: usize = 120;

impl Places {
    fn of(pages: &[PageLines], margins: &[Vec<Margin>]) -> Self {
        let least = RUNNING_PAGES.max(pages.len() / 4);
        let mut places =
            Self { texts: HashMap::new(), numbers: HashMap::new(), turned: HashMap::new(), least };
        for (page, margins) in pages.iter().zip(margins) {
            let at_edge: HashSet<usize> =
                margins.iter().flat_map(|margin| margin.rows.iter().flatten()).copied().collect();
            let mut numbers: HashSet<(i64, i64)> = HashSet::new();
            let mut texts: HashSet<(String, i64)> = HashSet::new();
            for line in at_edge.into_iter().map(|at| &page.lines[at]) {
                numbers.extend(ahead(line, page.number).map(|ahead| (ahead, place(line))));
                texts.insert((line.words().to_owned(), place(line)));
            }
            let turned = page.lines.iter().filter(|line| line.is_turned());
            let turned: HashSet<&str> = turned.map(|line| line.words()).collect();
            for text in turned {
                *places.turned.entry(text.to_owned()).or_default() += 1;
            }
            for number in numbers {
                *places.numbers.entry(number).or_default() += 1;
            }
            for text in texts {
                places.texts.entry(text).or_insert((page.number, 0)).1 += 1;
            }
        }
        places
    }

    /// Returns whether a line stood at this place before: a head of some pages is kept once.
    fn repeats(&self, line: &Line, page: u32) -> bool {
        let known = |place: i64| self.texts.get(&(line.words().to_owned(), place));
        let around = (place(line) - 1..=place(line) + 1).filter_map(known);
        let (first, count) =
            around.fold((page, 0), |(first, all), (page, count)| (first.min(*page), all + count));
        count >= RUNNING_PAGES && first < page
    }

    /// Returns whether a line begins or ends with the number of its page, where many pages have theirs.
    fn is_numbered(&self, line: &Line, page: u32) -> bool {
        ahead(line, page).any(|ahead| {
            let around = place(line) - 1..=place(line) + 1;
            let count: usize = around.filter_map(|place| self.numbers.get(&(ahead, place))).sum();
            count >= self.least
        })
    }
}

fn place(line: &Line) -> i64 {
    (line.down / PLACE).round() as i64
}

/// Returns how far the numbers at both ends of a line are ahead of that of the page.
fn ahead(line: &Line, page: u32) -> impl Iterator<Item = i64> {
    let words = if line.words().len() <= NUMBERED { line.words() } else { "" };
    let mut parts = words.split_whitespace();
    let ends = [parts.next(), parts.next_back()].into_iter().flatten();
    let numbers = ends.filter_map(|end| end.parse::<u16>().ok());
    numbers.map(move |number| i64::from(number) - i64::from(page))
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
