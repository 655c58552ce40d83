//! What is configured: addresses, headers, attributes, as OpenTelemetry writes them.

use std::fmt;
use std::str::FromStr;

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use transport::{NoBaseUrl, Secret, base_url};

/// Why a setting cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error(transparent)]
    Endpoint(#[from] NoBaseUrl),
    #[error("'{pair}' is not name=value")]
    Pair { pair: String },
    /// The value may be a key, so it is not named.
    #[error("the header '{name}' contains characters that are not allowed")]
    Header { name: String },
    #[error("could not set up the HTTP client: {reason}")]
    Client { reason: String },
}

/// How requests are encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
pub enum Protocol {
    #[default]
    #[serde(rename = "http/protobuf")]
    HttpProtobuf,
    #[serde(rename = "http/json")]
    HttpJson,
}

impl Protocol {
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Protocol::HttpProtobuf => "application/x-protobuf",
            Protocol::HttpJson => "application/json",
        }
    }
}

/// The address that one signal is sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint(pub(crate) Url);

impl Endpoint {
    /// Reads the address of a collector, below which a signal has its `path`.
    pub fn of_base(text: &str, path: &str) -> Result<Endpoint, SettingsError> {
        let mut url = base_url(text)?;
        url.set_path(&format!("{}{path}", url.path()));
        Ok(Endpoint(url))
    }

    /// Reads the address of one signal, which is used as it stands.
    pub fn of_signal(text: &str) -> Result<Endpoint, SettingsError> {
        let checked = base_url(text)?;
        // The trailing slash of a base is none of a signal's.
        Ok(Endpoint(Url::parse(text).unwrap_or(checked)))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The shortest value of a header, in bytes, that is masked in messages: masking a digit would garble them and hide nothing.
const SHORTEST_SECRET: usize = 6;

/// Headers that are sent with every request. Their values are secret.
#[derive(Debug, Clone, Default)]
pub struct Headers {
    pub(crate) map: HeaderMap,
    /// What no message may contain.
    pub(crate) secrets: Vec<Secret>,
}

impl FromStr for Headers {
    type Err = SettingsError;

    /// Reads `name=value,name=value`, values percent-encoded.
    fn from_str(text: &str) -> Result<Headers, SettingsError> {
        let mut headers = Headers::default();
        // What is wrong may be a key without its name.
        let hidden = |_| SettingsError::Pair { pair: "a header".to_owned() };
        for (name, value) in parse_pairs(text).map_err(hidden)? {
            let wrong = || SettingsError::Header { name: name.clone() };
            let header = HeaderName::from_str(&name).map_err(|_| wrong())?;
            let mut sent = HeaderValue::from_str(&value).map_err(|_| wrong())?;
            sent.set_sensitive(true);
            headers.map.insert(header, sent);
            // A scheme such as `Bearer` is no secret, what follows it is.
            let bare = value.rsplit(' ').next().unwrap_or_default().to_owned();
            let is_secret = |text: &String| text.len() >= SHORTEST_SECRET;
            let secrets = [value, bare].into_iter().filter(is_secret).map(Secret::from);
            headers.secrets.extend(secrets);
        }
        Ok(headers)
    }
}

/// Reads `name=value,name=value`, values percent-encoded, as OpenTelemetry writes headers and the attributes of a resource.
pub fn parse_pairs(text: &str) -> Result<Vec<(String, String)>, SettingsError> {
    let pairs = text.split(',').map(str::trim).filter(|pair| !pair.is_empty());
    let parse = |pair: &str| {
        let wrong = || SettingsError::Pair { pair: pair.to_owned() };
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        let (name, value) = (name.trim(), decode(value.trim()).ok_or_else(wrong)?);
        if name.is_empty() { Err(wrong()) } else { Ok((name.to_owned(), value)) }
    };
    pairs.map(parse).collect()
}

/// Decodes percent-encoding; `None` if the result is no text.
fn decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [byte, tail @ ..] = rest {
        let coded = match (byte, tail) {
            (b'%', [high, low, ..]) => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                digit(*high)
                    .zip(digit(*low))
                    .and_then(|(high, low)| u8::try_from(high * 16 + low).ok())
            }
            _ => None,
        };
        bytes.push(coded.unwrap_or(*byte));
        rest = tail.get(if coded.is_some() { 2 } else { 0 }..).unwrap_or_default();
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    // proves: F7
    #[test]
    fn a_signal_has_its_path_below_the_base_or_an_address_of_its_own() {
        for (base, url) in [
            ("http://collector:4318", "http://collector:4318/v1/traces"),
            ("http://collector:4318/", "http://collector:4318/v1/traces"),
            ("https://otlp.example.org/tenant", "https://otlp.example.org/tenant/v1/traces"),
        ] {
            assert_eq!(Endpoint::of_base(base, "v1/traces").unwrap().to_string(), url);
        }
        for url in ["https://otlp.example.org/traces", "https://otlp.example.org/in?tenant=7"] {
            assert_eq!(Endpoint::of_signal(url).unwrap().to_string(), url);
        }
        for wrong in ["collector:4317", "grpc://collector", "", "https://me:pw@collector"] {
            assert!(Endpoint::of_base(wrong, "v1/traces").is_err(), "{wrong}");
            assert!(Endpoint::of_signal(wrong).is_err(), "{wrong}");
        }
    }

    // proves: F7
    #[test]
    fn headers_are_read_and_never_printed() {
        let headers: Headers =
            "api-key=canary%2D1, authorization=Basic%20Y2FuYXJ5".parse().unwrap();
        assert_eq!(headers.map["api-key"], "canary-1");
        assert_eq!(headers.map["authorization"], "Basic Y2FuYXJ5");
        let shown = format!("{headers:?}");
        assert!(!shown.contains("canary") && !shown.contains("Y2FuYXJ5"), "{shown}");
        for wrong in ["canary", "a b=canary", "key=canary%0A", "=canary"] {
            let error = wrong.parse::<Headers>().unwrap_err().to_string();
            assert!(!error.contains("canary"), "{error}");
        }
    }

    proptest! {
        // proves: F7
        #[test]
        fn any_text_is_read_as_pairs_or_refused(text in any::<String>()) {
            let _ = parse_pairs(&text);
            let _ = text.parse::<Headers>();
            let _ = (Endpoint::of_base(&text, "v1/traces"), Endpoint::of_signal(&text));
        }
    }
}
