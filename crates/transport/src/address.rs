//! The configured address of a service.

use reqwest::Url;

use crate::secret::without_userinfo;

/// The reason why a base URL cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid base URL '{url}': {reason}")]
pub struct NoBaseUrl {
    /// The URL, with user and password masked.
    pub url: String,
    pub reason: String,
}

/// Reads a service's base URL: http or https, without a key in it. The result ends in a slash.
pub fn base_url(text: &str) -> Result<Url, NoBaseUrl> {
    let refuse =
        |reason: &str| NoBaseUrl { url: without_userinfo(text), reason: reason.to_owned() };
    let mut url = Url::parse(text).map_err(|error| refuse(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(refuse("it must begin with http:// or https://"));
    }
    const KEY: &str = "it contains a key; put the key into its environment variable instead";
    if !url.username().is_empty() || url.password().is_some() {
        return Err(refuse(KEY));
    }
    let secret = |(name, _): (std::borrow::Cow<'_, str>, _)| {
        let name = name.to_lowercase();
        ["key", "token", "secret", "password"].iter().any(|word| name.contains(word))
    };
    if url.query_pairs().any(secret) {
        let url = text.split('?').next().unwrap_or_default().to_owned();
        return Err(NoBaseUrl { url, reason: KEY.to_owned() });
    }
    if !url.path().ends_with('/') {
        let path = format!("{}/", url.path());
        url.set_path(&path);
    }
    Ok(url)
}
