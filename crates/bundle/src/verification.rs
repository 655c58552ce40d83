//! Verifies a bundle with nothing else at hand.

mod claims;
mod remaking;
mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use run::Methods;
use run::canonical::canonical;
use run::entry::{Entry, Hash};
use run::ledger::{Claim, Verdict};
use run::log::Status;
use run::views;
use serde::Serialize;
use serde_json::Value;

use crate::archive;
use crate::figures;
use crate::log;
use crate::manifest::{Digest, Extent, FORMAT, Manifest, name};
use crate::packing::{digest_prompt, find_prompts, find_sources, is_prompt};
use crate::signature;

/// The most findings of one check that are told.
const MOST_TOLD: usize = 20;

/// What verifying a bundle came to.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Verification {
    /// Whether no check failed.
    pub holds: bool,
    /// What the bundle is; `None` if not even that can be read.
    pub bundle: Option<About>,
    /// In the order in which they were made. A check that needs an earlier one is left out if that failed.
    pub checks: Vec<Check>,
    /// What no check here can prove, or none did, a sentence each.
    pub not_proved: Vec<String>,
}

/// What a bundle is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct About {
    pub run_id: String,
    pub method: String,
    pub method_version: u32,
    pub status: Status,
    pub question: String,
    pub made_by: String,
    /// What a signature and a time stamp are of.
    pub manifest_sha256: Hash,
    pub claims: usize,
}

/// A check and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Check {
    pub name: &'static str,
    pub outcome: Outcome,
    /// What was held against what, in a sentence.
    pub told: String,
    /// What is wrong; empty unless it failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Held,
    Failed,
    /// The bundle does not have what it needs.
    NotChecked,
}

impl Check {
    fn held(name: &'static str, told: impl Into<String>) -> Check {
        Check { name, outcome: Outcome::Held, told: told.into(), findings: vec![] }
    }

    fn not_checked(name: &'static str, told: impl Into<String>) -> Check {
        Check { outcome: Outcome::NotChecked, ..Check::held(name, told) }
    }

    /// Returns a check that held if nothing was found.
    fn of(name: &'static str, told: impl Into<String>, mut findings: Vec<String>) -> Check {
        let outcome = if findings.is_empty() { Outcome::Held } else { Outcome::Failed };
        findings.truncate(MOST_TOLD);
        let findings = findings.iter().map(|one| on_line(one)).collect();
        Check { outcome, findings, ..Check::held(name, told) }
    }

    fn failed(name: &'static str, told: impl Into<String>, finding: impl Into<String>) -> Check {
        Check::of(name, told, vec![finding.into()])
    }
}

/// Returns a text of a bundle on one line and cut to a readable length: nothing in it steers a terminal or looks like a line of ours.
fn on_line(text: &str) -> String {
    const LONGEST: usize = 400;
    let line = run::ledger::one_line(&run::grounding::clean(text));
    let mut short: String = line.chars().take(LONGEST).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short
}

impl Verification {
    fn add(&mut self, check: Check) -> bool {
        let holds = check.outcome != Outcome::Failed;
        self.holds &= holds;
        self.checks.push(check);
        holds
    }
}

impl fmt::Display for Verification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(about) = &self.bundle {
            let About { method_version, status, claims, .. } = about;
            let [run_id, method, made_by] =
                [&about.run_id, &about.method, &about.made_by].map(|text| on_line(text));
            writeln!(
                f,
                "Run {run_id}: {method} (version {method_version}), {}, claims: {claims}",
                status.name()
            )?;
            writeln!(f, "Question: {}", on_line(&about.question))?;
            writeln!(f, "Made by {made_by}")?;
            writeln!(f, "SHA-256 of its manifest: {}\n", about.manifest_sha256)?;
        }
        for Check { name, outcome, told, findings } in &self.checks {
            let mark = match outcome {
                Outcome::Held => "holds",
                Outcome::Failed => "FAILED",
                Outcome::NotChecked => "not checked",
            };
            writeln!(f, "{mark:<12} {name:<10} {told}")?;
            for finding in findings {
                writeln!(f, "{:<12} {:<10} - {finding}", "", "")?;
            }
        }
        if !self.not_proved.is_empty() {
            writeln!(f, "\nWhat this does not prove:")?;
            for sentence in &self.not_proved {
                writeln!(f, "- {sentence}")?;
            }
        }
        let open = self.checks.iter().filter(|check| check.outcome == Outcome::NotChecked).count();
        match (self.holds, open) {
            (false, _) => writeln!(
                f,
                "\nNOT VERIFIED: the bundle was changed, contradicts itself, or cannot be verified by this version. The \
                 failed checks above say which."
            ),
            (true, 0) => writeln!(f, "\nVerified: all checks passed."),
            (true, open) => writeln!(
                f,
                "\nVerified: all checks passed except {open} that could not be made, marked \"not checked\"."
            ),
        }
    }
}

/// A bundle as it was read.
struct Case<'a> {
    manifest: Manifest,
    members: BTreeMap<String, Vec<u8>>,
    entries: Vec<Entry>,
    /// Of the figures that the log tells, each once.
    expressions: BTreeSet<String>,
    result: Value,
    methods: &'a Methods,
}

impl Case<'_> {
    fn member(&self, name: &str) -> &[u8] {
        self.members.get(name).map_or(&[], Vec::as_slice)
    }

    fn claims(&self) -> &[Claim] {
        views::ledger(&self.entries)
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.claims().iter().filter(|claim| claim.verdict == verdict).count()
    }
}

/// Verifies a bundle: nothing but its bytes, and the public key that must have signed it if one is given, is looked at.
pub async fn verify(bundle: &[u8], methods: &Methods, key: Option<&str>) -> Verification {
    let mut verification =
        Verification { holds: true, bundle: None, checks: vec![], not_proved: vec![] };
    let Some(mut case) = open(bundle, methods, &mut verification) else { return verification };
    let is_signed = check_signature(&case, key, &mut verification);
    if key.is_some() && !is_signed {
        verification.not_proved.push(
            "Anything else: the rest was not read, because the signature does not match.".into(),
        );
        return verification;
    }
    check_time_stamp(&case, &mut verification);
    let entries = match read_log(&case) {
        Ok(entries) => entries,
        Err(finding) => {
            verification.add(Check::failed("log", "the log of the run", finding));
            return verification;
        }
    };
    let told = format!(
        "{} entries, each with the hash that follows from the entry and the hash before it",
        entries.len()
    );
    verification.add(Check::held("log", told));
    case.expressions = figures::expressions(&entries);
    case.entries = entries;
    if let Some(about) = &mut verification.bundle {
        about.claims = case.claims().len();
        about.question =
            views::start(&case.entries).map(|start| start.question.to_owned()).unwrap_or_default();
    }
    verification.add(remaking::check_start(&case));
    if !verification.add(remaking::check_made(&mut case)) {
        return verification;
    }
    verification.add(remaking::check_method(&case));
    let replay = remaking::check_replay(&case).await;
    let is_replayed = replay.outcome == Outcome::Held;
    if !verification.add(replay) {
        return verification;
    }
    verification.add(check_prompts(&case));
    let texts = sources::read(&case, &mut verification);
    verification.add(claims::check_evidence(&case, &texts));
    verification.add(claims::check_quotes(&case, &texts));
    if !is_replayed {
        verification.add(claims::check_words(&case));
    }
    check_figures(&case, &mut verification);
    check_missing(&case, &mut verification);
    tell_not_proved(&case, is_signed, is_replayed, &mut verification);
    verification
}

/// Opens the container, and checks that its members are those of the manifest.
fn open<'a>(
    bundle: &[u8],
    methods: &'a Methods,
    verification: &mut Verification,
) -> Option<Case<'a>> {
    const TOLD: &str = "the file and its parts";
    let mut fail = |finding: String| {
        verification.add(Check::failed("container", TOLD, finding));
    };
    let read = match archive::read(bundle) {
        Ok(read) => read,
        Err(error) => {
            fail(error.to_string());
            return None;
        }
    };
    let first = read.first().filter(|member| member.name == name::MANIFEST);
    let Some(bytes) = first.map(|member| member.bytes.clone()) else {
        fail("it does not begin with a manifest".into());
        return None;
    };
    let manifest: Manifest = match serde_json::from_slice(&bytes) {
        Ok(manifest) => manifest,
        Err(error) => {
            fail(format!("could not read its manifest: {error}"));
            return None;
        }
    };
    if manifest.format != FORMAT {
        fail(format!(
            "it has format {}, and this program reads format {FORMAT}; use the quaestio version that made it",
            manifest.format
        ));
        return None;
    }
    let mut findings = Vec::new();
    if canonical(&manifest) != bytes {
        findings.push("its manifest is not in canonical JSON".to_owned());
    }
    let is_attached = |name: &str| [name::SIGNATURE, name::TIME_STAMP].contains(&name);
    let there: Vec<Digest> =
        read.iter().skip(1).filter(|member| !is_attached(&member.name)).map(Digest::of).collect();
    if there != manifest.members {
        let differing = |one: &Digest| !manifest.members.contains(one);
        let names = there.iter().filter(|one| differing(one)).map(|one| one.name.clone());
        let lost = manifest.members.iter().filter(|one| !there.contains(one));
        let mut names: Vec<String> = names.chain(lost.map(|one| one.name.clone())).collect();
        names.dedup();
        findings.push(format!(
            "the files differ from those listed in the manifest: {}",
            names.join(", ")
        ));
    }
    let about = About {
        run_id: manifest.run_id.clone(),
        method: manifest.method.clone(),
        method_version: manifest.method_version,
        status: manifest.status,
        question: String::new(),
        made_by: manifest.made_by.clone(),
        manifest_sha256: Hash::of(&bytes),
        claims: 0,
    };
    verification.bundle = Some(about);
    let told =
        format!("{} files, each with the size and SHA-256 given in the manifest", there.len());
    if !verification.add(Check::of("container", told, findings)) {
        return None;
    }
    let members = read.into_iter().map(|member| (member.name, member.bytes)).collect();
    Some(Case {
        manifest,
        members,
        entries: vec![],
        expressions: BTreeSet::new(),
        result: Value::Null,
        methods,
    })
}

/// Checks the signature; returns whether it was made with the key that was given.
fn check_signature(case: &Case<'_>, key: Option<&str>, verification: &mut Verification) -> bool {
    let signature = case.members.get(name::SIGNATURE);
    let check = match (signature, key) {
        (None, None) => Check::not_checked("signature", "there is none"),
        (None, Some(_)) => {
            Check::failed("signature", "the key that was given", "there is no signature")
        }
        (Some(signature), None) if signature::check_form(signature).is_err() => {
            Check::failed("signature", "the attached signature", "it is not a signature")
        }
        (Some(_), None) => Check::not_checked(
            "signature",
            "there is one; check it with `--key` and its maker's public key",
        ),
        (Some(signature), Some(key)) => {
            match signature::check(case.member(name::MANIFEST), signature, key) {
                Ok(comment) => Check::held(
                    "signature",
                    format!(
                        "the manifest was signed with this key; the signer's comment: {comment}"
                    ),
                ),
                Err(why) => Check::failed("signature", "the key that was given", why),
            }
        }
    };
    let is_held = check.outcome == Outcome::Held;
    verification.add(check);
    is_held
}

/// Returns whether a time stamp names the SHA-256 of a manifest.
pub(crate) fn is_stamp_of(stamp: &[u8], manifest: &[u8]) -> bool {
    let digest = Hash::of(manifest).0;
    stamp.windows(digest.len()).any(|window| window == digest)
}

/// Checks that a time stamp is of this manifest. Whether its authority made it is for a tool that has the authority's certificate.
fn check_time_stamp(case: &Case<'_>, verification: &mut Verification) {
    let Some(stamp) = case.members.get(name::TIME_STAMP) else { return };
    let is_of_this = is_stamp_of(stamp, case.member(name::MANIFEST));
    verification.add(match is_of_this {
        true => Check::not_checked(
            "time stamp",
            "it is for the SHA-256 of this manifest; check who made it and when with `openssl ts -verify`",
        ),
        false => Check::failed(
            "time stamp",
            "the attached timestamp",
            "it is not for the SHA-256 of this manifest",
        ),
    });
}

/// Reads the log, and checks its chain and its end.
fn read_log(case: &Case<'_>) -> Result<Vec<Entry>, String> {
    let entries = log::read(case.member(name::LOG))?;
    let head = run::entry::verify(&entries)
        .map_err(|seq| format!("entry {seq} does not follow from the entries before it"))?;
    if (head.seq, head.hash) != (case.manifest.log.entries, case.manifest.log.hash) {
        return Err(format!("it ends at entry {}, not where the manifest says", head.seq));
    }
    Ok(entries)
}

/// Checks that the prompts are those that the log names.
fn check_prompts(case: &Case<'_>) -> Check {
    let due = find_prompts(&case.entries);
    let mut findings = Vec::new();
    let mut there = 0;
    let mut own = 0;
    for (member, bytes) in &case.members {
        let Some(prompt) = member.strip_prefix(name::PROMPTS) else { continue };
        there += 1;
        let prompt = prompt.strip_suffix(".md").unwrap_or(prompt);
        let shipped = methods::find_prompt(prompt).filter(|text| text.as_bytes() == bytes);
        own += usize::from(shipped.is_none());
        let digest = digest_prompt(&String::from_utf8_lossy(bytes));
        if due.get(prompt) != Some(&digest) {
            findings.push(format!("{member} is not a prompt that the log names"));
        }
    }
    let odd = due.keys().filter(|prompt| !is_prompt(prompt));
    findings.extend(odd.map(|prompt| format!("\"{prompt}\" is not the name of a prompt")));
    let lost = due
        .keys()
        .filter(|prompt| is_prompt(prompt))
        .map(|prompt| format!("{}{prompt}.md", name::PROMPTS));
    findings.extend(lost.filter_map(|lost| claim_missing(case, &lost)));
    match (findings.is_empty(), there < due.len()) {
        (true, true) => Check::not_checked(
            "prompts",
            format!(
                "{there} of {} are in the bundle, with the digests given in the log",
                due.len()
            ),
        ),
        _ => Check::of(
            "prompts",
            match own {
                0 => format!("{there}, all of this version, with the digests given in the log"),
                own => format!(
                    "{there}, with the digests given in the log; {own} of them are not those of this version"
                ),
            },
            findings,
        ),
    }
}

/// Returns what is wrong if a member is neither there nor named as missing.
fn claim_missing(case: &Case<'_>, member: &str) -> Option<String> {
    let is_told = case.manifest.missing.iter().any(|missing| missing.name == member);
    let is_there = case.members.contains_key(member);
    (!is_there && !is_told)
        .then(|| format!("{member} is missing, and the manifest does not say why"))
}

fn check_figures(case: &Case<'_>, verification: &mut Verification) {
    let expressions = &case.expressions;
    if expressions.is_empty() {
        return;
    }
    let Some(tables) = case.members.get(name::FIGURES) else {
        let finding = claim_missing(case, name::FIGURES);
        let told =
            format!("{} figures: the bundle has no tables to compute them from", expressions.len());
        verification.add(match finding {
            Some(finding) => Check::failed("figures", told, finding),
            None => Check::not_checked("figures", told),
        });
        return;
    };
    let held = figures::check(&case.entries, tables);
    let told =
        format!("{} figures, each computed again from one of {} tables", held.figures, held.tables);
    verification.add(Check::of("figures", told, held.findings));
    if !held.beyond.is_empty() {
        let names = Vec::from_iter(held.beyond).join(", ");
        verification
            .not_proved
            .push(format!("Figures without a table were not computed again: {names}."));
    }
}

/// Checks that what the manifest calls missing could be there and is not, and tells of it.
fn check_missing(case: &Case<'_>, verification: &mut Verification) {
    let mut findings = Vec::new();
    let sources = find_sources(&case.entries);
    let prompts = find_prompts(&case.entries);
    let has_figures = !case.expressions.is_empty();
    for missing in &case.manifest.missing {
        let name = missing.name.as_str();
        let within = |folder: &str, end: &str| {
            name.strip_prefix(folder).and_then(|name| name.strip_suffix(end)).map(str::to_owned)
        };
        let is_due = (name == name::FIGURES && has_figures)
            || within(name::SOURCES, ".txt")
                .is_some_and(|digest| sources.iter().any(|source| source.sha256 == digest))
            || within(name::PROMPTS, ".md").is_some_and(|name| prompts.contains_key(name.as_str()));
        if !is_due || case.members.contains_key(name) {
            findings.push(format!(
                "the manifest calls {name} missing, but it is there or does not belong in such a bundle"
            ));
        } else {
            verification.not_proved.push(format!(
                "What {} would show. It is missing; the reason given by the maker of the bundle: {}.",
                on_line(name),
                on_line(&missing.why)
            ));
        }
    }
    if !findings.is_empty() {
        verification.add(Check::of("missing", "what the manifest calls missing", findings));
    }
}

fn tell_not_proved(
    case: &Case<'_>,
    is_signed: bool,
    is_replayed: bool,
    verification: &mut Verification,
) {
    let mut tell = |sentence: String| verification.not_proved.push(sentence);
    if !is_signed {
        tell(
            "Who made this bundle. Without a checked signature, someone may have written a different consistent log, with \
             other model replies, counts or times."
                .into(),
        );
    }
    let read = case.count(Verdict::Supported) + case.count(Verdict::Inferred);
    if read > 0 {
        let text = |key: &str| {
            let pointer = format!("/deliverable/reader/{key}");
            let told = case.result.pointer(&pointer).and_then(Value::as_str).unwrap_or_default();
            run::grounding::clean(told)
        };
        let (model, calibration) = (text("model"), text("calibration"));
        let reader = match model.is_empty() {
            true => "a second reader not named in the result".to_owned(),
            false => format!("the second reader {model} ({calibration})"),
        };
        tell(format!(
            "That {} supported and {} inferred claims are borne out: {reader} judged them so. What a program can check was \
             checked again.",
            case.count(Verdict::Supported),
            case.count(Verdict::Inferred)
        ));
    }
    if !is_replayed {
        tell("That its claims were made as the method prescribes: the run was stopped early and could not be repeated.".into());
    }
    if case.claims().iter().any(|claim| !claim.citations.is_empty()) {
        tell(
            "That a source is right, or that its stored text is complete. A bundle shows what was read, not what is published \
             today."
                .into(),
        );
    }
    let lacks_sources = case.manifest.missing.iter().any(|one| one.name.starts_with(name::SOURCES));
    if case.manifest.extent == Extent::Passages || lacks_sources {
        tell(
            "That passages are in their sources where the log says, if the texts of those sources are not in the bundle.".into(),
        );
    }
    if case.members.contains_key(name::FIGURES) {
        tell(
            "That respondents were counted correctly: the bundle contains no individual answers."
                .into(),
        );
    }
    if case.result.get("references").is_some() {
        tell(
            "That references follow their citation style. The works themselves are in the log."
                .into(),
        );
    }
}
