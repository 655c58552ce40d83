//! Names that users give to what is stored for them.

use run::library::is_name;

use crate::failure::Failure;

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
