//! Builds the headers that carry keys.

use reqwest::header::{HeaderName, HeaderValue};

use transport::Secret;

/// Returns the header with a key after `before`, marked as sensitive. Returns `None` if a header cannot hold it; the service then says
/// that it needs a key.
pub(crate) fn build_header(
    name: &'static str,
    before: &str,
    key: &Secret,
) -> Option<(HeaderName, HeaderValue)> {
    let mut value = HeaderValue::from_str(&format!("{before}{}", key.reveal().trim())).ok()?;
    value.set_sensitive(true);
    Some((HeaderName::from_static(name), value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_carried_and_not_shown() {
        let key = Secret::from(" canary-1\n".to_owned());
        let header = build_header("authorization", "Bearer ", &key).unwrap();
        assert_eq!(header.1, "Bearer canary-1");
        assert!(!format!("{header:?}").contains("canary"));
        let broken = Secret::from("a\nb".to_owned());
        assert_eq!(super::build_header("authorization", "", &broken), None);
    }
}
