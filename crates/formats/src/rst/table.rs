//! Grid and simple tables.

/// The most columns of a table.
const MOST_COLUMNS: usize = 200;

/// A table: the lines of each cell of each row, the head row first.
pub(super) struct Table {
    pub(super) rows: Vec<Vec<Vec<String>>>,
    /// How many lines of the file it takes.
    pub(super) lines: usize,
}

/// Returns the grid table that begins at a line.
pub(super) fn grid(lines: &[String], at: usize) -> Option<Table> {
    let first = lines.get(at)?;
    if !first.starts_with("+-") && !first.starts_with("+=") || !first.ends_with('+') {
        return None;
    }
    let count = lines[at..].iter().take_while(|line| line.starts_with(['+', '|'])).count();
    let block: Vec<Vec<char>> =
        lines[at..at + count].iter().map(|line| line.chars().collect()).collect();
    if count < 3 {
        return None;
    }
    // The columns begin where any full border has a corner.
    let mut corners: Vec<usize> = Vec::new();
    for line in block.iter().filter(|line| line.first() == Some(&'+')) {
        corners.extend(line.iter().enumerate().filter(|(_, c)| **c == '+').map(|(at, _)| at));
        corners.sort_unstable();
        corners.dedup();
        if corners.len() > MOST_COLUMNS {
            return None;
        }
    }
    let is_border = |line: &[char], from: usize, to: usize| {
        line.get(from + 1..to)
            .is_some_and(|part| !part.is_empty() && part.iter().all(|c| "-=+".contains(*c)))
    };
    let columns = corners.len().saturating_sub(1);
    let mut rows: Vec<Vec<Vec<String>>> = Vec::new();
    let mut row: Vec<Vec<String>> = vec![Vec::new(); columns];
    let mut head_ends = false;
    for line in &block {
        let whole = corners.windows(2).all(|pair| is_border(line, pair[0], pair[1]));
        if whole {
            if row.iter().any(|cell| !cell.is_empty()) {
                rows.push(std::mem::replace(&mut row, vec![Vec::new(); columns]));
            }
            // More rows may be the head; they are joined into one.
            if line.contains(&'=') && !head_ends && rows.len() > 1 {
                let joined = join_rows(&rows);
                rows = vec![joined];
            }
            head_ends |= line.contains(&'=');
            continue;
        }
        let partial =
            corners.windows(2).any(|pair| is_border(line, pair[0], pair[1])) && line.contains(&'+');
        if partial {
            // Some cells go on below this border; the others end here.
            let mut next: Vec<Vec<String>> = vec![Vec::new(); columns];
            for (column, pair) in corners.windows(2).enumerate() {
                if !is_border(line, pair[0], pair[1]) {
                    let words: String =
                        line.get(pair[0] + 1..pair[1]).unwrap_or_default().iter().collect();
                    next[column].push(words.trim().to_owned());
                }
            }
            rows.push(std::mem::replace(&mut row, next));
            continue;
        }
        let mut column = 0;
        while column < columns {
            // A cell goes on to the next corner that has a line.
            let mut end = column + 1;
            while end < columns && line.get(corners[end]).is_some_and(|c| !"|+".contains(*c)) {
                end += 1;
            }
            let words =
                line.get(corners[column] + 1..corners[end].min(line.len())).unwrap_or_default();
            let words: String = words.iter().collect();
            if !words.trim().is_empty() {
                row[column].push(words.trim().to_owned());
            }
            column = end;
        }
    }
    (!rows.is_empty()).then_some(Table { rows, lines: count })
}

fn join_rows(rows: &[Vec<Vec<String>>]) -> Vec<Vec<String>> {
    let columns = rows.first().map_or(0, Vec::len);
    (0..columns)
        .map(|column| rows.iter().filter_map(|row| row.get(column)).flatten().cloned().collect())
        .collect()
}

/// Returns the simple table that begins at a line: `=====  =====`.
pub(super) fn simple(lines: &[String], at: usize) -> Option<Table> {
    let first = lines.get(at)?;
    let is_border =
        |line: &str| line.starts_with("==") && line.chars().all(|c| c == '=' || c == ' ');
    if !is_border(first) || !first.contains(' ') {
        return None;
    }
    let spans = column_spans(first);
    if spans.len() > MOST_COLUMNS {
        return None;
    }
    let is_end = |(offset, line): &(usize, &String)| {
        let after = lines.get(at + offset + 1).is_none_or(|next| next.trim().is_empty());
        *offset > 0 && is_border(line) && after
    };
    let end = lines[at..].iter().enumerate().find(is_end).map(|(offset, _)| offset)?;
    let mut rows: Vec<Vec<Vec<String>>> = Vec::new();
    for line in &lines[at + 1..at + end] {
        if is_border(line) {
            if rows.len() > 1 {
                let joined = join_rows(&rows);
                rows = vec![joined];
            }
            continue;
        }
        if line.trim().is_empty() || line.chars().all(|c| c == '-' || c == ' ') {
            continue;
        }
        let letters: Vec<char> = line.chars().collect();
        let mut cells: Vec<String> = Vec::with_capacity(spans.len());
        for (column, span) in spans.iter().enumerate() {
            // The last column has no end.
            let end = spans.get(column + 1).map_or(letters.len(), |next| next.0).min(letters.len());
            let words: String = letters.get(span.0..end).unwrap_or_default().iter().collect();
            cells.push(words.trim().to_owned());
        }
        let goes_on = cells.first().is_none_or(|cell| cell.is_empty());
        match rows.last_mut().filter(|_| goes_on) {
            Some(row) => {
                for (cell, words) in row.iter_mut().zip(cells) {
                    cell.push(words);
                }
            }
            None => rows.push(
                cells
                    .into_iter()
                    .map(|cell| vec![if cell == "\\" { String::new() } else { cell }])
                    .collect(),
            ),
        }
    }
    (!rows.is_empty()).then_some(Table { rows, lines: end + 1 })
}

/// Returns where each run of `=` begins and ends, in letters.
fn column_spans(border: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for (at, c) in border.chars().enumerate().filter(|(_, c)| *c == '=') {
        match found.last_mut() {
            Some(last) if last.1 == at => last.1 = at + c.len_utf8(),
            _ => found.push((at, at + 1)),
        }
    }
    found
}
