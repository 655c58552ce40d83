//! What is wrong with a configuration, in words.

use figment2::error::{Actual, Kind};

/// From this similarity on, 0 to 1, a key is offered in place of an unknown one.
const ALIKE: f64 = 0.6;

/// Returns what a value must be.
pub(super) fn explain_kind(kind: &Kind) -> String {
    match kind {
        Kind::InvalidType(actual, expected) | Kind::InvalidValue(actual, expected) => {
            format!("must be {}, not {}", describe_type(expected), describe_value(actual))
        }
        Kind::UnknownVariant(found, known) => {
            format!("must be one of {}, not '{found}'", known.join(", "))
        }
        other => other.to_string(),
    }
}

/// Words a type of Rust for people.
fn describe_type(expected: &str) -> &str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" => "a text",
        "a sequence" => "a list",
        "a map" => "a table",
        other => other,
    }
}

fn describe_value(actual: &Actual) -> String {
    match actual {
        Actual::Str(text) => format!("'{text}'"),
        Actual::Bool(value) => value.to_string(),
        Actual::Unsigned(number) => number.to_string(),
        Actual::Signed(number) => number.to_string(),
        Actual::Float(number) => number.to_string(),
        Actual::Seq => "a list".to_owned(),
        Actual::Map => "a table".to_owned(),
        other => other.to_string(),
    }
}

/// Returns where and why a file is not valid TOML.
pub(super) fn explain_toml(text: &str, error: &toml::de::Error) -> String {
    let line = error.span().and_then(|span| text.get(..span.start));
    match line.map(|before| before.matches('\n').count() + 1) {
        Some(number) => format!("line {number}: {}", error.message()),
        None => error.message().to_owned(),
    }
}

/// Returns the known key that is most like an unknown one.
pub(super) fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |one: &str| strsim::normalized_damerau_levenshtein(one, key);
    let scored = known.map(|one| (likeness(one), one)).filter(|(score, _)| *score >= ALIKE);
    scored.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, one)| one)
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: C8
    #[test]
    fn an_unknown_key_is_answered_with_the_one_that_is_meant() {
        let known = ["ask.top_k", "ask.retrieval", "models.main", "models.light"];
        for (key, meant) in [
            ("ask.topk", Some("ask.top_k")),
            ("modles.main", Some("models.main")),
            ("model.main", Some("models.main")),
            ("colour", None),
        ] {
            assert_eq!(nearest(key, known.into_iter()), meant, "{key}");
        }
    }
}
