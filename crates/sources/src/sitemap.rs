//! The pages of a site, from its sitemap or a feed.
//!
//! Sitemaps of sitemaps are followed, on the same host only, compressed ones too. What `robots.txt` asks programs to leave alone is left
//! out, and the pause that it asks for is told. Requests are spaced as all requests to a host are.

use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::io::Read as _;
use std::time::Duration;

use flate2::read::MultiGzDecoder;
use quick_xml::events::Event;
use quick_xml::{Reader, XmlVersion};
use reqwest::Url;
use run::error::PortError;
use run::sources::Sources;

/// The most sitemaps that are read for one.
const MOST_SITEMAPS: usize = 50;
/// The most bytes of a `robots.txt` that are read.
const ROBOTS_BYTES: usize = 500 * 1024;
/// The most bytes of a sitemap, unpacked; the protocol allows 50 MB.
const SITEMAP_BYTES: u64 = 64 << 20;
/// The longest pause between two pages that a site is granted.
const LONGEST_PAUSE: f64 = 60.0;
/// The name by which `robots.txt` knows this program.
const NAME: &str = "quaestio";

/// The pages that a site lists.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SitePages {
    /// In the order of the listing, each once.
    pub pages: Vec<SitePage>,
    /// How long the site asks programs to wait between two pages, at most a minute.
    pub pause: Duration,
    /// How many more there are.
    pub beyond: usize,
    /// How many `robots.txt` asks to leave alone.
    pub disallowed: usize,
    /// How many lie on another host.
    pub elsewhere: usize,
    /// Sitemaps that could not be read, and why.
    pub unread: Vec<(String, String)>,
}

/// A page that a site lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SitePage {
    pub url: String,
    /// When it was last changed, as the site says: a date or a time as in RFC 3339.
    pub changed_at: Option<String>,
}

/// Returns at most `most` pages that the sitemap or feed at `url` lists, on its host.
///
/// # Errors
///
/// If it cannot be fetched, or is neither a sitemap nor a feed.
pub async fn list_pages(
    sources: &dyn Sources,
    url: &str,
    most: usize,
) -> Result<SitePages, PortError> {
    let invalid = |what: String| PortError::Invalid { what };
    let top =
        Url::parse(url).map_err(|error| invalid(format!("'{url}' is no address: {error}")))?;
    let robots = fetch_robots(sources, &top).await;
    let pause = robots.as_ref().map(|robots| robots.pause).unwrap_or_default();
    let mut found = SitePages { pause, ..SitePages::default() };
    let mut seen = BTreeSet::new();
    let mut open: VecDeque<String> = VecDeque::from([url.to_owned()]);
    let mut read = BTreeSet::new();
    while let Some(next) = open.pop_front() {
        if !read.insert(next.clone()) {
            continue;
        }
        let is_first = read.len() == 1;
        if read.len() > MOST_SITEMAPS {
            let reason = format!("more than {MOST_SITEMAPS} sitemaps");
            found.unread.push((next, reason));
            break;
        }
        let fetched = sources.fetch(&next).await;
        let listing = fetched.and_then(|fetched| {
            let listed = unpacked(&fetched.bytes).and_then(|bytes| read_listing(&bytes));
            listed.ok_or_else(|| {
                invalid(format!(
                    "{} is neither a sitemap nor a feed",
                    crate::without_userinfo(&next)
                ))
            })
        });
        let listing = match listing {
            Ok(listing) => listing,
            Err(error) if is_first => return Err(error),
            Err(error) => {
                found.unread.push((next, error.to_string()));
                continue;
            }
        };
        let absolute = |address: &String| top.join(address).ok();
        let is_here = |address: &Url| address.host_str() == top.host_str();
        open.extend(listing.sitemaps.iter().filter_map(absolute).filter(is_here).map(String::from));
        for SitePage { url, changed_at } in listing.pages {
            let Some(page) = absolute(&url) else { continue };
            if !seen.insert(page.to_string()) {
                continue;
            }
            match () {
                () if !is_here(&page) => found.elsewhere += 1,
                () if robots.as_ref().is_some_and(|robots| !robots.allow(&page)) => {
                    found.disallowed += 1;
                }
                () if found.pages.len() >= most => found.beyond += 1,
                () => found.pages.push(SitePage { url: page.into(), changed_at }),
            }
        }
    }
    Ok(found)
}

/// Returns what a site asks of programs; `None` if it asks nothing.
async fn fetch_robots(sources: &dyn Sources, site: &Url) -> Option<Robots> {
    let fetched = sources.fetch(site.join("/robots.txt").ok()?.as_str()).await.ok()?;
    let kept = &fetched.bytes[..fetched.bytes.len().min(ROBOTS_BYTES)];
    Some(Robots::read(&String::from_utf8_lossy(kept)))
}

/// Returns the bytes of a listing that may be compressed; `None` if they are damaged or too many.
fn unpacked(bytes: &[u8]) -> Option<Cow<'_, [u8]>> {
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Some(bytes.into());
    }
    let mut plain = Vec::new();
    let mut unpacking = MultiGzDecoder::new(bytes).take(SITEMAP_BYTES + 1);
    unpacking.read_to_end(&mut plain).ok()?;
    (plain.len() as u64 <= SITEMAP_BYTES).then(|| plain.into())
}

/// The rules of a `robots.txt` for this program, as RFC 9309 has them.
#[derive(Debug, Default)]
struct Robots {
    /// The pattern of each rule, and whether it allows.
    rules: Vec<(String, bool)>,
    /// How long to wait between two requests.
    pause: Duration,
}

impl Robots {
    /// Reads the group for this program, or that for all.
    fn read(text: &str) -> Robots {
        let (mut own, mut general) = (None::<Robots>, Robots::default());
        // Whether the group that is open is for this program or for all, and whether its names are still being listed.
        let (mut is_own, mut is_general, mut is_naming) = (false, false, false);
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let (key, value) = (key.trim().to_ascii_lowercase(), value.trim());
            match key.as_str() {
                "user-agent" => {
                    if !is_naming {
                        (is_own, is_general) = (false, false);
                    }
                    is_naming = true;
                    is_general |= value == "*";
                    is_own |= value.to_ascii_lowercase().starts_with(NAME);
                }
                "allow" | "disallow" => {
                    is_naming = false;
                    let rule = (value.to_owned(), key == "allow");
                    // A rule without a path closes nothing.
                    let rules = (!value.is_empty()).then_some(rule);
                    if is_own {
                        own.get_or_insert_default().rules.extend(rules.clone());
                    }
                    if is_general {
                        general.rules.extend(rules);
                    }
                }
                "crawl-delay" => {
                    is_naming = false;
                    let seconds = value.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
                    let pause = seconds.map(|it| Duration::from_secs_f64(it.min(LONGEST_PAUSE)));
                    let pause = pause.unwrap_or_default();
                    if is_own {
                        own.get_or_insert_default().pause = pause;
                    }
                    if is_general {
                        general.pause = pause;
                    }
                }
                _ => {}
            }
        }
        own.unwrap_or(general)
    }

    /// Returns whether the longest rule that fits the address allows it; of two as long, the one that does.
    fn allow(&self, address: &Url) -> bool {
        let query = address.query().map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", address.path());
        let fitting = self.rules.iter().filter(|(pattern, _)| fits(pattern, &path));
        let best = fitting.max_by_key(|(pattern, allows)| (pattern.len(), *allows));
        best.is_none_or(|(_, allows)| *allows)
    }
}

/// Returns whether a path begins as a pattern says: `*` is any text, and `$` at its end the end of the path.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, is_whole) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let parts: Vec<&str> = parts.collect();
    for (index, part) in parts.iter().enumerate() {
        if is_whole && index + 1 == parts.len() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    !is_whole || rest.is_empty()
}

/// What a sitemap or a feed lists.
#[derive(Debug, Default, PartialEq, Eq)]
struct Listing {
    pages: Vec<SitePage>,
    sitemaps: Vec<String>,
}

/// Reads a sitemap, an RSS or Atom feed, or a text with an address on each line; `None` if it is none of these.
fn read_listing(bytes: &[u8]) -> Option<Listing> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with('<') {
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let all =
            lines.iter().all(|line| line.starts_with("http://") || line.starts_with("https://"));
        let pages = lines.iter().map(|line| SitePage { url: (*line).to_owned(), changed_at: None });
        let pages = pages.collect();
        return (all && !lines.is_empty()).then_some(Listing { pages, sitemaps: Vec::new() });
    }
    let mut reader = Reader::from_str(text);
    let mut listing = Listing::default();
    let mut path: Vec<String> = Vec::new();
    let mut words = String::new();
    let mut is_listing = false;
    // Of the entry that is open.
    let (mut address, mut changed_at) = (None, None);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) => {
                let name = start.local_name().as_ref().to_owned();
                is_listing |= path.is_empty()
                    && matches!(&*name, "urlset" | "sitemapindex" | "rss" | "feed" | "RDF");
                note_link(&path, &start, &mut address);
                path.push(name);
                words.clear();
            }
            Event::Empty(start) => note_link(&path, &start, &mut address),
            Event::Text(part) => words.push_str(&part.xml10_content()),
            Event::CData(part) => words.push_str(&part.xml10_content()),
            Event::GeneralRef(entity) => {
                let name = entity.xml10_content();
                let known = quick_xml::escape::resolve_predefined_entity(&name);
                words.push_str(known.unwrap_or_default());
            }
            Event::End(_) => {
                let name = path.pop()?;
                let parent = path.last().map_or("", String::as_str);
                let said = Some(words.trim().to_owned()).filter(|said| !said.is_empty());
                match (parent, &*name) {
                    ("sitemap", "loc") => listing.sitemaps.extend(said),
                    ("url", "loc") | ("item", "link") => address = said.or(address),
                    ("url", "lastmod") | ("entry", "updated") => changed_at = said,
                    (_, "url" | "item" | "entry") => {
                        let changed_at = changed_at.take();
                        let page = address.take().map(|url| SitePage { url, changed_at });
                        listing.pages.extend(page);
                    }
                    _ => {}
                }
                words.clear();
            }
            Event::Eof if !path.is_empty() => return None,
            Event::Eof => break,
            _ => {}
        }
        if path.is_empty() && !is_listing && reader.buffer_position() > 4096 {
            return None;
        }
    }
    is_listing.then_some(listing)
}

/// Takes up the address of an entry of an Atom feed.
fn note_link(path: &[String], start: &quick_xml::events::BytesStart, address: &mut Option<String>) {
    if path.last().is_none_or(|parent| parent != "entry") || start.local_name().as_ref() != "link" {
        return;
    }
    let value = |name: &str| {
        let found = start.attributes().flatten().find(|it| it.key.local_name().as_ref() == name);
        found.and_then(|it| it.normalized_value(XmlVersion::Implicit1_0).ok())
    };
    if value("rel").is_none_or(|rel| rel == "alternate") {
        *address = address.take().or(value("href").map(|href| href.into_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: A6
    #[test]
    fn a_site_closes_what_it_asks_programs_to_leave_alone() {
        let allows = |text: &str, path: &str| {
            Robots::read(text).allow(&Url::parse(&format!("https://a.org{path}")).unwrap())
        };
        let text = "User-agent: other\nDisallow: /\n\nUser-Agent: *\nUser-agent: more\nDisallow: /private # all of it\nAllow: /private/open\nDisallow: /*.php$\nDisallow:\nDisallow: /a*b\n";
        for (path, allowed) in [
            ("/", true),
            ("/private", false),
            ("/private/x", false),
            ("/private/open/x", true),
            ("/x.php", false),
            ("/x.php?y", true),
            ("/axxb", false),
            ("/ax", true),
        ] {
            assert_eq!(allows(text, path), allowed, "{path}");
        }
        let own = "User-agent: *\nDisallow: /\nUser-agent: Quaestio/1.0\nDisallow: /x\n";
        assert!(allows(own, "/y") && !allows(own, "/x"));
        let pause = |text: &str| Robots::read(text).pause.as_secs_f64();
        assert_eq!(
            pause("User-agent: *\nCrawl-delay: 2.5\nUser-agent: other\nCrawl-delay: 9"),
            2.5
        );
        assert_eq!(pause("User-agent: *\nCrawl-delay: 86400"), 60.0);
        assert_eq!(pause("User-agent: *\nCrawl-delay: NaN\nCrawl-delay: -1"), 0.0);
        assert!(allows("", "/") && allows("<html>no rules</html>", "/"));
    }

    fn listing(pages: &[&str], sitemaps: &[&str]) -> Option<Listing> {
        let own =
            |all: &[&str]| -> Vec<String> { all.iter().map(|one| (*one).to_owned()).collect() };
        let pages = own(pages).into_iter().map(|url| SitePage { url, changed_at: None }).collect();
        Some(Listing { pages, sitemaps: own(sitemaps) })
    }

    // proves: A6
    #[test]
    fn a_compressed_sitemap_is_unpacked_within_bounds() {
        use std::io::Write as _;
        let pack = |bytes: &[u8]| {
            let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            packed.write_all(bytes).unwrap();
            packed.finish().unwrap()
        };
        let map = pack(b"<urlset><url><loc>https://a.org/1</loc></url></urlset>");
        assert_eq!(read_listing(&unpacked(&map).unwrap()), listing(&["https://a.org/1"], &[]));
        assert_eq!(unpacked(&map[..20]), None);
        assert_eq!(unpacked(&pack(&vec![b' '; SITEMAP_BYTES as usize + 1])), None);
    }

    // proves: A6
    #[test]
    fn sitemaps_and_feeds_list_their_pages() {
        let map = "\u{feff}<?xml version='1.0'?><urlset xmlns='s'><url><loc> https://a.org/?a=1&amp;b=2 </loc><image><loc>x</loc></image></url></urlset>";
        assert_eq!(read_listing(map.as_bytes()), listing(&["https://a.org/?a=1&b=2"], &[]));
        let index =
            "<sitemapindex><sitemap><loc>https://a.org/b.xml</loc></sitemap></sitemapindex>";
        assert_eq!(read_listing(index.as_bytes()), listing(&[], &["https://a.org/b.xml"]));
        let rss = "<rss><channel><link>https://a.org</link><item><link><![CDATA[https://a.org/1]]></link></item></channel></rss>";
        assert_eq!(read_listing(rss.as_bytes()), listing(&["https://a.org/1"], &[]));
        let atom = "<feed><link href='https://a.org'/><entry><link rel='edit' href='/e'/><link href='/1'/></entry></feed>";
        assert_eq!(read_listing(atom.as_bytes()), listing(&["/1"], &[]));
        let text = "https://a.org/1\nhttps://a.org/2\n";
        assert_eq!(
            read_listing(text.as_bytes()),
            listing(&["https://a.org/1", "https://a.org/2"], &[])
        );
        let dated = "<urlset><url><loc>https://a.org/1</loc><lastmod>2024-05-08</lastmod></url><url><lastmod>2023</lastmod></url><url><loc>https://a.org/2</loc></url></urlset>";
        let dates: Vec<_> = read_listing(dated.as_bytes())
            .unwrap()
            .pages
            .into_iter()
            .map(|it| it.changed_at)
            .collect();
        assert_eq!(dates, [Some("2024-05-08".to_owned()), None]);
        for other in ["", "notes", "<html><body>no</body></html>", "<urlset><url>", "{}"] {
            assert_eq!(read_listing(other.as_bytes()), None, "{other}");
        }
    }
}
