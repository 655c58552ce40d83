//! The client that asks a configured service.

use std::time::Duration;

use reqwest::redirect::Policy;

/// Returns a client for the service at `base_url`, which never carries a key further than it was asked to.
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
        // A small compressed reply can be gigabytes of text.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate()
        .no_proxy();
    if base_url.starts_with("http://") {
        // Without TLS there is no need to read the system's certificates.
        http = http.tls_certs_only([]);
    }
    http.build().map_err(reqwest::Error::without_url)
}
