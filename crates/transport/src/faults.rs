//! Maps errors of the network and the server to the port's few errors.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use serde_json::Value;

use run::error::PortError;

use crate::secret::Secret;

/// The longest excerpt of a server's own words in an error.
const EXCERPT: usize = 300;

/// The description of a reply that exceeded its limit.
pub const TOO_LONG: &str = "far more data than was asked for";

/// The service that is called, and the key that no error may contain.
#[derive(Clone, Copy)]
pub struct Service<'a> {
    pub name: &'a str,
    pub key: Option<&'a Secret>,
}

impl Service<'_> {
    pub fn malformed(self, what: &str) -> PortError {
        PortError::Malformed { service: self.name.to_owned(), what: what.to_owned() }
    }

    /// Returns the error for a body that is not JSON.
    pub fn not_json(self, body: &[u8], content_type: &str, cause: &serde_json::Error) -> PortError {
        let body = String::from_utf8_lossy(body);
        if body.trim().is_empty() {
            self.malformed("nothing")
        } else if content_type.contains("json") {
            self.malformed(&format!("broken JSON: {cause}"))
        } else {
            self.malformed(&describe(&body, content_type, self.key))
        }
    }

    /// Returns the error for a reply that the service withheld, whether or not it was generated.
    pub fn withheld(self, why: &str) -> PortError {
        let reason = excerpt(why, self.key);
        PortError::Refused { service: self.name.to_owned(), status: 200, reason }
    }

    pub fn network(self, error: &reqwest::Error) -> PortError {
        // The innermost cause says most ("connection refused"), and no cause names the URL.
        let mut cause: &dyn std::error::Error = error;
        while let Some(inner) = cause.source() {
            cause = inner;
        }
        let reason = excerpt(&cause.to_string(), self.key);
        if error.is_connect() {
            return PortError::Unreachable { service: self.name.to_owned(), reason };
        }
        // The request had been sent: something may have been generated and billed.
        self.malformed(&format!("the connection broke: {reason}"))
    }

    /// Maps an error sent instead of a reply, by the code in it.
    pub fn in_band(self, error: &Value) -> PortError {
        let code = ["code", "status", "status_code"].iter().find_map(|name| {
            let code = error.get(name)?;
            code.as_u64().or_else(|| code.as_str()?.parse().ok())
        });
        let kind = error.get("type").and_then(Value::as_str).unwrap_or_default();
        let code = code.or_else(|| status_of(kind));
        let code = code.and_then(|code| StatusCode::from_u16(u16::try_from(code).ok()?).ok());
        let body = error.to_string();
        match code.filter(|code| code.is_client_error() || code.is_server_error()) {
            Some(status) => self.refused(status, &HeaderMap::new(), &body),
            None => self.malformed(&format!("an error: {}", describe(&body, "", self.key))),
        }
    }

    pub fn refused(self, status: StatusCode, headers: &HeaderMap, body: &str) -> PortError {
        let service = self.name.to_owned();
        let content_type =
            headers.get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let reason = describe(body, content_type, self.key);
        match status {
            StatusCode::TOO_MANY_REQUESTS => PortError::Limited {
                service,
                retry_after: retry_after(headers).or_else(|| retry_delay(body)),
            },
            StatusCode::REQUEST_TIMEOUT => {
                PortError::Failed { service, status: status.as_u16(), reason }
            }
            status if status.is_server_error() => {
                PortError::Failed { service, status: status.as_u16(), reason }
            }
            status => PortError::Refused { service, status: status.as_u16(), reason },
        }
    }
}

/// Returns the status that Anthropic's documentation assigns to this error type.
fn status_of(kind: &str) -> Option<u64> {
    Some(match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "api_error" => 500,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

/// Finds Google's `RetryInfo` in the body of an error: `"retryDelay": "34.5s"`.
fn retry_delay(body: &str) -> Option<Duration> {
    let body: Value = serde_json::from_str(body).ok()?;
    let error = body.get(0).unwrap_or(&body);
    let error = error.get("error").unwrap_or(error);
    let details = error.get("details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    let seconds: f64 = delay.strip_suffix('s')?.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// Reads Retry-After: seconds, or a date (RFC 9110, 10.2.3), possibly in the past.
pub fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name: &str| Some(headers.get(name)?.to_str().ok()?.trim());
    let number = |name: &str| text(name)?.parse::<f64>().ok();
    let seconds = number("retry-after-ms").map(|ms| ms / 1e3).or_else(|| number("retry-after"));
    if let Some(seconds) = seconds {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    // The date counts even if its weekday is wrong.
    let dates = rfc2822::DateTimeParser::new().relaxed_weekday(true);
    let date = dates.parse_timestamp(text("retry-after")?).ok()?;
    Some(date.duration_since(Timestamp::now()).try_into().unwrap_or_default())
}

/// Describes a body in one line: the server's own message, the title of a page, or its beginning.
fn describe(body: &str, content_type: &str, key: Option<&Secret>) -> String {
    let body = body.trim();
    if body.is_empty() {
        return "an empty body".into();
    }
    let lower = body.get(..200).unwrap_or(body).to_ascii_lowercase();
    if content_type.contains("html") || lower.starts_with("<!doctype") || lower.starts_with("<html")
    {
        let title = body.split_once("<title>").and_then(|(_, rest)| rest.split_once("</title>"));
        return match title {
            Some((title, _)) => format!("an HTML page titled '{}'", excerpt(title.trim(), key)),
            None => "an HTML page".into(),
        };
    }
    let parsed = serde_json::from_str(body).unwrap_or(Value::Null);
    excerpt(message(&parsed).unwrap_or(body), key)
}

/// Finds the message in the usual error formats: `{"error": {"message": …}}`, a list of these, or a part of it.
fn message(body: &Value) -> Option<&str> {
    match body {
        Value::String(text) => Some(text.as_str()).filter(|text| !text.trim().is_empty()),
        Value::Array(items) => items.iter().find_map(message),
        Value::Object(object) => ["message", "error", "detail", "msg"]
            .iter()
            .find_map(|name| message(object.get(*name)?)),
        _ => None,
    }
}

/// Cuts a text to one short line and masks the key in it.
fn excerpt(text: &str, key: Option<&Secret>) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = match key {
        Some(key) if !key.reveal().is_empty() => line.replace(key.reveal(), "***"),
        _ => line,
    };
    match line.char_indices().nth(EXCERPT) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Returns whether a retry may help: 408, 429, 5xx, connections that fail or break off.
pub fn may_pass(error: &PortError) -> bool {
    match error {
        PortError::Limited { .. } | PortError::Unreachable { .. } | PortError::Failed { .. } => {
            true
        }
        PortError::Malformed { .. } => true,
        PortError::TimedOut { .. }
        | PortError::Refused { .. }
        | PortError::Invalid { .. }
        | PortError::Store { .. }
        | PortError::DiskFull { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_words_are_one_short_line_without_the_key() {
        let key = Secret::from("sk-canary-123456".to_owned());
        let page = "<!DOCTYPE html><html><title>502 Bad\nGateway</title>";
        assert_eq!(describe(page, "text/html", None), "an HTML page titled '502 Bad Gateway'");
        let json = r#"{"error": {"message": "key sk-canary-123456 is wrong", "type": "auth"}}"#;
        assert_eq!(describe(json, "application/json", Some(&key)), "key *** is wrong");
        assert_eq!(describe("", "", None), "an empty body");
        assert!(describe(&"é".repeat(5_000), "", None).chars().count() <= EXCERPT + 1);
    }

    #[test]
    fn retry_after_reads_seconds_milliseconds_and_dates() {
        let headers = |name: &'static str, value: &'static str| {
            HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
        };
        assert_eq!(retry_after(&headers("retry-after", "2")), Some(Duration::from_secs(2)));
        assert_eq!(
            retry_after(&headers("retry-after-ms", "250")),
            Some(Duration::from_millis(250))
        );
        assert_eq!(retry_after(&headers("retry-after", "-1")), None);
        let past = retry_after(&headers("retry-after", "Wed, 21 Oct 2020 07:28:00 GMT"));
        assert_eq!(past, Some(Duration::ZERO));
        let ahead = retry_after(&headers("retry-after", "Tue, 31 Dec 2999 23:59:59 GMT"));
        assert!(ahead > Some(Duration::from_secs(86_400)));
        // That day is a Tuesday.
        let ahead = retry_after(&headers("retry-after", "Fri, 31 Dec 2999 23:59:59 GMT"));
        assert!(ahead > Some(Duration::from_secs(86_400)));
        assert_eq!(retry_after(&headers("retry-after", "soon")), None);
    }
}
