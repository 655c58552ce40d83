//! How similar the hypotheses are, and what went wrong.

use render::Document;

use crate::hypothesize::payload::{Diversity, Failed, Measure};
use crate::report::{WentWrong, join_and, went_wrong};

/// Adds what was measured, if anything was.
pub(super) fn diversity(report: &mut Document, measured: &[Diversity]) {
    if measured.is_empty() {
        return;
    }
    report.heading("How similar the hypotheses are");
    report.items(measured.iter().map(measurement));
}

fn measurement(measured: &Diversity) -> String {
    let measure = match measured.measure {
        Measure::Embeddings => "cosine similarity of their vectors",
        Measure::Shingles => "share of words and word pairs in common",
    };
    let close: Vec<String> = measured
        .too_close
        .iter()
        .map(|pair| {
            let (a, b) = (&pair.hypothesis_a_id, &pair.hypothesis_b_id);
            format!("{a} and {b} ({:.2})", pair.similarity)
        })
        .collect();
    let verdict = match close.as_slice() {
        [] => "no pair is too similar".to_owned(),
        _ => format!("too similar: {}", close.join(", ")),
    };
    format!(
        "After {}: the most similar pair has {:.2} ({measure}; too similar from {:.2}); \
         {verdict}.{}",
        measured.stage.replace('_', " "),
        measured.highest,
        measured.threshold,
        if measured.retried { " The agent was asked once more." } else { "" }
    )
}

/// Adds which stage failed, why, and what can be done.
pub(super) fn error(report: &mut Document, error: &Failed, stages: &[&str]) {
    let stages: Vec<String> = stages.iter().map(|stage| stage.replace('_', " ")).collect();
    let came_back = match stages.as_slice() {
        [] => String::new(),
        _ => format!(
            "Stages that finished: {}. The JSON result contains what each returned.",
            join_and(&stages)
        ),
    };
    let (stage, message) = (&error.stage, &error.message);
    let retry_attempted = error.retry_attempted;
    went_wrong(report, &WentWrong { stage, message, retry_attempted, came_back });
}
