//! The tokens of RTF: braces, control words, symbols and text.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Open,
    Close,
    /// `\par` or `\fs24`.
    Word(&'a str, Option<i32>),
    /// `\~`.
    Symbol(u8),
    /// `\'e9`.
    Byte(u8),
    Text(&'a [u8]),
}

/// Reads tokens. Line breaks are not text; the data after `\bin` is left out.
pub(super) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn skip(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    /// Returns the control word or symbol after a backslash.
    fn control(&mut self) -> Option<Token<'a>> {
        let first = *self.rest.first()?;
        if first == b'\'' {
            let digits = self.rest.get(1..3).and_then(|two| std::str::from_utf8(two).ok());
            let byte = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
            self.skip(if byte.is_some() { 3 } else { 1 });
            return byte.map(Token::Byte).or(Some(Token::Symbol(b'\'')));
        }
        if !first.is_ascii_alphabetic() {
            self.skip(1);
            return Some(Token::Symbol(first));
        }
        let letters = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let name = std::str::from_utf8(self.rest.get(..letters)?).ok()?;
        self.skip(letters);
        let negative = self.rest.first() == Some(&b'-');
        let from = usize::from(negative);
        let digits = self.rest.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count();
        let mut number = None;
        if digits > 0 {
            let written = std::str::from_utf8(self.rest.get(..from + digits)?).ok()?;
            number = Some(written.parse().unwrap_or(if negative { i32::MIN } else { i32::MAX }));
            self.skip(from + digits);
        }
        if self.rest.first() == Some(&b' ') {
            self.skip(1);
        }
        if name == "bin" {
            self.skip(number.and_then(|count| usize::try_from(count).ok()).unwrap_or(0));
        }
        Some(Token::Word(name, number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        while let [b'\r' | b'\n' | 0, ..] = self.rest {
            self.skip(1);
        }
        let first = *self.rest.first()?;
        match first {
            b'{' => {
                self.skip(1);
                Some(Token::Open)
            }
            b'}' => {
                self.skip(1);
                Some(Token::Close)
            }
            b'\\' => {
                self.skip(1);
                self.control()
            }
            _ => {
                let end = self.rest.iter().position(|byte| b"{}\\\r\n\0".contains(byte));
                let (text, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                self.rest = rest;
                Some(Token::Text(text))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_words_with_numbers_bytes_and_text() {
        let tokens: Vec<Token> =
            Tokens::new(b"{\\f-2 a\r\nb\\'e9\\~\\bin3 }{}\\par}\\'zz\\").collect();
        let expected = [
            Token::Open,
            Token::Word("f", Some(-2)),
            Token::Text(b"a"),
            Token::Text(b"b"),
            Token::Byte(0xE9),
            Token::Symbol(b'~'),
            Token::Word("bin", Some(3)),
            Token::Word("par", None),
            Token::Close,
            Token::Symbol(b'\''),
            Token::Text(b"zz"),
        ];
        assert_eq!(tokens, expected);
    }
}
