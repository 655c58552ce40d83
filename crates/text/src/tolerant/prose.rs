//! Reads a prose reply, without the reasoning before it and a fence around the whole.

use super::REASONING;

/// Returns the prose of a reply, trimmed; empty if the reply is nothing but reasoning.
///
/// ```
/// use text::tolerant::prose;
///
/// assert_eq!(prose("<think>Let me see …</think>\n\n```markdown\nIt rose [1.2].\n```\n"), "It rose [1.2].");
/// assert_eq!(prose("<think>Let me see"), "");
/// ```
pub fn prose(reply: &str) -> String {
    let mut text = reply.trim_start_matches('\u{feff}').trim();
    while let Some((open, close)) = REASONING.into_iter().find(|(open, _)| begins(text, open)) {
        let inside = text.get(open.len()..).unwrap_or_default();
        text = match find(inside, close) {
            Some(at) => inside.get(at + close.len()..).unwrap_or_default().trim(),
            None => "",
        };
    }
    // Some servers omit the opening tag.
    for (open, close) in REASONING {
        if let Some(at) =
            find(text, close).filter(|at| find(text, open).is_none_or(|open| open > *at))
        {
            text = text.get(at + close.len()..).unwrap_or_default().trim();
        }
    }
    unfenced(text).trim().to_owned()
}

/// Returns whether a text is an object or an array of objects where prose belongs, or mostly the fenced block of one.
///
/// ```
/// use text::tolerant::is_object;
///
/// assert!(is_object(r#"{"claims": []}"#));
/// assert!(!is_object("{x} is a set [1.2]."));
/// ```
pub fn is_object(text: &str) -> bool {
    let begins = |text: &str| {
        let inside = text.strip_prefix('[').map_or(text, str::trim_start).strip_prefix('{');
        inside.is_some_and(|inside| inside.trim_start().starts_with(['"', '}']))
    };
    let fenced = || {
        let (_, rest) = text.split_once("```json")?;
        let (inner, _) = rest.split_once("```").unwrap_or((rest, ""));
        Some(begins(inner.trim_start()) && inner.len() * 2 > text.len())
    };
    begins(text) || fenced().unwrap_or_default()
}

/// Removes a fence around the whole text.
fn unfenced(text: &str) -> &str {
    let inner = || {
        let rest = text.strip_prefix("```")?;
        let (language, inner) = rest.split_once('\n')?;
        let inner = inner.trim_end().strip_suffix("```")?;
        let is_text = matches!(language.trim(), "" | "markdown" | "md" | "text");
        (is_text && !inner.contains("\n```")).then_some(inner)
    };
    inner().unwrap_or(text)
}

/// Returns a text up to the end of its last whole sentence, list item or row.
pub fn up_to_last_sentence(text: &str) -> &str {
    let last_line = text.rfind('\n').map_or(0, |at| at + 1);
    let Some(line) = text.get(last_line..) else { return text };
    let sentences = crate::sentences(line);
    let whole = sentences.iter().rev().find(|span| {
        line.get((*span).clone()).is_some_and(|sentence| {
            sentence
                .trim_end_matches(['"', '”', ')', ']', '*', '_'])
                .ends_with(['.', '!', '?', '。', '！', '？'])
        })
    });
    let end = whole.map_or(last_line, |span| last_line + span.end);
    text.get(..end).unwrap_or(text).trim_end()
}

fn begins(text: &str, mark: &str) -> bool {
    text.get(..mark.len()).is_some_and(|begins| begins.eq_ignore_ascii_case(mark))
}

/// Returns where `mark` first stands, ignoring ASCII case.
fn find(text: &str, mark: &str) -> Option<usize> {
    text.as_bytes()
        .windows(mark.len())
        .position(|window| window.eq_ignore_ascii_case(mark.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    // proves: C3
    #[test]
    fn reasoning_and_fences_around_prose_are_set_aside() {
        for (reply, said) in [
            ("It rose.", "It rose."),
            ("\u{feff} <THINK>a</think><think>b</think> It rose.", "It rose."),
            ("a, so b</think>It rose.", "It rose."),
            ("```\nIt rose.\n```", "It rose."),
            ("```sh\nls\n```", "```sh\nls\n```"),
            ("Run:\n```\nls\n```", "Run:\n```\nls\n```"),
            ("```md\na\n```\nb\n```", "```md\na\n```\nb\n```"),
            ("", ""),
        ] {
            assert_eq!(prose(reply), said, "{reply:?}");
        }
    }

    #[test]
    fn what_is_cut_off_ends_with_its_last_sentence() {
        assert_eq!(up_to_last_sentence("It rose [1.2]. It fe"), "It rose [1.2].");
        assert_eq!(
            up_to_last_sentence("It rose.\n\n- It fell.\n- It st"),
            "It rose.\n\n- It fell."
        );
        assert_eq!(up_to_last_sentence("It rose"), "");
        assert_eq!(up_to_last_sentence("It rose. It fell.\n"), "It rose. It fell.");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_reply_can_be_read(reply in "(?s)(.|<think>|</think>|```|\\[THINK\\]|\n){0,20}") {
            let said = prose(&reply);
            prop_assert!(reply.contains(said.as_str()));
            prop_assert!(said.starts_with(up_to_last_sentence(&said)));
        }
    }
}
