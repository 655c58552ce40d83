//! What a marked sentence is held against, where its writer quoted nothing.

use run::analysis::{Language, terms};
use run::evidence::Numbered;
use run::extract::cosine;
use run::ledger::{Claim, Quoted, Verdict};

/// Returns the words of a passage that a sentence is held against: those nearest to it, quoted before or a sentence of the passage.
///
/// One and no more: among many quotes some would let nearly any sentence pass.
pub(crate) fn quoted(sentence: &str, passage: &Numbered, known: &[&Claim]) -> Quoted {
    let citations = known.iter().flat_map(|claim| &claim.citations);
    let before = citations.filter(|one| {
        one.verdict == Verdict::Verified && one.evidence_id == passage.evidence.evidence_id
    });
    let text = &passage.evidence.text;
    let sentences = run::analysis::sentences(text);
    let quotes = before
        .map(|citation| citation.quote.as_str())
        .chain(sentences.into_iter().filter_map(|span| text.get(span)));
    let said = terms(sentence, Language::English);
    let near = |quote: &str| cosine(&said, &terms(quote, Language::English));
    let nearest = quotes
        .map(|quote| (near(quote), quote))
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    let quote = nearest.map(|(_, quote)| quote.to_owned()).unwrap_or_default();
    Quoted { evidence: passage.number, quote }
}
