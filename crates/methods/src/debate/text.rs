//! A debate in words: a turn as printed in the stream and as shown to the scientists, and the summary.

use std::fmt::Write as _;

use run::ledger::Verdict;
use run::sandbox::{Checks, End, Execution, Trial};

use super::guard::guarded;
use super::payload::{Critique, Ending, Markers, Sentence, Turn};

/// Lines of a program's output that a response shows, from the end.
const LINES_SHOWN: usize = 8;
const LONGEST_LINE: usize = 200;

/// Returns a turn as printed under `Response:`: its parts, its references, and the marker lines.
///
/// Text by models, papers and programs is guarded, so the markers at the end are the only lines of their kind.
pub(super) fn response(turn: &Turn) -> String {
    let mut page = String::new();
    part(&mut page, "Position", &running(&turn.position));
    part(&mut page, "Evidence Synthesis", &running(&turn.synthesis));
    let critique: Vec<String> = turn.critique.iter().map(objection).collect();
    part(&mut page, "Critique", &critique.join("\n\n"));
    if let Some(proposal) = &turn.proposal {
        let fence = fence_for(&proposal.code);
        let code = proposal.code.trim_end();
        let mut told = running(&proposal.explanation);
        if !told.is_empty() {
            told.push_str("\n\n");
        }
        let _ = write!(told, "{fence}{}\n{code}\n{fence}", proposal.language);
        part(&mut page, "Proposed Code", &told);
        part(&mut page, "Execution", &execution(&proposal.trial));
    }
    part(&mut page, "Next Verification Step", &running(&turn.next_step));
    if !turn.overruled.is_empty() {
        part(&mut page, "Overruled", &turn.overruled);
    }
    if !turn.references.is_empty() {
        page.push_str("References (APA 7)\n");
        for listed in &turn.references {
            let numbers: Vec<String> = listed.numbers.iter().map(u32::to_string).collect();
            let _ = writeln!(page, "[{}] {}", numbers.join(", "), on_one_line(&listed.text));
        }
        page.push('\n');
    }
    page.push_str(&markers(&turn.markers));
    page
}

/// Returns the marker lines at the end of a response.
fn markers(markers: &Markers) -> String {
    let mut lines = format!(
        "Agreement: {}\nViability: {}\nValidation: {}\n",
        markers.agreement.name(),
        markers.viability.name(),
        markers.validation.name()
    );
    if let Some(answer) = markers.answer {
        let _ = writeln!(lines, "Answer: {}", answer.name());
        let _ =
            writeln!(lines, "Verification Reason: {}", on_one_line(&markers.verification_reason));
    }
    let _ = writeln!(lines, "Conclusion: {}", on_one_line(&markers.conclusion));
    lines
}

fn part(page: &mut String, heading: &str, text: &str) {
    if !text.is_empty() {
        let _ = write!(page, "{heading}\n{}\n\n", guarded(text));
    }
}

/// Returns sentences as running text with their marks.
pub(super) fn running(sentences: &[Sentence]) -> String {
    sentences.iter().map(marked).collect::<Vec<_>>().join(" ")
}

fn marked(sentence: &Sentence) -> String {
    let arrow = if sentence.verdict == Some(Verdict::Inferred) { "→ " } else { "" };
    let marks = sentence.numbers.iter().map(|number| format!(" [{number}]"));
    [arrow.to_owned(), sentence.text.clone()].into_iter().chain(marks).collect()
}

fn objection(critique: &Critique) -> String {
    let remark = marked(&critique.remark);
    if critique.quotation.is_empty() {
        remark
    } else {
        format!("> {}\n{remark}", critique.quotation)
    }
}

/// Returns a fence that does not occur in the code.
fn fence_for(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.max(2) + 1)
}

/// Returns the outcome of running proposed code, in a few lines.
pub(super) fn execution(trial: &Trial) -> String {
    let Execution { end, stdout, stderr, duration_ms, files, checks, .. } = match trial {
        Trial::NotExecuted { reason } => return format!("Not executed: {reason}."),
        Trial::Executed(execution) => execution,
    };
    let Checks { found, held, failed } = checks;
    let fell = if *failed > 0 { format!("; {failed} failed") } else { String::new() };
    let mut told = format!(
        "{} after {duration_ms} ms. As the code reports it, {held} of its own {found} checks were reached and passed{fell}.",
        ended(*end)
    );
    for (name, printed) in [("Standard output", stdout), ("Standard error", stderr)] {
        let printed = run::grounding::clean(printed);
        let lines: Vec<&str> = printed.lines().filter(|line| !line.trim().is_empty()).collect();
        if lines.is_empty() {
            continue;
        }
        let left_out = lines.len().saturating_sub(LINES_SHOWN);
        let _ = write!(told, "\n{name}:");
        if left_out > 0 {
            let _ = write!(told, " ({left_out} lines before these)");
        }
        for line in lines.iter().skip(left_out) {
            let line: String = line.chars().take(LONGEST_LINE).collect();
            let _ = write!(told, "\n    {line}");
        }
    }
    if !files.is_empty() {
        let _ = write!(told, "\nFiles it wrote: {}.", files.len());
    }
    told
}

/// Returns how a program ended.
fn ended(end: End) -> String {
    match end {
        End::Exited { code } => format!("Exit code {code}"),
        End::Killed { signal } => format!("Ended by signal {signal}"),
        End::TimedOut => "Stopped at the time limit".into(),
        End::TooMuchOutput => "Stopped because it printed too much".into(),
        End::TooMuchStored => "Stopped because it stored too much".into(),
    }
}

/// Returns the sentences of a turn, part by part, without marks, code and references.
fn parts(turn: &Turn) -> Vec<(&'static str, Vec<&str>)> {
    fn said(sentences: &[Sentence]) -> Vec<&str> {
        sentences.iter().map(|one| one.text.as_str()).collect()
    }
    let explanation = turn.proposal.as_ref().map(|proposal| said(&proposal.explanation));
    vec![
        ("Position", said(&turn.position)),
        ("Evidence synthesis", said(&turn.synthesis)),
        ("Critique", turn.critique.iter().map(|one| one.remark.text.as_str()).collect()),
        ("Code, explained", explanation.unwrap_or_default()),
        ("Next step", said(&turn.next_step)),
        ("Conclusion", vec![&turn.markers.conclusion]),
        ("Reason", vec![&turn.markers.verification_reason]),
    ]
}

/// Returns the sentences of a turn in the order of their addresses; the first turn's first sentence is `T1.1`.
pub(super) fn sentences(turn: &Turn) -> Vec<String> {
    let said = parts(turn).into_iter().flat_map(|(_, said)| said);
    said.filter(|text| !text.is_empty()).map(on_one_line).collect()
}

/// Returns a turn (counted from 1) as shown to the other scientist: each sentence after its address.
pub(super) fn spoken(turn: &Turn, number: usize) -> String {
    let mut told = String::new();
    let mut count = 0;
    for (heading, said) in parts(turn) {
        let said: Vec<&str> = said.into_iter().filter(|text| !text.is_empty()).collect();
        if said.is_empty() {
            continue;
        }
        let _ = writeln!(told, "{heading}:");
        for text in said {
            count += 1;
            let _ = writeln!(told, "[T{number}.{count}] {}", on_one_line(text));
        }
    }
    told
}

/// Returns the summary of a debate; `complete` if all outside sources answered.
pub(super) fn summary(ending: Ending, turns: &[Turn], complete: bool) -> String {
    let cycles = match turns.last().map_or(0, |turn| turn.cycle) {
        1 => "1 cycle".to_owned(),
        cycles => format!("{cycles} cycles"),
    };
    let first = match ending {
        Ending::Viable => {
            format!("After {cycles}, the reviewer found the proposal viable{}.", held(turns))
        }
        Ending::MaxTurns => format!("No viable solution was reached in {cycles}."),
        Ending::NoEvidence if !complete => "Nothing was found to debate. Some sources could not be reached and may have more; \
            try again later.".to_owned(),
        Ending::NoEvidence => {
            "Not enough evidence: nothing that was found is relevant to the question. Use other words, add documents or name \
             more sources.".to_owned()
        }
        Ending::Interrupted if turns.is_empty() => "The debate ended before its first turn.".into(),
        Ending::Interrupted => format!("The debate ended early. What was said in {cycles} follows."),
    };
    let mut told = vec![first];
    for turn in turns.iter().rev().take(2).rev() {
        let conclusion = &turn.markers.conclusion;
        // A line that begins with the scientist's name would look like a milestone.
        let (role, title) = (turn.scientist.role(), turn.scientist.title());
        told.push(format!("The {role} ({title}) concludes: {conclusion}"));
        if !turn.overruled.is_empty() {
            told.push(format!("The program overruled this: {}.", turn.overruled));
        }
    }
    told.join("\n")
}

/// Returns the outcome of the last proposal's code, as the end of a sentence.
fn held(turns: &[Turn]) -> String {
    let proposal = turns.iter().rev().find_map(|turn| turn.proposal.as_ref());
    let checks = proposal.and_then(|one| one.trial.execution()).map(|one| one.checks);
    checks.map_or_else(String::new, |Checks { found, held, .. }| {
        format!(
            ". Its code ran to the end and reports that {held} of its own {found} checks were reached and passed"
        )
    })
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
