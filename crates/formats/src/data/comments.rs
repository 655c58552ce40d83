//! The comments of YAML and TOML, which say what a key means.

/// The key of an entry that is the comment on the entry after it. No file has such a key.
pub(crate) const COMMENT: &str = "\0#";

/// Returns the words of the comment lines in a text, without the lines that only draw a rule.
pub(super) fn words(text: &str) -> String {
    let mut found = String::new();
    for line in text.lines() {
        let Some(said) = line.trim().strip_prefix('#') else { continue };
        let said = said.trim_matches(|c: char| c == '#' || c.is_whitespace());
        if !said.chars().any(char::is_alphanumeric) {
            continue;
        }
        if !found.is_empty() {
            found.push(' ');
        }
        found.push_str(said);
    }
    found
}

/// The lines of a text, to find comments beside a place in it. Long ones are blank: many values stand on them, and no one comments them.
pub(super) struct Lines<'a>(Vec<&'a str>);

impl<'a> Lines<'a> {
    /// The most lines of one comment.
    const MOST: usize = 40;
    /// The most bytes of a line that is looked at.
    const LONGEST: usize = 1_000;

    pub(super) fn of(text: &'a str) -> Self {
        let short = |line: &'a str| if line.len() > Self::LONGEST { "" } else { line };
        Self(text.lines().map(short).collect())
    }

    /// Returns the comment above a key at this line, counted from 1, and column, counted from 0.
    ///
    /// Only lines that begin where the key does belong to it: others may be text of the value before.
    pub(super) fn above(&self, line: usize, column: usize) -> String {
        let before = self.0.get(..line.saturating_sub(1)).unwrap_or_default();
        let is_part = |line: &&&str| {
            let indent = line.len() - line.trim_start_matches(' ').len();
            line.trim().is_empty() || indent == column && line.trim_start().starts_with('#')
        };
        // What stands before the key on its own line, such as a dash, begins an element.
        let own = self.0.get(line.saturating_sub(1)).copied().unwrap_or_default();
        if own.is_empty() || own.chars().take(column).any(|c| c != ' ') {
            return String::new();
        }
        let count = before.iter().rev().take(Self::MOST).take_while(is_part).count();
        words(&before[before.len() - count..].join("\n"))
    }

    /// Returns the comment that follows a value that ends at this line and column.
    pub(super) fn after(&self, line: usize, column: usize) -> String {
        let own = self.0.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let rest = own.char_indices().nth(column).map_or("", |(at, _)| &own[at..]);
        let said = rest.trim_start();
        if said.starts_with('#') && said.len() < rest.len() { words(said) } else { String::new() }
    }
}
