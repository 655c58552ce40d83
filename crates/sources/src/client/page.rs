//! Fetches a page: its address is judged, then that of every redirect, and nothing is carried from one to the next.

use std::error::Error;
use std::sync::Arc;

use reqwest::header::{ACCEPT, LOCATION};
use reqwest::{Response, StatusCode, Url};
use tokio::time::Instant;

use run::error::PortError;
use transport::Service;

use super::attempt::{conditional, failure, unchanged};
use super::{Brought, Client, Course};
use crate::address::{self, NotPublic, Way};
use crate::cache::Kept;
use crate::media;
use crate::pace::Pace;

/// The most redirects that are followed for one page.
const MOST_REDIRECTS: usize = 5;

/// The most pages of one host that are fetched at the same time.
const AT_ONCE: usize = 2;

/// The preferred media types; any may come.
const WANTED: &str =
    "text/html, application/xhtml+xml, application/pdf;q=0.9, text/*;q=0.8, */*;q=0.5";

/// The answer of a host.
enum Met {
    Page(Brought),
    Redirect(Url),
}

impl Client {
    /// Fetches a page once, following redirects.
    pub(super) async fn page(
        &self,
        url: &Url,
        held: Option<&Kept>,
        until: Instant,
        course: &mut Course,
    ) -> Result<Brought, PortError> {
        let mut url = url.clone();
        for _ in 0..=MOST_REDIRECTS {
            let way = self.guard.judge(&url)?;
            let host = url.host_str().unwrap_or_default();
            let pace = self.pace_of(host);
            course.asked = None;
            let _turn = pace.turn(until).await?;
            course.asked = Some((Arc::clone(&pace), Instant::now()));
            match self.meet(&url, way, held).await? {
                Met::Page(brought) => return Ok(brought),
                Met::Redirect(next) => url = next,
            }
        }
        Err(PortError::Invalid {
            what: format!(
                "there are more than {MOST_REDIRECTS} redirects, the last of them at {}",
                url.host_str().unwrap_or_default()
            ),
        })
    }

    /// Returns the pace of a host's pages: that of the service they belong to, or else its own.
    fn pace_of(&self, host: &str) -> Arc<Pace> {
        let host = host.strip_suffix('.').unwrap_or(host);
        let within = |domain: &str| {
            host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        match self.shared.iter().find(|shared| within(shared.domain)) {
            Some(shared) => Arc::clone(&shared.pace),
            None => self.paces.host(host, self.settings.page_spacing, AT_ONCE),
        }
    }

    async fn meet(&self, url: &Url, way: Way, held: Option<&Kept>) -> Result<Met, PortError> {
        let host = url.host_str().unwrap_or_default();
        let service = Service { name: host, key: None };
        let http = self.http.pages(way)?;
        // Validators of a kept answer are only valid for the address where it was found.
        let held = held.filter(|kept| kept.head.url.as_deref() == Some(url.as_str()));
        let asked = conditional(http.get(url.clone()).header(ACCEPT, WANTED), held);
        let mut response = asked.send().await.map_err(|error| {
            if leads_nowhere_public(&error) {
                address::private(host)
            } else {
                service.network(&error)
            }
        })?;
        let refused = |status: StatusCode, reason: &str| PortError::Refused {
            service: host.to_owned(),
            status: status.as_u16(),
            reason: reason.to_owned(),
        };
        match response.status() {
            StatusCode::OK => {
                let (media_type, _) = media::named(response.headers());
                if let Some(what) = media::unreadable(&media_type) {
                    let what =
                        format!("{host} sends {what} ({media_type}), which quaestio does not read");
                    return Err(PortError::Invalid { what });
                }
                let kept = self.whole(response, service, Some(url.to_string())).await?;
                Ok(Met::Page(Brought::Answer(kept)))
            }
            StatusCode::NOT_MODIFIED => Ok(Met::Page(unchanged(response.headers()))),
            status if is_redirect(status) => {
                let next = location(&response).and_then(|to| follow(url, to));
                let next = next.map_err(|reason| refused(status, reason))?;
                Ok(Met::Redirect(next))
            }
            status if status.is_success() || status.is_redirection() => {
                Err(refused(status, "no page"))
            }
            _ => Err(failure(&mut response, service).await),
        }
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

const NOWHERE: &str = "a redirect that leads nowhere";

fn location(response: &Response) -> Result<&str, &'static str> {
    let location = response.headers().get(LOCATION).ok_or(NOWHERE)?;
    std::str::from_utf8(location.as_bytes()).map_err(|_| NOWHERE)
}

/// Returns the address that a redirect leads to, or why it is not followed. The address is judged before it is fetched.
fn follow(from: &Url, location: &str) -> Result<Url, &'static str> {
    let mut next = from.join(location).map_err(|_| NOWHERE)?;
    next.set_fragment(None);
    if from.scheme() == "https" && next.scheme() != "https" {
        return Err("a redirect from https to an insecure address, which is not followed");
    }
    Ok(next)
}

/// Returns whether the resolver found no address that may be reached.
fn leads_nowhere_public(error: &reqwest::Error) -> bool {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        if inner.is::<NotPublic>() {
            return true;
        }
        cause = inner.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A2
    #[test]
    fn a_redirect_is_followed_to_what_is_as_safe_as_where_it_comes_from() {
        let followed = |from: &str, location: &str| {
            follow(&Url::parse(from).unwrap(), location).ok().map(|url| url.to_string())
        };
        let page = Some("https://b.example/x".to_owned());
        assert_eq!(followed("https://b.example/a/", "/x#part"), page);
        assert_eq!(followed("https://a.example/", "//b.example/x"), page);
        assert_eq!(followed("http://a.example/", "https://b.example/x"), page);
        assert_eq!(followed("https://a.example/", "http://b.example/x"), None);
        assert_eq!(followed("https://a.example/", "HTTP:\\\\b.example/x"), None);
        assert_eq!(followed("https://a.example/", "ftp://b.example/x"), None);
        assert!(followed("http://a.example/", "http://b.example/x").is_some());
    }
}
