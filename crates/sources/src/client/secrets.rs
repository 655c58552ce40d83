//! Finds the keys in a request, so that no error or file contains them.

use reqwest::Url;

use run::error::PortError;

use crate::service::Request;

/// Query parameters in which some services expect a key.
const KEYS: &[&str] = &["api_key", "apikey", "api-key", "key", "token", "access_token"];

/// Returns the keys that a request carries.
pub(super) fn of(request: &Request) -> Vec<String> {
    let headers = request.headers.iter().filter(|(_, value)| value.is_sensitive());
    let headers = headers.filter_map(|(_, value)| {
        // The key in `Bearer …` is the last word.
        Some(value.to_str().ok()?.split_whitespace().last()?.to_owned())
    });
    let url = &request.url;
    let query = url.query_pairs().filter(|(name, _)| is_key(name));
    let query = query.map(|(_, value)| value.into_owned());
    let password = url.password().map(str::to_owned);
    headers.chain(query).chain(password).filter(|key| !key.is_empty()).collect()
}

/// Returns the address without the keys in it.
pub(super) fn without(url: &Url) -> Url {
    let mut bare = url.clone();
    // These fail only for addresses that cannot have either.
    let _ = bare.set_username("");
    let _ = bare.set_password(None);
    if url.query_pairs().any(|(name, _)| is_key(&name)) {
        bare.query_pairs_mut()
            .clear()
            .extend_pairs(url.query_pairs().filter(|(name, _)| !is_key(name)));
    }
    bare
}

fn is_key(name: &str) -> bool {
    KEYS.iter().any(|key| name.eq_ignore_ascii_case(key))
}

/// Returns the error without the keys.
pub(super) fn masked(mut error: PortError, secrets: &[String]) -> PortError {
    let text = match &mut error {
        PortError::Unreachable { reason, .. }
        | PortError::Refused { reason, .. }
        | PortError::Failed { reason, .. }
        | PortError::Store { reason, .. } => reason,
        PortError::Malformed { what, .. } | PortError::Invalid { what } => what,
        PortError::TimedOut { .. } | PortError::Limited { .. } | PortError::DiskFull { .. } => {
            return error;
        }
    };
    for secret in secrets {
        *text = text.replace(secret, "***");
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_found_wherever_they_stand_and_taken_out() {
        let url = "https://me:pass-word@example.org/search?q=gull&API_KEY=canary%201&mailto=a";
        let mut request = Request::get(Url::parse(url).unwrap());
        let mut value = reqwest::header::HeaderValue::from_static("Bearer canary-2");
        value.set_sensitive(true);
        request.headers.push((reqwest::header::AUTHORIZATION, value));
        request.headers.push((reqwest::header::ACCEPT, "text/html".parse().unwrap()));
        assert_eq!(of(&request), ["canary-2", "canary 1", "pass-word"]);
        assert_eq!(without(&request.url).as_str(), "https://example.org/search?q=gull&mailto=a");
        let plain = Url::parse("https://example.org/search?q=a+b%20c&x").unwrap();
        assert_eq!(without(&plain), plain);
        let error = PortError::Malformed { service: "s".into(), what: "a canary-2 b".into() };
        let what = "a *** b".into();
        assert_eq!(
            masked(error, &of(&request)),
            PortError::Malformed { service: "s".into(), what }
        );
    }
}
