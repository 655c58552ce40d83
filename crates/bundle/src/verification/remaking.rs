//! What can be made again: the result from the log, the report from the result, and the method's whole work.

use run::entry::{Entry, Event};
use run::log::Status;
use run::views;

use super::{Case, Check};
use crate::bibliography::Written;
use crate::manifest::name;
use crate::packing::{MADE_BY, derive};
use crate::replaying::{self, ReplayError};

/// Checks that the manifest says of the run what its log says.
pub(super) fn check_start(case: &Case<'_>) -> Check {
    let mut findings = Vec::new();
    let manifest = &case.manifest;
    match views::start(&case.entries) {
        None => findings.push("the log does not begin with a start".to_owned()),
        Some(start) => {
            if (start.method, start.version) != (manifest.method.as_str(), manifest.method_version)
            {
                findings.push(format!(
                    "the run's method is {} (version {})",
                    start.method, start.version
                ));
            }
        }
    }
    let is_start = |entry: &Entry| matches!(entry.event, Event::Started { .. });
    if case.entries.iter().skip(1).any(is_start) {
        findings.push("the log starts twice".to_owned());
    }
    let is_end = |entry: &Entry| matches!(entry.event, Event::Finished { .. });
    if case.entries.iter().rev().skip(1).any(is_end) {
        findings.push("the log continues after its end".to_owned());
    }
    let status = views::status(&case.entries);
    if status != manifest.status || !status.is_final() {
        findings.push(format!("the log says that the run is {}", status.name()));
    }
    Check::of("manifest", "it says the same about the run as the log", findings)
}

/// Checks that everything that is made from the log is what is made from it; keeps the result.
pub(super) fn check_made(case: &mut Case<'_>) -> Check {
    let mut findings = Vec::new();
    let read = serde_json::from_slice(case.member(name::RESULT));
    match read {
        Ok(result) => case.result = result,
        Err(error) => {
            let finding = format!("could not read {}: {error}", name::RESULT);
            return Check::failed("result", "result and report", finding);
        }
    }
    let references = Written::of(&case.result);
    let made = derive(case.methods, &case.manifest.run_id, &case.entries, &references);
    let is_ours = case.manifest.made_by == MADE_BY;
    for member in &made {
        let is_told = member.name == name::READ_ME || member.name.starts_with(name::SCHEMAS);
        let is_same = case.members.get(&member.name) == Some(&member.bytes);
        // What explains a bundle may be worded otherwise in another version.
        if is_same || (is_told && !is_ours) {
            continue;
        }
        let with = match is_ours {
            true => String::new(),
            false => format!(
                ". It was made by {}, which may word reports differently; use the verifier of that version",
                case.manifest.made_by
            ),
        };
        findings.push(format!("{} differs from what follows from the log{with}", member.name));
    }
    let has_figures = !case.expressions.is_empty();
    let known = |member: &str| {
        made.iter().any(|one| one.name == member)
            || [name::MANIFEST, name::SIGNATURE, name::TIME_STAMP].contains(&member)
            || (member == name::FIGURES && has_figures)
            || [name::SOURCES, name::PROMPTS].iter().any(|folder| member.starts_with(folder))
    };
    let foreign = case.members.keys().filter(|member| !known(member));
    findings.extend(foreign.map(|member| format!("{member} does not belong in a bundle")));
    Check::of("result", "result, claims and report follow from the log, byte for byte", findings)
}

/// Checks what the method promises of its results.
pub(super) fn check_method(case: &Case<'_>) -> Check {
    let findings = methods::validation::validate(case.methods, &case.result);
    let findings = findings.iter().map(ToString::to_string).collect();
    let told = format!(
        "the result keeps what {} promises: counts, marks, verdicts, figures",
        case.manifest.method
    );
    Check::of("contract", told, findings)
}

/// Performs the method once more over the log. What it does not come to again is not proved, whichever version made it.
pub(super) async fn check_replay(case: &Case<'_>) -> Check {
    const NAME: &str = "replay";
    let told =
        "the method, repeated over the recorded replies with every check, gives the same result";
    let prompts = replaying::find_prompts(&case.members);
    let (run, entries) = (&case.manifest.run_id, &case.entries);
    let replayed = replaying::over(case.methods, run, entries, &prompts).await;
    let is_cancelled = case.manifest.status == Status::Cancelled;
    match replayed {
        Ok(replayed) if replayed.same => Check::held(NAME, told),
        // A person ended it on the way, and what a method has on its way is in no reply.
        Ok(_) | Err(ReplayError::Stopped(_)) if is_cancelled => Check::not_checked(
            NAME,
            "a person stopped the run before its method finished; the result shows what is in the log",
        ),
        Ok(replayed) => Check::failed(
            NAME,
            told,
            match replayed.recorded_by {
                Some(version) => format!(
                    "version {version} of the method made it ({}), and this version works differently. Use the verifier of \
                     that version",
                    case.manifest.made_by
                ),
                None => "it gives a different result from the recorded one".to_owned(),
            },
        ),
        Err(error) => Check::failed(NAME, told, error.to_string()),
    }
}
