//! Comments and docstrings as paragraphs.

use super::language::Language;
use super::pod;
use crate::Writer;
use crate::html;
use crate::markup::indent;

const TRIPLE: [&str; 2] = ["\"\"\"", "'''"];

/// Returns how many lines the comment has that lines begin with; `None` if there is none.
pub(super) fn length(lines: &[String], language: &Language) -> Option<usize> {
    let first = lines.first()?.trim_start();
    if language.name == "perl" && pod::begins(&lines[0]) {
        return Some(pod::length(lines));
    }
    if let Some((open, close)) = language.block
        && let Some(rest) = first.strip_prefix(open)
    {
        if let Some((_, after)) = rest.split_once(close) {
            return after.trim().is_empty().then_some(1);
        }
        // A comment without an end takes in everything after it.
        let end = lines.iter().skip(1).position(|line| line.contains(close));
        return Some(end.map_or(lines.len(), |end| end + 2));
    }
    let count = lines.iter().take_while(|line| line_mark(line, language).is_some()).count();
    (count > 0).then_some(count)
}

/// Returns the mark of a line that is nothing but a comment.
fn line_mark(line: &str, language: &Language) -> Option<&'static str> {
    let inner = line.trim_start();
    let is_block = language.block.is_some_and(|(open, _)| inner.starts_with(open));
    language
        .line
        .iter()
        .copied()
        .find(|mark| inner.starts_with(mark))
        .filter(|_| !is_block && !inner.starts_with("#[") && !inner.starts_with("#!["))
}

/// Returns whether a string of more lines begins or ends in a line of Python.
pub(super) fn toggles_string(line: &str) -> bool {
    let line = match line.trim_start().starts_with('#') {
        true => "",
        false => line,
    };
    TRIPLE.iter().map(|quote| line.matches(quote).count()).sum::<usize>() % 2 == 1
}

/// Returns how many lines the docstring has that lines begin with, with the blank lines before it.
pub(super) fn docstring_end(lines: &[String]) -> Option<usize> {
    let start = lines.iter().position(|line| !line.trim().is_empty())?;
    let first = lines[start].trim_start().trim_start_matches(['r', 'R', 'u', 'b', 'f']);
    let quote = TRIPLE.into_iter().find(|quote| first.starts_with(quote))?;
    if first[quote.len()..].contains(quote) {
        return Some(start + 1);
    }
    let end = lines[start + 1..].iter().position(|line| line.contains(quote))?;
    Some(start + end + 2)
}

/// Writes the words of a comment: paragraphs, items, headings and code as they are set in it.
pub(super) fn write(page: &mut Writer, lines: &[String], language: &Language, level: usize) {
    if language.name == "perl" && lines.first().is_some_and(|line| pod::begins(line)) {
        return pod::write(page, lines, level);
    }
    let mut writing = Writing { page, words: String::new(), inward: 0, is_item: false };
    let mut fence: Option<Vec<String>> = None;
    for line in stripped(lines, language) {
        let inner = line.trim();
        if let Some(code) = &mut fence {
            if inner.starts_with("```") {
                let code = code.join("\n");
                writing.page.code(language.name, &code);
                fence = None;
            } else {
                code.push(line);
            }
            continue;
        }
        if inner.starts_with("```") {
            writing.close();
            fence = Some(Vec::new());
        } else if inner.starts_with(">>> ")
            || inner.starts_with("... ") && writing.words.starts_with(">>> ")
        {
            writing.code(inner);
        } else if let Some(title) = inner.strip_prefix("# ").or_else(|| inner.strip_prefix("## ")) {
            writing.close();
            writing.page.heading(level + 1, title);
        } else {
            writing.take(&line);
        }
    }
    writing.close();
    if let Some(code) = fence {
        writing.page.code(language.name, &code.join("\n"));
    }
}

struct Writing<'a> {
    page: &'a mut Writer,
    /// The open paragraph or item.
    words: String,
    inward: usize,
    is_item: bool,
}

impl Writing<'_> {
    fn take(&mut self, line: &str) {
        let inner = line.trim();
        if !inner.chars().any(char::is_alphanumeric) {
            // A blank line, or a rule.
            return self.close();
        }
        let marked = ["- ", "* ", "• ", "+ "].iter().find_map(|mark| inner.strip_prefix(mark));
        let tagged = inner
            .strip_prefix('@')
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()));
        if let Some(words) = marked.or(tagged) {
            self.close();
            self.is_item = true;
            self.inward = indent(line);
            words.clone_into(&mut self.words);
            return;
        }
        let inward = indent(line);
        let is_code = self.words.starts_with(">>> ");
        if !self.words.is_empty() && !self.is_item && !is_code && inward != self.inward {
            self.close();
        }
        if self.words.is_empty() {
            self.inward = inward;
        } else {
            self.words.push(if is_code { '\n' } else { ' ' });
        }
        self.words.push_str(inner);
    }

    /// Adds a line of a session at the prompt.
    fn code(&mut self, line: &str) {
        if !self.words.starts_with(">>> ") {
            self.close();
        } else {
            self.words.push('\n');
        }
        self.words.push_str(line);
    }

    fn close(&mut self) {
        let words = std::mem::take(&mut self.words);
        if words.starts_with(">>> ") {
            self.page.code("python", &words);
        } else if self.is_item {
            self.page.item(0, "-", &words);
        } else {
            self.page.paragraph(&words);
        }
        self.is_item = false;
    }
}

/// Returns the lines of a comment without its marks and tags.
fn stripped(lines: &[String], language: &Language) -> Vec<String> {
    let whole =
        lines.iter().find(|line| !line.trim().is_empty()).map_or("", |line| line.trim_start());
    let is_docstring = language.is_indented() && !whole.starts_with('#');
    let is_block = language.block.is_some_and(|(open, _)| whole.starts_with(open));
    let mut found: Vec<String> = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        let inner = line.trim_start();
        let words = if is_docstring {
            let start = inner.trim_start_matches(['r', 'R', 'u', 'b', 'f']);
            match TRIPLE.iter().find_map(|quote| start.strip_prefix(quote)) {
                Some(rest) if index == 0 || found.iter().all(|line| line.trim().is_empty()) => {
                    rest.to_owned()
                }
                _ => line.clone(),
            }
        } else if is_block {
            let (open, close) = language.block.unwrap_or_default();
            let opened = inner
                .strip_prefix(open)
                .filter(|_| index == 0)
                .map(|rest| rest.trim_start_matches(['*', '!']));
            let words = opened.unwrap_or_else(|| {
                match inner.strip_prefix('*').filter(|rest| !rest.starts_with('*') && open == "/*")
                {
                    Some(rest) if rest.is_empty() || rest.starts_with([' ', '/']) => rest,
                    _ => line,
                }
            });
            let words = words
                .strip_suffix(close)
                .or_else(|| words.strip_suffix('/').filter(|_| inner == "*/"))
                .unwrap_or(words);
            words.trim_end_matches('*').to_owned()
        } else {
            let mark = language
                .line
                .iter()
                .find(|mark| inner.starts_with(*mark))
                .copied()
                .unwrap_or_default();
            let mark_letter = mark.chars().next().unwrap_or(' ');
            inner[mark.len()..]
                .trim_start_matches([mark_letter, '!'])
                .trim_start_matches('\'')
                .to_owned()
        };
        let words = if is_docstring {
            let end = TRIPLE.iter().find_map(|quote| words.trim_end().strip_suffix(quote));
            end.map_or(words.clone(), str::to_owned)
        } else {
            words
        };
        found.push(plain(&words, language));
    }
    found
}

/// Returns a line without the tags of documentation generators.
fn plain(words: &str, language: &Language) -> String {
    let mut words = words.to_owned();
    if matches!(language.name, "java" | "kotlin" | "scala" | "javascript" | "typescript" | "php")
        && words.contains("{@")
    {
        for tag in ["{@link ", "{@code ", "{@linkplain ", "{@literal ", "{@value "] {
            while let Some(start) = words.find(tag) {
                let end = words[start..].find('}').map_or(words.len(), |end| start + end);
                if end < words.len() {
                    words.replace_range(end..=end, "");
                }
                words.replace_range(start..start + tag.len(), "");
            }
        }
    }
    let has_tags =
        matches!(language.name, "csharp" | "java") && words.contains('<') && words.contains('>');
    if has_tags { html::words(&words) } else { words }
}
