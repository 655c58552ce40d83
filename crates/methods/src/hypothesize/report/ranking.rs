//! The ranks as a table, and in words how far they can be relied on.

use std::fmt::Write as _;

use render::{Document, Line, Table};

use super::Gathered;
use crate::hypothesize::payload::{Dimension, Hypothesis, PairCoverage, PositionBias, Ranking};
use crate::report::{count, join_and};

/// Adds the table, unless nothing was ranked.
pub(super) fn table(report: &mut Document, gathered: &Gathered<'_>) {
    if gathered.hypotheses.iter().all(|one| one.scores.is_none()) {
        return;
    }
    report.heading("Ranking");
    let mut table = Table::with([
        "Rank#",
        "Id",
        "Hypothesis",
        "Overall (interval)#",
        "Novelty#",
        "Plausibility#",
        "Testability#",
        "Impact#",
        "Grounding#",
        "Citations#",
    ]);
    gathered.hypotheses.iter().for_each(|one| table.row(row(one)));
    report.table(table);
}

fn row(hypothesis: &Hypothesis) -> [Line; 10] {
    const NONE: &str = "–";
    let overall = match (hypothesis.scores, hypothesis.interval) {
        (Some(scores), Some(at)) => {
            format!("{:.1} ({:.1}–{:.1})", scores.overall, at.low, at.high)
        }
        (Some(scores), None) => format!("{:.1}", scores.overall),
        (None, _) => NONE.to_owned(),
    };
    let scores = hypothesis.scores.map(|scores| {
        [scores.novelty, scores.plausibility, scores.testability, scores.impact, scores.grounding]
    });
    let [novelty, plausibility, testability, impact, grounding] = match scores {
        Some(scores) => scores.map(|score| format!("{score:.1}")),
        None => [NONE; 5].map(str::to_owned),
    };
    [
        hypothesis.rank.map_or(NONE.to_owned(), |rank| rank.to_string()),
        hypothesis.id.clone(),
        hypothesis.title.clone(),
        overall,
        novelty,
        plausibility,
        testability,
        impact,
        grounding,
        hypothesis.supporting_citations.to_string(),
    ]
    .map(Line::from)
}

/// Adds what the ranks are worth, if there are any.
pub(super) fn words(report: &mut Document, gathered: &Gathered<'_>, is_offline: bool) {
    let Some(ranking) = gathered.ranking else { return };
    let again = if is_offline {
        "if other comparisons were drawn"
    } else {
        "if the judge were asked again"
    };
    report.paragraph(format!(
        "Scores run from 1 (poor) to 5. In brackets: the range of the overall score {again} ({} draws). \
         The column Citations counts only those that a quote bears out, not works that the program added.",
        ranking.resamples
    ));
    if is_offline {
        report.paragraph("The ranks come from rules applied to the texts; no model judged.");
    }
    if gathered.hypotheses.len() < 2 {
        report.paragraph("There is only one hypothesis, so there was nothing to compare.");
        return;
    }
    let overall = |one: &&Hypothesis| one.scores.map_or(0.0, |scores| scores.overall);
    let mut scores = gathered.hypotheses.iter().map(overall);
    let first = scores.next().unwrap_or_default();
    if scores.all(|score| (score - first).abs() < 1e-9) {
        report.paragraph(
            "All hypotheses are tied. They are listed in the order in which they were proposed.",
        );
    } else {
        let leader = describe_leader(ranking, is_offline);
        let groups = describe_groups(ranking);
        report.paragraph(format!("{leader} {groups}"));
    }
    let judged = coverage(&ranking.pair_coverage, ranking.rounds);
    let bias = describe_bias(&ranking.position_bias);
    report.paragraph(format!("{judged} {bias}"));
    let weights = Dimension::ALL
        .map(|dimension| format!("{} {:.2}", dimension.name(), ranking.weights.get(dimension)));
    report.paragraph(format!("Weights: {}.", weights.join(", ")));
}

fn describe_leader(ranking: &Ranking, is_offline: bool) -> String {
    let leader = &ranking.leader;
    let (p, alpha) = (leader.p_value, ranking.alpha);
    let id = &leader.hypothesis_id;
    let coin = format!(
        "if every pair were decided by a coin toss, one hypothesis would lead by this much in {} tries",
        tries(p, alpha)
    );
    let figures = format!("(p = {}, alpha = {})", short(p), short(alpha));
    match (is_offline, leader.significant) {
        (true, _) => format!("{id} leads by these rules; {coin} {figures}."),
        (false, true) => {
            format!("{id} leads; {coin}, so the lead is unlikely to be chance {figures}.")
        }
        (false, false) => format!("{id} leads, but {coin}, so the lead may be chance {figures}."),
    }
}

/// Returns a chance in tries, fine enough to be told from the other.
fn tries(chance: f64, other: f64) -> String {
    let of = |whole: f64, chance: f64| (chance * whole).round();
    let is_same = of(100.0, chance) == of(100.0, other) && chance != other;
    if chance >= 0.01 && !is_same {
        format!("{} of 100", of(100.0, chance))
    } else if chance >= 0.001 {
        format!("{} of 1,000", of(1000.0, chance))
    } else {
        "fewer than 1 of 1,000".to_owned()
    }
}

/// Returns a number to four places, without the noughts at its end.
fn short(number: f64) -> String {
    let written = format!("{number:.4}");
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn describe_groups(ranking: &Ranking) -> String {
    let several = ranking.groups.iter().filter(|group| group.len() > 1);
    let groups: Vec<String> = several.map(|group| join_and(group)).collect();
    let difference = ranking.critical_difference;
    if groups.is_empty() {
        return format!(
            "All ranks are clearly different: the overall scores are more than {difference:.2} apart."
        );
    }
    /// The scale is no wider.
    const WIDEST: f64 = 4.0;
    if difference > WIDEST - 1e-9 {
        return "There are too few hypotheses for any difference between ranks to be more than chance."
            .to_owned();
    }
    format!(
        "No clear difference in rank (overall scores {difference:.2} or less apart): {}.",
        groups.join("; ")
    )
}

fn coverage(coverage: &PairCoverage, rounds: u32) -> String {
    const SHOWN: usize = 8;
    let asked = match rounds {
        1 => "every pair in both orders".to_owned(),
        _ => format!("every pair in both orders, {rounds} times"),
    };
    let missing = &coverage.missing;
    let mut told = match missing.len() {
        0 => format!("All {} comparisons were judged ({asked}).", coverage.expected),
        several => {
            let mut pairs: Vec<String> = missing
                .iter()
                .take(SHOWN)
                .map(|pair| {
                    let (a, b) = (&pair.hypothesis_a_id, &pair.hypothesis_b_id);
                    let round = match rounds {
                        1 => String::new(),
                        _ => format!(" (round {})", pair.round),
                    };
                    format!("{a} before {b}{round}")
                })
                .collect();
            if several > SHOWN {
                pairs.push(format!("{} more", several - SHOWN));
            }
            format!(
                "{} comparisons were planned ({asked}) and {} were judged; {} missing and counted as {}: {}.",
                coverage.expected,
                coverage.judged,
                count(several as u64, "is", "are"),
                if several == 1 { "a tie" } else { "ties" },
                join_and(&pairs)
            )
        }
    };
    if coverage.unreadable_winners > 0 {
        let _ = write!(
            told,
            " {} could not be read and counted as ties.",
            count(u64::from(coverage.unreadable_winners), "verdict", "verdicts")
        );
    }
    let ignored: Vec<String> = [
        (coverage.doubled, "judged twice"),
        (coverage.foreign, "about an unknown hypothesis"),
        (coverage.self_paired, "of a hypothesis with itself"),
    ]
    .into_iter()
    .filter(|(number, _)| *number > 0)
    .map(|(number, what)| format!("{number} {what}"))
    .collect();
    if !ignored.is_empty() {
        let _ = write!(told, " Ignored comparisons: {}.", join_and(&ignored));
    }
    told
}

fn describe_bias(bias: &PositionBias) -> String {
    if bias.compared == 0 {
        return "No pair was judged in both orders, so it is unknown whether the order mattered."
            .to_owned();
    }
    format!(
        "The hypothesis shown first won {:.0}% of the verdicts that were not ties; {} of {} verdicts changed when the order \
         was reversed.",
        bias.first_won * 100.0,
        bias.reversed,
        bias.compared
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chance_is_told_in_tries_that_do_not_contradict_its_verdict() {
        for (chance, alpha, told) in [
            (0.31, 0.05, "31 of 100"),
            (0.052, 0.05, "52 of 1,000"),
            (0.05, 0.05, "5 of 100"),
            (0.004, 0.05, "4 of 1,000"),
            (0.0, 0.05, "fewer than 1 of 1,000"),
            (1.0, 0.05, "100 of 100"),
        ] {
            assert_eq!(tries(chance, alpha), told);
        }
        assert_eq!(tries(0.05, 0.052), "50 of 1,000");
        assert_eq!(
            (short(0.05), short(1.0), short(0.0123)),
            ("0.05".into(), "1".into(), "0.0123".into())
        );
    }
}
