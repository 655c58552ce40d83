//! Tables between `|===`: columns from `cols` or from the first line, cells with their specifications.

/// The most columns of a table, and the most copies of a cell.
const MOST_COLUMNS: usize = 100;

/// Returns the cells of each row, the head row first.
pub(super) fn rows_of(lines: &[String], style: &[String], open: &str) -> Vec<Vec<String>> {
    let option =
        |name: &str| style.iter().find_map(|part| part.strip_prefix(name)?.strip_prefix('='));
    let format = if open.starts_with(',') { "csv" } else { option("format").unwrap_or("psv") };
    let mut cells: Vec<(String, usize)> = Vec::new();
    // How many cells the first line that is not blank has.
    let mut in_first = 0;
    let separator = option("separator").and_then(|it| it.chars().next()).unwrap_or(match format {
        "csv" => ',',
        "dsv" => ':',
        _ => '|',
    });
    let separator = if open.starts_with('!') { '!' } else { separator };
    for line in lines {
        if line.trim().is_empty() && (cells.is_empty() || separator != '|') {
            continue;
        }
        if line.starts_with("//") {
            continue;
        }
        if format == "psv" {
            take_line(line, separator, &mut cells);
        } else {
            cells.extend(
                line.split(separator).map(|cell| (cell.trim().trim_matches('"').to_owned(), 1)),
            );
        }
        if in_first == 0 {
            in_first = cells.iter().map(|(_, span)| span).sum();
        }
    }
    let columns = option("cols")
        .map(columns)
        .filter(|count| *count > 0)
        .unwrap_or(in_first)
        .clamp(1, MOST_COLUMNS);
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut row: Vec<String> = Vec::new();
    for (cell, span) in cells {
        row.push(cell);
        row.extend(std::iter::repeat_n(String::new(), span - 1));
        if row.len() >= columns {
            rows.push(std::mem::take(&mut row));
        }
    }
    if !row.is_empty() {
        rows.push(row);
    }
    let options = option("options").or_else(|| option("opts")).unwrap_or_default();
    let first = style.first().map_or("", String::as_str);
    let blank = lines
        .iter()
        .skip_while(|line| line.trim().is_empty())
        .nth(1)
        .is_some_and(|line| line.trim().is_empty());
    let is_headed = options.contains("header")
        || first.contains("%header")
        || style.iter().any(|part| part == "%header")
        || blank
            && lines.first().is_some_and(|line| !line.trim().is_empty())
            && in_first == columns;
    if !is_headed && rows.len() > 1 {
        rows.insert(0, vec![String::new()]);
    }
    rows
}

/// Adds the cells of a line, each with the number of columns it spans.
fn take_line(line: &str, separator: char, cells: &mut Vec<(String, usize)>) {
    let mut parts: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in line.chars() {
        if c == separator && before != '\\' {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            if c == separator {
                part.pop();
            }
            part.push(c);
        }
        before = c;
    }
    let last = parts.len() - 1;
    // What stands before the first separator goes on with the cell above, or specifies the cell that follows.
    let mut specification = String::new();
    for (index, part) in parts.iter().enumerate() {
        let mut words = part.trim_end();
        let mut next = "";
        if index < last {
            let start = words.rfind(' ').map_or(0, |at| at + 1);
            if is_specification(&words[start..]) && !part.ends_with(' ') {
                next = &words[start..];
                words = words[..start].trim_end();
            }
        }
        if index == 0 {
            if let Some((cell, _)) = cells.last_mut() {
                cell.push('\n');
                cell.push_str(words.trim());
            }
        } else {
            let (copies, span) = numbers(&specification);
            for _ in 0..copies {
                cells.push((words.trim().to_owned(), span));
            }
        }
        next.clone_into(&mut specification);
    }
}

/// Returns whether a word specifies a cell: `2+`, `.3+^.>s`, `a`.
fn is_specification(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= 10
        && word.chars().all(|c| c.is_ascii_digit() || "+*<>^.adehlmsv".contains(c))
        && (word.len() == 1 && !word.starts_with(|c: char| c.is_ascii_digit())
            || word.contains(['+', '*', '<', '>', '^']))
}

/// Returns how often a cell stands, and how many columns it spans.
fn numbers(specification: &str) -> (usize, usize) {
    let digits: String = specification.chars().take_while(char::is_ascii_digit).collect();
    let count = digits.parse::<usize>().unwrap_or(1).clamp(1, MOST_COLUMNS);
    match specification[digits.len()..].chars().next() {
        Some('*') => (count, 1),
        Some('+' | '.') => (1, count),
        _ => (1, 1),
    }
}

/// Returns how many columns `cols` states: `1,2`, `3*`, `2*<,^1a`.
fn columns(stated: &str) -> usize {
    let stated = stated.trim_matches('"');
    let parts = stated.split([',', ';']);
    let count = |part: &str| match part.split_once('*') {
        Some((times, _)) => times.trim().parse().unwrap_or(1_usize),
        None => 1,
    };
    if !stated.contains([',', ';', '*']) && stated.parse::<usize>().is_ok() {
        return 1;
    }
    parts.map(count).fold(0, usize::saturating_add).min(MOST_COLUMNS)
}
