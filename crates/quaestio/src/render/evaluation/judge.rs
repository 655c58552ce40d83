//! Who judged, and what its word is worth.

use eval::report::{Agreement, Report};

use super::super::pages::Page;
use super::words::{count, percent};

pub(super) fn judge(report: &Report, plain: fn(&str) -> String) -> String {
    let mut page = Page::new(plain, plain);
    page.heading("The judge");
    let Some(judge) = &report.judge else {
        page.paragraph("Nobody judged.");
        return page.text;
    };
    let verdict = page.block(&judge.verdict);
    page.paragraph(&verdict);
    let mut items = vec![format!(
        "{} with the rubric {}, version {}; every answer and every pair, in both orders, judged {}; {}, ${:.4}",
        page.block(&judge.model),
        page.inline(&judge.rubric),
        judge.rubric_version,
        count(judge.rounds.into(), "time", "times"),
        count(judge.calls, "call", "calls"),
        judge.cost_usd_micros as f64 / 1e6
    )];
    if let Some(scores) = &judge.scores {
        items.push(format!("Scores of the same answer: {}", agreement(scores, "answers")));
    }
    if let Some(preferences) = &judge.preferences {
        items.push(format!(
            "Preferences, with the order turned: {}",
            agreement(preferences, "pairs")
        ));
    }
    if let Some(first) = &judge.first_preferred {
        items.push(format!("Preferred what was shown first, ties apart: {}", percent(first)));
    }
    for comparison in &report.comparisons {
        if let Some(preferred) = &comparison.preferred {
            items.push(format!(
                "{} against {}: {} won, {} lost, {} even; {}",
                page.block(&comparison.arm),
                page.inline(&comparison.against),
                preferred.wins,
                preferred.losses,
                preferred.ties,
                percent(&preferred.share)
            ));
        }
    }
    page.items(items);
    page.paragraph(
        "Agreement is Krippendorff's alpha: 1 for always, 0 for chance. A judge that agrees with itself need not be right.",
    );
    page.text
}

fn agreement(agreement: &Agreement, of: &str) -> String {
    let Agreement { alpha, low, high, units } = agreement;
    match alpha {
        None => format!("all {units} {of} were judged alike, which tells nothing apart"),
        Some(alpha) if (*low, *high) == (-1.0, 1.0) => {
            format!("alpha {alpha:.2} from {units} {of}, too few for an interval")
        }
        Some(alpha) => format!("alpha {alpha:.2} ({low:.2} to {high:.2}) from {units} {of}"),
    }
}
