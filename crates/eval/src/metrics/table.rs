//! The names of the metrics and how to read them.

use super::REPORT_QUALITY;
use crate::report::{Better, Group, MetricLine, MetricUnit};
use crate::report_judge::Dimension;

use Better::{Higher, Lower, Neither};
use Group::{Answer, Citations, Cost, Judge, Reports, Retrieval, Text};
use MetricUnit::{Count, Milliseconds, Points, Score, Share, Tokens, Usd, Words};

/// Returns all metrics in display order, with those of retrieval at these cutoffs and those of a judge by these criteria.
pub fn table(cutoffs: &[u32], criteria: &[String]) -> Vec<MetricLine> {
    let mut lines = vec![
        line(
            "exact_match",
            "exact match",
            "the answer is a reference answer, apart from case, punctuation and articles",
            Share,
            Higher,
            Answer,
        ),
        line(
            "token_f1",
            "token F1",
            "how many words answer and reference share",
            Share,
            Higher,
            Answer,
        ),
        line(
            "expected",
            "expected strings",
            "share of the expected strings that the answer contains",
            Share,
            Higher,
            Answer,
        ),
        line(
            "abstention",
            "rightly answered or not",
            "answered if the documents answer the question, and abstained if they do not",
            Share,
            Higher,
            Answer,
        ),
        line(
            "groundedness",
            "groundedness",
            "share of the writer's claims that passed the check",
            Share,
            Higher,
            Citations,
        ),
        line(
            "quoted",
            "quoted",
            "share of the writer's claims that are quoted word for word",
            Share,
            Higher,
            Citations,
        ),
        line(
            "recomputed",
            "recomputed",
            "share of the writer's claims that the program computed",
            Share,
            Higher,
            Citations,
        ),
        line(
            "supported",
            "supported",
            "share of the writer's claims that a second reader found borne out",
            Share,
            Higher,
            Citations,
        ),
        line(
            "inferred",
            "inferred",
            "share of the writer's claims that are conclusions from other claims",
            Share,
            Higher,
            Citations,
        ),
        line(
            "citation_precision",
            "citation precision",
            "share of the writer's citations that passed the check",
            Share,
            Higher,
            Citations,
        ),
        line(
            "citation_recall",
            "citation recall",
            "share of the answer's sentences with a citation that passed the check",
            Share,
            Higher,
            Citations,
        ),
        line(
            "source_precision",
            "source precision",
            "share of the cited documents that are relevant",
            Share,
            Higher,
            Citations,
        ),
        line(
            "source_recall",
            "source recall",
            "share of the relevant documents that are cited",
            Share,
            Higher,
            Citations,
        ),
    ];
    lines.extend(of_the_text());
    let at = |key: &str, k: &u32, name: &str, meaning: &str| {
        let (key, name) = (format!("{key}_at_{k}"), format!("{name}@{k}"));
        line(&key, &name, meaning, Share, Higher, Retrieval)
    };
    for k in cutoffs {
        let meaning = format!("share of the relevant documents among the first {k} found");
        lines.push(at("recall", k, "recall", &meaning));
    }
    for k in cutoffs {
        let meaning = format!("1 / the rank of the first relevant document, 0 below rank {k}");
        lines.push(at("mrr", k, "MRR", &meaning));
    }
    for k in cutoffs {
        let meaning = format!("how close the first {k} are to the best possible order");
        lines.push(at("ndcg", k, "nDCG", &meaning));
    }
    lines.push(line("judge", "judge", "the judge's mean over all criteria", Score, Higher, Judge));
    for criterion in criteria {
        let name = criterion.replace('_', " ");
        let meaning = format!("the judge's score for {name}");
        let key = format!("judge_{criterion}");
        lines.push(line(&key, &format!("judge: {name}"), &meaning, Score, Higher, Judge));
    }
    lines.extend(of_the_reports());
    lines.extend([
        line(
            "milliseconds",
            "latency",
            "working time, without waiting for people",
            Milliseconds,
            Lower,
            Cost,
        ),
        line("tokens", "tokens", "tokens read and written by models", Tokens, Lower, Cost),
        line("calls", "calls", "calls to models", Count, Lower, Cost),
        line("cost_usd", "cost", "cost of the calls", Usd, Lower, Cost),
    ]);
    lines
}

/// Returns the metrics that compare reports with the control's.
fn of_the_reports() -> Vec<MetricLine> {
    let mut lines = vec![line(
        REPORT_QUALITY,
        "report quality",
        "the report's score / (its score + the score of the control's report), by the criteria of its task, in both orders; \
         0.5 is as good as the control",
        Share,
        Higher,
        Reports,
    )];
    for dimension in Dimension::ALL {
        let key = format!("{REPORT_QUALITY}_{}", dimension.name());
        let name = dimension.name().replace('_', " ");
        let meaning = format!("the same by the criteria of {name} alone");
        let name = format!("report quality: {name}");
        lines.push(line(&key, &name, &meaning, Share, Higher, Reports));
    }
    lines
}

/// Returns the metrics of long answers. A longer report, or one with more sections or sources, is not a better one.
fn of_the_text() -> [MetricLine; 8] {
    [
        line("words", "words", "words of the answer", Words, Neither, Text),
        line("sections", "sections", "headings of the answer", Count, Neither, Text),
        line(
            "sub_questions_answered",
            "sub-questions answered",
            "share of the report's questions that were answered",
            Share,
            Higher,
            Text,
        ),
        line(
            "sources_read",
            "sources read",
            "different documents that were read for the report",
            Count,
            Neither,
            Text,
        ),
        line(
            "sources_cited",
            "sources cited",
            "different documents that the answer cites",
            Count,
            Neither,
            Text,
        ),
        line(
            "citations_per_100_words",
            "citations per 100 words",
            "citation marks in the answer for each 100 of its words",
            Count,
            Neither,
            Text,
        ),
        line(
            "repetition",
            "repetition",
            "share of five-word sequences that occur earlier in the answer",
            Share,
            Lower,
            Text,
        ),
        line(
            "reading_ease",
            "reading ease",
            "Flesch reading ease of an English answer; higher is easier: 60 or more is plain, below 30 is scholarly",
            Points,
            Neither,
            Text,
        ),
    ]
}

fn line(
    key: &str,
    name: &str,
    meaning: &str,
    unit: MetricUnit,
    better: Better,
    group: Group,
) -> MetricLine {
    let [key, name, meaning] = [key, name, meaning].map(str::to_owned);
    MetricLine { key, name, meaning, unit, better, group }
}
