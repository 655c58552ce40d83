//! Addresses and identifiers by which a source is named.

use super::rules::get;
use super::words::Word;

/// `https://…`, `www.…`, `example.org/…`.
pub(super) fn address(words: &[Word], at: usize) -> bool {
    let Some(word) = get(words, at) else { return false };
    let text = word.core.to_lowercase();
    if ["http://", "https://", "ftp://", "www."].iter().any(|start| text.contains(start)) {
        return true;
    }
    let host = text.split(['/', '?', '#', ':', '(', ')']).next().unwrap_or_default();
    let Some((name, domain)) = host.rsplit_once('.') else { return false };
    let named = name.len() > 1
        && name.chars().any(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'));
    let sure = ["com", "org", "net", "edu", "gov"].contains(&domain);
    let with_path = text.get(host.len()..).is_some_and(|rest| rest.starts_with('/'));
    let country = (2..=4).contains(&domain.len()) && domain.chars().all(|c| c.is_ascii_lowercase());
    named && (sure || with_path && country && name.len() > 2)
}

/// `10.1038/171737a0`, alone, behind `doi:` or in an address.
pub(super) fn doi(words: &[Word], at: usize) -> bool {
    /// Characters that are looked at: a word may be as long as a page.
    const LONGEST: usize = 60;
    let Some(word) = get(words, at) else { return false };
    word.core.match_indices("10.").any(|(start, _)| {
        let joined = word.core.get(..start).and_then(|text| text.chars().next_back());
        let behind: String =
            word.core.get(start + 3..).unwrap_or_default().chars().take(LONGEST).collect();
        let Some((registrant, rest)) = behind.split_once('/') else { return false };
        let digits = registrant
            .split('.')
            .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()));
        let long = rest.chars().filter(char::is_ascii_digit).count() >= 3;
        joined.is_none_or(|c| !c.is_ascii_digit() && c != '.')
            && digits
            && registrant.len() >= 4
            && (long || rest.chars().any(char::is_alphabetic) || joined == Some(':'))
    })
}

/// `arXiv:1706.03762`, `hep-th/9711200`, `ISBN 978-…`, `PMID: 123`, `PMC123`, `bioRxiv 2020.01.01`.
pub(super) fn identifier(words: &[Word], at: usize) -> bool {
    const KINDS: [&str; 13] = [
        "arxiv", "biorxiv", "medrxiv", "chemrxiv", "ssrn", "isbn", "isbn-10", "isbn-13", "issn",
        "pmid", "pmcid", "doi", "s2cid",
    ];
    let Some(word) = get(words, at) else { return false };
    let text = word.core.to_lowercase();
    let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let (kind, id) = text.split_once(':').unwrap_or((text.as_str(), ""));
    if KINDS.contains(&kind) {
        return digit(id)
            || id.is_empty()
                && get(words, at + 1).is_some_and(|next| {
                    digit(next.core)
                        || next.core.to_lowercase().starts_with("pmc")
                        || old_arxiv(next.core)
                })
            || old_arxiv(id);
    }
    let digits = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    text.strip_prefix("pmc").is_some_and(digits)
        || text.strip_prefix("pmid").is_some_and(digits)
        || old_arxiv(&text)
}

/// `hep-th/9711200`, `math.GT/0309136`.
fn old_arxiv(text: &str) -> bool {
    let Some((archive, number)) = text.split_once('/') else { return false };
    let number = number.split(['v', ')']).next().unwrap_or_default();
    number.len() == 7
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && archive.len() >= 4
        && archive.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '.'))
}
