//! Proposed code: running it, showing it, and checking the reviewer's verdict against the run.

use run::evidence::{EvidenceKind, Passage};
use run::sandbox::{Execution, LANGUAGE, Program, Trial};
use run::{Result, Run, Stop};

use super::payload::{Scientist, Validation};
use super::replies::Code;
use super::text;
use super::transcript::Transcript;

/// Runs proposed code in the scope `sandbox`; `None` if none is proposed.
pub(super) async fn run_code(
    run: &Run,
    transcript: &Transcript<'_>,
    code: &Code,
    cycle: u32,
) -> Result<Option<Trial>> {
    if code.source.trim().is_empty() {
        return Ok(None);
    }
    let not_executed = |reason: String| Ok(Some(Trial::NotExecuted { reason }));
    if run.leaves_out("sandbox") {
        return not_executed("the approved plan leaves out running the code".into());
    }
    if code.language != LANGUAGE {
        let language = &code.language;
        return not_executed(format!("the code is in {language}, and only Python is executed"));
    }
    run.say("running the proposed code");
    let program = Program { source: code.source.clone(), limits: transcript.options.rules.limits };
    let sandbox = run.scope("sandbox").scope(&format!("turn-{cycle}"));
    match sandbox.execute(&program).await {
        Ok(trial) => Ok(Some(trial)),
        // Code that could not be run proves nothing and does not stop the debate.
        Err(Stop::Stage { message, .. }) => {
            run.warn(format!("could not run the proposed code: {message}"));
            not_executed(format!("the sandbox failed: {message}"))
        }
        Err(stop) => Err(stop),
    }
}

/// Returns a language name for display: lower case, on one line. Code without a language is taken for Python.
pub(super) fn language(said: &str) -> String {
    const LONGEST: usize = 40;
    let said = crate::grounded::docket::plain(said).to_lowercase();
    match said.as_str() {
        "" | "python3" | "py" => LANGUAGE.to_owned(),
        said => said.chars().take(LONGEST).collect(),
    }
}

/// Returns a trial as shown in a turn, with only the beginning and the end of its output. The step stores all of it.
pub(super) fn shown(trial: Trial) -> Trial {
    const AT_EACH_END: usize = 1_500;
    let cut = |printed: String| {
        let most = 2 * AT_EACH_END;
        if printed.len() <= most {
            return printed;
        }
        let start = printed.floor_char_boundary(AT_EACH_END);
        let end = printed.ceil_char_boundary(printed.len() - AT_EACH_END);
        let (before, after) = (printed.get(..start), printed.get(end..));
        let left_out = end - start;
        format!(
            "{}\n[{left_out} bytes are left out here]\n{}",
            before.unwrap_or_default(),
            after.unwrap_or_default()
        )
    };
    match trial {
        Trial::Executed(execution) => Trial::Executed(Execution {
            stdout: cut(execution.stdout),
            stderr: cut(execution.stderr),
            ..execution
        }),
        not_executed => not_executed,
    }
}

/// Returns the effective verdict on the code, and why the reviewer's was overruled; empty if it was not.
pub(super) fn check_verdict(said: Validation, trial: Option<&Trial>) -> (Validation, String) {
    let executed = trial.and_then(Trial::execution);
    match (said, executed) {
        (Validation::NotApplicable, _) => (said, String::new()),
        // Code that was not run neither passes nor fails, and a FAIL needs no correction.
        (Validation::Fail, None) => (Validation::NotApplicable, String::new()),
        (Validation::Pass, None) => {
            let why = match trial {
                Some(Trial::NotExecuted { reason }) => reason.clone(),
                _ => "no code was proposed".into(),
            };
            (
                Validation::NotApplicable,
                format!("PASS is overruled to N/A, because nothing was executed: {why}"),
            )
        }
        (Validation::Fail, Some(_)) => (said, String::new()),
        (Validation::Pass, Some(execution)) if execution.checks.failed > 0 => (
            Validation::Fail,
            "PASS is overruled to FAIL, because one of the code's own checks failed".to_owned(),
        ),
        (Validation::Pass, Some(_)) if trial.is_some_and(Trial::failed) => (
            Validation::Fail,
            "PASS is overruled to FAIL, because running the code failed".to_owned(),
        ),
        (Validation::Pass, Some(execution)) if execution.checks.held == 0 => (
            Validation::Fail,
            "PASS is overruled to FAIL, because the code reports no check that was reached and passed"
                .to_owned(),
        ),
        (Validation::Pass, Some(_)) => (said, String::new()),
    }
}

/// Returns the latest code with its outcome, as shown to the scientists.
pub(super) fn told(transcript: &Transcript<'_>) -> String {
    let proposal = transcript.last_of(Scientist::Optimist).and_then(|turn| turn.proposal.as_ref());
    proposal.map_or_else(String::new, |proposal| {
        let came = text::execution(&proposal.trial);
        format!("Language: {}\n\n{}\n\n{came}", proposal.language, proposal.code)
    })
}

/// Returns an execution as citable evidence; `None` if nothing was executed.
pub(super) fn passage(trial: &Trial, cycle: u32) -> Option<Passage> {
    trial.execution()?;
    let title = format!("Execution of the code proposed in turn {cycle}");
    let (name, text) = (format!("turn-{cycle}"), text::execution(trial));
    Some(Passage::whole(EvidenceKind::Execution, &name, title, text))
}

#[cfg(test)]
mod tests {
    use run::sandbox::{Checks, End, Execution};

    use super::*;

    fn ended_well(checks: Checks) -> Trial {
        Trial::Executed(Execution {
            end: End::Exited { code: 0 },
            stdout: String::new(),
            stderr: String::new(),
            duration_ms: 12,
            files: vec![],
            checks,
            interpreter: "Python 3".into(),
            layers: vec![],
        })
    }

    // proves: D4
    #[test]
    fn a_pass_over_a_check_that_failed_is_overruled_and_said_so() {
        let trial = ended_well(Checks { found: 3, held: 2, failed: 1 });
        let (validation, why) = check_verdict(Validation::Pass, Some(&trial));
        assert_eq!(validation, Validation::Fail);
        assert!(why.contains("one of the code's own checks failed"), "{why}");
        let told = text::execution(&trial);
        assert!(
            told.contains(
                "As the code reports it, 2 of its own 3 checks were reached and passed; 1 failed."
            ),
            "{told}"
        );
        let trial = ended_well(Checks { found: 3, held: 2, failed: 0 });
        assert_eq!(
            check_verdict(Validation::Pass, Some(&trial)),
            (Validation::Pass, String::new())
        );
        assert!(
            text::execution(&trial).ends_with("2 of its own 3 checks were reached and passed.")
        );
    }
}
