//! Bundles of runs: what they are made of, and their signatures.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::path::Path;

use bundle::{Contents, Extent, PackError, Source};
use ct_codecs::{Base64, Decoder as _};
use minisign::{SecretKey, SecretKeyBox};
use run::Event;
use run::entry::Entry;
use run::library::Library;
use run::prompt::Prompts;
use run::views;
use survey::aggregate::Tabled;

use crate::export::Exporter;
use crate::failure::Failure;
use crate::{surveys, tables, wire};

/// The variable that holds the password of a secret key.
const PASSWORD: &str = "QUAESTIO_SIGNING_PASSWORD";

/// Packs a run into a bundle.
///
/// # Errors
///
/// If the run has not ended, or its sources cannot be read.
pub(crate) async fn pack(
    exporter: &Exporter<'_>,
    run: &str,
    entries: &[Entry],
    extent: Extent,
) -> Result<Vec<u8>, Failure> {
    let user = views::start(entries).map(|start| start.user).unwrap_or_default();
    let sources = match extent {
        Extent::Sources => read_sources(exporter.library, user, entries).await?,
        Extent::Passages => BTreeMap::new(),
    };
    let contents = Contents {
        run,
        entries,
        methods: exporter.methods,
        bibliography: exporter.bibliography,
        extent,
        sources,
        prompts: find_prompts(&wire::prompts(exporter.config)?, entries),
        figures: make_figures(exporter, run, entries).await,
    };
    bundle::pack(&contents).map_err(|error| match error {
        PackError::NotEnded { .. } | PackError::Empty { .. } => {
            Failure::usage(error.to_string(), "wait until the run has ended")
        }
        error => Failure::new(error.to_string(), ""),
    })
}

/// Returns the texts of the cited sources that are stored as they were cited, by digest.
async fn read_sources(
    library: &dyn Library,
    user: &str,
    entries: &[Entry],
) -> Result<BTreeMap<String, String>, Failure> {
    let mut texts = BTreeMap::new();
    for Source { sha256, document_id, .. } in bundle::find_sources(entries) {
        if let Some((document, text)) = library.document(user, &document_id).await?
            && document.text_sha256 == sha256
        {
            texts.insert(sha256, text);
        }
    }
    Ok(texts)
}

/// Returns the files of the prompts that a run used, as they are now.
fn find_prompts(prompts: &Prompts, entries: &[Entry]) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in entries {
        if let Event::Called { asking: Some(asking), .. } = &entry.event {
            let name = &asking.prompt;
            let text = prompts.find_file(name).or_else(|| methods::find_prompt(name));
            found.extend(text.map(|text| (name.clone(), text.to_owned())));
        }
    }
    found
}

/// Returns the tables behind the figures of a brief, or why there are none; `None` for a run without figures.
async fn make_figures(
    exporter: &Exporter<'_>,
    run: &str,
    entries: &[Entry],
) -> Option<Result<Vec<Tabled>, String>> {
    if bundle::expressions(entries).is_empty() {
        return None;
    }
    let made = async {
        let files = tables::read_files(exporter.files, run, entries).await?;
        let owned = entries.to_vec();
        let work = move || {
            let project = survey::read::read_project(&files).map_err(|e| surveys::unread(&e))?;
            bundle::tabulate(&project, &owned).map_err(|why| Failure::new(why, ""))
        };
        let broken_off = |_| Failure::new("making the tables was interrupted", "");
        tokio::task::spawn_blocking(work).await.map_err(broken_off)?
    };
    Some(made.await.map_err(|failure: Failure| failure.what))
}

/// Signs the manifest of a bundle with the secret key in a file; returns the signature in the format of minisign.
///
/// # Errors
///
/// If the file holds no secret key, or its password is another one.
pub(crate) fn sign(manifest: &[u8], key: &Path) -> Result<Vec<u8>, Failure> {
    let shown = run::grounding::clean(&key.display().to_string());
    let unusable = |why: String, hint: &str| {
        Failure::usage(format!("cannot use the secret key {shown}: {why}"), hint)
    };
    let text = std::fs::read_to_string(key)
        .map_err(|error| unusable(error.to_string(), "give the file created by `minisign -G`"))?;
    let key = read_key(&text).map_err(|error| {
        unusable(error.to_string(), &format!("if the key has a password, set {PASSWORD}"))
    })?;
    let told = format!("SHA-256 {}", run::entry::Hash::of(manifest));
    let signed = minisign::sign(
        None,
        &key,
        Cursor::new(manifest),
        Some(&told),
        Some("signature of a bundle of Quaestio"),
    );
    let signature = signed.map_err(|error| unusable(error.to_string(), ""))?;
    Ok(signature.into_string().into_bytes())
}

fn read_key(text: &str) -> Result<SecretKey, minisign::PError> {
    let read = || SecretKeyBox::from_string(text);
    // Without a password it would ask at the terminal for that of a key that has one.
    match std::env::var(PASSWORD) {
        Ok(password) => read()?.into_secret_key(Some(password)),
        Err(_) => {
            read()?.into_unencrypted_secret_key().or_else(|error| read_unchecked(text).ok_or(error))
        }
    }
}

/// Reads a secret key without a password and without a checksum: the program `minisign` writes none for such a key.
fn read_unchecked(text: &str) -> Option<SecretKey> {
    /// Bytes of the algorithms of signature and of password, and of the checksum at the end.
    const ALGORITHMS: usize = 4;
    const CHECKSUM: usize = 32;
    let bytes = Base64::decode_to_vec(text.lines().nth(1)?.trim(), None).ok()?;
    let has_no_password = bytes.get(2..ALGORITHMS)? == [0; 2];
    let checksum = bytes.get(bytes.len().checked_sub(CHECKSUM)?..)?;
    let is_empty = checksum.iter().all(|byte| *byte == 0);
    (has_no_password && is_empty).then(|| SecretKey::from_bytes(&bytes).ok())?
}
