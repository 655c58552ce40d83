//! How far apart the hypotheses are, and what went wrong.

use methods::hypothesize::payload::{Diversity, Failed, Measure};

use super::{Page, WentWrong, listed};

/// Writes what was measured; nothing where nothing was.
pub(super) fn diversity(page: &mut Page, measured: &[Diversity]) {
    if measured.is_empty() {
        return;
    }
    page.heading("How far apart the hypotheses are");
    let items: Vec<String> = measured.iter().map(|one| measurement(page, one)).collect();
    page.items(items);
}

fn measurement(page: &Page, measured: &Diversity) -> String {
    let measure = match measured.measure {
        Measure::Embeddings => "the cosine of their vectors",
        Measure::Shingles => "the share of words and word pairs in common",
    };
    let close: Vec<String> = measured
        .too_close
        .iter()
        .map(|pair| {
            let (a, b) = (&pair.hypothesis_a_id, &pair.hypothesis_b_id);
            format!("{} and {} ({:.2})", page.inline(a), page.inline(b), pair.similarity)
        })
        .collect();
    let verdict = match close.as_slice() {
        [] => "no pair is too close".to_owned(),
        _ => format!("too close: {}", close.join(", ")),
    };
    format!(
        "After {}: the closest pair has {:.2} ({measure}; from {:.2} on a pair is too close); {verdict}.{}",
        page.inline(&measured.stage.replace('_', " ")),
        measured.highest,
        measured.threshold,
        if measured.retried { " The agent was asked once more." } else { "" }
    )
}

/// Writes which stage failed, why, and what can be done.
pub(super) fn error(page: &mut Page, error: &Failed, stages: &[&str], whole: &str) {
    let stages: Vec<String> =
        stages.iter().map(|stage| page.inline(&stage.replace('_', " "))).collect();
    let came_back = match stages.as_slice() {
        [] => String::new(),
        _ => format!("Stages that came back: {}. {whole} what each returned.", listed(&stages)),
    };
    page.went_wrong(&WentWrong {
        stage: &error.stage,
        message: &error.message,
        retry_attempted: error.retry_attempted,
        came_back,
    });
}
