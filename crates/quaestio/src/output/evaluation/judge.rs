//! The judge, and how reliable it is.

use eval::report::{Agreement, Arm, Group, JudgeReport, Report, ReportJudge};
use render::Document;

use super::words::{self, count, percent};

pub(super) fn judge(page: &mut Document, report: &Report) {
    page.heading("The judge");
    let Some(judge) = &report.judge else {
        page.paragraph("Nobody judged.");
        return;
    };
    page.paragraph(&judge.verdict);
    let mut items = vec![format!(
        "{} with the rubric {}, version {}; every answer and every pair, in both orders, {}",
        judge.model,
        judge.rubric,
        judge.rubric_version,
        effort(judge)
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
                comparison.arm,
                comparison.against,
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
}

/// Writes what the judge of reports said of every arm, and what that is worth; nothing where there was none.
pub(super) fn of_reports(page: &mut Document, report: &Report) {
    let Some(ReportJudge { judge, criteria, criteria_version, orders }) = &report.report_judge
    else {
        return;
    };
    page.heading("The judge of reports");
    page.paragraph(&judge.verdict);
    let mut items = vec![format!(
        "{} with criteria by {}, version {criteria_version}, and the rubric {}, version {}; every pair, in both orders, {}",
        judge.model,
        criteria,
        judge.rubric,
        judge.rubric_version,
        effort(judge)
    )];
    if let Some(preferences) = &judge.preferences {
        items.push(format!(
            "Which report is better, with the order turned: {}",
            agreement(preferences, "pairs")
        ));
    }
    if let Some(first) = &judge.first_preferred {
        items.push(format!("Found better what was shown first, ties apart: {}", percent(first)));
    }
    if let Some(orders) = orders {
        items.push(format!(
            "Where the order is turned the score moves by {:.2} ({:.2} to {:.2}), and the other report is the better one in {}; from {}",
            orders.difference.value,
            orders.difference.low,
            orders.difference.high,
            percent(&orders.turned),
            count(orders.pairs, "pair", "pairs")
        ));
    }
    items.extend(report.arms.iter().filter_map(|arm| beside(report, arm, judge.is_noise)));
    page.items(items);
    page.paragraph(
        "Report quality is the score of a report / (its score + that of the control's report): 0.5 is as good as the control. It is what a judge likes, and no check of what is right.",
    );
}

/// Returns how often a judge was asked, and what that cost.
fn effort(judge: &JudgeReport) -> String {
    let (rounds, calls) = (judge.rounds.into(), judge.calls);
    let (rounds, calls) = (count(rounds, "time", "times"), count(calls, "call", "calls"));
    format!("judged {rounds}; {calls}, ${:.4}", judge.cost_usd_micros as f64 / 1e6)
}

/// Says what the reports of an arm are worth beside the control's, overall and by dimension.
fn beside(report: &Report, arm: &Arm, is_noise: bool) -> Option<String> {
    let lines = report.metrics.iter().filter(|line| line.group == Group::Reports);
    let figures: Vec<String> = lines
        .filter_map(|line| {
            let mean = arm.means.get(&line.key)?;
            let figure = words::mean(line, mean, report.dataset.cases);
            let reading = if is_noise { "not told from noise" } else { words::side(mean) };
            Some(format!("{} {figure}, {reading}", line.name))
        })
        .collect();
    (!figures.is_empty()).then(|| format!("{}: {}", arm.name, figures.join("; ")))
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
