//! Strings within the JSON: which quotation mark closes them, and what their escapes mean.

use super::{Reader, is_blank, is_fence};

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Role {
    Key,
    Text,
}

enum Escape {
    Means(char),
    /// Not a JSON escape: the backslash is literal.
    Backslash,
    /// The text ends within it.
    Cut,
}

impl Reader<'_> {
    /// Reads the string at the position. Returns it decoded, and whether it is closed. Call it on a quotation mark only.
    pub(super) fn string(&mut self, role: Role) -> (String, bool) {
        let rest = &self.text[self.at..];
        let open = rest.chars().next().unwrap_or('"');
        let triple = match open {
            '"' if role == Role::Text && rest.starts_with("\"\"\"") => Some("\"\"\""),
            '\'' if role == Role::Text && rest.starts_with("'''") => Some("'''"),
            _ => None,
        };
        self.at += triple.map_or(open.len_utf8(), str::len);
        self.repaired |= open != '"' || triple.is_some();
        let mut text = String::new();
        loop {
            text.push_str(self.run_bytes(|b| {
                (0x20..0x80).contains(&b) && !matches!(b, b'"' | b'\'' | b'`' | b'\\')
            }));
            let Some(next) = self.text[self.at..].chars().next() else {
                self.truncated = true;
                return (text, false);
            };
            if next == '\\' {
                match self.escape(open) {
                    Escape::Means(character) => text.push(character),
                    Escape::Backslash => {
                        self.repaired = true;
                        self.at += 1;
                        text.push('\\');
                    }
                    Escape::Cut => {
                        self.at = self.text.len();
                        self.truncated = true;
                        return (text, false);
                    }
                }
                continue;
            }
            if let Some(closer) = triple {
                if self.text[self.at..].starts_with(closer) {
                    self.at += closer.len();
                    return (text, true);
                }
            } else if closes(open, next) {
                let after = self.at + next.len_utf8();
                if role == Role::Key || matches!(open, '"' | '`') || self.structure_follows(after) {
                    self.at = after;
                    return (text, true);
                }
            }
            self.repaired |= next < ' ';
            text.push(next);
            self.at += next.len_utf8();
        }
    }

    /// Returns whether the JSON goes on at `at`: an apostrophe closes a string only then, so `'the dog's tail'` is one string.
    fn structure_follows(&self, at: usize) -> bool {
        let rest = self.text[at..].trim_start_matches(is_blank);
        rest.is_empty() || rest.starts_with([',', ':', '}', ']']) || is_fence(rest)
    }

    /// Decodes the escape at the position and moves past it; does not move if there is none.
    fn escape(&mut self, open: char) -> Escape {
        let rest = &self.text[self.at + 1..];
        let Some(next) = rest.chars().next() else { return Escape::Cut };
        let means = match next {
            '"' | '\\' | '/' => next,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => return self.unicode_escape(),
            _ if closes(open, next) => {
                self.repaired = true;
                next
            }
            _ => return Escape::Backslash,
        };
        self.at += 1 + next.len_utf8();
        Escape::Means(means)
    }

    fn unicode_escape(&mut self) -> Escape {
        let first = match code_unit(&self.text[self.at..]) {
            Ok(unit) => unit,
            Err(escape) => return escape,
        };
        if let Some(character) = char::from_u32(first) {
            self.at += 6;
            return Escape::Means(character);
        }
        if first >= 0xDC00 {
            return Escape::Backslash;
        }
        match code_unit(&self.text[self.at + 6..]) {
            Ok(second @ 0xDC00..=0xDFFF) => {
                match char::from_u32(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)) {
                    Some(character) => {
                        self.at += 12;
                        Escape::Means(character)
                    }
                    None => Escape::Backslash,
                }
            }
            Err(Escape::Cut) => Escape::Cut,
            _ => Escape::Backslash,
        }
    }

    /// Like `run`, for ASCII only and several times as fast.
    fn run_bytes(&mut self, member: impl Fn(u8) -> bool) -> &str {
        let rest = &self.text[self.at..];
        let run = &rest[..rest.bytes().position(|b| !member(b)).unwrap_or(rest.len())];
        self.at += run.len();
        run
    }
}

fn closes(open: char, c: char) -> bool {
    match open {
        '“' | '”' | '„' => matches!(c, '“' | '”'),
        '‘' | '’' | '‚' => matches!(c, '‘' | '’'),
        _ => c == open,
    }
}

/// Returns the code unit of the `\uXXXX` that `rest` begins with.
fn code_unit(rest: &str) -> Result<u32, Escape> {
    let digits = match rest.strip_prefix("\\u") {
        Some(digits) => digits,
        None if rest.is_empty() || rest == "\\" => return Err(Escape::Cut),
        None => return Err(Escape::Backslash),
    };
    let hex = digits.bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
    match hex {
        4 => u32::from_str_radix(&digits[..4], 16).map_err(|_| Escape::Backslash),
        _ if hex == digits.len() => Err(Escape::Cut),
        _ => Err(Escape::Backslash),
    }
}
