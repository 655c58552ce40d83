//! Lists and descriptions: `* item`, `. step`, `term:: meaning`.

use super::{Page, is_fence, is_words};
use crate::markup::{write_definition, write_item};

impl Page {
    /// Writes a list item, if one begins here.
    pub(super) fn list_item(&mut self, lines: &[String], at: usize) -> Option<usize> {
        let line = lines[at].trim_start();
        if let Some((term, mark, rest)) = description(line) {
            return Some(self.description(lines, at, term, mark, rest));
        }
        let (mark, rest) = list_mark(line)?;
        let depth = self.depth_of(&mark);
        if let Some(count) = self.counts.get_mut(depth) {
            *count += 1;
        }
        let number = self.counts.get(depth).copied().unwrap_or(1);
        let printed = match mark.as_str() {
            "*" | "-" => "-".to_owned(),
            mark if mark.starts_with('*') => "-".to_owned(),
            mark if mark.starts_with('.') || mark == "1." || mark.starts_with('<') => {
                format!("{number}.")
            }
            mark => mark.to_owned(),
        };
        let count = item_length(lines, at);
        let mut whole = rest.to_owned();
        for line in &lines[at + 1..at + count] {
            whole.push('\n');
            whole.push_str(line.trim_start());
        }
        self.caption();
        let (words, notes) = self.with_notes(&whole);
        let words = match words.get(..4) {
            Some("[ ] " | "[x] " | "[*] ") => words.replacen("[*]", "[x]", 1),
            _ => words,
        };
        write_item(&mut self.text, depth, &printed, &words);
        self.write_notes(&notes);
        Some(count)
    }

    /// Returns the depth of the list with a mark, and closes the lists within it.
    pub(super) fn depth_of(&mut self, mark: &str) -> usize {
        self.attached = false;
        match self.lists.iter().position(|open| open == mark) {
            Some(depth) => {
                self.lists.truncate(depth + 1);
                self.counts.truncate(depth + 1);
                depth
            }
            None => {
                self.lists.push(mark.to_owned());
                self.counts.push(0);
                self.lists.len() - 1
            }
        }
    }

    pub(super) fn description(
        &mut self,
        lines: &[String],
        at: usize,
        term: &str,
        mark: &str,
        rest: &str,
    ) -> usize {
        self.depth_of(mark);
        self.caption();
        // More terms may share one meaning.
        let mut terms = vec![self.unmarked(term)];
        let mut end = at + 1;
        let mut meaning = rest.trim().to_owned();
        while meaning.is_empty() {
            let start = end
                + lines[end..]
                    .iter()
                    .take_while(|line| {
                        line.is_empty() || line.starts_with("//") && !is_fence(line, "/", 4)
                    })
                    .count();
            let Some(next) = lines.get(start) else { break };
            if let Some((term, other, rest)) = description(next.trim_start())
                && other == mark
                && start == end
            {
                terms.push(self.unmarked(term));
                rest.trim().clone_into(&mut meaning);
                end = start + 1;
                continue;
            }
            if is_words(next)
                && list_mark(next.trim_start()).is_none()
                && description(next.trim_start()).is_none()
            {
                next.trim_start().clone_into(&mut meaning);
                end = start + 1;
            }
            break;
        }
        if !meaning.is_empty() {
            while let Some(line) = lines.get(end).filter(|line| goes_on(line)) {
                meaning.push('\n');
                meaning.push_str(line.trim_start());
                end += 1;
            }
        }
        let (words, notes) = self.with_notes(&meaning);
        write_definition(&mut self.text, &terms.join(", "), &words);
        self.write_notes(&notes);
        end - at
    }
}

pub(super) fn goes_on(line: &str) -> bool {
    let inner = line.trim_start();
    is_words(line)
        && list_mark(inner).is_none()
        && description(inner).is_none()
        && !line.starts_with("//")
}

pub(super) fn item_length(lines: &[String], at: usize) -> usize {
    1 + lines[at + 1..].iter().take_while(|line| goes_on(line)).count()
}

/// Returns the mark of a list item and the rest of its line.
pub(super) fn list_mark(line: &str) -> Option<(String, &str)> {
    let mark = line.split(' ').next()?;
    let rest = line[mark.len()..].trim_start();
    let is_repeated = |c: char| mark.len() <= 6 && mark.chars().all(|other| other == c);
    let is_number = mark.strip_suffix('.').is_some_and(|number| {
        (1..=4).contains(&number.len()) && number.bytes().all(|b| b.is_ascii_digit())
            || number.len() == 1 && number.bytes().all(|b| b.is_ascii_alphabetic())
    });
    let is_callout =
        mark.strip_prefix('<').and_then(|rest| rest.strip_suffix('>')).is_some_and(|inner| {
            inner == "." || !inner.is_empty() && inner.bytes().all(|b| b.is_ascii_digit())
        });
    let is_mark = !mark.is_empty()
        && (mark == "-" || is_repeated('*') || is_repeated('.') || is_number || is_callout);
    if !is_mark || rest.is_empty() {
        return None;
    }
    let digits = mark.starts_with(|c: char| c.is_ascii_digit());
    let mark = if digits {
        "1.".to_owned()
    } else if is_callout {
        "<".to_owned()
    } else {
        mark.to_owned()
    };
    Some((mark, rest))
}

/// Returns the term, the mark and the start of the meaning of `term:: meaning`.
pub(super) fn description(line: &str) -> Option<(&str, &'static str, &str)> {
    let ends = [":::: ", "::: ", ":: ", ";; "];
    let found = ends.iter().filter_map(|end| {
        let whole = end.trim_end();
        match line.strip_suffix(whole).filter(|term| !term.ends_with([':', ';'])) {
            Some(term) if !term.contains(end) => Some((term, whole, "")),
            _ => {
                let (term, rest) = line.split_once(end)?;
                (!term.ends_with([':', ';'])).then_some((term, whole, rest))
            }
        }
    });
    let (term, mark, rest) = found.min_by_key(|(term, _, _)| term.len())?;
    let mark = ["::::", ":::", "::", ";;"].into_iter().find(|known| *known == mark)?;
    (!term.trim().is_empty() && !line.starts_with("//")).then_some((term, mark, rest))
}
