//! `quaestio check` over claims of which it is known whether they should stand.

use eval::claims::{Labelled, Table, labelled, outcomes};
use fakes::{Exhibit, FakeModel, Judgement, Say, is_reader, knowing, readings};
use run::ledger::Verdict;

use crate::data;
use crate::stand::Stand;

fn load_labels() -> Vec<Labelled> {
    let lines = std::fs::read_to_string(data().join("claims/claims.jsonl")).unwrap();
    labelled(&lines).unwrap()
}

/// What the check makes of the claims, with a reader that judges so, or without one.
fn check_claims(judge: Option<impl Fn(&Exhibit) -> Judgement + Send + Sync + 'static>) -> Table {
    let folder = data().join("claims");
    let (claims, documents) = (folder.join("claims.jsonl"), folder.join("documents"));
    let server = judge.map(|judge| {
        FakeModel::start(move |seen| {
            assert!(is_reader(seen), "nobody but the reader is asked: {}", seen.prompt());
            Say::json(&readings(seen, &judge))
        })
    });
    let stand =
        server.as_ref().map_or_else(Stand::new, |server| Stand::with_model(&server.base_url()));
    let told = stand.run(&[
        "check",
        claims.to_str().unwrap(),
        "--docs",
        documents.to_str().unwrap(),
        "--format",
        "jsonl",
    ]);
    assert_eq!(told.code, 3, "{}", told.err);
    Table::of(&load_labels(), &outcomes(&told.out).unwrap()).unwrap()
}

fn is_of<'a>(kinds: &'a [&str]) -> impl Fn(&Labelled) -> bool + 'a {
    |one| kinds.contains(&one.kind.as_str())
}

// proves: C4, C20
#[test]
fn what_a_program_can_know_is_refused_and_little_else() {
    let table = check_claims(None::<fn(&Exhibit) -> Judgement>);
    let is_faithful = |one: &Labelled| one.label == eval::claims::Label::Faithful;
    assert!(table.refused(is_faithful).share() <= 0.08, "{table}");
    for (label, outcome) in table.rows() {
        if is_faithful(label) && outcome.verdict == Verdict::Unsupported {
            let faults: Vec<&str> = outcome.faults.iter().map(|fault| &*fault.name).collect();
            assert!(faults.iter().all(|name| *name == "number_absent"), "{label:?}: {faults:?}");
        }
    }
    assert!(table.refused(is_of(&["wrong-number"])).share() >= 0.9, "{table}");
    assert!(
        table.refused(is_of(&["wrong-unit", "percent-vs-points", "look-alike-name"])).share()
            >= 0.7,
        "{table}"
    );
    let is_shown = |verdict| matches!(verdict, Verdict::Quoted | Verdict::Recomputed);
    assert_eq!(table.part(|one| !one.should_stand(), is_shown).count, 0);
    // Nobody read them, so nothing is called supported.
    assert_eq!(table.part(|_| true, |verdict| verdict == Verdict::Supported).count, 0);
}

// proves: C4, C20
#[test]
fn with_a_reader_that_answers_rightly_what_is_true_stands_and_nothing_else() {
    let labels = load_labels();
    let known = labels.iter().map(|one| (one.claim.as_str(), one.should_stand()));
    let table = check_claims(Some(knowing(known)));
    assert!(table.refused(Labelled::should_stand).share() <= 0.03, "{table}");
    let others = table.refused(|one| !one.should_stand());
    assert_eq!(others.count, others.of, "{table}");
}

// proves: C4, C20
#[test]
fn a_reader_that_always_says_yes_makes_nothing_a_quote() {
    let table = check_claims(Some(|_: &Exhibit| Judgement::Supported));
    let is_shown = |verdict| matches!(verdict, Verdict::Quoted | Verdict::Recomputed);
    assert_eq!(table.part(|one| !one.should_stand(), is_shown).count, 0);
    // A unit that is another one stays refused, where no arithmetic comes to it.
    assert!(table.refused(is_of(&["wrong-unit"])).share() >= 0.5);
}
