//! What can be said without a model: sentences of the evidence, word for word.

use run::analysis::{self, Language};
use run::evidence::Numbered;
use run::extract;
use run::ledger::{Quoted, Written};

use super::{Draft, Rules};

/// Tells whether a passage stands under a heading that lists sources rather than says something.
fn is_apparatus(source: &Numbered) -> bool {
    const HEADINGS: [&str; 8] = [
        "sources",
        "references",
        "bibliography",
        "literature",
        "works cited",
        "further reading",
        "see also",
        "notes",
    ];
    let section = &source.evidence.provenance.place.section;
    let heading = section.rsplit(" > ").next().unwrap_or_default().trim().to_lowercase();
    HEADINGS.contains(&heading.as_str())
}

/// Where an extractive answer has nothing to quote.
const SILENT: &str = "passages were found that may bear on the question, but no sentence of them has enough of its words to be quoted as an \
                      answer; a model can answer from passages in other words";

/// Says what can be said without a model: the sentences of the evidence that answer best, word for word.
///
/// `weights` are the question's content words with their IDF. A sentence counts if it holds, with its
/// heading, enough of them, and not much less than the best one does.
pub fn extracted(
    question: &str,
    evidence: &[Numbered],
    language: Language,
    weights: &[(String, f64)],
    rules: &Rules,
) -> Draft {
    /// A sentence that covers less than this share of what the best one covers adds nothing.
    const BESIDE_THE_BEST: f64 = 0.6;
    let texts: Vec<&str> = evidence.iter().map(|one| one.evidence.text.as_str()).collect();
    let picked =
        extract::answer_sentences(question, &texts, language, rules.extractive_sentences as usize);
    let claims = picked.iter().filter_map(|pick| {
        let source = evidence.get(pick.passage).filter(|source| !is_apparatus(source))?;
        let quote = source.evidence.text.get(pick.span.clone())?.to_owned();
        let heading = &source.evidence.provenance.place.section;
        let covered = extract::coverage(
            weights,
            &[analysis::terms(&format!("{heading}\n{quote}"), language)],
        );
        let citations = vec![Quoted { evidence: source.number, quote: quote.clone() }];
        Some((Written { text: quote, citations }, covered))
    });
    let claims: Vec<(Written, f64)> = claims.collect();
    let best = claims.iter().map(|(_, covered)| *covered).fold(0.0, f64::max);
    let enough = rules.extractive_coverage.max(best * BESIDE_THE_BEST);
    let claims = claims.into_iter().filter(|(_, covered)| *covered >= enough);
    let claims: Vec<Written> = claims.map(|(claim, _)| claim).collect();
    let silent = claims.is_empty().then(|| SILENT.to_owned());
    Draft { claims, gaps: silent.into_iter().collect(), assumptions: vec![] }
}
