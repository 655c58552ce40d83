//! The names under which browsers save files.

use axum::http::HeaderValue;

/// The most characters of a question in a name.
const LONGEST: usize = 60;
/// The last characters of a run's id in a name.
const SHORT_ID: usize = 8;
/// What a name begins with if nothing of the question can.
const NAMELESS: &str = "quaestio";

/// Returns the header that has a file saved under a name from the question and the run's id.
pub(super) fn disposition(question: &str, run: &str, extension: &str) -> Option<HeaderValue> {
    let ending = format!("{}.{extension}", short_id(run));
    let words = join_words(question, char::is_alphanumeric);
    let plain = join_words(question, |c| c.is_ascii_alphanumeric());
    let name = |words: &str| {
        let words = if words.is_empty() { NAMELESS } else { words };
        format!("{words}-{ending}")
    };
    attachment(&name(&plain), &name(&words))
}

/// Returns the header that has the file of a document saved under the last part of its path.
pub(super) fn disposition_of(path: &str) -> Option<HeaderValue> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = name.chars().filter(|c| !c.is_control()).take(4 * LONGEST).collect();
    let name = name.trim_start_matches(['.', ' ']);
    let name = if name.is_empty() { NAMELESS } else { name };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | ' ');
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    attachment(&plain, name)
}

/// Returns the header for a name. Older readers get `plain`, the part of it that is ASCII, all others the whole (RFC 6266).
fn attachment(plain: &str, name: &str) -> Option<HeaderValue> {
    let mut header = format!("attachment; filename=\"{plain}\"");
    if plain != name {
        header.push_str(&format!("; filename*=UTF-8''{}", encode(name)));
    }
    HeaderValue::from_str(&header).ok()
}

/// Returns the end of a run's id, by which runs of a day are told apart.
fn short_id(run: &str) -> String {
    let tail = run.rsplit('-').next().unwrap_or(run);
    let tail = if tail.is_empty() { run } else { tail };
    let letters: Vec<char> = tail.chars().filter(char::is_ascii_alphanumeric).collect();
    letters.iter().skip(letters.len().saturating_sub(SHORT_ID)).collect()
}

/// Returns the words of a text in lower case with hyphens between them, as many as fit. What `fits` not, parts words.
fn join_words(text: &str, fits: impl Fn(char) -> bool) -> String {
    let mut name = String::new();
    let mut count = 0;
    let text: String = text.chars().take(4 * LONGEST).collect();
    for word in text.split(|c| !fits(c)).filter(|word| !word.is_empty()) {
        let more = word.chars().count() + usize::from(count > 0);
        if count + more > LONGEST && count > 0 {
            break;
        }
        if count > 0 {
            name.push('-');
        }
        name.extend(word.chars().take(LONGEST).flat_map(char::to_lowercase));
        count += more;
    }
    name
}

/// Writes everything but letters, digits, hyphens and dots as the percent codes of its bytes (RFC 8187).
fn encode(name: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let code = |byte: u8| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    name.bytes().map(code).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn name(question: &str, run: &str, extension: &str) -> String {
        let header = disposition(question, run, extension).unwrap();
        header.to_str().unwrap().to_owned()
    }

    // proves: F6
    #[test]
    fn a_file_is_named_for_its_question_and_run() {
        let run = "20260102-abcdefgh";
        assert_eq!(
            name(
                "When was the handle of the Broad Street pump removed, and by whom? Tell me.",
                run,
                "md"
            ),
            "attachment; filename=\"when-was-the-handle-of-the-broad-street-pump-removed-and-by-abcdefgh.md\""
        );
        assert_eq!(
            name("../../etc/passwd\"\r\n", run, "csl.json"),
            "attachment; filename=\"etc-passwd-abcdefgh.csl.json\""
        );
        assert_eq!(
            name("Größe?", run, "md"),
            "attachment; filename=\"gr-e-abcdefgh.md\"; filename*=UTF-8''gr%C3%B6%C3%9Fe-abcdefgh.md"
        );
        assert!(
            name("東京", "r", "md")
                .starts_with("attachment; filename=\"quaestio-r.md\"; filename*=UTF-8''%E6")
        );
        assert_eq!(name("???", "r-", "md"), "attachment; filename=\"quaestio-r.md\"");
    }

    // proves: F3
    #[test]
    fn the_file_of_a_document_keeps_its_name_and_nothing_else() {
        for (path, header) in [
            ("reports/Tea study.pdf", "attachment; filename=\"Tea study.pdf\""),
            (
                "Größe.pdf",
                "attachment; filename=\"Gr__e.pdf\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.pdf",
            ),
            (
                "a\"; x=\"\r\n.pdf",
                "attachment; filename=\"a__ x__.pdf\"; filename*=UTF-8''a%22%3B%20x%3D%22.pdf",
            ),
            ("../..", "attachment; filename=\"quaestio\""),
        ] {
            assert_eq!(disposition_of(path).unwrap().to_str().unwrap(), header);
        }
    }

    proptest! {
        // proves: F6
        #[test]
        fn every_name_is_safe(question in any::<String>(), run in "[a-zA-Z0-9_-]{1,40}") {
            let header = name(&question, &run, "md");
            let plain = header.split('"').nth(1).unwrap();
            let is_safe = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
            prop_assert!(plain.chars().all(is_safe) && !plain.starts_with(['.', '-']), "{}", plain);
            prop_assert!(plain.len() <= LONGEST + SHORT_ID + 4);
        }
    }
}
