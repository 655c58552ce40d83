//! Maps users to folder names.

use run::contexts::is_id;
use run::library::is_name;

/// Returns the name of a user's folder; `None` if the text is not a valid user name.
///
/// A name that is a valid id is the folder's name. The others contain capitals or are device names: `=` precedes each letter that is a
/// capital in the name, and `==` precedes a device name. So no two names share a folder, even on a case-insensitive file system.
pub fn of(user: &str) -> Option<String> {
    if !is_name(user) {
        return None;
    }
    if user.chars().any(|c| c.is_ascii_uppercase()) {
        let mut name = String::with_capacity(2 * user.len());
        for c in user.chars() {
            if c.is_ascii_uppercase() {
                name.push('=');
            }
            name.push(c.to_ascii_lowercase());
        }
        return Some(name);
    }
    Some(if is_id(user) { user.to_owned() } else { format!("=={user}") })
}

/// Returns the user whose folder has this name; `None` if no user's has.
pub(crate) fn owner(folder: &str) -> Option<String> {
    let name = match folder.strip_prefix("==") {
        Some(device) => device.to_owned(),
        None => {
            let mut name = String::with_capacity(folder.len());
            let mut chars = folder.chars();
            while let Some(c) = chars.next() {
                match c {
                    '=' => name.extend(chars.next().map(|c| c.to_ascii_uppercase())),
                    other => name.push(other),
                }
            }
            name
        }
    };
    (of(&name).as_deref() == Some(folder)).then_some(name)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: W5
    #[test]
    fn a_user_s_folder_is_the_name_where_it_can_be() {
        for (user, folder) in [
            ("ada", "ada"),
            ("a-1_b", "a-1_b"),
            ("Ada", "=ada"),
            ("ADA", "=a=d=a"),
            ("con", "==con"),
            ("Con", "=con"),
            ("COM1", "=c=o=m1"),
            ("com1", "==com1"),
        ] {
            assert_eq!(of(user).as_deref(), Some(folder), "{user}");
        }
        for folder in ["", ".tmp", "Ada", "=", "a=", "==ada", "=1", "a b"] {
            assert_eq!(owner(folder), None, "{folder}");
        }
        let longer = "a".repeat(10_000);
        for user in
            ["", ".", "..", "../ada", "/ada", "a\\b", "a\0", "é", "=ada", "-a", "a b", &longer]
        {
            assert_eq!(of(user), None, "{user}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        // proves: W5
        #[test]
        fn every_user_has_a_folder_of_their_own_that_every_file_system_can_have(
            user in prop_oneof!["[A-Za-z0-9][A-Za-z0-9_-]{0,63}", "[cC][oO][nN]", "([lL][pP][tT]|[cC][oO][mM])[0-9]", "[nN][uU][lL]-?"]
        ) {
            let folder = of(&user).unwrap();
            prop_assert_eq!(owner(&folder), Some(user), "no other name gives it");
            let small = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "=_-".contains(c);
            prop_assert!(folder.chars().all(small) && folder.len() <= 130);
            prop_assert!(folder.contains('=') || is_id(&folder));
        }

        // proves: W5
        #[test]
        fn what_is_no_name_has_no_folder(user in "\\PC{0,20}") {
            prop_assert_eq!(of(&user).is_some(), is_name(&user));
        }
    }
}
