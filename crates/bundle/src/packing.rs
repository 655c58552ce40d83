//! Makes a bundle of a run.

use std::collections::{BTreeMap, BTreeSet};

use methods::{report, validation};
use run::Methods;
use run::canonical::canonical;
use run::entry::{Entry, Event, Hash};
use run::sources::Bibliography;
use run::views;
use serde_json::Value;
use survey::aggregate::Tabled;
use thiserror::Error;

use crate::archive::{self, ArchiveError, Member};
use crate::log;
use crate::manifest::{Digest, Extent, FORMAT, LogEnd, Manifest, Missing, name};
use crate::signature;
use crate::verification;

/// What a reader without this program needs to know.
const READ_ME: &str = include_str!("README.txt");

/// The program and its version, as manifests name it.
pub(crate) const MADE_BY: &str = concat!("quaestio ", env!("CARGO_PKG_VERSION"));

/// What a bundle is made of.
pub struct Contents<'a> {
    pub run: &'a str,
    pub entries: &'a [Entry],
    pub methods: &'a Methods,
    /// Writes the references of the result.
    pub bibliography: &'a dyn Bibliography,
    pub extent: Extent,
    /// The texts of the sources that [`find_sources`] names, by the digest of their text, as far as they are still stored.
    pub sources: BTreeMap<String, String>,
    /// The files of prompts by `<method>/<role>`, as they are now.
    pub prompts: BTreeMap<String, String>,
    /// Of a brief: the tables behind its figures, or why they cannot be made.
    pub figures: Option<Result<Vec<Tabled>, String>>,
}

/// A source that a run cites.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// SHA-256 of its text.
    pub sha256: String,
    /// Its id in the library.
    pub document_id: String,
    pub source_uri: String,
}

/// Why no bundle can be made of a run, or nothing be attached to one.
#[derive(Debug, Error)]
pub enum PackError {
    #[error("run {run} has not finished yet; make the bundle when it has")]
    NotEnded { run: String },
    #[error("the log of run {run} is empty")]
    Empty { run: String },
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    #[error("could not attach it: {reason}")]
    Attachment { reason: String },
    #[error("it is not a bundle: {reason}")]
    NoBundle { reason: String },
}

/// Returns the sources that claims cite and whose texts are not in the log as a whole, in order.
pub fn find_sources(entries: &[Entry]) -> Vec<Source> {
    let claims = views::ledger(entries);
    let cited: BTreeSet<&str> = claims
        .iter()
        .flat_map(|claim| &claim.citations)
        .map(|citation| citation.evidence_id.as_str())
        .collect();
    let evidence = views::evidence(entries);
    let cited = evidence.iter().filter(|one| cited.contains(one.evidence.evidence_id.as_str()));
    let sources: BTreeSet<Source> = cited
        .map(|one| &one.evidence)
        .filter(|evidence| !evidence.is_whole())
        .map(|evidence| Source {
            sha256: evidence.provenance.place.source_sha256.clone(),
            document_id: evidence.provenance.place.document_id.clone(),
            source_uri: evidence.source_uri.clone(),
        })
        .collect();
    Vec::from_iter(sources)
}

/// Returns the digests of the prompts that models were asked with, by `<method>/<role>`.
pub(crate) fn find_prompts(entries: &[Entry]) -> BTreeMap<&str, Hash> {
    let asked = entries.iter().filter_map(|entry| match &entry.event {
        Event::Called { asking: Some(asking), .. } => {
            Some((asking.prompt.as_str(), asking.prompt_hash))
        }
        _ => None,
    });
    asked.collect()
}

/// Returns whether a text is the name of a prompt: `<method>/<role>`.
pub(crate) fn is_prompt(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c == '-')
    };
    name.split_once('/').is_some_and(|(method, role)| is_word(method) && is_word(role))
}

/// Returns a value as it is stored for people: over several lines.
pub(crate) fn pretty(value: &Value) -> Vec<u8> {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text.into_bytes()
}

/// What of a bundle is made from its log and the references of its result, and can be made again.
pub(crate) fn derive(
    methods: &Methods,
    run: &str,
    entries: &[Entry],
    bibliography: &dyn Bibliography,
) -> Vec<Member> {
    let result = views::envelope(run, entries, bibliography);
    let member = |name: &str, bytes: Vec<u8>| Member { name: name.into(), bytes };
    let start = views::start(entries);
    let settings = start
        .as_ref()
        .map_or(Value::Null, |start| serde_json::to_value(start.settings).unwrap_or_default());
    let mut members = vec![
        member(name::READ_ME, READ_ME.as_bytes().to_vec()),
        member(name::MARKDOWN, report::markdown(methods, &result).into_bytes()),
        member(name::HTML, report::page(methods, &result).into_bytes()),
        member(name::RESULT, pretty(&result)),
        member(name::LEDGER, canonical(&views::ledger(entries))),
        member(name::SETTINGS, pretty(&settings)),
        member(name::LOG, log::write(entries)),
    ];
    let schemas = [
        ("result.json".to_owned(), Some(validation::schema())),
        start.map_or_else(Default::default, |start| {
            (format!("{}.json", start.method), validation::schema_of_method(start.method))
        }),
    ];
    for (file, schema) in schemas {
        let named = |schema: Value| member(&format!("{}{file}", name::SCHEMAS), pretty(&schema));
        members.extend(schema.map(named));
    }
    members
}

/// Packs a run that has ended into a bundle. The same contents give the same bytes.
///
/// # Errors
///
/// If the run has not ended, or its bundle would be too large.
pub fn pack(contents: &Contents<'_>) -> Result<Vec<u8>, PackError> {
    let Contents { run, entries, methods, bibliography, extent, .. } = *contents;
    let run_id = || run.to_owned();
    let (Some(start), Some(last)) = (views::start(entries), entries.last()) else {
        return Err(PackError::Empty { run: run_id() });
    };
    let status = views::status(entries);
    if !status.is_final() {
        return Err(PackError::NotEnded { run: run_id() });
    }
    let mut members = derive(methods, run, entries, bibliography);
    let mut missing: Vec<Missing> = Vec::new();
    let mut put = |name: String, bytes: Result<Vec<u8>, String>| match bytes {
        Ok(bytes) => members.push(Member { name, bytes }),
        Err(why) => missing.push(Missing { name, why }),
    };
    for (prompt, hash) in find_prompts(entries) {
        if !is_prompt(prompt) {
            continue;
        }
        let text = contents.prompts.get(prompt).filter(|text| hash == digest_prompt(text));
        let text = text.map(|text| text.clone().into_bytes());
        let other = || format!("the prompt {prompt} has changed since");
        put(format!("{}{prompt}.md", name::PROMPTS), text.ok_or_else(other));
    }
    if extent == Extent::Sources {
        let mut known = BTreeSet::new();
        for Source { sha256, source_uri, .. } in find_sources(entries) {
            if known.insert(sha256.clone()) {
                let text = contents.sources.get(&sha256).map(|text| text.clone().into_bytes());
                let gone = || format!("{source_uri} is no longer stored as it was cited");
                put(format!("{}{sha256}.txt", name::SOURCES), text.ok_or_else(gone));
            }
        }
    }
    match &contents.figures {
        None => {}
        Some(Err(why)) => put(name::FIGURES.into(), Err(why.clone())),
        Some(Ok(figures)) => put(name::FIGURES.into(), Ok(canonical(figures))),
    }
    members.sort_by(|one, other| one.name.cmp(&other.name));
    missing.sort();
    let manifest = Manifest {
        format: FORMAT.into(),
        made_by: MADE_BY.into(),
        run_id: run_id(),
        method: start.method.into(),
        method_version: start.version,
        status,
        log: LogEnd { entries: last.seq, hash: last.hash },
        extent,
        missing,
        members: members.iter().map(Digest::of).collect(),
    };
    members.insert(0, Member { name: name::MANIFEST.into(), bytes: manifest.bytes() });
    Ok(archive::write(&members)?)
}

/// Returns the digest of a prompt file as the log has it.
pub(crate) fn digest_prompt(text: &str) -> Hash {
    run::prompt::Prompt::read(text).map_or_else(|_| Hash::of(text.as_bytes()), |prompt| prompt.hash)
}

/// Returns the bytes of a bundle's manifest: what is signed and time stamped.
///
/// # Errors
///
/// If it is no bundle.
pub fn read_manifest(bundle: &[u8]) -> Result<Vec<u8>, PackError> {
    Ok(take_manifest(&archive::read(bundle)?)?.to_vec())
}

fn take_manifest(members: &[Member]) -> Result<&[u8], PackError> {
    let manifest = members.iter().find(|member| member.name == name::MANIFEST);
    let manifest = manifest.ok_or(PackError::NoBundle { reason: "it has no manifest".into() })?;
    match serde_json::from_slice::<Manifest>(&manifest.bytes) {
        Ok(_) => Ok(&manifest.bytes),
        Err(error) => Err(PackError::NoBundle { reason: format!("its manifest: {error}") }),
    }
}

/// Returns a bundle with an attachment, which replaces one of that name: [`name::SIGNATURE`] or [`name::TIME_STAMP`].
///
/// # Errors
///
/// If it is no bundle, or would be too large.
pub fn attach(bundle: &[u8], name: &str, bytes: Vec<u8>) -> Result<Vec<u8>, PackError> {
    let mut members = archive::read(bundle)?;
    let manifest = take_manifest(&members)?;
    let refused = |reason: &str| PackError::Attachment { reason: reason.to_owned() };
    match name {
        name::SIGNATURE => signature::check_form(&bytes).map_err(|why| refused(&why))?,
        _ if !verification::is_stamp_of(&bytes, manifest) => {
            return Err(refused("the timestamp is not for the SHA-256 of this manifest"));
        }
        _ => {}
    }
    members.retain(|member| member.name != name);
    members.push(Member { name: name.into(), bytes });
    // The manifest first, what belongs to it behind it, and then the rest as the manifest lists it.
    members.sort_by_key(|member| (!member.name.starts_with(name::MANIFEST), member.name.clone()));
    Ok(archive::write(&members)?)
}
