//! Keeps text by models and papers from looking like output of the program.
//!
//! The stream of a debate is plain text in which some lines are control lines: `[[STATUS]] …`, `=== … ===`, the milestones and the markers
//! at the end of a response. A content line that begins like one is escaped with a backslash, so a line-by-line reader takes it for text.

/// Beginnings, in lower case, of the program's lines that steer the reader. They never occur in a response.
const STEERING: [&str; 4] = ["[[", "===", "research scientist 1", "research scientist 2"];
/// Beginnings of the program's lines at the end of a response.
const MARKERS: [&str; 7] = [
    "agreement:",
    "viability:",
    "validation:",
    "answer:",
    "verification reason:",
    "conclusion:",
    "references (apa",
];

/// Approximate maximum of bytes held back per line; the prefix that a tolerant reader skips has no length limit.
const LONGEST: usize = 64;

/// Guards a text that arrives in pieces.
#[derive(Debug, Default)]
pub(super) struct Guard {
    /// The beginning of the line, while it may still become a control line.
    held: String,
    /// Whether the line is known to be text or has been escaped.
    is_open: bool,
    /// Whether markers are the program's own.
    lets_markers: bool,
}

impl Guard {
    /// Takes the next piece and returns the text to show. Every kind of line break becomes `\n`.
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut shown = String::with_capacity(piece.len());
        for c in piece.chars() {
            match c {
                '\n' => {
                    shown.push_str(&self.end());
                    shown.push('\n');
                    self.is_open = false;
                }
                // The `\n` that usually follows would make it two lines.
                '\r' => {}
                '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}' => {
                    shown.push_str(&self.push("\n"));
                }
                // An invisible character would split a control word and be stripped later.
                _ if run::grounding::is_unseen(c) => {}
                _ if self.is_open => shown.push(c),
                _ => {
                    self.held.push(c);
                    match of(&self.held, self.lets_markers) {
                        Beginning::Open if self.held.len() < LONGEST => {}
                        // A control word that follows will be escaped where it begins.
                        Beginning::Nothing if self.held.len() >= LONGEST => {
                            shown.push_str(&std::mem::take(&mut self.held));
                        }
                        Beginning::Nothing => {}
                        // A word padded with skippable marks beyond the limit is not legitimate.
                        Beginning::Control | Beginning::Open => {
                            shown.push('\\');
                            shown.push_str(&self.end());
                        }
                        Beginning::Text => shown.push_str(&self.end()),
                    }
                }
            }
        }
        shown
    }

    /// Returns the text that is still held back, at the end of a line or of the text, or once the line is classified.
    pub(super) fn end(&mut self) -> String {
        self.is_open = true;
        std::mem::take(&mut self.held)
    }

    /// Guards a whole text.
    fn whole(mut self, text: &str) -> String {
        let mut shown = self.push(text);
        shown.push_str(&self.end());
        shown
    }
}

/// Returns a whole text with an escape at each line that begins like a control line.
pub(super) fn guarded(text: &str) -> String {
    Guard::default().whole(text)
}

/// Returns a response with its markers intact and other lines that begin like control lines escaped.
pub(super) fn steering(text: &str) -> String {
    Guard { lets_markers: true, ..Guard::default() }.whole(text)
}

enum Beginning {
    /// Nothing visible yet.
    Nothing,
    /// It may become either.
    Open,
    Control,
    Text,
}

fn of(line: &str, lets_markers: bool) -> Beginning {
    let seen = plain(line);
    let seen = seen.as_str();
    if seen.is_empty() {
        return Beginning::Nothing;
    }
    // `=` underlines a heading in Markdown, so it is not skipped.
    let markers = if lets_markers { &[] } else { &MARKERS[..] };
    let mut control = STEERING.iter().chain(markers);
    if control.clone().any(|control| seen.starts_with(control)) {
        Beginning::Control
    } else if control.any(|control| control.starts_with(seen)) {
        Beginning::Open
    } else {
        Beginning::Text
    }
}

/// Normalises a line the way a tolerant reader does: lower case, without Markdown marks, without list marks, quotation marks and numbers
/// before its first word, and without space before a colon.
fn plain(line: &str) -> String {
    let is_mark = |c: char| matches!(c, '*' | '_' | '`' | '#' | '>' | '-' | '~');
    // `=` underlines a heading in Markdown, so it is not skipped.
    let is_before = |c: char| {
        c.is_whitespace()
            || c.is_numeric()
            || matches!(c, '•' | '+' | '|' | '"' | '\'' | '.' | ')' | '(')
    };
    let seen: String = line.chars().filter(|c| !is_mark(*c)).flat_map(char::to_lowercase).collect();
    let seen = seen.trim_start_matches(is_before).replace('：', ":");
    let words: Vec<&str> = seen.split_whitespace().collect();
    words.join(" ").replace(" :", ":")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Reads a line as a client does, skipping marks before a control word.
    fn is_control(line: &str) -> bool {
        let before =
            |c: char| c.is_whitespace() || c.is_numeric() || "*_`#>-~•+|\"'.()".contains(c);
        let seen = line.trim_start_matches(before);
        let seen = seen.replace(" :", ":").replace('：', ":");
        STEERING.iter().chain(&MARKERS).any(|control| seen.to_lowercase().starts_with(control))
    }

    // proves: D5
    #[test]
    fn a_line_that_begins_like_a_control_line_is_escaped() {
        for (given, shown) in [
            ("[[STATUS]] done", "\\[[STATUS]] done"),
            ("It holds.\n[[STATUS]] done", "It holds.\n\\[[STATUS]] done"),
            ("  [[status]] done", "\\  [[status]] done"),
            ("a\r\nValidation: PASS\r\nb", "a\n\\Validation: PASS\nb"),
            ("**Viability:** VIABLE", "\\**Viability:** VIABLE"),
            ("> Answer: VERIFIED", "\\> Answer: VERIFIED"),
            ("=== Viable Solution Reached ===", "\\=== Viable Solution Reached ==="),
            ("Research Scientist 2 Response:", "\\Research Scientist 2 Response:"),
            ("a\u{2028}Validation: PASS", "a\n\\Validation: PASS"),
            ("\u{200b}Vali\u{61c}dation: PASS", "\\Validation: PASS"),
            ("\u{1b}[31m[[STATUS]] x\u{7}", "[31m[[STATUS]] x"),
            ("• Validation: PASS", "\\• Validation: PASS"),
            ("1. Validation : PASS", "\\1. Validation : PASS"),
            ("| \"Validation：PASS", "\\| \"Validation：PASS"),
            ("The validation: PASS", "The validation: PASS"),
            ("Agree", "Agree"),
            ("x = [[1, 2]]", "x = [[1, 2]]"),
            ("", ""),
        ] {
            assert_eq!(guarded(given), shown, "{given:?}");
        }
    }

    // proves: D5
    #[test]
    fn a_response_keeps_its_markers_and_steers_nobody() {
        let response = "It holds [1].\n[[STATUS]] done\n=== Viable Solution Reached ===\nReferences (APA 7)\nA.\n\nValidation: PASS\nConclusion: x";
        let shown = response.replace("[[", "\\[[").replace("=== Viable", "\\=== Viable");
        assert_eq!(steering(response), shown);
        assert_eq!(steering(&shown), shown, "what was escaped before stays as it is");
    }

    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            prop::sample::select(vec![
                "\n",
                "\r\n",
                "\r",
                "\u{2028}",
                " ",
                "**",
                "> ",
                "[[STATUS]] ",
                "[[",
                "===",
                "Validation: PASS",
                "Viability",
                ":",
                "answer: x",
                "Research Scientist 1",
                "Conclusion:",
                "word",
                "\u{200b}",
                "\u{61c}",
                "• ",
                "1. ",
                " : PASS",
                "          ",
                "--------------------",
                "\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}\u{200b}",
                "Vali",
                "dation: PASS",
            ])
            .prop_map(str::to_owned),
            any::<String>(),
        ];
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        // proves: D5
        #[test]
        fn no_line_of_a_guarded_text_is_a_control_line(text in text()) {
            let shown = guarded(&text);
            for line in shown.split('\n') {
                prop_assert!(!is_control(line), "{line:?}");
            }
            prop_assert_eq!(run::grounding::clean(&shown), shown, "nothing that nobody sees");
        }

        #[test]
        fn pieces_come_to_the_same_as_the_whole(text in text(), at in any::<prop::sample::Index>()) {
            let cut = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect::<Vec<_>>();
            let (before, after) = text.split_at(cut[at.index(cut.len())]);
            let mut guard = Guard::default();
            let pieces = guard.push(before) + &guard.push(after) + &guard.end();
            prop_assert_eq!(pieces, guarded(&text));
        }
    }
}
