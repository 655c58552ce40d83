//! Reads commands and arguments from a text.

use crate::markup::start_of;

/// Environments in which `%` begins no comment.
const VERBATIM: &[&str] = &["verbatim", "lstlisting", "minted", "Verbatim", "verbatim*", "alltt"];

/// Returns a text without its comments.
pub(super) fn without_comments(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut verbatim: Option<String> = None;
    for line in text.lines() {
        if let Some(end) = &verbatim {
            found.push_str(line);
            found.push('\n');
            if line.contains(end.as_str()) {
                verbatim = None;
            }
            continue;
        }
        let cut = comment(line);
        let kept = &line[..cut];
        if let Some(name) =
            VERBATIM.iter().find(|name| kept.contains(&format!("\\begin{{{name}}}")))
        {
            let end = format!("\\end{{{name}}}");
            if !kept.contains(&end) {
                verbatim = Some(end);
            }
        }
        if line.trim().is_empty() && !found.is_empty() && !found.ends_with('\n') {
            found.push('\n');
        }
        found.push_str(kept);
        // A comment takes its line break along, and a line of nothing else leaves nothing.
        if cut == line.len() {
            found.push('\n');
        } else if kept.trim().is_empty() {
            found.truncate(found.len() - kept.len());
        }
    }
    found
}

/// Returns where the comment of a line begins.
fn comment(line: &str) -> usize {
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            '\\' => escaped = !escaped,
            '%' if !escaped => return at,
            _ => escaped = false,
        }
    }
    line.len()
}

/// Returns mathematics without its labels.
pub(super) fn without_labels(math: &str) -> String {
    let mut found = String::with_capacity(math.len());
    let mut rest = math;
    while let Some(at) = rest.find("\\label{") {
        found.push_str(&rest[..at]);
        let inner = &rest[at..];
        rest = inner.find('}').map_or("", |end| &inner[end + 1..]);
    }
    found.push_str(rest);
    found
}

/// The characters that follow in a text.
type Coming<'a> = std::iter::Chain<
    std::iter::Copied<std::iter::Rev<std::slice::Iter<'a, char>>>,
    std::str::Chars<'a>,
>;

/// A text being read, with what macros put before the rest of it.
pub(super) struct Reader<'a> {
    text: &'a str,
    /// What is read before `text`, the next character last.
    pushed: Vec<char>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, pushed: Vec::new() }
    }

    /// Puts a text before the rest.
    pub(super) fn push(&mut self, text: &str) {
        self.pushed.extend(text.chars().rev());
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.pushed.last().copied().or_else(|| self.text.chars().next())
    }

    /// Returns the characters that follow, without reading them.
    pub(super) fn coming(&self) -> Coming<'_> {
        self.pushed.iter().rev().copied().chain(self.text.chars())
    }

    pub(super) fn next(&mut self) -> Option<char> {
        if let Some(c) = self.pushed.pop() {
            return Some(c);
        }
        let c = self.text.chars().next()?;
        self.text = &self.text[c.len_utf8()..];
        Some(c)
    }

    /// Skips `expected` if the rest begins with it.
    pub(super) fn skip(&mut self, expected: &str) -> bool {
        let begins = if self.pushed.is_empty() {
            self.text.starts_with(expected)
        } else {
            self.coming().zip(expected.chars()).filter(|(one, other)| one == other).count()
                == expected.chars().count()
        };
        if begins {
            for _ in expected.chars() {
                self.next();
            }
        }
        begins
    }

    pub(super) fn skip_characters(&mut self, count: usize) {
        for _ in 0..count {
            self.next();
        }
    }

    pub(super) fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|c| c == ' ' || c == '\t') {
            self.next();
        }
    }

    /// Skips blanks and at most one line break.
    fn skip_space(&mut self) {
        self.skip_blanks();
        let is_blank_line = self.pushed.is_empty() && {
            let rest = self.text.strip_prefix('\n').unwrap_or_default();
            rest.trim_start_matches([' ', '\t']).starts_with('\n')
        };
        if self.peek() == Some('\n') && !is_blank_line {
            self.next();
            self.skip_blanks();
        }
    }

    /// After a line break, skips the blank lines that follow; returns whether there are any.
    pub(super) fn skip_blank_lines(&mut self) -> bool {
        let mut found = false;
        loop {
            self.skip_blanks();
            if self.peek() != Some('\n') {
                return found;
            }
            self.next();
            found = true;
        }
    }

    /// Returns the name of the command whose backslash was read, and skips the blanks after it.
    pub(super) fn command(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek() {
            if c.is_ascii_alphabetic() || c == '@' {
                name.push(c);
                self.next();
            } else {
                break;
            }
        }
        if name.is_empty() {
            name.extend(self.next());
        } else {
            if self.peek() == Some('*') {
                self.next();
            }
            self.skip_space();
        }
        name
    }

    /// Returns the name of the command whose backslash was read, and whether it has a star.
    pub(super) fn starred_command(&mut self) -> (String, bool) {
        let name = self.command_name();
        let is_starred = !name.is_empty() && self.peek() == Some('*');
        if is_starred {
            self.next();
        }
        (name, is_starred)
    }

    fn command_name(&mut self) -> String {
        let mut name = String::new();
        while let Some(c) = self.peek().filter(|c| c.is_ascii_alphabetic() || *c == '@') {
            name.push(c);
            self.next();
        }
        if name.is_empty() {
            name.extend(self.next());
        }
        name
    }

    /// Returns the label that follows at once, without reading it.
    pub(super) fn label_ahead(&self) -> Option<&str> {
        let rest = self.ahead().trim_start().strip_prefix("\\label{")?;
        rest.split_once('}').map(|(label, _)| label.trim())
    }

    /// Returns the character whose number follows: `92`, `'134`, `"5C`, or a letter after a grave accent.
    pub(super) fn character(&mut self) -> Option<char> {
        self.skip("{");
        let radix = match self.peek()? {
            '\'' => 8,
            '"' => 16,
            '`' => {
                self.next();
                self.skip("\\");
                return self.next();
            }
            _ => 10,
        };
        if radix != 10 {
            self.next();
        }
        let mut number = 0_u32;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(radix)) {
            number = number.saturating_mul(radix).saturating_add(digit);
            self.next();
        }
        self.skip("}");
        self.skip_blanks();
        char::from_u32(number).filter(|c| !c.is_control())
    }

    /// Skips what says on which slides a command counts: `<2->`.
    pub(super) fn skip_overlay(&mut self) {
        let within = self.ahead().strip_prefix('<').and_then(|rest| rest.split_once('>'));
        let is_overlay = |within: &str| {
            within.contains(|c: char| c.is_ascii_digit() || c == '+')
                && within.chars().all(|c| c.is_ascii_alphanumeric() || "+-,|:@. ".contains(c))
        };
        if let Some(length) =
            within.map(|(within, _)| within).filter(|it| is_overlay(it)).map(str::len)
        {
            self.skip_characters(length + 2);
        }
    }

    /// Returns the argument in brackets, if one follows.
    pub(super) fn optional(&mut self) -> Option<String> {
        self.skip_space();
        if self.peek() != Some('[') {
            return None;
        }
        self.next();
        Some(self.up_to(']'))
    }

    /// Returns the argument that follows: a group without its braces, a command, or one character.
    pub(super) fn argument(&mut self) -> String {
        self.skip_space();
        match self.peek() {
            Some('{') => {
                self.next();
                self.up_to('}')
            }
            Some('\\') => {
                self.next();
                let name = self.command();
                format!("\\{name} ")
            }
            Some('}') | None => String::new(),
            Some(_) => self.next().map(String::from).unwrap_or_default(),
        }
    }

    /// Returns the argument in braces, if one follows.
    pub(super) fn braced(&mut self) -> Option<String> {
        self.skip_space();
        (self.peek() == Some('{')).then(|| self.argument())
    }

    /// Returns what is up to `close`, a bracket or a brace, outside of braces within.
    fn up_to(&mut self, close: char) -> String {
        let mut depth = 0_usize;
        let mut found = String::new();
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    found.push(c);
                    found.extend(self.next());
                    continue;
                }
                c if c == close && depth == 0 => break,
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            found.push(c);
        }
        found
    }

    /// Returns what is before `end`, which is skipped; everything if it is missing.
    pub(super) fn until(&mut self, end: &str) -> String {
        let mut found = String::new();
        if self.pushed.is_empty() {
            // An end after a backslash is none.
            let mut from = 0;
            while let Some(at) = self.text[from..].find(end) {
                let at = from + at;
                if end.starts_with('$') && self.text[..at].ends_with('\\') {
                    from = at + 1;
                    continue;
                }
                found.push_str(&self.text[..at]);
                self.text = &self.text[at + end.len()..];
                return found;
            }
            found.push_str(self.text);
            self.text = "";
            return found;
        }
        while let Some(c) = self.next() {
            found.push(c);
            if found.ends_with(end) && !found.ends_with(&format!("\\{end}")) {
                found.truncate(found.len() - end.len());
                break;
            }
        }
        found
    }

    /// Returns the content of an environment up to its own end, with environments of the same name in it.
    pub(super) fn environment(&mut self, name: &str) -> String {
        let (open, close) = (format!("\\begin{{{name}}}"), format!("\\end{{{name}}}"));
        let mut found = String::new();
        let mut depth = 0_usize;
        loop {
            let part = self.until(&close);
            depth += part.matches(&open).count();
            found.push_str(&part);
            if depth == 0 || self.peek().is_none() {
                return found;
            }
            depth -= 1;
            found.push_str(&close);
        }
    }

    /// Returns the start of the rest, for a look ahead.
    pub(super) fn ahead(&self) -> &str {
        if self.pushed.is_empty() { start_of(self.text, 64) } else { "" }
    }
}
