//! Markdown marks that are not shown: emphasis, links, escapes.

use std::ops::Range;

use super::is_word;

/// Returns the byte ranges of Markdown's marks: paired emphasis, the brackets and target of a link, escaping backslashes.
pub(super) fn marks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut open: Vec<Range<usize>> = Vec::new();
    let mut before = ' ';
    let mut at = 0;
    while let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let mut end = at + character.len_utf8();
        match character {
            '\\' if rest.chars().nth(1).is_some_and(|c| "\\*_`[]()#+-.!|<>~{}".contains(c)) => {
                found.push(at..end);
                before = rest.chars().nth(1).unwrap_or(' ');
                at = end + 1;
                continue;
            }
            '*' | '_' | '`' => {
                end = at + (rest.len() - rest.trim_start_matches(character).len());
                emphasis(text, at..end, before, &mut open, &mut found);
            }
            '[' if !is_word(before) => {
                if let Some((label, whole)) = link(rest) {
                    let image = usize::from(before == '!');
                    found.push(at - image..end);
                    found.push(at + label..at + whole);
                }
            }
            '\n' if rest.lines().nth(1).is_some_and(|line| line.trim().is_empty()) => open.clear(),
            _ => {}
        }
        before = character;
        at = end;
    }
    found.sort_by_key(|range| range.start);
    found
}

/// Pairs one run of marks with the run that opened it, or leaves it open.
fn emphasis(
    text: &str,
    run: Range<usize>,
    before: char,
    open: &mut Vec<Range<usize>>,
    found: &mut Vec<Range<usize>>,
) {
    let after = text.get(run.end..).and_then(|rest| rest.chars().next()).unwrap_or(' ');
    let mark = text.get(run.clone());
    let opener = open.iter().rposition(|range| text.get(range.clone()) == mark);
    if !before.is_whitespace()
        && !is_word(after)
        && let Some(index) = opener
    {
        found.extend(open.drain(index..).next());
        found.push(run);
    } else if !after.is_whitespace() && !is_word(before) {
        let outside = text.get(..run.start).and_then(|left| left.trim_end().chars().next_back());
        let product = after.is_numeric() && outside.is_some_and(|c| c.is_numeric() || c == ')');
        if !product {
            open.push(run);
        }
    }
}

/// Returns the end offsets of the label and of the whole link, if `[label](target)` starts here.
fn link(rest: &str) -> Option<(usize, usize)> {
    let reach = rest.char_indices().nth(1000).map_or(rest.len(), |(end, _)| end);
    let label = rest.get(..reach)?.find("](")?;
    let inner = rest.get(1..label)?;
    let target = rest.get(label + 2..)?;
    let reach = target.char_indices().nth(1000).map_or(target.len(), |(end, _)| end);
    let length = target.get(..reach)?.find(')')?;
    let target = target.get(..length)?;
    let address = target.split_whitespace().next()?;
    let plain = !inner.contains(['[', ']']) && !inner.contains("\n\n") && !target.contains('\n');
    let leads_somewhere =
        address.contains("://") || address.starts_with(['#', '/', '.']) || address.contains('.');
    (plain && leads_somewhere).then_some((label, label + 2 + length + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paired_marks_and_targets_of_links_are_found() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<&str> = marks(text).into_iter().map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text:?}");
        };
        check("**fish** and *crabs", &["**", "**"]);
        check("5*3*2 and a_b_c", &[]);
        check("see [gulls](http://a.org) here", &["[", "](http://a.org)"]);
        check("f[x](y)", &[]);
        check(r"5\*3", &[r"\"]);
    }
}
