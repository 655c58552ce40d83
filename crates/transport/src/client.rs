//! The HTTP client for a configured service.

use std::time::Duration;

use reqwest::redirect::Policy;

/// Builds a client for the service at `base_url` that never sends a key to another host.
pub fn client(
    base_url: &str,
    connect_timeout: Duration,
) -> Result<reqwest::Client, reqwest::Error> {
    let mut http = reqwest::Client::builder()
        .user_agent(concat!("quaestio/", env!("CARGO_PKG_VERSION")))
        // A redirect would carry the key to another host.
        .redirect(Policy::none())
        .connect_timeout(connect_timeout)
        .tcp_nodelay(true)
        // A small compressed reply can expand to gigabytes of text.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .no_proxy();
    if base_url.starts_with("http://") {
        // Without TLS, the system's certificates are not needed.
        http = http.tls_certs_only([]);
    }
    http.build().map_err(reqwest::Error::without_url)
}
