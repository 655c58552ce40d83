//! Pages whose lines are drawn in no order are read by where they stand.
//!
//! Programs that fill in forms draw all labels, then all numbers, then all values. The page is cut along its white gaps: across, where a
//! gap runs from side to side, and down, where columns stand beside each other.

use super::lines::Line;

/// The longest words that belong to what stands beside them, in characters: a number, a letter, an amount.
const SHORT: usize = 14;
/// How near they stand, in sizes.
const NEAR: f64 = 3.0;
/// How far apart the baselines of a row are, in sizes.
const ROW: f64 = 0.4;
/// The fewest lines, and the part of them, that are drawn apart from what they belong to.
const APART: usize = 12;
const PART: f64 = 0.2;
/// The most lines of a page that is put in order.
const LINES: usize = 5_000;
/// How deep cuts are made within cuts.
const DEPTH: usize = 40;
/// The smallest gap between columns, in sizes.
const GUTTER: f64 = 0.8;

/// Puts the lines of a page in order, if they were drawn in none.
pub(super) fn put_in_order(lines: &mut Vec<Line>) {
    if lines.len() > LINES || !is_scattered(lines) {
        return;
    }
    let level = |line: &Line| line.along.0 > 0.98;
    let (mut order, turned): (Vec<usize>, Vec<usize>) =
        (0..lines.len()).partition(|at| level(&lines[*at]));
    cut(lines, &mut order, DEPTH);
    order.extend(turned);
    let mut old: Vec<Option<Line>> = std::mem::take(lines).into_iter().map(Some).collect();
    for line in order.into_iter().filter_map(|at| old.get_mut(at)?.take()) {
        match lines.last_mut() {
            Some(before) if is_beside(before, &line) => before.absorb(&line),
            _ => lines.push(line),
        }
    }
}

/// Returns whether two lines are parts of one: a number and what it counts, a label and its amount.
fn is_beside(left: &Line, right: &Line) -> bool {
    let size = left.size.max(right.size);
    let gap = (right.left - left.right) / size;
    let short = left.words().chars().count().min(right.words().chars().count()) <= SHORT;
    let turned = left.along.0 * right.along.0 + left.along.1 * right.along.1 < 0.98;
    let same_row = (right.down - left.down).abs() <= ROW * size && !turned;
    same_row && (0.0..NEAR).contains(&gap) && short
}

/// Returns whether many short words were drawn long before or after what stands beside them.
fn is_scattered(lines: &[Line]) -> bool {
    let level = |at: &usize| lines[*at].along.0 > 0.98;
    let mut rows: Vec<usize> = (0..lines.len()).filter(level).collect();
    rows.sort_by(|a, b| lines[*a].down.total_cmp(&lines[*b].down));
    let mut pairs = 0_usize;
    let mut apart = 0_usize;
    let same_row = |a: &usize, b: &usize| {
        let size = lines[*a].size.max(lines[*b].size);
        (lines[*b].down - lines[*a].down).abs() <= ROW * size
    };
    for row in rows.chunk_by(same_row) {
        let mut row = row.to_vec();
        row.sort_by(|a, b| lines[*a].left.total_cmp(&lines[*b].left));
        for pair in row.windows(2) {
            if is_beside(&lines[pair[0]], &lines[pair[1]]) {
                pairs += 1;
                apart += usize::from(pair[0].abs_diff(pair[1]) > 3);
            }
        }
    }
    apart >= APART && apart * 2 > pairs && apart as f64 > PART * lines.len() as f64
}

/// A part of a page, from one side to the other or from its top down.
#[derive(Clone, Copy)]
struct Span {
    low: f64,
    high: f64,
}

/// Orders the lines `part` of a page.
fn cut(lines: &[Line], part: &mut [usize], depth: usize) {
    let size = part.iter().map(|at| lines[*at].size).fold(0.0, f64::max);
    if part.len() < 2 || depth == 0 {
        sort_by_row(lines, part);
        return;
    }
    let across = |at: usize| Span { low: lines[at].left, high: lines[at].right };
    let down =
        |at: usize| Span { low: lines[at].down - 0.8 * lines[at].size, high: lines[at].down };
    let column = widest_gap(part, &across);
    let row = widest_gap(part, &down);
    // A gap between columns is as high as they are; those between rows are narrower than those between parts of the page.
    let upright = column.filter(|(gap, at)| {
        let beside = |at: &usize| across(*at).high <= *gap;
        let left = part.iter().filter(|line| beside(line)).count();
        left >= 3 && part.len() - left >= 3 && *at >= GUTTER * size
    });
    let (span, at): (&dyn Fn(usize) -> Span, f64) = match (upright, row) {
        (Some((at, _)), _) => (&across, at),
        (None, Some((at, _))) => (&down, at),
        (None, None) => {
            sort_by_row(lines, part);
            return;
        }
    };
    part.sort_by_key(|line| span(*line).high > at);
    let first = part.partition_point(|line| span(*line).high <= at);
    let (before, after) = part.split_at_mut(first);
    cut(lines, before, depth - 1);
    cut(lines, after, depth - 1);
}

/// Returns where the widest gap between spans begins, and how wide it is; `None` if there is none.
fn widest_gap(part: &[usize], span: &dyn Fn(usize) -> Span) -> Option<(f64, f64)> {
    let mut spans: Vec<Span> = part.iter().map(|at| span(*at)).collect();
    spans.sort_by(|a, b| a.low.total_cmp(&b.low));
    let mut end = spans.first()?.high;
    let mut widest: Option<(f64, f64)> = None;
    for span in &spans {
        let gap = span.low - end;
        if gap > 0.0 && widest.is_none_or(|(_, most)| gap > most) {
            widest = Some((end, gap));
        }
        end = end.max(span.high);
    }
    widest
}

/// Orders lines from the top down, and those of a row from the left.
fn sort_by_row(lines: &[Line], part: &mut [usize]) {
    part.sort_by(|a, b| lines[*a].down.total_cmp(&lines[*b].down));
    let same_row = |a: &usize, b: &usize| {
        let size = lines[*a].size.max(lines[*b].size);
        (lines[*b].down - lines[*a].down).abs() <= ROW * size
    };
    for row in part.chunk_by_mut(same_row) {
        row.sort_by(|a, b| lines[*a].left.total_cmp(&lines[*b].left));
    }
}
