//! The texts of sources.

use std::collections::{BTreeMap, BTreeSet};

use run::entry::Hash;

use super::{Case, Check, Outcome, Verification, claim_missing};
use crate::manifest::{Extent, name};
use crate::packing::find_sources;

/// The texts of a bundle's sources, by their digests.
pub(super) type Texts<'a> = BTreeMap<&'a str, &'a str>;

/// Reads the texts of the sources, and checks that each is what its name says and that a claim cites it.
pub(super) fn read<'a>(case: &'a Case<'_>, verification: &mut Verification) -> Texts<'a> {
    let mut texts = Texts::new();
    let mut findings = Vec::new();
    let due: BTreeSet<String> =
        find_sources(&case.entries).into_iter().map(|source| source.sha256).collect();
    for (member, bytes) in &case.members {
        let Some(file) = member.strip_prefix(name::SOURCES) else { continue };
        let digest = file.strip_suffix(".txt").unwrap_or(file);
        match std::str::from_utf8(bytes) {
            _ if Hash::of(bytes).to_string() != digest || !file.ends_with(".txt") => {
                findings.push(format!("the digest of {member} does not match its name"));
            }
            Err(_) => findings.push(format!("{member} is not text")),
            Ok(_) if !due.contains(digest) => findings.push(format!("no claim cites {member}")),
            Ok(text) => {
                texts.insert(digest, text);
            }
        }
    }
    let is_whole = case.manifest.extent == Extent::Sources;
    if !is_whole && !texts.is_empty() {
        findings.push("the bundle says that it has no texts of sources, but it has".to_owned());
    }
    if is_whole {
        let lost = due.iter().map(|digest| format!("{}{digest}.txt", name::SOURCES));
        findings.extend(lost.filter_map(|lost| claim_missing(case, &lost)));
    }
    let told = match (due.len(), is_whole) {
        (0, _) => "no sources except those that are in the log as a whole".to_owned(),
        (_, false) => "the bundle contains passages only".to_owned(),
        (due, true) => {
            format!("{} of {due}, each text with the SHA-256 given in the log", texts.len())
        }
    };
    let check = Check::of("sources", told, findings);
    let is_partial = texts.len() < due.len();
    verification.add(match check.outcome {
        Outcome::Held if is_partial => Check { outcome: Outcome::NotChecked, ..check },
        _ => check,
    });
    texts
}
