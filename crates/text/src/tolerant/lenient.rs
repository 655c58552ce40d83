//! Reads one JSON value as a model writes it: repairs its syntax, and invents nothing.
//!
//! Every step either advances or ends, so the time is linear in the text. If two readings are possible, the reader stops and reports
//! the position.

mod text;

use serde_json::{Map, Number, Value};

use text::Role;

/// The maximum nesting depth of arrays and objects.
pub(super) const MAX_DEPTH: usize = 128;

/// Why a value could not be read, with the byte position of the fault.
#[derive(Debug)]
pub(super) enum Stop {
    TooDeep,
    Broken { at: usize, what: String },
}

/// What the text at a `{` turns out to be.
pub(super) enum Opening {
    Object,
    /// A brace in prose, code or a formula.
    Prose,
    /// The text ends before the first colon.
    Cut,
    /// A quoted word without a colon after it: meant as JSON, but invalid.
    NoColon(String),
}

/// A position in the text, and the state of the value being read.
pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) at: usize,
    pub(super) repaired: bool,
    pub(super) truncated: bool,
    depth: usize,
    /// From this byte on, the text holds nothing but closing brackets, white space and fences.
    closers_from: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let closers = |c: char| is_blank(c) || matches!(c, '}' | ']' | '`' | '~');
        let closers_from = text.trim_end_matches(closers).len();
        Self { text, at: 0, repaired: false, truncated: false, depth: 0, closers_from }
    }

    /// Inspects the brace at `at` up to its first colon, and leaves the position after the comments that follow the brace.
    pub(super) fn opening(&mut self, at: usize) -> Opening {
        self.start(at + 1);
        self.space();
        let resume = self.at;
        let opening = match self.peek() {
            None => self.cut_or_prose(),
            Some('}') => Opening::Object,
            Some(next) => {
                let quoted = is_quote(next);
                match self.key() {
                    Err(_) => Opening::Prose,
                    Ok(None) => self.cut_or_prose(),
                    Ok(Some(key)) => {
                        self.blank();
                        match self.peek() {
                            Some(':') => Opening::Object,
                            _ if self.at == self.text.len() => Opening::Cut,
                            _ if quoted => Opening::NoColon(key),
                            _ => Opening::Prose,
                        }
                    }
                }
            }
        };
        self.at = resume;
        opening
    }

    /// Returns whether a quoted key with its colon stands at `at`, as within an object.
    pub(super) fn member_at(&mut self, at: usize) -> bool {
        self.start(at);
        matches!(self.peek(), Some('"' | '\'')) && matches!(self.key(), Ok(Some(_))) && {
            self.blank();
            self.peek() == Some(':')
        }
    }

    fn cut_or_prose(&self) -> Opening {
        if self.at == self.text.len() { Opening::Cut } else { Opening::Prose }
    }

    /// Reads the array or object that begins at byte `at`.
    pub(super) fn read_at(&mut self, at: usize) -> Result<Value, Stop> {
        self.start(at);
        match self.value()? {
            Some(value) => Ok(value),
            None => Err(self.broken(at, "the text ends before the first value")),
        }
    }

    fn start(&mut self, at: usize) {
        self.at = at;
        self.depth = 0;
        self.repaired = false;
        self.truncated = false;
    }

    /// Reads the next value; `None` if the text ends before or within it.
    fn value(&mut self) -> Result<Option<Value>, Stop> {
        let Some(next) = self.peek() else {
            self.truncated = true;
            return Ok(None);
        };
        match next {
            '{' | '[' => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return Err(Stop::TooDeep);
                }
                let value = if next == '{' {
                    Value::Object(self.object()?)
                } else {
                    Value::Array(self.array()?)
                };
                self.depth -= 1;
                Ok(Some(value))
            }
            '`' => Ok(Some(Value::String(self.string(Role::Text).0))),
            _ if is_quote(next) => Ok(Some(Value::String(self.string(Role::Text).0))),
            '-' | '+' | '.' | '0'..='9' => self.number(),
            _ if next.is_alphabetic() => self.literal(),
            _ => Err(self.broken(self.at, &format!("a value belongs where {next:?} stands"))),
        }
    }

    fn object(&mut self) -> Result<Map<String, Value>, Stop> {
        let mut members = Map::new();
        let mut no_comma_after = None;
        self.at += 1;
        loop {
            self.space();
            match self.peek() {
                None => {
                    self.truncated = true;
                    return Ok(members);
                }
                Some('}') => {
                    self.at += 1;
                    return Ok(members);
                }
                Some(']') if self.at >= self.closers_from => {
                    self.repaired = true;
                    return Ok(members);
                }
                Some(_) => {}
            }
            let began = self.at;
            let Some(key) = self.key()? else {
                self.truncated = true;
                return Ok(members);
            };
            self.blank();
            match (self.peek(), no_comma_after) {
                (Some(':'), _) => self.at += 1,
                (None, _) => {
                    self.truncated = true;
                    return Ok(members);
                }
                (Some(_), Some(gap)) => {
                    let what = "after this value a comma or a closing brace is missing, or a quotation mark within it is not escaped";
                    return Err(self.broken(gap, what));
                }
                (Some(_), None) => return Err(self.broken(began, &no_colon(&key))),
            }
            self.space();
            let Some(value) = self.value()? else { return Ok(members) };
            match members.get(&key) {
                Some(before) if *before != value => {
                    let what = format!("the key {} stands twice with different values", clip(&key));
                    return Err(self.broken(began, &what));
                }
                Some(_) => {}
                None => drop(members.insert(key, value)),
            }
            no_comma_after = self.after_member()?;
        }
    }

    /// Skips the comma after a member, and returns the position of a missing one.
    fn after_member(&mut self) -> Result<Option<usize>, Stop> {
        let ended = self.at;
        self.space();
        match self.peek() {
            Some(',') => {
                self.pass_comma('}');
                Ok(None)
            }
            None | Some('}' | ']') => Ok(None),
            Some(next) if is_quote(next) || (is_word(next) && ended < self.at) => {
                self.repaired = true;
                Ok(Some(ended))
            }
            Some(next) => Err(self.broken(
                self.at,
                &format!("a comma or a closing brace belongs where {next:?} stands"),
            )),
        }
    }

    fn array(&mut self) -> Result<Vec<Value>, Stop> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.space();
            match self.peek() {
                None => {
                    self.truncated = true;
                    return Ok(items);
                }
                Some(']') => {
                    self.at += 1;
                    return Ok(items);
                }
                Some('}') if self.at >= self.closers_from => {
                    self.repaired = true;
                    return Ok(items);
                }
                Some(_) => {}
            }
            let Some(item) = self.value()? else { return Ok(items) };
            let nested = item.is_object() || item.is_array();
            items.push(item);
            let ended = self.at;
            self.space();
            match self.peek() {
                Some(',') => self.pass_comma(']'),
                None | Some(']' | '}') => {}
                // `"a" "b"` on one line may be one string with quotation marks in it, and `1 000` one number.
                Some('{' | '[') => self.repaired = true,
                Some(next)
                    if (is_quote(next) || is_word(next))
                        && (nested || self.text[ended..self.at].contains('\n')) =>
                {
                    self.repaired = true;
                }
                Some(next) => {
                    return Err(self.broken(
                        self.at,
                        &format!("a comma or a closing bracket belongs where {next:?} stands"),
                    ));
                }
            }
        }
    }

    fn pass_comma(&mut self, closer: char) {
        self.at += 1;
        self.space();
        if self.peek() == Some(closer) {
            self.repaired = true;
        }
    }

    /// Reads a key, quoted or bare; `None` if the text ends within it.
    fn key(&mut self) -> Result<Option<String>, Stop> {
        match self.peek() {
            Some(next) if is_quote(next) => {
                let (key, closed) = self.string(Role::Key);
                Ok(closed.then_some(key))
            }
            Some(next) if is_word(next) => {
                self.repaired = true;
                let key = self.run(|c| is_word(c) || c == '-');
                Ok((self.at < self.text.len()).then(|| key.to_owned()))
            }
            Some(next) => Err(self.broken(
                self.at,
                &format!("a key in quotation marks belongs where {next:?} stands"),
            )),
            None => Ok(None),
        }
    }

    /// Reads a number; `None` if the text ends right after it, as `1` may have been the start of `10`.
    fn number(&mut self) -> Result<Option<Value>, Stop> {
        let began = self.at;
        let token = self.run(|c| matches!(c, '0'..='9' | '+' | '-' | '.' | 'e' | 'E'));
        match self.text[self.at..].chars().next() {
            None => {
                self.truncated = true;
                return Ok(None);
            }
            Some(next) if is_word(next) => {
                self.run(is_word);
                let what = format!("{} is no number of JSON", clip(&self.text[began..self.at]));
                return Err(self.broken(began, &what));
            }
            Some(_) => {}
        }
        if let Ok(number) = serde_json::from_str::<Number>(token) {
            return Ok(Some(Value::Number(number)));
        }
        self.repaired = true;
        let digits = token.trim_start_matches(['+', '-']);
        let sign = if token.starts_with('-') { "-" } else { "" };
        let zero = if digits.starts_with('.') { "0" } else { "" };
        let plain = format!("{sign}{zero}{}", digits.strip_suffix('.').unwrap_or(digits));
        match serde_json::from_str::<Number>(&plain) {
            Ok(number) if token.len() - digits.len() <= 1 && digits != "." => {
                Ok(Some(Value::Number(number)))
            }
            _ => Err(self.broken(began, &format!("{} is no number of JSON", clip(token)))),
        }
    }

    /// Reads `true`, `false` or `null`, also in Python's spelling. `NaN` and `Infinity` have no JSON value and are rejected.
    fn literal(&mut self) -> Result<Option<Value>, Stop> {
        const LITERALS: [(&str, Value); 6] = [
            ("true", Value::Bool(true)),
            ("True", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("False", Value::Bool(false)),
            ("null", Value::Null),
            ("None", Value::Null),
        ];
        let began = self.at;
        let word = self.run(is_word);
        if let Some((name, value)) = LITERALS.into_iter().find(|(name, _)| *name == word) {
            self.repaired |= name.starts_with(char::is_uppercase);
            return Ok(Some(value));
        }
        if self.at == self.text.len() && LITERALS.iter().any(|(name, _)| name.starts_with(word)) {
            self.truncated = true;
            return Ok(None);
        }
        let what = match word {
            "NaN" | "nan" | "Infinity" | "inf" | "undefined" => {
                format!("{word} has no JSON value; write a number or null")
            }
            _ => format!("the value {} stands without quotation marks", clip(word)),
        };
        Err(self.broken(began, &what))
    }

    /// Returns the next character; `None` at the end of the text or of the fence around it.
    fn peek(&self) -> Option<char> {
        let rest = &self.text[self.at..];
        if is_fence(rest) { None } else { rest.chars().next() }
    }

    /// Skips white space and comments.
    fn space(&mut self) {
        loop {
            self.blank();
            let rest = &self.text[self.at..];
            let length = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.repaired = true;
            self.at += length;
        }
    }

    fn blank(&mut self) {
        let run = self.run(is_blank);
        self.repaired |= run.contains(|c| !matches!(c, ' ' | '\n' | '\r' | '\t'));
    }

    fn run(&mut self, member: impl Fn(char) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let run = &rest[..rest.find(|c| !member(c)).unwrap_or(rest.len())];
        self.at += run.len();
        run
    }

    fn broken(&self, at: usize, what: &str) -> Stop {
        Stop::Broken { at, what: what.to_owned() }
    }
}

/// Returns the message, meant for the model, that a key has no colon.
pub(super) fn no_colon(key: &str) -> String {
    format!("the key {} is not followed by a colon", clip(key))
}

/// Returns whether a Markdown fence begins here. In JSON, three such marks occur only within a string.
pub(super) fn is_fence(rest: &str) -> bool {
    rest.starts_with("```") || rest.starts_with("~~~")
}

pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}')
}

pub(super) fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '“' | '”' | '„' | '‘' | '’' | '‚')
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// Returns the first 40 characters in quotation marks.
fn clip(text: &str) -> String {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}
