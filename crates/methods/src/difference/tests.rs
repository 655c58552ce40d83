use proptest::prelude::*;
use run::ledger::Citation;
use serde_json::json;

use super::*;

fn build_claim(text: &str, verdict: Verdict, uri: &str) -> Value {
    let citation = Citation {
        source_uri: uri.into(),
        source_sha256: format!("sha of {uri}"),
        ..Citation::default()
    };
    json!(Claim { text: text.into(), verdict, citations: vec![citation], ..Claim::default() })
}

fn build_result(claims: &[Value]) -> Value {
    let mut citations: Vec<Value> = Vec::new();
    for claim in claims {
        citations.extend(claim["citations"].as_array().unwrap().iter().cloned());
    }
    json!({
        "run_id": "r", "method": "ask", "question": "q", "status": "completed", "citations": citations,
        "usage": {"calls": 2, "input_tokens": 10, "output_tokens": 3}, "cost_usd": 0.25, "deliverable": {"claims": claims},
    })
}

fn compared(from: &Value, to: &Value) -> Difference {
    compare(&Side::of_file(from), &Side::of_file(to))
}

// proves: M11
#[test]
fn claims_that_came_went_were_reworded_or_have_another_verdict_are_told_apart() {
    let from = build_result(&[
        build_claim("The pump stood in Broad Street.", Verdict::Quoted, "a.md"),
        build_claim("In all 616 people died of it.", Verdict::Supported, "a.md"),
        build_claim("The handle was removed in September.", Verdict::Supported, "a.md"),
        build_claim("Miasma was blamed by most doctors.", Verdict::Supported, "b.md"),
    ]);
    let to = build_result(&[
        build_claim("In all 618 people died of it.", Verdict::Supported, "a.md"),
        build_claim("The handle was removed in September.", Verdict::Unsupported, "a.md"),
        build_claim("The pump stood in Broad Street.", Verdict::Quoted, "a.md"),
        build_claim("Whitehead came to agree with Snow.", Verdict::Inferred, "c.md"),
    ]);
    let difference = compared(&from, &to);
    insta::assert_snapshot!(describe(&difference));
    let claims = &difference.claims;
    assert_eq!(
        (claims.same, claims.came.len(), claims.went.len(), claims.changed.len()),
        (1, 1, 1, 2)
    );
    assert_eq!(
        claims.changed[0].numbers,
        [NumberChange { from: Some("616".into()), to: Some("618".into()) }]
    );
    assert!(claims.changed[1].has_other_verdict && !claims.changed[1].is_reworded);
    assert_eq!(difference.sources.came[0].source_uri, "c.md");
    assert_eq!(difference.sources.went[0].source_uri, "b.md");
}

// proves: M11
#[test]
fn a_close_wording_about_another_source_is_another_claim() {
    let from =
        build_result(&[build_claim("The pump stood in Broad Street.", Verdict::Quoted, "a.md")]);
    let to =
        build_result(&[build_claim("The pump stood in Golden Street.", Verdict::Quoted, "b.md")]);
    let ClaimChanges { came, went, changed, .. } = compared(&from, &to).claims;
    assert_eq!((came.len(), went.len(), changed.len()), (1, 1, 0));
}

// proves: M11
#[test]
fn a_document_that_changed_is_told_and_one_that_moved_is_the_same() {
    let one = build_claim("One.", Verdict::Quoted, "a.md");
    let two = build_claim("Two.", Verdict::Quoted, "old/b.md");
    let from = build_result(&[one.clone(), two.clone()]);
    let [mut one, mut two] = [one, two];
    one["citations"][0]["source_sha256"] = "another".into();
    two["citations"][0]["source_uri"] = "new/b.md".into();
    let to = build_result(&[one, two]);
    let SourceChanges { same, came, went, changed } = compared(&from, &to).sources;
    assert_eq!((same, came.len(), went.len()), (1, 0, 0));
    assert_eq!((changed[0].source_uri.as_str(), changed[0].to.as_str()), ("a.md", "another"));
}

// proves: M11
#[test]
fn a_changed_document_is_told_of_claims_that_are_not_shown() {
    let mut from = build_result(&[build_claim("One.", Verdict::Unread, "a.md")]);
    from["citations"] = json!([]);
    let mut to = from.clone();
    to["deliverable"]["claims"][0]["citations"][0]["source_sha256"] = "another".into();
    assert_eq!(compared(&from, &to).sources.changed.len(), 1);
}

// proves: M11
#[test]
fn documents_that_were_read_for_each_run_alone_are_told_by_their_paths() {
    let of = |run: &str, text: &str, digest: &str| {
        let mut claim = build_claim(text, Verdict::Quoted, &format!("doc://run-{run}/kb/a.md"));
        claim["citations"][0]["source_sha256"] = digest.into();
        let mut result = build_result(&[claim]);
        result["run_id"] = run.into();
        result
    };
    let (from, to) =
        (of("one", "It was removed on 8 May.", "1"), of("two", "It was removed on 9 May.", "2"));
    let Difference { claims, sources, .. } = compared(&from, &to);
    assert_eq!((claims.changed.len(), claims.came.len()), (1, 0));
    assert_eq!(sources.changed[0].source_uri, "kb/a.md");
    assert_eq!((sources.came.len(), sources.went.len()), (0, 0));
}

// proves: M11
#[test]
fn other_questions_and_methods_are_told_first_and_compared_all_the_same() {
    let from = build_result(&[build_claim("One.", Verdict::Quoted, "a.md")]);
    let mut to = from.clone();
    to["question"] = "another \u{1b}[2J\nquestion".into();
    to["method"] = "market".into();
    let difference = compared(&from, &to);
    let page = describe(&difference);
    assert!(
        page.starts_with(
            "These runs have different methods and questions. They are compared anyway."
        ),
        "{page}"
    );
    assert!(page.contains("Claims: 1 the same") && !page.contains('\u{1b}'), "{page}");
    assert!(!difference.is_empty());
}

fn verdicts() -> impl Strategy<Value = Verdict> {
    prop_oneof![Just(Verdict::Quoted), Just(Verdict::Supported), Just(Verdict::Unsupported)]
}

/// Results whose claims are often alike.
fn results() -> impl Strategy<Value = Value> {
    let words = prop::sample::select(vec![
        "snow", "pump", "deaths", "616", "1,200", "the", "river", "死亡",
    ]);
    let text = prop::collection::vec(words, 0..7).prop_map(|words| words.join(" "));
    let uri = prop::sample::select(vec!["a", "b", "c"]);
    let digest = prop::sample::select(vec!["1", "2", "3"]);
    let one = (text, verdicts(), uri, digest).prop_map(|(text, verdict, uri, digest)| {
        let mut claim = build_claim(&text, verdict, uri);
        claim["citations"][0]["source_sha256"] = digest.into();
        claim
    });
    prop::collection::vec(one, 0..12).prop_map(|claims| build_result(&claims))
}

/// Returns the difference in the other direction.
fn mirrored(difference: &Difference) -> Difference {
    let Difference { from, to, started, claims, sources, cost, remarks } = difference.clone();
    let change = |one: Change| Change { from: one.to, to: one.from, ..one };
    let number = |one: NumberChange| NumberChange { from: one.to, to: one.from };
    let claim = |one: ClaimChange| ClaimChange {
        from: one.to,
        to: one.from,
        numbers: one.numbers.into_iter().map(number).collect(),
        ..one
    };
    let source = |one: SourceChange| SourceChange { from: one.to, to: one.from, ..one };
    Difference {
        from: to,
        to: from,
        started: started.into_iter().map(change).collect(),
        claims: ClaimChanges {
            came: claims.went,
            went: claims.came,
            changed: claims.changed.into_iter().map(claim).collect(),
            ..claims
        },
        sources: SourceChanges {
            came: sources.went,
            went: sources.came,
            changed: sources.changed.into_iter().map(source).collect(),
            ..sources
        },
        cost: CostChange { from: cost.to, to: cost.from },
        remarks,
    }
}

/// Returns a difference whose changed claims stand in an order of their own: they follow the result that is compared with.
fn sorted(mut difference: Difference) -> Difference {
    difference.claims.changed.sort_by_key(|one| format!("{one:?}"));
    difference
}

proptest! {
    // proves: M11
    #[test]
    fn a_result_differs_in_nothing_from_itself(one in results()) {
        let difference = compared(&one, &one);
        prop_assert!(difference.is_empty());
        prop_assert_eq!(difference.claims.same as usize, one["deliverable"]["claims"].as_array().unwrap().len());
    }

    // proves: M11
    #[test]
    fn the_difference_the_other_way_round_is_its_mirror(one in results(), other in results()) {
        prop_assert_eq!(sorted(mirrored(&compared(&one, &other))), sorted(compared(&other, &one)));
    }

    // proves: M11
    #[test]
    fn every_claim_is_told_once(one in results(), other in results()) {
        let ClaimChanges { same, came, went, changed } = compared(&one, &other).claims;
        let count = |result: &Value| result["deliverable"]["claims"].as_array().unwrap().len();
        prop_assert_eq!(same as usize + changed.len() + went.len(), count(&one));
        prop_assert_eq!(same as usize + changed.len() + came.len(), count(&other));
    }

    // proves: M11
    #[test]
    fn no_text_moves_the_cursor(text in any::<String>(), one in results()) {
        let mut other = one.clone();
        for key in ["run_id", "question", "method", "status"] {
            other[key] = text.clone().into();
        }
        other["deliverable"]["claims"] = json!([build_claim(&text, Verdict::Quoted, &text)]);
        other["citations"] = other["deliverable"]["claims"][0]["citations"].clone();
        let page = describe(&compared(&one, &other));
        prop_assert!(page.chars().all(|c| c == '\n' || !c.is_control()));
    }
}
