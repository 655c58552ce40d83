//! The arguments of commands of which nothing is known: words, and what only sets something.

use super::Page;
use super::reader::Reader;

/// What is known of the groups in braces around a place.
#[derive(Debug, Default)]
pub(super) struct Groups {
    open: Vec<Group>,
    /// The next group, if it follows a command at once.
    next: Option<Group>,
}

/// A group in braces.
#[derive(Debug, Clone, Copy, Default)]
struct Group {
    /// Whether it is an argument of a command of which nothing is known.
    is_argument: bool,
    /// Whether other arguments stand before it.
    is_later: bool,
    /// Whether it holds keys with values.
    has_keys: bool,
}

impl Page {
    /// Notes that the next group, if it follows at once, is an argument of a command of which nothing is known.
    pub(super) fn expect_arguments(&mut self, name: &str, reader: &Reader) {
        if reader.peek() == Some('{') && !is_of_font(name) {
            self.groups.next = Some(Group { is_argument: true, ..Group::default() });
        }
    }

    /// Skips the arguments of a command that defines something: what, and how. One argument alone is text.
    pub(super) fn skip_definition(&mut self, reader: &mut Reader) {
        if reader.peek() != Some('{') {
            return;
        }
        let first = reader.argument();
        if key(&first).is_some() {
            return;
        }
        if !matches!(reader.peek(), Some('{' | '[')) {
            return self.insert(&format!("{{{first}}}"), reader);
        }
        while let Some(open @ ('{' | '[')) = reader.peek() {
            if open == '[' {
                reader.optional();
            } else {
                reader.argument();
            }
        }
    }

    pub(super) fn open_group(&mut self, reader: &mut Reader) {
        let mut group = self.groups.next.take().unwrap_or_default();
        if group.is_argument {
            let ahead = reader.ahead();
            if let Some(length) = only_set(ahead)
                && (group.is_later
                    || ahead.split_once('}').is_some_and(|(_, rest)| rest.starts_with('{')))
            {
                // A length or an image beside other arguments shows nothing.
                reader.skip_characters(length);
            }
            group.has_keys = key(reader.ahead()).is_some();
        }
        self.groups.open.push(group);
        if group.has_keys {
            self.skip_key(reader);
        }
    }

    pub(super) fn close_group(&mut self, reader: &Reader) {
        let Some(group) = self.groups.open.pop() else { return };
        if group.is_argument && reader.coming().find(|c| *c != ' ') == Some('{') {
            self.groups.next = Some(Group { is_later: true, has_keys: false, ..group });
            self.open.push(' ');
        }
    }

    /// Skips the key that follows, if the open group holds keys with values: it does not show, and what it sets may.
    pub(super) fn skip_key(&mut self, reader: &mut Reader) {
        if self.groups.open.last().is_some_and(|group| group.has_keys)
            && let Some(length) = key(reader.ahead())
        {
            reader.skip_characters(length);
            self.open.push(' ');
        }
    }
}

/// Returns whether a command is called as those are that define or set something.
pub(super) fn defines(name: &str) -> bool {
    ["new", "renew", "provide", "declare", "Declare", "define", "Define", "set"]
        .iter()
        .any(|prefix| name.len() > prefix.len() && name.starts_with(prefix))
}

/// Returns whether a command is called as those are that set what the keys of their argument say.
pub(super) fn sets_keys(name: &str, reader: &Reader) -> bool {
    ["set", "setup", "config", "options", "settings"].iter().any(|suffix| name.ends_with(suffix))
        && reader.ahead().strip_prefix('{').is_some_and(|argument| key(argument).is_some())
}

/// Returns whether a command shows one argument, in another font or box.
fn is_of_font(name: &str) -> bool {
    name.starts_with("text")
        || name.starts_with("math")
        || matches!(name, "emph" | "underline" | "mbox" | "fbox" | "uline" | "uppercase" | "hl")
}

/// Returns the number of characters of the key that a text begins with, and its equals sign.
fn key(ahead: &str) -> Option<usize> {
    let (key, _) = ahead.split_once('=')?;
    let name = key.trim();
    let is_name = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b" -_/.".contains(&byte));
    is_name.then(|| key.chars().count() + 1)
}

/// Returns how many characters the length or the name of an image has that a group consists of: `0.5cm`, `.4\textwidth`, `sea.png`.
fn only_set(ahead: &str) -> Option<usize> {
    let (words, _) = ahead.split_once('}')?;
    let number = words.trim_start_matches('-');
    let unit = number.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_measured = unit.len() < number.len()
        && matches!(unit, "pt" | "cm" | "mm" | "em" | "ex" | "in" | "bp" | "pc" | "sp" | "dd");
    let is_relative = matches!(
        unit,
        "\\textwidth" | "\\linewidth" | "\\columnwidth" | "\\textheight" | "\\paperwidth"
    );
    let ending = words.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_image = !words.contains([' ', '\\'])
        && matches!(ending, "pdf" | "png" | "jpg" | "jpeg" | "eps" | "svg");
    (is_measured || is_relative || is_image).then_some(words.chars().count())
}
