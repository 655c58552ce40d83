//! Finds sources that contradict each other about one thing, as far as a program can tell.
//!
//! Sentences of different documents are compared in pairs. They disagree if they share the words of the shorter one and all of their names,
//! and differ in exactly one figure, or in yes and no. What is found is only a hint: a reader sees both sentences.

use std::collections::{BTreeMap, BTreeSet};

use ::grounding::check::{Cited, Context, Fault, Gazetteer, Ground, check};
use run::evidence::Numbered;
use run::ledger::Quoted;
use serde::Serialize;
use text::Language;

/// Two sentences that disagree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Disagreement {
    pub kind: Kind,
    pub one: Quoted,
    pub other: Quoted,
    /// Whether they are about different companies, so that both may be right.
    pub is_of_several_companies: bool,
}

/// What they differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Figure,
    Denial,
}

/// A sentence of the evidence.
struct Sentence<'a> {
    source: &'a Numbered,
    text: &'a str,
    /// Its content words, without figures.
    words: BTreeSet<String>,
}

/// Maximum disagreements shown.
const MOST: usize = 5;

/// Returns the disagreements between sentences that bear on the question, those that bear most on it first; and the companies of which they
/// say different things. `weights` are the question's content words with their IDF.
pub(super) fn disagreements(
    evidence: &[Numbered],
    weights: &[(String, f64)],
    language: Language,
) -> (Vec<Disagreement>, BTreeSet<String>) {
    /// A sentence bears on the question if it holds this share of it, together with its heading.
    const BEARS_ON_IT: f64 = 0.4;
    let mut sentences: Vec<(Sentence<'_>, f64)> = Vec::new();
    for source in evidence {
        let section = &source.evidence.provenance.place.section;
        for span in text::sentences(&source.evidence.text) {
            let Some(text) = source.evidence.text.get(span) else { continue };
            let terms = text::terms(text, language);
            let bears =
                extract::coverage(weights, &[terms.clone(), text::terms(section, language)]);
            if bears >= BEARS_ON_IT {
                let is_word = |term: &String| !term.contains(|c: char| c.is_ascii_digit());
                let words = terms.into_iter().filter(is_word).collect();
                sentences.push((Sentence { source, text, words }, bears));
            }
        }
    }
    let mut found: Vec<(Disagreement, f64)> = Vec::new();
    for (index, (one, bears)) in sentences.iter().enumerate() {
        for (other, also) in sentences.iter().skip(index + 1) {
            if let Some(disagreement) = compare_sentences(one, other) {
                found.push((disagreement, bears + also));
            }
        }
    }
    found.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let names: BTreeMap<u32, &String> = evidence
        .iter()
        .filter_map(|one| Some((one.number, one.evidence.provenance.metadata.get("company")?)))
        .collect();
    let companies = found
        .iter()
        .filter(|(one, _)| one.is_of_several_companies)
        .flat_map(|(one, _)| [one.one.evidence, one.other.evidence])
        .filter_map(|number| names.get(&number).map(|name| (*name).clone()))
        .collect();
    let mut shown: Vec<Disagreement> = Vec::new();
    for (disagreement, _) in found {
        // The same sentence against a third says little more.
        let is_known = shown.iter().any(|known| {
            [&known.one, &known.other].iter().any(|side| {
                side.quote == disagreement.one.quote || side.quote == disagreement.other.quote
            })
        });
        if !is_known && shown.len() < MOST {
            shown.push(disagreement);
        }
    }
    (shown, companies)
}

fn compare_sentences(one: &Sentence<'_>, other: &Sentence<'_>) -> Option<Disagreement> {
    /// Minimum words that they must share.
    const SHARED_WORDS: usize = 3;
    let (a, b) = (&one.source.evidence, &other.source.evidence);
    if a.source_uri == b.source_uri {
        return None;
    }
    let shared = one.words.intersection(&other.words).count();
    // If each has a word that the other lacks, they may be about two things: children and adults.
    let is_of_one_thing = shared == one.words.len().min(other.words.len());
    let company = |side: &Sentence<'_>| {
        side.source.evidence.provenance.metadata.get("company").map(|name| name.to_lowercase())
    };
    let (here, there) = (company(one), company(other));
    let is_of_several_companies = here.is_some() && there.is_some() && here != there;
    if shared < SHARED_WORDS || !(is_of_one_thing || is_of_several_companies) {
        return None;
    }
    let (left, right) = (faults(one, other), faults(other, one));
    let names =
        |faults: &[Fault]| faults.iter().any(|fault| matches!(fault, Fault::NameAbsent { .. }));
    if (names(&left) || names(&right)) && !is_of_several_companies {
        return None;
    }
    let kind = match (figures(&left).as_slice(), figures(&right).as_slice()) {
        ([a], [b]) if excludes(a, b) && !is_hedged(one.text) && !is_hedged(other.text) => {
            Kind::Figure
        }
        ([], []) if denies(one.text) != denies(other.text) => Kind::Denial,
        _ => return None,
    };
    let side =
        |side: &Sentence<'_>| Quoted { evidence: side.source.number, quote: side.text.to_owned() };
    Some(Disagreement { kind, one: side(one), other: side(other), is_of_several_companies })
}

/// Returns the faults of `claim` if it rested on `source`.
fn faults(claim: &Sentence<'_>, source: &Sentence<'_>) -> Vec<Fault> {
    let section = &source.source.evidence.provenance.place.section;
    let statements = vec![Cited { text: source.text.to_owned(), head: String::new() }];
    let ground = Ground { statements, headings: vec![section.clone()], ..Ground::default() };
    let gazetteer = Gazetteer::default();
    let context = Context { grounds: &[ground], question: "", gazetteer: &gazetteer };
    check(claim.text, &context).faults
}

/// Returns the figures that the source lacks.
fn figures(faults: &[Fault]) -> Vec<&str> {
    let absent = faults.iter().filter_map(|fault| match fault {
        Fault::NumberAbsent { number } | Fault::UnitDiffers { number, .. } => Some(number.as_str()),
        _ => None,
    });
    absent.collect()
}

/// Returns whether two figures can be of one kind: neither is a year, and their currencies do not differ.
fn excludes(one: &str, other: &str) -> bool {
    let currency = |figure: &str| figure.chars().find(|c| "$€£¥".contains(*c));
    !is_year(one) && !is_year(other) && currency(one) == currency(other)
}

/// Returns whether a sentence gives its figure as a bound or roughly.
fn is_hedged(text: &str) -> bool {
    const HEDGES: [&str; 14] = [
        "at least",
        "at most",
        "about ",
        "around ",
        "roughly",
        "nearly",
        "almost",
        "more than",
        "less than",
        "fewer than",
        "up to",
        "over ",
        "approximately",
        "some ",
    ];
    let text = text.to_lowercase();
    HEDGES.iter().any(|hedge| text.contains(hedge))
}

/// Returns whether a figure is a year: what holds of one year need not hold of another.
fn is_year(figure: &str) -> bool {
    let digits: String = figure.chars().filter(char::is_ascii_digit).collect();
    digits.len() == 4
        && figure.chars().all(|c| c.is_ascii_digit())
        && matches!(digits.parse(), Ok(1000..=2999))
}

/// Returns whether a sentence denies something. It only affects which pairs of sentences are reported.
fn denies(text: &str) -> bool {
    const DENIALS: [&str; 11] =
        ["not", "no", "never", "neither", "none", "cannot", "nicht", "kein", "keine", "nie", "ne"];
    let is_denial = |word: &str| {
        let word = word.to_lowercase();
        DENIALS.contains(&word.as_str()) || word.ends_with("n't") || word.ends_with("n’t")
    };
    text.split_whitespace().any(|word| is_denial(word.trim_matches(|c: char| !c.is_alphanumeric())))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use jiff::Timestamp;
    use run::evidence::{Evidence, EvidenceKind, Passage, Place};

    use super::*;

    fn evidence(number: u32, company: &str, text: &str) -> Numbered {
        let passage = Passage {
            text: text.into(),
            source_uri: format!("doc://kb/{number}.md"),
            kind: EvidenceKind::Rag,
            chunk_id: number.to_string(),
            score: 1.0,
            metadata: BTreeMap::from([("company".to_owned(), company.to_owned())]),
            work: None,
            place: Place {
                document_id: number.to_string(),
                title: "Notes".into(),
                section: "Notes".into(),
                start: 0,
                end: text.len() as u64,
                source_sha256: String::new(),
                pages: vec![],
            },
        };
        let evidence = Arc::new(Evidence::from_passage(passage, Timestamp::UNIX_EPOCH));
        Numbered { number, evidence }
    }

    fn between(question: &str, one: (&str, &str), other: (&str, &str)) -> Vec<Disagreement> {
        let language = Language::English;
        let weights: Vec<(String, f64)> =
            text::terms(question, language).into_iter().map(|term| (term, 1.0)).collect();
        let evidence = [evidence(1, one.0, one.1), evidence(2, other.0, other.1)];
        disagreements(&evidence, &weights, language).0
    }

    // proves: A4
    #[test]
    fn one_thing_with_two_figures_or_with_yes_and_no_is_a_disagreement() {
        let question = "How many people died in the Soho outbreak?";
        for (one, other, kind) in [
            (
                "In all 616 people died in the Soho outbreak.",
                "In all 578 people died in the Soho outbreak.",
                Kind::Figure,
            ),
            (
                "The Soho outbreak killed 616 people in ten days.",
                "The outbreak in Soho killed 700 people in ten days.",
                Kind::Figure,
            ),
            (
                "People died in the Soho outbreak from bad water.",
                "People did not die in the Soho outbreak from bad water.",
                Kind::Denial,
            ),
        ] {
            let found = between(question, ("", one), ("", other));
            assert_eq!(found.len(), 1, "{one} / {other}");
            assert_eq!((found[0].kind, found[0].is_of_several_companies), (kind, false));
            assert_eq!((&*found[0].one.quote, &*found[0].other.quote), (one, other));
        }
    }

    // proves: A4
    #[test]
    fn what_agrees_or_speaks_of_something_else_is_none() {
        let question = "How many people died in the Soho outbreak?";
        for (one, other) in [
            (
                "In all 616 people died in the Soho outbreak.",
                "In all 616 people died in the Soho outbreak, most of them poor.",
            ),
            (
                "In 1849 14,137 people died in the London outbreak.",
                "In 1854 10,738 people died in the London outbreak.",
            ),
            (
                "In all 616 people died in the Soho outbreak.",
                "In all 578 people died in the Deptford outbreak.",
            ),
            (
                "In all 616 people died in the Soho outbreak.",
                "The pump stood in Soho for 90 years.",
            ),
            (
                "In the Soho outbreak 120 children died of cholera.",
                "In the Soho outbreak 300 adults died of cholera.",
            ),
            (
                "In all at least 578 people died in the Soho outbreak.",
                "In all 616 people died in the Soho outbreak.",
            ),
            (
                "The Soho outbreak cost people £350 in all.",
                "The Soho outbreak cost people $900 in all.",
            ),
            (
                "People died in the Soho outbreak in 1854.",
                "People died in the Soho outbreak in 1853.",
            ),
        ] {
            assert_eq!(between(question, ("", one), ("", other)), [], "{one} / {other}");
        }
        let same =
            [evidence(1, "", "In all 616 people died in Soho. In all 578 people died in Soho.")];
        assert_eq!(disagreements(&same, &[("soho".into(), 1.0)], Language::English).0, []);
    }

    // proves: A4
    #[test]
    fn what_several_companies_say_of_themselves_is_marked() {
        let found = between(
            "What was the revenue in 2023?",
            ("acme", "Revenue of Acme in 2023 was 5 million dollars."),
            ("globex", "Revenue of Globex in 2023 was 7 million dollars."),
        );
        assert_eq!(found.len(), 1);
        assert!(found[0].is_of_several_companies);
    }
}
