//! What a vault's program shows of a note: comments between `%%` and the names of blocks (`^id` at the end of a line) are left out.

use std::borrow::Cow;
use std::path::Path;

use super::front_matter;

const COMMENT: &str = "%%";
/// The fewest characters of a block's name behind words: `x ^2` is a power.
const SHORTEST_NAME: usize = 4;

/// Returns whether a file on disk lies in a vault: a folder around it holds the settings of the vault's program.
pub(crate) fn holds(file: &Path) -> bool {
    file.ancestors().skip(1).any(|folder| folder.join(".obsidian").is_dir())
}

/// Returns whether a Markdown text has links such as `[[Note]]`, as only notes of a vault have.
pub(crate) fn has_links(text: &str) -> bool {
    let mut fence = Fence::default();
    text.lines().any(|line| {
        let link = line.split_once("[[").and_then(|(_, rest)| rest.split_once("]]"));
        !fence.holds(line) && link.is_some_and(|(name, _)| !name.trim().is_empty())
    })
}

/// Returns a note as its program shows it.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    if !text.contains(COMMENT) && !text.contains('^') {
        return Cow::Borrowed(text);
    }
    let (body, _) = front_matter(text);
    let lines: Vec<&str> = text[body..].split_inclusive('\n').collect();
    let closing = closing_lines(&lines);
    let mut found = String::with_capacity(text.len());
    found.push_str(&text[..body]);
    let mut fence = Fence::default();
    // Whether a comment of several lines is open.
    let mut is_open = false;
    for (index, line) in lines.iter().enumerate() {
        let words = line.trim_end_matches(['\r', '\n']);
        if !is_open && fence.holds(words) {
            found.push_str(line);
            continue;
        }
        let may_open = closing.get(index).copied().unwrap_or(false);
        let kept = without_comments(words, &mut is_open, may_open);
        let kept = without_name(&kept);
        if kept == words {
            found.push_str(line);
        } else if !kept.trim().is_empty() {
            found.push_str(kept.trim_end());
            found.push_str(&line[words.len()..]);
        }
    }
    if found == text { Cow::Borrowed(text) } else { Cow::Owned(found) }
}

/// Returns for each line whether a comment that begins in it ends in a later one: the next line with its mark ends with it.
fn closing_lines(lines: &[&str]) -> Vec<bool> {
    let mut found = vec![false; lines.len()];
    let mut ends = false;
    for (index, line) in lines.iter().enumerate().rev() {
        found[index] = ends;
        if line.contains(COMMENT) {
            ends = line.trim_end().ends_with(COMMENT);
        }
    }
    found
}

/// Returns a line without the comments in it. `is_open` says whether one is open where the line begins, and then where it ends; only if it
/// `may_open` does one go on beyond the line.
fn without_comments<'a>(line: &'a str, is_open: &mut bool, may_open: bool) -> Cow<'a, str> {
    if !*is_open && !line.contains(COMMENT) {
        return Cow::Borrowed(line);
    }
    let mut found = String::with_capacity(line.len());
    let mut rest = line;
    if *is_open {
        let Some((_, after)) = rest.split_once(COMMENT) else { return Cow::Borrowed("") };
        *is_open = false;
        rest = after;
    }
    while let Some(at) = rest.find(['%', '`']) {
        let (before, marked) = rest.split_at(at);
        found.push_str(before);
        rest = marked;
        if rest.starts_with('`') {
            let length = code(rest);
            found.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        }
        let signs = rest.len() - rest.trim_start_matches('%').len();
        let begins = !found.ends_with(|c: char| c.is_alphanumeric() || "{}<".contains(c));
        let inner = rest.strip_prefix(COMMENT).filter(|_| begins && signs != 3);
        if let Some((_, after)) = inner.and_then(|inner| inner.split_once(COMMENT)) {
            let is_between = found.ends_with([' ', '\t']) || found.is_empty();
            rest = if is_between { after.trim_start_matches([' ', '\t']) } else { after };
        } else if inner.is_some() && may_open && found.trim().is_empty() {
            *is_open = true;
            return Cow::Owned(found);
        } else {
            found.push_str(&rest[..signs]);
            rest = &rest[signs..];
        }
    }
    found.push_str(rest);
    Cow::Owned(found)
}

/// Returns the length of the code that a text begins with, or of its backticks if nothing ends it.
fn code(text: &str) -> usize {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mut at = ticks;
    while let Some(next) = text[at..].find('`') {
        let start = at + next;
        let length = text[start..].len() - text[start..].trim_start_matches('`').len();
        at = start + length;
        if length == ticks {
            return at;
        }
    }
    ticks
}

/// Returns a line without the name of its block.
fn without_name(line: &str) -> &str {
    let whole = line.trim_end();
    let Some((before, name)) = whole.rsplit_once('^') else { return line };
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let is_alone = before.trim().is_empty();
    let is_long = name.len() >= SHORTEST_NAME && name.bytes().any(|b| b.is_ascii_alphabetic());
    let is_apart = before.ends_with([' ', '\t']);
    if is_name && (is_alone || is_long && is_apart) { before } else { line }
}

/// Follows the fences around code.
#[derive(Default)]
struct Fence<'a> {
    /// What the open one begins with.
    open: Option<&'a str>,
}

impl<'a> Fence<'a> {
    /// Returns whether a line belongs to code; each line must be shown in turn.
    fn holds(&mut self, line: &'a str) -> bool {
        let line = line.trim();
        if let Some(open) = self.open {
            let is_end = line.starts_with(open) && line.trim_matches(['`', '~']).is_empty();
            if is_end {
                self.open = None;
            }
            return true;
        }
        let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'));
        let length = mark.map_or(0, |mark| line.len() - line.trim_start_matches(mark).len());
        if length >= 3 {
            self.open = line.get(..length);
        }
        length >= 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn comments_and_names_of_blocks_are_left_out() {
        let check = |note: &str, expected: &str| assert_eq!(shown(note), expected, "{note}");
        check("Tea %%ask Ann%% is hot. %%why?%%\n", "Tea is hot.\n");
        check("Tea.\n\n%%\nTo do:\n- ask\n%%\n\nMilk.\n", "Tea.\n\n\nMilk.\n");
        check("%% to do:\nask Ann %%\nMilk.", "Milk.");
        check("Tea is hot. ^tea-01\n\n- Milk ^a1b2c3\r\n", "Tea is hot.\n\n- Milk\r\n");
        check("| a |\n| --- |\n\n^t1\n\nText", "| a |\n| --- |\n\n\nText");
        check("---\nkey: 100%% %%a%%\n---\nTea %%b%%", "---\nkey: 100%% %%a%%\n---\nTea");
    }

    // proves: A6
    #[test]
    fn what_only_looks_like_a_comment_stays() {
        for note in [
            "It grew by 100%% and by 50%% later.",
            "Write `%%` for a sign: `printf(\"%%d %%\")`.",
            "```\n%% code %%\nx ^tea1\n```",
            "~~~ py\n```\n%%bash%%\n~~~",
            "%%time\nx = 1\n\n%%bash\nls",
            "%% A heading of Matlab",
            "An area in m ^2",
            "e ^kt",
            "Noted.[^note]",
            "a^tea1",
        ] {
            assert_eq!(shown(note), note);
        }
    }

    // proves: A6
    #[test]
    fn a_note_is_known_by_its_links() {
        assert!(has_links("See [[Milk]]."));
        assert!(!has_links("```\na[[0]]\n```\nTea %%x%%, [[]]."));
    }
}
