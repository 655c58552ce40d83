//! The words of a content stream, and of a table of characters, one after the other.
//!
//! Nothing stops at damage: a byte that begins no word is passed over.

/// A word of a stream, as it stands there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Number(&'a [u8]),
    /// Without its slash.
    Name(&'a [u8]),
    /// What stands between parentheses, escapes and all.
    Literal(&'a [u8]),
    /// What stands between `<` and `>`.
    Hex(&'a [u8]),
    Open,
    Close,
    OpenDictionary,
    CloseDictionary,
    Word(&'a [u8]),
}

/// The longest string, in bytes; a longer one has lost its end.
const LONGEST: usize = 1 << 15;
/// How many strings may have lost their ends before no more are looked for.
const ENDLESS: usize = 32;

pub(super) struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
    endless: usize,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, endless: 0 }
    }

    /// Passes over the data of an inline image, whose dictionary begins here.
    pub(super) fn skip_image(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(data) = memchr::memmem::find(rest, b"ID") else { return };
        let mut end = data + 2;
        while let Some(at) = rest.get(end..).and_then(|rest| memchr::memmem::find(rest, b"EI")) {
            let after = end + at + 2;
            let apart = rest.get(end + at - 1).is_some_and(u8::is_ascii_whitespace);
            let text = rest[after..].iter().take(8);
            let text = text.copied().all(|byte| byte.is_ascii_graphic() || is_blank(byte));
            if apart && text && rest.get(after).is_none_or(|byte| is_blank(*byte)) {
                self.at += after;
                return;
            }
            end = after;
        }
        self.at += data + 2;
    }

    /// Returns a string whose opening parenthesis was passed, or `None` if it has no end.
    fn literal(&mut self) -> Option<&'a [u8]> {
        if self.endless > ENDLESS {
            return None;
        }
        let rest = self.bytes.get(self.at..)?;
        let mut depth = 0_usize;
        let mut escaped = false;
        for (at, byte) in rest.iter().take(LONGEST).enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'(' => depth += 1,
                b')' if depth == 0 => {
                    self.at += at + 1;
                    return Some(&rest[..at]);
                }
                b')' => depth -= 1,
                _ => {}
            }
        }
        self.endless += 1;
        None
    }

    /// Returns the bytes from here that are all of this kind.
    fn run(&mut self, is_part: impl Fn(u8) -> bool) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_part(**byte)).count();
        self.at += length;
        &rest[..length]
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            let doubled = self.bytes.get(self.at + 1) == Some(&byte);
            self.at += 1;
            match byte {
                b'%' => {
                    self.run(|byte| !matches!(byte, b'\r' | b'\n'));
                }
                b'(' => {
                    if let Some(text) = self.literal() {
                        return Some(Token::Literal(text));
                    }
                }
                b'<' if doubled => {
                    self.at += 1;
                    return Some(Token::OpenDictionary);
                }
                b'>' if doubled => {
                    self.at += 1;
                    return Some(Token::CloseDictionary);
                }
                b'<' => {
                    let digits = self.run(|byte| byte.is_ascii_hexdigit() || is_blank(byte));
                    if self.bytes.get(self.at) == Some(&b'>') {
                        self.at += 1;
                        return Some(Token::Hex(digits));
                    }
                }
                b'[' => return Some(Token::Open),
                b']' => return Some(Token::Close),
                b'/' => return Some(Token::Name(self.run(is_regular))),
                byte if byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.') => {
                    self.at -= 1;
                    let is_part = |byte: u8| byte.is_ascii_digit() || b"+-.".contains(&byte);
                    return Some(Token::Number(self.run(is_part)));
                }
                byte if is_regular(byte) => {
                    self.at -= 1;
                    return Some(Token::Word(self.run(is_regular)));
                }
                _ => {}
            }
        }
    }
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == 0
}

fn is_regular(byte: u8) -> bool {
    !is_blank(byte) && !b"()<>[]{}/%".contains(&byte)
}

/// Returns the number in the bytes of one, which may be written as no standard allows (`--5`, `1.2-3`).
pub(super) fn number(text: &[u8]) -> Option<f64> {
    /// No page is so large, in points.
    const MOST: f64 = 1e7;
    let signs = text.iter().take_while(|byte| matches!(byte, b'+' | b'-')).count();
    let rest = &text[signs..];
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'.').count();
    let digits = std::str::from_utf8(&rest[..length]).ok()?;
    let second_point = digits.match_indices('.').nth(1).map(|(at, _)| at);
    let value: f64 = digits[..second_point.unwrap_or(digits.len())].parse().ok()?;
    let value = if text.first() == Some(&b'-') { -value } else { value };
    (value.abs() <= MOST).then_some(value)
}

/// Returns the bytes in a string of hexadecimal digits.
pub(super) fn unhex(digits: &[u8]) -> Vec<u8> {
    let values: Vec<u32> =
        digits.iter().filter_map(|byte| char::from(*byte).to_digit(16)).collect();
    let pairs = values.chunks(2);
    pairs.map(|pair| (pair[0] * 16 + pair.get(1).copied().unwrap_or(0)) as u8).collect()
}
