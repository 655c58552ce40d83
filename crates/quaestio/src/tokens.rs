//! Access to the server: tokens from a file and from the environment, read here and stored nowhere else.

use server::Tokens;

use crate::config::{Config, METRICS_TOKEN_VARIABLE, TOKENS_VARIABLE};
use crate::failure::Failure;

/// Returns the configured tokens; empty if the server has no authentication.
pub(crate) fn tokens(config: &Config) -> Result<Tokens, Failure> {
    let path = &config.server.tokens;
    let file = match path.as_str() {
        "" => None,
        path => Some(std::fs::read_to_string(path).map_err(|error| {
            Failure::usage(
                format!("could not read the tokens in {path}: {error}"),
                "correct server.tokens, or the file's permissions",
            )
        })?),
    };
    let variable = std::env::var(TOKENS_VARIABLE).ok();
    of(path, file.as_deref(), variable.as_deref())
}

/// Returns the token of the metrics, if they have one of their own.
pub(crate) fn metrics_tokens() -> Result<Tokens, Failure> {
    let Ok(token) = std::env::var(METRICS_TOKEN_VARIABLE) else { return Ok(Tokens::default()) };
    let hint = "use at least 16 characters; create one with `openssl rand -hex 32`";
    Tokens::read(&format!("metrics {token}")).ok().filter(|read| !read.is_empty()).ok_or_else(
        || Failure::usage(format!("the token in {METRICS_TOKEN_VARIABLE} is not valid"), hint),
    )
}

fn of(path: &str, file: Option<&str>, variable: Option<&str>) -> Result<Tokens, Failure> {
    const HINT: &str = "write `user token` on each line; a token has at least 16 characters, create one with `openssl rand -hex 32`";
    let listed = variable.map(lines);
    let mut all = String::new();
    for (name, lines) in [(path, file), (TOKENS_VARIABLE, listed.as_deref())] {
        let Some(lines) = lines else { continue };
        let read = Tokens::read(lines)
            .map_err(|error| Failure::usage(format!("the tokens in {name}: {error}"), HINT))?;
        // A configured list means that no one else is let in, so it cannot be empty.
        if read.is_empty() {
            return Err(Failure::usage(format!("there is no token in {name}"), HINT));
        }
        all.push_str(lines);
        all.push('\n');
    }
    let together = Tokens::read(&all);
    together.map_err(|error| {
        Failure::usage(format!("the tokens in {path} and {TOKENS_VARIABLE}: {error}"), HINT)
    })
}

/// Returns `alice:token,bob:token` as lines.
fn lines(listed: &str) -> String {
    let entries = listed.split(',').map(|entry| entry.trim().replacen(':', " ", 1));
    entries.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F8
    #[test]
    fn tokens_come_from_the_file_and_from_the_environment() {
        let (alice, bob) = ("alice 0123456789abcdef", "bob:fedcba9876543210");
        assert!(of("", None, None).unwrap().is_empty());
        for (file, variable) in [(Some(alice), None), (None, Some(bob)), (Some(alice), Some(bob))] {
            assert!(!of("tokens", file, variable).unwrap().is_empty());
        }
        assert_eq!(lines("a:1, b:2:3"), "a 1\nb 2:3");
    }

    // proves: F8
    #[test]
    fn a_list_that_lets_everybody_in_is_refused_and_no_token_is_told() {
        for (file, variable, told) in [
            (Some(""), None, "no token in tokens"),
            (Some("# nobody yet\n"), None, "no token in tokens"),
            (None, Some(""), "no token in QUAESTIO_TOKENS"),
            (None, Some("secretsecretsecret"), "QUAESTIO_TOKENS: line 1"),
            (None, Some("alice:short"), "QUAESTIO_TOKENS: line 1"),
            (Some("alice secretsecretsecret"), Some("bob:secretsecretsecret"), "another user"),
        ] {
            let refused = of("tokens", file, variable).unwrap_err();
            assert!(refused.what.contains(told), "{refused}");
            assert!(!refused.to_string().contains("secret"), "{refused}");
        }
    }
}
