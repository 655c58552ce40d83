//! The files of the page: few, compressed, kept by the browser for good.

use std::io::Read as _;

use crate::raw::{Raw, ask};
use crate::stage::Stage;

async fn fetch(stage: &Stage, path: &str, more: &[&str]) -> Raw {
    let host = format!("Host: {}", stage.address);
    let line = format!("GET {path} HTTP/1.1");
    let lines: Vec<&str> = [line.as_str(), &host].into_iter().chain(more.iter().copied()).collect();
    ask(stage.address, &lines, b"").await
}

/// Returns the addresses that the first page names.
fn named(page: &str) -> Vec<&str> {
    let ends = page.split("\"/page/").skip(1).filter_map(|rest| rest.split('"').next());
    let starts = ends.filter_map(|end| {
        let start = end.as_ptr() as usize - page.as_ptr() as usize - "/page/".len();
        page.get(start..start + "/page/".len() + end.len())
    });
    starts.collect()
}

fn decoded(raw: &Raw) -> Vec<u8> {
    let mut plain = vec![];
    match raw.header("content-encoding") {
        Some("gzip") => {
            flate2::read::GzDecoder::new(&*raw.body).read_to_end(&mut plain).unwrap();
        }
        Some("br") => brotli::BrotliDecompress(&mut &*raw.body, &mut plain).unwrap(),
        None => plain.clone_from(&raw.body),
        Some(other) => panic!("{other} was not asked for"),
    }
    plain
}

// proves: F3
#[tokio::test(flavor = "multi_thread")]
async fn what_the_first_page_names_is_kept_for_good_and_comes_compressed() {
    let stage = Stage::open().await;
    let first = fetch(&stage, "/", &[]).await;
    assert_eq!(first.header("cache-control"), Some("no-cache"));
    let text = first.text();
    let mut paths = named(&text);
    paths.sort_unstable();
    paths.dedup();
    assert!((3..=5).contains(&paths.len()), "{paths:?}");
    for path in paths {
        let plain = fetch(&stage, path, &[]).await;
        assert_eq!(plain.status, 200, "{path}");
        assert_eq!(plain.header("cache-control"), Some("public, max-age=31536000, immutable"));
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        for (accepted, coding) in [("gzip, deflate, br, zstd", "br"), ("br;q=0, gzip", "gzip")] {
            let raw = fetch(&stage, path, &[&format!("Accept-Encoding: {accepted}")]).await;
            assert_eq!(decoded(&raw), plain.body, "{path} as {coding}");
            assert_eq!(raw.header("vary"), Some("accept-encoding"));
            if plain.body.len() > 10_000 {
                assert_eq!(raw.header("content-encoding"), Some(coding), "{path}");
                assert!(raw.body.len() * 2 < plain.body.len(), "{path} as {coding}");
            }
            let tag = raw.header("etag").unwrap();
            let known = ["Accept-Encoding: ", accepted].concat();
            let again = fetch(&stage, path, &[&known, &format!("If-None-Match: {tag}")]).await;
            assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
            let other = fetch(&stage, path, &[&format!("If-None-Match: {tag}")]).await;
            assert_eq!(other.status == 304, raw.header("content-encoding").is_none(), "{path}");
        }
    }
}

// proves: F3
#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_version_gets_what_there_is_now_and_does_not_keep_it() {
    let stage = Stage::open().await;
    let old = fetch(&stage, "/page/0123456789abcdef/js/main.js", &[]).await;
    assert_eq!((old.status, old.header("cache-control")), (200, Some("no-cache")));
    for path in ["/page/js/main.js", "/page/0123456789abcdef/js/dom.js", "/page/0123456789abcdef"] {
        assert_eq!(fetch(&stage, path, &[]).await.status, 404, "{path}");
    }
}
