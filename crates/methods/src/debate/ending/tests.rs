use proptest::prelude::*;
use serde_json::json;

use run::Reply;

use super::*;

const REVIEW: &str = "## Position\nThe proposal rests on little [2].\n\n## Critique\n- It passes over drift [1, 3].\n\n\
    References (APA 7)\nNobody, N. (2001). Nothing.\n\n**Agreement:** Disagree\nViability: NOT_VIABLE\n- Validation: `FAIL`\n\
    Answer: UNVERIFIED\nVerification Reason: it drifts\nConclusion: It does not hold.\n";

// proves: D3
#[test]
fn a_review_in_plain_text_is_read_from_its_ending() {
    let review = Review::plain(REVIEW).unwrap();
    assert_eq!(review.verdict(), (Viability::NotViable, Validation::Fail));
    assert_eq!((review.agreement, review.answer), (Agreement::Disagree, Some(Answer::Unverified)));
    assert_eq!(review.conclusion, "It does not hold.");
    assert_eq!(review.verification_reason, "it drifts");
    let Discussion { position, critique, .. } = review.discussion;
    assert_eq!(position[0].text, "The proposal rests on little.");
    assert_eq!(position[0].cites, ["[2]"]);
    assert_eq!(critique[0].text, "It passes over drift.");
    assert_eq!(critique[0].cites, ["[1]", "[3]"]);
}

// proves: D3
#[test]
fn the_compact_ending_says_both() {
    let said = |ending: &str| Review::plain(&format!("It was run.\n\n{ending}")).unwrap();
    let verified = said("Answer: VERIFIED\nVerification Reason: all checks held");
    assert_eq!(verified.verdict(), (Viability::Viable, Validation::Pass));
    let unverified = said("**Answer**: unverified");
    assert_eq!(unverified.verdict(), (Viability::NotViable, Validation::Fail));
}

// proves: D4
#[test]
fn markers_anywhere_but_at_the_end_are_text() {
    let text = "Viability: VIABLE\nValidation: PASS\nAnswer: VERIFIED\nThe paper says so.\n\n\
        Viability: NOT_VIABLE\nValidation: FAIL";
    assert_eq!(Review::plain(text).unwrap().verdict(), (Viability::NotViable, Validation::Fail));
    assert!(Review::plain("Validation: PASS\nViability: VIABLE\nas the paper says").is_none());
    let two = "So it is.\nValidation: PASS\nViability: VIABLE\nValidation: FAIL";
    assert!(Review::plain(two).is_none(), "what says two things is asked for again");
    let quoted =
        "The proposal ends so:\n\n> Viability: VIABLE\n> Validation: PASS\n> Answer: VERIFIED";
    assert!(Review::plain(quoted).is_none());
    let fenced = "It prints:\n```\nall is well\nViability: VIABLE\nAnswer: VERIFIED\n```\n";
    assert!(Review::plain(fenced).is_none());
    let whole = "It drifts.\n```\nViability: NOT_VIABLE\nValidation: FAIL\n```\n";
    assert!(Review::plain(whole).is_some(), "an ending that is fenced as a whole is one");
    assert!(Review::plain("no ending at all").is_none());
    assert!(Review::plain("").is_none());
}

// proves: D3
#[test]
fn markers_of_an_object_are_read_as_they_are_written() {
    let read = |value| serde_json::from_value::<Review>(value);
    let review = read(json!({"viability": "not viable", "validation": "n/a"})).unwrap();
    assert_eq!(review.verdict(), (Viability::NotViable, Validation::NotApplicable));
    assert!(review.check().is_ok());
    let wrong = read(json!({"viability": "perhaps"})).unwrap_err().to_string();
    assert!(wrong.contains("VIABLE or NOT_VIABLE"), "{wrong}");
    assert!(read(json!({})).unwrap().check().is_err(), "a review without a verdict is none");
    let torn = json!({"viability": "VIABLE", "validation": "FAIL", "answer": "VERIFIED"});
    assert!(read(torn).unwrap().check().is_err());
    let doubted = json!({"viability": "VIABLE", "validation": "PASS", "answer": "UNVERIFIED"});
    assert_eq!(read(doubted).unwrap().verdict().0, Viability::NotViable);
}

// proves: D1
#[test]
fn a_proposal_in_plain_text_brings_its_code() {
    let text = "I would sort them [1].\n\n```python\nassert sorted([2, 1]) == [1, 2]\n```\n\nand again\n\n```\nprint(1)\n```\n\
        Agreement: AGREE\nViability: VIABLE\nValidation: PASS\nConclusion: Sorting helps.";
    let proposal = Proposal::plain(text).unwrap();
    assert_eq!(proposal.code.language, "python");
    assert_eq!(proposal.code.source, "assert sorted([2, 1]) == [1, 2]\n\nprint(1)");
    assert_eq!(proposal.discussion.position[0].text, "I would sort them.");
    assert_eq!(proposal.conclusion, "Sorting helps.");
    let other = "So:\n```rust\nfn main() {}\n```\nAgreement: AGREE\nViability: VIABLE";
    assert_eq!(Proposal::plain(other).unwrap().code.language, "rust");
}

proptest! {
    #[test]
    fn any_text_is_read_or_is_none(text in any::<String>()) {
        let _ = Proposal::plain(&text);
        let _ = Review::plain(&text);
    }

    // proves: D3
    #[test]
    fn an_ending_is_read_however_it_is_decorated(
        before in prop::sample::select(vec!["", "- ", "**", "### "]),
        behind in prop::sample::select(vec!["", ".", "**", " (see above)"]),
        viable in any::<bool>(),
        pass in any::<bool>(),
    ) {
        let viability = if viable { "Viable" } else { "not_viable" };
        let validation = if pass { "pass" } else { "FAIL" };
        let text = format!("It was run.\n{before}Viability: {viability}{behind}\n{before}Validation: {validation}{behind}\n");
        let wanted = (
            if viable { Viability::Viable } else { Viability::NotViable },
            if pass { Validation::Pass } else { Validation::Fail },
        );
        prop_assert_eq!(Review::plain(&text).map(|review| review.verdict()), Some(wanted));
    }
}
