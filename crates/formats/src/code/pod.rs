//! The documentation of Perl modules: from `=head1` to `=cut`.

use crate::Writer;
use crate::markup::{dedented, start_of};

/// The most bytes within a formatting code.
const LONGEST: usize = 500;

/// Returns whether documentation begins at a line.
pub(super) fn begins(line: &str) -> bool {
    line.strip_prefix('=').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

/// Returns how many lines of documentation there are.
pub(super) fn length(lines: &[String]) -> usize {
    lines.iter().position(|line| line.starts_with("=cut")).map_or(lines.len(), |end| end + 1)
}

/// Writes documentation as headings, paragraphs, items and code.
pub(super) fn write(page: &mut Writer, lines: &[String], level: usize) {
    let mut hidden = false;
    for block in lines.split(|line| line.trim().is_empty()).filter(|block| !block.is_empty()) {
        let first = block[0].as_str();
        let Some(rest) = first.strip_prefix('=').filter(|_| begins(first)) else {
            if hidden {
                continue;
            }
            if first.starts_with(' ') {
                page.code("perl", &dedented(block).join("\n"));
            } else {
                page.paragraph(&words(&block.join(" ")));
            }
            continue;
        };
        let (command, argument) = rest.split_once(' ').unwrap_or((rest, ""));
        let whole = [argument, &block[1..].join(" ")].join(" ");
        match command {
            "head1" | "head2" | "head3" | "head4" => {
                let depth = usize::from(command.as_bytes()[4] - b'0');
                page.heading(level + depth, &words(&whole));
            }
            "item" => {
                page.item(0, "-", words(&whole).trim().trim_start_matches(['*', '-']).trim_start());
            }
            "begin" => hidden = true,
            "end" => hidden = false,
            _ => {}
        }
    }
}

/// Returns a text without formatting codes: `C<code>`, `L<words|target>`, `E<gt>`.
fn words(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        let letter = rest[..at].chars().next_back().filter(|c| "BCEFILSXZ".contains(*c));
        let marks = rest[at..].len() - rest[at..].trim_start_matches('<').len();
        let close = ">".repeat(marks.min(8));
        let inner = start_of(&rest[at + marks..], LONGEST);
        let (Some(letter), Some(end)) = (letter, inner.find(&close)) else {
            found.push_str(&rest[..=at]);
            rest = &rest[at + 1..];
            continue;
        };
        found.push_str(&rest[..at - 1]);
        let inner = inner[..end].trim();
        match letter {
            'E' => found.push_str(match inner {
                "lt" => "<",
                "gt" => ">",
                "sol" => "/",
                "verbar" => "|",
                _ => "",
            }),
            'X' | 'Z' => {}
            'L' => found.push_str(inner.split('|').next().unwrap_or(inner)),
            _ => found.push_str(inner),
        }
        rest = &rest[at + marks + end + close.len()..];
    }
    found.push_str(rest);
    found
}
