//! Headings that deny what stands under them, and titles of works that do not, as the ledger reads them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use run::evidence::{Evidence, EvidenceKind, Numbered, Passage, Place};
use run::ledger::{Quoted, Verdict, Written, enter};
use run::paper::Paper;

const SENTENCE: &str = "Attention weights follow the order of the words.";

fn verdict(section: &str, work: Option<&str>) -> Verdict {
    let place = Place {
        document_id: "d".into(),
        title: section.into(),
        section: section.into(),
        start: 0,
        end: SENTENCE.len() as u64,
        source_sha256: "0".repeat(64),
        pages: Vec::new(),
    };
    let passage = Passage {
        text: SENTENCE.into(),
        source_uri: "doi:10.5555/1".into(),
        kind: EvidenceKind::Scholarly,
        chunk_id: "1".into(),
        score: 1.0,
        metadata: BTreeMap::new(),
        work: work.map(|title| Box::new(Paper { title: title.into(), ..Paper::default() })),
        place,
    };
    let evidence = Evidence::from_passage(passage, Timestamp::UNIX_EPOCH);
    let quoted = Quoted { evidence: 1, quote: SENTENCE.into() };
    let claim = Written { text: SENTENCE.into(), citations: vec![quoted] };
    enter(&[claim], &[Numbered { number: 1, evidence }])[0].verdict
}

// proves: C4, C13
#[test]
fn a_title_with_a_negation_does_not_deny_the_sentences_of_its_own_work() {
    for title in [
        "Attention is not Explanation",
        "No evidence for order in attention weights",
        "Never too late: attention at p > 0.05 is not *noise*",
    ] {
        let section = title.replace('*', "");
        assert_eq!(verdict(&section, Some(title)), Verdict::Verified, "{title}");
    }
}

// proves: C4, C13
#[test]
fn any_other_heading_denies_what_stands_under_it() {
    for (section, work) in [
        ("Attention is not explanation", None),
        ("What attention does not do", None),
        ("Myths", None),
        ("Notes > What attention does not do", None),
        ("Attention > What it does not do", Some("Attention")),
        ("What attention does not do", Some("Attention")),
        ("Myths about attention", Some("Myths about attention")),
    ] {
        assert_eq!(verdict(section, work), Verdict::Unsupported, "{section}");
    }
}
