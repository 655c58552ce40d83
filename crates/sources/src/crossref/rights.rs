//! The rights to a work: its licence, and the address of its PDF.

use serde_json::Value;

use crate::json::{link, list};

#[derive(Debug, Default, PartialEq)]
pub(super) struct Rights {
    pub(super) licence: Option<String>,
    /// Whether everyone may read it.
    pub(super) open: bool,
    /// The address of a PDF that everyone may read.
    pub(super) pdf: Option<String>,
}

/// Reads licences and links. Publishers list links for plagiarism checks and text mining, mostly behind a gate. They are used only if a
/// Creative Commons licence applies from the first day.
pub(super) fn read(item: &Value) -> Rights {
    let mut licences: Vec<(usize, String, bool)> = list(item, "/license")
        .iter()
        .filter_map(|licence| {
            let url = String::from(link(licence, "/URL")?);
            let free = is_free(&url);
            let version = licence["content-version"].as_str().unwrap_or("unspecified");
            // The version of record, then unspecified, then the accepted manuscript; licences only for text mining do not bind readers.
            let rank = ["vor", "unspecified", "am"].iter().position(|known| *known == version);
            let rank = rank.or(free.then_some(3))?;
            Some((rank, url, free && licence["delay-in-days"].as_i64().unwrap_or(0) <= 0))
        })
        .collect();
    licences.sort_by_key(|(rank, _, free)| (*rank, !*free));
    let open = licences.iter().any(|(rank, _, free)| *free && *rank != 2);
    let mut links: Vec<(usize, String)> = list(item, "/link")
        .iter()
        .filter_map(|one| {
            let url = String::from(link(one, "/URL")?);
            let for_people = !url.contains("://api.");
            let purpose = one["intended-application"].as_str().unwrap_or("unspecified");
            let pdf = one["content-type"].as_str()? == "application/pdf";
            // Plagiarism checkers have access by contract.
            (for_people && pdf && purpose != "similarity-checking").then_some(())?;
            Some((usize::from(one["content-version"] != "vor"), url))
        })
        .collect();
    links.sort_by_key(|(rank, _)| *rank);
    Rights {
        licence: licences.into_iter().next().map(|(_, url, _)| url),
        open,
        pdf: links.into_iter().next().map(|(_, url)| url).filter(|_| open),
    }
}

fn is_free(url: &str) -> bool {
    url.contains("://creativecommons.org/") || url.contains("://www.creativecommons.org/")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_licence_is_that_of_the_version_of_record_and_a_pdf_is_free_to_read() {
        let licence = |version: &str, url: &str, delay: i64| json!({"content-version": version, "URL": url, "delay-in-days": delay});
        let pdf = json!([
            {"URL": "https://api.example.org/tdm/1", "content-type": "application/pdf", "content-version": "vor", "intended-application": "text-mining"},
            {"URL": "https://example.org/check.pdf", "content-type": "application/pdf", "content-version": "vor", "intended-application": "similarity-checking"},
            {"URL": "https://example.org/1.xml", "content-type": "text/xml", "content-version": "vor", "intended-application": "text-mining"},
            {"URL": "https://example.org/1.pdf", "content-type": "application/pdf", "content-version": "vor", "intended-application": "syndication"},
        ]);
        let (by, closed) =
            ("https://creativecommons.org/licenses/by/4.0/", "https://example.org/terms");
        for (licences, licence, open) in [
            (
                json!([
                    licence("tdm", "https://example.org/tdm", 0),
                    licence("am", by, 0),
                    licence("vor", closed, 0)
                ]),
                Some(closed),
                false,
            ),
            (json!([licence("unspecified", closed, 0), licence("vor", by, 0)]), Some(by), true),
            (json!([licence("unspecified", by, 0)]), Some(by), true),
            (json!([licence("vor", by, 365)]), Some(by), false),
            (json!([licence("tdm", "https://example.org/tdm", 0)]), None, false),
            (json!([{"URL": "javascript:alert(1)"}, 7, null]), None, false),
            (json!("free"), None, false),
        ] {
            let rights = read(&json!({"license": licences, "link": pdf}));
            assert_eq!((rights.licence.as_deref(), rights.open), (licence, open), "{licences}");
            assert_eq!(rights.pdf.as_deref(), open.then_some("https://example.org/1.pdf"));
        }
        assert_eq!(read(&json!({})), Rights::default());
    }
}
