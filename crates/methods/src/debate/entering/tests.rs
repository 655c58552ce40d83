use std::sync::Arc;

use run::evidence::{Evidence, Passage, Place};
use run::ledger::Quoted;
use run::material::Material;

use super::super::replies::Code;
use super::*;
use crate::grounded::docket::settle_by_program;

fn evidence(number: u32, text: &str) -> Numbered {
    let passage = Passage {
        text: text.into(),
        source_uri: format!("doi:10.5555/{number}"),
        kind: EvidenceKind::Scholarly,
        chunk_id: number.to_string(),
        score: 1.0,
        metadata: Default::default(),
        work: None,
        place: Place {
            document_id: number.to_string(),
            title: "Tides".into(),
            section: "Tides".into(),
            start: 0,
            end: text.len() as u64,
            source_sha256: number.to_string(),
            pages: vec![],
        },
    };
    let evidence = Arc::new(Evidence::from_passage(passage, Default::default()));
    Numbered { number, evidence }
}

const SAYS: &str =
    "Spring tides come twice each lunar month. Neap tides are weaker than spring tides.";

fn entered_with(speech: &Proposal, other: &[&str], tokens: usize) -> Entered {
    let evidence = [evidence(1, SAYS)];
    let said: Vec<String> = other.iter().map(|said| (*said).to_owned()).collect();
    let other = if said.is_empty() { vec![] } else { vec![(2, said)] };
    let given = ["How often are spring tides?"];
    let (evidence, mode) = (&evidence, Mode::Model);
    let reply_check = ReplyCheck { evidence, other: &other, given: &given, tokens, mode };
    let material = Material::of(evidence);
    let mut docket = Docket::new(&material, given[0], mode);
    settle_by_program(&mut docket, |docket| entered(speech, &reply_check, docket))
}

fn cited(text: &str, quote: &str) -> Written {
    let citations = vec![Quoted { evidence: 1, quote: quote.into() }];
    Written { text: text.into(), citations, ..Written::default() }
}

fn uncited(text: &str) -> Written {
    Written { text: text.into(), ..Written::default() }
}

fn spring() -> Written {
    let said = "Spring tides come twice each lunar month";
    cited(&format!("{said}."), said)
}

fn objection(quotation: &str, text: &str) -> Objection {
    Objection { quotation: quotation.into(), text: text.into(), ..Objection::default() }
}

// proves: D3
#[test]
fn what_cites_is_checked_and_what_does_not_follows_from_it_or_is_cut() {
    let discussion = Discussion {
        position: vec![
            uncited("I hold that the moon decides."),
            uncited("It was measured 47 times."),
            uncited("As Smith et al. show in doi:10.5555/7, it is so."),
            cited(
                "Spring tides come three times each lunar month.",
                "Spring tides come twice each lunar month",
            ),
        ],
        synthesis: vec![
            cited(
                "Spring tides come twice each lunar month.",
                "Spring tides come twice each lunar month",
            ),
            uncited("The sea is deep."),
            // A plain-text reply quotes nothing: it is checked against the nearest sentence.
            cited("Neap tides are weaker than spring tides.", ""),
        ],
        ..Discussion::default()
    };
    let came = entered_with(&Proposal { discussion, ..Proposal::default() }, &[], 1000);
    let texts = |pieces: &[Piece]| pieces.iter().map(|one| one.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(&came.position), ["I hold that the moon decides."]);
    let concluded = &came.claims[came.position[0].claim.unwrap()];
    assert_eq!((concluded.verdict, concluded.citations.len()), (Verdict::Inferred, 2));
    assert_eq!(
        texts(&came.synthesis),
        ["Spring tides come twice each lunar month.", "Neap tides are weaker than spring tides."]
    );
    assert_eq!((came.claims.len(), came.failed.len()), (3, 4), "what is cut is counted");
    let faults: Vec<String> =
        came.failed.iter().flat_map(|claim| &claim.faults).map(ToString::to_string).collect();
    let told = [came.violations, faults].concat().join("\n");
    for part in ["47", "Smith", "three times", "\"The sea is deep.\" cites nothing"] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

// proves: D1
#[test]
fn a_quotation_of_the_other_is_a_span_of_what_they_said() {
    let said = "The moon alone decides, and nothing else does.";
    let discussion = Discussion {
        synthesis: vec![spring()],
        critique: vec![
            objection(
                "“The moon alone decides, and nothing else does.”",
                "The sun has a say as well.",
            ),
            objection("T2.1", "The moon is not alone."),
            objection("T2.2", "There is no such sentence."),
            objection("The sun alone decides", "That is wrong."),
            objection("", "You passed over the sun."),
            objection("", "You said \"the tides are made by whales\" without proof."),
        ],
        ..Discussion::default()
    };
    let proposal = Proposal { discussion, ..Proposal::default() };
    let came = entered_with(&proposal, &[said], 1000);
    let kept: Vec<(&str, &str)> =
        came.critique.iter().map(|(quotation, piece)| (&**quotation, &*piece.text)).collect();
    assert_eq!(
        kept,
        [
            ("The moon alone decides, and nothing else does.", "The sun has a say as well."),
            ("The moon alone decides, and nothing else does.", "The moon is not alone."),
            ("", "You passed over the sun."),
        ]
    );
    let told = came.violations.join("\n");
    for absent in ["The sun alone decides", "T2.2"] {
        assert!(told.contains(&format!("\"{absent}\" is no sentence of the other")), "{told}");
    }
    assert!(told.contains("the tides are made by whales"), "{told}");
}

// proves: D1
#[test]
fn on_the_first_turn_there_is_nobody_to_answer() {
    let discussion = Discussion {
        synthesis: vec![spring()],
        position: vec![
            uncited("My opponent is wrong."),
            uncited("As the first to speak I expect the moon to decide."),
        ],
        critique: vec![objection("", "That is too simple.")],
        ..Discussion::default()
    };
    let proposal =
        Proposal { discussion, conclusion: "Scientist 2 agrees.".into(), ..Proposal::default() };
    let came = entered_with(&proposal, &[], 1000);
    assert!(came.critique.is_empty() && came.conclusion.is_empty());
    assert_eq!(came.position.len(), 1);
    assert_eq!(came.violations.len(), 3);
}

// proves: D3
#[test]
fn a_number_of_the_proposed_code_may_be_spoken_of() {
    let proposal = Proposal {
        explanation: vec![uncited("It runs 4096 trials."), uncited("It takes 17 of them.")],
        code: Code { language: "python".into(), source: "assert run(4096)".into() },
        ..Proposal::default()
    };
    let came = entered_with(&proposal, &[], 1000);
    let texts: Vec<&str> = came.explanation.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["It runs 4096 trials."]);
}

// proves: D3
#[test]
fn a_response_is_no_longer_than_it_may_be() {
    let position = (0..20)
        .map(|index| uncited(&format!("I hold to the view of kind {}.", "x".repeat(index + 1))));
    let synthesis = vec![spring()];
    let discussion =
        Discussion { position: position.collect(), synthesis, ..Discussion::default() };
    let came = entered_with(&Proposal { discussion, ..Proposal::default() }, &[], 60);
    let length: usize = came.position.iter().map(|one| count_tokens(&one.text)).sum();
    assert!((30..=60).contains(&length), "{length}");
    assert_eq!(came.violations.len(), 1, "{:?}", came.violations);

    let said = "All of this was said at length, and nothing of it is short.";
    let critique = (0..20).map(|index| objection(said, &format!("No: {}.", "x".repeat(index + 1))));
    let synthesis = vec![spring()];
    let discussion =
        Discussion { critique: critique.collect(), synthesis, ..Discussion::default() };
    let conclusion = "It is too long.".to_owned();
    let proposal = Proposal { discussion, conclusion, ..Proposal::default() };
    let came = entered_with(&proposal, &[said], 100);
    let quoted = came.critique.iter().map(|(quotation, piece)| [quotation.as_str(), &piece.text]);
    let length: usize = quoted.flatten().chain([came.conclusion.as_str()]).map(count_tokens).sum();
    assert!((50..=100).contains(&length), "{length}");
    assert_eq!(came.conclusion, "It is too long.");
}
