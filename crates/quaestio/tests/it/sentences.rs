//! Sentences about the example survey that somebody wrote who had not seen the program, a hundred true and a hundred false: what comes of
//! them as findings of a brief.

use std::collections::BTreeMap;
use std::path::Path;

use fakes::{FakeModel, Judgement, Labelled, analyst, knowing, labelled};

use crate::stand::Stand;

fn at(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    path.canonicalize().unwrap().to_str().unwrap().to_owned()
}

/// Returns the verdicts of sentences that a worker reports, none where one does not stand.
fn judged(sentences: &[Labelled], says_yes: bool) -> Vec<Option<String>> {
    let honest = knowing(sentences.iter().map(|one| (one.text.as_str(), one.is_true)));
    let reads = move |exhibit: &_| if says_yes { Judgement::Supported } else { honest(exhibit) };
    let server = FakeModel::start(analyst(sentences.to_vec(), reads));
    let stand = Stand::with_model(&server.base_url());
    let (survey, question) =
        (at("examples/survey"), "How satisfied are passengers with the buses?");
    let mut args = vec!["brief", question, "--data", &survey, "--loop", "simple"];
    args.extend(["--format", "json", "--quiet", "--yes"]);
    for set in ["brief.tool_calls=50", "brief.most_findings=50", "brief.most_words=5000"] {
        args.extend(["--set", set]);
    }
    let told = stand.run(&args);
    assert_eq!(told.code, 0, "{told:?}");
    let bank = told.json()["deliverable"]["finding_bank"].clone();
    let verdict = |one: &Labelled| -> Option<String> {
        let mut found = bank.as_array()?.iter();
        let found = found.find(|finding| finding["claim"] == one.text.as_str())?;
        found["verdict"].as_str().map(str::to_owned)
    };
    sentences.iter().map(verdict).collect()
}

/// Returns how many of each kind stand, true ones and false ones, and whether any did as computed by the program.
fn counted(says_yes: bool) -> (BTreeMap<(bool, String), usize>, bool) {
    let text = std::fs::read_to_string(at("bench/survey/sentences.jsonl")).unwrap();
    let sentences = labelled(&text).unwrap();
    assert_eq!(sentences.iter().filter(|one| one.is_true).count(), 100);
    assert_eq!(sentences.iter().filter(|one| !one.is_true).count(), 100);
    let mut standing: BTreeMap<(bool, String), usize> = BTreeMap::new();
    let mut is_recomputed = false;
    for batch in sentences.chunks(20) {
        for (one, verdict) in batch.iter().zip(judged(batch, says_yes)) {
            is_recomputed |= verdict.as_deref() == Some("recomputed");
            *standing.entry((one.is_true, one.kind.clone())).or_default() +=
                usize::from(verdict.is_some());
        }
    }
    (standing, is_recomputed)
}

// proves: B6, C13
#[test]
fn what_an_analyst_says_of_figures_stands_where_it_is_true_and_nowhere_else() {
    let (standing, is_recomputed) = counted(false);
    let stand = |is_true: bool| -> usize {
        standing.iter().filter(|((own, _), _)| *own == is_true).map(|(_, count)| count).sum()
    };
    assert!(stand(true) >= 95, "{standing:?}");
    assert_eq!(stand(false), 0, "{standing:?}");
    assert!(!is_recomputed, "what somebody wrote is no computed statement");
}

// proves: B6, C13
#[test]
fn a_reader_that_lets_everything_pass_lets_no_wrong_number_pass() {
    let (standing, is_recomputed) = counted(true);
    let of = |kind: &str| standing.get(&(false, kind.to_owned())).copied().unwrap_or_default();
    let standing_of = ["number", "unit", "label", "base"].map(of);
    assert_eq!(standing_of, [0; 4], "{standing:?}");
    assert!(!is_recomputed, "{standing:?}");
}

#[test]
fn the_sentences_are_read_or_the_line_is_named() {
    assert!(labelled("{}").unwrap_err().starts_with("line 1: "));
    let one = r#"{"id": "t", "text": "It is so.", "figures": ["base(Q5)"], "is_true": true, "kind": "base"}"#;
    assert_eq!(labelled(one).unwrap()[0].kind, "base");
}
