//! Names that users give to what is stored for them.

use run::library::is_name;

use crate::failure::Failure;

/// How the runs and collections of evaluations begin.
pub(crate) const OF_AN_EVALUATION: &str = "eval-";

/// Returns whether a run or a collection belongs to an evaluation, by its name: `eval-` and digits.
pub(crate) fn is_of_evaluation(name: &str) -> bool {
    let rest = name.strip_prefix(OF_AN_EVALUATION).unwrap_or_default();
    let (first, _) = rest.split_once('-').unwrap_or((rest, ""));
    first.len() >= 8 && first.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Checks a user-given name, such as a collection's: it cannot be a path, and looks the same everywhere.
pub(crate) fn check_name(what: &str, name: &str) -> Result<(), Failure> {
    if is_name(name) {
        return Ok(());
    }
    let shown: String =
        name.chars().take(64).map(|c| if c.is_control() { '?' } else { c }).collect();
    Err(Failure::usage(
        format!("'{shown}' is not a valid name for a {what}"),
        "use up to 64 letters, digits, - and _, starting with a letter or digit",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_evaluation_made_is_known_by_its_name() {
        for name in ["eval-20261127-yprf77pi", "eval-0123456789ab"] {
            assert!(is_of_evaluation(name), "{name}");
        }
        for name in
            ["20261127-yprf77pi", "eval", "eval-", "eval-notes", "evaluation", "eval-2026-a"]
        {
            assert!(!is_of_evaluation(name), "{name}");
        }
    }

    #[test]
    fn a_name_looks_the_same_everywhere_and_never_is_a_path() {
        for name in ["a", "kb-2", "run-20260102-abcdefgh", &"x".repeat(64)] {
            check_name("collection", name).unwrap();
        }
        for name in
            ["", "-a", "_a", ".", "..", "a/b", "a\\b", "a b", "ä", "a\u{202e}", &"x".repeat(65)]
        {
            assert!(check_name("collection", name).is_err(), "{name:?}");
        }
    }
}
