//! Names as people write them, and as a study has them.

/// Returns a name in the form used for comparison: lower case, one space between words, one kind of dash.
pub(crate) fn fold_name(name: &str) -> String {
    let mut folded = String::with_capacity(name.len());
    for word in name.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        for sign in word.chars() {
            match sign {
                '‐' | '‑' | '–' | '—' | '−' => folded.push('-'),
                '’' | '‘' => folded.push('\''),
                sign => folded.extend(sign.to_lowercase()),
            }
        }
    }
    folded
}

/// Returns the names that are similar to a wrong one, worded as the end of a message; all of them if there are few.
pub(super) fn near<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> String {
    const TOLD: usize = 6;
    let wrong = fold_name(wrong);
    let mut known: Vec<(usize, &str)> = known
        .map(|name| {
            let folded = fold_name(name);
            let inside = folded.contains(&wrong) || wrong.contains(&folded);
            (if inside { 1 } else { distance(&wrong, &folded) }, name)
        })
        .collect();
    if known.is_empty() {
        return String::new();
    }
    known.sort_by_key(|(far, _)| *far);
    known.dedup_by_key(|(_, name)| *name);
    let more = known.len() > TOLD;
    let names: Vec<String> = known.iter().take(TOLD).map(|(_, name)| format!("'{name}'")).collect();
    let introduced = if more { "near ones are" } else { "there are" };
    format!("; {introduced} {}", names.join(", "))
}

/// Counts the characters to change, insert or delete to turn one text into the other (Levenshtein 1965). Only the
/// beginning of long texts counts.
fn distance(one: &str, other: &str) -> usize {
    const LOOKED_AT: usize = 60;
    let one: Vec<char> = one.chars().take(LOOKED_AT).collect();
    let mut row: Vec<usize> = (0..=one.len()).collect();
    for (number, sign) in other.chars().take(LOOKED_AT).enumerate() {
        let mut next = Vec::with_capacity(row.len());
        let mut last = number + 1;
        next.push(last);
        for (pair, own) in row.windows(2).zip(&one) {
            let [before, above] = pair else { continue };
            last = (last + 1).min(above + 1).min(before + usize::from(*own != sign));
            next.push(last);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}
