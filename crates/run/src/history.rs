//! What a person makes of their runs: titles, pins, links for others, and the texts by which runs are found again.
//!
//! It is kept beside the log, which nobody edits: a run proves the same whatever it is called and whoever may read it.

use async_trait::async_trait;
use jiff::Timestamp;

use crate::entry::Hash;
use crate::log::LogError;

/// The maximum number of characters of a title.
pub const TITLE_CHARS: usize = 200;
/// The maximum number of characters of a text by which a run is found: a report of about sixty pages.
pub const TEXT_CHARS: usize = 200_000;
/// The maximum number of links to one run.
pub const MOST_SHARES: u32 = 20;
/// The number of characters that a snippet has on each side of what was found.
const AROUND: usize = 70;

/// A change of what a run is called and where it stands; `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Labelling {
    /// An empty one takes the title away.
    pub title: Option<String>,
    pub pinned: Option<bool>,
}

/// A link by which others may read a run. Its secret is kept as a digest alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// Unique among all runs of all users.
    pub id: String,
    /// The digest of the secret.
    pub secret: Hash,
    pub created_at: Timestamp,
}

/// A run that a link leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    pub user: String,
    pub run: String,
    pub secret: Hash,
}

/// What users make of their runs. All of it goes with the run when that is removed.
///
/// Every call names the user and cannot see another user's runs, except [`without_text`](History::without_text), which only the program
/// itself may call, and [`shared`](History::shared), whose caller must compare the secret.
#[async_trait]
pub trait History: Send + Sync {
    /// Changes the title or the pin of a run. Its row says them from then on; its log does not change.
    async fn label(&self, user: &str, run: &str, labelling: &Labelling) -> Result<(), LogError>;
    /// Stores the text by which a run is found, in the place of an earlier one. A run that was removed meanwhile is passed over.
    async fn keep_text(&self, user: &str, run: &str, text: &str) -> Result<(), LogError>;
    /// Returns up to `limit` runs that have ended and have no such text yet, each with its user.
    async fn without_text(&self, limit: u32) -> Result<Vec<(String, String)>, LogError>;
    /// Adds a link to a run; returns whether it did, which it does up to [`MOST_SHARES`].
    async fn add_share(&self, user: &str, run: &str, share: &Share) -> Result<bool, LogError>;
    /// Returns the links to a run, the oldest first.
    async fn shares(&self, user: &str, run: &str) -> Result<Vec<Share>, LogError>;
    /// Ends a link; returns whether it was there.
    async fn remove_share(&self, user: &str, run: &str, share: &str) -> Result<bool, LogError>;
    /// Returns the run that a link of this id leads to.
    async fn shared(&self, share: &str) -> Result<Option<Shared>, LogError>;
}

/// Returns a stretch of `text` in one line around the first place that holds `wanted`, which was folded by [`text::fold_case`].
pub fn snippet(text: &str, wanted: &str) -> Option<String> {
    // Folding changes lengths: the places of the folded characters lead back to where they came from.
    let mut folded = String::with_capacity(text.len());
    let mut places = Vec::new();
    for (at, sign) in text.char_indices() {
        places.push((folded.len(), at));
        folded.push_str(&text::fold_case(sign.encode_utf8(&mut [0; 4])));
    }
    let found = folded.find(wanted)?;
    let origin = |offset: usize| {
        let next = places.partition_point(|(folded, _)| *folded <= offset);
        places.get(next.saturating_sub(1)).map_or(text.len(), |(_, at)| *at)
    };
    let end = found + wanted.len();
    let (from, to) = (origin(found), if end >= folded.len() { text.len() } else { origin(end) });
    let first = text[..from].char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let last = text[to..].char_indices().nth(AROUND).map_or(text.len(), |(at, _)| to + at);
    let words = text[first..last].split_whitespace().collect::<Vec<_>>().join(" ");
    let (before, after) =
        (if first > 0 { "…" } else { "" }, if last < text.len() { "…" } else { "" });
    Some(format!("{before}{words}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves: F3
    #[test]
    fn a_snippet_shows_what_was_found_in_its_own_letters() {
        let text = "Die Straße führt\nzum Fluß.";
        assert_eq!(snippet(text, "strasse").as_deref(), Some("Die Straße führt zum Fluß."));
        assert_eq!(snippet(text, "kelp"), None);
        let long = format!("{} gulls FEED here {}", "a ".repeat(100), "b ".repeat(100));
        let found = snippet(&long, "gulls feed").unwrap();
        assert!(found.starts_with("…a") && found.ends_with("b…"), "{found}");
        assert!(found.contains("gulls FEED here"), "{found}");
        assert_eq!(snippet("İstanbul", "stanbul").as_deref(), Some("İstanbul"));
    }
}
