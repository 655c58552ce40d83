//! One file on disk under a name that a user gave it: an upload, a paste, part of an e-mail.
//!
//! The name is only a label. It gives a title and a format if the bytes do not, the document is cited by it, and it never becomes a
//! path.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use futures::stream::{self, StreamExt};
use run::embedding::Embedder;
use run::error::PortError;
use run::library::{Library, Manifest, Put, StoredDocument};

use super::filing::{FromDisk, Source, parse};
use super::stages::{CollectionWriter, Fate};
use super::{Problem, Reader};
use crate::{Format, Found, Limits};

/// The maximum length of a name, in bytes.
const LONGEST: usize = 255;

/// Returns the file name extensions that can be read, the usual ones first.
pub fn endings() -> Vec<&'static str> {
    let by_use = |format: &&Format| match format {
        Format::Pdf => 0,
        Format::Docx | Format::Pptx | Format::Xlsx => 1,
        Format::Markdown | Format::Text | Format::Html => 2,
        Format::Code => 4,
        _ => 3,
    };
    // Pictures are read only where scans are.
    let all = Format::ALL.iter().filter(|format| **format != Format::Image);
    let mut formats: Vec<&Format> = all.collect();
    formats.sort_by_key(by_use);
    formats.iter().flat_map(|format| format.extensions()).copied().collect()
}

/// A file that enters a collection under a chosen name.
pub struct Named<'a> {
    pub user: &'a str,
    pub collection: &'a str,
    /// Where the file is. The path is independent of the name.
    pub path: &'a Path,
    /// The document's name; see [`label_of`].
    pub name: &'a str,
    pub manifest: Manifest,
    pub limits: Limits,
    /// Turns the file's bytes into a document.
    pub reader: Arc<dyn Reader>,
    /// Overrides what the file says about itself.
    pub metadata: BTreeMap<String, String>,
    /// Whether to keep the file beside its text.
    pub keep_originals: bool,
}

/// A file that is in a collection.
#[derive(Debug, Clone, PartialEq)]
pub struct TakenFile {
    /// Its document; of an archive, the first of those within.
    pub document: StoredDocument,
    pub put: Put,
    /// The documents within: attachments, members of an archive.
    pub within: Vec<StoredDocument>,
    /// What is missing: files within that could not be read, and what a document lacks of its file.
    pub problems: Vec<Problem>,
}

/// Why a file was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum TakeError {
    #[error(transparent)]
    Name(#[from] NameError),
    /// What is wrong with the file, and what would help.
    #[error("{reason}")]
    Unreadable { reason: String },
    #[error(transparent)]
    Port(#[from] PortError),
}

/// Why a name cannot be a document's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("the file has no name")]
    Missing,
    #[error("the file's name is longer than {LONGEST} bytes; shorten it")]
    TooLong,
    #[error("the file's name begins with a dot; rename it")]
    Hidden,
    #[error("the file's name contains control characters or invisible characters; rename it")]
    Unseen,
}

/// Returns the document name for an upload's name: its last part, whether the separators are slashes or backslashes.
///
/// ```
/// assert_eq!(corpus::label_of("C:\\Users\\ann\\Tea study.pdf"), Ok("Tea study.pdf"));
/// assert!(corpus::label_of("../.bashrc").is_err());
/// ```
pub fn label_of(given: &str) -> Result<&str, NameError> {
    let name = given.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    if name.is_empty() {
        return Err(NameError::Missing);
    }
    if name.len() > LONGEST {
        return Err(NameError::TooLong);
    }
    if name.contains(char::is_control) || run::grounding::clean(name) != name {
        return Err(NameError::Unseen);
    }
    if name.starts_with('.') {
        return Err(NameError::Hidden);
    }
    Ok(name)
}

/// Takes one file into a collection, replacing the document with that name. Makes the collection if it does not exist.
pub async fn take_file(
    library: &dyn Library,
    embedder: Option<&dyn Embedder>,
    file: &Named<'_>,
) -> Result<TakenFile, TakeError> {
    let name = label_of(file.name)?.to_owned();
    let Named { user, collection, .. } = *file;
    let embedder = embedder.filter(|_| file.manifest.embedder.is_some());
    let writer = CollectionWriter { library, embedder, user, collection };
    let manifest = writer.open(&file.manifest).await?;
    let known = writer.standing(std::slice::from_ref(&name)).await?.remove(&name);
    let found = Found { path: file.path.to_owned(), name: name.clone() };
    let how = FromDisk {
        manifest: &manifest,
        limits: &file.limits,
        reader: &file.reader,
        metadata: &file.metadata,
        vectors: embedder.is_some(),
        keep_originals: file.keep_originals,
    };
    let read = parse(Source::file(found), &how, known).await;
    let mut paths = read.within.unwrap_or_default();
    let mut kept = std::pin::pin!(writer.keep(stream::iter(read.items)));
    let (mut put, mut problems) = (None, Vec::new());
    while let Some(settled) = kept.next().await {
        for (path, fate) in settled? {
            match fate {
                Fate::Kept(kept) => {
                    put = put.or(Some(kept.put));
                    let lacks = [kept.lack, kept.doubt].into_iter().flatten();
                    problems.extend(lacks.map(|reason| Problem { path: path.clone(), reason }));
                }
                Fate::Same { lack } => {
                    put = put.or(Some(Put::Unchanged));
                    problems.extend(lack.map(|reason| Problem { path, reason }));
                }
                Fate::LeftOut { reason } => problems.push(Problem { path, reason }),
            }
        }
    }
    let Some(put) = put else {
        let reason = problems.into_iter().next().map(|problem| problem.reason);
        return Err(reason.map_or_else(gone, |reason| TakeError::Unreadable { reason }));
    };
    let shown = file.path.display().to_string();
    for Problem { path, .. } in &mut problems {
        // Where the file is on this machine is nobody's business.
        *path = path.replacen(&shown, &name, 1);
    }
    paths.insert(0, name.clone());
    let mut documents = library.documents_at(user, collection, &paths).await?;
    documents.sort_by_key(|document| (document.path != name, document.path.clone()));
    let own = documents.iter().position(|document| document.path == name);
    let document =
        if documents.is_empty() { None } else { Some(documents.remove(own.unwrap_or(0))) };
    let document = document.ok_or_else(gone)?;
    Ok(TakenFile { document, put, within: documents, problems })
}

/// The document was removed while the caller waited, alone or with its collection.
fn gone() -> TakeError {
    TakeError::Unreadable { reason: "it was removed while it was being read; send it again".into() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_ending_that_is_offered_is_read() {
        let all = endings();
        assert_eq!(all[0], "pdf");
        for ending in all {
            let label = crate::Label::File { name: format!("a.{ending}").into() };
            assert!(matches!(label.called(), crate::label::Called::A(_)), "{ending}");
        }
    }

    // proves: A6
    #[test]
    fn the_last_part_of_a_name_is_the_name() {
        for (given, name) in [
            ("notes.md", "notes.md"),
            ("/etc/passwd", "passwd"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("C:\\fakepath\\Tea study.pdf", "Tea study.pdf"),
            (" a b ", "a b"),
            ("Études sur le thé.txt", "Études sur le thé.txt"),
            ("%2e%2e%2fpasswd", "%2e%2e%2fpasswd"),
            ("a..b", "a..b"),
        ] {
            assert_eq!(label_of(given), Ok(name), "{given:?}");
        }
    }

    // proves: A6
    #[test]
    fn a_name_that_deceives_or_hides_is_refused() {
        for (given, wrong) in [
            ("", NameError::Missing),
            ("   ", NameError::Missing),
            ("a/", NameError::Missing),
            ("..\\", NameError::Missing),
            (".", NameError::Hidden),
            ("..", NameError::Hidden),
            ("x/.bashrc", NameError::Hidden),
            ("a\0.md", NameError::Unseen),
            ("a\n.md", NameError::Unseen),
            ("a\u{1b}[31m.md", NameError::Unseen),
            ("fdp.\u{202e}exe.md", NameError::Unseen),
            ("a\u{200b}.md", NameError::Unseen),
            ("\u{2066}a.md", NameError::Unseen),
        ] {
            assert_eq!(label_of(given), Err(wrong), "{given:?}");
        }
        assert_eq!(label_of(&"é".repeat(128)), Err(NameError::TooLong));
        assert!(label_of(&"é".repeat(127)).is_ok());
    }

    proptest! {
        #[test]
        fn no_name_is_a_path(given in "\\PC{0,40}|[./\\\\a\u{202e}\\x00]{0,12}") {
            if let Ok(name) = label_of(&given) {
                let parts: Vec<_> = Path::new(name).components().collect();
                prop_assert!(matches!(parts.as_slice(), [std::path::Component::Normal(_)]), "{name:?}");
                prop_assert!(!name.contains(['/', '\\']) && !name.contains(char::is_control));
                prop_assert!(!name.starts_with('.') && name.len() <= LONGEST);
            }
        }
    }
}
