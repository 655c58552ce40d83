//! What can be said without a model: sentences of the evidence, word for word.

use run::analysis::{self, Language};
use run::evidence::Numbered;
use run::extract;
use run::material::{Material, Place};

use super::Rules;
use crate::grounded::Prose;

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
pub(super) const SILENT: &str = "passages were found that may bear on the question, but no sentence of them has enough of its words to be quoted as an \
                      answer; a model can answer from passages in other words";

/// Says what can be said without a model: the sentences of the evidence that answer best, word for word.
///
/// `weights` are the question's content words with their IDF. A sentence counts if it holds, with its
/// heading, enough of them, and not much less than the best one does, and if its document has somebody or something that the
/// question names.
pub fn extracted(
    question: &str,
    evidence: &[Numbered],
    language: Language,
    weights: &[(String, f64)],
    rules: &Rules,
) -> Prose {
    /// A sentence that covers less than this share of what the best one covers adds nothing.
    const BESIDE_THE_BEST: f64 = 0.6;
    let texts: Vec<&str> = evidence.iter().map(|one| one.evidence.text.as_str()).collect();
    let picked =
        extract::answer_sentences(question, &texts, language, rules.extractive_sentences as usize);
    let material = Material::of(evidence);
    let speaks_of = |place: Place| {
        let ground = material.ground(place).unwrap_or_default();
        let headings = ground.headings.join("\n");
        let around = [&*headings, &*ground.opening, &*ground.text()].join("\n");
        grounding::check::speaks_of(question, &around)
    };
    let found = picked.iter().filter_map(|pick| {
        let source = evidence.get(pick.passage).filter(|source| !is_apparatus(source))?;
        let quote = source.evidence.text.get(pick.span.clone())?;
        let heading = &source.evidence.provenance.place.section;
        let covered =
            extract::bearing(weights, &[analysis::terms(&format!("{heading}\n{quote}"), language)]);
        let place = material.touched(source.number, &pick.span)?;
        if material.is_object(place) || !speaks_of(place) {
            return None;
        }
        Some((place.address(), covered))
    });
    let found: Vec<(String, f64)> = found.collect();
    let best = found.iter().map(|(_, covered)| *covered).fold(0.0, f64::max);
    let enough = rules.extractive_coverage.max(best * BESIDE_THE_BEST);
    let mut addresses: Vec<String> = Vec::new();
    for (address, _) in found.into_iter().filter(|(_, covered)| *covered >= enough) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    let open = if addresses.is_empty() { vec![SILENT.to_owned()] } else { vec![] };
    Prose { open, ..Prose::quoting(&addresses) }
}
