//! Shows the words of a structured reply while it is still being written.
//!
//! A reply is JSON, but a person wants to read its sentences, not its braces. A draft takes the reply piece by piece as it arrives and
//! returns what has become readable: the strings under one key, wherever they stand. Prose, fences and reasoning around the JSON are
//! not shown.
//!
//! The draft is provisional. [`text::tolerant`] reads the complete reply, and only that is kept.

use text::tolerant::REASONING;

/// Reads a reply piece by piece and returns the strings under one key.
#[derive(Debug)]
pub(crate) struct Draft {
    key: String,
    place: Place,
    /// The number of open braces and brackets.
    depth: usize,
    /// The last characters outside the JSON, which may hold a reasoning tag.
    recent: String,
    /// Whether something has been shown already, so that the next string begins on a new line.
    shown: bool,
}

/// Reads prose piece by piece and returns it without reasoning before it and without addresses, which mean nothing to a reader. A
/// reply that turns out to be an object is read as one.
#[derive(Debug)]
pub(crate) struct ProseDraft {
    state: ProseState,
}

#[derive(Debug)]
enum ProseState {
    /// So far only white space and a possible reasoning tag.
    Beginning(String),
    Reasoning {
        close: &'static str,
        recent: String,
    },
    Object(Draft),
    Prose,
    /// After a bracket that may hold addresses, with the white space before it.
    Bracket(String),
}

impl Default for ProseDraft {
    fn default() -> Self {
        Self { state: ProseState::Beginning(String::new()) }
    }
}

impl ProseDraft {
    /// Takes the next piece of the reply and returns what has become readable.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut readable = String::new();
        for character in piece.chars() {
            self.take(character, &mut readable);
        }
        readable
    }

    fn take(&mut self, c: char, readable: &mut String) {
        /// The longest reasoning tag, and the longest content of a bracket.
        const LONGEST: usize = 60;
        match &mut self.state {
            ProseState::Beginning(begun) => {
                begun.push(c);
                let text = begun.trim_start().to_owned();
                let begins = |open: &str| {
                    open.get(..text.len()).is_some_and(|start| start.eq_ignore_ascii_case(&text))
                };
                if text.is_empty() {
                } else if text.starts_with('{') {
                    let mut draft = Draft::new("text");
                    readable.push_str(&draft.push(&text));
                    self.state = ProseState::Object(draft);
                } else if let Some((_, close)) =
                    REASONING.into_iter().find(|(open, _)| open.eq_ignore_ascii_case(&text))
                {
                    self.state = ProseState::Reasoning { close, recent: String::new() };
                } else if !REASONING.into_iter().any(|(open, _)| begins(open)) {
                    self.state = ProseState::Prose;
                    text.chars().for_each(|c| self.take(c, readable));
                }
            }
            ProseState::Reasoning { close, recent } => {
                recent.push(c);
                let ends =
                    recent.len().checked_sub(close.len()).and_then(|from| recent.get(from..));
                if ends.is_some_and(|end| end.eq_ignore_ascii_case(close)) {
                    self.state = ProseState::Beginning(String::new());
                }
            }
            ProseState::Object(draft) => readable.push_str(&draft.push(c.encode_utf8(&mut [0; 4]))),
            ProseState::Prose if matches!(c, '[' | '【' | ' ') => {
                self.state = ProseState::Bracket(c.to_string());
            }
            ProseState::Prose => readable.push(c),
            ProseState::Bracket(held) => {
                held.push(c);
                let inside = held.trim_start();
                let opens = inside.starts_with(['[', '【']);
                if matches!(c, ']' | '】') && opens {
                    if ::grounding::address::cited(held).is_empty() {
                        readable.push_str(held);
                    }
                    self.state = ProseState::Prose;
                } else if !inside.is_empty() && !opens || held.len() > LONGEST || c == '\n' {
                    let held = std::mem::take(held);
                    readable.push_str(&held);
                    self.state = ProseState::Prose;
                }
            }
        }
    }
}

/// The draft's position in the reply.
#[derive(Debug)]
enum Place {
    Prose,
    /// Within reasoning, up to its closing tag.
    Reasoning(&'static str),
    /// Within an object or array, outside strings, after what may turn out to be a key.
    Structure(String),
    /// After a colon: the next string, if any, is the value.
    Value {
        wanted: bool,
    },
    Text(Decoder, Sink),
}

/// What happens to a string.
#[derive(Debug)]
enum Sink {
    Shown { began: bool },
    Word(String),
    Dropped,
}

impl Draft {
    /// Begins a draft that shows the strings under `key`.
    pub(crate) fn new(key: impl Into<String>) -> Self {
        Self { key: key.into(), place: Place::Prose, depth: 0, recent: String::new(), shown: false }
    }

    /// Takes the next piece of the reply and returns what has become readable.
    ///
    /// Pieces may end anywhere, even within an escape. Separate strings are on separate lines.
    pub(crate) fn push(&mut self, piece: &str) -> String {
        let mut readable = String::new();
        for character in piece.chars() {
            self.take(character, &mut readable);
        }
        readable
    }

    fn take(&mut self, c: char, readable: &mut String) {
        match &mut self.place {
            Place::Prose if c == '{' => self.structure(c),
            Place::Prose => self.prose(c),
            Place::Reasoning(close) => {
                let close = *close;
                self.remember(c);
                if self.just_read(close) {
                    self.recent.clear();
                    self.place = Place::Prose;
                }
            }
            Place::Structure(word) => match c {
                ':' => self.place = Place::Value { wanted: *word == self.key },
                '"' | '\'' => {
                    self.place = Place::Text(Decoder::new(c), Sink::Word(String::new()));
                }
                _ if c.is_whitespace() => {}
                _ if c.is_alphanumeric() || matches!(c, '_' | '$' | '-') => {
                    keep(word, c.encode_utf8(&mut [0; 4]), &self.key);
                }
                _ => self.structure(c),
            },
            Place::Value { wanted } => match c {
                '"' | '\'' => {
                    let sink = if *wanted { Sink::Shown { began: false } } else { Sink::Dropped };
                    self.place = Place::Text(Decoder::new(c), sink);
                }
                _ if c.is_whitespace() => {}
                _ => self.structure(c),
            },
            Place::Text(decoder, sink) => {
                let mut decoded = String::new();
                let closed = decoder.take(c, &mut decoded);
                match sink {
                    Sink::Dropped => {}
                    Sink::Word(word) => keep(word, &decoded, &self.key),
                    Sink::Shown { began } if !decoded.is_empty() => {
                        if self.shown && !*began {
                            readable.push('\n');
                        }
                        *began = true;
                        self.shown = true;
                        readable.push_str(&decoded);
                    }
                    Sink::Shown { .. } => {}
                }
                if closed {
                    let word = if let Sink::Word(word) = sink {
                        std::mem::take(word)
                    } else {
                        String::new()
                    };
                    self.place = Place::Structure(word);
                }
            }
        }
    }

    fn prose(&mut self, c: char) {
        self.remember(c);
        if matches!(c, '>' | ']' | '▷')
            && let Some((_, close)) = REASONING.into_iter().find(|(open, _)| self.just_read(open))
        {
            self.place = Place::Reasoning(close);
        }
    }

    fn structure(&mut self, c: char) {
        match c {
            '{' | '[' => self.depth += 1,
            '}' | ']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.recent.clear();
        self.place = if self.depth == 0 { Place::Prose } else { Place::Structure(String::new()) };
    }

    fn remember(&mut self, c: char) {
        const LONGEST_MARK: usize = 64;
        if self.recent.len() > 2 * LONGEST_MARK {
            let from = self.recent.ceil_char_boundary(self.recent.len() - LONGEST_MARK);
            self.recent.drain(..from);
        }
        self.recent.push(c);
    }

    fn just_read(&self, mark: &str) -> bool {
        let from = self.recent.len().checked_sub(mark.len());
        from.and_then(|from| self.recent.get(from..))
            .is_some_and(|end| end.eq_ignore_ascii_case(mark))
    }
}

/// Extends a possible key until it is longer than the wanted one.
fn keep(word: &mut String, more: &str, key: &str) {
    if word.len() <= key.len() {
        word.push_str(more);
    }
}

/// Decodes the escapes of one string, character by character.
///
/// Invalid JSON escapes stay as written, backslash included, as in the final reading of the reply.
#[derive(Debug)]
struct Decoder {
    quote: char,
    escape: Escape,
}

/// How much of an escape has arrived.
#[derive(Debug)]
enum Escape {
    Nothing,
    Backslash,
    /// `\u` and the digits so far.
    Unit(String),
    /// The complete first half of a surrogate pair, and the second half so far.
    Pair(String, String),
}

impl Decoder {
    fn new(quote: char) -> Self {
        Self { quote, escape: Escape::Nothing }
    }

    /// Takes the next character, appends what it completes to `text`, and returns whether it closes the string.
    fn take(&mut self, c: char, text: &mut String) -> bool {
        match std::mem::replace(&mut self.escape, Escape::Nothing) {
            Escape::Nothing if c == self.quote => return true,
            Escape::Nothing if c == '\\' => self.escape = Escape::Backslash,
            Escape::Nothing => text.push(c),
            Escape::Backslash => match c {
                '"' | '\\' | '/' => text.push(c),
                'b' => text.push('\u{8}'),
                'f' => text.push('\u{c}'),
                'n' => text.push('\n'),
                'r' => text.push('\r'),
                't' => text.push('\t'),
                'u' => self.escape = Escape::Unit(String::new()),
                _ if c == self.quote => text.push(c),
                _ => {
                    text.push('\\');
                    return self.take(c, text);
                }
            },
            Escape::Unit(mut digits) if c.is_ascii_hexdigit() => {
                digits.push(c);
                if digits.len() < 4 {
                    self.escape = Escape::Unit(digits);
                    return false;
                }
                let unit = u32::from_str_radix(&digits, 16).unwrap_or_default();
                match char::from_u32(unit) {
                    Some(character) => text.push(character),
                    None if unit < 0xDC00 => self.escape = Escape::Pair(digits, String::new()),
                    None => text.extend(["\\u", &digits]),
                }
            }
            Escape::Unit(digits) => {
                text.extend(["\\u", &digits]);
                return self.take(c, text);
            }
            Escape::Pair(first, mut second) => {
                let belongs = match second.len() {
                    0 => c == '\\',
                    1 => c == 'u',
                    2 => matches!(c, 'd' | 'D'),
                    3 => matches!(c, 'c'..='f' | 'C'..='F'),
                    _ => c.is_ascii_hexdigit(),
                };
                if !belongs {
                    text.extend(["\\u", &first]);
                    second.push(c);
                    // At most five characters, and only the last can begin a pair.
                    return second.chars().any(|c| self.take(c, text));
                }
                second.push(c);
                if second.len() < 6 {
                    self.escape = Escape::Pair(first, second);
                    return false;
                }
                let unit = |digits: &str| u16::from_str_radix(digits, 16).unwrap_or_default();
                let units = [unit(&first), unit(second.get(2..).unwrap_or_default())];
                text.extend(char::decode_utf16(units).filter_map(Result::ok));
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn check(reply: &str, readable: &str) {
        assert_eq!(Draft::new("text").push(reply), readable, "{reply}");
        let mut draft = Draft::new("text");
        let by_character: String = reply.chars().map(|c| draft.push(&c.to_string())).collect();
        assert_eq!(by_character, readable, "{reply}");
    }

    // proves: C3
    #[test]
    fn only_the_texts_under_the_key_are_shown() {
        check(r#"{"text": "Gulls eat fish."}"#, "Gulls eat fish.");
        check(r#"{"title": "Gulls", "text" : "They eat", "n": 1}"#, "They eat");
        check(r#"{"claims": [{"text": "One.", "id": "text"}, {"text": "Two."}]}"#, "One.\nTwo.");
        check(r#"{"text": ["text", "text"], "a": {"text": null, "b": "text"}}"#, "");
        check(r#"{"text": {"text": "inner"}, "text2": "no", "tex": "no"}"#, "inner");
        check(r#"{"text": "", "a": [{"text": ""}, {"text": "x"}]}"#, "x");
        check(r#"{"a": "\"text\": \"no\"", "te\u0078t": "yes"}"#, "yes");
        check("{text: 'don\\'t', 'text': \"it's\"}", "don't\nit's");
    }

    // proves: C3
    #[test]
    fn prose_fences_and_reasoning_are_not_shown() {
        check(
            "Here, \"text\": \"no\":\n```json\n{\"text\": \"yes\"}\n```\n\"text\": \"no\"",
            "yes",
        );
        check("<think>{\"text\": \"no\"}</think>{\"text\": \"yes\"}", "yes");
        check("[THINK]{\"text\": \"no\"}[/THINK][{\"text\": \"yes\"}]", "yes");
        check("The set {x} and \\frac{a}{b}: {\"text\": \"yes\"}", "yes");
        check(&format!("{}<THINK>é {{\"text\": \"no\"}}", "é".repeat(200)), "");
    }

    // proves: C3
    #[test]
    fn prose_is_shown_without_reasoning_and_addresses() {
        let check = |reply: &str, readable: &str| {
            assert_eq!(ProseDraft::default().push(reply), readable, "{reply}");
            let mut draft = ProseDraft::default();
            let by_character: String = reply.chars().map(|c| draft.push(&c.to_string())).collect();
            assert_eq!(by_character, readable, "{reply}");
        };
        check(
            "It rose [3.4], and [so] on [1.2-3][F1].\n\n- a [0, 1].",
            "It rose, and [so] on.\n\n- a [0, 1].",
        );
        check("<think>a [b</think>\n\nIt rose.", "It rose.");
        check("<b>It</b> rose.", "<b>It</b> rose.");
        check("  {\"claims\": [{\"text\": \"It rose.\"}]}", "It rose.");
        check("【3.4】It", "It");
    }

    // proves: C3
    #[test]
    fn escapes_are_decoded_and_what_is_none_stays() {
        check(r#"{"text": "a\n\"b\"\\ \u00e9 \ud83d\ude00\/"}"#, "a\n\"b\"\\ é 😀/");
        check(
            r#"{"text": "\alpha \ud83d \ud83d\n \ud83d\u0041 \u12"}"#,
            "\\alpha \\ud83d \\ud83d\n \\ud83dA \\u12",
        );
        check(r#"{"text": "\ud83d\ud83d\ude00 \ude00"}"#, "\\ud83d😀 \\ude00");
        check("{\"text\": \"raw\nline", "raw\nline");
        check(r#"{"text": "cut \ud83d\ud"#, "cut ");
    }

    fn texts(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
            Value::Object(members) => {
                for (key, member) in members {
                    match member {
                        Value::String(text) if key == "text" => found.push(text.clone()),
                        _ => texts(member, found),
                    }
                }
            }
            _ => {}
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<i32>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            Just(json!("text"))
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            let key = prop_oneof![Just("text".to_owned()), any::<String>()];
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(key, inner, 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// Encodes the value as ASCII, so that pieces may end within many escapes.
    fn escaped(value: &Value) -> String {
        let mut units = [0; 2];
        value
            .to_string()
            .chars()
            .map(|c| {
                if c.is_ascii() {
                    c.to_string()
                } else {
                    c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
                }
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: C3
        #[test]
        fn the_same_is_shown_however_the_reply_is_cut(value in any_json(), escape: bool, cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..9)) {
            let text = format!("So: {{\"a\": {}}}", if escape { escaped(&value) } else { value.to_string() });
            let mut starts: Vec<usize> = cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len()))).collect();
            starts.extend([0, text.len()]);
            starts.sort_unstable();
            let mut draft = Draft::new("text");
            let shown: String = starts.windows(2).map(|ends| draft.push(&text[ends[0]..ends[1]])).collect();
            let mut expected = Vec::new();
            texts(&value, &mut expected);
            expected.retain(|text| !text.is_empty());
            prop_assert_eq!(shown, expected.join("\n"));
        }

        // proves: C3
        #[test]
        fn any_stream_at_all_is_taken(pieces in prop::collection::vec("[{}\\[\\]\"':,\\\\/<>udtex83 \n😀]{0,9}", 0..9)) {
            let mut draft = Draft::new("text");
            let shown: String = pieces.iter().map(|piece| draft.push(piece)).collect();
            prop_assert_eq!(shown, Draft::new("text").push(&pieces.concat()));
        }
    }
}
