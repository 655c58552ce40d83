//! Rows of tables in words.

/// Returns the cells of a row in Markdown, each after the head of its column: `Port: Brest; Metres: 6.9`. Two cells without heads are a
/// name and its value.
pub fn row_with_heads(head: Option<&str>, row: &str) -> String {
    let heads =
        head.map(cells).unwrap_or_default().into_iter().chain(std::iter::repeat(String::new()));
    let pairs: Vec<(String, String)> =
        heads.zip(cells(row)).filter(|(_, cell)| !cell.is_empty()).collect();
    if let [(first, name), (second, value)] = pairs.as_slice()
        && first.is_empty()
        && second.is_empty()
    {
        return format!("{name}: {value}");
    }
    let said = pairs.into_iter().map(|(head, cell)| match head.is_empty() {
        true => cell,
        false => format!("{head}: {cell}"),
    });
    said.collect::<Vec<_>>().join("; ")
}

/// Returns the cells of a row in Markdown.
fn cells(row: &str) -> Vec<String> {
    let row = row.trim();
    let row = row.strip_prefix('|').unwrap_or(row);
    let (mut cells, mut cell, mut escaped) = (Vec::new(), String::new(), false);
    for c in row.chars() {
        match c {
            '|' if !escaped => cells.push(std::mem::take(&mut cell).trim().to_owned()),
            '\\' if !escaped => {}
            _ if escaped && c != '|' => cell.extend(['\\', c]),
            _ => cell.push(c),
        }
        escaped = c == '\\' && !escaped;
    }
    cell.extend(escaped.then_some('\\'));
    let last = cell.trim().to_owned();
    cells.extend(Some(last).filter(|last| !last.is_empty()));
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn cells_stand_after_the_heads_of_their_columns() {
        let head = Some("| Light | Lit |");
        assert_eq!(
            row_with_heads(head, "| Noss \\| Bard | 1835 |"),
            "Light: Noss | Bard; Lit: 1835"
        );
        assert_eq!(row_with_heads(head, "|| 1835 |"), "Lit: 1835");
        assert_eq!(row_with_heads(head, "| C:\\a |  |"), "Light: C:\\a");
        assert_eq!(row_with_heads(None, "| Tenant | Mara Quint |"), "Tenant: Mara Quint");
        assert_eq!(row_with_heads(None, "| Tea | hot | 3 \\"), "Tea; hot; 3 \\");
    }
}
